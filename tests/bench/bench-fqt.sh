#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# fqt-cpu from a file to F(q,t), one thread, user time: waves, all lags of the self part, a long run
# of 14,400 atoms; numpy and dynasor beside it
set -eu
BIN=${BIN:-$(cd "$(dirname "$0")/../.." && pwd)/build/bin}
PATH=$BIN:$PATH
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
python=${DYNASOR:-${PYTHON:-/usr/bin/python3}}
md="md-cpu -q --density 0.0211 --temperature 90"
$md --atoms 13500 --steps 60 --every 1 -o "$t/large.mbf"
$md --atoms 256 --thermostat berendsen:0.5 --equilibrate 4000 --steps 40000 --every 2 -o "$t/long.mbf"
cat >"$t/peer.py" <<'PY'
# seconds of processor time of WHAT: waves of 13,500 atoms and 200 vectors; products of single
# atoms, 256 x 100 vectors x 200 lags
import sys, time, warnings
warnings.simplefilter("ignore")
import numpy as np
random = np.random.default_rng(1)
r, q, x, few = random.random((13500, 3)) * 80, random.random((200, 3)) * 2, random.random((200, 3, 256)) * 2, random.random((100, 3))
if sys.argv[1].startswith("dynasor"):
    import numba
    from dynasor.core.reciprocal import calc_rho_q, _calc_rho_q_incoherent
    numba.set_num_threads(1)
    work = {"dynasor-waves": lambda: calc_rho_q(r, q), "dynasor-self": lambda: _calc_rho_q_incoherent(x, few)}[sys.argv[1]]
    work()
else:
    e = np.exp(1j * np.einsum("tia,qi->tqa", x, few))
    work = {"numpy-waves": lambda: np.exp(1j * (r @ q.T)).sum(axis=0), "numpy-self": lambda: [(np.conj(e[0]) * y).real.sum(axis=1) for y in e]}[sys.argv[1]]
best = 1e9
for _ in range(5):
    t = time.process_time()
    work()
    best = min(best, time.process_time() - t)
print(best)
PY
peer() { OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 "$python" -W ignore "$t/peer.py" "$1" 2>/dev/null || echo nan; }
# user COMMAND: user seconds, least of three, and the most memory, MiB
user() {
    for _ in 1 2 3; do
        /usr/bin/time -f '%U %M' -o "$t/time" "$@" -o "$t/out"
        cat "$t/time"
    done | sort -n | awk 'NR == 1 { u = $1 } { m = $2 > m ? $2 : m } END { print u, m / 1024 }'
}
vectors() { bin2txt --meta "$t/out" | awk '$1 == "data.axis2.vectors" { for (i = 2; i <= NF; i++) n += $i } END { print n }'; }
row() { printf '%-66s %s\n' "$1" "$2"; }
rate() { awk -v n="$1" -v s="$2" 'BEGIN { printf "%.2g", n / s }'; }
read -r u _ <<<"$(user fqt-cpu -q -t 1 --qmax 3 --lags 20 "$t/large.mbf")"
row "13,500 atoms, $(vectors) vectors, 20 lags: atom q frames/s" "$(rate $((13500 * 60 * $(vectors))) "$u")"
for k in numpy dynasor; do row "  $k, the sum over atoms alone" "$(rate $((13500 * 200)) "$(peer $k-waves)")"; done
read -r u m <<<"$(user fqt-cpu -q -t 1 --qmax 3 --lags 1000 "$t/long.mbf")"
row "256 atoms, 20,000 frames, $(vectors) vectors, 1000 lags: the same" "$(rate $((256 * 20000 * $(vectors))) "$u"), $(printf %.0f "$m") MiB"
# shellcheck disable=SC2054 # a word of fqt-cpu
o=(-q -t 1 --direction 1,0,0 --qmax 1.1 "$t/long.mbf")
for b in "" "--blocks 1"; do
    # shellcheck disable=SC2086
    read -r none _ <<<"$(user fqt-cpu $b "${o[@]}")"
    # shellcheck disable=SC2086
    read -r u m <<<"$(user fqt-cpu $b --self "${o[@]}")"
    ns=$(awk -v a="$u" -v b="$none" -v n="$((256 * 20000 * $(vectors)))" 'BEGIN { printf "%.1f", 1e9 * (a - b) / n }')
    row "F_s, all 20,000 lags, ${b:-blocks for errors}: ns an atom, vector, frame" "$ns"
    for k in numpy dynasor; do
        row "  as many lags one by one by $k" "$(awk -v ns="$ns" -v s="$(peer $k-self)" 'BEGIN { if (s == "nan") print s; else printf "%.1f (%.2f ns a lag)", ns / (1e9 * s / (256 * 100 * 200)), 1e9 * s / (256 * 100 * 200) }')"
    done
done
# 14,400 atoms, 425,000 frames, 1000 lags: two slices of a run, their difference a frame, the memory
# of the window
$md --atoms 13500 --steps 600 --every 1 -o "$t/slice.mbf"
read -r u m <<<"$(user fqt-cpu -q -t 1 --qmax 2 --vectors 1000 --lags 100 "$t/slice.mbf")"
row "13,500 atoms, 600 frames, $(vectors) vectors, 100 lags: s a frame, MiB" "$(awk -v u="$u" -v m="$m" 'BEGIN { printf "%.4f, %.0f", u / 600, m }')"
row "  so 14,400 x 425,000: hours of one thread" "$(awk -v u="$u" 'BEGIN { printf "%.1f", u / 600 * 14400 / 13500 * 425000 / 3600 }')"
