# SPDX-License-Identifier: MIT
# sanitize
# --pair-function of beta-gen and g4-cpu: tables of rank 0, 1 and 2 are compared with sums over all
# pairs of pairs in another language, with DID, and with the limits of a dilute gas.

load ../helpers

BRICK="17.25 0 0 0 22 0 0 0 29"
OBLIQUE="17.25 0 0 2.5 16 0 -3 1.5 18"

# table HEAD "NAMES" FIRST END STEP [UNEVEN]: a different function for each pair, which is 0 at END
table() {
    awk -v head="$1" -v names="$2" -v a="$3" -v b="$4" -v h="$5" -v uneven="${6:-0}" 'BEGIN { gsub(/;/, "\n", head); n = split(names, name)
        print "# made by a test\n" head "\nr", names, " # A"
        for (k = 0; a + k * h < b + 1e-9; k++) { r = a + k * h; if (k && r < b - h / 2) r += uneven * h * sin(5 * k); u = (b - r) / (b - a); printf "%.12g", r
            for (c = 1; c <= n; c++) printf " %.12g", u * u * u * (3 + c) * cos(c + r / (2 + c)); print "" } }'
}

# did END: DID of sigma 3.4, with the taper from END - 2 to END
did() {
    awk -v b="$1" -v head="$2" 'BEGIN { print head "\nunit 1\nr Ar-Ar"; for (k = 0; k <= 500; k++) { r = 2.4 + k * (b - 2.4) / 500
        u = (r - b + 2) / 2; if (u < 0) u = 0; printf "%.12g %.12g\n", r, 3 * 3.4 ^ 3 / r ^ 3 * (1 - u * u * u * (10 - 15 * u + 6 * u * u)) } }'
}

mixture() { cloud "$@" | awk '/^Ar/ { if (n++ % 3 == 1) sub("Ar", "Kr") } NF == 1 { n = 0 } 1'; }

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit
    CUBE="17.25 0 0 0 17.25 0 0 0 17.25"
    for c in CUBE BRICK OBLIQUE; do
        mixture "${!c}" 12 4 >$c.xyz
        for t in f32 f64; do xyz2bin -q --sigma 3.4 --dt 0.1 --dtype $t $c.xyz -o $c.$t.mbf; done
    done
    sed 's/Properties/pbc="F F F" Properties/' OBLIQUE.xyz | xyz2bin -q --sigma 3.4 --dt 0.1 --dtype f64 - -o OPEN.f64.mbf
    zcat "$DATA/argon256.xyz.gz" | head -n $((60 * 258)) >liquid.xyz
    xyz2bin -q liquid.xyz -o liquid.mbf
    awk 'NF == 4 && n++ % 3 == 1 { sub("Ar", "Kr") } NF == 1 { n = 0 } 1' liquid.xyz | xyz2bin -q -o mixed.mbf
    table "rank 0;unit A^3" "Ar-Ar Kr-Ar Kr-Kr" 0.5 7 0.13 >rank0
    table "unit D;rank 1" "Ar-Kr" 0.5 7 0.13 >rank1
    table "rank 2;unit A^3" "Ar-Ar Ar-Kr Kr-Kr" 0.5 7 0.13 >rank2
    table "rank 2 +did;unit 1" "Ar-Ar Ar-Kr Kr-Kr" 0.5 7 0.13 >plus
}
setup() { cd "$BATS_FILE_TMPDIR" || exit; }

rows() { bin2txt "$1" | grep -v '^#'; }

# alike TOL A B: columns after the second agree, relative to the largest of all
alike() {
    paste -d ' ' "$2" "$3" | awk -v t="$1" '{ if (NF % 2) bad = 1; for (k = 3; k <= NF / 2; k++) { a = $k; b = $(NF / 2 + k); d = a - b
        if (d < 0) d = -d; if (b < 0) b = -b; if (d > e) e = d; if (b > m) m = b } }
        END { if (bad || !NR || !(e <= t * m) || !m) { print "a difference of " e " of " m; exit 1 } }'
}

@test "a table of any number of rows: 651, 1,024, 1,025 and 13,001 of one function give the same" {
    for h in 0.01 0.00635386119 0.00634765625 0.0005; do
        table "rank 0;unit A^3" "Ar-Ar Kr-Ar Kr-Kr" 0.5 7 $h >of.$h
        g4-cpu -q --lags 3 --blocks 1 --pair-function of.$h CUBE.f64.mbf -o got.cf
        rows got.cf >got.$h
        alike 1e-6 got.0.01 got.$h
    done
    [ "$(for h in 0.01 0.00635386119 0.00634765625 0.0005; do grep -c '^[0-9]' of.$h; done | xargs)" = "651 1024 1025 13001" ]
}

@test "every rank, cell, method and number type: all pairs of pairs as another language takes them" {
    numpy_python
    for cell in CUBE BRICK OBLIQUE OPEN; do
        for t in rank0 rank1 rank2 plus; do
            local all="" sum=""
            [ $t = rank0 ] || all="--component all --apart"
            [ $t != plus ] || sum="--sum mic"
            [ $t != plus ] || [ $cell != OBLIQUE ] || continue # DID of the minimum image needs a cutoff there
            py oracle/pair_sums $cell.f64.mbf $t 3 ${sum:+did} >want
            for m in direct factored fft; do
                # shellcheck disable=SC2086
                g4-cpu -q $all $sum --blocks 1 --lags 3 --method $m --pair-function $t $cell.f64.mbf -o got.cf
                rows got.cf | alike 1e-11 - want || { echo "$cell $t $m"; false; }
            done
            # shellcheck disable=SC2086
            beta-gen -q ${all% --apart} $sum --pair-function $t $cell.f64.mbf | g4-cpu -q ${all#--component all} --blocks 1 --lags 3 -o pairs.cf
            rows pairs.cf | alike 1e-11 - want || { echo "$cell $t pairs"; false; }
            [ -e $cell.f32.mbf ] || continue
            # shellcheck disable=SC2086
            g4-cpu -q $all $sum --blocks 1 --lags 3 --pair-function $t $cell.f32.mbf -o got.cf
            rows got.cf | alike 1e-5 - want || { echo "$cell $t f32"; false; }
        done
    done
}

@test "uneven points, one component, weights, a selection" {
    numpy_python
    table "rank 2;unit 1" "Ar-Ar Ar-Kr Kr-Kr" 0.5 7 0.13 0.3 >uneven
    py oracle/pair_sums CUBE.f64.mbf uneven 2 >want
    g4-cpu -q --component all --apart --lags 2 --blocks 1 --pair-function uneven CUBE.f64.mbf -o got.cf
    rows got.cf | alike 1e-3 - want # a quarter of the smallest interval
    for o in "weights=Ar:1.64,Kr:2.48|--weights Kr=2.48,Ar=1.64" "pair=Ar-Kr|--pair Ar-Kr"; do
        for t in rank1 rank2; do
            py oracle/pair_sums CUBE.f64.mbf $t 2 "${o%|*}" | cut -d ' ' -f 1,2,7-10 >want
            # shellcheck disable=SC2086
            g4-cpu -q --component $([ $t = rank1 ] && echo y || echo xy) --lags 2 --blocks 1 ${o#*|} --pair-function $t CUBE.f64.mbf -o got.cf
            rows got.cf | alike 1e-11 - want || { echo "$o $t"; false; }
        done
    done
}

@test "a table of DID is DID, to the error of the spline; added to DID it is twice DID" {
    did 9 "rank 2" >did
    did 9 "rank 2 +did" >twice
    beta-gen -q --component all --sum taper:7,9 --dtype f64 liquid.mbf | bin2txt >want
    beta-gen -q --component all --dtype f64 --pair-function did liquid.mbf | bin2txt >got
    grep -v '^#' got | cut -d ' ' -f 3- | alike 1e-7 - <(grep -v '^#' want | cut -d ' ' -f 3-)
    left
    beta-gen -q --component all --sum taper:7,9 --dtype f64 --pair-function twice liquid.mbf | bin2txt | grep -v '^#' | cut -d ' ' -f 3- |
        awk -v CONVFMT=%.15g '{ for (k = 3; k <= NF; k++) $k /= 2 } 1' | alike 1e-7 - <(grep -v '^#' want | cut -d ' ' -f 3-)
    for m in factored fft; do # lists of neighbours are possible with the first method only
        g4-cpu -q --component all --lags 5 --sum taper:7,9 --method $m liquid.mbf -o want.cf
        g4-cpu -q --component all --lags 5 --pair-function did --method $m liquid.mbf -o got.cf
        compare -q --rtol 1e-5 want.cf got.cf
    done
}

@test "added to DID with all images: the same function of the minimum image; a mesh and pairs agree" {
    left
    did 9 "rank 2 +did" >plus9
    beta-gen -q --component all --dtype f64 liquid.mbf | bin2txt | grep -v '^#' >ewald
    beta-gen -q --component all --sum taper:7,9 --dtype f64 liquid.mbf | bin2txt | grep -v '^#' >taper
    beta-gen -q --component all --dtype f64 --pair-function plus9 liquid.mbf | bin2txt | grep -v '^#' | cut -d ' ' -f 3- >got
    paste -d ' ' ewald taper | awk -v CONVFMT=%.15g '{ for (k = 5; k <= 9; k++) $k += $(9 + k) } 1' | cut -d ' ' -f 3-9 | alike 1e-7 got -
    for s in pairs 8,10; do
        g4-cpu -q --component all --blocks 1 --lags 3 --sum ewald:$s --pair-function plus9 liquid.mbf -o $s.cf
        rows $s.cf | cut -d ' ' -f 1-3 >$s # the total, which needs no tail
    done
    alike 1e-5 8,10 pairs
    g4-cpu -q --component all --blocks 1 --lags 3 --sum ewald:pairs liquid.mbf -o without.cf
    rows without.cf | cut -d ' ' -f 1-3 >without
    run alike 1e-2 without pairs
    [ "$status" -ne 0 ]
}

@test "a dilute gas: sums per volume are integrals over one pair, within errors; a pure substance has no M" {
    # random positions; atoms do not come closer than 2.12 A, and the potential is 0 beyond
    awk "$UNIFORM"'BEGIN { seed(3); L = 40; n = 30
        for (f = 0; f < 1500; f++) { print n "\n"; for (a = 0; a < n; a++) { do { bad = 0; for (k = 0; k < 3; k++) x[a, k] = L * uniform()
            for (b = 0; b < a && !bad; b++) { s = 0; for (k = 0; k < 3; k++) { d = x[a, k] - x[b, k]; d -= L * int(d / L + (d < 0 ? -0.5 : 0.5)); s += d * d }; bad = s < 4.5 } } while (bad)
            print a % 3 ? "Ar" : "Kr", x[a, 0], x[a, 1], x[a, 2] } } }' >gas.xyz
    xyz2bin -q --jumps-ok --cell 40 --dt 1 gas.xyz -o gas.mbf
    frame-cut -q --species Ar gas.mbf -o pure.mbf
    # the same function for every pair; integral of f^2 4 pi r^2 times the mean square of each form
    for rank in 0 1 2; do
        awk -v rank=$rank 'BEGIN { print "rank", rank "\nunit " (rank == 1 ? "D" : "A^3") "\nr " (rank == 1 ? "Ar-Kr" : "Ar-Ar Ar-Kr Kr-Kr")
            for (k = 0; k <= 200; k++) { r = 2 + k * 0.03; u = (8 - r) / 6; f = u * u * u * 4; print r, f, (rank == 1 ? "" : f " " f) } }' >f$rank
        part=xz
        [ $rank != 1 ] || part=x
        [ $rank != 0 ] || part=
        g4-cpu -q --lags 1 --blocks 30 ${part:+--component $part} --pair-function f$rank gas.mbf -o gas.cf
        rows gas.cf | awk -v rank=$rank 'BEGIN { for (r = 2.12132; r < 8; r += h = 1e-3) { u = (8 - r) / 6; s += 16 * u ^ 6 * 4 * 3.14159265358979 * r * r * h } }
            { pairs = rank == 1 ? 20 * 10 : 30 * 29 / 2; want = pairs / 40 ^ 3 * s / (rank == 0 ? 1 : rank == 1 ? 3 : 15)
              d = $4 - want; if (d < 0) d = -d; e = $8
              print "G2(0)", $4, "+-", e, "expected", want; exit !(e > 0 && e < 0.08 * want && d < 3 * e) }' || { echo "rank $rank"; false; }
        [ $rank = 1 ] || continue
        # <M^2>/V = rho_A rho_B integral: the total of the three components
        g4-cpu -q --lags 1 --blocks 30 --component all --pair-function f1 gas.mbf -o gas.cf
        rows gas.cf | awk 'BEGIN { for (r = 2.12132; r < 8; r += h = 1e-3) { u = (8 - r) / 6; s += 16 * u ^ 6 * 4 * 3.14159265358979 * r * r * h } }
            { want = 20 * 10 / 40 ^ 3 / 40 ^ 3 * s; got = 3 * $3 / 40 ^ 3; e = 3 * $7 / 40 ^ 3; d = got - want; if (d < 0) d = -d
              print "<M^2>/V", got, "+-", e, "expected", want; exit !(e > 0 && e < 0.1 * want && d < 3 * e) }'
    done
    awk '$1 == "r" { $2 = "Ar-Ar" } $1 + 0 > 0 { $2 = 0 } 1' f1 >zero
    g4-cpu -q --lags 1 --component all --pair-function zero pure.mbf -o pure.cf
    [ "$(rows pure.cf | cut -d ' ' -f 3-6)" = "0 0 0 0" ]
}

@test "rotation by 90 degrees: the components change places" {
    awk -v OFMT=%.12g '/^(Ar|Kr)/ { print $1, 40 - $3, $2, $4; next } 1' CUBE.xyz | xyz2bin -q --dt 0.1 --dtype f64 - -o turned.mbf
    while read -r t a b; do
        g4-cpu -q --lags 3 --blocks 1 --component "$a" --pair-function "$t" CUBE.f64.mbf -o a.cf
        g4-cpu -q --lags 3 --blocks 1 --component "$b" --pair-function "$t" turned.mbf -o b.cf
        alike 1e-10 <(rows a.cf) <(rows b.cf)
    done <<'END'
rank1 x y
rank1 y x
rank1 z z
rank2 xz yz
rank2 xx-yy xx-yy
END
}

@test "lists of neighbours have the pairs of all pairs, in f32 and f64" {
    table "rank 0;unit A^3" "Ar-Ar Kr-Ar Kr-Kr" 2 5 0.1 >short0
    table "rank 1;unit D" "Kr-Ar" 2 5 0.1 >short1
    table "rank 2;unit 1" "Ar-Ar Kr-Ar Kr-Kr" 2 5 0.1 >short2
    for t in short0 short1 short2; do
        all="--component all"
        [ $t != short0 ] || all=
        # shellcheck disable=SC2086
        g4-cpu -v $all --lags 6 --blocks 4 --method factored --pair-function $t mixed.mbf -o lists.cf 2>log
        grep -q 'neighbour lists: ' log
        # shellcheck disable=SC2086
        g4-cpu -q $all --lags 6 --blocks 4 --method fft --pair-function $t mixed.mbf -o all.cf
        compare -q --rtol 1e-11 lists.cf all.cf
    done
}

@test "the same bytes from pairs, for any threads and level; 7 parts are one run" {
    for t in rank1 plus; do
        beta-gen -q --component all --pair-function $t mixed.mbf -o p.mbf
        for m in fft factored; do # lists, in the order of the cells, add the pairs of rank 1 in another order
            g4-cpu -q --component all --lags 9 --method $m --pair-function $t mixed.mbf -o whole.cf
            g4-cpu -q --lags 9 --method $m p.mbf -o pairs.cf
            compare -q --rtol 1e-12 whole.cf pairs.cf
            [ "$t $m" = "rank1 factored" ] || [ "$(content whole.cf)" = "$(content pairs.cf)" ]
        done
        for l in v2 v3 v4; do
            MBF_SIMD=$l g4-cpu -q -t 3 --component all --lags 9 --method factored --pair-function $t mixed.mbf -o level.cf
            [ "$(content whole.cf)" = "$(content level.cf)" ]
        done
        sharing 7 2 g4-cpu mixed.mbf --lags 4 --component all --pair-function $t
    done
    g4-cpu -q --component x --lags 5 --pair-function rank1 --series s.mbf mixed.mbf -o g.cf
    acf -q --lags 5 s.mbf -o acf.cf
    alike 1e-10 <(rows g.cf | cut -d ' ' -f 1-3) <(rows acf.cf | cut -d ' ' -f 1-3)
}

@test "META states rank, unit and the contents of the table; other tables are not merged" {
    g4-cpu -q --lags 2 --pair-function rank1 mixed.mbf -o a.cf
    bin2txt a.cf | grep '^## ' >meta
    grep -q '^## function rank 1, unit D, 51 points from 0.5 to 7 Å, FNV-1a [0-9a-f]*$' meta
    grep -qx '## unit (D)^2' meta
    grep -qx '## component x' meta
    ! grep -q '^## \(sigma\|prefactor\) ' meta
    sed 's/# made.*//' rank1 >same # comments do not count
    frame-cut -q 30: mixed.mbf -o later.mbf
    g4-cpu -q --lags 2 --pair-function same later.mbf -o same.cf
    frame-merge -q a.cf same.cf -o merged.cf
    awk '$1 == "0.63" { $2 += 1e-6 } 1' rank1 >other
    for t in other "turned"; do
        sed 's/Ar-Kr/Kr-Ar/' rank1 >turned
        g4-cpu -q --lags 2 --pair-function $t later.mbf -o b.cf
        fails 2 frame-merge a.cf b.cf -o c.cf
        [[ $output == *data.function* ]]
    done
    beta-gen -q --pair-function rank1 mixed.mbf -o p.mbf
    bin2txt p.mbf | grep -qx '## unit D'
    fails 2 g4-cpu --lags 1 --pair-function rank1 p.mbf -o no
    [[ $output == *"--pair-function needs positions, but the input has pair tables (give --pair-function to beta-gen)" ]]
    g4-cpu -q --lags 9 --pair-function rank1 mixed.mbf | fft-spectrum -q -o sp.mbf
    bin2txt sp.mbf | grep -q '^## function rank 1, unit D, '
    fft-spectrum -q --weight absorption --quantum standard --temperature 90 a.cf | bin2txt --meta | grep -q $'label.of\t.*alpha_n2_cm-1:α(ν)n(ν),~pair '
    fails 2 nmr-rates --spin H a.cf
}

@test "a pair closer than the first point is refused with frame and atoms, unless it does not count" {
    sed 's/^0\.\|^1\./#&/' rank2 >late # begins at 2.06
    printf '3\n\nAr 1 1 1\nAr 1 1 9\nKr 9 1 1\n3\n\nAr 1 1 1\nKr 3 1 1\nKr 9 1 1\n' | sed '6,$s/Kr 3/Ar 3/' | xyz2bin -q --cell 20 --dt 1 - -o close.mbf
    for tool in "g4-cpu --lags 1 --method factored" "g4-cpu --lags 1 --method fft" "g4-cpu --lags 1 --method direct" beta-gen; do
        # shellcheck disable=SC2086
        fails 2 $tool --pair-function late close.mbf -o no
        [[ $output == *"frame 1: atoms 0 and 1 (counted from 0) are 2 Å apart, closer than the first point of --pair-function late, 2.06 Å" ]]
        # shellcheck disable=SC2086
        fails 0 $tool --pair Ar-Kr --pair-function late close.mbf -o out
    done
}

@test "refused with the line and the reason" {
    good=$'rank 2\nunit 1\nr Ar-Ar Ar-Kr Kr-Kr\n1 3 3 3\n2 2 2 2\n3 1 1 1\n4 0 0 0\n'
    while IFS='|' read -r edit want; do
        sed -e "$edit" <<<"$good" >bad
        for tool in "g4-cpu --lags 1" beta-gen; do
            # shellcheck disable=SC2086
            fails 2 $tool --pair-function bad mixed.mbf -o no
            [[ $output == *"--pair-function bad: $want" ]] || { echo "$edit: $output"; false; }
            [ ! -e no ]
        done
    done <<'END'
s/^2 2/0.5 2/|line 5: expected r to increase from above 0, found 0.5 after 1
s/^1 3/0 3/|line 4: expected r to increase from above 0, found 0 after 0
/^2/d|line 7: expected at least 4 points, found 3
s/^4 0 0/4 0 1e-5/|line 8: expected column Ar-Kr to end below 1e-06 of its largest value, 3, found 1e-05: the function is 0 beyond its end
s/ Kr-Kr//|line 4: expected 3 numbers, found 4
s/Kr-Kr/Xe-Kr/|line 3: expected two species of the input joined by a dash, found Xe-Kr
s/Kr-Kr/Kr-Ar/|line 3: expected each pair of species once, found Kr-Ar twice
s/2 2 2 2/2 2 nan 2/|line 5: expected a number from -1e9 to 1e9, found 'nan'
s/2 2 2 2/2 2 x 2/|line 5: expected a number from -1e9 to 1e9, found 'x'
s/2 2 2 2/2 2 2/|line 5: expected 4 numbers, found 3
/unit/d|line 2: expected a line 'unit U' before the names of the columns, found none
/rank/d|line 2: expected a line 'rank R' before the names of the columns, found none
s/unit 1/unit nm/|line 3: expected the unit 1 or A^3 of rank 2, found 'nm'
s/rank 2/rank 3/|line 1: expected 'rank 0', 'rank 1', 'rank 2' or 'rank 2 +did'
s/rank 2/rank 0 +did/|line 1: expected rank 2 with +did, found rank 0 (the dipole-induced-dipole beta has rank 2)
s/rank 2/rank 2 +did/;s/unit 1/unit A^3/|line 3: expected the unit 1 of rank 2 +did, because the dipole-induced-dipole beta has no unit, found 'A^3'
s/rank 2/range 2/|line 1: expected 'rank R', 'unit U' or the names of the columns, 'r A-B ...', found 'range'
s/rank 2/rank 1/;s/unit 1/unit D/|line 3: expected zeros in column Ar-Ar, found other values (the pair dipole of equal species has no direction)
s/^2 2/1.00000001 2/|line 8: expected points at least 0.000732422 Å apart, found points 1e-08 Å apart
END
    printf 'rank 2\nunit 1\nr Ar-Ar Ar-Kr\n1 3 3\n2 2 2\n3 1 1\n4 0 0\n' >bad
    fails 2 beta-gen --pair-function bad mixed.mbf -o no
    [[ $output == *"--pair-function bad: line 3: expected a column for Kr-Kr, found none" ]]
    fails 2 beta-gen --pair-function nowhere mixed.mbf -o no
    [[ $output == *"--pair-function nowhere: "* ]]
    while IFS='|' read -r options want; do
        # shellcheck disable=SC2086
        fails 2 g4-cpu --lags 1 $options mixed.mbf -o no
        [[ $output == *"$want"* ]] || { echo "$options: $output"; false; }
        # shellcheck disable=SC2086
        [[ $want != *"(omit "* ]] || g4-cpu -q --lags 1 ${options% --*} mixed.mbf -o remedy
    done <<'END'
--pair-function rank2 --sigma 3|--sigma has no effect, because --pair-function rank2 replaces the dipole-induced-dipole beta (omit --sigma)
--pair-function rank1 --prefactor 1|--prefactor has no effect, because --pair-function rank1 replaces the dipole-induced-dipole beta (omit --prefactor)
--pair-function rank0 --cutoff 5|--cutoff has no effect, because --pair-function rank0 replaces the dipole-induced-dipole beta (omit --cutoff)
--pair-function rank0 --sum ewald|expected --sum mic, found --sum ewald (--pair-function rank0 replaces the dipole-induced-dipole beta;
--pair-function rank0 --component xz|expected a component of rank 0, found --component xz
--pair-function rank1 --component xz|expected a component of rank 1, found --component xz
--pair-function rank2 --component x|expected a component of rank 2, found --component x
--component y|expected a component of rank 2
--pair-function plus --cutoff 6|expected a pair function that ends within 6 Å, found 7 Å
--pair-function plus --sum taper:4,6|expected a pair function that ends within 6 Å, found 7 Å
--pair-function plus --sum ewald:4,6|expected a pair function that ends within 6 Å, found 7 Å
END
    xyz2bin -q --cell 13 CUBE.xyz -o small.mbf
    for t in rank1 plus; do
        fails 2 g4-cpu --lags 1 --sigma 3 --pair-function plus small.mbf -o no
        [[ $output == *"frame 0: a pair function that ends at 7 Å exceeds half the smallest width of the cell, 6.5 Å, which is the limit of the minimum image" ]]
    done
    for o in "g4-cpu --lags 1 -o rank1" "g4-cpu --lags 1 -o no --series rank1" "beta-gen -o rank1"; do
        cp rank1 before
        # shellcheck disable=SC2086
        fails 2 $o --pair-function rank1 mixed.mbf
        [[ $output == *"rank1: input and output are the same file" ]]
        diff rank1 before
    done
}
