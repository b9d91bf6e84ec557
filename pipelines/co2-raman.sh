#!/bin/sh
# SPDX-License-Identifier: MIT
# co2-raman.sh [TRAJECTORY [MODEL]] computes and plots the depolarised Raman spectrum of a molecular
# liquid in absolute units (A^6 cm), and its parts: permanent (rotation of molecules), induced
# (interaction of molecules), and the cross term of both. TRAJECTORY is a POSN stream of whole
# molecules; MODEL is described in alpha-cpu(1). The default is the sample of 64 rigid CO2
# molecules. Variables: OUT folder for results (.), ALPHA program (alpha-cpu), TMAX ps (3), BIN
# folder of programs, FORMAT png, svg or pdf.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/results.sh"
export LC_ALL=C
begin
model=${2:-$out/co2.model}
# A^3, perpendicular and parallel to the axis of the free molecule: mean 2.63, anisotropy 2.10, for
# visible light
[ $# -gt 1 ] || printf 'molecule CO2  C O O\n  site C  1.93 1.93 4.03  frame 2-3\n' >"$model"
"${ALPHA:-alpha-cpu}" --model "$model" --parts -o "$out/parts.pi" -- "${1:-$here/../tests/data/co2-64.mbf}"

# permanent part, and induced part (everything that is not permanent)
bin2txt --format tsv -o "$out/parts.txt" -- "$out/parts.pi"
awk 'NR == 1 { for (i = 3; i <= NF; i++) { split($i, w, "_"); part[i] = w[1]; axis[i] = w[2] }
        print "t_ps permanent_xx permanent_xy permanent_xz permanent_yy permanent_yz permanent_zz induced_xx induced_xy induced_xz induced_yy induced_yz induced_zz"; next }
    { for (i = 3; i <= 8; i++) p[axis[i]] = $i; for (i = 9; i <= 14; i++) q[axis[i]] = $i + $(i + 6); printf "%s", $2
      split("xx xy xz yy yz zz", a, " "); for (k = 1; k <= 6; k++) printf " %.17g", p[a[k]]; for (k = 1; k <= 6; k++) printf " %.17g", q[a[k]]; print "" }' "$out/parts.txt" >"$out/two.txt"
txt2bin --time t_ps -o "$out/two.pi" -- "$out/two.txt"
acf --invariant vh:permanent,vh:induced,vh:permanent-induced,vh:induced-permanent --mean subtract --tmax "${TMAX:-3}" -o "$out/raman.cf" -- "$out/two.pi"
fft-spectrum -q --window hann -o "$out/raman.spec" -- "$out/raman.cf"
bin2txt -o "$out/raman.txt" -- "$out/raman.spec"
bin2txt -o "$out/cf.txt" -- "$out/raman.cf"
awk '/^# t_ps/ { for (i = 2; i <= NF; i++) at[$i] = i - 1 } !/^#/ { p = $at["VH_permanent"]; q = $at["VH_induced"]
    c = $at["VH_permanent-induced"] + $at["VH_induced-permanent"]
    printf "mean squares at lag 0, A^6: permanent %.4g, induced %.4g, cross %.4g, sum %.4g\n", p, q, c, p + q + c; exit }' "$out/cf.txt"
rm -- "$out/parts.txt" "$out/two.txt" "$out/cf.txt"
draw co2-raman
publish
