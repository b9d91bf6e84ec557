# SPDX-License-Identifier: MIT
# Plots of dawid-figures.sh. o: folder of the tables. Without a GPU, the plots show CPU times
# instead of speed-ups.
here = ARG1; fmt = ARG2; o = ""
load here."/figure.gp"
gpu = there(o."fig7.txt"); loops = there(o."loops.txt")
eval terminal("dawid", gpu ? 1500 : 1200, gpu ? 900 : 520)
if (gpu) { set multiplot layout 2,2 } else { set multiplot layout 1,2 }
set xlabel "pairs"
if (gpu) {
    set ylabel "speed-up"; set key top left; set yrange [0:*]
    set title "Fig. 5: speed-up as a function of the number of pairs"
    plot o."fig5.txt" using 2:8 with linespoints lt 1 pt 7 title "over one core", "" using 2:7 with linespoints lt 3 pt 7 title "over all cores", \
         "" using 2:10 with linespoints lt 6 pt 7 title "over one core, start of CUDA counted"
    set title "Fig. 6: speed-up as a function of the memory of the paper's table"; set xlabel "memory / MB"
    plot o."fig6.txt" using 2:8 with linespoints lt 1 pt 7 title "over one core", "" using 2:7 with linespoints lt 3 pt 7 title "over all cores", \
         "" using 2:10 with linespoints lt 6 pt 7 title "over one core, start of CUDA counted"
    set title "Fig. 7: error of G_4, GPU relative to CPU"; set xlabel "t / ps"; set ylabel "relative error / %"; set format y "%.1e"; unset key
    plot o."fig7.txt" using 1:2 with linespoints lt 4 pt 7 ps 0.5 title "of G_4(t)"
    set format y "%g"; set yrange [*:*]
} else {
    set title "G_2, G_3, G_4 together, 48 lags (CPU; no GPU found)"; set ylabel "time / s"; set key top left; set yrange [0:*]
    plot o."fig5.txt" using 2:4 with linespoints lt 1 pt 7 title "one core", "" using 2:3 with linespoints lt 3 pt 7 title "all cores"
    set yrange [*:*]
}
if (loops) {
    set title "direct loops, one lag of 32 origins, one core"; set xlabel "atoms"; set ylabel "time / s"; set logscale y; set format y "10^{%T}"
    set key default; set key top left; set yrange [*:100]
    plot for [i=2:4] o."loops.txt" using 1:i with linespoints lt i - 1 pt 7 title sprintf("G_%d", i)
}
