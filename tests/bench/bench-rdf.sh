#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# rdf-cpu from a file to a histogram, against MDAnalysis distances + numpy histogram in the same run
# (medians of 3)
set -eu
BIN=${BIN:-$(cd "$(dirname "$0")/../.." && pwd)/build/bin}
PATH=$BIN:$PATH
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
python=${PYTHON:-/usr/bin/python3}
UNIFORM=$(<"$(dirname "$0")/../random.awk")
gas() { # atoms, edge: an ideal gas at the density of liquid argon
    awk -v n="$1" -v L="$2" "$UNIFORM"'BEGIN { seed(1); printf "%d\nLattice=\"%s 0 0 0 %s 0 0 0 %s\" Properties=species:S:1:pos:R:3\n", n, L, L, L
        for (i = 0; i < n; i++) printf "Ar %.5f %.5f %.5f\n", L * uniform(), L * uniform(), L * uniform() }'
}
gas 20000 97.9 | xyz2bin - -o "$t/all.mbf"
gas 100000 167.4 | xyz2bin - -o "$t/cut.mbf"
cat >"$t/peer.py" <<'PY'
import sys, time, warnings
warnings.simplefilter("ignore")
import numpy as np
from MDAnalysis.lib.distances import self_capped_distance, self_distance_array
n, edge, rmax = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
x = (np.random.default_rng(1).random((n, 3)) * edge).astype(np.float32)
box = np.array([edge] * 3 + [90] * 3, dtype=np.float32)
t = time.perf_counter()
if rmax > 20:
    d = self_distance_array(x, box=box)
else:
    d = self_capped_distance(x, rmax, box=box, return_distances=True)[1]
h = np.histogram(d, bins=1000, range=(0, rmax))
print(time.perf_counter() - t)
PY
seconds() { local a b; a=$(date +%s%N); "$@" >/dev/null; b=$(date +%s%N); awk -v a="$a" -v b="$b" 'BEGIN { print (b - a) / 1e9 }'; }
peer() { "$python" -W ignore "$t/peer.py" "$@" 2>/dev/null || echo nan; }
median() { sort -g | sed -n 2p; }
for _ in 1 2 3; do
    seconds rdf-cpu --bins 1000 "$t/all.mbf" -o "$t/h" >>"$t/a"
    peer 20000 97.9 48.95 >>"$t/pa"
    seconds rdf-cpu --bins 1000 --rmax 12 "$t/cut.mbf" -o "$t/h" >>"$t/c"
    peer 100000 167.4 12 >>"$t/pc"
    seconds rdf-cpu -t 1 --bins 1000 --rmax corner "$t/all.mbf" -o "$t/h" >>"$t/o"
done
row() { awk -v n="$1" -v us="$(median <"$2")" -v them="$(median <"$3")" -v pairs="$4" 'BEGIN {
    printf "%-44s %9.4f s %9.3f s %8.1f x  %.3g pairs/s\n", n, us, them, them / us, pairs / us }'; }
printf '%-44s %11s %11s %10s\n' "whole program from a file" "rdf-cpu" "MDAnalysis" "ratio"
row "N = 20,000, half, all pairs" "$t/a" "$t/pa" 199990000
row "N = 100,000, 12 A" "$t/c" "$t/pc" 4999950000
awk -v s="$(median <"$t/o")" 'BEGIN { printf "%-44s %9.4f s %35.3g pairs/s\n", "N = 20,000, corner, one thread", s, 199990000 / s }'
