# SPDX-License-Identifier: MIT
# Plot of co2-raman.sh, from raman.txt.
here = ARG1; fmt = ARG2; o = ""
load here."/figure.gp"
eval terminal("raman", 900, 560)
t = o."raman.txt"
p = col(t, "I_VH_permanent_A6cm"); q = col(t, "I_VH_induced_A6cm")
c = col(t, "I_VH_permanent-induced_A6cm"); d = col(t, "I_VH_induced-permanent_A6cm")
positive(x) = x > 0 ? x : NaN
set xrange [0:200]
set xlabel "ν / cm^{-1}"
set logscale y
set format y "10^{%T}"
set ylabel "depolarised spectrum / Å^6 cm"
plot t using 1:(positive(column(p) + column(q) + column(c) + column(d))) with lines lw 3 lc rgb "#222222" title "all", \
    t using 1:(positive(column(p))) with lines lw 2 title "permanent", t using 1:(positive(column(q))) with lines lw 2 title "induced", \
    t using 1:(positive(column(c) + column(d))) with lines lw 2 lc rgb "#8a4fbf" title "cross", t using 1:(positive(-column(c) - column(d))) with lines lw 2 dt 2 lc rgb "#8a4fbf" title "cross, negative"
