# SPDX-License-Identifier: MIT
"""X: f.xtc, f.trr, f.dcd and f.bin (LAMMPS), a frame of three atoms each, of which atom 1 is at x = X angstrom."""
import struct, sys
x = float(sys.argv[1])
nm = struct.pack(">9f", 1, 2, 3, x / 10, *range(5))
box = struct.pack(">9f", 9, 0, 0, 0, 9, 0, 0, 0, 9)
open("f.xtc", "wb").write(struct.pack(">iiif", 1995, 3, 0, 0) + box + struct.pack(">i", 3) + nm)
open("f.trr", "wb").write(struct.pack(">iii", 1993, 13, 12) + b"GMX_trn_file" + struct.pack(">13iff", 0, 0, 36, 0, 0, 0, 0, 36, 0, 0, 3, 0, 0, 0, 0) + box + nm)
rec = lambda b: struct.pack("<i", len(b)) + b + struct.pack("<i", len(b))
open("f.dcd", "wb").write(rec(b"CORD" + struct.pack("<20i", 1, 0, 1, *[0] * 16, 24)) + rec(struct.pack("<i", 1) + b" " * 80) + rec(struct.pack("<i", 3)) +
                          rec(struct.pack("<3f", 1, x, 2)) + rec(struct.pack("<3f", 1, 2, 3)) * 2)
b = b"DUMPCUSTOM"
open("f.bin", "wb").write(struct.pack("<q", -10) + b + struct.pack("<iiqqi6i6di", 1, 2, 0, 3, 0, *[0] * 6, 0, 9, 0, 9, 0, 9, 4) + struct.pack("<i", 4) + b"real\0" +
                          struct.pack("<i", 8) + b"id x y z" + struct.pack("<ii12d", 1, 12, 1, 1, 2, 3, 2, x, 1, 2, 3, 4, 5, 6))
