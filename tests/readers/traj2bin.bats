# SPDX-License-Identifier: MIT
# sanitize
# traj2bin: trajectories of other programs.
# writes: traj2bin DUMP --units real --dt 1

load ../helpers

# rows FILE OPTION...: prints positions as text, one line per atom.
rows() {
    traj2bin "$@" -o rows.mbf && bin2xyz rows.mbf | awk 'NF >= 4 && $1 !~ /=/ { print $2, $3, $4 }'
}

# says KEY VALUE: META of the last rows has this value.
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

# refuses TEXT OPTION...: status 2, one line with TEXT, no output; the input is the file `bad`.
refuses() {
    local text=$1
    shift
    rm -f out.mbf
    fails 2 traj2bin -q -o out.mbf bad "$@"
    [[ $output == *"$text"* && ${#lines[@]} -eq 1 && ! -e out.mbf ]] || { echo "expected: $text"; echo "found: $output"; false; }
}

# Compares the files of tests/data with the rows that the program that wrote them reads.
carried() {
    [ "$(rows "$DATA/formats/water10.$1" "${@:2}")" = "$(cat "$DATA/formats/water10.$1.txt")" ] || { echo "$1"; false; }
}

# mkdcd KEY=VALUE...: two frames of three atoms (x y z = 3 i + axis + 100 frame). Keys: order (< or
# >), mark (i or q), version, cell (six numbers, or none), fixed (atoms that do not move), nset,
# title, delta, nsavc, fourth, start, lines (of the title, 80 bytes each), first and last (markers
# of the title, if they differ from its length).
mkdcd() {
    py forge/dcd "$@"
}

# mknc KEY=VALUE...: two frames of three atoms as AMBER NetCDF: version (1, 2, 5), records (number
# in the header), double, id, conventions, units (of the coordinates), program, velocities, without
# (a variable that it lacks), odd: a record of it, nine
# numbers of that type (1: two bytes each), is padded to four bytes.
mknc() {
    py forge/amber_netcdf "$@"
}

# mkbin KEY=VALUE...: two frames of three atoms as a LAMMPS binary dump. Keys: order (< or >),
# revision (0: old, 1, 2), columns, units, time (or none), rows (of all chunks), chunks (two, with
# this number of rows), natoms, add (to the id 2, which is in the last row), word and one (at the
# begin of the second frame).
mkbin() {
    py forge/lammps_binary "$@"
}

# three: the positions of mkdcd, mknc and mkbin.
three() { for f in 0 100; do for i in 0 3 6; do echo $((f + i)) $((f + i + 1)) $((f + i + 2)); done; done; }

@test "LAMMPS dumps of text: sorted by id, types, cell, steps to times" {
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
    # columns in another order from one frame to the next, in either direction
    for two in "id x y z:id y x z" "id y x z:id x y z" "id x y z:id z y x"; do
        { COLUMNS_OF=${two%:*} dump 0 '1 1 2 3'; COLUMNS_OF=${two#*:} dump 1 '1 1 2 3'; COLUMNS_OF=${two#*:} dump 2 '1 1 2 3'; } >turned
        want=$(for c in "${two%:*}" "${two#*:}" "${two#*:}"; do awk '{ for (k = 2; k <= 4; k++) x[$k] = k - 1 } END { print x["x"], x["y"], x["z"] }' <<<"$c"; done)
        [ "$(rows --units metal --dt 1 turned)" = "$want" ] || { echo "$two"; false; }
    done
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
    traj2bin -q --units real b | frame-check -v | grep -E 'data.unwrapped +images$' # nothing else was there
    COLUMNS_OF="id x y z xu yu zu" dump 0 '1 1 2 3 4 5 6' >b
    [ "$(rows --units real b)" = "1 2 3" ]
    ! traj2bin -q --units real b | frame-check -v | grep -q data.unwrapped || false
    [ "$(rows --units real --unwrap b)" = "4 5 6" ]
    # xy 1, xz -2, yz 3: x from -2 to 10 + 1, y from 0 to 20 + 3
    printf 'ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS xy xz yz pp pp pp\n-2 11 1\n0 23 -2\n0 30 3\nITEM: ATOMS id xs ys zs\n1 .5 .5 .5\n' >b
    [ "$(rows --units real b)" = "4.5 11.5 15" ]
    says sys.cell '10 0 0 1 20 0 -2 3 30'
    # any three edges, and their origin
    printf 'ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS abc origin pp pp pp\n10 1 0 1\n0 20 -1 2\n2 0 30 3\nITEM: ATOMS id xs ys zs\n1 .5 .25 .1\n' >b
    [ "$(rows --units real b)" = "6.2 7.5 5.75" ]
    says sys.cell '10 1 0 0 20 -1 2 0 30'
    for t in 1 2; do
        printf 'ITEM: UNITS\nreal\nITEM: TIME\n%s\n' ${t}00
        COLUMNS_OF="id x y z vx vy vz" dump $t "1 1 2 3 .001 -.002 .003"
    done >b
    rows b >/dev/null
    says sys.dt_ps 0.1
    traj2bin --velocities b -o v.mbf
    frame-check -v v.mbf | grep -q 'VELO f32  \[F,1,3\] 1 array, 2 steps from 0 at 0.1 ps'
}

# yaml STEP ROW...: the frame of `dump` in LAMMPS style yaml. MORE: lines after the time step.
yaml() {
    printf -- '---\ncreator: LAMMPS\ntimestep: %s\n%snatoms: %d\nboundary: [ p, p, p, p, f, f, ]\n' "$1" "${MORE:-}" $(($# - 1))
    printf 'thermo:\n  - keywords: [ Step, Temp, ]\n  - data: [ 0, 1.5, ]\nbox:\n  - [ 0, 10 ]\n  - [ 0, 20 ]\n  - [ -15, 15 ]\n%s' "${TILT:-}"
    printf 'keywords: [ %s, ]\ndata:\n' "$(sed 's/ /, /g' <<<"${COLUMNS_OF:-id type x y z}")"
    shift
    printf '%s\n' "$@" | sed 's/ /, /g; s/.*/  - [ &, ]/'
    echo ...
}

@test "AMBER restarts of text are named, with how to import them; files with a title that are others are not" {
    # restart ATOMS HEAD: a title, a line of HEAD, positions, velocities and a cell
    restart() {
        awk -v n="$1" -v head="$2" 'function put(f, i) { for (i = 0; i < 3 * n; i++) printf "%12.7f%s", (i % 2 ? -1 : 1) * (1.25 + f * i), i % 6 == 5 || i == 3 * n - 1 ? "\n" : "" }
            BEGIN { print "default_name"; print head; put(110); put(.01); printf "%12.7f%12.7f%12.7f%12.7f%12.7f%12.7f\n", 30, 30, 30, 90, 90, 90 }'
    }
    local named="is an AMBER restart file of text: cpptraj -p TOPOLOGY -y FILE -x out.nc makes NetCDF of it, which traj2bin reads"
    for n in 1 2 7; do # touching numbers, too
        for head in "$(printf '%6d  0.5000000E+00' $n)" "$(printf '%5d' $n)" "$(printf '%6d  1.0000000E+03  0.3000000E+03' $n)"; do
            for end in '' '\r'; do
                restart $n "$head" | sed "s/\$/$end/" >bad
                refuses "bad: $named"
                for p in xyz2bin txt2bin; do
                    fails 2 $p bad
                    [[ $output == "$p: bad: $named" ]] || { echo "$output"; false; }
                done
            done
        done
    done
    # a structure file, XYZ text, and columns under a title
    restart 2 ' 2' | sed '3s/\./,/' >bad
    fails 2 traj2bin -q bad -o out.mbf
    [[ $output != *"AMBER restart"* ]]
    printf 'default_name\n  1\n    1MOL     Ar    1   1.234   2.345   3.456  0.1000  0.2000  0.3000\n 3 3 3\n' >bad
    refuses "bad: is a GRO file"
    printf '2\n 2  0.5000000E+00\nAr     1.2500000 -111.2500000  221.2500000\nAr 1 2 3\n' >a.xyz
    xyz2bin -q --cell 30 a.xyz -o out.mbf
    printf 'a b c d e f\n%s   7.0000000\n%s   7.0000000\n' "$(printf '%12.7f' 1 2 3 4 5)" "$(printf '%12.7f' 2 2 3 4 5)" >table
    txt2bin -q --dt 1 table -o out.mbf
}

@test "LAMMPS dumps of style yaml: named, and a text dump by the script that the error names" {
    yaml 0 '2 1 4 5 6' '1 1 1 2 3' >bad
    refuses "bad: is a LAMMPS dump of style yaml: pipelines/lammps-yaml.sh FILE makes a text dump of it, which traj2bin reads"
    fails 2 xyz2bin bad
    [[ $output == *"is a LAMMPS dump of style yaml"* ]]
    script=$ROOT/pipelines/lammps-yaml.sh
    { yaml 0 '2 1 4 5 6' '1 1 1 2 3'; yaml 10 '1 1 1 2 3.5' '2 1 4 5 6e-1'; } >y
    { dump 0 '2 1 4 5 6' '1 1 1 2 3'; dump 10 '1 1 1 2 3.5' '2 1 4 5 6e-1'; } >d
    o=(-q --units real --timestep 0.001)
    traj2bin "${o[@]}" d -o d.mbf
    sed 's/$/\r/' y >cr
    for f in y cr -; do "$script" $f <y | traj2bin "${o[@]}" | cmp - d.mbf; done
    for k in 1 2; do MORE=$'units: real\ntime: '$k$'00\n' TILT=$'  - [ 0, -2, 3 ]\n' COLUMNS_OF="id xs ys zs" yaml $k '1 .5 .25 .125'; done >y
    "$script" y >d
    rows d >/dev/null
    says sys.dt_ps 0.1
    says sys.cell '8 0 0 0 17 0 -2 3 30'
    yaml 0 '2 1 4 5 6' '1 1 1 2 3' >y
    for bad in '$d' '/5, 6/d' 's/6, ]/6/' 's/natoms: 2/natoms: 3/' '/timestep/d' 's/box:/bax:/' '/^---/d' '/^keywords/d'; do # what is cut or odd
        sed "$bad" y >cut
        rc=0
        "$script" cut >out 2>err || rc=$?
        [ $rc -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q "^lammps-yaml.sh: cut: line [0-9]*: expected .*, found" err || { echo "$bad"; cat err; false; }
    done
    : >cut
    ! "$script" cut || false
    for name in 'a=b' '$(touch pwned)' "it's"; do
        cp y "./$name"
        "$script" "$name" | command cmp - <("$script" y)
    done
    [ ! -e pwned ]
}

@test "a dump that names its units and no time has LAMMPS' default time step, with a warning; --timestep and --dt give another" {
    while read -r units step ps; do
        for t in 0 10 20; do printf 'ITEM: UNITS\n%s\n' "$units"; dump $t '1 1 0 0 0'; done >a
        traj2bin a -o a.mbf 2>err
        [ "$(cat err)" = "traj2bin: warning: a: the dump does not state the time step, so the LAMMPS default for units $units, $step, is assumed (give another with --timestep PS)" ] ||
            { cat err; false; }
        frame-check -v a.mbf 2>/dev/null | grep -E "sys.dt_ps +$ps$"
        for option in '--timestep 0.25' '--dt 2.5'; do
            traj2bin $option a -o a.mbf 2>err
            [ ! -s err ]
            frame-check -v a.mbf 2>/dev/null | grep -E 'sys.dt_ps +2.5$'
        done
    done <<'LIST'
real 1 0.01
metal 0.001 0.01
lj 0.005 0.05
LIST
    { printf 'ITEM: UNITS\nreal\n'; dump 0 '1 1 0 0 0'; } >a # one frame: no time is used
    traj2bin a -o a.mbf 2>err
    [ ! -s err ]
    for t in 0 10; do printf 'ITEM: UNITS\nreal\nITEM: TIME\n%s\n' $t; dump $t '1 1 0 0 0'; done >a
    traj2bin a -o a.mbf 2>err
    [ ! -s err ]
    frame-check -v a.mbf 2>/dev/null | grep -E 'sys.dt_ps +0.01$'
}

@test "--species names types beside a column element, and elements; those that it does not name stay" {
    for of in 'id type element x y z' 'element id x y z type'; do
        row() { # ID TYPE ELEMENT X
            [ "$of" = 'id type element x y z' ] && echo "$1 $2 $3 $4 0 0" || echo "$3 $1 $4 0 0 $2"
        }
        COLUMNS_OF=$of dump 0 "$(row 3 14 H 2)" "$(row 1 1 H 0)" "$(row 2 13 O 1)" "$(row 4 2 O 3)" >a
        species() { traj2bin -q --units real "$@" a | frame-check -v 2>/dev/null | sed -n 's/^ *sys.species *//p'; }
        [ "$(species)" = '2*(H 1 O 1)' ]
        [ "$(species --species 13=OW,14=HW)" = 'H 1 OW 1 HW 1 O 1' ]
        [ "$(species --species 13=O,14=H)" = '2*(H 1 O 1)' ]
        [ "$(species --species 1=D,H=T)" = 'D 1 O 1 T 1 O 1' ]
        [ "$(rows --units real --species 13=OW,14=HW --species OW a)" = '1 0 0' ]
        cp a bad
        refuses "bad: --species: expected types or elements of the first frame, found only others in 131=OW" --units real --species 131=OW
    done
    COLUMNS_OF='id element x y z' dump 0 '1 H 0 0 0' >bad
    refuses "--species 1=D: expected atom types to rename, found a LAMMPS text dump without atom types, but with names" --units real --species 1=D
    mkbin columns='id element x y z' >l.bin # where LAMMPS writes the number of the type
    [ "$(traj2bin -q --species 1=A,2=B l.bin | frame-check -v 2>/dev/null | sed -n 's/^ *sys.species *//p')" = 'A 1 B 2' ]
}

@test "--molecules: the column mol of a dump, in the order of ids" {
    COLUMNS_OF='id mol type x y z' dump 0 '3 7 1 0 0 0' '1 2 1 0 0 0' '2 7 1 0 0 0' '4 2 1 0 0 0' '5 0 1 0 0 0' '6 0 1 0 0 0' '7 9 1 0 0 0' >a
    COLUMNS_OF='id mol type x y z' dump 5 '1 2 1 0 0 0' '2 7 1 0 0 0' '3 7 1 0 0 0' '4 2 1 0 0 0' '5 0 1 0 0 0' '6 0 1 0 0 0' '7 9 1 0 0 0' >b
    traj2bin -q --units real --timestep 0.001 --molecules m.txt a b -o a.mbf
    [ "$(cat m.txt)" = $'0 3\n1 2' ] # 0: in no molecule
    COLUMNS_OF='id mol x y z' dump 0 '1 1 0 0 0' '2 1 0 0 0' >a # without types
    traj2bin -q --units real --molecules m.txt a -o a.mbf
    [ "$(cat m.txt)" = '0 1' ]
    mkbin columns='id mol x y z' >l.bin
    traj2bin -q --molecules m.txt l.bin -o a.mbf
    [ "$(cat m.txt)" = '1 2' ]
    rm m.txt
    dump 0 '1 1 0 0 0' >bad
    refuses "bad: --molecules: expected molecules, found a LAMMPS text dump without molecules (define them with --topology FILE)" --units real --molecules m.txt
    COLUMNS_OF='id mol x y z' dump 0 '1 a 0 0 0' >bad
    refuses "bad: frame 0: line 10: column 2: expected a molecule (a whole number), found 'a'" --units real --molecules m.txt
    [ ! -e m.txt ]
}

@test "LAMMPS text with carriage returns, and one atom in every format" {
    python3 -c pass || skip "no python3"
    dump 0 '2 1 4 5 6' '1 1 1 2 3' | sed 's/$/\r/' >r
    [ "$(rows --units real --dt 1 r)" = "$(printf '1 2 3\n4 5 6')" ]
    dump 0 '1 1 1 2 3' >l.dump
    python3 - <<'PY'
import struct
one = struct.pack(">3f", 0.1, 0.2, 0.3)
box = struct.pack(">9f", 9, 0, 0, 0, 9, 0, 0, 0, 9)
open("l.xtc", "wb").write(struct.pack(">iiif", 1995, 1, 0, 0) + box + struct.pack(">i", 1) + one)
open("l.trr", "wb").write(struct.pack(">iii", 1993, 13, 12) + b"GMX_trn_file" + struct.pack(">13iff", 0, 0, 36, 0, 0, 0, 0, 12, 0, 0, 1, 0, 0, 0, 0) + box + one)
rec = lambda b: struct.pack("<i", len(b)) + b + struct.pack("<i", len(b))
open("l.dcd", "wb").write(rec(b"CORD" + struct.pack("<20i", 1, 0, 1, *[0] * 16, 24)) + rec(struct.pack("<i", 1) + b" " * 80) + rec(struct.pack("<i", 1)) +
                          b"".join(rec(struct.pack("<f", x)) for x in (1, 2, 3)))
PY
    for f in l.dump l.xtc l.trr l.dcd; do
        case $f in *.dump) o="--units real" ;; *.dcd) o="--pbc none" ;; *) o= ;; esac
        # shellcheck disable=SC2086
        [ "$(rows -q --dt 1 $o $f)" = "1 2 3" ] || { echo $f; false; }
    done
}

@test "LAMMPS text: positions, velocities and times in every style of units" {
    python3 -c pass || skip "no python3"
    for t in 0 3; do
        printf 'ITEM: TIME\n%s\n' $t
        COLUMNS_OF="id x y z vx vy vz" dump $t "1 1 2 3 4 5 6"
    done >u
    while read -r style length speed time; do # in Å, Å/ps and ps (LAMMPS manual, "units")
        traj2bin -q --units $style --dtype f64 --velocities u -o u.mbf
        near "$(bin2txt --meta u.mbf | sed -n 's/^sys.dt_ps\t//p')" "$(awk "BEGIN { print 3 * $time }")" 1e-12
        python3 -c 'import struct, sys
b, x, v = open("u.mbf", "rb").read(), float(sys.argv[1]), float(sys.argv[2])
n = [struct.unpack_from("<3d", b, k) for k in range(0, len(b) - 23, 8)]
near = lambda w: any(all(abs(c - k * w[1]) <= 1e-12 * k * w[1] for c, k in zip(t, w[0])) for t in n)
sys.exit(not near(((1, 2, 3), x)) or not near(((4, 5, 6), v)))' "$length" "$speed" || { echo "$style"; false; }
    done <<'LIST'
real 1 1000 1e-3
metal 1 1 1
si 1e10 0.01 1e12
cgs 1e8 1e-4 1e12
electron 0.529177210903 512.396234231905 1e-3
micro 1e4 0.01 1e6
nano 10 0.01 1e3
lj 1 1 1
LIST
}

@test "LAMMPS text: units that change on the way, ahead of the threads too" {
    for u in metal nano nano metal; do # what another run appended
        printf 'ITEM: UNITS\n%s\n' $u
        dump 0 '1 1 0.5 0 0' '2 1 1 1 1'
    done >a
    for t in 1 4; do
        [ "$(rows a -t $t --dt 1 | awk 'NR % 2 { print $1 }' | xargs)" = "0.5 5 5 0.5" ]
    done
}

@test "times with a noise below that of f32 are those of an even stride" {
    for t in 0.1 0.2 0.30000001; do printf 'ITEM: TIME\n%s\n' $t; dump ${t#*.} "1 1 1 2 3"; done >a
    traj2bin -q --units metal a -o a.mbf
    [ "$(bin2txt --digits 15 a.mbf | awk '/^2/ { print $2 }')" = 0.3 ]
}

@test "several files are one trajectory, the frame written twice is told; --select; --allow-partial" {
    dump 0 '1 1 0 0 0' >a
    dump 10 '1 1 1 0 0' >b
    dump 20 '1 1 2 0 0' >c
    cat a b >ab
    cat b c >bc
    [ "$(rows --units real --timestep 1 ab bc 2>err | xargs)" = "0 0 0 1 0 0 2 0 0" ]
    grep -q "bc: the first frame repeats the last frame of ab, as after a restart, and was dropped (--keep-duplicates keeps it)" err
    says sys.dt_ps 10
    [ "$(rows --keep-duplicates --units real --dt 1 ab bc | wc -l)" -eq 4 ]
    dump 0 '1 1 0 0 0' '2 2 1 1 1' >one # the next file is open before META is written
    dump 10 '1 1 0 0 0' '2 2 1 1 2' >two
    rows --units real --timestep 1 one two >/dev/null
    says sys.species '1 1 2 1'
    cat a b c >abc
    [ "$(rows --units real --timestep 1 --select 1:3 abc | xargs)" = "1 0 0 2 0 0" ]
    [ "$(rows --units real --timestep 1 --select ::2 abc | xargs)" = "0 0 0 2 0 0" ]
    says sys.dt_ps 20
    rows --units real --timestep 1 --select :2 abc
    frame-check -v rows.mbf | grep -q 'END limited'
    fails 2 traj2bin --units real --dt 1 --select 7 abc -o out.mbf
    [[ $output == "traj2bin: abc: expected frame 7, counted from 0, found only 3 frames" ]]
    head -c -3 abc >bad
    refuses "bad: frame 2: line 30: truncated: the file ends within this line" --units real --dt 1
    [ "$(rows --allow-partial --units real --dt 1 bad 2>/dev/null | xargs)" = "0 0 0 1 0 0" ]
    head -n -1 abc >bad
    refuses "bad: frame 2: line 29: truncated: expected 1 atoms, but the file ends after 0" --units real --dt 1
    [ "$(rows --allow-partial --units real --dt 1 bad 2>/dev/null | wc -l)" -eq 2 ]
    frame-check -v rows.mbf | grep -q 'END limited'
}

@test "likely slips of units are said, and -q takes them: cell, dt" {
    for f in 0 1; do dump $f '1 1 1 1 1' "2 1 $f.1 2 2"; done | sed 's/ff$/pp/' >a
    traj2bin --units real --dt 1 a -o out.mbf 2>err
    [ ! -s err ]
    traj2bin --units real --cell 0.9 --dt 100 a -o out.mbf 2>err
    [ "$(cat err)" = "traj2bin: warning: a: the density of 2 atoms in 0.729 Å^3 is too high for any material (if the cell was given in nm, its edge in Å is 9)
traj2bin: warning: a: atoms move only 0.071 Å in 100 ps, less than in any fluid (if dt was given in fs, its value in ps is 0.1)" ] || { cat err; false; }
    traj2bin -q --units real --cell 0.9 --dt 100 a -o out.mbf 2>err
    [ ! -s err ]
}

@test "LAMMPS text: what is wrong is said in one line, status 2, nothing written" {
    dump 0 '1 1 0 0 0' '2 1 1 1 1' >a
    dump 5 '1 1 0 0 0' '2 1 1 1 1' >b
    cp a bad
    refuses "--units STYLE"
    for line in 5 10; do # pbc of an axis, a type that nobody asks for
        sed "${line}s/[p1] /\x00/" a >bad
        refuses "line $line: expected text, found byte 0x00" --units real --dt 1
    done
    cat a b >bad
    refuses "bad: frame 1: expected a time, found none (give the time between frames with --dt PS, or the length of an MD step with --timestep PS" --units real
    { cat a; dump 0 '1 1 0 0 1' '2 1 1 1 1'; } >bad
    refuses "bad: frame 1: expected a step after 0, found 0: the step is repeated with other positions" --units real --timestep 1
    { cat a b; dump 15 '1 1 0 0 0' '2 1 1 1 1'; } >bad
    refuses "bad: frame 2: expected step 10 after 5, found 15: 1 frame is missing (--select :2 takes the frames before the gap, --select 2: the frames after it)" --units real --timestep 1
    [ "$(rows --units real --timestep 1 --select :2 bad | wc -l)" -eq 4 ]
    [ "$(rows --units real --timestep 1 --select 2: bad | wc -l)" -eq 2 ]
    { cat a; dump 5 '1 1 0 0 0'; } >bad
    refuses "bad: frame 1: line 20: expected 2 atoms as in the first frame, found 1" --units real --dt 1
    { cat a; dump 5 '1 1 0 0 0' '3 1 0 0 0'; } >bad
    refuses "bad: frame 1: line 22: expected the atom ids of the first frame, found the new id 3" --units real --dt 1
    dump 5 '1 1 0 0 0' '1 1 0 0 0' >bad
    refuses "expected every atom id once, found id 1 twice" --units real --dt 1
    for x in nan inf 0x1 1,5 '***' 1e999; do
        dump 5 '1 1 0 0 0' "2 1 0 $x 0" >bad
        refuses "bad: frame 0: line 11: column 4: expected a number, found '$x'" --units real --dt 1
    done
    dump 5 '1 1 0 0' >bad
    refuses "line 10: expected 5 columns (id type x y z), found 4" --units real
    COLUMNS_OF="type x y z" dump 5 '1 0 0 0' >bad
    refuses "expected a column named id, because LAMMPS does not sort its dumps" --units real
    COLUMNS_OF="id x y q" dump 5 '1 0 0 0' >bad
    refuses "expected columns x y z" --units real
    cp a bad
    refuses "--velocities: expected columns vx vy vz" --units real --velocities
    refuses "expected columns ix iy iz or xu yu zu for --unwrap" --units real --unwrap
    refuses "expected a name for each type in --species, found none for type 1" --units real --species 2=Kr
    refuses "--species: expected each type once, found 1 twice" --units real --species 1=Ar,2=Kr,1=Xe
    sed 's/^0 10/10 10/' a >bad
    refuses "line 6: expected a box with a volume, found edge x from 10 to 10" --units real
    sed 's/NUMBER/NUMBERS/' a >bad
    refuses "line 3: expected ITEM: and one of TIMESTEP, TIME, UNITS, NUMBER OF ATOMS, BOX BOUNDS and ATOMS, found 'ITEM: NUMBERS" --units real
    dump x '1 1 0 0 0' >bad
    refuses "bad: line 2: expected a whole number for ITEM: TIMESTEP, found 'x'" --units real
    dump 5 'x 1 0 0 0' >bad
    refuses "bad: frame 0: line 10: column 1: expected an id (a whole number), found 'x'" --units real --dt 1
    dump 5 '1 1 0 y 0' >bad
    refuses "bad: frame 0: line 10: column 4: expected a number, found 'y'" --units real --dt 1 --dtype f64
    { cat a; dump 5 '1 1 0 0 0' '2 1 0 0 0' | sed s/ff/pp/; } >bad
    refuses "bad: frame 1: expected the same periodic axes as in the first frame, found different axes (give them with --pbc)" --units real --dt 1
    sed '1i ITEM: TIME\nx' a >bad
    refuses "bad: line 2: expected a time, found 'x'" --units real
    sed 1,2d a >bad
    refuses "bad: line 7: expected TIMESTEP, NUMBER OF ATOMS and BOX BOUNDS before ITEM: ATOMS" --units real
    : >bad
    refuses "bad: expected a trajectory, found an empty file"
}

@test "names of atoms: any UTF-8, there and back; those that no stream holds are told, not lost in silence" {
    COLUMNS_OF="id element x y z" dump 0 '2 Ünob 1 1 1' '1 α-C 0 0 0' >a
    rows a --units real >/dev/null
    says sys.species 'α-C 1 Ünob 1'
    bin2xyz rows.mbf | xyz2bin - -o again.mbf 2>err
    [[ ! -s err && "$(bin2txt --meta again.mbf | grep species)" == "sys.species"*"α-C 1 Ünob 1" ]]
    for name in 'A(1)' $'A\xff' a_name_of_16_byte; do
        COLUMNS_OF="id element x y z" dump 0 "1 $name 0 0 0" >a
        traj2bin --units real a -o out.mbf 2>err
        grep -q "warning: a: atom names were dropped: expected 1 to 15 bytes of UTF-8 without brackets, found 'A\|a_name" err
        ! bin2txt --meta out.mbf | grep -q species
        printf '1\n\n%s 0 0 0\n' "$name" | xyz2bin --cell 9 - -o out.mbf 2>err ||
            [ "$name" = a_name_of_16_byte ] # which it refuses
        [ "$name" = a_name_of_16_byte ] || grep -q "warning: atom names were dropped: expected at most 255 different names" err
    done
    COLUMNS_OF="id type x y z" dump 0 $(for ((i = 1; i <= 256; i++)); do echo "$i/$i/$i/0/0"; done) | tr / ' ' >a
    traj2bin --units real a -o out.mbf 2>err
    grep -q "atom names were dropped: expected at most 255 different names, found more" err
    COLUMNS_OF="id type x y z" dump 0 '1.0 1 0 0 0' >bad
    refuses "line 10: column 1: expected an id (a whole number), found '1.0'" --units real
}

@test "LAMMPS text: blanks around numbers and names, labels that are no names, velocities in f64" {
    COLUMNS_OF="id element x y z vx vy vz" dump 0 '1 A( 0 0 0 1 2 3' '2 Ar 1 1 1 4 5 6' >a
    sed 's/^0$/ 0 /; s/ vz$/& \t/' a >b
    o=(-q --units real --dt 1 --dtype f64 --velocities)
    traj2bin "${o[@]}" -o got b
    traj2bin "${o[@]}" -o want a
    cmp got want
    [ -z "$(bin2txt --meta got | grep sys.species)" ]
    [ "$(bin2txt got | grep -v '^#')" = $'0 0 0 0 0 0 1000 2000 3000\n0 0 1 1 1 1 4000 5000 6000' ]
}

@test "DCD, TRR, NetCDF of a peer: bit for bit what it reads; XTC: the decimals in the file; from a file, a pipe, gzip, in f64" {
    # cells: each frame has the edges 10, 11 to 11.2, 12 Å and angles 80, 95, 100 degrees of SOURCES
    cells() {
        bin2xyz -q rows.mbf | sed -n 's/^Lattice="\([^"]*\)".*/\1/p' | awk 'function dot(i, j) { return $i * $j + $(i + 1) * $(j + 1) + $(i + 2) * $(j + 2) }
            function off(x, y) { return (x - y)^2 > 1e-10 }
            function angle(i, j, d) { return off(dot(i, j) / sqrt(dot(i, i) * dot(j, j)), cos(d * 3.141592653589793 / 180)) }
            off(sqrt(dot(1, 1)), 10) || off(sqrt(dot(4, 4)), 11 + 0.1 * n++) || off(sqrt(dot(7, 7)), 12) || angle(4, 7, 80) || angle(1, 7, 95) || angle(1, 4, 100) { bad = 1 } END { exit bad || n != 3 }'
    }
    carried dcd --dt 0.5
    cells
    says sys.cell '10 0 0 -1.910129.* 10.832885.* 0 -1.0458.* 1.931.* 11.797.*'
    for e in xtc trr ncdf; do
        carried $e
        cells
        says sys.dt_ps 0.5
        [ "$(gzip -c "$DATA/formats/water10.$e" | traj2bin | bin2txt)" = "$(bin2txt rows.mbf)" ]
        [ "$(bin2txt rows.mbf | awk '!/^#/ { print $2 }' | uniq | xargs)" = "2 2.5 3" ]
        [ "$(cat "$DATA/formats/water10.$e" | traj2bin --select 1:)" = "$(traj2bin --select 1: <"$DATA/formats/water10.$e")" ]
        traj2bin --dtype f64 "$DATA/formats/water10.$e" | bin2txt | awk '!/^#/ { print $(NF - 2), $(NF - 1), $NF }' >f64
        paste -d' ' f64 "$DATA/formats/water10.$e.txt" | awk '{ for (k = 1; k <= 3; k++) bad += !(($k - $(k + 3)) ^ 2 <= 4e-12) } END { exit bad || NR != 30 }'
    done 2>/dev/null
    rows "$DATA/formats/water10.xtc" >/dev/null
    says data.precision 0.01
    traj2bin --dtype f64 "$DATA/formats/water10.xtc" | bin2txt | awk '!/^#/' | head -n 1 | grep -E ' [0-9]+\.[0-9]{1,2}$'
    for e in trr ncdf; do
        traj2bin --velocities "$DATA/formats/water10.$e" -o v.mbf
        frame-check -v v.mbf | grep 'VELO f32  \[F,10,3\] 1 array, 3 steps'
    done
    fails 2 traj2bin --velocities "$DATA/formats/water10.xtc"
    [[ $output == *"--velocities: expected a file with velocities, found an XTC trajectory without"* ]]
}

@test "DCD: byte orders, markers, conventions of the cell, units of time, fixed atoms, wrong counts" {
    python3 -c pass || skip "no python3"
    want=$(three)
    for order in '<' '>'; do
        for mark in i q; do
            mkdcd order=$order mark=$mark >d.dcd
            [ "$(rows d.dcd)" = "$want" ]
            says sys.cell '20 0 0 0 30 0 0 0 40'
            says sys.dt_ps 0.04888821
        done
    done
    mkdcd fourth=1 | cmp -s - d.dcd && false
    mkdcd fourth=1 >d.dcd
    [ "$(rows d.dcd)" = "$want" ]
    [ "$(rows --dtype f64 d.dcd)" = "$want" ]
    mkdcd title="Written by LAMMPS" >d.dcd # a unit of length for every number: bohr, as CODATA 2018 has it
    for o in f32 f64; do
        rows --dtype $o --units electron --dt 1 d.dcd | paste - <(echo "$want") | awk '{ for (k = 1; k < 4; k++) if (($k - 0.529177210903 * $(k + 3)) ^ 2 > 1e-10) exit 1 } END { exit NR != 6 }'
        says sys.cell '10.583544218[0-9]* 0 0 0 15.875316327[0-9]* 0 0 0 21.167088436[0-9]*'
    done
    mkdcd cell=0,0,0,0,0,0 >bad
    refuses "bad: frame 0: expected a cell, found none"
    mkdcd version=0 cell=none >d.dcd # X-PLOR
    [ "$(rows --pbc none d.dcd)" = "$want" ]
    cp d.dcd bad
    refuses "bad: frame 0: expected a cell, found none (give a cell with --cell, or --pbc none for a non-periodic system)"
    # not a number; matrices with a volume that are not cells; a last matrix without a volume
    for no in 'nan 90 30 90 90 40' '10 20 10 0 0 -5' '-10 2 -10 0 0 10' '-10 2 10 0 0 -10' '10 2 -10 0 0 -10' '10 9 10 -9 9 10' '100 60 30 0 0 -40' '30 60 100 0 0 -40'; do
        mkdcd cell="${no// /,}" >bad
        refuses "expected a cell in one of the DCD conventions, found $no"
    done
    mkdcd fixed=1 >d.dcd
    [ "$(rows d.dcd)" = "$(sed '6s/.*/6 7 8/' <<<"$want")" ]
    # the same cell: degrees, cosines, CHARMM's matrix where b is along y
    mkdcd cell=20,60,30,90,90,40 >d.dcd
    rows d.dcd >/dev/null
    says sys.cell '20 0 0 15(\.0+[0-9]*)? 25.9807621135331[0-9]* 0 0 0 40'
    mkdcd cell=20,0.5,30,0,0,40 >d.dcd
    rows d.dcd >/dev/null
    says sys.cell '20 0 0 15(\.0+[0-9]*)? 25.9807621135331[0-9]* 0 0 0 40'
    mkdcd version=41 cell=20,-3,30,2,-4,40 >d.dcd
    rows d.dcd >/dev/null
    says sys.cell '20 -3 2 -3 30 -4 2 -4 40'
    mkdcd version=41 cell=20,0.5,30,0,0,40 >bad
    refuses "which is ambiguous (give the cell with --cell)"
    mkdcd cell=20,30,40,90,90,90 >bad
    refuses "which is ambiguous (give the cell with --cell)"
    rows --cell 20,30,40 bad >/dev/null
    # time
    mkdcd title="Created by OpenMM" delta=0.02045483 nsavc=500 >d.dcd
    rows d.dcd >/dev/null
    says sys.dt_ps 0.5
    [ "$(bin2txt rows.mbf | awk '!/^#/ { print $2 }' | uniq | xargs)" = "0.01 0.51" ]
    mkdcd title="Written by LAMMPS" delta=2 nsavc=500 >bad
    refuses "the title of this DCD file does not state the unit of time (give the time between frames with --dt PS"
    rows --units real bad >/dev/null
    says sys.dt_ps 1
    for type in f32 f64; do # lengths of LAMMPS are in its units, too
        [ "$(rows --units nano --dtype $type bad | tail -n 1)" = "1060 1070 1080" ]
        says sys.cell "200 0 0 0 300 0 0 0 400"
        says sys.dt_ps 1000000
    done
    mkdcd start=-10 title="Created by OpenMM" delta=0.02045483 nsavc=10 >d.dcd
    rows d.dcd >/dev/null
    [ "$(bin2txt rows.mbf | awk '!/^#/ { print $2 }' | uniq | xargs)" = "-0.01 0" ]
    mkdcd >bad
    refuses "--unwrap: expected image flags, found a DCD trajectory without image flags" --unwrap
    mkdcd title= >bad
    refuses "the title of this DCD file does not state the unit of time"
    rows --dt 3 bad >/dev/null
    rows --timestep 2 bad >/dev/null
    says sys.dt_ps 2
    # counts
    mkdcd nset=3 >bad
    refuses "truncated: the header states 3 frames, but the file ends after 2 frames (--allow-partial keeps the complete frames before it)"
    [ "$(rows --allow-partial bad 2>err)" = "$want" ]
    mkdcd nset=1 >d.dcd
    [ "$(rows d.dcd 2>err)" = "$want" ]
    grep -q "d.dcd: the header states 1 frames, but all 2 frames of the file are used" err
    mkdcd nset=0 >d.dcd
    [ "$(rows d.dcd 2>err)" = "$want" ]
    ! grep -q header err
}

@test "DCD: a title of three lines between markers that say two, as MDAnalysis of 2017 wrote it" {
    python3 -c pass || skip "no python3"
    want=$(three)
    for kind in "order=< mark=i" "order=> mark=i" "order=< mark=q"; do
        for wrong in "first=164 last=164" "first=164" "first=84 last=84"; do
            mkdcd lines=3 $kind $wrong >d.dcd
            [ "$(rows d.dcd)" = "$want" ] || { echo "$kind $wrong"; false; }
            says sys.dt_ps 0.04888821 # of the title
        done
    done
    mkdcd lines=3 first=164 last=165 >bad
    refuses "damaged record (the title): expected equal lengths in its two markers, found 164 and "
    for first in 2 164; do # no number of lines, and more than the lines have
        mkdcd first=$first last=$first >bad
        refuses "damaged record (the title): expected equal lengths in its two markers, found $first and "
    done
    mkdcd lines=3 first=164 last=164 >d.dcd
    for k in 95 200 300 340; do
        head -c $k d.dcd >bad
        refuses "truncated"
    done
}

# Every truncation of a file is an error (or, exactly between frames, a file with fewer frames), and
# never a crash, a hang or other positions.
cuts() {
    local size k step
    step=$(whole 32 16)
    size=$(stat -c %s "$1")
    traj2bin "$@" | bin2xyz >whole
    for ((k = 0; k < size; k += 1 + RANDOM % step)); do
        head -c $k "$1" >bad
        status=0
        traj2bin bad "${@:2}" -o cut.mbf 2>err || status=$?
        if [ $status -eq 0 ]; then
            bin2xyz cut.mbf >got
            cmp -s <(head -c "$(stat -c %s got)" whole) got || { echo "cut at $k"; false; }
        else
            [ $status -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] && [ ! -e cut.mbf ] || { echo "cut at $k: $status"; cat err; false; }
            [ $k -lt 500 ] || grep -qE 'truncated|expected' err
        fi
        rm -f cut.mbf
    done
}

@test "DCD, XTC, TRR, NetCDF, LAMMPS cut anywhere: one line, status 2, nothing written" {
    cuts "$DATA/formats/water10.dcd" --dt 0.5
    cuts "$DATA/formats/water10.xtc"
    cuts "$DATA/formats/water10.trr" --velocities
    cuts "$DATA/formats/water10.ncdf" --velocities
    ! python3 -c pass 2>/dev/null || { mkbin >m.bin && cuts m.bin; }
    { dump 0 '1 1 0 0 0' '2 1 1 1 1'; dump 5 '1 1 0 0 0' '2 1 1 1 1'; } >lammps
    cuts lammps --units real --dt 1
    head -c -1 lammps >bad # was it 1, or 1.5?
    refuses "frame 1: line 22: the last line has no newline" --units real --dt 1
    [ "$(rows bad --allow-partial --units real --dt 1)" = "$(printf '0 0 0\n1 1 1')" ]
    # the file of a killed run ends anywhere in a line of the header or of the rows
    size=$(stat -c %s lammps)
    for ((k = size / 2 + 1; k < size; k += 1 + RANDOM % 8)); do
        head -c $k lammps >bad
        [ "$(rows bad -q --allow-partial --units real --dt 1)" = "$(printf '0 0 0\n1 1 1')" ] || { echo "cut at $k"; false; }
    done
}

@test "LAMMPS: a last line without its newline is whole where it is as wide as the one before it, else torn" {
    # mk FORMAT COLUMNS
    mk() { COLUMNS_OF="$2" dump 0 1 2 3 | awk -v f="$1\n" 'NR > 9 { printf f, $1, NR / 7, 9.99 * NR, 100 / (NR - 9); next } { print }' >lmp; }
    taken() {
        mk "$1" "${3:-id x y z}"
        run cut_in_last lmp traj2bin --units real --dt 1
        [ "$output" = "lacks:$2" ] || { echo "$1: $output"; cat lmp; false; }
        run cut_in_last lmp traj2bin --units real --dt 1 --dtype f64
        [ "$output" = "lacks:$2" ]
    }
    taken '%d %.4f %.4f %.5f' ' 1'
    taken '%d %g %g %g ' ' 1'
    taken '%d %g %g %g' ''
    taken '%d %.3f %.3f %.3f 1' '' 'id x y z type'
    taken '%d 1 %.3f %.3f %.3f' ' 1' 'id type x y z' # read with care
    taken '%d %.3f %.3f %.3f 2.50' ' 1' 'id x y z vx'
    # after rows that are read together, with any source of ids and names
    COLUMNS_OF='id x y z' dump 0 $(seq 30000) | awk 'NR > 9 { printf "%d %.3f %.3f %.3f\n", $1, NR % 7, NR % 11 / 3, NR % 13 / 7; next } { print }' >big
    traj2bin --units real --dt 1 big -o big.mbf
    head -c -1 big >torn
    for t in 1 3; do
        traj2bin -q -t $t --units real --dt 1 torn -o t.mbf
        [ "$(content t.mbf)" = "$(content big.mbf)" ]
        head -c -1 big | traj2bin -q -t $t --units real --dt 1 -o t.mbf
        [ "$(content t.mbf)" = "$(content big.mbf)" ]
    done
    head -c -2 big >bad
    refuses "the last line has no newline" --units real --dt 1
}

@test "XTC and TRR: what is damaged, or changes, is said" {
    cp "$DATA/formats/water10.xtc" bad
    printf '\0\0\0\013' | dd of=bad bs=1 seek=$((132 + 4)) conv=notrunc status=none
    refuses "bad: frame 1: byte 132: expected two equal numbers of atoms, found 11 and 10"
    cp "$DATA/formats/water10.xtc" bad
    printf '\377' | dd of=bad bs=1 seek=84 conv=notrunc status=none
    refuses "damaged"
    head -c 132 "$DATA/formats/water10.xtc" >bad
    printf 'GARBAGE.GARBAGE.GARBAGE.GARBAGE.GARBAGE.GARBAGE.GARBAGE.GARBAGE.' >>bad
    refuses "byte 132: expected the magic number 1995 or 2023 of an XTC frame, found"
    cat "$DATA/formats/water10.trr" "$DATA/formats/water10.trr" >bad
    refuses "bad: frame 3: expected step 1750 after 1500, found 1000: "
    cp "$DATA/formats/water10.trr" bad
    printf '\0\0\0\0' | dd of=bad bs=1 seek=64 conv=notrunc status=none
    refuses "byte 0: expected at least 1 atom, found 0"
    for at in 7 11 12 23; do # lengths and first and last letter of its name
        cp "$DATA/formats/water10.trr" bad
        printf '\377' | dd of=bad bs=1 seek=$at conv=notrunc status=none
        refuses "expected the text 'GMX_trn_file', found other bytes"
    done
}

# mkxtc RANGE: two frames of twelve atoms 0 ... RANGE - 1 along each axis, in steps of 1 Å
# (precision 10), no runs; the box is 3e7 Å.
mkxtc() {
    py forge/xtc_boxes "$1"
}

@test "XTC: -z finds the decimal grid of the coordinates" {
    bin2xyz "$DATA/water64.mbf" | py forge/xtc >w.xtc
    traj2bin -q w.xtc -o w.mbf
    traj2bin -q -z w.xtc -o z.mbf
    # 0.14 of the size; 0.61 if the floats are one or two units away from the decimals
    [ $((5 * $(stat -c %s z.mbf))) -lt "$(stat -c %s w.mbf)" ]
    [ "$(content z.mbf)" = "$(content w.mbf)" ]
    # META has the precision of the first of several files, also where that file has one frame
    for k in 0 1; do frame-cut -q $k:$((k + 1)) "$DATA/water64.mbf" | bin2xyz -q - | py forge/xtc >$k.xtc; done
    printf '\x42\xc8\0\0' | dd of=1.xtc bs=1 seek=56 conv=notrunc status=none # 100 in place of 1000
    traj2bin -q 0.xtc 1.xtc | frame-check -v - 2>/dev/null | grep -E 'data.precision +0.01$'
}

@test "XTC: boxes of every size: three axes in one number of 16 to 72 bits, or each by itself" {
    python3 -c pass || skip "no python3"
    for range in 40 4095 262143 262144 524287 8388607 16777215 16777216 20000000; do
        mkxtc $range >x.xtc 2>want
        rows --dtype f64 x.xtc >got
        cmp got want || { echo "$range"; false; }
    done
}

# For each INDEX a frame of twelve atoms: every fourth in full, and the three after it as
# differences in the base of entry INDEX of the table of ranges, floor(2^(k/3)) except for three
# entries. The second run moves to a neighbour of the entry: to the next, or from 72 to 71.
@test "XTC: runs of every entry of the table of ranges" {
    python3 -c pass || skip "no python3"
    py forge/xtc_runs {9..72}
    for index in {9..72}; do
        traj2bin -q --dtype f64 --dt 1 $index.xtc -o x.mbf && bin2xyz x.mbf | awk 'NF == 4 && $1 !~ /=/ { print $2, $3, $4 }' >got
        cmp got $index.want || { echo "$index"; diff got $index.want; false; }
    done
}

@test "XYZ text has the content that xyz2bin finds, in every dialect, packed, in several files, of any size of frames" {
    content() { frame-check -v "$1" 2>&1 | grep -E '^ *(sys\.|data\.|content)'; }
    same() {
        xyz2bin -q "$@" -o x.mbf
        traj2bin -q "$@" -o t.mbf
        [[ "$(content x.mbf)" = *content* && "$(content x.mbf)" = "$(content t.mbf)" ]] || { echo "$*"; false; }
    }
    time_unit() { # where it has an effect
        [[ $2 != *--dt* && $2 != *--timestep* ]] && grep -q ' Time=' "$1" && ! grep -q time_unit "$1" && echo --time-unit fs || true
    }
    for f in "$DATA"/dialects/*.xyz "$DATA/argon8.xyz"; do
        for o in "-t 1" "--dt 0.1 --dtype f64" "--pbc none --select ::2" "--unsorted-ok" "--sigma 3 --cell 40"; do
            # shellcheck disable=SC2086
            same $o $(time_unit "$f" "$o") "$f"
        done
    done
    same --jumps-ok "$ROOT/tests/golden/triclinic.xyz"
    zcat "$DATA/argon256.xyz.gz" >all.xyz
    same "$DATA/argon256.xyz.gz"
    for t in 1 2 5; do same -t $t all.xyz; done
    xyz2bin -t 1 all.xyz -o x.mbf && xyz2bin -t 5 all.xyz -o t.mbf && cmp x.mbf t.mbf
    head -n 1032 all.xyz >a.xyz
    tail -n +775 all.xyz >b.xyz
    same a.xyz b.xyz
    same --dialect plain --select 3:40:5 all.xyz
    traj2bin -q --format xyz a.xyz -o t.mbf
    fails 2 traj2bin --dt 0.5 "$DATA/formats/water10.xtc" a.xyz -o out.mbf
    [[ $output == *"a.xyz: expected an XTC trajectory as in the previous files, found XYZ text" ]]
    fails 2 traj2bin --dt 0.5 a.xyz "$DATA/formats/water10.xtc" -o out.mbf
    [[ $output == *"water10.xtc: expected XYZ text as in the previous files, found an XTC trajectory"* && ! -e out.mbf ]]
}

@test "a format is one file: its lines make --format, --help and magic; page, README and a test have one each; nothing lists it" {
    cd "$ROOT"
    sed -nE 's/^FORMAT\((\w+), "([^"]+)", "([^"]+)", "([^"(]*\w).*"\) = \{$/\1|\2|\3|\4/p' lib/formats/*.c >"$BATS_TEST_TMPDIR/formats"
    [ "$(grep -c '^FORMAT(' lib/formats/*.c | awk -F: '{ n += $2 } END { print n }')" -eq "$(wc -l <"$BATS_TEST_TMPDIR/formats")" ]
    [ "$(wc -l <"$BATS_TEST_TMPDIR/formats")" -ge 6 ]
    COLUMNS= traj2bin --help >"$BATS_TEST_TMPDIR/help"
    lists=$(tr -s ' \n' ' ' <"$BATS_TEST_TMPDIR/help") row=$(grep '^| `traj2bin`' README.md)
    while IFS='|' read -r id name suffixes brief; do
        [[ $lists == *" $name ($suffixes), "* && $lists == *"$brief"* ]] || { echo "$name: not in --help"; false; }
        [[ $row == *"$brief"* ]] || { echo "$name: $brief is not in the README"; false; }
        grep -q "^FORMAT_MAGIC(\"$name\", \|^    .guess = magic_is_$name,$" lib/formats/*.c || { echo "$name: no first bytes"; false; }
        grep -qE "^@test \".*$brief" tests/*/*.bats || { echo "$name: no test has $brief in its title"; false; }
        [ "$(grep -lrwE "format_$id" lib tools | wc -l)" -eq 0 ] || { echo "format_$id is listed by hand"; false; }
        echo ".It Ql $name"
    done <"$BATS_TEST_TMPDIR/formats" | sort >"$BATS_TEST_TMPDIR/names"
    diff "$BATS_TEST_TMPDIR/names" <(awk '/^\.Ss/ { on = / Formats/ } on && /^\.It Ql/' man/traj2bin.1 | sort) || { echo "the page has other formats"; false; }
    ! grep -n 'AT(MAGIC_TRAJ2BIN' lib/io/magic.c
}

@test "what a program does not read is recognised, with the command that converts it" {
    # said BYTES TEXT: all programs name TEXT
    said() {
        printf "$1" >bad
        refuses "$2"
        for p in xyz2bin "txt2bin --dt 1" frame-check "rdf-cpu"; do
            fails 2 $p -o out.mbf bad
            [[ $output == *"$2"* && ! -e out.mbf ]] || { echo "$p: $output"; false; }
        done
    }
    said '\xdf\x65\xdf\x65\xdf\x65\xdf\x65' "is a GSD file: python3 -m mbf from FILE makes a stream of it"
    said '\0\0\0\0\0\0\0\x40\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0GENERAL INFO' "is a TNG trajectory: gmx trjconv -f FILE -o out.xtc"
    said '\0\0\0\x1f\0\0\0\x1eVERSION 2022.5' "is a GROMACS run input"
    said '\xff\xff\x26\xfd\0\0\0\5' "is a GROMACS energy file: gmx energy -f FILE -o out.xvg"
    said 'Number of particles = 8\n' "is a CFG file of AtomEye: python3 -m mbf from"
    said 'SQLite format 3\0' "is a database (of ASE): python3 -m mbf from"
    said '(written by ASE)\n\n8 atoms \n2 atom types\n' "is a LAMMPS data file: md-cpu --from-data starts from it, python3 -m mbf from"
    printf 'LAMMPS (29 Sep 2021)\n' >bad # txt2bin reads those
    for p in traj2bin xyz2bin rdf-cpu; do
        fails 2 $p -o out.mbf bad
        [[ $output == *"is a LAMMPS log"* ]] || { echo "$p: $output"; false; }
    done
    said 'HEADER    PROTEIN\n' "is a PDB file: python3 -m mbf from"
    said 'CRYST1   10.000\n' "is a PDB file: python3 -m mbf from"
    said 'data_x\n' "is a CIF file"
    said 'argon\n    1\n    1AR      AR    1   0.626   1.624   1.679\n   1 1 1\n' "is a GRO file"
    said 'Si\n1.0\n5 0 0\n0 5 0\n0 0 5\nSi\n2\n' "POSCAR or XDATCAR"
    said '\x2d of Ulmxyz' "is an ASE trajectory: python3 -m mbf from"
    said '\x93NUMPY' "is a NumPy array: python3 -m mbf from"
    said 'PK\003\004' "zip archive"
    said '\x04\x22\x4d\x18' "put 'lz4 -dc FILE |' in front"
    said '\xfd7zXZ' "put 'xz -dc FILE |' in front"
    said 'BZh9' "put 'bzip2 -dc FILE |' in front"
    while IFS='|' read -r bytes text; do
        printf "$bytes" >bad
        refuses "bad: is $text"
    done <<'LIST'
7z\xbc\xaf\x27\x1c|a 7z archive
AFFormat|an ASE trajectory: python3
%40sGENERAL INFO|a TNG trajectory: gmx trjconv
LammpS RestartT|a LAMMPS restart: lmp -log none -r2dump
1234VELD|a DCD file of velocities
12345678VELD|a DCD file of velocities
\0\2\237\051|a GROMACS checkpoint
PSF|a PSF topology
%%VERSION|an AMBER topology
@<TRIPOS>|a MOL2 file, a structure
REMARK x|a PDB file
MODEL 1|a PDB file
ATOM  1|a PDB file
HETATM1|a PDB file
COMPND1|a PDB file
TITLE     x|a PDB file
TITLE\n|a GROMOS g96 file: gmx trjconv
ANIMSTEPS 2|an XSF file
CRYSTAL\n|an XSF file
<?xml|an XML file
<!DOCTYPE|a web page
<html|a web page
version https://git-lfs|a Git LFS pointer
\x7fELF|an executable program
%%PDF|a PDF document
LIST
    printf '\x89MBF' >bad
    refuses "is an MBF stream"
    printf '2\nAtoms. Timestep: 0\n1 0 0 0\n2 1 1 1\n' >bad # numbers for names
    [ "$(rows -q bad)" = $'0 0 0\n1 1 1' ]
    printf '2\n1 2 3 4\n5 6 7 8\n' >bad
    refuses "found another format (read XYZ text with xyz2bin and columns with txt2bin; python3 -m mbf from FILE reads more formats"
    printf 'data_x\n1\n2\n' | txt2bin --dt 1 | frame-check -q # a table all the same
    tar -cf bad "$DATA/argon8.xyz" 2>/dev/null
    refuses "is a tar archive: tar -xOf FILE"
    gzip -c <(echo 'HEADER    PROTEIN') >bad
    refuses "this gzip-compressed file is a PDB file"
    cp "$DATA/argon8.xyz" bad
    fails 2 frame-check bad
    [[ $output == *"is XYZ text: xyz2bin reads it"* ]]
    for f in "$DATA"/formats/water10.{xtc,dcd,trr}; do
        for p in xyz2bin "txt2bin --dt 1" "g4-cpu --lags 2" bin2txt; do
            fails 2 $p "$f" -o out.mbf
            [[ $output == *"traj2bin reads it"* ]]
        done
    done
    dump 0 '1 1 0 0 0' >bad
    fails 2 xyz2bin bad -o out.mbf
    [[ $output == *"is a LAMMPS text dump: traj2bin reads it"* ]]
    # another format after XYZ text
    for f in water10.{xtc,dcd,trr,ncdf} dump; do
        [ $f = dump ] && dump 0 '1 1 0 0 0' >dump || f=$DATA/formats/$f
        fails 2 traj2bin -q "$DATA/argon8.xyz" "$f" -o out.mbf
        [[ $output == *": expected XYZ text as in the previous files, found "* ]]
    done
    printf 'hello\0\1\2' >bad
    refuses "LAMMPS dumps (text), AMBER NetCDF, TRR, XTC, XYZ text, found another format"
}

@test "AMBER NetCDF: CDF-1, 2, 5, f32 and f64, ids, scale factors, counts, what is no trajectory" {
    python3 -c pass || skip "no python3"
    for version in 1 2 5; do
        for double in 0 1; do
            mknc version=$version double=$double >n.nc
            [ "$(rows n.nc)" = "$(three)" ]
            says sys.dt_ps 0.25
            says sys.cell '20 0 0 15\.0*[0-9]* 25.98076211353[0-9]* 0 0 0 40'
            [ "$(bin2txt rows.mbf | awk '!/^#/ { print $2 }' | uniq | xargs)" = "7 7.25" ]
        done
    done
    for odd in b c h i f d B H I q Q; do # of every type, nine numbers of it
        mknc version=5 odd=$odd >n.nc
        [ "$(rows n.nc)" = "$(three)" ] || { echo "$odd"; false; }
    done
    mknc odd=1 >n.nc
    [ "$(rows n.nc)" = "$(three)" ]
    mknc id=1 program=LAMMPS >n.nc
    [ "$(rows n.nc)" = "$(three)" ]
    mknc units=nanometer >n.nc
    [ "$(rows n.nc | sed -n 2p)" = "30 40 50" ]
    mknc velocities=1 >n.nc
    traj2bin --velocities n.nc -o v.mbf # 0, 1, 2, ... times 2
    python3 -c 'import struct, sys; b = open("v.mbf", "rb").read(); sys.exit(struct.pack("<9f", *range(0, 18, 2)) * 2 not in b)'
    for records in -1 1; do
        mknc records=$records >n.nc
        [ "$(rows n.nc 2>err)" = "$(three)" ]
    done
    grep -q "n.nc: the header states 1 frames, but the file contains more: all frames are used" err
    mknc records=3 >bad
    refuses "bad: frame 2: byte "
    [[ $output == *"truncated: the header states 3 frames, but the file ends after 2 (--allow-partial keeps the complete frames before it)" ]]
    mknc >n.nc
    for ((k = 4; k < 460; k += 4)); do # a header is read four bytes at a time
        head -c $k n.nc >bad
        refuses "truncated: expected"
    done
    mknc conventions=CF-1.6 >bad
    refuses "bad: expected a NetCDF file with Conventions AMBER or AMBERRESTART, found 'CF-1.6'"
    mknc units=furlong >bad
    refuses "expected coordinates in angstrom, found 'furlong'"
    mknc program=LAMMPS >bad
    refuses "expected the variable id, which is needed to sort the atoms"
    [ "$(rows --unsorted-ok bad)" = "$(three)" ]
    mknc without=coordinates >bad
    refuses "expected a variable named coordinates, scaled_coordinates or unwrapped_coordinates"
    for half in lengths angles; do # one without the other is no cell
        mknc without=cell_$half >bad
        refuses "bad: frame 0: expected a cell, found none"
        [ "$(rows bad --pbc none)" = "$(three)" ]
    done
    mknc id=1 velocities=1 >n.nc # the second frame's atoms are 3, 1, 2: so are its velocities
    [ "$(rows n.nc --velocities)" = "$(three)" ]
    python3 -c 'import struct, sys; b = open("rows.mbf", "rb").read(); w = [2 * k for k in range(9)]
sys.exit(struct.pack("<9f", *w) not in b or struct.pack("<9f", *w[3:], *w[:3]) not in b)'
}

@test "a second file that is not there, types of one name" {
    fails 3 traj2bin "$DATA/formats/water10.xtc" nowhere -o out
    [[ $output == *"nowhere: cannot open: No such file"* && ! -e out ]]
    { dump 0 "1 1 1 2 3" "2 2 4 5 6" "3 3 7 8 9"; dump 1 "1 1 1 2 3" "2 2 4 5 6" "3 3 7 8 9"; } >d
    [ "$(rows d --units real --dt 1 --species 1=O,2=H,3=O)" = "$(rows d --units real --dt 1)" ]
    rows d --units real --dt 1 --species 1=O,2=H,3=O >/dev/null
    says sys.species 'O 1 H 1 O 1'
}

# mktrr REAL PARTS: two frames of three atoms as TRR, numbers of 4 or 8 bytes; PARTS of b (box), x,
# v.
mktrr() {
    py forge/trr "$@"
}

# put FILE OFFSET BYTES: makes the file `bad` with these bytes at OFFSET. put FILE FROM TO: replaces
# the first FROM by TO.
put() {
    cp "$1" bad
    printf '%b' "$3" | dd of=bad bs=1 seek="$2" conv=notrunc status=none
}
as() {
    python3 -c 'import ast, sys
a, b = (ast.literal_eval("b\"%s\"" % s) for s in sys.argv[2:])
d = open(sys.argv[1], "rb").read()
k = d.index(a)
open("bad", "wb").write(d[:k] + b + d[k + len(a):])' "$@"
}

@test "a line for which --max-mem has no room is status 4, no end of the file" {
    { printf 'ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n'; head -c 3000000 /dev/zero | tr '\0' 1; } >long
    fails 4 traj2bin --max-mem 1M -t 1 long -o out.mbf
    [[ $output == *"long: 2 MiB of memory is needed for reading, but the limit is 1 MiB (use a larger --max-mem)" ]]
}

@test "fields that cannot be, format by format: one line that names what was expected" {
    python3 -c pass || skip "no python3"
    local f=$DATA/formats/water10
    while IFS='|' read -r at bytes text; do
        put $f.trr "$at" "$bytes"
        refuses "$text"
    done <<'LIST'
32|\0\0\0\045|byte 0: expected 0 or 36 bytes of box for 10 atoms, found 37
32|\0\0\0\033|byte 0: expected numbers of 4 or 8 bytes, found 3
360|\0\0\0\033|frame 1: byte 360: expected the magic number 1993 of a TRR frame, found 27
12|X|byte 0: expected the text 'GMX_trn_file', found other bytes
36|\0377|byte 0: damaged header: expected a size of 0 or more, found -16777216 bytes
76|\0177\0300|byte 0: expected a time, found nan
LIST
    { cat $f.trr; mktrr 4 bxv; } >bad
    refuses "frame 3: byte 1080: expected 10 atoms as in the first frame, found 3"
    { mktrr 4 bxv | head -c 192; mktrr 4 bx | tail -c 156; } >bad
    refuses "frame 1: --velocities: expected velocities in this frame, found none" --velocities
    { mktrr 4 bxv; mktrr 4 bv | head -c 150; } >bad
    refuses "bytes of a frame without positions, but the file ends"
    while IFS='|' read -r at bytes text; do
        put $f.xtc "$at" "$bytes"
        refuses "$text"
    done <<'LIST'
12|\0177\0300|byte 0: expected a time, found nan
56|\0\0\0\0|byte 0: expected a positive precision, found 0
60|\0177\0377\0377\0377|frame 0: byte 0: damaged frame: expected a valid range of packed coordinates, found 2147483647 to 673
72|\0177|frame 0: byte 0: damaged frame: 38 bytes of data do not contain 10 packed atoms
72|\04|frame 0: byte 0: damaged frame: 38 bytes of data do not contain 10 packed atoms
88|\0\0\0\024|frame 0: byte 0: damaged frame: 20 bytes of data do not contain 10 packed atoms
LIST
    put $f.xtc 136 '\0\0\0\013' && cp bad two && put two 184 '\0\0\0\013'
    refuses "frame 1: byte 132: expected 10 atoms as in the first frame, found 11"
    put $f.dcd 88 '\0125'
    refuses "byte 0: damaged record (the header): expected equal lengths in its two markers, found 84 and 85 bytes" --dt 1
    put $f.dcd 344 '\0'
    refuses "byte 344: expected a record of 4 bytes (the number of atoms), found 0" --dt 1
    mkdcd fixed=1 >d.dcd
    as d.dcd '\x08\0\0\0\x01\0\0\0\x02\0\0\0' '\x08\0\0\0\x02\0\0\0\x01\0\0\0'
    refuses "byte 212: expected the indices of the free atoms in ascending order from 1 to 3, found other numbers" --dt 1
    as d.dcd '\x04\0\0\0\x03\0\0\0' '\x04\0\0\0\x01\0\0\0'
    refuses "expected at least one atom that is not fixed, found 1 atoms, of which 1 are fixed" --dt 1
    mkdcd >d.dcd
    as d.dcd '\x0c\0\0\0' '\x0b\0\0\0'
    refuses "coordinate x of 3 atoms: expected a record of 12 bytes, found 11 bytes in its first marker and 12 in its last" --dt 1
    put d.dcd 268 '\013'
    refuses "coordinate x of 3 atoms: expected a record of 12 bytes, found 12 bytes in its first marker and 11 in its last" --dt 1
    head -c 252 d.dcd >bad
    refuses "truncated: expected 60 bytes of positions, but the file ends here" --dt 1
    head -c 92 d.dcd >bad
    refuses "truncated: expected a record (the title), but the file ends here" --dt 1
    fails 2 traj2bin --dt 1 $f.dcd d.dcd -o out
    [[ $output == *"d.dcd: frame 3: expected 10 atoms as in the first file, found 3"* ]] || { echo "$output"; false; }
    mknc >n.nc
    while IFS='|' read -r from to text; do
        as n.nc "$from" "$to"
        refuses "$text"
    done <<'LIST'
\x01\0\0\0\x02\0\0\0\x0a|\x01\0\0\0\x02\0\0\0\x09|damaged header: expected a list with tag 10, found tag 9
Conventions\0\0\0\0\x02|Conventions\0\0\0\0\x0c|damaged header: attribute Conventions has the unknown type 12
time\0\0\0\1\0\0\0\0|time\0\0\0\1\0\0\0\x09|damaged header: variable time has the unknown dimension 9
picosecond\0\0\0\0\0\x05|picosecond\0\0\0\0\0\x0c|damaged header: variable time has an invalid size or type (12)
picosecond\0\0\0\0\0\x05|picosecond\0\0\0\0\0\x04|variable time: expected f32 or f64 values with the dimensions (frame), as in
xyz\0\x40\xe0\0\0|xyz\0\x7f\xc0\0\0|frame 0: byte 460: expected a time, found nan
\x40\x34\0\0\0\0\0\0|\xc0\x34\0\0\0\0\0\0|frame 0: byte 460: expected the edges and angles of a cell, found -20 30 40  90 90 60
LIST
    mkbin >l.bin
    as l.bin '\0\0\0\0\0\0\x34\x40' '\0\0\0\0\0\0\xf8\x7f'
    refuses "expected finite box bounds in ascending order, found bound 2 equal to nan"
    mkbin units=furlong >bad
    refuses "expected a unit style (real, metal, ...), found 'furlong'"
    mkbin units="$(printf %050d 0)" >bad
    refuses "found '$(printf %040d 0)'"
    mkbin time=nan >bad
    refuses "expected a time, found nan"
    { dump 0 "1 1 1 2 3"; dump 1 "1 1 1 2 3" | sed 's/^0 20/0/'; } >bad
    refuses "frame 1: line 17: expected 2 numbers for the box, found '0'" --units real --dt 1
    { dump 0 "1 1 1 2 3"; dump 1 "1 1 1 2 3" | sed 's/pp pp ff/pp pp pp/'; } >bad
    refuses "frame 1: expected the same periodic axes as in the first frame" --units real --dt 1
    dump 0 "1 1 1 2 3" | sed 's/^0 10/10 0/' >bad
    refuses "expected" --units real --dt 1
    cp n.nc bad
    refuses "--timestep: expected frames with MD step numbers, found none (use --dt instead)" --timestep 0.001
}

@test "every level of SIMD reads the same, and refuses the same" {
    python3 -c pass || skip "no python3"
    python3 - >id.bin <<'PY'
import struct, sys
rows = [(40 - i, 1 + i % 2, i, 1.5 * i, 2) for i in range(40)]
for f in range(2):
    sys.stdout.buffer.write(struct.pack("<q10sii", -10, b"DUMPCUSTOM", 1, 2) + struct.pack("<qqi6i6di", f, 40, 0, *[0] * 6, 0, 90, 0, 90, 0, 90, 5)
                            + struct.pack("<i5sc", 5, b"metal", b"\0") + struct.pack("<i14s", 14, b"id type x y z ") + struct.pack("<ii200d", 1, 200, *sum(rows, ())))
PY
    python3 -c 'import struct; b = bytearray(open("id.bin", "rb").read()); at = b.index(struct.pack("<d", 27)); b[at:at + 8] = struct.pack("<d", 27.25)
open("half.bin", "wb").write(b)'
    mkdcd order='>' mark=q >big.dcd
    python3 - <<'PY'
import struct
for o, name in (">", "wide.dcd"), ("<", "little.dcd"): # 57 atoms: whole vectors and a rest
    rec = lambda b: struct.pack(o + "i", len(b)) + b + struct.pack(o + "i", len(b))
    out = rec(b"CORD" + struct.pack(o + "20i", 2, 0, 1, *[0] * 7, 1, *[0] * 8, 24)) + rec(struct.pack(o + "i", 1) + b" " * 80) + rec(struct.pack(o + "i", 57))
    for f in range(2):
        out += rec(struct.pack(o + "6d", 90, 90, 90, 90, 90, 90))
        out += b"".join(rec(struct.pack(o + "57f", *[i + a / 8 + f / 2 for i in range(57)])) for a in range(3))
    open(name, "wb").write(out)
PY
    for f in "$DATA"/formats/water10.{dcd,xtc,trr,ncdf} {big,wide,little}.dcd id.bin half.bin; do
        for o in f32 f64; do
            for v in v2 v3 v4; do
                MBF_SIMD=$v traj2bin -q --dt 1 --dtype $o "$f" -o "$v" 2>"$v.err" && cat "$v" >>"$v.err" || echo "$?" >>"$v.err"
                rm -f "$v"
            done
            cmp v2.err v3.err && cmp v2.err v4.err || { echo "$f $o"; false; }
            [ "$f" = half.bin ] || head -c 5 v2.err | grep -q MBF
        done
    done
    grep -q '27.25' v2.err # half.bin is last
    for v in v2 v3 v4; do
        for f in wide little; do
            [ "$(MBF_SIMD=$v rows -q --dt 1 $f.dcd)" = "$(awk 'BEGIN { for (f = 0; f < 2; f++) for (i = 0; i < 57; i++)
                printf "%.9g %.9g %.9g\n", i + f / 2, i + 1 / 8 + f / 2, i + 2 / 8 + f / 2 }')" ] || { echo "$v $f"; false; }
        done
    done
}

@test "TRR in single and double precision, with and without a box, positions, velocities" {
    python3 -c pass || skip "no python3"
    for real in 4 8; do
        mktrr $real bxv >t.trr
        [ "$(rows t.trr --velocities)" = "$(three)" ]
        says sys.cell '20 0 0 0 30 0 0 0 40'
        says sys.dt_ps 0.5
        [ "$(bin2xyz rows.mbf | awk 'NF == 7 { print $5, $6, $7 }')" = "$(three)" ] # the same in A/ps
        mktrr $real x >t.trr
        [ "$(rows t.trr --cell 50)" = "$(three)" ]
        mktrr $real v >bad
        refuses "bad: "
    done
    mktrr 8 bx >t.trr
    [ "$(rows --dtype f64 t.trr)" = "$(three)" ]
}

@test "LAMMPS binary: byte orders, revisions, chunks put in order, old files without names" {
    mkbin columns="id x y q z" >l.bin # y is beside x, z is not beside y
    [ "$(rows l.bin)" = "$(for f in 0 100; do for i in 0 1 2; do echo $((i > 0 ? 2 : 1)) $((3 * i + f)) $((3 * i + 2 + f)); done; done)" ] || { rows l.bin; false; }
    mkbin columns="id x q z y" >l.bin # z is where it would be behind x and y
    [ "$(rows l.bin)" = "$(for f in 0 100; do for i in 0 1 2; do echo $((i > 0 ? 2 : 1)) $((3 * i + 2 + f)) $((3 * i + 1 + f)); done; done)" ] || { rows l.bin; false; }
    python3 -c pass || skip "no python3"
    for order in '<' '>'; do
        mkbin order=$order >l.bin
        [ "$(rows l.bin)" = "$(three)" ]
        says sys.dt_ps 0.5
        says sys.cell '20 0 0 0 30 0 0 0 40'
        says sys.pbc TTF
        says sys.species '1 1 2 2'
        for revision in 0 1; do
            mkbin order=$order revision=$revision >l.bin
            [ "$(rows --units real --timestep 0.001 --columns 'id type x y z' l.bin)" = "$(three)" ]
            says sys.dt_ps 0.01
            cp l.bin bad
            refuses "expected the names of 5 columns, found none in this old dump (copy the names from the LAMMPS dump command to --columns; for style atom, give --columns" --units real --dt 1
            refuses "expected names for 5 columns, found 4 names (id x y z)" --units real --dt 1 --columns 'id x y z'
        done
    done
    mkbin units= time=none >bad
    refuses "(name it with --units STYLE: real"
    mkbin time=none >l.bin # LAMMPS' default for units metal
    rows l.bin >/dev/null
    says sys.dt_ps 0.01
    mkbin natoms=4 >bad
    refuses "expected 4 atoms, found 3 in 2 chunks"
    mkbin natoms=2 >bad
    refuses "expected a chunk of rows with 5 numbers each and at most 1 rows, found a chunk of 10 numbers"
    mkbin columns="q type x y z" >bad
    refuses "expected a column named id, because LAMMPS does not sort its dumps"
    [ "$(rows --unsorted-ok bad | sort -n)" = "$(three)" ]
    for id in 0.5 nan -4; do # of the last row
        mkbin add=$id >bad
        refuses "bad: frame 0: byte 289: expected a whole number for an id, found"
        mkbin add=$id columns="id q x y z" >bad # rows of which no more is wanted
        refuses "bad: frame 0: byte 286: expected a whole number for an id, found"
    done
    mkbin columns="$(printf 'id type x y z%1010s')" >l.bin # the longest line that is taken
    [ "$(rows l.bin)" = "$(three)" ]
    for step in -5 -1; do
        mkbin step=$step revision=2 >bad
        refuses "expected a time step and a number of atoms, found $step and 3"
    done
    mkbin | head -c 100 >bad
    refuses "expected 48 bytes of the box, but the file ends after 30 bytes"
    mkbin word=DUMPGRID >bad
    refuses "frame 1: byte 313: expected DUMPATOM or DUMPCUSTOM, found 'DUMPGRID'"
    mkbin one=2 >bad
    refuses "frame 1: byte 311: expected the byte order from 1 to 1, found 2"
    # the limits of each number of the header
    mkbin >l.bin
    while IFS='|' read -r at bytes text; do
        put l.bin "$at" "$bytes"
        refuses "$text"
    done <<'LIST'
34|\0\0\0\0\0\0\0\0|expected a time step and a number of atoms, found 0 and 0
34|\01\0\0\0\0\01\0\0|expected a time step and a number of atoms, found 0 and 1099511627777
42|\02|expected a mark of tilt from 0 to 1, found 2
66|\04|expected a kind of boundary from 0 to 3, found 4
66|\0377\0377\0377\0377|expected a kind of boundary from 0 to 3, found -1
118|\0|expected numbers of a row from 1 to 256, found 0
118|\01\01|expected numbers of a row from 1 to 256, found 257
122|\0377\0377\0377\0377|expected the length of
132|\0\0\0\0\0\0\0360\0177|expected a time, found inf
140|\0377\0377\0377\0377|expected the length of the columns from 0 to
157|\0\0\0\0|expected a number of chunks from 1 to 16777216, found 0
157|\01\0\0\01|expected a number of chunks from 1 to 16777216, found 16777217
LIST
    # with more types than names, rows after the last name are read in another way
    python3 - >bad <<'PY'
import struct, sys
rows = [(i + 1, i + 1, i, float("nan") if i == 9 else 1, 2) for i in range(2000)]
sys.stdout.buffer.write(struct.pack("<q10sii", -10, b"DUMPCUSTOM", 1, 2) + struct.pack("<qqi6i6di", 0, 2000, 0, *[0] * 6, 0, 2000, 0, 30, -20, 20, 5)
                        + struct.pack("<i5sc", 5, b"metal", b"\0") + struct.pack("<i15s", 15, b"id type x y z ".ljust(15))
                        + struct.pack("<ii10000d", 1, 10000, *sum(rows, ())))
PY
    refuses "found nan or inf as position y of atom 9" --dt 1
}

# mda COMMAND...: runs Python with MDAnalysis, or skips the test with this reason.
mda() {
    local py
    for py in python3 /usr/bin/python3 none; do "$py" -W ignore -c 'import MDAnalysis' 2>/dev/null && break; done
    [ "$py" != none ] || skip "no MDAnalysis"
    PYTHONPATH=$ROOT/tests PYTHONDONTWRITEBYTECODE=1 "$py" -W ignore "$@" 2>mda.err || { tail -n 3 mda.err; return 1; }
}

@test "MDAnalysis writes, both read: positions bit for bit, cells and times to 1e-6" {
    mda "$ROOT/tests/golden/mda_write.py"
    for f in t*.*; do
        case $f in *.dcd) o="--dt 0.25" ;; *) o= ;; esac
        # shellcheck disable=SC2086
        traj2bin $o "$f" -o "${f%.*}.mbf"
    done
    # shellcheck disable=SC2046
    [ "$(mda "$ROOT/tests/golden/mda_equal.py" $(for f in t*.{xtc,dcd,trr,ncdf}; do echo "${f%.*}.mbf" "$f"; done))" = "24 files equal" ]
}

# Files of LAMMPS: lj argon that melts, 500 atoms, unsorted by hand where the program sorts.
lammps() {
    command -v lmp >/dev/null || skip "no lmp"
    printf '%s\n' "units ${2:-real}" 'atom_style atomic' 'lattice fcc 5.4' 'region b prism 0 5 0 5 0 5 1.5 0.5 -0.7' 'create_box 2 b' \
        'create_atoms 1 box' 'set group all type/fraction 2 0.3 123' 'mass * 39.948' 'velocity all create 300 4711' \
        'pair_style lj/cut 8.0' 'pair_coeff * * 0.238 3.4' 'timestep 2.0' 'fix 1 all nve' "$1" 'run 50' >in.lmp
    lmp -in in.lmp -log none -screen none
}

@test "LAMMPS writes text, text.gz and binary, tilted and scaled: the same atoms in each" {
    lammps 'dump t all custom 10 t.dump id type x y z vx vy vz ix iy iz
dump_modify t units yes time yes format float %.17g
dump a all atom 10 a.dump
dump g all custom 10 g.dump.gz id type xu yu zu
dump_modify g units yes format float %.17g
dump b all custom 10 b.bin id type x y z vx vy vz
dump_modify b units yes time yes
dump m all custom 10 m.dump id type x y z
dump ab all atom 10 ab.bin'
    traj2bin --velocities t.dump -o t.mbf
    says() { frame-check -v "$1" | grep -qE "^ +$2 +$3\$"; }
    says t.mbf sys.dt_ps 0.02
    traj2bin --velocities b.bin -o b.mbf
    compare --atol 0 t.mbf b.mbf # 17 digits are the number itself
    traj2bin --units real --timestep 0.002 a.dump -o a.mbf
    compare --atol 2e-4 t.mbf a.mbf # six digits, scaled
    traj2bin --units real --timestep 0.002 ab.bin -o ab.mbf
    compare --atol 1e-5 t.mbf ab.mbf
    traj2bin --timestep 0.002 --unwrap g.dump.gz -o g.mbf
    traj2bin --unwrap t.dump -o u.mbf
    compare --atol 1e-5 g.mbf u.mbf
    # MDAnalysis moves the origin of the bounding box to 0, and does not use units
    traj2bin --units real --timestep 0.002 m.dump | bin2xyz | awk 'NF == 4 && !/=/ { print $2, $3, $4 }' >m.txt
    mda -c '
import numpy as np, MDAnalysis as mda
u = mda.Universe("m.dump", format="LAMMPSDUMP", topology_format="LAMMPSDUMP")
mine = np.loadtxt("m.txt").reshape(len(u.trajectory), -1, 3)
for x, ts in zip(mine, u.trajectory):
    d = x - ts.positions
    assert np.ptp(d, axis=0).max() < 1e-5, d
'
}

@test "a live run through a FIFO that pauses: every whole frame has come out" {
    rows60=$(for a in $(seq 60); do echo "$a 1 1 2.5 $a"; done)
    mkfifo fifo
    : >out
    traj2bin --units real --dt 1 fifo > >(cat >>out) &
    reader=$!
    exec 7<>fifo # does not wait for a reader
    for n in 1 2 3; do
        { printf 'ITEM: TIMESTEP\n%s\nITEM: NUMBER OF ATOMS\n60\nITEM: BOX BOUNDS pp pp pp\n0 10\n0 20\n-15 15\nITEM: ATOMS id type x y z\n' $n
          printf '%s\n' "$rows60"; } >&7
        until_true 20 eval '[ "$(size_of out)" -ge $((384 + 896 * n)) ]' # META, and 896 bytes a frame
    done
    exec 7>&-
    wait $reader
}

@test "a dump with positions that f32 cannot tell apart: refused, f64 takes it" {
    printf 'ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS pp pp pp\n0 23\n0 23\n0 23\nITEM: ATOMS id xu yu zu\n1 1 -20000.25 3\n' >far
    fails 2 traj2bin --units real --dt 1 far -o out.mbf
    [[ $output == *"within 16384 Å"*"--dtype f64"*"y of atom 0 at -20000"* ]]
    [ "$(traj2bin --units real --dt 1 --dtype f64 far | bin2txt | awk '!/^#/ { print $5 }')" = -20000.25 ]
}

@test "f32 positions that no distance can be taken of: refused in every format, f64 takes them" {
    python3 -c pass || skip "no python3"
    for x in 1e37 -20000 16386; do # angstrom
        py forge/far_f32 $x
        py forge/amber_netcdf far=$x >f.nc
        for f in f.xtc f.trr f.dcd f.bin f.nc; do
            cp $f bad
            refuses "bad: frame 0: expected a position within 16384 Å" --dt 1 --pbc none
            traj2bin -q --dt 1 --pbc none --dtype f64 $f -o out.mbf
            bin2txt -q out.mbf | grep -qE " -?(20000|1638[56]|1e\+37|9\.9999[0-9]*e\+36)(\.| )" || { echo $f $x; false; }
        done
    done
}

@test "as many threads as one likes, a pipe: the same bytes, the same error" {
    py forge/many_blocks
    head -n 50000 small | sed '$s/ 0.25/ 0,25/' >bad # in the second block
    head -c 5000000 many.dcd >cut.dcd
    for f in run.dcd many.dcd cut.dcd run.trr small large bad; do
        o=(--dt 1 --pbc none)
        case $f in small | large | bad) o+=(--units metal) ;; esac
        rc=0
        traj2bin -t 1 "${o[@]}" $f >one 2>one.err || rc=$?
        for t in 2 5; do
            run timeout 60 traj2bin -t $t "${o[@]}" $f -o many
            [ "$status" -eq $rc ]
            [ "$output" = "$(cat one.err)" ]
            [ $rc -ne 0 ] || cmp one many
        done
        [ $rc -ne 0 ] || { traj2bin -t 2 "${o[@]}" - <$f >many && cmp one many; }
        [ $rc -ne 0 ] || { cat $f | traj2bin -t 2 "${o[@]}" >many && cmp one many; }
        # frames longer than a block, where the limit leaves no room to pass blocks on
        [ $f != run.trr ] || { traj2bin -t 2 --max-mem 40M "${o[@]}" $f >many && cmp one many; }
        case $f in
        bad) grep -q "bad: frame .*line 50000: .*'0,25'" one.err ;;
        cut.dcd) grep -q "cut.dcd: frame 415: .*truncated" one.err ;;
        *) [ $rc -eq 0 ] ;;
        esac
    done
    # blocks without a selected row
    o=(--dt 1 --pbc none --units metal)
    for k in {1..10}; do cat large; done >long
    for t in 1 2 5; do
        traj2bin -t $t "${o[@]}" --select ::15 long -o $t.mbf
        cmp 1.mbf $t.mbf
    done
}

@test "--topology: names and residues of a GRO, PDB or PSF file; too many, too few, cut, no such file" {
    awk 'BEGIN { split("OW HW1 HW2", name); print "water"; print 10
        for (i = 0; i < 10; i++) printf "%5d%-5s%5s%5d%8.3f%8.3f%8.3f\n", i / 3 + 1, i < 9 ? "SOL" : "NA", i < 9 ? name[i % 3 + 1] : "NA", i + 1, 0, 0, 0
        print "1 1 1" }' >c.gro
    awk 'BEGIN { split("O H H", kind); print "CRYST1"
        for (i = 0; i < 10; i++) printf "%-6s%5d  %-3s SOL A%4d    %8.3f%8.3f%8.3f  1.00  0.00          %2s\n", i % 2 ? "ATOM" : "HETATM", i + 1, "X" i, i / 3 + 1, 0, 0, 0, i < 9 ? kind[i % 3 + 1] : "NA"
        print "ENDMDL"; print "ATOM of another model" }' >c.pdb
    said() { traj2bin -q "$@" "$DATA/formats/water10.xtc" | bin2txt --meta | sed -n 's/^sys.species\t//p'; }
    [ "$(said --topology c.gro --molecules m.txt)" = "OW 1 HW1 1 HW2 1 OW 1 HW1 1 HW2 1 OW 1 HW1 1 HW2 1 NA 1" ]
    [ "$(cat m.txt)" = "$(printf '0 1 2\n3 4 5\n6 7 8')" ]
    want="O 1 H 2 O 1 H 2 O 1 H 2 Na 1"
    [ "$(said --topology c.gro --species OW=O,HW1=H,HW2=H,NA=Na)" = "$want" ]
    [ "$(said --topology c.pdb --molecules p.txt)" = "$want" ]
    cmp m.txt p.txt
    gzip -k c.gro
    [ "$(said --topology c.gro.gz)" = "$(said --topology c.gro)" ]
    sed 's/ *[A-Z]*$//' c.pdb >names.pdb # no elements
    [[ $(said --topology names.pdb) == "X0 1 X1 1 X2 1 "* ]]
    traj2bin -q --topology c.pdb "$DATA/formats/water10.xtc" | rdf-cpu -q --pair O-H --exclude m.txt --blocks 2 | frame-check -q
    for wide in '' 1; do
        awk -v wide="$wide" 'BEGIN { split("OH2 H1 H2", name); print "PSF" (wide ? " EXT" : ""); print "\n       0 !NTITLE\n"; printf(wide ? "%10d !NATOM\n" : "%8d !NATOM\n", 10)
            for (i = 0; i < 10; i++) printf(wide ? "%10d %-8s %-8d %-8s %-8s %4d\n" : "%8d %-4s %-4d %-4s %-4s %4d\n", i + 1, i < 6 ? "WAT" : "", i / 3 + 1, i < 9 ? "TIP3" : "SOD", i < 9 ? name[i % 3 + 1] : "SOD", 7) }' >c.psf
        [ "$(said --topology c.psf --molecules f.txt)" = "OH2 1 H1 1 H2 1 OH2 1 H1 1 H2 1 OH2 1 H1 1 H2 1 SOD 1" ]
        cmp m.txt f.txt
    done
    # words between blanks, as psfgen writes them if a name is long
    awk 'NR == 1 { $0 = "PSF NAMD" } NR == 5 { sub(/  /, "") } NR > 5 { $0 = $1 " A_LONG_SEGMENT " $(NF - 3) " " $(NF - 2) " " $(NF - 1) " " $NF } 1' c.psf >namd.psf
    [ "$(said --topology namd.psf --molecules f.txt)" = "$(said --topology c.psf)" ]
    cmp m.txt f.txt
    refused() {
        fails 2 traj2bin "${@:2}" "$DATA/formats/water10.xtc" -o no
        [ "$output" = "traj2bin: $1" ] && [ ! -e no ] || { echo "$output"; false; }
    }
    head -n 8 c.gro >cut.gro
    refused "cut.gro: expected 10 atoms, but the file ends after 6" --topology cut.gro
    { sed -n 1p c.gro; echo 9; sed -n '3,$p' c.gro; } >nine.gro
    refused "nine.gro: expected the 10 atoms of the trajectory, found 9" --topology nine.gro
    printf 'a\nb\n' >b.gro
    refused "b.gro: line 2: expected the number of atoms in GRO format (a .gro or .pdb file), found 'b'" --topology b.gro
    head -n 8 c.psf >cut.psf
    refused "cut.psf: expected 10 atoms after !NATOM, but the file ends after 3" --topology cut.psf
    sed 's/OH2 /     /' c.psf >bad.psf
    refused "bad.psf: line 6: expected an atom in PSF format, found '         1 WAT      1        TIP3       '" --topology bad.psf
    head -c 30 c.pdb >cut.pdb
    refused "cut.pdb: line 2: the last line has no newline and may be incomplete (if it is complete, add a newline: echo >>FILE)" --topology cut.pdb
    echo >>cut.pdb
    refused "cut.pdb: line 2: expected an atom in PDB format, found 'HETATM    1  X0  SOL A '" --topology cut.pdb
    head -c 40 c.gro.gz >cut.gro.gz
    fails 2 traj2bin --topology cut.gro.gz "$DATA/formats/water10.xtc" -o no
    [ "$output" = "traj2bin: cut.gro.gz: truncated: the gzip data is incomplete" ]
    refused "none.gro: No such file or directory" --topology none.gro
    refused "$DATA/formats/water10.xtc: expected a name for each type in --species, found none for type NA" --topology c.gro --species OW=O,HW1=H,HW2=H
    refused "$DATA/formats/water10.xtc: --molecules: expected molecules, found an XTC trajectory without molecules (define them with --topology FILE)" --molecules no.txt
    [ ! -e no.txt ]
    cp c.gro before
    fails 2 traj2bin --topology c.gro --molecules c.gro "$DATA/formats/water10.xtc" -o no
    cmp before c.gro
    fails 3 traj2bin --topology c.gro --molecules /dev/full "$DATA/formats/water10.xtc" -o no
    [ "$output" = "traj2bin: /dev/full: cannot write: No space left on device" ] && [ ! -e no ]
}

@test "--elements: names of force fields, ions by their residue, sites kept; an uncertain name is refused with what to give" {
    said() { traj2bin -q --dt 1 --pbc none "$@" | bin2txt --meta | sed -n 's/^sys.species\t//p'; }
    no() { fails 2 traj2bin --dt 1 --pbc none "${@:2}" -o no; [ "$output" = "traj2bin: $1" ] && [ ! -e no ] || { echo "$output"; false; }; }
    gro() { # NAME RESIDUE:ATOM...: a GRO file, and run.xyz with as many atoms
        printf '%s\n' "${@:2}" | awk -F: 'BEGIN { print "g" } { r[NR] = $1; a[NR] = $2 } END { print NR
            for (k = 1; k <= NR; k++) printf "%8s  %5s%5d%8.3f%8.3f%8.3f\n", r[k], a[k], k, 0, 0, 0
            print "2 2 2" }' >"$1.gro"
        awk -v n=$(($# - 1)) 'BEGIN { print n "\n"; for (k = 0; k < n; k++) print "X", k, 0, 0 }' >run.xyz
    }
    gro all 1ALA:N 1ALA:CA 1ALA:1HB 2SOL:OW 2SOL:HW1 2SOL:HW2 2SOL:MW 3LIG:CL1 3LIG:C12 4CA:CA 5NA+:NA 6SOD:SOD 7ION:K 8W:Ar
    [ "$(said --elements --topology all.gro run.xyz)" = "N 1 C 1 H 1 O 1 H 2 MW 1 Cl 1 C 1 Ca 1 Na 2 K 1 Ar 1" ]
    [ "$(said --elements --species Na,MW --topology all.gro run.xyz)" = "MW 1 Na 2" ]
    # ions as CHARMM names them, and by their symbols
    gro ions 1SOD:SOD 2POT:POT 3CES:CES 4LIT:LIT 5CAL:CAL 6BAR:BAR 7CLA:CLA 8IOD:IOD
    [ "$(said --elements --topology ions.gro run.xyz)" = "Na 1 K 1 Cs 1 Li 1 Ca 1 Ba 1 Cl 1 I 1" ]
    symbols="Li Na K Rb Cs Mg Ca Sr Ba Zn Cd Cu Fe Mn Co Ni Al Cl Br I He Ne Ar Kr Xe" k=0
    # shellcheck disable=SC2046,SC2086
    gro ions $(for x in $symbols; do echo $((++k))ION:${x^^}; done)
    [ "$(said --elements --topology ions.gro run.xyz)" = "${symbols// / 1 } 1" ]
    gro sep 1SEP:N 1SEP:CA 1SEP:C 1SEP:P 2CA:CA # a modified amino acid, by its backbone
    [ "$(said --elements --topology sep.gro run.xyz)" = "N 1 C 2 P 1 Ca 1" ]
    gro alpha 1ALA:CA 2GLY:CA
    [ "$(said --elements --topology alpha.gro run.xyz)" = "C 2" ]
    # carbon or calcium, nitrogen or sodium, an unknown name, a bead of water
    for name in 1LIG:CA 1SLAB:NA 1LIG:XY 1W:W; do
        gro odd 1SOL:OW $name 1SLAB:CL
        r=${name%:*} n=${name#*:}
        no "odd.gro: --elements: the element of atom 1 (residue: $r) is uncertain from its name, '$n' (use --species OW=O,$n=ELEMENT,CL=Cl instead)" --elements --topology odd.gro run.xyz
    done
    [ "$(said --species OW=O,W=W,CL=Cl --topology odd.gro run.xyz)" = "O 1 W 1 Cl 1" ]
    # names of XYZ text, in every frame
    printf '3\n\nOW 0 0 0\nHW1 1 1 1\nHW2 0 1 0\n%.0s' 1 2 >w.xyz
    [ "$(said --elements w.xyz)" = "O 1 H 2" ]
    [ "$(said --species OW=O,HW1=H,HW2=D w.xyz)" = "O 1 H 1 D 1" ]
    sed 's/OW/CA/' w.xyz >ca.xyz
    no "--elements: the element of atom 0 (residue: unknown) is uncertain from its name, 'CA' (use --species CA=ELEMENT,HW1=H,HW2=H instead)" --elements ca.xyz
    no "expected either --elements or new names in --species, found both" --elements --species OW=O w.xyz
    no "--elements: expected atoms with names, found none (give --topology)" --elements "$DATA/formats/water10.xtc"
}

@test "--molecules into a pipe: the file is there when the next program reads the first frame" {
    awk 'BEGIN { for (f = 0; f < 300; f++) { printf "ITEM: TIMESTEP\n%d\nITEM: NUMBER OF ATOMS\n999\nITEM: BOX BOUNDS pp pp pp\n0 50\n0 50\n0 50\nITEM: ATOMS id mol type x y z\n", f
        for (i = 1; i < 1000; i++) print i, int((i + 2) / 3), 1, i % 50, i % 49, i % 47 } }' >run.lammpstrj # more than a pipe holds
    traj2bin -q --units real --dt 1 --molecules m.txt run.lammpstrj | { head -c 64 >/dev/null; [ ! -e m.txt ] || echo 1 >seen; cat >/dev/null; }
    [ -e seen ] && [ "$(wc -l <m.txt)" -eq 333 ]
}

@test "--topology: TER, another chain, number or insertion code ends a molecule of a PDB file" {
    atoms() { # a row of arguments for each atom: TER?, chain, number, insertion code
        awk 'BEGIN { split("O H H", kind); print "REMARK" }
            { if ($1 == "TER") print "TER"
              printf "ATOM  %5d  %-3s HOH %s%4d%s   %8.3f%8.3f%8.3f  1.00  0.00          %2s\n", NR, kind[(NR - 1) % 3 + 1], $2, $3, $4 == "-" ? " " : $4, 0, 0, 0, kind[(NR - 1) % 3 + 1] }
            END { printf "END" }'
    }
    molecules() {
        traj2bin -q --topology t.pdb --molecules m.txt "$DATA/formats/water10.xtc" -o t.mbf && cat m.txt
    }
    want=$'0 1 2\n3 4 5\n6 7 8'
    for k in {0..9}; do echo "$([ $((k % 3)) = 0 ] && echo TER || echo -) A 1 -"; done | atoms >t.pdb
    [ "$(molecules)" = "$want" ]
    for k in {0..9}; do echo "- $(printf %s ABCD | cut -c $((k / 3 + 1))) 1 -"; done | atoms >t.pdb
    [ "$(molecules)" = "$want" ]
    for k in {0..9}; do echo "- A 1 $(printf %s -ABC | cut -c $((k / 3 + 1)))"; done | atoms >t.pdb
    [ "$(molecules)" = "$want" ]
    for k in {0..9}; do echo "- A $(((9998 + k / 3) % 10000)) -"; done | atoms >t.pdb # numbers that wrap
    [ "$(molecules)" = "$want" ]
    for k in {0..9}; do echo "$([ $k = 5 ] && echo TER || echo -) A 7 -"; done | atoms >t.pdb
    [ "$(molecules)" = $'0 1 2 3 4\n5 6 7 8 9' ]
}

@test "a type or element that changes is refused with frame, atom and both names; rows in any order" {
    say() { echo "expected atom 1 to be '$1' as in the first frame, found '$2' (to ignore the names in the file, name all atoms, as in --species '$3 3')"; }
    { dump 0 "5 1 1 1 1" "7 2 2 2 2" "9 1 3 3 3"; dump 10 "9 1 3 3 3" "5 1 1 1 1" "7 2 2 2 2"; } >bad
    traj2bin -q --units real --dt 1 --species 1=A,2=A bad -o good.mbf # in another order; two types of one name
    dump 20 "7 1 2 2 2" "9 1 3 3 3" "5 1 1 1 1" >>bad
    refuses "bad: frame 2: $(say 2 1 A)" --units real --dt 1
    refuses "bad: frame 2: $(say 2 1 A)" --units real --dt 1 --species 1=A,2=A
    traj2bin -q --units real --dt 1 --select :2 bad -o good.mbf
    traj2bin -q --units real --dt 1 --species 'A 3' bad -o good.mbf # what the message advises
    [ "$(frame-check -v good.mbf | awk '$1 == "sys.species" { print $2, $3 }')" = "A 3" ]
    # a type that no earlier atom had
    { dump 0 "5 1 1 1 1" "7 2 2 2 2" "9 1 3 3 3"; dump 10 "5 1 1 1 1" "7 33 2 2 2" "9 1 3 3 3"; } >bad
    refuses "bad: frame 1: $(say 2 33 A)" --units real --dt 1 --dtype f64
    # elements, in two files; long names
    export COLUMNS_OF="id element x y z"
    dump 0 "5 O 1 1 1" "7 H 2 2 2" "9 H 3 3 3" >one
    dump 10 "5 O 1 1 1" "7 O 2 2 2" "9 H 3 3 3" >bad
    fails 2 traj2bin -q --units real --dt 1 one bad -o out.mbf
    [[ $output == *"bad: frame 1: $(say H O O)" ]]
    { dump 0 "5 O 1 1 1" "7 carbonyl-a 2 2 2" "9 H 3 3 3"; dump 10 "9 H 3 3 3" "7 carbonyl-a 2 2 2" "5 O 1 1 1"; } >bad
    traj2bin -q --units real --dt 1 bad -o good.mbf
    dump 20 "5 O 1 1 1" "7 carbonyl-b 2 2 2" "9 H 3 3 3" >>bad
    refuses "bad: frame 2: $(say carbonyl-a 'another name' O)" --units real --dt 1
    # the binary dump
    for order in '<' '>'; do
        mkbin "order=$order" turn=5 >bad
        refuses "bad: frame 1: $(say 2 7 A | sed 's/atom 1/atom 2/')"
        mkbin "order=$order" turn=41 >bad
        refuses "bad: frame 1: $(say 2 43 A | sed 's/atom 1/atom 2/')"
    done
    # XYZ with ids
    H='Properties=id:I:1:species:S:1:pos:R:3'
    printf "3\n$H\n3 H 3 3 3\n1 O 1 1 1\n2 H 2 2 2\n3\n$H\n2 H 2 2 2\n3 H 3 3 3\n1 O 1 1 1\n3\n$H\n2 O 2 2 2\n3 H 3 3 3\n1 O 1 1 1\n" >bad.xyz
    xyz2bin -q --select :2 bad.xyz -o good.mbf
    fails 2 xyz2bin -q bad.xyz -o out.mbf
    [[ $output == *"bad.xyz: frame 2: line 12: $(say H O O)" ]] || { echo "$output"; false; }
    H='Properties=species:S:1:id:I:1:pos:R:3'
    printf "2\n$H\nH 2 2 2 2\nO 1 1 1 1\n2\n$H\nO 1 1 1 1\nO 2 2 2 2\n" >bad.xyz
    fails 2 xyz2bin -q bad.xyz -o out.mbf
    [[ $output == *"bad.xyz: frame 1: line 6: "*"expected atom 1 to be 'H' as in the first frame, found 'O'"* ]] || { echo "$output"; false; }
}

@test "slabs of DCD and NetCDF: a third edge of 0, where --pbc says that it is not periodic" {
    mkdcd cell=20,90,30,90,90,0 >slab.dcd
    [ "$(rows slab.dcd --pbc xy)" = "$(three)" ]
    says sys.cell "20 0 0 0 30 0 0 0 1"
    says sys.pbc TTF
    cp slab.dcd bad
    refuses "bad: frame 0: expected cell vectors that span a volume, found 20 0 0, "
    mkdcd cell=0,90,0,90,90,0 >bad
    refuses "bad: frame 0: expected a cell, found none (give a cell with --cell, or --pbc none for a non-periodic system)"
    [ "$(rows bad --pbc none)" = "$(three)" ]
}

# dump_of_charges ATOMS FRAMES: units real, rows in changing order; atom i of frame k has q = (i % 7
# - 3) / 8 + k / 64 and c_pe = -i
dump_of_charges() {
    awk -v n="$1" -v m="$2" 'BEGIN {
        for (k = 0; k < m; k++) {
            printf "ITEM: UNITS\nreal\nITEM: TIMESTEP\n%d\nITEM: NUMBER OF ATOMS\n%d\nITEM: BOX BOUNDS pp pp pp\n0 99\n0 99\n0 99\nITEM: ATOMS id q x y z c_pe\n", k, n
            for (j = 0; j < n; j++) { i = (j * 7 + k) % n; printf "%d %.10g %d.5 %d %.2f %d\n", i + 1, (i % 7 - 3) / 8 + k / 64, i % 90, int(i / 90), k / 100, -i }
        }
    }'
}

@test "--scalars: columns of a LAMMPS dump, text or binary, stay with their atoms; units of q" {
    dump_of_charges 1003 9 >q.dump
    traj2bin -q --scalars q,c_pe q.dump -o q.mbf
    frame-check -q --strict -v q.mbf | grep -q 'data.scalars  *q:e c_pe:-$'
    traj2bin -q q.dump -o p.mbf
    [ "$(frame-check -v p.mbf | grep -c SCAL)" -eq 0 ]
    bin2txt q.mbf | awk '!/^#/ { n++; bad += $7 != ($3 % 7 - 3) / 8 + $1 / 64 || $8 != -$3 } END { exit bad || n != 9027 }'
    diff <(bin2txt q.mbf | grep -v '^#' | cut -d' ' -f-6) <(bin2txt p.mbf | grep -v '^#')
    # any number of threads, a pipe, gzip, f64, some atoms and frames
    for k in 1 2 4; do traj2bin -q --threads $k --scalars q,c_pe q.dump -o k.mbf && cmp k.mbf q.mbf; done
    gzip <q.dump | traj2bin -q --scalars q,c_pe | cmp - q.mbf
    traj2bin -q --dtype f64 --scalars c_pe,q q.dump | bin2txt | grep -v '^#' | awk '{ print $8, $7 }' | diff - <(bin2txt q.mbf | grep -v '^#' | cut -d' ' -f7-)
    traj2bin -q --scalars q,c_pe --atoms 3::100 --select 1::3 q.dump | bin2txt | awk '!/^#/ { i = 100 * $3 + 3; k = 3 * $1 + 1; n++; bad += $7 != (i % 7 - 3) / 8 + k / 64 || $8 != -i } END { exit bad || n != 30 }'
    for order in '<' '>'; do
        mkbin order=$order columns="id q x y z" >l.bin # in the order 2, 0, 1
        for o in "" "--dtype f64"; do [ "$(traj2bin -q $o --scalars q l.bin | bin2txt | grep -v '^#' | cut -d' ' -f7 | xargs)" = "1 2 2 1 2 2" ]; done
    done
    sed 's/^real$/lj/' q.dump | traj2bin -q --dt 1 --scalars q | frame-check -v | grep -q 'data.scalars  *q:-$'
    xyz2bin -q --dtype f64 --scalars q,c_pe <(bin2xyz q.mbf) | bin2xyz --digits 6 | diff - <(bin2xyz --digits 6 q.mbf) # there and back
}

@test "--charges: a PQR file gives the charge of each atom; lines without charge and radius are refused" {
    printf '3\n\nO 1 2 3\nH 2 2 3\nH 1 3 3\n' >w.xyz
    { echo 'REMARK   1 PQR file'
      echo 'ATOM      1  OW  SOL     1       0.100   0.200   0.300 -0.8476 1.6612'
      echo 'HETATM    2  HW1 SOL A   1       0.100   0.200   0.300  0.4238 0.0000'
      printf 'ATOM 3 HW2 SOL 1 0.1 0.2 0.3 0.4238 0.0\r\nTER\nEND\n'; } >w.pqr
    [ "$(traj2bin -q --dt 1 --pbc none --charges w.pqr w.xyz | bin2txt | awk '!/^#/ { print $NF }' | xargs)" = "-0.8476 0.4238 0.4238" ]
    sed '3s/  0.4238 0.0000//; 3s/A .*/A/; 3s/.*/HETATM/' w.pqr >bad.pqr
    fails 2 traj2bin -q --dt 1 --pbc none --charges bad.pqr w.xyz
    [[ "$output" == *"bad.pqr: line 3: expected a charge and a radius at the end of the atom line, found none" ]]
    sed '3s/0.4238/x/' w.pqr >bad.pqr
    fails 2 traj2bin -q --dt 1 --pbc none --charges bad.pqr w.xyz
    [[ "$output" == *"bad.pqr: line 3: expected a charge from -1e+06 to 1e+06, found 'x'" ]]
    sed '/^[AH]/s/ [-0-9.]* *[0-9.]*\r*$/ 1.00  0.00           O/' w.pqr >bad.pqr # PDB files have no charges
    fails 2 traj2bin -q --dt 1 --pbc none --charges bad.pqr w.xyz
    [[ "$output" == *"bad.pqr: line 2: expected a charge and a radius at the end of the atom line, found none" ]]
    sed -i 's/ *O$//' bad.pqr
    fails 2 traj2bin -q --dt 1 --pbc none --charges bad.pqr w.xyz
    [[ "$output" == *"bad.pqr: expected the charges of a PQR file, found 1 for every atom, as the occupancy in a PDB file" ]]
    grep -v HW2 w.pqr >bad.pqr
    fails 2 traj2bin -q --dt 1 --pbc none --charges bad.pqr w.xyz
    [[ "$output" == *"bad.pqr: expected 3 charges, one per atom, found 2" ]]
}

@test "--charges: a GROMACS topology gives the charge of each atom, as in gmx dump; damaged ones are refused with file and line" {
    { printf '12\n\n'; printf '%s 1 2 3\n' O H H O H H Ca Cl Cl O H H; } >w.xyz
    numbers() { traj2bin -q --dt 1 --pbc none --charges "$1" w.xyz | bin2txt | awk '!/^#/ { print $NF }' | xargs; }
    mkdir ff
    printf '[ defaults ]\n1 2 yes 0.5 0.5\n[ atomtypes ]\nOX 8 16.0 -0.8 A 0.3 0.6\nHX 1 1.008 0.4 A 0 0\nCA+ CP 20 40.0 2.0 A 0.28 0.4\nXM 35.4 -1.0 A 0.44 0.4\n' >ff/types.itp
    printf '[ moleculetype ]\nWAT 2\n[ atoms ]\n1 OX 1 WAT O 1\n2 HX 1 WAT H1 1 qH 1.008\n3 HX 1 WAT H2 1 \\\n qH \\\r\n 1.008 ; \\\n hidden\n[ settles ]\n1 1 0.1 0.16\n[ exclusions ]\n1 2 3\n2 1 3\n3 1 2\n' >ff/wat.itp
    printf '%s\n' '; all' '#include "ff/types.itp"' '#define qH  q2 ; as below' '#define q2 0.41' '#ifdef OTHER' '#include "none.itp"' '#ifndef q2' '#else' '#endif' '#else' \
        '#define ION CA+' '#endif' '#undef none' '#include <ff/wat.itp>' '[ moleculetype ]' 'CAL 1' '[ atoms ]' '1 ION 1 CAL Ca 1' '[moleculetype]' 'CHL 1' '[ Atoms ]' \
        '1 XM 1 CHL Cl 1 -1.5 35.4' '[ system ]' 'water and \' 'ions' '[ molecules ]' 'WAT 2' 'CAL 1' 'CHL 2' 'WAT 1' >t.top
    charges="-0.8 0.41 0.41 -0.8 0.41 0.41 2 -1.5 -1.5 -0.8 0.41 0.41"
    [ "$(numbers t.top)" = "$charges" ]
    # as in GROMACS: blanks after '#', any command where lines are skipped, and names without a text
    sed 's/^#/# /; s/^# include "none.itp"/&\n#error none/; s/^\[ system/#define OX\n&/; 2s/$/\n#define OX/' t.top >odd.top
    [ "$(numbers odd.top)" = "$charges" ]
    mkdir away && cd away && [ "$(sed 's/^O.*/O 1 2 3/' ../w.xyz >w.xyz; numbers ../t.top)" = "$charges" ] && cd ..
    printf '6\n\n' >6.xyz; sed -n '3,8p' w.xyz >>6.xyz # a file without [ molecules ] is one molecule
    sed '/^#/d; s/qH/0.41/; /^OX/,$!d' ff/types.itp ff/wat.itp | sed '1i [ atomtypes ]' >one.itp
    fails 2 traj2bin -q --dt 1 --pbc none --charges one.itp 6.xyz
    [[ "$output" == "traj2bin: --charges: one.itp: expected 6 atoms, as in the trajectory, found 3" ]]
    refuses() { # SED MESSAGE: of the topology changed so
        sed "$1" t.top >bad.top
        fails 2 traj2bin -q --dt 1 --pbc none -o no --charges bad.top w.xyz
        [[ "$output" == "traj2bin: --charges: $2" && ! -e no ]] || { echo "$1: $output"; return 1; }
    }
    refuses 's/ifdef OTHER/ifndef OTHER/' 'bad.top: line 6: cannot read #include "none.itp": none.itp: No such file or directory (gmx grompp -pp FILE.top writes a topology without #include)'
    refuses 's/^WAT 2$/WAT -2/' "bad.top: line 27: expected the number of molecules of type WAT, found '-2'"
    refuses 's/^WAT 2$/WAT 6000000000000000000/' 'bad.top: line 27: this line adds 6000000000000000000 molecules of 3 atoms to 0 atoms, but the trajectory has only 12 atoms'
    refuses 's/^WAT 1$/WAT 2/' 'bad.top: line 30: this line adds 2 molecules of 3 atoms to 9 atoms, but the trajectory has only 12 atoms'
    refuses 's/^WAT 1$//' 'bad.top: expected 12 atoms, as in the trajectory, found 9'
    refuses '28s/CAL/cal/' 'bad.top: line 28: expected a molecule type that a section [ moleculetype ] defines, found cal'
    refuses '26,$d' 'bad.top: expected a section [ molecules ] with the number of molecules of each of the 3 types, found none'
    refuses 's/^1 ION/2 ION/' "bad.top: line 18: expected the number 1 for the next atom of molecule type CAL, found '2'"
    refuses 's/^1 ION/1 Q/' 'bad.top: line 18: expected a charge, or an atom type Q with a charge, found neither'
    refuses 's/ Cl 1.*//' 'bad.top: line 22: expected at least 6 words for an atom, found 4'
    refuses 's/-1.5/x/' "bad.top: line 22: expected a charge from -1e+06 to 1e+06, found 'x'"
    refuses 's/q2 0.41/q2 qH/' "ff/wat.itp: line 5: expected a charge from -1e+06 to 1e+06, found 'qH'"
    refuses 's/CHL 1/CAL 1/' 'bad.top: line 20: expected each molecule type once, found CAL twice'
    refuses 's/\[ system \]/[ system/' "bad.top: line 23: expected ']' at the end of a section name, found '[ system'"
    refuses '12s/.*//' 'bad.top: line 30: expected #endif, found the end of the file'
    refuses '12s/.*/#endif\n#else/' 'bad.top: line 13: expected #ifdef or #ifndef before #else, found none'
    refuses 's/#undef/#error/' "bad.top: line 13: expected #include, #define, #undef, #ifdef, #ifndef, #else or #endif, found '#error'"
    refuses '$s/$/\\/' "bad.top: line 30: expected a line after '\\', found the end of the file"
    refuses '2s/.*/[ atomtypes ]\nOX 1 2 3/' 'bad.top: line 3: expected the mass, charge and particle type of atom type OX, found no particle type'
    refuses '1s/$/\nWAT/' "bad.top: line 2: expected a section such as [ moleculetype ], found 'WAT'"
    refuses '2s/.*/#include "bad.top"/' 'bad.top: line 2: expected at most 32 nested #include and a path of fewer than 4096 bytes, found more'
    refuses 's/^CAL 1/C\x00L/' 'bad.top: line 16: column 2: expected text, found byte 0x00'
    head -c -1 t.top >bad.top
    refuses_torn="$(traj2bin -q --dt 1 --pbc none --charges bad.top w.xyz 2>&1 || true)"
    [[ "$refuses_torn" == "traj2bin: --charges: bad.top: line 30: the last line has no newline"* ]]
    command -v gmx >/dev/null || return 0 # Debian: gromacs
    { printf 'x\n12\n'
      awk 'BEGIN { split("O H1 H2 O H1 H2 Ca Cl Cl O H1 H2", a, " "); split("1WAT 1WAT 1WAT 2WAT 2WAT 2WAT 3CAL 4CHL 5CHL 6WAT 6WAT 6WAT", r, " ")
          for (i = 1; i <= 12; i++) printf "%5d%-5s%5s%5d%8.3f%8.3f%8.3f\n", r[i], substr(r[i], 2), a[i], i, 0.2 * i, 0.1 * (i % 3), 0.3 }'
      echo 3 3 3; } >c.gro
    echo 'integrator = md' >m.mdp
    gmx -quiet grompp -f m.mdp -c c.gro -p t.top -pp all.top -o t.tpr -maxwarn 9 >log 2>&1
    grep -q '^#include' all.top && return 1
    [ "$(numbers all.top)" = "$charges" ]
    # gmx dump prints the atoms of each molecule type once: WAT, CAL, CHL
    [ "$(gmx -quiet dump -s t.tpr 2>/dev/null | sed -n 's/.* q= *\([-+.e0-9]*\),.*/\1/p' | awk '{ print $1 + 0 }' | xargs)" = "-0.8 0.41 0.41 2 -1.5" ]
}

@test "--charges: of species or of atoms, after other scalars, with chosen atoms; what is missing is named" {
    numbers() { bin2txt "$@" | grep -v '^#' | cut -d' ' -f7- | xargs; }
    says() { fails 2 traj2bin -q --dt 1 -o no "${@:2}"; [[ ${lines[0]} == "traj2bin: "*"$1" && ${#lines[@]} -eq 1 && ! -e no ]] || { echo "$output"; return 1; }; }
    for k in 1 2; do printf '3\n\nO 1 1 1.%d\nH 2 2 2\nH 3 3 3\n' $k; done >w.xyz
    traj2bin -q --dt 1 --charges O=-0.8476,H=0.4238 w.xyz -o s.mbf
    frame-check -q --strict -v s.mbf | grep -q 'data.scalars  *charge:e$'
    [ "$(numbers s.mbf)" = "-0.8476 0.4238 0.4238 -0.8476 0.4238 0.4238" ]
    printf '# of each atom\n-1 # O\n\n.5\n 0.25\t\n' >q.txt
    xyz2bin -q --dt 1 --dtype f64 --charges q.txt w.xyz -o a.mbf
    [ "$(numbers a.mbf)" = "-1 0.5 0.25 -1 0.5 0.25" ]
    [ "$(traj2bin -q --dt 1 --atoms 1: --charges q.txt w.xyz | numbers)" = "0.5 0.25 0.5 0.25" ]
    [ "$(traj2bin -q --dt 1 --species O --charges H=1,O=-2 w.xyz | numbers)" = "-2 -2" ]
    dump_of_charges 4 2 >q.dump
    for o in f32 f64; do
        traj2bin -q --dtype $o --scalars q,c_pe q.dump | bin2txt | grep -v '^#' | sed 's/$/ 0.125/' >want
        traj2bin -q --dtype $o --scalars q,c_pe --charges Ar=0.125 --species 'Ar 4' q.dump | bin2txt | grep -v '^#' | diff - want
    done
    says "--charges: expected a charge for every species, found none for H" --charges O=1 w.xyz
    says "--charges: expected a charge only for species of the input, found one for Na" --charges O=1,H=2,Na=1 w.xyz
    says "--charges: expected a number from -1e+06 to 1e+06, found 'a'" --charges O=a,H=1 w.xyz
    says "--charges: none: No such file or directory" --charges none w.xyz
    for c in "1 2 3 4:line 4: expected 3 charges, one per atom, found more" "1 2:expected 3 charges, one per atom, found 2" "1 2x 3:line 2: expected a charge from -1e+06 to 1e+06, found '2x'" "1 nan 3:line 2: expected a charge from -1e+06 to 1e+06, found 'nan'"; do
        printf '%s\n' ${c%%:*} >q.txt
        says "--charges: q.txt: ${c#*:}" --charges q.txt w.xyz
    done
    printf '1\n\nAr 0 0 0 1\n' | sed '2s/.*/Properties=species:S:1:pos:R:3:charge:R:1/' >c.xyz
    says "expected either --charges or --scalars charge, found both" --scalars q,charge --charges Ar=1 c.xyz
    cp q.txt same && fails 2 traj2bin -q --dt 1 --charges same w.xyz -f -o same && cmp q.txt same
}

@test "--scalars: what is missing or no number is said with its place; formats without columns are refused" {
    dump_of_charges 4 2 >q.dump
    says() { fails 2 "${@:2}" -o no; [[ ${lines[0]} == *"$1"* && ${#lines[@]} -eq 1 && ! -e no ]] || { echo "$output"; return 1; }; }
    says "line 11: --scalars: expected a column v, found 'id q x y z c_pe'" traj2bin -q --scalars q,v q.dump
    sed '12s/ -*[0-9.]* / a /' q.dump >bad
    says "frame 0: line 12: column 2: expected a number for q, found 'a' (no number)" traj2bin -q --scalars q bad
    sed '27s/ -*[0-9.]* / inf /' q.dump >bad
    says "frame 1: line 27: column 2: expected a number for q, found 'inf'" traj2bin -q --scalars q bad
    sed '27s/ -*[0-9.]* / nan /' q.dump | traj2bin -q --scalars q | bin2txt | grep -c ' nan$' | grep -qx 1
    sed 's/^real$/lj/' q.dump >bad
    says "bad: frame 2: expected the unit 'e' of q, as in the first file, found 'none'" traj2bin -q --dt 1 --scalars q q.dump bad
    says "expected a file format that supports --scalars, found a TRR trajectory (omit --scalars)" traj2bin -q --scalars q "$DATA/formats/water10.trr"
    for list in "" q,q q:e ,q "$(printf '%032d' 0)"; do
        says "--scalars: expected at most 64 different names of 1 to 31 characters, found '$list'" traj2bin -q --scalars "$list" q.dump
    done
    traj2bin -q --scalars q q.dump | bin2xyz >q.xyz
    says "line 2: --scalars: expected v:R:1 in Properties, found 'species:S:1:pos:R:3:q:R:1'" xyz2bin -q --scalars v q.xyz
    says "line 2: --scalars: expected pos:R:1 in Properties" xyz2bin -q --scalars pos q.xyz
    sed '4s/[^ ]*$/x/' q.xyz >bad
    says "frame 0: line 4: column 5: expected a number for q, found 'x' (no number)" xyz2bin -q --scalars q bad
    printf '1\nno properties\nAr 1 2 3 4\n' >plain
    says "line 2: --scalars: expected q:R:1 in Properties, found 'none'" xyz2bin -q --scalars q plain
}
