#!/bin/sh
# SPDX-License-Identifier: MIT
# plot.sh [-o PICTURE.png|svg|pdf] FILE.mbf... plots correlation functions, histograms, spectra or
# time series as a picture (plot.png). All files must have the same axis. The axes have units, and
# bands show standard errors. The vertical axis is logarithmic if a spectrum or F(q, t) spans three
# decades or more. A function of two axes, such as lag and q, has one curve for each of at most
# eight values of the second axis. "-" is standard input. The picture appears under its name when it
# is complete. Variables: BIN folder of programs, NAMES of the columns to plot, separated by blanks
# (histogram: g; otherwise all), LOG=1|0, XRANGE and YRANGE in the form of gnuplot ([0:5]), TITLE,
# SIZE in pixels (900x600).
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
PATH=${BIN:-$here/../build/bin}:$PATH
LC_ALL=C.UTF-8
export LC_ALL
die() {
    echo "plot.sh: $1" >&2
    exit "${2:-2}"
}
usage="usage: plot.sh [-o PICTURE.png|svg|pdf] FILE.mbf..."
picture=plot.png next=''
for a; do # options come before or after files
    shift
    case $next:$a in
    o:*) picture=$a next='' ;;
    end:*) set -- "$@" "$a" ;;
    :-o) next=o ;;
    :-o?*) picture=${a#-o} ;;
    :-h | :--help) sed -n '1,2d; /^#/!q; s/^# \{0,1\}//p' "$0"; exit 0 ;;
    :--) next=end ;;
    :-?*) die "unknown option $a: $usage" ;;
    *) set -- "$@" "$a" ;;
    esac
done
[ "$next" != o ] || die "-o: expected a name, found none: $usage"
[ $# -gt 0 ] || die "expected one file or more, found none (- is standard input)"
case $picture in *.png | *.svg | *.pdf) ;; *) die "$picture: expected a name that ends in .png, .svg or .pdf" ;; esac
# fits TEXT PATTERN: tests whether the pattern matches the whole text, including line breaks
fits() { fits=$1 awk -v is="$2" 'BEGIN { exit ENVIRON["fits"] !~ ("^(" is ")$") }'; }
fits "${SIZE:-900x600}" '[1-9][0-9][0-9]?[0-9]?[0-9]?x[1-9][0-9][0-9]?[0-9]?[0-9]?' || die "SIZE: expected WIDTHxHEIGHT in pixels, found '$SIZE'"
case ${LOG:-0} in 0 | 1) ;; *) die "LOG: expected 0 or 1, found '$LOG'" ;; esac
end='([-+]?[0-9.]+([eE][-+]?[0-9]+)?|[*])?'
fits "${XRANGE:-[:]}" "[[]${end}:${end}[]]" || die "XRANGE: expected [FROM:TO], numbers, found '$XRANGE'"
fits "${YRANGE:-[:]}" "[[]${end}:${end}[]]" || die "YRANGE: expected [FROM:TO], numbers, found '$YRANGE'"
command -v gnuplot >/dev/null || die "expected gnuplot, found none" 3
work=$(mktemp -d) back=$PWD
trap 'rm -rf -- "$work"' EXIT

# Each file is converted to tables, one for each value of a second axis; each curve is a line "TABLE
# x y se name" of the list
k=0
for f; do
    k=$((k + 1)) name=$f
    [ "$f" != - ] || name=stdin
    bin2txt -q -o "$work/text" -- "$f" || exit $? # bin2txt has printed the reason
    # user texts are passed in the environment, because -v would interpret \. Files get other names
    # in a separate folder.
    (cd -- "$work" && stem=$(basename -- "$name" .mbf) NAMES=${NAMES:-} awk -v o=$k -v many="$#" -v list=list -v facts=facts '
    function stop(why) { print why; bad = 1; exit 2 }
    BEGIN { stem = ENVIRON["stem"]; want = ENVIRON["NAMES"]; gsub(/[[:cntrl:]]/, " ", stem) }
    NR == 1 { n = NF - 1; for (i = 1; i <= n; i++) { name[i] = $(i + 1); at[name[i]] = i } next }
    /^## input/ { kind = $3 }
    /^## axis2 / { two = 1 }
    /^## axis.counts/ { counted = $3 }
    /^## unit / { unit = substr($0, 9) }
    /^## unit\.of / { for (i = 3; i <= NF; i++) { u = $i; sub(/^.*:/, "", u); units[substr($i, 1, length($i) - length(u) - 1)] = u } }
    /^## quantity/ { quantity = $3 }
    /^# / { stop("expected one result, found several segments (frame-cat, frame-merge)") }
    /^#/ || !NF { next }
    !rows++ {
        if (kind !~ /^(CORR|HIST|SPEC|SERI)$/) stop("expected a correlation function, a histogram, a spectrum or a time series, found " quantity)
        x = kind == "SERI" && "t_ps" in at && $at["t_ps"] != "nan" ? at["t_ps"] : 1
        m = split(want, w, " ")
        for (i = 1; i <= m; i++) { if (!(w[i] in at)) { s = ""; for (j = 1; j <= n; j++) s = s " " name[j]; stop("NAMES: expected a column among" s ", found " w[i]) } wanted[w[i]] = 1 }
        for (i = 1; i <= n; i++) {
            c = name[i]
            if (i == x || (two && i == 2)) continue
            if (m) { if (!(c in wanted)) continue }
            else if (kind == "SERI") { if (c == "step" || c == "t_ps") continue }
            else if (c ~ /_(se|cut)$/ || c == "flag" || (kind == "CORR" && (c == "origins" || c == counted)) || (kind == "HIST" && c !~ /^g/)) continue
            y[++ys] = i
        }
    }
    {
        if (rows == 1 || (two && $2 != group[groups])) { group[++groups] = $2; table[groups] = o "." groups }
        print >table[groups]
        for (i = 1; i <= ys; i++) {
            v = $y[i]
            if (v ~ /^[-+.0-9]/ && v + 0 > 0) { v += 0; if (!(i in low) || v < low[i]) low[i] = v; if (v > high[i]) high[i] = v }
            else if (v + 0 < 0) below[i]++
        }
        if (two && $2 != last) { if (rows > 1) close(table[groups - 1]); last = $2 }
    }
    END {
        if (bad) exit 2
        if (!rows) { print "found no rows"; exit 2 }
        if (!ys) { print "found no column to draw"; exit 2 }
        log10 = 1; floor = ""; falls = 0; letters = kind == "HIST" ? "g" : ""
        for (i = 1; i <= ys; i++) {
            if (!(i in low) || below[i] > rows / 10) log10 = 0
            else if (high[i] / low[i] > 1e3) falls = 1
            if (i in low && (floor == "" || low[i] < floor)) floor = low[i]
            c = of = name[y[i]]
            sub(/[_0-9].*/, "", of)
            if (letters == "") letters = of
            if (of != letters && quantity !~ /^(correlation|spectrum)$/) quantity = unit = "" # for several quantities, the axis has no name
            u = c in units ? units[c] : unit
            if (i > 1 && u != drawn) u = ""
            drawn = u
            every = groups > 8 ? (groups - 1) / 7 : 1
            for (g = 1; int(g + 0.5) <= groups; g += every) {
                h = int(g + 0.5)
                s = c
                if (two) { second = name[2]; sub(/^[^_]*_*/, "", second); sub(/^A-1$/, "Å⁻¹", second); s = s sprintf(", %s = %.4g %s", substr(name[2], 1, index(name[2] "_", "_") - 1), group[h], second) }
                print table[h], x, y[i], at[c "_se"] + 0, (many > 1 ? stem ": " : "") s >list
            }
        }
        printf "%s\n%s\n%d\n%s\n%s\n%s\n%d\n%s\n", name[x], kind, log10 && falls, ys == 1 ? name[y[1]] : "", quantity, unit == "" ? unit : drawn, two, floor >facts
    }' text >why) || die "$name: $(cat "$work/why")"
    {
        read -r x && read -r kind && read -r falls && read -r one && read -r quantity && read -r unit && read -r two && read -r low
    } <"$work/facts"
    [ $k -eq 1 ] || [ "$x" = "$first" ] || die "$name: expected the axis $first of the file before, found $x"
    [ $k -eq 1 ] || [ "$one" = "$only" ] || one='' # another file has curves with other names
    [ $k -eq 1 ] || [ "$unit" = "$units" ] || unit=''
    [ $k -eq 1 ] || [ "$quantity" = "$quantities" ] || quantity=''
    first=$x only=$one units=$unit quantities=$quantity
    echo "$falls $low" >>"$work/falls"
    cat "$work/list" >>"$work/curves"
done
case $kind$two:$x in SPEC?:nu* | SPEC?:E_* | SPEC?:omega* | CORR?:q* | CORR1:t_ps) log=$(awk '{ n += $1 } END { print n == NR }' "$work/falls") ;; *) log=0 ;; esac
log=${LOG:-$log}
low=$(awk -v range="${YRANGE:-}" '$2 != "" && (low == "" || $2 < low) { low = $2 } END { low = low == "" ? 1 : low / 2; from = substr(range, 2) + 0; print (from > 0 && from < low ? from : low) }' "$work/falls")

# ---- labels of the axes
unit() { printf %s "$1" | sed -E 's/angstrom|\<A\>/Å/g; s/([^ ]+-1)\^2/(\1)^2/g; s/([^ ^])-([0-9])/\1^{-\2}/g; s/\^([0-9])/^{\1}/g'; }
label() {
    case $1 in
    nu_cm-1) printf 'wave number / cm^{-1}' ;;
    nu_*) printf 'frequency / %s' "${1#nu_}" ;;
    omega_*) printf 'ω / (%s)' "${1#omega_}" ;;
    [a-zA-Z]_*) printf '%s / %s' "${1%%_*}" "$(unit "${1#*_}")" ;;
    *) printf %s "$1" | tr _ ' ' ;;
    esac
}
case $kind:$quantity in
HIST:?*) ylabel='g(r)' ;;
*:structure-factor) ylabel='S(q)' ;;
*:correlation) ylabel='correlation function' ;;
SERI:*series | *:) ylabel=value ;;
*) ylabel=$(printf %s "$quantity" | tr - ' ') ;;
esac
case $kind:$one:$quantity in HIST:*:?* | *::* | *:structure-factor) ;; *) ylabel=$(printf %s "$one" | tr _ ' ') ;; esac
case $unit in '' | 1) ;; per\ *) ylabel="$ylabel $(unit "$unit")" ;; *' '* | */*) ylabel="$ylabel / ($(unit "$unit"))" ;; *) ylabel="$ylabel / $(unit "$unit")" ;; esac

# ---- gnuplot: no enhanced text in names, no characters that run commands or end a string; bands
# below lines
plain() { printf %s "$1" | tr '\\"`\n' '    '; }
{
    printf 'fmt = "%s"; o = ""\nload ARG1."/figure.gp"\n' "${picture##*.}"
    printf 'eval terminal("picture", %s)\n' "$(echo "${SIZE:-900x600}" | sed 's/x/, /')"
    printf 'set xlabel "%s"; set ylabel "%s"; set key noenhanced\n' "$(plain "$(label "$x")")" "$(plain "$ylabel")"
    [ "$(wc -l <"$work/curves")" -le 4 ] || echo 'set key outside right top'
    [ -z "${TITLE:-}" ] || printf 'set title "%s" noenhanced\n' "$(plain "$TITLE")"
    [ "$log" != 1 ] || printf 'set logscale y; set format y "10^{%%T}"; set yrange [%s:]\n' "$low"
    [ "$log" = 1 ] || [ "$kind" = HIST ] || printf 'set xzeroaxis lt -1 lw 0.5\n'
    [ -z "${XRANGE:-}" ] || printf 'set xrange %s\n' "$XRANGE"
    [ -z "${YRANGE:-}" ] || printf 'set yrange %s\n' "$YRANGE"
    awk -v log10="$log" -v least="$low" 'BEGIN { # a band ends at the floor of a logarithmic axis; a band below the floor is omitted
        printf "least = %s\nup(v) = v > least ? v : NaN\ndown(v, top) = top > least ? (v > least ? v : least) : NaN\nplot ", log10 ? least : "-1e300" }
    { name = $0; for (i = 1; i <= 4; i++) sub(/^[^ ]* /, "", name); gsub(/[\\"`]/, " ", name); lt = (NR - 1) % 6 + 1
      if ($4) bands = bands sprintf("\"%s\" using %d:(down($%d - $%d, $%d + $%d)):(up($%d + $%d)) with filledcurves lt %d notitle, ", $1, $2, $3, $4, $3, $4, $3, $4, lt)
      lines = lines sprintf("%s\"%s\" using %d:(up($%d)) with lines lt %d%s title \"%s\"", NR > 1 ? ", " : "", $1, $2, $3, lt, NR > 6 ? " dt 2" : "", name) }
    END { print bands lines }' "$work/curves"
} >"$work/plot.gp"
drawn=$work/picture.${picture##*.}
cd -- "$work" # so that gnuplot does not read folder names
gnuplot -c plot.gp "$here" 2>"$work/why" || rm -f -- "$drawn"
cd -- "$back"
[ -s "$drawn" ] || die "gnuplot drew nothing: $(grep -v '^ *^*$' "$work/why" | tail -n 1)"
case $picture in /*) to=$picture ;; *) to=./$picture ;; esac
part=$(mktemp "${to%/*}/.plot.XXXXXX" 2>"$work/why") || die "$picture: cannot open for writing ($(sed 's/.*: //' "$work/why"))" 3
trap 'rm -rf -- "$work" "$part"' EXIT
cat "$drawn" >"$part"
chmod "$(printf %o $((0666 & ~$(umask))))" "$part"
mv -- "$part" "$to"
echo "Plot: $picture"
