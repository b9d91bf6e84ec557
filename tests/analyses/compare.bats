# SPDX-License-Identifier: MIT
# sanitize
# compare: 0 they agree, 1 they differ, 2 they cannot be compared.
# writes: compare CORR @CORR

load ../helpers

setup_file() {
    MAKE_CORR=${MAKE_CORR:-$(dirname "$BIN")/tests/unit/make_corr}
    [ -x "$MAKE_CORR" ]
    export MAKE_CORR
}

@test "a stream is identical to itself, whatever the compression, pipe or file" {
    for k in corr hist spec posn pair; do
        "$MAKE_CORR" $k >a
        fails 0 compare a a
        [[ $output == *"identical: the content hashes are equal"* ]]
        "$MAKE_CORR" $k z=6 >z
        fails 0 compare a z
        compare a - <z >/dev/null
        compare - a <z >/dev/null
    done
}

@test "the table: a row a column, points, errors, place, verdict" {
    "$MAKE_CORR" corr f=one >a
    "$MAKE_CORR" corr f=one tweak=400 >b # G4 at the last lag: 2 and 2.4
    run compare a b
    [ "$status" -eq 1 ]
    [ "${lines[0]}" = "# column points max_rel mean_rel max_abs at_t_ps verdict" ]
    [ "${lines[1]}" = "origins 8 0 0 0 - agree" ]
    [ "${lines[2]}" = "G 8 0 0 0 - agree" ]
    [ "${lines[5]}" = "G4 8 0.167 0.0208 0.4 0.875 differ" ]
    [ "${lines[6]}" = "differ: G4 most, at t_ps 0.875; not within the default tolerances (compare(1))" ]
    run compare -q a b
    [ "$status" -eq 1 ]
    [ "${#lines[@]}" -eq 1 ]
}

@test "tolerances: default, --rtol, --atol, strict" {
    "$MAKE_CORR" corr f=one >a
    "$MAKE_CORR" corr f=one tweak=1e-7 >b # 1e-10
    "$MAKE_CORR" corr f=one tweak=1e-2 >c # 1e-5
    fails 0 compare a b
    [[ $output == *"agree: 8 rows within the default tolerances"* ]]
    fails 1 compare a c
    fails 0 compare --rtol 1e-4 a c
    fails 1 compare --rtol 1e-6 a c
    fails 0 compare --atol 1.1e-5 a c
    fails 1 compare --atol 0.9e-5 a c
    fails 1 compare --rtol 0 a b
    fails 1 compare --rtol 1e-12 --atol 0 a b
    fails 2 compare --rtol -1 a b
    fails 2 compare --rtol nan a b
}

@test "--sigma: within so many combined standard errors; columns without errors are not judged" {
    "$MAKE_CORR" corr f=exp blocks=40 noise=0.1 seed=1 >a
    "$MAKE_CORR" corr f=exp blocks=40 noise=0.1 seed=2 >b
    "$MAKE_CORR" corr f=gauss blocks=40 noise=0.1 seed=3 >c
    fails 1 compare a b
    fails 0 compare --sigma 5 a b
    [[ $output == *"origins 8 0 0 0 - - not-judged"* ]]
    [[ $output == *"agree: 8 rows within sigma 5"* ]]
    fails 1 compare --sigma 0.1 a b
    fails 1 compare --sigma 5 a c
    "$MAKE_CORR" corr >d
    fails 2 compare --sigma 5 d d
    [[ $output == *"expected standard errors"* ]]
    "$MAKE_CORR" posn >p
    fails 2 compare --sigma 5 p p
}

@test "two axes and one column are enough, less is status 2; so are counts of another type or shape" {
    numpy_python
    py forge/two_axes
    for f in three corr; do compare $f $f | tail -n 1 | grep -q '^identical'; done
    fails 2 compare two two
    [[ $output == *"expected two axes and a column, found 2 columns"* ]] || { echo "$output"; false; }
    for f in f64 flat deep; do
        fails 2 compare $f $f
        [[ $output == *"expected CORR counts as u64 with 2 dimensions, found CORR of another shape"* ]] || { echo "$output"; false; }
    done
}

@test "counts are compared exactly, beyond 2^53 too, unless a tolerance is given" {
    # the last counts, 2^54 + 81 and 2^54 + 82, are the same as doubles
    "$MAKE_CORR" hist huge=1 bins=5 >a
    "$MAKE_CORR" hist huge=1 bins=5 tweak=1 >b
    fails 1 compare a b
    [[ $output == *"count 5 "*" 1 1.8 differ"*"n 5 0 0 0 - agree"* ]]
    fails 0 compare --rtol 1e-9 --atol 1 a b
}

@test "positions and pair tables: equal to the bit unless a tolerance is given; the place is an atom or a pair" {
    "$MAKE_CORR" posn >a
    "$MAKE_CORR" posn tweak=1e-5 >b
    run compare a b
    [ "$status" -eq 1 ]
    [[ $output == *"z_A 20 "*" 4:3 differ"* ]]
    [[ $output == *"x_A 20 0 0 0 - agree"* ]]
    fails 0 compare --atol 1e-4 a b
    "$MAKE_CORR" pair natoms=5 >c
    "$MAKE_CORR" pair natoms=5 tweak=1 >d
    run compare c d
    [ "$status" -eq 1 ]
    [[ $output == *"beta_xz 50 "*" 4:3-4 differ"* ]]
}

@test "positions: blocks of another size are the same trajectory; 4- and 8-byte numbers within a tolerance" {
    "$MAKE_CORR" posn block=3 >a
    "$MAKE_CORR" posn block=2 >b
    fails 0 compare a b
    [[ $output == *"agree: 5 rows"* ]]
    "$MAKE_CORR" posn f64=1 >c
    fails 1 compare a c
    fails 0 compare --rtol 1e-6 a c
    "$MAKE_CORR" posn cell="9 0 0 0 9 0 0 0 9.5" >d
    fails 1 compare a d
    [[ $output == *"cell_A 45 "*differ* ]]
}

@test "what cannot be compared is status 2, with the reason" {
    "$MAKE_CORR" corr lags=8 >a
    reason() {
        local say=$1
        shift
        fails 2 compare a "$@"
        [[ $output == *"$say"* ]] || { echo "$output"; return 1; }
    }
    "$MAKE_CORR" hist >x; reason "different kinds: CORR and HIST" x
    "$MAKE_CORR" posn >x; reason "expected streams of the same kind, found CORR and POSN" x
    "$MAKE_CORR" corr lags=9 >x; reason "different lengths: 8 and 9 rows" x
    "$MAKE_CORR" corr blocks=2 >x; reason "different columns: column 7 is absent in one result and G_se in the other" x
    "$MAKE_CORR" corr dt=0.1 >x; reason "different axes: t_ps in row 1 is 0.125 in one result and 0.1 in the other" x
    "$MAKE_CORR" corr segments=2 >x; reason "found more in one" x
    "$MAKE_CORR" posn >a
    "$MAKE_CORR" posn steps=6 >x; reason "different lengths: the first stream ends after 5 steps" x
    "$MAKE_CORR" posn natoms=5 >x; reason "different kinds" x
    "$MAKE_CORR" posn dt=0.1 >x; reason "different axes: step 1 is at 0.125 ps in one stream and at 0.1 ps in the other" x
    "$MAKE_CORR" posn start=7 >x; reason "different axes: step 0 in one stream and step 7 in the other" x
    for c in q q,w; do
        printf '2\nLattice="9 0 0 0 9 0 0 0 9" Properties=species:S:1:pos:R:3:q:R:1:w:R:1\nA 1 2 3 4 5\nA 2 3 4 5 6\n' | xyz2bin -q --dt 1 --scalars $c -o $c
    done
    cp q a
    reason "different kinds: POSN of 2 atoms with 4 columns and POSN of 2 atoms with 5 columns" q,w
    cp q,w a
    reason "different kinds: POSN of 2 atoms with 5 columns and POSN of 2 atoms with 4 columns" q
    printf 't a\n0 1\n1 2\n' | txt2bin -q --dt 1 -o a
    printf 't a b\n0 1 2\n1 2 3\n' | txt2bin -q --dt 1 -o x; reason "different kinds: SERI of 0 atoms with 2 columns and SERI of 0 atoms with 3 columns" x
    fails 2 compare a
    fails 2 compare a a a
    fails 2 compare - -
    fails 2 compare a /dev/null
}

@test "correlation functions of other names cannot be compared" {
    "$MAKE_CORR" corr functions="C D" >a
    "$MAKE_CORR" corr functions="C E" >b
    fails 0 compare a a
    fails 2 compare a b
    [[ $output == *"different columns: column 4 is D in one result and E in the other"* ]]
}

@test "damage is status 2, not a verdict; a cut stream is never shorter" {
    "$MAKE_CORR" posn steps=50 >a
    head -c $(($(stat -c %s a) - 256)) a >cut
    fails 2 compare a - <cut
    [[ $output == *TRUNCATED* ]]
    for at in 200 700 3000 5000; do
        cp a bad
        printf '\xa5\x5a' | dd of=bad bs=1 seek=$at conv=notrunc status=none
        fails 2 compare -o verdict bad a
        [ ! -e verdict ]
    done
}

@test "what is not a number never agrees but with the very same; errors that neither has are counted" {
    "$MAKE_CORR" corr tweak=nan >a
    "$MAKE_CORR" corr tweak=nan natoms=7 >other
    fails 1 compare a other
    [[ $output == *"G4 is not a number at 0 points in one stream, at 1 in both"* ]]
    "$MAKE_CORR" corr >b
    fails 1 compare --rtol 1 --atol 1e300 a b
    [[ $output == *"at 1 points in one stream"* ]]
    fails 0 compare a a
    [[ $output == *"G4 agree"* || $output == *"G4 "*" agree"* ]]
    [[ $output == *identical* ]]
}

@test "what is not the same in convention or component is named, with both values" {
    xyz2bin --select 0:12 --cell 22.6 --dt 0.01 "$DATA/argon256.xyz.gz" -o a.mbf 2>/dev/null
    g4-cpu -q --lags 3 a.mbf -o xz
    g4-cpu -q --lags 3 --component xy --sum mic a.mbf -o xy
    g4-cpu -q --lags 3 --blocks 2 a.mbf -o two
    fails 1 compare xz xy
    [[ $output == *"warning: data.component is xz in the first stream and xy in the second stream"* && $output == *"data.sum is "* ]]
    fails 2 compare --rtol 1e-6 xz two # the same, sampled otherwise
    [[ $output != *"warning: data."* ]]
}

@test "the scatter between atoms may differ without a warning: two runs have different keys data.scatter" {
    for k in 0:100 100:200; do
        xyz2bin -q --unsorted-ok --select $k --dt 0.125 --cell 22.6 "$DATA/argon256.xyz.gz" | unwrap -q | msd-cpu -q --lags 20 -o "$k"
        bin2txt --meta $k | grep ^data.scatter >>keys
    done
    [ "$(uniq keys | wc -l)" = 2 ]
    fails 1 compare 0:100 100:200
    [[ $output != *"warning: data."* ]]
}

@test "steps are printed and compared as they are, one segment after the other: undefined numbers, too" {
    "$BIN/../tests/unit/make_frames" nan >n
    cat n n >two
    bin2txt two >t
    [ "$(grep -c '^# step' t)" -eq 2 ]
    [ "$(grep -v '^#' t | grep -c nan)" -eq 2 ]
    fails 0 compare two two
    [ "$(grep -c '^identical.* 3 rows' <<<"$output")" -eq 2 ]
}

@test "several segments are compared one by one" {
    "$MAKE_CORR" corr segments=2 >a
    "$MAKE_CORR" corr >b
    "$MAKE_CORR" corr tweak=1 >c
    cat b c >d
    fails 0 compare a a
    fails 1 compare a d
    [ "$(grep -c '^identical\|^differ' <<<"$output")" -eq 2 ]
    cat c b >d
    fails 1 compare a d
}

@test "argon: a pair table and positions give the same functions" {
    xyz2bin --select 0:30 "$DATA/argon256.xyz.gz" >p
    beta-gen p | g4-cpu --lags 5 >a
    g4-cpu --lags 5 p | compare a -
}

@test "equal content is equal, where numbers are undefined, too: one atom, one atom of a species" {
    printf '1\n\nAr 1 2 3\n1\n\nAr 1 2 4\n' | xyz2bin --cell 23 --dt 1 -o one.mbf
    rdf-cpu one.mbf -o one.hist
    run compare one.hist one.hist
    [ "$status" -eq 0 ]
    [[ $output == *"identical: "* && $output != *differ* ]]
    printf '3\n\nAr 1 2 3\nKr 5 5 5\nKr 9 9 9\n3\n\nAr 1 2 4\nKr 5 5 6\nKr 9 8 9\n' | xyz2bin --cell 23 --dt 1 --unsorted-ok -o two.mbf
    rdf-cpu --pair all two.mbf -o two.hist
    compare two.hist two.hist
}
