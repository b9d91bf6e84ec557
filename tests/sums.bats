# SPDX-License-Identifier: MIT
# sanitize
# --sum mic|taper|ewald of beta-gen and g4-cpu: against sums in another language, against each other, in any cell.

load helpers

cf() { g4-cpu -q "${@:2}" "$1" | bin2txt | grep -v '^#'; }

BRICK="17.25 0 0 0 22 0 0 0 29"

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit
    xyz2bin --select 0:24 "$DATA/argon256.xyz.gz" -o argon.mbf
}

@test "ewald: every pair as another language sums it, cubic, orthorhombic and strongly skewed, f64 and f32" {
    for cell in "$CUBE" "$BRICK" "$SKEW"; do
        cloud "$cell" 12 1 >a.xyz
        for type in f64 f32; do
            xyz2bin -q --dtype $type --sigma 3.4 --dt 1 a.xyz -o a.mbf
            bin2xyz a.mbf | awk 'NR > 2 { x[NR] = $2; y[NR] = $3; z[NR] = $4
                } END { for (i = 3; i <= NR; i++) for (j = i + 1; j <= NR; j++) printf "%.17g %.17g %.17g\n", x[i] - x[j], y[i] - y[j], z[i] - z[j] }' >points
            # shellcheck disable=SC2086
            python3 "$ROOT/tests/golden/lattice_sums.py" $cell <points >want
            # prefactor 3: coef is 3 sigma^3 times 1, 1, 1, 1/2, 1/(2 sqrt 3)
            beta-gen -q --sum ewald --component all a.mbf | bin2txt | grep -v '^#' >got
            paste -d ' ' got want | awk -v tol=$([ $type = f64 ] && echo 1e-8 || echo 1.5e-6) '
                BEGIN { s = 3 * 3.4 ^ 3; coef[1] = coef[2] = coef[3] = s; coef[4] = s / 2; coef[5] = s / (2 * sqrt(3)); big = 3 / 0.729 }
                { n++; for (c = 1; c <= 5; c++) { d = $(4 + c) - coef[c] * $(9 + c)
                    if (NF != 14 || !(d < tol * big && -d < tol * big)) { print n, c, coef[c] * $(9 + c), d; bad = 1 } } }
                END { exit bad || n != 66 }' || { echo "$type $cell"; false; }
        done
    done
}

@test "taper: mic up to R1, 0 from R2 on, the quintic between, by default 0.7 and 1 of half the smallest width" {
    for o in "taper f64" "taper:3,8 f64" "taper:3,8 f32"; do
        type=${o#* } o=${o% *}
        cloud "$BRICK" 30 1 | xyz2bin -q --dtype $type --sigma 3.4 --dt 1 -o a.mbf
        beta-gen -q --component all --sum mic a.mbf | bin2txt | grep -v '^#' >mic
        beta-gen -q --component all --sum $o a.mbf | bin2txt | grep -v '^#' >got
        bin2xyz a.mbf | awk 'NR > 2 { x[NR] = $2; y[NR] = $3; z[NR] = $4 } function im(d, l) { d -= l * int(d / l + 1.5) - l; return d }
            END { for (i = 3; i <= NR; i++) for (j = i + 1; j <= NR; j++) { a = im(x[i] - x[j], 17.25); b = im(y[i] - y[j], 22); c = im(z[i] - z[j], 29)
                printf "%.17g\n", sqrt(a * a + b * b + c * c) } }' >radii
        # f32: half a dozen roundings of 2^-24
        paste -d ' ' mic got radii | awk -v o=$o -v tol=$([ $type = f64 ] && echo 1e-12 || echo 4e-7) 'BEGIN { r1 = o == "taper" ? 0.7 * 8.625 : 3; r2 = o == "taper" ? 8.625 : 8 }
            { r = $19; u = (r - r1) / (r2 - r1); f = u < 0 ? 1 : u > 1 ? 0 : 1 - u * u * u * (10 - 15 * u + 6 * u * u); in0 += f == 0; in1 += f == 1
                for (c = 5; c <= 9; c++) { d = $(c + 9) - f * $c; if (!(d < tol && -d < tol) || (f == 0 && $(c + 9) != 0)) { print r, f, $c, $(c + 9); bad = 1 } } }
            END { exit bad || NR != 435 || !in0 || in0 + in1 == NR }'
    done
}

@test "all methods, pipe or file, threads, SIMD levels: taper and ewald, any cell, cells that change, f32 and f64" {
    for cell in "$CUBE" "$BRICK" "$SKEW"; do
        for type in f32 f64; do
            cloud "$cell" 21 12 0.002 | xyz2bin -q --dtype $type --sigma 3.4 --dt 1 -o a.mbf
            for sum in taper ewald; do
                g4-cpu -q --sum $sum --lags 5 --component all --apart --method direct a.mbf -o d.cf
                g4-cpu -q --sum $sum --lags 5 --component all --apart --method factored a.mbf -o a.cf
                g4-cpu -q --sum $sum --lags 5 --component all --apart --method fft a.mbf -o f.cf
                compare -q --rtol 1e-10 --atol 1e-9 d.cf a.cf
                compare -q --rtol 1e-10 --atol 1e-9 d.cf f.cf
                want=$(content a.cf)
                beta-gen -q --sum $sum --component all a.mbf -o p.mbf
                for how in MBF_SIMD=v2 MBF_SIMD=v3 MBF_SIMD=v4; do
                    env $how g4-cpu -q -t 2 --sum $sum --lags 5 --component all --apart --method factored a.mbf -o b.cf
                    [ "$(content b.cf)" = "$want" ] || { echo "$cell $type $sum $how"; false; }
                    env $how beta-gen -q -t 2 --sum $sum --component all a.mbf -o q.mbf
                    [ "$(content q.mbf)" = "$(content p.mbf)" ] || { echo "beta-gen $cell $type $sum $how"; false; }
                done
                g4-cpu -q --lags 5 --apart --method factored p.mbf -o b.cf
                [ "$(content b.cf)" = "$want" ] || { echo "pairs: $cell $type $sum"; false; }
            done
        done
    done
}

@test "five components at once are the five one by one" {
    for sum in mic taper ewald; do
        g4-cpu -q --sum $sum --lags 9 --component all --apart "$BATS_FILE_TMPDIR/argon.mbf" | bin2txt | grep -v '^#' >all
        at=3
        for c in xz xy yz xx-yy zz; do
            g4-cpu -q --sum $sum --lags 9 --component $c "$BATS_FILE_TMPDIR/argon.mbf" | bin2txt | grep -v '^#' >one
            paste -d ' ' all one | awk -v at=$at '{ n = NF - 6; for (f = 0; f < 4; f++) bad += $(at + f) "" != $(n + 3 + f) "" } END { exit bad || NR != 9 }' ||
                { echo "$sum $c"; head -1 all one; false; }
            at=$((at + 4))
        done
    done
}

@test "shares come to lists where the whole does, in a cell that grows and in a gas that spreads on the way" {
    # a sixth of the pairs in reach, where lists begin to pay, lies between the first step and the last
    for f in "14.4 grows" "18.5 spreads"; do
        cloud "${f% *} 0 0 0 ${f% *} 0 0 0 ${f% *}" 40 1100 0.00012 >a.xyz
        [ "$f" = "14.4 grows" ] || sed -i 's/Lattice="[^"]*" //' a.xyz
        xyz2bin -q --sigma 3.4 --dt 1 a.xyz -o a.mbf
        frame-cut -q 1000:1100 a.mbf | g4-cpu -v --sum taper:4,5 --lags 7 -o x 2>late
        g4-cpu -v --sum taper:4,5 --lags 7 a.mbf -o whole 2>said
        grep -q 'neighbour lists' late
        ! grep -q 'neighbour lists' said || false
        for k in 1 2 3; do g4-cpu -q --sum taper:4,5 --lags 7 --shard $k/3 a.mbf -o p.$k; done
        frame-merge p.2 p.3 p.1 -o merged
        [ "$(content merged)" = "$(content whole)" ] || { echo "$f"; false; }
    done
}

@test "beta does not jump where a pair crosses a face: mic does, taper and ewald do not" {
    # one pair at r = (x, 1, 6), x through the face at 8.625
    for x in 8.62 8.63; do printf '2\nLattice="%s" Properties=species:S:1:pos:R:3\nAr 0 0 0\nAr %s 1 6\n' "$CUBE" $x; done | xyz2bin -q --dtype f64 --sigma 3.4 --dt 1 -o a.mbf
    for sum in mic taper ewald; do
        beta-gen -q --component xz --sum $sum a.mbf | bin2txt | grep -v '^#' | awk '{ b[NR] = $5 } END { print b[2] - b[1], b[1] }' >$sum
    done
    awk '{ good = $1 > 0.05 || $1 < -0.05 } END { exit !good }' mic
    awk '{ good = $1 < 1e-3 && $1 > -1e-3 } END { exit !good }' taper
    awk '{ good = $1 < 1e-3 && $1 > -1e-3 } END { exit !good }' ewald
}

@test "META and the convention name the sum; pairs keep it" {
    beta-gen -q --sum ewald "$BATS_FILE_TMPDIR/argon.mbf" -o p.mbf
    bin2txt --meta p.mbf | grep -q 'data.sum.*ewald'
    bin2txt p.mbf | grep -q '^## convention .*all images'
    g4-cpu -q --lags 3 p.mbf | bin2txt | grep -q '^## sum ewald'
    g4-cpu -q --sum taper --lags 3 "$BATS_FILE_TMPDIR/argon.mbf" | bin2txt >t
    grep -q '^## sum taper' t
    grep -q '^## taper 0.7 1 of half' t
    g4-cpu -q --sum taper:6,9.5 --lags 3 "$BATS_FILE_TMPDIR/argon.mbf" | bin2txt | grep -q '^## taper 6 9.5'
    grep -q '^## convention .*nearest image, tapered' t
    g4-cpu -q --sum mic --lags 3 "$BATS_FILE_TMPDIR/argon.mbf" | bin2txt | grep -q '^## sum mic'
    g4-cpu -q --sum taper:6,9.5 --lags 3 "$BATS_FILE_TMPDIR/argon.mbf" | fft-spectrum -q | bin2txt | grep -q '^## taper 6 9.5'
}

@test "the default is the taper; with a cutoff alone mic, the paper's; a taper that ends early is said" {
    cd "$BATS_FILE_TMPDIR"
    g4-cpu --lags 3 argon.mbf -o default.cf
    g4-cpu --sum taper --lags 3 argon.mbf -o taper.cf
    compare default.cf taper.cf | grep -q ^identical
    beta-gen argon.mbf | compare - <(beta-gen --sum taper argon.mbf) | grep -q ^identical
    g4-cpu --cutoff 9 --lags 3 argon.mbf -o default.cf
    g4-cpu --sum mic --cutoff 9 --lags 3 argon.mbf -o mic.cf
    compare default.cf mic.cf | grep -q ^identical
    bin2txt default.cf | grep -q '^## sum mic'
    bin2txt default.cf | grep -q '^## convention .*(i<j), nearest image, each'
    for tool in "g4-cpu --lags 1" beta-gen; do
        # shellcheck disable=SC2086
        fails 0 $tool --sum taper:5,10.1 argon.mbf -o x.mbf
        [[ $output == *warning*"taper ends at 10.1 Å, 2.97 sigma"*"--sum ewald"* ]] || { echo "$output"; false; }
        for quiet in "--sum taper:5,10.3" "--sum mic" "--sum ewald"; do
            # shellcheck disable=SC2086
            fails 0 $tool $quiet argon.mbf -o x.mbf
            [ -z "$output" ] || { echo "$output"; false; }
        done
    done
}

@test "refused with the reason: sums that a cell does not have, radii, a cutoff beside them" {
    for sum in nearest taper: taper:5 taper:,9 taper:9,6 taper:x,9 taper:1,2,3 ewald:4; do fails 2 g4-cpu --sum $sum --lags 2 "$BATS_FILE_TMPDIR/argon.mbf"; done
    fails 2 g4-cpu --sum taper:9,11.6 --lags 2 "$BATS_FILE_TMPDIR/argon.mbf"
    [[ $output == *"frame 0"*"half the smallest width"* ]]
    for sum in taper ewald; do
        fails 2 beta-gen --sum $sum --cutoff 9 "$BATS_FILE_TMPDIR/argon.mbf" -o x.mbf
        [[ $output == *--cutoff*mic* ]]
    done
    bin2xyz "$BATS_FILE_TMPDIR/argon.mbf" | sed 's/pbc="[TF ]*"/pbc="T T F"/' | xyz2bin -q --sigma 3.4 -o slab.mbf
    fails 2 g4-cpu --sum ewald --lags 2 slab.mbf
    [[ $output == *periodic*"--sum taper"* ]]
    fails 2 beta-gen --sum ewald slab.mbf -o x.mbf
    g4-cpu -q --sum taper --lags 2 slab.mbf -o t.cf
    cloud "20 0 0 0 20 0 0 0 0.1" 2 2 | xyz2bin -q --sigma 3.4 --dt 1 -o flat.mbf
    fails 2 g4-cpu --sum ewald --lags 1 flat.mbf
    [[ $output == *"frame 0: "*flat* ]]
    { cloud "$CUBE" 2 3; cloud "20 0 0 0 20 0 0 0 0.1" 2 2; } | xyz2bin -q --unsorted-ok --sigma 3.4 --dt 1 -o flat.mbf
    fails 2 beta-gen --sum ewald flat.mbf -o x.mbf
    [[ $output == *"frame 3: "*flat* ]]
    beta-gen -q "$BATS_FILE_TMPDIR/argon.mbf" -o p.mbf
    fails 2 g4-cpu --sum taper --lags 2 p.mbf
    [[ $output == *--sum*positions* ]]
}

@test "two atoms at one place: frame and atoms; two atoms alone" {
    printf '2\nLattice="%s" Properties=species:S:1:pos:R:3\nAr 1 2 3\nAr 1 2 3\n' "$CUBE" | xyz2bin -q --sigma 3.4 --dt 1 -o same.mbf
    printf '2\nLattice="%s" Properties=species:S:1:pos:R:3\nAr 1 2 3\nAr 4 6 8\n' "$CUBE" | xyz2bin -q --sigma 3.4 --dt 1 -o two.mbf
    for sum in taper ewald; do
        for tool in "g4-cpu --lags 1" beta-gen; do
            # shellcheck disable=SC2086
            fails 2 $tool --sum $sum same.mbf
            [[ $output == *"frame 0"*"atoms 0 and 1"* ]]
        done
        [ "$(cf two.mbf --sum $sum --lags 1 | awk '{ print ($3 == $4) }')" = 1 ]
    done
}

@test "a free cluster and a cell that is periodic along one vector: the taper goes as the cell allows" {
    zcat "$DATA/argon256.xyz.gz" | awk 'NR <= 258' | awk 'NR == 2 { print ""; next } 1' | head -34 | sed '1s/.*/32/' >free.xyz
    xyz2bin -q --sigma 3.4 --dt 1 free.xyz -o free.mbf
    cf free.mbf --sum taper --lags 1 >t
    cf free.mbf --sum mic --lags 1 >m
    cmp t m
    fails 2 g4-cpu --sum ewald --lags 1 free.mbf
}
