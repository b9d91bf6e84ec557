#!/bin/sh
# SPDX-License-Identifier: MIT
# plot.sh [-o PICTURE.png|svg|pdf] FILE.mbf... plots correlation functions, histograms, spectra or
# time series as a picture (plot.png) at the width of one column of a journal. All files must have
# the same axis. The file name - means standard input. The picture file is created only when it is
# complete.
#
# Axes have labels and units, and bands show standard errors. The x axis ends at the last point.
# For a spectrum, it ends where 99.9 % of the integral is reached, and beyond this point, values
# smaller than twice their error do not count. The y axis is logarithmic if a spectrum other than a
# density of states, S(q) or a function of two axes spans three decades or more. Otherwise, the y
# axis starts at 0 if no value is negative. For a mean square displacement, both axes are
# logarithmic. For the output of green-kubo, the running integral is drawn. A function of two axes,
# such as lag and q, has one curve for each of at most eight values of the second axis.
# Variables, with their defaults in brackets:
#   BIN             folder of the programs
#   NAMES           names of the columns to plot, separated by blanks
#   PANELS          set to 1 to draw one panel per file, side by side (the axes may then differ)
#   LOG             1 for logarithmic axes, 0 for linear axes
#   XRANGE, YRANGE  ranges in the form of gnuplot, such as [0:5]; [*:*] is the whole range
#   TITLE           title of the picture
#   SIZE            size in pixels (900x600); a PDF has 265 pixels per inch, so the default is 86 mm
#                   wide
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
case ${PANELS:-} in '' | 1) ;; *) die "PANELS: expected 1, found '$PANELS'" ;; esac
command -v gnuplot >/dev/null || die "expected gnuplot, found none" 3
work=$(mktemp -d) back=$PWD
trap 'rm -rf -- "$work"' EXIT

# Each file is converted to tables, one for each value of a second axis. Each curve is a line of the
# list with the fields TABLE x y se KIND X-AXIS FILE QUANTITY OF SECOND UNIT, separated by tabs. A
# label has the form "QUANTITY, OF", such as "g(r), O-O".
k=0
for f; do
    k=$((k + 1)) name=$f
    [ "$f" != - ] || name=stdin
    bin2txt -q -o "$work/text" -- "$f" || exit $? # bin2txt has printed the reason
    # user texts are passed in the environment, because -v would interpret \. Files get other names
    # in a separate folder.
    (cd -- "$work" && stem=$(basename -- "$name" .mbf) NAMES=${NAMES:-} awk -v o=$k '
    function stop(why) { print why; bad = 1; exit 2 }
    function words(to, w, m, i, v) { m = split($0, w, " "); for (i = 3; i <= m; i++) { v = w[i]; sub(/^.*:/, "", v); to[substr(w[i], 1, length(w[i]) - length(v) - 1)] = v } }
    BEGIN { stem = ENVIRON["stem"]; want = ENVIRON["NAMES"]; gsub(/[[:cntrl:]]/, " ", stem) }
    NR == 1 { n = NF - 1; for (i = 1; i <= n; i++) { name[i] = $(i + 1); at[name[i]] = i } next }
    /^## input/ { kind = $3 }
    /^## axis2 / { two = 1 }
    /^## axis.counts/ { counted = $3 }
    /^## label\.of / { words(labels) }
    /^## unit\.of / { words(units) }
    /^## integral / { integral = 1 }
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
            else if (c ~ /_(se|cut)$/ || c == "flag" || (kind == "CORR" && (c == "origins" || c == counted)) || (kind == "HIST" && c !~ /^g/) || (integral && c !~ /^int_/)) continue
            y[++ys] = i
        }
    }
    {
        if (rows == 1 || (two && $2 != group[groups])) { if (groups) close(table[groups]); group[++groups] = $2; table[groups] = o "." groups }
        print >table[groups]
    }
    END {
        if (bad) exit 2
        if (!rows) { print "found no rows"; exit 2 }
        if (!ys) { print "found no column to draw"; exit 2 }
        if (kind == "CORR") kind = kind (two ? "2" : quantity ~ /^mean-square/ ? "-MSD" : "")
        for (i = 1; i <= ys; i++) {
            c = name[y[i]]
            what = c in labels ? labels[c] : c
            gsub(/~/, " ", what)
            of = what
            sub(/, .*/, "", what)
            of = substr(of, length(what) + 3)
            every = groups > 8 ? (groups - 1) / 7 : 1
            for (g = 1; int(g + 0.5) <= groups; g += every) {
                h = int(g + 0.5)
                printf "%s\t%d\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", table[h], x, y[i], at[c "_se"], kind, name[x] ":" labels[name[x]] ":" units[name[x]], stem, what, of, two ? labels[name[2]] ":" sprintf("%.3g", group[h]) ":" units[name[2]] : "", units[c] >"list"
            }
        }
    }' text >why) || die "$name: $(cat "$work/why")"
    cat "$work/list" >>"$work/curves${PANELS:+.$k}"
    x=$(head -n 1 "$work/list" | cut -f 6 | sed 's/:.*//')
    [ $k -eq 1 ] || [ -n "${PANELS:-}" ] || [ "$x" = "$first" ] || die "$name: expected the axis $first of the first file, found $x (PANELS=1 draws each file in its own panel)"
    first=$x
done

# ---- panel CURVES WIDTH HEIGHT: prints the commands of gnuplot for one pair of axes (labels,
# ranges, place of the legend, bands below lines). Texts are not enhanced and have no characters
# that run commands or end a string.
panel() {
    (cd -- "$work" && XRANGE=${XRANGE:-} YRANGE=${YRANGE:-} LOG=${LOG:-} LC_ALL=C awk -F '\t' -v width="$2" -v height="$3" -v scale="$scale" '
    function plain(s) { gsub(/[\\"`]/, " ", s); return s }
    function chars(s) { gsub(/[\200-\277]/, "", s); return length(s) }
    function max(a, b) { return a > b ? a : b }
    # factors of a unit (name and exponent); signs from / and exponents of brackets are multiplied
    function factors(u, power,    sign, e, m, depth, inner) {
        gsub(/ *per /, "/", u); gsub(/ /, "*", u); sign = 1
        while (u != "") {
            inner = ""; e = 1
            if (u ~ /^[*\/]/) { sign = u ~ /^\// ? -1 : 1; u = substr(u, 2); continue }
            if (u ~ /^\(/) {
                for (m = 1; m <= length(u); m++) { depth += (substr(u, m, 1) == "(") - (substr(u, m, 1) == ")"); if (!depth) break }
                inner = substr(u, 2, m - 2); u = substr(u, m + 1)
            } else {
                match(u, /^[^*\/()^]+/); if (RLENGTH < 1) return
                m = substr(u, 1, RLENGTH); u = substr(u, RLENGTH + 1)
                if (match(m, /-[0-9]+$/) && RSTART > 1) { e = substr(m, RSTART) + 0; m = substr(m, 1, RSTART - 1) }
            }
            if (match(u, /^\^-?[0-9]+/)) { e *= substr(u, 2, RLENGTH - 1); u = substr(u, RLENGTH + 1) }
            if (inner != "") factors(inner, power * sign * e)
            else if (m != "1") { if (!(m in exponent)) factor[++nfactors] = m; exponent[m] += power * sign * e }
            sign = 1
        }
    }
    function unit(u,    k, m, s, e, d) {
        if (u == "" || u == "-") return ""
        nfactors = 0; split("", exponent); factors(u, 1)
        for (k = 1; k <= nfactors; k++) {
            m = factor[k]; e = exponent[m]
            if (!e) continue
            s = s (s == "" ? "" : " ") (m in symbol ? symbol[m] : m)
            if (e != 1) for (d = 1; d <= length(e ""); d++) s = s raised[substr(e "", d, 1)]
        }
        return s
    }
    function with_unit(s, u) { u = unit(u); return u == "" ? s : s " / " (u ~ / / ? "(" u ")" : u) }
    function axis(text,    p) { split(text, p, ":"); return with_unit(p[2] == "" ? p[1] : p[2], p[3]) }
    # a logarithmic axis from exp(low) to exp(high) has powers of ten, or 1, 2 and 5 in one decade
    function logarithmic(side, low, high,    k, m, v, n, list, ten) {
        printf "set logscale %s; ", side
        ten = log(10)
        if (low > -1000 && high - low < 2 * ten)
            for (k = int(low / ten) - 1; k <= int(high / ten) + 1; k++)
                for (m = 1; m < 10; m = m == 2 ? 5 : 2 * m) {
                    v = m * exp(k * ten)
                    if (log(v) < low - 1e-9 || log(v) > high + 1e-9) continue
                    n += m == 1; list = list (list == "" ? "" : ", ") sprintf("%.3g", v)
                }
        if (list ~ /,/ && n < 2) printf "set format %s \"%%g\"; set %stics (%s)\n", side, side, list
        else printf "set format %s \"10^{%%T}\"\n", side
    }
    BEGIN {
        symbol["angstrom"] = symbol["A"] = "Å"; symbol["sigma"] = "σ"; symbol["epsilon"] = "ε"; symbol["tau"] = "τ"; symbol["lj"] = "LJ units"
        m = split("- ⁻ 0 ⁰ 1 ¹ 2 ² 3 ³ 4 ⁴ 5 ⁵ 6 ⁶ 7 ⁷ 8 ⁸ 9 ⁹", p, " "); for (k = 1; k < m; k += 2) raised[p[k]] = p[k + 1]
        xrange = ENVIRON["XRANGE"]; yrange = ENVIRON["YRANGE"]; log10 = ENVIRON["LOG"]; em = 0.62 * 27
    }
    { # one curve: its points, and the largest |x| with more than 0.1 % of the integral beyond,
      # for which values within two errors of 0 do not count
        n = ++curves; table[n] = $1; cx[n] = $2; cy[n] = $3; cs[n] = $4; kind = $5; xaxis = $6
        split($10, p, ":"); second = $10 == "" ? "" : p[1] " = " p[2] (unit(p[3]) == "" ? "" : " " unit(p[3]))
        part[n, 1] = $7; part[n, 2] = $8; part[n, 3] = $9; part[n, 4] = second
        for (k = 1; k <= 4; k++) if (n > 1 && part[n, k] != part[1, k]) differs[k] = 1
        if (!($8 in seen)) { seen[$8] = 1; quantities = quantities (quantities == "" ? "" : ", ") $8; nq++ }
        if (n > 1 && $11 != u) mixed = 1
        u = $11; m = total = 0
        while ((getline row <table[n]) > 0) {
            split(row, cell, " ")
            if (cell[cy[n]] !~ /^[-+.0-9]/ || cell[cx[n]] !~ /^[-+.0-9]/) continue
            X[n, ++m] = cell[cx[n]] + 0; Y[n, m] = cell[cy[n]] + 0; E[n, m] = cs[n] && cell[cs[n]] ~ /^[-+.0-9]/ ? cell[cs[n]] + 0 : 0
            total += Y[n, m] < 0 ? -Y[n, m] : Y[n, m]
        }
        close(table[n]); points[n] = m
        lo = 1; hi = m; gone = 0
        while (kind == "SPEC" && xaxis ~ /^(nu_cm|nu_THz|omega|E_)/ && lo < hi) {
            k = X[n, lo] * X[n, lo] > X[n, hi] * X[n, hi] ? lo : hi
            y = Y[n, k] < 0 ? -Y[n, k] : Y[n, k]
            if (y > 2 * E[n, k]) gone += y
            if (gone > 0.001 * total) break
            if (k == lo) lo++; else hi--
        }
        if (m && (left == "" || X[n, lo] < left)) left = X[n, lo]
        if (m && (right == "" || X[n, hi] > right)) right = X[n, hi]
    }
    END {
        if (xrange != "") { left = -1e300; right = 1e300 }
        else if (xaxis ~ /^[rq]_/ && left > 0 && left < 0.15 * right) left = 0
        loglog = kind == "CORR-MSD" && !mixed && log10 != 0
        positive = log10 == ""
        for (n = 1; n <= curves; n++) {
            low = high = ""; below = visible = 0
            for (k = 1; k <= points[n]; k++) {
                if (X[n, k] < left || X[n, k] > right || (loglog && X[n, k] <= 0)) continue
                visible++; v = Y[n, k]
                if (loglog && (first == "" || X[n, k] < first)) first = X[n, k]
                if (bottom == "" || v < bottom) bottom = v
                if (top == "" || v > top) top = v
                if (under == "" || v - E[n, k] < under) under = v - E[n, k]
                if (over == "" || v + E[n, k] > over) over = v + E[n, k]
                if (v < 0) below++
                if (v > 0 && (low == "" || v < low)) low = v
                if (v > high) high = v
            }
            if (low != "" && (floor == "" || low < floor)) floor = low
            if (low == "" || below > visible / 10) positive = 0
            else if (high > 1e3 * low) falls = 1
        }
        if (loglog) log10 = 1
        else if (log10 == "") log10 = positive && falls && quantities !~ /^density of states/ && (kind ~ /^SPEC/ && xaxis ~ /^(nu|E_|omega)/ || kind == "CORR" && xaxis ~ /^q/ || kind == "CORR2")
        least = floor == "" ? 1 : floor / 2
        from = substr(yrange, 2) + 0
        if (from > 0 && from < least) least = from
        # the range of y: from 0 if nothing is negative by more than the width of a line
        zero = bottom >= -0.005 * top && !(kind == "SERI" && bottom > 0.5 * top)
        span = over - (zero ? 0 : under); if (!(span > 0)) span = over ? (over < 0 ? -over : over) : 1
        base = zero ? 0 : under - 0.04 * span; roof = over + 0.05 * span
        if (log10) { base = log(least); roof = log(max(over, least) * 1.3) }
        if (loglog) { left = log(first); right = log(right) }
        # legend: the parts that differ, in the corner with the fewest points below it
        for (n = 1; n <= curves; n++) {
            s = ""
            for (k = 1; k <= 4; k++) if (k in differs && part[n, k] != "") s = s (s == "" ? "" : k == 2 ? ": " : ", ") part[n, k]
            if (s == "" && curves > 1) s = "total"
            title[n] = s; longest = max(longest, chars(s))
        }
        common = ""
        for (k = 3; k <= 4; k++) if (!(k in differs) && part[1, k] != "") common = common ", " part[1, k]
        # of several quantities at several q, each q has a colour and each quantity a line style
        for (n = 1; n <= curves; n++) {
            if (!(part[n, 4] in hue)) hue[part[n, 4]] = hues++
            k = part[n, 1] "\t" part[n, 2] "\t" part[n, 3]
            if (!(k in dash)) dash[k] = ++dashes
            colour[n] = n - 1; line[n] = n > 6 ? 2 : 1
        }
        for (n = 1; n <= curves && hues > 1 && hues <= 6; n++) { colour[n] = hue[part[n, 4]]; line[n] = dash[part[n, 1] "\t" part[n, 2] "\t" part[n, 3]]; if (line[n] > 1) sample = 3 }
        keyed = curves > 1
        if (keyed && xrange == "" && yrange == "" && curves <= 12) {
            w = (longest + 4) * em * scale / (width - 6 * em * scale); h = (curves + 1) * 33 * scale / (height - 4 * em * scale)
            least_hit = 1e300
            for (corner = 0; corner < 4; corner++) {
                hit = 0
                for (n = 1; n <= curves; n++) for (k = 1; k <= points[n]; k++) {
                    if (loglog && X[n, k] <= 0 || log10 && Y[n, k] <= 0) continue
                    fx = ((loglog ? log(X[n, k]) : X[n, k]) - left) / (right - left)
                    fy = ((log10 ? log(Y[n, k]) : Y[n, k]) - base) / (roof - base)
                    if (fx >= 0 && fx <= 1 && (corner % 2 ? fx < w : fx > 1 - w) && (corner < 2 ? fy > 1 - h : fy < h)) hit += 1 / points[n]
                }
                if (hit < least_hit) { least_hit = hit; best = corner }
            }
            if (least_hit > 0 && h < 0.45) { roof = base + (roof - base) / (1 - h); best %= 2 } # room above the curves
            else if (least_hit > 0) outside = 1
        }
        printf "set xlabel \"%s\" noenhanced; set ylabel \"%s\" noenhanced\n", plain(axis(xaxis)), plain(mixed ? (nq <= 3 ? quantities : "value") : with_unit((nq <= 3 ? quantities : "value") common, u))
        if (!keyed) print "set key off"
        else if (curves > 12 || outside) print "set key noenhanced outside right top Left reverse samplen 1.5 spacing 1.1 width -3"
        else printf "set key noenhanced inside %s %s samplen %g spacing 1.1\n", (best < 2 ? "top" : "bottom"), best % 2 ? "left Left reverse" : "right Right", sample ? sample : 1.5
        if (log10) logarithmic("y", yrange == "" ? base : -1000, roof)
        if (loglog) logarithmic("x", xrange == "" ? left : -1000, right)
        if (xrange == "" && !loglog && right > left) { # at most seven numbers, which do not touch
            step = exp(int(log((right - left) / 6) / log(10) + 100) * log(10) - 100 * log(10))
            while ((right - left) / step > 6.01) step *= ++jumps % 3 == 2 ? 2.5 : 2
            printf "set xtics %.6g; set mxtics 2\n", step
            end = sprintf("%.6g", step) * int(right / step + 0.99) # an axis that ends just before a number ends at it
            if (end > right && end - right < 0.01 * (right - left)) right = end
        }
        if (xrange != "") printf "set xrange %s noextend\n", xrange
        else if (right > left) printf "set xrange [%.15g:%.15g]\n", loglog ? exp(left) : left, loglog ? exp(right) : right
        if (yrange != "") printf "set yrange %s\n", yrange
        else printf "set yrange [%.15g:%.15g]\n", log10 ? exp(base) : base, log10 ? exp(roof) : roof
        if (!log10 && base < 0) print "set xzeroaxis lt -1 lw 0.5"
        # a band ends at the floor of a logarithmic axis; a band below the floor is omitted
        printf "least = %.15g\nup(v) = v > least ? v : NaN\ndown(v, top) = top > least ? (v > least ? v : least) : NaN\nplot ", log10 ? least : -1e300
        for (n = 1; n <= curves; n++) if (cs[n])
            printf "\"%s\" using %d:(down($%d - $%d, $%d + $%d)):(up($%d + $%d)) with filledcurves lt %d notitle, ", table[n], cx[n], cy[n], cs[n], cy[n], cs[n], cy[n], cs[n], colour[n] % 6 + 1
        for (n = 1; n <= curves; n++)
            printf "%s\"%s\" using %d:(up($%d)) with lines lt %d%s title \"%s\"", (n > 1 ? ", " : ""), table[n], cx[n], cy[n], colour[n] % 6 + 1, (line[n] > 1 ? " dt " line[n] : ""), plain(title[n])
        print ""
    }' "$1")
}
# ---- gnuplot: letters of 7 pt in a picture of 900 pixels that is printed 86 mm wide
plain() { printf %s "$1" | tr '\\"`\n' '    '; }
size=${SIZE:-900x600} type=${picture##*.}
width=${size%x*} height=${size#*x}
scale=$(awk -v w="$width" -v h="$height" -v n="${PANELS:+$k}" 'BEGIN { if (n) w = w / n; s = w / 900 < h / 600 ? w / 900 : h / 600; print (s < 0.4 ? 0.4 : s) }')
{
    printf 'fmt = "%s"; o = ""\nload ARG1."/figure.gp"\n' "$type"
    awk -v type="$type" -v w="$width" -v h="$height" -v s="$scale" 'BEGIN {
        if (type == "pdf") printf "set terminal pdfcairo size %.4fin,%.4fin font \"sans,%.2f\" linewidth %.2f\n", w / 265, h / 265, 27 * s * 72 / 265, 0.75 * s
        else if (type == "svg") printf "set terminal svg size %d,%d font \"sans-serif,%.1f\" linewidth %.2f\n", w, h, 27 * s, 1.6 * s
        else printf "set terminal pngcairo size %d,%d font \"sans,%.1f\" linewidth %.2f\n", w, h, 27 * s * 0.75, 1.6 * s
        printf "set output \"picture.%s\"\nunset grid; set tics front; set border lw 0.8; set format \"%%h\"\n", type }'
    [ -z "${TITLE:-}" ] || [ -n "${PANELS:-}" ] || printf 'set title "%s" noenhanced\n' "$(plain "$TITLE")"
    if [ -n "${PANELS:-}" ]; then
        printf 'set multiplot layout 1,%d\n' $#
        [ -z "${TITLE:-}" ] || printf 'set label 1 "%s" at screen 0.5, screen 0.97 center noenhanced\n' "$(plain "$TITLE")"
        i=0
        while [ $((i += 1)) -le $k ]; do
            echo 'unset logscale; set xtics autofreq; set ytics autofreq; set format "%h"; unset xzeroaxis; set key default'
            panel "curves.$i" $((width / k)) "$height"
        done
        echo 'unset multiplot'
    else
        panel curves "$width" "$height"
    fi
} >"$work/plot.gp"
drawn=$work/picture.${picture##*.}
cd -- "$work" # so that gnuplot does not read folder names
gnuplot -c plot.gp "$here" 2>"$work/why" || rm -f -- "$drawn"
cd -- "$back"
[ -s "$drawn" ] || die "gnuplot drew nothing: $(grep -v '^ *^*$' "$work/why" | tail -n 1)"
case $picture in /*) to=$picture ;; *) to=./$picture ;; esac
for _ in 1 2 3 4 5 6 7 8; do # a link is kept, and its file replaced
    [ -h "$to" ] || break
    link=$(readlink "$to")
    case $link in /*) to=$link ;; *) to=${to%/*}/$link ;; esac
done
[ ! -d "$to" ] || die "$picture: cannot open for writing (Is a directory)" 3
part=$(mktemp "${to%/*}/.plot.XXXXXX" 2>"$work/why") || die "$picture: cannot open for writing ($(sed 's/.*: //' "$work/why"))" 3
trap 'rm -rf -- "$work" "$part"' EXIT
cat "$drawn" >"$part"
chmod "$(printf %o $((0666 & ~$(umask))))" "$part"
mv -- "$part" "$to"
echo "Plot: $picture"
