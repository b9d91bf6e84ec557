#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# sq-cpu from a file to S(q), against numpy's sum (and dynasor's, where it is installed) over the
# same number of vectors in the same run
set -eu
BIN=${BIN:-$(cd "$(dirname "$0")/../.." && pwd)/build/bin}
PATH=$BIN:$PATH
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
python=${PYTHON:-/usr/bin/python3}
cores=${CORES:-$(nproc)}
md-cpu -q --atoms 10000 --density 0.021 --temperature 90 --steps 21 --every 1 -o "$t/ten.mbf"
frame-cut 0:1 "$t/ten.mbf" -o "$t/one.mbf"
vectors=$(sq-cpu -t 1 --qmax 3 --vectors 2000 "$t/one.mbf" | bin2txt | awk '!/^#/ { n += $2 } END { print n }')
bin2txt "$t/one.mbf" >"$t/r.txt"
cat >"$t/peer.py" <<'PY'
import sys, time, warnings
warnings.simplefilter("ignore")
import numpy as np
n, path = int(sys.argv[1]), sys.argv[2]
r = np.loadtxt(path, comments="#")[:, -3:]
q = (np.random.default_rng(1).integers(-36, 37, (n, 3)) * (2 * np.pi / 78.09)).astype(float)
if sys.argv[3] == "numpy":
    t = time.perf_counter()
    rho = np.concatenate([np.exp(1j * (r @ q[k:k + 100].T)).sum(axis=0) for k in range(0, n, 100)])
    s = (abs(rho) ** 2).mean() / len(r)
else:
    from dynasor.core.reciprocal import calc_rho_q
    calc_rho_q(r[:100], q[:10])
    t = time.perf_counter()
    rho = calc_rho_q(r, q)
print(time.perf_counter() - t)
PY
seconds() { local a b; a=$(date +%s%N); "$@" >/dev/null; b=$(date +%s%N); awk -v a="$a" -v b="$b" 'BEGIN { print (b - a) / 1e9 }'; }
peer() { "$python" -W ignore "$t/peer.py" "$vectors" "$t/r.txt" "$1" 2>/dev/null || echo nan; }
median() { sort -g | sed -n 3p; }
for _ in 1 2 3 4 5; do
    for th in 1 "$cores"; do
        seconds sq-cpu -t "$th" --qmax 3 --vectors 2000 "$t/one.mbf" -o "$t/o" >>"$t/one.$th"
        seconds sq-cpu -t "$th" --qmax 3 --vectors 2000 "$t/ten.mbf" -o "$t/o" >>"$t/ten.$th"
    done
    peer numpy >>"$t/numpy"
    peer dynasor >>"$t/dynasor"
done
awk -v n="$vectors" -v c="$cores" -v one="$(median <"$t/one.1")" -v many="$(median <"$t/one.$cores")" -v a="$(median <"$t/ten.1")" -v b="$(median <"$t/ten.$cores")" \
    -v numpy="$(median <"$t/numpy")" -v dynasor="$(median <"$t/dynasor")" 'BEGIN {
    printf "10,000 atoms, %d vectors, medians of five\n", n
    printf "%-44s %9.4f s\n", "sq-cpu, a frame, file to S(q)", many
    printf "%-44s %9.4f s one thread, %.4f s %d threads: %.2f x\n", "sq-cpu, 20 frames more, a frame", (a - one) / 20, (b - many) / 20, c, (a - one) / (b - many)
    printf "%-44s %9.4f s  %.0f x the program, %.0f x a frame of many\n", "numpy, exp(i q r), a frame, the sum alone", numpy, numpy / many, numpy / ((b - many) / 20)
    if (dynasor != "nan") printf "%-44s %9.4f s  %.0f x the program, %.0f x a frame of many\n", "dynasor, calc_rho_q, the sum alone", dynasor, dynasor / many, dynasor / ((b - many) / 20) }'
