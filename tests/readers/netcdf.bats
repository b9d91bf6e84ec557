# SPDX-License-Identifier: MIT
# sanitize
# traj2bin: NetCDF of LAMMPS and AMBER, values that were never written.

load ../helpers

setup_file() {
    python3 -c pass || skip "no python3"
}

# same KEY=VALUE... -- OPTION...: `dump netcdf` gives what a text dump of the same run gives:
# positions, velocities, times, cells, META.
same() {
    local f
    local keys=()
    while [ "$1" != -- ]; do keys+=("$1") && shift; done
    shift
    py forge/lammps_netcdf l.nc "${keys[@]}" >l.dump
    for f in nc dump; do
        traj2bin -q "$@" l.$f -o $f.mbf
        { bin2txt -q $f.mbf && frame-check -v $f.mbf 2>&1 | grep -E '^ +(sys|data)|VELO'; } >$f.txt
    done
    cmp nc.txt dump.txt || { echo "${keys[*]}"; diff nc.txt dump.txt; false; }
}

# refuses TEXT KEY=VALUE... -- OPTION...: status 2, one line with TEXT, nothing left.
refuses() {
    local text=$1 keys=()
    shift
    while [ "$1" != -- ]; do keys+=("$1") && shift; done
    shift
    py forge/lammps_netcdf l.nc "${keys[@]}" >l.dump
    fails 2 traj2bin -q -o out.mbf "$@" l.nc
    [[ $output == "traj2bin: l.nc: "$text && ${#lines[@]} -eq 1 && ! -e out.mbf ]] || { echo "expected: $text"; echo "found: $output"; false; }
}

@test "LAMMPS NetCDF: every style of units gives what the text dump gives" {
    for style in real metal si cgs electron micro nano lj; do
        same style=$style columns="id type x v" double=1 -- --velocities
        grep -q 'sys.dt_ps' nc.txt
        grep -q 'sys.species *1 2 2 2' nc.txt
        case $style in si | cgs) ;; *) same style=$style columns="id type x v" -- --velocities ;; esac # there an f32 of the cell has other decimals
    done
    same style=lj -- --units lj --dt 0.5
    # a style from the user overrides the style in the file
    same style=nano -- --units lj
    py forge/lammps_netcdf l.nc style=real >l.dump
    traj2bin -q --units nano l.nc | bin2txt | grep -q '^0 *0 *0 *-20 '
}

@test "LAMMPS NetCDF: scaled, unwrapped, images, in straight and tilted cells" {
    for tilt in 0 3; do
        for style in real nano electron; do
            o=(style=$style tilt=$tilt double=1)
            for columns in "id type x" "id type xs" "xu id" "xu id x" "id xs x"; do
                same "${o[@]}" columns="$columns" --
            done
            for columns in "id xu x" "id type x i" "i id xs" "xs id xu"; do
                same "${o[@]}" columns="$columns" -- --unwrap
                grep -q 'data.unwrapped *images' nc.txt
            done
        done
    done
    same columns="xu id" --
    grep -q 'data.unwrapped *images' nc.txt
    same columns="xs id i" style=nano -- --unwrap --dtype f64
    refuses "--unwrap: expected variables named ix, iy and iz, or unwrapped_coordinates, found time, cell_origin, cell_lengths, cell_angles, id, type, coordinates" -- --unwrap
    refuses "expected a variable named coordinates, scaled_coordinates or unwrapped_coordinates, found time, cell_origin, cell_lengths, cell_angles, id, type" columns="id type" --
}

@test "LAMMPS NetCDF: rows in any order, MD steps, time steps, numbers of records, units" {
    same sort=0 --
    same sort=0 columns="v x type id" -- --velocities
    same sort=0 columns="v xs type id" -- --velocities
    same sort=0 ids=q -- # as LAMMPS for large systems writes them
    same columns=x -- --unsorted-ok
    refuses "expected the variable id, which is needed to sort the atoms, found none (--unsorted-ok keeps the atoms in the order of the file)" columns=x --
    same -- --timestep 0.5
    grep -q 'sys.dt_ps *50$' nc.txt
    same step=1000 first=16777000 -- # steps that f32 rounds are times
    same boundary=fff columns="id x" -- --pbc none --cell 8,16,32
    same records=-1 --
    same records=2 --
    refuses "frame 3: byte 1380: truncated: the header states 4 frames, but the file ends after 3 (--allow-partial keeps the complete frames before it)" records=4 --
    refuses "expected coordinates in units of style real, like cell_lengths, found 'furlong' (name the style with --units STYLE)" units=furlong --
    same units=furlong -- --units real
    refuses "expected coordinates in units of style electron, like cell_lengths, found 'angstrom' (name the style with --units STYLE)" units=angstrom style=electron --
}

@test "LAMMPS NetCDF without periodic axes: the file states that there is no cell" {
    py forge/lammps_netcdf l.nc boundary=fff >l.dump
    traj2bin -q l.nc -o l.mbf
    ! frame-check -v l.mbf 2>&1 | grep -q sys.cell || false
    [ "$(bin2txt -q l.mbf | grep -v '^#')" = "$(traj2bin -q l.dump | bin2txt -q | grep -v '^#')" ]
    refuses "frame 0: byte 992: scaled_coordinates need three cell edges, but a non-periodic axis has no edge (write x y z or xu yu zu to the dump instead)" columns="id type xs" boundary=ppf --
}

@test "NetCDF: atoms that were lost, frames and variables that were never written" {
    refuses "frame 1: byte 1140: expected 4 atoms as in the first frame, found 3: LAMMPS lost atom 1 (id 2), or the atom left the group of the dump" lost=2 --
    refuses "frame 1: byte 1140: expected 4 atoms as in the first frame, found 3: LAMMPS lost atom 3 (id 4), or the atom left the group of the dump" lost=4 --
    refuses "frame 1: byte *: expected 4 atoms as in the first frame, found 3: LAMMPS lost atom 3 (id 4), or the atom left*" lost=4 ids=q --
    refuses "frame 1: byte 972: expected coordinates of atom 3, found the fill value 9.96921e+36: this atom was lost by the program or never written" lost=2 columns=x -- --unsorted-ok
    refuses "frame 1: byte 1032: expected scaled_coordinates of atom 3, found the fill value 9.96921e+36: this atom was lost by the program or never written" lost=1 columns=xs double=1 -- --unsorted-ok
    never="this frame was never written (--select takes the frames before it)"
    for double in 0 1; do
        for v in coordinates velocities time cell_lengths cell_angles; do
            for o in "" "--dtype f64"; do
                refuses "frame 1: byte *: expected $v, found its fill value, 9.96921e+36: $never" fill=$v columns="id x v" double=$double -- --velocities $o
            done
        done
        for value in -1 1e+20 nan; do # what the file declares
            refuses "frame 1: byte *: expected coordinates, found its fill value, $value*: $never" fill=coordinates value=$value double=$double --
        done
    done
    for style in si electron micro; do # a fill value in other units
        refuses "frame 1: byte *: expected coordinates, found its fill value, 9.96921e+36: $never" fill=coordinates style=$style --
    done
    refuses "frame 1: byte *: expected id, found its fill value, -2.14748e+09: $never" fill=id --
    traj2bin -q --select :1 l.nc -o out.mbf
    same fill=velocities columns="id x v" -- # which nobody asked for
    same fill=coordinates -- --select ::2
}

@test "NetCDF of AMBER: restart files, positions in f64, --units" {
    py forge/amber_netcdf restart=1 velocities=1 double=1 >r.ncrst
    traj2bin --velocities r.ncrst -o r.mbf
    py forge/amber_netcdf velocities=1 double=1 | traj2bin -q --velocities --select 0:1 -o n.mbf
    numbers() { bin2txt -q $1 | grep -v '^#'; }
    [ "$(numbers r.mbf)" = "$(numbers n.mbf)" ]
    numbers r.mbf | grep -q '^0 *7 '
    traj2bin -q -o one.mbf <r.ncrst
    cat r.ncrst r.ncrst | traj2bin -q -o two.mbf # what follows is no frame
    cmp two.mbf one.mbf
    py forge/amber_netcdf restart=1 without=coordinates >r.ncrst
    fails 2 traj2bin r.ncrst -o out.mbf
    [[ $output == *"expected a variable named coordinates"*", found spatial, time, cell_lengths, cell_angles" ]]
    py forge/amber_netcdf restart=1 far=20000.123456 double=1 >r.ncrst
    py forge/amber_netcdf far=-20000.123456 double=1 >n.nc
    for f in r.ncrst n.nc; do
        fails 2 traj2bin $f -o out.mbf
        [[ $output == *"$f: frame 0: expected a position within 16384 Å"*"(use --dtype f64 for positions farther out), found y of atom "*" at "*20000.1 ]] || { echo "$output"; false; }
        [ "$(traj2bin -q --dtype f64 --select 0:1 $f | bin2txt | grep -c '20000.123456 ')" = 1 ]
    done
    fails 2 traj2bin --units metal n.nc -o out.mbf
    [[ $output == *"n.nc: expected a LAMMPS file for --units, found a file written by 'x', which uses the units of the AMBER convention" ]]
    py forge/amber_netcdf conventions=CF-1.6 >n.nc
    fails 2 traj2bin n.nc -o out.mbf
    [[ $output == *"n.nc: expected a NetCDF file with Conventions AMBER or AMBERRESTART, found 'CF-1.6'" ]]
}

@test "LAMMPS NetCDF: a type that changes is refused with frame and atom; a slab is read" {
    for turn in 1 40; do
        py forge/lammps_netcdf l.nc turn=$turn sort=0 >l.dump
        for f in l.nc l.dump; do
            fails 2 traj2bin -q --units real --timestep 1 $f -o no
            [[ $output == *"$f: frame 2: expected atom 1 to be '1' as in the first frame, found '$((1 + turn))'"* && ! -e no ]] || { echo "$output"; false; }
        done
        traj2bin -q --units real --select :2 l.nc -o two.mbf
    done
    py forge/lammps_netcdf l.nc boundary=ppf >l.dump
    traj2bin -q l.nc -o slab.mbf
    frame-check -v slab.mbf | grep -E 'sys.pbc +TTF$'
    frame-check -v slab.mbf | grep -E 'sys.cell +8 0 0 0 16 0 0 0 1$'
}

@test "NetCDF: large frames of a file are read directly into place, with the result and messages of a pipe" {
    py forge/amber_large >whole.nc
    py forge/amber_large 7 9.969209968386869e36 >fill.nc
    py forge/amber_large 22999 9.969209968386869e36 >last.nc
    py forge/amber_large 7 2e30 >large.nc
    py forge/amber_large 7 nan >nan.nc
    py forge/amber_large overlap >overlap.nc
    for cut in 4 30 276000 276026 276028; do head -c -$cut whole.nc >cut$cut.nc; done
    for f in *.nc; do
        traj2bin $f -o 1.mbf --force 2>1.err && echo 0 >>1.err || echo $? >>1.err
        cat $f | traj2bin -o 2.mbf --force 2>2.err && echo 0 >>2.err || echo $? >>2.err
        sed -i "s/ stdin:/ $f:/" 2.err
        cmp 1.err 2.err
        [ ! -e 1.mbf ] || cmp 1.mbf 2.mbf
        case $f in
        whole.nc | overlap.nc) [ -e 1.mbf ] ;;
        cut276028.nc) grep -q "truncated: the header states 5 frames, but the file ends after 4" 1.err ;;
        cut*) grep -q "truncated: expected 276028 bytes of a frame, but the file ends after" 1.err ;;
        fill.nc) grep -q "frame 3: .*expected coordinates of atom 7, found the fill value 9.96921e+36" 1.err ;;
        last.nc) grep -q "frame 3: .*expected coordinates of atom 22999, found the fill value" 1.err ;;
        large.nc) grep -q "frame 3: .*found y of atom 7 at 2e+30" 1.err ;;
        *) grep -q "frame 3: expected finite numbers, found nan or inf as position y of atom 7" 1.err ;;
        esac
        rm -f 1.mbf 2.mbf
    done
}
