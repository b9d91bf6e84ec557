# SPDX-License-Identifier: MIT
"""KIND START STRIDE N [STEP EVERY [MISSING]]: N frames of four atoms from START ps on, STRIDE ps apart, as xtc, trr or nc (AMBER),
whose times are f32, or as trr8 or nc8, whose times are f64; the MD steps STEP, STEP + EVERY, ... (0);
frame MISSING of the run was never written."""
import struct, sys
kind, start, stride, n = sys.argv[1], float(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
step, every = (int(a) for a in sys.argv[5:7]) if len(sys.argv) > 6 else (0, 0)
missing = int(sys.argv[7]) if len(sys.argv) > 7 else n
times = [start + (k + (k >= missing)) * stride for k in range(n)]
atoms = [[0.3 * (i + 1) + 0.01 * ((k * (i + 2) + a) % 17) for i in range(4) for a in range(3)] for k in range(n)]
box = struct.pack(">9f", 2, 0, 0, 0, 2, 0, 0, 0, 2)


def wrapped(k):
    return (step + k * every + 2**31) % 2**32 - 2**31


def xtc(k):
    return struct.pack(">iiif", 1995, 4, wrapped(k), times[k]) + box + struct.pack(">i12f", 4, *atoms[k])


def trr(k):
    sizes = struct.pack(">13iff", 0, 0, 36, 0, 0, 0, 0, 48, 0, 0, 4, wrapped(k), 0, times[k], 0)
    return struct.pack(">iii", 1993, 13, 12) + b"GMX_trn_file" + sizes + box + struct.pack(">12f", *atoms[k])


def trr8(k):
    sizes = struct.pack(">13idd", 0, 0, 72, 0, 0, 0, 0, 96, 0, 0, 4, wrapped(k), 0, times[k], 0)
    return struct.pack(">iii", 1993, 13, 12) + b"GMX_trn_file" + sizes + struct.pack(">9d", 2, 0, 0, 0, 2, 0, 0, 0, 2) + struct.pack(">12d", *atoms[k])


def name(s):
    return struct.pack(">i", len(s)) + s.encode() + b"\0" * (-len(s) % 4)


def nc_header(begins):
    dims = [("frame", 0), ("atom", 4), ("spatial", 3), ("cell_spatial", 3), ("cell_angular", 3)]
    vs = [("time", [0], 6 if kind == "nc8" else 5, wide, "picosecond"), ("coordinates", [0, 1, 2], 5, 48, "angstrom"), ("cell_lengths", [0, 3], 6, 24, "angstrom"),
          ("cell_angles", [0, 4], 6, 24, "degree")]
    text = lambda key, v: name(key) + struct.pack(">i", 2) + name(v)
    out = b"CDF\1" + struct.pack(">iii", n, 10, len(dims)) + b"".join(name(d) + struct.pack(">i", s) for d, s in dims)
    out += struct.pack(">ii", 12, 2) + text("Conventions", "AMBER") + text("program", "x") + struct.pack(">ii", 11, len(vs))
    for (v, ds, t, size, unit), at in zip(vs, begins):
        out += name(v) + struct.pack(">%di" % (1 + len(ds)), len(ds), *ds) + struct.pack(">ii", 12, 1) + text("units", unit) + struct.pack(">iii", t, size, at)
    return out


def nc(k):
    return struct.pack(">d12f6d" if kind == "nc8" else ">f12f6d", times[k], *[10 * x for x in atoms[k]], 20, 20, 20, 90, 90, 90)


wide = 8 if kind == "nc8" else 4
at = len(nc_header([0] * 4))
head = nc_header([at, at + wide, at + wide + 48, at + wide + 72]) if kind[:2] == "nc" else b""
sys.stdout.buffer.write(head + b"".join({"xtc": xtc, "trr": trr, "trr8": trr8, "nc": nc, "nc8": nc}[kind](k) for k in range(n)))
