#!/bin/sh
# SPDX-License-Identifier: MIT
# density-of-states.sh [TRAJECTORY...] computes the vibrational density of states, as text and as a
# plot. The result is the number of degrees of freedom per wave number, for all atoms and for each
# species, with the integral and the temperature. TRAJECTORY is any file with velocities that
# traj2bin reads (TRR, LAMMPS dumps, AMBER NetCDF, H5MD), or a stream of POSN and VELO. The default
# is a sample of water: 64 SPC/E molecules, 14 ps, frames 10 fs apart.
# Variables, with their defaults in brackets:
#   OUT       folder for the results (.)
#   TMAX      largest time lag of the correlation function, ps (1)
#   SPECIES   list of atom names for traj2bin
#   MASSES    list A=M,... of the masses of names that are not elements
#   FREEDOMS  number of degrees of freedom (3 N - 3; for the water sample, 6 per rigid molecule)
#   TRAJ      other options of traj2bin, such as --units real --timestep 0.001
#   BIN       folder of the programs
#   FORMAT    format of the plot: png, svg or pdf (png)
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/results.sh"
export LC_ALL=C
begin
if [ $# -eq 0 ]; then
    set -- "$here/../tests/data/water64.mbf"
    FREEDOMS=${FREEDOMS:-381} # 64 rigid molecules, total momentum 0
fi
work=$out
p=$work/velocities.mbf
if [ $# -eq 1 ] && head -c 4 -- "$1" 2>/dev/null | grep -q MBF; then
    p=$1
else
    # shellcheck disable=SC2086
    traj2bin -q --velocities ${TRAJ:-} ${SPECIES:+--species "$SPECIES"} --unsorted-ok --jumps-ok -o "$p" -- "$@"
fi
vacf-cpu -q --vacf-weights mass ${MASSES:+--masses "$MASSES"} --tmax "${TMAX:-1}" -o "$work/mvv.mbf" -- "$p"
fft-spectrum -q --window hann --pad 4 -o "$work/dos.mbf" "$work/mvv.mbf"
bin2txt "$work/mvv.mbf" -o "$work/mvv.txt"
bin2txt --meta "$work/mvv.mbf" >"$work/meta"
natoms=$(awk '$1 == "sys.natoms" { print $2 }' "$work/meta")
freedoms=${FREEDOMS:-$((3 * natoms - 3))}
kT=$(awk -v f="$freedoms" '!/^#/ { printf "%.10g", $3 / f; exit }' "$work/mvv.txt")

# converts meV per wave number, whose integral over both signs is 3 N kT, to degrees of freedom per
# wave number for nu >= 0
bin2txt "$work/dos.mbf" -o "$work/meV.txt"
awk -v kT="$kT" 'NR == 1 { n = NF - 1; sub(/^# /, ""); gsub(/I_mvv_3NkT_meV/, "dof"); gsub(/_meVcm/, ""); print "# " $0; next }
    /^#/ { next } { printf "%s", $1; for (k = 2; k <= n; k++) printf " %.6g", ($k == "nan") ? "nan" : 2 * $k / kT; print "" }' "$work/meV.txt" >"$work/dos.txt"
awk -v kT="$kT" -v f="$freedoms" -v given="${FREEDOMS:-}" 'NR == 1 { next } { if (NR == 3) d = $1 - last; s += NR == 2 ? $2 / 2 : $2; last = $1; if ($1 > 350 && $2 > top) { top = $2; at = $1 } }
    END { printf "kT = %.4g meV, %.4g K of %s degrees of freedom%s; the integral is %.4g\n", kT, kT / 0.08617333262, f,
            (given == "" ? " (set FREEDOMS if bonds are rigid)" : ""), s * d
        if (at) printf "maximum above 350 cm^-1: at %.0f cm^-1\n", at }' "$work/dos.txt" >"$work/density-of-states.txt"
cat -- "$work/density-of-states.txt"
rm -- "$work/meta" "$work/meV.txt"
if [ "$1" = "$here/../tests/data/water64.mbf" ]; then
    cat <<'END'
Librations: a band from 400 to 900 cm^-1, as in real water. Infrared absorption, which is weighted by nu^2 and dipoles, has its maximum
near 710 cm^-1 (P. A. Giguere, K. B. Harvey, Can. J. Chem. 34 (1956) 798).
END
fi
draw density-of-states
publish
echo "Plot: $final/density-of-states.${FORMAT:-png}"
