# SPDX-License-Identifier: MIT
# Figures 3 and 4 of Moskvin, Sotsky, Usol'tseva (2014), from moskvin.txt; o: folder with a slash.
set terminal pngcairo size 1200,500 font "sans,11"
set output o."moskvin.png"
set multiplot layout 1,2
set xlabel "atoms"; set ylabel "time / s"; set grid; set key top left; set yrange [0:]
set datafile missing "-"
set title "Verlet lists"
plot o."moskvin.txt" using 1:2 with linespoints lw 2 title "CPU", "" using 1:4 with linespoints lw 2 title "GPU"
set title "linked cells"
plot o."moskvin.txt" using 1:3 with linespoints lw 2 title "CPU", "" using 1:5 with linespoints lw 2 title "GPU"
