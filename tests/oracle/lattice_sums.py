#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Lattice sums of the pair anisotropy by another route, with the standard library alone.

    lattice_sums.py CELL(9 numbers, rows are vectors) [SPLIT] <points (x y z a line) >sums (xz xy yz xx-yy zz a line)

Q_c = sum over all images of form_c(r)/r^5 (lib/pair/beta.h), with tin foil around infinity: T_ab = d_a d_b of Ewald's two
sums, term by term, of as many images and waves as double precision can tell apart, added exactly. SPLIT (2.1: alpha times
the cube root of the volume) may not change the result. At 0 0 0: an atom's own images, without itself.
"""
import math
import sys

def reduce(h):
    """Shortest vectors of the lattice (pairwise), so that boxes of images are round."""
    h = [list(v) for v in h]
    again = True
    while again:
        again = False
        for i in range(3):
            for j in range(3):
                if i != j:
                    n = round(sum(a * b for a, b in zip(h[i], h[j])) / sum(b * b for b in h[j]))
                    if n:
                        h[i] = [a - n * b for a, b in zip(h[i], h[j])]
                        again = True
    return h

def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]

def sums(h, points, split=None):
    h = reduce(h)
    vol = abs(sum(a * b for a, b in zip(h[0], cross(h[1], h[2]))))
    g = [[2 * math.pi * x / vol for x in cross(h[(i + 1) % 3], h[(i + 2) % 3])] for i in range(3)]
    alpha = (split or 2.1) / vol ** (1 / 3)
    rmax, kmax = 6.6 / alpha, 13.2 * alpha

    def lattice(v, other, r):
        # |n_i| <= r |other_i| / 2 pi
        top = [int(r * math.sqrt(sum(x * x for x in w)) / (2 * math.pi)) + 1 for w in other]
        for i in range(-top[0], top[0] + 1):
            for j in range(-top[1], top[1] + 1):
                for k in range(-top[2], top[2] + 1):
                    yield [i * v[0][c] + j * v[1][c] + k * v[2][c] for c in range(3)]

    half = math.sqrt(sum(sum(x * x for x in v) for v in h))
    images = list(lattice(h, g, rmax + half))
    waves = []
    for k in lattice(g, h, kmax):
        k2 = sum(x * x for x in k)
        if 0 < k2 <= kmax * kmax and k > [0, 0, 0]:
            waves.append((k, 2 * 4 * math.pi / vol * math.exp(-k2 / (4 * alpha * alpha)) / k2))
    for r in points:
        t = [[[] for _ in range(3)] for _ in range(3)]
        for n in images:
            d = [a + b for a, b in zip(r, n)]
            r2 = sum(x * x for x in d)
            if r2 > rmax * rmax or r2 == 0:
                continue
            s = math.sqrt(r2)
            e, x = math.erfc(alpha * s) / s, 2 * alpha / math.sqrt(math.pi) * math.exp(-alpha * alpha * r2)
            b = (e + x) / r2
            c = (3 * b + 2 * alpha * alpha * x) / r2
            for i in range(3):
                for j in range(3):
                    t[i][j].append(c * d[i] * d[j] - (b if i == j else 0.0))
        for k, w in waves:
            p = w * math.cos(sum(a * b for a, b in zip(k, r)))
            for i in range(3):
                for j in range(3):
                    t[i][j].append(-p * k[i] * k[j])
        T = [[math.fsum(t[i][j]) for j in range(3)] for i in range(3)]
        yield (T[0][2] / 3, T[0][1] / 3, T[1][2] / 3, (T[0][0] - T[1][1]) / 3, (2 * T[2][2] - T[0][0] - T[1][1]) / 3)

if __name__ == "__main__":
    cell = [float(x) for x in sys.argv[1:10]]
    rows = [[float(x) for x in line.split()] for line in sys.stdin if line.strip()]
    for q in sums([cell[0:3], cell[3:6], cell[6:9]], rows, float(sys.argv[10]) if len(sys.argv) > 10 else None):
        print(*["%.17g" % x for x in q])
