# SPDX-License-Identifier: MIT
"""xtc_runs.py INDEX...: INDEX.xtc, a frame with runs in the base of this entry of the table of ranges and of its neighbour, and INDEX.want, its places."""
import struct, sys
size, n = 1 << 25, 12
odd = {37: 5060, 57: 524287, 69: 8388607}
base = lambda k: odd.get(k, int(2 ** (k / 3) + 1e-6))
def bits(v, k): return [v >> (k - 1 - i) & 1 for i in range(k)]
def number(v, k):
    return sum((bits(v >> 8 * i & 255, 8) for i in range(k // 8)), []) + bits(v >> k // 8 * 8, k % 8)
for index in map(int, sys.argv[1:]):
    out, atoms = [], []
    at = index
    for group in range(3):
        move = (1 if index < 72 else -1) if group == 1 else 0
        b, now = base(at), [size // 2 + 7 * group + a for a in range(3)]
        out += sum((bits(x, size.bit_length()) for x in now), []) + [1] + bits(3 * 3 + move + 1, 5)
        prev, run = now, []
        for d in (0, b - 1, b // 2), (b - 1, 1, 0), (b // 3, b - 1, b - 1):
            out += number((d[0] * b + d[1]) * b + d[2], at)
            prev = [p + x - b // 2 for p, x in zip(prev, d)]
            run.append(prev)
        atoms += [run[0], now, *run[1:]]  # the first changes places with the one before it
        at += move
    out += [0] * (-len(out) % 32)
    data = bytes(int("".join(map(str, out[k:k + 8])), 2) for k in range(0, len(out), 8))
    with open(f"{index}.want", "w") as f:
        f.writelines("%d %d %d\n" % tuple(a) for a in atoms)
    with open(f"{index}.xtc", "wb") as f:
        f.write(struct.pack(">iiif9fi", 1995, n, 0, 0, 9e7, 0, 0, 0, 9e7, 0, 0, 0, 9e7, n) +
                struct.pack(">f6iiI", 10, 0, 0, 0, size - 1, size - 1, size - 1, index, len(data)) + data)
