# SPDX-License-Identifier: MIT
# pipelines/plot.sh and python3 -m mbf plot: curves and bands have the correct numbers, axes have
# units, and data that cannot be drawn leave no picture.

load ../helpers

setup_file() {
    command -v gnuplot >/dev/null || return 0
    cd "$BATS_FILE_TMPDIR" || exit
    xyz2bin -q --select 0:120 "$DATA/argon256.xyz.gz" -o a.mbf
    rdf-cpu -q --bins 60 --blocks 4 a.mbf -o gr.mbf
    g4-cpu -q --sum mic --lags 12 --blocks 4 a.mbf -o cf.mbf
    sq-cpu -q --qmax 3 --vectors 60 --blocks 4 a.mbf -o sq.mbf
    fqt-cpu -q --self --qmax 1.6 --qstep 0.4 --vectors 60 --lags 12 --blocks 4 a.mbf -o fqt.mbf
    fft-spectrum -q --unit meV --window hann fqt.mbf -o sqw.mbf
    vacf-cpu -q --tmax 1 --weights mass "$DATA/water64.mbf" | fft-spectrum -q --window hann -o dos.mbf
    awk 'BEGIN { print "Step Temp Press"; for (k = 0; k < 200; k++) print 10 * k, 300 + 5 * sin(k / 7), 1 - k / 50 }' | txt2bin -q --dt 0.5 -o se.mbf
    unwrap -q a.mbf | msd-cpu -q --lags 9 -o msd.mbf
}

setup() {
    command -v gnuplot >/dev/null || skip "no gnuplot"
    cd "$BATS_TEST_TMPDIR" || return 1
    ln -s "$BATS_FILE_TMPDIR"/*.mbf .
    export BIN
}

plot() { "$ROOT/pipelines/plot.sh" "$@"; }

# texts PICTURE.svg: prints the texts in it, one per line, with the levels of letters joined
texts() { tr -d '\n' <"$1" | grep -oE '<text>.*' | sed 's,</text>,\n,g' | sed 's/.*<text>//; s/<[^>]*>//g'; }

# settings NAME ARGUMENT...: the commands that plot.sh gives to gnuplot
settings() {
    mkdir -p shim && printf '#!/bin/sh\ncp plot.gp "%s"\nexec %s "$@"\n' "$PWD/$1.gp" "$(command -v gnuplot)" >shim/gnuplot && chmod +x shim/gnuplot
    PATH=$PWD/shim:$PATH plot -o "$1.svg" "${@:2}" >/dev/null
    cat "$1.gp"
}

# curve FILE.mbf COLUMN SE [VALUE]: "x y se" of a column of bin2txt by name (SE -: none), with x
# from its first column or t_ps, for rows whose second column is VALUE
curve() {
    bin2txt -q "$1" | awk -v y="$2" -v e="$3" -v at="${4:-}" 'NR == 1 { for (i = 2; i <= NF; i++) c[$i] = i - 1; x = ("step" in c) ? c["t_ps"] : 1; next }
        !/^#/ && NF && (at == "" || $2 == at) { print $x, $c[y], (e == "-" ? "" : $c[e]) }' >"${5:-$2}"
    [ -s "${5:-$2}" ]
}

# spectrum NAME: makes NAME.mbf from NAME, whose rows follow "# nu_cm-1 I I_se"
spectrum() {
    numpy_python
    "$PY" - "$1" <<'PY'
import numpy, sys
from oracle import frames
with frames.Writer(sys.argv[1] + ".mbf") as w:
    w.put_meta({"data.columns": "nu_cm-1 I I_se", "data.quantity": "spectrum"})
    w.put(frames.Array(b"SPEC", numpy.loadtxt(sys.argv[1])))
    w.end()
PY
}

@test "plot: a column with a unit of its own has that unit, a ratio none; of several units the axis names none" {
    numpy_python
    "$PY" - <<'PY'
import numpy
from oracle import frames
with frames.Writer("r.mbf") as w:
    w.put_meta({"data.columns": "nu_cm-1 I_VH I_VV VH/VV", "data.quantity": "spectrum", "data.unit": "(A^3)^2 per cm-1", "data.unit.of": "VH/VV:1"})
    w.put(frames.Array(b"SPEC", numpy.array([[1, 2, 4, 0.5], [2, 3, 4, 0.75]], dtype=float)))
    w.end()
PY
    labels() { NAMES=$1 LOG=0 plot -o r.svg r.mbf >&2 && texts r.svg | grep -iE 'VH|spectrum' | sort -u; }
    [ "$(labels VH/VV)" = VH/VV ]
    labels I_VH | grep -q 'Å⁶ cm'
    labels "I_VH I_VV" | grep -q 'Å⁶ cm'
    ! labels "I_VH VH/VV" | grep -q 'Å⁶ cm'
}

@test "plot: a histogram, S(q), a correlation function, a displacement: every point, every band, units" {
    plot -o gr.svg gr.mbf
    curve gr.mbf g g_se
    [[ $(py oracle/svg_curves gr.svg linear g=g) == "1 curves, "[1-9]* ]]
    texts gr.svg | grep -qx 'r / Å'
    texts gr.svg | grep -qx 'g(r)'
    plot -o sq.svg sq.mbf
    curve sq.mbf S S_se
    py oracle/svg_curves sq.svg linear S=S
    texts sq.svg | grep -qx 'q / Å⁻¹'
    texts sq.svg | grep -qx 'S(q)'
    plot cf.mbf -o cf.svg # -o behind the file, too
    for c in G G2 G3 G4; do curve cf.mbf $c ${c}_se; done
    [ "$(py oracle/svg_curves cf.svg linear total=G pair=G2 triplet=G3 quadruplet=G4)" = "4 curves, 48 errors" ]
    texts cf.svg | grep -qx 't / ps'
    texts cf.svg | grep -qx 'G(t)'
    plot -o msd.svg msd.mbf
    texts msd.svg | grep -qx 'MSD / Å²'
    NAMES="G2 G4" plot -o two.svg cf.mbf
    py oracle/svg_curves two.svg linear pair=G2 quadruplet=G4
}

@test "plot: a spectrum falls over three decades: logarithm; LOG=0 draws it as it is; negative ones are never lost to it" {
    export XRANGE='[*:*]' # the whole spectrum
    LOG=1 plot -o dos.svg dos.mbf
    names=()
    for c in total: O:O_ H:H_; do
        curve dos.mbf "I_mvv_3NkT_meV_${c#*:}meVcm" "I_mvv_3NkT_meV_${c#*:}meVcm_se" "" "${c%:*}"
        names+=("${c%:*}=${c%:*}")
    done
    py oracle/svg_curves dos.svg log "${names[@]}"
    texts dos.svg | grep -qx 'wavenumber / cm⁻¹'
    texts dos.svg | grep -qx 'density of states / (meV cm)'
    texts dos.svg | grep -qx '10-1' # a decade
    plot -o linear.svg dos.mbf # a density of states is linear
    py oracle/svg_curves linear.svg linear "${names[@]}"
    # I3 is negative everywhere
    fft-spectrum -q --window hann cf.mbf -o sp.mbf
    plot -o sp.svg sp.mbf
    for c in I I2 I3 I4; do curve sp.mbf $c ${c}_se; done
    py oracle/svg_curves sp.svg linear total=I pair=I2 triplet=I3 quadruplet=I4
    # a band that extends below 0 reaches the edge of the picture and is not omitted there
    awk 'BEGIN { print "# nu_cm-1 I I_se"; for (k = 0; k < 30; k++) { y = exp(-k / 3); print k, y, (k > 20 ? 2 : 0.2) * y } }' >wide
    spectrum wide
    plot -o wide.svg wide.mbf
    [ "$(grep -oE "points = '.*" wide.svg | wc -l)" -eq 1 ]
    py oracle/svg_curves wide.svg log I=wide
}

@test "plot: a band on a logarithmic axis is in pieces where it is all below 0, and has no corner but its own" {
    awk 'BEGIN { print "# nu_cm-1 I I_se"; for (k = 0; k < 30; k++) { y = exp(-k / 3); print k, k ~ /^(9|15|16)$/ ? -y : y, k == 16 ? 2 * y : k == 4 ? "nan" : y / 3 } }' >cut
    export XRANGE='[*:*]'
    spectrum cut
    plot -o cut.svg cut.mbf
    [ "$(grep -oE "points = '.*" cut.svg | wc -l)" -eq 4 ]
    py oracle/svg_curves cut.svg log I=cut
    YRANGE='[1e-9:]' plot -o low.svg cut.mbf # cut at the floor that the axis then has
    lowest() { grep -oE "points = '[^']*" "$1" | grep -oE ',[0-9.]+' | sort -t, -k2n | tail -n 1; }
    [ "$(lowest low.svg)" = "$(lowest cut.svg)" ]
}

@test "plot: LOG=1 where every third value is negative: the floor comes of the positive ones" {
    awk 'BEGIN { print "# nu_cm-1 I I_se"; for (k = 0; k < 30; k++) { y = exp(-k / 3) / 5; print k, k % 3 == 2 ? -y : y, y / 3 } }' >third
    spectrum third
    XRANGE='[*:*]' LOG=1 plot -o third.svg third.mbf
    py oracle/svg_curves third.svg log I=third
    texts third.svg | grep -qx '10-5' # the least is 1.8e-5
}

@test "plot: results of two axes: a curve for each value of the second, with its unit, eight at most" {
    for f in fqt sqw; do
        case $f in fqt) c=F_s x='t / ps' y='Fₛ(q,t)' ;; sqw) c=S_s x='E / meV' y='Sₛ(q,E) / meV⁻¹' ;; esac
        NAMES=$c XRANGE='[*:*]' LOG=0 plot -o $f.svg $f.mbf
        curves=()
        for q in $(bin2txt --meta $f.mbf | awk '$1 == "data.axis2.values" { $1 = ""; print }'); do
            curve $f.mbf $c ${c}_se "$q" "$c.$q"
            curves+=("q = $(printf %.3g "$q") Å⁻¹=$c.$q")
        done
        [ ${#curves[@]} -eq 4 ]
        py oracle/svg_curves $f.svg linear "${curves[@]}"
        texts $f.svg | grep -qx "$x"
        texts $f.svg | grep -qx "$y"
    done
    # for two quantities at several q, each q has a colour and each quantity a line style
    XRANGE='[*:*]' LOG=0 settings both sqw.mbf | grep -o '[^,]* title "S[^"]*"' | sed 's/.*lines lt \([0-9]\)\( dt 2\)\{0,1\} title "\([^,]*,[^,]*\), \(.*\)"/\1 \3\2 \4/' >lines
    [ "$(wc -l <lines)" -eq 8 ]
    awk '{ $2 = $2 == "S(q,E)" ? "total" : "self" ($3 == "dt" ? "" : "?"); k = $1 " " $NF; n[k]++; seen[$2]++ } END { for (k in n) { c++; if (n[k] != 2) exit 1 } exit !(c == 4 && seen["total"] == 4 && seen["self"] == 4) }' lines
    fqt-cpu -q --qmax 2 --qstep 0.1 --vectors 40 --lags 3 a.mbf -o many.mbf
    [ "$(bin2txt many.mbf | awk '!/^#/ && NF { print $2 }' | sort -u | wc -l)" -gt 9 ]
    plot -o many.svg many.mbf
    [ "$(texts many.svg | grep -c '^q = ')" -eq 8 ]
    fft-spectrum -q --unit meV --window hann many.mbf | LOG=1 settings broad - | grep -q '^set key .*outside' # a legend of eight lines does not press the curves together
}

@test "plot: a time series, several files, standard input; a picture of each kind" {
    plot -o se.svg se.mbf
    curve se.mbf Temp -
    curve se.mbf Press -
    py oracle/svg_curves se.svg linear Temp=Temp Press=Press
    texts se.svg | grep -qx 't / ps'
    cp cf.mbf other.mbf
    NAMES=G2 plot -o both.svg cf.mbf other.mbf
    curve cf.mbf G2 G2_se
    py oracle/svg_curves both.svg linear cf=G2 other=G2
    texts both.svg | grep -qx 'G(t), pair'
    plot -o in.svg - <gr.mbf
    curve gr.mbf g g_se
    py oracle/svg_curves in.svg linear g=g
    umask 027
    for f in png svg pdf; do
        SIZE=400x300 TITLE='A "title" of `echo 5`' plot -o "a picture.$f" gr.mbf >said
        [ "$(cat said)" = "Plot: a picture.$f" ]
        [ "$(stat -c %a "a picture.$f")" = 640 ]
    done
    [ "$(head -c 8 "a picture.png" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ]
    [ "$(od -An -tx1 -j16 -N8 "a picture.png" | tr -d ' ')" = 000001900000012c ] # 400 x 300
    [ "$(head -c 5 "a picture.pdf")" = %PDF- ]
    tail -c 7 "a picture.pdf" | grep -q '%%EOF'
    ! texts "a picture.svg" | grep -q 5\" || false # gnuplot ran nothing of it
    texts "a picture.svg" | grep -q 'A  title  of  echo 5'
    python3 -c 'import sys, xml.dom.minidom as x; x.parse("a picture.svg")'
    plot gr.mbf
    [ -s plot.png ]
}

@test "plot: a legend too high for the free room is to the right of the axes" {
    awk 'BEGIN { print "t a b c d e f g h i last"; for (t = 0; t <= 100; t++) { printf "%d", t; for (k = 0; k < 10; k++) printf " %d", 100 * (k % 2) + k; print "" } }' |
        txt2bin -q --time t -o many.mbf
    plot -o many.svg many.mbf
    # the text whose end is compared, and the number 100 at the right end of the t axis
    awk '/translate\(/ { x = $0; sub(/.*translate\(/, "", x); sub(/,.*/, "", x) } /<text>.*last</ { legend = x } /<text>.*100</ && x + 0 > end + 0 { end = x }
        END { exit !(end > 0 && legend > end + 0) }' many.svg
}

@test "plot: an axis of two quantities names both, and has a unit only if they share it" {
    label() { # NAMES FILE.mbf...: what stands at the vertical axis: written just before what stands at the other
        NAMES=$1 plot -o label.svg "${@:2}" >/dev/null
        texts label.svg | grep -B 1 -xE '(r|t) / .*' | head -n 1
    }
    unwrap -q a.mbf | msd-cpu -q --lags 9 --alpha2 -o alpha2.mbf
    [ "$(label g gr.mbf)" = 'g(r)' ]
    [ "$(label "g n" gr.mbf)" = 'g(r), n(r)' ]
    [ "$(label n gr.mbf)" = 'n(r)' ]
    [ "$(label "msd alpha2" alpha2.mbf)" = 'MSD, α₂' ]
    [ "$(label "G2 G3" cf.mbf)" = 'G(t)' ]
}

@test "plot: a spectrum ends where 99.9 % of it is reached, other axes at the last point, and y begins at 0" {
    awk 'BEGIN { print "# nu_cm-1 I I_se"; for (k = -50; k <= 50; k++) print k, (k >= -20 && k <= 20 ? 10 : 0.002), 0.001 }' >box
    spectrum box
    LOG=0 settings box box.mbf | grep -qx 'set xrange \[-20:20\]'
    # noise beyond the end, within two errors of 0, does not count unless errors are unknown
    awk 'BEGIN { print "# nu_cm-1 I I_se"; for (k = -50; k <= 50; k++) print k, (k >= -20 && k <= 20 ? 10 : 0.1), 0.06 }' >noise
    spectrum noise
    LOG=0 settings noise noise.mbf | grep -qx 'set xrange \[-20:20\]'
    sed 's/0.06$/0.04/' noise >feature
    spectrum feature
    LOG=0 settings feature feature.mbf | grep -qx 'set xrange \[-48:48\]'
    awk 'BEGIN { print "# nu_cm-1 I I_se"; for (k = 0; k <= 50; k++) print k, sin(7 * k), 2 }' >only # nothing but noise
    spectrum only
    plot -o only.svg only.mbf
    ! LOG=0 settings only only.mbf | grep 'set xrange \[0:0\]' || false
    XRANGE='[0:30]' settings box box.mbf | grep -qx 'set xrange \[0:30\] noextend'
    settings gr gr.mbf >set
    grep -q 'set format "%h"' set # without the blank for a sign, which moves 0 away from its mark
    last=$(bin2txt -q gr.mbf | awk '!/^#/ && NF { x = $1 } END { print x }')
    awk -v last="$last" '/^set xrange/ { gsub(/[^0-9.:]/, ""); split($0, e, ":"); ok = e[1] == 0 && (e[2] - last) ^ 2 < 1e-12 } END { exit !ok }' set
    grep -q '^set yrange \[0:' set
    awk 'BEGIN { print "# nu_cm-1 I I_se"; for (k = 0; k <= 398; k++) print k / 100, 10, 0.1 }' >near
    spectrum near
    settings near near.mbf | grep -qx 'set xrange \[0:4\]' # the next number of the axis is near
    awk 'BEGIN { print "# nu_cm-1 I I_se"; for (k = 0; k < 9; k++) print k, k - 4, 0.1 }' >both
    spectrum both
    settings both both.mbf | grep -q '^set yrange \[-'
    YRANGE='[0:2]' settings both both.mbf | grep -qx 'set yrange \[0:2\]'
}

@test "plot: a displacement has two logarithmic axes without lag 0; LOG=0 gives linear ones" {
    plot -o msd.svg msd.mbf
    curve msd.mbf msd msd_se
    py oracle/svg_curves msd.svg loglog msd=msd
    settings msd msd.mbf | grep -q '^set xrange \[0.125:'
    # an axis with at most one power of ten has numbers at 1, 2 and 5
    msd-cpu -q --tmax 1 <(unwrap -q a.mbf) | settings msd - >one
    grep -qx 'set logscale x; set format x "%g"; set xtics (0.2, 0.5, 1)' one
    plot -o long.svg <(unwrap -q "$DATA/water64.mbf" | msd-cpu -q --tmax 4)
    texts long.svg | grep -qx '10-1'
    LOG=0 plot -o msd.svg msd.mbf
    py oracle/svg_curves msd.svg linear msd=msd
}

@test "plot: of a transport coefficient the running integral, with its own label and unit" {
    awk "$UNIFORM"'BEGIN { seed(3); print "Step pxy"; for (k = 0; k < 900; k++) print k, (x = 0.8 * x + uniform() - 0.5) }' | txt2bin -q --dt 0.01 -o j.mbf
    acf -q --lags 30 --integral --unit A^2/ps^2 j.mbf -o gk.mbf
    plot -o gk.svg gk.mbf
    curve gk.mbf int_pxy int_pxy_se
    py oracle/svg_curves gk.svg linear gk=int_pxy
    texts gk.svg | grep -qx '∫C(t) dt, pxy / (Å² ps⁻¹)'
    NAMES=pxy plot -o gk.svg gk.mbf
    texts gk.svg | grep -qx 'C(t), pxy / (Å² ps⁻²)'
}

@test "plot: PANELS=1 draws one panel per file, with the axes of each" {
    PANELS=1 plot -o two.svg gr.mbf sq.mbf
    for t in 'r / Å' 'g(r)' 'q / Å⁻¹' 'S(q)'; do texts two.svg | grep -qx "$t"; done
    PANELS=2 fails 2 plot -o x.svg gr.mbf
    [ "$output" = "plot.sh: PANELS: expected 1, found '2'" ]
}

@test "plot: what cannot be drawn is one line and status 2, and leaves no picture, nor what was there changed" {
    head -c 1500 gr.mbf >cut.mbf
    cat gr.mbf gr.mbf >twice.mbf
    echo old >old.png
    wrong() { # STATUS TEXT ARGUMENT...
        local before
        before=$(ls -A)
        fails "$1" plot "${@:3}"
        [[ ${#lines[@]} -eq 1 && $output == *"$2"* ]] || { echo "expected: $2"; echo "found: $output"; false; }
        [ "$(ls -A)" = "$before" ] && [ "$(cat old.png)" = old ]
    }
    wrong 2 "bin2txt: cut.mbf: TRUNCATED at offset 1500" -o x.png cut.mbf
    wrong 2 "bin2txt: cut.mbf: TRUNCATED at offset 1500" -o old.png gr.mbf cut.mbf
    wrong 3 "bin2txt: none.mbf: cannot open" -o x.png none.mbf
    wrong 2 "plot.sh: a.mbf: expected a correlation function, a histogram, a spectrum or a time series, found positions" -o x.png a.mbf
    wrong 2 "plot.sh: twice.mbf: expected one result, found several segments" -o x.png twice.mbf
    wrong 2 "plot.sh: cf.mbf: expected the axis r_A of the first file, found t_ps (PANELS=1 draws each file in its own panel)" -o x.png gr.mbf cf.mbf
    wrong 2 "plot.sh: x.gif: expected a name that ends in .png, .svg or .pdf" -o x.gif gr.mbf
    wrong 2 "plot.sh: expected one file or more, found none" -o x.png
    wrong 2 "plot.sh: unknown option -x: usage: plot.sh" -x gr.mbf
    wrong 2 "plot.sh: -o: expected a name, found none" gr.mbf -o
    mkdir folder.png
    wrong 3 "plot.sh: folder.png: cannot open for writing (Is a directory)" -o folder.png gr.mbf
    [ -z "$(ls -A folder.png)" ]
    ln -s old.png link.png
    wrong 2 "bin2txt: cut.mbf: TRUNCATED at offset 1500" -o link.png cut.mbf
    plot -o link.png gr.mbf
    [ -h link.png ]
    [ "$(head -c 4 old.png)" = $'\x89PNG' ]
    echo old >old.png
    wrong 3 "plot.sh: none/x.png: cannot open for writing (No such file or directory)" -o none/x.png gr.mbf
    NAMES=h wrong 2 "plot.sh: gr.mbf: NAMES: expected a column among r_A count g n g_se, found h" -o x.png gr.mbf
    LOG=yes wrong 2 "plot.sh: LOG: expected 0 or 1, found 'yes'" -o x.png gr.mbf
    SIZE=40 wrong 2 "plot.sh: SIZE: expected WIDTHxHEIGHT in pixels, found '40'" -o x.png gr.mbf
    YRANGE='[0' wrong 2 "plot.sh: YRANGE: expected [FROM:TO], numbers, found '[0'" -o x.png gr.mbf
    plot --help | grep -q '^plot.sh \[-o PICTURE'
}

@test "python3 -m mbf plot: the same picture, from the source tree and as installed; its words and status" {
    numpy_python
    plot -o a.svg gr.mbf >/dev/null
    export MBF_BIN=$BIN
    [ "$("$PY" -m mbf plot gr.mbf -o b.svg)" = "Plot: b.svg" ]
    cmp a.svg b.svg
    fails 2 "$PY" -m mbf plot a.mbf -o c.svg
    [ "$output" = "plot.sh: a.mbf: expected a correlation function, a histogram, a spectrum or a time series, found positions" ]
    fails 2 "$PY" -m mbf plot gr.mbf -o c.gif
    [[ $output == *"c.gif: expected a name that ends in .png, .svg or .pdf" && ! -e c.svg ]]
    mkdir -p there/lib/python3/dist-packages there/share/mbf
    cp -r "$ROOT/lib/python/mbf" there/lib/python3/dist-packages
    PYTHONPATH=$PWD/there/lib/python3/dist-packages fails 2 "$PY" -m mbf plot gr.mbf -o c.svg
    [ "$output" = "mbf: expected plot.sh in share/mbf/pipelines, found none" ]
    cp -r "$ROOT/pipelines" there/share/mbf/
    PYTHONPATH=$PWD/there/lib/python3/dist-packages "$PY" -m mbf plot gr.mbf -o c.svg
    cmp a.svg c.svg
}
