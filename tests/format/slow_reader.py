# SPDX-License-Identifier: MIT
"""slow_reader.py FILE: bytes that frame-cat sends a reader who sleeps first, and the memory that it took, KiB."""
import resource, subprocess, sys, time
p = subprocess.Popen(["frame-cat", "--jumps", "close", sys.argv[1]], stdout=subprocess.PIPE)
p.stdout.read(1000)
time.sleep(0.3)
n = 1000
while True:
    b = p.stdout.read(1 << 22)
    if not b: break
    n += len(b)
status = p.wait()
print(n, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(status)
