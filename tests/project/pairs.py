# SPDX-License-Identifier: MIT
"""pairs.py POSN PAIR: what mbf reads of pair tables it writes again (again.mbf); tables that numpy makes of the positions (own.mbf: xz
of the nearest images, 3 sigma^3 q / r^5, sigma 3.4), those of one step by Writer (one.mbf); what is no pair table is refused."""
import os
import sys

import numpy as np

import mbf

run, r = mbf.read(sys.argv[2]), mbf.read(sys.argv[1])
keep = {k: v for k, v in run.meta.items() if k.startswith("data.") or k == "sys.sigma"}
mbf.write("again.mbf", run.pairs, components=run.meta["data.component"].split(), time=run.time, cell=run.cell, species=mbf.species_of(run.meta),
          meta=keep)
assert repr(run).startswith("<mbf pairs: %d steps of 5 x 32640 numbers, " % len(run.time)), run
i, j = np.triu_indices(r.positions.shape[1], 1)
tables = []
for x, cell in zip(r.positions.astype(float), r.cell):
    d = x[i] - x[j]
    d -= np.rint(d / np.diag(cell)) * np.diag(cell)
    f = 3 * 3.4**3 * (d**2).sum(1) ** -2.5
    tables.append([f * d[:, 0] * d[:, 2]])
mbf.write("own.mbf", tables, components=["xz"], time=r.time, cell=r.cell, dtype="f8", meta={"sys.sigma": 3.4, "data.sum": "mic"})
with mbf.Writer("one.mbf", components=np.array(["xz"]), dt=0.5) as w:
    w.put(np.ones((1, 3)), 0.0)
assert mbf.read("one.mbf").meta["sys.natoms"] == "3" and np.isnan(mbf.read("one.mbf").pairs).sum() == 0
for data, options in ((np.ones((2, 1, 4)), {}), (np.ones((2, 2, 3)), {}), (np.ones((2, 3)), {}), (np.ones((2, 1, 0)), {}),
                      (np.ones((2, 1, 3)), {"velocities": np.ones((2, 1, 3))}), (np.ones((2, 1, 3)), {"species": ["Ar"] * 4}),
                      (np.ones((2, 1, 3)), {"columns": ["a"]}), (np.ones((2, 1, 3)), {"components": []}), (np.ones((2, 1, 3)), {"components": ["a b"]}),
                      (np.full((2, 1, 3), np.nan), {})):
    try:
        mbf.write("bad.mbf", data, **{"components": ["xz"], "dt": 1, **options})
    except ValueError:
        assert not os.path.exists("bad.mbf")
    else:
        raise AssertionError("written: %s %s" % (data.shape, options))
try:
    mbf.write("bad.mbf", np.ones((2, 2)), columns=["a", "b"], dt=1, velocities=np.ones((2, 2)))
except ValueError as e:
    assert str(e) == "step 0: expected velocities only with positions"
else:
    raise AssertionError("velocities of a series")
