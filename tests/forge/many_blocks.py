# SPDX-License-Identifier: MIT
"""Trajectories whose frames are longer than a block that is read ahead, or many in one."""
import array, random, struct
random.seed(4)
def mark(b): return struct.pack("<i", len(b)) + b + struct.pack("<i", len(b))
# a frame longer than a block that is read ahead, many in a block
for name, n, frames in ("run.dcd", 100000, 4), ("many.dcd", 1001, 700):
    with open(name, "wb") as d:
        d.write(mark(b"CORD" + struct.pack("<9if10i", frames, 10, 1, 0, 0, 0, 0, 0, 0, 1.0, *[0] * 9, 24)))
        d.write(mark(struct.pack("<i", 1) + b"CREATED BY NAMD".ljust(80)) + mark(struct.pack("<i", n)))
        for f in range(frames):
            for axis in range(3):
                d.write(mark(array.array("f", (k / 8 for k in range(axis + f, n + axis + f))).tobytes()))
with open("run.trr", "wb") as d: # frames of 4.8 MB, of which blocks of any size are pieces
    for f in range(4):
        d.write(struct.pack(">iii12s13i2f9f", 1993, 13, 12, b"GMX_trn_file", 0, 0, 36, 0, 0, 0, 0, 4800000, 0, 0, 400000, f, 0, f, 0,
                            9, 0, 0, 0, 9, 0, 0, 0, 9) + struct.pack(">f", f) * 1200000)
with open("small", "w") as t, open("large", "w") as u: # many frames in a block, a frame in several
    for o, n, frames, x in (t, 70, 1200, "x y z"), (u, 20000, 3, "xs ys zs"):
        for f in range(frames):
            o.write("ITEM: TIMESTEP\n%d\nITEM: NUMBER OF ATOMS\n%d\nITEM: BOX BOUNDS pp pp pp\n0 9\n0 9\n0 9\nITEM: ATOMS id type %s\n" % (f, n, x))
            ids = random.sample(range(1, n + 1), n)
            o.writelines("%d 1 %.4f 0.25%s -1\n" % (i, i % 90 / 100, "  " if i == f else " ") for i in ids)
