# SPDX-License-Identifier: MIT
"""kinetic_energy.py FILE TABLE: is K of the velocities in the frames column 5 of the table?"""
import struct
import sys
from oracle.arrays import arrays

with open(sys.argv[2]) as f:
    want = [float(l.split()[4]) for l in f if l[0] != "#"][1:]
found = []
for kind, h, data in arrays(sys.argv[1]):  # every array is one part here
    if kind == b"VELO":
        steps, atoms = struct.unpack_from("<2Q", h, 48)
        n = steps * atoms * 3
        v = struct.unpack("<%d%s" % (n, "f" if len(data) == 4 * n else "d"), data)
        found += [0.5 * 39.948 * 0.10364269656262175 * sum(x * x for x in v[k:k + atoms * 3]) for k in range(0, n, atoms * 3)]
assert len(found) == len(want) == 20, (len(found), len(want))
assert all(abs(a / b - 1) < 2e-8 for a, b in zip(found, want)), list(zip(found, want))
