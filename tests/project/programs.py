# SPDX-License-Identifier: MIT
"""programs.py WATER.mbf: mbf.run of programs on paths, arrays, bytes and files; options, errors, threads and pictures."""
import errno
import io
import os
import resource
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import mbf

path = sys.argv[1]
bin_ = os.path.dirname(mbf.data.program("rdf-cpu"))
run = mbf.read(path, steps=slice(0, 60))

# for every kind of source, the numbers are those of the program in a shell
mbf.write("few.mbf", run.positions, time=run.time, cell=run.cell, species=mbf.species_of(run.meta), dt=0.01)
subprocess.run([bin_ + "/rdf-cpu", "-q", "--pair=O-O", "--pair=O-H", "--bins=40", "-o", "want.mbf", "few.mbf"], check=True)
want = mbf.table("want.mbf")
options = {"pair": ["O-O", "O-H"], "bins": 40, "quiet": True, "rmax": None}
with open("few.mbf", "rb") as f:
    sources = {"path": "few.mbf", "list": ["few.mbf"], "run": run, "bytes": open("few.mbf", "rb").read(), "file": f}
    for name, source in sources.items():
        got = mbf.run("rdf-cpu", source, **options)
        assert list(got) == list(want) and all(np.array_equal(got[c], want[c], equal_nan=True) for c in want), name
        assert got.units["r_A"] == "A" and "g_O-O_se" in got

# time steps come back as a Run, text as text; out keeps the stream
whole = mbf.run("unwrap", run, out="whole.mbf", molecules=3, q=True)
assert whole.kind == "positions" and np.array_equal(whole.positions, mbf.read("whole.mbf").positions)
assert mbf.run("frame-check", "whole.mbf").startswith("whole.mbf: whole: ")
velocities = mbf.run("vacf-cpu", run, lags=3, vacf_weights="mass", quiet=True)
assert len(velocities["t_ps"]) == 3
series = mbf.run("txt2bin", io.BytesIO(b"t_ps a b\n0 1 2\n1 3 5\n2 4 4\n3 1 1\n"), time="t_ps")
assert series.kind == "series" and mbf.run("acf", series, lags=2, quiet=True)["t_ps"].tolist() == [0, 1]

# a program that refuses: its message, and no file
for bad, text in ((lambda: mbf.run("rdf-cpu", run, pair="O-X", out="no.mbf"), "O-X"), (lambda: mbf.run("rdf-cpu", "nowhere.mbf"), "nowhere.mbf"),
                  (lambda: mbf.run("no-such-program", run), "expected no-such-program on PATH or in MBF_BIN, found none")):
    try:
        bad()
    except mbf.Error as e:
        assert text in str(e), e
    else:
        raise AssertionError(text)
assert not os.path.exists("no.mbf")

# a disk that is full leaves the older file; a source of another type is refused
shutil.copy("want.mbf", "old.mbf")
before, limits = os.listdir(), resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
try:
    mbf.run("rdf-cpu", run, out="old.mbf", quiet=True)
except OSError as e:
    assert e.errno == errno.EFBIG, e
else:
    raise AssertionError("more than the limit was written")
finally:
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)
assert os.listdir() == before and mbf.table("old.mbf").keys() == want.keys()


def refused(call, text):
    try:
        call()
    except TypeError as e:
        assert text in str(e), e
    else:
        raise AssertionError(text)


refused(lambda: mbf.run("einstein", want), "or an open binary file, found Table (keep the stream of a Table with out=FILE, and give FILE)")
refused(lambda: mbf.run("rdf-cpu", 3), "or an open binary file, found int")
refused(lambda: mbf.plot(want, "no.svg"), "plot: expected a path or a list of paths, found Table")
refused(lambda: mbf.plot("want.mbf", "no.svg", NAME="g_O-O"), "or SIZE, found NAME")

with ThreadPoolExecutor(4) as pool:
    for got in pool.map(lambda k: mbf.run("rdf-cpu", run, bins=40, quiet=True, threads=1), range(8)):
        assert np.array_equal(got["g"], mbf.run("rdf-cpu", run, bins=40, quiet=True)["g"])

if shutil.which("gnuplot"):
    assert mbf.plot("want.mbf", "g.svg", NAMES="g_O-O", LOG=0) == "g.svg" and b"</svg>" in open("g.svg", "rb").read()
    mbf.table("want.mbf").plot("t.svg", NAMES="g_O-O", LOG=0)
    assert open("g.svg", "rb").read() == open("t.svg", "rb").read()
    assert mbf.run("rdf-cpu", run, bins=40, quiet=True).plot("r.svg") == "r.svg" and b"</svg>" in open("r.svg", "rb").read()
    try:
        mbf.plot(["few.mbf"], "no.svg")
    except mbf.Error as e:
        assert "found positions" in str(e), e
    else:
        raise AssertionError("positions as a picture")
