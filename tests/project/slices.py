# SPDX-License-Identifier: MIT
"""slices.py FILE: steps and atoms that mbf.read chooses are those of the whole run, for any slice, block borders and all; what a run
says of itself; what is refused."""
import sys

import numpy as np

import mbf

whole = mbf.read(sys.argv[1])
F, N = whole.positions.shape[:2]
assert F == 1401 and N == 192 and whole.velocities is not None
atoms = [None, slice(None), slice(0, None, 3), slice(5, 9), [191, 0, 7], np.arange(N) % 3 == 1, np.array([3])]
steps = [None, slice(None), slice(0, 1), slice(7, 1400, 13), slice(None, None, 450), slice(455, 457), slice(1400, None), slice(1390, 5000, 4), slice(3, 1399, 1)]
g = np.random.default_rng(20261125)
steps += [slice(*sorted(g.integers(0, F, 2)), int(g.integers(1, 99))) for _ in range(12)]
for k, s in enumerate(steps):
    for a in atoms if k < 4 else (atoms[k % len(atoms)],):
        if not len(range(F)[s or slice(None)]):
            continue
        part = mbf.read(sys.argv[1], steps=s, atoms=a)
        take, of = s if s is not None else slice(None), a if a is not None else slice(None)
        for name in ("index", "time", "cell"):
            assert (getattr(part, name) == getattr(whole, name)[take]).all(), (name, s, a)
        for name in ("positions", "velocities"):
            assert (getattr(part, name) == getattr(whole, name)[take][:, of]).all(), (name, s, a)
        assert part.positions.shape == whole.positions[take][:, of].shape
        names = list(np.array(mbf.species_of(whole.meta))[of])
        assert mbf.species_of(part.meta) == names and part.meta["sys.natoms"] == str(len(names)), a
        assert part.meta.get("sys.selected_of") == (str(N) if len(names) < N else None), a
        assert {k: v for k, v in part.meta.items() if k not in ("sys.natoms", "sys.selected_of", "sys.species", "sys.dt_ps")}.items() <= whole.meta.items()
        dt = float(whole.meta["sys.dt_ps"]) * (take.step or 1)
        assert abs(float(part.meta["sys.dt_ps"]) / dt - 1) < 1e-14, s
assert repr(whole) == "<mbf positions: 1401 steps of 192 atoms, 46 to 60 ps, cell of 1914.48 A^3, velocities>", whole
assert repr(mbf.read(sys.argv[1], steps=slice(0, 2), atoms=[0])) == "<mbf positions: 2 steps of 1 atom, 46 to 46.01 ps, cell of 1914.48 A^3, velocities>"

with mbf.open(sys.argv[1]) as stream:
    name = "<mbf stream %s: positions of 192 atoms, " % sys.argv[1]
    assert repr(stream) == name + "0 steps so far>", stream
    step = next(iter(stream))
    assert repr(stream) == name + "1 step so far>", stream
    assert repr(step) == "<mbf step 0: data [192, 3], 46 ps, cell of 1914.48 A^3, velocities>", step
    assert repr(step._replace(time=np.nan, cell=None, velocities=None)) == "<mbf step 0: data [192, 3]>"


def refused(kind, text, **options):
    try:
        found = mbf.read(sys.argv[1], **options)
    except kind as e:
        assert text in str(e), e
    else:
        raise AssertionError("taken: %s: %s" % (options, found))


refused(mbf.Error, "expected data, found none", steps=slice(2000, 3000))
refused(ValueError, "steps: expected a number from 0, or a slice with a stride above 0, found", steps=slice(-3, None))
refused(ValueError, "above 0, found -1", steps=-1)
refused(ValueError, "above 0, found [1, 2]", steps=[1, 2])
refused(ValueError, "with a stride above 0", steps=slice(0, 9, -1))
refused(ValueError, "with a stride above 0", steps=slice(0, 9, 0))
refused(IndexError, "192", atoms=[192])
refused(ValueError, "atoms: expected an index, a slice, indices or a mask that selects some of 192 atoms, found []", atoms=[])

one = mbf.read(sys.argv[1], steps=np.int64(3), atoms=-1)
assert one.positions.shape == (1, 1, 3) and (one.positions[0, 0] == whole.positions[3, -1]).all() and one.index == [3] and one.meta["sys.natoms"] == "1"

few = mbf.read(sys.argv[1], steps=slice(0, 10, 3), atoms=slice(0, 192, 3))
mbf.write("few.mbf", few.positions, time=few.time, cell=few.cell, species=mbf.species_of(few.meta))
assert mbf.species_of(mbf.read("few.mbf").meta) == ["O"] * 64
