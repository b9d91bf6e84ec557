#!/bin/sh
# SPDX-License-Identifier: MIT
# argon-orders.sh [TRAJECTORY] computes the depolarised spectrum of an atomic liquid in absolute
# units (A^6 cm), to first order and to all orders of induction. It prints the ratio of the mean
# squares, and plots the ratio of the spectra with errors that take the covariances into account.
# TRAJECTORY is a POSN stream, or XYZ text that xyz2bin reads, in a periodic cell. Without
# TRAJECTORY, md-cpu simulates liquid argon at 90 K.
# Variables, with their defaults in brackets:
#   OUT             folder for the results (.)
#   ALPHA           program to use (alpha-cpu)
#   POLARIZABILITY  polarizability of each species, A^3 (Ar=1.64)
#   TMAX            largest time lag, ps (2.4)
#   BIN             folder of the programs
#   FORMAT          format of the plot: png, svg or pdf (png)
#   ATOMS, STEPS    numbers of atoms and steps of md-cpu (108, 32000, with one frame every 8 steps)
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/results.sh"
export LC_ALL=C
begin
p=$out/positions.mbf
if [ $# -eq 0 ]; then
    md-cpu -q --atoms "${ATOMS:-108}" --density 0.0211 --temperature 90 --start random --thermostat berendsen:1 --equilibrate 10000 \
        --steps "${STEPS:-32000}" --every 8 >"$p"
elif head -c 4 -- "$1" 2>/dev/null | grep -q MBF; then
    p=$1
else
    xyz2bin -o "$p" -- "$1"
fi
"${ALPHA:-alpha-cpu}" --polarizability "${POLARIZABILITY:-Ar=1.64}" --parts -o "$out/parts.pi" -- "$p"
acf --invariant vh:order1,vh:total --mean subtract --tmax "${TMAX:-2.4}" -o "$out/orders.cf" -- "$out/parts.pi"
fft-spectrum -q --window hann --ratio VH_total/VH_order1 -o "$out/orders.spec" -- "$out/orders.cf"
bin2txt -o "$out/orders.txt" -- "$out/orders.spec"
bin2txt -o "$out/cf.txt" -- "$out/orders.cf"
awk '/^# t_ps/ { for (i = 2; i <= NF; i++) at[$i] = i - 1 } !/^#/ {
    printf "mean squares at lag 0, in A^6: first order %.6g, all orders %.6g, ratio %.3f\n", $at["VH_order1"], $at["VH_total"], $at["VH_total"] / $at["VH_order1"]; exit }' "$out/cf.txt"
rm -- "$out/cf.txt"
draw argon-orders
publish
