# SPDX-License-Identifier: MIT
# nakano-figures.gp: plot of nakano-figures.sh. o: folder of the text files, with a slash. Missing
# files are not drawn.
here = ARG1; fmt = ARG2; o = ""
load here."/figure.gp"
eval terminal("nakano", 1500, 900)
set multiplot layout 2,3
gpu = there(o."gpu.txt"); race = there(o."race.txt")
qmin = 2 * pi / 23.03154
set xlabel "r / Å"; set ylabel "pairs"
if (gpu) {
    set title "pair histogram: GPU and CPU, the same counts"
    plot o."cpu.txt" using 1:2 with lines lw 5 lc rgb "#bbbbbb" title "CPU", o."gpu.txt" using 1:2 with lines dt 2 lt 1 title "GPU"
} else {
    set title "pair histogram (CPU; no GPU found)"
    plot o."cpu.txt" using 1:2 with lines lt 1 notitle
}
set ylabel "g(r)"; set yrange [0:3.2]
set title "finite size: shells truncated by the faces"
plot o."lecture.txt" using 1:3 with lines lt 1 title "4πr^2Δr, N/V", 1 lc rgb "#999999" lw 1 notitle
set title "geometric factor: exact shells, (N-1)/V"
e = col(o."cpu.txt", "g_se")
plot o."cpu.txt" using 1:($3-2*column(e)):($3+2*column(e)) with filledcurves lt 4 title "two standard errors", \
     "" using 1:($2 > 0 || $1 < 10 ? $3 : NaN) with lines lt 4 title "g(r) to the corner", 1 lc rgb "#999999" lw 1 notitle
set title "one octant cut out and displaced"; set yrange [0:*]
plot o."cpu.txt" using 1:($2 > 0 || $1 < 10 ? $3 : NaN) with lines lt 6 title "original", o."octant.txt" using 1:3 with lines lt 1 title "displaced"
s = o."sq.txt"; c = col(s, "S_cut"); w = o."waves.txt"; we = col(w, "S_se")
set xlabel "q / Å^{-1}"; set ylabel "S(q)"; set yrange [-0.4:3.2]
set object 1 rectangle from 0, graph 0 to qmin, graph 1 fc rgb "#dddddd" fs solid 1 noborder behind
if (race) {
    unset object 1
    set title "race condition (20,000 atoms)"; set xlabel "bin"; set ylabel "pairs"; set yrange [0:*]; set key top left
    plot o."race.txt" using 1:3 with lines lt 4 title "atomicAdd", "" using 1:2 with lines lt 2 title "nhis[ih] += 1"
    set object 1 rectangle from 0, graph 0 to qmin, graph 1 fc rgb "#dddddd" fs solid 1 noborder behind; set key top right
    set xlabel "q / Å^{-1}"; set ylabel "S(q)"; set yrange [-0.4:3.2]
} else {
    set title "S(q) at small q (grey: waves longer than the cell)"; set xrange [0:1.6]; set yrange [-0.4:1.4]
    plot s using 1:($2-column(c)):($2+column(c)) with filledcurves lt 1 title "truncation error of g(r) (S_{cut})", \
         s using 1:2 with lines lt 1 title "transform of g(r)", o."sq-lorch.txt" using 1:2 with lines lt 2 title "Lorch's window", \
         w using 1:3:(column(we)) with yerrorbars lt 4 pt 7 ps 0.5 title "wave vectors", 0 lc rgb "#999999" lw 1 notitle
    set xrange [*:*]; set yrange [-0.4:3.2]
}
set title "structure factor by both routes"; set xrange [0:12]
plot s using 1:2 with lines lt 1 title "transform of g(r)", o."sq-lorch.txt" using 1:2 with lines lt 2 title "Lorch's window", \
     w using 1:3 with points lt 4 pt 7 ps 0.35 title "wave vectors", 1 lc rgb "#999999" lw 1 notitle
unset multiplot
