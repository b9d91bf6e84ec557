# SPDX-License-Identifier: MIT
"""mean_square.py ATOMS LAGS "NINE NUMBERS OF A CELL" < bin2txt's text of positions: mean square displacement of each lag, every origin summed."""
import sys

import numpy as np

atoms, lags = int(sys.argv[1]), int(sys.argv[2])
r = np.array([[float(x) for x in line.split()[3:6]] for line in sys.stdin if not line.startswith("#")]).reshape(-1, atoms, 3)
cell = np.array([float(x) for x in sys.argv[3].split()]).reshape(3, 3)
jump = np.rint(np.diff(r, axis=0) @ np.linalg.inv(cell))
r[1:] -= np.cumsum(jump, axis=0) @ cell
for k in range(lags):
    print(repr(float(np.mean(np.sum((r[k:] - r[:len(r) - k]) ** 2, axis=2)))))
