#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# rdf-cpu (or $RDF): exact counts, normalisation, blocks, species, and refusals.
# reads: rdf-cpu POSN
# rounds: rdf-cpu
load ../helpers

RDF=${RDF:-rdf-cpu}
GOLD=$ROOT/tests/golden

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

# column NAME FILE: one column of a HIST or SPEC stream, without the legend.
column() {
    bin2txt "$2" | awk -v want="$1" -v none="no $1: $BASHPID" '/^# /{ for (i = 2; i <= NF; i++) if ($i == want) c = i - 1; next } /^#/{ next } c { n++; print $c } END { if (!n) print none }'
}
# gas N FRAMES EDGE SEED: an ideal gas as extended XYZ.
gas() {
    awk -v n="$1" -v frames="$2" -v L="$3" -v s="$4" "$UNIFORM"'BEGIN { seed(s); for (f = 0; f < frames; f++) {
        printf "%d\nLattice=\"%s 0 0 0 %s 0 0 0 %s\" Properties=species:S:1:pos:R:3\n", n, L, L, L
        for (i = 0; i < n; i++) printf "X %.6f %.6f %.6f\n", L * uniform(), L * uniform(), L * uniform() } }'
}
argon() { xyz2bin --unsorted-ok --select "${1:-0:1001:100}" "$DATA/argon256.xyz.gz" -o "${2:-argon.mbf}"; }

# moved GOLDEN COUNTS: the sum of differences, and whether all differences are single pairs that
# moved to the next bin.
moved() {
    paste "$1" "$2" | awk '{ run += $2 - $3; m += run < 0 ? -run : run; if (run > 1 || run < -1) bad = 1 }
        END { print m + 0, run + 0, bad + 0 }'
}

@test "--blocks makes blocks of equally many steps" {
    for n in 400 401 1000; do
        gas 10 "$n" 9 1 | xyz2bin -q --unsorted-ok | "$RDF" --bins 4 --blocks 4 -o blocks.mbf
        py oracle/block_steps blocks.mbf "$n"
    done
}

@test "a length in nm is said" {
    xyz2bin --select 0:3 "$DATA/argon256.xyz.gz" -o nm.mbf
    run "$RDF" --rmax 1.1 nm.mbf -o out
    [ "$status" -eq 0 ]
    [ "$output" = "rdf-${RDF##*-}: warning: --rmax 1.1 is in Å, which is unusually small (if you mean nm, give 11)" ]
    for ok in 2.6 half corner; do
        fails 0 "$RDF" --rmax $ok nm.mbf -o out
        [ -z "$output" ]
    done
    for p in beta-gen "g4-cpu --lags 1"; do
        fails 0 $p --sigma 0.34 --cutoff 1.1 nm.mbf -o out
        [ "${lines[0]}" = "${p%% *}: warning: --sigma 0.34 is in Å, which is unusually small (if you mean nm, give 3.4)" ]
        [ "${lines[1]}" = "${p%% *}: warning: --cutoff 1.1 is in Å, which is unusually small (if you mean nm, give 11)" ]
    done
}

@test "MDAnalysis counts the same pairs of argon, but for distances within rounding of a bin edge" {
    argon
    "$RDF" --bins 230 --rmax 11.5 argon.mbf -o argon.hist
    column count argon.hist >ours
    [ "$(wc -l <ours)" -eq 230 ]
    read -r pairs lost bad < <(moved "$GOLD/mdanalysis-argon.txt" ours)
    # a pair moves by one bin only if its distance is within 1e-5 A of an edge; this is the number
    # of such pairs (make-mdanalysis.py)
    near=$(awk '$1 == "argon" { print $2 }' "$GOLD/mdanalysis-near.txt")
    echo "$pairs pairs in the bin beside, of $near within 1e-5 A of an edge; lost $lost"
    [ "$pairs" -le "$near" ]
    [ "$pairs" -le 4 ]
    [ "$lost" -eq 0 ]
    [ "$bad" -eq 0 ]
}

@test "MDAnalysis counts the same pairs of species in a triclinic cell" {
    xyz2bin --unsorted-ok "$GOLD/triclinic.xyz" | "$RDF" --bins 160 --rmax 8 --pair A-A --pair A-B --pair B-B -o t.hist
    for q in A-A A-B B-B; do
        column "count_$q" t.hist >ours
        read -r pairs lost bad < <(moved "$GOLD/mdanalysis-triclinic-${q/-/}.txt" ours)
        echo "$q: $pairs moved, $lost lost"
        [ "$pairs" -le 2 ]
        [ "$lost" -eq 0 ]
        [ "$bad" -eq 0 ]
    done
}

@test "two atoms: one pair, in the right bin, through a face too" {
    printf '2\nLattice="10 0 0 0 10 0 0 0 10" Properties=species:S:1:pos:R:3\nA 0.5 5 5\nA 8.75 5 5\n' >two.xyz
    xyz2bin two.xyz | "$RDF" --bins 10 -o two.hist
    [ "$(column count two.hist | tr '\n' ' ')" = "0 0 0 1 0 0 0 0 0 0 " ]
    # n is one neighbour each; g is 1 pair over the fraction of the cell in the shell
    [ "$(column n two.hist | tail -1)" = 1 ]
    near "$(column g two.hist | sed -n 4p)" "$(awk 'BEGIN { printf "%.15g", 1000 / (4 / 3 * 3.14159265358979 * (8 - 3.375)) }')" 1e-9
}

@test "all pairs and cells, any SIMD level, any number of threads: the same integers" {
    argon 0:3
    for rmax in 3.9 half corner; do
        "$RDF" --bins 300 --rmax $rmax --algorithm all-pairs -t 1 argon.mbf -o a.hist
        "$RDF" --bins 300 --rmax $rmax --algorithm cells -t 2 argon.mbf -o b.hist
        compare --rtol 0 a.hist b.hist
        for level in v2 v3; do
            MBF_SIMD=$level "$RDF" --bins 300 --rmax $rmax argon.mbf -o c.hist
            compare --rtol 0 a.hist c.hist
        done
    done
}

@test "rdf-cpu and the engine under test agree bit for bit" {
    argon 0:1001:10
    for dtype in f32 f64; do
        xyz2bin --dtype $dtype --select 0:40 "$DATA/argon256.xyz.gz" -o p.mbf
        for opts in "--rmax half" "--rmax corner --pair all" "-t 1 --rmax 5 --algorithm cells"; do
            "$RDF" --bins 400 $opts p.mbf -o a.hist
            rdf-cpu --bins 400 $opts p.mbf | compare --rtol 0 a.hist -
        done
    done
}

# excess FILE MAXR: pairs counted over pairs expected up to MAXR and its standard error
# sqrt(count)/expected
excess() { bin2txt "$1" | awk -v top="$2" '!/^#/ && $1 < top && $3 > 0 { c += $2; e += $2 / $3 } END { print c / e, sqrt(c) / e }'; }

@test "ideal gas, N = 20 and 2000: g = 1 to the corner, no (N-1)/N dip" {
    gas 20 3000 10 11 | xyz2bin --unsorted-ok - | "$RDF" --bins 60 --rmax corner -o few.hist
    gas 2000 12 30 12 | xyz2bin --unsorted-ok - | "$RDF" --bins 60 --rmax corner -o many.hist
    for f in few many; do
        # each bin within 5 standard errors (60 bins: one in 30,000 such tests fails by chance),
        # where any pairs are expected
        bin2txt $f.hist | awk '!/^#/ && $2 >= 25 { n++; z = ($3 - 1) * sqrt($2); if (z * z > 25) { bad++; print } }
            END { print n " bins checked"; exit bad > 0 || n < 55 }'
    done
    read -r g se < <(excess few.hist 5)
    near "$g" 1 "$(awk -v s="$se" 'BEGIN { print 4 * s }')"
    # the test is sensitive: (N-1)/N = 0.95 would be far outside
    awk -v s="$se" 'BEGIN { exit !(4 * s < 0.02) }'
    gas 20 3000 10 11 | xyz2bin --unsorted-ok - | "$RDF" --bins 60 --normalisation lecture -o lecture.hist
    read -r g se < <(excess lecture.hist 5)
    near "$g" 0.95 "$(awk -v s="$se" 'BEGIN { print 4 * s }')"
}

@test "a cell that is not periodic everywhere: an ideal gas in a box still has g = 1" {
    gas 50 400 10 5 | sed 's/pos:R:3/pos:R:3 pbc="T F F"/' | xyz2bin --unsorted-ok - | "$RDF" --bins 40 --rmax corner -o wall.hist
    bin2txt wall.hist | awk '!/^#/ && $2 >= 25 { n++; z = ($3 - 1) * sqrt($2); if (z * z > 25) { bad++; print } }
        END { print n " bins"; exit bad > 0 || n < 30 }'
}

@test "an oblique slab: an ideal gas has g = 1; periodic along one axis it has counts alone" {
    slab() { # PBC: an ideal gas in a leaning cell
        py forge/leaning_gas "$1"
    }
    for pbc in "T T F" "F T T"; do
        slab "$pbc" | xyz2bin -q --unsorted-ok - | "$RDF" --bins 20 --rmax half -o slab.hist
        bin2txt slab.hist | awk '!/^#/ && $2 >= 25 { n++; z = ($3 - 1) * sqrt($2); if (z * z > 25) { bad++; print } }
            END { print n " bins"; exit bad > 0 || n < 15 }'
    done
    slab "F F T" | xyz2bin -q --unsorted-ok - >rod.mbf
    "$RDF" --bins 20 --rmax 4 rod.mbf -o rod.hist 2>said
    grep -q "the cell is oblique and periodic along fewer than two axes. Only counts and n are computed" said
    bin2txt rod.hist | awk '!/^#/ && $2 > 0 { n++; bad += $3 != "nan" } END { exit bad > 0 || n < 10 }'
}

@test "at the corner every pair is counted; beyond it nothing is" {
    argon 0:10
    "$RDF" --rmax corner --bins 777 argon.mbf -o c.hist
    [ "$(column count c.hist | awk '{ s += $1 } END { print s }')" -eq $((10 * 256 * 255 / 2)) ]
    "$RDF" --rmax 25 --bins 100 argon.mbf -o d.hist 2>note
    grep -q "exceeds the largest possible distance, 19.9459 A" note
    [ "$(column count d.hist | awk '{ s += $1 } END { print s }')" -eq $((10 * 256 * 255 / 2)) ]
    [ "$(column g d.hist | tail -1)" = nan ]
    "$RDF" --bins 1 --rmax corner argon.mbf | bin2txt | grep -v '^#' | tail -n 1 | cut -d ' ' -f 2,3 | grep -qx '326400 1'
}

@test "species: partial counts add up to all, either order of names" {
    xyz2bin --unsorted-ok "$GOLD/triclinic.xyz" -o t.mbf
    "$RDF" --rmax 8 --pair all t.mbf -o all.hist
    "$RDF" --rmax 8 --pair A-B t.mbf -o ab.hist
    "$RDF" --rmax 8 t.mbf -o total.hist
    bin2txt all.hist | grep -q '^# r_A count_B-B g_B-B n_B-B count_B-A g_B-A n_B-A count_A-A'
    diff <(column count_B-A all.hist) <(column count_A-B ab.hist)
    diff <(bin2txt all.hist | awk '!/^#/ { print $2 + $5 + $8 }') <(column count total.hist)
    fails 2 "$RDF" --rmax 8 --pair A-C t.mbf
    [[ $output == *"expected two of the species B A joined by a dash, found A-C"* ]]
    # shellcheck disable=SC2046
    fails 2 "$RDF" --rmax 8 $(printf -- '--pair A-B %.0s' {1..257}) t.mbf
    [[ $output == *"at most 256 pairs"* ]]
    fails 2 "$RDF" --rmax 8 --pair A-B --pair B-A t.mbf
}

@test "blocks: errors from two steps on, equal however the stream is cut; runs merge" {
    argon 0:1001:7
    "$RDF" argon.mbf -o all.hist
    bin2txt all.hist | grep -q '^## blocks 72$' # 143 steps: blocks of 2
    "$RDF" --blocks 5 argon.mbf | bin2txt --meta >/dev/null
    [ "$("$RDF" --blocks 5 argon.mbf | bin2txt | sed -n 's/^## blocks //p')" = 5 ]
    xyz2bin --select 0:1001:7 "$DATA/argon256.xyz.gz" | frame-cut 0:143:1 | "$RDF" | compare --rtol 0 all.hist -
    frame-cut 0:60 argon.mbf | "$RDF" -o one.hist
    frame-cut 60:143 argon.mbf | "$RDF" -o two.hist
    frame-merge one.hist two.hist -o both.hist
    diff <(column count all.hist) <(column count both.hist)
    paste <(column g all.hist) <(column g both.hist) | awk '{ d = $1 - $2; bad += !(d * d <= 1e-24) } END { exit bad || !NR }'
    fails 2 "$RDF" --blocks 4 <(frame-cut 0:3 argon.mbf)
    [[ $output == *"found 4 blocks and 3 steps"* ]]
    frame-cut 0:1 argon.mbf | "$RDF" | bin2txt | grep -q '^# r_A count g n$'
    "$RDF" --bins 100 argon.mbf -o other.hist
    fails 2 frame-merge all.hist other.hist
}

@test "a cell that changes: pairs expected are those of each frame" {
    gas 100 1 10 1 >a.xyz # once each: some awks do not repeat a seed
    gas 100 1 11 2 >b.xyz
    cat a.xyz b.xyz >npt.xyz
    xyz2bin --unsorted-ok npt.xyz | "$RDF" --rmax 5 --bins 20 -o npt.hist
    xyz2bin a.xyz | "$RDF" --rmax 5 --bins 20 -o a.hist
    xyz2bin b.xyz | "$RDF" --rmax 5 --bins 20 -o b.hist
    paste <(column count npt.hist) <(column g npt.hist) <(column count a.hist) <(column g a.hist) <(column count b.hist) <(column g b.hist) |
        awk '$1 != $3 + $5 { bad = 1 } $3 > 0 && $5 > 0 { e = $3 / $4 + $5 / $6; d = $2 * e / $1 - 1; n++; if (d * d > 1e-22) bad = 1 }
             END { exit bad || n < 10 }'
}

@test "s6 from g(r) is G2(0) of g4: three tools, one number" {
    argon 0:1001:250
    "$RDF" --rmax corner --bins 20000 argon.mbf -o fine.hist
    # bins of 0.001 A give 5e-4 per pair at random; some 6,000 pairs matter, so 7e-6 in total; the
    # limit 3e-5 is four times this
    s6=$(bin2txt fine.hist | awk '!/^#/ { s += $2 * (3.4 / $1) ^ 6 } END { printf "%.10g", s / 5 }')
    # the mean of beta^2 over five components is 0.6 (sigma/r)^6 for any pair (physics.md, oracle 4)
    g2=$(g4-cpu --sum mic --component all --lags 1 argon.mbf | bin2txt | awk '!/^#/ { print $4; exit }')
    near "$(awk -v a="$g2" -v b="$s6" 'BEGIN { printf "%.10g", a / (0.6 * b) }')" 1 3e-5
}

@test "no cell: plain distances, counts and n, no g" {
    xyz2bin "$DATA/dialects/plain-crlf.xyz" -o free.mbf
    fails 2 "$RDF" free.mbf
    [[ $output == *"a cell, but the input has none (give --rmax in A)"* ]]
    "$RDF" --rmax 40 --bins 5 free.mbf -o free.hist 2>note
    grep -q "the input has no cell, so distances ignore periodic images. Only counts and n are computed, because g needs a volume" note
    [ "$(column count free.hist | awk '{ s += $1 } END { print s }')" -eq $((2 * 28)) ]
    [ "$(column g free.hist | sort -u)" = nan ]
}

@test "refusals name the file, the frame and the limit" {
    xyz2bin --unsorted-ok "$GOLD/triclinic.xyz" -o t.mbf
    fails 2 "$RDF" --rmax corner t.mbf
    [[ $output == *"t.mbf: --rmax corner: the cell is triclinic"* ]]
    fails 2 "$RDF" --rmax 9.5 t.mbf
    [[ $output == *"t.mbf: frame 0: expected rmax of at most half the smallest width of the triclinic cell, 9.135"* ]]
    for bad in "--bins 0" "--bins 1.5" "--bins 2000000" "--rmax nan" "--rmax -3" "--rmax quarter" "--normalisation x" "--algorithm fast"; do
        fails 2 "$RDF" $bad t.mbf
    done
    argon 0:3
    head -c 5000 argon.mbf >cut.mbf
    fails 2 "$RDF" cut.mbf -o cut.hist
    [ ! -e cut.hist ]
    fails 4 "$RDF" --max-mem 100K --bins 100000 argon.mbf
    fails 2 "$RDF" <(bin2txt argon.mbf)
}

@test "nakano-figures.sh: the lecture's figures, as text and as a plot" {
    OUT=$PWD/fig BIN=$BIN run "$ROOT/pipelines/nakano-figures.sh"
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    [[ $output == *"first peak"* ]]
    # in the displaced octant, V is 1.5^3 times as large: the first peak is higher at the same place
    peak() { awk '!/^#/ && $3 > m { m = $3; r = $1 } END { print r, m }' "$1"; }
    read -r r g < <(peak fig/cpu.txt)
    read -r rd gd < <(awk '/^#/ || $1 < 8' fig/octant.txt >near.txt; peak near.txt)
    near "$rd" "$r" 0.1
    awk -v a="$g" -v b="$gd" 'BEGIN { exit !(b / a > 2 && b / a < 3.4) }'
    command -v gnuplot >/dev/null || skip "no gnuplot: text only"
    [ "$(head -c 8 fig/nakano.png | od -An -tx1 | tr -d ' ')" = 89504e470d0a1a0a ]
}

@test "--exclude: the counts of all pairs less those of each molecule by itself, in every kind of cell" {
    rest() { # FILE NATOMS SIZE OPTION...: counts of FILE less those of its molecules, one histogram a molecule
        local f=$1 n=$2 m=$3 k
        shift 3
        column count <("$RDF" "$@" "$f") >left
        for ((k = 0; k < n; k += m)); do
            paste left <(column count <(frame-cut --atoms $k:$((k + m)) : "$f" | "$RDF" "$@")) | awk '{ print $1 - $2 }' >less
            mv less left
        done
        cat left
    }
    argon 0:60:15 a.mbf
    diff <(rest a.mbf 256 32 --bins 40 --rmax corner) <(column count <("$RDF" --exclude 32 --bins 40 --rmax corner a.mbf))
    bin2xyz a.mbf | xyz2bin -q --dtype f64 --pbc xy --unsorted-ok -o xy.mbf
    diff <(rest xy.mbf 256 64 --bins 30 --rmax 11) <(column count <("$RDF" --exclude 64 --bins 30 --rmax 11 xy.mbf))
    traj2bin --species 'O 1 H 2 O 1 H 2 O 1 H 2 O 1' --atoms :9 "$DATA/formats/water10.xtc" -o w.mbf
    diff <(rest w.mbf 9 3 --bins 25) <(column count <("$RDF" --exclude 3 --bins 25 w.mbf))
    gas 6 200 5 1 | xyz2bin -q --unsorted-ok -o long.mbf # blocks merge
    diff <(rest long.mbf 6 2 --bins 10) <(column count <("$RDF" --exclude 2 --bins 10 long.mbf))
    # a file gives the same result, with its pairs in any order and repeated
    printf '# water\n0 1 2\n5, 4, 3\n7 8\n6 8\n6 7\n\n8 7 # again\n' >bonds
    for o in "" "--pair O-H --pair H-H" "--pair all --blocks 3"; do
        compare <("$RDF" --bins 12 $o --exclude bonds w.mbf) <("$RDF" --bins 12 $o --exclude 3 w.mbf)
    done
    # only one kind of pair is excluded
    "$RDF" --bins 12 --pair O-H --pair H-H --exclude <(echo 1 2) w.mbf -o hh
    "$RDF" --bins 12 --pair O-H --pair H-H w.mbf -o all
    cmp <(column count_O-H hh) <(column count_O-H all)
    [ "$(column count_H-H hh | awk "{ s += \$1 } END { print s }")" -eq $(($(column count_H-H all | awk "{ s += \$1 } END { print s }") - 3)) ]
}

@test "--exclude M is refused where the names of the atoms contradict it, and a FILE of molecules is right" {
    mk() { # ATOMS NAME...: so many, their names in turn
        local n=$1 k
        shift
        printf '%d\nLattice="12 0 0 0 12 0 0 0 12"\n' "$n"
        for ((k = 0; k < n; k++)); do echo "$1 $((k % 5)).5 $((k / 5)).25 $((k % 7))"; set -- "${@:2}" "$1"; done
    }
    warned() {
        "$RDF" --bins 5 "$@" -o g 2>err
        cat err
    }
    mk 12 O H H | xyz2bin -q --dt 1 -o w.mbf
    fails 2 "$RDF" --bins 5 --exclude 4 w.mbf -o no
    [ "$output" = "${RDF##*/}: w.mbf: --exclude 4: expected molecules with the same atom names, found O H H O in atoms 0 to 3 and H H O H in atoms 4 to 7 (list the atoms of each molecule in a file: --exclude FILE; traj2bin --molecules writes one)" ]
    fails 2 "$RDF" --bins 5 --exclude 2 w.mbf -o no
    [ -z "$(warned --exclude 3 w.mbf)$(warned --exclude 6 w.mbf)$(warned --exclude 1 w.mbf)$(warned w.mbf)" ]
    mk 12 Ar | xyz2bin -q --dt 1 -o a.mbf
    [ -z "$(warned --exclude 4 a.mbf)" ]
    # a list of names ends in "..." after 60 bytes; a list that has 60 bytes before its last name is
    # printed in full
    for n in 30 31; do
        awk -v n=$n 'BEGIN { printf "%d\n\n", 2 * n + 2; for (k = 0; k < 2 * n + 2; k++) print (k ? "O" : "Ar"), k, k, k }' | xyz2bin -q --cell 90 --dt 1 -o n.mbf
        fails 2 "$RDF" --exclude $((n + 1)) n.mbf
        [[ $output == *", found Ar$(printf ' O%.0s' {1..30})$([ $n = 30 ] || echo " ...") in atoms 0 to $n and O O"* ]] || { echo "$output"; false; }
    done
    mk 12 O H H C O O | xyz2bin -q --dt 1 -o b.mbf # two kinds of molecules: a number cannot tell
    fails 2 "$RDF" --bins 5 --exclude 3 b.mbf -o no
    fails 2 "$RDF" --bins 5 --exclude 4 b.mbf -o no
    [ -z "$(warned --exclude <(printf '0 1 2\n3 4 5\n6 7 8\n9 10 11\n') b.mbf)" ]
    fails 2 "$RDF" --exclude 5 w.mbf -o no
    [[ $output == *"--exclude 5: expected a molecule size that divides the number of atoms, 12"* ]]
    # an ion in front of water molecules shifts all later molecules; a file lists the correct pairs
    { mk 15 O H H | sed '1s/15/16/; 2a Na 9 9 9'; } | head -n 18 >ion.xyz
    sed -i '1s/.*/18/' ion.xyz
    printf 'Cl 8 8 8\nCl 7 8 8\n' >>ion.xyz
    xyz2bin -q --dt 1 ion.xyz -o ion.mbf
    fails 2 "$RDF" --bins 5 --pair O-H --exclude 3 ion.mbf -o no
    [[ $output == *"found Na O H in atoms 0 to 2 and H O H in atoms 3 to 5"* ]]
    seq 1 3 13 | awk '{ print $1, $1 + 1, $1 + 2 }' >mol
    "$RDF" --bins 40 --rmax 8 --pair O-H --exclude mol ion.mbf -o right
    mk 15 O H H | xyz2bin -q --dt 1 | "$RDF" --bins 40 --rmax 8 --pair O-H --exclude 3 -o same
    cmp <(bin2txt right | awk '!/^#/ { print $1, $2 }') <(bin2txt same | awk '!/^#/ { print $1, $2 }')
    # all programs that take molecules do the same
    for k in 1 2 3 4; do sed "3s/9 9 9/9 9 $k/" ion.xyz; done | xyz2bin -q --dt 1 --unsorted-ok -o four.mbf
    [ "${RDF##*/}" = rdf-cpu ] || return 0
    for run in "unwrap --molecules" "msd-cpu --unwrapped --molecules" "g4-cpu --sigma 3 --exclude" "g4-cpu --sigma 3 --within" \
        "g4-cpu --sigma 3 --between" "beta-gen --sigma 3 --exclude"; do
        fails 2 $run 3 four.mbf -o no
        [[ $output == *" ${run##* } 3: expected molecules with the same atom names, found Na O H in atoms 0 to 2"*"${run##* } FILE"* ]] || { echo "$run: $output"; false; }
    done
}

@test "--pair: its columns are named, one pair too" {
    for k in 1 2 3 4; do printf '3\nLattice="9 0 0 0 9 0 0 0 9"\nO 1 1 %d\nH 2 1 1\nH 1 2 1\n' "$k"; done | xyz2bin -q --unsorted-ok --dt 1 -o w.mbf
    legend() { "$RDF" --bins 3 --blocks 1 "$@" w.mbf | bin2txt | head -n 1; }
    [ "$(legend)" = "# r_A count g n" ]
    [ "$(legend --pair H-H)" = "# r_A count_H-H g_H-H n_H-H" ]
    [ "$(legend --pair O-H --pair H-H)" = "# r_A count_O-H g_O-H n_O-H count_H-H g_H-H n_H-H" ]
    [ "$(legend --blocks 2 --pair O-H)" = "# r_A count_O-H g_O-H n_O-H g_O-H_se" ]
    "$RDF" --bins 30 --blocks 1 --pair O-H w.mbf | rdf2sq -q | bin2txt | head -n 1 | grep -q '^# q_A-1 S_O-H '
}

@test "--exclude: an ideal gas of molecules has g = 1; what is wrong is told with its line" {
    gas 8 2000 9 3 | xyz2bin -q --unsorted-ok -o gas.mbf
    "$RDF" --bins 4 --exclude 4 gas.mbf -o g
    column g g | awk '{ if ($1 < 0.63 || $1 > 1.37) bad = 1 } END { exit bad || NR != 4 }'
    # the gas is compared with 16 of 28 pairs per step; six deviations of the 260 counts of the
    # first bin are 0.37
    [ "$(bin2txt g | awk '/^## excluded/ { print $3 }')" -eq 12 ]
    fails 2 "$RDF" --exclude 3 gas.mbf -o no
    [[ $output == *"--exclude 3: expected a molecule size that divides the number of atoms, 8"* ]]
    for bad in "0 8:found '8'" "3 3:found atom 3 twice" "5:expected two atoms or more, found one" "1 x:found 'x'" "-1 2:found '-1'"; do
        printf '0 1\n%s\n' "${bad%%:*}" >bonds
        fails 2 "$RDF" --exclude bonds gas.mbf -o no
        [[ $output == *"--exclude bonds: line 2: "*"${bad#*:}"* ]] || { echo "$output"; false; }
    done
    fails 2 "$RDF" --exclude nowhere gas.mbf -o no
    fails 2 "$RDF" --exclude /dev/null gas.mbf -o no
    fails 2 "$RDF" --exclude . gas.mbf -o no
    [ ! -e no ]
}

@test "shares are the bits of the one run, of every pair of species" {
    argon_gas 64 200
    bin2xyz gas.mbf | awk 'NF == 1 { n = 0 } /^Ar/ && n++ % 3 == 0 { sub(/^Ar/, "Kr") } { print }' | xyz2bin -q -o mixed.mbf
    sharing 16 7 "$RDF" mixed.mbf --pair all --rmax corner
    sharing 3 1 "$RDF" mixed.mbf --blocks 7
}

# film THICKNESS FROM N: 40 frames of an ideal gas between the planes z = FROM and z = FROM +
# THICKNESS, in a cell of 30 x 30 x 20, periodic in x and y
film() {
    awk -v h="$1" -v from="$2" -v n="$3" "$UNIFORM"'BEGIN { seed(9); for (t = 0; t < 40; t++) { print n "\nLattice=\"30 0 0 0 30 0 0 0 20\" Properties=species:S:1:pos:R:3 pbc=\"T T F\""
        for (i = 0; i < n; i++) printf "A %.5f %.5f %.5f\n", 30 * uniform(), 30 * uniform(), from + h * uniform() } }'
}

@test "a slab: g of an ideal gas is 1, whether its atoms fill the cell, reach beyond it or leave it empty" {
    one() { bin2txt "$@" | awk '!/^#/ && $2 >= 25 { n++; z = ($3 - 1) * sqrt($2); if (z * z > 25) { bad++; print } } END { exit bad || n < 8 }'; }
    film 20 -3 100 | xyz2bin -q --unsorted-ok -o fills.mbf # at any height
    rdf-cpu --bins 10 fills.mbf -o fills.hist 2>err
    [ ! -s err ]
    one fills.hist
    [ "$(bin2txt --meta fills.hist | grep ^data.thickness)" = "data.thickness	cell" ]
    for h in 40 8; do
        film $h 5 100 | xyz2bin -q --unsorted-ok -o $h.mbf
        rdf-cpu --bins 10 $h.mbf -o $h.hist 2>err
        grep -Eq "along a non-periodic axis, the cell is 20 A wide, but the atoms extend over [0-9.]+ A\. g\\(r\\) is normalised to the layer of atoms \\(set the width of a slab with --thickness A\\)" err || { cat err; false; }
        one $h.hist
        rdf-cpu --bins 10 --thickness $h $h.mbf -o given.hist 2>err
        [ ! -s err ]
        one given.hist
        [ "$(bin2txt --meta given.hist | grep ^data.thickness)" = "data.thickness	$h" ]
        sharing 3 2 rdf-cpu $h.mbf --bins 10
    done
    # a third vector of 0, and a tilted cell
    bin2xyz 8.mbf | sed 's/0 0 20"/0 0 0"/' | xyz2bin -q --unsorted-ok | rdf-cpu -q --bins 10 | bin2txt | grep -v '^#' >zero
    bin2txt 8.hist | grep -v '^#' | paste - zero | awk '{ if ($2 != $7 || ($3 - $8)^2 > 1e-20) exit 1; n++ } END { exit n != 10 }'
    bin2xyz 8.mbf | sed 's/0 30 0 0 0 20"/9 30 0 3 2 40"/' | xyz2bin -q --unsorted-ok | rdf-cpu -q --bins 10 -o lean.hist
    one lean.hist
    fails 2 rdf-cpu --thickness 7 8.mbf -o out
    [[ $output == *"8.mbf: frame 0: expected atoms within --thickness 7 A, found a layer of atoms 7."*" A thick" || $output == *"8.mbf: expected atoms within --thickness 7 A, found a layer of atoms 7."*" A thick" ]] || { echo "$output"; false; }
    bin2xyz 8.mbf | xyz2bin -q --unsorted-ok --pbc xyz -o all.mbf
    fails 2 rdf-cpu --thickness 8 all.mbf -o out
    [[ $output == *"--thickness: expected a cell periodic along two axes, found 3 periodic axes" ]]
    # few atoms give no information about a width
    film 20 0 3 | xyz2bin -q --unsorted-ok | rdf-cpu --bins 10 -o few.hist 2>err
    [ ! -s err ]
}

@test "--axes: distances in a plane are those of a brute-force loop, along any axes, with g of an ideal gas 1; other cells are refused" {
    # layer AXIS LEAN: 12 steps of 40 atoms; cell edges: 12, 11 (LEAN away), 20 along AXIS
    layer() {
        awk -v axis="$1" -v lean="$2" "$UNIFORM"'
        function row(x, y, z) { return axis == 2 ? x " " y " " z : axis == 1 ? x " " z " " y : z " " x " " y }
        BEGIN { seed(6); a = row(12, 0, 0); b = row(lean, 11, 0); c = row(0, 0, 20)
            cell = axis == 2 ? a " " b " " c : axis == 1 ? a " " c " " b : c " " a " " b
            for (t = 0; t < 12; t++) { print "40\npbc=\"T T T\" Lattice=\"" cell "\" Properties=species:S:1:pos:R:3"
                for (i = 0; i < 40; i++) print (i % 4 ? "A" : "B"), row(sprintf("%.6f", 30 * uniform() - 9), sprintf("%.6f", 11 * uniform()), sprintf("%.6f", 20 * uniform())) } }' >layer.xyz
        xyz2bin -q --dt 1 --unsorted-ok --jumps-ok --dtype f64 layer.xyz -o layer.mbf
    }
    brute() { # AXIS LEAN: counts of 20 bins below 5 A
        awk -v axis="$1" -v lean="$2" 'NF == 4 { n = (NR - 1) % 42 - 2; x[n] = axis == 0 ? $3 : $2; y[n] = axis == 2 ? $3 : $4
            for (m = 0; m < n; m++) for (i = -4; i < 5; i++) for (j = -2; j < 3; j++) {
                dx = x[n] - x[m] + 12 * i + lean * j; dy = y[n] - y[m] + 11 * j; r = sqrt(dx * dx + dy * dy); if (r < 5) c[int(4 * r)]++ } }
            END { for (k = 0; k < 20; k++) print c[k] + 0 }' layer.xyz
    }
    for case in "0 0 yz" "1 0 xz" "2 0 xy" "2 3 xy" "0 -2 yz"; do
        read -r axis lean axes <<<"$case"
        layer "$axis" "$lean"
        for how in "--algorithm all-pairs" "--algorithm cells" ""; do
            # shellcheck disable=SC2086
            "$RDF" --axes $axes --bins 20 --rmax 5 $how layer.mbf -o layer.hist
            column count layer.hist | diff - <(brute "$axis" "$lean")
        done
        bin2txt layer.hist | awk '!/^#/ { n++; z = ($3 - 1) * sqrt($2); if (z * z > 25) bad++ } END { exit bad || n != 20 }'
        [ "$(bin2txt --meta layer.hist | grep -E '^data.(axes|thickness)' | cut -f2 | xargs)" = "$axes plane" ]
    done
    layer 2 3
    # the same as atoms in a plane; f32, species, exclusions, van Hove functions and shards too
    sed 's/^\([AB] [^ ]* [^ ]*\) .*/\1 0/; s/T T T/T T F/' layer.xyz | xyz2bin -q --dt 1 --unsorted-ok --jumps-ok -o flat.mbf
    xyz2bin -q --dt 1 --unsorted-ok --jumps-ok layer.xyz -o layer.mbf
    for how in "--pair all" "--exclude 4" "--lag 0,2 --unwrapped" "--rmax half"; do
        # shellcheck disable=SC2086
        bin2txt <("$RDF" --axes xy --bins 12 $how layer.mbf) | grep -v '^##' | diff - <(bin2txt <("$RDF" --bins 12 $how flat.mbf) | grep -v '^##')
    done
    sharing 3 2 "$RDF" layer.mbf --axes xy --bins 10
    layer 2 0
    "$RDF" --axes xy --bins 10 --rmax corner layer.mbf | bin2txt | awk '!/^#/ { n += $2 } END { exit n != 12 * 40 * 39 / 2 }'
    fails 2 "$RDF" --axes xy --thickness 5 layer.mbf
    [[ $output == *"--thickness has no effect with --axes" ]]
    fails 2 "$RDF" --axes xy --normalisation lecture layer.mbf
    [[ $output == *"--normalisation lecture: expected a three-dimensional sample, found all atoms in one plane (use --normalisation exact)" ]]
    says() { fails 2 "$RDF" --axes "$1" -o no "$2"; [[ $output == *"$2: frame $3: --axes $1: expected a cell that is periodic along these axes, with the third vector normal to their plane, found $4" && ! -e no ]] || { echo "$output"; return 1; }; }
    xyz2bin -q --dt 1 --unsorted-ok --jumps-ok --pbc yz layer.xyz -o yz.mbf
    says xy yz.mbf 0 "no such periodic axes"
    layer 2 3
    says yz layer.mbf 0 "an oblique cell"
    sed '9,$s/0 0 20/1 0 20/' layer.xyz | xyz2bin -q --dt 1 --unsorted-ok --jumps-ok -o later.mbf
    says xy later.mbf 1 "an oblique cell"
}

@test "atoms in a plane: g of an ideal gas in an area is 1, along any axis, in a leaning cell and to the corner" {
    one() { bin2txt "$@" | awk '!/^#/ && $2 >= 25 { n++; z = ($3 - 1) * sqrt($2); if (z * z > 25) { bad++; print } } END { exit bad || n < 8 }'; }
    # plane AXIS LEAN [RIPPLE]: 100 steps of 200 atoms; the plane is RIPPLE A wide in the last step
    plane() {
        awk -v axis="$1" -v lean="$2" -v ripple="${3:-0}" "$UNIFORM"'
        function row(x, y, z) { return axis == 2 ? x " " y " " z : axis == 1 ? x " " z " " y : z " " x " " y }
        BEGIN { seed(4); z = row(0, 0, 20)
            pbc = row("T", "T", "F"); a = row(30, 0, 0); b = row(lean, 24, 0)
            cell = axis == 2 ? a " " b " " z : axis == 1 ? a " " z " " b : z " " a " " b
            for (t = 0; t < 100; t++) { print "200\npbc=\"" pbc "\" Lattice=\"" cell "\" Properties=species:S:1:pos:R:3"
                for (i = 0; i < 200; i++) print "A", row(30 * uniform(), 24 * uniform(), 5 + (t == 99 ? ripple * uniform() : 0)) } }' |
            xyz2bin -q --dt 1 --unsorted-ok
    }
    for axis in 0 1 2; do
        plane $axis 0 | rdf-cpu --bins 12 --rmax corner -o plane.hist
        one plane.hist
        plane $axis 7 | rdf-cpu --bins 12 -o lean.hist
        one lean.hist
    done
    [ "$(bin2txt --meta lean.hist | grep ^data.thickness)" = "data.thickness	plane" ]
    bin2txt --meta lean.hist | grep -q '^data.convention.*anywhere in the area of the cell'
    plane 2 0 >plane.mbf
    sharing 3 2 rdf-cpu plane.mbf --bins 10
    fails 2 rdf2sq lean.hist
    [[ $output == *"expected g(r) of a three-dimensional sample, found g(r) of atoms in a plane (the transform is valid only in three dimensions)" ]]
    rdf2sq --method debye lean.hist -o sq
    fails 2 rdf-cpu --normalisation lecture plane.mbf
    [[ $output == *"--normalisation lecture: expected a three-dimensional sample, found all atoms in one plane (use --normalisation exact)" ]]
    plane 0 0 >upright.mbf
    for pbc in xyz x; do
        for way in 'plane xy' 'upright yz'; do
            read -r file axes <<<"$way"
            bin2xyz $file.mbf | xyz2bin -q --unsorted-ok --pbc $pbc | rdf-cpu -o volume.hist 2>err
            grep -q 'warning: stdin: all atoms of the first step lie in one plane, but the periodic axes do not. g(r) is normalised to a volume instead of an area (convert the file with the two axes of the plane, such as --pbc xy)$' err || { cat err; false; }
            bin2xyz $file.mbf | xyz2bin -q --unsorted-ok --pbc $pbc | bin2xyz | xyz2bin -q --unsorted-ok --pbc "$axes" | rdf-cpu -o area.hist 2>err
            [ ! -s err ]
            [ "$(bin2txt --meta area.hist | grep ^data.thickness)" = "data.thickness	plane" ]
        done
    done
    plane 2 0 3 >ripple.mbf
    fails 2 rdf-cpu ripple.mbf
    [[ $output == *"ripple.mbf: frame 99: expected atoms in a plane as in the first step, found a layer of atoms 2.9"*" A thick (set the width of a slab with --thickness A)" ]]
    rdf-cpu --thickness 3 --bins 10 ripple.mbf | bin2txt --meta | grep -qx 'data.thickness	3'
}

@test "the default rmax leaves a tenth where a triclinic cell changes" {
    for how in stays changes; do
        awk -v how=$how "$UNIFORM"'BEGIN { seed(2); for (t = 0; t < 30; t++) { f = how == "stays" ? 1 : 1 - 0.05 * t / 29
            print 20 "\nLattice=\"" 30 * f " 0 0 " 10 * f " " 28 * f " 0 " (-10 * f) " " 14 * f " " 24 * f "\" Properties=species:S:1:pos:R:3"
            for (i = 0; i < 20; i++) print "A", 28 * uniform(), 28 * uniform(), 24 * uniform() } }' | xyz2bin -q --unsorted-ok -o $how.mbf
        rdf-cpu --bins 5 $how.mbf -o $how.hist
        bin2txt --meta $how.hist | sed -n 's/^data.rmax	//p' >$how.rmax
    done
    awk 'NR == 1 { a = $1 } NR == 2 { exit !(($1 / a / (0.9 * 0.95) - 1)^2 < 1e-6) }' stays.rmax changes.rmax || { cat ./*.rmax; false; }
    # the first block shows no change: a smaller cell after it is refused by name, but not a wider
    # cell
    frame-cat --jumps close stays.mbf changes.mbf -o later.mbf
    fails 2 rdf-cpu later.mbf -o out
    [[ $output =~ later.mbf:\ frame\ 31:\ expected\ rmax\ of\ .*,\ ([0-9.]+)\ A,\ found\ ([0-9.]+)\ A\ \(give\ a\ smaller\ --rmax\)$ && ! -e out ]] || { echo "$output"; false; }
    rdf-cpu --rmax "$(awk "BEGIN { print ${BASH_REMATCH[2]} * 0.95 }")" later.mbf -o out
    bin2xyz changes.mbf | xyz2bin -q --unsorted-ok --dt 1 --select 29: -o small.mbf
    bin2xyz stays.mbf | xyz2bin -q --unsorted-ok --dt 1 -o wide.mbf
    frame-cat --jumps close small.mbf wide.mbf | rdf-cpu -o wider
}

# flight OPTION...: free flight of two species, unwrapped, in flight.mbf (forge/free_flight)
flight() { numpy_python && py forge/free_flight wrapped.mbf "$@" && unwrap -q wrapped.mbf -o flight.mbf; }

@test "van Hove: counts at two times are those of a double loop, in every kind of cell, by every algorithm" {
    for cell in "10 0 0 0 11 0 0 0 12" "11 0 0 3 12 0 -2 4 10"; do
        flight 30 23 0.05 1 2 "$cell" "A B B" f4
        bin2xyz flight.mbf | xyz2bin -q --dtype f64 | unwrap -q -o flight64.mbf
        for pair in "" "--pair all" "--pair B-A --pair B-B"; do
            "$RDF" --bins 40 $pair --lag 0,1,2,7,22 flight64.mbf -o f64.hist
            py oracle/van_hove flight64.mbf f64.hist
            for o in "--rmax 3.9 --algorithm cells" "--rmax half --algorithm all-pairs"; do
                "$RDF" --bins 40 $o $pair --lag 0,1:20:9,22 flight.mbf -o f32.hist
                py oracle/van_hove flight.mbf f32.hist 2
            done
        done
    done
    bin2xyz flight64.mbf | xyz2bin -q --dtype f64 --pbc none -o free.mbf
    "$RDF" -q --bins 40 --rmax 9 --lag 0:9:4 free.mbf -o free.hist
    py oracle/van_hove free.mbf free.hist
    flight 30 23 0.05 1 2 "10 0 0 0 11 0 0 0 12" "A B B" f4
    bin2xyz flight.mbf | sed 's/0 0 12"/0 0 40"/' | xyz2bin -q --dtype f64 --pbc xy | unwrap -q -o slab.mbf # mostly empty
    "$RDF" -q --bins 40 --rmax corner --pair all --lag 0:9:4 slab.mbf -o slab.hist
    py oracle/van_hove slab.mbf slab.hist
}

@test "van Hove: lag 0 is g(r), to the bit" {
    argon 0:40 wrapped.mbf
    unwrap -q wrapped.mbf -o argon.mbf
    for o in "" "--rmax corner --blocks 4" "--rmax 5 --algorithm cells --exclude 4 --normalisation lecture"; do
        "$RDF" $o argon.mbf | bin2txt | awk '!/^#/ { print $1, $2, $3, $4, $5 }' >g
        "$RDF" $o --lag 0 argon.mbf | bin2txt | awk '!/^#/ { print $1, $3, $4, $5, $9 }' >zero
        [ "$(wc -l <g)" -eq 200 ]
        cmp g zero
        # the same holds next to other lags, and for each pair of species
        "$RDF" $o --lag 0,3 argon.mbf | bin2txt | awk '!/^#/ && NF && $2 == 0 { print $1, $3, $4, $5, $9 }' | cmp g -
    done
    xyz2bin -q "$GOLD/triclinic.xyz" --dt 1 --unsorted-ok -o t.mbf
    "$RDF" --rmax 8 --pair all t.mbf | bin2txt | awk '!/^#/ { print $1, $2, $5, $8 }' >g
    "$RDF" --rmax 8 --pair all --lag 0 --unwrapped t.mbf | bin2txt | awk '!/^#/ { print $1, $3, $6, $9 }' | cmp g -
}

@test "van Hove: all pairs and cells, any SIMD level, any number of threads, small and large frames: the same integers" {
    argon 0:9 wrapped.mbf
    unwrap -q wrapped.mbf -o argon.mbf
    flight 3100 4 0.05 1 2 "60 0 0 0 61 0 3 4 62" "A B B" f4
    for f in argon flight; do
        for rmax in 3.9 half; do
            "$RDF" --bins 300 --rmax $rmax --algorithm all-pairs -t 1 --pair all --lag 0,1,3 $f.mbf -o a.hist
            "$RDF" --bins 300 --rmax $rmax --algorithm cells -t 2 --pair all --lag 0,1,3 $f.mbf -o b.hist
            compare --rtol 0 a.hist b.hist
            MBF_SIMD=v2 "$RDF" --bins 300 --rmax $rmax --pair all --lag 0,1,3 $f.mbf -o c.hist
            compare --rtol 0 a.hist c.hist
            rdf-cpu --bins 300 --rmax $rmax --pair all --lag 0,1,3 $f.mbf -o d.hist
            compare --rtol 0 a.hist d.hist
            # a single lag has the same counts as among other lags
            "$RDF" --bins 300 --rmax $rmax --pair all --lag 3 $f.mbf | bin2txt | grep -v '^#' >alone
            bin2txt a.hist | awk -v t="$(awk '{ print $2; exit }' alone)" '!/^#/ && NF && $2 == t' | cmp - alone
        done
    done
}

@test "van Hove: G_s of free flight and of a random walk are Gaussians, G_d of an ideal gas is 1" {
    numpy_python
    py forge/walkers walk.mbf walk 2000 30 0.5 30 1
    "$RDF" --bins 150 --lag 0,1,2,4 walk.mbf -o walk.hist
    py oracle/gaussian_displacements walk.hist 0.5 1
    flight 6000 12 0.1 4 1.5 "40 0 0 0 40 0 0 0 40"
    "$RDF" --bins 100 --rmax 10 --lag 0,2,5,11 flight.mbf -o flight.hist
    py oracle/gaussian_displacements flight.hist 0.15 2
    # a pair counts in both orders of times, nearly equal for a short time: twice the variance
    bin2txt walk.hist | awk '!/^#/ && NF && $3 >= 100 { n++; z = ($4 - 1) * sqrt($3 / 2); if (z * z > 25) { bad++; print } } END { exit bad || n < 400 }'
}

@test "van Hove: the transform of G_d is F(q,t) - F_s(q,t) of fqt-cpu" {
    numpy_python
    py forge/walkers drop.mbf droplet 20 12 8 100 1
    "$RDF" --bins 3000 --lag 0:10:3 drop.mbf -o drop.hist
    fqt-cpu -q --self --self-vectors 100000 --qmax 2 --qstep 0.2 --vectors 100000 --lags 12 drop.mbf -o drop.fqt
    py oracle/van_hove_transform drop.hist drop.fqt
}

@test "van Hove: --exclude subtracts each molecule by itself at two times also" {
    flight 12 40 0.05 1 2 "12 0 0 0 12 0 0 0 12" "O H H" f4
    for o in "" "--pair all" "--rmax corner --pair O-H"; do
        "$RDF" --bins 20 $o --lag 0,1,5 flight.mbf -o all.hist
        "$RDF" --bins 20 $o --lag 0,1,5 --exclude 3 flight.mbf -o less.hist
        for k in 0 3 6 9; do frame-cut --atoms $k:$((k + 3)) : flight.mbf | "$RDF" --bins 20 $o --lag 0,1,5 -o $k.hist; done
        counts() { bin2txt "$1" | awk '/^# / { for (i = 2; i <= NF; i++) if ($i ~ /^count/ && $i !~ /^count_s/) c[++m] = i - 1 } !/^#/ && NF { for (i = 1; i <= m; i++) printf "%s ", $c[i]; print "" }'; }
        for k in all less 0 3 6 9; do counts $k.hist >$k.counts; done
        paste -d' ' all.counts less.counts 0.counts 3.counts 6.counts 9.counts |
            awk '{ m = NF / 6; for (i = 1; i <= m; i++) { s = $i - $(m + i); for (k = 2; k < 6; k++) { s -= $(k * m + i); left += $(k * m + i) }; if (s) exit 1 } } END { exit !(left > 1000) }'
    done
}

@test "van Hove: seven shares are the bits of the one run; runs merge; --from and --to are a run of their own" {
    flight 21 211 0.05 1 2 "10 0 0 0 11 0 0 0 12" "A B B" f4
    sharing 7 3 "$RDF" flight.mbf --lag 0,1,13 --pair all --bins 30
    sharing 7 3 "$RDF" flight.mbf --lag 190 --bins 30 # no origin in the last share
    sharing 4 2 "$RDF" flight.mbf --lag 0:40:20 --blocks 6 --exclude 3 --bins 30
    sharing 3 2 "$RDF" flight.mbf --lag 2,9 --from 1.02 --to 7 --bins 30
    "$RDF" --lag 2,9 --from 1.02 --to 7 --bins 30 flight.mbf -o part.hist
    frame-cut 21:141 flight.mbf | "$RDF" --lag 2,9 --bins 30 -o cut.hist
    compare --rtol 0 part.hist cut.hist
    frame-cut 0:100 flight.mbf | "$RDF" --lag 0,9 --bins 30 -o one.hist
    frame-cut 100:211 flight.mbf | "$RDF" --lag 0,9 --bins 30 -o two.hist
    frame-merge one.hist two.hist -o both.hist
    paste <(column count_s one.hist) <(column count_s two.hist) <(column count_s both.hist) | awk '$1 + $2 != $3 { exit 1 } { n += $3 } END { exit !(n > 4000) }'
    "$RDF" --lag 0,8 --bins 30 flight.mbf -o other.hist
    fails 2 frame-merge one.hist other.hist
    [[ $output == *"expected data.lags 0 9, as in one.hist, found 0 8" ]] || { echo "$output"; false; }
    "$RDF" --bins 30 flight.mbf -o g.hist
    fails 2 frame-merge one.hist g.hist
    # a time origin is in the block of its step: g_se of lag 0 does not depend on the other lags
    diff <("$RDF" --bins 30 flight.mbf | bin2txt | awk '!/^#/ { print $5 }') <("$RDF" --lag 0,99 --bins 30 flight.mbf | bin2txt | awk '!/^#/ && NF && $2 == 0 { print $9 }')
}

@test "van Hove: what is refused, and the memory of the window" {
    flight 20 40 0.05 1 2 "10 0 0 0 11 0 0 0 12" "A B B" f4
    local me=${RDF##*/}
    fails 2 "$RDF" --lag 0,40 flight.mbf -o no
    [[ $output == *"flight.mbf: --lag 40: expected more than 40 steps, found 40" ]] || { echo "$output"; false; }
    for bad in "1,1:expected at most 4096 lags in ascending order up to 1e9, found 1" "5,2:ascending order up to 1e9, found 2" "0::ascending order up to 1e9, found 4096" "2000000000:up to 1e9, found 2000000000" \
        "x:" "-1:" "0.5:" ":" "3:3:expected at least one lag, found none"; do
        fails 2 "$RDF" "--lag=${bad%:*}" flight.mbf -o no
        [[ $output == *": --lag: "*"${bad##*:}"* ]] || { echo "$bad: $output"; false; }
    done
    fails 2 "$RDF" --unwrapped flight.mbf -o no
    [[ $output == *"--unwrapped has no effect without --lag"* ]] || { echo "$output"; false; }
    # positions that jump across the cell: only --unwrapped accepts them as displacements
    bin2xyz wrapped.mbf | xyz2bin -q -o jump.mbf
    fails 2 "$RDF" --lag 1 jump.mbf -o no
    [[ $output =~ jump.mbf:\ frame\ [0-9]+:\ expected\ unwrapped\ positions,\ found\ atom\ [0-9]+\ more\ than\ half\ the\ cell\ from\ its\ previous\ position\ \(use\ unwrap ]] || { echo "$output"; false; }
    "$RDF" --lag 1 --unwrapped jump.mbf -o jumps.hist
    unwrap -q jump.mbf | "$RDF" --lag 1 | bin2txt | awk '!/^#/ { print $6 }' >moves
    ! cmp -s <(bin2txt jumps.hist | awk '!/^#/ { print $6 }') moves
    # pairs have periodic images, so wrapped and unwrapped positions give the same pairs
    unwrap -q jump.mbf | "$RDF" --lag 1 | bin2txt | awk '!/^#/ { s += $3 } END { print s }' >pairs
    [ "$(bin2txt jumps.hist | awk '!/^#/ { s += $3 } END { print s }')" = "$(cat pairs)" ]
    { bin2xyz flight.mbf | head -n 44; bin2xyz flight.mbf | sed -n '45,66s/10 0 0 0 11/10.1 0 0 0 11/p; 45,66!d; /Lattice/!p'; } | xyz2bin -q --unsorted-ok -o grown.mbf
    fails 2 "$RDF" --lag 1 --unwrapped grown.mbf -o no
    [[ $output == *"grown.mbf: frame 2: expected the cell of the first frame, found a different cell; --lag needs one cell for the positions at both times" ]] || { echo "$output"; false; }
    frame-cut -q 0:10 flight.mbf -o first.mbf
    frame-cut -q 20:30 flight.mbf -o later.mbf
    cat first.mbf later.mbf >two.mbf
    fails 2 "$RDF" --lag 1 two.mbf -o no
    [[ $output == *"two.mbf: "* && $output == *"second one"* ]] || { echo "$output"; false; }
    "$RDF" --lag 0,3 --bins 30 flight.mbf -o lag.hist
    fails 2 rdf2sq lag.hist
    [[ $output == *"lag.hist: expected g(r), found van Hove functions (use rdf-cpu without --lag)" ]] || { echo "$output"; false; }
    # the window must fit before the run begins: 250,000 steps of 240 bytes, plus a quarter
    fails 4 "$RDF" --lag 250000 --max-mem 60M flight.mbf -o no
    [[ $output == *"a window of "*" steps of 20 atoms"*"a smaller --lag"* ]] || { echo "$output"; false; }
    [ ! -e no ]
    [ -z "${SANITIZED:-}" ] || return 0
    [ "$me" = rdf-cpu ] || return 0
    left
    for n in 20000 160000; do # a run eight times as long, 34 MB more, adds no memory
        py forge/free_flight $n.mbf 20 $n 0.0005 1 2 "9 0 0 0 9 0 0 0 9" X f4
        /usr/bin/time -f %M -o $n.kib rdf-cpu --lag 0:90:30 -t 1 --unwrapped --bins 20 $n.mbf -o out.$n
    done
    awk 'NR == 1 { a = $1 } END { print a, $1; exit !($1 < a + 8000) }' 20000.kib 160000.kib
    # steps move to the front of the window, which the steps of a part do not fill
    sharing 16 2 rdf-cpu 160000.mbf --lag 0:90:30 --unwrapped --bins 20
}

@test "van Hove: columns, labels and axes; a trajectory without a time step has lags" {
    flight 20 40 0.05 1 2 "10 0 0 0 11 0 0 0 12" "A B B" f4
    [ "$("$RDF" --lag 1 --blocks 1 flight.mbf | bin2txt | head -n 1)" = "# r_A t_ps count g n count_s G_s n_s" ]
    "$RDF" --lag 0,4 --pair A-B --pair B-B flight.mbf -o l.hist
    bin2txt l.hist >l.txt
    [ "$(head -n 1 l.txt)" = "# r_A t_ps count_A-B g_A-B n_A-B count_B-B g_B-B n_B-B count_s_B G_s_B n_s_B g_A-B_se g_B-B_se G_s_B_se" ]
    # n is the mean number of partners within r at the later time, at any lag
    awk '!/^#/ && NF { last[$2] = $5 " " $8 " " $11; c[$2] += $3 } END { for (t in last) { split(last[t], n); o = t == 0 ? 40 : 36; by = t == 0 ? 1 : 2
        if ((n[1] - c[t] / (7 * o * by))^2 > 1e-18 || n[3] > 1 || (t == 0 && n[3] != 1)) { print t, last[t]; exit 1 } m++ } exit m != 2 }' l.txt
    [ "$(awk '!/^#/ && NF { print $2 }' l.txt | sort -gu | tr '\n' ' ')" = "0 0.2 " ]
    printf '2\n\nA 1 1 1\nA 3 3 3\n2\n\nA 1 1 1.5\nA 3 3 3\n2\n\nA 1 1 2\nA 3 3 3\n' | xyz2bin -q --cell 12 -o nodt.mbf
    "$RDF" -q --lag 0,2 --bins 4 --rmax 4 nodt.mbf -o lags.hist
    [ "$(bin2txt lags.hist | awk '!/^#/ && NF { print $2, $3, $6 }' | tr '\n' ';')" = "0 0 6;0 0 0;0 0 0;0 3 0;2 0 1;2 0 1;2 0 0;2 2 0;" ]
    bin2txt lags.hist | grep -q '^# r_A lag count '
}

@test "a liquid that cooled in the first tenth of the run is reported, but not after --from" {
    for seed in 1 2 3; do
        md-cpu -q --atoms 256 --density 0.018 --start random --temperature 250 --thermostat berendsen:0.5 --equilibrate 4000 --steps 10 --seed $seed --restart hot -o unused
        md-cpu -q --from-restart hot --temperature 110 --steps 12000 --every 12 -o cooled.mbf
        "$RDF" --bins 80 cooled.mbf -o g 2>err
        grep 'is .* in the first [0-9]* % of the run and .* in the rest, a change of .* standard errors' err >>found || true
        "$RDF" -q --bins 80 --from 6 cooled.mbf -o g
        bin2txt -q g | grep '^## changed' >>wrong || true
    done
    cat found
    [ "$(wc -l <found)" -ge 2 ]
    [ ! -s wrong ]
}
