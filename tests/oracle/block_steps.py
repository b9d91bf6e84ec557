# SPDX-License-Identifier: MIT
"""block_steps.py FILE STEPS: have the four blocks of a HIST stream equally many of so many steps?"""
import struct
import sys
from oracle.arrays import arrays

# the last array: steps of each block
steps, n = [struct.unpack_from("<4d", data) for kind, _, data in arrays(sys.argv[1]) if kind == b"HIST"][-1], int(sys.argv[2])
assert sum(steps) == n and max(steps) - min(steps) <= n / 4 / 64 + 2, steps
assert n != 400 or max(steps) == min(steps), steps
