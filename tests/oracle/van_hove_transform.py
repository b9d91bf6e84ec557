# SPDX-License-Identifier: MIT
"""van_hove_transform.py HISTOGRAMS CORRELATIONS: is the transform of the distinct part of rdf-cpu --lag F(q,t) - F_s(q,t) of fqt-cpu?

In a cubic cell, for atoms that are never farther apart than the last bin: the sum over pairs of sin(qr)/(qr), per atom and origin, at the
|q| of all vectors of each row of CORRELATIONS. A row averages over the directions of its vectors only: rows of 100 vectors or more must
agree within 0.01 of functions up to the number of atoms. The next lag must differ by more than five times that.
"""
import sys

import numpy as np

import mbf

hist, table = mbf.read(sys.argv[1]), mbf.table(sys.argv[2])
bins, rmax, atoms = int(hist.meta["data.bins"]), float(hist.meta["data.rmax"]), int(hist.meta["sys.natoms"])
r = (np.arange(bins) + 0.5) * rmax / bins
meta = mbf.read(sys.argv[2]).meta
unit, step = 2 * np.pi / float(meta["sys.cell"].split()[0]), float(meta["data.qstep"])
vectors = [int(v) for v in meta["data.axis2.vectors"].split()]
mean = [float(v) for v in meta["data.axis2.values"].split()]
top = int(mean[-1] / unit + step / unit) + 1
k = np.arange(-top, top + 1)
length = unit * np.sqrt(k[:, None, None] ** 2 + k[:, None] ** 2 + k**2).ravel()
row = (length / step).astype(int)
distinct = (table["F"] - table["F_s"]).reshape(len(vectors), -1)
right, wrong = [], []
for k, lag in enumerate(int(v) for v in hist.meta["data.lags"].split()):
    count, origins = hist.counts.sum(0)[2 * k] * (1 if lag else 2), hist.steps.sum(0)[k]
    assert count.sum() == atoms * (atoms - 1) * origins, "pairs beyond the last bin"
    for i, n in enumerate(vectors):
        if n < 100:
            continue
        q, many = np.unique(length[row == int(mean[i] / step)].round(9), return_counts=True)
        assert many.sum() == 2 * n, (many.sum(), n)
        ours = (many * (np.sinc(q[:, None] * r / np.pi) @ count)).sum() / many.sum() / origins / atoms
        right.append(abs(ours - distinct[i, lag]))
        wrong.append(abs(ours - distinct[i, lag + 1]))
print(len(right), max(right), max(wrong))
assert len(right) >= 20 and max(right) < 0.01 and max(wrong) > 0.05
