# SPDX-License-Identifier: MIT
"""What mbf writes it reads: velocities, cells, times, f64, a time series."""
import numpy as np, mbf
g = np.random.default_rng(2)
r, v = g.random((5, 6, 3)) * 9, g.random((5, 6, 3))
cell = np.array([np.diag([9.0, 10, 11 + k]) for k in range(5)])
mbf.write("all.mbf", r, velocities=v, cell=cell, dt=0.5, dtype="f8", pbc=(True, True, False), species=["O", "H", "H"] * 2, meta={"x.note": "a\tb\\n"})
back = mbf.read("all.mbf")
assert (back.positions == r).all() and (back.velocities == v).all() and (back.cell == cell).all()
assert back.meta["x.note"] == "a\tb\\n" and back.meta["sys.species"] == "2*(O 1 H 2)" and back.meta["sys.pbc"] == "TTF"
assert mbf.species_of(back.meta) == ["O", "H", "H"] * 2 and (back.time == np.arange(5) * 0.5).all()
s = g.random((300, 2))
mbf.write("series.mbf", s, columns=["one", "two"], dt=0.25)
assert (mbf.read("series.mbf").series == s).all()
t = mbf.table("series.mbf")
assert (t["two"] == s[:, 1]).all() and list(t) == ["step", "t_ps", "one", "two"]
