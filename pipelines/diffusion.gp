# SPDX-License-Identifier: MIT
# Plot of diffusion.sh, from msd.txt.
here = ARG1; fmt = ARG2; from = real(ARG3); to = real(ARG4); o = ""
load here."/figure.gp"
eval terminal("diffusion", 720, 520)
m = o."msd.txt"
y = col(m, "msd"); e = col(m, "msd_se")
set xlabel "t / ps"; set ylabel "<|u(t) - u(0)|^2> / Å^2"
set key top left
f(x) = a + b * x
set fit quiet nolog
fit [from:to] f(x) m using 1:y via a, b
set style fill transparent solid 0.25 noborder
plot m using 1:(column(y) - column(e)):(column(y) + column(e)) with filledcurves lt 1 notitle, \
     m using 1:y with lines lt 1 lw 2 title "mean square displacement", \
     f(x) with lines lt 2 dt 2 lw 2 title sprintf("slope of the whole run, 6 D: D = %.3g Å^2/ps", b / 6)
