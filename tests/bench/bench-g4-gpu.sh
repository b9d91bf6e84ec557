#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# correlation functions on the GPU: kernels, methods, scaling, the published scheme, and whole
# programs. Checked before timed. LONG=1 adds N = 10,000 over 15,000 steps.
set -eu
cd "$(dirname "$0")/../.."
O=${O:-$PWD/build} BIN=${BIN:-$PWD/build/bin}
export PATH="$BIN:$PATH" LC_ALL=C
ladder=$O/tests/bench/g4_ladder
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$ladder" check | tail -n 1

echo "# device time, positions on the device, all four functions, sums in f64; --sum mic, lists and their all pairs taper, mesh ewald"
for n in 60 108 256 864 4000; do "$ladder" time "$n" $((n > 1000 ? 2048 : 20000)) 48; done
for lags in 1 16 96 192; do "$ladder" time 256 20000 "$lags"; done
"$ladder" time 10000 "$([ "${LONG:-0}" = 1 ] && echo 15000 || echo 2048)" 48
"$ladder" sums 256 20000 48
for n in 4000 8000 50000 100000; do "$ladder" lists $n 2048 48; done
for n in 500000 1000000; do "$ladder" lists $n 512 48; done
for n in 4000 100000; do "$ladder" mesh $n 2048 48; done
"$ladder" mesh 1000000 1024 48
"$ladder" fft 256 20000
"$ladder" fft 256 20000 10
"$ladder" direct 256 801 4

echo "# whole programs, seconds: 256 atoms, 20,000 steps, 48 lags, --sum mic"
seconds() { # command...
    local t0 t1
    t0=$(date +%s.%N)
    "$@" >/dev/null
    t1=$(date +%s.%N)
    awk -v a="$t0" -v b="$t1" 'BEGIN { printf "%.3f\n", b - a }'
}
best() { # of three
    for _ in 1 2 3; do seconds "$@"; done | sort -g | head -n 1
}
engine() { # of three: what -v says, without the start
    for _ in 1 2 3; do "$@" -v 2>&1 >/dev/null | sed -n 's/.* frames in \([0-9.]*\) s$/\1/p'; done | sort -g | head -n 1
}
xyz2bin tests/data/argon256.xyz.gz -o "$work/a.mbf"
frame-cut 0:1000 "$work/a.mbf" -o "$work/k.mbf"
for _ in $(seq 20); do cat "$work/k.mbf"; done >"$work/many.mbf"
frame-cat --jumps close "$work/many.mbf" -o "$work/long.mbf"
frame-cut 0:50 "$work/a.mbf" -o "$work/short.mbf"
start=$(best g4-gpu --sum mic --lags 48 "$work/short.mbf")
read=$(best frame-check "$work/long.mbf")
gpu=$(best g4-gpu --sum mic --lags 48 "$work/long.mbf")
cpu=$(best g4-cpu --sum mic --lags 48 "$work/long.mbf")
one=$(best g4-cpu -t 1 --sum mic --lags 48 "$work/long.mbf")
gpu_engine=$(engine g4-gpu --sum mic --lags 48 "$work/long.mbf")
cpu_engine=$(engine g4-cpu --sum mic --lags 48 "$work/long.mbf")
one_engine=$(engine g4-cpu -t 1 --sum mic --lags 48 "$work/long.mbf")
awk -v s="$start" -v r="$read" -v g="$gpu" -v c="$cpu" -v o="$one" -v n="$(nproc)" 'BEGIN {
    printf "start and context %s, verified read %s, g4-gpu %s: %.2f of start + read\n", s, r, g, g / (s + r)
    printf "g4-cpu %s threads %s, one thread %s: g4-gpu is %.1f and %.1f times as fast\n", n, c, o, c / g, o / g }'
awk -v g="$gpu_engine" -v c="$cpu_engine" -v o="$one_engine" 'BEGIN {
    printf "without starts (-v): g4-gpu %s, g4-cpu %s, one thread %s: %.0f and %.0f times as fast\n", g, c, o, c / g, o / g }'
g4-gpu --sum mic --lags 48 "$work/long.mbf" -o "$work/g1"
g4-gpu --sum mic --lags 48 "$work/long.mbf" -o "$work/g2"
cmp "$work/g1" "$work/g2" && echo "two runs: the same bytes"
g4-cpu --sum mic --lags 48 "$work/long.mbf" | compare --rtol 1e-10 --atol 1e-10 - "$work/g1" | tail -n 1
