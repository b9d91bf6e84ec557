#!/bin/sh
# SPDX-License-Identifier: MIT
# dawid-figures.sh: data and plots of Figures 5, 6 and 7 of Dawid 2019: speed-up of g4-gpu over g4-cpu, on all cores and on
# one, against the number of atoms and against the memory load (of the paper's table of beta), and the relative error of G4.
# cpu_s, cpu_one_core_s and gpu_s are what option -v says: reading and computing once the engine is ready; wall_s is the whole
# program g4-gpu, with the start of CUDA.
# Variables: SYSTEMS (17 numbers of atoms), STEPS (1000000 MD steps, a frame in 50), EQUILIBRATE (100000), OUT (.), BIN.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
PATH=${BIN:-$here/../build/bin}:$PATH
out=${OUT:-.} steps=${STEPS:-1000000}
systems=${SYSTEMS:-60 72 84 96 108 120 132 144 156 168 180 192 204 216 228 242 256}
mkdir -p "$out"
density=$(echo 256 | awk '{ printf "%.10f", $1 / 23.03154 ^ 3 }')
seconds() { a=$(date +%s%N) && "$@" >/dev/null && echo "$(($(date +%s%N) - a))" | awk '{ print $1 / 1e9 }'; }
for md in md-gpu md-cpu none; do # --steps 1 asks whether it runs here
    [ $md = none ] || ! "$md" --atoms 108 --density "$density" --steps 1 --every 1 -o "$out/one.mbf" 2>/dev/null || break
done
[ $md != none ] || { echo "dawid-figures: neither md-gpu nor md-cpu runs" >&2; exit 3; }
g4-gpu --lags 1 "$out/one.mbf" -o "$out/cf.mbf" # the GPU must answer, and its clocks wake up
engine() { "$@" -v 2>&1 >/dev/null | sed -n 's/.* frames in \([0-9.]*\) s$/\1/p'; }
row() { # LABEL FILE OPTION...: a line of a table; both results stay in cpu.mbf and gpu.mbf
    label=$1 file=$2
    shift 2
    all=$(engine g4-cpu "$@" "$file" -o "$out/cpu.mbf") one=$(engine g4-cpu -t 1 "$@" "$file" -o "$out/cpu.mbf")
    wall=$(seconds g4-gpu -q "$@" "$file" -o "$out/gpu.mbf") gpu=$(engine g4-gpu "$@" "$file" -o "$out/gpu.mbf")
    echo "$label $all $one $wall $gpu" | awk '{ print $1, $2, $3, $4, $5, $6, $3 / $6, $4 / $6, $3 / $5, $4 / $5 }'
}
echo "# atoms pairs cpu_s cpu_one_core_s wall_s gpu_s speedup speedup_one_core wall_speedup wall_speedup_one_core" >"$out/fig5.txt"
for n in $systems; do
    "$md" -q --atoms "$n" --density "$density" --temperature 90 --thermostat berendsen:0.5 \
        --equilibrate "${EQUILIBRATE:-100000}" --steps "$steps" -o "$out/n.mbf"
    row "$n $((n * (n - 1) / 2))" "$out/n.mbf" --lags 48 >>"$out/fig5.txt"
done
echo "# origins table_MB cpu_s cpu_one_core_s wall_s gpu_s speedup speedup_one_core wall_speedup wall_speedup_one_core" >"$out/fig6.txt"
frames=$((steps / 50))
for k in 1 2 3 4 6 8 10 12 14 16 18; do # twentieths of the frames
    origins=$((frames * k / 20 > 48 ? frames * k / 20 - 47 : 1))
    row "$origins $((n * (n - 1) / 2 * origins * 4 / 1000000))" "$out/n.mbf" --lags 48 --origins "$origins" >>"$out/fig6.txt"
done
bin2txt "$out/cpu.mbf" -o "$out/cpu.txt"
bin2txt "$out/gpu.mbf" | paste "$out/cpu.txt" - | awk 'BEGIN { print "# t_ps error_of_G4_percent the_same_of_G2(0)" }
    /^# t_ps/ { c = NF - 1; for (i = 2; i <= NF && !f; i++) { if ($i == "G4") f = i - 1; if ($i == "G2") g = i - 1; if ($i == "#") c = i - 2 } next }
    /^#/ { next } { if (!z) z = $g; d = $f - $(f + NF / 2); if (d < 0) d = -d; print $1, 100 * d / ($f < 0 ? -$f : $f), 100 * d / z }' >"$out/fig7.txt"
command -v gnuplot >/dev/null || { echo "no gnuplot: no plots"; exit 0; }
gnuplot -e "o='$out/'" "$here/dawid-figures.gp"
echo "Tables: $out/fig5.txt fig6.txt fig7.txt; plot: $out/dawid.png"
