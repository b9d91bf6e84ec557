# SPDX-License-Identifier: MIT
"""three, two: tables of two axes with a column and without; corr, f64, flat, deep: CORR whose counts are right, of another type, of one
dimension and of three."""
import numpy as np
from oracle import frames

def put(name, meta, *arrays):
    with frames.Writer(name) as w:
        w.put_meta({"sys.natoms": "2", "sys.cell": "9 0 0 0 9 0 0 0 9", "sys.pbc": "TTT", "sys.dt_ps": "0.5", "data.component": "xz", **meta})
        for code, data in arrays:
            w.put(frames.Array(code, np.asarray(data), 0, float("nan")))
        w.end()

rows = np.array([[t, q, t + q] for q in (1, 2) for t in range(3)], dtype="f8")
put("three", {"data.columns": "t_ps q_A-1 F", "data.axis2": "q_A-1"}, (b"SPEC", rows))
put("two", {"data.columns": "t_ps q_A-1", "data.axis2": "q_A-1"}, (b"SPEC", rows[:, :2]))
sums = np.ones((1, 4, 1, 1))
for name, counts in {"corr": np.ones((1, 4), "u8"), "f64": np.ones((1, 4)), "flat": np.ones(4, "u8"), "deep": np.ones((1, 4, 1), "u8")}.items():
    put(name, {"data.functions": "C"}, (b"CORR", counts), (b"CORR", sums))
