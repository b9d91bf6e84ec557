# SPDX-License-Identifier: MIT
"""make-co2.py > co2.data: a LAMMPS data file of 64 rigid molecules of CO2 (EPM2) on a lattice, turned at random."""
import math
import random

random.seed(5)
n, edge, bond = 4, 18.4, 1.149
print("CO2, EPM2\n\n%d atoms\n%d bonds\n%d angles\n2 atom types\n1 bond types\n1 angle types\n" % (3 * n**3, 2 * n**3, n**3))
for a in "xyz":
    print("0 %g %slo %shi" % (edge, a, a))
print("\nMasses\n\n1 12.011\n2 15.9994\n\nAtoms\n")
at = 0
for m in range(n**3):
    z, phi = random.uniform(-1, 1), random.uniform(0, 2 * math.pi)
    u = (math.sqrt(1 - z * z) * math.cos(phi), math.sqrt(1 - z * z) * math.sin(phi), z)
    c = [(k + 0.5) * edge / n for k in (m % n, m // n % n, m // n // n)]
    for kind, charge, s in ((1, 0.6512, 0), (2, -0.3256, bond), (2, -0.3256, -bond)):
        at += 1
        print(at, m + 1, kind, charge, *("%.6f" % (c[a] + s * u[a]) for a in range(3)))
print("\nBonds\n")
for m in range(n**3):
    for k in (0, 1):
        print(2 * m + k + 1, 1, 3 * m + 1, 3 * m + 2 + k)
print("\nAngles\n")
for m in range(n**3):
    print(m + 1, 1, 3 * m + 2, 3 * m + 1, 3 * m + 3)
