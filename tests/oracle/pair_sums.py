# SPDX-License-Identifier: MIT
"""pair_sums.py FILE TABLE LAGS [did] [weights=Ar:2,Kr:3] [pair=A-B]: G, G2, G3 and G4 of a pair function for each component, as sums
over all pairs of pairs by the number of atoms that they share, with splines and minimum images of their own; did: with DID of
sigma 3.4 (--sum mic). One row per lag: lag, origins, values. LAGS 0: the values of all pairs instead."""
import sys

import numpy as np

from oracle import frames


def read(name):
    head, rows = {}, []
    for line in open(name):
        word = line.split("#")[0].split()
        if word and "r" not in head:
            head[word[0]] = word[1:]
        elif word:
            rows.append([float(x) for x in word])
    return int(head["rank"][0]), head["r"], np.array(rows).T


def natural(r, v):
    """The natural cubic spline as a function; 0 beyond its end."""
    n, h = len(r), np.diff(r)
    a, b = np.eye(n), np.zeros(n)
    for k in range(1, n - 1):
        a[k, k - 1:k + 2] = h[k - 1], 2 * (h[k - 1] + h[k]), h[k]
        b[k] = 6 * ((v[k + 1] - v[k]) / h[k] - (v[k] - v[k - 1]) / h[k - 1])
    m = np.linalg.solve(a, b)

    def at(x):
        k = np.clip(np.searchsorted(r, x) - 1, 0, n - 2)
        p, q = r[k + 1] - x, x - r[k]
        s = (m[k] * p**3 + m[k + 1] * q**3) / (6 * h[k]) + (v[k] / h[k] - m[k] * h[k] / 6) * p + (v[k + 1] / h[k] - m[k + 1] * h[k] / 6) * q
        assert (x >= r[0]).all()
        return np.where(x > r[-1], 0, s)
    return at


def forms(rank, d):
    x, y, z = d
    if rank == 2:
        return [x * z, x * y, y * z, (x * x - y * y) / 2, (2 * z * z - x * x - y * y) / (2 * 3**0.5)]
    return [x, y, z] if rank else [np.ones_like(x)]


def main(file, table, lags, *options):
    rank, columns, rows = read(table)
    given = dict(o.partition("=")[::2] for o in options)
    spline = {tuple(c.split("-")): natural(rows[0], v) for c, v in zip(columns, rows[1:])}
    weight = {k: float(w) for k, w in (p.split(":") for p in given.get("weights", "").split(",") if p)}
    values = []
    for item in frames.Reader(open(file, "rb"), file):
        if isinstance(item, dict):
            meta = item
        elif not isinstance(item, tuple) and item.code in (b"POSN", b"CELL"):
            values.append((item.code, item.data))
    cell = np.array([float(x) for x in meta["sys.cell"].split()]).reshape(3, 3)
    assert all((np.asarray(d) == cell.ravel()).all() for c, d in values if c == b"CELL")
    pos = np.concatenate([d for c, d in values if c == b"POSN"]).astype(float)
    pbc = [c == "T" for c in meta["sys.pbc"]]
    names = meta["sys.species"].split()
    kind = sum((int(n) * [s] for s, n in zip(names[::2], names[1::2])), [])
    n = len(kind)
    i, j = np.triu_indices(n, 1)
    shift = np.array([[a, b, c] for a in (-2, -1, 0, 1, 2) for b in (-2, -1, 0, 1, 2) for c in (-2, -1, 0, 1, 2)])
    shift = shift[(shift[:, np.logical_not(pbc)] == 0).all(1)] @ cell
    b = []
    for x in pos:
        d = x[i] - x[j]
        d = d[:, None] + shift
        d = d[np.arange(len(i)), (d * d).sum(2).argmin(1)]
        while True:  # far beyond the cell
            near = d[:, None] + shift
            near = near[np.arange(len(i)), (near * near).sum(2).argmin(1)]
            if (near == d).all():
                break
            d = near
        r = np.sqrt((d * d).sum(1))
        f = np.zeros(len(i))
        for p, (a, c) in enumerate(zip(i, j)):
            pair, sign = (kind[a], kind[c]), -1.0 if rank == 1 else 1.0
            if pair not in spline:
                pair, sign = pair[::-1], 1.0
            if pair in spline and (rank != 1 or pair[0] != pair[1]):
                f[p] = sign * spline[pair](r[p:p + 1])[0]
            f[p] = f[p] / r[p]**rank + (3 * 3.4**3 / r[p]**5 if "did" in given else 0)
            if weight:
                f[p] *= weight[kind[a]] * weight[kind[c]]
            if "pair" in given and {kind[a], kind[c]} != set(given["pair"].split("-")):
                f[p] = 0
        b.append([q * f for q in forms(rank, d.T)])
    b = np.array(b)  # [steps, components, pairs]
    if lags == 0:
        return print("\n".join("%.17g" % v for v in b.ravel()))
    shared = (i[:, None] == i).astype(int) + (j[:, None] == j) + (i[:, None] == j) + (j[:, None] == i)
    for lag in range(lags):
        out = [lag, len(b) - lag]
        for c in range(b.shape[1]):
            products = sum(np.outer(b[t, c], b[t + lag, c]) for t in range(len(b) - lag)) / (len(b) - lag)
            g = [products[shared == k].sum() for k in (2, 1, 0)]
            out += [sum(g)] + g
        print(*["%.17g" % v for v in out])


main(sys.argv[1], sys.argv[2], int(sys.argv[3]), *sys.argv[4:])
