# SPDX-License-Identifier: MIT
"""XXH3 with seed 0, of 64 and of 128 bits: the xxhash module where it is installed, else numpy.

Source: github.com/Cyan4973/xxHash, doc/xxhash_spec.md. digest64(b) is a number, digest128 an object with update(b) and digest().
"""
import numpy as np

SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221"
    "b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb"
    "170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e")
P32_1, P32_2, P32_3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
P64_1, P64_2, P64_3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
P64_4, P64_5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
MX2 = 0x9FB21C651E98DF25
MASK = (1 << 64) - 1
STRIPE, BLOCK = 64, 1024  # bytes; a block is as many stripes as the secret has places for


def u64(b, at):
    return int.from_bytes(b[at:at + 8], "little")


def u32(b, at):
    return int.from_bytes(b[at:at + 4], "little")


def swap64(v):
    return int.from_bytes(v.to_bytes(8, "little"), "big")


def rotl(v, k):
    return (v << k | v >> (64 - k)) & MASK


def fold(a, b):
    p = a * b
    return (p & MASK) ^ (p >> 64)


def avalanche(h):
    h = ((h ^ h >> 37) * 0x165667919E3779F9) & MASK
    return h ^ h >> 32


def avalanche_old(h):
    h = ((h ^ h >> 33) * P64_2) & MASK
    h = ((h ^ h >> 29) * P64_3) & MASK
    return h ^ h >> 32


def mix16(b, at, key, seed=0):
    return fold(u64(b, at) ^ (u64(SECRET, key) + seed & MASK), u64(b, at + 8) ^ (u64(SECRET, key + 8) - seed & MASK))


# ---- more than 240 bytes: eight lanes; what a stripe adds does not depend on the stripes before,
# so numpy does all at once

KEYS = np.array([[u64(SECRET, 8 * (s + k)) for k in range(8)] for s in range(16)], dtype="<u8")
LAST_KEY = np.array([u64(SECRET, 121 + 8 * k) for k in range(8)], dtype="<u8")
SCRAMBLE = np.array([u64(SECRET, 128 + 8 * k) for k in range(8)], dtype="<u8")


def stripes(data, keys):
    """What stripes [.., 8] add to the lanes, each."""
    keyed = data ^ keys
    product = (keyed & np.uint64(0xFFFFFFFF)) * (keyed >> np.uint64(32))
    product[..., 0::2] += data[..., 1::2]
    product[..., 1::2] += data[..., 0::2]
    return product


def lanes(b):
    n = len(b)
    blocks = (n - 1) // BLOCK
    acc = np.array([P32_3, P64_1, P64_2, P64_3, P64_4, P32_2, P64_5, P32_1], dtype="<u8")
    for first in range(0, blocks, 1024):
        count = min(1024, blocks - first)
        data = np.frombuffer(b, "<u8", count * 128, first * BLOCK).reshape(count, 16, 8)
        for add in stripes(data, KEYS).sum(axis=1, dtype="<u8"):
            acc += add
            acc ^= acc >> np.uint64(47)
            acc ^= SCRAMBLE
            acc *= np.uint64(P32_1)
    left = (n - 1 - blocks * BLOCK) // STRIPE
    data = np.frombuffer(b, "<u8", left * 8, blocks * BLOCK).reshape(left, 8)
    acc += stripes(data, KEYS[:left]).sum(axis=0, dtype="<u8")
    acc += stripes(np.frombuffer(b[n - STRIPE:], "<u8"), LAST_KEY)
    return [int(v) for v in acc]


def merge(acc, key, start):
    h = start
    for k in range(4):
        h += fold(acc[2 * k] ^ u64(SECRET, key + 16 * k), acc[2 * k + 1] ^ u64(SECRET, key + 16 * k + 8))
    return avalanche(h & MASK)


# ---- 64 bits

def short64(b, n):
    if n > 8:
        lo = u64(b, 0) ^ u64(SECRET, 24) ^ u64(SECRET, 32)
        hi = u64(b, n - 8) ^ u64(SECRET, 40) ^ u64(SECRET, 48)
        return avalanche((n + swap64(lo) + hi + fold(lo, hi)) & MASK)
    if n >= 4:
        h = (u32(b, n - 4) + (u32(b, 0) << 32)) ^ u64(SECRET, 8) ^ u64(SECRET, 16)
        h ^= rotl(h, 49) ^ rotl(h, 24)
        h = (h * MX2) & MASK
        h = ((h ^ (h >> 35) + n) * MX2) & MASK
        return h ^ h >> 28
    if n:
        return avalanche_old((b[0] << 16 | b[n >> 1] << 24 | b[n - 1] | n << 8) ^ u32(SECRET, 0) ^ u32(SECRET, 4))
    return avalanche_old(u64(SECRET, 56) ^ u64(SECRET, 64))


def plain64(b):
    b = bytes(b)
    n = len(b)
    if n > 240:
        return merge(lanes(b), 11, n * P64_1 & MASK)
    if n <= 16:
        return short64(b, n)
    h = n * P64_1
    if n <= 128:
        for k in range((n - 1) // 32 + 1):
            h += mix16(b, 16 * k, 32 * k) + mix16(b, n - 16 * (k + 1), 32 * k + 16)
        return avalanche(h & MASK)
    h = avalanche((h + sum(mix16(b, 16 * k, 16 * k) for k in range(8))) & MASK)
    h += sum(mix16(b, 16 * k, 16 * (k - 8) + 3) for k in range(8, n // 16))
    return avalanche((h + mix16(b, n - 16, 119)) & MASK)


# ---- 128 bits, as the canonical 16 bytes; what a stream needs of them is longer than 16 bytes

def mix32(lo, hi, b, one, two, key, seed=0):
    lo = (lo + mix16(b, one, key, seed) & MASK) ^ (u64(b, two) + u64(b, two + 8) & MASK)
    hi = (hi + mix16(b, two, key + 16, seed) & MASK) ^ (u64(b, one) + u64(b, one + 8) & MASK)
    return lo, hi


def plain128(b):
    n = len(b)
    if n > 240:
        acc = lanes(b)
        lo, hi = merge(acc, 11, n * P64_1 & MASK), merge(acc, 117, ~(n * P64_2) & MASK)
    elif n > 16:
        lo, hi = n * P64_1 & MASK, 0
        if n <= 128:
            for k in reversed(range((n - 1) // 32 + 1)):
                lo, hi = mix32(lo, hi, b, 16 * k, n - 16 * (k + 1), 32 * k)
        else:
            for k in range(4):
                lo, hi = mix32(lo, hi, b, 32 * k, 32 * k + 16, 32 * k)
            lo, hi = avalanche(lo), avalanche(hi)
            for k in range(4, n // 32):
                lo, hi = mix32(lo, hi, b, 32 * k, 32 * k + 16, 3 + 32 * (k - 4))
            lo, hi = mix32(lo, hi, b, n - 16, n - 32, 103)
        lo, hi = (lo + hi) & MASK, (lo * P64_1 + hi * P64_4 + n * P64_2) & MASK
        lo, hi = avalanche(lo), -avalanche(hi) & MASK
    elif n == 0:
        lo, hi = avalanche_old(u64(SECRET, 64) ^ u64(SECRET, 72)), avalanche_old(u64(SECRET, 80) ^ u64(SECRET, 88))
    else:
        raise ValueError("XXH3-128 of 1 to 16 bytes: no stream needs it")
    return hi.to_bytes(8, "big") + lo.to_bytes(8, "big")


class Plain128:
    """The bytes are kept: a stream has 128 and 80 of them a part, which stands for up to 4 MiB."""

    def __init__(self):
        self.bytes = bytearray()

    def update(self, b):
        self.bytes += b

    def digest(self):
        return plain128(bytes(self.bytes))


try:
    import xxhash
    digest64, digest128 = xxhash.xxh3_64_intdigest, xxhash.xxh3_128
except ImportError:
    digest64, digest128 = plain64, Plain128
