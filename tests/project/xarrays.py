# SPDX-License-Identifier: MIT
"""xarrays.py FILE: a trajectory and a time series as xarray has them; results, of which it has none (gr.mbf)."""
import sys

import numpy as np

import mbf

run = mbf.read(sys.argv[1], steps=slice(0, 40, 2))
x = run.to_xarray()
assert (x.positions.sel(time=46.04, method="nearest").sel(axis="z") == run.positions[2, :, 2]).all() and x.positions.dims == ("time", "atom", "axis")
assert x.time.units == "ps" and x.positions.units == "angstrom" and x.velocities.units == "angstrom/ps"
assert (x.velocities.values == run.velocities).all() and (x.cell.values == run.cell).all() and x.attrs["sys.natoms"] == "192"
assert (x.positions[:, x.species == "O"].values == run.positions[:, ::3]).all() and x.species.dims == ("atom",)
few = mbf.read(sys.argv[1], steps=0, atoms=[1, 0]).to_xarray()
assert few.attrs["sys.natoms"] == "2" and few.positions.species.values.tolist() == ["H", "O"]
mbf.write("none.mbf", few.positions.values, dt=1)
assert "species" not in mbf.read("none.mbf").to_xarray().coords
mbf.write("s.mbf", np.arange(6.0).reshape(3, 2), columns=["a", "b"], dt=0.5)
s = mbf.read("s.mbf").to_xarray()
assert s.b.values.tolist() == [1, 3, 5] and s.time.values.tolist() == [0, 0.5, 1] and list(s.data_vars) == ["a", "b"]
g = mbf.table("gr.mbf")
x = g.to_xarray()
axis = list(g)[0]
assert (x.g.sel({axis: 2.0}, method="nearest") == g["g"][np.abs(g[axis] - 2.0).argmin()]).all() and x.g.dims == (axis,) and (x.g.values == g["g"]).all()
assert x.g.attrs == {"long_name": "g(r)", "units": "1"} and x[axis].attrs["units"] == "A" and x.attrs["quantity"] == "pair-histogram"
f = mbf.table("fqt.mbf")
x = f.to_xarray()
t, q = list(f)[:2]
rows = sorted(range(len(f[t])), key=lambda k: k * 7919 % len(f[t]))[:20]
assert x.F.dims == (t, q) and x.F.shape == (5, len(set(f[q]))) and x[q].attrs["units"] == "A^-1" and x[t].attrs["units"] == "ps"
assert all(x.F.sel({t: f[t][k], q: f[q][k]}) == f["F"][k] for k in rows)
try:
    mbf.read("gr.mbf").to_xarray()
except mbf.Error as e:
    assert str(e) == "to_xarray: expected positions or series, found HIST"
else:
    raise AssertionError("g(r) as xarray")
