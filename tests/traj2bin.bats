# SPDX-License-Identifier: MIT
# sanitize
# traj2bin: trajectories of other programs.
# writes: traj2bin DUMP --units real --dt 1

load helpers

# rows FILE OPTION...: positions as text, a line an atom.
rows() {
    traj2bin "$@" -o rows.mbf && bin2xyz rows.mbf | awk 'NF == 4 && $1 !~ /=/ { print $2, $3, $4 }'
}

# says KEY VALUE: what META of the last rows says.
says() {
    frame-check -v rows.mbf | grep -qE "^ +$1 +$2\$" || { frame-check -v rows.mbf; false; }
}

# dump STEP ROW...: a LAMMPS frame with ids and types in a box of 10 x 20 x 30.
dump() {
    printf 'ITEM: TIMESTEP\n%s\nITEM: NUMBER OF ATOMS\n%d\nITEM: BOX BOUNDS pp pp ff\n0 10\n0 20\n-15 15\n' "$1" $(($# - 1))
    printf 'ITEM: ATOMS %s\n' "${COLUMNS_OF:-id type x y z}"
    shift
    printf '%s\n' "$@"
}

# refuses TEXT OPTION...: status 2, one line with TEXT, nothing left; the input is in file `bad`.
refuses() {
    local text=$1
    shift
    rm -f out.mbf
    fails 2 traj2bin -o out.mbf bad "$@"
    [[ $output == *"$text"* && ${#lines[@]} -eq 1 && ! -e out.mbf ]] || { echo "expected: $text"; echo "found: $output"; false; }
}

@test "LAMMPS text: sorted by id, types, cell, steps to times" {
    { dump 100 '3 2 7 8 9' '1 1 1.5 2.25 -3' '2 1 4 5e-1 6'; dump 200 '2 1 4 5 6.1' '1 1 1 2 3' '3 2 7 8 9'; } >a
    [ "$(rows --units metal --timestep 0.001 a)" = $'1.5 2.25 -3\n4 0.5 6\n7 8 9\n1 2 3\n4 5 6.1\n7 8 9' ]
    says sys.dt_ps 0.1
    says sys.cell '10 0 0 0 20 0 0 0 30'
    says sys.pbc TTF
    says sys.species '1 2 2 1'
    rows --units real --dt 2 --species 1=Ar,2=Kr a >/dev/null
    says sys.dt_ps 2
    says sys.species 'Ar 2 Kr 1'
    rows --units real --dt 2 --species 'O 1 H 2' a >/dev/null
    says sys.species 'O 1 H 2'
    [ "$(traj2bin --units real --timestep 0.001 a | bin2txt | awk '!/^#/ { print $2 }' | uniq | xargs)" = "0.1 0.2" ]
    [ "$(rows --units electron --dt 1 --select 0 a | head -n 1)" = "0.79376584 1.1906487 -1.5875317" ]
    [ "$(gzip -c a | traj2bin --units metal --timestep 0.001 | bin2txt)" = "$(traj2bin --units metal --timestep 0.001 <a | bin2txt)" ]
    COLUMNS_OF="element id x y z" dump 0 'H 2 1 2 3' 'O 1 4 5 6' >b
    [ "$(rows --units real b)" = $'4 5 6\n1 2 3' ]
    says sys.species 'O 1 H 1'
    COLUMNS_OF="x y z" dump 0 '4 5 6' '1 2 3' >b
    [ "$(rows --unsorted-ok --units real b)" = $'4 5 6\n1 2 3' ]
}

@test "LAMMPS text: scaled, unwrapped, images, tilted cells, units and times of the file, velocities" {
    COLUMNS_OF="id type xs ys zs ix iy iz" dump 0 '1 1 .5 .25 0 0 1 -1 ' >b
    [ "$(rows --units real b)" = "5 5 -15" ]
    [ "$(rows --units real --unwrap b)" = "5 25 -45" ]
    COLUMNS_OF="id xsu ysu zsu" dump 0 '1 1.5 .25 0' >b
    [ "$(rows --units real b)" = "15 5 -15" ]
    COLUMNS_OF="id x y z xu yu zu" dump 0 '1 1 2 3 4 5 6' >b
    [ "$(rows --units real b)" = "1 2 3" ]
    [ "$(rows --units real --unwrap b)" = "4 5 6" ]
    # xy 1, xz -2, yz 3: x from -2 to 10 + 1, y from 0 to 20 + 3
    printf 'ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS xy xz yz pp pp pp\n-2 11 1\n0 23 -2\n0 30 3\nITEM: ATOMS id xs ys zs\n1 .5 .5 .5\n' >b
    [ "$(rows --units real b)" = "4.5 11.5 15" ]
    says sys.cell '10 0 0 1 20 0 -2 3 30'
    for t in 1 2; do
        printf 'ITEM: UNITS\nreal\nITEM: TIME\n%s\n' ${t}00
        COLUMNS_OF="id x y z vx vy vz" dump $t "1 1 2 3 .001 -.002 .003"
    done >b
    rows b >/dev/null
    says sys.dt_ps 0.1
    traj2bin --velocities b -o v.mbf
    frame-check -v v.mbf | grep -q 'VELO f32  \[F,1,3\] 1 array, 2 steps from 0 at 0.1 ps'
}

@test "several files are one trajectory, the frame written twice is told; --select; --allow-partial" {
    dump 0 '1 1 0 0 0' >a
    dump 10 '1 1 1 0 0' >b
    dump 20 '1 1 2 0 0' >c
    cat a b >ab
    cat b c >bc
    [ "$(rows --units real --timestep 1 ab bc 2>err | xargs)" = "0 0 0 1 0 0 2 0 0" ]
    grep -q "bc: its first frame is the last one of the file before: left out" err
    says sys.dt_ps 10
    [ "$(rows --keep-duplicates --units real --dt 1 ab bc | wc -l)" -eq 4 ]
    cat a b c >abc
    [ "$(rows --units real --timestep 1 --select 1:3 abc | xargs)" = "1 0 0 2 0 0" ]
    [ "$(rows --units real --timestep 1 --select ::2 abc | xargs)" = "0 0 0 2 0 0" ]
    says sys.dt_ps 20
    rows --units real --timestep 1 --select :2 abc
    frame-check -v rows.mbf | grep -q 'END limited'
    fails 2 traj2bin --units real --dt 1 --select 7 abc -o out.mbf
    [[ $output == "traj2bin: abc: expected frame 7, found only 3 frames" ]]
    head -c -3 abc >bad
    refuses "bad: frame 2: line 30: expected 5 columns" --units real --dt 1
    head -n -1 abc >bad
    refuses "bad: frame 2: line 29: truncated: expected 1 atoms, the file ends after 0" --units real --dt 1
    [ "$(rows --allow-partial --units real --dt 1 bad 2>/dev/null | wc -l)" -eq 2 ]
    frame-check -v rows.mbf | grep -q 'END limited'
}

@test "LAMMPS text: what is wrong is said in one line, status 2, nothing written" {
    dump 0 '1 1 0 0 0' '2 1 1 1 1' >a
    dump 5 '1 1 0 0 0' '2 1 1 1 1' >b
    cp a bad
    refuses "--units STYLE"
    cat a b >bad
    refuses "bad: frame 1: expected a time, found none: --dt PS gives the time between frames, --timestep PS" --units real
    cat a a >bad
    refuses "expected a time after 0 ps, found 0" --units real --timestep 1
    { cat a b; dump 15 '1 1 0 0 0' '2 1 1 1 1'; } >bad
    refuses "bad: frame 2: expected time 10 ps, found 15: a frame is missing" --units real --timestep 1
    { cat a; dump 5 '1 1 0 0 0'; } >bad
    refuses "bad: frame 1: line 20: expected 2 atoms as in the first frame, found 1" --units real --dt 1
    { cat a; dump 5 '1 1 0 0 0' '3 1 0 0 0'; } >bad
    refuses "bad: frame 1: line 22: expected the atom ids of the first frame, found a new one, 3" --units real --dt 1
    dump 5 '1 1 0 0 0' '1 1 0 0 0' >bad
    refuses "expected every atom id once, found id 1 twice" --units real --dt 1
    for x in nan inf 0x1 1,5 '***' 1e999; do
        dump 5 '1 1 0 0 0' "2 1 0 $x 0" >bad
        refuses "bad: frame 0: line 11: column 4: expected a number, found '$x'" --units real --dt 1
    done
    dump 5 '1 1 0 0' >bad
    refuses "line 10: expected 5 columns (id type x y z), found 4" --units real
    COLUMNS_OF="type x y z" dump 5 '1 0 0 0' >bad
    refuses "expected a column id, as dumps are unsorted" --units real
    COLUMNS_OF="id x y q" dump 5 '1 0 0 0' >bad
    refuses "expected columns x y z" --units real
    cp a bad
    refuses "expected columns vx vy vz (--velocities)" --units real --velocities
    refuses "expected columns ix iy iz, or xu yu zu, for --unwrap" --units real --unwrap
    refuses "--species names no type 1" --units real --species 2=Kr
    sed 's/^0 10/10 10/' a >bad
    refuses "line 6: expected a box with a volume, found edge x from 10 to 10" --units real
    sed 's/NUMBER/NUMBERS/' a >bad
    refuses "line 3: expected ITEM: TIMESTEP, ... or ATOMS, found 'ITEM: NUMBERS" --units real
    : >bad
    refuses "bad: expected a trajectory, found an empty file"
}
