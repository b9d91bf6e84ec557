#!/bin/sh
# SPDX-License-Identifier: MIT
# rare-gas-absorption.sh [TRAJECTORY [PAIR-DIPOLE]] computes and plots the collision-induced
# far-infrared absorption of a mixture of atoms, and its two-, three- and four-body parts. The
# result is the absorption coefficient times the refractive index, in 1/cm. The script also prints
# to what extent the dipoles of the pairs cancel. TRAJECTORY is a POSN stream of two species with
# frames at most 20 fs apart, and PAIR-DIPOLE is a table of rank 1 as described in beta-gen(1). The
# default is an EXAMPLE, not a measured system: md-cpu simulates liquid argon at 90 K, every second
# atom is called krypton, and the parameters of the exponential pair dipole are not from a
# publication.
# Variables, with their defaults in brackets:
#   OUT           folder for the results (.)
#   G4            program to use (g4-cpu)
#   TEMPERATURE   temperature, K (90)
#   QUANTUM       quantum correction (standard)
#   TMAX          largest time lag, ps (2)
#   BIN           folder of the programs
#   FORMAT        format of the plot: png, svg or pdf (png)
#   ATOMS, STEPS  numbers of atoms and steps of md-cpu (108, 32000, with one frame every 8 steps)
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/results.sh"
export LC_ALL=C
begin
g4=${G4:-g4-cpu}
case $g4 in */*) absolute "$g4" && g4=$file ;; esac
operands "$out/mixture.mbf" pair-dipole.txt "$@"
if [ $# -eq 0 ]; then
    md-cpu -q --atoms "${ATOMS:-108}" --density 0.0211 --temperature 90 --start random --thermostat berendsen:1 --equilibrate 10000 \
        --steps "${STEPS:-32000}" --every 8 -o argon.mbf
    bin2xyz -o argon.xyz -- argon.mbf
    awk '$1 == "Ar" && NR % 2 { sub(/^Ar/, "Kr") } 1' argon.xyz >mixture.xyz
    xyz2bin -q -o mixture.mbf -- mixture.xyz
    rm -- argon.mbf argon.xyz mixture.xyz
fi
[ $# -gt 1 ] || awk 'BEGIN { print "# example: the parameters are not from a publication\nrank 1\nunit D\nr Ar-Kr"
    for (i = 40; i < 172; i++) print i / 20, 60 * exp(-i / 8) }' >"$other"
"$g4" --pair-function "$other" --component all --tmax "${TMAX:-2}" -o rare-gas.cf -- "$trajectory"
fft-spectrum --weight absorption --quantum "${QUANTUM:-standard}" --temperature "${TEMPERATURE:-90}" --window hann -o rare-gas.mbf -- rare-gas.cf
bin2txt -o rare-gas.txt -- rare-gas.mbf
bin2txt -o cf.txt -- rare-gas.cf
awk '/^# t_ps/ { for (i = 2; i <= NF; i++) at[$i] = i - 1 } !/^#/ { g = $at["G"]; p = $at["G2"]
    printf "M^2 of all pairs over the sum for independent pairs, G/G2 at lag 0: %.3g\n", g / p; exit }' cf.txt
largest rare-gas.txt
rm -- cf.txt
picture rare-gas rare-gas.mbf
publish
