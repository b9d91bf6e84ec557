#!/bin/sh
# SPDX-License-Identifier: MIT
# argon-spectrum.sh [TRAJECTORY.xyz[.gz]]: interaction-induced light scattering of a fluid, from an XYZ
# trajectory to G2, G3, G4 and the depolarised spectrum with standard errors, as text and as a plot.
# Variables: OUT folder for results (.), G4 program (g4-cpu), TMAX ps (6), BIN folder of programs.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
PATH=${BIN:-$here/../build/bin}:$PATH
input=${1:-$here/../tests/data/argon256.xyz.gz}
out=${OUT:-.}
mkdir -p "$out"

xyz2bin "$input" | "${G4:-g4-cpu}" --tmax "${TMAX:-6}" --component all --blocks 10 -o "$out/cf.mbf"
fft-spectrum -q --window hann --pad 4 "$out/cf.mbf" -o "$out/spectrum.mbf"
bin2txt "$out/cf.mbf" -o "$out/cf.txt"
bin2txt "$out/spectrum.mbf" -o "$out/spectrum.txt"

show='/^# / { $1 = ""; for (i = 2; i <= 10; i++) printf "%10s", $i } /^[0-9]/ { for (i = 1; i <= 9; i++) printf "%10.4g", $i } !/^##/ { print "" }'
echo "Correlation functions, first lags of $out/cf.txt:"
sed 's/ origins / /; /^[0-9]/s/ [0-9]* / /' "$out/cf.txt" | awk "$show" | head -n 9
echo "Spectrum, $out/spectrum.txt:"
awk 'NR == 1 || /^##/ || n++ % 4 == 0' "$out/spectrum.txt" | awk "$show" | head -n 13

command -v gnuplot >/dev/null || { echo "no gnuplot: no plot"; exit 0; }
gnuplot <<PLOT
set terminal pngcairo size 1200,500 font "sans,11"
set output "$out/spectrum.png"
set multiplot layout 1,2; set grid; set style fill transparent solid 0.25 noborder
set xlabel "t / ps"; set ylabel "G(t)"; set xrange [0:3]; set key at graph 0.98, 0.48
plot "$out/cf.txt" using 1:4 with lines lw 2 title "G_2 (pairs)", \
     "" using 1:5 with lines lw 2 title "G_3 (triplets)", "" using 1:6 with lines lw 2 title "G_4 (quadruplets)", \
     "" using 1:3 with lines lw 3 lc "black" title "G = G_2 + G_3 + G_4"
set xlabel "wave number / cm^{-1}"; set ylabel "I / cm"; set logscale y; set xrange [0:120]; set key top right
plot "$out/spectrum.txt" using 1:(\$2-\$6 > 0 ? \$2-\$6 : 1e-9):(\$2+\$6) with filledcurves lc "black" title "standard error", \
     "" using 1:(\$2 > 0 ? \$2 : NaN) with lines lw 3 lc "black" title "depolarised spectrum I({/Symbol n})"
PLOT
echo "Plot: $out/spectrum.png"
