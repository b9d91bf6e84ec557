#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# rdf2sq: transform and Debye sum, window, errors, small-q slope.
# reads: rdf2sq HIST -q
# rounds: rdf2sq
load ../helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}
rows() { bin2txt "$1" | grep -v '^#'; }
meta() { bin2txt --meta "$2" | sed -n "s/^$1	//p"; }

@test "two atoms: Debye's sum is 1 + sin(qr)/(qr)" {
    printf '2\n\nA 0 0 0\nA 3.0005 0 0\n' | xyz2bin - | rdf-cpu --bins 10000 --rmax 10 -q | rdf2sq --method debye --qmax 20 --qstep 0.5 -o two.spec
    # the pair is in the middle of a bin of 0.001 A: the error of the mean over the bin is (q dr)^2
    # / 24 = 2e-5
    rows two.spec | awk '{ x = $1 * 3.0005; d = $2 - 1 - sin(x) / x; bad += !(d * d <= 4e-10); n++ } END { exit bad || n != 40 }'
}

@test "ideal gas: S = 1 within errors, at small q too" {
    awk "$UNIFORM"'BEGIN { seed(3); for (f = 0; f < 400; f++) { print 100 "\nLattice=\"10 0 0 0 10 0 0 0 10\" Properties=species:S:1:pos:R:3"
        for (i = 0; i < 100; i++) print "X", 10 * uniform(), 10 * uniform(), 10 * uniform() } }' >gas.xyz
    xyz2bin --unsorted-ok gas.xyz | rdf-cpu --bins 100 --rmax corner | rdf2sq --qmax 10 --qstep 0.25 -o gas.spec 2>note
    grep -q 'q below 2 pi / L = 0.6283' note
    near "$(meta data.qmin gas.spec)" 0.62831853 1e-6
    rows gas.spec | awk '{ z = ($2 - 1) / $3; s += z * z; bad += !(z * z <= 25); n++ } END { exit bad || n != 40 || s / n > 3 }'
}

@test "transform and Debye differ by the homogeneous cell, exactly" {
    xyz2bin --select 0:100:20 "$DATA/argon256.xyz.gz" | rdf-cpu --bins 400 -o a.hist
    rdf2sq -q --qmax 6 --qstep 0.3 a.hist -o t.spec
    rdf2sq -q --method debye --qmax 6 --qstep 0.3 a.hist -o d.spec
    # rho' 4 pi int_0^R r^2 sin(qr)/(qr) dr = 4 pi rho' (sin qR - qR cos qR) / q^3 with rho' = 255 /
    # V
    paste <(rows t.spec) <(rows d.spec) | awk '{ q = $1; R = 11.51577; x = q * R
        h = 4 * 3.14159265358979 * 255 / 23.03154 ^ 3 * (sin(x) - x * cos(x)) / q ^ 3
        d = $7 - $2 - h; if (!(d * d <= 1e-16 * (1 + h * h))) { print q, d; bad = 1 } } END { exit bad || NR != 20 }'
}

@test "argon: first peak at 2.0 A^-1; Lorch's window lowers it and takes the ripples away" {
    xyz2bin --select 0:1001:10 "$DATA/argon256.xyz.gz" | rdf-cpu --bins 500 -o a.hist
    rdf2sq -q --qmax 12 a.hist -o plain.spec
    rdf2sq -q --qmax 12 --window lorch a.hist -o lorch.spec
    peak() { rows "$1" | awk '$2 > m { m = $2; q = $1 } END { print q, m }'; }
    read -r q s < <(peak plain.spec)
    near "$q" 2.0 0.1
    read -r _ l < <(peak lorch.spec)
    awk -v s="$s" -v l="$l" 'BEGIN { exit !(l < s && l > 1.5) }'
    [ "$(meta data.window lorch.spec)" = lorch ]
    bin2txt plain.spec | grep -q '^# q_A-1 S S_se S_cut flag$'
}

@test "the end of g(r): S_cut covers what wave vectors tell, negative S is flagged and said, a body without end has none" {
    xyz2bin --select 0:1001:4 "$DATA/argon256.xyz.gz" -o a.mbf
    sq-cpu --qmax 6 --qstep 0.02 a.mbf -o a.sq
    rdf-cpu --bins 500 a.mbf -o a.hist
    for w in none lorch; do
        rdf2sq --window $w --qmax 6 a.hist -o a.spec 2>note
        grep -Eq 'at [0-9]+ of 120 values of q \(flag 2\), S is negative, or the truncation of g\(r\) at rmax may change S by more than half \(use sq-cpu' note
        rows a.spec | awk '($1 < 0.2728) != ($5 % 2) || ($2 < 0 || $4 > $2 / 2) != ($5 >= 2) { print; bad = 1 } $2 < 0 { n++ } END { exit bad || NR != 120 || !n && "'$w'" == "none" }'
        # at the nearest q of the wave vectors, if one is within 0.01
        awk 'NR == FNR { q[NR] = $1; s[NR] = $3; n = NR; next }
            { for (i = 1; i <= n; i++) { d = $1 - q[i]; if (d * d < 1e-4) { e = ($2 - s[i]) / $4; t++; one += e * e < 1; two += e * e < 4 } } }
            END { print one / t, two / t; exit !(t > 60 && one > 0.7 * t && one < t && two > 0.85 * t) }' <(rows a.sq) <(rows a.spec)
    done
    printf '2\n\nA 0 0 0\nA 3.0005 0 0\n' | xyz2bin - | rdf-cpu --bins 1000 --rmax 10 -q | rdf2sq --method debye -o two.spec
    rows two.spec | awk '$3 != 0 || $4 != 0 { bad = 1 } END { exit bad || !NR }'
}

@test "S_cut is for liquids: of a crystal a warning says so, of a liquid and a gas none" {
    warned() { rdf-cpu -q --bins 500 "$1" | rdf2sq --qmax 3 -o x.spec 2>said; grep -c 'g(r) does not decay up to rmax, as in a crystal' said; }
    md-cpu -q --atoms 256 --density 0.025 --temperature 40 --thermostat berendsen:0.5 --equilibrate 1000 --steps 1000 --every 40 -o crystal.mbf
    md-cpu -q --atoms 256 --density 0.001 --temperature 300 --start random --thermostat berendsen:0.5 --equilibrate 1000 --steps 1000 --every 40 -o gas.mbf
    xyz2bin -q --select 0:1001:10 "$DATA/argon256.xyz.gz" -o liquid.mbf
    [ "$(warned crystal.mbf)" -eq 1 ]
    [ "$(warned gas.mbf)" -eq 0 ]
    [ "$(warned liquid.mbf)" -eq 0 ]
}

@test "a plane sheet scatters as q^-2: the fit finds the slope it should" {
    # a square sheet of 60 x 60 atoms, spacing 1: between 1/size and 1/spacing S falls with the
    # fractal dimension, 2
    awk 'BEGIN { print 3600; print ""; for (i = 0; i < 60; i++) for (j = 0; j < 60; j++) print "A", i, j, 0 }' >sheet.xyz
    xyz2bin sheet.xyz | rdf-cpu -q --bins 4000 --rmax 90 | rdf2sq --method debye --qmax 2 --qstep 0.02 --fit 0.3:1.2 -o sheet.spec
    near "$(meta data.fit.slope sheet.spec)" -2 0.15
    xyz2bin sheet.xyz | rdf-cpu -q --bins 4000 --rmax 90 -o sheet.hist
    fails 2 rdf2sq --method debye --fit 0.3:0.31 sheet.hist
    fails 2 rdf2sq --fit 1 sheet.hist
    fails 2 rdf2sq sheet.hist
    [[ $output == *"--method transform needs a cell, but the input has none (use --method debye)"* ]]
}

@test "pairs of species: Ashcroft-Langreth partials add up to the whole" {
    xyz2bin --unsorted-ok "$ROOT/tests/golden/triclinic.xyz" -o t.mbf
    rdf-cpu --rmax 8 --pair all t.mbf | rdf2sq -q -o part.spec
    rdf-cpu --rmax 8 t.mbf | rdf2sq -q -o all.spec
    bin2txt part.spec | grep -q '^# q_A-1 S_B-B S_B-A S_A-A S_B-B_se'
    # 100 B and 200 A: S = x_B S_BB + x_A S_AA + 2 sqrt(x_A x_B) S_AB
    paste <(rows part.spec) <(rows all.spec) | awk '{ s = $2 / 3 + $4 * 2 / 3 + 2 * sqrt(2) / 3 * $3; d = s - $13; bad += !(d * d <= 1e-4) } END { exit bad || !NR }'
}

@test "refuses what is no histogram, and a cut one" {
    xyz2bin "$DATA/argon8.xyz" -o p.mbf
    fails 2 rdf2sq p.mbf
    [[ $output == *"expected a pair histogram (HIST) of rdf-cpu, found POSN"* ]]
    rdf-cpu p.mbf -o h.hist
    head -c 1500 h.hist >cut.hist
    fails 2 rdf2sq cut.hist -o s.spec
    [ ! -e s.spec ]
    fails 2 rdf2sq --qstep 5 --qmax 1 h.hist
    fails 2 rdf2sq --window lorch --method debye h.hist -o s.spec
    [[ $output == "rdf2sq: --window lorch needs --method transform"* ]]
    [ ! -e s.spec ]
    fails 4 rdf2sq --max-mem 1M --qstep 1e-5 h.hist
}
