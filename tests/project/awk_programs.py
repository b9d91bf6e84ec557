# SPDX-License-Identifier: MIT
"""awk_programs.py AWK FILE...: prints the quoted awk programs in these shell scripts that AWK refuses. What their END writes is left in BATS_TEST_TMPDIR."""
import os
import re
import subprocess
import sys

count = 0
for name in sys.argv[2:]:
    with open(name, encoding="utf-8") as file:
        text = file.read()
    for found in re.finditer(r"""\bawk((?:\s+-[vF]\s*(?:"[^"]*"|'[^']*'|\S)+|\s+--)*)\s+'([^']*)'""", text):
        count += 1
        read = subprocess.run([sys.argv[1], "BEGIN { exit }\n" + found[2]], cwd=os.environ["BATS_TEST_TMPDIR"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if re.search("syntax|illegal", read.stderr):
            print(f"{name}:{text.count(chr(10), 0, found.start()) + 1}: {read.stderr.strip()}")
if not count:
    print("found no awk program")
