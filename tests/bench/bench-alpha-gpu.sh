#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# alpha-gpu, all orders: 256 atoms, molecules of three sites, 1e5 atoms by a mesh, file to Pi once
# the engine is ready; alpha-cpu on some of the same frames
set -eu
BIN=${BIN:-$(cd "$(dirname "$0")/../.." && pwd)/build/bin}
PATH=$BIN:$PATH
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
md() { md-gpu -q "$@" 2>/dev/null || md-cpu -q "$@"; }
md --atoms 256 --density 0.021 --temperature 90 --steps 200000 --every 10 -o "$t/atoms.mbf"
# molecules of three sites: neighbours of a liquid, which a model does not know to be none
md --atoms 3000 --density 0.021 --temperature 90 --steps 4000 --every 20 -o "$t/many.mbf"
md --atoms 100000 --density 0.021 --temperature 90 --thermostat berendsen:0.1 --equilibrate 500 --steps 200 --every 10 -o "$t/large.mbf"
printf 'molecule M Ar Ar Ar\n  site 1 1.1\n  site 2 0.8 0.8 1.6 frame 1-2\n  site 3 1.1 0.9 0.7 frame 1-2,3\n' >"$t/model"
# row NAME FILE COMMAND...: milliseconds a frame once the engine is ready (-v), the median of three
# runs
row() {
    local name=$1 file=$2
    shift 2
    for _ in 1 2 3; do "$@" -v "$file" -o "$t/o" 2>&1; done | sed -n 's/.*: \([0-9]*\) frames in \([0-9.]*\) s$/\1 \2/p' |
        awk '{ print 1e3 * $2 / $1 }' | sort -g | awk -v n="$name" 'NR == 2 { printf "%-56s %9.4f ms a frame\n", n, $1 }'
}
frame-cut 0:200 "$t/atoms.mbf" -o "$t/few.mbf"
alpha-cpu --polarizability Ar=1.64 "$t/few.mbf" -o "$t/cpu.pi"
alpha-gpu --polarizability Ar=1.64 "$t/few.mbf" -o "$t/gpu.pi"
compare --rtol 1e-9 --atol 1e-7 "$t/cpu.pi" "$t/gpu.pi" | sed 's/^/# /'
row "alpha-gpu, 256 atoms, all orders" "$t/atoms.mbf" alpha-gpu --polarizability Ar=1.64
row "alpha-cpu, 256 atoms, all orders, $(nproc) threads" "$t/few.mbf" alpha-cpu --polarizability Ar=1.64
row "alpha-gpu, 1000 molecules of three sites" "$t/many.mbf" alpha-gpu --model "$t/model" --thole 2.1304
row "alpha-gpu, 1e5 atoms by a mesh" "$t/large.mbf" alpha-gpu --polarizability Ar=1.64
frame-cut 0:2 "$t/many.mbf" -o "$t/two.mbf"
row "alpha-cpu, 1000 molecules of three sites, $(nproc) threads" "$t/two.mbf" alpha-cpu --model "$t/model" --thole 2.1304
