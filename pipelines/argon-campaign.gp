# SPDX-License-Identifier: MIT
# Plot of argon-campaign.sh. o: folder of the tables; sizes: numbers of atoms.
here = ARG1; fmt = ARG2; o = ""; sizes = ARG3
load here."/figure.gp"
eval terminal("campaign", 1500, 520)
t = o."campaign.txt"
set multiplot layout 1,3
set xlabel "N"; set key center right
set title "the three terms at t = 0, per atom"; set ylabel "G_2(0)/N, G_3(0)/N, G_4(0)/N"
plot for [i=1:3] t using 1:(column(4 + i)) with linespoints lt i pt 7 ps 0.6 title word("G_2 G_3 G_4", i)
set title "their sum, with standard errors"; set ylabel "G(0)/N" offset 1; set yrange [0:*]; unset key
plot t using 1:8:9 with yerrorlines lt 4 pt 7 ps 0.6
set title "depolarised spectra, per atom"
set xlabel "wave number / cm^{-1}"; set ylabel "I/N / cm"; set logscale y; set format y "10^{%T}"; set xrange [0:120]; set yrange [*:*]
set style fill solid 1 noborder; set palette defined (0 "#0072B2", 0.5 "#999999", 1 "#D55E00"); set cbrange [word(sizes, 1) - 1:word(sizes, words(sizes)) + 1]; set cblabel "N"
plot for [n in sizes] o."argon-".n.".spectrum.txt" using 1:($2 > 0 ? $2 / n : NaN):(n + 0) with lines lw 1.5 lc palette
