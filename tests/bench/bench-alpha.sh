#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# alpha-cpu, all orders: argon of 256 atoms, and a mesh; against numpy's dense solve alone (its T is
# given), in the same run
set -eu
BIN=${BIN:-$(cd "$(dirname "$0")/../.." && pwd)/build/bin}
PATH=$BIN:$PATH
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
python=${PYTHON:-/usr/bin/python3}
cores=${CORES:-$(nproc)}
steps=${STEPS:-400}
md-cpu -q --atoms 256 --density 0.021 --temperature 90 --steps "$((steps * 10))" --every 10 -o "$t/all.mbf"
frame-cut "0:$steps" "$t/all.mbf" -o "$t/a.mbf"
md-cpu -q --atoms 32000 --density 0.021 --temperature 90 --steps 2 --every 1 -o "$t/many.mbf"
frame-cut 0:2 "$t/many.mbf" -o "$t/m.mbf"
cat >"$t/peer.py" <<'PY'
import time
import numpy as np
n = 3 * 256
a = np.random.default_rng(1).standard_normal((n, n)) * 0.003
a = np.eye(n) / 1.64 - a - a.T
one = np.tile(np.eye(3), (n // 3, 1))
np.linalg.solve(a, one)
t = time.perf_counter()
for _ in range(20):
    one.T @ np.linalg.solve(a, one)
print((time.perf_counter() - t) / 20)
PY
seconds() { local a b; a=$(date +%s%N); "$@" >/dev/null; b=$(date +%s%N); awk -v a="$a" -v b="$b" 'BEGIN { print (b - a) / 1e9 }'; }
median() { sort -g | sed -n 2p; }
for _ in 1 2 3; do
    for th in 1 "$cores"; do
        seconds alpha-cpu -q -t "$th" --polarizability Ar=1.64 "$t/a.mbf" -o "$t/o" >>"$t/a.$th.s"
        seconds alpha-cpu -q -t "$th" --polarizability Ar=1.64 "$t/m.mbf" -o "$t/o" >>"$t/m.$th.s"
    done
    { OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 "$python" "$t/peer.py" 2>/dev/null || echo nan; } >>"$t/peer.s"
done
# of numpy's thread for each of ours
peer=$(median <"$t/peer.s")
printf '%-34s %8s %12s %14s %18s\n' case threads 's a step' '20,000 steps' 'numpy solve/ours'
for th in $(printf '%s\n' 1 "$cores" | sort -nu); do
    median <"$t/a.$th.s" | awk -v n="$steps" -v th="$th" -v p="$peer" \
        '{ s = $1 / n; printf "%-34s %8d %12.5f %14.1f %18.2f\n", "256 atoms, a table and waves", th, s, 20000 * s, th == 1 ? p / s : p / s / th }'
done
for th in $(printf '%s\n' 1 "$cores" | sort -nu); do
    median <"$t/m.$th.s" | awk -v th="$th" '{ printf "%-34s %8d %12.3f\n", "32,000 atoms, a mesh", th, $1 / 2 }'
done
