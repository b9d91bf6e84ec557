# SPDX-License-Identifier: MIT
"""t0 to t23: random trajectories as XTC, DCD, TRR and NetCDF, by MDAnalysis."""
import numpy as np, MDAnalysis as mda
for seed in range(24):
    r = np.random.default_rng(seed)
    n, kind, ext = int(r.integers(1, 3000)), seed % 3, ("xtc", "dcd", "trr", "ncdf")[seed // 3 % 4]
    water = np.array([[0, 0, 0], [.76, .59, 0], [-.76, .59, 0]])
    x = (np.repeat(r.uniform(-50, 50, (n // 3 + 1, 3)), 3, 0)[:n] + np.tile(water, (n // 3 + 1, 1))[:n] if kind == 0
         else r.uniform(-500, 500, (n, 3)) if kind == 1 else np.cumsum(r.normal(0, 1.5, (n, 3)), 0))
    u = mda.Universe.empty(n, trajectory=True)
    with mda.Writer(f"t{seed}.{ext}", n, dt=.25, **({"precision": int(r.integers(1, 5))} if ext == "xtc" else {})) as w:
        for f in range(4):
            ts = u.trajectory.ts
            ts.frame, ts.time, ts.dt, ts.data["step"] = f, f * .25, .25, 5 * f
            u.atoms.positions = (x + r.normal(0, .2, (n, 3))).astype("f4")
            u.dimensions = [60, 61 + f / 8, 62, 80 if seed % 2 else 90, 95 if seed % 2 else 90, 100 if seed % 2 else 90]
            w.write(u.atoms)
