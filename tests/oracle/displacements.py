# SPDX-License-Identifier: MIT
"""displacements TABLE [COLUMN...]: sums of squares by their definition, of a trajectory as text: a row a step, x y z of each point.

Prints lag, origins, msd, msd along x, y, z, and alpha2 of the points in COLUMN... (counted from 0; all), a row a lag.
"""
import sys


def main():
    rows = [[float(v) for v in line.split()] for line in open(sys.argv[1], encoding="ascii")]
    points = [int(a) for a in sys.argv[2:]] or range(len(rows[0]) // 3)
    for lag in range(len(rows)):
        axes, fourth, n = [0.0, 0.0, 0.0], 0.0, 0
        for now, later in zip(rows, rows[lag:]):
            for p in points:
                d = [(later[3 * p + a] - now[3 * p + a]) ** 2 for a in range(3)]
                axes = [s + v for s, v in zip(axes, d)]
                fourth += sum(d) ** 2
                n += 1
        msd = sum(axes) / n
        alpha2 = 3 * fourth / n / (5 * msd * msd) - 1 if msd else 0.0
        print(lag, len(rows) - lag, *("%.17g" % v for v in (msd, *(s / n for s in axes), alpha2)))


main()
