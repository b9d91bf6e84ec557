# SPDX-License-Identifier: MIT
"""not_blocking.py FILE: what frame-cat makes of it between two pipes that do not block, in small pieces."""
import fcntl, os, subprocess, sys, time
data = open(sys.argv[1], "rb").read()
r, w = os.pipe()
r2, w2 = os.pipe()
for fd in (r, w2):
    fcntl.fcntl(fd, fcntl.F_SETFL, os.O_NONBLOCK)
p = subprocess.Popen(["frame-cat"], stdin=r, stdout=w2)
os.close(r); os.close(w2)
got = b""
for k in range(0, len(data), 3000):
    os.write(w, data[k:k + 3000])
    time.sleep(0.001)
os.close(w)
while True:
    time.sleep(0.001)
    b = os.read(r2, 700)
    if not b: break
    got += b
sys.exit(p.wait() or sys.stdout.buffer.write(got) != len(got))
