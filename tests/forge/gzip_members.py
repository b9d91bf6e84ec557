# SPDX-License-Identifier: MIT
"""Members of gzip with every kind of head, and with every kind of damage."""
import struct, zlib
raw = b"".join(b"2\nstep %d\nAr 1.%d 2 3\nAr 4 5 6.%d\n" % (k, k, k) for k in range(200))
def out(name, *parts): open(name, "wb").write(b"".join(parts))
def head(flags): return b"\x1f\x8b\x08" + bytes([flags]) + bytes(6)
c = zlib.compressobj(6, zlib.DEFLATED, -15)
body = c.compress(raw) + c.flush()
crc, size = struct.pack("<I", zlib.crc32(raw)), struct.pack("<I", len(raw))
end, crc16 = crc + size, struct.pack("<H", zlib.crc32(head(2)) & 0xffff)
long = struct.pack("<H", 65535) + bytes(65535) + b"n" * 300000 + b"\0" + b"c" * 300000 + b"\0" # more than is read at once
out("text", raw)
out("good-head", head(2), crc16, body, end)
out("good-long", head(28), long, body, end, head(28), long, b"\x03\0", bytes(8))
out("flags", head(64), body, end)
out("method", b"\x1f\x8b\x07", head(0)[3:], body, end)
out("crc16", head(2), b"no", body, end)
out("block", head(0), b"\7", body[1:], end)
out("far", head(0), b"\x03\x02", bytes(9)) # a match, and nothing before it
out("data", head(0), body, b"none", size)
out("length", head(0), body, crc, b"none")
