# SPDX-License-Identifier: MIT
"""bond_order FILE ORDERS rmax=R|nearest=K [averaged]: bond-order parameters without spherical harmonics and 3j symbols.

By the addition theorem, q_l² is a double sum of Legendre polynomials of the angles between bonds. The sum in w_l is the
integral of f³ over the sphere, f(s) = sum_m q_lm* Y_lm(s) = (2l+1)/4pi sum over bonds of P_l(s r), divided by the same integral
of three harmonics; a Gauss rule of 3l/2 + 1 points and equal steps of the azimuth are exact for it.
Prints a row per atom of each step: number of neighbours, q of all orders, w of all orders.
"""
import itertools
import math
import sys

import numpy as np
from numpy.polynomial import legendre

import mbf


def neighbours(r, cell, pbc, rule):
    """Lists of bonds of each atom: (j, unit vector)."""
    shifts, found = [np.zeros(3)], []
    if cell is not None:
        r = r - np.where(pbc, np.floor(np.linalg.solve(cell.T, r.T).T), 0) @ cell
        shifts = [np.array(n, float) @ cell for n in itertools.product(*([-1, 0, 1] if p else [0] for p in pbc))]
    for i in range(len(r)):
        d = np.concatenate([r - r[i] + s for s in shifts])
        length = np.sqrt((d**2).sum(1))
        length[length == 0] = np.inf
        order = np.argsort(length, kind="stable")
        order = order[: int(rule[1])] if rule[0] == "nearest" else order[length[order] < float(rule[1])]
        found.append([(k % len(r), d[k] / length[k]) for k in order])
    return found


def polynomial(l, x):
    return legendre.legval(x, [0] * l + [1])


def sphere(degree):
    """Points and weights of a rule that integrates polynomials of this degree exactly."""
    z, w = legendre.leggauss(degree // 2 + 1)
    phi = 2 * math.pi / (degree + 1) * np.arange(degree + 1)
    z, phi, w = np.repeat(z, len(phi)), np.tile(phi, len(z)), np.repeat(w, len(phi))
    return np.stack([np.sqrt(1 - z * z) * np.cos(phi), np.sqrt(1 - z * z) * np.sin(phi), z], 1), w * 2 * math.pi / (degree + 1)


def zeros(l):
    """The 3j symbol (l l l; 0 0 0)."""
    g, f = 3 * l // 2, math.factorial
    return (-1) ** g * math.sqrt(f(l) ** 3 / f(3 * l + 1)) * f(g) / f(g - l) ** 3


def invariants(l, bonds, weights):
    """q_l and w_l of directions with weights."""
    q2 = weights @ polynomial(l, np.clip(bonds @ bonds.T, -1, 1)) @ weights
    q = math.sqrt(max(q2, 0))
    if l % 2 or q < 1e-12:
        return q, 0.0
    points, area = sphere(3 * l)
    f = (2 * l + 1) / (4 * math.pi) * polynomial(l, np.clip(points @ bonds.T, -1, 1)) @ weights
    third = (area @ f**3) * math.sqrt(4 * math.pi) / (2 * l + 1) ** 1.5 / zeros(l)
    return q, third / (q2 * (2 * l + 1) / (4 * math.pi)) ** 1.5


def main():
    name, orders, rule, *flags = sys.argv[1:]
    orders, run = [int(l) for l in orders.split(",")], mbf.read(name)
    for k, r in enumerate(np.asarray(run.positions, float)):
        cell = None if run.cell is None else run.cell[k]
        pbc = [c == "T" for c in run.meta.get("sys.pbc", "FFF")]
        lists = neighbours(r, cell, pbc, rule.split("="))
        for i, own in enumerate(lists):
            terms = [(u, 1 / len(own)) for _, u in own]
            if "averaged" in flags:
                terms = [(u, 1 / (len(lists[j]) * (len(own) + 1))) for j in [i] + [j for j, _ in own] for _, u in lists[j]]
            bonds, weights = np.array([u for u, _ in terms] or [[0, 0, 1]]), np.array([w for _, w in terms] or [0.0])
            pairs = [invariants(l, bonds, weights) for l in orders]
            print(len(own), *("%.17g" % v[k] for k in (0, 1) for v in pairs))


main()
