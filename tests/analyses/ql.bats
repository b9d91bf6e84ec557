#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# sanitize
# ql-cpu (or $QL): closed forms of lattices, the definition in NumPy without harmonics, atoms
# without neighbours, means, errors, refusals; ql-gpu, or without a GPU its engine on an emulated
# machine, gives the bits of ql-cpu.
# reads: ql-cpu POSN --rmax 4
# shard: ql-cpu POSN --rmax 4.5 --w --averaged
# shard: ql-cpu POSN --nearest 8 --blocks 10
# options: ql-cpu shares in
# option: ql-cpu l 4,6 4,8 --rmax=4
# option: ql-cpu rmax 4 4.5
# option: ql-cpu nearest 4 6
# option: ql-cpu averaged - + --rmax=4
# option: ql-cpu w - + --rmax=4
# option: ql-cpu blocks 4 6 --rmax=4
# option: ql-cpu per-atom: another output
load ../helpers

QL=${QL:-ql-cpu}

rows() { bin2txt "$1" | grep -v '^#'; }

# crystal A,B,C BASIS N NOISE FRAMES: N³ cells with edges A, B, C (rows of a hexagonal cell if C is
# hcp), atoms at the fractions of BASIS ("0 0 0, 0.5 0.5 0"), displaced at random, as XYZ.
crystal() {
    awk -v edges="$1" -v basis="$2" -v n="$3" -v noise="$4" -v frames="${5:-1}" -v hexagonal="${6:-0}" "$UNIFORM"'BEGIN {
        seed(5); split(edges, e, ","); nb = split(basis, at, ",")
        bx = hexagonal ? -e[1] / 2 : 0; by = hexagonal ? e[1] * sqrt(3) / 2 : e[2]
        for (f = 0; f < frames; f++) {
            printf "%d\nLattice=\"%.17g 0 0 %.17g %.17g 0 0 0 %.17g\" pbc=\"T T T\" Properties=species:S:1:pos:R:3\n", nb * n ^ 3, n * e[1], n * bx, n * by, n * e[3]
            for (k = 0; k < n ^ 3; k++) for (b = 1; b <= nb; b++) {
                split(at[b], s, " "); u = k % n + s[1]; v = int(k / n) % n + s[2]; w = int(k / n / n) + s[3]
                printf "A %.17g %.17g %.17g\n", u * e[1] + v * bx + noise * (uniform() - 0.5), v * by + noise * (uniform() - 0.5), w * e[3] + noise * (uniform() - 0.5) } } }' |
        xyz2bin -q --dtype f64 --unsorted-ok --dt 1 -
}
FCC="0 0 0, 0.5 0.5 0, 0.5 0 0.5, 0 0.5 0.5"

# closed FILE OPTIONS Q4² Q6² W4² W6²: the means are the roots of these numbers, with their signs; -
# is not compared. Tolerance 1e-12, for some hundred operations in double on numbers up to 1.
closed() {
    # shellcheck disable=SC2086
    "$QL" -q --w $2 "$1" -o closed.ql
    # shellcheck disable=SC2046
    rows closed.ql | awk -v want="$3 $4 $5 $6" 'BEGIN { split(want, e, " ") }
        { for (k = 0; k < 2; k++) { x = e[2 * k + NR]; if (x == "-") continue; split(x, f, "/"); s = f[1] < 0 ? -1 : 1
            d = $(3 + k) - s * sqrt(s * f[1] / f[2]); if (!(d * d <= 1e-24)) { print "row " NR ": " $(3 + k) ", not the root of " x; bad = 1 } } n++ }
        END { exit bad || n != 2 }'
}

@test "fcc, bcc, hcp and simple cubic: the closed forms, by distance and by number, averaged or not" {
    crystal 4,4,4 "$FCC" 4 0 >fcc.mbf
    for o in "--rmax 3" "--nearest 12" "--rmax 3 --averaged" "--nearest 12 --averaged"; do
        closed fcc.mbf "$o" 7/192 169/512 -98/3861 -8/46189
    done
    crystal 3,3,3 "0 0 0, 0.5 0.5 0.5" 5 0 >bcc.mbf
    closed bcc.mbf "--nearest 8" 7/27 32/81 -98/3861 8/46189
    closed bcc.mbf "--rmax 2.8" 7/27 32/81 -98/3861 8/46189
    crystal 3,3,3 "0 0 0" 4 0 >sc.mbf
    closed sc.mbf "--rmax 3.5" 7/12 1/8 98/3861 8/46189
    crystal "3,3,$(awk 'BEGIN { printf "%.17g", 3 * sqrt(8 / 3) }')" "0 0 0, 0.66666666666666667 0.33333333333333333 0.5" 5 0 1 1 >hcp.mbf
    closed hcp.mbf "--rmax 3.5" 49/5184 29237/124416 18/1001 -
    bin2txt closed.ql | grep -qx '# l atoms q w'
    [ "$(rows closed.ql | cut -d' ' -f1,2 | xargs)" = "4 250 6 250" ]
}

# atoms FILE: number of neighbours, q and w of each atom of each step.
atoms() { bin2xyz -q "$1" | awk 'NF > 4 && !/=/ { $1 = $2 = $3 = $4 = ""; print }'; }

# copied FILE ATOMS: ATOMS has the cells, times and positions of FILE.
copied() {
    for f in "$@"; do
        bin2xyz -q "$f" | sed -E 's/:(neighbours|vel)[^ ]*//; s/ [a-z0-9]+_unit=1//g; s/ vel[a-z]*_unit=[^ ]*//' | awk 'NF > 4 && !/=/ { NF = 4 } 1' >"bare.$f"
    done
    cmp "bare.$1" "bare.$2"
}

# defined FILE ORDERS rmax=R|nearest=K [averaged]: the values of all atoms equal the definition
# within TOL. 1e-12 as for the closed forms; the quadrature of the definition is exact to 1e-13.
defined() {
    local f=$1 l=$2
    py oracle/bond_order "$@" >want
    shift 2
    # shellcheck disable=SC2046,SC2001
    "$QL" -q --w --l "$l" $(sed 's/ *\(rmax\|nearest\|averaged\)=*/ --\1 /g' <<<"$*") --per-atom atoms.mbf "$f" -o mean.ql
    frame-check -q --strict atoms.mbf
    copied "$f" atoms.mbf
    atoms atoms.mbf >got
    [ "$(wc -l <want)" -eq "$(wc -l <got)" ]
    paste want got | awk -v t="${TOL:-1e-12}" '{ n = NF / 2; for (i = 1; i <= n; i++) { d = $i - $(n + i); if (!(d * d <= t * t)) { print "atom " NR ", column " i ": " $i ", " $(n + i); exit 1 } } }
        END { exit NR < 13 || n < 3 }'
}

@test "water, a triclinic cell, a slab, a cluster: the definition by Legendre polynomials" {
    numpy_python
    # positions in f32, and values also: 2^-24 of numbers up to 1
    frame-cut -q 0:2 --species O "$DATA/water64.mbf" -o o.mbf
    TOL=6e-8 defined o.mbf 4,6 nearest=4
    TOL=6e-8 defined o.mbf 2,3,5,8 rmax=3.5 averaged
    # a different cell in every step
    awk 'BEGIN { for (f = 0; f < 3; f++) { printf "20\nLattice=\"%g 0 0 1 %g 0 0 -1 %g\" pbc=\"T T T\"\n", 9 + f, 8 + f, 9 - f / 4
        for (i = 0; i < 20; i++) print "A", i % 3 * 3 + i / 7, i % 4 * 2 + i * i % 7 / 5, i % 5 * 1.7 + f / 9 } }' | xyz2bin -q --unsorted-ok --dtype f64 - -o cells.mbf
    defined cells.mbf 4,6 rmax=3.5
    xyz2bin -q --unsorted-ok --dtype f64 "$ROOT/tests/golden/triclinic.xyz" -o t.mbf
    defined t.mbf 4,6 rmax=4
    frame-cut -q --atoms 0:80 t.mbf -o t.part
    defined t.part 2,4,6,12 nearest=9 averaged
    bin2xyz -q t.part | sed 's/ pbc="T T T"//' | xyz2bin -q --unsorted-ok --dtype f64 --pbc xy - -o slab.mbf
    defined slab.mbf 4,6 rmax=5
    awk 'BEGIN { g = (1 + sqrt(5)) / 2; print 13; print "Properties=species:S:1:pos:R:3"; print "A 0 0 0"
        for (s = -1; s < 2; s += 2) for (t = -g; t < 2; t += 2 * g) { printf "A 0 %.17g %.17g\nA %.17g %.17g 0\nA %.17g 0 %.17g\n", s, t, s, t, t, s } }' |
        xyz2bin -q --unsorted-ok --dtype f64 --pbc none - -o ico.mbf
    defined ico.mbf 6,10 rmax=2.2
    defined ico.mbf 6,10 nearest=12 averaged
}

@test "the same bits for any number of threads and any instructions" {
    crystal 4,4,4 "$FCC" 5 0.4 3 >f.mbf
    for o in "--rmax 3.3 --averaged" "--nearest 11"; do
        # shellcheck disable=SC2086
        "$QL" -q -t 1 --w $o --per-atom s f.mbf -o m1
        mv s s1
        for t in 2 3 5; do
            # shellcheck disable=SC2086
            MBF_SIMD=v$((t < 4 ? t : 2)) "$QL" -q -t $t --w $o --per-atom s f.mbf -o m
            cmp m1 m
            cmp s1 s
        done
    done
}

@test "the averages are those of the atoms and steps, with errors; positions are copied" {
    crystal 4,4,4 "$FCC" 3 0.5 60 >f.mbf
    "$QL" -q --w --nearest 12 --per-atom s f.mbf -o m
    bin2txt m | grep -qx '# l atoms q w q_se w_se'
    # means of steps, in the order of the columns: q4 q6 w4 w6
    atoms s | awk '{ for (i = 2; i <= NF; i++) t[i] += $i } NR % 108 == 0 { for (i = 2; i <= NF; i++) { x = t[i] / 108; s[i] += x; v[i] += x * x; t[i] = 0 } n++ }
        END { for (i = 2; i <= 5; i++) print s[i] / n, sqrt((v[i] / n - (s[i] / n) ^ 2) / (n - 1)) }' >want
    rows m | awk '{ print $3, $5 }' >got
    rows m | awk '{ print $4, $6 }' >>got
    # means agree to the digits of awk; errors of blocks and of steps agree within a factor
    paste want got | awk '{ d = $1 - $3; if (!(d * d <= 1e-10 && $4 > 0.6 * $2 && $4 < 1.7 * $2)) { print; bad = 1 } } END { exit bad || NR != 4 }'
    copied f.mbf s
    "$QL" -q --l 6 --rmax 3.4 --per-atom s f.mbf -o m
    bin2xyz -q s | grep -q 'pos:R:3:neighbours:R:1:q6:R:1 '
    near "$(rows m | awk '{ print $3 }')" "$(atoms s | awk '$1 { n++; q += $2 } END { printf "%.10f", q / n }')" 1e-9
}

@test "an atom without neighbours has q = 0, is left out of the means and is reported" {
    printf '4\nLattice="20 0 0 0 20 0 0 0 20" pbc="T T T"\nA 0 0 0\nA 1 0 0\nA 0 1 0\nA 5 5 0\n' | xyz2bin -q --dtype f64 - -o lone.mbf
    "$QL" --w --rmax 1.2 --per-atom s lone.mbf -o m 2>err
    [ "$(atoms s | awk '{ print $1 } END { print $2, $3, $4, $5 }' | xargs)" = "2 1 1 0 0 0 0 0" ]
    grep -qx "$QL: warning: lone.mbf: 1 of 4 values (one per atom and step) are excluded from the means: the atom has no neighbour closer than 1.2 Å in that step (increase --rmax, or use --nearest)" err
    # atom 0 has two bonds at a right angle, q4² = (1 + P4(0))/2 = 11/16; the others have one, q = 1
    rows m | awk 'NR == 1 { d = $3 - (2 + sqrt(11 / 16)) / 3; exit !($1 == 4 && $2 == 3 && d * d < 1e-24) }'
    "$QL" -q --rmax 0.5 lone.mbf -o m 2>err
    [ -z "$(rows m)" ]
    "$QL" -q --w --nearest 3 lone.mbf -o m
    [ "$(rows m | cut -d' ' -f2 | xargs)" = "4 4" ]
}

@test "a crystal that melts is reported" {
    crystal 4,4,4 "$FCC" 3 0.3 40 >a
    crystal 4,4,4 "$FCC" 3 1.2 40 >b
    frame-cat -q --jumps close a b -o ab.mbf
    "$QL" --nearest 12 ab.mbf -o m 2>err
    grep -q 'warning: ab.mbf: .*the mean of q_l for l = 6' err
    "$QL" --nearest 12 a -o m 2>err
    [ ! -s err ]
}

@test "what cannot be computed is refused" {
    crystal 4,4,4 "$FCC" 2 0 >f.mbf
    refused() {
        local text=$1
        shift
        fails 2 "$QL" "$@" f.mbf -o x
        [[ $output == "$QL: "*"$text"* ]] || { echo "$output, not $text"; false; }
        [ ! -e x ]
    }
    refused "expected --rmax or --nearest, found neither"
    refused "expected --rmax or --nearest, found both" --rmax 3 --nearest 4
    refused "--per-atom cannot be combined with --shard" --rmax 3 --shard 1/2 --per-atom s
    refused "f.mbf: frame 0: --rmax: expected a cutoff above 0 and up to half the smallest width of the cell, 4 Å, found 4.1 Å" --rmax 4.1
    refused "f.mbf: frame 0: expected more than 32 atoms, because each atom needs 32 neighbours, found 32" --nearest 32
    refused "neighbours closer than half the smallest width of the cell, 4 Å" --nearest 31
    for l in 1 13 4,4 6,4 4,,6 4, x 4x -4 ""; do
        refused "--l: expected ascending orders from 2 to 12, found '" --rmax 3 --l "$l"
    done
    refused "--rmax: expected a number" --rmax 0
    refused "--nearest: expected a" --nearest 0
    printf '2\nLattice="20 0 0 0 20 0 0 0 20" pbc="T T T"\nA 1 1 1\nA 21 1 1\n' | xyz2bin -q --dtype f64 - -o f.mbf
    refused "frame 0: expected atoms at different positions, found atoms 0 and 1 at the same position" --rmax 3
}

# another: EMU is ql-gpu, on a GPU or emulated; without either, the test is skipped
another() {
    EMU=ql-gpu
    if [ "$QL" = ql-cpu ]; then
        emulated ql-gpu
    fi
}

# gas ATOMS CELL PBC FRAMES: atoms at random up to two cells away, without a cell in 20 Å, as XYZ
gas() {
    awk -v n="$1" -v cell="$2" -v pbc="$3" -v frames="$4" "$UNIFORM"'BEGIN { seed(9); split(cell ? cell : "20 0 0 0 20 0 0 0 20", h, " ")
        for (f = 0; f < frames; f++) {
            printf "%d\n%s Properties=species:S:1:pos:R:3\n", n, cell ? "Lattice=\"" cell "\" pbc=\"" pbc "\"" : ""
            for (i = 0; i < n; i++) {
                for (k = 1; k < 4; k++) s[k] = cell && substr(pbc, 2 * k - 1, 1) == "T" ? 3 * uniform() - 1 : uniform()
                for (k = 1; k < 4; k++) r[k] = s[1] * h[k] + s[2] * h[3 + k] + s[3] * h[6 + k]
                printf "A %.17g %.17g %.17g\n", r[1], r[2], r[3] } } }' |
        xyz2bin -q --unsorted-ok --dtype f64 --pbc "${5:-xyz}" --dt 1 -
}

# bits FILE OPTION...: both programs give the same means and the same values of the atoms.
bits() {
    local f=$1
    shift
    ql-cpu -q "$@" --per-atom cpu.atoms "$f" -o cpu.ql
    "$EMU" -q "$@" --per-atom gpu.atoms "$f" -o gpu.ql
    [ "$(content cpu.ql cpu.atoms)" = "$(content gpu.ql gpu.atoms)" ] || { echo "$f $*"; false; }
}

@test "ql-gpu gives the bits of ql-cpu in crystals, for any launch shape" {
    another
    crystal 4,4,4 "$FCC" 4 0 >fcc.mbf
    crystal 3,3,3 "0 0 0, 0.5 0.5 0.5" 5 0 >bcc.mbf
    crystal "3,3,$(awk 'BEGIN { printf "%.17g", 3 * sqrt(8 / 3) }')" "0 0 0, 0.66666666666666667 0.33333333333333333 0.5" 5 0 1 1 >hcp.mbf
    crystal 4,4,4 "$FCC" 5 0.4 2 >warm.mbf
    for f in fcc bcc hcp warm; do
        bits $f.mbf --rmax 3.4 --w
        bits $f.mbf --nearest 12 --w --averaged
        bits $f.mbf --nearest 7 # which of equal distances come first
    done
    for how in EMU_NEAR=1 EMU_NEAR=3 EMU_BACKWARD=1; do
        for o in "--rmax 3.3 --averaged" "--nearest 11 --l 2,3,4,5,6,7,8,9,10,11,12 --w"; do
            export "${how?}"
            # shellcheck disable=SC2086
            bits warm.mbf $o
            unset "${how%=*}"
        done
    done
}

@test "ql-gpu gives the bits of ql-cpu in every cell, for 1 to 4000 atoms" {
    another
    for n in 2 17 $(whole 300 "300 4000"); do
        gas "$n" "20 0 0 0 21 0 0 0 25" "T T T" 2 >brick.mbf
        gas "$n" "20 0 0 5 18 0 -4 6 17" "T T T" 2 >triclinic.mbf
        gas "$n" "20 0 0 5 18 0 3 -2 17" "T T F" 2 xy >slab.mbf
        gas "$n" "20 0 0 0 18 0 0 0 27" "F F F" 1 none >open.mbf
        gas "$n" "" "" 1 none >free.mbf
        for f in brick triclinic slab open free; do
            bits $f.mbf --rmax 4 --averaged
            [ "$n" -lt 17 ] || bits $f.mbf --rmax 8 --l 3,6 --w
            [ "$n" -lt 300 ] || for k in 1 5 30; do bits $f.mbf --nearest $k; done
        done
        bits free.mbf --nearest $((n < 99 ? n - 1 : 99)) --averaged
    done
    gas 1 "20 0 0 0 21 0 0 0 25" "T T T" 2 >one.mbf
    bits one.mbf --rmax 4
    # a dense corner of a wide cell, where the search for an isolated atom is enlarged several times
    bin2xyz -q free.mbf | awk '/^A/ { $2 = n++ ? $2 / 4 : 39; $3 = $3 / 4; $4 = $4 / 4 } { print }' |
        sed 's/pbc="F F F"/Lattice="90 0 0 0 90 0 0 0 90" pbc="T T T"/' | xyz2bin -q --unsorted-ok --dtype f64 - -o corner.mbf
    bits corner.mbf --nearest 20 --averaged
}

# cells FILE AWK: the positions of FILE, in the cell AWK of frame n, counted from 1
cells() { bin2xyz -q "$1" | awk "/Lattice=/ { n++; sub(\"Lattice=\\\"[^\\\"]*\", \"Lattice=\\\"\" ($2)) } 1" | xyz2bin -q --unsorted-ok --dtype f64 --pbc "${3:-xyz}" -; }

@test "ql-gpu computes batches of frames: the bits of ql-cpu, in changing cells, with an incomplete last batch" {
    another
    gas 5 "20 0 0 0 21 0 0 0 25" "T T T" 10000 >brick.mbf # at most 4096 frames in a batch
    bits brick.mbf --rmax 9
    gas 5 "" "" 10000 none >free.mbf
    bits free.mbf --nearest 2 --averaged
    gas 60 "20 0 0 0 21 0 0 0 25" "T T T" 20 >brick.mbf
    gas 60 "20 0 0 5 18 0 3 -2 17" "T T F" 20 xy >slab.mbf
    gas 60 "" "" 20 none >free.mbf
    cells brick.mbf '(n < 5 ? 20 : 19 + n / 8) " 0 0 " (n % 3 ? 0 : 4) " 18 0 0 0 " 25 - n % 2' >grown.mbf
    cells slab.mbf '20 " 0 0 5 " 18 + n " 0 0 0 " 17 + n % 4' xy >slabs.mbf
    for f in brick slab free grown slabs; do
        for o in "--rmax 5 --averaged --w" "--nearest 4" "--rmax 5 --max-mem 30K" "--nearest 4 --averaged --max-mem 80K"; do # 3 frames in a batch
            # shellcheck disable=SC2086
            bits $f.mbf $o
        done
        EMU_NEAR=2 bits $f.mbf --nearest 4 --averaged
    done
}

@test "ql-gpu writes each batch before it reads the next one, and the frames before an error" {
    another
    [ "$(md-cpu -q --atoms 40 --density 0.02 --steps 1000000000 --every 5 | timeout 60 "$EMU" -q --rmax 4 --per-atom /dev/stdout -o x | head -c 200000 | wc -c)" = 200000 ]
    [ ! -e x ]
    gas 200 "20 0 0 0 21 0 0 0 25" "T T T" 500 >f.mbf
    cells f.mbf 'n == 481 ? "9 0 0 0 21 0 0 0 25" : "20 0 0 0 21 0 0 0 25"' >small.mbf
    for p in ql-cpu "$EMU"; do
        { "$p" --rmax 5 --per-atom /dev/stdout small.mbf -o x 2>err || true; } | { bin2xyz -q - 2>xyz.err || true; } | grep '^A ' | head -n 40000 >"got.${p##*/}"
        grep -q 'small.mbf: frame 480: --rmax: expected a cutoff' err
    done
    [ "$(wc -l <got.ql-cpu)" = 40000 ] # the last steps wait in the writer until a block of 1 MiB is full
    cmp got.ql-cpu got.ql-gpu
}

@test "ql-gpu refuses the frames and atoms that ql-cpu refuses" {
    another
    # equal FILE OPTION...: both fail with the same message
    equal() {
        local f=$1 want
        shift
        fails 2 ql-cpu "$@" "$f" -o x
        want=${output#*: }
        fails 2 "$EMU" "$@" "$f" -o x
        [ "${output#*: }" = "$want" ] || { echo "$output, not $want"; false; }
    }
    crystal 4,4,4 "$FCC" 2 0.3 3 >f.mbf
    equal f.mbf --rmax 4.1
    equal f.mbf --nearest 32
    equal f.mbf --nearest 31
    gas 60 "20 0 0 5 18 0 -4 6 17" "T T T" 3 >g.mbf
    equal g.mbf --nearest 18
    [[ $output == *"frame "*"atom "*": expected 18 neighbours"* ]]
    # from frame 1 on, atoms 5, 30 and 31 are at the position of atom 40
    bin2xyz -q g.mbf | awk 'NF == 1 { f++; k = 0 } /^A / { r[k] = $0; k++ } !/^A / { print } k == 60 { for (k = 0; k < 60; k++)
        print r[(f > 1 && (k == 5 || k == 30 || k == 31)) ? 40 : k]; k = 0 }' | xyz2bin -q --unsorted-ok --dtype f64 - -o same.mbf
    for o in "--rmax 5 --averaged" "--nearest 6 --averaged"; do
        # shellcheck disable=SC2086
        equal same.mbf $o
        [[ $output == *"frame 1: expected atoms at different positions, found atoms "*"at the same position" ]]
    done
    # in the middle of a batch: a cell that is too small, and two atoms at the same position
    gas 60 "20 0 0 0 21 0 0 0 25" "T T T" 20 >h.mbf
    for at in "9 12" "12 9" "8 8"; do
        cells h.mbf "n == ${at% *} ? \"9 0 0 0 21 0 0 0 25\" : \"20 0 0 0 21 0 0 0 25\"" >small.mbf
        bin2xyz -q small.mbf | awk -v at="${at#* }" 'NF == 1 { f++; k = 0 } /^A / && k++ == 7 { was = $0 } /^A / && f == at && k == 30 { $0 = was } 1' |
            xyz2bin -q --unsorted-ok --dtype f64 - -o both.mbf
        for o in "--rmax 5" "--rmax 5 --max-mem 30K" "--nearest 6 --averaged" "--nearest 30"; do
            # shellcheck disable=SC2086
            equal both.mbf $o
            case $at.$o in
            "9 12.--rmax"*) [[ $output == *"frame 8: --rmax: expected a cutoff"* ]] ;;
            "12 9.--rmax"* | "12 9.--nearest 6"*) [[ $output == *"frame 8: expected atoms at different positions, found atoms 7 and 29 at"* ]] ;;
            *.--rmax*) [[ $output == *"frame 7: --rmax: expected a cutoff"* ]] ;;
            *) [[ $output == *"frame "*"expected 30 neighbours"* ]] || [[ $output == *"frame "*": expected "* ]] ;;
            esac
        done
    done
    fails 4 "$EMU" --rmax 3 --max-mem 1K g.mbf -o x
    [[ $output == *"of memory is needed for 60 atoms, but the limit is 1 KiB"* ]]
}
