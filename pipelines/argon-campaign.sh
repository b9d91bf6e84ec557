#!/bin/sh
# SPDX-License-Identifier: MIT
# argon-campaign.sh: the study of A. Dawid (2019): argon at rho* 0.8236, 90 K, in 17 systems of 60 to 256 atoms, 10^6 steps to
# equilibrate and 10^6 to record, one frame in 50; then G2, G3, G4 and spectra of all, a table and a plot.
# Variables: SIZES, EQUILIBRATE and STEPS (1000000 each), EVERY (50), TMAX ps (6), OUT (.), BIN, MD (md-cpu), G4 (g4-cpu).
# KEEP=1 keeps the trajectories. A demonstration: SIZES="60 108" EQUILIBRATE=2000 STEPS=10000 TMAX=2 argon-campaign.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
PATH=${BIN:-$here/../build/bin}:$PATH
out=${OUT:-.}
mkdir -p "$out"
echo "# N pairs frames T_K G2 G3 G4 G G_se" >"$out/campaign.txt"
plot=""
for n in ${SIZES:-60 64 72 84 96 108 120 132 144 156 168 180 196 210 225 240 256}; do
    run=$out/argon-$n
    "${MD:-md-cpu}" --atoms "$n" --density 0.02095452 --cutoff half --thermostat berendsen:0.5 --seed "$n" \
        --equilibrate "${EQUILIBRATE:-1000000}" --steps "${STEPS:-1000000}" --every "${EVERY:-50}" \
        --thermo "$run.thermo.txt" -o "$run.mbf"
    "${G4:-g4-cpu}" --tmax "${TMAX:-6}" --component all --blocks 10 "$run.mbf" -o "$run.cf.mbf"
    fft-spectrum -q --window hann "$run.cf.mbf" | bin2txt -o "$run.spectrum.txt"
    bin2txt "$run.cf.mbf" -o "$run.cf.txt"
    t=$(awk '!/^#/ { s += $3; k++ } END { printf "%.2f", s / k }' "$run.thermo.txt")
    awk -v n="$n" -v t="$t" '/^# /{ for (i = 2; i <= NF; i++) c[$i] = i - 1; next } /^#/{ next }
        { print n, n * (n - 1) / 2, $c["origins"], t, $c["G2"] / n, $c["G3"] / n, $c["G4"] / n, $c["G"] / n, $c["G_se"] / n; exit }' \
        "$run.cf.txt" | tee -a "$out/campaign.txt" | sed 's/^/N, pairs, frames, T, G2 G3 G4 G G_se an atom: /'
    plot="$plot${plot:+, }'$run.spectrum.txt' using 1:(\$2 > 0 ? \$2 / $n : NaN) with lines title '$n'"
    [ "${KEEP:-0}" = 1 ] || rm "$run.mbf"
done
command -v gnuplot >/dev/null || { echo "no gnuplot: no plot"; exit 0; }
gnuplot <<PLOT
set terminal pngcairo size 1200,500 font "sans,11"
set output "$out/campaign.png"
set multiplot layout 1,2
set xlabel "N"; set ylabel "G(0) / N"; set grid; set key center right
plot for [c in "G2 G3 G4 G"] "$out/campaign.txt" using 1:(column(c eq "G2" ? 5 : c eq "G3" ? 6 : c eq "G4" ? 7 : 8)) with linespoints title c
set xlabel "wave number / cm^{-1}"; set ylabel "I / N"; set logscale y; set xrange [0:120]; set format y "10^{%T}"; set key top right
plot $plot
PLOT
echo "Table: $out/campaign.txt   plot: $out/campaign.png"
