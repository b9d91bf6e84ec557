#!/bin/sh
# SPDX-License-Identifier: MIT
# co2-absorption.sh [TRAJECTORY [MODEL]] computes and plots the collision-induced far-infrared
# absorption of a molecular fluid, as the absorption coefficient times the refractive index in 1/cm:
# for first-order induced dipoles and for self-consistent dipoles. TRAJECTORY is a POSN stream of
# whole molecules with frames at most 20 fs apart; MODEL is described in alpha-cpu(1). The default
# is the sample of 64 rigid CO2 molecules at 310 K, with the quadrupole of the free molecule.
# Variables: OUT folder for results (.), TEMPERATURE K (310), QUANTUM correction (standard), TMAX ps
# (1), BIN folder of programs, FORMAT png, svg or pdf.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/results.sh"
export LC_ALL=C
begin
absolute "${1:-$here/../tests/data/co2-64.mbf}"
trajectory=$file model=co2.model
[ $# -lt 2 ] || { absolute "$2" && model=$file; }
cd -- "$out"
# polarizability in A^3, quadrupole in e A^2
[ $# -gt 1 ] || printf 'molecule CO2  C O O\n  site C  1.93 1.93 4.03  frame 2-3  quadrupole -0.90\n' >"$model"
alpha-cpu --dipole --model "$model" --parts -o dipole.mbf -- "$trajectory"
for part in total first-order; do
    [ $part = total ] && columns=mx,my,mz || columns=order1_mx,order1_my,order1_mz
    acf -q --derivative --average M --pairs $columns --tmax "${TMAX:-1}" -o $part.cf -- dipole.mbf
    fft-spectrum --weight absorption --quantum "${QUANTUM:-standard}" --temperature "${TEMPERATURE:-310}" --window hann -o $part.mbf -- $part.cf
    bin2txt -o $part.txt -- $part.mbf
    awk -v part="$part" '!/^#/ { if (n++) area += $2 * ($1 - last); last = $1; if ($2 > best) { best = $2; nu = $1; e = $3 } }
        END { printf "%s: largest alpha n = %.3g +- %.2g /cm at %.3g /cm, integral %.4g /cm^2\n", (part == "total" ? "self-consistent" : "first-order") " dipoles", best, e, nu, area }' $part.txt
done
picture absorption total.mbf first-order.mbf
publish
