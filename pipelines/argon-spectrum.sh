#!/bin/sh
# SPDX-License-Identifier: MIT
# argon-spectrum.sh [TRAJECTORY]: interaction-induced light scattering of a fluid of atoms, from a trajectory (POSN, or what
# traj2bin reads) to G2, G3, G4 and the depolarised spectrum with standard errors, as text and as a plot. Without a trajectory:
# the sample of 256 argon atoms, whose frames of 125 fs fold what lies beyond 133 cm^-1, and beside it 100 ps of the same
# argon made by md-cpu, in frames of 20 fs.
# Variables: OUT folder for results (.), G4 program (g4-cpu), G4_OPTIONS of it (--sigma 3.4, where the input does not say it), TMAX
# ps (6), BIN folder of programs, FORMAT png, svg or pdf, STEPS of md-cpu (40000), OPTIONS of traj2bin (for POSN: none).
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/results.sh"
input=${1:-$here/../tests/data/argon256.xyz.gz}
quiet=
[ $# -gt 0 ] || quiet=-q # what is to be said of the sample is said below
older="fine.txt"
begin

positions() { # shellcheck disable=SC2086 # options are words
    if head -c 4 -- "$input" 2>/dev/null | grep -q MBF; then cat -- "$input"; else traj2bin ${OPTIONS:-} -- "$input"; fi
}
# shellcheck disable=SC2086 # options are words
positions | "${G4:-g4-cpu}" $quiet --tmax "${TMAX:-6}" --component all ${G4_OPTIONS:-} -o "$out/cf.mbf"
fft-spectrum $quiet --window hann --pad 4 "$out/cf.mbf" -o "$out/spectrum.mbf"
bin2txt "$out/cf.mbf" -o "$out/cf.txt"
bin2txt "$out/spectrum.mbf" -o "$out/spectrum.txt"

if [ $# -eq 0 ]; then
    # shellcheck disable=SC2086
    md-cpu --atoms 256 --cell 23.03154 --cutoff 11.5 --thermostat berendsen:0.5 --start random --equilibrate 20000 \
        --steps "${STEPS:-40000}" --every 8 | "${G4:-g4-cpu}" --tmax 3 --component all ${G4_OPTIONS:-} |
        fft-spectrum --window hann --pad 2 | bin2txt -o "$out/fine.txt"
fi

bin2txt --meta "$out/cf.mbf" >"$out/meta"
[ -z "$quiet" ] || awk -F '\t' '{ is[$1] = $2 }
    END { dt = is["sys.dt_ps"]; split(is["data.isotropy.g2"], g, " "); low = high = g[1]
        for (i = 2; i <= 3; i++) { low = g[i] < low ? g[i] : low; high = g[i] > high ? g[i] : high }
        printf "The sample: %d atoms of liquid argon, %d frames %g fs apart. Such frames tell frequencies to %.1f cm^-1,\n", is["sys.natoms"], is["data.steps"], 1000 * dt, 33.35641 / 2 / dt
        print "and what argon has beyond is folded back to below; the plot has frames of 20 fs beside them."
        printf "G2(0) is %.1f to %.1f for xz, xy and yz: a longer run brings them together. Below is the mean of all five components.\n", low, high }' "$out/meta"
show='n == most { exit } !/^##/ { n++ } /^# / { $1 = ""; for (i = 2; i <= NF && i <= 10; i++) printf " %10s", $i } /^[0-9]/ { for (i = 1; i <= NF && i <= 9; i++) printf " %10.4g", $i } !/^##/ { print "" }'
echo "Correlation functions, first lags of $final/cf.txt (_se: standard errors; nan: not to be known from a run this short):"
sed 's/ origins / /; /^[0-9]/s/ [0-9]* / /' "$out/cf.txt" >"$out/shown"
awk -v most=9 "$show" "$out/shown"
echo "Spectrum, $final/spectrum.txt:"
awk 'NR == 1 || /^##/ || n++ % 4 == 0' "$out/spectrum.txt" >"$out/shown"
awk -v most=13 "$show" "$out/shown"

bin2txt --meta "$out/spectrum.mbf" >"$out/meta"
last=$(awk '$1 == "data.nyquist" { print $2 }' "$out/meta")
rm -- "$out/meta" "$out/shown"
draw argon-spectrum "$last"
publish
echo "Plot: $final/spectrum.${FORMAT:-png}"
