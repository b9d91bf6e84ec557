# SPDX-License-Identifier: MIT
# Tests of the remedies in messages. Each row causes the message, follows it, and compares the
# result with a correct result that was obtained in another way.

load ../helpers

# Standard input and output of all rows are text.
txt() { bin2txt "$@" | grep -v '^##'; }

# well: tests that a stream is complete
well() { frame-check -q >/dev/null && echo well; }

# remedy STATUS COMMAND MESSAGE REMEDY RIGHT: COMMAND ends with STATUS and prints MESSAGE; REMEDY
# and RIGHT print the same.
remedy() {
    local status=0
    rm -rf no got want
    eval "$2" >said 2>&1 || status=$?
    [ $status = "$1" ] && grep -qF -- "$3" <(tr -d '\0' <said) || { echo "$2: status $status, no '$3' in:" && tr -d '\0' <said | tail -n 3 && return 1; }
    eval "$4" >got 2>err || { echo "$2: the remedy failed: $4: $(cat err)" && return 1; }
    eval "$5" >want 2>err || { echo "$2: no right result: $5: $(cat err)" && return 1; }
    cmp got want || { echo "$2: $4 gives another result than $5" && return 1; }
    ROWS=$((ROWS + 1))
}

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return
    local k
    for k in 0 1 2 3 4 5; do
        printf '4\nLattice="10 0 0 0 10 0 0 0 10" Properties=species:S:1:pos:R:3 Time=%d time_unit=ps\n' $k
        printf 'Ar 1.%d00 2.000 3.000\nAr 5.000 6.%d00 7.000\nKr 8.000 2.500 6.%d00\nKr 3.000 8.000 1.250\n' $k $k $k
    done >a.xyz
    sed 's/^Lat.*//' a.xyz >plain.xyz
    xyz2bin -q a.xyz -o a.mbf
    for k in 0 1 2 3; do
        printf '6\nLattice="9 0 0 0 9 0 0 0 9" Properties=species:S:1:pos:R:3 Time=%d time_unit=ps\n' $k
        printf 'O 2 2 2.%d\nH 2.76 2 2.58\nH 2 2.9 2.5\nO 6 6 6.%d\nH 6.76 6 6.58\nH 6 6.9 6.5\n' $k $k
    done >w.xyz
    xyz2bin -q w.xyz -o w.mbf
    for k in 0 1 2 3; do
        printf 'ITEM: TIMESTEP\n%d\nITEM: NUMBER OF ATOMS\n4\nITEM: BOX BOUNDS pp pp pp\n0 10\n0 10\n0 10\nITEM: ATOMS id type x y z\n' $((10 * k))
        printf '1 1 1.%d 2 3\n2 1 5 6.%d 7\n3 2 8 2.5 6.%d\n4 2 3 8 1.25\n' $k $k $k
    done >a.dump
    traj2bin -q --units metal --timestep 0.1 a.dump -o dump.mbf
    awk 'BEGIN { print "# t_ps a b"; for (k = 0; k < 16; k++) printf "%.1f %.4f %.4f\n", k / 10, sin(k), cos(k / 2) }' >t.txt
    txt2bin -q --time t_ps t.txt -o t.mbf
}
setup() { cd "$BATS_TEST_TMPDIR" && cp -r "$BATS_FILE_TMPDIR"/*.* . && ROWS=0; }

@test "remedies: files that are compressed, packed or torn, ends of lines" {
    command -v lz4 >/dev/null && command -v zstd >/dev/null || skip "no lz4 or no zstd"
    xz -k a.xyz && bzip2 -k a.xyz && lz4 -q a.xyz a.xyz.lz4 && tar -cf a.tar a.xyz
    python3 -c 'import zipfile; zipfile.ZipFile("a.zip", "w").write("a.xyz")'
    cat a.xyz | zstd -q -1 --long=29 -o long.zst # of a length that zstd does not know: the window is 512 MiB
    head -c -1 plain.xyz >torn.xyz
    sed -i '$s/.*/Kr 3 8 1.25/' torn.xyz
    head -c -1 torn.xyz >torn2.xyz && mv torn2.xyz torn.xyz
    { cat torn.xyz; echo; } >whole.xyz
    gzip -k torn.xyz && zstd -q torn.xyz && cp torn.xyz plainly.xyz
    tr '\n' '\r' <a.xyz >cr.xyz
    right='xyz2bin a.xyz | txt' torn='xyz2bin -q --dt 1 whole.xyz | txt'
    remedy 2 "xyz2bin a.xyz.xz -o no" "put 'xz -dc FILE |' in front" "xz -dc a.xyz.xz | xyz2bin | txt" "$right"
    remedy 2 "xyz2bin a.xyz.bz2 -o no" "put 'bzip2 -dc FILE |' in front" "bzip2 -dc a.xyz.bz2 | xyz2bin | txt" "$right"
    remedy 2 "traj2bin a.xyz.lz4 -o no" "put 'lz4 -dc FILE |' in front" "lz4 -dc a.xyz.lz4 | xyz2bin | txt" "$right"
    remedy 2 "xyz2bin a.tar -o no" "tar -xOf FILE writes its content" "tar -xOf a.tar | xyz2bin | txt" "$right"
    remedy 2 "xyz2bin long.zst -o no" "put 'zstd -dc --long=31 FILE |' in front" "zstd -dc --long=31 long.zst | xyz2bin | txt" "$right"
    if command -v unzip >/dev/null; then
        remedy 2 "xyz2bin a.zip -o no" "unzip -p FILE writes its content" "unzip -p a.zip | xyz2bin | txt" "$right"
    fi
    remedy 2 "xyz2bin --dt 1 torn.xyz.gz -o no" "(gzip -dc FILE; echo) >NEW" "(gzip -dc torn.xyz.gz; echo) >NEW; xyz2bin --dt 1 NEW | txt" "$torn"
    remedy 2 "xyz2bin --dt 1 torn.xyz.zst -o no" "(zstd -dc FILE; echo) >NEW" "(zstd -dc torn.xyz.zst; echo) >NEW; xyz2bin --dt 1 NEW | txt" "$torn"
    remedy 2 "cat torn.xyz | xyz2bin --dt 1 -o no" "put '(cat; echo) |' in front" "cat torn.xyz | (cat; echo) | xyz2bin --dt 1 | txt" "$torn"
    remedy 2 "xyz2bin --dt 1 plainly.xyz -o no" "echo >>FILE" "echo >>plainly.xyz; xyz2bin --dt 1 plainly.xyz | txt" "$torn"
    remedy 2 "xyz2bin cr.xyz -o no" "tr '\\r' '\\n' <FILE >NEW" "tr '\\r' '\\n' <cr.xyz >NEW; xyz2bin NEW | txt" "$right"
    tr '\n' '\r' <t.txt >cr.txt
    remedy 2 "txt2bin --time t_ps cr.txt -o no" "tr '\\r' '\\n' <FILE >NEW" "tr '\\r' '\\n' <cr.txt >NEW; txt2bin --time t_ps NEW | txt" "txt t.mbf"
    tr '\n' '\r' <a.dump >cr.dump
    remedy 2 "traj2bin cr.dump -o no" "tr '\\r' '\\n' <FILE >NEW" "tr '\\r' '\\n' <cr.dump >NEW; traj2bin --units metal --timestep 0.1 NEW | txt" "txt dump.mbf"
    printf '0 1 2\r3 4 5\r' >cr.mol
    remedy 2 "msd-cpu --unwrapped --lags 2 --molecules cr.mol w.mbf -o no" "tr '\\r' '\\n' <FILE >NEW" \
        "tr '\\r' '\\n' <cr.mol >NEW; msd-cpu -q --unwrapped --lags 2 --molecules NEW w.mbf | txt" "msd-cpu -q --unwrapped --lags 2 --molecules 3 w.mbf | txt"
    printf '0 1 2\n3 4 5' >torn.mol
    remedy 2 "rdf-cpu --bins 5 --exclude torn.mol w.mbf -o no" "echo >>FILE" "echo >>torn.mol; rdf-cpu -q --bins 5 --exclude torn.mol w.mbf | txt" "rdf-cpu -q --bins 5 --exclude 3 w.mbf | txt"
    gzip a.mbf -c >a.mbf.gz && zstd -q a.mbf
    remedy 2 "rdf-cpu a.mbf.gz -o no" "(decompress it with 'gzip -dc FILE |'" "gzip -dc a.mbf.gz | rdf-cpu -q | txt" "rdf-cpu -q a.mbf | txt"
    remedy 2 "rdf-cpu a.mbf.zst -o no" "(decompress it with 'zstd -dc FILE |'" "zstd -dc a.mbf.zst | rdf-cpu -q | txt" "rdf-cpu -q a.mbf | txt"
    remedy 2 "rdf-cpu a.xyz -o no" "xyz2bin reads it" "xyz2bin a.xyz | rdf-cpu -q | txt" "rdf-cpu -q a.mbf | txt"
    [ $ROWS -ge 18 ]
}

@test "remedies: files of another kind" {
    md-cpu -q --atoms 32 --density 0.02 --steps 10 --every 10 --data start.data -o m.mbf
    remedy 2 "xyz2bin a.mbf -o no" "is an MBF stream already: bin2xyz turns it into XYZ text" "bin2xyz a.mbf | xyz2bin | txt" "txt a.mbf"
    remedy 2 "traj2bin a.mbf -o no" "bin2txt into columns" "bin2txt a.mbf | grep -v '^##'" "txt a.mbf"
    remedy 2 "xyz2bin a.dump -o no" "is a LAMMPS text dump: traj2bin reads it" "traj2bin -q --units metal --timestep 0.1 a.dump | txt" "txt dump.mbf"
    remedy 2 "traj2bin start.data -o no" "md-cpu --from-data starts from it" "md-cpu -q --from-data start.data --steps 0 --data again -o /dev/null; sed 1d again" "sed 1d start.data"
    remedy 2 "txt2bin $DATA/formats/water10.xtc -o no" "traj2bin reads it" "traj2bin -q $DATA/formats/water10.xtc | txt" "traj2bin -q <$DATA/formats/water10.xtc | txt"
    # the names of the atoms come from a topology of another program
    printf '%s\n' 'water' 4 '    1SOL     Ar    1   0.100   0.200   0.300' '    1SOL     Ar    2   0.500   0.600   0.700' \
        '    2SOL     Kr    3   0.800   0.250   0.600' '    2SOL     Kr    4   0.300   0.800   0.125' '   1.0 1.0 1.0' >a.gro
    printf '; a topology\n#include "x.itp"\n' >a.top
    named='traj2bin -q --units metal --timestep 0.1 --species 1=Ar,2=Kr a.dump | bin2txt --meta | grep sys.species'
    remedy 2 "traj2bin --units metal --timestep 0.1 --topology a.top a.dump -o no" "is a GROMACS topology, which includes others: give a GRO file of the same atoms" \
        "traj2bin -q --units metal --timestep 0.1 --topology a.gro a.dump | bin2txt --meta | grep sys.species" "$named"
    for kind in '%%VERSION  VERSION_STAMP\n|an AMBER topology' '\0\0\0\15\0\0\0\14VERSION 2021.4|a GROMACS run input'; do
        printf "${kind%|*}" >a.other
        remedy 2 "traj2bin --units metal --timestep 0.1 --topology a.other a.dump -o no" "is ${kind#*|}: give a GRO, PDB or PSF file of the same atoms" \
            "traj2bin -q --units metal --timestep 0.1 --topology a.gro a.dump | bin2txt --meta | grep sys.species" "$named"
    done
    grep -F "python3 -m mbf from --topology FILE TRAJECTORY" <(tr -d '\0' <said)
    # a number for molecules that the names contradict
    { sed 's/^6$/7/; /^O 2/i Na 1 1 7' w.xyz; } >ion.xyz
    { sed 's/^7$/9/; /^H 6 6.9/a Cl 1 7 1\nCl 7 1 1' ion.xyz; } | xyz2bin -q -o ion.mbf
    printf '1 2 3\n4 5 6\n' >mol
    remedy 2 "rdf-cpu --bins 5 --pair O-H --exclude 3 ion.mbf -o no" "list the atoms of each molecule in a file: --exclude FILE" \
        "rdf-cpu -q --bins 5 --pair O-H --exclude mol ion.mbf | txt | awk '{ print \$1, \$2 }'" "rdf-cpu -q --bins 5 --rmax 4.5 --pair O-H --exclude 3 w.mbf | txt | awk '{ print \$1, \$2 }'"
    remedy 2 "unwrap --molecules 3 ion.mbf -o no" "--molecules FILE" "unwrap -q --molecules mol ion.mbf | frame-cut -q --species O,H | txt" "unwrap -q --molecules 3 w.mbf | txt"
    [ $ROWS -ge 10 ]
}

@test "remedies: what a file does not state is asked for in one message, which suffices" {
    right='txt dump.mbf'
    remedy 2 "traj2bin a.dump -o no" "expected the unit style and the time, found neither in the file (name it with --units STYLE: real, metal," \
        'traj2bin -q $(grep -oE -- "--units real --timestep 0.001" said) a.dump | bin2txt --meta | grep sys.dt_ps' 'printf "sys.dt_ps\t0.01\n"'
    remedy 2 "traj2bin a.dump -o no" "and give the length of an MD step in ps" "traj2bin -q --units metal --timestep 0.1 a.dump | txt" "$right"
    remedy 2 "traj2bin --dt 1 a.dump -o no" "expected the unit style, found none in the file" "traj2bin -q --dt 1 --units metal a.dump | txt" "$right"
    remedy 2 "traj2bin --timestep 0.1 a.dump -o no" "expected the unit style, found none in the file" "traj2bin -q --timestep 0.1 --units metal a.dump | txt" "$right"
    python3 - <<'PY'
import struct
record = lambda b: struct.pack('<i', len(b)) + b + struct.pack('<i', len(b))
head = record(b'CORD' + struct.pack('<9i', 4, 0, 1, *[0] * 6) + struct.pack('<f', 0) + struct.pack('<10i', *[0] * 9, 24))
with open("a.dcd", "wb") as f:
    f.write(head + record(struct.pack('<i', 1) + b'x'.ljust(80)) + record(struct.pack('<i', 2)))
    for k in range(4):
        f.write(b"".join(record(struct.pack('<2f', 1 + 0.125 * k, 2 + a)) for a in range(3)))
PY
    for k in 0 1 2 3; do printf '2\n\nX 1.%03d 1.%03d 1.%03d\nX 2 3 4\n' $((125 * k)) $((125 * k)) $((125 * k)); done >d.xyz
    both="expected a cell and a time, found neither (give a cell with --cell, or --pbc none for a non-periodic system; and give the time between frames with --dt PS, or the length of an MD step with --timestep PS)"
    remedy 2 "traj2bin a.dcd -o no" "$both" "traj2bin -q --pbc none --dt 0.5 a.dcd | txt" "xyz2bin -q --pbc none --dt 0.5 d.xyz | txt"
    remedy 2 "traj2bin a.dcd -o no" "$both" "traj2bin -q --cell 10,10,10 --timestep 0.5 a.dcd | txt" "xyz2bin -q --cell 10,10,10 --dt 0.5 d.xyz | txt"
    remedy 2 "traj2bin --dt 1 a.dcd -o no" "expected a cell, found none (give a cell with --cell," "traj2bin -q --dt 0.5 --pbc none a.dcd | txt" "xyz2bin -q --pbc none --dt 0.5 d.xyz | txt"
    [ $ROWS -eq 7 ]
}

@test "remedies: a dump that LAMMPS writes with units and time" {
    command -v lmp >/dev/null || skip "no lmp (Debian: lammps)"
    export OMP_NUM_THREADS=1
    printf '%s\n' 'units metal' 'lattice sc 3' 'region b block 0 2 0 2 0 2' 'create_box 1 b' 'create_atoms 1 box' 'mass 1 40' 'velocity all create 9 1' \
        'timestep 0.002' 'pair_style zero 2.5' 'pair_coeff * *' 'fix 1 all nve' 'dump d all custom 5 d.dump id type x y z' '#' 'run 20' >in
    lmp -in in >/dev/null && mv d.dump a.dump
    remedy 2 "traj2bin a.dump -o no" "dump_modify units yes time yes writes both" \
        "sed -i 's/^#/dump_modify d units yes time yes/' in; lmp -in in >/dev/null; traj2bin -q d.dump | txt" "traj2bin -q --units metal --timestep 0.002 a.dump | txt"
}

@test "remedies: a 7z archive" {
    command -v 7z >/dev/null || skip "no 7z (Debian: p7zip-full)"
    7z a -bd a.7z a.xyz >/dev/null
    remedy 2 'xyz2bin a.7z' '7z x -so FILE writes its content' '7z x -so a.7z | xyz2bin | txt' 'txt a.mbf'
}

@test "remedies: a restart of LAMMPS, whose log stays" {
    command -v lmp >/dev/null || skip "no lmp (Debian: lammps)"
    export OMP_NUM_THREADS=1
    printf '%s\n' 'units metal' 'lattice sc 3' 'region b block 0 2 0 2 0 2' 'create_box 1 b' 'create_atoms 1 box' 'mass 1 40' \
        'pair_style zero 2.5' 'pair_coeff * *' 'dump d all custom 1 d.dump id type x y z' 'run 0' 'write_restart r' >in
    lmp -in in >/dev/null
    cp log.lammps kept
    remedy 2 'traj2bin r' 'lmp -log none -r2dump FILE all custom out.dump id type x y z writes a dump, which traj2bin reads' \
        'lmp -log none -r2dump r all custom out.dump id type x y z >/dev/null; traj2bin -q --units metal --timestep 0.001 out.dump | txt' \
        'traj2bin -q --units metal --timestep 0.001 d.dump | txt'
    cmp log.lammps kept
}

@test "remedies: files of GROMACS that gmx converts" {
    command -v gmx >/dev/null || skip "no gmx (Debian: gromacs)"
    export GMX_MAXBACKUP=-1
    printf '%s\n' '[ defaults ]' '1 2 no 1 1' '[ atomtypes ]' 'Ar 18 39.948 0 A 0.3405 0.996' '[ moleculetype ]' 'AR 1' '[ atoms ]' '1 Ar 1 AR Ar 1 0 39.948' \
        '[ system ]' argon '[ molecules ]' 'AR 12' >t.top
    awk 'BEGIN { print "argon\n12"; for (k = 1; k <= 12; k++) printf "%5dAR      Ar%5d%8.3f%8.3f%8.3f\n", k, k, 0.5 * (k % 4), 0.5 * int(k / 4), 0.1; print "2.2 2.2 2.2" }' >c.gro # up to 9 atoms, XTC keeps more digits
    printf '%s\n' integrator=md dt=0.002 nsteps=20 nstenergy=10 nstcalcenergy=10 nstxout-compressed=10 rvdw=0.9 rcoulomb=0.9 tcoupl=no gen_vel=yes >m.mdp
    gmx -quiet grompp -f m.mdp -c c.gro -p t.top -o t.tpr -maxwarn 5 >log 2>&1 && gmx -quiet mdrun -s t.tpr -nt 1 -deffnm t >log 2>&1
    gmx -quiet trjconv -f t.xtc -s t.tpr -o t.tng <<<0 >log 2>&1
    gmx -quiet trjconv -f t.xtc -o t.g96 >log 2>&1
    for f in t.tng t.g96; do
        remedy 2 "traj2bin $f" 'gmx trjconv -f FILE -o out.xtc, which traj2bin reads' \
            "gmx -quiet trjconv -f $f -o out.xtc >log 2>&1; traj2bin -q out.xtc | txt" 'traj2bin -q t.xtc | txt'
    done
    remedy 2 'txt2bin t.edr' 'gmx energy -f FILE -o out.xvg, which txt2bin reads' \
        'echo Pres-XY | gmx -quiet energy -f t.edr -o out.xvg >log 2>&1; txt2bin -q out.xvg | txt | grep -v "#" | cut -d" " -f2' 'printf "0\n0.02\n0.04\n"'
}

@test "remedies: times, cells, names and rows of trajectories" {
    H='Lattice="10 0 0 0 10 0 0 0 10" Properties=species:S:1:pos:R:3'
    body() { sed -n '3,6p' a.xyz; }
    xyz='xyz2bin -q --dt 1 --cell 10 plain.xyz | txt'
    remedy 0 "xyz2bin --dt 1 plain.xyz -o no" "expected a cell, found none: distances will ignore periodic images (give a cell with --cell" "xyz2bin -q --dt 1 --cell 10 plain.xyz | rdf-cpu -q --rmax 4 | txt" "rdf-cpu -q --rmax 4 a.mbf | txt"
    remedy 0 "xyz2bin --dt 1 plain.xyz -o no" "or --pbc none for a non-periodic system)" "xyz2bin --dt 1 --pbc none plain.xyz 2>&1 >free.mbf; txt free.mbf" "xyz2bin -q --dt 1 plain.xyz | txt"
    sed 's/ time_unit=ps//' a.xyz >unit.xyz
    remedy 2 "xyz2bin unit.xyz -o no" "(give --time-unit or --dt" "xyz2bin --time-unit ps unit.xyz | txt" "txt a.mbf"
    remedy 2 "xyz2bin unit.xyz -o no" "or --dt" "xyz2bin --dt 1 unit.xyz | txt" "txt a.mbf"
    { echo 4; echo "pbc=\"T T T\" Time=0"; body; } >half.xyz
    remedy 2 "xyz2bin half.xyz -o no" "(use the line with --dialect extended" "xyz2bin --dialect extended --cell 10 --dt 1 half.xyz | txt" "xyz2bin --select 0 a.xyz --dt 1 | txt"
    remedy 2 "xyz2bin half.xyz -o no" "or ignore the line with --dialect plain)" "xyz2bin --dialect plain --cell 10 --dt 1 half.xyz | txt" "xyz2bin --select 0 a.xyz --dt 1 | txt"
    { echo 4; echo "0.5 argon 5 5 5"; body; } >rig.xyz
    remedy 2 "xyz2bin rig.xyz -o no" "or --dialect plain" "xyz2bin --dialect plain --cell 10 --dt 1 rig.xyz | txt" "xyz2bin --select 0 a.xyz --dt 1 | txt"
    { echo 4; echo "$H"; body; echo 4; echo "Properties=species:S:1:pos:R:3"; body; } >cell.xyz
    remedy 2 "xyz2bin --keep-duplicates --dt 1 cell.xyz -o no" "expected a cell in every frame or in no frame, found a cell only in some frames (give the cell with --cell)" "xyz2bin --keep-duplicates --dt 1 --cell 10 cell.xyz | txt" \
        "{ echo 4; echo \"\$H\"; body; echo 4; echo \"\$H\"; body; } | xyz2bin --keep-duplicates --dt 1 | txt"
    { echo 4; echo "$H pbc=\"T T F\""; body; echo 4; echo "$H pbc=\"T T T\""; body; } >pbc.xyz
    remedy 2 "xyz2bin --keep-duplicates --dt 1 pbc.xyz -o no" "found different axes (give them with --pbc)" "xyz2bin --keep-duplicates --dt 1 --pbc xyz pbc.xyz | txt" \
        "sed 's/T T F/T T T/' pbc.xyz | xyz2bin --keep-duplicates --dt 1 | txt"
    { cat a.xyz; } >b.xyz
    tail -n 6 a.xyz | cat - <(head -n 6 a.xyz | sed 's/Time=0/Time=6/') >next.xyz
    remedy 0 "xyz2bin --dt 1 a.xyz next.xyz -o no" "--keep-duplicates keeps it" "xyz2bin -q --dt 1 --keep-duplicates a.xyz next.xyz | txt" "cat a.xyz next.xyz | xyz2bin -q --dt 1 --keep-duplicates --unsorted-ok | txt"
    head -n 33 a.xyz >cut.xyz
    remedy 2 "xyz2bin cut.xyz -o no" "(--allow-partial keeps the complete frames before it)" "xyz2bin -q --allow-partial cut.xyz | txt" "xyz2bin --select :5 a.xyz | txt"
    sed 's/^Kr 3.000 8.000/Kr -20000.125 8.000/' a.xyz >far.xyz
    remedy 2 "xyz2bin far.xyz -o no" "(use --dtype f64 for positions farther out)" "xyz2bin -q --dtype f64 far.xyz | txt | awk '\$3 == 3 { print \$4 }'" "yes -- -20000.125 | head -n 6"
    zcat "$DATA/argon256.xyz.gz" | head -n 258 >one.xyz
    { cat one.xyz; head -n 2 one.xyz; tail -n +3 one.xyz | tac; } >mixed.xyz
    remedy 2 "xyz2bin --dt 1 mixed.xyz -o no" "if the frames really are that far apart in time, use --jumps-ok" "xyz2bin -q --dt 1 --jumps-ok mixed.xyz | txt | sed -n 258,513p | tac | cut -d' ' -f4-" "xyz2bin -q --dt 1 one.xyz | txt | tail -n +2 | cut -d' ' -f4-"
    remedy 2 "traj2bin --timestep 0.1 a.dump -o no" "--units STYLE" "traj2bin -q --timestep 0.1 --units metal a.dump | txt" "xyz2bin --select :4 --dt 1 a.xyz | txt"
    sed '/^[1-4] [12] /s/^[1-4] //; s/ATOMS id/ATOMS/' a.dump >noid.dump
    remedy 2 "traj2bin --timestep 0.1 --units metal noid.dump -o no" "(--unsorted-ok keeps the rows in the order of the file)" "traj2bin -q --timestep 0.1 --units metal --unsorted-ok noid.dump | txt" "txt dump.mbf"
    remedy 2 "traj2bin --species 1=Ar $DATA/formats/water10.xtc -o no" "(name the atoms directly, as in --species '348*(O 1 H 2)')" \
        "traj2bin -q --species '3*(O 1 H 2) Na 1' $DATA/formats/water10.xtc | frame-cut -q --species O | txt" "traj2bin -q --atoms 0:9:3 $DATA/formats/water10.xtc | txt"
    remedy 2 "traj2bin --units metal --timestep 0.1 --velocities a.dump -o no" "expected columns vx vy vz" "traj2bin -q --units metal --timestep 0.1 a.dump | txt" "txt dump.mbf"
    remedy 2 "rdf-cpu --pair C-C w.mbf -o no" "of the species O H" "rdf-cpu -q --pair O-H --bins 5 w.mbf | well" "echo well"
    [ $ROWS -ge 16 ]
}

@test "remedies: tables" {
    sed 's/ /;/g; s/#;/# /' t.txt | sed '1s/.*/t_ps;a;b/' >semi.txt
    remedy 2 "txt2bin --time t_ps semi.txt -o no" "tr ';' ',' <FILE | txt2bin" "tr ';' ',' <semi.txt | txt2bin -q --time t_ps | txt" "txt t.mbf"
    tr . , <t.txt >comma.txt
    remedy 2 "txt2bin --dt 0.1 comma.txt -o no" "tr , . <FILE | txt2bin" "tr , . <comma.txt | txt2bin -q --time t_ps | txt" "txt t.mbf"
    { tail -n +2 t.txt; echo '&'; tail -n +2 t.txt; } | cat <(printf '@ title "x"\n') - >two.xvg
    remedy 2 "txt2bin --dt 0.1 two.xvg -o no" "sed '/^&/,\$d' FILE | txt2bin" "sed '/^&/,\$d' two.xvg | txt2bin -q --dt 0.1 | txt" "tail -n +2 t.txt | txt2bin -q --dt 0.1 | txt"
    tail -n +2 t.txt | cut -d' ' -f2- >bare.txt
    remedy 2 "txt2bin bare.txt -o no" "(give --dt PS or --time NAME)" "txt2bin -q --dt 0.1 bare.txt | txt | tail -n +2" "txt t.mbf | tail -n +2"
    sed 's/t_ps/when/' t.txt >when.txt
    remedy 2 "txt2bin when.txt -o no" "--time NAME" "txt2bin -q --time when when.txt | txt | sed 1d | cut -d' ' -f2-" "txt t.mbf | sed 1d | cut -d' ' -f2-"
    log() { printf 'LAMMPS (1 Jan 2024)\nunits metal\ntimestep 0.1\n'; for r in 1 2; do printf '   Step          Temp\n'; for k in 0 1 2 3; do echo "         $k   $((300 + 10 * r + k))"; done; echo "Loop time of 1 on 1 procs"; done; }
    log >two.log
    rows='awk "!/^#/ { print \$NF }"'
    remedy 2 "txt2bin two.log -o no" "(choose one with --run 1, --run 2" "txt2bin -q --dt 0.1 --run 2 two.log | txt | $rows" "printf '320\n321\n322\n323\n'"
    log | head -n 7 >cut.log
    remedy 2 "txt2bin --dt 0.1 cut.log -o no" "(--allow-partial uses the rows before it)" "txt2bin -q --dt 0.1 --allow-partial cut.log | txt | $rows" "printf '310\n311\n312\n'"
    bin2txt a.mbf >/dev/null
    rdf-cpu -q --bins 4 a.mbf -o 1.rdf && cat 1.rdf 1.rdf >both.rdf
    remedy 2 "bin2txt --format csv both.rdf >no" "(use --format text or json, which can contain several tables)" "bin2txt --format text both.rdf | awk '!/^#/ && NF'" "{ txt 1.rdf; txt 1.rdf; } | awk '!/^#/'"
    sed '1,2!d' t.txt >/dev/null
    [ $ROWS -ge 8 ]
}

@test "remedies: analyses" {
    sed 's/ Time=.*//' a.xyz | xyz2bin -q --dialect extended -o untimed.mbf 2>/dev/null
    remedy 2 "msd-cpu --unwrapped --tmax 2 untimed.mbf -o no" "(use --lags)" "msd-cpu -q --unwrapped --lags 2 untimed.mbf | txt | awk '!/^#/ { print \$NF }'" "msd-cpu -q --unwrapped --lags 2 a.mbf | txt | awk '!/^#/ { print \$NF }'"
    remedy 2 "g4-cpu --sigma 3 --tmax 2 untimed.mbf -o no" "--lags" "g4-cpu -q --sigma 3 --lags 2 untimed.mbf | txt | awk '!/^#/ { print \$NF }'" "g4-cpu -q --sigma 3 --lags 2 a.mbf | txt | awk '!/^#/ { print \$NF }'"
    remedy 2 "g4-cpu --lags 2 a.mbf -o no" "give it with --sigma ANGSTROM" "g4-cpu -q --sigma 3 --lags 2 a.mbf | txt" "xyz2bin -q --sigma 3 a.xyz | g4-cpu -q --lags 2 | txt"
    xyz2bin -q --dt 1 --pbc none plain.xyz -o free.mbf
    remedy 2 "rdf-cpu free.mbf -o no" "needs a cell, but the input has none (give --rmax in A)" "rdf-cpu -q --rmax 4 --bins 5 free.mbf | well" "echo well"
    xyz2bin -q --dt 1 --cell 10,10,10,80,90,90 plain.xyz -o tri.mbf
    remedy 2 "rdf-cpu --rmax corner tri.mbf -o no" "beyond half its smallest width" "rdf-cpu -q --rmax 4.9 --bins 5 tri.mbf | txt" "rdf-cpu -q --rmax 4.9 --bins 5 --algorithm all-pairs tri.mbf | txt"
    rdf-cpu -q --rmax 4 --bins 40 free.mbf -o free.rdf
    remedy 2 "rdf2sq free.rdf -o no" "--method debye" "rdf2sq -q --method debye free.rdf | well" "echo well"
    remedy 2 "sq-cpu free.mbf -o no" "rdf2sq --method debye" "rdf-cpu -q --rmax 4 --bins 40 free.mbf | rdf2sq -q --method debye | txt" "rdf2sq -q --method debye free.rdf | txt"
    remedy 2 "sq-cpu --qmax 0.1 a.mbf -o no" "raise --qmax" "sq-cpu -q --qmax 2 a.mbf | well" "echo well"
    sed 's/Kr/X9/' a.xyz | xyz2bin -q -o named.mbf
    remedy 2 "msd-cpu --unwrapped --lags 2 named.mbf -o no" "--masses X9=MASS,..." "msd-cpu -q --unwrapped --lags 2 --masses X9=83.798 named.mbf | txt | awk '!/^#/ { print \$3 }'" "msd-cpu -q --unwrapped --lags 2 a.mbf | txt | awk '!/^#/ { print \$3 }'"
    sed '/^ITEM: ATOMS/s/$/ vx vy vz/; /^[1-4] [12] /s/$/ 0.5 0.25 0.125/' a.dump >v.dump
    remedy 2 "fqt-cpu --qmax 1 --lags 2 --currents a.mbf -o no" "traj2bin --velocities" \
        "traj2bin -q --units metal --timestep 0.1 --velocities v.dump | fqt-cpu -q --qmax 1 --lags 2 --currents | well" "echo well"
    for k in 0 1 2 3; do printf '2\nLattice="10 0 0 0 10 0 0 0 10" Time=%d time_unit=ps Properties=species:S:1:pos:R:3\nAr %d.5 1 1\nAr 5 5 5\n' $k $(((8 + k) % 10)); done | xyz2bin -q -o wrapped.mbf
    remedy 2 "msd-cpu --drift keep --lags 2 wrapped.mbf -o no" "use unwrap(1)" "unwrap -q wrapped.mbf | msd-cpu -q --drift keep --lags 3 | txt | awk '!/^#/ { print \$3 }'" "printf '0\n0.5\n2\n'"
    remedy 0 "g4-cpu --sigma 3 --lags 2 a.mbf -o no" "frame-cut --species" "frame-cut -q --species Ar a.mbf | g4-cpu -q --sigma 3 --lags 2 | txt" "sed '/^Kr/d; s/^4/2/' a.xyz | xyz2bin -q | g4-cpu -q --sigma 3 --lags 2 | txt"
    remedy 0 "g4-cpu --sigma 3 --lags 2 w.mbf -o no" "--exclude M excludes them" "g4-cpu -q --sigma 3 --lags 2 --exclude 3 w.mbf | txt" "g4-cpu -q --sigma 3 --lags 2 --between <(printf '0 1 2\n3 4 5\n') w.mbf | txt"
    remedy 2 "g4-cpu --sigma 3 --lags 2 --sum ewald:1,2 free.mbf -o no" "--sum taper" "g4-cpu -q --sigma 3 --lags 2 --sum taper:1,2 free.mbf | well" "echo well"
    g4-cpu -q --sigma 3 --lags 4 --blocks 1 a.mbf -o one.cf
    frame-cut -q :3 a.mbf -o half1.mbf && frame-cut -q 3: a.mbf -o half2.mbf && cat half1.mbf half2.mbf >twice.mbf
    remedy 2 "rdf-cpu --shard 1/2 twice.mbf -o no" "(join them with frame-cat)" "frame-cat -q twice.mbf -o cat.mbf; rdf-cpu -q --bins 5 --shard 1/2 cat.mbf -o s1; rdf-cpu -q --bins 5 --shard 2/2 cat.mbf -o s2; frame-merge -q s1 s2 | txt | cut -d' ' -f1-3" \
        "rdf-cpu -q --bins 5 a.mbf | txt | cut -d' ' -f1-3"
    remedy 2 "cat a.mbf | rdf-cpu --shard 1/2 -o no" "--shard needs a file" "rdf-cpu -q --bins 5 --shard 1/2 a.mbf -o s1; rdf-cpu -q --bins 5 --shard 2/2 a.mbf -o s2; frame-merge -q s1 s2 | txt | cut -d' ' -f1-3" "rdf-cpu -q --bins 5 a.mbf | txt | cut -d' ' -f1-3"
    remedy 2 "compare --sigma 3 one.cf one.cf" "(use --blocks)" "g4-cpu -q --sigma 3 --lags 2 --blocks 2 a.mbf -o two.cf; compare --sigma 3 two.cf two.cf | grep -o '^identical'" "echo identical"
    acf -q --pairs a-a --lags 8 t.mbf -o t.cf
    remedy 2 "fft-spectrum --weight nu4 t.cf -o no" "--weight nu4 needs --laser CM1" "fft-spectrum -q --weight nu4 --laser 20000 t.cf | well" "echo well"
    remedy 2 "fft-spectrum --weight nu-tanh t.cf -o no" "needs --temperature K" "fft-spectrum -q --weight nu-tanh --temperature 300 t.cf | well" "echo well"
    remedy 2 "md-cpu --atoms 32 -o no" "--atoms needs --density or --cell" "md-cpu -q --atoms 32 --cell 11.696 --steps 20 --every 10 | txt | wc -l" "md-cpu -q --atoms 32 --density 0.02 --steps 20 --every 10 | txt | wc -l"
    remedy 2 "md-cpu --steps 1 free.mbf -o no" "found none in the stream (give --cell)" "md-cpu -q --steps 2 --every 1 --cell 10 --mass 40 free.mbf | well" "echo well"
    [ $ROWS -ge 18 ]
}

@test "remedies: python3 -m mbf from reads structures, and names atoms by the topologies of other programs" {
    numpy_python
    for k in MDAnalysis ase; do "$PY" -c "import $k" 2>/dev/null || skip "no $k for Python"; done
    printf 'CRYST1   10.000   10.000   10.000  90.00  90.00  90.00 P 1           1\n' >a.pdb
    sed -n '3,6p' a.xyz | awk '{ printf "ATOM  %5d %-4s SOL A%4d    %8.3f%8.3f%8.3f  1.00  0.00          %2s\n", NR, toupper($1), NR, $2, $3, $4, $1 }' >>a.pdb
    { printf 'argon\n1.0\n10 0 0\n0 10 0\n0 0 10\nAr Kr\n2 2\nCartesian\n'; sed -n '3,6p' a.xyz | cut -d' ' -f2-; } >POSCAR
    first="xyz2bin --select 0 a.xyz | txt | sed 1d | cut -d' ' -f3-"
    for f in a.pdb POSCAR; do
        remedy 2 "traj2bin $f -o no" "python3 -m mbf from FILE makes a stream of it" "$PY -m mbf from $f -o f.mbf 2>/dev/null; txt f.mbf | sed 1d | cut -d' ' -f3-" "$first"
    done
    { printf 'PSF\n\n       1 !NTITLE\n REMARKS\n\n       4 !NATOM\n'
        sed -n '3,6p' a.xyz | awk '{ printf "%8d %-4s %-4d %-4s %-4s %-4s %10.6f    %10.4f  %10d\n", NR, "W", NR, "SOL", $1, $1, 0, 40, 0 }'; } >a.psf
    remedy 2 "traj2bin --units metal --timestep 0.1 --topology a.psf a.dump -o no" "put python3 -m mbf from --topology FILE TRAJECTORY in place of traj2bin" \
        "cp a.dump a.lammpsdump; $PY -m mbf from --dt 1 --topology a.psf a.lammpsdump -o f.mbf 2>/dev/null; bin2txt --meta f.mbf | grep sys.species; txt f.mbf | sed 1d | cut -d' ' -f3-" \
        "bin2txt --meta a.mbf | grep sys.species; xyz2bin --select :4 a.xyz | txt | sed 1d | cut -d' ' -f3-"
    # with an atom without an element, all names have the next meaning
    sed '$s/Kr$/  /' a.pdb >some.pdb
    "$PY" -m mbf from some.pdb -o s.mbf 2>/dev/null
    bin2txt --meta s.mbf | grep -q '^sys.species'
}
