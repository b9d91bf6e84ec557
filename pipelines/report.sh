#!/bin/sh
# SPDX-License-Identifier: MIT
# report.sh computes every figure of the papers on which mbf is based, and compares the results
# with published numbers. It writes one self-contained HTML page, with SVG figures and without
# scripts or network access. The runs are short, and take less than three minutes on two cores.
# Without a GPU, figures that need a GPU are not drawn. The page is OUT/report.html, next to tables
# and logs.
# Variables, with their defaults in brackets:
#   OUT    folder for the results (.)
#   BIN    folder of the programs
#   JOBS   number of parallel jobs (2)
#   SHORT  set to 1 for shorter runs
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/results.sh"
LC_ALL=C.UTF-8 # numbers as in the C locale, UTF-8 for gnuplot
export PATH LC_ALL FORMAT=svg
mkdir -p -- "${OUT:-.}"
out=$(CDPATH='' cd -- "${OUT:-.}" && pwd)
sample=$here/../tests/data/argon256.xyz.gz
command -v gnuplot >/dev/null || { echo "report.sh: expected gnuplot, found none" >&2; exit 3; }

# ---- the runs: NAME, then the command that the page shows, in a separate folder
figures_of() {
    mkdir -p "$out/$1"
    printf '%s\n' "$2" >"$out/$1/command"
    (cd "$out/$1" && echo "$1: $2" >&2 && OUT=. pipelines="$here" sample="$sample" sh -c "$(echo "$2" | sed 's,pipelines/,"$pipelines"/,g')" >log 2>&1) || {
        echo "report.sh: $1 failed:" >&2
        tail -n 5 "$out/$1/log" >&2
        exit 1
    }
}
pids=""
begin() { # as figures_of, with JOBS parallel jobs
    figures_of "$@" &
    pids="$pids $!"
    # shellcheck disable=SC2086
    set -- $pids
    [ $# -lt "${JOBS:-2}" ] || { wait "$1"; shift; pids="$*"; }
}
trap 'for p in $pids; do kill "$p" 2>/dev/null || true; done' EXIT
begin spectrum "${SHORT:+STEPS=8000 }pipelines/argon-spectrum.sh"
if [ -n "${SHORT:-}" ]; then # takes seconds, for the tests: the same page with meaningless numbers
    begin campaign "SIZES='64 100' EQUILIBRATE=2000 STEPS=5000 TMAX=2 pipelines/argon-campaign.sh"
    dawid="SYSTEMS='64 100' STEPS=5000 EQUILIBRATE=500 LOOPS='24 32' pipelines/dawid-figures.sh"
    moskvin="SIZES='4096 8192' pipelines/moskvin-figures.sh --steps 5"
else
    begin campaign "EQUILIBRATE=10000 STEPS=20000 EVERY=10 TMAX=2 pipelines/argon-campaign.sh"
    dawid="SYSTEMS='64 88 112 136 160 184 208 232 256' STEPS=50000 EQUILIBRATE=2000 LOOPS='64 100 136' pipelines/dawid-figures.sh"
    moskvin="pipelines/moskvin-figures.sh --steps 50"
    [ ! -e "$here/sum-rules.sh" ] || begin rules "pipelines/sum-rules.sh || [ \$? -eq 1 ]"
fi
[ -n "${SHORT:-}" ] && neutrons="ATOMS=108 STEPS=3200 TMAX=1 QMAX=1.5 VECTORS=100" || neutrons="STEPS=24000"
begin neutrons "$neutrons pipelines/argon-neutrons.sh"
[ -n "${SHORT:-}" ] && orders="STEPS=3200 TMAX=1" || orders=STEPS=32000
begin orders "$orders pipelines/argon-orders.sh"
begin raman "pipelines/co2-raman.sh"
begin nakano "pipelines/nakano-figures.sh"
begin published "${SHORT:+SHORT=1 }pipelines/published.sh || [ \$? -eq 1 ]"
begin program "xyz2bin --select 1:801 \"\$sample\" | g4-cpu --sum mic --lags 3 | bin2txt -o g4.txt"
begin snapshot "xyz2bin --select 0:1 \"\$sample\" | bin2txt -o atoms.txt"
for p in $pids; do wait "$p"; done
pids=""
figures_of dawid "$dawid" # both are timed, so nothing else runs at the same time
figures_of moskvin "$moskvin"

# ---- numbers
# row QUANTITY PUBLISHED SOURCE OURS COMMAND-OF
row() {
    printf '<tr><td>%s</td><td data-is="published">%s</td><td data-is="source">%s</td><td data-is="here">%s</td><td data-is="run"><a href="#%s">%s</a></td></tr>\n' \
        "$1" "$2" "$3" "$4" "$5" "$5"
}
# pm(v, e, d): v ± e with d digits after the point; the error is unknown if e is not a number or its
# column s is missing
pm='function pm(v, e, d) { return sprintf(e ~ /^[-+]?[.0-9]/ && s != "" ? "%." d "f ± %." d "f" : "%." d "f (error not known)", v, e) }
'
column() { awk -v c="$2" 'NR == 1 { for (i = 2; i <= NF; i++) if ($i == c) print i - 1; exit }' "$1"; }
numbers() {
    g=$out/nakano/cpu.txt
    row "atoms under the first maximum" "10.5" "Eisenstein, Gingrich 1942, X-rays" \
        "$(awk -v g="$(column "$g" g)" -v n="$(column "$g" n)" '!/^#/ && $1 < 7 { k++; v[k] = $g; c[k] = $n; if ($g > m) { m = $g; at = k } }
            END { low = at; for (i = at; i <= k; i++) if (v[i] < v[low]) low = i; printf "%.1f up to the minimum of g (X-rays: from the shape of the peak)", c[low] }' "$g")" nakano
    f=$out/spectrum/fine.txt
    row "part of G(0) within 10 cm<sup>-1</sup>" "about half, with half-width 10 cm<sup>-1</sup> or less" "An, Montrose, Litovitz 1976" \
        "$(awk -v s="$(column "$f" I_se)" "$pm"'$2 == "moment0" { m = $3 } !/^#/ { if (k++ == 0) { x0 = $2; e0 = $s } else if (k == 2) d = $1; if ($1 > 0 && $1 <= 10 + d / 2) { a += $2; e += $s; if ($s ~ /nan/) e0 = s = "" } }
            END { printf "%s", pm((x0 + 2 * a) * d / m, (e0 + 2 * e) * d / m, 2) }' "$f")" spectrum
    row "wing, I ∝ exp(-ν/Ω)" "exponential, 5 to 100 cm<sup>-1</sup>" "McTague, Birnbaum (gas)" \
        "$(awk -v s="$(column "$f" I_se)" '!/^#/ && $1 >= 20 && $1 <= 100 && $2 > 0 && $s > 0 { w = ($2 / $s) ^ 2; y = log($2); W += w; X += w * $1; Y += w * y; XX += w * $1 ^ 2; XY += w * $1 * y }
            END { b = (W * XY - X * Y) / (W * XX - X * X); printf "Ω = %.1f ± %.1f cm<sup>-1</sup>, 20 to 100 cm<sup>-1</sup>", -1 / b, sqrt(W / (W * XX - X * X)) / b ^ 2 }' "$f")" spectrum
    row "G<sub>4</sub> of the published program at lags 0, 1, 2 (its convention, single precision)" "39.76768, 39.75875, 39.63834" "program of Dawid 2019, 801 frames of the sample" \
        "$(awk -v c="$(column "$out/program/g4.txt" G4)" '!/^#/ { printf "%s%.5f", k ? ", " : "", $c * (800 - k) / (801 - k) / 9; k++ }' "$out/program/g4.txt") (double, the same sum)" program
    w=$out/nakano/waves.txt
    row "S(q): longest wave of the cell, first peak" "-" "both routes, for the sample" \
        "$(awk -v s="$(column "$w" S_se)" "$pm"'!/^#/ { if (!k++) printf "wave vectors S(%.3f) = %s", $1, pm($3, $s, 3); if ($3 > m) { m = $3; e = $s } } END { printf ", peak %s", pm(m, e, 2) }' "$w")$(awk '!/^#/ { if ($1 > 0.26 && !k++) printf "; g(r) S(%.2f) = %.2f", $1, $2; if ($2 > m) m = $2 } END { printf ", peak %.2f", m }' "$out/nakano/sq.txt")$(awk '!/^#/ && $2 > m && $1 > 1 { m = $2 } END { printf ", %.2f with Lorch&#39;s window", m }' "$out/nakano/sq-lorch.txt")" nakano
    row "cost of G<sub>2</sub> : G<sub>3</sub> : G<sub>4</sub> by direct loops" "1 : 495 : 10,597" "Dawid, talk; 208 atoms have 1 : 103 : 10,558 terms" \
        "$(awk '!/^#/ { t = sprintf("1 : %.0f : %.0f for %d atoms", $5, $6, $1) } END { print t }' "$out/dawid/loops.txt" 2>/dev/null || echo "no C compiler here")" dawid
    escape <"$out/published/published.tsv" | while IFS="$(printf '\t')" read -r quantity system state unit published source value verdict; do
        [ "$unit" != 1 ] || unit=''
        because=${verdict#"${verdict%%, because*}"}
        row "$quantity: $system, $state" "$published${unit:+ $unit}" "$source" "$value${unit:+ $unit}: <b>${verdict%%, because*}</b>$because" published
    done
}

# ---- the page
escape() { sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g'; }
# command_of RUN: the command in a form that a reader can run
command_of() { sed 's/ || .*//; s,"\$sample",tests/data/argon256.xyz.gz,' "$out/$1/command" | escape; }
# figure ID TITLE TEXT SVG
figure() {
    printf '<section id="%s"><h2>%s</h2>\n<p>%s</p>\n' "$1" "$2" "$3"
    { echo '<div class="picture" tabindex="0" role="region" aria-label="figure">'; sed -E "1,/<svg/{ /<svg/!d; }; s/\"gnuplot_(plot|canvas)/\"$1_\1/g; s/(id=.|#)gp([A-Z])/\1$1_gp\2/g" "$out/$1/$4"; echo '</div>'; }
    printf '<pre aria-label="command"><code>%s</code></pre>\n' "$(command_of "$1")"
    grep -E 'warning:|no usable GPU|not drawn|not run here' "$out/$1/log" | sed -E 's/ \([0-9.]* of lag 0\)//g; s/at [0-9]* of [0-9]* (freq|q )/at some \1/' | sort -u | head -n 6 | escape | sed 's,^.*,<p class="note">&</p>,'
    echo '</section>'
}
(cd -- "$out/snapshot" && gnuplot -c /dev/stdin "$here") <<'GP'
here = ARG1; fmt = "svg"; o = ""
load here."/figure.gp"
eval terminal("sample", 560, 460)
set size ratio -1; set xrange [0:23.03]; set yrange [0:23.03]
set xlabel "x / Å"; set ylabel "y / Å"; set cblabel "z / Å"
set style fill solid 1; set palette defined (0 "#004A75", 1 "#A8CCE4"); set cbrange [0:23.03]
plot "atoms.txt" using 4:5:6 with points pt 7 ps 1.4 lc palette notitle
GP
{
    cat <<'HTML'
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>mbf: figures and published numbers</title>
<style>
:root { color-scheme: light dark; --fg: #1b1f24; --bg: #fff; --soft: #59636e; --line: #d8dee4; --code: #f3f5f7; --link: #0b5cad; }
@media (prefers-color-scheme: dark) { :root { --fg: #e6e9ed; --bg: #14171b; --soft: #9aa4af; --line: #343b44; --code: #20252b; --link: #7fb8f0; }
  .picture svg { filter: invert(1) hue-rotate(180deg); } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--fg); background: var(--bg); max-width: 76rem; margin: 0 auto; padding: 1rem; }
h1 { line-height: 1.2; } h2 { margin-top: 2.5rem; }
.picture, .wide, pre { overflow-x: auto; scrollbar-width: thin; scrollbar-color: var(--soft) var(--line); }
.picture::-webkit-scrollbar, pre::-webkit-scrollbar { height: 9px; background: var(--line); } .picture::-webkit-scrollbar-thumb, pre::-webkit-scrollbar-thumb { background: var(--soft); border-radius: 4px; }
.picture svg { display: block; height: auto; width: 100%; min-width: 46rem; }
#snapshot svg { max-width: 35rem; min-width: 20rem; }
table { border-collapse: collapse; font-size: .92rem; } td[data-is=source] { overflow-wrap: anywhere; min-width: 14rem; } th, td { text-align: left; vertical-align: top; padding: .35rem .7rem; border-bottom: 1px solid var(--line); }
pre { background: var(--code); padding: .6rem .8rem; overflow-x: auto; border-radius: 6px; font-size: .85rem; } a { color: var(--link); }
@media (max-width: 44rem) { th { display: none; } table, tbody, tr, td { display: block; } tr { border-bottom: 1px solid var(--line); padding: .5rem 0; }
  td { border: 0; padding: .1rem 0; } td:first-child { font-weight: 600; } td[data-is]::before { content: attr(data-is) ": "; color: var(--soft); } }
@media (max-width: 48rem) { .picture::before { content: "wider than the screen: scroll sideways \2192"; position: sticky; left: 0; display: block; width: max-content; color: var(--soft); font-size: .85rem; }
  #snapshot .picture::before { content: none; } }
pre[aria-label=command] { white-space: pre-wrap; overflow-wrap: anywhere; } dd { margin-left: 0; } dd pre { margin-top: .3rem; }
.note { color: var(--soft); font-size: .88rem; margin: .2rem 0; overflow-wrap: anywhere; }
</style></head><body>
<h1>Many-body correlation functions: figures of the papers, recomputed</h1>
HTML
    echo "<p>Made on $(date -u '+%Y-%m-%d') by mbf $(g4-cpu --version | awk 'NR == 1 { print $2 }') on $(getconf _NPROCESSORS_ONLN) processors, $(g4-cpu --version | sed -n 's/.*engine: CPU, //p'). All numbers below are from this run, except the table of sums over images. Each figure names its command, which runs from the top of the source tree. Runs are short. Errors are standard errors.</p>"
    echo '<h2 id="numbers">Published numbers and results of this run</h2><div class="wide"><table><tr><th>quantity</th><th>published</th><th>source</th><th>here</th><th>run</th></tr>'
    numbers
    echo '</table></div>'
    if [ -e "$out/rules/log" ]; then
        printf '<section id="rules"><h2>Sum rules</h2><p>Rules that hold exactly for any fluid in equilibrium, tested on a run of md-cpu.</p><pre tabindex="0" role="region" aria-label="table">%s</pre>\n<pre aria-label="command"><code>%s</code></pre></section>\n' \
            "$(grep -v 'warning:' "$out/rules/log" | escape)" "$(sed 's/ || .*//' "$out/rules/command" | escape)"
    fi
    printf '<section id="sums"><h2>Sums over images</h2><p>These numbers are from longer runs.</p><pre tabindex="0" role="region" aria-label="table">%s</pre>\n<pre aria-label="command"><code>pipelines/argon-sums.sh 108 256 864 4000</code></pre></section>\n' \
        "$(escape <"$here/argon-sums.txt")"
    figure snapshot "The sample (Dawid 2019, Figure 1)" "256 argon atoms at 90 K and the density of the liquid, in the first frame of the sample trajectory." sample.svg
    figure spectrum "Correlation functions and the depolarised spectrum" "G<sub>2</sub>, G<sub>3</sub> and G<sub>4</sub> cancel to a few per cent of each term, and the spectrum is the remainder. Published for liquid argon: a component with half-width up to 10 cm<sup>-1</sup> and about half of the intensity (An, Montrose, Litovitz 1976), and exponential wings." spectrum.svg
    figure neutrons "Neutron scattering of the liquid" "S(q,E) narrows where S(q) has its peak (de Gennes). For the longest waves the sound line is separate from the quasielastic line. The longitudinal current has its peak at finite energy for every q (Sköld, Rowe, Ostrowski, Randolph 1972, neutrons from argon; Levesque, Verlet, Kürkijärvi 1973, this model)." neutrons.svg
    figure orders "Beyond first order" "The depolarised spectrum in absolute units, to first order and to all orders of dipole-induced dipoles, and the ratio of both. Most of the ratio is the local field, ((n²+2)/3)<sup>4</sup> = 1.86 (Clausius and Mossotti); the rest changes the shape." orders.svg
    figure raman "Molecules: permanent, induced, cross" "Depolarised Raman spectrum of 64 rigid molecules of CO<sub>2</sub> (EPM2, 310 K, 0.75 g/cm³, by LAMMPS): the permanent part from rotation, the induced part to all orders, and the cross term of both." raman.svg
    figure campaign "17 systems of 64 to 256 atoms (Dawid 2019)" "Paper: 10<sup>6</sup> equilibration steps and 10<sup>6</sup> production steps, 20,000 frames each. This run: 20,000 steps, one frame every 10 steps." campaign.svg
    figure dawid "Speed-up and error on a GPU (Dawid 2019, Figures 5 to 7)" "Published: at most 19 times one core, 12 times on average, 3 times less from 50 to 1,300 MB, and a relative error of at most 0.1 % (single precision, GPU and CPU of the same generation). The talk: 21 times." dawid.svg
    figure moskvin "Verlet lists and linked cells (Moskvin, Sotsky, Usol&#39;tseva 2014, Figures 3 and 4)" "Published: a GeForce 580 GTX is 39.5 times (lists) and 10 times (cells) as fast as four cores of a Core i7, 10,000 iterations of 16,384 to 98,304 atoms." moskvin.svg
    figure nakano "Pair distances (Nakano, lecture)" "The histogram, the finite size of the cell and its geometric factor, a displaced octant, and S(q) from wave vectors and from the transform of g(r). Waves longer than the cell are grey." nakano.svg
    echo '<section><h2>Runs without figures</h2><p>The table above contains their results.</p><dl>'
    for f in published program; do
        printf '<dt id="%s">%s</dt><dd><pre aria-label="command"><code>%s</code></pre></dd>\n' $f \
            "$(echo $f | sed 's/published/Published numbers/; s/program/The published program/')" "$(command_of $f)"
    done
    echo '</dl></section>'
    echo '</body></html>'
} >"$out/report.html.part"
mv "$out/report.html.part" "$out/report.html"
echo "Page: $out/report.html"
