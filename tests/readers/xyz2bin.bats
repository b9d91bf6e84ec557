#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# xyz2bin: all dialects, difficult texts with their messages, order, time, selection, damage.
# writes: xyz2bin TEXT --dt 0.01
load ../helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    D=$DATA/dialects
}

# rows FILE [OPTIONS]: the data rows "step t atom x y z".
rows() { xyz2bin "$@" | bin2txt | grep -v '^#'; }
# meta KEY FILE [OPTIONS]: the value of a META key.
meta() {
    local key=$1
    shift
    xyz2bin "$@" | bin2txt --meta | sed -n "s/^$key	//p"
}
# says STATUS "text" FORMAT [OPTIONS]: in.xyz from printf FORMAT must fail with exactly this line
# (and warnings).
says() {
    local want=$1 text=$2
    printf -- "$3" >in.xyz
    shift 3
    fails "$want" xyz2bin -q "$@" -o out.mbf in.xyz
    [ ! -e out.mbf ]
    if [ "$output" != "xyz2bin: in.xyz: $text" ]; then
        echo "expected: xyz2bin: in.xyz: $text"
        echo "found:    $output"
        return 1
    fi
}

@test "every dialect gives the same positions" {
    rows "$DATA/argon8.xyz" | cut -d' ' -f3- >want
    [ "$(wc -l <want)" -eq 16 ]
    for f in cp2k extended extended-columns fortran ipi ipi-bohr lammps plain-crlf; do
        echo "$f"
        # shellcheck disable=SC2046
        rows $([ $f != extended ] || echo --time-unit fs) "$D/$f.xyz" | cut -d' ' -f3- | cmp - want
    done
}

@test "RIGMD: half lengths, dt, sigma" {
    fails 0 meta sys.cell "$DATA/argon8.xyz"
    [ "$output" = "23.03154 0 0 0 23.03154 0 0 0 23.03154" ]
    [ "$(meta sys.pbc "$DATA/argon8.xyz")" = TTT ]
    [ "$(meta sys.dt_ps "$DATA/argon8.xyz")" = 0.125 ]
    near "$(meta sys.sigma "$DATA/argon8.xyz")" 3.4 1e-15
    [ "$(meta sys.natoms "$DATA/argon8.xyz")" = 8 ]
    [ "$(meta sys.species "$DATA/argon8.xyz")" = "Ar 8" ]
    [ "$(meta data.quantity "$DATA/argon8.xyz")" = positions ]
    [ "$(meta data.unit "$DATA/argon8.xyz")" = angstrom ]
}

@test "times: fs in CP2K, what extended names, steps in LAMMPS, --dt for what has none" {
    [ "$(meta sys.dt_ps "$D/cp2k.xyz")" = 0.125 ]
    [ "$(meta sys.dt_ps --time-unit fs "$D/extended.xyz")" = 0.125 ]
    [ -z "$(meta sys.dt_ps "$D/lammps.xyz")" ]
    [ "$(meta sys.dt_ps --timestep 0.0025 "$D/lammps.xyz")" = 0.125 ]
    [ "$(meta sys.dt_ps --dt 0.125 "$D/lammps.xyz")" = 0.125 ]
    [ "$(meta sys.dt_ps --dt 0.5 "$D/cp2k.xyz")" = 0.5 ]
    [ "$(rows --dt 0.5 "$D/fortran.xyz" | awk '$1 == 1 { print $2; exit }')" = 0.5 ]
}

@test "the unit of Time= is asked for, never guessed" {
    L='Lattice="9 0 0 0 9 0 0 0 9"'
    ask="expected time_unit=fs, ps or ns for Time=25, found none (give --time-unit or --dt)"
    says 2 "frame 0: line 2: $ask" "1\n$L Time=25\nAr 1 2 3\n1\n$L Time=50\nAr 1 2 3\n"
    says 2 "frame 0: line 2: ${ask/25/0}" "1\n$L time=0\nAr 1 2 3\n1\n$L time=25\nAr 1 2 3\n"
    [ "$(meta sys.dt_ps --time-unit ps in.xyz)" = 25 ]
    [ "$(meta sys.dt_ps --time-unit fs in.xyz)" = 0.025 ]
    [ "$(meta sys.dt_ps --time-unit ns in.xyz)" = 25000 ]
    [ "$(meta sys.dt_ps --dt 5 in.xyz)" = 5 ]
    says 2 "frame 0: line 2: expected time_unit=fs, ps or ns, found 'h'" "1\n$L Time=25 time_unit=h\nAr 1 2 3\n"
    says 2 "frame 0: line 2: ${ask%)} or --timestep)" "1\n$L Time=25 Timestep=7\nAr 1 2 3\n"
    # an option without effect is an error; the time 0 of a single frame is 0 in any unit
    printf "1\n$L Time=25 time_unit=ps\nAr 1 2 3\n1\n$L time_unit=ps Time=50\nAr 1 2 3\n" >a.xyz
    [ "$(meta sys.dt_ps a.xyz)" = 25 ]
    fails 2 xyz2bin --time-unit fs a.xyz -o out.mbf
    [[ $output == *"--time-unit: expected Time= without a unit, found a Time= with a known unit (omit --time-unit)" ]]
    fails 2 xyz2bin --time-unit fs "$DATA/argon8.xyz" -o out.mbf
    [[ $output == *"--time-unit: expected Time= without a unit, found no Time= (omit --time-unit)" ]]
    for o in --dt --timestep; do
        fails 2 xyz2bin --time-unit fs $o 1 a.xyz -o out.mbf
        [[ $output == "xyz2bin: --time-unit has no effect with $o, which replaces the times in the file" ]]
    done
    [ "$(rows a.xyz | cut -d' ' -f2 | tr '\n' ' ')" = "25 50 " ]
    printf "1\n$L Time=0\nAr 1 2 3\n" >a.xyz
    [ "$(rows a.xyz)" = "0 0 0 1 2 3" ]
}

@test "likely slips of units are said, and -q takes them: cell, dt, sigma" {
    zcat "$DATA/argon256.xyz.gz" | head -n 774 | sed 's/^0.125 .*/no second line/' >a.xyz
    said() { # WARNING-OR-NOTHING OPTIONS...
        local want=$1
        shift
        run xyz2bin "$@" a.xyz -o out.mbf
        [ "$status" -eq 0 ]
        [ "$output" = "${want:+xyz2bin: warning: $want}" ] || { echo "$*: $output"; false; }
    }
    said "" --cell 23.03154 --dt 0.125 --sigma 3.4
    said "a.xyz: the density of 256 atoms in 12.2 Å^3 is too high for any material (if the cell was given in nm, its edge in Å is 23.03)" --cell 2.303154 --dt 0.125 --unsorted-ok
    said "a.xyz: atoms move only 0.28 Å in 125 ps, less than in any fluid (if dt was given in fs, its value in ps is 0.125)" --cell 23.03154 --dt 125
    said "" --cell 23.03154 --dt 0.0125
    said "a.xyz: atoms move 0.28 Å in 0.000125 ps, which is too fast for any material (if dt was given in ns, its value in ps is 0.125)" --cell 23.03154 --dt 0.000125
    said "--sigma 0.34 is in Å, which is unusually small (if you mean nm, give 3.4)" --cell 23.03154 --sigma 0.34
    fails 0 xyz2bin -q --cell 2.303154 --dt 125 --sigma 0.34 a.xyz --unsorted-ok -o out.mbf
    [ -z "$output" ]
}

@test "cpptraj and Cassandra boxes, vectors and angles" {
    printf '1\nstep 1 Box X: 20 21 22\nH 1 2 3\n' >a.xyz
    [ "$(meta sys.cell a.xyz)" = "20 0 0 0 21 0 0 0 22" ]
    printf '1\nBox X: 20 0 0 Y: 1 21 0 Z: 2 3 22\nH 1 2 3\n' >a.xyz
    [ "$(meta sys.cell a.xyz)" = "20 0 0 1 21 0 2 3 22" ]
    printf '1\n# BOX: 20 20 20 90 90 90\nH 1 2 3\n' >a.xyz
    [ "$(meta sys.cell a.xyz)" = "20 0 0 0 20 0 0 0 20" ]
}

@test "i-PI: cells of every form and in bohr, steps, and units that are refused" {
    [ "$(meta sys.cell "$D/ipi.xyz")" = "23.03154 0 0 0 23.03154 0 0 0 23.03154" ]
    [ "$(meta sys.pbc "$D/ipi.xyz")" = TTT ]
    [ -z "$(meta sys.dt_ps "$D/ipi.xyz")" ]
    [ "$(meta sys.dt_ps --timestep 0.0025 "$D/ipi-bohr.xyz")" = 0.125 ]
    # 43.5233 bohr of 0.529177210903 angstrom
    near "$(meta sys.cell "$D/ipi-bohr.xyz" | cut -d' ' -f9)" 23.0315385032945 1e-12
    U='positions{angstrom} cell{angstrom}'
    printf '1\n# bead: 0 CELL[abcABC]: 10 20 30 90 90 60 %s\nAr 1 2 3\n' "$U" >a.xyz
    read -r ax ay az bx by bz cx cy cz <<<"$(meta sys.cell a.xyz)"
    near "$bx" 10 1e-12
    near "$by" 17.3205080756888 1e-12
    [ "$ax $ay $az $bz $cx $cy $cz" = "10 0 0 0 0 0 30" ]
    printf '1\n# CELL(H): 10 1 2 0 20 3 0 0 30 %s\nAr 1 2 3\n' "$U" >a.xyz # columns are the vectors
    [ "$(meta sys.cell a.xyz)" = "10 0 0 1 20 0 2 3 30" ]
    printf '1\n# CELL{GENH}: 10 1 2 0 20 3 0 0 30 %s\nAr 1 2 3\n' "$U" >a.xyz # rows are
    [ "$(meta sys.cell a.xyz)" = "10 1 2 0 20 3 0 0 30" ]
    out="(--dialect plain with --cell reads the numbers as angstrom)"
    C='1\n# CELL(abcABC): 9 9 9 90 90 90'
    # positions in bohr, i-PI's own unit, rounded to f32 once, after the conversion
    printf "$C"' positions{atomic_unit} cell{atomic_unit}\nAr 20.0001 2 -3\n' >a.xyz
    for k in 0 1 2; do printf "$C"' Step: %d x_centroid{atomic_unit} cell{angstrom}\nAr 20.0001 2 -3\n' $k; done >b.xyz
    [ "$(rows --dtype f64 a.xyz | cut -d' ' -f4-)" = "10.583597135781089 1.058354421806 -1.5875316327089999" ]
    [ "$(rows a.xyz | cut -d' ' -f4-)" = "10.583597 1.0583544 -1.5875317" ]
    [ "$(rows -t 3 b.xyz | cut -d' ' -f4- | uniq -c | tr -s ' ')" = " 3 10.583597 1.0583544 -1.5875317" ]
    near "$(meta sys.cell a.xyz | cut -d' ' -f1)" 4.762594898127 1e-12
    [ "$(meta sys.cell b.xyz | cut -d' ' -f1)" = 9 ]
    [ "$(rows --dialect plain --cell 9 a.xyz)" = "0 nan 0 20.0001 2 -3" ]
    says 2 "frame 0: line 2: expected positions{angstrom} or positions{atomic_unit} on i-PI's line, found 'velocities{m/s}' $out" "$C"' velocities{m/s} cell{angstrom}\nAr 1 2 3\n'
    says 2 "frame 0: line 2: expected positions{angstrom} or positions{atomic_unit} on i-PI's line, found 'no unit' $out" "$C"'\nAr 1 2 3\n'
    far=$(printf 'positions{%033d}' 1) # 44 characters, of which a message has 40
    says 2 "frame 0: line 2: expected positions{angstrom} or positions{atomic_unit} on i-PI's line, found '${far::40}' $out" "$C $far cell{angstrom}\nAr 1 2 3\n"
    far=$(printf 'cell{%038d}' 1)
    says 2 "frame 0: line 2: expected cell{angstrom} or cell{atomic_unit} on i-PI's line, found '${far::40}' $out" "$C positions{angstrom} $far\nAr 1 2 3\n"
    says 2 "frame 0: line 2: expected cell{angstrom} or cell{atomic_unit} on i-PI's line, found 'no unit' $out" "$C"' positions{angstrom}\nAr 1 2 3\n'
    says 2 "frame 0: line 2: expected cell{angstrom} or cell{atomic_unit} on i-PI's line, found 'cell{nanometer}' $out" "$C"' positions{angstrom} cell{nanometer}\nAr 1 2 3\n'
    says 2 "frame 0: line 2: expected six numbers after i-PI's 'CELL(abcABC):', or nine numbers after 'CELL(H):' or 'CELL(GENH):', found '# CELL(H): 9 9 9 90 90 90 positions{angstrom} cell{angstrom}'" "1\n# CELL(H): 9 9 9 90 90 90 $U\nAr 1 2 3\n"
    says 2 "frame 0: line 2: --timestep: expected frames with MD step numbers, found none (use --dt instead)" "$C"" Step:9 7 $U\nAr 1 2 3\n" --timestep 1
    # the beads of a ring polymer in one file are not a trajectory
    for k in 0 1 2; do printf '1\n# CELL(abcABC): 9 9 9 90 90 90 Step: 7 Bead: %d %s\nAr 1 2 3.%d\n' $k "$U" $k; done >a.xyz
    fails 2 xyz2bin a.xyz -o out.mbf
    [[ $output == *"frame 1: line 5: expected a step after 7, found 7: the step is repeated with other positions"* ]]
}

@test "options override the file: --cell, --pbc, --sigma" {
    [ "$(meta sys.cell --cell 24,25,26 "$DATA/argon8.xyz")" = "24 0 0 0 25 0 0 0 26" ]
    [ "$(meta sys.pbc --pbc xz "$DATA/argon8.xyz")" = TFT ]
    [ "$(meta sys.pbc --pbc none "$DATA/argon8.xyz")" = FFF ]
    [ "$(meta sys.sigma --sigma 3.5 "$DATA/argon8.xyz")" = 3.5 ]
    [ -z "$(meta sys.cell "$D/fortran.xyz")" ]
    [ "$(meta sys.pbc --cell 24 "$D/fortran.xyz")" = TTT ]
    fails 2 xyz2bin --pbc x "$D/fortran.xyz" -o out.mbf
    [[ $output == *"expected a cell for the periodic axes, found none (give --cell, or --pbc none)" ]]
    fails 2 xyz2bin --cell 1,2 "$D/fortran.xyz"
    fails 2 xyz2bin --pbc w "$D/fortran.xyz"
    fails 2 xyz2bin --select 3:1 "$D/fortran.xyz"
}

@test "no cell, and not a word about it: one warning, which --cell, --pbc none, the file and -q answer" {
    none="expected a cell, found none: distances will ignore periodic images (give a cell with --cell, or --pbc none for a non-periodic system)"
    for f in cp2k fortran lammps plain-crlf; do
        run xyz2bin "$D/$f.xyz" -o out.mbf
        [ "$output" = "xyz2bin: warning: $D/$f.xyz: $none" ]
        [ "$status" -eq 0 ]
        for say in --cell=24 --pbc=none -q; do
            fails 0 xyz2bin $say "$D/$f.xyz" -o out.mbf
            [ -z "$output" ]
        done
    done
    printf '1\n\nAr 1 2 3\n' | tee one.xyz | sed "s/3\$/4/" >two.xyz
    fails 0 xyz2bin --select 1: one.xyz two.xyz -o out.mbf
    [ "$output" = "xyz2bin: warning: two.xyz: $none" ]
    fails 0 xyz2bin -o out.mbf <"$D/fortran.xyz"
    [ "$output" = "xyz2bin: warning: stdin: $none" ]
    printf '1\npbc="F F F" Properties=species:S:1:pos:R:3\nAr 1 2 3\n' >free.xyz
    printf '1\nProperties=species:S:1:pos:R:3\nAr 1 2 3\n' >silent.xyz
    printf '1\nhello\nAr 1 2\n' >bad.xyz
    fails 0 xyz2bin free.xyz -o out.mbf
    [ -z "$output" ]
    fails 0 xyz2bin silent.xyz -o out.mbf
    [[ $output == *"$none" ]]
    fails 2 xyz2bin bad.xyz -o out.mbf # one line of what is wrong, not two
    [ "${#lines[@]}" -eq 1 ]
    xyz2bin --pbc none "$D/fortran.xyz" | bin2xyz >back.xyz
    fails 0 xyz2bin back.xyz -o out.mbf
    [ -z "$output" ]
}

@test "extended: positions in any column, quotes of every kind, Lattice alone" {
    printf '1\npbc=[T,F,T] Properties="vel:R:3:pos:R:3:species:S:1" Lattice={9 0 0 0 9 0 0 0 9}\n9 9 9 1 2 3 Ne\n' >a.xyz
    [ "$(rows a.xyz)" = "0 nan 0 1 2 3" ]
    [ "$(meta sys.species a.xyz)" = "Ne 1" ]
    [ "$(meta sys.pbc a.xyz)" = TFT ]
    # rows without names, and more rows than are read at once
    awk 'BEGIN { print "100000\nProperties=pos:R:3 Lattice=\"900 0 0 0 900 0 0 0 900\""; for (i = 0; i < 100000; i++) print i % 7, i % 11, i % 13 }' >a.xyz
    [ "$(rows a.xyz | tail -n 1)" = "0 nan 99999 4 9 3" ]
    printf "1\nLattice='9 0 0 0 9 0 0 0 9'\nAr 1 2 3\n" >a.xyz
    [ "$(meta sys.pbc a.xyz)" = TTT ]
    [ "$(rows a.xyz)" = "0 nan 0 1 2 3" ]
}

@test "a cell that changes travels as CELL frames" {
    for k in 0 1 2; do printf '1\nLattice="%d 0 0 0 9 0 0 0 9" Time=%d time_unit=ps\nAr 1 2 3\n' $((9 + k)) $k; done >a.xyz
    xyz2bin a.xyz | bin2xyz | grep -o 'Lattice="[0-9]*' >got
    printf 'Lattice="9\nLattice="10\nLattice="11\n' | cmp - got
}

@test "columns: names as numbers, integers, tabs, trailing columns, long lines" {
    printf '2\n\n1\t1\t2\t3\textra\t4\n8 -1 +2 3. tail\n' >a.xyz
    [ "$(rows a.xyz | cut -d' ' -f4-)" = $'1 2 3\n-1 2 3' ]
    [ "$(meta sys.species a.xyz)" = "1 1 8 1" ]
    printf '2\n\nC(1) 1 2 3\nH* 4 5 6\n' >a.xyz # brackets are the species list's own
    [ -z "$(meta sys.species a.xyz)" ]
    [ "$(rows a.xyz | cut -d' ' -f4-)" = $'1 2 3\n4 5 6' ]
    { printf '1\n\nAr 1 2 3'; printf ' %0100d' 7; echo; } >a.xyz
    [ "$(rows a.xyz | cut -d' ' -f4-)" = "1 2 3" ]
    { printf '1\n\n%80sAr 1 2 3\n' ''; } >a.xyz
    [ "$(rows a.xyz | cut -d' ' -f4-)" = "1 2 3" ]
}

@test "numbers: Fortran exponents and correct rounding in f32 and f64" {
    printf '1\n\nAr 1.0D-03 0.14-270 -2.5+001\n' >a.xyz
    [ "$(rows --dtype f64 a.xyz | cut -d' ' -f4-)" = "0.001 1.4e-271 -25" ]
    # just above the midpoint of two f32; rounding to f64 first would round down
    printf '1\n\nAr 1.00000005960464477539062501 1.00000005960464477539062499 3\n' >a.xyz
    fails 0 rows -q --dtype f32 a.xyz
    near "$(echo "$output" | cut -d' ' -f4)" 1.0000001 1e-9
    [ "$(echo "$output" | cut -d' ' -f5)" = 1 ]
}

@test "what is no number: line, column and reason" {
    says 2 "frame 0: line 3: column 4: expected a number for coordinate x, found '********' (the asterisks of a Fortran field that overflowed: the value was never written)" '1\n\nAr ******** 1 2\n'
    says 2 "frame 0: line 3: column 6: expected a number for coordinate y, found 'NaN' (not a number: the run that wrote it had gone wrong)" '1\n\nAr 1 NaN 2\n'
    says 2 "frame 0: line 3: column 8: expected a number for coordinate z, found '-Infinity' (infinite: the run that wrote it had gone wrong)" '1\n\nAr 1 2 -Infinity\n'
    says 2 "frame 0: line 3: column 4: expected a number for coordinate x, found '1,5' (a decimal comma: rewrite it with a point)" '1\n\nAr 1,5 2 3\n'
    says 2 "frame 0: line 3: column 4: expected a number for coordinate x, found '0x10' (hexadecimal)" '1\n\nAr 0x10 2 3\n'
    says 2 "frame 0: line 3: column 4: expected a number for coordinate x, found 'abc' (no number)" '1\n\nAr abc 2 3\n'
    says 2 "frame 0: line 3: column 4: expected a number for coordinate x, found '1e99' (beyond the range of the number format)" '1\n\nAr 1e99 2 3\n'
    says 2 "frame 1: line 7: column 5: expected a number for coordinate x, found '1.2.3' (no number)" '2\n\nAr 1 2 3\nAr 1 2 3\n2\n\nAr  1.2.3 2 3\nAr 1 2 3\n' --unsorted-ok
}

@test "lines that are not what they should be" {
    says 2 "frame 0: line 4: column 1: expected an atom, found an empty line" '2\n\nAr 1 2 3\n\n'
    says 2 "frame 0: line 3: column 9: expected at least 4 columns, found 3" '1\n\nAr 1.5 2\n'
    says 2 "frame 0: line 1: expected the number of atoms, found 'Ar 1 2 3'" 'Ar 1 2 3\n'
    says 2 "frame 0: line 1: expected the number of atoms, found '1 2'" '1 2\n\nAr 1 2 3\n'
    says 2 "frame 0: line 1: expected the number of atoms, found '-1'" '-1\n\n'
    says 2 "frame 0: line 1: expected at least one atom, found 0" '0\n\n'
    says 2 "frame 1: line 4: expected the number of atoms, found 'Ar 4 5 6' (check whether the previous frame has more atom lines than it states)" '1\n\nAr 1 2 3\nAr 4 5 6\n'
    says 2 "frame 1: line 4: expected 1 atoms as in the previous frames, found 2" '1\n\nAr 1 2 3\n2\n\nAr 1 2 3\nAr 1 2 3\n'
    says 2 "frame 1: line 4: expected the number of atoms, found an empty line inside the file" '1\n\nAr 1 2 3\n\n1\n\nAr 1 2 3\n'
    says 2 "frame 1: line 4: expected the number of atoms, found 'garbage' (check whether the previous frame has more atom lines than it states)" '1\n\nAr 1 2 3\ngarbage\n'
    says 2 "expected XYZ frames, found an empty file" ''
    says 2 "expected XYZ frames, found only empty lines" '\n \n'
}

@test "second lines and rows that say what cannot be; a sigma that is none, a key without a value, blanks without a newline" {
    cell='Lattice="9 0 0 0 9 0 0 0 9"' row='Ar 1 2 3'
    says 2 "frame 0: line 2: expected three values T or F in pbc, found 'T X F'" "1\n$cell pbc=\"T X F\"\n$row\n" --dt 1
    says 2 "frame 0: line 2: expected cell vectors that span a volume, found 9 0 0, 0 0 0 and 0 0 9 (give another cell with --cell; with --pbc, the vectors of non-periodic axes may be 0)" \
        "1\nLattice=\"9 0 0 0 0 0 0 0 9\"\n$row\n" --dt 1
    says 2 "frame 1: line 5: expected the same periodic axes as in the first frame, found different axes (give them with --pbc)" \
        "1\n$cell pbc=\"T T T\"\n$row\n1\n$cell pbc=\"T T F\"\n$row\n" --dt 1
    says 2 "frame 0: line 3: column 1: expected a name of at most 15 characters, found 'A123456789012345'" \
        "1\n$cell\nA123456789012345 1 2 3\n" --dt 1
    says 2 "frame 0: line 3: column 8: expected a number for coordinate z, found 'x' (no number)" "1\n$cell\nAr 1 2 x\r\n" --dt 1
    says 2 "frame 0: line 1: expected the number of atoms, found 'one'" "one \t\n$cell\n$row\n" --dt 1
    printf '1\n%s sigma=x of=\n%s\n  \n ' "$cell" "$row" >in.xyz
    [ "$(rows in.xyz -q --dt 1)" = "0 0 0 1 2 3" ]
    [ -z "$(meta sys.sigma in.xyz -q --dt 1)" ]
}

@test "blank lines at the end are allowed" {
    printf '1\n\nAr 1 2 3\n\n  \n\t\n' >a.xyz
    [ "$(rows a.xyz | wc -l)" -eq 1 ]
}

@test "huge counts are refused before a byte is allocated" {
    says 2 "frame 0: line 1: expected 99999999 atoms, found a file with only 19 bytes" '99999999\n\nAr 1 2 3\n'
    printf '999999999999999999\n\nAr 1 2 3\n' >a.xyz
    fails 2 xyz2bin --max-mem 1G -o out.mbf - <a.xyz
    [[ $output == *"of memory is needed for 999999999999999999 atoms, but the limit is 1 GiB (use a larger --max-mem)" ]]
    printf '99999999999999999999999\n\nAr 1 2 3\n' >a.xyz
    fails 2 xyz2bin -o out.mbf - <a.xyz
    [[ $output == *"expected the number of atoms, found '99999999999999999999999'" ]]
}

@test "a cut last frame is an error; --allow-partial keeps the whole frames" {
    head -c 500 "$DATA/argon8.xyz" >in.xyz
    fails 2 xyz2bin -o out.mbf in.xyz
    [ "$output" = "xyz2bin: in.xyz: frame 1: line 16: truncated: expected 8 atoms, but the file ends after 4 (--allow-partial keeps the complete frames before it)" ]
    [ ! -e out.mbf ]
    xyz2bin --allow-partial -o out.mbf in.xyz 2>warning
    grep -q "frame 1 was dropped.*: truncated: " warning
    [ "$(bin2txt out.mbf | grep -vc '^#')" -eq 8 ]
    # a file without a complete frame is still an error
    head -c 50 "$DATA/argon8.xyz" >in.xyz
    fails 2 xyz2bin --allow-partial -o out.mbf in.xyz
    printf '2\n' >in.xyz
    fails 2 xyz2bin --dt 1 -o out.mbf in.xyz
    [ "$output" = "xyz2bin: in.xyz: frame 0: line 1: truncated: expected a second line and 2 atoms, but the file ends here" ]
}

@test "cut at every byte: whole frames or status 2, never something else" {
    size=$(wc -c <"$DATA/argon8.xyz")
    last=$(awk 'NR == 11 { print n } { n += length($0) + 1 }' "$DATA/argon8.xyz")
    for ((n = 1; n < size; n += n % 8 < 6 || n > last - 30 && n < last + 3 ? 1 : 7)); do
        head -c "$n" "$DATA/argon8.xyz" >in.xyz
        status=0
        xyz2bin -q -o out.mbf in.xyz 2>/dev/null || status=$?
        if [ "$status" -eq 0 ]; then
            [ "$n" -eq "$last" ] || [ "$n" -eq "$((last - 1))" ] || [ "$n" -eq "$((size - 1))" ] # only between frames, or lines
            rm out.mbf
            between=1
        else
            [ "$status" -eq 2 ]
            [ ! -e out.mbf ]
        fi
    done
    [ "$between" = 1 ]
}

@test "damage to the text: control bytes anywhere, a torn last line, half an exponent, no line at all" {
    says 2 "frame 0: line 3: expected text, found byte 0x00" '1\n\nAr 1 2\0003\n'
    says 2 "frame 0: line 2: expected text, found byte 0x1b" '1\na \033 b\nAr 1 2 3\n'
    says 2 "frame 0: line 1: expected text, found byte 0x00" '\0001\n\nAr 1 2 3\n'
    says 2 "frame 0: line 3: expected text, found byte 0x0b" '1\n\nAr\0131 2 3\n'
    says 2 "frame 0: line 4: expected text, found byte 0x07" '2\n\nAr 1 2 3 and columns that nobody reads, beyond the sixty-fourth byte\nAr 1 2 3 and columns that nobody reads, beyond the sixty-fourth byte\007\n'
    # zeros in place of whole frames
    zcat "$DATA/argon256.xyz.gz" | head -n 2580 >a.xyz
    { head -n 1032 a.xyz; head -c 30000 /dev/zero; tail -n 1032 a.xyz; } >b.xyz
    fails 2 xyz2bin b.xyz -o out.mbf
    [ "$output" = "xyz2bin: b.xyz: frame 4: line 1033: expected text, found byte 0x00" ]
    torn="the last line has no newline and may be incomplete (if it is complete, add a newline: echo >>FILE)"
    says 2 "frame 0: line 3: $torn" '1\n\nAr 1 2 9.1'
    head -c -1 "$D/no-final-newline.xyz" >cut.xyz
    fails 2 xyz2bin cut.xyz -o out.mbf
    [[ $output == *"$torn (--allow-partial keeps the complete frames before it)" ]]
    says 2 "frame 0: line 3: column 4: expected a number for coordinate x, found '12.5-3' (no number)" '1\n\nAr 12.5-3 1 2\n'
    head -c 100000 /dev/zero | tr '\0' 7 >long.xyz
    fails 2 xyz2bin long.xyz -o out.mbf
    [ "$output" = "xyz2bin: long.xyz: frame 0: line 1: expected a line of XYZ text, found 4096 bytes without a line break" ]
    { echo 1; head -c 5000000 /dev/zero | tr '\0' 7; } | xyz2bin --max-mem 16M - -o out.mbf 2>err || true
    grep -q "line 2: expected a line of XYZ text, found 1048576 bytes without a line break" err
}

@test "a last line without its newline is whole where it is as wide as those before it, else torn" {
    rows "$DATA/argon8.xyz" >want
    rows "$D/no-final-newline.xyz" 2>err | cmp - want
    grep -q "warning: .*no-final-newline.xyz: the last line has no newline, but is accepted because it is as wide as the earlier lines" err
    gzip -c "$D/no-final-newline.xyz" >a.gz
    rows -q a.gz | cmp - want
    rows -q -t 4 <"$D/no-final-newline.xyz" | cmp - want
    [ "$(rows -q --select 1 "$D/no-final-newline.xyz" | wc -l)" = 8 ]
    [ "$(rows -q --select 0:9:2 "$D/no-final-newline.xyz" | wc -l)" = 8 ]
    rows -q "$D/no-final-newline.xyz" "$D/no-final-newline.xyz" --keep-duplicates --dt 1 | wc -l | grep -qx 32
    # molecule FORMAT: rows of numbers in this format
    molecule() { printf '3\n\nO 0 0 0\nH 0 0 0\nHe 0 0 0\n' | awk -v f="$1" 'NR > 2 { printf "%s " f "\n", $1, NR / 7, (NR - 3) / 3 - 1, -1e3 / NR, NR / 3; next } { print }' >in.xyz; }
    taken() {
        molecule "$1"
        run cut_in_last in.xyz xyz2bin --pbc none
        [ "$output" = "lacks:$2" ] || { echo "$1: $output"; cat in.xyz; false; }
    }
    taken '%.3f %.3f %.5f' ' 1'
    taken '%14.8f%14.8f%14.8f' ' 1'
    taken '%.4E %.4E %.4E' ' 1'
    taken '%.3f %.3f %.5f\t ' ' 1 2 3'
    taken '%.3f %.3f %.5f\r' ' 1 2'
    taken '%.3f %.3f %.5f 7 %.2f' ' 1'
    taken '%g %g %g' ''       # decimals vary: nothing tells
    taken '%g %g %g ' ' 1' # but for the blank behind
    taken '%.3f %g %.3f' ''   # one column that varies may be why the last ones do not
    taken '%.3f %.3f %d' ''   # an integer may go on
    # rows of one width with a right-justified last column: a cut row is shorter for any last word
    molecule() { printf '5\n\nO\nH\nH\nH\nH\n' | awk -v f="$1" 'NR > 2 { printf "%s " f "\n", $1, NR / 7, -1e3 / NR, (NR - 2) * 3; next } { print }' >in.xyz; }
    taken '%10.4g %10.4g %4d' ' 1'
    taken '%10.4g %10.4g %4d ' ' 1' # a blank behind, too
    taken '%.3g %10.4g %4d' '' # one column makes them uneven
    taken '%10.4g %10.4g %d' '' # not justified: 9 before 12 and 15
    printf '3\n\nH 1 2 3\nH 1 2 4\nH 1 2 5' >in.xyz # nor here, where 5 may be the first digit of 56
    fails 2 xyz2bin --pbc none in.xyz -o out.mbf
    printf '2\n\nH 0.0 0.0 0.0\nH 0.0 0.0 0.74' >in.xyz
    fails 2 xyz2bin --pbc none in.xyz -o out.mbf
    printf '2\n\nH 0.0 0.0 0.00\nH 0.0 0.0 0.74' >in.xyz
    rows -q --pbc none in.xyz | wc -l | grep -qx 2
    printf '1\n\nH 0.0 0.0 0.74' >in.xyz # no row to compare with
    fails 2 xyz2bin --pbc none in.xyz -o out.mbf
    [ ! -e out.mbf ]
}

@test "a byte-order mark at the start of each file is passed over" {
    rows "$DATA/argon8.xyz" >want
    { printf '\357\273\277'; head -n 10 "$DATA/argon8.xyz"; } >a.xyz
    { printf '\357\273\277'; tail -n 10 "$DATA/argon8.xyz"; } | gzip -c >b.xyz
    rows a.xyz b.xyz | cmp - want
    { cat "$DATA/argon8.xyz"; printf '\357\273\2778\n'; } >c.xyz # not in the middle of a file
    fails 2 xyz2bin c.xyz -o out.mbf
}

@test "--max-mem: the input, the need and the limit are named" {
    fails 4 xyz2bin --max-mem 1K "$DATA/argon8.xyz" -o out.mbf
    [ "$output" = "xyz2bin: $DATA/argon8.xyz: 128 KiB of memory is needed for reading, but the limit is 1 KiB (use a larger --max-mem)" ]
    fails 4 xyz2bin --max-mem 1K -o out.mbf <"$DATA/argon8.xyz"
    [ "$output" = "xyz2bin: stdin: 128 KiB of memory is needed for reading, but the limit is 1 KiB (use a larger --max-mem)" ]
    { echo 9000; echo; yes 'Ar 1.23456789 2.3456789 3.456789' | head -n 9000; } >a.xyz
    fails 4 xyz2bin --pbc none --max-mem 600K a.xyz -o out.mbf
    [[ $output == "xyz2bin: a.xyz: frame 0: "*"1 MiB of memory is needed for reading, but the limit is 600 KiB (use a larger --max-mem)" ]]
    xyz2bin --pbc none --max-mem 2M a.xyz -o out.mbf
}

@test "what is not XYZ at all is named" {
    xyz2bin "$DATA/argon8.xyz" -o a.mbf
    fails 2 xyz2bin a.mbf -o out.mbf
    [[ $output == *"is an MBF stream"*"bin2xyz"* ]]
    printf 'BZh91AY' >b.xyz
    fails 2 xyz2bin b.xyz -o out.mbf
    [[ $output == *"bzip2"* ]]
    fails 3 xyz2bin nowhere.xyz -o out.mbf
    [[ $output == "xyz2bin: nowhere.xyz: cannot open: No such file or directory" ]]
    fails 2 xyz2bin . -o out.mbf
    [[ $output == *"is a directory" ]]
}

@test "ambiguous second lines name the option that settles them" {
    says 2 "frame 0: line 2: the second line looks like RIGMD's 'dt name Lx/2 Ly/2 Lz/2 sigma', but has 7 words instead of 6 (choose --dialect rigmd or --dialect plain)" '1\n0.1 Ar 1 1 1 1 1\nAr 1 2 3\n'
    rows --dialect plain in.xyz
    says 2 "frame 0: line 2: the second line has 'pbc=' or 'Time=' but neither 'Lattice=' nor 'Properties=' (use the line with --dialect extended, or ignore the line with --dialect plain)" '1\nTime=5\nAr 1 2 3\n'
    rows --dialect extended --time-unit ps in.xyz
    says 2 "frame 0: line 2: the second line can be read either as extended or as lammps (choose one with --dialect)" '1\nAtoms. Timestep: 5 Lattice="1 0 0 0 1 0 0 0 1"\nAr 1 2 3\n'
    says 2 "frame 0: line 2: expected time_unit=fs, ps or ns for Time=5, found none (give --time-unit or --dt or --timestep)" '1\nTimestep=5 Time=5 Lattice="9 0 0 0 9 0 0 0 9"\nAr 1 2 3\n'
    says 2 "frame 0: line 2: expected nine numbers in Lattice (three vectors), found 8" '1\nLattice="1 0 0 0 1 0 0 0"\nAr 1 2 3\n'
    says 2 "frame 0: line 2: expected RIGMD's 'dt name Lx/2 Ly/2 Lz/2 sigma', found 'hello'" '1\nhello\nAr 1 2 3\n' --dialect rigmd
}

@test "times that are not one stride apart are refused, with --dt as well" {
    for t in 0 10 20 40; do printf '1\nTime=%d time_unit=fs Lattice="9 0 0 0 9 0 0 0 9"\nAr 1 2 3\n' $t; done >a.xyz
    fails 2 xyz2bin -o out.mbf a.xyz
    [[ $output == "xyz2bin: a.xyz: frame 3: line 11: expected time 0.03 ps after 0.02 ps, found 0.04 ps: 1 frame is missing (--select :3 takes the frames before the gap, --select 3: the frames after it)" ]]
    [ "$(rows --select :3 a.xyz | wc -l)" -eq 3 ]
    [ "$(rows --select 3: a.xyz | wc -l)" -eq 1 ]
    fails 2 xyz2bin -o out.mbf --dt 1 a.xyz
    [[ $output == *"1 frame is missing"* ]]
    for t in 0 10 30; do printf '1\nAtoms. Timestep: %d\n1 1 2 3\n' $t; done >a.xyz
    fails 2 xyz2bin -o out.mbf a.xyz
    [[ $output == *"frame 2: line 8: expected step 20 after 10, found 30: 1 frame is missing"* ]]
}

@test "unsorted frames are refused with the way out" {
    zcat "$DATA/argon256.xyz.gz" | head -n 516 >a.xyz
    { head -n 260 a.xyz; tail -n 256 a.xyz | sort -k2; } >b.xyz
    fails 2 xyz2bin -o out.mbf b.xyz
    [[ $output == *"b.xyz: frame 1: line 260: "*" of 256 atoms moved by more than a quarter of the cell since the previous frame: the order of the atoms may change from frame to frame, which makes results wrong (in LAMMPS, sort the dump with dump_modify sort id; if"* ]]
    [ ! -e out.mbf ]
    xyz2bin --unsorted-ok b.xyz -o out.mbf
    # without a cell, the extent of the atoms is used; atoms that wrap do not jump
    fails 2 xyz2bin --dialect plain -o out2.mbf b.xyz
    [[ $output == *"a quarter of the extent of all atoms"* ]]
    zcat "$DATA/argon256.xyz.gz" | xyz2bin --dialect plain -o out3.mbf
    # if every atom crosses the face of a periodic cell, this is not a jump
    H='Lattice="9 0 0 0 9 0 0 0 9" pbc="T F F"'
    printf '4\n%s\nAr 8.9 1 1\nAr 8.9 2 2\nAr 8.9 3 3\nAr 8.9 4 4\n4\n%s\nAr .1 1 1\nAr .1 2 2\nAr .1 3 3\nAr .1 4 4\n' "$H" "$H" >d.xyz
    xyz2bin d.xyz -o out5.mbf
    fails 2 xyz2bin --pbc yz d.xyz -o out6.mbf
    # names that change places are also noticed
    printf '2\n\nAr 1 1 1\nNe 2 2 2\n2\n\nNe 1 1 1\nAr 2 2 2\n' >c.xyz
    fails 2 xyz2bin -o out4.mbf c.xyz
    [[ $output == *"frame 1: line 7: expected atom 0 to be 'Ar' as in the first frame, found 'Ne'"* ]]
}

@test "an id column sorts" {
    H='Properties=id:I:1:species:S:1:pos:R:3 Lattice="9 0 0 0 9 0 0 0 9"'
    printf '3\n%s\n3 C 3 3 3\n1 A 1 1 1\n2 B 2 2 2\n3\n%s\n2 B 2 2 2.5\n3 C 3 3 3.5\n1 A 1 1 1.5\n' "$H" "$H" >a.xyz
    fails 0 rows a.xyz
    [ "$(echo "$output" | cut -d' ' -f4-)" = $'1 1 1\n2 2 2\n3 3 3\n1 1 1.5\n2 2 2.5\n3 3 3.5' ]
    [ "$(meta sys.species a.xyz)" = "A 1 B 1 C 1" ]
    sed 's/ C / carbonyl-c /; s/2 B 2/2 B 2.D0/' a.xyz >words.xyz # rows that are read word by word
    rows words.xyz | cmp - <(rows a.xyz)
    [ "$(meta sys.species words.xyz)" = "A 1 B 1 carbonyl-c 1" ]
    sed '10s/A/B/' words.xyz >bad.xyz
    fails 2 xyz2bin bad.xyz -o out.mbf
    [[ $output == *"frame 1: "*"expected atom 0 to be 'A' as in the first frame, found 'B'"* ]]
    xyz2bin -v a.xyz -o o.mbf 2>log
    grep -q "atoms were sorted by id" log
    # the displacement of atoms is known once they are in order
    xyz2bin --dt 0.01 a.xyz -o o.mbf 2>log
    [ -z "$(grep "too fast for any material" log)" ]
    xyz2bin --dt 0.00001 a.xyz -o o.mbf 2>log
    grep -q "too fast for any material" log
    printf '2\n%s\n1 A 1 1 1\n1 A 2 2 2\n' "$H" >b.xyz
    fails 2 xyz2bin b.xyz -o out.mbf
    [[ $output == *"expected every atom id once, found id 1 twice" ]]
    printf '2\n%s\n1 A 1 1 1\n2 A 2 2 2\n2\n%s\n1 A 1 1 1\n3 A 2 2 2\n' "$H" "$H" >b.xyz
    fails 2 xyz2bin b.xyz -o out.mbf
    [[ $output == *"frame 1: line 8: expected the atom ids of the first frame, found the new id 3" ]]
    printf '2\n%s\n1 A 1 1 1\n2 A 2 2 2\n2\n%s\n2 A 1 1 1\n2 A 2 2 2\n' "$H" "$H" >b.xyz
    fails 2 xyz2bin b.xyz -o out.mbf
    [[ $output == *"frame 1: line 8: expected every atom id once, found id 2 twice" ]]
}

@test "--select takes what a slice would" {
    zcat "$DATA/argon256.xyz.gz" | head -n 2580 >a.xyz # 10 frames
    rows a.xyz >all
    rows --select 2:9:3 a.xyz | awk '{ print $2, $3, $4, $5, $6 }' >got
    awk '$1 == 2 || $1 == 5 || $1 == 8 { print $2, $3, $4, $5, $6 }' all | cmp - got
    [ "$(rows --select 2:9:3 a.xyz | awk '{ print $1 }' | uniq | tr '\n' ' ')" = "0 1 2 " ]
    [ "$(meta sys.dt_ps --select ::2 a.xyz)" = 0.25 ]
    [ "$(rows --select 4 a.xyz | wc -l)" -eq 256 ]
    fails 2 xyz2bin --select 10: a.xyz -o out.mbf
    [ "$output" = "xyz2bin: a.xyz: expected frame 10, counted from 0, found only 10 frames" ]
    # numbers in skipped frames are not checked, and nothing is read after the last selected frame
    { cat a.xyz; echo garbage; } | sed '5s/.*/Ar x y z/' >b.xyz
    [ "$(rows --select 1:10 b.xyz | wc -l)" -eq 2304 ]
    fails 2 xyz2bin --select 1: b.xyz -o out.mbf
}

@test "--select: END says limited only where the input goes on" {
    zcat "$DATA/argon256.xyz.gz" | head -n 2580 >a.xyz
    ends() { xyz2bin "$@" -o s.mbf && frame-check -v s.mbf | sed -n 's/^  END \(.*\): .*/\1/p'; }
    [ "$(ends --select :9 a.xyz)" = "limited on request" ]
    [ "$(ends --select :10 a.xyz)" = complete ]
    [ "$(ends --select 9 a.xyz)" = complete ]
    [ "$(ends -t 1 --select 0:10:9 - <a.xyz)" = complete ]
    [ "$(ends a.xyz)" = complete ]
    echo >>a.xyz # blank lines are nothing
    [ "$(ends --select :10 a.xyz)" = complete ]
    [ "$(ends --select :10 a.xyz a.xyz)" = "limited on request" ]
}

@test "several files are one trajectory; a restart's copy is left out" {
    zcat "$DATA/argon256.xyz.gz" | head -n 2580 >all.xyz
    head -n 1032 all.xyz >a.xyz        # frames 0..3
    tail -n +1033 all.xyz >b.xyz       # frames 4..9
    tail -n +775 all.xyz | gzip -c >c.xyz # frames 3..9: 3 comes twice
    rows all.xyz >want
    rows a.xyz b.xyz | cmp - want
    xyz2bin a.xyz c.xyz 2>warning | bin2txt | grep -v '^#' | cmp - want
    grep -q "c.xyz: the first frame repeats the last frame of a.xyz, as after a restart, and was dropped (--keep-duplicates keeps it)" warning
    [ "$(rows --keep-duplicates a.xyz c.xyz 2>/dev/null | wc -l)" -eq $((256 * 11)) ]
    rows a.xyz - <b.xyz | cmp - want
    echo 5 >bad.xyz
    fails 2 xyz2bin a.xyz bad.xyz -o out.mbf
    [[ $output == *"bad.xyz: frame 4: line 1: expected 256 atoms as in the previous frames, found 5"* ]]
}

@test "the same bytes for every number of threads and SIMD level" {
    xyz2bin -t 1 "$DATA/argon256.xyz.gz" -o a.mbf
    for t in 2 3 8; do xyz2bin -t $t "$DATA/argon256.xyz.gz" -o b.mbf; cmp a.mbf b.mbf; done
    for l in v2 v3 v4; do MBF_SIMD=$l xyz2bin "$DATA/argon256.xyz.gz" -o b.mbf; cmp a.mbf b.mbf; done
}

@test "the sample: 1001 frames, three values known from the text" {
    rows "$DATA/argon256.xyz.gz" >all
    [ "$(wc -l <all)" -eq 256256 ]
    [ "$(head -n 1 all)" = "0 0 0 21.4193 1.23931 10.276" ]
    [ "$(tail -n 1 all)" = "1000 125 255 $(zcat "$DATA/argon256.xyz.gz" | tail -n 1 | awk '{ print $2+0, $3+0, $4+0 }')" ]
}

@test "errors stop the stage downstream too" {
    { cat "$DATA/argon8.xyz"; echo junk; } >a.xyz
    run bash -c 'xyz2bin a.xyz 2>/dev/null | bin2txt'
    [ "$status" -eq 2 ]
    [[ $output == *"xyz2bin"* ]]
}

@test "frames come out while a live run is still writing" {
    mkfifo pipe
    xyz2bin - <pipe 2>/dev/null | cat >first &
    exec 7<>pipe # does not wait for a reader
    cat "$DATA/argon8.xyz" >&7
    until_true 30 grep -aq POSN first # the input stays open, yet the positions must come out
    exec 7>&-
    wait
    [ "$(bin2txt first | grep -vc '^#')" -eq 16 ]
}

@test "memory does not grow with the file" {
    for _ in $(seq 8); do zcat "$DATA/argon256.xyz.gz"; done >big.xyz
    cat >peak.py <<'PY'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
PY
    command -v python3 >/dev/null || skip "no python3 to ask for the peak"
    small=$(python3 peak.py xyz2bin -t 1 --select :200 big.xyz)
    large=$(python3 peak.py xyz2bin -t 1 --unsorted-ok big.xyz)
    echo "$small $large"
    [ "$large" -lt $((small + 16384)) ] # kB: two batches of text, not the 64 MB of the file
    [ "$large" -lt 65536 ]
}

@test "-v says the time between frames and the cell, and who said so" {
    said() { # TEXT COMMAND...
        "${@:2}" -v -o out.mbf 2>err
        grep -qxF -- "$1" err || { cat err; false; }
    }
    said "xyz2bin: dt 0.125 ps (given by the second lines)" xyz2bin "$DATA/argon8.xyz"
    said "xyz2bin: cell 23.03154 0 0  0 23.03154 0  0 0 23.03154 A (given by the second lines)" xyz2bin "$DATA/argon8.xyz"
    said "xyz2bin: dt 0.5 ps (--dt)" xyz2bin --dt 0.5 "$DATA/argon8.xyz"
    said "xyz2bin: cell 30 0 0  0 30 0  0 0 30 A (--cell)" xyz2bin --cell 30 "$DATA/dialects/cp2k.xyz"
    said "xyz2bin: dt 0.125 ps (times of the second lines)" xyz2bin --cell 30 "$DATA/dialects/cp2k.xyz"
    said "xyz2bin: dt (unknown: give it with --dt)" xyz2bin --cell 30 "$DATA/dialects/lammps.xyz"
    said "xyz2bin: cell none (not given)" xyz2bin --pbc none "$DATA/dialects/cp2k.xyz"
    said "traj2bin: dt 0.5 ps (times of the file)" traj2bin "$DATA/formats/water10.xtc"
    said "traj2bin: cell 20 0 0  0 20 0  0 0 20 A (--cell)" traj2bin --cell 20 "$DATA/formats/water10.xtc"
}

@test "zstd by content: from a file, a pipe, several frames; cut or damaged is never an end" {
    z=$DATA/argon8.xyz.zst
    xyz2bin -q "$DATA/argon8.xyz" -o plain.mbf
    cp "$z" named.txt
    run xyz2bin -q named.txt -o packed.mbf
    [[ $status -eq 0 ]] || [[ $output != *"no libzstd.so.1 here"* ]] || skip "no libzstd.so.1"
    cmp plain.mbf packed.mbf
    xyz2bin -q <"$z" | cmp - plain.mbf
    cat "$z" | xyz2bin -q | cmp - plain.mbf
    cat "$z" "$z" | xyz2bin -q --dt 1 --keep-duplicates --unsorted-ok -o two.mbf
    frame-check -v two.mbf | grep -q ' 4 steps from'
    n=$(stat -c %s "$z")
    for k in $(seq 4 $((n - 1))); do
        head -c "$k" "$z" >cut
        fails 2 xyz2bin -q cut -o no.mbf
        [ ! -e no.mbf ]
    done
    [[ $output == *"truncated: the zstd data is incomplete"* ]]
    for k in $(seq 0 7 $((n - 1))); do
        cp "$z" bad
        printf '\xa5' | dd of=bad bs=1 seek="$k" conv=notrunc status=none
        run xyz2bin -q bad -o flipped.mbf
        [ "$status" -eq 2 ] || cmp flipped.mbf plain.mbf # a bit that says nothing about the content
        rm -f flipped.mbf
    done
    { cat "$z"; echo more; } >tail
    fails 2 xyz2bin -q tail -o no.mbf
    [[ $output == *"corrupt zstd data"* ]]
}

@test "positions far from the origin: f32 is refused with its bound, f64 gives the same G as near it" {
    zcat "$DATA/argon256.xyz.gz" | head -n 2580 >near.xyz
    awk 'NF == 4 && $1 == "Ar" { printf "Ar %.6f %.6f %.6f\n", $2 + 1e7, $3, $4; next } { print }' near.xyz >far.xyz
    fails 2 xyz2bin far.xyz -o out.mbf
    [[ $output == *"far.xyz: frame 0: line 3: expected a position within 16384 Å of the origin"*"--dtype f64"*"found x at 1e+07" ]]
    [ ! -e out.mbf ]
    for f in near far; do xyz2bin --cell 22.6 --dtype f64 $f.xyz | g4-cpu --lags 2 -o $f.mbf; done
    compare --rtol 1e-6 near.mbf far.mbf # 1e-9 of 1e7 is what an f64 has left, 1e-8 Å
    printf '1\n\nAr 16384 -16384 0\n' | xyz2bin -o out.mbf # the bound itself
    printf '1\n\nAr 0 0 -16384.01\n' >a.xyz
    fails 2 xyz2bin a.xyz
    printf '1\nProperties=species:S:1:pos:R:3 Lattice="9e4 0 0 0 9e4 0 0 0 9e4"\nAr 0 0 -16384.01\n' >a.xyz
    fails 2 xyz2bin a.xyz
}

@test "what the second line or a row cannot be: frame, line, expected, found" {
    local p=Properties=species:S:1:pos:R:3 l='Lattice="9 0 0 0 9 0 0 0' text options says
    while IFS='|' read -r text options says; do
        printf '%b' "$text" >bad
        # shellcheck disable=SC2086
        fails 2 xyz2bin -q $options bad -o out
        [[ ${#lines[@]} -eq 1 && $output == "xyz2bin: bad: frame "*"$says" && ! -e out ]] || { echo "expected: $says"; echo "found: $output"; false; }
    done <<LIST
1\n$p:id:I:1\nA 1 2 3 1\n1\n$p\nA 1 2 3\n||1: line 5: expected an id column in Properties as in the first frame, found none
1\n$l 9" pbc="F F F" $p\nA 1 2 3\n1\npbc="F F F" $p\nA 1 2 3\n||1: line 5: expected a cell in every frame or in no frame, found a cell only in some frames (give the cell with --cell)
1\n$l 9" $p\nA 1 2 3\n1\n$l 9" pbc="T T F" $p\nA 1 2 3\n||1: line 5: expected the same periodic axes as in the first frame, found different axes (give them with --pbc)
1\n0.1 Ar 5 5 5 3.4\nAr 1 2 3\n1\n0.2 Ar 5 5 5 3.4\nAr 1 2 3\n||1: line 5: expected dt 0.1 ps as in the first frame, found 0.2
1\n$l x" $p\nA 1 2 3\n||0: line 2: expected nine numbers in Lattice, found '9 0 0 0 9 0 0 0 x'
1\n$l 0" $p\nA 1 2 3\n||0: line 2: expected cell vectors that span a volume, found 9 0 0, 0 9 0 and 0 0 0 (give another cell with --cell; with --pbc, the vectors of non-periodic axes may be 0)
1\npbc="T T T" $p\nA 1 2 3\n||0: line 2: expected a cell for the periodic axes, found none (give --cell, or --pbc none)
1\n$p:id:R:1\nA 1 2 3 1\n||0: line 2: expected id:I:1 in Properties, found 'species:S:1:pos:R:3:id:R:1'
1\nProperties=species:S:1:pos\nA 1 2 3\n||0: line 2: expected Properties=name:type:count:..., type one of S I R L, found 'species:S:1:pos'
1\n$p:id:I:1\nA 1 2 3 x\n||0: line 3: column 9: expected an atom id, found 'x'
1\n i =  1, time =\nAr 1 2 3\n|--dialect cp2k|0: line 2: expected 'i = N, time = T, ...', found ' i =  1, time ='
LIST
    # a row that the fast parser passes on also has its id
    printf '3\n%s:id:I:1\nA 1 2 3 3\nA 4.D0 5 6 1\nA 7 8 9 2\n' $p | xyz2bin | bin2xyz >x
    [ "$(tail -n 3 x | xargs)" = "A 4 5 6 A 7 8 9 A 1 2 3" ]
}

@test "rows whose columns are not those of Properties, or whose z may be cut, are refused with frame, line and atom" {
    H='Lattice="9 0 0 0 9 0 0 0 9" Properties=species:S:1:pos:R:3:forces:R:3'
    frame() { # LINE TEXT: the row in the place of that of an atom
        printf '3\n%s\n' "$H"
        printf 'Ar 1.5 2.5 3.762 0.1 0.2 0.3\nNe 4.5 5.5 6.5 0.1 0.2 0.3\nKr 7.5 8.5 1.5 0.1 0.2 0.3\n' | awk -v k="$1" -v row="$2" '{ print NR == k ? row : $0 }'
    }
    for t in 1 4; do # threads
        for row in 'Ne 4.5 5.5 6.' 'Ne 4.5 5.5 6.5 0.1 0.2' 'Ne 4.5 5.5 6.5 0.1 0.2 0.3 7'; do
            n=$(wc -w <<<"$row")
            { frame 9; frame 2 "$row"; frame 9; } >a.xyz
            fails 2 xyz2bin -q -t $t --dt 1 --unsorted-ok a.xyz -o out.mbf
            [ "$output" = "xyz2bin: a.xyz: frame 1: line 9: atom 1: expected 7 columns as in Properties, found $n" ]
            [ ! -e out.mbf ]
        done
        # lines longer than 64 bytes
        H='Properties=species:S:1:pos:R:3:velo:R:3:forces:R:3'
        wide() { printf '2\n%s\nAr 1.50000000 2.50000000 3.50000000 0.10000000 0.20000000 0.30000000 0.40000000 0.50000000 %s\n%s\n' "$H" "$1" "$2"; }
        long='Ne 1.50000000 2.50000000 3.50000000 0.10000000 0.20000000 0.30000000 0.40000000 0.50000000'
        for k in {1..40}; do wide 0.6 "$long 0.7"; done >w.xyz
        [ "$(rows -q -t $t --dt 1 --unsorted-ok w.xyz | wc -l)" = 80 ]
        { cat w.xyz; wide 0.6 "$long"; cat w.xyz; } >cut.xyz
        fails 2 xyz2bin -q -t $t --dt 1 --unsorted-ok cut.xyz -o out.mbf
        [ "$output" = "xyz2bin: cut.xyz: frame 40: line 164: atom 1: expected 10 columns as in Properties, found 9" ]
        { cat w.xyz; wide '0.6 0.7' "$long 1"; } >more.xyz
        fails 2 xyz2bin -q -t $t --dt 1 --unsorted-ok more.xyz -o out.mbf
        [[ $output == *"frame 40: line 163: atom 0: expected 10 columns as in Properties, found 11" ]]
        # a frame that is not selected has no requirements
        [ "$(rows -q -t $t --dt 1 --unsorted-ok --select 0:40 cut.xyz | wc -l)" = 80 ]
        H='Lattice="9 0 0 0 9 0 0 0 9" Properties=species:S:1:pos:R:3:forces:R:3'
    done
    # without Properties: the columns of the first row of the frame
    for second in '' 'i = 5, time = 2.5, E = -17' 'Atoms. Timestep: 0'; do
        says 2 "frame 0: line 4: atom 1: expected 5 columns as in the row of the first atom, found 4" "2\n$second\nAr 1 2 3.762 0.5\nAr 1 2 3.\n" -q
        says 2 "frame 0: line 4: atom 1: expected 4 columns as in the row of the first atom, found 5" "2\n$second\nAr 1 2 3.\nAr 1 2 3.762 0.5\n" -q
    done
    # a frame may have other columns than the preceding frame, and more or fewer words after z
    printf '2\n\nAr 1 2 3\nAr 4 5 6\n2\n\nAr 1 2 3 q\nAr 4 5 6 q\n2\n\nAr 1 2 3 a b\nAr 4 5 6 c\n' >a.xyz
    [ "$(rows -q --dt 1 --keep-duplicates --unsorted-ok a.xyz | cut -d' ' -f4- | sort | uniq -c | xargs)" = "3 1 2 3 3 4 5 6" ]
}

# lattice NUMBERS PBC OPTION...: two frames of three atoms in this cell; prints the line of the
# output with the cell
lattice() {
    for t in 0 1; do printf '3\nLattice="%s" Properties=species:S:1:pos:R:3%s Time=%d time_unit=ps\nO 0.1 0.2 0.3\nH 1.1 0.2 0.3\nH 0.1 9.9 0.3\n' "$1" "${2:+ pbc=\"$2\"}" $t; done >cell.xyz
    xyz2bin "${@:3}" cell.xyz -o cell.mbf 2>err && bin2xyz cell.mbf | sed -nE '2s/.*Lattice="([^"]*)".*pbc="([^"]*)".*/\1 | \2/p'
}

@test "cells: pbc goes before the third vector; left-handed and swapped ones become right-handed, with a message" {
    [ "$(lattice "10 0 0 0 11 0 0 0 0" "T T F")" = "10 0 0 0 11 0 0 0 1 | T T F" ]
    [ "$(lattice "10 0 0 0 11 0 0 0 0" "" --pbc xy)" = "10 0 0 0 11 0 0 0 1 | T T F" ]
    grep -q 'warning: cell.xyz: the cell has no vector along a non-periodic axis: a normal vector of length 1 A is used instead$' err
    [ "$(grep -c 'no vector' err)" = 1 ]
    [ "$(lattice "0 0 0 0 11 0 0 0 12" "F T T")" = "1 0 0 0 11 0 0 0 12 | F T T" ]
    [ "$(lattice "0 0 0 0 11 0 0 0 0" "F T F")" = "1 0 0 0 11 0 0 0 1 | F T F" ]
    [ "$(lattice "8 0 6 0 11 0 0 0 0" "T T F")" = "8 0 6 0 11 0 -0.6 0 0.8 | T T F" ] # upright on both
    for pbc in "" "T T T"; do # one that is periodic has no width
        fails 2 lattice "10 0 0 0 11 0 0 0 0" "$pbc"
        grep -q 'line 2: expected cell vectors that span a volume, found 10 0 0, 0 11 0 and 0 0 0 (give another cell with --cell; with --pbc, the vectors of non-periodic axes may be 0)' err
    done
    [ "$(lattice "10 0 0 0 11 0 0 0 -12")" = "10 0 0 0 11 0 0 0 12 | T T T" ]
    grep -q 'the cell vectors lie along the axes, but in another order or direction than x, y and z: they were reordered and turned, which leaves the lattice unchanged' err
    [ "$(lattice "0 11 0 10 0 0 0 0 12" "T F T")" = "10 0 0 0 11 0 0 0 12 | F T T" ] # pbc is along the vectors
    [ "$(lattice "0 0 12 10 0 0 0 11 0" "F T T")" = "10 0 0 0 11 0 0 0 12 | T T F" ] # right-handed, and yet
    [ "$(lattice "10 0 0 2 11 0 1 1 -12")" = "10 0 0 2 11 0 -1 -1 12 | T T T" ]
    grep -q 'the cell vectors are left-handed: one vector was negated, which leaves the lattice unchanged' err
    [ "$(lattice "10 0 0 2 -11 0 1 1 12")" = "10 0 0 -2 11 0 1 1 12 | T T T" ]
    [ "$(lattice "10 0 0 0 11 0 0 0 12")" = "10 0 0 0 11 0 0 0 12 | T T T" ]
    [ ! -s err ]
    # the same distances as in the right-handed cell
    rdf-cpu -q --bins 9 <(lattice "10 0 0 2 11 0 1 1 -12" >/dev/null; cat cell.mbf) | bin2txt | grep -v '^#' >left
    rdf-cpu -q --bins 9 <(lattice "10 0 0 2 11 0 -1 -1 12" >/dev/null; cat cell.mbf) | bin2txt | grep -v '^#' | cmp - left
}

@test "atoms that jump are counted exactly, in any place and along any direction of a tilted cell" {
    # the steepest direction across the planes of this cell is (0, 1, -1): 0.1389 of the cell per A
    atoms() { # FRACTION OF THE CELL: 2 frames; atoms 5, 37, ... move by 0.24 of the cell, and 23 others by the given fraction
        awk -v f="$1" "$UNIFORM"'BEGIN { seed(3); for (t = 0; t < 2; t++) { print 234 "\nLattice=\"10 0 0 3 9 0 1 2 8\" Properties=species:S:1:pos:R:3"
            for (i = 0; i < 234; i++) { r = i % 32; m = t * (r == 5 ? 0.24 : i == 233 || r == 0 && i < 224 || r == 6 && i > 224 || r == 17 || r == 31 ? f : 0) * 7.2
                if (!t) for (k = 0; k < 3; k++) x[i, k] = 9 * uniform()
                print "Ar", x[i, 0], x[i, 1] + m, x[i, 2] - m } } }'
    }
    atoms 0.26 >far.xyz
    atoms 0.249 >near.xyz
    for o in "" "--dtype f64"; do
        fails 2 xyz2bin --dt 1 $o far.xyz -o far.mbf
        [[ $output == *": 23 of 234 atoms moved by more than a quarter of the cell"* ]]
        xyz2bin --dt 1 $o near.xyz -o near.mbf --force
    done
    # many atoms at one place: a whole run of them jumps to another one, and the first atom stays
    awk 'BEGIN { for (t = 0; t < 2; t++) { print 64 "\nLattice=\"9 0 0 0 9 0 0 0 9\""; for (i = 0; i < 64; i++) print "Ar", (t && i > 31) ? "1 1 5" : "1 1 1" } }' >pile.xyz
    for o in "" "--dtype f64"; do
        fails 2 xyz2bin --dt 1 $o pile.xyz -o pile.mbf
        [[ $output == *": 32 of 64 atoms moved by more than a quarter of the cell"* ]]
    done
}

@test "a cell of two dimensions is not one in nm, and its atoms do not jump across it" {
    awk "$UNIFORM"'BEGIN { seed(4); for (t = 0; t < 3; t++) { print 50 "\nLattice=\"9 0 0 0 9 0 0 0 0.36\" Properties=species:S:1:pos:R:3"
        for (i = 0; i < 50; i++) print "A", 9 * (i % 7) / 7 + 0.1 * uniform(), 9 * int(i / 7) / 8 + 0.1 * uniform(), 0 } }' >flat.xyz
    xyz2bin --dt 1 flat.xyz -o flat.mbf 2>err
    [ ! -s err ] || { cat err; false; }
    sed 's/0 0 0 9 0 0 0 0.36/0 0 0 9 0 0 0 0/; s/Properties/pbc="T T F" &/' flat.xyz | awk "$UNIFORM"'BEGIN { seed(7) } NF == 4 { $4 = int(uniform() * 9) / 2 } 1' >slab.xyz
    xyz2bin --dt 1 slab.xyz -o slab.mbf 2>err # what moves along the vector of 1 A is no jump
    [ "$(wc -l <err)" = 1 ]
    # lengths in nm remain in nm
    sed 's/Lattice="9 0 0 0 9 0 0 0 0.36"/Lattice="3 0 0 0 3 0 0 0 3"/' flat.xyz | xyz2bin --dt 1 --unsorted-ok - -o nm.mbf 2>err
    grep -q 'if the cell was given in nm' err
}

# vels PROPERTY KEYS ROW...: a frame of atoms with this property, whose rows end in its numbers
vels() {
    printf '%d\nLattice="9 0 0 0 9 0 0 0 9" Properties=species:S:1:pos:R:3:%s %s Time=0 time_unit=fs\n' $(($# - 2)) "$1" "$2"
    printf '%s\n' "${@:3}"
}

@test "--velocities: each name and unit of extended XYZ, in Å/ps" {
    v() { xyz2bin -q --dtype f64 --velocities "$@" | bin2txt | grep -v '^#' | cut -d' ' -f7-; }
    for p in vel velo velocities; do
        [ "$(vels $p:R:3 ${p}_unit=A/ps 'O 1 2 3 4 -5 6.5' | v)" = '4 -5 6.5' ]
    done
    [ "$(vels vel:R:3 vel_unit=A/fs 'O 1 2 3 4 -5 6.5' | v)" = '4000 -5000 6500' ]
    [ "$(vels vel:R:3 '' 'O 1 2 3 4 -5 6.5' | v --velocity-unit nm/ps)" = '40 -50 65' ]
    # 0.529177210903 Å in 2.4188843265857e-5 ps; the square root of eV/u is 9822.694749 m/s
    near "$(vels vel:R:3 'vel_unit="bohr/au"' 'O 1 2 3 1 0 0' | v | cut -d' ' -f1)" 21876.912636 1e-6
    near "$(vels velo:R:3 '' 'O 1 2 3 1 0 0' | v --velocity-unit ase | cut -d' ' -f1)" 98.22694749 1e-7
    # momenta of ASE, with the masses of the file or of the elements; velocities are preferred
    [ "$(vels masses:R:1:momenta:R:3 '' 'O 1 2 3 2 98 2 0' | v | awk '{ printf "%.6f %.6f %.6f", $1 / 98.22694749, $2 / 98.22694749, $3 }')" = "49.000000 1.000000 0.000000" ]
    vels momenta:R:3 '' 'O 1 2 3 15.999 0 0' 'H 2 2 2 0 -1.008 0' | v >got
    near "$(head -n 1 got | cut -d' ' -f1)" 98.22694749 1e-7
    near "$(tail -n 1 got | cut -d' ' -f2)" -98.22694749 1e-7
    [ "$(vels momenta:R:3:vel:R:3 vel_unit=A/ps 'O 1 2 3 9 9 9 4 -5 6.5' | v)" = '4 -5 6.5' ]
    # rows with ids in any order, f32 and f64, read directly or with conversion
    rows=('O 1 2 3 3 1 1 1 16' 'H 2 2 2 1 4 5 6 2' 'H 3 3 3 2 7 8 9 4')
    [ "$(vels id:I:1:vel:R:3:x:R:1 vel_unit=A/ps "${rows[@]}" | v)" = $'4 5 6\n7 8 9\n1 1 1' ]
    [ "$(vels id:I:1:vel:R:3:x:R:1 vel_unit=nm/ps "${rows[@]}" | v --dtype f32)" = $'40 50 60\n70 80 90\n10 10 10' ]
    vels id:I:1:momenta:R:3:masses:R:1 '' "${rows[@]}" | v | awk '{ printf "%.5f\n", $1 / 98.22694749 }' >got
    [ "$(<got)" = $'2.00000\n1.75000\n0.06250' ]
}

@test "--velocities: what bin2xyz writes is read back bit for bit, with scalars, by any number of threads" {
    for type in f32 f64; do
        traj2bin -q --dtype $type --velocities --charges X=-0.1 --species '10*(X 1)' "$DATA/formats/water10.trr" -o v.mbf
        bin2xyz v.mbf >v.xyz
        grep -q 'vel:R:3:charge:R:1' v.xyz
        for k in 1 3; do
            traj2bin -q --threads $k --dtype $type --velocities --scalars charge v.xyz -o w.mbf
            [ "$(content v.mbf)" = "$(content w.mbf)" ]
            bin2xyz w.mbf | cmp - v.xyz
        done
    done
    vacf-cpu -q --lags 2 v.mbf | bin2txt | grep -v '^#' >a
    traj2bin -q --dtype f64 --velocities v.xyz | vacf-cpu -q --lags 2 | bin2txt | grep -v '^#' >b
    cmp a b
}

@test "--velocities: a missing unit, mass or column, nan, and a change between frames" {
    bad() { # MESSAGE PROPERTY KEYS ROW...
        vels "${@:2}" >in.xyz
        fails 2 xyz2bin -q --velocities -o no in.xyz
        [ "$output" = "xyz2bin: in.xyz: frame 0: $1" ] && [ ! -e no ] || { echo "$output"; false; }
    }
    bad 'line 2: expected a unit of velo, such as velo_unit=A/ps, found none (give --velocity-unit)' velo:R:3 '' 'O 1 2 3 4 5 6'
    bad "line 2: expected a unit of velocity such as A/ps, A/fs, nm/ps, bohr/au or ase, found 'A'" vel:R:3 vel_unit=A 'O 1 2 3 4 5 6'
    bad 'line 2: --velocities: expected vel:R:3, velo:R:3, velocities:R:3 or momenta:R:3 in Properties, found none' vel:R:2 '' 'O 1 2 3 4 5'
    bad 'line 2: expected momenta in the units of ASE, found momenta_unit=u*A/ps' momenta:R:3 momenta_unit=u*A/ps 'O 1 2 3 4 5 6'
    bad "line 2: momenta need masses: expected masses:R:1 in Properties or an element name for atom 1, found 'OW'" momenta:R:3 '' 'O 1 2 3 4 5 6' 'OW 1 2 3 4 5 6'
    bad "line 4: column 6: expected a number for vy, found '5x' (no number)" vel:R:3 vel_unit=A/ps 'O 1 2 3 4 5 6' 'O 1 2 3 4 5x 6'
    bad 'line 2: expected finite numbers, found nan or inf as velocity y of atom 1' vel:R:3 vel_unit=A/ps 'O 1 2 3 4 5 6' 'O 1 2 3 4 nan 6'
    bad 'line 2: expected finite numbers, found nan or inf as velocity x of atom 0' masses:R:1:momenta:R:3 '' 'O 1 2 3 0 5 6 7'
    { vels vel:R:3 vel_unit=A/ps 'O 1 2 3 4 5 6'; vels vel:R:3 vel_unit=A/fs 'O 1 2 3 4 5 6'; } >in.xyz
    fails 2 xyz2bin -q --dt 1 --velocities -o no in.xyz
    [ "$output" = "xyz2bin: in.xyz: frame 1: line 5: expected velocities with the unit and masses of the first frame, found a different unit or no masses" ]
    fails 2 xyz2bin -q --dt 1 --velocities --velocity-unit A/ps in.xyz
    [[ $output == *"line 2: --velocity-unit: expected velocities without a unit, found A/ps (omit --velocity-unit)" ]]
    vels momenta:R:3 '' 'O 1 2 3 4 5 6' >in.xyz
    fails 2 xyz2bin -q --velocities --velocity-unit ase in.xyz
    [[ $output == *"found momenta, which are in the units of ASE (omit --velocity-unit)" ]]
    fails 2 xyz2bin -q --velocity-unit ase in.xyz
    [ "$output" = "xyz2bin: --velocity-unit needs --velocities" ]
    fails 2 traj2bin -q --velocities --velocity-unit ase "$DATA/formats/water10.trr"
    [[ $output == *"expected a file format that supports --velocity-unit, found "* ]]
}

# cp2k NAME SCALE [FRAMES [FIRST]]: two atoms of CP2K, their components 1 to 6 times SCALE
cp2k() {
    awk -v scale="$2" -v n="${3:-5}" -v first="${4:-0}" 'BEGIN { for (k = first; k < first + n; k++) {
        printf "     2\n i = %8d, time = %12.3f, E = %20.10f\n", 2 * k, k, -17.1
        for (i = 0; i < 2; i++) printf " %2s %19.10f %19.10f %19.10f\n", substr("OH", i + 1, 1), scale * (k + 1) * (3 * i + 1), scale * (k + 1) * (3 * i + 2), scale * (k + 1) * (3 * i + 3) } }' >"$1"
}

@test "--velocities: the positions and velocities that CP2K writes to two files" {
    cp2k w-pos-1.xyz 0.01
    cp2k w-vel-1.xyz 4.5710289e-3 # 100 Å/ps, in bohr per atomic unit of time
    traj2bin --cell 9 --velocities w-pos-1.xyz w-vel-1.xyz -o a.mbf 2>err
    [ "$(<err)" = "traj2bin: warning: w-vel-1.xyz: the velocities are read in bohr per atomic unit of time, the default of CP2K (--velocity-unit states their unit)" ]
    bin2txt a.mbf | grep -v '^#' | awk '{ for (k = 4; k <= 6; k++) if (($(k + 3) / $k / 1e4 - 1)^2 > 1e-12) exit 1; n++ } END { exit n != 10 }'
    bin2txt a.mbf | grep -v '^#' | cut -d' ' -f1-6 | diff - <(xyz2bin -q --cell 9 w-pos-1.xyz | bin2txt | grep -v '^#')
    # files in any order, compressed, in parts, with selected frames, and in another unit
    gzip -k w-vel-1.xyz
    v() { xyz2bin --cell 9 --velocities --velocity-unit bohr/au "$@" -o b.mbf 2>err && [ ! -s err ]; }
    v w-vel-1.xyz.gz w-pos-1.xyz
    [ "$(content b.mbf)" = "$(content a.mbf)" ]
    mkdir parts
    for f in pos vel; do
        head -n 8 w-$f-1.xyz >parts/w-$f-1.xyz
        tail -n +9 w-$f-1.xyz >parts/w-$f-2.xyz
    done
    v parts/*
    [ "$(content b.mbf)" = "$(content a.mbf)" ]
    v --select 1::2 w-pos-1.xyz w-vel-1.xyz
    [ "$(content b.mbf)" = "$(frame-cut -q 1::2 a.mbf | content)" ] || diff <(bin2txt b.mbf | grep -v '^#' | cut -d' ' -f3-) <(frame-cut -q 1::2 a.mbf | bin2txt | grep -v '^#' | cut -d' ' -f3-)
    cp2k fs-vel-1.xyz 0.01
    xyz2bin -q --cell 9 --velocities --velocity-unit A/fs w-pos-1.xyz fs-vel-1.xyz | bin2txt | grep -v '^#' | awk '($7 / $4 - 1000)^2 > 1e-6 { exit 1 }'
}

@test "a file of velocities or forces of CP2K is not taken for positions, nor positions for velocities" {
    cp2k w-pos-1.xyz 0.01
    cp2k w-vel-1.xyz 0.001
    no() { # MESSAGE ARGUMENT...
        fails 2 traj2bin -q --cell 9 -o no "${@:2}"
        [ "$output" = "traj2bin: $1" ] && [ ! -e no ] || { echo "$output"; false; }
    }
    both='traj2bin --velocities PROJECT-pos-1.xyz PROJECT-vel-1.xyz'
    only="w-vel-1.xyz: frame 0: line 2: expected positions, found a CP2K velocity file, according to its name ($both reads both)"
    no "$only" w-vel-1.xyz
    no "$only" --velocities w-vel-1.xyz
    no "${only/frame 0/frame 5}" w-pos-1.xyz w-vel-1.xyz
    no "w-pos-1.xyz: frame 0: line 2: expected velocities, found only a CP2K position file (add the velocity file: $both)" --velocities w-pos-1.xyz
    cp w-pos-1.xyz w-frc-1.xyz
    no 'w-frc-1.xyz: frame 0: line 2: expected positions, found a CP2K force file, according to its name (-frc-)' w-frc-1.xyz
    cp2k few-vel-1.xyz 0.001 4
    no 'few-vel-1.xyz: frame 4: expected one frame of velocities per frame of positions, found fewer velocities' --velocities w-pos-1.xyz few-vel-1.xyz
    cp2k more-vel-1.xyz 0.001 6
    no 'more-vel-1.xyz: frame 5: expected one frame of velocities per frame of positions, found more velocities' --velocities w-pos-1.xyz more-vel-1.xyz
    cp2k late-vel-1.xyz 0.001 5 1
    no 'late-vel-1.xyz: frame 0: expected velocities at the time of the positions, 0 ps, found velocities at 0.001 ps' --velocities w-pos-1.xyz late-vel-1.xyz
    sed 's/ H/ D/' w-vel-1.xyz >other-vel-1.xyz
    no 'other-vel-1.xyz: frame 0: expected the same atom names, in the same order, as in the file of positions, found other names' --velocities w-pos-1.xyz other-vel-1.xyz
    sed 's/^     2/     1/; / H/d' w-vel-1.xyz >one-vel-1.xyz
    no 'one-vel-1.xyz: frame 0: velocities: expected 2 atoms as in the file of positions, found 1 atoms' --velocities w-pos-1.xyz one-vel-1.xyz
    head -n 14 w-vel-1.xyz >torn-vel-1.xyz
    no 'torn-vel-1.xyz: frame 3: line 14: truncated: expected 2 atoms, but the file ends after 0 (--allow-partial keeps the complete frames before it)' --velocities w-pos-1.xyz torn-vel-1.xyz
    sed '/i =/s/.*/made by another program/' w-vel-1.xyz >x-vel-1.xyz
    no 'x-vel-1.xyz: frame 0: line 2: expected a CP2K velocity file, because the file name contains -vel-, found another format (rename the file)' --velocities w-pos-1.xyz x-vel-1.xyz
    no "w-vel-1.xyz: frame 0: line 2: expected a unit of velocity such as A/ps, A/fs, nm/ps, bohr/au or ase, found 'A'" --velocities --velocity-unit A w-pos-1.xyz w-vel-1.xyz
    xyz2bin -q --cell 9 --dt 1 x-vel-1.xyz -o yes # a name like that in another dialect
}

@test "-v lists the columns and keys of extended XYZ that are not read" {
    left() { xyz2bin -v "$@" in.xyz 2>&1 >/dev/null | sed -n 's/^xyz2bin: some data were not read: //p'; }
    how='(read columns with --velocities or --scalars NAME, and keys with txt2bin --info KEY)'
    vels vel:R:3:forces:R:3:q:R:1 'vel_unit=A/ps energy=-1 dipole="1 2 3" dipole_unit=e*A config_type=x' 'O 1 2 3 4 5 6 7 8 9 0.5' >in.xyz
    [ "$(left)" = "vel:R:3, forces:R:3, q:R:1, energy=, dipole=, config_type= $how" ]
    [ "$(left --velocities --scalars q)" = "forces:R:3, energy=, dipole=, config_type= $how" ]
    [ -z "$(xyz2bin in.xyz 2>&1 >/dev/null)" ]
    vels masses:R:1:momenta:R:3 '' 'O 1 2 3 4 5 6 7' >in.xyz
    [ "$(left)" = "masses:R:1, momenta:R:3 $how" ]
    [ -z "$(left --velocities)" ]
    vels vel:R:3 "$(printf 'a_long_key_%d=1 ' {1..60})" 'O 1 2 3 4 5 6' >in.xyz
    [[ $(left) == "vel:R:3, a_long_key_1=, "*", ... $how" ]]
}
