# SPDX-License-Identifier: MIT
"""nmrformd_peer.py EDGE DT < bin2txt's text of positions: what NMRforMD (its spherical harmonics of orders 0, 1, 2 apart) makes of all
pairs of atoms in a cube: rows "t G_0 G_1 G_2", in A^-6."""
import sys
import warnings

import numpy as np

warnings.simplefilter("ignore")
try:
    from nmrformd.NMR import NMR
except ImportError as e:
    sys.exit("nmrformd_peer.py: %s (pip install nmrformd 'scipy<1.15')" % e)
try:
    from MDAnalysis import Universe
except ImportError as e:
    sys.exit("nmrformd_peer.py: %s" % e)

edge, dt = float(sys.argv[1]), float(sys.argv[2])
rows = np.array([line.split()[:6] for line in sys.stdin if not line.startswith("#")], float)
n = int(rows[:, 2].max()) + 1
x = rows[:, 3:6].reshape(-1, n, 3).astype("f4")
u = Universe.empty(n, n_residues=n, atom_resindex=range(n), trajectory=True)
u.add_TopologyAttr("resids", list(range(1, n + 1)))
u.load_new(x, dimensions=np.array([[edge, edge, edge, 90, 90, 90]] * len(x), "f4"), dt=dt)
r = NMR(u, u.atoms, isotropic=False, actual_dt=dt)
for t, g in zip(r.t, r.gij.T):
    print(float(t), *(float(v) for v in g))
