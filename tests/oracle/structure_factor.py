# SPDX-License-Identifier: MIT
"""structure_factor.py QMAX QSTEP FILE.xyz [SPECIES=WEIGHT...]: q, vectors, S, S_A-A, S_A-B, ... of the definition, one step after the other."""
import cmath, math, re, sys
qmax, qstep, path = float(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
weights = dict((k, float(v)) for k, v in (x.split("=") for x in sys.argv[4:]))
shells = int(qmax / qstep * (1 + 1e-12))
line = open(path).read().split("\n")
dot = lambda u, v: sum(x * y for x, y in zip(u, v))
cross = lambda u, v: [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
sums, at = {}, 0
while line[at].strip():
    n = int(line[at])
    h9 = [float(x) for x in re.search(r'Lattice="([^"]*)"', line[at + 1]).group(1).split()]
    atoms = [(w[0], [float(x) for x in w[1:4]]) for w in (x.split() for x in line[at + 2:at + 2 + n])]
    at += n + 2
    a = [h9[0:3], h9[3:6], h9[6:9]]
    b = [[2 * math.pi * x / dot(a[0], cross(a[1], a[2])) for x in cross(a[(k + 1) % 3], a[(k + 2) % 3])] for k in range(3)]
    top = [int(shells * qstep * math.sqrt(dot(v, v)) / 2 / math.pi) + 1 for v in a]
    names = sorted(set(x[0] for x in atoms))
    many = {s: sum(x[0] == s for x in atoms) for s in names}
    w = {s: weights.get(s, 1.0) for s in names}
    for h in range(-top[0], top[0] + 1):
        for k in range(-top[1], top[1] + 1):
            for l in range(-top[2], top[2] + 1):
                q = [h * b[0][i] + k * b[1][i] + l * b[2][i] for i in range(3)]
                length = math.sqrt(dot(q, q))
                if (h, k, l) <= (0, 0, 0) or int(length / qstep) >= shells:
                    continue
                rho = dict.fromkeys(names, 0j)
                for t, r in atoms:
                    rho[t] += cmath.exp(1j * dot(q, r))
                v = [length, abs(sum(w[t] * rho[t] for t in names)) ** 2 / sum(many[t] * w[t] ** 2 for t in names)]
                v += [(rho[x] * rho[y].conjugate()).real / math.sqrt(many[x] * many[y]) for i, x in enumerate(names) for y in names[i:]]
                e = sums.setdefault(int(length / qstep), [0] + [0.0] * len(v))
                e[0] += 1
                for i, x in enumerate(v):
                    e[i + 1] += x
for s in sorted(sums):
    e = sums[s]
    print(repr(e[1] / e[0]), e[0], *(repr(x / e[0]) for x in e[2:]))
