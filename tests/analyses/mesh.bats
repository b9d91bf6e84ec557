# SPDX-License-Identifier: MIT
# sanitize
# --sum ewald by a mesh: compared with all pairs, on every engine; its contribution to G2 that is
# left out, and cases that it refuses.

load ../helpers

rows() { bin2txt "$1" | grep -v '^#'; }

MILD="17.25 0 0 5 20 0 -6 7 22"

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit
    xyz2bin --select 0:24 "$DATA/argon256.xyz.gz" -o argon.mbf
}

# agree A B C: G and sum A A' = G3 + 2 G2 of A (pairs) and B (mesh) within 1e-5 of their lag 0
# (error of A 1e-6, twice in a product, and single precision); G2 of B is that of C, a taper alone,
# and the stated tail (four digits), which is the same for all components at every lag; G = G2 + G3
# + G4
agree() {
    paste -d ' ' <(rows "$1") <(rows "$2") <(rows "$3") | awk -v tail="$(bin2txt --meta "$2" | awk '$1 == "data.mesh.tail" { print $NF }')" '
        function far(d, s, e) { return !(d < e * s && -d < e * s) }
        { h = NF / 3; for (c = 3; c + 3 <= h; c += 4) {
            g = $c; a = $(c + 2) + 2 * $(c + 1); m = c + h; b = $(m + 2) + 2 * $(m + 1)
            if (NR == 1) { g0[c] = g; a0[c] = a }
            if (far($m - g, g0[c], 1e-5)) { print "G", NR, c, g, $m; bad = 1 }
            if (far(b - a, a0[c], 1e-5)) { print "A", NR, c, a, b; bad = 1 }
            t = $(m + 1) - $(m + h + 1); t0 = NR == 1 ? tail : c == 3 ? t : t0
            if (far(t - t0, NR == 1 ? tail : $(m + 1), NR == 1 ? 6e-4 : 1e-12) || !(t > 0)) { print "G2", NR, c, $(m + 1), $(m + h + 1), tail; bad = 1 }
            if (far($m - ($(m + 1) + $(m + 2) + $(m + 3)), $(m + 1), 1e-12)) { print "identity", NR, c; bad = 1 } } }
        END { exit bad || !NR }'
}

@test "argon: G and the products of A are those of all pairs, G2 that of the taper, its tail is stated" {
    g4-cpu -q --lags 9 --component all --apart --blocks 1 --sum ewald:pairs "$BATS_FILE_TMPDIR/argon.mbf" -o p.cf
    g4-cpu -v --lags 9 --component all --apart --blocks 1 --sum ewald:10,11.2 "$BATS_FILE_TMPDIR/argon.mbf" -o m.cf 2>said
    g4-cpu -q --lags 9 --component all --apart --blocks 1 --sum taper:10,11.2 "$BATS_FILE_TMPDIR/argon.mbf" -o t.cf
    agree p.cf m.cf t.cf
    grep -q 'mesh sum: S and A_i include all periodic images. The splines have order 10, .* rms error of A_i is [3-9]e-07 of its rms value, 0.599' said
    grep -q 'mesh sum: G2 includes the pairs within 11.2 Å, tapered from 10 Å on. At larger distances, a tail for g(r) = 1 .* (2.* %)' said
    ! grep -q warning said || false
    bin2txt m.cf >t
    grep -q '^## sum ewald' t
    grep -q '^## taper 10 11.2' t
    grep -q '^## mesh order 10' t
    grep -q '^## mesh.error 1e-06' t
    grep -q '^## convention .*all images (G2 of tapered pairs and an approximate tail' t
    fails 0 g4-cpu --lags 1 --sum ewald:5,7 "$BATS_FILE_TMPDIR/argon.mbf" -o x.cf
    [[ $output == *"warning"*"G2 includes the pairs within 7 Å"*larger* ]]
}

@test "any cell, cells that change, f64 and f32: all pairs and the taper; threads, SIMD levels, pipe or file: the same bits" {
    for cell in "$CUBE" "$MILD" "$SKEW"; do # the last has no taper, as it is given
        for type in f64 f32; do
            cloud "$cell" 60 8 0.02 | xyz2bin -q --dtype $type --sigma 3.4 --dt 1 -o a.mbf
            g4-cpu -q --sum ewald:pairs --lags 5 --component all --apart --blocks 1 a.mbf -o p.cf
            g4-cpu -q --sum ewald:6,7 --lags 5 --component all --apart --blocks 1 a.mbf -o m.cf
            [ "$cell" = "$SKEW" ] || g4-cpu -q --sum taper:6,7 --lags 5 --component all --apart --blocks 1 a.mbf -o t.cf
            [ "$cell" = "$SKEW" ] || agree p.cf m.cf t.cf || { echo "$type $cell"; false; }
            case "$type $cell" in "f64 $SKEW" | "f32 $MILD") ;; *) continue ;; esac
            cloud "$cell" 40 80 0.001 | xyz2bin -q --dtype $type --sigma 3.4 --dt 1 -o a.mbf # more than one window
            g4-cpu -q --sum ewald:6,7,1e-4 --lags 5 a.mbf -o m.cf
            for how in MBF_SIMD=v2 MBF_SIMD=v3 MBF_SIMD=v4; do
                cat a.mbf | env $how g4-cpu -q -t 3 --sum ewald:6,7,1e-4 --lags 5 -o b.cf
                [ "$(content b.cf)" = "$(content m.cf)" ] || { echo "$how $type $cell"; false; }
            done
        done
    done
}

@test "the tail of G2 is what pairs beyond the taper give, at every lag, in a liquid and in a hot gas" {
    # within a quarter of it: g(r) is not 1, neighbours move together, and other images of a pair
    # are of the order 1/V; the gas leaves the taper during the run, so that its tail rises by a
    # fourth and falls by a half
    for f in "34.5 90 80 20000" "60 900 40 4000"; do
        # shellcheck disable=SC2086
        set -- $f
        md-cpu -q --atoms 864 --cell "$1,$1,$1" --temperature "$2" --thermostat berendsen:0.5 --equilibrate "$4" --steps $(($3 * 60)) --every "$3" -o l.mbf
        g4-cpu -q --lags 12 --origins 49 --component all --blocks 1 --sum ewald:pairs l.mbf -o p.cf
        g4-cpu -q --lags 12 --origins 49 --component all --blocks 1 --sum ewald:8.5,9.5 l.mbf -o m.cf
        g4-cpu -q --lags 12 --origins 49 --component all --blocks 1 --sum taper:8.5,9.5 l.mbf -o t.cf
        paste -d ' ' <(rows p.cf) <(rows m.cf) <(rows t.cf) | awk '{ tail = $4 - $16; d = ($4 - $10) / tail; print $1, $4, tail, d; bad += !(d < 0.25 && d > -0.25 && tail > 0) } END { exit bad || NR != 12 }'
    done
}

@test "a larger error is a coarser mesh, and is met; A of a crystal is 0" {
    cloud "$CUBE" 60 2 | xyz2bin -q --dtype f64 --sigma 3.4 --dt 1 -o a.mbf
    g4-cpu -q --sum ewald:pairs --lags 1 --blocks 1 a.mbf -o p.cf
    rows p.cf | awk '{ print $5 + 2 * $4 }' >want
    for error in 1e-3 1e-5 1e-7; do
        g4-cpu -q --sum ewald:7,8.6,$error --lags 1 --blocks 1 a.mbf -o m.cf
        rows m.cf | awk '{ print $5 + 2 * $4 }' | paste - want | awk -v e=$error '{ d = $1 / $2 - 1; bad += !(d < 2 * e && -d < 2 * e) } END { exit bad || NR != 1 }'
        bin2txt m.cf | awk '/^## mesh order/ { print $(NF - 1) }'
    done >orders
    sort -g -c -r orders
    [ "$(grep -c . orders)" -eq 3 ]
    # 4 cells of fcc along each edge: ABAB in the three directions
    awk 'BEGIN { print 256; print "Lattice=\"22 0 0 0 22 0 0 0 22\" Properties=species:S:1:pos:R:3"
        for (a = 0; a < 8; a++) for (b = 0; b < 8; b++) for (c = 0; c < 8; c++) if ((a + b + c) % 2 == 0) print "Ar", a * 2.75 + 0.3, b * 2.75 + 0.4, c * 2.75 + 0.5 }' |
        xyz2bin -q --dtype f64 --sigma 3.4 --dt 1 -o fcc.mbf
    g4-cpu -q --sum ewald:9,11 --lags 1 --component all --apart --blocks 1 fcc.mbf -o m.cf
    rows m.cf | awk '{ for (c = 3; c < NF; c += 4) { a = $(c + 2) + 2 * $(c + 1); if (!(a < 1e-9 && $c < 1e-9 && $(c + 1) > 1)) { print c, a, $c, $(c + 1); bad = 1 } } } END { exit bad || !NR }'
}

@test "shares are the bits of the whole; --series beside it" {
    cloud "$CUBE" 30 300 | xyz2bin -q --sigma 3.4 --dt 1 -o a.mbf
    for sum in ewald:6,7 ewald; do
        g4-cpu -q --sum $sum --lags 7 a.mbf -o whole
        for k in 1 2 3; do g4-cpu -q --sum $sum --lags 7 --shard $k/3 a.mbf -o p.$k; done
        frame-merge p.3 p.1 p.2 -o merged
        [ "$(content merged)" = "$(content whole)" ]
    done
    for half in 0:150 150:300; do frame-cut -q $half a.mbf | g4-cpu -q --sum ewald:6,7 --lags 7 -o h.$half; done
    bin2txt --meta h.0:150 | grep -q data.mesh.tail
    frame-merge h.0:150 h.150:300 | bin2txt --meta >merged # what one run says of itself is not of both
    grep -q data.mesh.error merged
    ! grep -q data.mesh.tail merged || false
    g4-cpu -v --sum ewald:6,7 --lags 7 --series s.mbf a.mbf -o x.cf 2>log # a grep that ends early would end the program, too
    grep -q 'series summed over all 435 pairs' log
    acf -q --mean keep --lags 7 s.mbf | bin2txt | grep -v '^#' | paste -d ' ' - <(rows x.cf) | 
        awk 'NR == 1 { e = 1e-5 * $3 } { d = $3 - $7; bad += !(d < e && -d < e) } END { exit bad || NR != 7 }'
}

@test "chosen by cost: many atoms have a mesh, few have none, and ewald:pairs never" {
    cloud "120 0 0 0 120 0 0 0 120" 3000 1 | xyz2bin -q --sigma 3.4 --dt 1 -o many.mbf
    g4-cpu -v --sum ewald --lags 1 many.mbf -o m.cf 2>said
    grep -q 'mesh sum: S and A_i' said
    grep -q 'within 11.9 Å, tapered from 10.71 Å' said
    g4-cpu -q --sum ewald:10.71,11.9 --lags 1 many.mbf -o n.cf
    compare -q --rtol 1e-14 m.cf n.cf # 3.15 sigma is a bit less than 10.71, and so is the tail of G2
    g4-cpu -q --lags 1 many.mbf -o n.cf # as by default
    [ "$(content m.cf)" = "$(content n.cf)" ]
    bin2txt --meta n.cf | grep -q 'data.mesh.tail'
    for few in "--sum ewald $BATS_FILE_TMPDIR/argon.mbf" "--sum ewald:pairs many.mbf"; do
        # shellcheck disable=SC2086
        g4-cpu -v --lags 1 $few -o m.cf 2>said
        ! grep -q mesh said || false
        ! bin2txt --meta m.cf | grep -q mesh || false
    done
}

@test "memory: refused before it is taken, with numbers" {
    cloud "120 0 0 0 120 0 0 0 120" 8000 1 | xyz2bin -q --sigma 3.4 --dt 1 -o many.mbf
    fails 4 g4-cpu --max-mem 40M --sum ewald:10,12,1e-8 --lags 1 many.mbf -o x.cf
    [[ $output == *"8000 atoms"*MiB*--max-mem* ]]
    printf '2\nLattice="1e7 0 0 0 1e7 0 0 0 1e7" Properties=species:S:1:pos:R:3\nAr 1 2 3\nAr 4 5 3\n' | xyz2bin -q --sigma 3.4 --dt 1 -o vast.mbf
    fails 4 g4-cpu --sum ewald:10,12 --lags 1 vast.mbf -o x.cf
    [[ $output == *"2 atoms"*EiB* || $output == *"2 atoms"*PiB* ]]
    # one mesh if there is no memory for more
    g4-cpu -q -t 4 --max-mem 110M --sum ewald:10,12,1e-8 --lags 1 many.mbf -o x.cf
    g4-cpu -q -t 1 --sum ewald:10,12,1e-8 --lags 1 many.mbf -o y.cf
    [ "$(content x.cf)" = "$(content y.cf)" ]
}

@test "two atoms; two at one place; flat cells; radii, errors, methods, tools and cells that cannot be" {
    for x in 4 1; do printf '2\nLattice="%s" Properties=species:S:1:pos:R:3\nAr 1 2 3\nAr %s %s 3\n' "$CUBE" $x $((x + 1)); done | xyz2bin -q --dtype f64 --sigma 3.4 --dt 1 -o two.mbf
    frame-cut -q 0:1 two.mbf | g4-cpu -q --sum ewald:7,8 --lags 1 --component xy -o m.cf
    frame-cut -q 0:1 two.mbf | g4-cpu -q --sum ewald:pairs --lags 1 --component xy -o p.cf
    paste -d ' ' <(rows p.cf) <(rows m.cf) | awk '{ d = $9 / $3 - 1; bad += !(d < 1e-5 && -d < 1e-5) } END { exit bad || NR != 1 }'
    fails 2 g4-cpu --sum ewald:7,8 --lags 1 two.mbf
    [[ $output == *"frame 1"*"atoms 0 and 1"* ]]
    cloud "40 0 0 0 40 0 0 0 2" 60 2 | xyz2bin -q --dtype f64 --sigma 3.4 --dt 1 -o flat.mbf
    g4-cpu -q --sum ewald:0.8,0.9 --lags 1 --blocks 1 flat.mbf -o m.cf
    g4-cpu -q --sum ewald:pairs --lags 1 --blocks 1 flat.mbf -o p.cf
    paste -d ' ' <(rows p.cf) <(rows m.cf) | awk '{ d = $9 / $3 - 1; bad += !(d < 1e-5 && -d < 1e-5) } END { exit bad || NR != 1 }'
    argon=$BATS_FILE_TMPDIR/argon.mbf
    for sum in ewald: ewald:5 ewald:,9 ewald:9,6 ewald:x,9 ewald:1,2,3 ewald:8,9,1e-9 ewald:8,9,1e-6,1 ewald:mesh; do
        fails 2 g4-cpu --sum $sum --lags 2 "$argon"
        [[ $output == *"expected ewald:pairs, for a sum over all pairs, or ewald:R1,R2"* ]]
    done
    fails 2 g4-cpu --sum ewald:9,11.6 --lags 2 "$argon"
    [[ $output == *"frame 0"*"half the smallest width"* ]]
    for method in fft direct; do
        fails 2 g4-cpu --sum ewald:9,11 --method $method --lags 2 "$argon"
        [[ $output == *"--method $method"* ]]
    done
    fails 2 beta-gen --sum ewald:9,11 "$argon" -o x.mbf
    [[ $output == *"not single pairs"* ]]
    beta-gen -q --sum ewald:pairs "$argon" | compare - <(beta-gen -q --sum ewald "$argon") | grep -q ^identical
    bin2xyz "$argon" | sed 's/pbc="[TF ]*"/pbc="T T F"/' | xyz2bin -q --sigma 3.4 -o slab.mbf
    fails 2 g4-cpu --sum ewald:8,9 --lags 2 slab.mbf
    [[ $output == *periodic*"--sum taper"* ]]
    # a cell that shrinks below the radius during the run
    cloud "$CUBE" 30 9 -0.01 | xyz2bin -q --sigma 3.4 --dt 1 -o a.mbf
    fails 2 g4-cpu --sum ewald:7,8.1 --lags 2 a.mbf
    [[ $output == *"frame 7"*"half the smallest width"* ]]
    cloud "25 0 0 0 25 0 0 0 2000" 3000 3 -0.04 | xyz2bin -q --sigma 3.4 --dt 1 -o a.mbf
    for sum in "--sum ewald" ""; do
        # shellcheck disable=SC2086
        fails 2 g4-cpu $sum --lags 1 a.mbf
        [[ $output == *"frame 2"*"half the smallest width"*"--sum ewald:pairs"* ]]
    done
}
