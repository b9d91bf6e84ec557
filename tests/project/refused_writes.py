# SPDX-License-Identifier: MIT
"""What breaks a rule of mbf(5) is refused by mbf.write, which leaves no file."""
import os, numpy as np, mbf
x, nan = np.arange(24.0).reshape(2, 4, 3), np.full((2, 4, 3), np.nan)
left, flat = [[0, 9, 0], [9, 0, 0], [0, 0, 9]], [[9, 0, 0], [9, 0, 0], [0, 0, 9]]
bad = [dict(velocities=nan), dict(cell=np.nan), dict(cell=0), dict(cell=-9), dict(cell=left), dict(cell=flat), dict(cell=[np.eye(3), nan[0, :3]]),
       dict(pbc="XYZ"), dict(pbc="TT"), dict(species=["A b"] * 4), dict(species=["A("] * 4), dict(species=["x" * 16] * 4), dict(species=["a\0"] * 4),
       dict(species="A\tb 4"), dict(species="A 4 junk"), dict(dt=-1), dict(dt=0), dict(time=[0, np.inf]), dict(time=[0, np.nan]), dict(meta={"X note": "n"}),
       dict(meta={"x.n": "a\0"})]
for options in bad + [None]:
    try:
        mbf.write("out.mbf", x if options else x * 1j, **{"cell": 9, **(options or {})})
    except ValueError:
        assert not os.path.exists("out.mbf")
    else:
        raise AssertionError("written: %s" % options)
for columns in ["a b", "c"], ["a", "a"], ["", "b"]:
    try:
        mbf.write("out.mbf", np.ones((3, 2)), dt=1, columns=columns)
    except ValueError:
        assert not os.path.exists("out.mbf")
    else:
        raise AssertionError("written: %s" % columns)
np.savez("n.npz", positions=x, cell=np.eye(3) * 9, species=["A(1)", "B", "B", "B"])
