# SPDX-License-Identifier: MIT
"""python3 -m mbf from, of NPZ files whose times are f32, f64 that were f32, and f64: the stride is right wherever the run begins.
Without CHECK_ALL a third of all pairs of start and stride, each of them with others."""
import os

import numpy as np
import mbf
from mbf.__main__ import main


def read(times, *options):
    np.savez("t.npz", time=times, positions=[[[k, 1, 2]] for k in range(len(times))], cell=[9.0, 9, 9])
    assert main(["from", "t.npz", "-o", "t.mbf", *options]) == 0
    return mbf.read("t.mbf")


for m, start in enumerate([0, 1000, 100000, 500000]):
    for n, stride in enumerate([0.002, 0.02, 0.05, 0.25, 1, 2.5, 10]):
        if not os.environ.get("CHECK_ALL") and (m + n) % 3:
            continue
        true = start + stride * np.arange(60)
        for times in true.astype("f4"), true.astype("f4").astype(float), true:
            for options, want, dt in ((), true, stride), (("--select", "3:50:2"), true[3:50:2], 2 * stride), (("--dt", "3"), 3 * np.arange(60), 3):
                if want.size == 24 and stride < np.spacing(np.float32(start)):
                    continue  # too few stamps for their rounding
                run = read(times, *options)
                assert float(run.meta["sys.dt_ps"]) == float("%.9g" % dt), (start, stride, times.dtype, options, run.meta["sys.dt_ps"])
                assert (abs(run.time - want) <= 1e-9 * want).all(), (start, stride, times.dtype, options, run.time - want)
for times in np.array([0, 0.333, 0.667, 1.0, 1.333, 1.667, 2.0, 2.333]), np.float32(1000 + np.arange(60) / 3), np.float32(1000 + np.arange(5000) / 3):
    assert abs(float(read(times).meta["sys.dt_ps"]) - 1 / 3) < 1e-4
assert read(np.float32([0.1])).time[0] == 0.1
