# SPDX-License-Identifier: MIT
"""van_hove.py POSITIONS HISTOGRAMS [MOVED]: are the counts of rdf-cpu --lag those of a double loop over all atoms at two times?

Every time origin, pair and displacement is counted from the definitions. Between species, and within one, either atom may be the earlier
one; at lag 0 each pair counts once. MOVED is the number of pairs and displacements that may lie in the next bin (0 by default), for
positions in f32, which rdf-cpu rounds to a grid."""
import sys

import numpy as np

import mbf

run, hist = mbf.read(sys.argv[1]), mbf.read(sys.argv[2])
allowed = int(sys.argv[3]) if len(sys.argv) > 3 else 0
meta, r = hist.meta, np.float64(run.positions)
lags, bins, rmax = [int(k) for k in meta["data.lags"].split()], int(meta["data.bins"]), float(meta["data.rmax"])
names = np.array(mbf.species_of(run.meta) or ["X"] * r.shape[1])
pbc = np.array([c == "T" for c in meta.get("sys.pbc", "FFF")])
sets = [w.split("-") for w in meta["data.pairs"].split()]
own = meta["data.self"].split()


def members(name):
    return np.arange(len(names)) if name == "all" else np.flatnonzero(names == name)


def binned(d):
    """Counts of the lengths of these vectors."""
    k = (np.sqrt((d**2).sum(-1)) * (bins / rmax)).astype(int).ravel()
    return np.bincount(k[k < bins], minlength=bins)


def nearest(d, cell):
    if cell is None:
        return d
    return d - np.where(pbc, np.rint(np.linalg.solve(cell.T, d.reshape(-1, 3).T).T), 0).reshape(d.shape) @ cell


def between(early, late, a, b, cell):
    """Counts of the pairs of an atom of a at the earlier time with an atom of b at the later time."""
    d = nearest(late[b][None] - early[a][:, None], cell)
    return binned(d[a[:, None] != b[None]])


want = []
for lag in lags:
    for name in sets:
        a, b = members(name[0]), members(name[-1])
        total = np.zeros(bins, int)
        for t in range(len(r) - lag):
            cell = run.cell[t] if run.cell is not None else None
            total += between(r[t], r[t + lag], a, b, cell)
            if len(name) > 1 and name[0] != name[1]:
                total += between(r[t], r[t + lag], b, a, cell)
        assert lag or not (total % 2).any()
        want.append(total // (1 if lag else 2))
    want += [sum(binned(r[t + lag][members(s)] - r[t][members(s)]) for t in range(len(r) - lag)) for s in own]
got, want = hist.counts.sum(0).astype(int), np.array(want)
assert got.shape == want.shape, (got.shape, want.shape)
off = np.cumsum(got - want, axis=1)
print(want.sum(), "counted;", np.abs(off).sum(), "in the next bin;", want.sum(1))
assert np.abs(off).sum() <= allowed, (got - want)[np.abs(off).any(1)]
assert (hist.steps.sum(0) == [len(r) - k for k in lags]).all(), hist.steps.sum(0)
# G_s is the count per volume of the shell, origin and atom
edge = np.arange(bins + 1) * rmax / bins
for k, lag in enumerate(lags):
    for i, s in enumerate(own):
        gas = hist.expected.sum(0)[k * (len(sets) + len(own)) + len(sets) + i]
        assert np.allclose(gas, (len(r) - lag) * len(members(s)) * 4 / 3 * np.pi * np.diff(edge**3), rtol=1e-12)
