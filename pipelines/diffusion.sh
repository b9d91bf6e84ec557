#!/bin/sh
# SPDX-License-Identifier: MIT
# diffusion.sh [TRAJECTORY...] computes mean square displacements with errors and the diffusion
# coefficient D, as text and as a plot. TRAJECTORY is any file that traj2bin reads (XTC, TRR, DCD,
# LAMMPS dumps, ...) or a POSN stream. Its positions may be wrapped, and the pressure may be
# constant. The default is a sample of water: 64 SPC/E molecules, 14 ps. D is computed from the
# slope between FROM and TO in each of PARTS parts of the run, and its error from the scatter
# between the parts. The program einstein also computes D of the whole run, with a fit window that
# it chooses.
# Variables, with their defaults in brackets:
#   OUT        folder for the results (.)
#   MOLECULES  number of atoms per molecule, or a file of molecules (for the water sample: 3)
#   SPECIES    list of atom names for traj2bin
#   MASSES     list A=M,... of the masses of names that are not elements
#   FROM, TO   first and last time lag of the slope, ps (a fifth and a half of a part)
#   PARTS      number of parts (4)
#   VISCOSITY  viscosity, mPa s, for the finite-size correction of D (for the water sample: 0.729)
#   T          temperature, K, for this correction (298)
#   TRAJ       other options of traj2bin, such as --units real --timestep 0.001
#   BIN        folder of the programs
#   FORMAT     format of the plot: png, svg or pdf (png)
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/results.sh"
export LC_ALL=C
begin
sample=
if [ $# -eq 0 ]; then
    sample=yes
    set -- "$here/../tests/data/water64.mbf"
    MOLECULES=${MOLECULES:-3} VISCOSITY=${VISCOSITY:-0.729}
fi
work=$out
p=$work/positions.mbf
if [ $# -eq 1 ] && head -c 4 -- "$1" 2>/dev/null | grep -q MBF; then
    p=$1
else
    # shellcheck disable=SC2086
    traj2bin -q ${TRAJ:-} ${SPECIES:+--species "$SPECIES"} --unsorted-ok --jumps-ok -o "$p" -- "$@"
fi
unwrap ${MOLECULES:+--molecules "$MOLECULES"} -o "$work/unwrapped.mbf" -- "$p"

msd() { msd-cpu -q ${MOLECULES:+--molecules "$MOLECULES"} ${MASSES:+--masses "$MASSES"} "$@"; }
# the lags follow from the number of steps and the time between them
bin2txt --meta "$work/unwrapped.mbf" >"$work/meta"
dt=$(awk '$1 == "sys.dt_ps" { print $2 }' "$work/meta")
[ -n "$dt" ] || { echo "diffusion.sh: expected a time step, found none (give it with traj2bin --dt PS)" >&2; exit 2; }
frame-check "$work/unwrapped.mbf" >"$work/whole" 2>&1 || { cat "$work/whole" >&2; exit 2; }
steps=$(awk '{ for (k = 2; k <= NF; k++) if ($k ~ /^steps?,?$/) n = $(k - 1) } END { print n }' "$work/whole")
parts=${PARTS:-4}
number PARTS "$parts"
to=${TO:-$(awk -v n="$steps" -v dt="$dt" -v p="$parts" 'BEGIN { print n * dt / p / 2 }')}
from=${FROM:-$(awk -v t="$to" 'BEGIN { print 0.4 * t }')}
msd --tmax "$to" -o "$work/msd.mbf" "$work/unwrapped.mbf"
bin2txt "$work/msd.mbf" -o "$work/msd.txt"
k=0
while [ $k -lt "$parts" ]; do
    frame-cut "$((k * steps / parts)):$(((k + 1) * steps / parts))" "$work/unwrapped.mbf" |
        msd --tmax "$to" | bin2txt -o "$work/part"
    awk -v from="$from" -v to="$to" -v parts="$parts" '!/^#/ && $1 >= from - 1e-9 && $1 <= to + 1e-9 { n++; x += $1; y += $3; xx += $1 * $1; xy += $1 * $3 }
        END { if (n < 2) { printf "diffusion.sh: expected at least two lags from %s to %s ps in each of %s parts, found %d (FROM, TO, PARTS)\n", from, to, parts, n | "cat >&2"; exit 2 }
            print (n * xy - x * y) / (n * xx - x * x) / 6 }' "$work/part"
    k=$((k + 1))
done >"$work/parts.txt"

edge=$(awk -F '\t' '$1 == "sys.cell" { split($2, h, " "); print (h[1] * h[5] * h[9]) ^ (1 / 3) }' "$work/meta")
awk -v from="$from" -v to="$to" -v eta="${VISCOSITY:-}" -v T="${T:-298}" -v L="$edge" '{ s += $1; ss += $1 * $1; n++ }
    function pm(f) { return n > 1 ? sprintf("+- %.2g", f * e) : "(error not known: PARTS is 1)" }
    END { D = s / n; e = n > 1 ? sqrt((ss / n - D * D) / (n - 1)) : 0
        printf "D = %.4g %s A^2/ps (%.4g %s 1e-5 cm^2/s), slope from %.3g to %.3g ps, %d part%s\n", D, pm(1), 10 * D, pm(10), from, to, n, (n > 1 ? "s" : "")
        # Yeh and Hummer, J. Phys. Chem. B 108 (2004) 15873: kT in J, L in A, eta in mPa s; 1e22
        # A^2/ps is 1e-8 m^2/s
        if (eta != "" && L > 0) { c = 2.837297 * 1.380649e-23 * T / (6 * 3.14159265358979 * eta * 1e-3 * L * 1e-10) * 1e8
            printf "D after the finite-size correction: %.4g %s A^2/ps (+ %.3g, with a viscosity of %.3g mPa s)\n", D + c, pm(1), c, eta } }' "$work/parts.txt" >"$work/diffusion.txt"
cat -- "$work/diffusion.txt"
# 901 molecules have an edge of 30.0 A, so their correction is 0.028
[ -z "$sample" ] || cat <<'END'
Published for SPC/E at 298 K: D = 0.249 A^2/ps for 901 molecules (P. Mark, L. Nilsson, J. Phys. Chem. A 105 (2001) 9954), which is 0.277
after the finite-size correction; viscosity 0.729 mPa s (M. A. Gonzalez, J. L. F. Abascal, J. Chem. Phys. 132 (2010) 096101).
END
# D of the whole run with the window that einstein chooses; a run without a window is reported and
# is not a failure
most=$(awk -v n="$steps" -v dt="$dt" 'BEGIN { print n * dt / 4 }')
pas=$(awk -v eta="${VISCOSITY:-0}" 'BEGIN { print eta * 1e-3 }')
msd --tmax "$most" "$work/unwrapped.mbf" >"$work/long.mbf"
einstein ${VISCOSITY:+--viscosity "$pas" --temperature "${T:-298}"} <"$work/long.mbf" >"$work/einstein" || [ $? -eq 2 ]
cat -- "$work/einstein"
cat -- "$work/einstein" >>"$work/diffusion.txt"
rm -- "$work/meta" "$work/whole" "$work/part" "$work/long.mbf" "$work/einstein"
draw diffusion "$from" "$to"
publish
echo "Plot: $final/diffusion.${FORMAT:-png}"
