#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""peers.py [--alone] [TRIALS [PROCESS...]] compares green-kubo with STACIE and einstein with kinisi.

All programs analyse the same simulated series (TRIALS of each process, default 40), for which the true value is known. A line
states the rms of (value - truth) / truth, the mean of the standard errors divided by the truth, the mean and width of the pulls,
the coverage of one standard error, and the rms divided by the rms of the peer. Rules for lib/stats may be chosen with the
processes "chosen" (several have been). The processes "judged" are only for the final test of a rule. --alone runs only the programs of mbf. Otherwise STACIE and kinisi are
installed into a virtual environment (PEERS, default build/peers). The status is 1 if an rms exceeds twice that of the peer, if
the mean of all pulls exceeds 0.3, or if their width is not 0.8 to 1.2 (widened for few trials). PATH must contain the programs.

peers.py --rows [TRIALS [SYSTEM...]] tests the standard errors of msd-cpu, fqt-cpu (F_s), vacf-cpu and rotacf-cpu with TRIALS (60) runs of
random walks, of points whose velocities or axes fluctuate, and of Lennard-Jones systems that md-cpu simulates. A line states the percentages
of rows with an error, and of errors that contain the mean of all runs within one and two errors, and in parentheses the same without the
scatter between points, and the rms error divided by the scatter between runs. Rows up to a quarter of the run count. The status is 1 if less
than 40 % or more than 95 % of the rows of a system are within one error.
"""
import importlib
import math
import os
import subprocess
import sys
import tempfile
import warnings

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
rows = "--rows" in sys.argv
alone = "--alone" in sys.argv or rows
if not alone and "PEERS_READY" not in os.environ:
    venv = os.environ.get("PEERS", os.path.join(ROOT, "build", "peers"))
    python = os.path.join(venv, "bin", "python")
    if not os.path.exists(python):
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    if subprocess.run([python, "-m", "pip", "install", "-q", "stacie==1.3.0", "kinisi==2.1.0"]).returncode:
        sys.exit("STACIE and kinisi cannot be installed (use --alone)")
    os.execve(python, [python, os.path.abspath(__file__), *sys.argv[1:]], dict(os.environ, PEERS_READY="1"))
try:
    import numpy as np
except ImportError:
    print("no NumPy for Python (python3-numpy): peers not tried")
    sys.exit(3)


# ---- series with a given correlation function
def sums(*terms):
    return lambda t: sum(a * np.exp(-t / tau) for a, tau in terms)


def vibration(tau, omega, a=1.0):
    return lambda t: a * np.exp(-t / tau) * np.cos(omega * t)


def both(f, g):
    return lambda t: f(t) + g(t)


# correlation function, steps, columns, runs
FLUXES = {
    "chosen": {
        "exponential, 800 times": (sums((1, 10)), 8000, 3, 1),
        "exponential, 500 times": (sums((1, 12)), 6000, 3, 1),
        "exponential, 200 times": (sums((1, 20)), 4000, 3, 1),
        "exponential, 150 times": (sums((1, 30)), 4500, 3, 1),
        "exponential, 100 times": (sums((1, 40)), 4000, 3, 1),
        "exponentials of 3 and 30": (sums((0.9, 3), (0.1, 30)), 6000, 3, 1),
        "exponentials of 2 and 40": (sums((0.93, 2), (0.07, 40)), 8000, 3, 1),
        "exponentials of 5 and 25": (sums((0.5, 5), (0.5, 25)), 5000, 5, 1),
        "three exponentials": (sums((0.8, 2), (0.15, 10), (0.05, 50)), 10000, 5, 1),
        "three and a vibration": (both(sums((0.6, 3), (0.1, 15), (0.04, 60)), vibration(8, 0.9, 0.4)), 10000, 5, 1),
        "oscillation": (vibration(20, 0.3), 6000, 3, 1),
        "slow oscillation": (vibration(40, 0.05), 8000, 3, 1),
        "exponential, vibration": (both(sums((1, 15)), vibration(10, 0.8)), 5000, 3, 1),
        "tail (1+t/3)^-1.5": (lambda t: (1 + t / 3) ** -1.5 * np.exp(-t / 100), 8000, 3, 1),
        "tail (1+t/5)^-2.5": (lambda t: (1 + t / 5) ** -2.5, 5000, 3, 1),
        "stretched exponential": (lambda t: np.exp(-((t / 8) ** 0.6)), 5000, 3, 1),
        "Gaussian": (lambda t: np.exp(-((t / 15) ** 2)), 4000, 3, 1),
        "like a liquid": (lambda t: 0.8 * np.exp(-((t / 5) ** 1.5)) + 0.2 * np.exp(-t / 25), 6000, 5, 1),
        "20 runs of 40 times": (sums((1, 10)), 400, 3, 20),
    },
    "judged": {
        "exponential, 300 times": (sums((1, 15)), 4500, 5, 1),
        "exponential, 2000 times": (sums((1, 8)), 16000, 3, 1),
        "exponentials of 4 and 60": (sums((0.95, 4), (0.05, 60)), 12000, 3, 1),
        "exponentials of 2 and 20": (sums((0.85, 2), (0.15, 20)), 6000, 5, 1),
        "exponentials, 1, 8 and 35": (sums((0.7, 1), (0.2, 8), (0.1, 35)), 8000, 3, 1),
        "strong oscillation": (vibration(12, 0.15), 6000, 5, 1),
        "tail (1+t/4)^-2": (lambda t: (1 + t / 4) ** -2 * np.exp(-t / 150), 9000, 3, 1),
        "stretched, power 0.75": (lambda t: np.exp(-((t / 12) ** 0.75)), 6000, 5, 1),
        "Gaussian, weak tail": (lambda t: 0.9 * np.exp(-((t / 6) ** 2)) + 0.1 * np.exp(-t / 30), 7000, 5, 1),
        "10 runs of 100 times": (sums((0.6, 3), (0.4, 12)), 1200, 3, 10),
    },
}


def flux(rng, c, steps, columns, runs):
    """Gaussian series [runs][columns][steps] with the correlation function c, by circulant embedding."""
    m = 1 << math.ceil(math.log2(4 * steps))
    t = np.arange(m // 2 + 1.0)
    power = np.maximum(np.fft.rfft(np.concatenate([c(t), c(t[-2:0:-1])])).real, 0)
    z = rng.standard_normal((runs, columns, m))
    return np.fft.irfft(np.fft.rfft(z) * np.sqrt(power), m)[:, :, :steps]


def integral(c):
    return 0.5 * c(0.0) + c(np.arange(1.0, 200000.0)).sum()


def green_kubo(x, work):
    names = []
    for k, run in enumerate(x):
        names.append("%s/run%d.mbf" % (work, k))
        text = "\n".join(" ".join("%.7g" % v for v in row) for row in run.T) + "\n"
        subprocess.run(["txt2bin", "-q", "--dt", "1", "-o", names[-1]], input=text, text=True, check=True)
    return numbers(["green-kubo", "-q", *names])


def numbers(command, **more):
    out = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, **more).stdout.split()
    return (float(out[1]), float(out[3])) if len(out) > 3 else (math.nan, math.nan)


def stacie(x, _):
    peer = importlib.import_module("stacie")
    r = peer.estimate_acint(peer.compute_spectrum(x.reshape(-1, x.shape[-1]), timestep=1.0, prefactors=1.0), peer.ExpPolyModel([0, 2]))
    return r.acint, r.acint_std


# ---- walks: a function of rng, steps and atoms, D, and the first lag of kinisi
def noise(rng, steps, atoms):
    return rng.standard_normal((steps, atoms, 3))


def memory(x, tau):
    """The process a_t = phi a_t-1 + x_t sqrt(1 - phi^2), with variance 1."""
    phi = math.exp(-1 / tau)
    x[1:] *= math.sqrt(1 - phi * phi)
    for t in range(1, len(x)):
        x[t] += phi * x[t - 1]
    return x


def brownian(rng, steps, atoms):
    return np.cumsum(noise(rng, steps, atoms), 0)


def persistent(tau):
    phi = math.exp(-1 / tau)
    return lambda *a: np.cumsum(memory(noise(*a), tau), 0), 0.5 * (1 + phi) / (1 - phi), 4 * tau


def caged(*taus):
    return lambda *a: 0.3 * brownian(*a) + sum(memory(noise(*a), tau) for tau in taus), 0.045, 3 * max(taus)


def hopping(rate):
    return lambda *a: np.cumsum((a[0].random((a[1], a[2], 1)) < rate) * noise(*a) / math.sqrt(rate), 0), 0.5, 1


def exchanging(tau):
    def walk(rng, steps, atoms):
        switch = rng.random((steps, atoms, 1)) < 0.5 / tau
        switch[0] = rng.random((atoms, 1)) < 0.5
        fast = np.cumsum(switch, 0) % 2
        return np.cumsum(noise(rng, steps, atoms) * np.where(fast, 1.378, 0.316), 0)
    return walk, 0.5 * (0.5 * 1.378**2 + 0.5 * 0.316**2), 1


WALKS = {
    "chosen": {
        "random walk": ((brownian, 0.5, 1), 400, 64),
        "persistence of 3": (persistent(3), 1000, 64),
        "cage of 5": (caged(5), 2000, 64),
        "rare hops": (hopping(0.02), 1000, 40),
        "exchange, T/15": (exchanging(66), 1000, 64),
        "cages of 4 and 25": (caged(4, 25), 3000, 50),
    },
    "judged": {
        "persistence of 8": (persistent(8), 800, 100),
        "cage of 12": (caged(12), 3000, 30),
        "exchange, T/6": (exchanging(100), 600, 64),
        "cages of 2 and 10": (caged(2, 10), 2000, 40),
    },
}


def einstein(x, _):
    text = "".join("%d\n\n" % len(f) + "".join("A %.5f %.5f %.5f\n" % tuple(r) for r in f) for f in x)
    return numbers("xyz2bin -q --jumps-ok --pbc none --dtype f64 --dt 1 | msd-cpu -q --drift keep --unwrapped --lags %d | einstein -q" % (len(x) // 2),
                   shell=True, input=text)


def kinisi(x, first):
    sc = importlib.import_module("scipp")
    Diffusion = importlib.import_module("kinisi.diffusion").Diffusion
    calculate_msd = importlib.import_module("kinisi.displacement").calculate_msd
    Parser = importlib.import_module("kinisi.parser").Parser
    edge, steps = 1e6, len(x)
    lags = np.unique(np.round(first * np.geomspace(1, steps / first / 2, 60)).astype(int))
    p = Parser(sc.array(dims=["time", "particle", "dimension"], values=x / edge),
               sc.array(dims=["time", "dimension1", "dimension2"], values=np.tile(edge * np.eye(3), (steps, 1, 1)), unit="angstrom"),
               1.0 * sc.Unit("ps"), sc.scalar(1), dt=sc.array(dims=["time interval"], values=1.0 * lags, unit="ps"),
               specie_indices=sc.arange("particle", x.shape[1]), drift_indices=sc.array(dims=["particle"], values=[], dtype="int64"))
    d = Diffusion(calculate_msd(p, progress=False))
    d._diffusion(float(lags[0]) * sc.Unit("ps"), progress=False)
    v = d.gradient.values / 6
    return v.mean(), v.std()


# ---- the table
def row(name, made, truth, ours, theirs, first, work):
    results = [[], []]
    for x in made:
        results[0].append(ours(x, work))
        if theirs:
            try:
                results[1].append(theirs(x, first))
            except Exception:  # a peer without an answer
                results[1].append((math.nan, math.nan))
    v, se = np.array(results[0]).T / truth
    pull = (v - 1) / se
    known = np.isfinite(pull)
    ratio = math.nan
    peer = ""
    if theirs:
        w, we = np.array(results[1]).T / truth
        answered = np.isfinite(v) & np.isfinite(w)
        ratio = math.sqrt(np.mean((v - 1)[answered] ** 2) / np.mean((w - 1)[answered] ** 2))
        other = ((w - 1) / we)[answered]
        peer = "  peer: ratio %.2f, pulls %+.2f +- %.2f, %2.0f %%" % (ratio, other.mean(), other.std(), 100 * np.mean(abs(other) < 1))
    print("  %-26s %4.1f %% %4.1f %%  %+.2f +- %.2f  %3.0f %%  none %d%s" % (
        name, 100 * math.sqrt(np.nanmean((v - 1) ** 2)), 100 * np.nanmean(se), pull[known].mean(), pull[known].std(),
        100 * np.mean(abs(pull[known]) < 1), len(v) - known.sum(), peer), flush=True)
    return pull[known], ratio


# ---- rows of mean square displacements and correlation functions
def two_states(rng, steps, points, life, fast, slow):
    """Per step and point, one of two values, which is kept for `life` steps on average; without a life, all are fast."""
    switch = rng.random((steps, points, 1)) < 0.5 / life if life else np.zeros((steps, points, 1))
    if life:
        switch[0] = rng.random((points, 1)) < 0.5
    return np.where(np.cumsum(switch, 0) % 2, slow, fast)


def frames(names, *columns):
    return "".join("%d\nLattice=\"12 0 0 0 12 0 0 0 12\" pbc=\"T T T\" Properties=species:S:1:pos:R:3%s\n" % (len(names), ":vel:R:3" * (len(columns) - 1))
                   + "".join(n + " %.5f" * 3 * len(columns) % tuple(v for c in columns for v in c[t][i]) + "\n" for i, n in enumerate(names))
                   for t in range(len(columns[0])))


def together(tau):
    """Walks whose mobility changes by about a third, for all points at the same time."""
    return lambda *a: np.cumsum(noise(*a) * np.exp(0.15 * memory(noise(a[0], a[1], 1), tau)[:, :, :1]), 0)


def displaced(walk):
    return lambda *a: ("--pbc none", frames("A" * a[2], walk(*a)), {"msd": "msd-cpu -q --drift keep --unwrapped --lags %d" % (a[1] // 4)})


def wandering(life):
    """Walks in a periodic cell, for F_s."""
    return lambda *a: ("", frames("A" * a[2], np.cumsum(noise(*a) * two_states(*a, life, 0.48, 0.11), 0) % 12),
                       {"F_s": "fqt-cpu -q --self --qmax 1.2 --qstep 0.4 --lags %d" % (a[1] // 4)})


def moving(life):
    """Velocities with two correlation times."""
    def make(*a):
        v, phi = noise(*a), np.exp(-1 / two_states(*a, life, 12.0, 2.0))
        for t in range(1, a[1]):
            v[t] = phi[t] * v[t - 1] + np.sqrt(1 - phi[t] ** 2) * v[t]
        return "--velocities --velocity-unit A/ps", frames("A" * a[2], 12 * a[0].random(v.shape), v), {"vacf": "vacf-cpu -q --drift keep --lags 60"}
    return make


def turning(life):
    """Axes with two rotational diffusion coefficients."""
    def make(*a):
        u, by = noise(*a), two_states(*a, life, 0.25, 0.05)
        for t in range(a[1]):
            u[t] = u[t - 1] + by[t] * u[t] if t else u[t]
            u[t] /= np.linalg.norm(u[t], axis=1)[:, None]
        place = 6 + np.zeros(u.shape)
        return "", frames("OH" * a[2], np.stack([place, place + u], 2).reshape(a[1], -1, 3)), {"C_1 C_2": "rotacf-cpu -q --axis O-H --molecules 2 --lags %d" % (a[1] // 4)}
    return make


def liquid(ps, options):
    """A Lennard-Jones system, 20,000 steps of equilibration and a run of `ps`."""
    def make(rng, _, atoms):
        command = "md-cpu -q --atoms %d %s --start random --thermostat berendsen:0.5 --dt 2.5 --equilibrate 20000 --steps %d --every %d --velocities --seed %d" % (
            atoms, options, ps * 400, max(ps // 5, 4), rng.integers(1, 2**30))
        return command, "", {"msd": "msd-cpu -q --tmax %g" % (ps / 4), "F_s": "fqt-cpu -q --self --qmax 2.4 --qstep 0.6 --tmax %g" % min(ps / 4, 3), "vacf": "vacf-cpu -q --tmax 1"}
    return make


ARGON, COLD = "--density 0.020955 --temperature 90", "--density 0.02137 --temperature 70"
ROWS = {
    "chosen": {
        "random walk": (displaced(brownian), 600, 27),
        "persistence of 5": (displaced(persistent(5)[0]), 1200, 100),
        "cage of 8": (displaced(caged(8)[0]), 1600, 80),
        "hops": (displaced(hopping(0.05)[0]), 800, 60),
        "exchange, T/2": (displaced(exchanging(500)[0]), 1000, 64),
        "together, T/15": (displaced(together(66)), 1000, 64),
        "argon, 10 ps": (liquid(10, ARGON), 0, 108),
    },
    "judged": {
        "random walk, 8": (displaced(brownian), 1500, 8),
        "cage of 15": (displaced(caged(15)[0]), 2000, 50),
        "exchange, T/15": (displaced(exchanging(66)[0]), 1000, 64),
        "together, T/8": (displaced(together(100)), 800, 100),
        "F_s, equal atoms": (wandering(0), 1000, 100),
        "F_s, T/2": (wandering(500), 1000, 100),
        "F_s, T/15": (wandering(66), 1000, 100),
        "VACF, equal atoms": (moving(0), 1000, 100),
        "VACF, T/2": (moving(500), 1000, 100),
        "VACF, T/15": (moving(66), 1000, 100),
        "C_l, equal axes": (turning(0), 1000, 100),
        "C_l, T/2": (turning(500), 1000, 100),
        "C_l, T/15": (turning(66), 1000, 100),
        "argon, 20 ps": (liquid(20, ARGON), 0, 108),
        "supercooled, 20 ps": (liquid(20, COLD), 0, 64),
    },
}


def table(command):
    lines = subprocess.run("set -o pipefail; %s | bin2txt -q --format tsv" % command, shell=True, executable="/bin/bash", check=True, stdout=subprocess.PIPE, text=True).stdout.split("\n")
    return lines[0].split("\t"), np.array([[float(v) for v in line.split("\t")] for line in lines[1:] if line])


def cover(name, tables):
    head, runs = tables[0][0], np.array([t[1] for t in tables])
    v, e = runs[:, :, head.index(name)], runs[:, :, head.index(name + "_se")]
    scatter = v.var(0, ddof=1)
    used = scatter > 1e-12 * np.abs(v).max() ** 2
    off, e = np.abs(v - v.mean(0))[:, used] * math.sqrt(len(v) / (len(v) - 1)), e[:, used]
    known = np.isfinite(e)
    return known.mean(), (off < e)[known].mean(), (off < 2 * e)[known].mean(), math.sqrt((e[known] ** 2).mean() / np.broadcast_to(scatter[used], e.shape)[known].mean())


def test_rows(trials, only):
    bad = 0
    print("system: function, rows with an error, within one and two errors (without the scatter between points), rms(error)/scatter")
    with tempfile.TemporaryDirectory() as work:
        for half, systems in ROWS.items():
            print(half)
            for k, (system, (make, steps, points)) in enumerate(systems.items()):
                if only and system not in only:
                    continue
                rng, got = np.random.default_rng([trials, k, len(half)]), {}
                for _ in range(trials):
                    how, text, commands = make(rng, steps, points)
                    first = "xyz2bin -q --jumps-ok --dt 1 --dtype f64 %s -" % how if text else how
                    subprocess.run("%s -o %s/a" % (first, work), shell=True, check=True, input=text, text=True)
                    for names, command in commands.items():
                        if not text and names == "msd":
                            subprocess.run("unwrap -q %s/a -o %s/u" % (work, work), shell=True, check=True)
                        of = work + ("/u" if not text and names == "msd" else "/a")
                        both = table("%s %s" % (command, of)), table("%s --shard 1/1 %s | frame-merge -q" % (command, of))
                        for name in names.split():
                            got.setdefault(name, []).append(both)
                for name, tables in got.items():
                    (known, one, two, ratio), (_, one0, two0, _) = (cover(name, [t[i] for t in tables]) for i in (0, 1))
                    good = 0.4 < one < 0.95
                    print("  %-20s %-5s %3.0f %%  %3.0f %3.0f (%3.0f %3.0f)  %.2f  %s" % (system, name, 100 * known, 100 * one, 100 * two, 100 * one0, 100 * two0, ratio, "ok" if good else "NOT OK"), flush=True)
                    bad += not good
    return bad > 0


def main():
    warnings.simplefilter("ignore")
    words = [a for a in sys.argv[1:] if a not in ("--alone", "--rows")]
    trials, only, bad = int(words[0]) if words else 60 if rows else 40, words[1:], 0
    if rows:
        return test_rows(trials, only)
    print("process, rms, mean error, pulls, coverage, trials without an error")
    with tempfile.TemporaryDirectory() as work:
        for what, table in (("green-kubo", FLUXES), ("einstein", WALKS)):
            for half in table:
                pulls, ratios = [], []
                print("%s, %s" % (what, half))
                for k, (name, how) in enumerate(table[half].items()):
                    if only and name not in only:
                        continue
                    rng = np.random.default_rng([trials, k, len(half) + len(table)])
                    if what == "green-kubo":
                        got = row(name, (flux(rng, *how) for _ in range(trials)), integral(how[0]), green_kubo, None if alone else stacie, 0, work)
                    else:
                        (walk, d, first), steps, atoms = how
                        got = row(name, (walk(rng, steps, atoms) for _ in range(trials)), d, einstein, None if alone else kinisi, first, work)
                    pulls.append(got[0])
                    ratios.append(got[1])
                if not pulls:
                    continue
                p = np.concatenate(pulls)
                few = 3 / math.sqrt(len(p))
                good = abs(p.mean()) < 0.3 + few and 0.8 - few < p.std() < 1.2 + few and not any(r > 2 for r in ratios)
                print("  %-26s %15s%+.2f +- %.2f  %3.0f %%  %s" % ("all", "", p.mean(), p.std(), 100 * np.mean(abs(p) < 1), "ok" if good else "NOT OK"))
                bad += not good
    return bad > 0


sys.exit(main())
