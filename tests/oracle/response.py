# SPDX-License-Identifier: MIT
"""response FILE K: -(1/kT) dC/dt of the first function of a CORR with one component and blocks that are what they are (--blocks), and
its standard error, a line a lag: the slope of the polynomial through five lags (three at the last two), C(-t) being C(t)."""
import sys

import numpy as np

from oracle import frames

with open(sys.argv[1], "rb") as f:
    items = list(frames.Reader(f, sys.argv[1]))
meta = next(i for i in items if isinstance(i, dict))
counts, sums = (a.data for a in items if getattr(a, "code", None) == b"CORR")
blocks, lags = counts.shape
dt, kt = float(meta["sys.dt_ps"]), 1.380649e-23 / 1.602176634e-22 * float(sys.argv[2])  # meV


def slope(c, k):
    at = np.arange(k - 2, k + 3) if k + 2 < lags else np.arange(k - 1, k + 2) if k + 1 < lags else np.arange(k - 2, k + 1)
    return np.polyfit((at - k) * dt, c[abs(at)], len(at) - 1)[-2]


mean = sums[:, :, 0, 0].sum(0) / counts.sum(0)
dev = (sums[:, :, 0, 0] - mean * counts) / counts.sum(0)
for k in range(lags):
    each = np.array([slope(d, k) for d in dev]) / kt
    print(-slope(mean, k) / kt, np.sqrt((each ** 2).sum() * blocks / (blocks - 1)))
