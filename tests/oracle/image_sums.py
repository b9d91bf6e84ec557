# SPDX-License-Identifier: MIT
"""image_sums.py CELL FILE: 14 random atoms to FILE as xyz; component, S^2 and sum_A^2 of them from sums over all pairs and own images."""
import sys
from oracle.lattice_sums import sums

h = [float(x) for x in sys.argv[1].split()]
h = [h[0:3], h[3:6], h[6:9]]
n, seed, at = 14, 12345, []
near = [(i, j, k) for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1)]

def apart(a, b):
    return min(sum(sum((x - y + s) * v[c] for x, y, s, v in zip(a, b, t, h)) ** 2 for c in range(3)) for t in near)

while len(at) < n:
    f = []
    for _ in range(3):
        seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
        f.append((seed >> 11) / 2**53)
    if all(apart(f, b) > 6.25 for b in at):
        at.append(f)
r = [[sum(x * v[c] for x, v in zip(f, h)) for c in range(3)] for f in at]
with open(sys.argv[2], "w") as o:
    o.write('%d\nLattice="%s" Properties=species:S:1:pos:R:3\n' % (n, sys.argv[1]))
    o.writelines("Ar %.17g %.17g %.17g\n" % tuple(x) for x in r)
pairs = [(i, j) for i in range(n) for j in range(i)]
q = list(sums(h, [[0, 0, 0]] + [[a - b for a, b in zip(r[i], r[j])] for i, j in pairs]))
for c, share in enumerate((1, 1, 1, 1 / 2, 1 / 12**0.5)):
    coef = 3 * 3.4**3 * share
    a = [q[0][c]] * n
    for (i, j), v in zip(pairs, q[1:]):
        a[i] += v[c]
        a[j] += v[c]
    print(c + 1, (coef * sum(a) / 2) ** 2, coef * coef * sum(x * x for x in a))
