# SPDX-License-Identifier: MIT
# long
# sanitize
# g4-cpu and (G4=g4-gpu) g4-gpu: correlation functions against the oracles, and what is refused.
# reads: g4-cpu POSN --lags 4

load ../helpers

G4=${G4:-g4-cpu}

# Rounding of one beta in single precision is random and at most 1e-6. Means over many beta agree to
# this, relative to G2(0).
F32_TOL=2e-6
# Sums in double, in another order, of terms that cancel to as little as 1/60.
SUM_RTOL=1e-10

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit
    xyz2bin --select 1:801 "$DATA/argon256.xyz.gz" -o 800.mbf
    xyz2bin --select 0:40 "$DATA/argon256.xyz.gz" -o 40.mbf
    zcat "$DATA/argon256.xyz.gz" | head -n $((12 * 258)) >12.xyz
    # only the first 32 atoms, a dilute sample for which the enumeration is affordable
    awk '(NR - 1) % 258 == 0 { print 32; next } (NR - 1) % 258 <= 33' 12.xyz >32.xyz
    xyz2bin 32.xyz -o 32.mbf
    xyz2bin --dtype f64 32.xyz -o 32d.mbf
    xyz2bin 12.xyz -o 12.mbf
}
setup() { cd "$BATS_FILE_TMPDIR" || exit; }

# cf FILE OPTIONS...: the rows of the text output, "t origins G G2 G3 G4 ...".
cf() { "$G4" "${@:2}" "$1" | bin2txt | grep -v '^#'; }
# at ROW COLUMN <rows
at() { awk -v r="$1" -v c="$2" 'NR == r { print $c }'; }

@test "the published program's G4 on 801 frames (window factor (M-1-t)/(M-t))" {
    cf 800.mbf --sum mic --prefactor 1 --lags 5 >got
    row=1
    for want in 39.76768 39.75875 39.63834; do
        near "$(at $row 6 <got | awk -v t=$((row - 1)) '{ printf "%.9g", $1 * (800 - t) / (801 - t) }')" $want 8e-5
        row=$((row + 1))
    done
    # all four functions in double (tests/data/SOURCES), lags 0, 1, 4
    while read -r lag g2 g3 g4 g; do
        awk -v l="$lag" 'NR == l + 1 { f = (800 - l) / (801 - l); print $3 * f, $4 * f, $5 * f, $6 * f }' got >row
        near "$(at 1 1 <row)" "$g" 1e-4
        near "$(at 1 2 <row)" "$g2" 1e-4
        near "$(at 1 3 <row)" "$g3" 2e-4
        near "$(at 1 4 <row)" "$g4" 1e-4
    done <<END
0 48.684964 -87.014169 39.767690 1.438485
1 47.492071 -86.073277 39.758763 1.177557
4 41.667669 -79.876657 38.638907 0.429919
END
}

@test "G = G2 + G3 + G4 at every lag, to rounding" {
    cf 800.mbf --lags 200 | awk 'NR == 1 { s = $4 } { d = $3 - $4 - $5 - $6; if (d < 0) d = -d; if (d > 1e-12 * s) bad = 1; n++ }
        END { exit bad || n != 200 }'
}

@test "direct = factored = fft, in f32 and f64, with blocks and origins" {
    for f in 32.mbf 32d.mbf; do
        for o in "--lags 6" "--lags 12 --blocks 3" "--lags 5 --origins 7" "--lags 4 --component all --apart --cutoff 9"; do
            "$G4" $o --method direct $f -o d.cf
            "$G4" $o --method factored $f -o a.cf
            "$G4" $o --method fft $f -o f.cf
            compare -q --rtol $SUM_RTOL --atol 1e-9 d.cf a.cf
            compare -q --rtol $SUM_RTOL --atol 1e-9 d.cf f.cf
        done
    done
}

@test "factored = fft over several windows of origins; all lags by default" {
    # with blocks, the first windows are short: 32 sub-blocks of one origin
    for o in "--lags 300" "--lags 40 --blocks 5" "--lags 11 --blocks 2 --origins 701"; do
        "$G4" $o --method factored 800.mbf -o a.cf
        "$G4" $o --method fft 800.mbf -o f.cf
        compare -q --rtol $SUM_RTOL --atol 1e-8 a.cf f.cf
    done
    [ "$(cf 40.mbf | wc -l)" -eq 40 ]
    [ "$(cf 40.mbf | at 40 2)" -eq 1 ]
    "$G4" 800.mbf | bin2txt >t # one block, as long as its lags
    grep -q '^## errors.none one block (use fewer lags, such as a quarter of the run, or --blocks)$' t
    "$G4" --lags 3 800.mbf | bin2txt >t
    fails 1 grep '^## errors.none' t
}

# sc N: a simple cubic crystal of N^3 atoms, a = 1
sc() {
    awk -v n="$1" 'BEGIN { print n * n * n; printf "Lattice=\"%d 0 0 0 %d 0 0 0 %d\" Properties=species:S:1:pos:R:3\n", n, n, n
        for (i = 0; i < n; i++) for (j = 0; j < n; j++) for (k = 0; k < n; k++) print "X", i, j, k }'
}

@test "simple cubic crystals: 1 : -2 : 1, S = 0" {
    while read -r n comp g2; do
        sc "$n" | xyz2bin --sigma 1 --dtype f64 -o sc.mbf
        cf sc.mbf --sum mic --lags 1 --component "$comp" >got
        near "$(at 1 3 <got)" 0 1e-9
        near "$(at 1 4 <got)" "$g2" 1e-6
        near "$(at 1 5 <got)" "$(awk -v g="$g2" 'BEGIN { printf "%.12g", -2 * g }')" 2e-6
        near "$(at 1 6 <got)" "$g2" 1e-6
    done <<END
3 xz 19.1875
3 yz 19.1875
3 xx-yy 129.09375
3 zz 129.09375
5 xy 103.016326
5 xx-yy 619.301731
5 zz 619.301731
END
}

@test "mean of the five components: G2(0) = 0.6 N s6, exactly, from the positions" {
    s6=$(awk 'BEGIN { n = 0 } (NR - 1) % 258 > 1 { x[n] = $2; y[n] = $3; z[n++] = $4 }
        (NR - 1) % 258 == 257 && NR < 1033 { L = 23.03154
            for (i = 0; i < n; i++) for (j = 0; j < i; j++) {
                a = x[i] - x[j]; b = y[i] - y[j]; c = z[i] - z[j]
                a -= L * int(a / L + (a < 0 ? -0.5 : 0.5)); b -= L * int(b / L + (b < 0 ? -0.5 : 0.5))
                c -= L * int(c / L + (c < 0 ? -0.5 : 0.5)); s += (3.4 * 3.4 / (a * a + b * b + c * c)) ^ 3 } n = 0; m++ }
        END { printf "%.9g", s / m }' 12.xyz)
    frame-cut 0:4 12.mbf | "$G4" --sum mic --lags 1 --component all | bin2txt | grep -v '^#' >got
    near "$(at 1 4 <got)" "$(awk -v s="$s6" 'BEGIN { printf "%.9g", 0.6 * s }')" 1e-3
}

# moved PROGRAM: 12.xyz with awk PROGRAM applied to atom lines (x y z in $2 $3 $4, frame in f), as
# positions
moved() { awk "{ f = int((NR - 1) / 258) } (NR - 1) % 258 > 1 { $1 } 1" OFMT=%.9g CONVFMT=%.9g 12.xyz | xyz2bin --unsorted-ok; }

@test "invariance: translation, rotation by 90 degrees, order of the atoms" {
    "$G4" --lags 6 12.mbf -o ref.cf
    "$G4" --lags 6 --component yz 12.mbf -o yz.cf
    tol=$(bin2txt ref.cf | grep -v '^#' | awk -v t=$F32_TOL 'NR == 1 { print $4 * t }')
    moved '$2 += 7.125; $3 -= 31.5; $4 += 0.0625' | "$G4" --lags 6 -o t.cf
    compare -q --rtol 0 --atol "$tol" ref.cf t.cf
    moved 't = $2; $2 = -$4; $4 = t' | "$G4" --lags 6 -o r.cf
    compare -q --rtol 0 --atol "$tol" ref.cf r.cf
    moved 't = $2; $2 = -$3; $3 = t' | "$G4" --lags 6 -o y.cf
    compare -q --rtol 0 --atol "$tol" yz.cf y.cf
    # the same new order in every frame changes nothing; another order in each keeps G alone
    awk '(NR - 1) % 258 < 2 { n = 0; print; next } { a[n++] = $0 } n == 256 { for (i = 255; i >= 0; i--) print a[i] }' 12.xyz |
        xyz2bin --unsorted-ok | "$G4" --lags 6 -o o.cf
    compare -q --rtol 0 --atol "$tol" ref.cf o.cf
    awk '(NR - 1) % 258 < 2 { n = 0; f = int(NR / 258); print; next } { a[n++] = $0 }
        n == 256 { for (i = 0; i < 256; i++) print a[(i + 100 * f) % 256] }' 12.xyz |
        xyz2bin --unsorted-ok | "$G4" --lags 6 -o s.cf
    fails 1 compare -q --rtol 0 --atol "$tol" ref.cf s.cf
    near "$(bin2txt s.cf | grep -v '^#' | at 6 3)" "$(bin2txt ref.cf | grep -v '^#' | at 6 3)" "$tol"
}

@test "pair tables give the same bytes as positions" {
    for o in "" "--component all --cutoff 8" "--prefactor 1"; do
        "$G4" $o --lags 7 40.mbf -o a.cf
        beta-gen $o 40.mbf | "$G4" --lags 7 -o b.cf
        # the GPU sums atoms in another order than pairs, with some roundings of 2^-53 in sums that
        # cancel to 1/60
        if [ "${GPU:-0}" = 1 ]; then compare -q --rtol 1e-12 --atol 1e-12 a.cf b.cf; else
            [ "$(content a.cf)" = "$(content b.cf)" ]; fi
    done
}

@test "same bytes for 1 and 2 threads, pipe or file, compressed or not, any SIMD level" {
    frame-cut 0:$(whole 260 800) 800.mbf -o some.mbf # some windows, of which the last is no whole one
    for m in "--method factored --lags 30 --blocks 4" "--method fft"; do
        "$G4" $m -t 1 some.mbf -o a.cf
        "$G4" $m -t 2 some.mbf -o b.cf
        cat some.mbf | "$G4" $m -t 2 -z -o c.cf
        cmp a.cf b.cf
        [ "$(content a.cf)" = "$(content c.cf)" ]
        case $m in *fft) continue ;; esac
        for v in v2 v3 v4; do
            MBF_SIMD=$v "$G4" $m some.mbf -o d.cf
            cmp a.cf d.cf
        done
    done
}

@test "--tmax, --blocks, --origins, --apart: lags, errors, counts, columns" {
    [ "$(cf 40.mbf --tmax 1 | wc -l)" -eq 9 ]
    [ "$(cf 40.mbf --tmax 0.3 | wc -l)" -eq 3 ]
    "$G4" --lags 3 --blocks 4 40.mbf | bin2txt >got
    head -n 1 got | grep -q '^# t_ps origins G G2 G3 G4 G_se G2_se G3_se G4_se$'
    [ "$(grep -v '^#' got | at 1 2)" -eq 40 ]
    [ "$(grep -v '^#' got | at 3 2)" -eq 38 ]
    [ "$(cf 40.mbf --lags 3 --origins 30 | at 3 2)" -eq 30 ]
    "$G4" --lags 3 --component all --apart 40.mbf | bin2txt | head -n 1 | grep -q 'G_xx-yy G2_xx-yy G3_xx-yy G4_xx-yy G_zz'
}

@test "META says what was computed" {
    "$G4" --lags 3 --component all --blocks 2 --cutoff 9 40.mbf | bin2txt --meta >got
    grep -q 'data.quantity.correlation' got
    grep -q 'data.component.xz xy yz xx-yy zz' got
    grep -q 'data.cutoff.9' got
    grep -q 'data.prefactor.3' got
    grep -q 'data.convention.*unordered pairs' got
    grep -q 'data.isotropy.sigma' got
}

@test "isotropy: silent on a fluid, a warning where the components differ" {
    fails 0 "$G4" --lags 2 --component all --blocks 5 -o a.cf 800.mbf
    [[ $output != *isotropy* ]]
    # a cell stretched along z is not isotropic
    awk '(NR - 1) % 258 == 1 { $5 *= 2 } (NR - 1) % 258 > 1 { $4 *= 2 } 1' 12.xyz | xyz2bin --unsorted-ok -o z.mbf
    fails 0 "$G4" --lags 2 --component all --blocks 4 -o a.cf z.mbf
    [[ $output == *warning*isotropy* ]]
}

@test "blocks shorter than twice the correlation time: a warning" {
    fails 0 "$G4" --lags 20 --blocks 200 -o a.cf 800.mbf
    [[ $output == *warning*"correlation time"* ]]
}

@test "two atoms at one place: frame and both atoms" {
    # atoms 18 and 4 coincide in frame 1, atoms 7 and 2 in frame 9
    for n in 256 32; do
        awk -v n=$n '{ f = int((NR - 1) / (n + 2)); k = (NR - 1) % (n + 2) - 2 }
            f == 1 && k == 4 || f == 9 && k == 2 { keep = $0 }
            f == 1 && k == 18 || f == 9 && k == 7 { $0 = keep } 1' $([ $n = 32 ] && echo 32 || echo 12).xyz >same.xyz
        xyz2bin --unsorted-ok same.xyz -o same$n.mbf
        xyz2bin --unsorted-ok --dtype f64 --select 2: same.xyz -o later$n.mbf
    done
    for o in "factored 256" "fft 256" "direct 32" "factored --component all 256" "fft --component all --blocks 2 256"; do
        fails 2 "$G4" --lags 2 --method ${o% *} same${o##* }.mbf -o x.cf
        [[ $output == *": frame 1: atoms 4 and 18 (counted from 0) are at the same place" ]]
        fails 2 "$G4" --lags 2 --method ${o% *} later${o##* }.mbf -o x.cf
        [[ $output == *": frame 7: atoms 2 and 7 (counted from 0) are at the same place" ]]
        [ ! -e x.cf ]
        # 5 origins and 2 lags use frames 0 to 5
        [[ $o == *blocks* ]] || "$G4" --lags 2 --origins 5 --method ${o% *} later${o##* }.mbf -o y.cf
    done
    # two atoms so close along an axis that only some components are not finite, from sigma^3 r^-5
    for at in '1e-7 0 0' '0 1e-7 0' '0 0 1e-7'; do
        printf '3\nLattice="20 0 0 0 20 0 0 0 20"\nAr 0 0 0\nAr %s\nAr 5 6 7\n' "$at" | xyz2bin -q --unsorted-ok --dt 1 --sigma 1e6 -o close.mbf
        for m in "$G4 --lags 1 --method direct" "$G4 --lags 1 --method factored" beta-gen; do
            fails 2 $m --sum mic --component all close.mbf -o x.cf
            [[ $output == *": frame 0: atoms 0 and 1 (counted from 0) are at the same place" ]]
        done
    done
}

@test "sums beyond the range of a double" {
    # values of beta are finite and their products are not; 0 and 1e-60 differ in f64
    for k in 0 1 2; do printf '%s\n' 3 '1 x 20 20 20 3' 'A 0 0 0' 'A 1e-60 0 1e-60' 'A 5 5 5'; done | xyz2bin --dtype f64 -o large.mbf
    for m in factored fft direct; do
        fails 2 "$G4" --lags 2 --method $m large.mbf -o x.cf
        beta-gen large.mbf | fails 2 "$G4" --lags 2 --method $m
        [[ $output == *": the sums are not finite, because the numbers in the input are too large" ]]
        [ ! -e x.cf ]
    done
}

# Error of sums of a few thousand terms in double, in two orders, relative to G(0).
SERIES_TOL=1e-12

# follows OPTIONS FILE: acf of --series gives G, which --series does not change
follows() {
    "$G4" --series s.mbf "${@:2}" "$1" -o g.cf 2>/dev/null
    "$G4" "${@:2}" "$1" -o plain.cf 2>/dev/null
    [ "$(content g.cf)" = "$(content plain.cf)" ]
    acf -q --average G --blocks 1 --lags "$(bin2txt g.cf | grep -vc '^#')" s.mbf | bin2txt | grep -v '^#' >a.txt
    bin2txt g.cf | grep -v '^#' | paste - a.txt | awk -v tol=$SERIES_TOL '
        NR == 1 { s = $3 } { d = $3 - $NF; if (d < 0) d = -d; if (d > tol * s) bad = 1; n++ } END { exit bad || n == 0 }'
}

@test "--series: acf of it is G, in every method, for positions and pairs" {
    follows 800.mbf --lags 40 --component all
    frame-check -q s.mbf
    [ "$(bin2txt s.mbf | grep -v '^##' | head -n 1)" = "# step t_ps S_xz S_xy S_yz S_xx-yy S_zz" ]
    bin2txt s.mbf | grep -v '^#' | awk '$1 != NR - 1 || $2 != 0.125 * NR { bad = 1 } END { exit bad || NR != 800 }'
    follows 40.mbf --method fft --cutoff 9
    follows 32.mbf --method direct --lags 3
    follows 32d.mbf --method fft --component xx-yy
    # pairs, threads and levels: the same bits
    "$G4" -q --lags 2 --component all --series a.mbf 40.mbf -o x.cf
    beta-gen --component all 40.mbf -o pairs.mbf
    follows pairs.mbf --lags 9
    [ "$(content a.mbf)" = "$(content s.mbf)" ]
    MBF_SIMD=v2 "$G4" -q -t 1 --lags 2 --component all --series s.mbf 40.mbf -o x.cf
    [ "$(content a.mbf)" = "$(content s.mbf)" ]
}

@test "--series: nothing is written where the run fails, and no output twice" {
    printf 'A %s\n' '0 0 0' '5 5 5' '5 5 5' | { printf '3\n1 x 20 20 20 3\n'; cat; } | xyz2bin -q -o same.mbf
    fails 2 "$G4" --lags 1 --series s2.mbf same.mbf -o x2.cf
    [[ $output == *": frame 0: atoms 1 and 2 (counted from 0) are at the same place" ]]
    fails 2 "$G4" --lags 99 --series s2.mbf 40.mbf -o x2.cf
    fails 2 "$G4" --lags 1 --series s2.mbf 40.mbf -o s2.mbf
    fails 2 "$G4" --lags 1 --series - 40.mbf
    fails 3 "$G4" --lags 1 --series no/s2.mbf 40.mbf -o x2.cf
    fails 3 "$G4" --lags 1 --series /dev/full 40.mbf -o x2.cf
    [ ! -e s2.mbf ]
    [ ! -e x2.cf ]
}

@test "triclinic cells need a cutoff or a smooth sum, and no cutoff passes half the width" {
    { echo 4; echo 'Lattice="12 0 0 3 11 0 0 0 13" Properties=species:S:1:pos:R:3'
        printf 'A %s\n' '0 0 0' '4 1 0' '0 5 3' '11 10 12'; } | xyz2bin --sigma 3 --dt 1 -o tri.mbf
    fails 2 "$G4" --sum mic --lags 1 tri.mbf
    [[ $output == *cutoff*triclinic* ]]
    fails 2 "$G4" --lags 1 --cutoff 7 tri.mbf
    "$G4" --lags 1 --cutoff 5 tri.mbf -o a.cf
    "$G4" --lags 1 --cutoff 5 --method direct tri.mbf -o d.cf
    compare -q --rtol $SUM_RTOL --atol 1e-12 a.cf d.cf
    "$G4" -q --lags 1 tri.mbf -o a.cf
    fails 2 "$G4" --lags 1 --cutoff 11.6 40.mbf
    [[ $output == *"half the smallest width"* ]]
}

# listed FILE OPTIONS...: a sum that ends inside the cell, by lists if they pay, agrees with all
# pairs by transforms to 1e-10
listed() {
    "$G4" -q "${@:2}" --method factored "$1" -o l.cf
    "$G4" -q "${@:2}" --method fft "$1" -o f.cf
    compare -q --rtol $SUM_RTOL --atol 1e-9 l.cf f.cf || { echo "$@"; compare --rtol $SUM_RTOL --atol 1e-9 l.cf f.cf; false; }
}

@test "lists of neighbours give what all pairs give: fine frames, a fast system in sparse frames, f64, blocks" {
    local argon="md-cpu -q --density 0.020954 --temperature"
    $argon 90 --atoms 864 --equilibrate 200 --steps 800 --every 4 -o cold.mbf
    $argon 400 --atoms 864 --equilibrate 400 --steps $(whole 3000 8000) --every 100 -o hot.mbf # pairs cross R2 in every frame
    bin2xyz hot.mbf | xyz2bin -q --dtype f64 --sigma 3.4 -o hotd.mbf
    all=$(whole "" 1)
    for f in cold hot hotd; do
        listed $f.mbf --sum taper:5,8.5 --lags 24
        [ $f != hotd ] || [ -n "$all" ] || continue
        listed $f.mbf --sum taper:0,4 --lags 7 --blocks 3 --component all --apart
        listed $f.mbf --cutoff 8 --lags $([ $f = cold ] && echo 70 || whole 20 70) --origins 9
    done
    [ -z "${SANITIZED:-}" ] || return 0
    $argon 90 --atoms 4000 --equilibrate 50 --steps $(whole 60 160) --every 4 -o more.mbf
    listed more.mbf --sum taper:9,12 --lags 9
}

@test "lists of neighbours in any cell, cells that change, free and partly periodic ones" {
    # 400 atoms of a random walk of 1 Å a step in cells "CELL(9 numbers) GROWTH PBC"
    while read -r a b c d e f g h i grow pbc; do
        awk -v cell="$a $b $c $d $e $f $g $h $i" -v grow=$grow -v pbc=$pbc "$UNIFORM"'BEGIN { seed(3); split(cell, h); split(pbc, p, ",")
            for (f = 0; f < 30; f++) {
                s = 1 + grow * f
                printf "400\nLattice=\""
                for (k = 1; k <= 9; k++) printf "%.9g%s", h[k] * (k < 4 ? s : 1), k < 9 ? " " : ""
                printf "\" pbc=\"%s %s %s\" Properties=species:S:1:pos:R:3\n", p[1], p[2], p[3]
                for (a = 0; a < 400; a++) { for (k = 1; k <= 3; k++) {
                        if (!f) u[a, k] = ((k == 1 ? a % 8 : k == 2 ? int(a / 8) % 8 : int(a / 64)) + 0.3 * uniform()) / 8
                        u[a, k] += (uniform() - 0.5) * 0.03 }
                    printf "A %.9g %.9g %.9g\n", s * u[a, 1] * h[1] + u[a, 2] * h[4] + u[a, 3] * h[7],
                        s * u[a, 1] * h[2] + u[a, 2] * h[5] + u[a, 3] * h[8], s * u[a, 1] * h[3] + u[a, 2] * h[6] + u[a, 3] * h[9] }
            } }' | if [ $pbc = F,F,F ]; then sed 's/^Lattice.*//'; else cat; fi | xyz2bin -q --unsorted-ok --sigma 3.4 --dt 1 -o any.mbf
        listed any.mbf --sum taper:3,6 --lags 11
        listed any.mbf --sum taper:3,6 --lags 3 --component xx-yy --blocks 2
        "$G4" -v --sum taper:3,6 --lags 3 any.mbf -o x.cf 2>said
        [ "${GPU:-0}" = 1 ] || grep -q "neighbour lists: .* of .* pairs come within range at least once" said
    done <<END
24 0 0 0 24 0 0 0 24 0 T,T,T
24 0 0 0 26 0 0 0 31 0.002 T,T,T
24 0 0 8 23 0 -7 9 30 0 T,T,T
26 0 0 8 23 0 -7 9 30 -0.003 T,T,T
24 0 0 0 24 0 0 0 24 0 T,T,F
24 0 0 8 23 0 -7 9 30 0.002 F,T,F
30 0 0 0 30 0 0 0 30 0 F,F,F
END
}

@test "lists of neighbours: the same bytes for any threads, level and pipe; what is refused" {
    md-cpu -q --atoms 500 --density 0.020954 --steps 400 --every 4 -o l.mbf
    "$G4" --sum taper:4,7 --lags 20 -t 1 l.mbf -o a.cf
    cat l.mbf | "$G4" --sum taper:4,7 --lags 20 -t 3 -o b.cf
    [ "$(content a.cf)" = "$(content b.cf)" ]
    for v in v2 v3 v4; do
        MBF_SIMD=$v "$G4" --sum taper:4,7 --lags 20 l.mbf -o d.cf
        [ "$(content a.cf)" = "$(content d.cf)" ]
    done
    bin2xyz l.mbf | awk '{ f = int((NR - 1) / 502); k = (NR - 1) % 502 - 2 } f == 9 && k == 2 { keep = $0 } f == 9 && k == 307 { $0 = keep } 1' |
        xyz2bin -q --unsorted-ok -o same.mbf
    fails 2 "$G4" --sum taper:4,7 --lags 2 same.mbf -o none.cf
    [[ $output == *": frame 9: atoms 2 and 307 (counted from 0) are at the same place" ]]
    fails 4 "$G4" --sum taper:4,7 --lags 20 --max-mem 1M l.mbf -o none.cf
    [[ $output == *"500 atoms"*@(limit|allowed)*--max-mem* ]]
    [ ! -e none.cf ]
}

@test "g4-gpu: sums in f32 keep to their bound and repeat" {
    [ "${GPU:-0}" = 1 ] || skip "needs a GPU"
    # 21 roundings of 2^-24 of |b b'| in G2, and twice this in G3
    for o in "--lags 48" "--lags 60 --blocks 3 --component all --cutoff 9"; do
        "$G4" $o --method factored 800.mbf -o a.cf
        "$G4" $o --method factored --accumulate f32 800.mbf -o f.cf
        "$G4" $o --method factored --accumulate f32 800.mbf -o g.cf
        cmp f.cf g.cf
        tol=$(bin2txt a.cf | grep -v '^#' | awk 'NR == 1 { print 2 * 1.3e-6 * $4 }')
        compare -q --rtol 0 --atol "$tol" a.cf f.cf
        [ "$(content a.cf)" != "$(content f.cf)" ]
    done
    beta-gen 40.mbf -o p.mbf
    "$G4" --lags 20 p.mbf -o a.cf
    "$G4" --lags 20 --accumulate f32 p.mbf -o f.cf
    tol=$(bin2txt a.cf | grep -v '^#' | awk 'NR == 1 { print 2 * 1.3e-6 * $4 }')
    compare -q --rtol 0 --atol "$tol" a.cf f.cf
    bin2txt --meta f.cf | grep -q 'data.accumulate.*1.3e-6'
    fails 2 "$G4" --lags 5 --accumulate f32 32d.mbf
    [[ $output == *"f32 input"* ]]
    fails 2 "$G4" --lags 5 --accumulate f32 --method fft 40.mbf
    [[ $output == *"--method factored"* ]]
}

@test "g4-gpu: a mesh where g4-cpu has one: its functions, the same bytes twice" {
    [ "${GPU:-0}" = 1 ] || skip "needs a GPU"
    md-cpu -q --atoms 4000 --density 0.021 --steps 12 --every 1 -o n4.mbf
    for o in "" "--sum ewald --component all" "--sum ewald:10,12,1e-4"; do
        # shellcheck disable=SC2086
        g4-cpu -q --lags 5 $o n4.mbf -o c.cf
        # shellcheck disable=SC2086
        "$G4" -v --lags 5 $o n4.mbf -o g.cf 2>said
        grep -q 'mesh sum: S and A_i' said
        # shellcheck disable=SC2086
        "$G4" -q --lags 5 $o n4.mbf -o h.cf
        cmp g.cf h.cf
        compare -q --rtol 1e-10 --atol 1e-10 c.cf g.cf || { echo "$o"; compare c.cf g.cf; false; }
    done
}

@test "g4-gpu: pair functions of every rank and sum, by tables, lists, fft, direct and a mesh: the functions of g4-cpu" {
    [ "${GPU:-0}" = 1 ] || skip "needs a GPU"
    awk 'NF == 4 && NR % 3 { $1 = "Kr" } 1' 12.xyz >twelve.xyz # names of each frame as in the first: 258 lines
    for t in f32 f64; do xyz2bin -q --dtype $t twelve.xyz -o $t.mbf; done
    awk 'NF == 4 && NR % 34 % 3 == 1 { $1 = "Kr" } 1' 32.xyz | xyz2bin -q - -o two.mbf
    n=0
    for head in "rank 0;unit A^3" "rank 1;unit D" "rank 2;unit A^3" "rank 2 +did;unit 1"; do
        for end in 10 5; do
            awk -v head="$head" -v end=$end 'BEGIN { gsub(/;/, "\n", head); one = head ~ /rank 1/; print head "\nr", one ? "Kr-Ar" : "Ar-Ar Kr-Ar Kr-Kr"
                for (k = 0; k <= 100; k++) { r = 2 + k * (end - 2) / 100; u = (end - r) / (end - 2); a = 4 * u * u * u
                    print r, one ? a * cos(r) : a " " a * cos(r) " " (-a) } }' >f$n.$end
        done
        n=$((n + 1))
    done
    while read -r file options; do
        # shellcheck disable=SC2086
        g4-cpu -q $options $file.mbf -o c.cf
        # shellcheck disable=SC2086
        "$G4" -q $options $file.mbf -o g.cf
        compare -q --rtol 1e-10 --atol 1e-10 c.cf g.cf || { echo "$file $options"; compare c.cf g.cf; false; }
    done <<'END'
f32 --lags 5 --pair-function f0.10
f32 --lags 5 --pair-function f1.10 --component all
f32 --lags 5 --pair-function f2.10 --component all --beta-weights Ar=1.64,Kr=-2.48
f32 --lags 5 --pair-function f3.10 --component all
f32 --lags 5 --pair-function f3.10 --sum ewald:10,11 --component zz
f32 --lags 5 --pair-function f1.5 --method factored
f32 --lags 5 --pair-function f2.5 --component all --pair Ar-Kr
f32 --method fft --pair-function f1.10 --component z
f64 --lags 5 --pair-function f1.10 --component all
f64 --lags 5 --pair-function f3.10
f64 --lags 5 --pair-function f0.5
f64 --method fft --pair-function f2.10 --component xx-yy
two --lags 2 --method direct --pair-function f2.10
two --lags 2 --method direct --pair-function f1.10 --component y
END
}

@test "what cannot be is refused with the reason" {
    fails 2 "$G4" --lags 41 40.mbf
    [[ $output == *"41 lags"*"40"* ]]
    fails 2 "$G4" --lags 5 --origins 37 40.mbf
    [[ $output == *41*40* ]]
    fails 2 "$G4" --lags 2 --blocks 41 40.mbf
    fails 2 "$G4" --lags 2 --tmax 1 40.mbf
    fails 2 "$G4" --method direct 40.mbf
    fails 2 "$G4" --method slow 40.mbf
    fails 2 "$G4" --lags 0 40.mbf
    beta-gen 40.mbf -o p.mbf
    fails 2 "$G4" --lags 2 --cutoff 9 p.mbf
    [[ $output == *--cutoff* ]]
    sc 3 | xyz2bin -o nosigma.mbf
    fails 2 "$G4" --lags 1 nosigma.mbf
    [[ $output == *--sigma* ]]
    fails 2 "$G4" --tmax 1 --sigma 1 nosigma.mbf
    [[ $output == *--lags* ]]
    fails 4 "$G4" --lags 5 --max-mem 1M 40.mbf
    [[ $output == *need*@(limit|allowed)*--max-mem* ]]
    cat 40.mbf 40.mbf >two.mbf
    fails 2 "$G4" --lags 2 two.mbf
    fails 2 "$G4" --lags 2 a.cf
}

@test "-v: the engine, and the seconds that the frames took" {
    xyz2bin -q "$DATA/argon8.xyz" -o a.mbf
    "$G4" -v --lags 2 a.mbf -o x.cf 2>said
    n=$(frame-check a.mbf | grep -o '[0-9]* steps')
    grep -qE "^$G4: ${n% steps} frames in [0-9]+\.[0-9]{6} s$" said || { cat said; false; }
    "$G4" -q --lags 2 a.mbf -o x.cf 2>said
    [ ! -s said ]
}

@test "shares are the bits of the one run" {
    argon_gas 30 400
    for o in "--lags 9 --component all" "--lags 20 --sum mic" "--lags 3 --sum ewald" "--lags 2 --method direct"; do
        # shellcheck disable=SC2086
        sharing 5 1 "$G4" gas.mbf $o
    done
    sharing 64 64 "$G4" gas.mbf --lags 9
}
