# SPDX-License-Identifier: MIT
"""The format, from mbf(5) alone and without the C library, which it judges: arrays of a stream, every byte of it verified, and a
stream made of arrays."""
import math
import re
import struct
import zlib

import numpy as np

from . import track, xxh3

MAGIC = b"\x89MBF\r\n\x1a\n"
DTYPES = [np.dtype(t) for t in ("u1", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8", "u1")]
F32, UTF8 = 5, 7
KNOWN = {b"META", b"POSN", b"CELL", b"TIME", b"PAIR", b"CORR", b"HIST", b"SPEC", b"SERI", b"VELO", b"SCAL", b"ERR ", b"END "}
STEPS = (b"POSN", b"PAIR", b"SERI")  # dims[0] counts time steps
CRITICAL, COPYSAFE, LAST, TRACKED, LINKED = 1, 2, 4, 8, 16
PART = 4 << 20  # bytes, what writers use
PART_MAX, META_MAX, ERR_MAX = 64 << 20, 1 << 20, 4096
STATUS = ("complete", "limited", "partial")


class Error(Exception):
    """A stream that cannot be used; the text begins with its name."""


class Truncated(Error):
    """It ends before its END."""


class Corrupt(Error):
    """It is damaged, or no MBF stream."""


class Failed(Error):
    """The program that wrote it said that it failed, or that this is a part only."""


class Array:
    """One array: code (b"POSN"), data (numpy, read-only), index and time (ps) of its first step, flags."""

    def __init__(self, code, data, index=0, time=math.nan, flags=CRITICAL):
        self.code, self.data, self.index, self.time, self.flags = code, data, index, time, flags


class Header:
    def __init__(self, b):
        self.bytes, self.code = b, b[12:16]
        self.major, self.minor, self.size = b[8], b[9], b[10] | b[11] << 8
        self.flags, self.dtype, self.ndim, self.codec, self.filter = struct.unpack_from("<IBBBB", b, 16)
        self.seq, self.index, self.time = struct.unpack_from("<QQd", b, 24)
        self.all_dims = struct.unpack_from("<4Q", b, 48)
        self.offset, self.raw, self.stored, self.raw_hash, self.stored_hash = struct.unpack_from("<5Q", b, 80)
        self.dims = self.all_dims[:self.ndim]
        self.array = (self.code, self.flags & 3, self.dtype, self.all_dims, self.index, b[40:48])  # what parts of one share

    def content(self):
        """The 80 bytes of a part in the content hash."""
        b = self.bytes
        time = b[40:48] if self.time == self.time else struct.pack("<Q", 0x7FF8000000000000)
        return b[12:16] + b[20:22] + b"\0\0" + b[48:80] + b[32:40] + time + b[80:96] + b[104:112]


def unfilter(data, code, dtype, row):
    """Undo filter 1 (bytes of a kind together) or 2 (and differences from the row before)."""
    planes = np.frombuffer(data, "u1").reshape(dtype.itemsize, -1)
    v = np.ascontiguousarray(planes.T).view("<u%d" % dtype.itemsize).ravel()
    if code == 2:
        whole = len(v) // row * row
        head = np.cumsum(v[:whole].reshape(-1, row), axis=0, dtype=v.dtype)
        last = v[whole:] + head[-1][:len(v) - whole] if whole else v
        v = np.concatenate([head.ravel(), last]) if whole else last
    return v.tobytes()


def parse_meta(text):
    """META as a dict; ValueError where it is none."""
    meta, before = {}, ""
    if text and not text.endswith(b"\n"):
        raise ValueError("a line without end")
    for line in text.decode("utf-8").split("\n")[:-1]:
        key, tab, value = line.partition("\t")
        if not tab or not 1 <= len(key) <= 64 or key.strip("abcdefghijklmnopqrstuvwxyz0123456789_.") or key <= before or "\0" in value:
            raise ValueError("a key that is none, or out of order: %.80r" % key)
        if "\\" in value and re.search(r"\\(?![tn\\])", value.replace("\\\\", "")):
            raise ValueError("an escape other than \\t \\n \\\\ behind %s" % key)
        before, meta[key] = key, value.replace("\\\\", "\0").replace("\\t", "\t").replace("\\n", "\n").replace("\0", "\\")
    return meta


def meta_text(meta):
    """The bytes of a dict as META."""
    escaped = {k: str(v).replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n") for k, v in meta.items()}
    text = "".join("%s\t%s\n" % kv for kv in sorted(escaped.items())).encode()
    parse_meta(text)
    return text


class Reader:
    """next(): a dict (META of a segment that begins), an Array, or a tuple of END's totals (status, stream hash, content hash,
    steps); StopIteration after the last END, an Error where the stream is not whole. `file` is read, not closed."""

    def __init__(self, file, name):
        self.file, self.name = file, name
        self.offset = self.segments = 0
        self.meta = None  # None: between segments
        self.left_out = set()

    def __iter__(self):
        return self

    def bad(self, kind, text):
        word = "TRUNCATED" if kind is Truncated else "CORRUPT"
        return kind("%s: %s at byte %d: %s" % (self.name, word, self.offset, text))

    def get(self, n, what):
        b = self.file.read(n)
        while b is not None and 0 < len(b) < n:  # an unbuffered pipe
            more = self.file.read(n - len(b))
            if not more:
                break
            b += more
        if len(b or b"") < n:
            raise self.bad(Truncated, "expected %d bytes of %s, found %d" % (n, what, len(b or b"")))
        self.offset += n
        return b

    def want(self, holds, text):
        if not holds:
            raise self.bad(Corrupt, text)

    def header(self):
        first = self.file.read(1)  # a run that pauses is waited for here
        if not first and self.meta is None and self.segments:
            raise StopIteration
        if not first:
            raise self.bad(Truncated, "the stream ends before END" if self.segments or self.meta is not None else "no byte at all")
        self.offset += 1
        b = first + self.file.read(31)
        if b[:8] != MAGIC[:len(b)] and self.offset == 1:
            raise Error("%s: an MBF stream expected, found %.32r: xyz2bin, traj2bin or 'python3 -m mbf from' make one of other files"
                        % (self.name, b))
        if b[:8] != MAGIC[:len(b)]:
            raise self.bad(Corrupt, "expected an MBF frame, found %.32r" % b)
        self.offset += len(b) - 1
        b += self.get(128 - len(b), "a header")
        h = Header(b)
        self.want(struct.unpack_from("<Q", b, 120)[0] == xxh3.digest64(b[:120]), "the header's hash is wrong")
        if h.major != 1 or h.size != 128:
            raise Error("%s: MBF 1 expected, found MBF %d.%d" % (self.name, h.major, h.minor))
        self.want(h.flags & 0xFFE0 == 0, "a flag that only a newer reader knows")
        self.want(h.dtype < 8 and 1 <= h.ndim <= 4 and not any(h.all_dims[h.ndim:]) and h.codec < 4 and h.filter < 3 and
                  (h.codec == 1 or not h.filter) and bool(h.flags & TRACKED) == (h.codec == 2) and bool(h.flags & LINKED) == (h.codec == 3) and
                  (h.codec < 2 or h.dtype == 5), "a field that is out of range")
        self.want(all(32 <= c <= 126 for c in h.code) and not math.isinf(h.time), "a type that is not four letters, or an infinite time")
        size, total = DTYPES[h.dtype].itemsize, DTYPES[h.dtype].itemsize * math.prod(h.dims)
        self.want(h.raw <= PART_MAX and h.stored <= h.raw and (h.codec or h.stored == h.raw), "a length that is out of range")
        self.want(h.offset % size == 0 and h.raw % size == 0 and h.offset + h.raw <= total and
                  bool(h.flags & LAST) == (h.offset + h.raw == total), "a part that does not fit its array")
        return h

    def payload(self, h):
        stored = self.get(h.stored, "a payload")
        self.want(not any(self.get(-h.stored % 64, "padding")), "padding that is not zero")
        self.want(xxh3.digest64(stored) == h.stored_hash, "the payload's hash is wrong")
        if not h.codec:
            self.want(h.raw_hash == h.stored_hash, "two hashes of the same bytes")
            return stored
        row = max(1, math.prod(h.dims[1:]))
        data = self.inflated(h, stored, row) if h.codec == 1 else self.tracked(h, stored, row)
        self.want(xxh3.digest64(data) == h.raw_hash, "the hash of the unpacked payload is wrong")
        return data

    def tracked(self, h, stored, row):
        try:
            return (track.unpack if h.codec == 2 else track.unpack_linked)(stored, h.raw, row, h.offset // 4)
        except (ValueError, struct.error, IndexError, zlib.error) as e:
            raise self.bad(Corrupt, "codec %d: %s" % (h.codec, e)) from None

    def inflated(self, h, stored, row):
        z = zlib.decompressobj()
        try:
            data = z.decompress(stored, h.raw + 1)
        except zlib.error as e:
            raise self.bad(Corrupt, "zlib: %s" % e) from None
        self.want(z.eof and not z.unused_data and len(data) == h.raw, "zlib data of another length")
        if h.filter:
            data = unfilter(data, h.filter, DTYPES[h.dtype], row)
        return data

    def frame(self):
        h = self.header()
        begins = self.meta is None
        self.want((h.code == b"META") == begins, "META once, at the beginning" if begins else "a second META")
        if begins:
            self.frames = self.arrays = self.raw = self.wire = self.steps = 0
            self.stream, self.hash = xxh3.digest128(), xxh3.digest128()
        self.want(h.seq == self.frames, "expected frame %d, found %d" % (self.frames, h.seq))
        if h.code in (b"META", b"END ", b"ERR "):
            limit = {b"META": META_MAX, b"END ": 128, b"ERR ": ERR_MAX}[h.code]
            end = h.code == b"END "
            self.want(h.raw <= limit and h.flags & (CRITICAL | LAST) == CRITICAL | LAST and h.offset == 0 and h.ndim == 1 and
                      h.dtype == (0 if end else UTF8) and h.index == 0 and h.time != h.time and (h.code == b"META" or not h.codec),
                      "%s of another shape" % h.code.decode())
        return h, self.payload(h)

    def count(self, h):
        self.stream.update(h.bytes)
        self.frames += 1
        self.wire += 128 + (h.stored + 63) // 64 * 64

    def __next__(self):
        parts, first = [], None
        while True:
            h, data = self.frame()
            if h.code == b"META":
                try:
                    self.meta = parse_meta(data)
                except ValueError as e:
                    raise self.bad(Corrupt, "META: %s" % e) from None
                self.count(h)
                return self.meta
            if h.code == b"ERR ":
                self.failed(data)
            if h.code == b"END ":
                self.want(first is None, "END within an array")
                return self.end(data, h.minor)
            self.want(h.code in KNOWN or not h.flags & CRITICAL, "unknown critical type %r" % h.code)
            self.want(h.offset == sum(map(len, parts)) and (first is None or h.array == first), "parts that do not belong together")
            first = h.array
            parts.append(data)
            self.raw += h.raw
            self.hash.update(h.content())
            self.count(h)
            if not h.flags & LAST:
                continue
            self.arrays += 1
            if h.code in STEPS:
                self.steps += h.dims[0]
            if h.code in KNOWN:
                data = np.frombuffer(parts[0] if len(parts) == 1 else b"".join(parts), DTYPES[h.dtype]).reshape(h.dims)
                return Array(h.code, data, h.index, h.time, h.flags & 3)
            self.left_out.add(h.code.decode("ascii", "replace"))
            parts, first = [], None

    def failed(self, data):
        try:
            said = parse_meta(data)
        except ValueError:
            said = {}
        raise Failed("%s: %s failed: %s" % (self.name, said.get("err.tool", "the program before"), said.get("err.msg", "it did not say why")))

    def end(self, b, minor):
        self.want(len(b) == 128, "END of another length")
        self.want(struct.unpack_from("<4Q", b) == (self.frames, self.arrays, self.raw, self.wire) and
                  struct.unpack_from("<Q", b, 104)[0] == self.steps, "END counts other frames, arrays, bytes or steps than came")
        self.want(b[32:48] == self.stream.digest() and b[48:64] == self.hash.digest(), "END has other hashes than what came")
        status, parents = struct.unpack_from("<II", b, 96)
        self.want(status < 3 and parents < 3 and (minor or not any(b[112:])), "END of an unknown status, or of more parents than two")
        if status == 2:
            raise Failed("%s: a partial stream: the program before did not come to its end" % self.name)
        self.meta = None
        self.segments += 1
        return STATUS[status], b[32:48], b[48:64], self.steps


class Writer:
    """A stream to a path: put_meta, put ..., end. compress: True predicts what is in f32, a level from 1 to 9 is zlib alone."""

    def __init__(self, path, compress=0):
        self.compress, self.file = compress, open(path, "wb")

    def __enter__(self):
        return self

    def __exit__(self, *why):
        self.file.close()

    def frame(self, code, flags, dtype, dims, index, time, offset, raw, row=1):
        dims = list(dims if dims is not None else [len(raw)])
        stored, codec, how, packed = raw, 0, 0, None
        pack = self.compress and code not in (b"META", b"END ", b"ERR ")
        if pack and self.compress is True and dtype == F32:
            packed = track.pack(raw, row, offset // 4, self.edge if code == b"POSN" else (0, 0, 0))
        if packed:
            codec, stored, flags = 2, packed, flags | TRACKED
        elif pack:
            planes = np.frombuffer(raw, "u1").reshape(-1, DTYPES[dtype].itemsize).T.tobytes()
            packed, how = min((zlib.compress(b, int(self.compress)), k) for k, b in enumerate((raw, planes)))
            codec, stored, how = (1, packed, how) if len(packed) <= 0.95 * len(raw) else (0, raw, 0)
        raw_hash = xxh3.digest64(raw)
        h = MAGIC + struct.pack("<BBH4sIBBBBQQd4Q5Q", 1, 3 if code == b"SCAL" else 2 if codec == 2 else code in (b"SERI", b"VELO"), 128, code, flags, dtype, len(dims), codec, how, self.frames,
                                index, time, *(dims + [0] * (4 - len(dims))), offset, len(raw), len(stored), raw_hash,
                                xxh3.digest64(stored) if codec else raw_hash)
        h = Header(h + struct.pack("<Q", xxh3.digest64(h)))
        self.file.write(h.bytes + stored + b"\0" * (-len(stored) % 64))
        self.frames += 1
        self.wire += 128 + (len(stored) + 63) // 64 * 64
        self.stream.update(h.bytes)
        return h

    def put_meta(self, meta):
        self.frames = self.arrays = self.raw = self.wire = self.steps = 0
        self.stream, self.content = xxh3.digest128(), xxh3.digest128()
        cell, pbc = [float(v) for v in meta.get("sys.cell", "").split()], meta.get("sys.pbc", "TTT")
        known = len(cell) == 9 and not any(v for k, v in enumerate(cell) if k % 4)
        self.edge = [cell[4 * k] if known and pbc[k] == "T" else 0 for k in range(3)]
        self.frame(b"META", CRITICAL | LAST, UTF8, None, 0, math.nan, 0, meta_text(meta))

    def put(self, a):
        dtype = DTYPES.index(a.data.dtype.newbyteorder("<"))
        raw = np.ascontiguousarray(a.data).astype(DTYPES[dtype], copy=False).tobytes()
        for at in range(0, max(len(raw), 1), PART):
            part = raw[at:at + PART]
            last = LAST if at + len(part) == len(raw) else 0
            h = self.frame(a.code, a.flags | last, dtype, a.data.shape, a.index, a.time, at, part, max(1, math.prod(a.data.shape[1:])))
            self.content.update(h.content())
        self.arrays += 1
        self.raw += len(raw)
        self.steps += a.data.shape[0] if a.code in STEPS else 0

    def end(self, status="complete"):
        b = struct.pack("<4Q", self.frames, self.arrays, self.raw, self.wire) + self.stream.digest() + self.content.digest()
        b += bytes(32) + struct.pack("<IIQ", STATUS.index(status), 0, self.steps) + bytes(16)
        self.frame(b"END ", CRITICAL | LAST, 0, None, 0, math.nan, 0, b)
