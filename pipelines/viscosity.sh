#!/bin/sh
# SPDX-License-Identifier: MIT
# viscosity.sh [OPTION...] TABLE...: the shear viscosity of a run, number and picture, from the table that its program wrote: a log of
# LAMMPS with Pxx to Pyz (or Pxy, Pxz, Pyz) in its thermo_style, an xvg of gmx energy, --thermo of md-* with --stress.
#
#   pipelines/viscosity.sh log.lammps                        # units, time, temperature and volume are in it
#   pipelines/viscosity.sh --run 2 log.lammps                # the second run of the log
#   pipelines/viscosity.sh energy.xvg --unit bar --temperature 300 --volume 27000
#   pipelines/viscosity.sh a.log b.log c.log                 # independent runs of one system: one number
#
# --run, --dt, --time, --timestep and --units go to txt2bin, other options to green-kubo. OUT (viscosity) names what comes: OUT.txt, the line; OUT.mbf, the
# running integral; OUT.png with it and the value, where gnuplot is there. BIN: folder with the programs, else those of PATH.
set -eu
bin=${BIN:+$BIN/} out=${OUT:-viscosity}
die() {
    echo "viscosity.sh: $1" >&2
    exit 2
}
case $out in /*) ;; *) out=./$out ;; esac
work=$(mktemp -d -- "${out%/*}/.viscosity.XXXXXX") || exit 3 # results leave it when all are whole
trap 'rm -rf -- "$work"' EXIT
mkdir -- "$work/results"
trap 'exit 1' HUP INT TERM
read='' next='' n=0
for a; do # options stand before or behind files
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
[ -z "$next" ] || die "$last: a value expected, found none"
[ $n -gt 0 ] || die "a log, xvg or table expected"
k=0
while [ $k -lt $n ]; do
    k=$((k + 1)) name=$(cat "$work/$k")
    # shellcheck disable=SC2086
    "${bin}txt2bin" $read -o "$work/$k.mbf" -- "$name"
done
status=0
"${bin}green-kubo" --property viscosity "$@" -o "$work/eta.mbf" -- "$work"/[0-9]*.mbf >"$work/line.txt" 2>"$work/said" || status=$?
# messages have the names of the tables
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
    (cd -- "$work" && LC_ALL=C.UTF-8 gnuplot) <<END # the plot has no name of a folder
set term pngcairo size 900,600
set output "eta.png"
set xlabel "t, ${rest%% *}"
set ylabel "viscosity up to t, $unit" noenhanced
set key bottom right
set label "$value $spread $unit" at graph 0.03, 0.95 noenhanced
plot [0:] "eta.txt" using 1:(\$4-\$6):(\$4+\$6) with filledcurves fc rgb "#cfe0f0" title "one error", \
    "" using 1:4 with lines lw 2 lc rgb "#1f5f9f" title "running integral", \
    $value with lines lc rgb "#c03020" title "spectrum at 0", \
    $band
END
    mv -- "$work/eta.png" "$work/results/${out##*/}.png"
else
    echo "viscosity.sh: no gnuplot, no picture" >&2
fi
mv -- "$work/eta.mbf" "$work/results/${out##*/}.mbf"
cp -- "$work/line.txt" "$work/results/${out##*/}.txt"
mv -- "$work/results/${out##*/}".* "${out%/*}"
cat -- "$work/line.txt"
