# SPDX-License-Identifier: MIT
# sanitize
# msd-cpu: mean square displacements.
# reads: msd-cpu POSN --lags 4 --unwrapped
# rounds: msd-cpu

load ../helpers

# walk POINTS STEPS FILE: a random walk, as FILE.xyz (species A, A, B, A, A, B, ...) and as FILE.txt
# with one row per step
walk() {
    awk -v n="$1" -v steps="$2" -v to="$3" "$UNIFORM"'BEGIN { seed(11)
        for (k = 0; k < 3 * n; k++) x[k] = 40 * uniform()
        for (t = 0; t < steps; t++) { row = ""; print n "\nwalk" >(to ".xyz")
            for (i = 0; i < n; i++) { line = i % 3 == 2 ? "B" : "A"
                for (a = 0; a < 3; a++) { x[3 * i + a] += uniform() + uniform() - 1 + 0.02 * a; s = sprintf("%.6f", x[3 * i + a]); row = row " " s; line = line " " s }
                print line >(to ".xyz") }
            print row >(to ".txt") } }'
}

rows() { bin2txt "$@" | grep -v '^#'; }
meta() { bin2txt --meta "$2" | sed -n "s/^$1	//p"; }
head_of() { bin2txt "$1" | head -n 1; }

# same OURS WANT PAIRS TOL: columns ours:want,... agree relative to the wanted value, in all rows
# but the first, which is 0
same() {
    paste -d' ' "$1" "$2" | awk -v spec="$3" -v tol="$4" -v m="$(awk '{ print NF; exit }' "$1")" '
        BEGIN { k = split(spec, pair, ",") }
        NR > 1 { for (i = 1; i <= k; i++) { split(pair[i], c, ":"); a = $c[1]; b = $(m + c[2]); d = a - b; if (d < 0) d = -d
            if (!(d <= tol * (b < 0 ? -b : b) + 1e-300)) { print "row " NR ", " pair[i] ": " a " and " b; bad = 1; exit 1 } } }
        END { exit bad || NR < 2 }'
}

# The rounding is 1e-16 of the sum of u² over that of du² (1e2 for 60 steps), and some transforms.
ROUNDING=1e-12

@test "both methods: the sum of the definition to 1e-12, all points, species, axes" {
    walk 7 60 w
    xyz2bin -q --dt 0.1 --dtype f64 w.xyz -o w.mbf
    py oracle/displacements w.txt >all
    py oracle/displacements w.txt 2 5 >b
    py oracle/displacements w.txt 0 1 3 4 6 >a
    for how in "--method fft" "--method window --lags 60" "--method fft --blocks 7" "--method window --lags 60 --blocks 1"; do
        # shellcheck disable=SC2086
        msd-cpu --drift keep --apart $how w.mbf -o w.msd
        [[ $(head_of w.msd) == "# t_ps origins msd msd_x msd_y msd_z msd_A msd_A_x msd_A_y msd_A_z msd_B msd_B_x msd_B_y msd_B_z"* ]]
        rows w.msd >got
        [ "$(wc -l <got)" -eq 60 ]
        same got all 2:2,3:3,4:4,5:5,6:6 $ROUNDING
        same got a 7:3,8:4,9:5,10:6 $ROUNDING
        same got b 11:3,12:4,13:5,14:6 $ROUNDING
        head -n 1 got | awk '{ exit !($3 == 0 && $14 == 0) }' # lag 0 is 0, not rounding
    done
    # the differences between points, from which einstein estimates errors
    walk 7 80 w
    msd-cpu -q --drift keep --apart --lags 2 <(xyz2bin -q --dt 0.1 w.xyz) -o w.msd
    [ -z "$(py oracle/scatter w.txt "$(meta data.scatter w.msd)" | tee /dev/stderr)" ]
    # errors are at least those of walks, times the ratio of the scatter to that of walks
    awk "$UNIFORM"'BEGIN { seed(1); for (t = 0; t < 600; t++) { print 20; print ""; for (i = 0; i < 20; i++) { printf "A"; for (a = 0; a < 3; a++) printf " %.6f", x[i, a] += uniform() - 0.5; print "" } } }' |
        xyz2bin -q --dt 1 --jumps-ok - | msd-cpu -q --drift keep -o n.msd
    rows n.msd | awk -v list="$(meta data.scatter n.msd)" 'BEGIN { split(list, w, " "); m = split(w[2], e, ":"); n = w[1]; d = 3 * e[2]; s = 1 }
        NR > 1 && $4 != "nan" { k = NR - 1; o = $2; if (4 ^ s < k && s < m - 2) s++
            w2 = k <= o ? (4 * k * k * o + 2 * o + k - k ^ 3) / (3 * k * o * o) : 2 + (o ^ 3 - 4 * k * o * o + 4 * k - o) / (3 * k * o * o)
            r = e[s + 2] < 0 ? 1 + e[s + 2] * d * int((n - 1) / 4 ^ s) / 2 : 1; below += r < 0.95
            if ($4 < 0.9999 * $3 * sqrt(w2 * r / d)) { print "lag " k ": error " $4 " below " $3 * sqrt(w2 * r / d); exit bad = 1 } } END { exit bad || !below }'
    # the only atom of B has no scatter, and counts as a random walker among all atoms
    awk "$UNIFORM"'BEGIN { seed(1); for (t = 0; t < 100; t++) { print 5; print ""; for (i = 0; i < 5; i++) { printf i ? "A" : "B"; for (a = 0; a < 3; a++) printf " %.6f", x[i, a] += uniform() - 0.5; print "" } } }' |
        xyz2bin -q --dt 1 --jumps-ok - | msd-cpu -q --drift keep -o b.msd
    [[ "$(meta data.scatter b.msd)" =~ ^100\ msd:4\.[0-9]+:[-.e0-9]+:[-.e0-9]+\ msd_A:4:[-.e0-9]+:[-.e0-9]+$ ]]
}

@test "--alpha2: the definition, and its error" {
    walk 7 60 w
    xyz2bin -q --dt 0.1 --dtype f64 w.xyz -o w.mbf
    py oracle/displacements w.txt >all
    py oracle/displacements w.txt 2 5 >b
    msd-cpu --drift keep --alpha2 --lags 60 --method window w.mbf -o w.msd
    [[ $(head_of w.msd) == "# t_ps origins msd alpha2 msd_A alpha2_A msd_B alpha2_B msd_se alpha2_se"* ]]
    rows w.msd >got
    same got all 3:3 $ROUNDING
    msd-cpu --drift keep --alpha2 w.mbf | rows | cmp - got # window, by itself
    paste -d' ' got all b | awk 'NR > 1 { m = split($0, v, " "); d = $4 - v[m - 7]; e = $8 - v[m]; if (d * d > 1e-20 || e * e > 1e-20) exit 1 }'
}

@test "errors of a walk are what theory has, at lags of many blocks, too" {
    # two origins d apart have lag - |d| steps in common: the variance of the mean of M origins is 3
    # * 2 sum_d (lag - |d|)² (M - |d|) / (20 M²); an error of some 40 blocks is known to an eighth,
    # and smooths over lags: of eleven seeds 199 lags or more have one, within 0.05 to 0.13 in the
    # logarithm; without what blocks share 91 to 127 had, within 0.11 to 0.26 (three seeds)
    awk "$UNIFORM"'function g(  k, s) { s = -6; for (k = 0; k < 12; k++) s += uniform(); return s }
        BEGIN { seed(5); for (t = 0; t < 3000; t++) { print 20; print ""; for (a = 0; a < 20; a++) { for (c = 0; c < 3; c++) r[a, c] += g(); printf "Ar %.4f %.4f %.4f\n", r[a, 0], r[a, 1], r[a, 2] } } }' |
        xyz2bin -q --dt 1 --unsorted-ok | msd-cpu -q --lags 600 | bin2txt -q --format tsv | cut -f 1,4 >walk
    awk 'NR > 2 && $2 != "NaN" { k = $1; s = 0
        for (d = 1 - k; d < k; d++) s += (k - (d < 0 ? -d : d))^2 * (3000 - k - (d < 0 ? -d : d))
        x = log($2 / (sqrt(0.3 * s) / (3000 - k))); n++; sq += x * x }
        END { print n, sqrt(sq / n); exit !(n > 160 && sq / n < 0.16^2) }' walk
}

@test "lasting differences of mobility between atoms are in the errors, but not those of --blocks" {
    # The variance of the steps is 4 for half of the 40 atoms and 1 for the others, which is a
    # scatter of 0.6 of the mean, or 0.095 for 40 atoms. Equal walkers have an error of 0.008.
    awk "$UNIFORM"'function g() { return uniform() + uniform() + uniform() + uniform() - 2 }
        BEGIN { seed(6); for (t = 0; t < 1000; t++) { print 40; print ""; for (a = 0; a < 40; a++) { for (c = 0; c < 3; c++) r[a, c] += (a < 20 ? 2 : 1) * g(); printf "Ar %.4f %.4f %.4f\n", r[a, 0], r[a, 1], r[a, 2] } } }' |
        xyz2bin -q --pbc none --jumps-ok --dt 1 -o two.mbf
    msd-cpu -q --drift keep --unwrapped --axes --lags 40 two.mbf | rows >t
    awk '$1 == 1 || $1 == 8 || $1 == 39 { n++; se = $7 / $3; x = $8 / $4; if (se < 0.08 || se > 0.115 || x < 0.08 || x > 0.12) { print; exit bad = 1 } } END { exit bad || n != 3 }' t
    msd-cpu -q --drift keep --unwrapped --lags 40 --blocks 20 two.mbf | rows | awk '$1 == 8 { exit !($4 / $3 < 0.02) }'
}

@test "a mobility that all atoms share: errors are true at lags of most of the run" {
    # The variance of all steps is the exponential of a variable with a correlation time of a tenth
    # of the run. Its mean is 1.
    for s in {1..24}; do
        awk "$UNIFORM"'function g() { return uniform() + uniform() + uniform() + uniform() - 2 }
            BEGIN { seed('"$s"'); a = exp(-1 / 30); y = 0
                for (t = -100; t < 300; t++) {
                    y = a * y + sqrt(3 * (1 - a * a)) * 0.8 * g(); m = sqrt(3) * exp(0.5 * (y - 0.32))
                    if (t >= 0) { print 40; print ""; for (k = 0; k < 120; k++) { r[k] += m * g(); printf k % 3 ? " %.3f" : "Ar %.3f", r[k]; if (k % 3 == 2) print "" } } } }' |
            xyz2bin -q --pbc none --jumps-ok --dt 1 | msd-cpu -q --drift keep --unwrapped | rows
    done >all
    awk '$1 > 0 { n++; known += $4 ~ /^[0-9]/ } $1 >= 100 && $1 < 280 && $4 ~ /^[0-9]/ { m++; x = ($3 / $1 - 3) / $4 * $1; held += x * x < 1; two += x * x < 4 }
        END { print known / n, held / m, two / m; exit !(known > 0.92 * n && held > 0.6 * m && held < 0.9 * m && two > 0.85 * m) }' all
}

@test "the same bits for any number of threads, any instructions, and from a pipe" {
    walk 9 300 w
    xyz2bin -q --dt 0.1 w.xyz -o w.mbf
    for how in "" "--lags 20" "--lags 90 --method window --alpha2 --apart"; do
        # shellcheck disable=SC2086
        msd-cpu -t 1 --masses A=1,B=3 $how w.mbf -o one
        for t in 2 3; do
            # shellcheck disable=SC2086
            MBF_SIMD=v$t msd-cpu -t $t --masses A=1,B=3 $how <w.mbf >many 2>/dev/null || msd-cpu -t $t --masses A=1,B=3 $how <w.mbf >many
            [ "$(content one)" = "$(content many)" ]
        done
    done
}

@test "shares are the whole, to the bit" {
    walk 5 200 w
    xyz2bin -q --dt 0.1 w.xyz -o w.mbf
    for how in "" "--lags 20" "--lags 80 --method fft --apart" "--lags 40 --method window --alpha2" "--lags 70 --blocks 7"; do
        for n in 1 3 11; do
            # shellcheck disable=SC2086
            sharing $n 2 msd-cpu w.mbf --masses A=1,B=3 $how
        done
    done
}

@test "the drift of the centre of mass, by mass, and centres of mass of molecules" {
    walk 6 30 w
    xyz2bin -q --dt 0.1 --dtype f64 w.xyz -o w.mbf
    # masses are 2 for A and 3 for B, and molecules are A A B
    awk '{ X = Y = Z = 0; for (i = 0; i < 6; i++) { m = i % 3 == 2 ? 3 : 2; X += m * $(3 * i + 1) / 14; Y += m * $(3 * i + 2) / 14; Z += m * $(3 * i + 3) / 14 }
        row = ""; for (i = 0; i < 6; i++) row = row sprintf(" %.15g %.15g %.15g", $(3 * i + 1) - X, $(3 * i + 2) - Y, $(3 * i + 3) - Z); print row }' w.txt >still.txt
    awk '{ row = ""; for (i = 0; i < 18; i += 9) for (a = 1; a <= 3; a++) row = row sprintf(" %.15g", (2 * $(i + a) + 2 * $(i + a + 3) + 3 * $(i + a + 6)) / 7); print row }' still.txt >centres.txt
    py oracle/displacements still.txt >still
    py oracle/displacements centres.txt >centres
    msd-cpu --masses A=2,B=3 w.mbf | rows >got
    same got still 3:3 1e-11
    for m in 3 molecules; do
        printf '0 1 2\n3 4 5 # the other\n' >molecules
        msd-cpu --masses A=2,B=3 --molecules $m w.mbf | rows >got
        same got centres 3:3 1e-11
    done
    printf '3 4 5\n' >molecules # three atoms are by themselves
    msd-cpu --drift keep --masses A=2,B=3 --molecules molecules w.mbf -o m.msd
    [[ $(head_of m.msd) == "# t_ps origins msd msd_A2B msd_A msd_B"* ]]
}

@test "the drift of a selection is kept: one atom, two atoms, one molecule" {
    walk 6 300 w
    xyz2bin -q --dt 0.1 --dtype f64 w.xyz -o w.mbf
    for atoms in 0 1:3; do
        frame-cut --atoms $atoms w.mbf -o some.mbf
        [ "$(meta sys.selected_of some.mbf)" = 6 ]
        msd-cpu --drift keep some.mbf -o keep.msd 2>err
        [ ! -s err ]
        msd-cpu some.mbf -o auto.msd 2>err
        grep -Eq "warning: some.mbf: the drift is kept, because all atoms of the system are needed to subtract it, found [12] of 6 atoms, a selection \(--drift keep silences this warning; to remove the drift, use unwrap --drift subtract before you select atoms\)$" err
        rows keep.msd | cmp - <(rows auto.msd)
        [ "$(meta data.drift auto.msd)" = kept ]
    done
    # readers also select atoms, and a selection of a selection is a selection of the whole
    xyz2bin -q --dt 0.1 --atoms 0:3 w.xyz | frame-cut --species A : -o some.mbf
    [ "$(meta sys.selected_of some.mbf)" = 6 ]
    xyz2bin -q --dt 0.1 --atoms 0:6 w.xyz -o whole.mbf
    [ -z "$(meta sys.selected_of whole.mbf)" ]
    # the remedy of the warning: the drift of all atoms, from a walk without this drift
    awk '{ X = Y = Z = 0; for (i = 0; i < 6; i++) { X += $(3 * i + 1) / 6; Y += $(3 * i + 2) / 6; Z += $(3 * i + 3) / 6 }
        printf "%.15g %.15g %.15g\n", $1 - X, $2 - Y, $3 - Z }' w.txt >one.txt
    py oracle/displacements one.txt >want
    unwrap -q --drift subtract --masses A=1,B=1 w.mbf | frame-cut --atoms 0 | msd-cpu -o one.msd 2>err
    [ ! -s err ]
    rows one.msd >got
    same got want 3:3 1e-11
    # the drift of all atoms of the stream is subtracted from one species
    msd-cpu --masses A=1,B=1 w.mbf | rows >all
    awk '{ X = Y = Z = 0; for (i = 0; i < 6; i++) { X += $(3 * i + 1) / 6; Y += $(3 * i + 2) / 6; Z += $(3 * i + 3) / 6 }
        printf "%.15g %.15g %.15g %.15g %.15g %.15g\n", $7 - X, $8 - Y, $9 - Z, $16 - X, $17 - Y, $18 - Z }' w.txt >b.txt
    py oracle/displacements b.txt >want
    same all want 5:3 1e-11
}

@test "--drift subtract: obeyed for a selection with what is lost, refused for one point" {
    walk 6 30 w
    xyz2bin -q --dt 0.1 --dtype f64 w.xyz -o w.mbf
    frame-cut --atoms 0:2 w.mbf -o two.mbf
    frame-cut --atoms 0:1 w.mbf -o one.mbf
    msd-cpu --drift subtract two.mbf -o two.msd 2>err
    grep -q 'found 2 of 6 atoms, a selection. Subtracting the mean motion of these atoms makes the result too small by a fraction of about 0.5 (use --drift keep)' err
    [ "$(meta data.drift two.msd)" = subtracted ]
    unwrap --drift subtract two.mbf -o u.mbf 2>err
    grep -q 'too small by a fraction of about 0.5 ' err
    rm u.mbf
    for how in "msd-cpu one.mbf" "unwrap one.mbf" "msd-cpu --masses A=1,B=1 --molecules 6 w.mbf"; do
        # shellcheck disable=SC2086
        fails 2 $how --drift subtract -o out
        [[ $output == *"--drift subtract: expected all atoms of the system, found "*": no motion would remain (use --drift keep)" ]] || { echo "$output"; false; }
        [ ! -e out ]
    done
}

@test "--drift-of: the motion of a framework is subtracted exactly, by msd, vacf and unwrap; what cannot be is refused" {
    # A walks, and the two B vibrate in opposite directions; all move with a planted drift
    awk "$UNIFORM"'BEGIN { seed(5)
        for (t = 0; t < 50; t++) {
            for (c = 0; c < 3; c++) d[c] += int(2048 * uniform() - 900) / 1024
            for (k = 0; k < 9; k++) x[k] += int(2048 * uniform() - 1024) / 1024
            for (f = 0; f < 2; f++) { to = f ? "moving.xyz" : "still.xyz"; print "7\nt" >to
                for (i = 0; i < 7; i++) { line = i < 3 ? "A" : i < 5 ? "B" : "C"
                    for (c = 0; c < 3; c++) line = line " " sprintf("%.10f", 5 * i + (i < 3 ? x[3 * i + c] : i < 5 ? (i - 3.5) * (t % 5) / 4 : -2 * x[c]) + f * d[c])
                    print line >to } } } }'
    for f in moving still; do xyz2bin -q --dt 0.1 --dtype f64 $f.xyz -o $f.mbf; done
    for how in "--method fft" "--method window --lags 50"; do
        # shellcheck disable=SC2086
        msd-cpu $how --drift-of B moving.mbf -o m.msd
        # shellcheck disable=SC2086
        msd-cpu $how --drift keep still.mbf | rows >want
        rows m.msd >got
        same got want 3:3,4:4,5:5,6:6 $ROUNDING
    done
    [ "$(meta data.drift m.msd) $(meta data.drift_of m.msd)" = "subtracted B" ]
    [ -z "$(meta data.drift_of <(msd-cpu --drift keep moving.mbf))" ]
    # two species are weighted by their masses: here, the drift is that of C and B together
    msd-cpu --drift-of B,C --masses A=1,B=1,C=2 moving.mbf | rows >got
    awk '$1 ~ /[ABC]/ { n = (NR - 1) % 9; s[n] = $0; if ($1 != "A") { m = $1 == "B" ? 1 : 2; for (c = 2; c < 5; c++) d[c] += m * $c / 6 }
        if (n == 8) { print "7\nt"; for (i = 2; i < 9; i++) { split(s[i], w, " "); printf "%s %.12f %.12f %.12f\n", w[1], w[2] - d[2], w[3] - d[3], w[4] - d[4] }; split("", d) } }' moving.xyz >own.xyz
    xyz2bin -q --dt 0.1 --dtype f64 own.xyz | msd-cpu --drift keep | rows >want
    same got want 3:3,4:4,5:5,6:6 1e-9
    # unwrap subtracts the drift since the first step
    unwrap -q --drift-of B moving.mbf 2>/dev/null -o u.mbf
    unwrap -q still.mbf -o w.mbf
    paste -d' ' <(bin2xyz u.mbf) <(bin2xyz w.mbf) | awk 'NF == 8 { for (c = 2; c < 5; c++) { k = (NR - 1) % 9 * 3 + c; d = $c - $(c + 4); if (!(k in f)) f[k] = d; n++
        if (d - f[k] > 1e-9 || f[k] - d > 1e-9) exit 1 } } END { exit n != 50 * 21 }'
    [ "$(meta data.drift_of u.mbf)" = B ]
    unwrap -q u.mbf 2>/dev/null -o again.mbf # without --drift, the result of the first run remains
    [ "$(meta data.drift again.mbf) $(meta data.drift_of again.mbf)" = "subtracted B" ]
    frame-cut --species A u.mbf | msd-cpu 2>err | rows >got # auto keeps what is left
    [ ! -s err ]
    msd-cpu u.mbf | rows | cut -d' ' -f4 | cmp - <(msd-cpu --drift keep u.mbf | rows | cut -d' ' -f4)
    msd-cpu --drift keep still.mbf | rows | cut -d' ' -f1,2,4 >want
    same got want 3:3 $ROUNDING
    # velocities, as the differences of the positions
    for f in moving still; do
        awk 'NF == 4 { printf "%s 0 0 0 %.12f %.12f %.12f\n", $1, $2 / 8, $3 / 8, $4 / 8; next } NR % 9 == 2 { print "Properties=species:S:1:pos:R:3:vel:R:3"; next } { print }' $f.xyz |
            xyz2bin -q --dt 0.1 --pbc none --velocities --velocity-unit A/ps --dtype f64 -o $f.vel
    done
    vacf-cpu --drift-of B moving.vel | rows | cut -d' ' -f3- >got
    awk 'NF == 4 { k = (NR - 1) % 9; s[k] = $0; if ($1 == "B") for (c = 2; c < 5; c++) d[c] += $c / 2
        if (k == 8) { print "7\nProperties=species:S:1:pos:R:3:vel:R:3"; for (i = 2; i < 9; i++) { split(s[i], w, " "); printf "%s 0 0 0 %.12f %.12f %.12f\n", w[1], (w[2] - d[2]) / 8, (w[3] - d[3]) / 8, (w[4] - d[4]) / 8 }; split("", d) } }' moving.xyz |
        xyz2bin -q --dt 0.1 --pbc none --velocities --velocity-unit A/ps --dtype f64 | vacf-cpu --drift keep | rows | cut -d' ' -f3- >want
    same got want 1:1,2:2,4:4 1e-9
    for how in msd-cpu "unwrap --drift subtract"; do
        says() { # shellcheck disable=SC2086
            fails 2 $how -o no --drift-of "$1" "${@:3}" moving.mbf
            [[ $output == *"$2" && ! -e no ]] || { echo "$output"; return 1; }; }
        says X "--drift-of: expected the name of a species in the input, found 'X'"
        says B,, "--drift-of: expected the name of a species in the input, found ''" --masses A=1,B=1,C=1
        says B,C ": --drift-of needs the mass of every species, but 'A' is not an element (--masses A=MASS,... in g/mol)"
        says B "--drift-of: expected at least two atoms with a mass, found 2 without a mass" --masses A=1,B=0,C=1
    done
    fails 2 msd-cpu --drift-of B --drift keep moving.mbf
    [[ $output == *"--drift-of has no effect with --drift keep" ]]
    fails 2 unwrap --drift-of B --drift keep moving.mbf
    [[ $output == *"--drift-of has no effect with --drift keep" ]]
    frame-cut --atoms 4: moving.mbf -o one.mbf
    fails 2 msd-cpu --drift-of B one.mbf
    [[ $output == *"--drift-of: expected at least two atoms with a mass, found 1" ]]
}

@test "--max-mem: some points at a time, in so many passes over a file, are the same bits" {
    walk 60 400 w
    xyz2bin -q --dt 0.1 w.xyz -o w.mbf
    msd-cpu --masses A=1,B=3 --lags 100 w.mbf -o all
    msd-cpu --masses A=1,B=3 --lags 100 --max-mem 933k w.mbf -o some 2>err
    grep -Eq 'The file is read [2-9] times' err
    [ "$(content all)" = "$(content some)" ]
    fails 4 msd-cpu -o out --masses A=1,B=3 --lags 100 --max-mem 500k w.mbf
    [[ $output == *"--method window"* ]]
    fails 4 bash -c 'cat w.mbf | msd-cpu --masses A=1,B=3 --lags 100 --max-mem 300k -o out'
    [[ $output == *"a file instead of a pipe, which can be read in several passes"* ]]
    fails 4 bash -c 'cat w.mbf | msd-cpu --masses A=1,B=3 --lags 100 --max-mem 400k -o out'
    [[ $output == *"400 steps of 180 series, and their transforms"* ]]
}

@test "--max-mem: every limit is status 4, or so many passes as the points take, and the same bits" {
    walk 64 400 w # 43 A, 21 B: a kind of an odd number of points ends within a pass, 32 points are two passes
    xyz2bin -q --dt 0.1 w.xyz -o w.mbf
    msd-cpu --masses A=1,B=3 --lags 100 w.mbf -o all
    took=0 passes=
    for k in {840..1280..8}; do # two points take 9.4k
        rm -f some
        msd-cpu --masses A=1,B=3 --lags 100 --max-mem ${k}k w.mbf -o some 2>err && status=0 || status=$?
        [ $status = 4 ] && [ $took = 0 ] && [ ! -e some ] && continue
        [ $status = 0 ] || { echo "$k: status $status"; cat err; false; }
        took=1
        [ "$(content all)" = "$(content some)" ] || { echo "$k: other bits"; false; }
        read -r n fit of < <(sed -n 's/.*The file is read \([0-9]*\) times, for at most \([0-9]*\) of the \([0-9]*\) atoms.*/\1 \2 \3/p' err) || continue
        [ "$n" = $(((of + fit - 1) / fit)) ] && [ "$fit" -ge 4 ] || { cat err; false; }
        passes+=" $n"
    done
    [[ $passes == " 1"?*" 8 "*" 2"* ]] || { echo "passes$passes"; false; }
}

@test "--max-mem: what is in memory beside it is the program and what it reads" {
    left
    [ -z "${SANITIZED:-}" ] || skip "memory is the sanitizer's"
    md-cpu -q --atoms 20000 --density 0.02 --steps 600 --every 1 -o m.mbf
    # 40 MiB; 30 to 32 MiB more for libraries, stacks, and frames read ahead (41 MiB if steps in
    # progress are not counted)
    "${PY:-python3}" -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
kib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
sys.exit(f"{kib} KiB" if kib > 76 << 10 else 0)' msd-cpu -q --lags 16 --method fft --max-mem 40M --unwrapped m.mbf -o m.msd
}

@test "wrapped input is refused with frame and atom, and unwrap is named" {
    awk 'BEGIN { for (t = 0; t < 9; t++) { print "2\nLattice=\"10 0 0 0 10 0 0 0 10\" Properties=species:S:1:pos:R:3"; print "Ar 1 1 1"; print "Ar", (7.1 + 0.7 * t) % 10, 5, 5 } }' >j.xyz
    xyz2bin -q --unsorted-ok --dt 1 j.xyz -o j.mbf
    fails 2 msd-cpu -o out j.mbf
    [[ $output == *"frame 5: expected unwrapped positions, found atom 1 more than half the cell"*unwrap* ]]
    msd-cpu --unwrapped j.mbf -o j.msd
}

@test "a jump along any periodic vector of any cell is refused; along others, and of less than half, it is motion" {
    # in step 3, atom 2 moves by 0.6 (refused) or by 0.4 of vector K, after a walk through other
    # fractions
    for cell in "10 0 0 0 12 0 0 0 14" "10 0 0 3 12 0 -2 4 14"; do
        for k in 1 2 3; do
            for far in 0.6 0.4; do
                awk -v cell="$cell" -v k=$k -v far=$far 'BEGIN {
                    split(cell, h, " ")
                    for (t = 0; t < 6; t++) {
                        printf "4\nLattice=\"%s\" Properties=species:S:1:pos:R:3\n", cell
                        for (i = 0; i < 4; i++) {
                            f[1] = 0.1 + 0.2 * i; f[2] = 0.3 + 0.1 * i; f[3] = 0.7 - 0.15 * i
                            if (i == 2 && t > 2) f[k] += far
                            print "Ar", f[1] * h[1] + f[2] * h[4] + f[3] * h[7], f[1] * h[2] + f[2] * h[5] + f[3] * h[8], f[1] * h[3] + f[2] * h[6] + f[3] * h[9]
                        }
                    } }' >j.xyz
                for pbc in xyz $(tr -d $k <<<123 | tr 123 xyz); do
                    xyz2bin -q --unsorted-ok --pbc $pbc --dt 1 --dtype f64 j.xyz -o j.mbf
                    if [ $pbc = xyz ] && [ $far = 0.6 ]; then
                        fails 2 msd-cpu -q --lags 3 j.mbf -o out
                        [[ $output == *"frame 3: "*"atom 2 more than half the cell"* ]] || { echo "$cell $k: $output"; false; }
                    else
                        msd-cpu -q --lags 3 j.mbf -o out
                    fi
                done
            done
        done
    done
}

@test "molecules of several kinds in any order: each kind has its own mean" {
    walk 14 12 w # names A A B A A B ...
    xyz2bin -q --dt 0.1 --dtype f64 w.xyz -o w.mbf
    # A2B, A2B, AB, A2B, B, AB: a kind that occurs again after another kind, and kinds that differ
    # only in the last name
    printf '0 1 2\n3 4 5\n6 8\n9 10 11\n' >m4
    for order in "1 2 3 4" "3 1 2 4" "1 3 2 4" "4 3 1 2"; do
        for n in $order; do sed -n "${n}p" m4; done >m
        msd-cpu -q --drift keep --masses A=2,B=3 --molecules m --lags 4 w.mbf -o m.msd
        head_of m.msd | tr ' ' '\n' | grep '^msd' | grep -v _se | sort | paste -sd ' ' >names
        bin2txt -q m.msd | grep -v '^##' | sed 's/^# //' | awk 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^msd/ && $i !~ /_se$/) c[$i] = i; next }
            { n = asorti_(c); for (k = 1; k <= n; k++) printf "%s=%.10g ", s[k], $(c[s[k]]); print "" }
            function asorti_(a, m, x, i, j, t) { m = 0; for (x in a) s[++m] = x; for (i = 2; i <= m; i++) for (j = i; j > 1 && s[j] < s[j - 1]; j--) { t = s[j]; s[j] = s[j - 1]; s[j - 1] = t } return m }' >"of.${order// /}"
        command cmp "of.${order// /}" of.1234
    done
    grep -q "msd_A2B=" of.1234
    grep -q "msd_AB=" of.1234
}

@test "a site without mass moves no centre: M of TIP4P, in msd, vacf and unwrap" {
    numpy_python
    # atoms move independently, so that any weight of M has an effect
    py forge/free_flight w.mbf 24 40 0.05 3 2 "30 0 0 0 30 0 0 0 30" "O H H M"
    unwrap -q w.mbf -o m.mbf
    frame-cut -q --species O,H : m.mbf -o o.mbf
    seq 0 23 | paste -d' ' - - - - >four
    seq 0 17 | paste -d' ' - - - >three
    # column NAME PROGRAM OPTION...
    column() { "${@:2}" -q --drift subtract --lags 8 | bin2txt | awk -v name="$1" 'NR == 1 { for (i = 2; i <= NF; i++) if ($i == name) c = i - 1 } !/^#/ { print $c }'; }
    equal() { paste "$1" "$2" | awk '($1 - $2) ^ 2 > 1e-12 * $2 * $2 || NF < 2 { print; exit 1 } END { exit NR != 8 }'; }
    equal <(column msd_O msd-cpu --masses M=0 m.mbf) <(column msd_O msd-cpu o.mbf)
    equal <(column msd msd-cpu --molecules four --masses M=0 m.mbf) <(column msd msd-cpu --molecules three o.mbf)
    equal <(column vacf vacf-cpu --molecules four --masses M=0 m.mbf) <(column vacf vacf-cpu --molecules three o.mbf)
    equal <(column mvv_3NkT_meV vacf-cpu --weights mass --masses M=0 m.mbf) <(column mvv_3NkT_meV vacf-cpu --weights mass o.mbf)
    # drift of the whole system, by unwrap: the first three of each four atoms are those without M
    unwrap -q --drift subtract --masses M=0 m.mbf | frame-cut -q --species O,H : | rows >cut
    unwrap -q --drift subtract o.mbf | rows | paste -d' ' cut - | awk '{ for (k = 4; k < 7; k++) if (($k - $(k + NF / 2)) ^ 2 > 1e-10) exit 1 } END { exit NR != 720 }'
}

@test "two segments of one run give the rows of the run" {
    walk 3 20 w
    xyz2bin -q --dt 1 w.xyz -o w.mbf
    frame-cut -q 0:8 w.mbf -o a.mbf
    frame-cut -q 8:20 w.mbf -o b.mbf
    cat a.mbf b.mbf >two.mbf
    cmp <(msd-cpu --drift keep --unwrapped w.mbf | rows) <(msd-cpu --drift keep --unwrapped two.mbf | rows)
}

@test "what cannot be is refused in one line" {
    walk 3 20 w
    xyz2bin -q w.xyz -o w.mbf
    fails 2 msd-cpu -o out --lags 5 --tmax 1 w.mbf
    fails 2 msd-cpu -o out --alpha2 --method fft w.mbf
    fails 2 msd-cpu -o out w.mbf
    [[ $output == *"'B' is not an element"*"--masses"* || $output == *"'A' is not an element"*"--masses"* ]]
    fails 2 msd-cpu -o out --drift keep --lags 21 w.mbf
    [[ $output == *"21 lags need at least 21 steps, found 20"* ]]
    for options in "" "--lags 4" "--shard 1/2"; do
        # shellcheck disable=SC2086
        fails 2 msd-cpu -o out --drift keep --blocks 9999 $options w.mbf
        [[ $output == *"expected at least one step per block, found 9999 blocks and 20 steps"* ]]
    done
    fails 2 msd-cpu -o out --drift keep --tmax 3 w.mbf # no time step
    fails 2 msd-cpu -o out --masses A=1,B=2,C=3 w.mbf
    fails 2 msd-cpu -o out --masses A=1,B=-1 w.mbf
    [[ $output == *"--masses: expected a mass of 0 or more for B, found -1"* ]]
    fails 2 msd-cpu -o out --masses A=0,B=0 w.mbf
    [[ $output == *"expected a mass above 0 for at least one atom"* ]]
    fails 2 msd-cpu -o out --masses A=0,B=1 --molecules 1 w.mbf
    [[ $output == *"expected a positive mass for each molecule, found 0 for the molecule of atom 0, counted from 0"* ]]
    fails 2 msd-cpu -o out --drift keep --molecules 2 w.mbf
    printf '0 1\n1 2\n' >twice
    fails 2 msd-cpu -o out --masses A=1,B=2 --molecules twice w.mbf
    [[ $output == *"line 2"*"found atom 1 also in line"* ]]
    fails 2 bash -c 'cat w.mbf | msd-cpu --drift keep --method window -o out'
    [[ $output == *"give --lags or --tmax"* ]]
    awk 'BEGIN { for (k = 1; k < 66; k++) for (i = 0; i < k; i++) printf "%d%s", n++, i < k - 1 ? " " : "\n" }' >kinds
    awk 'BEGIN { for (t = 0; t < 2; t++) { print "2145\nwalk"; for (i = 0; i < 2145; i++) print "A", i, t, 0 } }' | xyz2bin -q --dt 1 - -o many.mbf
    fails 2 msd-cpu -q --unwrapped --molecules kinds many.mbf -o no
    [ "$output" = "msd-cpu: many.mbf: --molecules: expected at most 64 kinds of molecules, found more" ] && [ ! -e no ]
}

@test "MDAnalysis: NoJump and EinsteinMSD of argon, all of 1,001 lags, to 1e-6" {
    # The transforms of MDAnalysis are in f64 and subtract no mean: measured 7e-9
    xyz2bin -q "$DATA/argon256.xyz.gz" | unwrap -q | msd-cpu --drift keep | rows |
        awk 'NR == FNR { if (!/^#/) want[$1] = $2; next } FNR - 1 in want { d = $3 / want[FNR - 1] - 1; if (d * d > 1e-12) { print "lag " FNR - 1 ": " $3; exit 1 } n++ }
            END { if (n != 40) exit 1 }' "$ROOT/tests/golden/mdanalysis-msd.txt" -
}

@test "MDAnalysis itself: its XTC of a walk in a triclinic cell, NoJump, EinsteinMSD of species and an axis, all lags to 1e-6" {
    left
    for peer in "${MDANALYSIS:-python3}" /usr/bin/python3 none; do # a Python that has it
        env -u PYTHONPATH "$peer" -W ignore -c 'import MDAnalysis' 2>/dev/null && break
    done
    [ "$peer" != none ] || skip "no MDAnalysis for Python (python3-mdanalysis; MDANALYSIS names a Python that has it)"
    env -u PYTHONPATH "$peer" "$ROOT/tests/oracle/mdanalysis_msd.py" 30 400 p.xtc >peer
    sed -n 's/^# //p' peer >&2 # what its transforms are off by, or why it has none
    traj2bin -q --unsorted-ok --species "$(printf 'A 2 B 1 %.0s' {1..10})" p.xtc -o p.mbf
    unwrap -q p.mbf | msd-cpu --drift keep --apart | rows >ours
    # both read f32 with 0.01 A in the file; positions of NoJump are also f32: measured 2e-7
    paste -d' ' <(grep -v '^#' peer) ours | awk 'function off(a, b) { a = a / b - 1; a = a < 0 ? -a : a; if (a > worst) worst = a }
        NR > 1 { off($8, $2); off($9, $3); off($12, $4); off($16, $5) } END { print NR " lags, off by " worst; exit !(NR == 400 && worst < 1e-6) }'
    # positions that are not unwrapped give a wrong result
    msd-cpu -q --unwrapped --drift keep p.mbf | rows | paste -d' ' <(grep -v '^#' peer) - | awk 'NR == 20 { exit !($8 / $2 > 1.05) }'
}

# logs STEP...: the walk of w.xyz at these steps of 0.1 ps, as a LAMMPS dump
logs() {
    local n
    n=$(head -n 1 w.xyz)
    for s in "$@"; do
        printf 'ITEM: TIMESTEP\n%s\nITEM: NUMBER OF ATOMS\n%s\nITEM: BOX BOUNDS ff ff ff\n0 40\n0 40\n0 40\nITEM: ATOMS id element xu yu zu\n' "$s" "$n"
        awk -v s="$s" -v n="$n" 'NR > s * (n + 2) + 2 && NR <= (s + 1) * (n + 2) { print ++i, $0 }' w.xyz
    done
}

# uneven FILE.mbf STEP...: rows lag, origins and msd of every pair of these steps, from the even run
pairs_of() {
    frame-cut -q --species A w.mbf | bin2txt | awk -v list="$*" '!/^#/ { for (a = 0; a < 3; a++) x[$1, $3, a] = $(4 + a); if ($3 > n) n = $3 }
        END { k = split(list, s, " ")
            for (i = 1; i <= k; i++) for (j = i; j <= k; j++) { d = 0
                for (p = 0; p <= n; p++) for (a = 0; a < 3; a++) d += (x[s[j], p, a] - x[s[i], p, a])^2
                t = s[j] - s[i]; c[t]++; sum[t] += d / (n + 1) }
            for (t in c) printf "%.10g %d %.12g\n", 0.1 * t, c[t], sum[t] / c[t] }' | sort -g
}

@test "uneven times: every pair of equal lag, as in the definition and in the even run; D of the walk" {
    walk 7 60 w
    xyz2bin -q --dt 0.1 --dtype f64 w.xyz -o w.mbf
    steps="0 1 2 4 8 16 20 21 22 24 28 36 40 41 42 44 48 56"
    # shellcheck disable=SC2086
    logs $steps >l
    traj2bin -q --units metal --timestep 0.1 --dtype f64 --uneven --species A l -o l.mbf
    msd-cpu --drift keep -q l.mbf -o l.msd
    rows l.msd | cut -d' ' -f1-3 >got
    # shellcheck disable=SC2086
    pairs_of $steps >want
    [ "$(wc -l <got)" -eq "$(wc -l <want)" ]
    same got want 1:1,2:2,3:3 1e-9
    [ "$(head -n 1 got)" = "0 18 0" ]
    for t in 1 5; do msd-cpu --drift keep -q -t $t --tmax 1.6 l.mbf | rows | cut -d' ' -f1-3 | cmp - <(awk '$1 <= 1.6' got); done
    # the same frames of an even run: the same lags
    traj2bin -q --units metal --timestep 0.1 --dtype f64 --uneven --species A <(logs $(seq 0 59)) -o e.mbf
    msd-cpu --drift keep -q e.mbf | rows | cut -d' ' -f1-3 >got
    msd-cpu --drift keep -q --method window --lags 60 <(frame-cut -q --species A w.mbf) | rows | cut -d' ' -f1-3 >want
    [ "$(wc -l <got)" -eq 60 ]
    same got want 1:1,2:2,3:3 1e-12
    # a walk of variance 0.02 per axis and step of 0.1 ps: msd = 0.6 t
    py forge/uneven_walk 400 120 0.02 >w.xyz
    logs $(for b in 0 20 40 60 80 100; do for o in 0 1 2 4 8 16; do echo $((b + o)); done; done) >l
    traj2bin -q --units metal --timestep 0.1 --uneven l -o l.mbf
    msd-cpu --drift keep -q --axes --alpha2 l.mbf | rows | awk '$1 > 0 { n++; s += $3 / $1; a += $7; e = $3 - $4 - $5 - $6; if (e > 1e-9 || e < -1e-9) exit 1 }
        END { s /= n; a /= n; print s, a; exit !(s > 0.57 && s < 0.63 && a > -0.1 && a < 0.1) }'
    msd-cpu --drift keep -q --axes --alpha2 l.mbf -o l.msd
    einstein l.msd >d.txt # D = 0.1; pulls of many walks are tested in test_einstein
    awk '{ if (($2 - 0.1)^2 > (3.5 * $4)^2 || $4 > 0.1 * $2 || $4 < 0.005 * $2) exit 1 } END { exit NR != 4 }' d.txt
    [[ $(einstein --column msd --fit-from 0.2 --fit-to 3 l.msd) == *" window 0.2 2.8 ps (given) lags 9 of msd" ]]
}

@test "uneven times: einstein knows the numbers of atoms and the times of merged runs" {
    one() { # SEED FRAME...: 20 A that move ten times as fast as 80 B
        awk -v list="${*:2}" "$UNIFORM"'BEGIN { seed('"$1"'); n = split(list, at, " "); for (k = 1; k <= n; k++) {
            printf "ITEM: TIMESTEP\n%d\nITEM: NUMBER OF ATOMS\n100\nITEM: BOX BOUNDS ff ff ff\n0 40\n0 40\n0 40\nITEM: ATOMS id element xu yu zu\n", at[k]
            for (i = 0; i < 100; i++) { s = i + 1 " " (i < 20 ? "A" : "B")
                for (a = 0; a < 3; a++) { for (j = 0; j < 12; j++) x[i, a] += k > 1 ? sqrt((at[k] - at[k - 1]) * (i < 20 ? 10 : 1)) * (uniform() - 0.5) : 0; s = s sprintf(" %.6f", x[i, a]) }
                print s } } }' | traj2bin -q --units metal --timestep 1 --uneven | msd-cpu -q --blocks 1 --drift keep -o "run$1.msd"
    }
    cycles=$(for b in 0 20 40 60 80 100 120 140; do for o in 0 1 2 4 8; do echo $((b + o)); done; done)
    # shellcheck disable=SC2086
    one 1 $cycles
    # shellcheck disable=SC2086
    one 2 $cycles
    # N of all atoms, (20 * 10 + 80)² / (20 * 10² + 80), is 37.7, because A dominates
    bin2txt --meta run1.msd | awk '$1 == "data.scatter" { split($3, all, ":"); split($4, a, ":"); split($5, b, ":"); exit !($2 == 40 && all[2] > 34 && all[2] < 42 && a[2] == 20 && b[2] == 80) }'
    # nothing that moves has no scatter, and no number that is none
    for k in 0 1 2 4 5; do printf 'ITEM: TIMESTEP\n%d\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS ff ff ff\n0 9\n0 9\n0 9\nITEM: ATOMS id element xu yu zu\n1 A 1 1 %d\n2 B 5 5 5\n' $k $((1 + k % 2)); done |
        traj2bin -q --units metal --timestep 1 --uneven | msd-cpu -q --blocks 1 --drift keep -o rest.msd
    [[ "$(bin2txt --meta rest.msd | grep data.scatter)" =~ ^data.scatter.5\ msd:1\ msd_A:1$ ]]
    einstein run1.msd >d.txt # D = 1/2 per unit of <x²>: 5, 0.5 and (20 * 5 + 80 * 0.5) / 100
    awk '{ d = $NF == "msd_A" ? 5 : $NF == "msd_B" ? 0.5 : 1.4; e[$NF] = $4 / $2; if (($2 - d)^2 > (3.5 * $4)^2) exit 1 }
        END { r = e["msd_A"] / e["msd_B"]; exit !(r > 1.3 && r < 3) }' d.txt
    frame-merge -q run1.msd run2.msd -o two.msd
    paste <(einstein --fit-from 2 --fit-to 30 run1.msd) <(einstein --fit-from 2 --fit-to 30 two.msd) | awk '{ r = $4 / $2 / ($22 / $20); if ((r / sqrt(2) - 1)^2 > 0.04) { print r; exit 1 } }'
    # equal lags at other times, from back to front, have other covariances
    one 3 0 1 3
    one 4 0 2 3
    frame-merge -q run3.msd run4.msd -o both.msd
    fails 2 einstein both.msd
    [ "$output" = "einstein: both.msd: unevenly spaced frames need their times in data.times, found none (use at most 2000 frames, and merge only runs with equal times)" ]
    fails 2 einstein run3.msd
    [[ "$output" == *"expected a constant slope at some lags up to 1 ps"* ]]
}

@test "uneven times: programs that need equal times between frames refuse them, in one sentence" {
    walk 4 20 w
    logs 0 1 2 4 8 16 >l
    traj2bin -q --units metal --timestep 0.1 --cell 40 --pbc xyz --uneven l -o l.mbf
    msd-cpu -q --drift keep l.mbf -o l.msd
    for run in "g4-cpu l.mbf" "rdf-cpu --rmax 5 --lag 1 l.mbf" "fft-spectrum l.msd"; do
        # shellcheck disable=SC2086
        fails 2 $run
        [[ ${#lines[@]} -eq 1 && "$output" == *"expected evenly spaced frames, found frames at uneven times (omit --uneven and take evenly spaced frames with traj2bin --select)" ]] || { echo "$run"; echo "$output"; false; }
    done
    fails 2 msd-cpu --drift keep --lags 3 l.mbf
    [[ "$output" == *"--lags: expected evenly spaced frames, found frames at uneven times (use --tmax)" ]]
    fails 2 msd-cpu --drift keep --method fft l.mbf
    fails 2 msd-cpu --drift keep --shard 1/2 l.mbf
    fails 4 msd-cpu --drift keep --max-mem 1k l.mbf
    # 20100 pairs of 200 steps need 40 bytes each, with the copy that the sort makes
    walk 4 200 w
    logs $(seq 0 199) >l
    traj2bin -q --units metal --timestep 0.1 --cell 40 --pbc xyz --dtype f64 --uneven l -o m.mbf
    for p in "msd-cpu --drift keep" "fqt-cpu --vectors 1 --qmax 0.3"; do # shellcheck disable=SC2086
        fails 4 $p -t 1 --blocks 1 --max-mem 600k m.mbf -o no
        [[ "$output" == *" is needed for 20100 pairs of steps, but the limit is 600 KiB (use a larger --max-mem, or a shorter --tmax, or fewer frames)" ]] || { echo "$output"; false; }
        # shellcheck disable=SC2086
        $p -q -t 1 --blocks 1 --max-mem 600k --tmax 1 m.mbf -o yes
    done
    # other runs with the same number of lags, but different lags, are not merged
    logs 0 1 2 4 8 15 >l
    traj2bin -q --units metal --timestep 0.1 --uneven l | msd-cpu -q --drift keep -o k.msd
    fails 2 frame-merge l.msd k.msd
    for middle in 1 2; do # not even if the sums of the lags are equal
        logs 0 $middle 5 >l
        traj2bin -q --units metal --timestep 0.1 --uneven l | msd-cpu -q --drift keep -o m$middle
    done
    fails 2 frame-merge m1 m2
    [[ "$output" == "frame-merge: m2: segment 1: expected data.lags.sum FNV-1a "*", as in m1, found FNV-1a "* ]]
    logs 0 1 2 4 8 15 >l
    # programs that need no times: the same numbers as from even times
    for p in "rdf-cpu --rmax 5" "sq-cpu --qmax 2"; do
        # shellcheck disable=SC2086
        $p -q <(traj2bin -q --units metal --timestep 0.1 --cell 40 --pbc xyz --uneven l) | rows >a
        # shellcheck disable=SC2086
        $p -q <(awk '/TIMESTEP/ { print; getline; print n++; next } 1' l | traj2bin -q --units metal --timestep 0.1 --cell 40 --pbc xyz) | rows >b
        cmp a b
        [ -s a ]
    done
}
