# SPDX-License-Identifier: MIT
"""lasting KIND TABLE META: does META, the value of data.scatter, follow from its definition?

TABLE has a row per step, x y z of each point; each third point is a B, the others are A. KIND is vacf (values are velocities), C (unit vectors
of one kind) or F_s (positions). Every fourth step is a time origin. The origins are divided into segments of 1, 2, 4 ... origins, the shortest
for which they fill at most 32 segments, and only segments with all their origins count. For intervals of 4, 16 ... steps, up to two segments,
the value of a point in a segment is the mean of its products, of P1 or P2, or of its squared displacements. The lasting variance is the one of
the analysis of variance of points and segments without repetition: (mean square of points - residual mean square) / segments. Prints each
function that differs.
"""
import math
import sys


def lasting(v):
    """Mean of v[point][segment], and the squared error of the mean that lasting differences cause."""
    n, m = len(v), len(v[0])
    grand = sum(map(sum, v)) / (n * m)
    rows = [sum(r) / m for r in v]
    columns = [sum(c) / n for c in zip(*v)]
    points = m * sum((r - grand) ** 2 for r in rows) / (n - 1)
    rest = sum((v[i][b] - rows[i] - columns[b] + grand) ** 2 for i in range(n) for b in range(m)) / ((n - 1) * (m - 1))
    return grand, (points - rest) / m / n


def main():
    kind, (steps, *words) = sys.argv[1], sys.argv[3].split()
    rows = [[float(x) for x in line.split()] for line in open(sys.argv[2], encoding="ascii")]
    at = [[row[k:k + 3] for k in range(0, len(row), 3)] for row in rows[::4]]
    length = 1
    while length * 32 < len(at):
        length *= 2
    dots = {"": (0, 1, 2), **({} if kind == "F_s" else {"_x": (0,), "_y": (1,), "_z": (2,)})}
    legendre = {"C_1": lambda x: x, "C_2": lambda x: 1.5 * x * x - 0.5}

    def value(name, a, b):
        axes = dots[name[-2:] if name[-2:] in dots else ""] if kind == "vacf" else (0, 1, 2)
        if kind == "F_s":
            return sum((b[k] - a[k]) ** 2 for k in axes)
        x = sum(a[k] * b[k] for k in axes)
        return legendre[name](x) if kind == "C" else x

    def of(name, points, lag):
        m = (len(at) - lag) // length
        return lasting([[sum(value(name, at[t][p], at[t + lag][p]) for t in range(b * length, (b + 1) * length)) / length for b in range(m)] for p in points])

    every = range(len(at[0]))
    a, b = [p for p in every if p % 3 < 2], [p for p in every if p % 3 == 2]
    sets = {"C_1": [every], "C_2": [every]} if kind == "C" else {kind + s + d: g for s, g in (("", [a, b]), ("_A", [a]), ("_B", [b])) for d in dots}
    got = {name: [float(x) for x in numbers] for name, *numbers in (w.split(":") for w in words)}
    if int(steps) != len(rows) or set(got) != set(sets):
        print(steps, "steps,", *got)
    for name, groups in sets.items():
        total, want = sum(map(len, groups)), [sum(map(len, groups))]
        for lag in [0] + [4 ** k for k in range(6)]:
            if (len(at) - lag) // length < 8 or lag > 2 * length:
                break
            each = [(len(g) / total, *of(name, g, lag)) for g in groups]
            mean, square = sum(w * c for w, c, _ in each), sum(w * w * e for w, _, e in each)
            norm = mean if kind == "F_s" else mean * math.log(mean) if kind == "C" and mean > 0.05 else math.nan
            if kind == "vacf":
                norm = first = mean if lag == 0 else first
            if lag and math.isnan(norm):
                break
            want += [square / norm ** 2] if lag else []
        have = got.get(name, [])
        if len(want) < 3 or len(have) != len(want) or any(abs(x - y) > 1e-3 * abs(y) + 1e-6 for x, y in zip(have, want)):
            print(name, have, want)


main()
