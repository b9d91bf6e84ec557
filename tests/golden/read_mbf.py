# SPDX-License-Identifier: MIT
"""read_mbf.py FILE: an independent reader of MBF, written from mbf(5) alone. Prints the hashes of each segment.

Exit status 2 and a line on stderr for a stream that is not whole. Needs Python 3 and its xxhash module.
"""
import math
import struct
import sys
import zlib

import xxhash

SIZE = [1, 4, 4, 8, 8, 4, 8, 1]
KNOWN = {b"META", b"POSN", b"CELL", b"TIME", b"PAIR", b"CORR", b"HIST", b"SPEC", b"SERI", b"VELO", b"ERR ", b"END "}


class Bad(Exception):
    pass


def want(condition, text):
    if not condition:
        raise Bad(text)


def read(f, n, what):
    b = f.read(n)
    want(len(b) == n, "TRUNCATED in " + what)
    return b


def unfilter(data, code, size, row):
    if code == 0:
        return data
    n = len(data) // size
    planes = [data[k * n:(k + 1) * n] for k in range(size)]
    out = bytearray(len(data))
    for k in range(size):
        out[k::size] = planes[k]
    if code == 1:
        return bytes(out)
    v = [int.from_bytes(out[i * size:(i + 1) * size], "little") for i in range(n)]
    mask = (1 << (8 * size)) - 1
    for i in range(row, n):
        v[i] = (v[i] + v[i - row]) & mask
    return b"".join(x.to_bytes(size, "little") for x in v)


def frame(f, raw_header):
    h = raw_header
    want(h[:8] == b"\x89MBF\r\n\x1a\n", "CORRUPT magic")
    want(struct.unpack_from("<Q", h, 120)[0] == xxhash.xxh3_64_intdigest(h[:120]), "CORRUPT header")
    want(h[8] == 1 and h[10:12] == b"\x80\x00", "another version")
    flags, dtype, ndim, codec, filt = struct.unpack_from("<IBBBB", h, 16)
    want(flags & 0xfff8 == 0, "unknown incompatible flag")
    seq, index, time, *dims = struct.unpack_from("<QQd4Q", h, 24)
    offset, raw, stored, raw_hash, stored_hash = struct.unpack_from("<5Q", h, 80)
    want(dtype < 8 and 1 <= ndim <= 4 and not any(dims[ndim:]) and codec < 2 and filt < 3, "CORRUPT field")
    want(raw <= 64 << 20 and stored <= raw, "CORRUPT length")
    total = SIZE[dtype] * math.prod(dims[:ndim])
    want(offset + raw <= total and bool(flags & 4) == (offset + raw == total), "CORRUPT part")
    payload = read(f, stored, "a payload")
    want(not any(read(f, -stored % 64, "padding")), "CORRUPT padding")
    want(xxhash.xxh3_64_intdigest(payload) == stored_hash, "CORRUPT payload")
    if codec:
        z = zlib.decompressobj()
        data = z.decompress(payload, raw + 1)
        want(z.eof and not z.unused_data and len(data) == raw, "CORRUPT zlib data")
        payload = unfilter(data, filt, SIZE[dtype], max(1, math.prod(dims[1:ndim])))
    want(xxhash.xxh3_64_intdigest(payload) == raw_hash, "CORRUPT raw part")
    bits = h[40:48] if time == time else struct.pack("<Q", 0x7ff8000000000000)
    content = h[12:16] + h[20:22] + b"\0\0" + h[48:80] + h[32:40] + bits + h[80:96] + h[104:112]
    return h[12:16], flags, seq, dims, offset, raw, content, payload


def check_meta(text):
    keys = []
    want(text == b"" or text.endswith(b"\n"), "CORRUPT META")
    for line in text.decode("utf-8").splitlines() if text else []:
        key, tab, _ = line.partition("\t")
        want(tab and key and len(key) <= 64 and set(key) <= set("abcdefghijklmnopqrstuvwxyz0123456789_."), "CORRUPT META")
        keys.append(key)
    want(keys == sorted(set(keys)), "CORRUPT META")


def segment(f, header):
    stream, content = xxhash.xxh3_128(), xxhash.xxh3_128()
    frames = arrays = raw_bytes = wire = steps = 0
    part_of = None
    while True:
        kind, flags, seq, dims, offset, raw, record, payload = frame(f, header)
        want(seq == frames, "CORRUPT order")
        want((kind == b"META") == (frames == 0), "CORRUPT grammar")
        if kind == b"ERR ":
            raise Bad("ERR: " + payload.decode())
        if kind == b"END ":
            want(len(payload) == 128 and part_of is None, "CORRUPT END")
            want(struct.unpack_from("<4Q", payload) == (frames, arrays, raw_bytes, wire), "CORRUPT totals")
            want(struct.unpack_from("<Q", payload, 104)[0] == steps, "CORRUPT totals")
            want(payload[32:48] == stream.digest() and payload[48:64] == content.digest(), "CORRUPT hashes")
            want(payload[96] < 2, "partial")
            print("stream", stream.hexdigest())
            print("content", content.hexdigest())
            return
        if kind == b"META":
            check_meta(payload)
        else:
            want(kind in KNOWN or not flags & 1, "unknown critical type")
            here = (kind, record[4:56], offset)
            want(here == part_of if part_of else offset == 0, "CORRUPT parts")
            part_of = None if flags & 4 else (kind, record[4:56], offset + raw)
            arrays += part_of is None
            raw_bytes += raw
            content.update(record)
            if kind in (b"POSN", b"PAIR", b"SERI") and part_of is None:
                steps += dims[0]
        stream.update(header)
        wire += 128 + (struct.unpack_from("<Q", header, 96)[0] + 63) // 64 * 64
        frames += 1
        header = read(f, 128, "a header")


def main():
    with open(sys.argv[1], "rb") as f:
        header = read(f, 128, "the first header")
        while header:
            segment(f, header)
            header = f.read(128)
            want(len(header) in (0, 128), "TRUNCATED in a header")


try:
    main()
except Bad as e:
    print("read_mbf.py:", e, file=sys.stderr)
    sys.exit(2)
