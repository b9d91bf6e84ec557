#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# fqt-gpu: atoms x vectors x frames a second, file to F(q,t) once the engine is ready; fqt-cpu on
# some of the same frames
set -eu
BIN=${BIN:-$(cd "$(dirname "$0")/../.." && pwd)/build/bin}
PATH=$BIN:$PATH
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
md() { md-gpu -q "$@" 2>/dev/null || md-cpu -q "$@"; }
md --atoms 100000 --density 0.021 --temperature 90 --thermostat berendsen:0.1 --equilibrate 500 --steps 400 --every 2 --velocities -o "$t/many.mbf"
md --atoms 1000 --density 0.021 --temperature 90 --steps 40000 --every 10 -o "$t/small.mbf"
# row NAME ATOMS VECTORS FILE COMMAND...: atom vectors a second (-v), the median of three runs
row() {
    local name=$1 n=$2 v=$3 file=$4
    shift 4
    for _ in 1 2 3; do "$@" --vectors "$v" -v "$file" -o "$t/o" 2>&1; done | sed -n 's/.*: \([0-9]*\) frames.* in \([0-9.]*\) s.*/\1 \2/p; s/.*: \([0-9]*\) frames, [0-9]* bytes, \([0-9.]*\) s,.*/\1 \2/p' |
        awk -v w="$((n * v))" '{ print w * $1 / $2 }' | sort -g | awk -v n="$name" 'NR == 2 { printf "%-56s %9.3e a second\n", n, $1 }'
}
frame-cut 0:20 "$t/many.mbf" -o "$t/few.mbf"
fqt-cpu -q --qmax 4 --vectors 10000 --lags 5 --currents "$t/few.mbf" -o "$t/cpu.fqt"
fqt-gpu -q --qmax 4 --vectors 10000 --lags 5 --currents "$t/few.mbf" -o "$t/gpu.fqt"
compare --rtol 1e-10 --atol 1e-10 "$t/cpu.fqt" "$t/gpu.fqt" | sed 's/^/# /'
row "fqt-gpu, 1e5 atoms, 1e4 vectors, 100 lags" 100000 10000 "$t/many.mbf" fqt-gpu --qmax 4 --lags 100
row "fqt-gpu, 1e5 atoms, 1e4 vectors, 100 lags, currents" 100000 10000 "$t/many.mbf" fqt-gpu --qmax 4 --lags 100 --currents
row "fqt-gpu, 1e5 atoms, 1000 vectors, 100 lags" 100000 1000 "$t/many.mbf" fqt-gpu --qmax 4 --lags 100
row "fqt-gpu, 1000 atoms, 1000 vectors, 100 lags" 1000 1000 "$t/small.mbf" fqt-gpu --qmax 4 --lags 100
row "fqt-cpu, 1e5 atoms, 1e4 vectors, $(nproc) threads" 100000 10000 "$t/few.mbf" fqt-cpu --qmax 4 --lags 5
