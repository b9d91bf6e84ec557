# SPDX-License-Identifier: MIT
# sanitize
# bin2txt: every kind of stream as columns that other programs read.
# reads: bin2txt POSN

load ../helpers

setup_file() {
    MAKE_CORR=${MAKE_CORR:-$(dirname "$BIN")/tests/unit/make_corr}
    [ -x "$MAKE_CORR" ]
    export MAKE_CORR
}

# rows: prints only the rows of numbers
rows() { grep -v '^#'; }

@test "CORR: legend, keys, then numbers" {
    "$MAKE_CORR" corr lags=3 f=one blocks=2 | bin2txt >t
    [ "$(head -n 1 t)" = "# t_ps origins G G2 G3 G4 G_se G2_se G3_se G4_se" ]
    grep -qx '## origin make_corr' t
    grep -qx '## input CORR' t
    grep -qx '## convention as it comes' t
    [ "$(rows <t)" = "0 2010 1 2 -3 2 0 0 0 0
0.125 2010 1 2 -3 2 0 0 0 0
0.25 2010 1 2 -3 2 0 0 0 0" ]
    # line 1 is the legend; then follow lines that begin with ##, and then only numbers
    [ "$(awk '{ print NR == 1 ? "l" : /^## end / ? "e" : /^## [a-z]/ ? "k" : /^[-0-9.e+ ]+$/ ? "n" : "?" }' t | uniq | tr -d '\n')" = lkne ]
}

@test "CORR: one block has no errors; components apart have columns of their own" {
    fails 0 bash -c "'$MAKE_CORR' corr | bin2txt | head -n 1"
    [ "$output" = "# t_ps origins G G2 G3 G4" ]
    fails 0 bash -c "'$MAKE_CORR' corr comp='xz xx-yy' apart=1 | bin2txt | head -n 1"
    [ "$output" = "# t_ps origins G_xz G2_xz G3_xz G4_xz G_xx-yy G2_xx-yy G3_xx-yy G4_xx-yy" ]
    # averaged: components are f and 2f
    "$MAKE_CORR" corr comp='xz xy' f=one lags=1 | bin2txt | rows >t
    [ "$(cat t)" = "0 1000 1.5 3 -4.5 3" ]
}

@test "CORR: columns are the functions that the stream names, 1 to 64 of them" {
    fails 0 bash -c "'$MAKE_CORR' corr functions='msd C' blocks=2 lags=1 f=one | bin2txt | grep -v '^##'"
    [ "$output" = "# t_ps origins msd C msd_se C_se
0 2010 1 2 0 0" ]
    fails 0 bash -c "'$MAKE_CORR' corr functions=C comp='a b c' apart=1 | bin2txt | head -n 1"
    [ "$output" = "# t_ps origins C_a C_b C_c" ]
    word=a_name_of_20_letters # the longest, of a function and of a component
    [ "$("$MAKE_CORR" corr functions=$word comp="$word b" apart=1 blocks=2 | bin2txt | head -n 1)" = "# t_ps origins ${word}_$word ${word}_b ${word}_${word}_se ${word}_b_se" ]
    "$MAKE_CORR" corr functions=${word}x >a
    fails 2 bin2txt a
    [[ $output == *"expected names of at most 20 letters in data.functions, found \"${word}x\"" ]]
    many=$(seq -s ' ' 64)
    [ "$("$MAKE_CORR" corr functions="$many" | bin2txt | head -n 1)" = "# t_ps origins $many" ]
    "$MAKE_CORR" corr functions="$many 65" >a
    fails 2 bin2txt a
    [[ $output == *"expected 1 to 64 names in data.functions"* ]]
}

@test "CORR: an integral that the lag spacing changes by more than 1 %, and whose error is 0" {
    # 1, -1, 1, ...: the integral is 0, or 1 with every second lag; equal blocks have no error
    "$MAKE_CORR" corr functions=C f=cos a=4 lags=9 blocks=4 integral=1 | bin2txt 2>said >t
    [ "$(rows <t | tail -n 1)" = "1 4060 1 0 0 0" ]
    [ "$(cat said)" = "bin2txt: warning: the lags are too far apart: up to 1 ps, int_C is 0, but may be wrong by 0.33 (use more closely spaced rows)" ]
}

@test "CORR without dt: the number of the lag, not a time that nobody knows" {
    "$MAKE_CORR" corr dt=0 lags=2 f=one | bin2txt >t
    [ "$(head -n 1 t)" = "# lag origins G G2 G3 G4" ]
    [ "$(rows <t | tail -n 1)" = "1 1000 1 2 -3 2" ]
}

@test "axes carry no noise; every other number reads back exactly" {
    for dt in 0.025 0.0001 0.3 1e-7 0.7 12.1; do
        "$MAKE_CORR" corr dt=$dt lags=900 | bin2txt | rows | cut -d' ' -f1 |
            awk -v dt=$dt '{ want = sprintf("%.9f", (NR - 1) * dt); sub(/0+$/, "", want); sub(/\.$/, "", want)
                if ($0 != want) { print dt, $0, want; bad = 1 } } END { exit bad || NR != 900 }'
    done
    # a step that is not a short decimal is not rounded to a short decimal
    "$MAKE_CORR" corr dt=0.33333333333333331 lags=4 | bin2txt | rows | cut -d' ' -f1 >t
    [ "$(sed -n 4p t)" = 1 ]
    [ "$(sed -n 2p t)" = 0.3333333333333333 ]
    for k in 0 1 2 3; do printf '1\n\nAr 0.1 0.30000000000000004 %s\n' $k; done |
        xyz2bin -q --dt 0.1 --dtype f64 --pbc none | bin2txt | rows | tail -n 1 >t
    [ "$(cat t)" = "3 0.3 0 0.1 0.30000000000000004 3" ]
}

@test "--format: names alone on the first line, then numbers; json has META too; --digits" {
    "$MAKE_CORR" corr lags=2 f=one blocks=2 >c
    bin2txt --format tsv c >t
    [ "$(cat t)" = $'t_ps\torigins\tG\tG2\tG3\tG4\tG_se\tG2_se\tG3_se\tG4_se
0\t2010\t1\t2\t-3\t2\t0\t0\t0\t0
0.125\t2010\t1\t2\t-3\t2\t0\t0\t0\t0' ]
    [ "$(bin2txt --format csv c)" = "$(tr '\t' , <t)" ]
    bin2txt --format json c | python3 -c '
import json, sys
j = json.load(sys.stdin)
assert j["columns"][:3] == ["t_ps", "origins", "G"] and j["data"][1][:4] == [0.125, 2010, 1, 2], j
assert j["meta"]["input"] == "CORR" and j["meta"]["convention"] == "as it comes", j'
    cat c c >two
    fails 2 bin2txt --format csv two -o out.csv
    [ "$output" = "bin2txt: two: expected one table for csv, found several segments (use --format text or json, which can contain several tables)" ]
    [ ! -e out.csv ]
    bin2txt --format json two | python3 -c '
import json, sys
s, d = sys.stdin.read().strip(), json.JSONDecoder()
_, at = d.raw_decode(s)
assert d.raw_decode(s[at:].strip())[0]["data"][0][1] == 2010'
    xyz2bin "$DATA/argon8.xyz" -o a
    [ "$(bin2txt --format csv --digits 3 a | sed -n 2p)" = "0,0,0,21.4,1.24,10.3" ]
    fails 2 bin2txt --digits 18 a
    # a mean over nothing is undefined
    "$MAKE_CORR" hist blocks=1 | bin2txt >/dev/null
}

@test "the tables in pandas, numpy, datamash, Miller and R" {
    g4-cpu --lags 3 --blocks 4 <(xyz2bin --select 0:40 "$DATA/argon256.xyz.gz") -o c
    for f in text tsv csv json; do bin2txt --format $f c >c.$f; done
    want=$(grep -v '^#' c.text | awk '{ s += $3 } END { printf "%.9g", s }')
    tried=0
    if python3 -c 'import pandas' 2>/dev/null; then
        tried=1
        python3 - "$want" <<'PY'
import json, sys
import pandas
a, b, j = pandas.read_csv("c.tsv", sep="\t"), pandas.read_csv("c.csv"), json.load(open("c.json"))
c = pandas.DataFrame(j["data"], columns=j["columns"])
assert a.equals(b) and a.equals(c) and len(a) == 3 and "%.9g" % a["G"].sum() == sys.argv[1]
PY
    else echo "# no pandas: not tried" >&3; fi
    if python3 -c 'import numpy' 2>/dev/null; then
        tried=1
        python3 - "$want" <<'PY'
import sys
import numpy
a, b = numpy.genfromtxt("c.text", names=True), numpy.genfromtxt("c.csv", names=True, delimiter=",")
assert a.dtype.names == b.dtype.names and (a["G"] == b["G"]).all() and "%.9g" % a["G"].sum() == sys.argv[1]
assert (numpy.loadtxt("c.text")[:, 2] == a["G"]).all()
PY
    else echo "# no numpy: not tried" >&3; fi
    if command -v datamash >/dev/null; then
        tried=1
        [ "$(datamash --header-in -R 6 sum G <c.tsv)" = "$(printf %.6f "$want" | sed 's/0*$//; s/\.$//')" ]
    else echo "# no datamash: not tried" >&3; fi
    if command -v mlr >/dev/null; then
        tried=1
        [ "$(mlr --icsv --ojson --ofmt %.9lg stats1 -a sum -f G c.csv | grep -o '[0-9.][0-9.]*')" = "$want" ]
        [ "$(mlr --itsv --onidx --ofmt %.9lg stats1 -a sum -f G c.tsv)" = "$want" ]
    else echo "# no mlr: not tried" >&3; fi
    if command -v Rscript >/dev/null; then
        tried=1
        [ "$(Rscript -e 'cat(sprintf("%.9g", sum(read.csv("c.csv")$G)))')" = "$want" ]
    else echo "# no R: not tried" >&3; fi
    [ $tried = 1 ] || skip "none of pandas, numpy, datamash, Miller and R is here"
}

@test "undefined numbers and names with quotes, in every format" {
    printf '1\nLattice="9 0 0 0 9 0 0 0 9"\nAr 1 2 3\n' | xyz2bin --dt 1 -o one
    rdf-cpu --bins 2 one -o h # of one atom
    [ "$(bin2txt h | tail -n 2 | head -n 1)" = "3.375 0 nan 0" ]
    [ "$(bin2txt --format tsv h | tail -n 1)" = $'3.375\t0\tNaN\t0' ]
    [ "$(bin2txt --format csv h | tail -n 1)" = "3.375,0,NaN,0" ]
    [ "$(bin2txt --format json h | python3 -c 'import json, sys; print(json.load(sys.stdin)["data"][1])')" = "[3.375, 0, None, 0]" ]
    printf 'a"b,c\n1,0.5\n1,2\n' | txt2bin --dt 1 -o q
    [ "$(bin2txt --format csv q | head -n 1)" = 'step,t_ps,"a""b",c' ]
    [ "$(bin2txt --format json q | python3 -c 'import json, sys; print(json.load(sys.stdin)["columns"][2])')" = 'a"b' ]
}

@test "what is no stream is named by what it looks like" {
    fails 2 bin2txt "$DATA/argon8.xyz.zst"
    [[ $output == *"is compressed with zstd (decompress it with 'zstd -dc FILE |'"* ]]
    printf '12:30 the job has started\n' >log
    fails 2 bin2txt log
    [[ $output == *"is text that begins with a number"* ]]
}

@test "text: the end says how many rows and their hash, of every table; a failure has none" {
    "$MAKE_CORR" corr lags=3 >c
    cat c c | bin2txt >t
    [ "$(grep -c '^## end 3 [0-9a-f]\{16\}$' t)" -eq 2 ]
    [ "$(grep '^## end' t | uniq | wc -l)" -eq 1 ]
    "$MAKE_CORR" corr lags=3 f=one | bin2txt | grep '^## end' | grep -vqxf <(grep '^## end' t)
    { cat c; head -c -200 c; } >cut
    fails 2 bin2txt <(cat cut)
    [ "$(grep -c '^# t_ps' <<<"$output")" -ge 1 ]
    [ "$(grep -c '^## end' <<<"$output")" -eq 1 ]
}

@test "HIST: count, g and running coordination number" {
    "$MAKE_CORR" hist | bin2txt >t
    [ "$(head -n 1 t)" = "# r_A count g n g_se" ]
    grep -qx '## input HIST' t
    # counts 10 k + block in two blocks; 8 expected in each; 10 steps, 4 atoms: n = 2 cumulated / 40
    [ "$(rows <t)" = "0.25 1 0.0625 0.05 0.0625
0.75 21 1.3125 1.1 0.0625
1.25 41 2.5625 3.15 0.0625
1.75 61 3.8125 6.2 0.0625" ]
}

@test "HIST: integers are exact beyond 2^53" {
    "$MAKE_CORR" hist huge=1 blocks=1 | bin2txt | rows >t
    [ "$(awk 'NR == 4 { print $2 }' t)" = 9007199254741022 ]
    "$MAKE_CORR" hist huge=1 blocks=1 tweak=1 | bin2txt | rows >t
    [ "$(awk 'NR == 4 { print $2 }' t)" = 9007199254741023 ]
}

@test "HIST: pairs of species have columns of their own, n_A-B counts B around one A" {
    "$MAKE_CORR" hist pairs="A-A A-B" species="A 1 B 3" blocks=1 | bin2txt >t
    [ "$(head -n 1 t)" = "# r_A count_A-A g_A-A n_A-A count_A-B g_A-B n_A-B" ]
    # with 5 steps and 1 atom A, n_A-A = 2 (0 + 10)/5, n_A-B = (1 + 11)/5
    [ "$(rows <t | sed -n 2p)" = "0.75 10 1.25 4 11 1.375 2.4" ]
    fails 0 bash -c "'$MAKE_CORR' hist pairs=all | bin2txt | head -n 1"
    [ "$output" = "# r_A count g n g_se" ]
    "$MAKE_CORR" hist pairs="A-C A-A" species="A 1 B 3" blocks=1 | bin2txt | rows >t
    [ "$(awk 'NR == 1 { print $4 }' t)" = nan ]
}

@test "SPEC: columns as the stream names them" {
    "$MAKE_CORR" spec | bin2txt >t
    [ "$(head -n 1 t)" = "# q_A-1 S" ]
    grep -qx '## input SPEC' t
    [ "$(rows <t)" = "0 1
0.1 0.5
0.2 0.3333333333333333" ]
}

@test "POSN and PAIR: a row an atom or pair, 4- and 8-byte numbers" {
    "$MAKE_CORR" posn steps=2 natoms=2 >p
    [ "$(bin2txt p | head -n 1)" = "# step t_ps atom x_A y_A z_A" ]
    [ "$(bin2txt p | rows)" = "0 0 0 0.001 0.002 0.003
0 0 1 0.004 0.005 0.006
1 0.125 0 1.001 1.002 1.003
1 0.125 1 1.004 1.005 1.006" ]
    [ "$("$MAKE_CORR" posn steps=2 natoms=2 f64=1 | bin2txt | rows)" = "$(bin2txt p | rows)" ]
    [ "$("$MAKE_CORR" posn steps=2 natoms=2 block=1 | bin2txt | rows)" = "$(bin2txt p | rows)" ]
    cp p +p # a name, though it sorts before "-"
    [ "$(bin2txt +p </dev/null | rows)" = "$(bin2txt p | rows)" ]
    "$MAKE_CORR" pair steps=1 natoms=3 comp="xz zz" | bin2txt >t
    [ "$(head -n 1 t)" = "# step t_ps i j beta_xz beta_zz" ]
    grep -qx '## input PAIR' t
    bin2txt p | grep -qx '## input POSN'
    [ "$(rows <t)" = "0 0 0 1 0.001 0.004
0 0 0 2 0.002 0.005
0 0 1 2 0.003 0.006" ]
}

@test "argon: the text of the positions is the text of the XYZ file" {
    xyz2bin --select 0:3 "$DATA/argon256.xyz.gz" | bin2txt | rows | awk '{ print $4 + 0, $5 + 0, $6 + 0 }' >t
    zcat "$DATA/argon256.xyz.gz" | head -n 774 | awk 'NF == 4 && $1 == "Ar" { print $2 + 0, $3 + 0, $4 + 0 }' >x
    [ -s x ]
    cmp t x
}

@test "several segments: two empty lines between them" {
    "$MAKE_CORR" spec segments=3 | bin2txt >t
    [ "$(grep -c '^# q' t)" -eq 3 ]
    [ "$(grep -c '^$' t)" -eq 4 ]
    [ "$(awk '/^$/ { n++; next } n == 2 { print; exit }' t)" = "# q_A-1 S" ]
}

@test "--meta: the META text, nothing else, and a cut stream is still found" {
    "$MAKE_CORR" corr lags=500 >c
    bin2txt --meta c >t
    grep -q "^data.component	xz$" t
    [ "$(grep -vc '	' t)" -eq 0 ]
    head -c 3000 c >cut
    fails 2 bin2txt --meta -o x - <cut
    [ ! -e x ]
}

@test "numpy reads it, names and numbers" {
    for py in python3 /usr/bin/python3 none; do "$py" -c 'import numpy' 2>/dev/null && break; done
    [ $py != none ] || skip "no numpy"
    "$MAKE_CORR" corr f=exp blocks=3 noise=0.1 | bin2txt >t
    $py - <<PY
import numpy as np
a = np.loadtxt("t")
b = np.genfromtxt("t", names=True)
assert a.shape == (8, 10), a.shape
assert b.dtype.names[:3] == ("t_ps", "origins", "G") and b.dtype.names[6] == "G_se", b.dtype.names
assert (a[:, 2] == b["G"]).all()
PY
}

@test "the numbers read back exactly: text and stream compare equal" {
    python3 -c 'pass' || skip "no python3"
    "$MAKE_CORR" corr f=gauss noise=1 lags=300 seed=7 | bin2txt | rows >t
    python3 - <<PY
for line in open("t"):
    for word in line.split():
        if repr(float(word)) != word and float(repr(float(word))) == float(word) and len(word) > len(repr(float(word))) + 2:
            raise SystemExit("longer than needed: " + word)
PY
}

@test "a HIST segment that contradicts itself is refused with the reason" {
    fails 2 bash -c "'$MAKE_CORR' hist rmax=-1 | bin2txt"
    [[ $output == *"stdin: expected data.rmax > 0 and data.bins = 4 in HIST"* ]]
    fails 2 bash -c "'$MAKE_CORR' hist pairs='A-A A-B' natoms=4 rmax=x | bin2txt"
    for n in 2 4; do
        "$MAKE_CORR" hist arrays=$n >h$n
        fails 2 bin2txt h$n -o none
        [ "$output" = "bin2txt: h$n: expected $([ $n = 2 ] && echo "the HIST steps, found the end of the segment" || echo "END after the arrays of the segment, found HIST")" ]
        fails 2 frame-merge h$n -o none
        [ "$output" = "frame-merge: h$n: segment 0: expected $([ $n = 2 ] && echo "3 arrays of results, found 2" || echo "only one set of results in the segment, found a further array (HIST)")" ]
    done
    fails 2 bash -c "'$MAKE_CORR' corr comp='xz xy xz' apart=1 lags=0 | bin2txt"
}

@test "META that was forged under right hashes: a table, or one message and status 2" {
    numpy_python
    xyz2bin -q --select 0:4 "$DATA/argon256.xyz.gz" -o posn
    rdf-cpu -q --bins 7 --blocks 2 posn -o hist
    g4-cpu -q --lags 3 --sum mic posn -o corr
    fft-spectrum -q corr -o spec
    for f in posn hist corr spec; do
        mkdir "$f.d"
        py forge/forge fields "$f" "$f.d"
        for forged in "$f".d/0-META-line-*; do
            run bash -c 'bin2txt -q "$1" 2>&1 >/dev/null' _ "$forged"
            [ "$status" -eq 0 ] || { [ "$status" -eq 2 ] && [ "${#lines[@]}" -eq 1 ]; } || { echo "$forged: $status: $output"; false; }
        done
    done
}
