#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""msd.py <POSN >SERI computes the mean square displacement from the first step, column msd in A^2, during a run. msd-cpu(1) uses all
time origins and computes errors. Positions must not jump across the cell (unwrap(1))."""
import sys

import mbf


def displacements(stream):
    first = None
    for step in stream:
        first = step.positions.astype(float) if first is None else first
        yield [((step.positions - first) ** 2).sum(1).mean()], step.time


if len(sys.argv) != 1:
    sys.exit("usage: msd.py <POSN >SERI")
mbf.run(displacements, columns=["msd"], tool="msd.py")
