# SPDX-License-Identifier: MIT
"""ratio_error FILE: the ratio of the two spectra of a CORR with one component and blocks that are what they are (--blocks), Hann's
window, twice the length, and its standard error: the linearised ratio's deviation of every block, from that block's own spectra."""
import sys

import numpy as np

from oracle import frames

with open(sys.argv[1], "rb") as f:
    counts, sums = (a.data for a in frames.Reader(f, sys.argv[1]) if getattr(a, "code", None) == b"CORR")
blocks, lags = counts.shape
window = np.cos(np.pi * np.arange(lags) / (2 * lags)) ** 2 * np.where(np.arange(lags), 2.0, 1.0)
half = 2 * lags
kernel = np.cos(np.pi * np.outer(np.arange(half + 1), np.arange(lags)) / half) * window
mean = sums[:, :, 0, :].sum(0) / counts.sum(0)[:, None]
deviation = (sums[:, :, 0, :] - mean * counts[:, :, None]) / counts.sum(0)[:, None]  # of every lag, as a ratio of sums
ratio = (kernel @ mean[:, 0]) / (kernel @ mean[:, 1])
each = (deviation[:, :, 0] @ kernel.T - ratio * (deviation[:, :, 1] @ kernel.T)) / (kernel @ mean[:, 1])
live = (counts > 0).sum(0)
assert (live == blocks).all()
for r, e in zip(ratio, np.sqrt((each ** 2).sum(0) * blocks / (blocks - 1))):
    print(repr(float(r)), repr(float(e)))
