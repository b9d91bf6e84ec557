# SPDX-License-Identifier: MIT
"""FILE KEY=VALUE...: three frames of four atoms as `dump netcdf` of LAMMPS writes them, and as a text dump on stdout.

style (of units), columns (of the dump: x, xs, xu, i, v, id, type), boundary (ppp, ppf, ...), tilt (xy of the cell), double,
records (in the header), step (between frames), first (step), lost (id of an atom that is lost from frame 1 on), sort (0: rows of frame 2
are reversed), fill (a variable that frame 1 lacks; value: its own fill value), units (of the positions, in place of the style's), turn (added to the type of atom 1 in frame 2), ids (i or q: their type)."""
import math
import struct
import sys

k = dict(style="real", columns="id type x", boundary="ppp", tilt="0", double="0", records="3", step="100", first="0", lost="0", sort="1", fill="", value="", units="", turn="0", ids="i")
k.update(a.split("=", 1) for a in sys.argv[2:])
STYLES = {"real": ("angstrom", "femtosecond", 1.0), "metal": ("angstrom", "picosecond", 0.001), "si": ("meter", "second", 1e-8),
          "cgs": ("centimeter", "second", 1e-8), "electron": ("Bohr", "femtoseconds", 0.001), "micro": ("micrometers", "microseconds", 2.0),
          "nano": ("nanometers", "nanoseconds", 0.00045), "lj": ("lj", "lj", 0.005)}
length, time, dt = STYLES[k["style"]]
speed = {"electron": "Bohr/atomic time units", "lj": "lj", "micro": "micrometers/microsecond", "nano": "nanometers/nanosecond"}.get(k["style"], length + "/" + time)
tiny = {"si": 2.0**-30, "cgs": 2.0**-23, "micro": 2.0**-10}.get(k["style"], 1.0)  # a power of two, so that f32 has the decimals of the text
real, tilt, lost = "d" if k["double"] == "1" else "f", float(k["tilt"]) * tiny, int(k["lost"])
h = [[8 * tiny, 0, 0], [tilt, 16 * tiny, 0], [0, 0, 32 * tiny]]
lo = [-2 * tiny, 0, 4 * tiny]
columns = {"x": ("coordinates", 3, real, k["units"] or length), "xs": ("scaled_coordinates", 3, real, ""), "xu": ("unwrapped_coordinates", 3, real, k["units"] or length),
           "v": ("velocities", 3, real, speed), "id": ("id", 1, k["ids"], ""), "type": ("type", 1, "i", ""), "ix": ("ix", 1, "i", ""), "iy": ("iy", 1, "i", ""), "iz": ("iz", 1, "i", "")}
asked = [c for w in k["columns"].split() for c in (("ix", "iy", "iz") if w == "i" else (w,))]
FILL = {"f": 9.9692099683868690e+36, "d": 9.9692099683868690e+36, "i": -2147483647, "q": -9223372036854775806}


def atom(f, i):
    """What every column has of the atom with id i + 1 in a frame."""
    s = [((i + f) % 4) / 4, i / 8, (3 - i) / 4]
    image = [i - 1, 0, f]
    x = [lo[a] + sum(s[b] * h[b][a] for b in range(3)) for a in range(3)]
    xu = [x[a] + sum(image[b] * h[b][a] for b in range(3)) for a in range(3)]
    return {"x": x, "xs": s, "xu": xu, "v": [0.5 * i, -0.25, f], "id": [i + 1], "type": [1 + i // 2 + (int(k["turn"]) if f == 2 and i == 1 else 0)], "ix": image[:1], "iy": image[1:2], "iz": image[2:]}


def rows(f):
    ids = [i for i in range(4) if not (lost and f and i + 1 == lost)]
    return [atom(f, i) for i in (ids if k["sort"] == "1" or f < 2 else ids[::-1])]


n = lambda v: struct.pack(">q", v)
name = lambda s: n(len(s)) + s.encode() + b"\0" * (-len(s) % 4)
lst = lambda tag, items: struct.pack(">i", tag if items else 0) + n(len(items)) + b"".join(items)
text = lambda key, v: name(key) + struct.pack(">i", 2) + name(v)
number = lambda key, t, v: name(key) + struct.pack(">i", TYPES[t]) + n(1) + struct.pack(">" + t, v)
TYPES, SIZES = {"i": 4, "f": 5, "d": 6, "q": 10}, {"i": 4, "f": 4, "d": 8, "q": 8}
dims = [("frame", 0), ("atom", 4), ("cell_spatial", 3), ("cell_angular", 3), ("spatial", 3)]
cell = [("time", [0], real, [text("units", time), number("scale_factor", "f", dt)]), ("cell_origin", [0, 2], real, [text("units", length)]),
        ("cell_lengths", [0, 2], real, [text("units", length)]), ("cell_angles", [0, 3], real, [text("units", "degree")])]
variables = cell + [(v, [0, 1] + [4] * (w == 3), t, [text("units", u)] * bool(u)) for v, w, t, u in (columns[c] for c in asked)]
variables = [(v, d, t, a + ([number("_FillValue", t, float(k["value"]))] if v == k["fill"] and k["value"] else [])) for v, d, t, a in variables]
bytes_of = [SIZES[t] * math.prod(dims[d][1] or 1 for d in ds) for _, ds, t, _ in variables]


def header(begin):
    out = b"CDF\5" + n(int(k["records"])) + lst(10, [name(d) + n(s) for d, s in dims])
    out += lst(12, [text("Conventions", "AMBER"), text("ConventionVersion", "1.0"), text("program", "LAMMPS")])
    return out + lst(11, [name(v) + n(len(ds)) + b"".join(map(n, ds)) + lst(12, a) + struct.pack(">i", TYPES[t]) + n(size) + n(begin + sum(bytes_of[:i]))
                          for i, ((v, ds, t, a), size) in enumerate(zip(variables, bytes_of))])


out = header(len(header(0)))
for f in range(3):
    edges = [math.dist(v, (0, 0, 0)) * (b == "p") for v, b in zip(h, k["boundary"])]
    values = {"time": [int(k["first"]) + int(k["step"]) * f], "cell_origin": lo, "cell_lengths": edges, "cell_angles": [90, 90, math.degrees(math.acos(tilt / math.dist(h[1], (0, 0, 0))))]}
    for c in asked:
        values[columns[c][0]] = [x for r in rows(f) for x in r[c]]
    for (v, _, t, _), size in zip(variables, bytes_of):
        some = [] if f == 1 and v == k["fill"] else values[v]
        out += struct.pack(">%d%s" % (size // SIZES[t], t), *some, *[float(k["value"]) if v == k["fill"] and k["value"] else FILL[t]] * (size // SIZES[t] - len(some)))
    names = {"x": "x y z", "xs": "xs ys zs", "xu": "xu yu zu", "v": "vx vy vz"}
    bounds = [[lo[a] + min(0, tilt) * (a == 0), lo[a] + h[a][a] + max(0, tilt) * (a == 0)] + ([tilt * (a == 0)] if tilt else []) for a in range(3)]
    print("ITEM: UNITS\n%s\nITEM: TIME\n%.12g\nITEM: TIMESTEP\n%d\nITEM: NUMBER OF ATOMS\n%d" % (k["style"], values["time"][0] * dt, values["time"][0], len(rows(f))))
    print("ITEM: BOX BOUNDS %s%s" % ("xy xz yz " * bool(tilt), " ".join(2 * b for b in k["boundary"])))
    print("\n".join(" ".join("%.17g" % x for x in b) for b in bounds))
    print("ITEM: ATOMS", " ".join(names.get(c, c) for c in asked))
    print("\n".join(" ".join("%.17g" % x for c in asked for x in r[c]) for r in rows(f)))
with open(sys.argv[1], "wb") as file:
    file.write(out)
