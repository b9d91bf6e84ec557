#!/bin/sh
# SPDX-License-Identifier: MIT
# argon-spectrum.sh [TRAJECTORY.xyz[.gz]]: interaction-induced light scattering of a fluid, from an XYZ
# trajectory to G2, G3, G4 and the depolarised spectrum, as text and as a plot.
# Variables: OUT folder for results (.), G4 program (g4-cpu), TMAX ps (6), BIN folder of programs.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
PATH=${BIN:-$here/../build/bin}:$PATH
input=${1:-$here/../tests/data/argon256.xyz.gz}
out=${OUT:-.}
mkdir -p "$out"

xyz2bin "$input" | "${G4:-g4-cpu}" --tmax "${TMAX:-6}" --component all --blocks 10 -o "$out/cf.mbf"
fft-spectrum --window hann "$out/cf.mbf" -o "$out/spectrum.mbf"
bin2txt "$out/cf.mbf" -o "$out/cf.txt"
bin2txt "$out/spectrum.mbf" -o "$out/spectrum.txt"

echo "Correlation functions ($out/cf.txt):"
grep -v '^##' "$out/cf.txt" | head -n 9
echo "Spectrum ($out/spectrum.txt):"
grep -v '^##' "$out/spectrum.txt" | head -n 9
bin2txt --meta "$out/spectrum.mbf" | grep '^data\.moment' || true

command -v gnuplot >/dev/null || { echo "no gnuplot: no plot"; exit 0; }
gnuplot <<PLOT
set terminal pngcairo size 1200,500 font "sans,11"
set output "$out/spectrum.png"
set multiplot layout 1,2
set xlabel "t / ps"; set ylabel "G(t)"; set key top right; set xrange [0:3]; set grid
plot "$out/cf.txt" using "t_ps":"G2" with lines lw 2 title "G_2 (pairs)", \
     "" using "t_ps":"G3" with lines lw 2 title "G_3 (triplets)", \
     "" using "t_ps":"G4" with lines lw 2 title "G_4 (quadruplets)", \
     "" using "t_ps":"G" with lines lw 3 lc "black" title "G = G_2 + G_3 + G_4"
set xlabel "wave number / cm^{-1}"; set ylabel "I({/Symbol n}) / cm"; set logscale y
set xrange [0:120]; set format y "10^{%T}"
plot "$out/spectrum.txt" using 1:(\$2 > 0 ? \$2 : NaN) with lines lw 3 lc "black" title "spectrum, I"
PLOT
echo "Plot: $out/spectrum.png"
