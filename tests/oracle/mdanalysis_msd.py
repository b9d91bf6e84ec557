# SPDX-License-Identifier: MIT
"""mdanalysis_msd.py ATOMS STEPS FILE.xtc: a random walk of names A, A, B, A, A, B, ... in a triclinic cell, wrapped into it, written as
FILE.xtc by MDAnalysis and read again; NoJump and EinsteinMSD of that: rows "lag all all_x A B", in A^2, by the sum of the definition,
and lines "# fft WORST": by transforms, the largest relative difference to it (none without tidynamics)."""
import sys
import warnings

warnings.simplefilter("ignore")
try:
    import MDAnalysis
    import numpy as np
    from MDAnalysis.analysis.msd import EinsteinMSD
    from MDAnalysis.lib.mdamath import triclinic_vectors
    from MDAnalysis.transformations import NoJump
except ImportError as e:
    sys.exit("mdanalysis_msd.py: %s" % e)

CELL = [21.0, 19.0, 23.0, 75.0, 100.0, 65.0]


def universe(atoms):
    u = MDAnalysis.Universe.empty(atoms, trajectory=True)
    u.add_TopologyAttr("name", ["B" if k % 3 == 2 else "A" for k in range(atoms)])
    return u


def walk(atoms, steps, path):
    rng = np.random.default_rng(25)
    h = triclinic_vectors(CELL).astype(float)
    free = rng.uniform(0, 1, (atoms, 3)) @ h
    u = universe(atoms)
    with MDAnalysis.Writer(path, atoms) as out:
        for step in range(steps):
            s = free @ np.linalg.inv(h)
            u.trajectory.ts.dimensions = CELL
            u.trajectory.ts.time = 0.5 * step
            u.atoms.positions = (s - np.floor(s)) @ h
            out.write(u.atoms)
            free += rng.normal(0.0, 0.5, (atoms, 3))


def msd(path, atoms, select, kind, fft):
    u = universe(atoms)
    u.load_new(path)
    u.trajectory.add_transformations(NoJump())
    return EinsteinMSD(u, select=select, msd_type=kind, fft=fft).run().results.timeseries


def main():
    atoms, steps, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    walk(atoms, steps, path)
    what = (("all", "xyz"), ("all", "x"), ("name A", "xyz"), ("name B", "xyz"))
    columns = [msd(path, atoms, *w, False) for w in what]
    try:
        fast = [msd(path, atoms, *w, True) for w in what]
        print("# fft %g" % max(abs(a / b - 1)[1:].max() for a, b in zip(fast, columns)))
    except ImportError as e:
        print("# no fft: %s" % str(e).strip().split("\n")[0])
    for lag, row in enumerate(zip(*columns)):
        print(lag, *("%.12g" % v for v in row))


main()
