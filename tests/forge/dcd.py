# SPDX-License-Identifier: MIT
"""KEY=VALUE...: two frames of three atoms as DCD; the keys are those of mkdcd in traj2bin.bats."""
import struct, sys
k = dict(order="<", mark="i", version="24", cell="20,90,30,90,90,40", fixed="0", nset="2", title="CREATED BY NAMD", delta="1", nsavc="1", fourth="0", start="10", lines="1", first="", last="")
k.update(a.split("=", 1) for a in sys.argv[1:])
o, out = k["order"], b""
def rec(b):
    m = struct.pack(o + k["mark"], len(b))
    return m + b + m
version, fixed, fourth = int(k["version"]), int(k["fixed"]), int(k["fourth"])
has_cell = k["cell"] != "none"
head = [int(k["nset"]), int(k["start"]), int(k["nsavc"]), 0, 0, 0, 0, 0, fixed]
d = float(k["delta"])
head = struct.pack(o + "9i", *head) + (struct.pack(o + "fi", d, has_cell) if version else struct.pack(o + "d", d))
head += struct.pack(o + "i", fourth) + struct.pack(o + "7i", *[0] * 7) + struct.pack(o + "i", version)
lines = int(k["lines"])
title = struct.pack(o + "i", lines) + k["title"].ljust(80 * lines).encode()
marks = [struct.pack(o + k["mark"], int(k[w] or len(title))) for w in ("first", "last")]
out += rec(b"CORD" + head) + marks[0] + title + marks[1] + rec(struct.pack(o + "i", 3))
if fixed:
    out += rec(struct.pack(o + "%di" % (3 - fixed), *range(1, 4 - fixed)))
for f in range(2):
    n = 3 - fixed if f else 3
    if has_cell:
        out += rec(struct.pack(o + "6d", *map(float, k["cell"].split(","))))
    for a in range(3 + fourth):
        out += rec(struct.pack(o + "%df" % n, *[3 * i + a + 100 * f for i in range(n)]))
sys.stdout.buffer.write(out)
