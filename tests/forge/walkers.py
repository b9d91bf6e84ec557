# SPDX-License-Identifier: MIT
"""walkers.py OUT KIND ATOMS FRAMES SIZE EDGE SEED: atoms in a cube of EDGE (A), unwrapped, in f64, every 0.1 ps.

KIND walk: random walks from random places, with steps of the normal width SIZE along each axis. KIND droplet: free flight with normal
velocities of SIZE (A/ps) from random places in a sphere of a diameter of EDGE/4."""
import sys

import numpy as np

import mbf

out, kind, atoms, frames, size, edge, seed = sys.argv[1], sys.argv[2], *(float(v) for v in sys.argv[3:8])
atoms, frames = int(atoms), int(frames)
random = np.random.default_rng(int(seed))
if kind == "walk":
    steps = size * random.standard_normal((frames, atoms, 3))
    steps[0] = edge * random.random((atoms, 3))
else:
    start = random.standard_normal((atoms, 3))
    start *= edge / 8 * random.random((atoms, 1)) ** (1 / 3) / np.sqrt((start**2).sum(1))[:, None]
    steps = np.broadcast_to(0.1 * size * random.standard_normal((atoms, 3)), (frames, atoms, 3)).copy()
    steps[0] = edge / 2 + start
mbf.write(out, np.cumsum(steps, 0), dt=0.1, cell=edge * np.eye(3), species=["X"] * atoms, dtype="f8", meta={"data.unwrapped": "tor"})
