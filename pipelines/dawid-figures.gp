# SPDX-License-Identifier: MIT
# Plots of dawid-figures.sh; o: folder of its tables.
set terminal pngcairo size 900, 1200
set output o.'dawid.png'
set multiplot layout 3, 1
set key top left
set grid
set xlabel 'pairs'; set ylabel 'speed-up'
plot o.'fig5.txt' u 2:8 w lp t 'Fig. 5: over one core', '' u 2:7 w lp t 'over all cores', '' u 2:10 w lp t 'over one core, start of CUDA counted'
set xlabel 'memory load, MB'
plot o.'fig6.txt' u 2:8 w lp t 'Fig. 6: over one core', '' u 2:7 w lp t 'over all cores', '' u 2:10 w lp t 'over one core, start of CUDA counted'
set xlabel 't, ps'; set ylabel 'relative error of G4, %'; set format y '%.0e'
plot o.'fig7.txt' u 1:2 w lp t 'Fig. 7'
