#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# hashes.sh DATA TO: write the output of each program on PATH that computes or reads to TO/NAME.
# Names that begin with "~" depend on FFTW, which rounds according to the SIMD level of the
# processor, on long double, which differs between platforms (the expected pairs of rdf-cpu), or on
# sin and cos of libm, which round differently on aarch64 (rdf2sq): a bats file says so of a program
# in a line "# rounds: PROGRAM".
set -u
data=$(cd "$1" && pwd) && tests=$(cd "$(dirname "$0")/.." && pwd) && mkdir -p "$2" && cd "$2" || exit 3
export BIN; BIN=$(dirname "$(command -v frame-check)")
# shellcheck disable=SC1091
. "$tests/helpers.bash"
failed=0
# out NAME COMMAND...: run the command with -o NAME
out() {
    local name=$1
    shift
    "$@" -q -o "$name" >/dev/null 2>"$name.err" && rm "$name.err" || { echo "hashes: $name: $* failed: $(head -n 1 "$name.err")"; failed=1; }
}
# one of every program, by what its bats file declares
mkdir -p inputs
(cd inputs && inputs 8 100 && declared reads writes >commands)
n=0
while read -r p input options; do
    name=$p-$((++n))
    ! grep -qx "# rounds: $p" "$tests"/*/*.bats || name="~$name"
    # shellcheck disable=SC2046,SC2086
    case $p in bin2txt | bin2xyz | compare | einstein | frame-check) ;; *) out "$name" $p $options $([ "$input" = - ] || echo "$input") ;; esac
done <inputs/commands
rm -r inputs
zcat "$data/argon256.xyz.gz" | head -n 2064 >a.xyz
for f in "$data"/dialects/[cefipl]*[a-z].xyz; do
    case $f in */no-final* | */ipi*) ;; *) out "xyz-$(basename "$f" .xyz)" traj2bin --dt 1 "$f" ;; esac
done
for f in xtc trr ncdf; do out "traj-$f" traj2bin "$data/formats/water10.$f"; done
out traj-dcd traj2bin --dt 0.5 "$data/formats/water10.dcd"
out argon xyz2bin a.xyz
out argon-t1 xyz2bin -t 1 a.xyz
out argon-z xyz2bin -z a.xyz
bin2xyz -q argon >b.xyz
out argon-again xyz2bin b.xyz
out water frame-cut 0:80 "$data/water64.mbf"
out co2 frame-cut 0:16 "$data/co2-64.mbf"
out oxygen frame-cut --species O water
out rdf rdf-cpu --bins 100 argon
out rdf-t1 rdf-cpu -t 1 --bins 100 argon
out rdf-pair rdf-cpu --bins 100 --pair O-H --exclude 3 water
out "~rdf-sq" rdf2sq rdf
out "~rdf-corner" rdf-cpu --bins 100 --rmax corner argon
out sq sq-cpu --qmax 3 argon
out pairs beta-gen --sigma 3.4 xyz-extended
out g4 g4-cpu --lags 3 argon
out g4-t1 g4-cpu -t 1 --lags 3 argon
out g4-all g4-cpu --lags 3 --component all argon
out g4-mic g4-cpu --lags 2 --sum mic --component all argon
out g4-direct g4-cpu --lags 1 --method direct --sigma 3.4 xyz-extended
out nmr nmr-rates --spin 3He --highest 1e6 --decade 2 g4-mic
out "~spectrum" fft-spectrum --window hann g4
out md md-cpu --atoms 108 --density 0.021 --steps 100 --every 25
out md-t1 md-cpu -t 1 --atoms 108 --density 0.021 --steps 100 --every 25
out md-f64 md-cpu --atoms 108 --density 0.021 --precision double --steps 50 --every 25
out alpha-1 alpha-cpu --polarizability Ar=1.64 --order 1 argon
out alpha alpha-cpu --polarizability Ar=1.64 argon
out "~alpha-acf" acf --lags 3 alpha
bin2txt alpha-1 >alpha-1.txt 2>/dev/null
out table txt2bin --dt 1 alpha-1.txt
out fqt fqt-cpu --lags 3 --qmax 1 argon
out unwrapped unwrap water
out "~msd" msd-cpu --lags 20 unwrapped
out "~vacf" vacf-cpu --lags 20 --weights mass water
exit $failed
