# SPDX-License-Identifier: MIT
"""trr.py REAL PARTS: two frames of three atoms as TRR, numbers of 4 or 8 bytes; PARTS of b (box), x, v."""
import struct, sys
real, parts = int(sys.argv[1]), sys.argv[2]
t = ">%d" + ("d" if real == 8 else "f")
for f in range(2):
    size = {"b": 9 * real, "x": 9 * real, "v": 9 * real}
    head = [0, 0, size["b"] if "b" in parts else 0, 0, 0, 0, 0, size["x"] if "x" in parts else 0, size["v"] if "v" in parts else 0, 0]
    out = struct.pack(">3i12s", 1993, 13, 12, b"GMX_trn_file") + struct.pack(">10i3i", *head, 3, f, 0) + struct.pack(t % 2, f / 2, 0)
    if "b" in parts:
        out += struct.pack(t % 9, 2, 0, 0, 0, 3, 0, 0, 0, 4)
    for p in "xv":
        if p in parts:
            out += struct.pack(t % 9, *[(3 * i + a + 100 * f) / 10 for i in range(3) for a in range(3)])
    sys.stdout.buffer.write(out)
