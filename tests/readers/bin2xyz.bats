#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bin2xyz: round trips, digits, header, damage.
# reads: bin2xyz POSN
load ../helpers

setup() { cd "$BATS_TEST_TMPDIR" || return 1; }

@test "the text of the sample comes back, number for number" {
    zcat "$DATA/argon256.xyz.gz" | head -n 2580 | awk 'NF == 4 { print $1, $2 + 0, $3 + 0, $4 + 0 }' >want
    zcat "$DATA/argon256.xyz.gz" | head -n 2580 | xyz2bin | bin2xyz | awk 'NF == 4 && $1 == "Ar"' >got
    cmp want got
}

@test "the second line: Lattice, Properties, pbc, Time, sigma" {
    fails 0 bin2xyz <(xyz2bin "$DATA/argon8.xyz")
    [ "${lines[0]}" = 8 ]
    [ "${lines[1]}" = 'Lattice="23.03154 0 0 0 23.03154 0 0 0 23.03154" Properties=species:S:1:pos:R:3 pbc="T T T" Time=0 time_unit=fs sigma=3.4' ]
    [ "${lines[2]}" = "Ar 21.4193 1.23931 10.276" ]
    [[ ${lines[11]} == *"Time=125 time_unit=fs sigma"* ]]
    fails 0 bin2xyz <(xyz2bin "$DATA/dialects/fortran.xyz")
    [ "${lines[1]}" = 'Properties=species:S:1:pos:R:3 pbc="F F F"' ]
}

@test "there and back and there again: the same stream" {
    for f in "$DATA/argon8.xyz" "$DATA/dialects/extended.xyz" "$DATA/dialects/fortran.xyz"; do
        for t in f32 f64; do
            o=; [[ $f != */extended.xyz ]] || o="--time-unit fs"
            # shellcheck disable=SC2086
            xyz2bin $o --dtype $t "$f" -o a.mbf
            bin2xyz a.mbf | xyz2bin --dialect extended --dtype $t - -o b.mbf
            bin2txt a.mbf | grep -v '^## origin' >a.txt
            bin2txt b.mbf | grep -v '^## origin' | cmp - a.txt
        done
    done
}

@test "f64 with 17 digits survives" {
    printf '2\n\nA 0.1 0.30000000000000004 -1.7976931348623157e308\nB 2.2250738585072014e-308 123456789.12345679 1e22\n' >a.xyz
    xyz2bin --dtype f64 a.xyz | bin2xyz | tail -n 2 >got
    printf 'A 0.1 0.30000000000000004 -1.7976931348623157e+308\nB 2.2250738585072014e-308 123456789.12345679 1e+22\n' | cmp - got
}

@test "--digits" {
    printf '1\n\nA 1.23456789 123456.789 0.000012345678\n' >a.xyz
    [ "$(xyz2bin --dtype f64 a.xyz | bin2xyz --digits 4 | tail -n 1)" = "A 1.235 1.235e+05 1.235e-05" ]
    [ "$(xyz2bin --dtype f64 a.xyz | bin2xyz --digits 8 | tail -n 1)" = "A 1.2345679 123456.79 1.2345678e-05" ]
    fails 2 bin2xyz --digits 0 a.xyz
    fails 2 bin2xyz --digits 18 a.xyz
    # six decimals below 100 are eight digits, as in the text of the sample without its zeros
    [ "$(xyz2bin --dtype f64 "$DATA/argon8.xyz" | bin2xyz --digits 8 | sed -n 3p)" = "Ar 21.4193 1.23931 10.276" ]
}

@test "cells that change, species, unknown names" {
    printf '2\nLattice="9 0 0 1 9 0 0 0 9" Properties=pos:R:3 pbc="T F T"\n1 2 3\n4 5 6\n2\nLattice="9.5 0 0 1 9 0 0 0 9" Properties=pos:R:3 pbc="T F T"\n1 2 3\n4 5 6\n' >a.xyz
    fails 0 bin2xyz <(xyz2bin a.xyz)
    [[ ${lines[1]} == 'Lattice="9 0 0 1 9 0 0 0 9" '*'pbc="T F T"'* ]]
    [ "${lines[2]}" = "X 1 2 3" ]
    [[ ${lines[5]} == 'Lattice="9.5 0 0 1 9 0 0 0 9" '* ]]
    printf '4\n\nO 1 2 3\nH 1 2 3\nH 1 2 3\nAr 4 5 6\n' >b.xyz
    [ "$(xyz2bin b.xyz | bin2xyz | tail -n 4 | cut -d' ' -f1 | tr '\n' ' ')" = "O H H Ar " ]
}

@test "the same bytes for every number of threads" {
    xyz2bin "$DATA/argon256.xyz.gz" -o a.mbf
    bin2xyz -t 1 a.mbf -o 1.xyz
    for t in 2 5; do bin2xyz -t $t a.mbf | cmp - 1.xyz; done
    # the same for frames larger than a unit of work
    { echo 10000; echo; awk 'BEGIN { for (i = 0; i < 10000; i++) print "Ar", i / 8, i % 7, -i / 3 }'; } >b.xyz
    xyz2bin b.xyz -o b.mbf
    bin2xyz -t 1 b.mbf -o 1.xyz
    bin2xyz -t 3 b.mbf | cmp - 1.xyz
    [ "$(wc -l <1.xyz)" -eq 10002 ]
}

@test "damage and wrong input: status 2, no file" {
    xyz2bin "$DATA/argon8.xyz" -o a.mbf
    head -c -100 a.mbf >b.mbf
    fails 2 bin2xyz b.mbf -o out.xyz
    [ ! -e out.xyz ]
    fails 2 bin2xyz "$DATA/argon8.xyz" -o out.xyz
    [ ! -e out.xyz ]
    fails 3 bin2xyz a.mbf -o /nowhere/out.xyz
    # in a pipe, earlier text was already written, so it ends in a line that no reader accepts
    xyz2bin "$DATA/argon256.xyz.gz" -o big.mbf
    { cat a.mbf; head -c 300000 big.mbf; } | bin2xyz >out.xyz 2>err || status=$?
    [ "$status" -eq 2 ] || [ "$status" -eq 3 ]
    [ "$(tail -n 1 out.xyz)" = "ERR $(cat err)" ]
    fails 2 xyz2bin --unsorted-ok out.xyz -o c.mbf
    [[ $output == *"the program that wrote this text failed: bin2xyz: stdin: "* ]]
    [ ! -e c.mbf ]
}

@test "velocities are the property vel in A/ps, and columns of bin2txt" {
    # velocities in the TRR file are in nm/ps
    traj2bin -q --velocities "$DATA/formats/water10.trr" -o v.mbf
    traj2bin -q "$DATA/formats/water10.trr" -o p.mbf
    bin2xyz v.mbf >v.xyz
    [ "$(grep -c '^Lattice=.* Properties=species:S:1:pos:R:3:vel:R:3 vel_unit=A/ps pbc=' v.xyz)" -eq 3 ]
    ! bin2xyz p.mbf | grep vel
    bin2xyz p.mbf | grep -v '=' | diff - <(grep -v '=' v.xyz | awk 'NF > 1 { print $1, $2, $3, $4; next } { print }')
    [ "$(bin2txt v.mbf | head -n 1)" = "# step t_ps atom x_A y_A z_A vx_A/ps vy_A/ps vz_A/ps" ]
    [ "$(bin2txt p.mbf | head -n 1)" = "# step t_ps atom x_A y_A z_A" ]
    diff <(bin2txt v.mbf | grep -v '^#' | cut -d' ' -f4-) <(grep -v '=' v.xyz | awk 'NF > 1' | cut -d' ' -f2-)
    diff <(bin2txt v.mbf | grep -v '^#' | cut -d' ' -f-6) <(bin2txt p.mbf | grep -v '^#')
    bin2txt --format csv v.mbf | head -n 1 | grep -qx 'step,t_ps,atom,x_A,y_A,z_A,vx_A/ps,vy_A/ps,vz_A/ps'
    xyz2bin -q v.xyz | bin2txt | grep -v '^##' | diff - <(bin2txt p.mbf | grep -v '^##') # which are passed over
    # f64, of steps cut out of the middle, of two segments of which one has none, of a restart
    traj2bin -q --dtype f64 --velocities "$DATA/formats/water10.trr" -o d.mbf
    bin2txt --digits 4 d.mbf | grep -v '^#' | diff - <(bin2txt --digits 4 v.mbf | grep -v '^#')
    bin2xyz --digits 4 d.mbf | grep -v = | diff - <(bin2xyz --digits 4 v.mbf | grep -v =)
    md-cpu -q --atoms 32 --density 0.02 --steps 30 --every 10 --restart r.mbf -o run.mbf
    for p in bin2txt bin2xyz; do
        "$p" r.mbf 2>err >/dev/null
        [ "$(cat err)" = "$p: warning: r.mbf: the velocities are not written, because the stream stores them after the positions of all steps, as in a restart file" ]
    done
    frame-cut 1:3 v.mbf -o cut.mbf
    diff <(bin2txt cut.mbf | grep -v '^#' | cut -d' ' -f7-) <(bin2txt v.mbf | grep -v '^#' | tail -n 20 | cut -d' ' -f7-)
    cat <(frame-cut 0:2 v.mbf) <(frame-cut 2:3 p.mbf) | frame-cat - -o vp.mbf
    [ "$(bin2txt vp.mbf | grep -v '^#' | tail -n 10 | cut -d' ' -f7- | sort -u)" = "nan nan nan" ]
    cat <(frame-cut 0:2 p.mbf) <(frame-cut 2:3 v.mbf) | frame-cat - -o pv.mbf
    bin2txt pv.mbf 2>err | grep -v '^#' | awk 'NF != 6 { exit 1 }'
    [ "$(cat err)" = "bin2txt: warning: pv.mbf: the velocities from step 2 on are not printed, because the first step, which determines the columns of the table, has no velocities" ]
}

@test "scalars are properties with their names and units, after the velocities; nan where they are not defined" {
    "$BIN/../tests/unit/make_frames" scalars >s
    bin2xyz s >s.xyz
    [ "$(grep -c 'Properties=species:S:1:pos:R:3:charge:R:1:q6:R:1 charge_unit=e q6_unit=1 pbc="T T T"' s.xyz)" -eq 5 ]
    diff <(bin2txt s | grep -v '^#' | cut -d' ' -f4-) <(awk 'NF > 1 && !/=/' s.xyz | cut -d' ' -f2-)
    "$BIN/../tests/unit/make_frames" scalars-nan | bin2xyz | grep -qx 'X 3.2 3.21 3.22 3.2 nan'
    xyz2bin -q --dtype f64 s.xyz | bin2txt | grep -v '^#' | diff - <(bin2txt s | cut -d' ' -f-6 | grep -v '^#') # which are passed over
    # with one thread or many, and for rows of any width
    for k in 1 3; do bin2xyz --threads $k --digits 3 s | cmp - <(bin2xyz --digits 3 s); done
}
