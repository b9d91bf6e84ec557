# SPDX-License-Identifier: MIT
"""What write() of a sink may return, and what is refused."""
import io

import mbf
import numpy

class Sink:
    def __init__(self, answer):
        self.answer, self.data = answer, b""
    def write(self, b):
        done = self.answer(b)
        self.data += bytes(b)[:done] if isinstance(done, int) and not isinstance(done, bool) and done > 0 else b""
        return done
def write(answer):
    sink = Sink(answer)
    with mbf.Writer(sink, dt=1) as w:
        for k in range(5):
            w.put(numpy.ones((7, 3)) * k)
    return sink.data
def raises(b):
    raise KeyError("mine")
for answer in (lambda b: None, lambda b: 0, lambda b: -1, lambda b: len(b) + 1, lambda b: True, lambda b: "7", lambda b: 1.0):
    try:
        write(answer)
        raise SystemExit("no exception")
    except OSError as e:
        assert "expected a number of bytes" in str(e), e
try:
    write(raises)
    raise SystemExit("no exception")
except KeyError:
    pass
whole = write(len)
for most in (1, 7, 100):
    assert write(lambda b: min(most, len(b))) == whole
assert sum(1 for _ in mbf.open(io.BytesIO(whole))) == 5
