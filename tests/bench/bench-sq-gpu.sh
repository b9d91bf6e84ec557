#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# sq-gpu, N = 1e6 to 3 1/A: a frame of 1e4 vectors and of all, file to S(q) once the engine is
# ready; sq-cpu on the same frame; small systems
set -eu
BIN=${BIN:-$(cd "$(dirname "$0")/../.." && pwd)/build/bin}
PATH=$BIN:$PATH
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
{ md-gpu -q --atoms 1000000 --density 0.021 --temperature 300 --thermostat berendsen:0.1 --equilibrate 500 --steps 21 --every 1 -o "$t/many.mbf" ||
    md-cpu -q --atoms 1000000 --density 0.021 --temperature 300 --thermostat berendsen:0.1 --equilibrate 500 --steps 21 --every 1 -o "$t/many.mbf"; } 2>/dev/null
frame-cut 0:1 "$t/many.mbf" -o "$t/one.mbf"
md-cpu -q --atoms 256 --density 0.021 --temperature 90 --steps 40000 --every 20 -o "$t/small.mbf"
# row NAME FILE COMMAND...: milliseconds a frame once the engine is ready (-v), the median of five
# runs
row() {
    local name=$1 file=$2
    shift 2
    for _ in 1 2 3 4 5; do "$@" -v "$file" -o "$t/o" 2>&1; done | sed -n 's/.*: \([0-9]*\) frames in \([0-9.]*\) s$/\1 \2/p' |
        awk '{ print 1e3 * $2 / $1 }' | sort -g | awk -v n="$name" 'NR == 3 { printf "%-56s %9.3f ms a frame\n", n, $1 }'
}
sq-cpu --qmax 3 "$t/one.mbf" -o "$t/cpu.sq"
sq-gpu -v --qmax 3 "$t/one.mbf" -o "$t/gpu.sq"
compare --rtol 1e-12 "$t/cpu.sq" "$t/gpu.sq" | sed 's/^/# /'
row "sq-gpu, N = 1e6, 1e4 vectors" "$t/many.mbf" sq-gpu --qmax 3
row "sq-gpu, N = 1e6, 1 vector a shell (reading)" "$t/many.mbf" sq-gpu --qmax 3 --vectors 1
row "sq-cpu, N = 1e6, 1e4 vectors, $(nproc) threads" "$t/many.mbf" sq-cpu --qmax 3
frame-cut 0:2 "$t/many.mbf" -o "$t/two.mbf"
row "sq-gpu, N = 1e6, all 1.1e7 vectors" "$t/two.mbf" sq-gpu --qmax 3 --vectors 100000000
row "sq-gpu, N = 256, all vectors to 3 1/A" "$t/small.mbf" sq-gpu --qmax 3
row "sq-cpu, N = 256, all vectors to 3 1/A, $(nproc) threads" "$t/small.mbf" sq-cpu --qmax 3
