#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# sanitize
# sq-cpu (or $SQ), and sq-gpu on an emulated machine: a plain sum over the same vectors, an ideal
# gas, a crystal, partials, cells, merging and refusals.
# reads: sq-cpu POSN --vectors 300
load ../helpers

SQ=${SQ:-sq-cpu}

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}
rows() { bin2txt "$1" | grep -v '^#'; }
meta() { bin2txt --meta "$2" | sed -n "s/^$1	//p"; }

# reference QMAX QSTEP FILE.xyz [SPECIES=WEIGHT...]: q, vectors, S, S_A-A, S_A-B, ... of the
# definition, one step after the other.
reference() {
    py oracle/structure_factor "$@"
}

# like REFERENCE OURS TOL: the columns of the reference equal the first columns of ours.
like() {
    [ "$(wc -l <"$1")" -eq "$(wc -l <"$2")" ]
    [ -s "$1" ]
    paste "$1" "$2" | awk -v c="$(awk '{ print NF; exit }' "$1")" -v t="$3" '{ for (i = 1; i <= c; i++) { d = $i - $(i + c)
        if (!(d * d <= t * t * (1 + $i * $i))) { print "column " i ": " $i " and " $(i + c); exit 1 } } }'
}

# gas N FRAMES EDGE SEED: an ideal gas of two species as extended XYZ, with another edge in every
# frame.
gas() {
    awk -v n="$1" -v frames="$2" -v L="$3" -v s="$4" "$UNIFORM"'BEGIN { seed(s); for (f = 0; f < frames; f++) {
        e = L * (1 + 0.03 * (f % 3)); printf "%d\nLattice=\"%.4f 0 0 0 %.4f 0 0 0 %.4f\" pbc=\"T T T\" Properties=species:S:1:pos:R:3\n", n, e, e, e
        for (i = 0; i < n; i++) printf "%s %.6f %.6f %.6f\n", i % 3 ? "X" : "Y", e * uniform(), e * uniform(), e * uniform() } }'
}

@test "two species in a triclinic cell, weights, partials: the sum of the definition to 1e-10" {
    xyz2bin --unsorted-ok --dtype f64 "$ROOT/tests/golden/triclinic.xyz" -o t.mbf
    "$SQ" --qmax 1.5 --qstep 0.1 --pair A-A --pair A-B --pair B-B --weights A=2,B=-0.5 t.mbf -o t.sq
    reference 1.5 0.1 "$ROOT/tests/golden/triclinic.xyz" A=2 B=-0.5 >want
    rows t.sq >got
    like want got 1e-10
    bin2txt t.sq | grep -q '^# q_A-1 vectors S S_A-A S_A-B S_B-B S_se S_A-A_se S_A-B_se S_B-B_se$'
    [[ $(meta data.convention t.sq) == Ashcroft-Langreth:* ]]
}

@test "a cell that changes with every step: q and shells are those of the step" {
    gas 47 3 9 5 >g.xyz
    xyz2bin --unsorted-ok --dtype f64 g.xyz -o g.mbf
    "$SQ" --qmax 2 --qstep 0.1 --pair X-X --pair X-Y --pair Y-Y g.mbf -o g.sq
    reference 2 0.1 g.xyz >want
    rows g.sq >got
    like want got 1e-10
}

@test "more atoms of one species than are summed at a time, 256: the sum of the definition to 1e-10" {
    for n in 384 386 768 771 1000; do # 256, 257, 512, 514 and 666 atoms of X
        gas $n 2 15 $n >g.xyz
        xyz2bin --unsorted-ok --jumps-ok --dtype f64 g.xyz -o g.mbf
        "$SQ" --qmax 1 --qstep 0.1 --pair X-X --pair X-Y --pair Y-Y g.mbf -o g.sq
        reference 1 0.1 g.xyz >want
        rows g.sq >got
        like want got 1e-10
    done
}

@test "the same bits for any number of threads and any instructions" {
    xyz2bin --select 0:100:10 "$DATA/argon256.xyz.gz" -o a.mbf
    "$SQ" -t 1 --qmax 3 a.mbf -o one
    for t in 2 3 5; do
        "$SQ" -t $t --qmax 3 a.mbf -o many
        cmp one many
    done
    for v in v2 v3; do
        MBF_SIMD=$v "$SQ" --qmax 3 a.mbf -o many
        cmp one many
    done
}

@test "sq-gpu's engine, emulated: the sums of sq-cpu to 1e-12, several tiles, species, steps at once and one by one" {
    emulated sq-gpu
    xyz2bin --unsorted-ok --dtype f64 "$ROOT/tests/golden/triclinic.xyz" -o t.mbf
    gas 300 3 20 5 | xyz2bin --unsorted-ok - -o g.mbf
    for o in "--qmax 1.5 --qstep 0.1 --pair all --weights A=2,B=-0.5 t.mbf" "--qmax 3 --pair all g.mbf" "--qmax 12 --vectors 3000 --max-mem 32M g.mbf"; do
        # shellcheck disable=SC2086
        sq-cpu $o -o cpu.sq
        # shellcheck disable=SC2086
        "$EMU" $o -o gpu.sq
        compare -q --rtol 1e-12 --atol 1e-12 cpu.sq gpu.sq || { compare cpu.sq gpu.sq; false; }
    done
    # shellcheck disable=SC2086
    "$EMU" $o -o again.sq
    cmp gpu.sq again.sq
    fails 4 "$EMU" --max-mem 300K g.mbf -o x
    [[ $output == *"wave vectors, but the limit is 300 KiB"* ]]
}

@test "ideal gas: S = 1, partials 1 and 0, in both conventions within errors" {
    gas 90 200 12 7 | xyz2bin --unsorted-ok - -o gas.mbf
    "$SQ" --qmax 3 --qstep 0.25 --pair all gas.mbf -o al.sq
    "$SQ" --qmax 3 --qstep 0.25 --pair all --weights X=1,Y=3 --convention faber-ziman gas.mbf -o fz.sq
    # columns: q, vectors, S, Y-Y, Y-X, X-X, then their errors
    rows al.sq | awk '{ split("1 1 0 1", e, " "); for (i = 1; i <= 4; i++) { z = ($(2 + i) - e[i]) / $(6 + i); s += z * z; n++; bad += !(z * z <= 25) } }
        END { exit !(!bad && n >= 40 && s / n < 2) }'
    rows fz.sq | awk '{ for (i = 1; i <= 4; i++) { z = ($(2 + i) - 1) / $(6 + i); s += z * z; n++; bad += !(z * z <= 25) } } END { exit !(!bad && n >= 40 && s / n < 2) }'
    [[ $(meta data.convention fz.sq) == Faber-Ziman:* ]]
}

@test "a simple cubic crystal: S is N at reciprocal vectors and 0 elsewhere" {
    awk 'BEGIN { print 216; print "Lattice=\"12 0 0 0 12 0 0 0 12\" pbc=\"T T T\""; for (i = 0; i < 216; i++) print "A", 2 * (i % 6) + 0.3, 2 * (int(i / 6) % 6), 2 * int(i / 36) }' >c.xyz
    # shells so thin that each has a single |q|, 2 pi / 12 sqrt(m); Bragg peak at m = 36 (6 of 30
    # vectors, 3 of 15 in the half space), where 6 0 0 and 4 4 2 coincide
    xyz2bin --dtype f64 c.xyz | "$SQ" --qmax 3.2 --qstep 0.001 -o c.sq
    rows c.sq | awk '{ m = ($1 * 12 / 6.283185307179586) ^ 2; m = int(m + 0.5); want = m == 36 ? 216 * 3 / $2 : 0; d = $3 - want; n += m == 36
        if (!(d * d <= 1e-18)) { print m, $2, $3; bad = 1 } } END { exit bad || n != 1 }'
}

@test "partials add up to the whole; a shift of all atoms changes nothing" {
    gas 100 4 10 3 >g.xyz
    xyz2bin --unsorted-ok --dtype f64 g.xyz -o g.mbf
    "$SQ" --qmax 3 --qstep 0.2 --pair all g.mbf -o part.sq
    "$SQ" --qmax 3 --qstep 0.2 g.mbf -o all.sq
    # 34 Y, 66 X
    paste <(rows part.sq) <(rows all.sq) | awk '{ s = 0.34 * $4 + 0.66 * $6 + 2 * sqrt(0.34 * 0.66) * $5; d = s - $13; e = $3 - $13
        if (!(d * d <= 1e-24 && e * e <= 1e-24)) { print s, $13; bad = 1 } } END { exit bad || !NR }'
    awk 'NF == 4 && $1 ~ /^[XY]$/ { $0 = sprintf("%s %.6f %.6f %.6f", $1, $2 + 3.21, $3 - 47.5, $4 + 8.125) } 1' g.xyz | xyz2bin --unsorted-ok --dtype f64 - | "$SQ" --qmax 3 --qstep 0.2 --pair all -o moved.sq
    compare -q --rtol 1e-9 --atol 1e-9 part.sq moved.sq
}

@test "form factors: a table of one value is a weight, a slope is followed, and what is missing is said" {
    xyz2bin --unsorted-ok --dtype f64 "$ROOT/tests/golden/triclinic.xyz" -o t.mbf
    "$SQ" --qmax 1.5 --qstep 0.1 --weights A=2,B=1 t.mbf -o w.sq
    printf '# q A B\n0 2 1\n0.7 2 1\n2 2 1\n' >flat.txt
    "$SQ" --qmax 1.5 --qstep 0.1 --form-factor flat.txt t.mbf -o f.sq
    compare -q --rtol 1e-14 w.sq f.sq
    # f_A = 2 + q, f_B = 0: S is S_A-A for any slope
    printf '# q A B\n0 2 0\n3 5 0\n' >slope.txt
    "$SQ" --qmax 1.5 --qstep 0.1 --pair A-A --form-factor slope.txt t.mbf -o s.sq
    rows s.sq | awk '{ d = $3 - $4; bad += !(d * d <= 1e-24); n++ } END { exit bad || n < 5 }'
    # f_A = q and f_B = 1, with one |q| per shell: the weight is that of the row
    printf '# q A B\n0 0 1\n3 3 1\n' >line.txt
    "$SQ" --qmax 1.5 --qstep 0.0001 --form-factor line.txt t.mbf -o line.sq
    q=$(rows line.sq | awk 'NR == 3 { print $1 }')
    "$SQ" --qmax 1.5 --qstep 0.0001 --weights "A=$q,B=1" t.mbf -o point.sq
    near "$(rows line.sq | awk 'NR == 3 { print $3 }')" "$(rows point.sq | awk 'NR == 3 { print $3 }')" 1e-4
    # a table that ends at q of the wave vectors, 2 pi/8
    printf '2\nLattice="8 0 0 0 8 0 0 0 8" Properties=species:S:1:pos:R:3\nA 0 0 0\nB 1 2 3\n' | xyz2bin -q --dtype f64 -o end.mbf
    printf '# q A B\n0 1 1\n0.5 1 1\n0.78539816339744828 2 3\n' >end.txt
    "$SQ" --qmax 1 --qstep 0.1 --weights A=2,B=3 end.mbf -o w.sq
    "$SQ" --qmax 1 --qstep 0.1 --form-factor end.txt end.mbf -o f.sq
    compare -q --rtol 1e-14 w.sq f.sq
    fails 2 "$SQ" --weights A=1 t.mbf
    [[ $output == *"expected a weight for every species, found none for B"* ]]
    fails 2 "$SQ" --weights A=1,B=1,C=1 t.mbf
    [[ $output == *"expected a weight only for species of the input, found one for "* ]]
    fails 2 "$SQ" --qmax 4 --form-factor slope.txt t.mbf
    [[ $output == *"--form-factor: the table covers q from 0 to 3 1/A, but a wave vector has q ="* ]]
    printf '# q A B\n0 1 1\n2 1 1\n1.5 1 1\n' >back.txt
    fails 2 "$SQ" --qmax 1 --form-factor back.txt t.mbf
    [[ $output == *"back.txt: line 4: expected ascending q, found 1.5 after 2"* ]]
    fails 2 "$SQ" --weights A=1,B=1 --form-factor slope.txt t.mbf
    fails 2 "$SQ" --convention faber-ziman --weights A=1,B=-2 t.mbf
    fails 2 "$SQ" --weights A t.mbf
    fails 2 "$SQ" --weights A=1,B=1,A=2 t.mbf
    [[ $output == *"--weights: expected each species once, found A twice"* ]]
}

@test "shards merge to the whole, and another choice of shells does not" {
    xyz2bin --select 0:60 "$DATA/argon256.xyz.gz" -o a.mbf
    "$SQ" --qmax 2.5 --blocks 60 a.mbf -o whole.sq
    for k in 0 20 40; do
        frame-cut $k:$((k + 20)) a.mbf | "$SQ" --qmax 2.5 --blocks 20 -o $k.sq
    done
    frame-merge 0.sq 20.sq 40.sq -o merged.sq
    compare -q --rtol 1e-13 whole.sq merged.sq
    "$SQ" --qmax 2.5 --blocks 60 --vectors 100 a.mbf -o other.sq
    fails 2 frame-merge whole.sq other.sq -o none
    fails 2 fft-spectrum whole.sq -o none
    [[ $output == *"expected functions of time, found functions of q_A-1"* ]]
}

@test "argon: 0.048 at q = 0.273 and a first peak of 2.60, where the transform of g(r) has 0.233 and 2.37" {
    xyz2bin "$DATA/argon256.xyz.gz" -o a.mbf
    "$SQ" --qmax 2.5 --qstep 0.01 --blocks 10 a.mbf -o a.sq
    rows a.sq >r
    near "$(awk 'NR == 1 { print $1 }' r)" 0.272808 1e-5
    near "$(awk 'NR == 1 { print $3 }' r)" 0.048 0.004
    near "$(awk '$3 > m { m = $3 } END { print m }' r)" 2.60 0.05
}

@test "more vectors than are wanted: the same choice every time, from every shell, and no bias" {
    xyz2bin --select 0:1001:20 "$DATA/argon256.xyz.gz" -o a.mbf
    "$SQ" --qmax 3 --qstep 0.1 --vectors 1000000 a.mbf -o all.sq
    "$SQ" -v --qmax 3 --qstep 0.1 --vectors 600 a.mbf -o some.sq 2>note
    grep -Eq '(5[0-9][0-9]|600) of 2[0-9]+ wave vectors' note
    # 51 steps, 600 vectors over 28 shells: all of a small shell, at most 40 of a large shell
    [ "$(rows some.sq | wc -l)" -eq "$(rows all.sq | wc -l)" ]
    paste <(rows all.sq) <(rows some.sq) | awk '{ c = $6 / 51; bad += !(c <= 40 && c <= $2 / 51 && $6 <= 51 * 600)
        z = ($3 - $7) / sqrt($4 ^ 2 + $8 ^ 2 + 1e-6); s += z * z; n++ } END { exit !(!bad && n > 20 && s / n < 3) }'
    "$SQ" --qmax 3 --qstep 0.1 --vectors 600 a.mbf -o again.sq
    cmp some.sq again.sq
}

@test "refuses what has no wave vectors, and what does not fit" {
    printf '2\n\nA 0 0 0\nA 3 0 0\n' | xyz2bin - -o free.mbf
    fails 2 "$SQ" free.mbf -o x
    [[ $output == *"frame 0: expected a cell that is periodic along all three vectors, found no cell"* ]]
    printf '2\nLattice="9 0 0 0 9 0 0 0 9" pbc="T T F"\nA 0 0 0\nA 3 0 0\n' | xyz2bin - -o slab.mbf
    fails 2 "$SQ" slab.mbf -o x
    [[ $output == *"found a cell that is not"* ]]
    [ ! -e x ]
    printf '2\nLattice="9 0 0 0 9 0 0 0 9" pbc="T T T"\nA 0 0 0\nA 3 0 0\n' | xyz2bin - -o ok.mbf
    "$SQ" --qmax 2 ok.mbf -o ok.sq
    fails 2 "$SQ" --qmax 0.5 ok.mbf -o x
    [[ $output == *"expected a wave vector below q = 0.5 1/A, found none (raise --qmax)"* ]]
    fails 2 "$SQ" --qmax 9000 --qstep 1 ok.mbf -o x
    [[ $output == *"reduce --qmax"* ]]
    fails 4 "$SQ" --qmax 100 --vectors 1000000 --max-mem 1M ok.mbf -o x
    [[ $output == *"MiB (use a larger --max-mem"* ]]
    fails 2 "$SQ" --blocks 2 ok.mbf -o x
    fails 2 "$SQ" --pair A-B ok.mbf -o x
    fails 2 "$SQ" --qstep 5 ok.mbf -o x
}

@test "shares are the bits of the one run" {
    argon_gas 64 200
    sharing 16 7 "$SQ" gas.mbf --qmax 2
    sharing 3 1 "$SQ" gas.mbf --qmax 2 --blocks 7
}
