# SPDX-License-Identifier: MIT
"""xtc_boxes.py RANGE: two frames of twelve atoms in a box of this many steps along each axis as XTC without runs; their places to stderr."""
import struct, sys
size, n = int(sys.argv[1]), 12
def bits(v, k): return [v >> (k - 1 - i) & 1 for i in range(k)]
def number(v, k): # bytes, the lowest first; what is left of eight bits last
    return sum((bits(v >> 8 * i & 255, 8) for i in range(k // 8)), []) + bits(v >> k // 8 * 8, k % 8)
for f in range(2):
    out = []
    for i in range(n):
        at = [(size - 1 - f) * ((i * (a + 3)) % n) // (n - 1) for a in range(3)]
        if i == 0:
            at = [0, 0, 0]
        if size > 0xffffff:
            out += sum((bits(x, size.bit_length()) for x in at), [])
        else:
            out += number((at[0] * size + at[1]) * size + at[2], (size ** 3).bit_length())
        out.append(0)
        print(*at, file=sys.stderr)
    out += [0] * (-len(out) % 32)
    data = bytes(int("".join(map(str, out[k:k + 8])), 2) for k in range(0, len(out), 8))
    sys.stdout.buffer.write(struct.pack(">iiif9fi", 1995, n, f, f, 3e6, 0, 0, 0, 3e6, 0, 0, 0, 3e6, n) +
                            struct.pack(">f6iiI", 10, 0, 0, 0, size - 1, size - 1, size - 1, 20, len(data)) + data)
