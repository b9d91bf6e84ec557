#!/bin/sh
# SPDX-License-Identifier: MIT
# make-lammps.sh: rebuild lammps-argon256.txt with Debian's LAMMPS (lmp).
set -eu
cd "$(dirname "$0")"
dir=$(mktemp -d)
zcat ../data/argon256.xyz.gz | awk 'NR == 2 { L = 2 * $3; printf "argon\n\n256 atoms\n1 atom types\n0 %.10g xlo xhi\n0 %.10g ylo yhi\n0 %.10g zlo zhi\n\nAtoms\n\n", L, L, L }
    NR > 2 && NR <= 258 { print NR - 2, 1, $2, $3, $4 } NR > 258 { exit }' >"$dir/argon256.data"
(cd "$dir" && lmp -in "$OLDPWD/lammps-argon256.in" >log)
{
    echo "# LAMMPS $(lmp -h | sed -n 's/.*Parallel Simulator - //p' | head -n 1): forces of frame 0 of argon256.xyz.gz, eV/A; see lammps-argon256.in"
    awk '/Step Temp/ { getline; printf "U_eV %s\np_bar_at_rest %s\n", $3, $6; exit }' "$dir/log"
    awk '!/^#/ { n++; T += $2; U += $3; P += $4; b = int((n - 1) / 200); u[b] += $3 / 200; p[b] += $4 / 200; t[b] += $2 / 200 }
        function se(x, m,   k, s) { for (k = 0; k < 10; k++) s += (x[k] - m) ^ 2; return sqrt(s / 90) }
        END { printf "T_K %.8g %.3g\nmean_U_eV %.8g %.3g\nmean_p_bar %.8g %.3g\n", T / n, se(t, T / n), U / n, se(u, U / n), P / n, se(p, P / n) }' "$dir/averages.txt"
    awk 'NF == 7 { print $5, $6, $7 }' "$dir/forces.dump"
} >lammps-argon256.txt
rm -r "$dir"
