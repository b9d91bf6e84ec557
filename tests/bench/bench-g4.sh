#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# correlation functions of 256 argon atoms, 20,000 steps, against a plain multiply-add loop
set -eu
cd "$(dirname "$0")/../.."
O=${O:-$PWD/build} BIN=${BIN:-$PWD/build/bin}
export PATH="$BIN:$PATH" LC_ALL=C
make -s O="$O" "$O/tests/bench/g4_yardstick" >&2
yard=$O/tests/bench/g4_yardstick
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
steps=20000 lags=48 rounds=${ROUNDS:-5} threads=$(nproc)

xyz2bin tests/data/argon256.xyz.gz -o "$work/a.mbf"
"$yard" make "$work/a.mbf" "$work/long.mbf" $steps
"$yard" make "$work/a.mbf" "$work/short.mbf" 1000

md-cpu -q --atoms 100000 --density 0.020954 --thermostat berendsen:0.2 --steps 1000 --every 4 -o "$work/large.mbf"

seconds() { # command...: wall seconds
    local t0 t1
    t0=$(date +%s.%N)
    "$@" >/dev/null
    t1=$(date +%s.%N)
    awk -v a="$t0" -v b="$t1" 'BEGIN { printf "%.4f\n", b - a }'
}
median() { sort -g "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
pipe() { beta-gen --sum mic "$work/long.mbf" | g4-cpu --lags $lags -o "$work/p.cf"; }

# interleaved, so that each sees the same machine; the first round warms the caches and is not
# counted
for r in $(seq 0 "$rounds"); do
    for job in yard fused blocks taper ewald all lists mesh fft pipe; do
        case $job in
        yard) t=$("$yard" time 32640 $steps $lags "$threads" | awk '{ print $1 }') ;;
        fused) t=$(seconds g4-cpu --sum mic --lags $lags "$work/long.mbf" -o "$work/f.cf") ;;
        blocks) t=$(seconds g4-cpu --sum mic --lags $lags --blocks 10 "$work/long.mbf" -o "$work/b.cf") ;;
        taper) t=$(seconds g4-cpu --sum taper --lags $lags "$work/long.mbf" -o "$work/t.cf") ;;
        ewald) [ "$r" -le 2 ] || continue; t=$(seconds g4-cpu --sum ewald --lags $lags "$work/long.mbf" -o "$work/t.cf") ;;
        all) [ "$r" -le 2 ] || continue; t=$(seconds g4-cpu --sum mic --component all --lags $lags "$work/long.mbf" -o "$work/t.cf") ;;
        lists) [ "$r" -le 1 ] || continue; t=$(seconds g4-cpu --sum taper:9,12 --lags $lags "$work/large.mbf" -o "$work/t.cf") ;;
        mesh) [ "$r" -le 1 ] || continue; t=$(seconds g4-cpu --sum ewald --lags $lags "$work/large.mbf" -o "$work/t.cf") ;;
        fft) [ "$r" -le 2 ] || continue; t=$(seconds g4-cpu --sum mic --method fft "$work/long.mbf" -o "$work/all.cf") ;;
        pipe) [ "$r" -le 2 ] || continue; t=$(seconds pipe) ;;
        esac
        [ "$r" -eq 0 ] || echo "$t" >>"$work/$job"
    done
done
base=$(median "$work/fused")
row() { # name, seconds, what it is compared with, its seconds, limit
    awk -v n="$1" -v s="$2" -v w="$3" -v b="$4" -v l="$5" 'BEGIN { printf "%-46s %8.3f s  %6.2f x %-14s (wanted: at most %s)\n", n, s, s / b, w, l }'
}
echo "256 atoms, $steps steps, $lags lags, $threads threads, --sum mic unless named, medians of $rounds interleaved rounds"
printf '%-46s %8.3f s\n' "yardstick: multiply-adds alone, beta in memory" "$(median "$work/yard")"
row "positions from a file to G, G2, G3, G4" "$base" yardstick "$(median "$work/yard")" 1.5
row "the same with 10 blocks" "$(median "$work/blocks")" "no blocks" "$base" 1.5
row "--sum taper" "$(median "$work/taper")" "--sum mic" "$base" 1.15
row "--sum ewald" "$(median "$work/ewald")" "--sum mic" "$base" 4
row "five components" "$(median "$work/all")" "one" "$base" 5
awk -v s="$(median "$work/lists")" 'BEGIN { printf "%-46s %8.3f s  %6.3f s a frame (wanted: at most 0.3)\n", "100,000 atoms, taper:9,12, 250 frames, lists", s, s / 250 }'
awk -v s="$(median "$work/mesh")" 'BEGIN { printf "%-46s %8.3f s  %6.3f s a frame (wanted: at most 0.3)\n", "100,000 atoms, ewald, 250 frames, mesh", s, s / 250 }'
row "all $steps lags by fft" "$(median "$work/fft")" "$lags lags" "$base" 8
row "beta-gen | g4-cpu (2.6 GB of pairs)" "$(median "$work/pipe")" fused "$base" 3
[ "$(frame-check -v "$work/p.cf" | awk '$1 == "content" { print $2 }')" = "$(frame-check -v "$work/f.cf" | awk '$1 == "content" { print $2 }')" ] ||
    { echo "pipe and file differ"; exit 1; }
small=$("$yard" rss g4-cpu --sum mic --lags $lags "$work/short.mbf" -o "$work/s.cf")
large=$("$yard" rss g4-cpu --sum mic --lags $lags "$work/long.mbf" -o "$work/s.cf")
awk -v a="$small" -v b="$large" 'BEGIN { printf "peak memory: %d KiB for 1,000 steps, %d KiB for 20,000 (%.2f x, wanted: 1)\n", a, b, b / a }'
