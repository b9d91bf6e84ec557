# SPDX-License-Identifier: MIT
# Plot of argon-spectrum.sh, from cf.txt, spectrum.txt and fine.txt (if present). ARG3: last
# frequency of the spectrum, 1/cm.
here = ARG1; fmt = ARG2; last = ARG3 + 0; o = ""
load here."/figure.gp"
eval terminal("spectrum", 1200, 540)
cf = o."cf.txt"; sp = o."spectrum.txt"; fine = o."fine.txt"
array title[4] = ["G_2, pairs", "G_3, triplets", "G_4, quadruplets", "G = G_2 + G_3 + G_4"]
array name[4] = ["G2", "G3", "G4", "G"]
set multiplot
set lmargin at screen 0.07; set rmargin at screen 0.49; set xrange [0:*]; if (there(fine)) { set xrange [0:3] }
set tmargin at screen 0.93; set bmargin at screen 0.43; set format x ""; set ylabel "G(t)" offset 1
set title "correlation functions, with standard errors"
set key at graph 0.98, 0.66
array error[4]
do for [i=1:4] { error[i] = col(cf, name[i]."_se") }
plot for [i=1:3] cf using 1:(column(col(cf, name[i])) - se(error[i])):(column(col(cf, name[i])) + se(error[i])) with filledcurves lt i notitle, \
     for [i=1:3] cf using 1:col(cf, name[i]) with lines lt i title title[i]
set tmargin at screen 0.40; set bmargin at screen 0.11; set format x "%g"; unset title; set xlabel "t / ps"
set key default; set key top right
plot cf using 1:(column(col(cf, "G")) - se(error[4])):(column(col(cf, "G")) + se(error[4])) with filledcurves lt 4 notitle, \
     cf using 1:col(cf, "G") with lines lt 4 title title[4], 0 lc rgb "#999999" lw 1 notitle
set lmargin at screen 0.57; set rmargin at screen 0.98; set tmargin at screen 0.93
set key default; set key bottom left Left reverse
least = there(fine) ? 1e-6 : real(system("awk -v k=".col(sp, "I")." '!/^#/ && $k > 0 && (!m || $k < m) { m = $k } END { print m ? m / 2 : 1e-6 }' ".sp))
positive(x) = x > least ? x : least
set xlabel "wave number / cm^{-1}"; set ylabel "I / cm"; set logscale y; set format y "10^{%T}"; if (there(fine)) { set yrange [1e-5:1] }
set xrange [0:(there(fine) ? 200 : last)]
set title "depolarised spectrum, with standard errors"
if (there(fine)) {
    set arrow 1 from last, graph 0 to last, graph 1 nohead dt 2 lc rgb "#666666"
    set label 1 "125 fs frames\nend here" at last - 2, graph 0.96 right font ",9" tc rgb "#666666"
}
s = col(sp, "I"); e = col(sp, "I_se")
if (there(fine)) {
    t = col(fine, "I"); u = col(fine, "I_se")
    plot sp using 1:(positive(column(s) - se(e))):(positive(column(s) + se(e))) with filledcurves lt 4 notitle, \
         sp using 1:(column(s) > 0 ? column(s) : NaN) with lines lt 4 title "file: 125 fs frames, aliased", \
         fine using 1:(positive(column(t) - se(u))):(positive(column(t) + se(u))) with filledcurves lt 2 notitle, \
         fine using 1:(column(t) > 0 ? column(t) : NaN) with lines lt 2 title "md-cpu: 20 fs frames"
} else {
    plot sp using 1:(positive(column(s) - se(e))):(positive(column(s) + se(e))) with filledcurves lt 4 notitle, \
         sp using 1:(column(s) > 0 ? column(s) : NaN) with lines lt 4 title "I(ν)"
}
