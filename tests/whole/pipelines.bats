# SPDX-License-Identifier: MIT
# Every file in pipelines/ runs, and its output is correct.

load ../helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    export BIN OUT=$BATS_TEST_TMPDIR
}

@test "argon-spectrum.sh: numbers, text and a plot" {
    STEPS=$(whole 8000 40000) run "$ROOT/pipelines/argon-spectrum.sh"
    [ "$status" -eq 0 ]
    [[ $output == *t_ps*G*G2*G3*G4*G_se*nu_cm-1*I*I_se* ]]
    [[ $output != *warning* ]] || { echo "$output"; false; } # what a newcomer cannot act on is said in the demo's own words
    [[ $output == "Sample: 256 argon atoms at 90 K, 1001 frames, 125 fs apart. These frames resolve frequencies up to 133 cm^-1;"* ]]
    grep -q '^# t_ps origins G G2 G3 G4 G_se' "$OUT/cf.txt"
    grep -q '^# nu_cm-1 I I2 I3 I4 I_se' "$OUT/spectrum.txt"
    grep -q '^## moment0 ' "$OUT/spectrum.txt"
    # liquid argon: G2 : G3 : G4 about 9 times the published program's 48.7 : -87.0 : 39.8
    read -r g2 g3 g4 < <(awk '$1 == "0" { print $4, $5, $6; exit }' "$OUT/cf.txt")
    near "$g2" 440 30
    near "$g3" -785 50
    near "$g4" 358 30
    command -v gnuplot >/dev/null || skip "no gnuplot: text only"
    [[ $output != *'.gp" line '* ]] || { echo "$output"; false; } # gnuplot 6: iconv failed to convert degree sign
    [ "$(head -c 8 "$OUT/spectrum.png" | od -An -tx1 | tr -d ' ')" = 89504e470d0a1a0a ]
    [ "$(stat -c %s "$OUT/spectrum.png")" -gt 20000 ]
}

@test "argon-spectrum.sh: any trajectory, with options of traj2bin, gives the numbers of the sample's text" {
    xyz2bin -q --select 0:200 "$DATA/argon256.xyz.gz" -o p.mbf
    bin2xyz p.mbf | awk 'NF == 1 { printf "ITEM: TIMESTEP\n%d\nITEM: NUMBER OF ATOMS\n256\nITEM: BOX BOUNDS pp pp pp\n0 23.03154\n0 23.03154\n0 23.03154\n", f++
        print "ITEM: ATOMS id x y z"; k = 0 } NF == 4 && !/=/ { print ++k, $2, $3, $4 }' >p.dump
    TMAX=2 OUT=a "$ROOT/pipelines/argon-spectrum.sh" p.mbf >table 2>/dev/null
    # a blank before every number of the tables, "-0.0004377" among them
    awk '/^ +(t_ps|nu_cm-1) / { n = NF } /^ +[0-9]/ { rows++; if (NF != n) { print; bad = 1 } } END { exit bad || !rows }' table
    TMAX=2 OUT=b OPTIONS="--units metal --timestep 0.125 --sigma 3.4" "$ROOT/pipelines/argon-spectrum.sh" p.dump >/dev/null 2>&1
    bin2txt --meta p.mbf | grep -q 'sys.sigma.*3.4$'
    run compare --rtol 1e-6 a/cf.mbf b/cf.mbf
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    command -v gnuplot >/dev/null || return 0
    # a run too short for errors, with its own frames: there is a picture, which does not mention
    # the frames of the sample
    frame-cut -q 0:14 p.mbf -o short.mbf
    TMAX=0.6 OUT=c FORMAT=svg "$ROOT/pipelines/argon-spectrum.sh" short.mbf >said 2>err || { cat said err; false; }
    [ "$(head -n 1 c/cf.txt)" = "# t_ps origins G G2 G3 G4" ]
    awk '/^ +[0-9]/ { rows++; if (NF != 5) { print; bad = 1 } } END { exit bad || !rows }' said # no errors that are none
    grep -q '</svg>' c/spectrum.svg
    ! grep -e '125 fs' c/spectrum.svg || false
}

@test "argon-spectrum.sh: POSN without a sigma, with options of g4-cpu" {
    xyz2bin -q --select 0:40 "$DATA/argon256.xyz.gz" -o p.mbf
    bin2xyz p.mbf | sed 's/ sigma=3.4//' | traj2bin -q -o bare.mbf
    TMAX=1 OUT=bare fails 2 "$ROOT/pipelines/argon-spectrum.sh" bare.mbf
    [[ $output == *"give it with --sigma"* ]]
    TMAX=1 OUT=bare G4_OPTIONS="--sigma 3.4 --tmax 0.5" "$ROOT/pipelines/argon-spectrum.sh" bare.mbf >/dev/null 2>&1
    g4-cpu -q --tmax 0.5 --component all p.mbf -o cf.mbf
    compare --rtol 1e-6 cf.mbf bare/cf.mbf
}

@test "argon-spectrum.sh fails when its input is cut" {
    head -c 1000000 "$DATA/argon256.xyz.gz" >cut.xyz.gz
    fails 2 "$ROOT/pipelines/argon-spectrum.sh" cut.xyz.gz
    [[ $output == *"the gzip data is incomplete"* ]]
    [ ! -e "$OUT/cf.mbf" ]
    [ ! -e "$OUT/spectrum.png" ]
}

@test "argon-spectrum.sh: a FORMAT that is none is one line before anything is computed" {
    FORMAT=jpg OUT=none fails 2 "$ROOT/pipelines/argon-spectrum.sh"
    [ "$output" = "argon-spectrum.sh: FORMAT: expected png, svg or pdf, found 'jpg'" ]
    [ ! -e none ]
}

@test "argon-sums.sh: a row for each sum and group, and the wing of mic" {
    PS=10 RUNS=3 EQUILIBRATE=3000 run "$ROOT/pipelines/argon-sums.sh" 64
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    awk 'NR == 1 { n = NF } NR > 1 && $1 == 64 { rows++ } END { exit !(rows == 6) }' sums.txt
    # I(200/cm)/N of T is 1e-6 with mic (a random walk of jumps, 30 % of a run), and below 3e-7
    # without mic
    awk '$4 == 200 && $3 == "T" { s[$2] += $5 / 3 } END { print s["mic"], s["taper"], s["ewald"]
        exit !(s["mic"] > 5e-7 && s["taper"] < 3e-7 && s["ewald"] < 3e-7) }' sums-runs.txt
    [ -z "$(ls -d sums.??????)" ]
}

@test "--help of a script is its head" {
    for p in "$ROOT"/pipelines/*.sh "$ROOT/pipelines/cluster/parallel.sh"; do
        for h in -h --help; do
            fails 0 timeout 20 "$p" $h
            [[ ${lines[0]} == *[a-z]* && $output == *"${p##*/}"* && $output != *'set -e'* && $output != *SPDX* ]] || { echo "$p: $output"; false; }
            [ "${#lines[@]}" -ge 3 ]
        done
    done
    [ -z "$(ls)" ]
}

@test "stage-swap.sh: two routes, two methods, one result" {
    run "$ROOT/pipelines/stage-swap.sh"
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    [ "$(grep -ciE '^(verdict: )?.*(agree|identical)' <<<"$output")" -ge 3 ]
}

@test "cached.mk: a second make does nothing; another option or trajectory remakes what depends on it" {
    local c=$OUT/c short=()
    [ -n "${CHECK_ALL:-}" ] || { xyz2bin -q --select 0:250 "$DATA/argon256.xyz.gz" | bin2xyz -o short.xyz && short=(TRAJECTORY=short.xyz); }
    cached() { make -f "$ROOT/pipelines/cached.mk" OUT="$c" BIN="$BIN" "${short[@]}" "$@"; }
    make -n -f "$ROOT/pipelines/cached.mk" OUT=none BIN="$BIN" >/dev/null # the default trajectory is there
    run cached -s
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    grep -q '^# nu_cm-1' "$c/spectrum.txt"
    cached -q
    # six again: the result must be the spectrum of six, although its file is older than the file of
    # three
    cp "$c/spectrum.txt" six
    cached -s TMAX=3
    [ -f "$c/cf-3.mbf" ]
    grep -q '^## origin .*--tmax 3 ' "$c/spectrum.txt"
    ! cached -q TMAX=6 || false
    cached TMAX=6 >log
    ! grep -q g4-cpu log || false # still in its file
    cmp "$c/spectrum.txt" six
    cached -q TMAX=6
    # second lines without this information, and a trajectory older than the results
    xyz2bin --select 0:100 "$DATA/argon256.xyz.gz" | bin2xyz | sed 's/^Lattice.*/no cell/' >"$c/a, (b).xyz"
    touch -d 2001-01-01 "$c/a, (b).xyz"
    fails 2 cached -s TRAJECTORY="$c/a, (b).xyz" TMAX=0.2
    other=(TRAJECTORY="$c/a, (b).xyz" CELL=22,23,24 DT=0.02 SIGMA=3.3 TMAX=0.2)
    cached -s "${other[@]}"
    bin2txt --meta "$c/positions.mbf" | grep -qx $'sys.sigma\t3.3'
    grep -q '^## sys.dt_ps 0.02$' "$c/spectrum.txt"
    cached -q "${other[@]}"
    cached -s "${other[@]}" SIGMA=3.4
    bin2txt --meta "$c/positions.mbf" | grep -qx $'sys.sigma\t3.4'
    cached -s
    cmp "$c/spectrum.txt" six
}

# said FILE WORD N: the N-th word after WORD in FILE
said() { awk -v w="$2" -v n="$3" '{ for (k = 1; k <= NF; k++) if ($k == w) { print $(k + n); exit } }' "$1"; }

@test "diffusion.sh: water's D beside the published one, and any trajectory" {
    "$ROOT/pipelines/diffusion.sh" >said 2>err || { cat said err; false; }
    # 64 molecules, 14 ps at 295 K: 0.20 (0.20 to 0.21 from 60 ps); for infinitely many molecules,
    # the value of Mark and Nilsson for 901 molecules is 0.249, to which the finite size adds 0.03
    near "$(said said D 2)" 0.20 0.06
    near "$(said said correction: 1)" 0.28 0.07
    near "$(awk '/^D .* images / { print $2 }' said)" 0.277 0.066 # of the run as a whole, three errors of 0.022
    grep -q 'which is 0.277$' said
    ! command -v gnuplot >/dev/null || grep -q PNG diffusion.png
    ! ls | grep -q fit.log
    # argon as XYZ of a user, wrapped: 6 D t from displacements of MDAnalysis between lags 8 and 20
    # (golden/mdanalysis-msd.txt)
    mkdir argon
    OUT=argon PARTS=1 FROM=1 TO=2.5 FORMAT=svg "$ROOT/pipelines/diffusion.sh" "$DATA/argon256.xyz.gz" >said 2>err || { cat said err; false; }
    want=$(awk '!/^#/ { m[$1] = $2 } END { print (m[19] - m[8]) / 6 / (11 * 0.125) }' "$ROOT/tests/golden/mdanalysis-msd.txt")
    near "$(said said D 2)" "$want" 0.003
    # one part has no scatter, so the error is unknown and not 0
    grep -qE '^D = [0-9.]+ \(error not known: PARTS is 1\) A\^2/ps .* 1 part$' argon/diffusion.txt
    fails 2 "$ROOT/pipelines/diffusion.sh" <(head -c 500 positions.mbf)
}

@test "diffusion.sh: MASSES of a dump whose atoms have types alone" {
    bin2xyz <(xyz2bin -q --select 0:16 "$DATA/argon256.xyz.gz") | awk 'NF == 1 { printf "ITEM: TIMESTEP\n%d\nITEM: NUMBER OF ATOMS\n256\nITEM: BOX BOUNDS pp pp pp\n0 23.03154\n0 23.03154\n0 23.03154\n", f++
        print "ITEM: ATOMS id type x y z"; k = 0 } NF == 4 && !/=/ { print ++k, k % 2 + 1, $2, $3, $4 }' >p.dump
    export PARTS=1 TRAJ="--units metal --timestep 0.125"
    fails 2 "$ROOT/pipelines/diffusion.sh" p.dump
    [[ $output == *"--masses 2=MASS,"* ]]
    MASSES=1=40,2=20 "$ROOT/pipelines/diffusion.sh" p.dump >said 2>err || { cat said err; false; }
    unwrap positions.mbf | msd-cpu -q --masses 1=40,2=20 --tmax 1 | bin2txt >want.txt
    diff want.txt msd.txt
}

@test "diffusion.sh: a column in which einstein finds no window takes nothing from the others" {
    frame-cut -q 0:150 "$DATA/water64.mbf" -o some.mbf
    "$ROOT/pipelines/diffusion.sh" some.mbf >said 2>err
    grep -q ' msd: expected a constant slope at some lags up to .* (column skipped)' err
    grep -q '^D = ' said && grep -q '^D .* of msd_H$' said && ! grep -q 'of msd$' said
    sed '/^Plot:/d; /^no plot/d' said | diff - diffusion.txt
    frame-cut -q 0:60 "$DATA/water64.mbf" -o none.mbf # not one
    "$ROOT/pipelines/diffusion.sh" none.mbf >said 2>err
    grep -q 'einstein: .*: expected a constant slope at some lags up to' err
    sed '/^Plot:/d; /^no plot/d' said | diff - diffusion.txt
}

@test "diffusion.sh: too few lags for a slope are said" {
    FROM=5 TO=2 fails 2 "$ROOT/pipelines/diffusion.sh" "$DATA/water64.mbf"
    [ "$output" = "diffusion.sh: expected at least two lags from 5 to 2 ps in each of 4 parts, found 0 (FROM, TO, PARTS)" ]
    xyz2bin -q --select 0:10 "$DATA/argon256.xyz.gz" -o ten.mbf
    fails 2 "$ROOT/pipelines/diffusion.sh" ten.mbf
    [ "$output" = "diffusion.sh: expected at least two lags from 0.0625 to 0.15625 ps in each of 4 parts, found 1 (FROM, TO, PARTS)" ]
}

@test "density-of-states.sh: all degrees of freedom, the temperature, the librations of water" {
    "$ROOT/pipelines/density-of-states.sh" >said 2>err || { cat said err; false; }
    near "$(said said is 1)" 381 0.4 # of 6 * 64 - 3; a sum in steps of a bin
    near "$(said said meV, 1)" 295 0.5
    near "$(said said at 1)" 520 60  # the band is 400 to 900 wide and flat
    # half of the maximum at both ends, for hydrogen; librations of water absorb around 710
    awk '/^#/ { next } $1 > 350 && $4 > top { top = $4 } { n[++k] = $1; h[k] = $4 }
        END { for (i = 1; i <= k; i++) if (n[i] > 350 && h[i] > top / 2) { if (!low) low = n[i]; high = n[i] } print "half from", low, "to", high; exit !(low < 400 && high > 700 && high < 850) }' dos.txt
    grep -q 'Giguere' said
    [ "$(awk '/^#/ { print $3, $4; exit }' dos.txt)" = "dof dof_O" ]
    ! command -v gnuplot >/dev/null || grep -q PNG density-of-states.png
    # as a TRR of a user with names; three steps only test that the script runs
    OUT=trr TMAX=1 SPECIES='O 1 H 2 O 1 H 2 O 1 H 2 O 1' "$ROOT/pipelines/density-of-states.sh" "$DATA/formats/water10.trr" >said 2>err || { cat said err; false; }
    near "$(said said is 1)" 27 0.5
    grep -q 'K of 27 degrees of freedom (set FREEDOMS if bonds are rigid)' said
    fails 2 "$ROOT/pipelines/density-of-states.sh" "$DATA/formats/water10.xtc"
}

@test "diffusion.sh, density-of-states.sh: a failure leaves the results that stood there, and nothing else" {
    for f in unwrapped.mbf msd.txt parts.txt diffusion.txt velocities.mbf density-of-states.txt; do echo "older $f" >$f; done
    head -n 1 -- * >before
    FROM=5 TO=2 fails 2 "$ROOT/pipelines/diffusion.sh" "$DATA/water64.mbf"
    TMAX=-1 SPECIES='O 1 H 2 O 1 H 2 O 1 H 2 O 1' fails 2 "$ROOT/pipelines/density-of-states.sh" "$DATA/formats/water10.trr"
    mv before "$BATS_FILE_TMPDIR"
    diff "$BATS_FILE_TMPDIR/before" <(head -n 1 -- *)
}

@test "a stream that is cut is said to be TRUNCATED, not to be of another format" {
    head -c 100000 "$DATA/water64.mbf" >water.mbf
    xyz2bin -q --select 0:100 "$DATA/argon256.xyz.gz" | head -c 100000 >argon.mbf
    for p in diffusion.sh:water density-of-states.sh:water argon-{neutrons,orders,spectrum}.sh:argon sum-rules.sh:argon; do
        fails 2 "$ROOT/pipelines/${p%:*}" "${p#*:}.mbf"
        [[ $output == *": TRUNCATED at offset 100000"* && $output != *"is an MBF stream already"* ]] || { echo "$output"; false; }
    done
}

@test "argon-orders.sh: all orders against the first, in a liquid of its own and in the sample" {
    STEPS=8000 "$ROOT/pipelines/argon-orders.sh" >said 2>err || { cat said err; false; }
    [ ! -s err ]
    # 1.84 from 4,000 frames (G(0) and up to 60/cm, man/alpha-cpu.1); 1,000 frames: some 2 %
    near "$(sed -n 's/.*ratio //p' said)" 1.84 0.08
    awk '/^# nu/ { for (i = 2; i <= NF; i++) if ($i == "VH_total/VH_order1") k = i - 1 } !/^#/ && $1 < 60 { n++; if (($k - 1.845)^2 > 0.1^2) { print; exit 1 } } END { exit n < 5 }' orders.txt
    ! command -v gnuplot >/dev/null || grep -q PNG orders.png
    mkdir sample
    xyz2bin -q --select ::10 "$DATA/argon256.xyz.gz" -o ten.mbf
    FORMAT=svg TMAX=10 OUT=sample "$ROOT/pipelines/argon-orders.sh" ten.mbf >said 2>err || { cat said err; false; }
    near "$(sed -n 's/.*ratio //p' said)" 1.81 0.1
}

@test "co2-raman.sh: permanent, induced and cross add up; molecules that turn have N anisotropy^2 / 15, and some order" {
    "$ROOT/pipelines/co2-raman.sh" >said 2>err || { cat said err; false; }
    [ ! -s err ]
    alpha-cpu -q --model co2.model parts.pi 2>/dev/null && false # a series is no trajectory
    alpha-cpu -q --model co2.model "$DATA/co2-64.mbf" | acf --invariant vh --mean subtract --lags 1 | bin2txt | awk '!/^#/ { print $3 }' >whole
    sed 's/.*permanent \([^,]*\), .*sum \(.*\)/\1 \2/' said >parts
    # the sum as printed, with four digits; without order between molecules, 64 (1/15) 2.1^2 = 18.8;
    # liquids have some order
    paste parts whole | awk '{ d = $2 / $3 - 1; print; exit !(d * d < 1e-6 && $1 > 17 && $1 < 30) }'
    ! command -v gnuplot >/dev/null || grep -q PNG raman.png
    printf 'molecule CO2  C O O\n  site C  1.93 1.93 4.03  frame 2-3\n' >m
    OUT=again "$ROOT/pipelines/co2-raman.sh" "$DATA/co2-64.mbf" m >said2
    cmp said said2
    command -v gnuplot >/dev/null || return 0
    # a column that the table does not have is no line of row numbers; errors may be missing
    mkdir old
    cp "$ROOT"/pipelines/*.sh "$ROOT"/pipelines/*.gp old
    sed -i 's/I_VH_induced_A6cm/I_VH_induced/' old/co2-raman.gp
    OUT=failed fails 1 old/co2-raman.sh "$DATA/co2-64.mbf" m
    gnuplot -e "ARG1 = 'old'; fmt = 'png'; o = ''; load 'old/figure.gp'; set print '-'; print col('raman.txt', 'I_VH_induced_A6cm'), col('raman.txt', 'I_se')" >columns
    grep -qx '3 0' columns
}

@test "co2-absorption.sh and rare-gas-absorption.sh: the numbers of the steps by hand; the parts add up" {
    "$ROOT/pipelines/co2-absorption.sh" >said
    [ "$(grep -c 'largest alpha n' said)" = 2 ]
    awk 'NR == 1 { a = $6 } END { exit !(a > 1.15 * $6 && a < 1.5 * $6) }' said
    # The program dielectric gives alpha with the classical factor, which is 0.7 % larger here, and
    # without the index, which is close to 1.
    acf -q --derivative --pairs mx,my,mz --tmax 1 dipole.mbf | dielectric -q --temperature 310 --window hann | bin2txt | grep -v '^#' | awk '$4 > m { m = $4 } END { print m }' >by
    near "$(sed -n '1s/.*alpha n: \([0-9.]*\) .*/\1/p' said)" "$(cat by)" 0.1
    # no error is printed where none is known
    printf '# nu_cm-1 alpha_n_cm-1 alpha_n_cm-1_se\n1 2 nan\n2 1 0.5\n' >unknown
    printf '# nu_cm-1 alpha_n_cm-1\n1 2\n' >none
    for f in unknown none; do
        [ "$(sh -c 'here=$1; . "$1/results.sh"; largest "$2"' - "$ROOT/pipelines" $f)" = "largest alpha n: 2 (error not known) /cm at 1 /cm" ]
    done
    OUT=own "$ROOT/pipelines/co2-absorption.sh" "$DATA/co2-64.mbf" co2.model >said2
    cmp said said2
    STEPS=8000 "$ROOT/pipelines/rare-gas-absorption.sh" >said
    ratio=$(bin2txt rare-gas.cf | awk '/^# / && !k { for (i = 1; i <= NF; i++) at[$i] = i - 1; k = 1 } !/^#/ { printf "%.3g", $at["G"] / $at["G2"]; exit }')
    grep -qx "M^2 of all pairs over the sum for independent pairs, G/G2 at lag 0: $ratio" said
    awk '!/^#/ { n++; d = $2 - $3 - $4 - $5; if (d * d > 1e-20) { print; exit 1 } } END { exit n < 50 }' rare-gas.txt
    OUT=again "$ROOT/pipelines/rare-gas-absorption.sh" mixture.mbf pair-dipole.txt >said2
    cmp said said2
    ! command -v gnuplot >/dev/null || [ "$(grep -l PNG rare-gas.png absorption.png | wc -l)" = 2 ]
}

@test "argon-neutrons.sh: sum rules in its table, with velocities and without, and a map" {
    export ATOMS=108 STEPS=16000 TMAX=3 QMAX=1.6 VECTORS=200
    "$ROOT/pipelines/argon-neutrons.sh" >said 2>err || { cat said err; false; }
    [ ! -s err ]
    # f-sum and equipartition: four errors of the moment, 3 % of C_L(0) for 2000 frames; the peak of
    # C_L goes up with q at first
    awk '/^#/ { next } { if ($6 != "-" && $6 < 0.1) { n++; if (($5 - 1)^2 > (4 * $6 + 0.02)^2) { print; exit 1 } } c += $7; k++; if (k > 1 && k < 6 && $4 < last) { print; exit 1 } last = $4 }
        END { print n, c / k; exit !(n > 5 && (c / k - 1)^2 < 0.03^2) }' table.txt
    ! command -v gnuplot >/dev/null || grep -q PNG neutrons.png
    mkdir plain
    bin2xyz positions.mbf | sed 's/:vel:R:3//; s/:velo:R:3//' | awk 'NF == 7 { NF = 4 } 1' >p.xyz
    FORMAT=svg OUT=plain "$ROOT/pipelines/argon-neutrons.sh" p.xyz >said 2>err || { cat said err; false; }
    [ "$(awk '!/^#/ { print $7 }' plain/table.txt | sort -u)" = - ]
    awk 'FNR == NR { m[FNR] = $5; next } !/^#/ && ($5 - m[FNR])^2 > 1e-4 { print; exit 1 }' table.txt plain/table.txt
    fails 2 "$ROOT/pipelines/argon-neutrons.sh" <(head -c 5000 positions.mbf)
}

# prints the verdicts of a table of sum-rules.sh, one word per line, in the order of the table
verdicts() {
    awk 'NR > 1 { print $NF == "known" ? "unknown" : $NF }' "$1" | paste -sd ' '
}

@test "sum-rules.sh: they hold for a run, and each sees what breaks it" {
    local r="$ROOT/pipelines/sum-rules.sh" bad="$BATS_TEST_TMPDIR/-a 'b' \$(c); *"
    export STEPS=24000
    all=$(whole "" 1) # what `make check` leaves here has a verdict beside it that is alike
    "$r" >t 2>err || { cat t err; false; }
    [ "$(verdicts t)" = "ok ok ok ok ok ok ok ok ok ok ok" ]
    ! grep "tests sigma" err || false
    mv positions.mbf p.mbf
    export THERMO=$PWD/thermo.txt
    if [ -n "$all" ]; then # names of scripts.bats, too
        mkdir "$bad"
        cp p.mbf "$bad/-p.mbf"
        (cd "$bad" && OUT=$bad "$r" -p.mbf >"$OLDPWD/u" 2>err) || { cat u err; false; }
        cmp t u
    fi
    ! TEMPERATURE=300 "$r" p.mbf >t || false
    [ "$(verdicts t)" = "ok ok NO NO ok NO NO NO NO ok ok" ] || { cat t; false; }
    if [ -n "$all" ]; then # MASS is kT/m, as TEMPERATURE is
        ! MASS=20 "$r" p.mbf >t || false
        [[ $(verdicts t) == "ok ok NO"* ]] || { cat t; false; }
    fi
    ! SIGMA=3.35 "$r" p.mbf >t || false
    [ "$(verdicts t)" = "ok NO ok ok ok NO ok ok ok ok ok" ] || { cat t; false; }
    if [ -n "$all" ]; then
        ! THERMO='' SIGMA=3.35 "$r" p.mbf >t || false # forces alone tell it, too
        [ "$(verdicts t)" = "ok ok ok ok NO ok ok ok ok ok" ] || { cat t; false; }
    fi
    printf '#!/bin/sh\nexec g4-cpu --prefactor 2.99 "$@"\n' >g4
    chmod +x g4
    ! G4=$PWD/g4 "$r" p.mbf >t || false
    [[ $(verdicts t) == "NO NO"* ]] || { cat t; false; }
    # every second frame with its atoms the other way round: pairs are not followed, their sum is
    unset THERMO
    plain() { bin2xyz p.mbf | sed 's/:vel:R:3//; s/:velo:R:3//' | awk 'NF == 7 { NF = 4 } 1'; }
    plain | awk '/Lattice/ { odd = !odd } NF != 4 || odd { print; next } { l[++k] = $0 }
        k == 108 { while (k) print l[k--] }' | xyz2bin --unsorted-ok -o turned.mbf -
    ! TEMPERATURE=90 "$r" turned.mbf >t 2>err || false
    [ "$(verdicts t)" = "ok NO ok NO ok ok" ] || { cat t; false; }
    grep -q 'no rule tests sigma.*EPSILON.*THERMO' err
    if [ -n "$all" ]; then
        ! TEMPERATURE=90 EPSILON=10.34 CUTOFF=8.5 "$r" turned.mbf >t 2>err || false
        [ "$(verdicts t)" = "ok NO ok NO ok ok ok" ] || { cat t; false; }
        ! grep 'tests sigma' err || false
    fi
    # velocities 1.5 times as large as the motion of positions: currents and ratio detect this
    if [ -n "$all" ]; then # TEMPERATURE=300 has the currents wrong, too
        numpy_python
        "$PY" -c 'import mbf
r = mbf.read("p.mbf")
mbf.write("fast.mbf", r.positions, time=r.time, cell=r.cell, velocities=1.5 * r.velocities, species=["Ar"] * 108, meta={"sys.sigma": "3.4"})'
        ! TEMPERATURE=90 CUTOFF=8.5 "$r" fast.mbf >t 2>err || false
        [ "$(verdicts t)" = "ok ok ok ok ok NO NO NO ok" ] || { cat t; false; }
    fi
    plain | awk '/Lattice/ { split($0, w, "\""); split(w[2], c, " "); 
            $0 = "Lattice=\"" c[1] " 0 0 0 " c[5] " 0 0 0 " 1.3 * c[9] substr($0, length(w[1] w[2]) + 2) }
        NF == 4 { $4 *= 1.3 } 1' | xyz2bin --dt 0.02 -o long.mbf -
    ! TEMPERATURE=90 "$r" long.mbf >t || false
    [[ $(verdicts t) == *NO ]] || { cat t; false; }
    fails 2 "$r" long.mbf
    [[ $output == *"expected a temperature"* ]]
}

# Starts a real sshd as the host `far`.
start_sshd() {
    command -v sshd >/dev/null || [ -x /usr/sbin/sshd ] || skip "no sshd"
    command -v ssh >/dev/null || skip "no ssh"
    mkdir far
    sshd_in "$PWD/far"
    export SSH="ssh -F $PWD/far/ssh_config" REMOTE_BIN=$BIN
}

teardown() {
    [ -s far/sshd.pid ] && kill "$(cat far/sshd.pid)"
    return 0
}

@test "two-hosts.sh: over a real sshd, the same result as at home" {
    start_sshd
    "$ROOT/pipelines/two-hosts.sh" far >far.txt
    xyz2bin "$DATA/argon256.xyz.gz" | g4-cpu --tmax 6 | bin2txt >near.txt
    grep -v '^##' far.txt >rows
    grep -v '^##' near.txt | cmp rows -
}

@test "two-hosts.sh: a program that is missing there, a banner, or a broken connection is an error" {
    start_sshd
    REMOTE_BIN=/nowhere run "$ROOT/pipelines/two-hosts.sh" far
    [ "$status" -ne 0 ]
    # a login banner on stdout in front of the stream
    printf '#!/bin/sh\necho Welcome to the cluster\nexec "%s/g4-cpu" "$@"\n' "$BIN" >"$BATS_TEST_TMPDIR/g4-cpu"
    chmod +x "$BATS_TEST_TMPDIR/g4-cpu"
    REMOTE_BIN=$BATS_TEST_TMPDIR run "$ROOT/pipelines/two-hosts.sh" far
    [ "$status" -ne 0 ]
    [[ $output == *Welcome* ]] || { echo "$output"; false; }
    # the remote program fails in the middle
    printf '#!/bin/sh\n"%s/beta-gen" | head -c 3000000\n' "$BIN" >"$BATS_TEST_TMPDIR/g4-cpu"
    REMOTE_BIN=$BATS_TEST_TMPDIR run "$ROOT/pipelines/two-hosts.sh" far
    [ "$status" -ne 0 ]
}

@test "live-lammps.sh: a running LAMMPS read through a pipe; one that dies leaves no result" {
    command -v lmp >/dev/null || skip "no lmp"
    run "$ROOT/pipelines/live-lammps.sh"
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    [[ $output =~ maximum,\ ([0-9.]+),\ at\ ([0-9.]+) ]]
    near "${BASH_REMATCH[1]}" 2.6 0.4
    near "${BASH_REMATCH[2]}" 3.7 0.2
    grep -q '^## origin .*traj2bin' gr.txt
    rm gr.txt
    echo 'units nonsense' >bad.in
    run timeout 60 "$ROOT/pipelines/live-lammps.sh" bad.in
    [ "$status" -ne 0 ]
    [ "$status" -ne 124 ]
    [ ! -e gr.txt ]
    # a failure in the middle: the frames that arrived are not accepted as a whole run
    { sed -n '/^units real/,/^run 400/p' "$ROOT/pipelines/live-lammps.sh" | sed 's/run 400/run 0/'
        printf 'dump 1 all custom 20 ${dump} id type x y z\ndump_modify 1 flush yes units yes time yes\nrun 100\nnonsense\n'; } >dies.in
    run timeout 60 "$ROOT/pipelines/live-lammps.sh" dies.in
    [ "$status" -ne 0 ]
    [ "$status" -ne 124 ]
    [ ! -e gr.txt ]
}

@test "live-lammps.sh: a reader that dies takes LAMMPS with it" {
    mkdir none
    printf '#!/bin/sh\nuntil [ -s pid ]; do sleep 0.01; done\nexit 3\n' >none/traj2bin
    printf '#!/bin/sh\necho $$ >pid\nexec sleep 60\n' >none/lmp
    chmod +x none/*
    status=0
    BIN=$PWD/none LMP=lmp timeout 40 "$ROOT/pipelines/live-lammps.sh" >said 2>&1 || status=$?
    [ "$status" -eq 2 ] || { echo "$status"; cat said; false; } # what was read has no frames
    [ ! -e gr.txt ]
    until_true 10 eval '! kill -0 "$(cat pid)" 2>/dev/null'
}
