# SPDX-License-Identifier: MIT
"""writer_fork.py put|close|del|exit|block file|sink: a Writer whose process forks in the middle; the child leaves so."""
import io
import os
import sys

import mbf
import numpy

leave, kind = sys.argv[1:]
sink = io.BytesIO()
steps = numpy.random.default_rng(1).random((9, 40, 3))
with mbf.Writer({"file": "out.mbf", "sink": sink}[kind], dt=1, compress=True) as w:
    for k, step in enumerate(steps):
        w.put(step)
        if k == 4:
            child = os.fork()
            if child == 0:
                if leave == "put":
                    try:
                        w.put(step)
                    except mbf.Error as e:
                        os._exit(7 if "fork" in str(e) else 1)
                    os._exit(1)
                elif leave == "close":
                    w.close()
                    os._exit(7)
                elif leave == "del":
                    del w
                    os._exit(7)
                elif leave == "exit":
                    sys.exit(7)
                break  # leaves the block, and ends by atexit
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == (7 if leave != "block" else 0)
            assert kind == "sink" or not os.path.exists("out.mbf")
    else:
        leave = "parent"
if leave == "parent":
    data = sink.getvalue() if kind == "sink" else open("out.mbf", "rb").read()
    with mbf.open(io.BytesIO(data)) as run:
        assert sum(1 for _ in run) == 9
    print("whole")
