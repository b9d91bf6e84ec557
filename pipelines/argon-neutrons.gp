# SPDX-License-Identifier: MIT
# Plot of argon-neutrons.sh, from spectrum.txt, self.txt and table.txt.
here = ARG1; fmt = ARG2; o = ""
load here."/figure.gp"
eval terminal("neutrons", 1200, 560)
sp = o."spectrum.txt"; se = o."self.txt"; tab = o."table.txt"
s = col(sp, "S"); e = col(sp, "S_se"); t = col(se, "S_s")
top = 10
set style fill solid 1 noborder
set multiplot
set lmargin at screen 0.06; set rmargin at screen 0.46; set tmargin at screen 0.92; set bmargin at screen 0.12
set title "S(q,E) of the liquid (colour) and peak of C_L"
set xlabel "q / Å^{-1}"; set ylabel "E / meV" offset 1
stats tab using 1 nooutput
set xrange [STATS_min:STATS_max]; set yrange [0:top]
set logscale cb; set cbrange [1e-3:3]; set format cb "10^{%T}"; set cblabel "S(q,E) · meV" offset -0.5
set palette defined (0 "#ffffff", 0.25 "#cfe1f2", 0.5 "#6baed6", 0.75 "#1361a9", 1 "#08264d")
set pm3d map corners2color mean
unset grid
set key top left
splot sp using 2:1:(column(s) > 1e-3 ? column(s) : 1e-3) with pm3d notitle, \
      tab using 1:4:(0) with linespoints lt 2 pt 7 ps 0.6 title "peak of C_L(q,E)"
unset colorbox; unset pm3d
set grid lc rgb "#cccccc" lw 0.5
set style fill transparent solid 0.25 noborder
set lmargin at screen 0.64; set rmargin at screen 0.98
set title "cuts, with standard errors" ; set key top right
set xlabel "E / meV"; set ylabel "S(q,E) · meV"; set xrange [0:8]; set logscale y; set yrange [1e-3:10]; set format y "10^{%T}"
# values of q; the plot shows the nearest shells
array want[4] = [0.2, 0.75, 1.45, 2.0]
near(x) = real(system("awk '!/^#/ { d = ($1 - ".sprintf("%g", x).")^2; if (!n++ || d < m) { m = d; q = $1 } } END { print q }' '".tab."'"))
array at[4]; do for [k=1:4] { at[k] = near(want[k]) }
cut(k) = sprintf("awk 'NF && !/^#/ && ($2 - %.4f)^2 < 1e-6' '%s'", at[k], sp)
own(k) = sprintf("awk -v x=%.4f '!/^#/ && NF { if (!($2 in seen)) { seen[$2]; d = ($2 - x)^2; if (!n++ || d < m) { m = d; q = $2 } } l[NR] = $0; v[NR] = $2 } END { for (i = 1; i <= NR; i++) if (v[i] == q && i in l) print l[i] }' '%s'", at[k], se)
low(x) = x > 1e-5 ? x : 1e-5
plot for [k=1:4] "<".cut(k) using 1:(low(column(s) - column(e))):(low(column(s) + column(e))) with filledcurves lt k notitle, \
     for [k=1:4] "<".cut(k) using 1:(low(column(s))) with lines lt k title sprintf("q = %.2f Å^{-1}", at[k]), \
     "<".own(2) using 1:(low(column(t))) with lines lt 2 dt 2 lw 1 title sprintf("S_s near %.2f", at[2]), \
     "<".own(4) using 1:(low(column(t))) with lines lt 4 dt 2 lw 1 title sprintf("S_s near %.2f", at[4])
