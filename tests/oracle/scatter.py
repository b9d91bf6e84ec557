# SPDX-License-Identifier: MIT
"""scatter TABLE META: does META, the value of data.scatter, follow from its definition?

TABLE is a trajectory as text: a row per step, x y z of each point; each third point is a B, the others are A. For intervals of 4, 16, ...
steps, as long as the steps are more than four intervals, the value of a point is the sum of its squared displacements over the intervals,
along an axis or in total. The excess is the squared error of the mean of these values, from their differences between points, less that of
equal random walkers, over the squared mean. Prints each function that differs.
"""
import sys


def excess(rows, chosen, axes):
    """(number of equal walkers, excess) of these kinds of points; a row per interval."""
    every, total, square, walk = sum(map(len, chosen)), 0.0, 0.0, 0.0
    for kind in chosen:
        v = [sum((b[3 * p + a] - r[3 * p + a]) ** 2 for r, b in zip(rows, rows[1:]) for a in axes) for p in kind]
        n, mean = len(v), sum(v) / len(v)
        total += n / every * mean
        square += (n / every) ** 2 * sum((x - mean) ** 2 for x in v) / (n * (n - 1))
        walk += (n / every * mean) ** 2 / n
    return total ** 2 / walk, (square - walk * 2 / len(axes) / (len(rows) - 1)) / total ** 2


def main():
    rows = [[float(v) for v in line.split()] for line in open(sys.argv[1], encoding="ascii")]
    kinds = [[p for p in range(len(rows[0]) // 3) if (p % 3 == 2) == b] for b in (False, True)]
    scales = [4 ** k for k in range(1, 7) if len(rows) > 4 ** (k + 1)]
    steps, *words = sys.argv[2].split()
    got = {name: [float(x) for x in numbers] for name, *numbers in (w.split(":") for w in words)}
    if int(steps) != len(rows) or len(got) != 12 or not scales:
        print(steps, "steps,", len(got), "functions,", len(scales), "intervals")
    for name, chosen in (("msd", kinds), ("msd_A", kinds[:1]), ("msd_B", kinds[1:])):
        for end, axes in (("", range(3)), ("_x", [0]), ("_y", [1]), ("_z", [2])):
            of = [excess(rows[::every], chosen, axes) for every in scales]
            want = [of[-1][0], *(x for _, x in of)]
            have = got.get(name + end, [])
            if len(have) != len(want) or any(abs(a - b) > 1e-3 * abs(b) + 1e-5 for a, b in zip(have, want)):
                print(name + end, have, want)


main()
