# SPDX-License-Identifier: MIT
# sanitize
# einstein: diffusion coefficients of mean square displacements; pulls of simulated walks are tested
# in test_einstein.
# writes: einstein MSD --fit-from 0.1 --fit-to 0.7

load ../helpers

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit
    # 8 walkers of two species in a cell of 20, steps of three uniform numbers: <x²> = t/12 per step
    # and axis
    awk -v n=8 -v steps=3000 "$UNIFORM"'BEGIN { seed(3); for (k = 0; k < 3 * n; k++) x[k] = 20 * uniform()
        for (t = 0; t < steps; t++) { print n "\nLattice=\"20 0 0 0 20 0 0 0 20\""
            for (i = 0; i < n; i++) { s = i < 6 ? "A" : "B"; for (a = 0; a < 3; a++) s = s sprintf(" %.6f", x[3 * i + a] += uniform() - 0.5); print s } } }' >w.xyz
    xyz2bin -q --dt 0.1 --dtype f64 w.xyz -o w.mbf
    msd-cpu -q --lags 40 --drift keep --unwrapped w.mbf -o w.msd
}

setup() { cd "$BATS_FILE_TMPDIR" || return 1; }

@test "a planted walk: D of each column within its error, in both units; the fit as a stream" {
    einstein w.msd -o fit.mbf >d.txt # D = 1/24 Å² a step of 0.1 ps
    [ "$(wc -l <d.txt)" -eq 3 ]
    awk '{ if ($1 != "D" || $5 != "A^2/ps" || $9 != "cm^2/s" || ($6 / $2 - 1e-4)^2 > 1e-16) exit 1
           if (($2 - 10 / 24)^2 > (3.5 * $4)^2 || $4 > 0.2 * $2) exit 1; if ($NF == "msd") all = $4; if ($NF == "msd_B") few = $4 }
         END { exit !(few > 1.3 * all) }' d.txt
    bin2txt fit.mbf >fit.txt
    [ "$(head -n 1 fit.txt)" = "# t_ps msd msd_se fit_msd msd_A msd_A_se fit_msd_A msd_B msd_B_se fit_msd_B" ]
    # the slope of the line is 6 D with eight digits
    awk -v d="$(awk '$NF == "msd" { print $2 }' d.txt)" '!/^#/ { if (n++) { if ((($4 - last) / ($1 - t) / 6 / d - 1)^2 > 1e-12) exit 1 } t = $1; last = $4 }' fit.txt
    bin2txt w.msd | grep -v '^#' | cut -d' ' -f3 | diff - <(grep -v '^#' fit.txt | cut -d' ' -f2)
    [ "$(einstein <w.msd)" = "$(cat d.txt)" ]
}

@test "early lags: the error of 64 walkers is that of kinisi, not three times as large" {
    awk "$UNIFORM"'BEGIN { seed(7); for (t = 0; t < 400; t++) { print "64\n"; for (i = 0; i < 64; i++) { s = "A"
        for (a = 0; a < 3; a++) s = s sprintf(" %.5f", x[i, a] += uniform() - 0.5); print s } } }' | xyz2bin -q --jumps-ok --pbc none --dt 1 |
        msd-cpu -q --lags 200 --drift keep --unwrapped -o walkers.msd
    einstein walkers.msd >d.txt # D = 1/24; kinisi has an rms of 1 %
    awk '{ exit !($4 / $2 > 0.006 && $4 / $2 < 0.015 && ($2 - 1 / 24)^2 < (3 * $4)^2) }' d.txt
}

@test "a window that ends with the last of all lags has an error" {
    msd-cpu -q --drift keep --unwrapped w.mbf | einstein --fit-from 2 >open.txt
    [ "$(awk '$4 > 0 && $4 < 0.5 * $2 && ($2 - 10 / 24)^2 < (3.5 * $4)^2' open.txt | wc -l)" = 3 ]
}

@test "lasting differences of mobility: the error includes the scatter between atoms; two runs" {
    for seed in 1 2; do # half of 32 atoms move ten times as fast: D of an atom is 0.55 (1 +- 0.82)
        awk -v of=$seed "$UNIFORM"'BEGIN { seed(of); for (t = 0; t < 1000; t++) { print "32\n"; for (i = 0; i < 32; i++) { s = "A"
            for (a = 0; a < 3; a++) s = s sprintf(" %.5f", x[i, a] += (i % 2 ? 1 : 0.316228) * (uniform() - 0.5)); print s } } }' | xyz2bin -q --jumps-ok --pbc none --dt 1 |
            msd-cpu -q --lags 100 --drift keep --unwrapped -o mobile$seed.msd
        einstein mobile$seed.msd | awk '{ exit !($4 / $2 > 0.13 && $4 / $2 < 0.17) }' # 0.82 / sqrt(31)
    done
    frame-merge -q mobile1.msd mobile2.msd | einstein | awk '{ exit !($4 / $2 > 0.09 && $4 / $2 < 0.12) }'
}

@test "--axes: D in a plane, along one axis, and its remedy" {
    awk "$UNIFORM"'BEGIN { seed(9); for (t = 0; t < 1000; t++) { print "16\n"; for (i = 0; i < 16; i++)
        print "A", x[i] += uniform() - 0.5, y[i] += uniform() - 0.5, 0.1 * uniform() } }' | xyz2bin -q --jumps-ok --pbc none --dt 1 >plane.mbf
    msd-cpu -q --axes --lags 100 --drift keep --unwrapped plane.mbf -o plane.msd
    einstein --column msd plane.msd | awk '{ exit !(($2 * 36 - 1)^2 < 0.01) }' # of three dimensions
    einstein --axes xy plane.msd -o plane.fit >d.txt
    awk '{ exit !(($2 * 24 - 1)^2 < (3 * 24 * $4)^2 && $4 < 0.05 * $2 && $NF == "msd_xy") }' d.txt
    bin2txt plane.fit | head -n 1 | grep -qx '# t_ps msd_xy msd_xy_se fit_msd_xy'
    paste <(bin2txt --format tsv plane.msd) <(bin2txt --format tsv plane.fit) | awk 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { d = $at["msd_x"] + $at["msd_y"] - $at["msd_xy"]; if (d * d > 1e-10) { print d; exit 1 } }'
    [ "$(einstein --axes x plane.msd | cut -d' ' -f2-4)" = "$(einstein --column msd_x plane.msd | cut -d' ' -f2-4)" ]
    fails 2 einstein --axes xy w.msd
    [[ $output == *"--axes: expected the function msd_x, found msd msd_A msd_B (use msd-cpu --axes)" ]]
    for wrong in xx xyzx w ""; do fails 2 einstein --axes "$wrong" plane.msd; done
}

@test "a window that is given, a column, an axis; images of the cell" {
    line=$(einstein --column msd --fit-from 0.5 --fit-to 2 w.msd)
    [[ $line == *"window 0.5 2 ps (given) lags 7 of msd" ]]
    msd-cpu -q --lags 40 --drift keep --unwrapped --apart w.mbf | einstein --column msd_y >y.txt
    awk '{ exit !(($2 - 10 / 24)^2 < (3.5 * $4)^2) }' y.txt
    einstein --column msd --fit-from 0.5 --fit-to 2 --viscosity 1e-3 --temperature 300 w.msd >far.txt
    # 2.837297 kT/(6 pi eta L) for 300 K, 1 mPa s and 2 nm is 0.031171 Å²/ps; eight digits
    awk -v near="$(awk '{ print $2 }' <<<"$line")" '{ w = 2.837297 * 1.380649e-23 * 300 / (6 * 3.14159265358979 * 1e-3 * 2e-9) * 1e8
        exit !((($2 - near) / w - 1)^2 < 1e-10) }' far.txt
    grep -q ' images +0.0311' far.txt
}

@test "a column without a window leaves the others theirs; reduced units are no angstrom" {
    # A is a random walk, and B accelerates
    awk "$UNIFORM"'BEGIN { seed(5); for (t = 0; t < 3000; t++) { print "4\nLattice=\"90 0 0 0 90 0 0 0 90\""; for (i = 0; i < 4; i++) { s = i < 3 ? "A" : "B"
        for (a = 0; a < 3; a++) s = s sprintf(" %.6f", i < 3 ? x[i, a] += uniform() - 0.5 : t * t * 1e-4); print s } } }' | xyz2bin -q --dt 0.1 |
        msd-cpu -q --lags 40 --drift keep --unwrapped -o two.msd
    einstein two.msd >two.txt 2>err
    grep -q "of msd_A$" two.txt && ! grep -q "of msd_B$" two.txt
    grep -q "einstein: warning: msd_B: expected a constant slope at some lags up to 3.9 ps, .* (column skipped)" err
    fails 2 einstein --column msd_B two.msd
    md-cpu -q --units lj --atoms 64 --density 0.8 --temperature 1 --steps 3000 --every 10 | unwrap -q | msd-cpu -q --lags 60 -o lj.msd
    [[ $(einstein --fit-from 0.5 --fit-to 2 lj.msd) =~ ^D\ [0-9.]+\ \+-\ [0-9.e-]+\ lj\ window\ 0.5[0-9]*\ [12][0-9.]*\ lj\ \(given\) ]]
}

@test "what cannot be answered is said" {
    fails 2 einstein --column G w.msd
    [[ $output == "einstein: w.msd: expected the function G, found msd"* ]]
    fails 2 einstein --viscosity 1 w.msd
    fails 2 einstein --fit-from 2 --fit-to 1 w.msd
    [[ $output == "einstein: expected --fit-from below --fit-to, found 2 and 1"* ]]
    fails 2 einstein --fit-from 0.1 --fit-to 0.15 w.msd
    [[ $output == *"msd: expected at least 3 lags between 0.1 and 0.15 ps, found 1" ]]
    fails 2 einstein --fit-from 3.8 w.msd
    [[ $output == *"msd: expected at least 3 lags between 3.8 and 3.9 ps, found 2" ]]
    # without blocks, the scatter between atoms gives the error
    msd-cpu -q --lags 40 --drift keep --unwrapped --blocks 1 w.mbf | einstein --column msd | awk '{ exit !($4 > 0 && $4 < 0.1 * $2) }'
    # species that do not move along z have no D there (and not 0 +- 0), and species that do not
    # move have no D
    xyz2bin -q --dt 0.1 --dtype f64 w.xyz | bin2xyz | awk 'NF == 4 { $4 = 1 } 1' | xyz2bin -q --dt 0.1 | msd-cpu -q --lags 40 --drift keep --unwrapped --apart -o flat.msd
    einstein flat.msd >lines 2>err
    [ "$(wc -l <lines)" = 9 ]
    ! grep -Eq 'msd(_[AB])?_z' lines
    grep -q 'msd_z: expected displacements, found 0 at every lag: .* (use msd-cpu --drift keep) (column skipped)' err
    fails 2 einstein --column msd_z flat.msd
    frame-cut --atoms 0 w.mbf | bin2xyz | awk 'NF == 4 { $2 = $3 = $4 = 1 } 1' | xyz2bin -q --dt 0.1 | msd-cpu -q --lags 40 --drift keep -o still.msd
    fails 2 einstein still.msd
    [[ $output == *"msd: expected displacements, found 0 at every lag"* ]]
    # atoms that accelerate never have a straight line
    awk "$UNIFORM"'BEGIN { seed(1); for (t = 0; t < 2000; t++) { print "2\nLattice=\"20 0 0 0 20 0 0 0 20\""; for (i = 0; i < 2; i++) { s = "A"
        for (a = 0; a < 3; a++) s = s sprintf(" %.6f", t * t * 1e-4 * (i ? -1 : 1) + uniform()); print s } } }' | xyz2bin -q --dt 0.1 |
        msd-cpu -q --lags 40 --drift keep --unwrapped -o bent.msd
    fails 2 einstein bent.msd
    [[ $output == *"expected a constant slope at some lags up to 3.9 ps"* ]]
    fails 2 einstein w.mbf
    head -c -20 w.msd >cut.msd
    fails 2 einstein cut.msd -o none.mbf
    [ ! -e none.mbf ]
}

@test "a warning of msd-cpu about a sample that changed is repeated" {
    # atoms that walk four times as far per step in the first tenth of the run
    awk "$UNIFORM"' BEGIN { seed(3); for (t = 0; t < 1000; t++) { print "8\nc"; for (i = 0; i < 8; i++) { printf "A"
        for (k = 0; k < 3; k++) printf " %.9g", x[i, k] += (t < 100 ? 0.4 : 0.1) * (uniform() - 0.5); print "" } } }' |
        xyz2bin -q --unsorted-ok --jumps-ok --pbc none --dt 0.1 - | msd-cpu -q --lags 20 -o m
    einstein m 2>said
    grep -q '^einstein: warning: m: msd at lag 1 is .* in the first 1[0-9] % of the run' said || { cat said; false; }
}
