# SPDX-License-Identifier: MIT
"""free_flight.py OUT ATOMS FRAMES DT SEED SPEED "NINE NUMBERS OF A CELL" [SPECIES [dtype]]: atoms that fly freely from random places
with normal velocities of SPEED (A/ps) along each axis, wrapped into the cell, with their velocities. SPECIES: words dealt in turn."""
import sys

import numpy as np
import mbf

out, atoms, frames, dt, seed, speed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5]), float(sys.argv[6])
cell = np.array([float(x) for x in sys.argv[7].split()]).reshape(3, 3)
words = sys.argv[8].split() if len(sys.argv) > 8 else ["X"]
kind = sys.argv[9] if len(sys.argv) > 9 else "f8"
random = np.random.default_rng(seed)
start = random.random((atoms, 3))
v = (speed * random.standard_normal((atoms, 3))).astype(kind)
inverse = np.linalg.inv(cell)
steps = [((start + k * dt * (v @ inverse)) % 1.0) @ cell for k in range(frames)]
mbf.write(out, np.array(steps).astype(kind), dt=dt, cell=cell, velocities=np.array([v] * frames), species=[words[i % len(words)] for i in range(atoms)])
