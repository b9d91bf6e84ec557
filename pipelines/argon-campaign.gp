# SPDX-License-Identifier: MIT
# The plot of argon-campaign.sh: o folder, sizes the numbers of atoms.
set terminal pngcairo size 1200,500 font "sans,11"
set output o."campaign.png"
set multiplot layout 1,2
set xlabel "N"; set ylabel "G(0) / N"; set grid; set key center right
plot for [c in "G2 G3 G4 G"] o."campaign.txt" using 1:(column(c eq "G2" ? 5 : c eq "G3" ? 6 : c eq "G4" ? 7 : 8)) with linespoints title c
set xlabel "wave number / cm^{-1}"; set ylabel "I / N"; set logscale y; set xrange [0:120]; set format y "10^{%T}"; set key top right
plot for [n in sizes] o."argon-".n.".spectrum.txt" using 1:($2 > 0 ? $2 / n : NaN) with lines title n
