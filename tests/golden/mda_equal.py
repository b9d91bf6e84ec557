# SPDX-License-Identifier: MIT
"""mda_equal.py STREAM FILE...: has each stream the positions of its file, bit for bit, and its cells and times, as MDAnalysis reads it?"""
import struct, sys, numpy as np, MDAnalysis as mda
from oracle.arrays import arrays
def frames(name):
    cell, times, part = None, None, b""
    for kind, h, d in arrays(name):
        if kind == b"META":
            meta = dict(l.split("\t") for l in d.decode().splitlines())
        elif kind == b"CELL":
            cell = np.frombuffer(d, "f8").reshape(-1, 3, 3)
        elif kind == b"TIME":
            times = np.frombuffer(d, "f8")
        elif kind == b"POSN":
            part += d
            if h[16] & 4:
                t, = struct.unpack("<d", h[40:48])
                for k, x in enumerate(np.frombuffer(part, "f4").reshape(struct.unpack("<3Q", h[48:72]))):
                    yield (x, cell[k] if cell is not None else np.array(meta["sys.cell"].split(), float).reshape(3, 3),
                           times[k] if times is not None else t + k * float(meta["sys.dt_ps"]))
                cell, times, part = None, None, b""
for mbf, name in zip(sys.argv[1::2], sys.argv[2::2]):
    mine = list(frames(mbf))
    u = mda.Universe.empty(len(mine[0][0]))
    u.load_new(name)
    assert len(mine) == len(u.trajectory), name
    for (x, c, t), ts in zip(mine, u.trajectory):
        assert np.array_equal(x.view("u4"), ts.positions.view("u4")), name
        e = np.linalg.norm(c, axis=1)
        a = [np.degrees(np.arccos(c[i] @ c[j] / e[i] / e[j])) for i, j in ((1, 2), (0, 2), (0, 1))]
        assert np.allclose([*e, *a], ts.dimensions, rtol=1e-6), (name, e, a, ts.dimensions)
        assert abs(t - ts.time) <= 1e-6 * max(1, ts.time), (name, t, ts.time)
print(len(sys.argv) // 2, "files equal")
