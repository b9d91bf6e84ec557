#!/bin/sh
# SPDX-License-Identifier: MIT
# co2-raman.sh [TRAJECTORY [MODEL]] computes and plots the depolarised Raman spectrum of a
# molecular liquid in absolute units (A^6 cm), and its three parts: permanent (from the rotation of
# the molecules), induced (from their interaction), and the cross term of both. TRAJECTORY is a
# POSN stream of whole molecules, and MODEL is a model file as described in alpha-cpu(1). The
# default is the sample of 64 rigid CO2 molecules.
# Variables, with their defaults in brackets:
#   OUT     folder for the results (.)
#   ALPHA   program to use (alpha-cpu)
#   TMAX    largest time lag, ps (3)
#   BIN     folder of the programs
#   FORMAT  format of the plot: png, svg or pdf (png)
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/results.sh"
export LC_ALL=C
begin
alpha=${ALPHA:-alpha-cpu}
case $alpha in */*) absolute "$alpha" && alpha=$file ;; esac
operands "$here/../tests/data/co2-64.mbf" co2.model "$@"
# A^3, perpendicular and parallel to the axis of the free molecule: mean 2.63, anisotropy 2.10, for
# visible light
[ $# -gt 1 ] || printf 'molecule CO2  C O O\n  site C  1.93 1.93 4.03  frame 2-3\n' >"$other"
"$alpha" --model "$other" --parts -o parts.pi -- "$trajectory"

# the induced part is the sum of all parts that are not permanent
acf --invariant vh:permanent,vh:induced,vh:permanent-induced,vh:induced-permanent --mean subtract --tmax "${TMAX:-3}" -o raman.cf -- parts.pi
fft-spectrum -q --window hann --pad 4 -o raman.spec -- raman.cf
bin2txt -o raman.txt -- raman.spec
bin2txt -o cf.txt -- raman.cf
awk '/^# t_ps/ { for (i = 2; i <= NF; i++) at[$i] = i - 1 } !/^#/ { p = $at["VH_permanent"]; q = $at["VH_induced"]
    c = $at["VH_permanent-induced"] + $at["VH_induced-permanent"]
    printf "mean squares at lag 0, in A^6: permanent %.4g, induced %.4g, cross %.4g, sum %.4g\n", p, q, c, p + q + c; exit }' cf.txt
rm -- cf.txt
draw co2-raman
publish
