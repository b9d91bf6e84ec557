#!/bin/sh
# SPDX-License-Identifier: MIT
# plot.sh [-o PICTURE.png|svg|pdf] FILE.mbf...: results as a picture (plot.png): correlation functions, histograms, spectra, time series,
# whatever their columns, of one kind in all files. Axes with units; bands are standard errors where the files have them; the vertical
# axis is logarithmic where a spectrum or F(q, t) falls over three decades or more. Functions of lag and q: a curve for each q, eight
# at most. "-" is standard input.
# Variables: BIN folder of programs, NAMES of the columns to draw, apart by blanks (g of a histogram, else all), LOG=1|0,
# XRANGE and YRANGE as gnuplot has them ([0:5]), TITLE, SIZE in pixels (900x600).
set -eu
here=$(cd -- "$(dirname -- "$0")" && pwd)
PATH=${BIN:-$here/../build/bin}:$PATH
LC_ALL=C.UTF-8
export LC_ALL
die() {
    echo "plot.sh: $1" >&2
    exit 2
}
picture=plot.png
while getopts o: option; do
    [ "$option" = o ] || die "usage: plot.sh [-o PICTURE.png|svg|pdf] FILE.mbf..."
    picture=$OPTARG
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || die "expected one file or more, found none (- is standard input)"
case $picture in *.png | *.svg | *.pdf) ;; *) die "$picture: expected a name that ends in .png, .svg or .pdf" ;; esac
command -v gnuplot >/dev/null || { echo "plot.sh: gnuplot expected, found none" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Every file becomes a table; every curve a line "TABLE x y se from to name" of the list: its rows are [from, to) of the table's
k=0
for f; do
    k=$((k + 1))
    bin2txt -q -o "$work/$k" -- "$f" || exit $? # bin2txt has said why
    awk -v table="$k" -v stem="$(basename -- "$f" .mbf)" -v many="$#" -v want="${NAMES:-}" -v list="$work/list" -v facts="$work/facts" '
    function unit(name) { return name ~ /^(t_ps|r_A|q_A-1|nu_.*|w_.*|nu_cm-1)$/ }
    NR == 1 {
        x = $2; n = NF - 1
        for (i = 2; i <= NF; i++) { name[i - 1] = $i; at[$i] = i - 1 }
        two = n > 1 && unit(name[1]) && unit(name[2]) # functions of two axes
        if (name[1] == "step") { xc = at["t_ps"]; if (!xc) xc = 1 } else xc = 1
        if (two) { xc = at["t_ps"] ? at["t_ps"] : 1; oc = 3 - xc }
        m = split(want, w, " "); for (i = 1; i <= m; i++) wanted[w[i]] = 1
        for (i = 1; i <= n; i++) {
            c = name[i]
            if (i == xc || (two && i == oc)) continue
            if (m ? !(c in wanted) : c ~ /(_se|_cut)$|^(origins|vectors|count.*|steps|flag|step|n|n_.*-.*|atom)$/) continue
            y[++ys] = i
        }
        next
    }
    /^## input/ { kind = $3 }
    /^#/ { next }
    NF { rows++
        if (two && (rows == 1 || $oc != group[groups])) { if (groups) end[groups] = rows - 1; group[++groups] = $oc; begin[groups] = rows - 1 }
        for (i = 1; i <= ys; i++) { v = $y[i]; if (v ~ /^[-+0-9.]/ && v + 0 > 0) { if (!(i in low) || v + 0 < low[i]) low[i] = v + 0; if (v + 0 > high[i]) high[i] = v + 0 } else if (v + 0 < 0) below[i]++ }
        if (rows == 1) first = $xc; last = $xc }
    END {
        if (!rows) { print "found no rows" ; exit 2 }
        if (!ys) { print "found no column to draw" ; exit 2 }
        if (!two) { groups = 1; begin[1] = 0 }
        end[groups] = rows
        every = two && groups > 8 ? (groups - 1) / 7 : 1
        for (i = 1; i <= ys; i++) {
            if (low[i] && high[i] / low[i] > 1e3 && below[i] < rows / 10) log10 = 1
            c = name[y[i]]; se = at[c "_se"] + 0
            for (g = 1; int(g + 0.5) <= groups; g += every) {
                h = int(g + 0.5)
                print table, xc, y[i], se, begin[h], end[h], (many > 1 ? stem ": " : "") c (two ? " at " group[h] : "") >list
            }
        }
        print name[xc], kind, log10 + 0, name[y[1]], ys >facts
    }' "$work/$k" >"$work/why" || die "$f: $(cat "$work/why")"
    read -r x kind log y ys <"$work/facts"
    [ $k -eq 1 ] || [ "$x" = "$first" ] || die "$f: expected the axis $first of the file before, found $x"
    first=$x
    echo "$kind $log $y $ys" >>"$work/all"
    cat "$work/list" >>"$work/curves"
done
kind=$(awk 'NR == 1 { print $1 }' "$work/all")
log=$(awk '{ n += $2 } END { print n == NR }' "$work/all")
case $kind:$x in SPEC:nu* | SPEC:w* | CORR:q* | CORR:t_ps) ;; *) log=0 ;; esac
case $kind:$x in CORR:t_ps) grep -q ' at ' "$work/curves" || log=0 ;; esac
log=${LOG:-$log}
label() {
    case $1 in
    t_ps) echo 't / ps' ;;
    r_A) echo 'r / Å' ;;
    q_A-1) echo 'q / Å^{-1}' ;;
    nu_cm-1) echo 'wave number / cm^{-1}' ;;
    nu_*) echo "frequency / ${1#nu_}" ;;
    w_rad_ps | w_rad/ps | omega*) echo 'ω / (rad/ps)' ;;
    *) echo "$1" | sed 's/_/ /g' ;;
    esac
}
case $kind in
HIST) ylabel='g(r)' ;;
SPEC) case $x in q*) ylabel='S(q)' ;; *) ylabel="intensity per $(label "$x" | sed 's,.* / ,,')" ;; esac ;;
CORR) case $x in q*) ylabel='S(q)' ;; *) ylabel='correlation function' ;; esac ;;
*) ylabel=value ;;
esac
[ "$(awk '{ print $4 }' "$work/all" | sort -u | tr '\n' ' ')" != '1 ' ] || [ "$kind" = HIST ] || ylabel=$(awk 'NR == 1 { print $3 }' "$work/all" | sed 's/_/ /g')

# ---- gnuplot: escaped names, bands below lines; written beside the picture and renamed
{
    printf 'fmt = "%s"; o = "%s/"\nload "%s/figure.gp"\n' "${picture##*.}" "$work" "$here"
    printf 'eval terminal("picture", %s)\n' "$(echo "${SIZE:-900x600}" | sed 's/x/, /')"
    printf 'set xlabel "%s"; set ylabel "%s"; set key noenhanced top right\n' "$(label "$x")" "$ylabel"
    [ -z "${TITLE:-}" ] || printf 'set title "%s" noenhanced\n' "$(echo "$TITLE" | sed 's/[\\"]/ /g')"
    [ "$log" != 1 ] || printf 'set logscale y; set format y "10^{%%T}"\n'
    [ "$log" = 1 ] || [ "$kind" = HIST ] || printf 'set xzeroaxis lt -1 lw 0.5\n'
    [ -z "${XRANGE:-}" ] || printf 'set xrange %s\n' "$XRANGE"
    [ -z "${YRANGE:-}" ] || printf 'set yrange %s\n' "$YRANGE"
    awk -v log10="$log" -v dir="$work" 'BEGIN { printf "positive(v) = %s\nplot ", log10 ? "v > 0 ? v : NaN" : "v" }
    { name = $0; for (i = 1; i <= 6; i++) sub(/^[^ ]* /, "", name); gsub(/[\\"]/, "", name); lt = (NR - 1) % 6 + 1
      from = sprintf("\"%s/%s\" every ::%d::%d", dir, $1, $5, $6 - 1)
      if ($4) bands = bands sprintf("%s using %d:(positive($%d - $%d)):(positive($%d + $%d)) with filledcurves lt %d notitle, ", from, $2, $3, $4, $3, $4, lt)
      lines = lines sprintf("%s%s using %d:(positive($%d)) with lines lt %d%s title \"%s\"", NR > 1 ? ", " : "", from, $2, $3, lt, NR > 6 ? " dt 2" : "", name) }
    END { print bands lines }' "$work/curves"
} >"$work/plot.gp"
gnuplot "$work/plot.gp" 2>"$work/why" || { sed 's/^/plot.sh: gnuplot: /' "$work/why" >&2; exit 2; }
[ -s "$work/picture.${picture##*.}" ] || die "$1: gnuplot drew nothing: $(tail -n 1 "$work/why")"
mv "$work/picture.${picture##*.}" "$picture"
echo "Plot: $picture"
