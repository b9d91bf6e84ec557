#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""centres.py SIZE [NAME=MASS,...] <POSN >POSN: centres of molecules of SIZE atoms that follow one another, by mass where masses are
given, each put together by nearest images of its first atom. Atoms behind the last whole molecule are left out."""
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
            raise mbf.Error("a mass of every species expected, found none of %s" % ", ".join(missing))
    for step in stream:
        n = len(step.positions) // size
        if n == 0:
            raise mbf.Error("molecules of %d atoms expected, found %d atoms" % (size, len(step.positions)))
        r = step.positions[:n * size].astype(float).reshape(n, size, 3)
        w = np.ones(n * size) if mass is None else np.array([mass[k] for k in names[:n * size]])
        d = r - r[:, :1]
        if step.cell is not None:  # nearest images along each vector: of molecules smaller than half the cell
            d -= np.rint(d @ np.linalg.inv(step.cell)) @ step.cell
        w = w.reshape(n, size, 1)
        yield ((r[:, :1] + d) * w).sum(1) / w.sum(1), step.time, step.cell


if not 2 <= len(sys.argv) <= 3 or not sys.argv[1].isdigit() or sys.argv[1] == "0":
    sys.exit("usage: centres.py SIZE [NAME=MASS,...] <POSN >POSN")
mbf.run(centres, tool="centres.py", args=" ".join(sys.argv[1:]))
