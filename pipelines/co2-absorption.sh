#!/bin/sh
# SPDX-License-Identifier: MIT
# co2-absorption.sh [TRAJECTORY [MODEL]] computes and plots the collision-induced far-infrared
# absorption of a molecular fluid, for first-order induced dipoles and for self-consistent dipoles.
# The result is the absorption coefficient times the refractive index, in 1/cm. TRAJECTORY is a
# POSN stream of whole molecules with frames at most 20 fs apart, and MODEL is a model file as
# described in alpha-cpu(1). The default is the sample of 64 rigid CO2 molecules at 310 K, with the
# quadrupole of the free molecule.
# Variables, with their defaults in brackets:
#   OUT          folder for the results (.)
#   TEMPERATURE  temperature, K (310)
#   QUANTUM      quantum correction (standard)
#   TMAX         largest time lag, ps (1)
#   BIN          folder of the programs
#   FORMAT       format of the plot: png, svg or pdf (png)
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/results.sh"
export LC_ALL=C
begin
operands "$here/../tests/data/co2-64.mbf" co2.model "$@"
# polarizability in A^3, quadrupole in e A^2
[ $# -gt 1 ] || printf 'molecule CO2  C O O\n  site C  1.93 1.93 4.03  frame 2-3  quadrupole -0.90\n' >"$other"
alpha-cpu --dipole --model "$other" --parts -o dipole.mbf -- "$trajectory"
for part in total first-order; do
    [ $part = total ] && name=self-consistent columns=mx,my,mz || name=$part columns=order1_mx,order1_my,order1_mz
    acf -q --derivative --average M --pairs $columns --tmax "${TMAX:-1}" -o $part.cf -- dipole.mbf
    fft-spectrum --weight absorption --quantum "${QUANTUM:-standard}" --temperature "${TEMPERATURE:-310}" --window hann -o $part.mbf -- $part.cf
    bin2txt -o $part.txt -- $part.mbf
    printf '%s dipoles: ' "$name"
    largest $part.txt
done
picture absorption total.mbf first-order.mbf
publish
