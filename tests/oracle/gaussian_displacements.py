# SPDX-License-Identifier: MIT
"""gaussian_displacements.py HISTOGRAMS SIGMA POWER: is G_s of rdf-cpu --lag the Gaussian of width SIGMA lag^(POWER/2) (A) along each axis?

POWER 2 is free flight, in which each atom is one sample; 1 is a random walk, in which displacements without common steps are independent.
Chi-square of each lag must be below its mean by chance plus five deviations, and no longer so for a width that is larger by a fifth.
The columns of bin2txt must be the density, which adds up to n_s, the fraction of atoms that moved less than the edge of the bin."""
import math
import sys

import numpy as np

import mbf

sigma, power = float(sys.argv[2]), int(sys.argv[3])
hist, table = mbf.read(sys.argv[1]), mbf.table(sys.argv[1])
bins, rmax, atoms = int(hist.meta["data.bins"]), float(hist.meta["data.rmax"]), int(hist.meta["sys.natoms"])
edge = np.arange(bins + 1) * rmax / bins


def chi_square(share, samples, width):
    x = edge / width
    part = np.array([math.erf(v / math.sqrt(2)) for v in x]) - math.sqrt(2 / math.pi) * x * np.exp(-x * x / 2)
    p = np.diff(part)
    use = p * samples > 10
    return (samples * (share - p)[use] ** 2 / p[use]).sum(), use.sum()


for k, lag in enumerate(int(v) for v in hist.meta["data.lags"].split()):
    origins = hist.steps.sum(0)[k]
    count = hist.counts.sum(0)[2 * k + 1]
    rows = slice(k * bins, (k + 1) * bins)
    density = table["G_s"][rows] * 4 / 3 * np.pi * np.diff(edge**3)
    assert np.allclose(np.cumsum(density), table["n_s"][rows], rtol=1e-9) and (count == table["count_s"][rows]).all()
    assert lag or (table["n_s"][rows] == 1).all()
    if lag == 0:
        continue
    samples = atoms if power == 2 else atoms * origins / lag
    for wide, good in ((1.0, True), (1.2, False)):
        chi, n = chi_square(count / origins / atoms, samples, wide * sigma * lag ** (power / 2))
        print(lag, wide, chi, n)
        assert n >= 10 and (chi < n + 5 * math.sqrt(2 * n)) == good, (lag, wide, chi, n)
