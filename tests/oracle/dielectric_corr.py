# SPDX-License-Identifier: MIT
"""dielectric_corr KIND FILE LAGS DT: a CORR of acf, in a cell of 10 A, and in `want`, for 300 K and every frequency, nu (1/cm), eps1,
eps2 and alpha (1/cm) in closed form. KIND: debye (C = 12 exp(-t/8 ps)), line (a damped oscillator of 50 1/ps in angular frequency and
a damping of 3/ps, with C(0) = 0.5) or current (the function of its derivative)."""
import sys

import numpy as np

from oracle import frames

kind, path, lags, dt = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
t = np.arange(lags) * dt
K = 1.602176634e-19 ** 2 * 1e-20 / (8.8541878128e-12 * 1000e-30 * 1.380649e-23 * 300)
nu = np.arange(lags) / (2 * lags * dt)  # 1/ps
w = 2 * np.pi * nu
w0, g = 50.0, 3.0
W = np.sqrt(w0 ** 2 - g ** 2 / 4)
if kind == "debye":
    c, eps = 12 * np.exp(-t / 8), 1 + K * 12 / (1 - 8j * w)
else:
    eps = 1 + K * 0.5 * w0 ** 2 / (w0 ** 2 - w ** 2 - 1j * g * w)
    sign, size = (1, 0.5) if kind == "line" else (-1, 0.5 * w0 ** 2)
    c = size * np.exp(-g * t / 2) * (np.cos(W * t) + sign * g / (2 * W) * np.sin(W * t))
unit = "(e*A/ps)^2" if kind == "current" else "(e*A)^2"
blocks = 8
shape = np.linspace(-0.1, 0.1, blocks)[:, None] * c  # blocks that differ by a factor
with frames.Writer(path) as f:
    f.put_meta({"data.functions": "M", "data.unit": unit, "data.lags": str(lags), "sys.cell": "10 0 0 0 10 0 0 0 10", "sys.pbc": "TTT",
                "sys.dt_ps": repr(dt)})
    f.put(frames.Array(b"CORR", np.full((blocks, lags), 10, dtype="u8")))
    f.put(frames.Array(b"CORR", (10 * (c + shape))[:, :, None, None]))
    f.end()
with open("want", "w") as f:
    for k in range(lags):
        print(nu[k] * 33.356409519815204, eps[k].real, eps[k].imag, 2 * w[k] * np.sqrt(eps[k]).imag / 0.0299792458, file=f)
