# SPDX-License-Identifier: MIT
"""crash.py TRACE FOLDER NAME [existed]: what a power cut at any moment may leave under NAME.

TRACE is of strace -f -y. A file holds for sure what it held at its last fsync, a folder the names that it had at its own;
anything later may be there or not. Prints every state of NAME after every prefix of the trace, one of: absent, old,
new (complete and on disk), torn (its bytes may be missing). "old" is what stood there before the first call.
"""
import os
import re
import sys

trace, folder, target = sys.argv[1], os.path.realpath(sys.argv[2]), sys.argv[3]
existed = len(sys.argv) > 4
durable = {}  # inode tag -> bytes written at its last fsync
written = {}  # inode tag -> bytes written
names = {os.path.join(folder, target): "old"} if existed else {}  # now
sure = dict(names)  # at the folder's last fsync
seen = set()


def states():
    path = os.path.join(folder, target)
    for table in (sure, names):  # a later name may be on disk before the folder's fsync, or not
        tag = table.get(path)
        if tag is None:
            seen.add("absent")
        elif tag == "old":
            seen.add("old")
        else:
            seen.add("new" if durable.get(tag) == written.get(tag) and tag in finished else "torn")


finished = set()
nameless = {}  # descriptor -> inode tag
renamed = []
calls = open(trace, errors="replace").read().splitlines()
last_write = {}
for i, line in enumerate(calls):
    m = re.search(r"\b(?:write|writev|pwrite64)\(\d+<([^>]*)>.*= (\d+)$", line)
    if m:
        last_write[m.group(1).split(" (deleted)")[0]] = i
states()
for i, line in enumerate(calls):
    m = re.search(r"\b(writev?|fsync|fdatasync)\(\d+<([^>]*)>(?:\(deleted\))?.*= (\d+)$", line)
    if m:
        path = m.group(2).replace(" (deleted)", "")
        if m.group(1).startswith("write"):
            written[path] = written.get(path, 0) + int(m.group(3))
            if i == last_write[path]:
                finished.add(path)
        elif path == folder:
            sure = dict(names)
        else:
            durable[path] = written.get(path, 0)
    m = re.search(r'linkat\(AT_FDCWD(?:<[^>]*>)?, "/proc/self/fd/(\d+)", AT_FDCWD(?:<[^>]*>)?, "([^"]*)"', line)
    if m and line.endswith("= 0"):
        names[os.path.join(folder, m.group(2))] = nameless[m.group(1)]
    m = re.search(r"openat\(.*O_TMPFILE.* = (\d+)<([^>]*)>", line)
    if m:
        nameless[m.group(1)] = m.group(2)
    m = re.search(r'openat\(.*"([^"]*)", [^)]*O_EXCL[^)]*\) = \d+<([^>]*)>', line)
    if m:
        names[os.path.join(folder, m.group(1))] = m.group(2)
    m = re.search(r'rename\("([^"]*)", "([^"]*)"\) += 0', line)
    if m:
        names[os.path.join(folder, m.group(2))] = names.pop(os.path.join(folder, m.group(1)))
        renamed.append(m.group(2))
    states()
print(" ".join(sorted(seen)), "renamed" if renamed else "never renamed")
