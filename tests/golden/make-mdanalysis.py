#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Counts of MDAnalysis InterRDF for the tests of rdf-cpu (Debian python3-mdanalysis).

usage: make-mdanalysis.py ARGON.XYZ.GZ OUTDIR
Writes triclinic.xyz (300 atoms, two species, two frames) and mdanalysis-*.txt: lines "edge count", count = unordered pairs.
InterRDF counts each pair of like atoms twice; distances are double, from float32 positions, by MDAnalysis' own minimum
image. near.txt: for each data set, how many pairs lie within 1e-5 A of a bin edge and might fall on either side.
"""
import sys
import warnings

import numpy as np

warnings.simplefilter("ignore")
import MDAnalysis as mda
from MDAnalysis.analysis.rdf import InterRDF
from MDAnalysis.lib.distances import self_distance_array
from MDAnalysis.lib.mdamath import triclinic_vectors
from MDAnalysis.transformations import set_dimensions


def load(path, box):
    u = mda.Universe(path, format="XYZ", dt=0.125)
    u.trajectory.add_transformations(set_dimensions(box))
    return u


def rdf(u, a, b, bins, rmax, frames, like):
    ga, gb = u.select_atoms(a), u.select_atoms(b)
    r = InterRDF(ga, gb, nbins=bins, range=(0.0, rmax), exclusion_block=(1, 1) if like else None)
    r.run(frames=frames)
    count = r.results.count / (2 if like else 1)
    assert np.all(count == np.rint(count))
    return r.results.edges[:-1], count.astype(np.int64)


def near(u, bins, rmax, frames):
    n = 0
    for f in frames:
        ts = u.trajectory[f]
        d = self_distance_array(u.atoms.positions, box=ts.dimensions)
        t = d[d < rmax + 1e-5] * bins / rmax
        n += int(np.sum(np.abs(t - np.rint(t)) < 1e-5 * bins / rmax))
    return n


def save(name, edges, count):
    with open(name, "w") as f:
        for e, c in zip(edges, count):
            f.write(f"{e:.6f} {c}\n")


def main():
    argon, out = sys.argv[1:3]
    note = open(f"{out}/mdanalysis-near.txt", "w")

    frames = list(range(0, 1001, 100))
    box = [23.03154, 23.03154, 23.03154, 90, 90, 90]
    u = load(argon, box)
    save(f"{out}/mdanalysis-argon.txt", *rdf(u, "all", "all", 230, 11.5, frames, True))
    note.write(f"argon {near(u, 230, 11.5, frames)}\n")

    rng = np.random.default_rng(1)
    dim = np.array([22.0, 20.0, 19.0, 75.0, 80.0, 70.0], dtype=np.float32)
    h = triclinic_vectors(dim).astype(np.float64)
    names = ["A" if k % 3 else "B" for k in range(300)]
    with open(f"{out}/triclinic.xyz", "w") as f:
        for _ in range(2):
            r = (rng.random((300, 3)) * 3 - 1) @ h
            f.write("300\nLattice=\"%s\" Properties=species:S:1:pos:R:3 pbc=\"T T T\"\n" %
                    " ".join("%.9g" % x for x in h.ravel()))
            for s, x in zip(names, r):
                f.write("%s %.3f %.3f %.3f\n" % (s, *x))
    u = load(f"{out}/triclinic.xyz", dim)
    for a, b in (("A", "A"), ("A", "B"), ("B", "B")):
        e, c = rdf(u, f"name {a}", f"name {b}", 160, 8.0, [0, 1], a == b)
        save(f"{out}/mdanalysis-triclinic-{a}{b}.txt", e, c)
    note.write(f"triclinic {near(u, 160, 8.0, [0, 1])}\n")


main()
