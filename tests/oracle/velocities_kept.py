# SPDX-License-Identifier: MIT
"""velocities_kept.py FILE: are steps 1 and 3 there, with ten times the positions as velocities?"""
import struct
import sys
from oracle.arrays import arrays

seen = {kind: (h[9], data) for kind, h, data in arrays(sys.argv[1])}
pos, velo = struct.unpack("<24d", seen[b"POSN"][1]), struct.unpack("<24d", seen[b"VELO"][1])
assert [pos[0], pos[12]] == [1, 3], pos
assert velo == tuple(10 * x for x in pos), velo
assert (seen[b"POSN"][0], seen[b"VELO"][0], seen[b"END "][0]) == (0, 1, 0)  # minor versions
