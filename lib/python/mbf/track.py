# SPDX-License-Identifier: MIT
"""Codec 2 of mbf(5): the f32 of a part from what a prediction over time steps left of them."""
import struct

import numpy as np

LANES, CLASSES, LONGEST, ORDER, HEAD = 64, 240, 12, 6, 152


def table(lengths):
    """For the next 12 bits: length of the code, bits that follow it, what stands ahead of them."""
    code, found = 0, np.zeros((3, 1 << LONGEST), "i8")
    for length in range(1, LONGEST + 1):
        for k in np.flatnonzero(lengths == length):
            mirrored = int(format(code, "0%db" % length)[::-1], 2)
            found[:, mirrored::1 << length] = np.array([[length], [max(0, (k - 8) // 8)], [k if k < 16 else 8 + k % 8]])
            code += 1
            if code > 1 << length:
                raise ValueError("too many codes")
        code <<= 1
    if code != 2 << LONGEST or lengths.max() > LONGEST:
        raise ValueError("a code that is not complete")
    return found


def residuals(data, count, lengths, ends):
    """The whole numbers of all lanes; each of them goes on at its own bit, all of them at once."""
    length, more, ahead = table(lengths)
    padded = np.frombuffer(data + bytes(8), "u1")
    words = np.ascontiguousarray(np.lib.stride_tricks.sliding_window_view(padded, 8)).view("<u8").ravel()
    begins = np.arange(LANES + 1) * count // LANES
    at = 8 * np.concatenate([[0], np.cumsum(ends)[:-1]]).astype("i8")
    last, u = 8 * len(data), np.zeros(count, "u4")
    for k in range(-(-count // LANES)):
        lanes = np.flatnonzero(begins[:-1] + k < begins[1:])
        if at[lanes].max() > last:
            raise ValueError("codes behind the end")
        w = words[at[lanes] >> 3] >> (at[lanes] & 7).astype("u8")
        c = (w & ((1 << LONGEST) - 1)).astype("i8")
        bits = (w >> length[c].astype("u8")).astype("i8") & ((1 << more[c]) - 1)
        u[begins[lanes] + k] = ahead[c] << more[c] | bits
        at[lanes] += length[c] + more[c]
    if ((at + 7) // 8 != np.cumsum(ends)).any() or at[-1] > last or np.sum(ends) != len(data):
        raise ValueError("lanes of other lengths")
    return u >> 1 ^ -(u & 1)  # zigzag


class Floats:
    """Floats by their order."""

    def index(self, x):
        b = x.view("<u4")
        return b ^ (b.view("<i4") >> 31).view("u4") & 0x7FFFFFFF

    def value(self, i):
        return self.index(i.view("<f4")).view("<f4")


class Grid:
    """Decimals: `per` indices an angstrom; of several levels, `base` indices on the first, ten times coarser from one to the next."""

    def __init__(self, per, base, levels):
        inv = per / 10.0 ** np.arange(levels)
        for k in range(1, levels):
            inv[k] = inv[k - 1] / 10
        self.inv, self.unit = inv, 1 / inv
        self.start = (base / inv[:-1]).astype("f4")
        self.first = base + np.arange(levels - 1) * (base // 10 * 9.0)
        self.ahead = np.arange(levels) * (base // 10 * 9.0)

    def index(self, x):
        a = np.abs(x)
        level = np.searchsorted(self.start, a, "right")
        i = (np.rint(a.astype("f8") * self.inv[level]) + self.ahead[level]).astype("i8")
        return np.where(np.signbit(x), -i, i).astype("u4")

    def value(self, i):
        i = i.view("<i4").astype("f8")
        level = np.searchsorted(self.first, np.abs(i), "right")
        a = ((np.abs(i) - self.ahead[level]) * self.unit[level]).astype("f4")
        return np.where(i < 0, -a, a)


def floats(r, row, space, edge, coef):
    """Each row from those before it and its residuals."""
    count = len(r)
    x = np.zeros(-(-count // row) * row, "<f4").reshape(-1, row)
    r = np.concatenate([r, np.zeros(x.size - count, "u4")]).reshape(x.shape)
    half, ways = edge * np.float32(0.5), []
    for t, left in enumerate(r):
        p = x[t - 1] if t else np.zeros(row, "<f4")
        q = min(len(coef), max(t - 1, 0))
        if q:
            way = coef[q - 1][0] * ways[0]
            for k in range(1, q):
                way = way + coef[q - 1][k] * ways[k]
            p = p + way
        x[t] = space.value(space.index(p) + left)
        d = x[t] - p0 if t else x[t]
        p0 = x[t]
        d = np.where((edge > 0) & (d > half), d - edge, np.where((edge > 0) & (d < -half), d + edge, d))
        ways = [d] + ways[:ORDER - 1]
    return x.ravel()[:count]


def unpack(data, length, row, at):
    """The `length` bytes of a part whose rows have `row` numbers and whose first one is number `at` of its array."""
    count = length // 4
    kind, order, levels, zero, off, base, *edge = struct.unpack_from("<4B2I3f", data)
    per, = struct.unpack_from("<d", data, 24)
    if kind > 1 or order > ORDER or (not 1 <= levels <= 8 or not 0 < per <= 1e15 if kind else levels) or base > 10**8 or base % 10:
        raise ValueError("a head that is none")
    nibbles = np.frombuffer(data, "u1", CLASSES // 2, 32)
    lengths = np.stack([nibbles & 15, nibbles >> 4], 1).ravel()
    coef, head = [], HEAD
    for q in range(1, order + 1):
        coef.append(np.frombuffer(data, "<f4", q, head))
        head += 4 * q
    ends = np.frombuffer(data, "<u4", LANES, head).astype("i8")
    head += 4 * LANES
    behind = len(data) - 8 * off
    if off > count or behind < head:
        raise ValueError("too many exceptions")
    r = residuals(data[head:behind], count, lengths, ends)
    edge = np.array(edge, "f4")[(at + np.arange(row)) % 3]
    with np.errstate(all="ignore"):
        x = floats(r, row, Grid(per, base, levels) if kind else Floats(), edge, coef)
    exceptions = np.frombuffer(data, "<u4", 2 * off, behind).reshape(-1, 2)
    if off and exceptions[:, 0].max() >= count:
        raise ValueError("an exception behind the end")
    x.view("<u4")[exceptions[:, 0]] = exceptions[:, 1]
    return x.tobytes()
