# SPDX-License-Identifier: MIT
"""density_correlations.py "NINE NUMBERS OF THE CELL" QMAX QSTEP LAGS SPECIES [h,k,l] < bin2txt's text of a trajectory: the functions
of fqt-cpu by their definitions, every lag and origin summed as it stands: rows "q t F F_A-A F_A-B ... [C_L ... C_T ...] F_s F_s_A ...".
LAGS: 0 for all. The frames may be at uneven times. SPECIES: "348*(O 1 H 2)" or "Ar 256". h,k,l: the multiples of that vector, instead of shells."""
import re
import sys

import numpy as np

cell = np.array([float(x) for x in sys.argv[1].split()]).reshape(3, 3)
qmax, qstep, lags = float(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
many, inner = re.fullmatch(r"(?:(\d+)\*)?\(?([^)]*)\)?", sys.argv[5]).groups()
words = inner.split()
kind = np.array([s for s, n in zip(words[::2], words[1::2]) for _ in range(int(n))] * int(many or 1))
rows = [line.split() for line in sys.stdin if not line.startswith("#")]
table = np.array([[float(x) for x in r] for r in rows]).reshape(-1, len(kind), len(rows[0]))
if np.max(np.abs(table[:, :, 3:] - np.float32(table[:, :, 3:]))) < 1e-5:  # of f32 the text is the shortest that reads back as f32
    table[:, :, 3:] = np.float32(table[:, :, 3:])
time, pos, vel = table[:, 0, 1], table[:, :, 3:6], table[:, :, 6:9]
names = sorted(set(kind), key=list(kind).index)
pairs = [(a, b) for i, a in enumerate(names) for b in names[i:]]
i, j = np.triu_indices(len(time))  # pairs of frames by their lag, to 1e-6 ps
gap = np.round(1e6 * (time[j] - time[i])).astype(int)
apart = [(i[gap == g], j[gap == g]) for g in np.unique(gap)[:lags or None]]
recip = 2 * np.pi * np.linalg.inv(cell).T
if len(sys.argv) > 6:
    step = np.array([int(x) for x in sys.argv[6].split(",")])
    hkl = [m * step for m in range(1, 1000) if m * np.linalg.norm(step @ recip) <= qmax]
    shell = list(range(len(hkl)))
else:
    top = (int(qmax / qstep) * qstep * np.linalg.norm(cell, axis=1) / 2 / np.pi).astype(int) + 1
    hkl = [v for v in np.ndindex(*(2 * top + 1)) if tuple(v - top) > (0, 0, 0)]
    hkl = [v - top for v in hkl]
    shell = [int(np.linalg.norm(v @ recip) / qstep) for v in hkl]
    hkl, shell = zip(*[(v, s) for v, s in zip(hkl, shell) if s < int(qmax / qstep * (1 + 1e-12))])


def lagged(a, b):
    """Mean over origins of Re conj(a(0)) b(t), every lag."""
    return np.array([np.mean((np.conj(a[i]) * b[j]).real) for i, j in apart])


def both(x, norm):
    """Of all atoms, then of each pair of species, x: {species: signal [steps]}."""
    whole = sum(x[s] for s in names)
    out = [lagged(whole, whole) / len(kind)]
    for a, b in pairs:
        out.append((lagged(x[a], x[b]) + lagged(x[b], x[a])) / 2 / np.sqrt(norm[a] * norm[b]))
    return np.array(out)


count = {s: np.sum(kind == s) for s in names}
sums, n, q_of = {}, {}, {}
for v, s in zip(hkl, shell):
    q = np.array(v) @ recip
    e = np.exp(1j * pos @ q)
    out = list(both({a: e[:, kind == a].sum(1) for a in names}, count))
    if vel.shape[2]:
        unit = q / np.linalg.norm(q)
        j = {a: (vel[:, kind == a] * e[:, kind == a, None]).sum(1) for a in names}
        along = both({a: j[a] @ unit for a in names}, count)
        every = sum(both({a: j[a][:, k] for a in names}, count) for k in range(3))
        out += list(along) + list((every - along) / 2)
    single = {a: sum(lagged(e[:, i], e[:, i]) for i in np.flatnonzero(kind == a)) for a in names}
    out.append(sum(single.values()) / len(kind))
    if len(names) > 1:
        out += [single[a] / count[a] for a in names]
    sums[s] = sums.get(s, 0) + np.array(out)
    n[s] = n.get(s, 0) + 1
    q_of[s] = q_of.get(s, 0) + np.linalg.norm(q)
for s in sorted(sums):
    for k, (i, j) in enumerate(apart):
        print(repr(float(q_of[s] / n[s])), repr(float(time[j[0]] - time[i[0]])), *(repr(float(x)) for x in sums[s][:, k] / n[s]))
