# SPDX-License-Identifier: MIT
"""whole_wheel.py WHEEL BIN TO: has it each file as its RECORD says, and all programs of BIN but those for GPUs? Unpacked into TO."""
import base64
import hashlib
import os
import sys
import zipfile

wheel, programs, to = sys.argv[1:]
z = zipfile.ZipFile(wheel)
record = z.read(next(n for n in z.namelist() if n.endswith("/RECORD"))).decode().splitlines()
for line in record:
    name, kind, size = line.rsplit(",", 2)
    data = z.read(name)
    own = "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
    if kind and (kind, int(size)) != (own, len(data)):
        sys.exit("%s is not what RECORD says" % name)
if sorted(line.rsplit(",", 2)[0] for line in record) != sorted(z.namelist()):
    sys.exit("RECORD has other names than the wheel")
missing = {p for p in os.listdir(programs) if not p.endswith("-gpu")} - {os.path.basename(n) for n in z.namelist() if "/scripts/" in n}
if missing:
    sys.exit("the wheel lacks %s" % ", ".join(sorted(missing)))
z.extractall(to)
