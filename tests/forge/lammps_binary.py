# SPDX-License-Identifier: MIT
"""KEY=VALUE...: two frames of three atoms as LAMMPS' binary dump; the keys are those of mkbin in traj2bin.bats."""
import struct, sys
k = dict(order="<", revision="2", columns="id type x y z", units="metal", time="0.5", natoms="3", step="0", add="0", turn="0", word="DUMPCUSTOM", one="1")
k.update(a.split("=", 1) for a in sys.argv[1:])
o, rev, out = k["order"], int(k["revision"]), b""
for f in range(2):
    word = k["word"].encode() if f else b"DUMPCUSTOM"
    if rev:
        out += struct.pack(o + "q", -len(word)) + word + struct.pack(o + "ii", int(k["one"]) if f else 1, rev)
    out += struct.pack(o + "qqi6i6di", int(k["step"]) + 10 * f, int(k["natoms"]), 0, 0, 0, 0, 0, 1, 1, 0, 20, 0, 30, -20, 20, 5)
    if rev > 1:
        out += struct.pack(o + "i", len(k["units"])) + k["units"].encode() + (b"\0" if k["time"] == "none" else b"\1" + struct.pack(o + "d", float(k["time"]) * f))
        out += struct.pack(o + "i", len(k["columns"])) + k["columns"].encode()
    rows = [[i + 1 + (float(k["add"]) if i == 1 else 0), 1 + (i > 0) + (float(k["turn"]) if i and f else 0), 3 * i + 100 * f, 3 * i + 1 + 100 * f, 3 * i + 2 + 100 * f] for i in (2, 0, 1)]
    out += struct.pack(o + "i", 2)
    for part in rows[:1], rows[1:]:
        out += struct.pack(o + "i%dd" % (5 * len(part)), 5 * len(part), *sum(part, []))
sys.stdout.buffer.write(out)
