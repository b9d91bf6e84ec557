# SPDX-License-Identifier: MIT
"""alpha_gas THETA: one rigid CO2 a frame: 36 orientations, then the same turned by THETA (degrees), as gas.xyz. The axes of an
icosahedron are a spherical design of order 5, three turns about each one of order 2: their means are those of an isotropic gas, exactly."""
import math
import sys

theta = math.radians(float(sys.argv[1]))
g = (1 + math.sqrt(5)) / 2
axes = [p for s in (1, -1) for t in (g, -g) for p in ((0, s, t), (s, t, 0), (t, 0, s))]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def unit(a):
    r = math.sqrt(sum(x * x for x in a))
    return [x / r for x in a]


first, second = [], []
for a in axes:
    u = unit(a)
    x = unit(cross(u, [0.3, 0.5, 0.7]))
    y = cross(u, x)
    for k in range(3):
        c, s = math.cos(2 * math.pi * k / 3), math.sin(2 * math.pi * k / 3)
        first.append(u)
        second.append([math.cos(theta) * u[m] + math.sin(theta) * (c * x[m] + s * y[m]) for m in range(3)])
with open("gas.xyz", "w") as f:
    for u in first + second:
        f.write("3\n\nC 1 2 3\n")
        for sign in (-1.16, 1.16):
            f.write("O %.17g %.17g %.17g\n" % tuple(w + sign * v for w, v in zip((1, 2, 3), u)))
