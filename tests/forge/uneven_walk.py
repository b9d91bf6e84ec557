# SPDX-License-Identifier: MIT
"""uneven_walk POINTS STEPS VARIANCE: random walks in XYZ, with this variance per axis and step."""
import random
import sys

points, steps, scale = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]) ** 0.5
draw = random.Random(5).gauss
at = [[20 * draw(0, 1) for _ in range(3)] for _ in range(points)]
for _ in range(steps):
    print(f"{points}\nwalk")
    for p in at:
        p[:] = [x + draw(0, scale) for x in p]
        print("A", *(f"{x:.6f}" for x in p))
