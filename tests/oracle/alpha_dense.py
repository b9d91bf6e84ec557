# SPDX-License-Identifier: MIT
"""alpha_dense KIND: a few random sites as x.xyz and model.txt, and what alpha-cpu is to say of them by NumPy's dense solver with
Ewald's own two sums: orders 0, 1, 2 and all, a line each in `want`. KIND: cubic, triclinic, long, free, damped-exp, damped-cubic."""
import itertools
import math
import sys

import numpy as np

kind = sys.argv[1]
rng = np.random.default_rng(sum(map(ord, kind)))
cells = {"cubic": np.eye(3) * 12.0, "long": np.diag([10.0, 11.0, 34.0]), "triclinic": np.array([[11.0, 0, 0], [3.5, 12.0, 0], [-2.0, 4.0, 13.0]]),
         "damped-exp": np.array([[10.0, 0, 0], [2.0, 11.0, 0], [1.0, -3.0, 12.0]]), "damped-cubic": np.eye(3) * 11.0}
h = cells.get(kind)
damp = {"damped-exp": ("exp", 2.1304), "damped-cubic": ("cubic", 0.572)}.get(kind)


def bare(d):
    r = math.sqrt(d @ d)
    return 3 * np.outer(d, d) / r**5 - np.eye(3) / r**3


def thole(d, size):
    """What a damped T has more than a bare one."""
    r = math.sqrt(d @ d)
    x = damp[1] * (r / size) ** (3 if damp[0] == "cubic" else 1)
    if damp[0] == "cubic":
        l3 = -math.exp(-x)
        l5 = -(1 + x) * math.exp(-x)
    else:
        l3 = -(1 + x + x * x / 2) * math.exp(-x)
        l5 = -(1 + x + x * x / 2 + x**3 / 6) * math.exp(-x)
    return l5 * 3 * np.outer(d, d) / r**5 - l3 * np.eye(3) / r**3


def images(n):
    return np.array(list(itertools.product(range(-n, n + 1), repeat=3)), float) @ h


if h is not None:
    near, volume = images(5), abs(np.linalg.det(h))
    eta = math.sqrt(math.pi) / volume ** (1 / 3)
    waves = 2 * math.pi * np.linalg.solve(h, np.array([m for m in itertools.product(range(-9, 10), repeat=3) if any(m)], float).T).T
    k2 = (waves**2).sum(1)
    heights = 4 * math.pi / volume * np.exp(-k2 / (4 * eta**2)) / k2
erfc = np.vectorize(math.erfc, otypes=[float])


def ewald(d):
    """All images of d; d = 0: but the one there."""
    x = near + d
    r = np.sqrt((x**2).sum(1))
    t = np.eye(3) * (0 if r.all() else 4 * eta**3 / (3 * math.sqrt(math.pi)))  # of the screening charge alone
    x, r = x[r > 0], r[r > 0]
    e = 2 * eta / math.sqrt(math.pi) * np.exp(-((eta * r) ** 2))
    b = erfc(eta * r) / r**3 + e / r**2
    c = 3 * b / r**2 + 2 * eta**2 * e / r**2
    t += (x.T * c) @ x - b.sum() * np.eye(3)
    return t - (waves.T * (heights * np.cos(waves @ d))) @ waves


# 4 linear molecules A-B-A with a tensor at B and one at their mass centre, 6 atoms Z
mols, names, r = [], [], []
box = h if h is not None else np.eye(3) * 12.0
grid = [(np.array(g) + 0.5 + 0.12 * rng.uniform(-1, 1, 3)) @ box / 3 for g in itertools.product(range(3), repeat=3)]
order = rng.permutation(len(grid))
alpha, where = [], []
for i in range(10):
    c = grid[order[i]]
    if i < 4:
        z = rng.standard_normal(3)
        z /= np.linalg.norm(z)
        y = np.cross(z, rng.standard_normal(3))
        y /= np.linalg.norm(y)
        x = np.cross(y, z)
        atoms = [c - 0.9 * z, c, c + 2.2 * z + 0.5 * x]  # bent: a plane
        axis = c - atoms[0]
        axis /= np.linalg.norm(axis)
        side = atoms[2] - atoms[0]
        side = side - (side @ axis) * axis
        side /= np.linalg.norm(side)
        up = np.cross(axis, side)
        alpha.append(1.2 * np.outer(side, side) + 0.9 * np.outer(up, up) + 1.9 * np.outer(axis, axis))
        where.append(c)
        if i % 2 == 0:
            names += ["A", "B", "A"]
        else:
            names += ["A", "B", "C"]
            alpha.append(0.4 * np.eye(3))
            where.append((1.0 * atoms[0] + 1.0 * c + 8.0 * atoms[2]) / 10.0)
        r += atoms
    else:
        names.append("Z")
        r.append(c)
        alpha.append(np.eye(3) * 1.1)
        where.append(c)
if h is not None:  # wrapped, atom by atom: molecules are made whole
    frac = np.array(r) @ np.linalg.inv(h)
    r = (frac - np.floor(frac)) @ h
with open("x.xyz", "w") as f:
    lattice = "" if h is None else 'Lattice="%s" ' % " ".join("%.17g" % v for v in h.ravel())
    f.write("%d\n%sProperties=species:S:1:pos:R:3\n" % (len(names), lattice))
    f.writelines("%s %.17g %.17g %.17g\n" % (n, *p) for n, p in zip(names, r))
with open("model.txt", "w") as f:
    f.write("""# two bent molecules and an atom
molecule bent A B A
  site B 1.2 0.9 1.9 frame 1-2,3
molecule other A B C
  mass 1 1 8
  site 2 1.2 0.9 1.9 frame 1-2,3 # by number
  site centre 0.4
molecule atom Z
  site Z 1.1
""")
m = len(alpha)
T = np.zeros((m, 3, m, 3))
for i in range(m):
    for j in range(i, m):
        d = where[i] - where[j]
        t = ewald(d) if h is not None else np.zeros((3, 3)) if i == j else bare(d)
        if damp:
            size = (np.trace(alpha[i]) / 3 * np.trace(alpha[j]) / 3) ** (1 / 6)
            t = t + sum(thole(d + n, size) for n in images(3) if (d + n).any())
        T[i, :, j] = t
        T[j, :, i] = t.T
T = T.reshape(3 * m, 3 * m)
a = np.zeros((3 * m, 3 * m))
for i in range(m):
    a[3 * i:3 * i + 3, 3 * i:3 * i + 3] = alpha[i]
one = np.tile(np.eye(3), (m, 1))
every = one.T @ np.linalg.solve(np.linalg.inv(a) - T, one)
terms = [one.T @ a @ one, one.T @ a @ T @ a @ one, one.T @ a @ T @ a @ T @ a @ one]
with open("want", "w") as f:
    for p in terms + [every]:
        f.write(" ".join("%.15g" % p[i, j] for i in range(3) for j in range(i, 3)) + "\n")
