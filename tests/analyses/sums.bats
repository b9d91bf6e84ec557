# SPDX-License-Identifier: MIT
# sanitize
# --sum mic|taper|ewald of beta-gen and g4-cpu, compared with sums in another language and with each
# other, in any cell.

load ../helpers

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
                } END { print 0, 0, 0; for (i = 3; i <= NR; i++) for (j = i + 1; j <= NR; j++) printf "%.17g %.17g %.17g\n", x[i] - x[j], y[i] - y[j], z[i] - z[j] }' >points
            # shellcheck disable=SC2086
            py oracle/lattice_sums $cell <points >want
            # prefactor 3: coef is 3 sigma^3 times 1, 1, 1, 1/2, 1/(2 sqrt 3)
            beta-gen -q --sum ewald --component all a.mbf | bin2txt | grep -v '^#' >got
            own=$(head -1 want) && sed -i 1d want # of 12 atoms, a pair has 1/11 of an atom's own images
            paste -d ' ' got want | awk -v own="$own" -v tol=$([ $type = f64 ] && echo 1e-8 || echo 1.5e-6) '
                BEGIN { s = 3 * 3.4 ^ 3; coef[1] = coef[2] = coef[3] = s; coef[4] = s / 2; coef[5] = s / (2 * sqrt(3)); big = 3 / 0.729; split(own, q) }
                { n++; for (c = 1; c <= 5; c++) { d = $(4 + c) - coef[c] * ($(9 + c) + q[c] / 11)
                    if (NF != 14 || !(d < tol * big && -d < tol * big)) { print n, c, coef[c] * $(9 + c), d; bad = 1 } } }
                END { exit bad || n != 66 }' || { echo "$type $cell"; false; }
        done
    done
}

# crystal CELL: the simple cubic lattice of spacing 4 in a cell made of lattice vectors
crystal() {
    awk -v cell="$1" 'BEGIN { split(cell, h); for (k in h) h[k] /= 4
        v = h[1] * (h[5] * h[9] - h[6] * h[8]) - h[2] * (h[4] * h[9] - h[6] * h[7]) + h[3] * (h[4] * h[8] - h[5] * h[7])
        for (k = 0; k < 3; k++) for (c = 0; c < 3; c++) { # v times the inverse: whole numbers
            a = (k + 1) % 3; b = (k + 2) % 3; x = (c + 1) % 3; y = (c + 2) % 3
            g[k, c] = h[3 * a + x + 1] * h[3 * b + y + 1] - h[3 * a + y + 1] * h[3 * b + x + 1] }
        for (x = -9; x <= 9; x++) for (y = -9; y <= 9; y++) for (z = -9; z <= 9; z++) {
            inside = 1
            for (k = 0; k < 3; k++) { f = x * g[k, 0] + y * g[k, 1] + z * g[k, 2]; inside = inside && f >= 0 && f < v }
            if (inside) at[++n] = "Ar " 4 * x " " 4 * y " " 4 * z }
        if (n != v) exit 1
        printf "%d\nLattice=\"%s\" Properties=species:S:1:pos:R:3\n", n, cell; for (k = 1; k <= n; k++) print at[k] }'
}

# ways FILE SUM: lines "component S^2 sum_A^2" of the first step, from all programs that compute
# them; the methods are for sums over pairs
ways() {
    local o="--lags 1 --component all --apart --blocks 1 --sum $2" m
    # shellcheck disable=SC2086
    if [ "$2" = ewald:pairs ]; then
        for m in factored fft direct; do g4-cpu -q $o --method $m "$1" -o w.$m; done
        beta-gen -q --sum ewald --component all "$1" | g4-cpu -q --lags 1 --apart --blocks 1 -o w.pair
    else
        g4-cpu -q $o --series s.mbf "$1" -o w.mesh
        bin2txt s.mbf | awk '!/^#/ { for (c = 1; c <= 5; c++) { v = $(NF - 5 + c); printf "%d %.17g none\n", c, v * v } }'
    fi
    for m in w.*; do bin2txt "$m" | awk '!/^#/ { for (c = 1; c <= 5; c++) { k = 4 * c - 1; printf "%d %.17g %.17g\n", c, $k, $(k + 2) + 2 * $(k + 1) } }'; done
    rm -f w.* s.mbf
}

# atoms CELL FILE: 14 atoms at least 2.5 apart; prints "component S^2 sum_A^2" from sums over all
# pairs and own images
atoms() {
    py oracle/image_sums "$1" "$2"
}

@test "ewald has the images of each atom itself: S and A of another language, in long, hexagonal and monoclinic cells, every way" {
    for cell in "9 0 0 0 9 0 0 0 27" "10 0 0 -5 8.660254037844386 0 0 0 16" "9 0 0 0 11 0 -4 0 14"; do
        atoms "$cell" a.xyz >want
        xyz2bin -q --dtype f64 --sigma 3.4 --dt 1 a.xyz -o a.mbf
        for sum in "ewald:pairs 1e-8 20" "ewald:3.5,3.9,1e-8 1e-6 10"; do # twice the promised error of beta, and of A
            # shellcheck disable=SC2086
            set -- $sum
            ways a.mbf "$1" >got
            awk -v e="$2" -v n="$3" 'NR == FNR { s[$1] = $2; a[$1] = $3; size += $3; next } { d = $2 - s[$1]; f = $3 == "none" ? 0 : $3 - a[$1]
                if (!(d * d < (e * size) ^ 2 && f * f < (e * size) ^ 2)) { print $0, "expected", s[$1], a[$1]; bad = 1 } } END { exit bad || FNR != n }' want got || { echo "$cell $1"; false; }
        done
    done
}

@test "ewald: A of a cubic crystal is 0 in cells of any shape" {
    for cell in "8 0 0 0 8 0 0 0 24" "8 -8 0 0 8 -8 8 8 8" "8 0 0 4 8 0 0 0 16"; do
        crystal "$cell" | xyz2bin -q --dtype f64 --sigma 3.4 --dt 1 -o a.mbf
        for sum in ewald:pairs ewald:3,3.2,1e-8; do
            ways a.mbf $sum >got
            awk '{ if (!($2 < 1e-10 && $2 > -1e-10 && ($3 == "none" || ($3 < 1e-10 && $3 > -1e-10)))) { print; bad = 1 } } END { exit bad || NR < 10 }' got || { echo "$cell $sum"; false; }
        done
    done
}

@test "a liquid in a long cell: the five G(0) agree, and S has no mean" {
    md-cpu -q --atoms 96 --cell 11.5,11.5,34.5 --thermostat berendsen:0.5 --equilibrate 4000 --steps 24000 --every 80 -o long.mbf
    for sum in ewald:pairs ewald:5,5.7; do
        # without the own images of an atom, zz has a mean of 6 and a G(0) four times as large as
        # the others
        g4-cpu -q --lags 1 --component all --apart --sum $sum --series s.mbf long.mbf | bin2txt | grep -v '^#' |
            awk '{ for (c = 3; c <= 19; c += 4) { m += $c / 5; most = $c > most ? $c : most } } END { print m, most; exit !(m > 0 && most < 1.3 * m) }'
        bin2txt s.mbf | awk '!/^#/ { n++; for (c = 1; c <= 5; c++) s[c] += $(NF - 5 + c) }
            END { for (c = 1; c <= 5; c++) { print c, s[c] / n; bad += !(s[c] / n < 0.6 && s[c] / n > -0.6) } exit bad || n != 300 }'
        rm s.mbf
    done
}

@test "taper: mic up to R1, 0 from R2 on, the quintic between, by default 0.7 and 1 of half the smallest width" {
    for o in "taper f64" "taper:0,8 f64" "taper:3,8 f32"; do
        type=${o#* } o=${o% *}
        cloud "$BRICK" 30 1 | xyz2bin -q --dtype $type --sigma 3.4 --dt 1 -o a.mbf
        beta-gen -q --component all --sum mic a.mbf | bin2txt | grep -v '^#' >mic
        beta-gen -q --component all --sum $o a.mbf | bin2txt | grep -v '^#' >got
        bin2xyz a.mbf | awk 'NR > 2 { x[NR] = $2; y[NR] = $3; z[NR] = $4 } function im(d, l) { d -= l * int(d / l + 1.5) - l; return d }
            END { for (i = 3; i <= NR; i++) for (j = i + 1; j <= NR; j++) { a = im(x[i] - x[j], 17.25); b = im(y[i] - y[j], 22); c = im(z[i] - z[j], 29)
                printf "%.17g\n", sqrt(a * a + b * b + c * c) } }' >radii
        # f32: half a dozen roundings of 2^-24
        paste -d ' ' mic got radii | awk -v o=$o -v tol=$([ $type = f64 ] && echo 1e-12 || echo 4e-7) 'BEGIN { r1 = o == "taper" ? 0.7 * 8.625 : 0 + substr(o, 7, 1); r2 = o == "taper" ? 8.625 : 8 }
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
    # a sixth of the pairs is in range, where lists begin to pay, between the first step and the
    # last
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

# default SUM FILE: without --sum, all programs give the result for SUM, META has its name, and
# parts and pairs agree with the whole
default() {
    for method in factored fft; do
        g4-cpu -q --lags 3 --method $method "$2" -o default.cf
        g4-cpu -q --lags 3 --method $method --sum "$1" "$2" -o named.cf
        [ "$(content default.cf)" = "$(content named.cf)" ] || { echo "$*: g4-cpu --method $method"; false; }
    done
    bin2txt default.cf | grep -q "^## sum ${1%:*}\$" || { echo "$*: META"; false; }
    beta-gen -q "$2" -o default.pair
    beta-gen -q --sum "$1" "$2" -o named.pair
    [ "$(content default.pair)" = "$(content named.pair)" ] || { echo "$*: beta-gen"; false; }
    bin2txt default.pair | grep -q "^## sum ${1%:*}\$" || { echo "$*: META of pairs"; false; }
    g4-cpu -q --lags 3 --method factored "$2" -o whole.cf
    g4-cpu -q --lags 3 --method factored default.pair -o pairs.cf
    [ "$(content pairs.cf)" = "$(content whole.cf)" ] || { echo "$*: beta-gen | g4-cpu"; false; }
    sharing 3 1 g4-cpu "$2" --lags 3
}

@test "the default: all images where META has three periodic axes, a taper elsewhere; with a cutoff mic, the paper's" {
    bin2xyz "$BATS_FILE_TMPDIR/argon.mbf" >a.xyz
    cells() { awk -v how="$1" '/Lattice=/ { l = 23.1 + 0.01 * n++; h = "23.1 0 0 0 23.1 0 0 0 23.1"
        if (how == "skew") h = "24 0 0 8 25 0 -7 9 26"
        if (how == "grows") h = l " 0 0 0 " l " 0 0 0 " l
        p = how == "slab" ? "T T F" : how == "wire" ? "F T F" : "T T T"
        sub("Lattice=\"[^\"]*\"", "Lattice=\"" h "\""); sub("pbc=\"[^\"]*\"", "pbc=\"" p "\"")
        if (how == "free") { sub("Lattice=\"[^\"]*\" *", ""); sub("pbc=\"[^\"]*\" *", "") } } 1' a.xyz | xyz2bin -q --sigma 3.4 --dt 0.125 -o "$1.mbf"; }
    for how in cube skew grows; do cells $how; default ewald:pairs $how.mbf; done
    for how in slab wire free; do cells $how; default taper $how.mbf; done
    # axes are those of META, so no stream changes them later
    cat cube.mbf slab.mbf >both.mbf
    fails 2 beta-gen both.mbf -o x.mbf
    [[ $output == *"sys.pbc"* ]]
    for cut in cube slab; do
        g4-cpu --cutoff 9 --lags 3 $cut.mbf -o default.cf
        g4-cpu --sum mic --cutoff 9 --lags 3 $cut.mbf -o mic.cf
        compare default.cf mic.cf | grep -q ^identical
        bin2txt default.cf | grep -q '^## sum mic'
        bin2txt default.cf | grep -q '^## convention .*(i<j), nearest image, each'
    done
}

@test "the paper's systems, N = 64, 76, ... 256: the default is all images of every pair, with nothing to warn of" {
    sizes=$(seq -s , 64 12 256)
    md-cpu -q --atoms "$sizes" --density 0.02095452 --cutoff half --start random --equilibrate 50 --steps 40 --every 4 -o "a-%.mbf"
    for n in ${sizes//,/ }; do
        fails 0 g4-cpu --component all --lags 2 --blocks 1 "a-$n.mbf" -o default.cf
        [ -z "$output" ] || { echo "$output"; false; }
        g4-cpu --component all --lags 2 --blocks 1 --sum ewald:pairs "a-$n.mbf" -o pairs.cf
        compare default.cf pairs.cf | grep -q ^identical || { echo "$n"; compare default.cf pairs.cf; false; }
    done
}

@test "a taper that ends below 4.5 sigma is said, with its sign either way, and what to do in this cell" {
    cd "$BATS_FILE_TMPDIR"
    md-cpu -q --atoms 864 --density 0.020954 --steps 4 --every 4 -o large.mbf # edges of 34.5 Å
    for tool in "g4-cpu --lags 1" beta-gen; do
        # shellcheck disable=SC2086
        fails 0 $tool --sum taper:5,10.1 argon.mbf -o x.mbf
        [[ $output == *warning*"taper ends at 10.1 Å (2.97 sigma). A taper that ends below 4.5 sigma"*"changes G(0) of liquid argon by -12 to +34 %"*"use --sum ewald, which includes all images"* ]] || { echo "$output"; false; }
        # shellcheck disable=SC2086
        fails 0 $tool --sum taper argon.mbf -o x.mbf
        [[ $output == *warning*"taper ends at 11.52 Å (3.39 sigma)"* ]] || { echo "$output"; false; }
        bin2xyz argon.mbf | sed 's/pbc="[TF ]*"/pbc="T T F"/' | xyz2bin -q --sigma 3.4 -o slab.mbf
        # shellcheck disable=SC2086
        fails 0 $tool slab.mbf -o x.mbf
        [[ $output == *warning*"3.39 sigma"*"wider cell"* && $output != *ewald* ]] || { echo "$output"; false; }
        # shellcheck disable=SC2086
        fails 0 $tool --sum taper:10,15.2 large.mbf -o x.mbf
        [[ $output == *warning*"4.47 sigma"* ]]
        for quiet in "--sum taper:10,15.4 large.mbf" "--sum taper large.mbf" "argon.mbf" "--sum mic argon.mbf" "--sum ewald argon.mbf"; do
            # shellcheck disable=SC2086
            fails 0 $tool $quiet -o x.mbf
            [ -z "$output" ] || { echo "$output"; false; }
        done
        # a taper that the cell has no room for, by name and with its end
        # shellcheck disable=SC2086
        fails 2 $tool --sum taper:3,20 argon.mbf -o none
        [[ $output == *"argon.mbf: frame 0: a taper that ends at 20 Å exceeds half the smallest width of the cell, 11.5"*" Å, which is the limit of the minimum image" ]]
    done
    fails 2 g4-cpu --lags 1 --sum ewald:3,20 argon.mbf -o none
    [[ $output == *": frame 0: a mesh with a short-range part that ends at 20 Å exceeds half"*"of the minimum image (use --sum ewald:pairs, which has no mesh)" ]]
}

@test "refused with the reason: sums that a cell does not have, radii, a cutoff beside them" {
    for sum in nearest taper: taper:5 taper:,9 taper:9,6 taper:x,9 taper:1,2,3 taper:0x2,5 taper:1,inf 'taper:1, 2' ewald:4; do fails 2 g4-cpu --sum "$sum" --lags 2 "$BATS_FILE_TMPDIR/argon.mbf"; done
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
    for sum in "--sum ewald" ""; do
        # shellcheck disable=SC2086
        fails 2 g4-cpu $sum --lags 1 flat.mbf
        [[ $output == *"frame 0: "*flat*"--sum taper"* ]]
    done
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
