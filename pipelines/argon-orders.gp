# SPDX-License-Identifier: MIT
# Plot of argon-orders.sh, from orders.txt.
here = ARG1; fmt = ARG2; o = ""
load here."/figure.gp"
eval terminal("orders", 1200, 560)
t = o."orders.txt"
a = col(t, "I_VH_order1_A6cm"); b = col(t, "I_VH_total_A6cm"); r = col(t, "VH_total/VH_order1"); e = col(t, "VH_total/VH_order1_se")
set multiplot layout 1,2
set xrange [0:140]
set xlabel "ν / cm^{-1}"
set logscale y
set format y "10^{%T}"
set ylabel "depolarised spectrum / Å^6 cm"
plot t using 1:(column(b) > 0 ? column(b) : NaN) with lines lw 2 title "all orders", t using 1:(column(a) > 0 ? column(a) : NaN) with lines lw 2 title "first order"
unset logscale y
set format y
set yrange [1:3]
set ylabel "all orders / first order"
plot t using 1:r:e with yerrorbars pt 7 ps 0.5 title "ratio, standard errors"
unset multiplot
