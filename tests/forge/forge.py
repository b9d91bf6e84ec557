# SPDX-License-Identifier: MIT
"""Streams that are wrong on purpose under hashes that are right.

forge.py index FILE ROW COLUMN ADD     FILE.mbi with ADD added to one number
forge.py fields FILE FOLDER            FILE with one field of one frame's header, of END or a line of META changed, a file each:
                                       FOLDER/NAME
forge.py taken check|--strict FILE...  those that tests/oracle takes as frame-check does, without and with that option
forge.py read FILE...                  those that lib/python reads as a whole
"""
import os
import struct
import sys

import numpy as np
from oracle import frames as oracle
from oracle import rules, xxh3

HEADER = 128


def split(data):
    """[[header, payload], ...] of a stream."""
    frames, at = [], 0
    while at < len(data):
        stored, = struct.unpack_from("<Q", data, at + 96)
        frames.append([bytearray(data[at:at + HEADER]), bytearray(data[at + HEADER:at + HEADER + stored])])
        at += HEADER + (stored + 63) // 64 * 64
    return frames


def hashed(head, payload, counts=False):
    """A header whose hashes are right; with `counts`: its lengths, too, of a control frame."""
    if counts:
        struct.pack_into("<Q", head, 48, len(payload))
        struct.pack_into("<2Q", head, 88, len(payload), len(payload))
    h = xxh3.digest64(bytes(payload))
    if head[22] == 0:
        struct.pack_into("<Q", head, 104, h)
    struct.pack_into("<Q", head, 112, h)
    struct.pack_into("<Q", head, 120, xxh3.digest64(bytes(head[:120])))


def joined(frames):
    """The stream of these frames, with the totals in END that they have."""
    stream, content = xxh3.digest128(), xxh3.digest128()
    arrays = raw = wire = steps = 0
    for head, payload in frames[:-1]:
        hashed(head, payload)
        stream.update(bytes(head))
        wire += HEADER + (len(payload) + 63) // 64 * 64
        if head[12:16] == b"META":
            continue
        time = bytes(head[40:48]) if struct.unpack_from("<d", head, 40)[0] == struct.unpack_from("<d", head, 40)[0] else struct.pack("<Q", 0x7FF8 << 48)
        content.update(bytes(head[12:16] + head[20:22] + b"\0\0" + head[48:80] + head[32:40]) + time + bytes(head[80:96] + head[104:112]))
        raw += struct.unpack_from("<Q", head, 88)[0]
        if head[16] & 4:
            arrays += 1
            steps += struct.unpack_from("<Q", head, 48)[0] if head[12:16] in (b"POSN", b"PAIR", b"SERI") else 0
    head, end = frames[-1]
    if len(end) == HEADER:
        struct.pack_into("<4Q", end, 0, len(frames) - 1, arrays, raw & (1 << 64) - 1, wire)
        end[32:48], end[48:64] = stream.digest(), content.digest()
        struct.pack_into("<Q", end, 104, steps & (1 << 64) - 1)
    hashed(head, end)
    return b"".join(bytes(h) + bytes(p) + bytes(-len(p) % 64) for h, p in frames)


def index(path, row, column, add):
    frames = split(open(path + ".mbi", "rb").read())
    table = np.frombuffer(bytes(frames[1][1]), "<f8").reshape(-1, 2).copy()
    table[int(row), int(column)] += float(add)
    frames[1][1] = bytearray(table.tobytes())
    with open(path + ".mbi", "wb") as f:
        f.write(joined(frames))


# field of a header: name, byte, struct, values that are wrong somewhere or everywhere
FIELDS = [("major", 8, "B", (0, 2)), ("minor", 9, "B", (0, 9)), ("size", 10, "H", (0, 64)), ("type", 12, "4s", (b"POSX", b"SERI", b"VELO", b"SCAL", b"P\0SN", b"\xff\xff\xff\xff", b"END ", b"META")),
          ("flags", 16, "I", (0, 1, 2, 4, 5, 6, 13, 21, 0x10005, 0x80000005)), ("dtype", 20, "B", (0, 1, 4, 5, 6, 7, 8, 255)), ("ndim", 21, "B", (0, 1, 2, 4, 5)),
          ("codec", 22, "B", (1, 2, 3, 255)), ("filter", 23, "B", (1, 2, 3)), ("seq", 24, "Q", (7, 1 << 63)), ("index", 32, "Q", (5, (1 << 64) - 1)),
          ("time", 40, "d", (0.25, float("inf"), float("-inf"), 1e308)), ("dims0", 48, "Q", (0, 1, 1 << 40, (1 << 64) - 1)), ("dims1", 56, "Q", (0, 1, 5, 1 << 40)),
          ("dims2", 64, "Q", (0, 1, 4, 1 << 62)), ("dims3", 72, "Q", (1, 3)), ("offset", 80, "Q", (4, 1 << 63)), ("raw", 88, "Q", (0, 3, 1 << 63)),
          ("stored", 96, "Q", (0,)), ("raw_hash", 104, "Q", (1,)), ("stored_hash", 112, "Q", (1,))]
END_FIELDS = [("status", 96, "I", (1, 2, 3, 1 << 31)), ("parents", 100, "I", (1, 2, 3, 255)), ("steps", 104, "Q", (0, 1 << 63)), ("of", 112, "Q", (1,)), ("arrays", 8, "Q", (0,))]
LINES = ["sys.natoms\t0", "sys.natoms\t-1", "sys.natoms\tx", "sys.natoms\t1e400", "sys.natoms\t2", "sys.dt_ps\t0", "sys.dt_ps\tnan", "sys.dt_ps\tinf", "sys.dt_ps\t-1", "sys.dt_ps\t1e308",
         "sys.dt_ps\tx", "sys.dt_ps\t0x1", "sys.dt_ps\t1_0", "sys.cell\t1 2 3", "sys.cell\t1 0 0 0 1 0 0 0 x", "sys.cell\t0 0 0 0 0 0 0 0 0", "sys.cell\t1 0 0 0 1 0 0 0 nan",
         "sys.cell\t-1 0 0 0 1 0 0 0 1", "sys.pbc\tTT", "sys.pbc\tTTX", "sys.sigma\t0", "sys.sigma\tx", "sys.species\tAr 1", "sys.species\tAr x", "sys.species\t(", "sys.species\t3*(Ar", "sys.species\tAr",
         "sys.species\tAr 999999999999", "data.columns\ta",
         "data.scalars\t", "data.scalars\ta:e", "data.scalars\ta:e  b:1 ", "data.scalars\ta:e b", "data.scalars\ta:e a:1", "data.scalars\ta:e ,:1", "data.scalars\ta:e b:" + "x" * 32,
         "x.n\t\\q", "x.n\t\\", "X.n\t1", "x.n 1", "\t1", "x" * 65 + "\t1", "x.n\t\xff", "x.n\ta\0b"]


def fields(path, folder):
    data = open(path, "rb").read()

    def put(name, frames):
        with open(os.path.join(folder, name), "wb") as f:
            f.write(joined(frames))

    for k, (head, payload) in enumerate(split(data)):
        code = head[12:16].decode().strip()
        for of, table in (("", FIELDS), ("end-", END_FIELDS if code == "END" else [])):
            for name, at, form, values in table:
                for n, v in enumerate(values):
                    frames = split(data)
                    struct.pack_into("<" + form, frames[k][1 if of else 0], at, v)
                    wrong = joined(frames)
                    if of or name.endswith("hash"):  # what the totals and hashes above have put right again
                        last = split(wrong)
                        struct.pack_into("<" + form, last[k][1 if of else 0], at, v)
                        if of:
                            hashed(*last[k])
                        else:
                            struct.pack_into("<Q", last[k][0], 120, xxh3.digest64(bytes(last[k][0][:120])))
                        wrong = b"".join(bytes(h) + bytes(p) + bytes(-len(p) % 64) for h, p in last)
                    with open(os.path.join(folder, "%d-%s-%s%s-%d" % (k, code, of, name, n)), "wb") as f:
                        f.write(wrong)
        if code != "META":
            continue
        for n, line in enumerate(LINES):
            frames = split(data)
            key = line.split("\t")[0]
            rest = [b for b in payload.decode("latin-1").split("\n")[:-1] if b.split("\t")[0] != key]
            text = "".join(b + "\n" for b in sorted(rest + [line], key=lambda b: b.split("\t")[0])).encode("latin-1")
            frames[k][1] = bytearray(text)
            hashed(frames[k][0], text, counts=True)
            put("%d-META-line-%d" % (k, n), frames)


def judge(path, strict):
    """Raises where the oracle does not take the stream."""
    with open(path, "rb") as f:
        for item in oracle.Reader(f, path):
            if strict and isinstance(item, dict):
                segment = rules.Segment(item)
            elif strict and isinstance(item, tuple):
                segment.end()
            elif strict:
                segment.check(item)


def taken(how, *paths):
    for path in paths:
        try:
            judge(path, how == "--strict")
        except (oracle.Error, rules.Wrong):
            continue
        print(path)


def read(*paths):
    import mbf  # what it says is the C library's, which the others must not stand on
    for path in paths:
        try:
            mbf.read(path)
        except mbf.Error:
            continue
        print(path)


if __name__ == "__main__":
    {"index": index, "fields": fields, "taken": taken, "read": read}[sys.argv[1]](*sys.argv[2:])
