# SPDX-License-Identifier: MIT
"""pair_values.py FILE: the numbers of a PAIR stream, one a line, by bytes."""
import struct
import sys
from oracle.arrays import arrays

for kind, h, data in arrays(sys.argv[1]):
    if kind == b"PAIR":
        one = {5: "f", 6: "d"}[h[20]]
        for v in struct.unpack("<%d%s" % (len(data) // struct.calcsize(one), one), data):
            print("%.17g" % v)
