# SPDX-License-Identifier: MIT
# Plot of density-of-states.sh, from dos.txt.
here = ARG1; fmt = ARG2; o = ""
load here."/figure.gp"
eval terminal("density-of-states", 760, 480)
d = o."dos.txt"
names = system("awk 'NR == 1 { for (k = 3; k <= NF && $k !~ /_se$/; k++) print $k; exit }' ".d)
set xlabel "ν / cm^{-1}"; set ylabel "degrees of freedom · cm"
set key top right
set xrange [0:1200]; set yrange [0:*]
plot for [k = 1:words(names)] d using 1:(column(k + 1)) with lines lt k lw 2 title (word(names, k) eq "dof" ? "all" : word(names, k)[5:])
