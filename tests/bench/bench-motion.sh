#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# unwrap, msd-cpu, vacf-cpu from a file to all lags with errors, against numpy's transforms, and
# MDAnalysis's where it is installed, of as many numbers in the same run
set -eu
BIN=${BIN:-$(cd "$(dirname "$0")/../.." && pwd)/build/bin}
PATH=$BIN:$PATH
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
python=${PYTHON:-/usr/bin/python3}
cores=${CORES:-$(nproc)} steps=${STEPS:-20000} rounds=${ROUNDS:-5}
md-cpu -q --atoms 256 --density 0.021 --temperature 90 --steps "$steps" --every 1 -o "$t/w.mbf"
unwrap -q "$t/w.mbf" -o "$t/u.mbf"
md-cpu -q --atoms 1000 --density 0.021 --temperature 90 --steps "$steps" --every 1 --velocities -o "$t/v.mbf"
cat >"$t/peer.py" <<'PY'
import sys, time, warnings
warnings.simplefilter("ignore")
import numpy as np
what, n, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
x = np.cumsum(np.random.default_rng(1).normal(0, 0.02, (steps, n, 3)).astype("f4"), axis=0)
if what == "mdanalysis":
    import MDAnalysis
    from MDAnalysis.analysis.msd import EinsteinMSD
    u = MDAnalysis.Universe.empty(n, trajectory=True)
    u.load_new(x)
    t = (time.perf_counter(), time.process_time())
    EinsteinMSD(u, select="all", msd_type="xyz", fft=True).run()
else:
    t = (time.perf_counter(), time.process_time())
    s2 = np.zeros(steps)
    for k in range(n):
        z = np.fft.rfft(x[:, k, :].T.astype("f8"), 2 * steps)
        s2 += np.fft.irfft((z * z.conj()).real.sum(axis=0))[:steps]
    if what == "msd":
        q = np.append((x.astype("f8") ** 2).sum(axis=(1, 2)), 0)
        total, s1 = 2 * q.sum(), np.zeros(steps)
        for k in range(steps):
            total -= q[k - 1] + q[steps - k]
            s1[k] = total
print(time.perf_counter() - t[0], time.process_time() - t[1])
PY
# wall and processor seconds of a command
seconds() { bash -c 'TIMEFORMAT="%R %U %S"; time "$@" >/dev/null 2>/dev/null' - "$@" 2>&1 | awk '{ print $1, $2 + $3 }'; }
peer() { OMP_NUM_THREADS=1 "$python" -W ignore "$t/peer.py" "$1" "$2" "$steps" 2>/dev/null || echo nan nan; }
median() { sort -g | awk '{ v[NR] = $0 } END { print v[int((NR + 1) / 2)] }'; }
for ((k = 0; k < rounds; k++)); do
    seconds unwrap -q -t "$cores" "$t/w.mbf" -o "$t/o" >>"$t/unwrap"
    seconds msd-cpu -t "$cores" "$t/u.mbf" -o "$t/o" >>"$t/msd"
    seconds msd-cpu -t "$cores" --lags 2000 "$t/u.mbf" -o "$t/o" >>"$t/msd2000"
    seconds vacf-cpu -t "$cores" "$t/v.mbf" -o "$t/o" >>"$t/vacf"
    seconds vacf-cpu -t "$cores" --lags 2000 "$t/v.mbf" -o "$t/o" >>"$t/vacf2000"
    peer mdanalysis 256 >>"$t/mda"
    peer msd 256 >>"$t/numpy-msd"
    peer vacf 1000 >>"$t/numpy-vacf"
done
row() { # NAME FILE PEER...: and how many times as long the peers take, by the clock and in processor time
    local name=$1 us p
    us=$(median <"$t/$2")
    awk -v n="$name" -v us="$us" 'BEGIN { split(us, a); printf "%-34s %7.3f s, %.3f s of processors", n, a[1], a[2] }'
    shift 2
    for p; do awk -v n="$p" -v p="$(median <"$t/$p")" -v us="$us" 'BEGIN { split(us, a); split(p, b)
        if (b[1] != "nan") printf "; %s %.2f, %.2f s: %.1f x, %.1f x", n, b[1], b[2], b[1] / a[1], b[2] / a[2] }'; done
    echo
}
echo "$steps steps, $cores threads, medians of $rounds; peers: one thread, arrays in memory, no errors"
row "unwrap, 256 atoms, file to file" unwrap
row "msd-cpu, 256 atoms, all lags" msd mda numpy-msd
row "msd-cpu, 256 atoms, 2,000 lags" msd2000
row "vacf-cpu, 1,000 atoms, all lags" vacf numpy-vacf
row "vacf-cpu, 1,000 atoms, 2,000 lags" vacf2000 numpy-vacf
