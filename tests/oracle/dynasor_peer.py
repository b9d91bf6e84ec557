# SPDX-License-Identifier: MIT
"""dynasor_peer.py FILE.xyz "NINE NUMBERS OF THE CELL" QMAX QSTEP LAGS DT SPECIES: what dynasor makes of extended XYZ with velocities (vel)
over all wave vectors of the shells, in our order and normalisation: rows "q t F F_A-A F_A-B ... C_L ... C_T ... F_s F_s_A ...".
SPECIES: "A B"."""
import logging
import sys
import warnings

import numpy as np

warnings.simplefilter("ignore")
logging.disable(logging.WARNING)
try:
    from dynasor import Trajectory, compute_dynamic_structure_factors
except ImportError:
    sys.exit("dynasor_peer.py: no dynasor (pip install dynasor)")

path, cell = sys.argv[1], np.array([float(x) for x in sys.argv[2].split()]).reshape(3, 3)
qmax, qstep, lags, dt = float(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5]), float(sys.argv[6])
names = sys.argv[7].split()
recip = 2 * np.pi * np.linalg.inv(cell).T
top = (qmax * np.linalg.norm(cell, axis=1) / 2 / np.pi).astype(int) + 1
hkl = np.array([v - top for v in np.ndindex(*(2 * top + 1)) if tuple(v - top) > (0, 0, 0)])
q = hkl @ recip
shell = (np.linalg.norm(q, axis=1) / qstep).astype(int)
keep = shell < int(qmax / qstep * (1 + 1e-12))
q, shell = q[keep], shell[keep]
with open(path, encoding="ascii") as f:
    atoms = int(next(f))
    next(f)
    kind = [next(f).split()[0] for _ in range(atoms)]
index = {s: [i for i, k in enumerate(kind) if k == s] for s in names}
count = {s: len(index[s]) for s in names}
run = Trajectory(path, trajectory_format="extxyz", atomic_indices=index, length_unit="Angstrom", time_unit="ps")
r = compute_dynamic_structure_factors(run, q, dt=1000 * dt, window_size=lags - 1, calculate_currents=True, calculate_incoherent=True)
columns = []
for key, unit in (("Fqt_coh", 1.0), ("Clqt", 1e6), ("Ctqt", 1e6)):  # its velocities are in A/fs
    columns.append(unit * r[key])
    for i, a in enumerate(names):
        for b in names[i:]:
            name = f"{key}_{a}_{b}"
            columns.append(unit * r[name] * atoms / np.sqrt(count[a] * count[b]) / (1 if a == b else 2))
columns.append(r["Fqt_incoh"])
if len(names) > 1:
    columns += [r[f"Fqt_incoh_{s}"] * atoms / count[s] for s in names]
for s in sorted(set(shell)):
    at = shell == s
    mean = np.array([c[at].mean(axis=0) for c in columns])
    for k in range(lags):
        print(repr(float(np.linalg.norm(q[at], axis=1).mean())), repr(k * dt), *(repr(float(x)) for x in mean[:, k]))
