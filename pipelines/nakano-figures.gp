# SPDX-License-Identifier: MIT
# nakano-figures.gp: the plot of nakano-figures.sh; o: folder of the text files, with a slash.
set terminal pngcairo size 1500,900 font "sans,11"
set output o."nakano.png"
set multiplot layout 2,3
set grid
set xlabel "r / Å"
set title "Pair histogram: CPU and GPU"
set ylabel "pairs"
plot o."cpu.txt" using 1:2 with lines lw 4 lc "gray" title "CPU", o."gpu.txt" using 1:2 with lines dt 2 lw 1.5 lc "black" title "GPU"
if (int(system("wc -l <".o."race.txt")) > 0) {
    set title "Race condition (20,000 atoms)"
    set xlabel "bin"
    plot o."race.txt" using 1:3 with lines lw 2 title "atomicAdd", "" using 1:2 with lines lw 2 title "nhis[ih] += 1"
} else {
    set title "Race condition: needs a GPU"
    unset tics; unset xlabel; unset ylabel; unset grid
    plot [0:1] [0:1] NaN notitle
    set tics; set grid
}
set xlabel "r / Å"
set ylabel "g(r)"
set title "Finite size: shells cut by the faces"
set yrange [0:3.2]
plot o."lecture.txt" using 1:3 with lines lw 2 title "4{/Symbol p}r^2{/Symbol D}r, N/V", 1 lc "gray" notitle
set title "Geometric factor: exact shells, (N-1)/V"
plot o."cpu.txt" using 1:($3-2*$5):($3+2*$5) with filledcurves fs transparent solid 0.3 noborder lc "black" title "two standard errors", \
     "" using 1:3 with lines lw 2 lc "black" title "g(r) to the corner", 1 lc "gray" notitle
set title "One octant cut out and displaced"
set yrange [0:*]
plot o."octant.txt" using 1:3 with lines lw 2 title "displaced", o."cpu.txt" using 1:3 with lines lw 2 lc "gray" title "as it was"
set title "Structure factor"
set xlabel "q / Å^{-1}"
set ylabel "S(q)"
plot o."sq.txt" using 1:2 with lines lw 1 title "transform", o."sq-lorch.txt" using 1:2 with lines lw 2.5 lc "black" title "Lorch's window", 1 lc "gray" notitle
unset multiplot
