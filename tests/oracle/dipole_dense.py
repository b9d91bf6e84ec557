# SPDX-License-Identifier: MIT
"""dipole_dense KIND: a few random molecules and ions as x.xyz and model.txt, and the dipole moment that alpha-cpu --dipole must find,
by NumPy's dense solver with Ewald's two sums of Gaussian charges. Writes to `want` the permanent moment, then the contributions of
orders 1, 2, 3, and then the whole induced moment. KIND: cubic, triclinic, long, chains, free, damped-exp, damped-cubic, or one of these
and -charges for a model with charges alone."""
import itertools
import math
import sys

import numpy as np

kind, _, only = sys.argv[1].partition("-charges")
only = "-charges" in sys.argv[1]
rng = np.random.default_rng(sum(map(ord, kind)) + 7)
cells = {"cubic": np.eye(3) * 12.0, "long": np.diag([11.0, 12.0, 34.0]), "triclinic": np.array([[11.5, 0, 0], [3.5, 12.0, 0], [-2.0, 4.0, 13.0]]),
         "damped-exp": np.array([[11.0, 0, 0], [2.0, 11.0, 0], [1.0, -3.0, 12.0]]), "damped-cubic": np.eye(3) * 11.0,
         "chains": np.eye(3) * 11.0}
h = cells.get(kind)
damp = {"damped-exp": ("exp", 2.1304), "damped-cubic": ("cubic", 0.572)}.get(kind)
box = h if h is not None else np.eye(3) * 12.0
if h is not None:
    near = np.array(list(itertools.product(range(-3, 4), repeat=3)), float) @ h
    volume = abs(np.linalg.det(h))
    eta = 1.8 * math.sqrt(math.pi) / volume ** (1 / 3)
    top = [int(13.5 * eta * np.linalg.norm(v) / (2 * math.pi)) + 1 for v in h]
    waves = np.array([m for m in itertools.product(*(range(-t, t + 1) for t in top)) if any(m)], float)
    waves = 2 * math.pi * np.linalg.solve(h, waves.T).T
    k2 = (waves**2).sum(1)
    heights = 4 * math.pi / volume * np.exp(-k2 / (4 * eta**2)) / k2
else:
    near, eta = np.zeros((1, 3)), 0.0


def falls(r, screened, u):
    """The derivatives B1, B2, B3 of 1/r, of erfc(eta r)/r, and of what damping leaves of 1/r."""
    b = [math.erfc(eta * r) / r if screened else 1 / r]
    for n in (1, 2, 3):
        e = (2 * eta**2) ** n / (eta * math.sqrt(math.pi)) * math.exp(-((eta * r) ** 2)) if screened else 0.0
        b.append(((2 * n - 1) * b[-1] + e) / r**2)
    if u is None or not damp:
        return b[1:]
    x = damp[1] * u ** (1 if damp[0] == "exp" else 3)
    more = (1 + x + x**2 / 2, 1 + x + x**2 / 2 + x**3 / 6, 1 + x + x**2 / 2 + x**3 / 6 + x**4 / 30) if damp[0] == "exp" else (1, 1 + x, 1 + x + 0.6 * x**2)
    return [a - l * math.exp(-x) * c for a, l, c in zip(b[1:], more, (1 / r**3, 3 / r**5, 15 / r**7))]


def part(d, site, b):
    q, m, t = site
    return (q * b[0] + b[1] * (d @ m) + b[2] * (d @ t @ d) / 3) * d - b[0] * m - 2 / 3 * b[1] * (t @ d)


def field(d, site, same, size):
    """The field at d of a site and all its images; same: without that of the site itself."""
    q, m, t = site
    e = np.zeros(3)
    if h is not None and not same:  # ions are unwrapped
        d = d - np.round(np.linalg.solve(h.T, d)) @ h
    for n in near:
        x = d + n
        r = math.sqrt(x @ x)
        own = same and not n.any()
        if own and r == 0:
            e += 4 * eta**3 / (3 * math.sqrt(math.pi)) * m
            continue
        if eta * r > 6.5 and not (damp and size):
            continue
        b = np.array(falls(r, eta > 0, r / size if size and not own else None))
        e += part(x, site, b - np.array(falls(r, False, None)) if own else b)
    if h is not None:
        phase = waves @ d
        moment = heights * (q - np.einsum("ka,ab,kb->k", waves, t, waves) / 3)
        e += (moment * np.sin(phase)) @ waves - (heights * (waves @ m) * np.cos(phase)) @ waves
    return e


def tensor(d, size):
    t = np.zeros((3, 3))
    for c in range(3):
        t[:, c] = field(d, (0.0, np.eye(3)[c], np.zeros((3, 3))), not d.any(), size)
    return t


def frame(atoms):
    z = atoms[1] - atoms[0]
    z = z / np.linalg.norm(z)
    x = atoms[2] - atoms[0]
    x = x - (x @ z) * z
    x = x / np.linalg.norm(x)
    return np.array([x, np.cross(z, x), z])


tilt = np.array([[0.3, 0.2, -0.4], [0.2, 0.5, 0.1], [-0.4, 0.1, -0.8]])
names, r, mols = [], [], []
alpha, where, owner = [], [], []
perm = []  # place, (charge, dipole, quadrupole), molecule, polarizability


def add_alpha(a, at, k):
    alpha.append(a)
    where.append(at)
    owner.append(k)


grid = [(np.array(g) + 0.5 + 0.1 * rng.uniform(-1, 1, 3)) @ box / 3 for g in itertools.product(range(3), repeat=3)]
order = rng.permutation(len(grid))
none, zero = np.zeros(3), np.zeros((3, 3))
for i in range(10):
    c = grid[order[i]]
    if i < 4:
        z = rng.standard_normal(3)
        z /= np.linalg.norm(z)
        y = np.cross(z, rng.standard_normal(3))
        y /= np.linalg.norm(y)
        far = 3.3 if kind == "chains" else 1.0  # ends farther apart than half the cell
        atoms = [c - 0.9 * far * z, c, c + 1.1 * far * z + 0.5 * np.cross(y, z)]
        a = frame(atoms)
        names += ["A", "B", "C"]
        add_alpha(a.T @ np.diag([0.7, 0.5, 0.9]) @ a, atoms[1], i)
        add_alpha(0.15 * np.eye(3), atoms[2], i)
        mass = (atoms[0] + 2 * atoms[1] + 5 * atoms[2]) / 8
        perm.append((atoms[0], (-0.3, none, zero), i, 0.0))
        perm.append((atoms[1], (0.2, none if only else a.T @ np.array([0.1, -0.2, 0.3]), zero if only else a.T @ tilt @ a), i, 0.7))
        perm.append((atoms[2], (0.1, none, zero), i, 0.15))
        perm.append((mass, (0.0, none, zero if only else a.T @ np.diag([-0.35, -0.35, 0.7]) @ a), i, 0.0))
        r += atoms
    elif i < 8:
        names.append("Z" if i % 2 else "Y")
        at = c + (np.array([1.0, -2.0, 3.0]) @ h if h is not None else 0.0)  # unwrapped
        r.append(at)
        if i % 2:
            add_alpha(1.1 * np.eye(3), at, i)
        perm.append((at, (0.5 if i % 2 else -0.5, none, zero), i, 1.1 if i % 2 else 0.0))
    else:
        names.append("X")
        r.append(c)
        add_alpha(0.8 * np.eye(3), c, i)
with open("x.xyz", "w") as f:
    lattice = "" if h is None else 'Lattice="%s" ' % " ".join("%.17g" % v for v in h.ravel())
    f.write("%d\n%sProperties=species:S:1:pos:R:3\n" % (len(names), lattice))
    f.writelines("%s %.17g %.17g %.17g\n" % (n, *p) for n, p in zip(names, r))
with open("model.txt", "w") as f:
    f.write("""molecule bent A B C
  mass 1 2 5
  site A 0 charge -0.3
  site B 0.7 0.5 0.9 charge 0.2 frame 1-2,3 %s
  site C 0.15 charge 0.1
  site centre 0 %s
molecule cation Z
  site Z 1.1 charge 0.5
molecule anion Y
  site Y 0 charge -0.5
molecule atom X
  site X 0.8
""" % (("", "charge 0") if only else ("dipole 0.1 -0.2 0.3 quadrupole 0.3 0.2 -0.4 0.5 0.1 -0.8", "quadrupole 0.7 frame 1-2")))
m = len(alpha)
T = np.zeros((m, 3, m, 3))
F = np.zeros((m, 3))
for i in range(m):
    for j in range(i, m):
        T[i, :, j] = tensor(where[i] - where[j], (np.trace(alpha[i]) / 3 * np.trace(alpha[j]) / 3) ** (1 / 6))
        T[j, :, i] = T[i, :, j].T
    for at, site, k, a in perm:
        F[i] += field(where[i] - at, site, k == owner[i], (np.trace(alpha[i]) / 3 * a) ** (1 / 6))
T = T.reshape(3 * m, 3 * m)
a = np.zeros((3 * m, 3 * m))
for i in range(m):
    a[3 * i:3 * i + 3, 3 * i:3 * i + 3] = alpha[i]
F = F.ravel()
mu = np.linalg.solve(np.linalg.inv(a) - T, F)
rows = [sum(s[0] * at + s[1] for at, s, _, _ in perm), a @ F, a @ T @ a @ F, a @ T @ a @ T @ a @ F, mu]
with open("want", "w") as f:
    for p in [rows[0]] + [v.reshape(m, 3).sum(0) for v in rows[1:]]:
        f.write("%.15g %.15g %.15g\n" % tuple(p))
