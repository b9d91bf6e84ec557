# SPDX-License-Identifier: MIT
# sanitize
# The time between frames, for all readers: from steps and rounded stamps of the selected frames, or
# a refusal that names the cause.

load ../helpers

# stamps KIND START STRIDE N [STEP EVERY]: frames whose times are f32.
stamps() {
    py forge/stamps "$@"
}

# dump STEP [X [TIME]]: a LAMMPS frame of two atoms, at X.
dump() {
    [ -z "$3" ] || printf 'ITEM: TIME\n%s\n' "$3"
    printf 'ITEM: TIMESTEP\n%s\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS pp pp pp\n0 9\n0 9\n0 9\nITEM: ATOMS id x y z\n1 %s 1 1\n2 5 5 5\n' "$1" "${2:-$1e-3}"
}

# dumps STEP...
dumps() {
    local s
    for s in "$@"; do dump "$s"; done
}

# lammps OPTION... FILE...: prints the time in ps and x of atom 0 for each frame.
lammps() {
    traj2bin --units metal "$@" -o l.mbf && bin2txt l.mbf | awk '!/^#/ && $3 == 0 { print $2 ":" $4 }' | xargs
}

# dt FILE...: prints the time between frames in META.
dt() {
    bin2txt --meta <(traj2bin -q "$@") | sed -n 's/^sys.dt_ps\t//p'
}

# times OPTION... FILE...
times() {
    traj2bin -q "$@" | bin2txt | awk '!/^#/ && $3 == 0 { print $2 }' | xargs
}

# refused TEXT COMMAND...: status 2, one line with TEXT, no file.
refused() {
    local text=$1
    shift
    rm -f no
    fails 2 "$@" -o no
    [[ $output == *"$text"* && ${#lines[@]} -eq 1 && ! -e no ]] || { echo "expected: $text"; echo "found: $output"; false; }
}

@test "f32 stamps at any start and stride: the stride is right, with steps and without, and times lie on its grid" {
    for start in 0 1000 100000 500000; do
        for stride in 0.002 0.02 0.05 0.25 1 2.5 10; do
            every=$(awk "BEGIN { print int($stride / 0.001 + 0.5) }")
            step=$(awk "BEGIN { printf \"%d\", $start / 0.001 + 0.5 }")
            for o in "xtc $start $stride 60 $step $every" "trr $start $stride 60 $step $every" "xtc $start $stride 60" \
                "xtc $start $stride 60 0 $every" "trr $start $stride 60 0 1" "nc $start $stride 60"; do
                # shellcheck disable=SC2086
                stamps $o >f
                [ "$(dt f)" = "$stride" ] || { echo "$o: $(dt f)"; false; }
                times f | tr ' ' '\n' | awk -v d=$stride -v t=$start '{ e = $1 - t - (NR - 1) * d; if (e < -1e-9 * $1 || e > 1e-9 * $1) bad = 1 } END { exit bad || NR != 60 }' ||
                    { echo "$o"; times f; false; }
            done
        done
    done
}

@test "a stride of many digits is fitted to all stamps; printed times that are rounded are no gap" {
    stamps nc 1000 0.3333333333 60 >f
    near "$(dt f)" 0.3333333333 1e-5
    stamps nc 10000 0.3004 60 >f # 0.3 suits the first three stamps
    near "$(dt f)" 0.3004 2e-5
    for t in 0 0.333 0.667 1.000 1.333 1.667 2.000 2.333 2.667 3.000; do printf '1\nTime=%s time_unit=ps Lattice="9 0 0 0 9 0 0 0 9"\nAr 1 2 %s\n' $t $t; done >a.xyz
    near "$(dt a.xyz)" 0.33333 1e-4
}

@test "steps are counted in 32 bits, and go on after 2147483647" {
    for kind in xtc trr; do
        stamps $kind 4294967.25 2 9 2147483643 2 >f
        [ "$(dt --timestep 0.002 f)" = 0.004 ]
        stamps $kind 0 2 9 2147483643 2 >f
        [ "$(dt f)" = 2 ]
        refused "frame 3: expected step 2147483649 after 2147483647, found 2147483651: 1 frame is missing" traj2bin --timestep 1 <(
            stamps $kind 0 2 3 2147483643 2; stamps $kind 8 2 3 2147483651 2)
    done
}

@test "stamps that leave the stride open are refused; --dt and --timestep give it" {
    for kind in xtc trr; do
        stamps $kind 1000000 0.001 60 0 7 >f
        refused "the times are rounded to 0.062 ps: the first 60 frames may be 0 to 0.00" traj2bin f
        [[ $output == *"(give the time between frames with --dt PS, or the length of an MD step with --timestep PS)" ]]
        [ "$(dt --dt 0.001 f)" = 0.001 ]
        [ "$(dt --timestep 0.002 f)" = 0.014 ]
    done
    stamps nc 1000000 0.001 60 >f
    refused "(give the time between frames with --dt PS)" traj2bin f
    [ "$(dt --dt 0.001 f)" = 0.001 ]
    stamps xtc 500000 0.02 2 >f # two stamps 0.03 ps apart
    refused "the first 2 frames may be 0 to 0.06" traj2bin f
    # one decimal of two digits is enough in a range of 1 %, and not in a wider one
    stamps xtc 100000 0.99 3 >f
    [ "$(dt f)" = 0.99 ]
    stamps xtc 100000 0.97 2 >f
    refused "the first 2 frames may be 0.96" traj2bin f
    # 1 is at the end of these ranges: both stamps would be off by half a unit, in opposite ways
    for kind in xtc trr nc; do
        stamps $kind 100000 0.99 2 >f
        refused "the first 2 frames may be 0.9844 to 1" traj2bin f
        stamps $kind 100000 1.01 2 >f
        refused "the first 2 frames may be 1 to 1.016" traj2bin f
        stamps $kind 100000 0.995 3 >f
        refused "the first 3 frames may be 0.9922 to 1" traj2bin f
        for d in 1 2; do
            stamps $kind 100000 $d 2 >f
            [ "$(dt f)" = $d ]
        done
        stamps $kind 100000 0.995 60 >f
        [ "$(dt f)" = 0.995 ]
    done
    for kind in trr8 nc8; do # f64 stamps are not rounded
        for d in 0.99 0.97 0.001234; do
            stamps $kind 100000 $d 2 >f
            [ "$(dt f)" = $d ]
        done
    done
}

@test "a missing frame that f32 stamps cannot show is seen by its step" {
    { stamps xtc 500000 0.02 30 250000000 10; stamps xtc 500000.62 0.02 30 250000310 10; } >f
    refused "frame 30: expected step 250000300 after 250000290, found 250000310: 1 frame is missing (--select :30 takes the frames before the gap, --select 30: the frames after it)" traj2bin f
    [ "$(dt --select :30 f)" = 0.02 ]
    [ "$(dt --select 30: f)" = 0.02 ]
}

@test "a remedy keeps the parts of --select that the user gave" {
    { stamps xtc 500000 0.02 30 250000000 10; stamps xtc 500000.62 0.02 30 250000310 10; } >f
    # remedy GIVEN BEFORE AFTER [DT]: tests both remedies in the message
    remedy() {
        refused "is missing (--select $2 takes the frames before the gap, --select $3 the frames after it)" traj2bin --select "$1" f ||
            refused "are missing (--select $2 takes the frames before the gap, --select $3 the frames after it)" traj2bin --select "$1" f
        for part in "$2" "$3"; do [ "$(dt --select "$part" f)" = "$4" ] || { echo "$part"; false; }; done
    }
    remedy 4: 4:30 30: 0.02
    remedy :50 :30 30:50 0.02
    remedy 4:50 4:30 30:50 0.02
    { stamps xtc 500000 0.02 30 250000000 10; stamps xtc 500000.64 0.02 30 250000320 10; } >f # two are missing
    remedy ::2 :30:2 30::2 0.04
    remedy 2:57:2 2:30:2 30:57:2 0.04
    dumps 0 10 47 57 100 110 200 210 300 310 >a
    refused "frame 4: expected step 94 after 47, found 100: the frames are unevenly spaced up to here, but evenly spaced from frame 4 (--select 4::2 takes only the evenly spaced frames)" traj2bin --units metal --timestep 0.001 --select ::2 a
    [ "$(lammps --timestep 0.001 --select 4::2 a)" = "0.1:0.1 0.2:0.2 0.3:0.3" ]
    refused "evenly spaced from frame 5 (--select 5:10:2 takes only the evenly spaced frames)" traj2bin --units metal --timestep 0.001 --select 1:10:2 a
    [ "$(lammps --timestep 0.001 --select 5:10:2 a)" = "0.11:0.11 0.21:0.21 0.31:0.31" ]
    for t in 0 1 2 3 4 6 7 8 9; do printf '1\nTime=%s time_unit=ps Lattice="9 0 0 0 9 0 0 0 9"\nAr 1 2 3.%s\n' $t $t; done >a.xyz
    refused "frame 5: line 17: expected time 5 ps after 4 ps, found 6 ps: 1 frame is missing (--select 1:5 takes the frames before the gap, --select 5:8 the frames after it)" xyz2bin --select 1:8 a.xyz
    [ "$(times --select 1:5 a.xyz)" = "1 2 3 4" ]
    [ "$(times --select 5:8 a.xyz)" = "6 7 8" ]
}

@test "a missing frame that f32 stamps do show is refused, late in a run and without steps" {
    for kind in xtc trr nc; do
        for run in "500000 0.2 39" "100000 0.05 60" "0 0.2 39" "500000 5 20"; do
            # shellcheck disable=SC2086
            stamps $kind $run 0 0 14 >f
            refused "frame 14: " traj2bin f
            # shellcheck disable=SC2086
            stamps $kind $run 0 0 >f
            [ "$(dt f)" = "$(cut -d ' ' -f 2 <<<"$run")" ]
        done
    done
    # printed times that are too close for f32 were never f32, so a missing frame is not rounding
    for t in 10000000.{0,1,2,4,5}; do printf '1\nTime=%s time_unit=ps Lattice="9 0 0 0 9 0 0 0 9"\nAr 1 2 3\n' $t; done >late.xyz
    refused "frame 3: line 11: expected time 10000000.3 ps after 10000000.2 ps, found 10000000.4 ps: 1 frame is missing" xyz2bin late.xyz
}

@test "frames that are not wanted need no time, no cell and no velocities, in every reader" {
    dumps 0 47 100 200 300 >a
    [ "$(lammps --timestep 0.001 --select 2: a)" = "0.1:0.1 0.2:0.2 0.3:0.3" ]
    refused "frame 2: expected step 94 after 47, found 100: the frames are unevenly spaced up to here, but evenly spaced from frame 2 (--select 2: takes only the evenly spaced frames)" traj2bin --units metal --timestep 0.001 a
    { stamps xtc 3 9 1 1 1; stamps xtc 100 2 5 100 2; } >f
    [ "$(times --select 1: f)" = "100 102 104 106 108" ]
    for t in 0 0.3 1 1.7 2; do printf '1\nTime=%s time_unit=ps Lattice="9 0 0 0 9 0 0 0 9"\nAr 1 2 3.%s\n' $t ${t/./}; done >a.xyz
    [ "$(times --select ::2 a.xyz)" = "0 1 2" ]
    # every second frame of a TRR has velocities; the first has no box
    python3 -c pass || skip "no python3"
    python3 - <<'PY'
import struct
def trr(k, v, box=True):
    b = struct.pack(">iii", 1993, 13, 12) + b"GMX_trn_file" + struct.pack(">13iff", 0, 0, 36 * box, 0, 0, 0, 0, 12, 12 * v, 0, 1, k, 0, k, 0)
    return b + struct.pack(">9f", 2, 0, 0, 0, 2, 0, 0, 0, 2) * box + struct.pack(">3f", 1, 1, k / 10) * (1 + v)
open("v.trr", "wb").write(b"".join(trr(k, k % 2 == 0) for k in range(6)))
open("b.trr", "wb").write(b"".join(trr(k, 0, k > 0) for k in range(6)))
PY
    refused "v.trr: frame 1: --velocities: expected velocities in this frame, found none (choose the frames that have velocities with --select, such as ::2 for every second frame)" traj2bin --velocities v.trr
    traj2bin --velocities --select 0::2 v.trr -o v.mbf
    frame-check -v v.mbf | grep -q 'VELO f32  \[F,1,3\] 1 array, 3 steps from 0 at 0 ps'
    [ "$(times --select 1: b.trr)" = "1 2 3 4 5" ]
    refused "frame 0: expected a cell, found none" traj2bin b.trr
}

@test "copies within a file and between files are left out, with a message; --keep-duplicates keeps them" {
    { dumps 0 100 200; dump 200; dump 300; dump 300; dump 300; dump 400; } >a
    [ "$(lammps --timestep 0.001 a 2>err)" = "0:0 0.1:0.1 0.2:0.2 0.3:0.3 0.4:0.4" ]
    [ "$(cat err)" = "traj2bin: warning: a: frame 3 repeats the step and positions of the preceding frame: this copy and all later copies were dropped (--keep-duplicates keeps them)" ]
    [ "$(lammps --timestep 0.001 --dt 0.1 a 2>&1)" = "traj2bin: expected either --dt or --timestep, found both (omit --timestep)" ]
    [ "$(lammps --dt 0.1 a 2>err)" = "0:0 0.1:0.1 0.2:0.2 0.3:0.3 0.4:0.4" ]
    [ "$(lammps --dt 0.1 --keep-duplicates a | wc -w)" -eq 8 ]
    dumps 400 500 >b # a restart's copy at the head of a file
    [ "$(lammps --dt 0.1 a b 2>err | wc -w)" -eq 6 ]
    grep -q "b: the first frame repeats the last frame of a, as after a restart, and was dropped (--keep-duplicates keeps it)" err
    { stamps trr 0 1 3 0 5; stamps trr 2 1 1 10 5; } >f # the positions differ
    refused "frame 3: expected step 15 after 10, found 10: the step is repeated with other positions" traj2bin f
    for k in 0 0 5; do stamps trr $k 1 1 $k 1; done >f
    [ "$(times f)" = "0 5" ]
}

@test "overlapping parts of a restart: refused, by --dt as well; with --drop-overlap the later part counts" {
    dumps 0 100 200 300 >a
    for s in 200 300 400; do dump $s 7.$s; done >b
    said="b: frame 4: expected step 400 after 300, found 200: this file begins before the end of a, which indicates a restart (--drop-overlap keeps the frames of the later file where both overlap)"
    refused "$said" traj2bin --units metal --timestep 0.001 a b
    refused "$said" traj2bin --units metal --dt 0.1 a b
    for s in 0 100; do dump $s 6.$s; done >z # from the first step on
    refused "z: frame 4: expected step 400 after 300, found 0: this file begins before the end of a, which indicates a restart" traj2bin --units metal --timestep 0.001 a z
    [ "$(lammps --timestep 0.001 --drop-overlap a b 2>err)" = "0:0 0.1:0.1 0.2:7.2 0.3:7.3 0.4:7.4" ]
    [ "$(cat err)" = "traj2bin: warning: 2 frames were dropped (--drop-overlap), because a later part of the run replaces them" ]
    gzip -k a
    [ "$(lammps --timestep 0.001 --drop-overlap a.gz b 2>err)" = "0:0 0.1:0.1 0.2:7.2 0.3:7.3 0.4:7.4" ]
    cat a b >ab # appended
    refused "ab: frame 4: expected step 400 after 300, found 200: the file contains a restart that overlaps" traj2bin --units metal --timestep 0.001 ab
    [ "$(lammps --timestep 0.001 --drop-overlap ab 2>err)" = "0:0 0.1:0.1 0.2:7.2 0.3:7.3 0.4:7.4" ]
    for s in 100 200; do dump $s 8.$s; done >c # the second restart stopped early
    [ "$(lammps --dt 0.1 --drop-overlap a c b 2>err)" = "0:0 0.1:8.1 0.2:7.2 0.3:7.3 0.4:7.4" ]
    [ "$(lammps --timestep 0.001 --drop-overlap --select 1:3 a b 2>err)" = "0.1:0.1 0.2:7.2" ]
    [ "$(lammps --timestep 0.001 --drop-overlap a 2>&1)" = "0:0 0.1:0.1 0.2:0.2 0.3:0.3" ]
    refused "expected a file, because --drop-overlap reads it twice, found a pipe (write the data to a file first)" traj2bin --units metal --timestep 0.001 --drop-overlap a <(cat b)
    refused "a begins no later than b and would replace it completely" traj2bin --units metal --timestep 0.001 --drop-overlap b a
    # by steps of XTC, by times of NetCDF, and by times of XYZ
    for kind in xtc nc; do
        stamps $kind 500000 2 6 250000000 1000 >a.$kind
        stamps $kind 500007 2 4 250003500 1000 >x.$kind
        stamps $kind 500006 2 4 250003000 1000 >b.$kind
        refused "(--drop-overlap keeps the frames of the later file where both overlap)" traj2bin a.$kind b.$kind
        [ "$(times --drop-overlap a.$kind b.$kind)" = "500000 500002 500004 500006 500008 500010 500012" ]
        refused "x.$kind: frame 4: expected " traj2bin -q --drop-overlap a.$kind x.$kind # off the beat
    done
    for n in 0 1; do
        for t in 0 1 2 3; do printf '1\nTime=%s time_unit=ps Lattice="9 0 0 0 9 0 0 0 9"\nAr 1 2 %s\n' $((t + 2 * n)) $n.$t; done >$n.xyz
    done
    refused "this file begins before the end of 0.xyz" xyz2bin 0.xyz 1.xyz
    [ "$(times --drop-overlap 0.xyz 1.xyz)" = "0 1 2 3 4 5" ]
    head -c -3 0.xyz >cut.xyz
    refused "cut.xyz: frame 3: line 12: " xyz2bin --drop-overlap cut.xyz cut.xyz
    printf '1\n\nAr 1 2 3\n' >p.xyz
    refused "--drop-overlap: expected frames with steps or times, found neither" xyz2bin --drop-overlap p.xyz
}

@test "a last frame off the regular interval is reported and left out, also where the next file continues" {
    dumps 0 100 200 300 347 >a
    for o in "--timestep 0.001" "--dt 0.1"; do
        # shellcheck disable=SC2086
        [ "$(lammps $o a 2>err)" = "0:0 0.1:0.1 0.2:0.2 0.3:0.3" ]
        [ "$(cat err)" = "traj2bin: warning: a: frame 4, the last frame, breaks the regular interval and was dropped: expected step 400, found 347" ]
    done
    dumps 400 500 >b
    [ "$(lammps --timestep 0.001 a b 2>err)" = "0:0 0.1:0.1 0.2:0.2 0.3:0.3 0.4:0.4 0.5:0.5" ]
    grep -q "a: frame 4, the last frame, breaks" err
    cat a b >ab
    refused "ab: frame 4: expected step 400 after 300, found 347: the frames are unevenly spaced" traj2bin --units metal --timestep 0.001 ab
    { stamps xtc 0 2 4 0 10; stamps xtc 7 2 1 35 10; } >f
    [ "$(times f)" = "0 2 4 6" ]
    for t in 0 1 2 2.5; do printf '1\nTime=%s time_unit=ps Lattice="9 0 0 0 9 0 0 0 9"\nAr 1 2 3.%s\n' $t ${t/./}; done >a.xyz
    [ "$(times a.xyz)" = "0 1 2" ]
}

@test "logarithmic and uneven spacing: refused, by --dt and --timestep as well" {
    dumps 0 1 2 4 8 16 32 64 >a
    dumps 0 10 21 29 40 >u
    for o in "--timestep 0.001" "--dt 0.001"; do
        # shellcheck disable=SC2086
        refused "a: frame 3: expected step 3 after 2, found 4: the spacing grows from frame to frame, as in logarithmic output (--uneven keeps the time of each frame; --select takes evenly spaced frames)" traj2bin --units metal $o a
        # shellcheck disable=SC2086
        refused "u: frame 2: expected step 20 after 10, found 21: the frames are unevenly spaced (--uneven keeps the time of each frame; --select takes evenly spaced frames)" traj2bin --units metal $o u
    done
    dumps 0 1 2 4 5 9 18 >a2 # one gap is smaller than the one before it
    refused "frame 3: expected step 3 after 2, found 4: the frames are unevenly spaced (--uneven" traj2bin --units metal --timestep 0.001 a2
    dumps 0 1 2 4 5 6 >a3
    refused "frame 3: expected step 3 after 2, found 4: 1 frame is missing" traj2bin --units metal --timestep 0.001 a3
    dumps 0 10 20 43 53 63 >a3 # 2.3 strides are no missing frame
    refused "frame 3: expected step 30 after 20, found 43: the frames are unevenly spaced up to here, but evenly spaced from frame 3 (--select 3: takes only the evenly spaced frames)" traj2bin --units metal --timestep 0.001 a3
    dumps 0 10 20 39 49 59 >a3
    refused "frame 3: expected step 30 after 20, found 39: 1 frame is missing" traj2bin --units metal --timestep 0.001 a3
    dumps 0 1000 2000 3001 4001 5001 >a3 # a gap that is almost even
    refused "frame 3: expected step 3000 after 2000, found 3001: the frames are unevenly spaced (--uneven" traj2bin --units metal --timestep 0.001 a3
    [ "$(lammps --timestep 0.001 --select :3 a | wc -w)" -eq 3 ]
    for t in 1 2 4 8 16; do printf '1\nTime=%s time_unit=ps Lattice="9 0 0 0 9 0 0 0 9"\nAr 1 2 3.%s\n' $t $t; done >a.xyz
    refused "the spacing grows" xyz2bin a.xyz
    refused "the spacing grows" xyz2bin --dt 1 a.xyz
    for t in 1 1 2 4 8 16; do printf '1\nTime=%s time_unit=ps Lattice="9 0 0 0 9 0 0 0 9"\nAr 1 2 3.%s\n' $t $((k++)); done >a.xyz # from nothing on
    refused "the frames are unevenly spaced (--uneven" xyz2bin --dt 1 --keep-duplicates a.xyz
    { for t in 1 2 4 8 16; do stamps xtc $t 1 1 $((t * 500)) 1; done; } >f
    refused "the spacing grows" traj2bin --dt 1 f
    # steps that restart while times continue, and programs that do not count steps
    { stamps xtc 0 2 3 0 10; stamps xtc 6 2 3 0 10; } >f
    [ "$(times f)" = "0 2 4 6 8 10" ]
    [ "$(dt --dt 3 f)" = 3 ]
    stamps xtc 0 2 5 >f
    [ "$(dt --dt 3 f)" = 3 ]
    # even steps, but times that are not
    { dump 0 0 0; dump 10 1 1; dump 20 2 2; dump 30 3 5; } >a
    refused "frame 3: expected time 3 ps after 2 ps, found 5 ps: " traj2bin --units metal a
    [ "$(lammps --timestep 0.1 a)" = "0:0 1:1 2:2 3:3" ]
}

@test "an option without effect is an error; Step= of XYZ counts" {
    for s in 0 10 20; do printf '1\nLattice="9 0 0 0 9 0 0 0 9" Step=%s\nAr 1 2 3.%s\n' $s $s; done >a.xyz
    [ "$(dt --timestep 0.001 a.xyz)" = 0.01 ]
    sed -i 's/Step=20/Step=30/' a.xyz
    refused "frame 2: line 8: expected step 20 after 10, found 30: 1 frame is missing" xyz2bin --timestep 0.001 a.xyz
    printf '1\n\nAr 1 2 3\n' >p.xyz
    refused "--timestep: expected frames with MD step numbers, found none (use --dt instead)" xyz2bin --timestep 1 p.xyz
    refused "--timestep: expected frames with MD step numbers, found none (use --dt instead)" xyz2bin --timestep 1 "$DATA/argon8.xyz"
    dumps 0 100 >a
    stamps xtc 0 1 3 0 1 >f
    stamps nc 0 1 3 >n
    for o in "--units metal" "--columns x" "--dialect plain" "--time-unit fs"; do
        for file in f n "$DATA/formats/water10.dcd"; do
            # shellcheck disable=SC2086
            case $o:$file in
            --units*:n) refused "expected a LAMMPS file for --units, found a file written by 'x', which uses the units of the AMBER convention" traj2bin $o $file && continue ;;
            esac
            # shellcheck disable=SC2086
            refused "expected a file format that supports ${o% *}, found a" traj2bin $o $file
            [[ $output == *"(omit ${o% *})" ]]
        done
    done
    for o in "--columns id" "--dialect plain" "--time-unit fs"; do
        # shellcheck disable=SC2086
        refused "expected a file format that supports ${o% *}, found a LAMMPS text dump (omit ${o% *})" traj2bin --units metal --timestep 1 $o a ||
            [[ $o == --time-unit* && $output == *"--time-unit has no effect with --timestep"* ]]
    done
    refused "expected a file format that supports --units, found XYZ text" traj2bin --units metal p.xyz
    refused "expected either --dt or --timestep, found both (omit --timestep)" traj2bin --dt 1 --timestep 1 f
}

@test "DCD files whose headers begin anew: --dt joins them, unless one shows that it overlaps" {
    py forge/dcd start=0 nsavc=10 title=NAMD >a.dcd
    refused "frame 2: expected step 20 after 10, found 0: the steps in the header of this file do not continue those of the previous file (--dt PS treats both files as one evenly spaced run)" traj2bin -q --pbc none --timestep 0.001 a.dcd a.dcd
    [ "$(dt --pbc none --keep-duplicates --dt 1 a.dcd a.dcd)" = 1 ]
    [ "$(dt --pbc none --dt 1 a.dcd a.dcd)" = 1 ]
    py forge/dcd start=5 nsavc=10 title=NAMD >b.dcd # between the frames of a.dcd
    refused "frame 2: expected step 20 after 10, found 5: this file begins before the end of a.dcd" traj2bin -q --pbc none --dt 1 a.dcd b.dcd
}

@test "--uneven: each frame keeps its time, from steps or stamps; bad times and formats without times are refused" {
    dumps 0 1 2 4 8 9 10 12 16 >a
    [ "$(times --units metal --timestep 0.25 --uneven a)" = "0 0.25 0.5 1 2 2.25 2.5 3 4" ]
    traj2bin -q --units metal --timestep 0.25 --uneven a -o a.mbf
    [ "$(bin2txt --meta a.mbf | grep -c -e 'sys.times.uneven' -e sys.dt_ps)" -eq 1 ]
    [ "$(times --units metal --timestep 0.25 --uneven --select 1::2 a)" = "0.25 1 2.25 3" ]
    for t in 1 2.5 4 8.125; do printf '1\nTime=%s time_unit=ps Lattice="9 0 0 0 9 0 0 0 9"\nAr 1 2 3.%s\n' $t ${t%.*}; done >a.xyz
    [ "$(xyz2bin -q --uneven a.xyz | bin2txt | awk '!/^#/ { print $2 }' | xargs)" = "1 2.5 4 8.125" ]
    { for t in 1 2 4 8 16; do stamps xtc 0.$t 1 1 $((t * 500)) 1; done; } >f # f32 stamps
    refused "expected a time after 0.800000012 ps, found 0.159999996 ps" traj2bin --uneven f
    { for t in 1 2 4 8; do stamps xtc 0.$t 1 1 $((t * 500)) 1; done; } >f
    [ "$(times --uneven f)" = "0.1 0.2 0.4 0.8" ]
    refused "--uneven: expected a time in each frame, found --dt (omit it)" traj2bin --units metal --dt 1 --uneven a
    refused "--uneven: expected a time in each frame, found none" traj2bin --uneven "$BATS_TEST_DIRNAME/../data/formats/water10.dcd"
    dumps 0 1 2 4 3 >b
    refused "frame 4: expected a step after 4, found 3: " traj2bin --units metal --timestep 0.25 --uneven b
}
