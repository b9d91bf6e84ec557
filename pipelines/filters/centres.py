#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""centres.py SIZE [NAME=MASS,...] <POSN >POSN computes the centres of molecules of SIZE consecutive atoms, weighted by mass if masses are
given. Each molecule is assembled from the images nearest to its first atom. Atoms after the last complete molecule are skipped."""
import sys

import mbf
import numpy as np


def centres(stream):
    size = int(sys.argv[1])
    mass = dict((k, float(v)) for k, v in (p.split("=") for p in sys.argv[2].split(","))) if len(sys.argv) > 2 else None
    if mass is not None:
        names = mbf.species_of(stream.meta, needed=True)
        missing = sorted(set(names) - set(mass))
        if missing:
            raise mbf.Error("expected a mass for every species, found none for %s" % ", ".join(missing))
    for step in stream:
        n = len(step.positions) // size
        if n == 0:
            raise mbf.Error("expected molecules of %d atoms, found %d atoms" % (size, len(step.positions)))
        r = step.positions[:n * size].astype(float).reshape(n, size, 3)
        w = np.ones(n * size) if mass is None else np.array([mass[k] for k in names[:n * size]])
        d = r - r[:, :1]
        if step.cell is not None:  # nearest image along each vector, valid for molecules smaller than half the cell
            d -= np.rint(d @ np.linalg.inv(step.cell)) @ step.cell
        w = w.reshape(n, size, 1)
        yield ((r[:, :1] + d) * w).sum(1) / w.sum(1), step.time, step.cell


if not 2 <= len(sys.argv) <= 3 or not sys.argv[1].isdigit() or sys.argv[1] == "0":
    sys.exit("usage: centres.py SIZE [NAME=MASS,...] <POSN >POSN")
mbf.run(centres, tool="centres.py", args=" ".join(sys.argv[1:]))
