# SPDX-License-Identifier: MIT
"""Steps that eight threads give to one Writer; a closed one; a sink that uses its Writer."""
import io
import threading

import mbf
import numpy

with mbf.Writer("t.mbf", dt=1, columns=["thread", "k"]) as w:
    def work(t):
        for k in range(3000):
            w.put([t, k])
    all = [threading.Thread(target=work, args=(t,)) for t in range(8)]
    [t.start() for t in all]
    [t.join() for t in all]
with mbf.open("t.mbf") as run:
    rows = numpy.array([step.data for step in run])
assert len(rows) == 24000 and len({tuple(r) for r in rows}) == 24000
for t in range(8):
    assert (rows[rows[:, 0] == t][:, 1] == numpy.arange(3000)).all(), t  # in the order of its thread
try:
    w.put([1, 2])
    raise SystemExit("a closed writer took a step")
except ValueError as e:
    assert "open stream" in str(e), e
class Selfish(io.RawIOBase):
    def write(self, b):
        w.put([1, 2])
        return len(b)
try:
    with mbf.Writer(Selfish(), dt=1, columns=["thread", "k"]) as w:
        w.put([1, 2])
    raise SystemExit("no exception")
except RuntimeError as e:
    assert "does not use its stream" in str(e), e
