#!/bin/sh
# SPDX-License-Identifier: MIT
# argon-spectrum.sh [TRAJECTORY] computes the interaction-induced light scattering of an atomic
# fluid: G2, G3, G4 and the depolarised spectrum, with standard errors, as text and as a plot.
# TRAJECTORY is a POSN stream or any file that traj2bin reads. The default is the sample of 256
# argon atoms. The frames of this sample are 125 fs apart, so its spectrum is aliased above 133
# cm^-1. The plot therefore also shows a run of md-cpu of 100 ps, with frames 20 fs apart.
# Variables, with their defaults in brackets:
#   OUT         folder for the results (.)
#   G4          program to use (g4-cpu)
#   G4_OPTIONS  options of this program, such as --sigma 3.4 if the input does not contain sigma
#   TMAX        largest time lag, ps (6)
#   BIN         folder of the programs
#   FORMAT      format of the plot: png, svg or pdf (png)
#   STEPS       number of steps of md-cpu (40000)
#   OPTIONS     options of traj2bin, which are not used for a POSN stream
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/results.sh"
input=${1:-$here/../tests/data/argon256.xyz.gz}
quiet=
[ $# -gt 0 ] || quiet=-q # remarks on the sample are printed below
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
        printf "Sample: %d argon atoms at 90 K, %d frames, %g fs apart. These frames resolve frequencies up to %.0f cm^-1;\n", is["sys.natoms"], is["data.steps"], 1000 * dt, 33.35641 / 2 / dt
        print "higher frequencies are aliased. The plot also shows a run of md-cpu with frames 20 fs apart."
        printf "G2(0) ranges from %.1f to %.1f over the components xz, xy and yz; the range would be smaller in a longer run.\n", low, high }' "$out/meta"
show='n == most { exit } !/^##/ { n++ } /^# / { $1 = ""; for (i = 2; i <= NF && i <= 10; i++) printf " %10s", $i } /^[0-9]/ { for (i = 1; i <= NF && i <= 9; i++) printf " %10.4g", $i } !/^##/ { print "" }'
echo "Correlation functions, averaged over the five tensor components (first lags of $final/cf.txt)."
echo "Columns that end in _se are standard errors; nan means that the run is too short to determine an error:"
sed 's/ origins / /; /^[0-9]/s/ [0-9]* / /' "$out/cf.txt" >"$out/shown"
awk -v most=9 "$show" "$out/shown"
echo "Spectrum (every fourth row of $final/spectrum.txt):"
awk 'NR == 1 || /^##/ || n++ % 4 == 0' "$out/spectrum.txt" >"$out/shown"
awk -v most=13 "$show" "$out/shown"

bin2txt --meta "$out/spectrum.mbf" >"$out/meta"
last=$(awk '$1 == "data.nyquist" { print $2 }' "$out/meta")
rm -- "$out/meta" "$out/shown"
draw argon-spectrum "$last"
publish
echo "Plot: $final/spectrum.${FORMAT:-png}"
