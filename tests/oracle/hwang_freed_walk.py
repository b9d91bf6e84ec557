# SPDX-License-Identifier: MIT
"""hwang_freed_walk SEED WALKERS FRAMES: an xyz of walkers (B) about a spin that stays (A) in the middle of a box of 30 A, reflected by a
sphere of 3 A around it and by the walls: relative diffusion of tau = d²/D = 4 ps, frames of 0.2 ps in steps of 0.0025 ps."""
import sys

import numpy as np

seed, walkers, frames = map(int, sys.argv[1:4])
rng = np.random.default_rng(seed)
d, tau, box, inner = 3.0, 4.0, 30.0, 80
D = d * d / tau
step = np.sqrt(2 * D * 0.2 / inner)
x = rng.uniform(-box / 2, box / 2, (10 * walkers, 3))
x = x[(x * x).sum(1) > d * d][:walkers]
for f in range(frames):
    print(f"{walkers + 1}\n\nA 0 0 0")
    print("\n".join("B %.4f %.4f %.4f" % tuple(r) for r in x))
    for _ in range(inner):
        y = x + step * rng.standard_normal(x.shape)
        y = np.where(np.abs(y) > box / 2, np.sign(y) * box - y, y)
        good = (y * y).sum(1) > d * d  # a step into the sphere is not taken: no flux through it
        x[good] = y[good]
