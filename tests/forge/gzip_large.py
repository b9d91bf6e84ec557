# SPDX-License-Identifier: MIT
"""run.xyz, and the same as gzip: one member or many, stored, padded, cut, damaged."""
import os, zlib
digits = bytes(48 + k % 10 for k in range(256))
n, frames = 1000, 120
with open("run.xyz", "wb") as out:
    for f in range(frames):
        d = os.urandom(27 * n).translate(digits)
        rows = b"".join(b"Ar 3.%b 1.%b 2.%b\n" % (d[k:k + 9], d[k + 9:k + 18], d[k + 18:k + 27]) for k in range(0, 27 * n, 27))
        out.write(b"%d\nstep %d\n%b" % (n, f, rows))
raw = open("run.xyz", "rb").read()
def gz(b, level=1, strategy=0):
    c = zlib.compressobj(level, zlib.DEFLATED, 31, 8, strategy)
    return c.compress(b) + c.flush()
one, half = gz(raw), len(raw) // 2
def out(name, b): open(name, "wb").write(b)
out("one.gz", one)
out("zeros.gz", one + bytes(3000000)) # as a tape has it
out("many.gz", b"".join(gz(raw[k:k + 65280]) for k in range(0, len(raw), 65280)))
out("mixed.gz", gz(raw[:half], 1, zlib.Z_FIXED) + gz(raw[half:], 0))
out("cut.gz", one[:-3000])
out("trailer.gz", one[:-8] + bytes([one[-8] ^ 1]) + one[-7:])
out("length.gz", one[:-4] + bytes([one[-4] ^ 1]) + one[-3:])
out("behind.gz", one + b"more")
