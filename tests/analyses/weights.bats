# SPDX-License-Identifier: MIT
# sanitize
# --weights, --pair, --exclude, --within and --between of beta-gen and g4-cpu, compared with sums in
# another language and with runs without them.
# reads: g4-cpu POSN --lags 2 --weights Ar=1.64 --between 4

load ../helpers

BRICK="17.25 0 0 0 22 0 0 0 29"
OBLIQUE="17.25 0 0 2.5 16 0 -3 1.5 18"

# mixture CELL ATOMS FRAMES: every third atom is Kr, steps 0.1 ps apart
mixture() { cloud "$@" | awk '/^Ar/ { if (n++ % 3 == 1) sub("Ar", "Kr") } NF == 1 { n = 0 } 1'; }

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit
    for c in "CUBE" "BRICK" "OBLIQUE"; do
        mixture "${!c}" 12 5 >$c.xyz
        for t in f32 f64; do xyz2bin -q --sigma 3.4 --dt 0.1 --dtype $t $c.xyz -o $c.$t.mbf; done
    done
    # 256 atoms, enough for neighbour lists and a mesh
    zcat "$DATA/argon256.xyz.gz" | head -n $((40 * 258)) | awk 'NF == 4 && n++ % 3 == 1 { sub("Ar", "Kr") } NF == 1 { n = 0 } 1' |
        xyz2bin -q -o liquid.mbf
    seq 0 255 | xargs -n 4 >four # molecules whose names differ: a file lists them
    seq 0 255 | xargs -n 16 >sixteen
}
setup() { cd "$BATS_FILE_TMPDIR" || exit; }

rows() { bin2txt "$1" | grep -v '^#'; }

# alike TOL: the columns after the second column of two files agree, relative to the largest of all
alike() {
    paste "$2" "$3" | awk -v t="$1" '{ if (NF % 2) bad = 1; for (k = 3; k <= NF / 2; k++) { a = $k; b = $(NF / 2 + k); d = a - b
        if (d < 0) d = -d; if (b < 0) b = -b; if (d > e) e = d; if (b > m) m = b } }
        END { if (bad || !NR || !(e <= t * m) || !m) { print "apart by " e " of " m; exit 1 } }'
}

# enumerate HOW <pairs: t origins G G2 G3 G4 of each component for lags 0 to 2, every pair of pairs
# by the atoms that it shares, from the text of pairs of a run without weights. w[]: weights of the
# species; HOW: pairs that count, an expression of i and j
enumerate() {
    awk -v ar="${AR:-1.64}" -v kr="${KR:-2.48}" '
        function kr_(i) { return i % 3 == 1 }
        function mol(i) { return int(i / 3) }
        /^#/ { next }
        { i = $3; j = $4; s = $1; if (s == 0) { I[n] = i; J[n++] = j; on[n - 1] = ('"$1"'); w[n - 1] = (kr_(i) ? kr : ar) * (kr_(j) ? kr : ar) }
          p = NR0[s]++; for (c = 1; c <= NF - 4; c++) b[s, p, c] = on[p] ? w[p] * $(4 + c) : 0; nc = NF - 4; steps = s + 1 }
        END { for (l = 0; l < 3; l++) { printf "%g %d", l, steps - l
            for (c = 1; c <= nc; c++) { g[0] = g[1] = g[2] = 0
                for (s = 0; s + l < steps; s++) for (p = 0; p < n; p++) { if (on[p]) for (q = 0; q < n; q++)
                    g[(I[p] == I[q]) + (J[p] == J[q]) + (I[p] == J[q]) + (J[p] == I[q])] += b[s, p, c] * b[s + l, q, c] }
                for (k in g) g[k] /= steps - l
                printf " %.12g %.12g %.12g %.12g", g[0] + g[1] + g[2], g[2], g[1], g[0] }
            print "" } }'
}

@test "weights and selections, every method and sum: each pair of pairs as another language takes them" {
    printf '0 1 2\n3 5 # not 4\n6,7,8\n' >some
    while IFS='|' read -r options how; do
        for sum in mic taper ewald; do
            beta-gen -q --component all --sum $sum CUBE.f64.mbf | bin2txt | enumerate "$how" >want
            for m in direct factored fft; do
                # shellcheck disable=SC2086
                g4-cpu -q --component all --apart --sum $sum --lags 3 --method $m --weights Kr=2.48,Ar=1.64 $options CUBE.f64.mbf -o got.cf
                rows got.cf | alike 1e-10 - want || { echo "$options $sum $m"; false; }
            done
            # shellcheck disable=SC2086
            beta-gen -q --component all --sum $sum --weights Kr=2.48,Ar=1.64 $options CUBE.f64.mbf | g4-cpu -q --apart --lags 3 -o got.cf
            rows got.cf | alike 1e-10 - want || { echo "$options $sum pairs"; false; }
        done
    done <<'END'
|1
--exclude 3|mol(i) != mol(j)
--within 3|mol(i) == mol(j)
--pair Ar-Kr|kr_(i) != kr_(j)
--pair Kr-Kr --pair Ar-Ar --between 3|kr_(i) == kr_(j) && mol(i) != mol(j)
--exclude some|!(mol(i) == mol(j) && mol(i) < 3 && i != 4 && j != 4)
END
}

@test "all images: an atom's own act on it by its weight squared, in cells that are no cubes" {
    for cell in BRICK OBLIQUE; do
        # shellcheck disable=SC2086
        own=$(echo 0 0 0 | py oracle/lattice_sums ${!cell})
        beta-gen -q --component all --sum ewald $cell.f64.mbf | bin2txt | grep -v '^#' >pairs
        # S and sum A A' of lag 0 from w_i w_j T_ij and w_i^2 T_ii; with 12 atoms, each pair without
        # weights has 1/11 of T_ii
        awk -v own="$own" 'BEGIN { s = 3 * 3.4 ^ 3; f[1] = f[2] = f[3] = s; f[4] = s / 2; f[5] = s / (2 * sqrt(3)); split(own, q) }
            function w(i) { return i % 3 == 1 ? -2.5 : 1.64 }
            { steps = $1 + 1; for (c = 1; c <= 5; c++) { t = ($(4 + c) - f[c] * q[c] / 11) * w($3) * w($4); A[$1, $3, c] += t; A[$1, $4, c] += t } }
            END { printf "0 %d", steps; for (c = 1; c <= 5; c++) { g = aa = 0
                for (k = 0; k < steps; k++) { S = 0; for (i = 0; i < 12; i++) { a = A[k, i, c] + w(i) ^ 2 * f[c] * q[c]; S += a / 2; aa += a * a }; g += S * S }
                printf " %.12g %.12g", g / steps, aa / steps }; print "" }' pairs >want
        for m in direct factored fft; do
            g4-cpu -q --method $m --component all --apart --sum ewald:pairs --lags 1 --weights Ar=1.64,Kr=-2.5 $cell.f64.mbf -o got.cf
            rows got.cf | awk '{ printf "%s %s", $1, $2; for (c = 0; c < 5; c++) printf " %.12g %.12g", $(3 + 4 * c), $(5 + 4 * c) + 2 * $(4 + 4 * c); print "" }' | alike 1e-8 - want
        done
        # atoms of weight 0 give the result of a run without them
        frame-cut --species Ar : $cell.f64.mbf -o ar.mbf
        g4-cpu -q --component all --apart --sum ewald --lags 3 ar.mbf -o want.cf
        g4-cpu -q --component all --apart --sum ewald --lags 3 --weights Ar=1,Kr=0 $cell.f64.mbf -o got.cf
        compare -q --rtol 1e-8 --atol 1e-5 got.cf want.cf
        # two atoms, and others of weight 0, are one pair, whose G is G2
        g4-cpu -q --component all --apart --sum ewald:5,7 --lags 3 ar.mbf -o want.cf
        g4-cpu -q --component all --apart --sum ewald:5,7 --lags 3 --weights Ar=1,Kr=0 $cell.f64.mbf -o got.cf
        compare -q --rtol 1e-8 --atol 1e-5 got.cf want.cf
        frame-cut --atoms 0:3 : $cell.f64.mbf | g4-cpu -q --lags 1 --sum ewald --weights Ar=2,Kr=0 -o got.cf
        bin2txt got.cf | awk '!/^#/ { exit !($3 == $4 && $4 > 0) }'
        frame-cut --atoms 0:3 : $cell.f64.mbf | frame-cut --species Ar : | g4-cpu -q --lags 1 --sum ewald --weights Ar=2 -o want.cf
        compare -q --rtol 1e-12 got.cf want.cf
    done
}

@test "--pair more often than programs have room for is status 2" {
    # shellcheck disable=SC2046
    fails 2 g4-cpu --lags 1 $(printf -- '--pair Ar-Kr %.0s' {1..257}) CUBE.f64.mbf -o out
    [[ $output == *"at most 256 pairs"* && ! -e out ]]
}

@test "every pair of many atoms has the product of its weights, in f32 and f64" {
    mixture "40 0 0 0 41 0 0 0 42" 700 1 >many.xyz # rows are weighed 256 pairs at a time
    for t in f32 f64; do
        xyz2bin -q --sigma 3.4 --dt 1 --dtype $t many.xyz -o many.mbf
        beta-gen -q --sum mic many.mbf | rows - >plain
        beta-gen -q --sum mic --weights Ar=2,Kr=0.5 many.mbf | rows - >weighed
        paste -d ' ' plain weighed | awk '{ n++; w = ($3 % 3 == 1 ? 0.5 : 2) * ($4 % 3 == 1 ? 0.5 : 2)
            d = $5 * w - $10; if (!(d * d <= 1e-12 * $10 * $10) || $3 != $8 || $4 != $9) { print; bad = 1; exit } } END { exit bad || n != 700 * 699 / 2 }' || { echo $t; false; }
    done
}

@test "weights of 1 are none; all alike, a power of two, are its fourth power; bits of pairs, threads and levels" {
    for f in CUBE.f32 BRICK.f64 BRICK.f32 OBLIQUE.f32 liquid; do
        for o in "--sum taper" "--sum ewald:pairs --component all" "--sum taper:4,5 --lags 5" "--sum ewald:5,7.5" "--method fft"; do
            # shellcheck disable=SC2086
            set -- --lags 3 $o $f.mbf
            [[ "$*" == *lags*lags* ]] && shift 2
            g4-cpu -q "$@" -o plain.cf
            g4-cpu -q "$@" --weights Ar=1,Kr=1 -o one.cf
            g4-cpu -q "$@" --weights Ar=4,Kr=4 -o four.cf
            rows plain.cf >plain
            rows one.cf | cmp - plain
            # awk reads the numbers of bin2txt exactly, and writes all digits
            awk '{ for (k = 3; k <= 6; k++) $k = sprintf("%.17g", 256 * $k); print $3, $4, $5, $6 }' plain >want
            rows four.cf | awk '{ for (k = 3; k <= 6; k++) $k = sprintf("%.17g", $k); print $3, $4, $5, $6 }' | cmp - want || { echo "$*"; false; }
            for how in "MBF_SIMD=x86-64-v2" "OMP_NUM_THREADS=2"; do
                g4-cpu -q "$@" --weights Ar=1.5,Kr=-3 --exclude 1 -o a.cf
                env "$how" g4-cpu -q "$@" --weights Ar=1.5,Kr=-3 --exclude 1 -o b.cf
                [ "$(content a.cf)" = "$(content b.cf)" ]
            done
        done
    done
    # swapping names swaps weights
    sed 's/^Ar/X/; s/^Kr/Ar/; s/^X/Kr/' BRICK.xyz | xyz2bin -q --sigma 3.4 --dt 0.1 -o swapped.mbf
    g4-cpu -q --lags 3 --weights Ar=1.64,Kr=2.48 BRICK.f32.mbf -o a.cf
    g4-cpu -q --lags 3 --weights Kr=1.64,Ar=2.48 swapped.mbf -o b.cf
    cmp <(rows a.cf) <(rows b.cf)
}

@test "lists of neighbours have the weights and the selection of all pairs" {
    for o in "--weights Ar=1.64,Kr=2.48" "--pair Ar-Kr" "--exclude four" "--within sixteen --weights Ar=1,Kr=0.5" "--weights Ar=1,Kr=0 --component all --apart"; do
        for sum in "mic --cutoff 4.5" "taper:4,4.75"; do
            # shellcheck disable=SC2086
            fails 0 g4-cpu -v --method factored --lags 5 --sum $sum $o liquid.mbf -o lists.cf
            [[ $output == *"neighbour lists"* ]]
            # shellcheck disable=SC2086
            g4-cpu -q --method fft --lags 5 --sum $sum $o liquid.mbf -o all.cf
            compare -q --rtol 1e-10 --atol 1e-6 lists.cf all.cf
        done
    done
}

# molecules CELL BOND: 20 molecules of three atoms, O and two H within BOND of it, separate from
# each other; three frames
molecules() {
    awk -v cell="$1" -v bond="$2" "$UNIFORM"'function to(k) { return (k + 0.4 * uniform()) / 3 }
        BEGIN { seed(5); split(cell, h, " "); for (s = 0; s < 3; s++) { print 60; print "Lattice=\"" cell "\" Properties=species:S:1:pos:R:3"
            for (m = 0; m < 20; m++) { a = to(m % 3); b = to(int(m / 3) % 3); c = to(int(m / 9)); for (k = 0; k < 3; k++) x[k] = a * h[1 + k] + b * h[4 + k] + c * h[7 + k]
                for (k = 0; k < 3; k++) print k ? "H" : "O", x[0] + (k ? bond * (uniform() - 0.5) : 0), x[1] + (k ? bond * (uniform() - 0.5) : 0), x[2] + (k ? bond * (uniform() - 0.5) : 0) } } }' |
        xyz2bin -q --unsorted-ok --dt 1 --sigma 3.4 --dtype f64
}

@test "a mesh has the weights and the selection of all pairs, in cells that are no cubes, of atoms close by and at one place" {
    molecules "22 0 0 3 24 0 -4 5 26" 2 >slant.mbf
    molecules "22 0 0 0 25 0 0 0 28" 0.06 >close.mbf
    molecules "22 0 0 0 25 0 0 0 28" 0 >same.mbf
    while IFS='|' read -r file options; do
        # shellcheck disable=SC2086
        for sum in pairs 8,9.5; do g4-cpu -q --component all --apart --lags 2 --sum ewald:$sum $options $file.mbf -o $sum.cf; done
        # shellcheck disable=SC2086
        g4-cpu -q --component all --apart --lags 2 --sum taper:8,9.5 $options $file.mbf -o taper.cf
        # G and sum A A' agree within 1e-5 of their lag 0, because A has an error of 1e-6, twice in
        # a product; G2 is that of the taper and the stated tail (four digits)
        paste -d ' ' <(rows pairs.cf) <(rows 8,9.5.cf) <(rows taper.cf) | awk -v tail="$(bin2txt --meta 8,9.5.cf | awk '$1 == "data.mesh.tail" { print $NF }')" '
            function far(d, s, e) { return !(d < e * s && -d < e * s) }
            { h = NF / 3; for (c = 3; c + 3 <= h; c += 4) { m = c + h; a = $(c + 2) + 2 * $(c + 1); b = $(m + 2) + 2 * $(m + 1)
                if (NR == 1) { g0[c] = $c; a0[c] = a; if (far($(m + 1) - $(m + h + 1) - tail, tail, 6e-4)) { print "tail", c, $(m + 1), $(m + h + 1), tail; bad = 1 } }
                if (far($m - $c, g0[c], 1e-5) || far(b - a, a0[c], 1e-5)) { print NR, c, $c, $m, a, b; bad = 1 } } } END { exit bad || NR != 2 }' || { echo "$file $options"; false; }
        bin2txt --meta 8,9.5.cf | grep -q data.mesh.tail
    done <<'END'
slant|--weights O=1.5,H=-0.5
slant|--pair O-O
slant|--pair O-H
slant|--pair O-H --pair H-H --weights O=2,H=0.75
slant|--exclude 3
slant|--between 6 --pair O-H --weights O=1,H=2
close|--exclude 3 --weights O=2,H=1
same|--exclude 3
same|--pair O-O --exclude 6
END
    fails 2 g4-cpu --lags 1 --sum ewald:8,9.5 --weights O=1,H=2 same.mbf -o out
    [[ $output == *"frame 0: atoms 0 and 1 (counted from 0) are at the same place" ]]
    fails 0 g4-cpu -q --lags 1 --sum ewald:8,9.5 --weights O=1,H=0 same.mbf -o out
    # the tail of a mixture: the mean over pairs of the squared product of weights
    for o in "O=1,H=1|1" "O=3,H=0.5|$(awk 'BEGIN { print ((9 + 0.5) / 3) ^ 2 }')" "O=2,H=0|$(awk 'BEGIN { print (4 / 3) ^ 2 }')"; do
        g4-cpu -q --lags 1 --sum ewald:8,9.5 --weights "${o%|*}" slant.mbf | bin2txt --meta | awk -v f="${o#*|}" '$1 == "data.mesh.tail" { print $NF / f }'
    done >tails
    awk 'NR == 1 { t = $1 } { bad += !($1 / t > 0.9995 && $1 / t < 1.0005) } END { exit bad || NR != 3 }' tails
}

@test "a mesh is chosen by its cost with weights, too: one for each group of species, and of few pairs left out" {
    cloud "120 0 0 0 120 0 0 0 120" 3000 1 | awk '/^Ar/ { if (n++ % 3 == 1) sub("Ar", "Kr") } 1' | xyz2bin -q --sigma 3.4 --dt 1 -o many.mbf
    for o in "--weights Ar=1,Kr=2" "--exclude 3" "--pair Ar-Ar"; do
        # shellcheck disable=SC2086
        g4-cpu -v --lags 1 $o many.mbf -o out 2>said
        grep -q 'mesh sum: S and A_i' said
    done
    for o in "--exclude 300" "--within 3"; do
        # shellcheck disable=SC2086
        g4-cpu -v --lags 1 $o many.mbf -o out 2>said
        ! grep -q mesh said || { cat said; false; }
    done
}

@test "S adds up over pairs of species, and within and between molecules" {
    for sum in taper ewald; do
        for how in "--pair Ar-Ar/--pair Ar-Kr/--pair Kr-Kr" "--within 3/--between 3" "--within 3/--exclude 3"; do
            g4-cpu -q --sum $sum --lags 1 --weights Ar=1.64,Kr=2.48 --series all.s BRICK.f64.mbf -o /dev/null
            IFS=/ read -ra parts <<<"$how"
            for k in "${!parts[@]}"; do
                # shellcheck disable=SC2086
                g4-cpu -q --sum $sum --lags 1 --weights Ar=1.64,Kr=2.48 ${parts[k]} --series "part$k.s" BRICK.f64.mbf -o /dev/null
                rows "part$k.s" | cut -d ' ' -f 3 >"part$k"
            done
            files=("${parts[@]/*/}") && for k in "${!parts[@]}"; do files[k]=part$k; done
            paste -d ' ' <(rows all.s | cut -d ' ' -f 3) "${files[@]}" | awk '{ for (k = 2; k <= NF; k++) $1 -= $k; if ($1 > 1e-9 || $1 < -1e-9 || NF < 3) bad = 1 } END { exit bad || NR != 5 }'
        done
    done
}

@test "META says them, pairs keep them, and what differs is not merged" {
    beta-gen -q --weights Kr=2.48,Ar=1.64 --pair Ar-Kr --exclude 3 CUBE.f32.mbf -o p.mbf
    g4-cpu -q --lags 1 p.mbf -o p.cf
    g4-cpu -q --lags 1 --weights Kr=2.48,Ar=1.64 --pair Ar-Kr --exclude 3 CUBE.f32.mbf -o x.cf
    for f in p.mbf p.cf x.cf; do
        bin2txt $f | grep '^## ' >said
        grep -qx '## weights Ar=1.64,Kr=2.48' said
        grep -qx '## pairs Ar-Kr' said
        grep -q '^## excluded 12 pairs, FNV-1a [0-9a-f]*$' said
    done
    [ "$(content p.cf)" = "$(content x.cf)" ]
    for o in "--weights Ar=1,Kr=2" "--pair Ar-Kr" "--exclude 3" "--within 3" "--between 3"; do
        # shellcheck disable=SC2086
        fails 2 g4-cpu --lags 1 $o p.mbf -o no.cf
        [[ $output == *"${o%% *} needs positions, but the input has pair tables (give ${o%% *} to beta-gen)" ]]
    done
    printf '0 1 2\n3 4 5\n6 7 8\n9 11 8\n' >other
    g4-cpu -q --lags 1 --exclude 3 CUBE.f32.mbf -o a.cf
    for o in "--exclude other" "--within 3" "--weights Ar=1,Kr=2 --exclude 3" "--pair Ar-Kr --exclude 3"; do
        # shellcheck disable=SC2086
        g4-cpu -q --lags 1 $o CUBE.f32.mbf -o b.cf
        fails 2 frame-merge a.cf b.cf -o c.cf
        [[ $output == *"data."* ]]
    done
    for o in "--exclude four" "--weights Ar=1.64,Kr=2.48 --pair Ar-Kr"; do
        # shellcheck disable=SC2086
        sharing 3 1 g4-cpu liquid.mbf --lags 4 --method factored --sum taper:4,4.75 $o
        # shellcheck disable=SC2086
        sharing 2 1 g4-cpu liquid.mbf --lags 4 --method factored --sum taper $o
    done
}

@test "pairs that do not count may be bonded, or at one place; those that do are named" {
    printf '4\n\nO 1 2 3\nH 1 2 3\nO 5 6 7\nH 5 6 7.25\n' | xyz2bin -q --cell 21 --sigma 3.4 --dt 1 -o same.mbf
    for sum in mic taper ewald; do
        for tool in "g4-cpu --lags 1" "g4-cpu --lags 1 --method fft" "g4-cpu --lags 1 --method direct" beta-gen; do
            for o in "--exclude 2" "--pair O-O" "--weights O=1,H=0"; do
                # shellcheck disable=SC2086
                fails 0 $tool --sum $sum $o same.mbf -o out
                said=$(grep -v 'taper ends\|equally polarizable' <<<"$output") || :
                [ -z "$said" ] || { echo "$said"; false; }
            done
            # shellcheck disable=SC2086
            fails 2 $tool --sum $sum --within 2 same.mbf -o out
            [[ $output == *"frame 0: atoms 0 and 1 (counted from 0) are at the same place" ]] || { echo "$output"; false; }
            # shellcheck disable=SC2086
            fails 2 $tool --sum $sum --weights O=1,H=2 same.mbf -o out
            [[ $output == *"frame 0: atoms 0 and 1 (counted from 0) are at the same place" ]]
        done
    done
    # all other programs are checked
    printf '4\n\nO 1 2 3\nH 1 2 4\nO 5 6 7\nH 5 6 8\n' | xyz2bin -q --cell 21 --sigma 3.4 --dt 1 -o bonded.mbf
    printf '0 1\n' >one
    fails 0 g4-cpu --lags 1 --exclude one bonded.mbf -o out
    [[ $output == *"frame 0: atoms 2 and 3 (counted from 0) are only 1 Å (0.29 sigma) apart: are these bonded atoms"*"(--exclude M excludes them; "* ]]
}

@test "refused with the reason: names, molecules, selections of nothing, a mesh" {
    awk 'NR <= 14' CUBE.xyz | sed 's/^[AK]r/X/; s/Lattice=.*/ /' | xyz2bin -q --cell 17.25 --sigma 3.4 -o x.mbf
    for tool in "g4-cpu --lags 1" beta-gen; do
        while IFS='|' read -r options want; do
            # shellcheck disable=SC2086
            fails 2 $tool $options CUBE.f32.mbf -o no
            [[ $output == *"$want"* ]] || { echo "$options: $output"; false; }
            [ ! -e no ]
        done <<'END'
--weights Ar=1|expected a weight for every species, found none for Kr
--weights Ar=1,Kr=2,Xe=3|expected a weight only for species of the input, found one for Xe
--weights Ar=1,Ar=2|expected each species once, found Ar twice
--weights Ar|expected SPECIES=NUMBER,..., found Ar
--weights Ar=x,Kr=1|expected a number from -1e+06 to 1e+06, found 'x'
--pair Ar-Xe|--pair: expected two of the species Ar Kr joined by a dash, found Ar-Xe
--pair Ar-Kr --pair Kr-Ar|--pair: expected each pair once, found Kr-Ar twice
--exclude 5|--exclude 5: expected a molecule size that divides the number of atoms, 12
--within 5|--within 5: expected a molecule size that divides the number of atoms, 12
--between nowhere|--between nowhere: No such file
--within 1|--within 1 leaves no pair of atoms
--exclude 12|--exclude 12 leaves no pair of atoms
--exclude 3 --within 3|--exclude and --within both select pairs: give only one
--exclude 3 --between 3|--exclude and --between both select pairs: give only one
END
    done
    fails 2 g4-cpu --lags 1 --pair X-Y x.mbf -o no
    printf '0 1\n' >list
    for o in "g4-cpu --lags 1 -o list" "g4-cpu --lags 1 -o no --series list" "beta-gen -o list"; do
        # shellcheck disable=SC2086
        fails 2 $o --within list CUBE.f32.mbf
        [[ $output == *"list: input and output are the same file" ]]
        [ "$(<list)" = "0 1" ]
    done
    fails 2 g4-cpu --lags 1 --sum ewald:8,9 --within 4 liquid.mbf -o no
    [[ $output == *"--sum ewald:8,9: a mesh includes all pairs and cannot be limited by --within (use --sum ewald:pairs)" ]]
}
