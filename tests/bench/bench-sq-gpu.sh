#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# sq-gpu, N = 1e6 to 3 1/A: a frame of 1e4 vectors and of all, file to S(q) as a difference of runs; sq-cpu on the same frame; small systems
set -eu
BIN=${BIN:-$(cd "$(dirname "$0")/../.." && pwd)/build/bin}
PATH=$BIN:$PATH
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
{ md-gpu -q --atoms 1000000 --density 0.021 --temperature 300 --thermostat berendsen:0.1 --equilibrate 500 --steps 21 --every 1 -o "$t/many.mbf" ||
    md-cpu -q --atoms 1000000 --density 0.021 --temperature 300 --thermostat berendsen:0.1 --equilibrate 500 --steps 21 --every 1 -o "$t/many.mbf"; } 2>/dev/null
frame-cut 0:1 "$t/many.mbf" -o "$t/one.mbf"
md-cpu -q --atoms 256 --density 0.021 --temperature 90 --steps 40000 --every 20 -o "$t/small.mbf"
seconds() { local a b; a=$(date +%s%N); "$@" >/dev/null 2>&1; b=$(date +%s%N); awk -v a="$a" -v b="$b" 'BEGIN { print (b - a) / 1e9 }'; }
median() { sort -g | sed -n 3p; }
# row NAME FRAMES FILE OPTION...: milliseconds a frame over FRAMES frames more than the file of one
row() {
    local name=$1 frames=$2 file=$3
    shift 3
    rm -f "$t/one.s" "$t/many.s"
    for _ in 1 2 3 4 5; do
        seconds "$@" "$t/one.mbf" -o "$t/o" >>"$t/one.s"
        seconds "$@" "$file" -o "$t/o" >>"$t/many.s"
    done
    awk -v n="$name" -v f="$frames" -v a="$(median <"$t/one.s")" -v b="$(median <"$t/many.s")" 'BEGIN { printf "%-56s %9.3f ms a frame\n", n, 1e3 * (b - a) / f }'
}
sq-cpu --qmax 3 "$t/one.mbf" -o "$t/cpu.sq"
sq-gpu -v --qmax 3 "$t/one.mbf" -o "$t/gpu.sq"
compare --rtol 1e-12 "$t/cpu.sq" "$t/gpu.sq" | sed 's/^/# /'
row "sq-gpu, N = 1e6, 1e4 vectors" 20 "$t/many.mbf" sq-gpu --qmax 3
row "sq-gpu, N = 1e6, 1 vector a shell (reading)" 20 "$t/many.mbf" sq-gpu --qmax 3 --vectors 1
row "sq-cpu, N = 1e6, 1e4 vectors, $(nproc) threads" 20 "$t/many.mbf" sq-cpu --qmax 3
frame-cut 0:2 "$t/many.mbf" -o "$t/two.mbf"
row "sq-gpu, N = 1e6, all 1.1e7 vectors" 1 "$t/two.mbf" sq-gpu --qmax 3 --vectors 100000000
frame-cut 0:1 "$t/small.mbf" -o "$t/one.mbf"
row "sq-gpu, N = 256, all vectors to 3 1/A" 2000 "$t/small.mbf" sq-gpu --qmax 3
row "sq-cpu, N = 256, all vectors to 3 1/A, $(nproc) threads" 2000 "$t/small.mbf" sq-cpu --qmax 3
