# SPDX-License-Identifier: MIT
# sanitize
# bin2txt: every kind of stream as columns that others read.
# reads: bin2txt POSN

load helpers

setup_file() {
    MAKE_CORR=${MAKE_CORR:-$(dirname "$BIN")/tests/unit/make_corr}
    [ -x "$MAKE_CORR" ]
    export MAKE_CORR
}

# rows: the numbers alone
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
    # the legend is line 1, then ## lines, then numbers only
    [ "$(awk '{ print NR == 1 ? "l" : /^## [a-z]/ ? "k" : /^[-0-9.e+ ]+$/ ? "n" : "?" }' t | uniq | tr -d '\n')" = lkn ]
}

@test "CORR: one block has no errors; components apart have columns of their own" {
    run bash -c "'$MAKE_CORR' corr | bin2txt | head -n 1"
    [ "$output" = "# t_ps origins G G2 G3 G4" ]
    run bash -c "'$MAKE_CORR' corr comp='xz xx-yy' apart=1 | bin2txt | head -n 1"
    [ "$output" = "# t_ps origins G_xz G2_xz G3_xz G4_xz G_xx-yy G2_xx-yy G3_xx-yy G4_xx-yy" ]
    # averaged: components are f and 2f
    "$MAKE_CORR" corr comp='xz xy' f=one lags=1 | bin2txt | rows >t
    [ "$(cat t)" = "0 1000 1.5 3 -4.5 3" ]
}

@test "CORR: columns are the functions that the stream names, 1 to 64 of them" {
    run bash -c "'$MAKE_CORR' corr functions='msd C' blocks=2 lags=1 f=one | bin2txt | grep -v '^##'"
    [ "$output" = "# t_ps origins msd C msd_se C_se
0 2010 1 2 0 0" ]
    run bash -c "'$MAKE_CORR' corr functions=C comp='a b c' apart=1 | bin2txt | head -n 1"
    [ "$output" = "# t_ps origins C_a C_b C_c" ]
    many=$(seq -s ' ' 64)
    [ "$("$MAKE_CORR" corr functions="$many" | bin2txt | head -n 1)" = "# t_ps origins $many" ]
    "$MAKE_CORR" corr functions="$many 65" >a
    fails 2 bin2txt a
    [[ $output == *"1 to 64 names expected in data.functions"* ]]
}

@test "CORR without dt: times are nan, and only they" {
    "$MAKE_CORR" corr dt=0 lags=2 f=one | bin2txt | rows >t
    [ "$(tail -n 1 t)" = "nan 1000 1 2 -3 2" ]
}

@test "HIST: count, g and running coordination number" {
    "$MAKE_CORR" hist | bin2txt >t
    [ "$(head -n 1 t)" = "# r_A count g n g_se" ]
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
    # 5 steps, 1 atom A: n_A-A = 2 (0 + 10)/5, n_A-B = (1 + 11)/5
    [ "$(rows <t | sed -n 2p)" = "0.75 10 1.25 4 11 1.375 2.4" ]
    run bash -c "'$MAKE_CORR' hist pairs=all | bin2txt | head -n 1"
    [ "$output" = "# r_A count g n g_se" ]
    "$MAKE_CORR" hist pairs="A-C A-A" species="A 1 B 3" blocks=1 | bin2txt | rows >t
    [ "$(awk 'NR == 1 { print $4 }' t)" = nan ]
}

@test "SPEC: columns as the stream names them" {
    "$MAKE_CORR" spec | bin2txt >t
    [ "$(head -n 1 t)" = "# q_A-1 S" ]
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
    "$MAKE_CORR" pair steps=1 natoms=3 comp="xz zz" | bin2txt >t
    [ "$(head -n 1 t)" = "# step t_ps i j beta_xz beta_zz" ]
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
    [[ $output == *"stdin: data.rmax > 0 and data.bins = 4 expected"* ]]
    fails 2 bash -c "'$MAKE_CORR' hist pairs='A-A A-B' natoms=4 rmax=x | bin2txt"
    fails 2 bash -c "'$MAKE_CORR' corr comp='xz xy xz' apart=1 lags=0 | bin2txt"
}
