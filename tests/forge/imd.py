# SPDX-License-Identifier: MIT
"""imd.py FILE KEY=VALUE...: what an engine sends by IMDv3, frame after frame; the keys are those of session in imd2bin.bats."""
import struct
import sys

k = dict(order="<", version="3", sends="time energies cell positions velocities forces", wrapped="1", atoms="4", frames="3", first="10",
         every="10", dt="0.001", scale="1", cell="20 0 0 0 30 0 0 0 40", grows="0", lose="", twice="", back="", more="", swap="", odd="", lengths="")
k.update(a.split("=", 1) for a in sys.argv[2:])
end, sends, atoms, scale = k["order"], k["sends"].split(), int(k["atoms"]), float(k["scale"])
PACKETS = {"time": 12, "energies": 1, "cell": 13, "positions": 2, "velocities": 14, "forces": 15}
FLAGS = ["time", "energies", "cell", "positions", None, "velocities", "forces"]


def packet(name, n, body):
    return struct.pack(">ii", PACKETS.get(name, 9), n) + body


def rows(f, n):
    """atom i, axis a of frame f: f(i, a)"""
    return struct.pack(f"{end}{3 * n}f", *(f(i, a) * scale for i in range(n) for a in range(3)))


def frame(t):
    n, step = atoms + (k["more"] == str(t)), int(k["first"]) + t * int(k["every"]) - (100 if k["back"] == str(t) else 0)
    cell = [float(c) * (1 + t * float(k["grows"])) for c in k["cell"].split()]
    body = {"time": lambda: (1, struct.pack(end + "ddq", float(k["dt"]), float(k["dt"]) * step, step)),
            "energies": lambda: (1, struct.pack(end + "i9f", step, *(t + e / 4 for e in range(9)))),
            "cell": lambda: (1, struct.pack(end + "9f", *cell)),
            "positions": lambda: (n, rows(lambda i, a: 3 * i + a + 100 * t, n)),
            "velocities": lambda: (n, rows(lambda i, a: i + a / 8 - t, n)),
            "forces": lambda: (n, rows(lambda i, a: i * a, n))}
    order = [p for p in PACKETS if p in sends]
    if k["swap"] == str(t):
        order[0], order[1] = order[1], order[0]
    parts = [packet(p if k["odd"] != str(t) or p != "cell" else "", *body[p]()) for p in order]
    if k["lengths"] == str(t):
        parts[-1] = parts[-1][:4] + struct.pack(">i", -1) + parts[-1][8:]
    return b"".join(parts)


out = struct.pack(">i", 4) + struct.pack(end + "i", int(k["version"]))
if k["version"] == "3":
    out += struct.pack(">ii", 10, 7) + bytes(int(k["wrapped"]) if f is None else f in sends for f in FLAGS)
for t in range(int(k["frames"])):
    if k["lose"] != str(t):
        out += frame(t) * (2 if k["twice"] == str(t) else 1)
open(sys.argv[1], "wb").write(out)
