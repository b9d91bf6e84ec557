# SPDX-License-Identifier: MIT
"""KEY=VALUE...: two frames of three atoms as AMBER NetCDF; the keys are those of mknc in traj2bin.bats, restart (one frame without
records), far (y of atom 1)."""
import struct, sys
k = dict(version="1", records="2", double="0", id="0", conventions="AMBER", units="angstrom", program="x", velocities="0", without="", odd="0", restart="0", far="")
k.update(a.split("=", 1) for a in sys.argv[1:])
ver = int(k["version"])
n = lambda v: struct.pack(">q" if ver == 5 else ">i", v)
pad = lambda b: b + b"\0" * (-len(b) % 4)
name = lambda s: n(len(s)) + pad(s.encode())
lst = lambda tag, items: struct.pack(">i", tag if items else 0) + n(len(items)) + b"".join(items)
text = lambda key, v: name(key) + struct.pack(">i", 2) + name(v)
real = "d" if k["double"] == "1" else "f"
dims = [("frame", 0), ("spatial", 3), ("atom", 3), ("cell_spatial", 3), ("cell_angular", 3)]
vs = [("spatial", [1], "c", []), ("time", [0], "f", [text("units", "picosecond")]),
      ("coordinates", [0, 2, 1], real, [text("units", k["units"])]),
      ("cell_lengths", [0, 3], "d", []), ("cell_angles", [0, 4], "d", [])]
if k["odd"] != "0":
    vs.insert(1, ("odd", [0, 2, 1], "h" if k["odd"] == "1" else k["odd"], []))
if k["velocities"] == "1":
    vs.append(("velocities", [0, 2, 1], "f", [name("scale_factor") + struct.pack(">i", 5) + n(1) + struct.pack(">f", 2)]))
if k["id"] == "1":
    vs.append(("id", [0, 2], "i", []))
vs = [v for v in vs if v[0] != k["without"]]
restart = k["restart"] == "1"
if restart:
    k.update(conventions="AMBERRESTART", records="0")
    dims, vs = dims[1:], [(v, [d - 1 for d in ds if d or v == "spatial"], t, a) for v, ds, t, a in vs]
types = {"b": 1, "c": 2, "h": 3, "i": 4, "f": 5, "d": 6, "B": 7, "H": 8, "I": 9, "q": 10, "Q": 11}
size = {t: struct.calcsize(">" + t) for t in types}
def header(begins):
    out = b"CDF" + bytes([ver]) + (n(int(k["records"])))
    out += lst(10, [name(d) + n(s) for d, s in dims])
    out += lst(12, [text("Conventions", k["conventions"]), text("program", k["program"])])
    vars_ = []
    for (nm, ds, t, att), b in zip(vs, begins):
        c = size[t]
        for d in ds:
            c *= dims[d][1] or 1
        vars_.append(name(nm) + n(len(ds)) + b"".join(n(d) for d in ds) + lst(12, att) + struct.pack(">i", types[t]) + n((c + 3) // 4 * 4)
                     + struct.pack(">i" if ver == 1 else ">q", b))
    return out + lst(11, vars_)
at, begins = len(header([0] * len(vs))), []
for nm, ds, t, att in vs:
    c = size[t]
    for d in ds:
        c *= dims[d][1] or 1
    begins.append(at)
    at += (c + 3) // 4 * 4
out = header(begins) + b"xyz\0"
for f in range(1 if restart else 2):
    xs = [[3 * i + a + 100 * f for a in range(3)] for i in range(3)]
    xs[1][1] = float(k["far"] or xs[1][1])
    ids = [1, 2, 3]
    if k["id"] == "1" and f:
        xs, ids = [xs[2], xs[0], xs[1]], [3, 1, 2]
    odd = 9 * size[next((t for nm, _, t, _ in vs if nm == "odd"), "c")]
    part = {"odd": b"x" * odd + b"\0" * (-odd % 4), "time": struct.pack(">f", 7 + f / 4), "coordinates": struct.pack(">9" + real, *sum(xs, [])),
            "cell_lengths": struct.pack(">3d", 20, 30, 40), "cell_angles": struct.pack(">3d", 90, 90, 60)}
    out += b"".join(part[v[0]] for v in vs if v[0] in part)
    if k["velocities"] == "1":
        out += struct.pack(">9f", *range(9))
    if k["id"] == "1":
        out += struct.pack(">3i", *ids)
sys.stdout.buffer.write(out)
