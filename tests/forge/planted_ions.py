# SPDX-License-Identifier: MIT
"""planted_ions KIND IONS STEPS: a LAMMPS dump (units metal, 0.05 ps between frames, wrapped) of ions of charge +1 and -1 in a cell of 20 A.

KIND free: each velocity component is an independent Ornstein-Uhlenbeck process of width 5 A/ps and correlation time 0.2 ps, and positions
are its trapezoidal integral. With phi = exp(-0.25), D = 25 * 0.05 (1 + phi) / (2 (1 - phi)) A^2/ps and the conductivity is
IONS e^2 D / (V kT). KIND bound: ions 2k and 2k + 1 are a pair. Its centre moves as a free ion, and the distance of the ions from
the centre is a stationary process d, whose velocity is its central difference: the conductivity is 0.
"""
import math
import random
import sys

EDGE, DT, WIDTH, PHI = 20.0, 0.05, 5.0, math.exp(-0.25)


def process(rng, steps, width):
    """A stationary Ornstein-Uhlenbeck process."""
    x, out = rng.gauss(0, width), []
    for _ in range(steps):
        out.append(x)
        x = PHI * x + math.sqrt(1 - PHI * PHI) * rng.gauss(0, width)
    return out


def free(rng, steps):
    """Positions and velocities along one axis."""
    v, x = process(rng, steps, WIDTH), [rng.uniform(0, EDGE)]
    for t in range(1, steps):
        x.append(x[-1] + 0.5 * DT * (v[t - 1] + v[t]))
    return x, v


def pair(rng, steps):
    x, v = free(rng, steps)
    d = process(rng, steps + 2, 0.3)
    for sign in (1, -1):
        yield [a + sign * b for a, b in zip(x, d[1:])], [a + sign * (d[t + 2] - d[t]) / (2 * DT) for t, a in enumerate(v)]


def main():
    kind, ions, steps, rng = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), random.Random(40)
    if kind == "free":
        series = [[free(rng, steps) for _ in range(3)] for _ in range(ions)]
    else:
        axes = [[list(pair(rng, steps)) for _ in range(3)] for _ in range(ions // 2)]
        series = [[axis[k] for axis in one] for one in axes for k in (0, 1)]
    for t in range(steps):
        print("ITEM: TIMESTEP\n%d\nITEM: NUMBER OF ATOMS\n%d\nITEM: BOX BOUNDS pp pp pp\n" % (50 * t, ions) + "0 20\n" * 3 +
              "ITEM: ATOMS id type q x y z vx vy vz")
        for i, one in enumerate(series):
            print(i + 1, 1 + i % 2, 1 - 2 * (i % 2), *("%.7g" % (x[t] % EDGE) for x, _ in one), *("%.7g" % v[t] for _, v in one))


main()
