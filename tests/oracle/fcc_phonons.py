# SPDX-License-Identifier: MIT
"""fcc_phonons.py EDGE CUTOFF H,K,L WAVES CELLS: angular frequencies, rad/ps, of the longitudinal and a transverse wave m (H,K,L)/CELLS of a
Lennard-Jones crystal of argon (10.34 meV, 3.4 A, 39.948 u) with the cubic edge EDGE, m = 1..WAVES: D(q) = 1/m sum over R of
Phi(R) (1 - cos q R), all R below CUTOFF. H,K,L: 1,0,0 or 1,1,1, whose branches are pure."""
import math
import sys

edge, cutoff, waves, cells = float(sys.argv[1]), float(sys.argv[2]), int(sys.argv[4]), int(sys.argv[5])
along = [int(x) for x in sys.argv[3].split(",")]
norm = math.sqrt(sum(x * x for x in along))
long_ = [x / norm for x in along]
across = {(1, 0, 0): [0, 1, 0], (1, 1, 1): [x / math.sqrt(2) for x in (1, -1, 0)]}[tuple(along)]
eps, sigma, mass = 10.34, 3.4, 39.948 * 0.1036426966  # meV, A, meV ps^2/A^2
n = int(2 * cutoff / edge) + 1
vectors = [[edge / 2 * x for x in v] for v in ((i, j, k) for i in range(-n, n + 1) for j in range(-n, n + 1) for k in range(-n, n + 1))
           if sum(v) % 2 == 0 and any(v) and edge / 2 * math.sqrt(sum(x * x for x in v)) < cutoff]


def square(q, e):
    """omega^2 of the wave q polarised along e."""
    total = 0.0
    for v in vectors:
        r2 = sum(x * x for x in v)
        s6 = (sigma * sigma / r2) ** 3
        first = 4 * eps * (6 * s6 - 12 * s6 * s6) / r2  # U'/r
        second = 4 * eps * (156 * s6 * s6 - 42 * s6) / r2  # U''
        dot = sum(a * b for a, b in zip(v, e))
        total += ((second - first) * dot * dot / r2 + first) * (1 - math.cos(sum(a * b for a, b in zip(q, v))))
    return total / mass


for m in range(1, waves + 1):
    q = [2 * math.pi / edge * m / cells * x for x in along]
    print(math.sqrt(sum(x * x for x in q)), math.sqrt(square(q, long_)), math.sqrt(square(q, across)))
