# SPDX-License-Identifier: MIT
"""xtc.py: extended XYZ of bin2xyz on standard input as XTC on standard output, as GROMACS writes it: a grid of 0.001 nm, a frame every 10 steps."""
import re, struct, sys
step = 0
while head := sys.stdin.readline():
    n, line = int(head), sys.stdin.readline()
    cell = [float(v) / 10 for v in re.search('Lattice="([^"]*)"', line)[1].split()]
    time = float(re.search(r"Time=(\S+)", line)[1]) / 1000
    at = [[round(float(v) * 100) for v in sys.stdin.readline().split()[1:4]] for _ in range(n)]
    low, high = [[f(a[k] for a in at) for k in range(3)] for f in (min, max)]
    size = [h - l + 1 for l, h in zip(low, high)]
    k = (size[0] * size[1] * size[2]).bit_length()
    bits = ""
    for a in at:  # bytes, the lowest first; what is left of eight bits; 0: no run follows
        v = ((a[0] - low[0]) * size[1] + a[1] - low[1]) * size[2] + a[2] - low[2]
        whole = k // 8
        bits += "".join(f"{b:08b}" for b in (v & (1 << 8 * whole) - 1).to_bytes(whole, "little"))
        bits += (f"{v >> 8 * whole:0{k % 8}b}" if k % 8 else "") + "0"
    bits += "0" * (-len(bits) % 32)
    sys.stdout.buffer.write(struct.pack(">iiif9fi", 1995, n, step, time, *cell, n) + struct.pack(
        ">f6iiI", 1000, *low, *high, 20, len(bits) // 8) + int(bits, 2).to_bytes(len(bits) // 8, "big"))
    step += 10
