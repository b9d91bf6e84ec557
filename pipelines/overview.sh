#!/bin/sh
# SPDX-License-Identifier: MIT
# overview.sh [-o PAGE.html] [OPTION of traj2bin]... FILE... writes one HTML page about a run. The
# page lists what the file contains, and shows g(r) with coordination numbers, S(q), and the mean
# square displacement with D. If the file contains velocities, the page also shows the temperature
# and the density of states. If the polarizabilities of the atoms are known, the page also shows
# the light-scattering spectrum. The command for each figure is printed below the figure.
#
# FILE is any file that traj2bin reads, or one stream with positions. The options are those of
# traj2bin, such as --topology conf.gro, --species OW=O,HW1=H,HW2=H, --units real, --timestep 0.002
# or --select ::10. Every word after -- is a FILE. The default of PAGE.html is overview.html. The
# page needs no other file. An older page is replaced only when the new page is complete.
#
# A stream is analysed without a copy. Any other file is first converted to a stream in the folder
# TMPDIR, which needs 12 bytes per atom and frame, or 24 bytes if the file contains velocities.
# Long runs are thinned, so that each figure takes less than a minute. The commands on the page
# show which frames were used. The atom names of a --topology, such as OW and CA, are replaced by
# elements, and massless sites such as MW are omitted, unless you give --species, MASSES or ALPHA,
# or an element is uncertain.
#
# If a program fails, the page states the reason in place of the figure, and the exit status is 1.
# If a program refuses the data, for example because the run is too short, this does not count as a
# failure.
# Variables, with their defaults in brackets:
#   BIN     folder of the programs
#   MASSES  list A=M,... of masses, g/mol, for names that are not elements (by the first letter of
#           names such as OW and HW1)
#   ALPHA   list A=X,... of polarizabilities, cubic angstrom (known for rare gases only)
#   TMPDIR  folder for temporary files
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
PATH=${BIN:-$here/../build/bin}:$PATH
LC_ALL=C.UTF-8
export LC_ALL PATH
die() {
    echo "overview.sh: $1" >&2
    exit "${2:-2}"
}
usage='usage: overview.sh [-o PAGE.html] [OPTION of traj2bin]... FILE...'
page=overview.html next='' typed=''
# quote WORD: print the word, quoted for a shell if necessary
quote() {
    case $1 in
    '' | *[!A-Za-z0-9_./:=,@%+-]*) printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")" ;;
    *) printf %s "$1" ;;
    esac
}
title='' before='' rest=''
for a; do
    shift
    case $rest$a in :-*) a=./$a ;; esac # after --, every word is a file
    case $before in -*) ;; *) [ -n "$title" ] || [ ! -f "$a" ] || title=${a##*/} ;; esac
    before=$a
    case $next$a in
    --) rest=: before='' ;;
    -h | --help) sed -n '1,2d; /^#/!q; s/^# \{0,1\}//p' "$0"; exit 0 ;;
    -o | --output) next=: ;;
    -o?*) page=${a#-o} ;;
    --output=*) page=${a#*=} ;;
    :*) page=$a next='' ;;
    *)
        if [ "$a" = - ] || [ -p "$a" ]; then die "$a: expected a file, which is read several times, found a pipe or standard input"; fi
        set -- "$@" "$a"; typed="$typed $(quote "$a")" ;;
    esac
done
[ -z "$next" ] || die "-o: expected a name, found none: $usage"
[ $# -gt 0 ] || die "expected a file, found none: $usage"
case $page in *.html) ;; *) die "$page: expected a name that ends in .html" ;; esac
command -v gnuplot >/dev/null || die "expected gnuplot, found none" 3
work=$(mktemp -d) part='' back=$PWD
trap 'rm -rf -- "$work" ${part:+"$part"}' EXIT
trap 'exit 1' HUP INT TERM
case $page in /*) to=$page ;; *) to=$back/$page ;; esac
for _ in 1 2 3 4 5 6 7 8; do # a link is kept, and its file replaced
    [ -h "$to" ] || break
    link=$(readlink "$to")
    case $link in /*) to=$link ;; *) to=${to%/*}/$link ;; esac
done
[ ! -d "$to" ] || die "$page: cannot open for writing (Is a directory)" 3
part=$(mktemp "${to%/*}/.overview.XXXXXX" 2>"$work/why") || die "$page: cannot open for writing ($(sed 's/.*: //' "$work/why"))" 3

# 1. Read the input once. Only programs of mbf are joined by pipes, because they notice the failure
# of the program before them. All other commands read and write files.
run=run.mbf input=$work/run.mbf
if [ $# -eq 1 ] && head -c 4 -- "$1" >"$work/head" 2>/dev/null && grep -q MBF "$work/head"; then
    case $1 in /*) run=$1 ;; *) run=$PWD/$1 ;; esac
    input=$run shown=${typed# }
    : >"$work/reading"
    : >"$work/notes"
else
    velocities='' names='' shown=run.mbf
    ! traj2bin -q --velocities "$@" --select 0:1 -o "$work/first" 2>"$work/no" || velocities=' --velocities'
    case ${MASSES:-}${ALPHA:-}$typed in
    *' --species'* | [!\ ]*) ;;
    *' --topology'*)
        if traj2bin -q "$@" --select 0:1 -o "$work/first" 2>"$work/none" && bin2xyz -q -o "$work/first.xyz" "$work/first" &&
            traj2bin -q "$@" --elements --select 0:1 -o "$work/first" 2>"$work/none" && bin2xyz -q -o "$work/elements.xyz" "$work/first" &&
            ! cmp -s "$work/first.xyz" "$work/elements.xyz"; then
            set -- "$@" --elements
            names=' --elements'
            # Omit sites without mass, such as MW.
            (cd -- "$work" && : >elements && awk 'NR > 2 { if (!count[$1]++) name[++n] = $1 }
                END { for (k = 1; k <= n; k++) { s = name[k]
                    if (s == "M" || s !~ /^[A-Z][a-z]?$/) printf "%s%d %s", sites++ ? ", " : "", count[s], s >"sites"
                    else printf "%s%s", kept++ ? "," : "", s >"kept" } }' elements.xyz)
        fi ;;
    esac
    if [ -s "$work/sites" ]; then
        set -- "$@" --species "$(cat "$work/kept")"
        names="$names --species $(cat "$work/kept")"
    fi
    printf '%s\n' "traj2bin$velocities$typed$names -o run.mbf" >"$work/reading"
    # shellcheck disable=SC2086 # nothing, or one option
    traj2bin $velocities "$@" -o "$input" 2>"$work/notes" || {
        status=$?
        cat -- "$work/notes" >&2
        exit $status
    }
    [ -n "$velocities" ] || sed -n '/--velocity-unit/s/^/velocities are omitted: /p' "$work/no" >>"$work/notes"
    cat -- "$work/notes" >&2
fi
cd -- "$work"
touch sites
frame-check --strict -v -o check "$run" 2>check.err || die "$(head -n 1 check.err)"
bin2txt --meta -o meta "$run"
grep -q '^  POSN ' check || die "expected positions (POSN) in $shown, found none"

# Find the number of atoms of each species, the pairs to show, the range of g(r), and the stride of
# the frames for each analysis.
awk -F '\t' '$1 == "sys.species" {
      gsub(/[()]/, " & ", $2); n = split($2, w, " "); factor = 1
      for (i = 1; i <= n; i++)
          if (w[i] ~ /^[0-9]+\*$/) factor = substr(w[i], 1, length(w[i]) - 1)
          else if (w[i] == ")") factor = 1
          else if (w[i] != "(") { count[w[i]] += factor * w[i + 1]; i++ } }
    END { for (s in count) print count[s] "\t" s }' meta >unsorted
sort -k1,1nr -k2,2 -o species unsorted
awk -F '\t' '
    NR == FNR { is[$1] = $2; next }
    $1 ~ /^  POSN / { split($1, w, " "); for (k in w) if (w[k] ~ /^steps?$/) f += w[k - 1] }
    function cross(a, b, c, d, e, g) { x = b * g - c * e; y = c * d - a * g; z = a * e - b * d; return sqrt(x * x + y * y + z * z) }
    function least(a, b) { return a < b ? a : b }
    function every(most) { return f <= most ? 1 : int(f / most + 0.999) }
    END { n = is["sys.natoms"]; dt = is["sys.dt_ps"] + 0; pbc = is["sys.pbc"]; split(is["sys.cell"], h, " ")
          s[1] = cross(h[4], h[5], h[6], h[7], h[8], h[9]); V = h[1] * x + h[2] * y + h[3] * z; if (V < 0) V = -V
          s[2] = cross(h[7], h[8], h[9], h[1], h[2], h[3]); s[3] = cross(h[1], h[2], h[3], h[4], h[5], h[6])
          r = 15; for (k = 1; k <= 3; k++) if (V > 0 && substr(pbc, k, 1) == "T") r = least(r, V / s[k] / 2)
          r = int(r * 100) / 100; near = V > 0 ? least(n, 4.19 * r * r * r * n / V) : n
          printf "atoms=%d dt=%.10g pbc=%s steps=%d volume=%.10g rmax=%g bins=%d ", n, dt, pbc ~ /^[TF]+$/ ? pbc : "FFF", f, V, r, r / 0.05
          printf "rdf=%d sq=%d msd=%d vacf=%d light=%d ", every(least(1000, 2e10 / n / near + 20)), every(least(500, 1.5e10 / n / 2000 + 20)), every(least(20000, 4e7 / n + 20)), least(f, 4e7 / n + 20), every(least(4000, 4e8 / n / near + 50))
          printf "tmax=%.6g\n", least(2, (f - 1) * dt / 4) }' meta check >numbers
atoms=0 dt=0 pbc=FFF steps=0 volume=0 rmax=0 bins=0 rdf=1 sq=1 msd=1 vacf=1 light=1 tmax=0
# shellcheck source=/dev/null
. ./numbers
frame-cut -q $((steps - 1)): -o last.mbf "$run"
bin2xyz -q -o last.xyz last.mbf
awk -F '\t' 'NR <= 3 { name[NR] = $2 } END { for (i = 1; i <= 3; i++) for (k = i; k <= 3; k++) if (k in name) print name[i] "-" name[k] }' species >pairs
pairs=''
while IFS= read -r pair; do pairs="$pairs --pair $(quote "$pair")"; done <pairs
rare='He=0.205,Ne=0.396,Ar=1.641,Kr=2.484,Xe=4.044' # cubic angstrom
awk -F '\t' -v rare="$rare" 'BEGIN { n = split(rare, w, ","); for (i = 1; i <= n; i++) { split(w[i], p, "="); is[p[1]] = w[i] } }
    !($2 in is) { bad = 1 } { out = out (NR > 1 ? "," : "") is[$2] } END { print bad ? "" : out }' species >alpha
alpha=${ALPHA:-$(cat alpha)}

# 2. Run the analyses at the same time. figure NAME COMMAND [FILE]: the command reads $run, and FILE
# is drawn. A program that writes to a pipe is called as "up PROGRAM". Its exit status is kept in
# NAME.died if it fails, because the programs after it then also fail.
# thinned EVERY COMMAND FILE: print the command for every EVERY-th frame, with the output FILE.
thinned() {
    # shellcheck disable=SC2016
    if [ "$1" -gt 1 ]; then echo "up frame-cut ::$1"' "$run" | '"$2 -o $3"; else echo "$2 -o $3"' "$run"'; fi
}
figure() {
    printf '%s\n' "$2" >"$1.cmd"
    (
        status=0
        run=$run died=$1.died sh -c 'up() { "$@" || echo $? >>"$died"; }
'"$2" 2>"$1.err" || status=$?
        [ ! -f "$1.died" ] || status=$(awk -v status="$status" '$1 != 2 && $1 != 141 { status = $1 } END { print status }' "$1.died")
        # draw twice: if only the first call fails, the data are good; if both fail, state the error
        [ "$status" -ne 0 ] || [ -z "${3:-}" ] || draw "$1" "$3" 2>"$1.no" || draw "$1" "$3" 2>"$1.no" || { status=$?; cat "$1.no" >>"$1.err"; }
        echo "$status" >"$1.status"
    ) &
}
# draw NAME FILE: draw the figure. In g(r), cut off the peaks of bonded neighbours if they are high,
# and omit pairs whose g is far from 1 both at large distances and in the mean (in a crystal, only
# the mean is near 1), unless this holds for all pairs
draw() {
    range='' names=''
    if [ "$1" = rdf ]; then
        bin2txt -o rdf.txt "$2" || return
        range=$(awk '/^# r_A/ { for (i = 2; i <= NF; i++) if ($i ~ /^g($|_)/ && $i !~ /_se$/) name[i - 1] = $i; next }
            !/^#/ { n++; for (i in name) { g[n, i] = $i; r[n] = $1 } }
            # mean of g from distance number k on
            function mean(i, k, s, w) { for (; k <= n; k++) { s += g[k, i] * r[k] ^ 2; w += r[k] ^ 2 } return s / w }
            function even(m) { return m > 0.5 && m < 1.5 }
            END { for (i in name) flat += fills[i] = even(mean(i, int(0.8 * n) + 1)) || even(mean(i, 1))
                for (i in name) if (flat && !fills[i]) print substr(name[i], 3) >"uneven"
                else { names = names " " name[i]
                    for (k = 1; k <= n; k++) { if (g[k, i] > top) top = g[k, i]; if (r[k] > 2 && g[k, i] > far) far = g[k, i] } }
                if (top > 1.5 * far && far > 1) printf "[0:%.3g]", 1.3 * far; print names >"drawn" }' rdf.txt) || return
        names=$(cat drawn)
    fi
    SIZE=600x400 YRANGE=$range TITLE='' XRANGE='' NAMES=$names LOG='' PANELS='' "$here/plot.sh" -o "$1.svg" "$2" >"$1.said"
}
# Names in a topology such as OW, HW1 and CA get the mass of the element of their first letter.
awk -F '\t' 'BEGIN { split("H 1.008 C 12.011 N 14.007 O 15.999 F 18.998 P 30.974 S 32.06", w, " "); for (i = 1; i < 14; i += 2) of[w[i]] = w[i + 1] }
    $2 ~ /^[HCNOFPS][A-Z0-9]/ { printf "%s%s=%s", (n++ ? "," : ""), $2, of[substr($2, 1, 1)] }' species >masses
MASSES=${MASSES:-$(cat masses)}
mass=${MASSES:+ --masses $(quote "$MASSES")}
[ ! -s sites ] || mass="$mass --drift subtract" # which is right, because the atoms left out have no mass
apart='' # what a spectrum needs
[ -z "$alpha" ] && ! grep -q '^  VELO ' check || apart=$(awk -v dt="$dt" 'BEGIN { if (!dt) print "the time between frames (--dt)"; else if (dt > 0.2) printf "frames at most 0.2 ps apart, found %g ps", dt }')
g=rdf.mbf
[ "$volume" != 0 ] || g='' # there are counts only
figure rdf "$(thinned "$rdf" "rdf-cpu$pairs --rmax $rmax --bins $bins" rdf.mbf)" $g
figure sq "$(thinned "$sq" "sq-cpu --vectors 2000" sq.mbf)" sq.mbf
# shellcheck disable=SC2016 # for the shell that runs the command
unwrap='up unwrap "$run" | '
# shellcheck disable=SC2016
[ "$pbc" != FFF ] || unwrap='up frame-cut : "$run" | '
[ "$msd" -eq 1 ] || unwrap="${unwrap}up frame-cut ::$msd | "
# Lags beyond half of the run have few time origins.
figure msd "${unwrap}msd-cpu$mass --lags $(((steps + msd - 1) / msd / 2 + 1)) -o msd.mbf && { einstein msd.mbf >D.txt || [ \$? -eq 2 ]; }" msd.mbf
if grep -q '^  VELO ' check; then
    [ -n "$apart" ] || figure dos "up frame-cut 0:$vacf \"\$run\" | up vacf-cpu$mass --vacf-weights mass --tmax $tmax | fft-spectrum --window hann --pad 4 -o dos.mbf" dos.mbf
    figure kinetic "for k in 0 1 2 3; do up frame-cut \$((k * $steps / 4)):\$(((k + 1) * $steps / 4)) \"\$run\" | up vacf-cpu -q$mass --vacf-weights mass --lags 1 | bin2txt -o kinetic.\$k || exit; done"
fi
[ -z "$alpha" ] || [ -n "$apart" ] || figure light "$(thinned "$light" "alpha-cpu --polarizability $(quote "$alpha")" pi.mbf) && up acf --invariant vh --mean subtract --tmax $tmax pi.mbf | fft-spectrum --window hann --pad 4 -o light.mbf" light.mbf
wait

# 3. The page. The functions of awk print HTML.
html='function text(s) { gsub(/[[:cntrl:]]/, " ", s); gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); gsub(/>/, "\\&gt;", s); return s }
    function row(name, s) { print "<tr><th>" name "</th><td>" text(s) "</td></tr>" }
    function cells(s, kind, w, n, k) { n = split(s, w, "\t"); printf "<tr>"; for (k = 1; k <= n; k++) printf "<%s>%s</%s>", kind, text(w[k]), kind; print "</tr>" }
    function edges(s, h) { split(s, h, " ")
        return h[2] h[3] h[4] h[6] h[7] h[8] == "000000" ? sprintf("%.5g × %.5g × %.5g Å", h[1], h[5], h[9]) : sprintf("(%.5g %.5g %.5g), (%.5g %.5g %.5g), (%.5g %.5g %.5g) Å", h[1], h[2], h[3], h[4], h[5], h[6], h[7], h[8], h[9]) }'
# block CLASS FILE: print the file without repeated text
block() {
    if [ -s "$2" ]; then awk "$html"'
        { k = index($0, "ERR from upstream: "); if ((out != "" && /upstream program wrote nothing$/) || (k && substr($0, k + 19) in seen) || /--drift subtract: expected all atoms/) next
            seen[$0]; out = out text($0) "\n" }
        END { if (out != "") printf "<pre class=\"%s\">%s</pre>\n", "'"$1"'", out }' "$2"; fi
}

# coordination numbers: n at the first minimum of g after its first peak of at least 0.7 times the
# greatest g
[ ! -f rdf.txt ] || awk "$html"'
    FILENAME == "species" { split($0, w, "\t"); count[w[2]] = w[1]; next }
    /^# r_A/ { for (i = 2; i <= NF; i++) name[i - 1] = $i; m = NF - 1; next }
    /^#/ { next }
    { n++; for (i = 1; i <= m; i++) x[n, i] = $i }
    END { print "<table>"; cells("pair A-B\tpeak, Å\tg there\tminimum, Å\tB around A\tA around B\tg at " sprintf("%.3g", x[n, 1]) " Å", "th")
        for (i = 2; i <= m; i++) if (name[i] ~ /^g($|_)/ && name[i] !~ /_se$/) {
            top = 0; for (k = 1; k <= n; k++) if (x[k, i] > top) top = x[k, i]
            for (p = 1; p < n && x[p, i] < 0.7 * top;) p++
            for (k = p; k <= n && x[k, i] >= 0.5 * x[p, i]; k++) if (x[k, i] > x[p, i]) p = k
            low = p; for (k = p; k <= n && x[k, 1] <= 1.6 * x[p, 1]; k++) if (x[k, i] < x[low, i]) low = k
            pair = substr(name[i], 3); c = split(pair, ab, "-") == 2 ? count[ab[1]] / count[ab[2]] : 1
            for (j = 1; j <= m; j++) if (name[j] == (pair == "" ? "n" : "n_" pair)) around = x[low, j]
            if (pair == "") pair = "all"
            if (x[p, i] > 1.15 && x[low, i] < 0.95 && low < n) cells(sprintf("%s\t%.2f\t%.2f\t%.2f\t%.3g\t%.3g\t%.3f", pair, x[p, 1], x[p, i], x[low, 1], around, c * around, x[n, i]), "td")
            else cells(sprintf("%s\tno shell\t\t\t\t\t%.3f", pair, x[n, i]), "td") }
        print "</table>"
        while ((getline pair <"uneven") > 0) print "<p>" text(pair) " is not drawn, because its g is far from 1 also at large distances: the atoms do not fill the cell evenly.</p>" }' species rdf.txt >rdf.text
[ "$(wc -l <species)" -lt 2 ] || echo '<p>Every atom has the weight 1. For X-rays or neutrons, give weights: sq-cpu(1), options <code>--form-factor</code> and <code>--weights</code>.</p>' >sq.text
[ ! -s D.txt ] || awk "$html"'
    # with_error VALUE ERROR: the error gets two significant digits, and the value as many decimals
    function with_error(v, e, w, f) { if (!(e + 0 > 0)) return sprintf("%.3g ± %s", v, e); split(sprintf("%.1e", e), w, "e"); f = "%." (w[2] < 1 ? 1 - w[2] : 0) "f"; return sprintf(f " ± " f, v, e) }
    NR == 1 { print "<table>"; cells("of\tD, Å²/ps\tD, 10⁻⁵ cm²/s\twindow, ps", "th") }
    $1 == "D" { of = $NF; sub(/^msd_?/, "", of); for (k = 1; k <= NF; k++) if ($k == "window") from = k + 1
        cells(sprintf("%s\t%s\t%s\t%.4g to %.4g", of == "" ? "all atoms" : of, with_error($2, $4), with_error(10 * $2, 10 * $4), $from, $(from + 1)), "td") }
    END { print "</table>" }' D.txt >msd.text
[ ! -f kinetic.3 ] || awk "$html"' BEGIN { f = 3 * '"$atoms"' - 3; print "<table>"; cells("quarter of the run\ttemperature, K", "th") }
    /^# / { wait = 1 } !/^#/ && wait { wait = 0; cells(sprintf("%d of 4\t%.1f", ++k, $3 / f / 0.08617333262), "td") }
    END { print "</table><p>The temperature counts " f " degrees of freedom. If bonds are rigid, multiply the temperature by this number and divide it by the remaining number of degrees of freedom.</p>" }' kinetic.0 kinetic.1 kinetic.2 kinetic.3 >kinetic.text

# part NAME TITLE: print the figure, or why it is missing, and then the text and the command
part() {
    [ -f "$1.status" ] || return 0
    status=$(cat "$1.status")
    printf '<section id="%s"><h2>%s</h2>\n' "$1" "$2"
    if [ "$status" -eq 0 ]; then
        # give the figures different ids, because they are on one page
        [ ! -f "$1.svg" ] || sed -e '/^<?xml/d; /^<title>/d; /^<desc>/d; s/^ width="[0-9]*" height="[0-9]*"$//; s/^<svg *$/<svg role="img"/' -e "s/gpDot/gpDot_$1/g; s/gpPt/gpPt_$1_/g; s/gnuplot_/gnuplot_$1_/g" "$1.svg"
        if [ -f "$1.text" ]; then cat -- "$1.text"; fi
    elif [ "$status" -eq 2 ]; then
        echo '<p class="bad">No result, because a program refused the data:</p>'
    else
        failed="$failed $1"
        if [ "$status" -gt 128 ]; then echo '<p class="bad">No result, because a program was killed.</p>'; else echo '<p class="bad">No result, because a program failed.</p>'; fi
    fi
    block notes "$1.err"
    run=$shown awk "$html"'{ gsub(/"\$run"/, "\001"); while (match(s = $0, /(&& |^|\| |do )up /)) $0 = substr(s, 1, RSTART + RLENGTH - 4) substr(s, RSTART + RLENGTH); n = split($0, w, "\001"); s = w[1]; for (k = 2; k <= n; k++) s = s ENVIRON["run"] w[k]; if (sub(/ >D.txt \|\| .*/, "", s)) sub(/\{ /, "", s)
        print "<pre class=\"command\">" text(s) "</pre></section>" }' "$1.cmd"
}
failed=''
{
    cat <<'HTML'
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46em; margin: 0 auto; padding: 1em; color: #111; background: #fff }
h1 { font-size: 1.5em; overflow-wrap: anywhere } h2 { font-size: 1.15em; margin: 2em 0 .4em; border-bottom: 1px solid #ccc }
code, table:not(.facts) td:first-child { white-space: nowrap }
svg { width: 100%; height: auto; display: block }
table { border-collapse: collapse; display: block; overflow-x: auto } th, td { text-align: left; padding: .15em 1em .15em 0; vertical-align: top } .facts td { overflow-wrap: anywhere }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #f4f4f4; padding: .5em; font-size: .85em; margin: .4em 0 } .notes { background: #fff6dd } .bad { color: #a00; font-weight: 600 }
@media (max-width: 600px) { table { font-size: .75em } th, td { padding-right: .4em } }
@media print { section { break-inside: avoid } body { max-width: none; font-size: 10pt } svg { width: 11cm } }
</style>
HTML
    title=${title:-a run} typed=${typed# } awk -F '\t' "$html"'
        FILENAME == "meta" { is[$1] = $2 }
        FILENAME == "last.xyz" && FNR == 2 && match($0, /Lattice="[^"]*/) { last = substr($0, RSTART + 9, RLENGTH - 9) }
        FILENAME == "species" { if (++kinds <= 12) kind = kind (kinds > 1 ? ", " : "") $1 " " $2 }
        END {
            title = text(ENVIRON["title"])
            print "<title>" title "</title></head><body>\n<h1>" title "</h1>\n<table class=\"facts\">"
            row("Input", ENVIRON["typed"])
            row("Atoms", is["sys.natoms"])
            row("Species", kinds ? kind (kinds > 12 ? " and " kinds - 12 " more" : "") : "no names in the file (give names with --topology or --species)")
            dt = is["sys.dt_ps"]
            row("Frames", steps (dt == "" ? ", at unknown times (give the time between frames with --dt)" : sprintf(", %.6g ps apart, %.6g ps in all", dt, (steps - 1) * dt)))
            if (apart != "") row("Spectra", "not computed, because a spectrum needs " apart)
            if (is["sys.cell"] != "") {
                row("First cell", edges(is["sys.cell"]))
                if (edges(last) != edges(is["sys.cell"])) row("Last cell", edges(last))
                axes = ""; for (k = 1; k <= 3; k++) if (substr(is["sys.pbc"], k, 1) == "T") axes = axes substr("xyz", k, 1)
                row("Periodic", axes == "" ? "no axis" : axes)
                if (volume > 0) row("Density", sprintf("%.5g atoms per Å³ (first cell, %.6g Å³)", is["sys.natoms"] / volume, volume))
            } else row("Cell", "none")
            row("Integrity", "the stream is complete; all checksums, shapes, times and numbers are valid")
            print "</table>"
        }' steps="$steps" volume="$volume" apart="$apart" meta last.xyz species
    [ ! -s notes ] || echo '<h2>Messages from reading the file</h2>'
    block notes notes
    [ ! -e elements ] || awk "$html"'
        { sites = $0 }
        END { print "<p>The atom names of the topology are replaced by elements" (sites == "" ? "" : ", and sites without mass are omitted (" text(sites) ")") ". For other names, use the option --species of traj2bin.</p>" }' sites
    [ ! -s reading ] || echo '<p>This command writes the file that the commands below read:</p>'
    block command reading
    part rdf 'Pair distribution function g(r)'
    part sq 'Structure factor S(q)'
    part msd 'Mean square displacement and diffusion coefficient'
    part kinetic Temperature
    part dos 'Density of states'
    part light 'Depolarised light scattering'
    echo '<p>Written by overview.sh, a script of mbf. Bands show standard errors. An analysis of a thinned run uses every nth frame (frame-cut ::n).</p>'
    echo '</body></html>'
} >overview.html
cd -- "$back"
cat -- "$work/overview.html" >"$part"
chmod "$(printf %o $((0666 & ~$(umask))))" "$part"
mv -- "$part" "$to"
echo "Page: $page"
[ -z "$failed" ] || die "these parts of the page are missing, because a program failed:$failed" 1
