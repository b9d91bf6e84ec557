#!/bin/sh
# SPDX-License-Identifier: MIT
# viscosity.sh [OPTION...] TABLE... computes the shear viscosity of a run, as a number and a plot.
# TABLE is a log of LAMMPS with Pxx to Pyz (or Pxy, Pxz, Pyz) in its thermo_style, an xvg file of
# gmx energy, or the table of md-* --thermo --stress.
#
# Units, time, temperature and volume are in the log:
#   pipelines/viscosity.sh log.lammps
# The second run of the log:
#   pipelines/viscosity.sh --run 2 log.lammps
# A table of GROMACS:
#   pipelines/viscosity.sh energy.xvg --unit bar --temperature 300 --volume 27000
# Independent runs of one system, which give one number:
#   pipelines/viscosity.sh a.log b.log c.log
#
# The options --run, --dt, --time, --timestep and --units are passed to txt2bin, and all other
# options to green-kubo. The results are OUT.txt (the value), OUT.mbf (the running integral) and,
# if gnuplot is installed, OUT.png.
# Variables, with their defaults in brackets:
#   OUT  name of the results (viscosity)
#   BIN  folder of the programs (PATH)
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
bin=${BIN:+$BIN/} out=${OUT:-viscosity}
die() {
    echo "viscosity.sh: $1" >&2
    exit 2
}
case $out in /*) ;; *) out=./$out ;; esac
work=$(mktemp -d -- "${out%/*}/.viscosity.XXXXXX") || exit 3 # results are moved out when all of them are complete
trap 'rm -rf -- "$work"' EXIT
mkdir -- "$work/results"
trap 'exit 1' HUP INT TERM
read='' next='' n=0
for a; do # options come before or after files
    shift
    case $next:$a in
    :-h | :--help) sed -n '1,2d; /^#/!q; s/^# \{0,1\}//p' "$0"; exit 0 ;;
    :--run | :--dt | :--time | :--timestep | :--units) read="$read $a" next=read last=$a ;;
    :--run=* | :--dt=* | :--time=* | :--timestep=* | :--units=* | read:*) read="$read $a" next='' ;;
    :--*=* | :-[qv] | option:*) set -- "$@" "$a" && next='' ;;
    :-?*) set -- "$@" "$a" && next=option last=$a ;;
    *) n=$((n + 1)) && printf %s "$a" >"$work/$n" ;;
    esac
done
[ -z "$next" ] || die "$last: expected a value, found none"
[ $n -gt 0 ] || die "expected a log, an xvg file or a table, found none"
k=0
while [ $k -lt $n ]; do
    k=$((k + 1)) name=$(cat "$work/$k")
    # shellcheck disable=SC2086
    "${bin}txt2bin" $read -o "$work/$k.mbf" -- "$name"
done
status=0
"${bin}green-kubo" --property viscosity "$@" -o "$work/eta.mbf" -- "$work"/[0-9]*.mbf >"$work/line.txt" 2>"$work/said" || status=$?
# replaces temporary names in messages by the names of the tables
folder=$work awk '{ w = ENVIRON["folder"] "/"
    if ((i = index($0, w)) && match(rest = substr($0, i + length(w)), /^[0-9]+\.mbf/)) {
        from = w substr(rest, 1, RLENGTH - 4)
        name = ""
        getline name <from
        $0 = substr($0, 1, i - 1) name substr(rest, RLENGTH + 1)
    }
    print }' "$work/said" >&2
[ $status -eq 0 ] || exit $status
if command -v gnuplot >/dev/null; then
    # the error has two significant digits, and the value has as many decimals
    title=$(awk '{ unit = $5; gsub(/[*]/, " ", unit); if (!($4 + 0 > 0)) { printf "viscosity %.3g %s (error not known)", $2, unit; exit }
        split(sprintf("%.1e", $4), w, "e"); f = "%." (w[2] < 1 ? 1 - w[2] : 0) "f"; printf "viscosity " f " ± " f " %s", $2, $4, unit; exit }' "$work/line.txt")
    NAMES='' LOG='' XRANGE='' YRANGE='' PANELS='' TITLE=$title "$here/plot.sh" -o "$work/results/${out##*/}.png" "$work/eta.mbf" >"$work/said"
else
    echo "viscosity.sh: no plot: gnuplot is not installed" >&2
fi
mv -- "$work/eta.mbf" "$work/results/${out##*/}.mbf"
cp -- "$work/line.txt" "$work/results/${out##*/}.txt"
mv -- "$work/results/${out##*/}".* "${out%/*}"
cat -- "$work/line.txt"
