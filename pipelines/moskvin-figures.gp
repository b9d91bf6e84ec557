# SPDX-License-Identifier: MIT
# Figures 3 and 4 of Moskvin, Sotsky, Usol'tseva (2014), from moskvin.txt. o: folder with a slash;
# steps: number of steps measured.
here = ARG1; fmt = ARG2; o = ""; steps = ARG3
load here."/figure.gp"
eval terminal("moskvin", 1200, 520)
t = o."moskvin.txt"
gpu = int(system("awk '!/^#/ && $4 != \"-\" { n++ } END { print n + 0 }' '".t."'")) > 0
set multiplot layout 1,2 title (steps eq "10000" ? "time of 10,000 iterations" : "time of 10,000 iterations, scaled from ".steps).(gpu ? "" : " (only CPU: no GPU found)")
set xlabel "atoms"; set ylabel "time / s"; set key top left; set yrange [0:]; set xrange [0:*]; set xtics 32768; set rmargin 4
do for [p=0:1] {
    set title p ? "linked cells" : "Verlet lists"
    if (gpu) {
        plot t using 1:2+p with linespoints lt 1 pt 7 title "CPU", t using 1:4+p with linespoints lt 2 pt 7 title "GPU"
    } else {
        plot t using 1:2+p with linespoints lt 1 pt 7 title "CPU"
    }
}
