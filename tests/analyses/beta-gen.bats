# SPDX-License-Identifier: MIT
# sanitize
# beta-gen: values against the formula, components, layout, and what is refused.
# reads: beta-gen POSN

load ../helpers

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit
    xyz2bin "$DATA/argon8.xyz" -o 8.mbf
    xyz2bin --dtype f64 "$DATA/argon8.xyz" -o 8d.mbf
}
setup() { cd "$BATS_FILE_TMPDIR" || exit; }

# values FILE: the numbers of a PAIR stream, one per line, from its bytes (the layout is part of the
# contract)
values() {
    py oracle/pair_values "$1"
}

# formula COMPONENT [CUTOFF [OPEN]]: computes the same from the text, in double. OPEN is the
# non-periodic axis, 1 to 3.
formula() {
    awk -v comp="$1" -v cut="${2:-1e9}" -v open="${3:-0}" 'BEGIN { n = 0 } NF == 4 { x[n] = $2; y[n] = $3; z[n++] = $4 }
        function near(d, axis) { return axis == open ? d : d - 23.03154 * int(d / 23.03154 + (d < 0 ? -0.5 : 0.5)) }
        n == 8 { for (i = 0; i < 8; i++) for (j = i + 1; j < 8; j++) {
            a = near(x[i] - x[j], 1); b = near(y[i] - y[j], 2); c = near(z[i] - z[j], 3); r2 = a * a + b * b + c * c
            f = 3 * 3.4 ^ 3 / (r2 * r2 * sqrt(r2))
            q["xz"] = a * c; q["xy"] = a * b; q["yz"] = b * c; q["xx-yy"] = (a * a - b * b) / 2
            q["zz"] = (2 * c * c - a * a - b * b) / (2 * sqrt(3))
            printf "%.12g\n", (r2 > cut * cut ? 0 : f * q[comp]) } n = 0 }' "$DATA/argon8.xyz"
}

# alike A B RTOL: columns of numbers agree, relative to the largest
alike() {
    paste "$1" "$2" | awk -v t="$3" '{ d = $1 - $2; if (d < 0) d = -d; if (d > e) e = d; m = $2 < 0 ? -$2 : $2; if (m > M) M = m }
        NF != 2 { bad = 1 } END { if (bad || NR == 0 || e > t * M) print "largest deviation " e " of " M; exit bad || NR == 0 || e > t * M }'
}

@test "several species without weights are reported by the programs that compute beta" {
    printf '3\n\nAr 1 2 3\nKr 5 2 3\nAr 1 7 3\n' | xyz2bin --cell 21 --sigma 3.4 -o two.mbf
    want="warning: two.mbf: the input has 2 species (Ar 2, Kr 1), but beta treats all species as equally polarizable (give polarizabilities with --beta-weights, such as Ar=1.64,Kr=2.48, or use --pair, or select one species with frame-cut --species Ar)"
    fails 0 beta-gen two.mbf -o pair.mbf
    [ "$output" = "beta-gen: $want" ]
    fails 0 g4-cpu --lags 1 two.mbf -o out
    [ "$output" = "g4-cpu: $want" ]
    for quiet in "g4-cpu --lags 1 --weights Ar=1.64,Kr=2.48 two.mbf" "beta-gen --pair Ar-Ar two.mbf" "g4-cpu --lags 1 pair.mbf" "g4-cpu -q --lags 1 two.mbf" "rdf-cpu two.mbf"; do
        fails 0 $quiet -o out
        [ -z "$output" ]
    done
    xyz2bin "$DATA/argon8.xyz" -o one.mbf
    fails 0 g4-cpu --lags 1 one.mbf -o out
    [ -z "$output" ]
}

@test "values, all components, f32 and f64, layout [F,C,P]" {
    for c in xz xy yz xx-yy zz; do
        formula $c >want
        beta-gen --sum mic --component $c 8.mbf -o p.mbf
        values p.mbf >got
        [ "$(wc -l <got)" -eq 56 ]
        alike got want 3e-6 # float positions of 23 Å: 1e-6 Å in a distance, times five
        beta-gen --sum mic --component $c 8d.mbf -o p.mbf
        values p.mbf >got
        alike got want 1e-11
    done
    beta-gen --sum mic --component all 8d.mbf -o p.mbf
    { for f in 1 2; do for c in xz xy yz xx-yy zz; do formula $c | awk -v f=$f 'int((NR - 1) / 28) == f - 1'; done; done; } >want
    values p.mbf >got
    alike got want 1e-11
}

@test "along an axis that is not periodic nothing is wrapped, f32 and f64" {
    local periodic=("F T T" "T F T" "T T F")
    for axis in 1 2 3; do
        formula zz 11 $axis >want
        formula zz 11 >wrapped
        run alike wrapped want 1e-3
        [ "$status" -ne 0 ]
        bin2xyz 8d.mbf | sed "s/pbc=\"[^\"]*\"/pbc=\"${periodic[axis - 1]}\"/" >slab.xyz
        for o in "f32 3e-6" "f64 1e-11"; do
            xyz2bin -q --dtype ${o% *} slab.xyz | beta-gen -q --sum mic --cutoff 11 --component zz -o p.mbf
            values p.mbf >got
            alike got want ${o#* }
        done
    done
}

@test "cutoff, prefactor, sigma, dtype" {
    formula xz 9 >want
    beta-gen --cutoff 9 8d.mbf -o p.mbf
    values p.mbf >got
    alike got want 1e-11
    [ "$(grep -cx 0 got)" -eq "$(grep -cx 0 want)" ]
    formula xz | awk '{ printf "%.12g\n", $1 / 3 * 8 }' >want
    beta-gen --sum mic --prefactor 1 --sigma 6.8 8d.mbf -o p.mbf
    values p.mbf >got
    alike got want 1e-11
    beta-gen 8.mbf -o a.mbf
    beta-gen --dtype f32 8d.mbf -o b.mbf
    values a.mbf >a
    values b.mbf >b
    alike a b 3e-6
    beta-gen --dtype f64 8.mbf | frame-check -v | grep -q 'PAIR f64'
    frame-check -v a.mbf | grep -q 'PAIR f32'
}

@test "--dtype: beta of ewald has the error of the type that it is computed in, not of the positions" {
    # positions that both number types can represent exactly
    for type in f32 f64; do
        printf '4\n%s\nAr 1 2 3\nAr 4.25 6.5 8.125\nAr 9 9.5 2\nAr 12.25 3 15.5\n' 'Lattice="17.25 0 0 0 17.25 0 0 0 17.25" Properties=species:S:1:pos:R:3' |
            xyz2bin -q --dtype $type --sigma 3.4 --dt 1 -o 4$type.mbf
        beta-gen --component all --dtype f64 4$type.mbf -o p.mbf
        values p.mbf >$type
    done
    cmp f32 f64
    beta-gen --component all --dtype f32 4f64.mbf -o p.mbf
    values p.mbf >f32
    alike f32 f64 4.3e-5 # 1e-6 of 3/0.729, beta at 0.9 sigma, where the largest is 0.0957
    [ "$(wc -l <f64)" -eq 30 ]
}

@test "same bytes for 1 and 2 threads and any SIMD level" {
    xyz2bin --select 0:30 "$DATA/argon256.xyz.gz" -o 30.mbf
    for o in "" "--component all --cutoff 9" "--dtype f64"; do
        beta-gen $o -t 1 30.mbf -o a.mbf
        beta-gen $o -t 2 30.mbf -o b.mbf
        cmp a.mbf b.mbf
        for v in v2 v3; do
            MBF_SIMD=$v beta-gen $o 30.mbf -o c.mbf
            cmp a.mbf c.mbf
        done
    done
}

@test "META says how the pairs were made; sys.* passes" {
    beta-gen --component all --cutoff 9 8.mbf | frame-check -v >got
    grep -q 'data.component.*xz xy yz xx-yy zz' got
    grep -q 'data.cutoff.*9' got
    grep -q 'data.prefactor.*3' got
    grep -q 'data.sigma.*3.4' got
    grep -q 'sys.natoms.*8' got
}

@test "refused: atoms at one place, no sigma, a cutoff past half the cell, a triclinic cell without one, no positions" {
    awk 'NR == 13 { keep = $0 } NR == 18 { $0 = keep } 1' "$DATA/argon8.xyz" | xyz2bin --unsorted-ok -o same.mbf
    fails 2 beta-gen same.mbf -o x.mbf
    [[ $output == *"frame 1: atoms 0 and 5 (counted from 0) are at the same place"* ]] || { echo "$output"; false; }
    [ ! -e x.mbf ]
    printf '2\n\nA 0 0 0\nA 1 1 1\n' | xyz2bin -o two.mbf
    fails 2 beta-gen two.mbf
    [[ $output == *--sigma* ]]
    beta-gen --sigma 1 two.mbf -o one.mbf
    [ "$(values one.mbf | wc -l)" -eq 1 ]
    fails 2 beta-gen --cutoff 11.6 8.mbf
    printf '2\nLattice="9 0 0 1 9 0 0 0 9"\nA 0 0 0\nA 1 1 1\n' | xyz2bin -o tri.mbf
    fails 2 beta-gen --sum mic --sigma 1 tri.mbf
    [[ $output == *triclinic* ]]
    fails 2 beta-gen one.mbf
    printf '1\n\nA 0 0 0\n' | xyz2bin -o atom.mbf
    fails 2 beta-gen --sigma 1 atom.mbf
}

@test "memory: a table of each thread and the pairs of a block, of an odd number of atoms" {
    xyz2bin -q --cell 23.03154 --select 0:1 "$DATA/argon256.xyz.gz" | frame-cut -q --atoms 0:255 -o odd.mbf
    # 32 threads and a block above 1 MiB hold 41 times 255*254/2 values, which are 5.07 MiB;
    # positions take 0.1 MiB
    beta-gen -q -t 32 --max-mem 5500K odd.mbf -o p.mbf
    fails 4 beta-gen -q -t 32 --max-mem 5190K odd.mbf -o x.mbf
    [[ $output == *'MiB of memory is needed for the pairs of 255 atoms, but the limit is '*' (use a larger --max-mem, or fewer components or --threads)'* ]]
}

@test "two segments in, two segments out" {
    cat 8.mbf 8.mbf | beta-gen -o p.mbf
    frame-check p.mbf
    frame-check -v p.mbf | grep -q '2 segments'
}

@test "bonded atoms are said, by the nearest pair of the first frame or by G2(0); no sample of atoms is" {
    traj2bin "$DATA/formats/water10.xtc" -o water.mbf
    want="water.mbf: frame 0: atoms 6 and 8 (counted from 0) are only 0.916 Å (0.29 sigma) apart: are these bonded atoms, or is sigma in another unit?"
    fails 0 g4-cpu --lags 2 --sigma 3.166 --sum ewald water.mbf -o out
    [[ $output == "g4-cpu: warning: $want"*"(--exclude M excludes them; frame-cut --species NAME or --atoms ::M keeps one atom per molecule; alpha-cpu --model treats whole molecules)" ]] || { echo "$output"; false; }
    fails 0 beta-gen --sigma 3.166 --sum ewald water.mbf -o pair.mbf
    [[ $output == "beta-gen: warning: $want"* ]]
    fails 0 g4-cpu --lags 2 pair.mbf -o out
    [[ $output == "g4-cpu: warning: pair.mbf: G2(0) is unusually large, "*" per atom, compared with 2 for dense argon: are these bonded atoms, or is sigma"* ]]
    # pairs within molecules were requested, so neither program warns, and neither warns about such
    # tables
    frame-cut -q --atoms 0:9 : water.mbf -o nine.mbf
    for p in "g4-cpu --lags 2" beta-gen; do
        fails 0 $p --sigma 3.166 --sum ewald:pairs --within 3 nine.mbf -o within.mbf
        [ -z "$output" ] || { echo "$output"; false; }
        fails 0 $p --sigma 3.166 --sum ewald:pairs nine.mbf -o all.mbf
        [[ $output == *"bonded atoms"* ]]
    done
    fails 0 g4-cpu --lags 2 within.mbf -o out
    [ -z "$output" ] || { echo "$output"; false; }
    # the advice of the message was followed, so there is no message
    frame-cut --atoms 0:9 : water.mbf | g4-cpu --lags 2 --sigma 3.166 --sum ewald --exclude 3 -o out 2>said
    output=$(<said)
    [[ $output != *bonded* ]] || { echo "$output"; false; }
    frame-cut --atoms ::3 : water.mbf -o oxygen.mbf
    fails 0 g4-cpu --lags 2 --sigma 3.166 --sum ewald oxygen.mbf -o out
    [[ $output != *bonded* ]] || { echo "$output"; false; }
    # N2 and CO2: molecule by molecule, 4 A apart on a lattice; and species by species, so that no
    # consecutive atoms are bonded
    for m in "0.55 -0.55" "0 1.16 -1.16"; do
        awk -v m="$m" 'BEGIN { k = split(m, z, " "); print k * 64 "\n"
            for (i = 0; i < 64; i++) for (a = 1; a <= k; a++) print "X", i % 4 * 4 + 0.7 * z[a], int(i / 4) % 4 * 4, int(i / 16) * 4 + 0.7 * z[a] }' >a.xyz
        xyz2bin --cell 16 --sigma 3.4 a.xyz -o a.mbf
        fails 0 g4-cpu --lags 1 --sum ewald a.mbf -o out
        [[ $output == *"frame 0: atoms "*"bonded atoms"* ]] || { echo "$output"; false; }
        { head -n 2 a.xyz; tail -n +3 a.xyz | awk -v m="$m" '{ print NR % split(m, z, " "), $0 }' | sort -s -n | cut -d ' ' -f 2-; } >b.xyz
        xyz2bin --cell 16 --sigma 3.4 b.xyz -o b.mbf
        fails 0 g4-cpu --lags 1 --sum ewald b.mbf -o out
        [[ $output == *"bonded atoms"* ]] || { echo "$output"; false; }
    done
    # a hot gas and liquid, and a crystal
    for o in "--temperature 400 --density 0.002 --start random" "--temperature 400 --density 0.021 --start random" "--temperature 40 --density 0.0265"; do
        md-cpu -q --atoms 108 $o --thermostat berendsen:0.1 --equilibrate 500 --steps 200 --every 20 -o a.mbf
        fails 0 g4-cpu --lags 2 --sum ewald a.mbf -o out
        [[ $output != *bonded* ]] || { echo "$output"; false; }
    done
}
