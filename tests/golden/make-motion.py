#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make-motion.py: rebuild mdanalysis-msd.txt with MDAnalysis: NoJump, then EinsteinMSD(fft=True), of argon256.xyz.gz."""
import gzip
import os

import MDAnalysis
import numpy as np
from MDAnalysis.analysis.msd import EinsteinMSD
from MDAnalysis.transformations import NoJump

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    with gzip.open(HERE + "/../data/argon256.xyz.gz", "rt", encoding="ascii") as f:
        lines = f.read().split("\n")
    natoms = int(lines[0])
    edge = 2 * float(lines[1].split()[2])
    frames = [[line.split()[1:4] for line in lines[k + 2:k + 2 + natoms]] for k in range(0, len(lines) - natoms, natoms + 2)]
    u = MDAnalysis.Universe.empty(natoms, trajectory=True)
    u.load_new(np.array(frames, dtype=np.float32), dimensions=np.array([edge, edge, edge, 90, 90, 90]), dt=0.125)
    u.trajectory.add_transformations(NoJump())
    msd = EinsteinMSD(u, select="all", msd_type="xyz", fft=True).run().results.timeseries
    with open(HERE + "/mdanalysis-msd.txt", "w", encoding="ascii") as out:
        out.write("# MDAnalysis %s: NoJump, EinsteinMSD(fft=True) of argon256.xyz.gz: lag, msd (A^2)\n" % MDAnalysis.__version__)
        for lag in sorted({*range(1, 20), *range(20, 1001, 49), 1000}):
            out.write("%d %.12g\n" % (lag, msd[lag]))


main()
