# SPDX-License-Identifier: MIT
"""FILE KEY=VALUE...: three frames of a water molecule and an ion as MDTraj writes HDF5: conventions, unit (of the coordinates), without (a data set), elements (0: names only)."""
import json
import sys

import h5py
import numpy as np

k = dict(conventions="Pande", unit="nanometers", without="", elements="1")
k.update(a.split("=", 1) for a in sys.argv[2:])
names, elements = ["O", "H1", "H2", "NA"], ["O", "H", "H", "Na"]
atoms = [{"index": i, "name": n, "element": e if k["elements"] == "1" else ""} for i, (n, e) in enumerate(zip(names, elements))]
top = {"chains": [{"index": 0, "residues": [{"index": 1, "name": "NA", "atoms": atoms[3:]}, {"index": 0, "name": "HOH", "atoms": atoms[:3]}]}], "bonds": []}
sets = {"coordinates": (np.arange(36).reshape(3, 4, 3) / 8, k["unit"]), "velocities": (np.arange(36).reshape(3, 4, 3) / 4, "nanometers/picosecond"),
        "time": ([1, 1.2, 1.4], "picoseconds"), "cell_lengths": ([[1.2, 2.5, 3]] * 3, "nanometers"), "cell_angles": ([[90, 90, 60]] * 3, "degrees")}
with h5py.File(sys.argv[1], "w") as f:
    f.attrs["conventions"], f.attrs["program"] = np.bytes_(k["conventions"]), "MDTraj"
    f["topology"] = np.array([json.dumps(top).encode()])
    for name, (values, unit) in sets.items():
        if name != k["without"]:
            f[name] = np.array(values, "f4")
            f[name].attrs["units"] = np.bytes_(unit)
