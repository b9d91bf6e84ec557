# SPDX-License-Identifier: MIT
# sanitize
# portable
# imd2bin: a running simulation over IMDv3, and an engine that fails.

load ../helpers

# session FILE KEY=VALUE...: a session of an engine, as FILE: frames of atoms (4) whose positions
# are 3 atom + axis + 100 frame, and velocities atom + axis/8 - frame. Keys: order (byte order: < or
# >), version, sends (names of packets), wrapped, atoms, frames (3), first, every (10) and dt
# (0.001) of steps, scale, cell, grows (of the cell, per frame), and errors in frame N: lose, twice,
# back (100 steps), more (an atom), swap (two packets), odd (a packet of another type), lengths (a
# negative one).
session() { py forge/imd "$@"; }

# serve FILE KEY=VALUE...: an engine that plays a session to one client, at 127.0.0.1:$port
# (readers/imd_server.py has the keys).
serve() {
    rm -f port said
    "${PY:-python3}" "$ROOT/tests/readers/imd_server.py" "$1" port "${@:2}" >said 2>&1 3>&- & # itself, to be killed
    server=$!
    until_true 10 test -s port
    port=$(<port)
}

# refuses STATUS TEXT ARGUMENT...: one line of imd2bin, no file, and no result of later programs
refuses() {
    local status_=$1 text=$2
    shift 2
    rm -f out.mbf
    fails "$status_" imd2bin -q -o out.mbf "$@"
    [[ $output == *"$text"* && ${#lines[@]} -eq 1 && ! -e out.mbf ]] || { echo "expected: $text"; echo "found: $output"; false; }
}

says() { frame-check -v "$1" | grep -qE "^ +$2 +$3\$" || { frame-check -v "$1"; false; }; }

@test "IMD: positions, velocities, cell, times and energies, either byte order, as a recorded session has them" {
    for order in '<' '>'; do
        session s order="$order" grows=0.5
        serve s leave=10
        imd2bin -q --steps 30 --velocities --energies en.mbf --species 'Ar 1 Kr 3' --sigma 3.4 127.0.0.1:"$port" -o a.mbf
        wait "$server"
        [ "$(cat said)" = $'go\ndisconnect' ]
        bin2txt a.mbf | awk '!/^#/ { k = $3 + 0; t = $1; for (a = 0; a < 3; a++) if ($(4 + a) != 3*k + a + 100*t || $(7 + a) != k + a/8 - t) exit 1; n++ }
            END { exit n != 12 }'
        [ "$(bin2txt a.mbf | awk '!/^#/ { print $2 }' | uniq | xargs)" = "0.01 0.02 0.03" ]
        says a.mbf sys.dt_ps 0.01
        says a.mbf sys.cell '20 0 0 0 30 0 0 0 40'
        says a.mbf sys.sigma 3.4
        says a.mbf sys.species 'Ar 1 Kr 3'
        frame-check -v a.mbf | grep -q 'CELL f64 .* 3 steps'
        frame-check -v a.mbf | grep -q 'END complete'
        bin2txt en.mbf | grep -q '^# step t_ps T_K E_kJ/mol '
        [ "$(bin2txt en.mbf | awk '!/^#/ { print $2, $3, $4, $11 }')" = $'0.01 0 0.25 2\n0.02 1 1.25 3\n0.03 2 2.25 4' ]
        # the same by traj2bin from the recorded session, without the fact that the run has ended
        traj2bin -q --velocities --allow-partial --species 'Ar 1 Kr 3' --sigma 3.4 s -o b.mbf
        [ "$(content a.mbf)" = "$(content b.mbf)" ]
        frame-check -v b.mbf | grep -q 'END limited'
        fails 2 traj2bin -q s -o c.mbf
        [[ $output == "traj2bin: s: frame 3: truncated: the session ended after step 30; an engine that finished cannot be distinguished from one that was killed (--allow-partial accepts the frames received)" ]]
    done
    # f64 gives the same numbers; units of LAMMPS are converted to A, ps and A/ps
    serve s && imd2bin -q --steps 30 --dtype f64 :"$port" | bin2txt >f64
    bin2txt <(traj2bin -q --allow-partial s) >f32
    cmp <(grep -v '^#' f64) <(grep -v '^#' f32)
    serve s && imd2bin -q --steps 30 --species 'Ar 1 Kr 3' --charges Ar=1.5,Kr=-0.5 :"$port" | bin2txt >charges
    [ "$(awk '!/^#/ && $1 == 2 { print $7 }' charges | xargs)" = "1.5 -0.5 -0.5 -0.5" ]
    session s dt=2 cell='2 0 0 0 3 0 0 0 4'
    serve s && imd2bin -q --steps 30 --units nano --velocities :"$port" -o u.mbf
    says u.mbf sys.dt_ps 20000
    says u.mbf sys.cell '20 0 0 0 30 0 0 0 40'
    [ "$(bin2txt u.mbf | awk '!/^#/ && $1 == 1 && $3 == 2 { print $4, $5, $6, $7 }')" = "1060 1070 1080 0.01" ]
    serve s && imd2bin -q --steps 30 --units real --velocities --dtype f64 :"$port" -o u.mbf
    says u.mbf sys.dt_ps 0.02
    [ "$(bin2txt u.mbf | awk '!/^#/ && $1 == 1 && $3 == 2 { print $4, $7 }')" = "106 1000" ]
}

@test "imd2bin: it waits for the engine, takes pieces, chooses atoms and frames, and takes leave" {
    session s frames=20 every=5 sends='time positions'
    serve s late=1.2 piece=7
    imd2bin -q --steps 105 --cell 20,30,40 --species '2*(O 1 H 1)' --species O --select 4:12:2 :"$port" -o a.mbf
    wait "$server"
    [ "$(bin2txt a.mbf | awk '!/^#/ { print $2, $4 }' | xargs)" = "0.03 400 0.03 406 0.04 600 0.04 606 0.05 800 0.05 806 0.06 1000 0.06 1006" ]
    frame-check -v a.mbf | grep -q 'END limited'
    # the promised step need not be the step of a frame, and nothing after the last frame is read
    serve s && imd2bin -q --steps 62 --cell 20 :"$port" -o b.mbf
    [ "$(frame-check -v b.mbf | grep -c 'END complete: .* 11 steps')" -eq 1 ]
    serve s && imd2bin -q --steps 109 --cell 20 :"$port" -o b.mbf
    [ "$(frame-check -v b.mbf | grep -c 'END complete: .* 20 steps')" -eq 1 ]
    serve s leave=5 && imd2bin -q --steps 62 --cell 20 :"$port" -o b.mbf
    wait "$server"
    [ "$(xargs <said)" = "go disconnect" ] || { cat said; false; }
    session one frames=1
    serve one && imd2bin -q --steps 10 --dt 1 :"$port" -o c.mbf
    frame-check -v c.mbf | grep -q 'END complete: .* 1 step'
    # frames are passed on as they arrive: the reader has the first ones while the engine runs
    serve s hang=600 still=5
    imd2bin -q --open-end --cell 20 :"$port" 3>&- | cat >live.mbf 3>&- &
    until_true 4 bash -c '[ "$(stat -c %s live.mbf)" -gt 700 ]' # META, and 6 frames of 4 atoms
    kill "$server" && wait
    frame-check -q live.mbf
}

@test "imd2bin: a host that vanished is missed within two minutes, by keep-alive of TCP" {
    [ -z "$SANITIZED" ] || skip "strace and the leak sanitizer do not mix"
    strace -o /dev/null true 2>/dev/null || skip "strace may not trace here"
    session s frames=2 && serve s
    strace -f -qq -e trace=setsockopt -o calls imd2bin -q --steps 10 --cell 20 :"$port" -o a.mbf
    for o in 'SO_KEEPALIVE, [1]' 'TCP_KEEPIDLE, [60]' 'TCP_KEEPINTVL, [10]' 'TCP_KEEPCNT, [6]'; do
        grep -qF "$o, 4) = 0" calls || { echo "no $o"; cat calls; false; }
    done
}

@test "imd2bin: large frames, whose rows go where they belong as they come: the same, and cut in any of them" {
    session s atoms=24000 scale=0.125 frames=4
    for o in "" --velocities; do
        serve s pause=0.001 piece=100000
        imd2bin -q --steps 40 $o :"$port" | frame-check -v >live
        wait "$server"
        [ "$(awk '$1 == "content"' live)" = "$(traj2bin -q --format imd --allow-partial $o s | frame-check -v | awk '$1 == "content"')" ]
    done
    # if an engine pauses within a frame, the frames before it are passed on in separate arrays;
    # rows are the same
    numbers() { bin2txt | grep -v '^#' | cksum; }
    serve s pause=0.3 piece=200000
    [ "$(imd2bin -q --steps 40 --velocities :"$port" | numbers)" = "$(traj2bin -q --format imd --allow-partial --velocities s | numbers)" ]
    rows=288000 head=132 # of a frame: time, energies, cell and their headers, that of positions
    frame=$((head + 3 * rows + 16))
    for at in 0 60 $head $((head + 1)) $((head + rows)) $((head + rows + 4)) $((head + rows + 9)) $((head + 2 * rows + 12)) $((frame - 1)); do
        serve s cut=$((23 + 2 * frame + at))
        refuses 2 "truncated: expected frames up to step 40 (--steps), but the session ended after step 20" --velocities --steps 40 :"$port"
        serve s cut=$((23 + 2 * frame + at))
        [[ $(imd2bin -q --open-end --velocities :"$port" | frame-check -v) =~ END\ limited.*\ 2\ steps ]]
    done
    session t atoms=24000 scale=0.125 frames=3 lengths=1
    serve t
    refuses 2 "expected forces of 24000 atoms, found 4294967295" --steps 30 :"$port"
}

@test "imd2bin: a session that ends before its time makes no END, and no result down the pipe" {
    session s frames=6
    bytes=$(stat -c %s s)
    for at in 0 1 7 8 22 23 24 31 200 $((bytes - 1)) $bytes; do
        for how in reset=0 reset=1; do
            serve s cut=$at $how
            rm -f g4.mbf
            set +e
            imd2bin -q --steps 70 :"$port" 2>err | tee run.mbf | rdf-cpu -q 2>err2 | bin2txt -o gr.txt 2>err3
            status=("${PIPESTATUS[@]}")
            set -e
            wait "$server" || :
            [ "${status[0]}${status[2]}${status[3]}" = 222 ] && [ ! -e gr.txt ] || { echo "$at $how: ${status[*]}"; cat err err2 err3; false; }
            [ "$(wc -l <err)" -eq 1 ] || { cat err; false; }
        done
    done
    serve s
    refuses 2 ": frame 6: truncated: expected frames up to step 70 (--steps), but the session ended after step 60" --steps 70 :"$port"
    serve s reset=1
    refuses 2 "the session ended after step 60: Connection reset by peer" --steps 70 :"$port"
    serve s cut=700
    refuses 2 ": frame 2: truncated: expected frames up to step 60 (--steps), but the session ended after step 20" --steps 60 :"$port"
    serve s hang=700 still=5
    refuses 2 "the session ended after step 20: nothing was received for 0.3 s" --silence 0.3 --steps 60 :"$port"
    # the frames that arrived may be accepted, and END states this
    serve s cut=700
    imd2bin --open-end :"$port" -o open.mbf 2>err
    grep -q "warning: :$port: the session ended after step 20\$" err
    frame-check -v open.mbf | grep -q 'END limited.* 2 steps'
}

@test "imd2bin: steps that are lost, come twice or go back, atoms that change, packets out of order" {
    wrong() { # STATUS-TEXT KEY=VALUE...
        session w frames=5 "${@:2}"
        serve w
        refuses 2 "$1" --steps 50 :"$port"
        wait "$server" || :
    }
    wrong ": frame 2: expected step 30, found step 40: frames were lost, or the engine's output rate changed" lose=2
    wrong ": frame 3: expected step 40, found step 30: the run was restarted, or frames were sent twice" twice=2
    wrong ": frame 1: expected step 11 or a later step, found step -80: the run was restarted" back=1
    wrong ": frame 3: expected positions of 4 atoms, found 5" more=3
    wrong ": frame 1: expected a packet of the time (type 12), found type 1, length 1: packets were lost or are out of order" swap=1
    wrong ": frame 2: expected a packet of the cell (type 13), found type 9, length 1" odd=2
    wrong ": frame 1: expected forces of 4 atoms, found 4294967295" lengths=1
    wrong "expected a time step in ps, found 2, which is too long for ps (name the unit style of LAMMPS with --units STYLE" dt=2
    wrong "expected the time in each frame of the session, found none: steps cannot be counted" sends='cell positions'
    wrong "expected positions in each frame of the session, found none" sends='time cell velocities'
    wrong "expected version 3 of the IMD protocol, found version 2 (its frames contain neither times nor cells" version=2
    wrong "expected version 3 of the IMD protocol, found version 4" version=4
    wrong "expected no step after 50, the last step given by --steps, found step 60" first=60
    session none frames=0
    serve none && refuses 2 "truncated: expected at least one frame, but the session ended before its first frame" --open-end :"$port"
    session w sends='time cell positions'
    serve w && refuses 2 "--velocities: expected a file with velocities, found an IMD session without" --velocities --steps 30 :"$port"
    serve w && refuses 2 "--energies: expected energies, found an IMD session without energies" --energies en.mbf --steps 30 :"$port"
    [ ! -e en.mbf ]
    printf 'HTTP/1.0 400 Bad Request\r\n\r\nmany more words that are no handshake' >web
    serve web && refuses 2 ":$port: expected the first packet of the IMD protocol (handshake), found a packet of type 1213486160" --steps 30 :"$port"
}

@test "imd2bin: no engine, no promise, no address" {
    refuses 2 "expected --steps N (the last step of the run) or --open-end, found none" :9
    refuses 2 "expected --steps N (the last step of the run) or --open-end, found both" --steps 3 --open-end :9
    # two outputs are two files with any names
    for two in "out.mbf out.mbf" "out.mbf ./out.mbf" "- -" "- /dev/stdout"; do
        # shellcheck disable=SC2086
        set -- $two
        fails 2 imd2bin --open-end -o "$1" --energies "$2" :9
        [[ $output == "imd2bin: two outputs name the same file: "* && ! -e out.mbf ]]
    done
    for a in localhost localhost: localhost:0 localhost:65536 localhost:1x localhost:+80 'localhost: 80' localhost:-80 "$(printf '%0256d' 0):80"; do
        refuses 2 "expected HOST:PORT of an engine, found '$a'" --open-end "$a"
    done
    session s
    serve s mute=1 still=3
    refuses 3 ":$port: expected the handshake of an engine within the time of --wait: Connection timed out" --wait 0.3 --open-end :"$port"
    wait "$server" || :
    refuses 3 ":$port: expected a listening engine within 0.2 s (--wait), found none: Connection refused" --wait 0.2 --open-end :"$port"
}

@test "imd2bin: engines killed at random, and cuts at random bytes: status 2 down the pipe, no result" {
    session s frames=40 atoms=20
    bytes=$(stat -c %s s)
    for n in $(seq "$(whole 8 400)"); do
        cut=$(awk "$UNIFORM"'BEGIN { seed('"$n"'); for (k = 0; k < 5; k++) x = uniform(); print int(23 + x * ('"$bytes"' - 24)) }')
        case $((n % 2)) in
        0) serve s cut="$cut" ;;
        1) serve s piece=200 pause=0.002 ;;
        esac
        rm -f gr.txt
        set +e
        { [ $((n % 2)) -eq 0 ] || { until_true 5 test -s said; sleep "0.0$((n % 10))"; kill -9 "$server"; } } 3>&- &
        imd2bin -q --steps 400 :"$port" 2>err | tee run.mbf | rdf-cpu -q 2>/dev/null | bin2txt -o gr.txt 2>/dev/null
        status=("${PIPESTATUS[@]}")
        set -e
        wait
        [ "${status[0]}${status[2]}${status[3]}" = 222 ] && [ ! -e gr.txt ] || { echo "$n $cut: ${status[*]}"; cat err; false; }
        ! frame-check -q run.mbf 2>/dev/null
    done
}

@test "live-imd.sh: parts of a run that go on where an engine died, and their spectrum" {
    # an engine that plays a session of liquid argon; the second part fails once
    mkdir bin
    cat >bin/lmp <<END
#!/bin/bash
while [ \$# -gt 0 ]; do
    case \$1 in -var) declare "\$2=\$3"; shift 3 ;; *) shift ;; esac
done
cut=-1
[ "\$part" -eq 1 ] || [ "\$restart" = "\$PWD/out/part-1.restart" ] || exit 9
[ "\$part" -eq 1 ] || [ -e died ] || { touch died; cut=20000; }
"${PY:-python3}" "$ROOT/tests/readers/imd_server.py" session-\$part "\$next.port" port="\$port" cut=\$cut >/dev/null 2>&1
[ \$cut -lt 0 ] && echo restart of \$part >"\$next"
END
    chmod +x bin/lmp
    for part in 1 2; do
        session session-$part dt=20 every=10 frames=100 first=$((1000 * part - 990)) atoms=20 scale=0.005 cell='20 0 0 0 20 0 0 0 20' sends='time cell positions'
    done
    export LMP=$PWD/bin/lmp STEPS=1000 OUT=out SPECIES='Ar 20'
    run "$ROOT/pipelines/live-imd.sh" in
    [ -e out/part-1.mbf ] &&     [ "$status" -eq 2 ] && [ ! -e out/part-2.mbf ] && [ ! -e out/spectrum.txt ] && [ ! -e out/spectrum-2.txt ] || { echo "$status: $output"; ls out; false; }
    frame-check -q out/part-1.mbf
    [ "$(cat out/part-1.restart)" = "restart of 1" ]
    run "$ROOT/pipelines/live-imd.sh" in
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    [[ $output == *"part 1 is done already"* ]]
    [ "$(grep -c '^[0-9]' out/spectrum.txt)" -gt 10 ]
    frame-check out/part-2.mbf 2>&1 | grep -q ' 100 steps'
    # imd2bin does not wait for an engine that never begins
    printf '#!/bin/sh\nexit 1\n' >bin/lmp
    SECONDS=0
    OUT=none run "$ROOT/pipelines/live-imd.sh" in
    [ "$status" -ne 0 ] && [ ! -e none/part-1.mbf ] && [ $SECONDS -lt 30 ]
}

@test "imd2bin: LAMMPS itself: the numbers of its own dump, and one that is killed" {
    "${LMP:-lmp}" -h 2>/dev/null | grep -qE '(2025|202[6-9])$|- .*(2025|202[6-9])' || skip "no LAMMPS since February 2025 (LMP)"
    cat >npt.in <<'END'
units metal
atom_style atomic
lattice fcc 5.72
region box prism 0 4 0 4 0 4 0.7 0.3 0.5
create_box 1 box
create_atoms 1 box
mass 1 39.948
velocity all create 140 4711
pair_style lj/cut 8
pair_coeff * * 0.0103 3.4
timestep 0.005
fix 1 all npt temp 100 100 0.5 tri 1 1 2
fix 2 all imd ${port} version 3 unwrap off trate 10
dump 1 all custom 10 npt.dump id type x y z vx vy vz
dump_modify 1 units yes time yes sort id format float %.17g
run ${steps}
END
    port=$((20000 + RANDOM % 20000))
    "${LMP:-lmp}" -var port $port -var steps 500 -in npt.in -log none -screen none 3>&- &
    imd2bin -q --velocities --steps 500 :$port -o live.mbf
    wait
    traj2bin -q --velocities --select 1: npt.dump -o dump.mbf # which has step 0, too
    cmp <(bin2txt live.mbf | grep -v '^#') <(bin2txt dump.mbf | grep -v '^#')
    run compare --rtol 1e-7 live.mbf dump.mbf # cells come as f32
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    for n in $(seq "$(whole 2 100)"); do
        port=$((20000 + RANDOM % 20000))
        "${LMP:-lmp}" -var port $port -var steps 500000 -in npt.in -log none -screen none 3>&- &
        lmp=$!
        { sleep "1.$n" && kill -9 $lmp $(pgrep -P $lmp); } 3>&- &
        run bash -c "imd2bin -q --steps 500000 :$port | rdf-cpu -q --rmax 5 -o gr.mbf; echo \${PIPESTATUS[*]}"
        wait
        [[ $output == *"2 2" && ! -e gr.mbf ]] || { echo "$output"; false; }
    done
}
