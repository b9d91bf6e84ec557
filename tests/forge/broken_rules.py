# SPDX-License-Identifier: MIT
"""Below good/ a stream of each type, below bad/ streams NAME-* that break one rule each, under hashes that are right."""
import math
import struct
import zlib
import numpy as np
from oracle import frames, xxh3

SYS = {"sys.natoms": "2", "sys.cell": "9 0 0 0 9 0 0 0 9", "sys.pbc": "TTT", "sys.dt_ps": "0.5", "sys.sigma": "3.4", "sys.species": "Ar 2"}


def put(name, meta, *arrays):
    with frames.Writer(name) as w:
        w.put_meta({**SYS, **meta})
        for code, data, *time in arrays:
            w.put(frames.Array(code, np.asarray(data), 0, (time or [0.0])[0]))
        w.end()


def but(a, v):
    a = np.array(a)
    a.reshape(-1)[-1] = v
    return a


nan, inf = math.nan, math.inf
p = np.arange(18.0).reshape(3, 2, 3) % 7
cell, time = np.tile(np.diag([9.0, 9, 9]).ravel(), (3, 1)), np.array([0, 0.5, 1])
put("good/posn", {}, (b"TIME", time), (b"CELL", cell), (b"VELO", p), (b"POSN", p))
for name, arrays in {"nan": [(b"POSN", but(p, nan))], "velo-inf": [(b"VELO", but(p, inf)), (b"POSN", p)], "atoms": [(b"POSN", p[:, :1])],
                     "dtype": [(b"POSN", p.astype("i8"))], "shape": [(b"POSN", p[..., 0])], "cell-nan": [(b"CELL", but(cell, nan)), (b"POSN", p)],
                     "cell-flat": [(b"CELL", but(cell, 0)), (b"POSN", p)], "cell-steps": [(b"CELL", cell[:2]), (b"POSN", p)], "cell-eight": [(b"CELL", cell[:, :8]), (b"POSN", p)],
                     "time-f32": [(b"TIME", time.astype("f4")), (b"POSN", p)],
                     "time-inf": [(b"TIME", but(time, inf)), (b"POSN", p)], "time-steps": [(b"TIME", time[:2]), (b"POSN", p)],
                     "time-alone": [(b"POSN", p), (b"TIME", time)], "begin-inf": [(b"POSN", p, inf)]}.items():
    put("bad/posn-" + name, {}, *arrays)
q, two = p[..., :2] - 0.5, {"data.scalars": "charge:e q6:1"}
put("good/scal", two, (b"SCAL", but(q, nan)), (b"VELO", p), (b"POSN", p))
for name, arrays in {"inf": [(b"SCAL", but(q, inf)), (b"POSN", p)], "none": [(b"POSN", p)], "alone": [(b"POSN", p), (b"SCAL", q)], "three": [(b"SCAL", p), (b"POSN", p)], "twice": [(b"SCAL", q), (b"SCAL", q), (b"POSN", p)],
                     "steps": [(b"SCAL", q[:2]), (b"POSN", p)], "dtype": [(b"SCAL", q.astype("f4")), (b"POSN", p)], "atoms": [(b"SCAL", q[:, :1]), (b"POSN", p)],
                     "integers": [(b"SCAL", q.astype("i8")), (b"POSN", p)], "plain": [(b"SCAL", q[..., 0]), (b"POSN", p)]}.items():
    put("bad/scal-" + name, two, *arrays)
put("bad/scal-unnamed", {}, (b"SCAL", q), (b"POSN", p))
for k, value in enumerate(["charge q6:1", "charge:e charge:e", "charge:", ":e q6:1", "a=b:e q6:1", "charge:e:e q6:1", "q" * 32 + ":e q6:1"]):
    put("bad/scal-name-%d" % k, {"data.scalars": value}, (b"SCAL", q), (b"POSN", p))
put("name", {"sys.species": "A\tr 2"}, (b"POSN", p))
put("columns", {"data.columns": "one t\x1b[31mwo", "data.quantity": "series"}, (b"SERI", np.ones((4, 2))))
for key, value in {"natoms": "0", "dt_ps": "inf", "sigma": "nan", "cell": "9 0 0 0 9 0 0 0 nan", "pbc": "TTX"}.items():
    put("bad/meta-" + key, {"sys." + key: value}, (b"POSN", p))
for k, value in enumerate(["Ar 3", "Ar 1", "3*(Ar 1)", "2*(Ar 1", "2*()", "Ar", "Ar 1 Kr"]):
    put("bad/species-%d" % k, {"sys.species": value}, (b"POSN", p))
b = np.ones((3, 1, 1))
put("good/pair", {"data.component": "xz"}, (b"PAIR", b))
put("bad/pair-nan", {"data.component": "xz"}, (b"PAIR", but(b, nan)))
put("bad/pair-pairs", {"data.component": "xz"}, (b"PAIR", np.ones((3, 1, 2))))
s, columns = np.ones((4, 2)), {"data.columns": "one two"}
put("good/seri", columns, (b"SERI", s))
put("bad/seri-inf", columns, (b"SERI", but(s, -inf)))
put("bad/seri-f32", columns, (b"SERI", s.astype("f4")))
put("bad/seri-names", columns, (b"SERI", np.ones((4, 3))))
n, g, corr = np.full((2, 3), 5, "u8"), np.ones((2, 3, 1, 4)), {"data.functions": "G G2 G3 G4", "data.component": "xz", "data.quantity": "g4"}
put("good/corr", corr, (b"CORR", n), (b"CORR", g))
put("bad/corr-nan", corr, (b"CORR", n), (b"CORR", but(g, nan)))
put("bad/corr-inf", corr, (b"CORR", n), (b"CORR", but(g, inf)))
put("bad/corr-one", corr, (b"CORR", n))
put("bad/corr-three", corr, (b"CORR", n), (b"CORR", g), (b"CORR", g))
put("bad/corr-lags", corr, (b"CORR", n), (b"CORR", g[:, :2]))
put("bad/corr-f64", corr, (b"CORR", n.astype("f8")), (b"CORR", g))
put("bad/corr-dt", {**corr, "sys.dt_ps": "nan"}, (b"CORR", n), (b"CORR", g))
c, x, t = np.full((2, 1, 4), 5, "u8"), np.ones((2, 1, 4)), np.array([10.0, 10])
hist = {"data.bins": "4", "data.rmax": "4", "data.quantity": "rdf"}
put("good/hist", hist, (b"HIST", c), (b"HIST", x), (b"HIST", t))
put("bad/hist-expected-inf", hist, (b"HIST", c), (b"HIST", but(x, inf)), (b"HIST", t))
put("bad/hist-steps-nan", hist, (b"HIST", c), (b"HIST", x), (b"HIST", but(t, nan)))
put("bad/hist-rmax-inf", {**hist, "data.rmax": "inf"}, (b"HIST", c), (b"HIST", x), (b"HIST", t))
put("bad/hist-bins", {**hist, "data.bins": "5"}, (b"HIST", c), (b"HIST", x), (b"HIST", t))
put("bad/hist-two", hist, (b"HIST", c), (b"HIST", x))
v, names = np.array([[0.0, 1], [1, nan]]), {"data.columns": "nu_cm-1 I"}
put("good/spec", names, (b"SPEC", v))
put("bad/spec-axis", names, (b"SPEC", v[:, ::-1]))
put("bad/spec-names", names, (b"SPEC", np.ones((2, 3))))

# a part whose stored bytes have a true hash and are no zlib data
with frames.Writer("zlib") as w:
    w.put_meta(SYS)
    raw, bad = p.tobytes(), zlib.compress(p.tobytes(), 9)[:-9] + b"not zlib!"
    h = frames.MAGIC + struct.pack("<BBH4sIBBBBQQd4Q5Q", 1, 0, 128, b"POSN", 5, 6, 3, 1, 0, w.frames, 0, 0.0, 3, 2, 3, 0, 0, len(raw), len(bad),
                                   xxh3.digest64(raw), xxh3.digest64(bad))
    h = frames.Header(h + struct.pack("<Q", xxh3.digest64(h)))
    w.file.write(h.bytes + bad + b"\0" * (-len(bad) % 64))
    w.frames, w.arrays, w.raw, w.steps, w.wire = w.frames + 1, 1, len(raw), 3, w.wire + 128 + (len(bad) + 63) // 64 * 64
    w.stream.update(h.bytes)
    w.content.update(h.content())
    w.end()
