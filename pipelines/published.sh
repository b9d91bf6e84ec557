#!/bin/sh
# SPDX-License-Identifier: MIT
# published.sh computes quantities for which the folder published contains a number from a paper,
# in one file per quantity. The program compare uses the errors of both numbers to decide whether
# they agree within two combined standard errors. The script prints one line per quantity: the
# published number, the number computed here, and "agrees" or "differs by ..., because ...". If a
# number differs and its file gives no reason, the exit status is 1. The runs are short, and take
# about two minutes on two cores.
# Variables, with their defaults in brackets:
#   OUT        folder for published.tsv (.)
#   BIN        folder of the programs
#   SHORT      set to 1 to compute only the exact numbers and the refractive indices, in a few
#              seconds, for the tests
#   STEPS      number of time steps of liquid argon for its refractive index (10000)
#   PUBLISHED  folder of the published numbers
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/results.sh"
export LC_ALL=C
begin
numbers=${PUBLISHED:-$here/published}
steps=${STEPS:-10000}
number STEPS "$steps"
mkdir -- "$out/work"
cd -- "$out/work"

# here NAME VALUE ERROR: a number that was computed here. A program that fails inside "$(...)" stops
# no script, so a missing number is refused here.
here() {
    case ${2:-}${3:-} in '' | *nan* | *inf*) echo "published.sh: $1: no number was computed" >&2 && exit 1 ;; esac
    printf '%s %s\n' "$2" "${3:?$1: no error was computed}" >"$1.here"
}
# mean COLUMN FILE: mean of a column of a thermo file, and its error from 10 blocks
mean() {
    awk -v c="$1" '/^# step/ { for (i = 2; i <= NF; i++) if ($i == c) k = i - 1 } !/^#/ && $1 > 0 { x[n++] = $k; m += $k }
        END { m /= n; for (b = 0; b < 10; b++) { s = k = 0; for (i = int(b * n / 10); i < int((b + 1) * n / 10); i++) { s += x[i]; k++ } v += (s / k - m) ^ 2 }
            printf "%.12g %.3g\n", m, sqrt(v / 90) }' "$2"
}
# peak COLUMN FROM TO FILE: prints the place of the maximum of a column of a table from a parabola,
# and half of the spacing of the rows
peak() {
    awk -v c="$1" -v from="$2" -v to="$3" '/^# / && !k { for (i = 2; i <= NF; i++) if ($i == c) k = i - 1 } !/^#/ { x[++n] = $1; v[n] = $k; if ($1 > from && $1 < to && (!m || $k > v[m])) m = n }
        END { a = v[m - 1]; b = v[m]; d = v[m + 1]; h = x[m + 1] - x[m]; printf "%.6g %.3g\n", x[m] + h * (a - d) / 2 / (a - 2 * b + d), h / 2 }' "$4"
}
# index STREAM: refractive index of argon with the polarizability of the free atom at 546.1 nm,
# 11.0763(19) + 27.976 w^2 + 95.02 w^4 bohr^3 with w = 0.08343 hartree (Lesiuk and others 2023). The
# error includes that of the polarizability.
index() {
    alpha-cpu -q --polarizability Ar=1.67087 --parts -o pi -- "$1"
    optics -q -o o pi
    bin2txt -o o.txt o
    awk '/^# / && !k { for (i = 2; i <= NF; i++) at[$i] = i - 1; k = 1 } !/^#/ { n = $at["n"]; e = (n * n - 1) * (n * n + 2) / (6 * n) * 0.0019 / 11.0763
        s = $at["n_se"]; if (s ~ /nan/) s = 0; printf "%.10g %.3g\n", n, sqrt(e * e + s * s) }' o.txt
}
# a single configuration whose positions have 13 digits
xyz2bin -q --dt 1 --sigma 1 --dtype f64 -o c "$here/published/lj-configuration-4.xyz"
for tail in '' --tail; do
    md-cpu -q --units lj --cutoff 3 $tail --temperature 0.001 --dt 1e-6 --steps 1 --every 1 --precision double --thermo "u$tail" -o /dev/null c
done
u=$(awk '!/^#/ { print $4; exit }' u)
here lj-configuration-energy "$u" 1e-10
here lj-configuration-tail "$(awk -v u="$u" '!/^#/ { printf "%.14g", $4 - u; exit }' u--tail)" 1e-12
# the values of a lattice
awk 'BEGIN { print "108\nLattice=\"15 0 0 0 15 0 0 0 15\" pbc=\"T T T\"\n"; for (i = 0; i < 6; i++) for (j = 0; j < 6; j++) for (k = 0; k < 6; k++)
    if ((i + j + k) % 2 == 0) print "Ar", 2.5 * i, 2.5 * j, 2.5 * k }' | sed '/^$/d' >fcc.xyz
xyz2bin -q --dt 1 -o fcc fcc.xyz
ql-cpu -q --nearest 12 --l 6 -o q fcc
bin2txt -o q.txt q
here fcc-q6 "$(awk '!/^#/ { print $NF; exit }' q.txt)" 1e-6
# argon gas: p/kT = 2.68678e25/m^3 at 273.15 K and 101325 Pa, over 1 + B p/RT with B = -22 cm^3/mol
# between the smoothed values at 200 K, -48, and at 300 K, -16 (Kehiaian, CRC Handbook)
md-cpu -q --atoms 108 --density 2.68942e-5 --temperature 273.15 --start random --steps 100 --every 50 -o gas
# shellcheck disable=SC2046
here argon-gas-index $(index gas)
# liquid argon at 83.81 K: Lennard-Jones atoms with epsilon/k = 119.8 K and sigma = 3.405 A (Rowley,
# Nicholson, Parsonage 1975) at the density of the liquid at coexistence at T* = 0.7, 0.84341 (NIST)
md-cpu -q --atoms 256 --density 0.0213642 --epsilon 10.32356 --sigma 3.405 --cutoff half --temperature 83.81 --start random --thermostat berendsen:1 \
    --equilibrate "$steps" --steps "$steps" --every $(((steps + 49) / 50)) -o liquid
# shellcheck disable=SC2046
here argon-liquid-index $(index liquid)
if [ -z "${SHORT:-}" ]; then
    lj="md-cpu -q --units lj --start random --dt 0.004"
    $lj --atoms 500 --density 0.77681 --temperature 0.85 --cutoff 3 --tail --thermostat berendsen:1 --equilibrate 10000 --steps 100000 --every 10 --thermo e -o /dev/null
    # shellcheck disable=SC2046
    here lj-liquid-energy $(mean U e | awk '{ print $1 / 500, $2 / 500 }')
    # shellcheck disable=SC2046
    here lj-liquid-pressure $(mean p e)
    for seed in 3 4; do
        $lj --atoms 256 --density 0.8442 --temperature 0.722 --thermostat berendsen:2 --equilibrate 20000 --steps 250000 --every 250000 --thermo-every 5 --stress --seed $seed --thermo e -o /dev/null
        txt2bin -q -o "stress$seed" e
    done
    green-kubo -q --property viscosity --temperature 0.722 --volume 303.245676 stress3 stress4 >eta
    here lj-viscosity "$(awk '{ print $2 }' eta)" "$(awk '{ print $4 }' eta)"
    # argon at the conditions of Rahman's simulation
    md-cpu -q --atoms 864 --density 0.0207121 --epsilon 10.34080 --temperature 94.4 --cutoff 7.65 --start random --thermostat berendsen:1 --equilibrate 10000 --steps 24000 --every 20 -o argon
    unwrap -q -o free argon
    msd-cpu -q --tmax 10 -o msd free
    einstein -q msd >d
    here argon-diffusion "$(awk '{ print $6 }' d)" "$(awk '{ print $8 }' d)"
    rdf-cpu -q --rmax 15 --bins 300 -o g argon
    bin2txt -o g.txt g
    rdf2sq -q --qmax 3 --qstep 0.02 -o s g
    bin2txt -o s.txt s
    # shellcheck disable=SC2046
    here argon-g-peak $(peak g 3 5 g.txt)
    here argon-s-peak "$(peak S 1 3 s.txt | awk '{ print $1 * 3.4 }')" 0.034
    cp argon-g-peak.here argon-x-ray-peak.here
fi

# ---- the comparison
# series VALUE FILE: writes a stream with this value
series() { printf 'value\n%s\n%s\n' "$1" "$1" | txt2bin -q --dt 1 -o "$2" -; }
# of KEY FILE: one entry of the head of a file, which lines with more blanks continue
of() {
    awk -v key="# $1: " 'index($0, key) == 1 { text = substr($0, length(key) + 1); on = 1; next } on && /^#   / { text = text substr($0, 4); next } { on = 0 } END { print text }' "$2"
}
status=0
tab=$(printf '\t')
for f in "$numbers"/*.txt; do
    name=$(basename "$f" .txt)
    [ -e "$name.here" ] || { [ -n "${SHORT:-}" ] && continue; echo "published.sh: $f: no number is computed for it" >&2; exit 1; }
    read -r value error <"$name.here"
    # prints as many digits as the error has
    rounded=$(awk -v v="$value" -v e="$error" 'BEGIN { a = v < 0 ? -v : v; printf "%.*g", int(log(a) / log(10) + 100) - int(log(e) / log(10) + 100) + 2, v }')
    # shellcheck disable=SC2046
    set -- $(sed -n '/^value error$/{n;p;}' "$f")
    series "$1" a
    series "$value" b
    within=$(awk -v a="$2" -v b="$error" 'BEGIN { printf "%.17g", 2 * sqrt(a * a + b * b) }')
    compare -q --atol "$within" a b >verdict && code=0 || code=$?
    case $code in
    0) verdict=agrees ;;
    1)
        because=$(of because "$f")
        by=$(awk -v a="$value" -v b="$1" 'BEGIN { printf "%.2g", a - b }')
        verdict="differs by $by, ${because:+because }${because:-for an unknown reason}"
        [ -n "$because" ] || status=1 ;;
    *) echo "published.sh: $f: the numbers cannot be compared" >&2; exit 1 ;;
    esac
    row=
    for k in quantity system state unit; do
        text=$(of $k "$f")
        row="$row$text$tab"
    done
    reference=$(of reference "$f")
    text=$(of 'read in' "$f")
    printf '%s%s ± %s\t%s (read in %s)\t%s ± %s\t%s\n' "$row" "$1" "$2" "$reference" "$text" "$rounded" "$error" "$verdict" >>published.tsv
    echo "$name: published $1 +- $2, here $rounded +- $error: $verdict"
done
mv published.tsv ..
cd ..
rm -r work
publish
exit $status
