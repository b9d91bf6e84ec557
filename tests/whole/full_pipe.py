# SPDX-License-Identifier: MIT
"""What bin2xyz has sent of posn when its pipe is full and it is killed."""
import fcntl, os, struct, subprocess, sys, termios, time
r, w = os.pipe()
p = subprocess.Popen(["bin2xyz", "-t", "1", "posn"], stdout=w)
os.close(w)
held, before = 0, -1
while held < 60000 or held != before:
    assert p.poll() is None
    time.sleep(0.1)
    before, held = held, struct.unpack("i", fcntl.ioctl(r, termios.FIONREAD, bytes(4)))[0]
p.kill()
p.wait()
sys.stdout.buffer.write(os.fdopen(r, "rb").read())
