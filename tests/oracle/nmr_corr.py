# SPDX-License-Identifier: MIT
"""nmr_corr KIND FILE LAGS DT [NAME]: a CORR of g4-cpu, G2 (or a function NAME) of 10 spins, sigma 3.4, with a function whose rates are known, and those rates, of 1H,
in `want`: nu (MHz), R1, R2. KIND: exp (a pair at 2 A that turns with 5 ps, noise in 40 blocks) or hwang-freed (spheres of 3 A that
diffuse, tau = 4 ps: its function by the integral over u, its density by the closed form of Hwang and Freed, 1975)."""
import math
import sys

import numpy as np

from oracle import frames

kind, path, lags, dt = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
spins, sigma, tau = 10, 3.4, 5.0 if kind == "exp" else 4.0
t = np.arange(lags) * dt
K = 1.5 * (1e-7 * 267.52219e6 ** 2 * 1.054571817e-34) ** 2 * 0.75 * 1e48
if kind == "exp":
    size = 0.8 / 2.0 ** 6  # of C(0), A^-6
    c = size * np.exp(-t / tau)
    # what the trapezoid has of an exponential: dt/2 coth(dt/2 tau) at 0, and the sampled Lorentzian
    # beyond
    r = math.exp(-dt / tau)
    density = lambda nu: 2 * size * dt * (0.5 * (1 - r * r) / (1 - 2 * r * math.cos(2 * math.pi * nu * 1e-6 * dt) + r * r))
    blocks, rng = 40, np.random.default_rng(2)
else:
    u = np.linspace(0, 60, 240001)[1:]
    weight = u ** 2 / (81 + 9 * u ** 2 - 2 * u ** 4 + u ** 6)
    total = np.pi / 54 + 0 * weight.sum()  # of weight over u from 0 to infinity
    size = 0.8 / 3.0 ** 6
    c = size * np.array([np.trapezoid(weight * np.exp(-u * u * x / tau), u) if hasattr(np, "trapezoid") else np.trapz(weight * np.exp(-u * u * x / tau), u) for x in t]) / total

    def density(nu):
        z = math.sqrt(2 * 2 * math.pi * nu * 1e-6 * tau)
        shape = (1 + 5 * z / 8 + z * z / 8) / (1 + z + z ** 2 / 2 + z ** 3 / 6 + 4 * z ** 4 / 81 + z ** 5 / 81 + z ** 6 / 648)
        return 2 * size * tau * 54 / np.pi * shape * zero
    # J(0)/2 = integral of u² weight^... tau/u²: of 1/(81 + 9u² - 2u⁴ + u⁶) over u
    full = np.linspace(0, 400, 4000001)
    f = 1 / (81 + 9 * full ** 2 - 2 * full ** 4 + full ** 6)
    zero = (f.sum() - 0.5 * (f[0] + f[-1])) * (full[1] - full[0])
    blocks, rng = 1, None
g2 = c * 3 * spins * sigma ** 6 / 8
counts = np.full((blocks, lags), 100, dtype=np.uint64)
sums = np.tile(g2 * 100, (blocks, 1))
if rng is not None:
    sums += 100 * 0.02 * g2[0] * rng.standard_normal((blocks, 1)) * np.exp(-t / tau)
    sums += g2 * 100 - sums.mean(0)
sums = np.stack([0 * sums, sums, 0 * sums, 0 * sums], axis=-1)[:, :, None, :]
with frames.Writer(path) as w:
    w.put_meta({"data.functions": "G %s G3 G4" % (sys.argv[5] if len(sys.argv) > 5 else "G2"), "data.component": "zz", "data.sigma": repr(sigma), "data.prefactor": "3",
                "sys.natoms": str(spins), "sys.dt_ps": repr(dt), "sys.species": f"H {spins}", "data.lags": str(lags)})
    w.put(frames.Array(b"CORR", counts))
    w.put(frames.Array(b"CORR", sums))
    w.end()
with open("want", "w") as f:
    for nu in [0.0] + [10.0 ** (k / 2) for k in range(6, 13)]:
        j0, j1, j2 = density(0.0), density(nu), density(2 * nu)
        print(repr(float(nu)), repr(float(K / 6 * (j1 + 4 * j2))), repr(float(K / 6 * (1.5 * j0 + 2.5 * j1 + j2))), file=f)
