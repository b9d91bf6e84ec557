# SPDX-License-Identifier: MIT
"""imports.py DATA: trajectories of other programs, read by the library, equal the output of traj2bin; options, errors, threads, fork."""
import gzip
import io
import os
import signal
import subprocess
import sys
import threading
import warnings

import mbf
import numpy as np

DATA = sys.argv[1]
FORMATS = DATA + "/formats/water10."
warnings.simplefilter("ignore")


def program(paths, **options):
    """Returns the stream that traj2bin writes, or its message."""
    words = [("--%s" if v is True else "--%s=%s") % ((k.replace("_", "-"),) if v is True else (k.replace("_", "-"), v)) for k, v in options.items()]
    done = subprocess.run(["traj2bin", "-q", *words, *paths], capture_output=True, check=False)
    return done.stdout if done.returncode == 0 else done.stderr.decode().strip().split(": ", 1)[1]


def same(a, b, but=()):
    for name in ("positions", "velocities", "time", "cell", "index"):
        x, y = getattr(a, name), getattr(b, name)
        assert (x is None) == (y is None) and (x is None or (x.dtype == y.dtype and np.array_equal(x, y, equal_nan=True))), name
    assert list(a.scalars) == list(b.scalars) and all(np.array_equal(v, b.scalars[k], equal_nan=True) for k, v in a.scalars.items())
    differ = {k for k in {**a.meta, **b.meta} if a.meta.get(k) != b.meta.get(k)} - {"prov.1.tool", "prov.1.args", *but}
    assert not differ, differ


def check(*paths, **options):
    """Reads files as one run and step by step, and compares both with traj2bin. Returns the run."""
    want = mbf.read(io.BytesIO(program(paths, **options)))
    run = mbf.read(list(paths) if len(paths) > 1 else paths[0], **options)
    same(run, want)
    with mbf.open(paths[0] if len(paths) == 1 else paths, **options) as s:
        steps = list(s)
        assert s.meta == run.meta and s.kind == "positions" and s.steps == len(run.time)
    assert np.array_equal([p.positions for p in steps], run.positions) and [p.index for p in steps] == run.index.tolist()
    assert not steps[0].positions.flags.writeable and run.positions.flags.writeable
    some = slice(1, None, 2)
    if "select" not in options:
        same(mbf.read(paths if len(paths) > 1 else paths[0], steps=some, atoms=[0, 2], **options), mbf.read(io.BytesIO(program(paths, **options)), steps=some, atoms=[0, 2]), ("sys.dt_ps", "sys.cell"))
    return run


def refused(*paths, **options):
    """Checks that the message is that of traj2bin."""
    want = program(paths, **options)
    assert isinstance(want, str), "traj2bin read it"
    try:
        mbf.read(list(paths), **options)
    except mbf.Error as e:
        assert str(e) == want, (str(e), want)
        return want
    raise SystemExit("%s %s: not refused" % (paths, options))


def write_dump(name, compress=False):
    """A LAMMPS dump of 700 steps with charges and image flags; more than one block of steps with 2,000 atoms."""
    rng = np.random.default_rng(1)
    x, text = rng.random((2000, 3)) * 9, []
    for k in range(5):
        x = x + rng.normal(0, 0.01, x.shape)
        text.append("ITEM: TIMESTEP\n%d\nITEM: NUMBER OF ATOMS\n2000\nITEM: BOX BOUNDS pp pp pp\n0 9\n0 9\n0 9\nITEM: ATOMS id type x y z ix iy iz q\n" % (10 * k))
        text += ["%d %d %.6f %.6f %.6f %d 0 -1 %g\n" % (i + 1, 1 + i % 3 // 2, *r, i % 2, -0.5 if i % 3 < 2 else 1) for i, r in enumerate(x)]
    with (gzip.open if compress else open)(name, "wt") as f:
        f.write("".join(text))


def large(name):
    """Extended XYZ that fills several blocks of memory: 3,000 steps of 200 atoms are 7.2 MB."""
    x = np.random.default_rng(2).random((200, 3))
    with open(name, "w") as f:
        for k in range(3000):
            f.write('200\nLattice="9 0 0 0 9 0 0 0 9" Properties=species:S:1:pos:R:3 Time=%d\n' % k)
            f.write("".join("Ar %.4f %.4f %.4f\n" % tuple(r) for r in x + k * 1e-4))


write_dump("a.dump")
write_dump("a.dump.gz", compress=True)
large("large.xyz")
ps = dict(time_unit="ps")
lj = dict(units="real", timestep=0.001)

# every format and option
for f, options in (("xtc", {}), ("trr", dict(velocities=True)), ("ncdf", dict(velocities=True, dtype="f64")), ("dcd", dict(dt=0.5, species="3*(O 1 H 2) Na 1", charges="O=-0.8,H=0.4,Na=1"))):
    check(FORMATS + f, **options)
    assert len(check(FORMATS + f, **{**options, "select": "1:3"}).time) == 2
same(check("a.dump", **lj), check("a.dump.gz", **lj))
assert list(check("a.dump", scalars="q", unwrap=True, species="1=O,2=H", **lj).scalars) == ["q"]
assert len(set(check("a.dump", species="1=O,2=H", charges="O=1,H=2", scalars="ix,q", **lj).scalars)) == 3
assert set(mbf.species_of(mbf.read("a.dump", species="1=O,2=H", **lj).meta)) == {"O", "H"}
want = mbf.read(io.BytesIO(program(["a.dump"], scalars="q", atoms="1:9:2", **lj)))
with mbf.open("a.dump", scalars="q", atoms="1:9:2", **lj) as s:
    for k, p in enumerate(s):
        assert s.meta["sys.selected_of"] == "2000" and np.array_equal(p.positions, want.positions[k]) and np.array_equal(p.scalars["q"], want.scalars["q"][k])
for f in "argon8.xyz", "argon8.xyz.zst", "argon256.xyz.gz":
    check(DATA + "/" + f)
check(DATA + "/dialects/cp2k.xyz", cell="12", pbc="xy", dt=2)
run = check("large.xyz", **ps)
assert len(run.time) == 3000
assert "data.unwrapped" not in run.meta and "sys.species" in run.meta
one = mbf.read("large.xyz", cell=[12, 13, 14], dtype=np.float64, velocities=False, dt=None, **ps)
assert one.positions.dtype == "f8" and np.array_equal(one.cell[0], np.diag([12, 13, 14]))
assert mbf.read("large.xyz", steps=7, **ps).index.tolist() == [7] and mbf.read("large.xyz", steps=slice(4, 11, 3), **ps).index.tolist() == [4, 7, 10]
mbf.write("b.mbf", run.positions, time=run.time, cell=run.cell, species=mbf.species_of(run.meta))
same(mbf.read("b.mbf"), run, {k for k in run.meta if k.startswith("data.")})
assert np.array_equal(mbf.run("rdf-cpu", run, bins=9)["g"], mbf.run("rdf-cpu", "b.mbf", bins=9)["g"])
lines = open("large.xyz").readlines()
for name, part in ("one.xyz", lines[:202 * 10]), ("two.xyz", lines[202 * 9:202 * 15]):
    with open(name, "w") as f:
        f.writelines(part)
assert len(check("one.xyz", "two.xyz", **ps).time) == 15
if len(sys.argv) > 2:
    check(sys.argv[2], dtype="f64")

# messages
with open("cut.trr", "wb") as f:
    f.write(open(FORMATS + "trr", "rb").read()[:-9])
refused("cut.trr")
assert len(check("cut.trr", allow_partial=True).time) == 2
with open("text", "w") as f:
    f.write("some text\n")
for paths, options in ((["text"], {}), ([FORMATS + "dcd"], {}), ([FORMATS + "xtc"], dict(velocities=True)), (["a.dump"], {}), (["a.dump"], dict(lj, timestep=-1)), (["a.dump"], dict(lj, dt=1)), (["a.dump"], dict(lj, scalars="charge", charges="A=1")), ([FORMATS + "xtc"], dict(topology="none.gro")), ([DATA + "/water64.mbf"], dict(dt=1)),
                       (["large.xyz"], dict(select="5:3")), (["large.xyz"], dict(units="real"))):
    refused(*paths, **options)
for paths, options, kind, text in ((["large.xyz"], dict(unit="real"), mbf.Error, "unknown option '--unit'"), (["large.xyz"], dict(velocities="yes"), mbf.Error, "--velocities takes no argument"),
                                   (["large.xyz"], dict(units=True), mbf.Error, "option --units needs STYLE"), (["none"], {}, FileNotFoundError, "none"), (["large.xyz", "none"], ps, OSError, "none"),
                                   ([], {}, ValueError, "one path or more"), (["large.xyz"], dict(topology="a\0"), ValueError, "NUL"), (["large.xyz"], dict(steps=1, select="2"), ValueError, "steps or select"),
                                   (["a.dump"], dict(lj, units="rael"), mbf.Error, "--units: expected one of auto, real")):
    try:
        mbf.read(paths, **options)
    except kind as e:
        assert text in str(e), (text, e)
    else:
        raise SystemExit("%s %s: not refused" % (paths, options))
try:
    mbf.open(io.BytesIO(b""), dt=1)
except ValueError as e:
    assert "expected a path with the options dt" in str(e)
else:
    raise SystemExit("an option of a stream: not refused")
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    mbf.read(DATA + "/dialects/plain-crlf.xyz", dt=1)
assert any("expected a cell, found none" in str(w.message) and w.filename == __file__ for w in seen), [str(w.message) for w in seen]

# threads: the options and readers of one thread do not affect another
failed = []


def many(k):
    try:
        for _ in range(20):
            got = mbf.read("a.dump", dt=k + 1, units="metal" if k % 2 else "real", species="1=A%d,2=B" % k, atoms=slice(0, 9))
            assert got.time[1] == k + 1 and "A%d" % k in got.meta["sys.species"] and len(mbf.read("large.xyz", steps=slice(0, 20), **ps).time) == 20
    except BaseException as e:  # noqa: BLE001
        failed.append(e)


threads = [threading.Thread(target=many, args=(k,)) for k in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert not failed, failed

# fork: the child cannot read or close the files of the parent, but can open and read its own
for name, options in [("large.xyz", ps)] * 20 + [(h5, {}) for h5 in sys.argv[2:]]:  # a helper of the parent may hold a lock
    with mbf.open(name, **options) as s:
        steps = iter(s)
        next(steps)
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            code = 1
            try:
                list(s.reader)
            except mbf.Error as e:
                s.close()
                code = 0 if "found its child" in str(e) and len(mbf.read(name, **options).time) > 9 else 2
            del s, steps
            os._exit(code)
        assert os.waitpid(child, 0)[1] == 0
        assert 1 + len(list(steps)) == len(mbf.read(name, **options).time)
        s.close()
        try:
            list(s)
        except ValueError as e:
            assert "closed" in str(e)
        else:
            raise SystemExit("a closed reader: not refused")

# a program that has used HDF5 itself, as h5py does
for h5 in sys.argv[2:]:
    try:
        import h5py
    except ImportError:
        print("# no h5py: not tried")
        break
    want = mbf.read(h5).positions
    with h5py.File(h5) as f:
        assert list(f)
    assert np.array_equal(mbf.read(h5).positions, want)
