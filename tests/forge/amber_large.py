# SPDX-License-Identifier: MIT
"""amber_large.py [ATOM Y | overlap]: five frames of 23,000 atoms as AMBER NetCDF, with the cell behind the positions, which are f32; in frame 3,
Y is the y of ATOM; overlap: a damaged header says that the cell edges begin with the coordinates."""
import array, random, struct, sys
n, frames = 23000, 5
name = lambda s: struct.pack(">i", len(s)) + s + bytes(-len(s) % 4)
text = lambda k, v: name(k) + struct.pack(">i", 2) + name(v)
dims = [(b"frame", 0), (b"atom", n), (b"spatial", 3)]
variables = [(b"time", [0], 4), (b"coordinates", [0, 1, 2], 12 * n), (b"cell_lengths", [0, 2], 12), (b"cell_angles", [0, 2], 12)]


def floats(v):
    a = array.array("f", v)
    if sys.byteorder == "little":
        a.byteswap()
    return a.tobytes()


def header(at):
    h = b"CDF\1" + struct.pack(">iii", frames, 10, len(dims)) + b"".join(name(d) + struct.pack(">i", k) for d, k in dims)
    h += struct.pack(">ii", 12, 2) + text(b"Conventions", b"AMBER") + text(b"program", b"test") + struct.pack(">ii", 11, len(variables))
    for v, of, size in variables:
        inside = 12 * n if v == b"cell_lengths" and "overlap" in sys.argv else 0
        h += name(v) + struct.pack(">%di" % (1 + len(of)), len(of), *of) + struct.pack(">iiiii", 0, 0, 5, size, at - inside)
        at += size
    return h


out = header(len(header(0)))
g = random.Random(1)
x = [60 * g.random() for k in range(3 * n)]
for f in range(frames):
    y = [v + 0.01 * f for v in x]
    if f == 3 and len(sys.argv) > 2:
        y[3 * int(sys.argv[1]) + 1] = float(sys.argv[2])
    out += floats([0.5 * f]) + floats(y) + floats([60, 60, 60, 90, 90, 90])
sys.stdout.buffer.write(out)
