#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""dipole.py NAME=CHARGE,... <POSN >SERI computes the dipole moment of a trajectory, columns Mx My Mz in e A, from fixed charges by atom
name. Example: traj2bin run.xtc | dipole.py O=-0.82,H=0.41 | acf --average M --tmax 5. The charges must add up to 0, and molecules must be
whole (unwrapped coordinates, or unwrap(1)), because an atom that jumps across the cell changes the moment."""
import sys

import mbf
import numpy as np


def moments(stream):
    charge = {k: float(v) for k, v in (pair.split("=") for pair in sys.argv[1].split(","))}
    names = mbf.species_of(stream.meta, needed=True)
    missing = sorted(set(names) - set(charge))
    if missing:
        raise mbf.Error("expected a charge for every species, found none for %s" % ", ".join(missing))
    q = np.array([charge[n] for n in names])
    if abs(q.sum()) > 1e-6 * np.abs(q).sum():
        raise mbf.Error("expected charges that add up to 0, found %.6g e" % q.sum())
    for step in stream:
        yield q @ step.positions.astype(float), step.time


if len(sys.argv) != 2 or "=" not in sys.argv[1]:
    sys.exit("usage: dipole.py NAME=CHARGE,... <POSN >SERI")
mbf.run(moments, columns=["Mx", "My", "Mz"], tool="dipole.py", args=sys.argv[1])
