#!/bin/sh
# SPDX-License-Identifier: MIT
# viscosity.sh [OPTION...] TABLE... computes the shear viscosity of a run, as a number and a plot.
# TABLE is a log of LAMMPS with Pxx to Pyz (or Pxy, Pxz, Pyz) in its thermo_style, an xvg file of
# gmx energy, or the table of md-* --thermo --stress.
#
#   pipelines/viscosity.sh log.lammps                        # units, time, temperature and volume
#   are in the log
#   pipelines/viscosity.sh --run 2 log.lammps                # the second run of the log
#   pipelines/viscosity.sh energy.xvg --unit bar --temperature 300 --volume 27000
#   pipelines/viscosity.sh a.log b.log c.log                 # independent runs of one system give
#   one number
#
# --run, --dt, --time, --timestep and --units are passed to txt2bin, and other options to
# green-kubo. OUT (viscosity) names the results: OUT.txt (the value), OUT.mbf (the running integral)
# and, if gnuplot is installed, OUT.png. BIN: folder of the programs (default: PATH).
set -eu
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
read -r _ value _ error unit _ _ rest <"$work/line.txt"
spread="+- $error" band="$value-$error with lines dt 2 lc rgb '#c03020' notitle, $value+$error with lines dt 2 lc rgb '#c03020' notitle"
[ "$error" != nan ] || spread='(error not known)' band='NaN notitle'
if command -v gnuplot >/dev/null; then
    "${bin}bin2txt" -o "$work/eta.txt" -- "$work/eta.mbf"
    (cd -- "$work" && LC_ALL=C.UTF-8 gnuplot) <<END # so that gnuplot reads no folder names
set term pngcairo size 900,600
set output "eta.png"
set xlabel "t, ${rest%% *}"
set ylabel "viscosity up to t, $unit" noenhanced
set key bottom right
set label "$value $spread $unit" at graph 0.03, 0.95 noenhanced
plot [0:] "eta.txt" using 1:(\$4-\$6):(\$4+\$6) with filledcurves fc rgb "#cfe0f0" title "standard error", \
    "" using 1:4 with lines lw 2 lc rgb "#1f5f9f" title "running integral", \
    $value with lines lc rgb "#c03020" title "spectrum at frequency 0", \
    $band
END
    mv -- "$work/eta.png" "$work/results/${out##*/}.png"
else
    echo "viscosity.sh: no plot: gnuplot is not installed" >&2
fi
mv -- "$work/eta.mbf" "$work/results/${out##*/}.mbf"
cp -- "$work/line.txt" "$work/results/${out##*/}.txt"
mv -- "$work/results/${out##*/}".* "${out%/*}"
cat -- "$work/line.txt"
