#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# molecular dynamics on the GPU: steps a second by size, list builds and samples included, and a
# live pipe to g4-gpu
set -eu
cd "$(dirname "$0")/../.."
O=${O:-$PWD/build} BIN=${BIN:-$PWD/build/bin}
export PATH="$BIN:$PATH" LC_ALL=C
ladder=$O/tests/bench/md_ladder # the engine under its own driver: it looks inside
"$ladder" wait
"$ladder" time

# 17 systems' worth of one: a simulation with somebody listening, against the simulation alone
argon="--atoms 256 --density 0.020955 --steps ${STEPS:-1000000} --every 50"
seconds() { # command: wall seconds
    local t0 t1
    t0=$(date +%s.%N)
    sh -c "$1"
    t1=$(date +%s.%N)
    awk -v a="$t0" -v b="$t1" 'BEGIN { printf "%.3f\n", b - a }'
}
for _ in 1 2 3; do
    alone="${alone:-} $(seconds "md-gpu $argon >/dev/null")"
    live="${live:-} $(seconds "md-gpu $argon | g4-gpu --sum taper --tmax 6 >/dev/null")"
done
echo "$alone;$live" | awk -F';' '{ n = split($1, a, " "); split($2, b, " "); x = y = 1e9
    for (k = 1; k <= n; k++) { if (a[k] < x) x = a[k]; if (b[k] < y) y = b[k] }
    printf "live pipe md-gpu | g4-gpu --sum taper, 256 atoms: %.3f s against %.3f s alone: %+.1f %% (target: 10 %%)\n", y, x, 100 * (y / x - 1) }'

# 10^8 atoms, and g(r) of them while they move: memory stated and seen, the rate
free=$(nvidia-smi --query-gpu=memory.free --format=csv,noheader,nounits | head -n 1)
if [ "$free" -gt 70000 ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    (while sleep 0.5; do nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits | head -n 1; done >"$work/used") &
    watch=$!
    md-gpu -v --units lj --atoms 100000000 --density 0.8442 --temperature 0.72 --steps 1000 --every 250 2>"$work/md" |
        rdf-gpu -q --rmax 4 --bins 400 | bin2txt >"$work/g.txt"
    kill $watch
    grep -h 'GiB\|steps in' "$work/md"
    sort -n "$work/used" | tail -n 1 | sed 's/$/ MiB of GPU memory at most, rdf-gpu and the driver included/'
else
    echo "10^8 atoms: skipped, $free MiB are free and 70,000 are needed"
fi
