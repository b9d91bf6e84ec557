# SPDX-License-Identifier: MIT
"""breathing_walk ATOMS STEPS SIGMA WRAPPED HEURISTIC: a random walk in a triclinic cell that breathes and is sheared, as extended XYZ.

Each step adds a normal number of width SIGMA (A) to each coordinate of an atom in the cell, then the cell changes, and atoms outside
are moved back by whole vectors of the new one: D = SIGMA^2 / 2 a step, whatever the cell does. WRAPPED are these positions. HEURISTIC
are what adding the vectors crossed so far, of the cell as it is at each step, makes of them.
"""
import math
import random
import sys


def cell(step):
    f = 1 + 0.01 * math.sin(2 * math.pi * step / 7) + 0.03 * math.sin(2 * math.pi * step / 50)
    rows = [[15, 0, 0], [6.8 + 3 * math.sin(step / 23), 14, 0], [-4 + 2 * math.cos(step / 31), 5, 13]]
    return [[f * v for v in row] for row in rows]


def images(h, r):
    """Whole vectors that r is away from the cell, whose rows are a lower triangle."""
    c = r[2] / h[2][2]
    b = (r[1] - c * h[2][1]) / h[1][1]
    a = (r[0] - c * h[2][0] - b * h[1][0]) / h[0][0]
    return [math.floor(a), math.floor(b), math.floor(c)]


def moved(h, r, n, sign):
    return [r[k] + sign * (n[0] * h[0][k] + n[1] * h[1][k] + n[2] * h[2][k]) for k in range(3)]


def main():
    natoms, steps, sigma = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    rng = random.Random(20)
    place = [[rng.uniform(0, 13) for _ in range(3)] for _ in range(natoms)]
    count = [[0, 0, 0] for _ in range(natoms)]
    with open(sys.argv[4], "w", encoding="ascii") as wrapped, open(sys.argv[5], "w", encoding="ascii") as heuristic:
        for step in range(steps):
            h = cell(step)
            lattice = " ".join("%.9f" % v for row in h for v in row)
            for out in (wrapped, heuristic):
                out.write('%d\nLattice="%s" pbc="T T T" Properties=species:S:1:pos:R:3\n' % (natoms, lattice))
            for i, r in enumerate(place):
                n = images(h, r)
                place[i] = r = moved(h, r, n, -1)
                count[i] = [a + b for a, b in zip(count[i], n)]
                wrapped.write("Ar %.8f %.8f %.8f\n" % tuple(r))
                heuristic.write("Ar %.8f %.8f %.8f\n" % tuple(moved(h, r, count[i], 1)))
                place[i] = [v + rng.gauss(0, sigma) for v in r]


main()
