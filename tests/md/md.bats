#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# long
# md-cpu (or $MD): tests the tool around the engine, numbers of LAMMPS, NIST and oracles, exact
# repeats, and refusals.
# writes: md-cpu - --atoms 64 --density 0.02 --steps 50 --every 10 -q
load ../helpers

MD=${MD:-md-cpu}
GOLD=$ROOT/tests/golden
ARGON="--atoms 256 --cell 23.03154 --cutoff 11.5"

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

# content FILE: the content hash, which is the same for equal numbers.
# mean COLUMN FILE: the mean of a column of a --thermo file, by name, without step 0.
mean() {
    awk -v want="$1" '/^# /{ for (i = 2; i <= NF; i++) if ($i == want) c = i - 1; next } /^#/ || $1 == 0 { next }
        { s += $c; n++ } END { printf "%.12g\n", s / n }' "$2"
}
# first COLUMN FILE
first() {
    awk -v want="$1" '/^# /{ for (i = 2; i <= NF; i++) if ($i == want) c = i - 1; next } !/^#/ { print $c; exit }' "$2"
}
gold() { awk -v k="$1" -v c="${2:-2}" '$1 == k { print $c }' "$GOLD/lammps-argon256.txt"; }
lj() { "$MD" --units lj --atoms "$@"; }
cpu_only() { [[ $MD == *-cpu ]] || skip "the CPU engine's own"; }

@test "LAMMPS: energy of one configuration to 1e-12, forces to 1e-12 (double) and 1e-6 (mixed)" {
    xyz2bin --dtype f64 --select 0:1 "$DATA/argon256.xyz.gz" -o start.mbf
    for precision in double mixed; do
        "$MD" start.mbf --cutoff 11.5 --precision $precision --temperature 0 --steps 0 --thermo e.txt >/dev/null
        # md-gpu computes `mixed` energies from 32-bit fractions of the edge: 2^-32 of 23 Å is 1e-10
        # of U
        tol=2e-8
        [[ $MD == *-cpu || $precision == double ]] || tol=2e-6
        near "$(first U_meV e.txt)" "$(awk -v u="$(gold U_eV)" 'BEGIN { printf "%.12f", 1000 * u }')" "$tol"
        near "$(first p_bar e.txt)" "$(gold p_bar_at_rest)" 1e-3 # a difference of terms of 1e4 bar; LAMMPS's constants have 7 digits
        # From rest, one Euler step of 20 fs moves by F/m dt²: 1 meV/Å is 9.6e-5 Å, so forces have
        # 10 digits.
        "$MD" start.mbf --cutoff 11.5 --precision $precision --temperature 0 --integrator euler --dt 20 --steps 1 \
            --restart r.rst >/dev/null
        bin2txt r.rst | awk '!/^#/ { print $4, $5, $6 }' >after
        bin2txt start.mbf | awk '!/^#/ { print $4, $5, $6 }' >before
        grep -E '^-?[0-9]' "$GOLD/lammps-argon256.txt" | paste before after - | awk -v p=$precision '
            { for (k = 1; k <= 3; k++) { f = ($(k + 3) - $k) * 39.948 * 0.10364269656262175 / 0.0004; e = f - 1000 * $(k + 6)
                s += f * f; d += e * e; n++ } }
            # positions of 23 Å in f64 hold 3.6e-15: 4e-11 meV/Å; the fixed-point units are smaller
            END { rel = sqrt(d / s); print p, n, rel; exit !(n == 768 && rel < (p == "double" ? 5e-12 : 1e-6)) }'
    done
}

@test "LAMMPS: averages at 90 K agree within five combined standard errors" {
    # 20,000 steps against 200,000 of LAMMPS: standard errors are sqrt(10) times as large
    "$MD" $ARGON --thermostat berendsen:0.5 --equilibrate 6000 --steps 20000 --every 20 --thermo e.txt -o /dev/null
    near "$(mean U_meV e.txt)" "$(awk -v u="$(gold mean_U_eV)" 'BEGIN { print 1000 * u }')" \
        "$(awk -v s="$(gold mean_U_eV 3)" 'BEGIN { print 5 * sqrt(11) * 1000 * s }')"
    near "$(mean p_bar e.txt)" "$(gold mean_p_bar)" "$(awk -v s="$(gold mean_p_bar 3)" 'BEGIN { print 5 * sqrt(11) * s }')"
    near "$(mean T_K e.txt)" 90 0.3
}

@test "NIST: energy and pressure of the Lennard-Jones fluid at T* 0.85, rho* 0.776 (rc 3 + tail)" {
    lj 500 --density 0.776 --temperature 0.85 --cutoff 3 --thermostat berendsen:1 --dt 0.004 --equilibrate 4000 \
        --steps 12000 --every 10 --thermo e.txt -o /dev/null
    # tails at rc 3: U -0.2404, p -0.3726 at this density; four times the errors of such a run,
    # which are 0.004 and 0.03
    near "$(awk -v u="$(mean U e.txt)" 'BEGIN { x = 1 / 27; print u / 500 + 8 / 3 * 3.14159265 * 0.776 * (x ^ 3 / 3 - x) }')" -5.5121 0.016
    near "$(awk -v p="$(mean p e.txt)" 'BEGIN { x = 1 / 27; print p + 16 / 3 * 3.14159265 * 0.776 ^ 2 * (2 * x ^ 3 / 3 - x) }')" 0.0067714 0.12
}

@test "oracle 4: s6 from the totals of md, G2(0) of g4 and the count of rdf are one number" {
    "$MD" $ARGON --thermostat berendsen:0.5 --equilibrate 5000 --steps 10000 --every 100 --thermo e.txt -o a.mbf
    # N s6 = W/24 - U/2 in units of epsilon, pairs within the cutoff
    s6=$(awk -v w="$(mean W_meV e.txt)" -v u="$(mean U_meV e.txt)" 'BEGIN { print (w / 24 - u / 2) / 10.34 }')
    g2=$(g4-cpu --lags 1 --component all --cutoff 11.5 a.mbf | bin2txt | awk '!/^#/ { print $4; exit }')
    r6=$(rdf-cpu --bins 2000 --rmax 11.5 a.mbf | bin2txt | awk '!/^#/ { s += $2 * (3.4 / $1) ^ 6 } END { print s / 100 }')
    near "$s6" 728 15
    near "$r6" "$s6" "$(awk -v s="$s6" 'BEGIN { print 2e-4 * s }')" # bins of 0.006 Å
    # the squares of five components add up to 0.6 (sigma/r)^6 exactly; frames are f32
    near "$(awk -v g="$g2" 'BEGIN { printf "%.10g", g / 0.6 }')" "$s6" 0.01
}

@test "oracle 5: a dilute gas has G2(0)/(N rho*) of the pair alone" {
    lj 600 --density 0.01 --temperature 2.4 --cutoff 9 --dt 0.005 --thermostat berendsen:2 --start random \
        --equilibrate 3000 --steps 12000 --every 20 --thermo e.txt -o /dev/null
    # 0.6 s6 / rho*, plus 0.4 pi / rc³ beyond the cutoff; 1.7960 at infinite dilution, within 6 %
    # for a short run
    near "$(awk -v w="$(mean W e.txt)" -v u="$(mean U e.txt)" 'BEGIN { print 0.6 * (w / 24 - u / 2) / 600 / 0.01 }')" 1.796 0.11
}

@test "the three methods and any number of threads give the same stream, bit for bit" {
    lj 700 --density 0.8 --steps 300 --every 100 --neighbours verlet -t 1 -o a.mbf
    for how in all-pairs cells auto verlet; do
        lj 700 --density 0.8 --steps 300 --every 100 --neighbours $how -t 2 -o b.mbf
        [ "$(content b.mbf)" = "$(content a.mbf)" ]
    done
    lj 700 --density 0.8 --steps 300 --every 100 --neighbours verlet --skin 0.8 -o b.mbf
    [ "$(content b.mbf)" = "$(content a.mbf)" ]
    lj 700 --density 0.8 --steps 300 --every 100 --seed 2 -o b.mbf
    [ "$(content b.mbf)" != "$(content a.mbf)" ]
}

@test "every SIMD level gives the same stream, in both precisions" {
    cpu_only
    for precision in mixed double; do
        for level in v2 v3 v4; do
            MBF_SIMD=$level lj 301 --density 0.8 --steps 200 --precision $precision --neighbours verlet -o $level.mbf
            [ "$(content $level.mbf)" = "$(content v2.mbf)" ]
        done
    done
}

@test "a restart goes on exactly, with and without thermostat, walls, double, replicas" {
    for how in "" "--thermostat berendsen:0.1" "--boundary mirror --integrator euler" "--shift force" "--precision double"; do
        lj 200 --density 0.7 $how --steps 400 --every 50 --thermo whole.txt --restart whole.rst -o whole.mbf
        lj 200 --density 0.7 $how --steps 150 --every 50 --restart part.rst -o part.mbf
        "$MD" --from-restart part.rst --steps 250 --every 50 --thermo rest.txt --restart rest.rst -o rest.mbf
        frame-cut 3:8 whole.mbf | compare --rtol 0 - rest.mbf
        [ "$(content rest.rst)" = "$(content whole.rst)" ]
        [ "$(tail -n 1 rest.txt)" = "$(tail -n 1 whole.txt)" ]
        [ "$(grep -cv '^#' rest.txt)" -eq 5 ]
    done
    "$MD" --from-restart part.rst --dt 0.001 --steps 50 -o other.mbf
    fails 2 "$MD" --from-restart part.rst --atoms 5
    head -c 5000 part.rst >cut.rst
    fails 2 "$MD" --from-restart cut.rst --steps 1
    fails 2 "$MD" --from-restart whole.mbf --steps 1
    [[ $output == *"restart"* ]]
}

# stopped SIGNAL FILE ARGS...: a run gets the signal as soon as it has written its first checkpoint
# FILE. If the run ends before that, $steps are doubled until a run is stopped before its end.
stopped() {
    local signal=$1 file=$2 pid
    shift 2
    for steps in {2000,8000,32000,128000,512000,2048000,8192000}; do
        rm -f "$file"
        env --default-signal=HUP "$MD" -q "$@" --steps $steps --restart "$file" --checkpoint 0.0002 & # under nohup, too
        pid=$!
        until_true 60 eval '[ -e "$file" ] || ! kill -0 $pid 2>/dev/null'
        kill "-$signal" $pid 2>/dev/null || : # it may be over
        status=0
        wait $pid || status=$?
        [ $status -eq 0 ] || return 0
    done
    return 1
}

@test "a run that is stopped goes on to the same bits: frames, --thermo, last state" {
    for how in "" "--thermostat berendsen:0.1 --precision double --thermo-every 30 --velocities"; do
        set -- --units lj --atoms 120 --density 0.7 $how --equilibrate 100 --every 70
        stopped TERM part.rst "$@" --thermo part.txt --partial -o part.mbf
        [ $status -eq 143 ]
        fails 2 frame-check part.mbf
        [[ $output == *"found a segment marked as partial"* ]]
        [[ $(tail -n 1 part.txt) == "## partial "*" steps left" ]]
        set -- "$@" --steps $steps
        "$MD" -q "$@" --thermo whole.txt --restart whole.rst -o whole.mbf
        # stopped again, in the rest
        "$MD" -q --from-restart part.rst --restart part.rst ${how##* --v*} ${how:+--velocities} --thermo rest.txt -o rest.mbf
        frame-cat --allow-partial part.mbf rest.mbf | compare --rtol 0 - whole.mbf
        cmp <(grep -hv '^#' part.txt rest.txt) <(grep -v '^#' whole.txt)
        [ "$(content part.rst)" = "$(content whole.rst)" ]
        ! frame-check -v part.rst | grep md_left || false # nothing is left
    done
}

@test "a run that is stopped while it equilibrates, or killed, goes on from its checkpoint" {
    set -- --units lj --atoms 120 --density 0.7 --every 50
    for signal in HUP KILL; do
        stopped $signal part.rst "$@" --equilibrate 100000000 --thermo part.txt -o part.mbf
        [ $status -eq $((128 + $(kill -l $signal))) ]
        [ ! -e part.mbf ]
        [ ! -e part.txt ]
        left=$(frame-check -v part.rst | awk '/left_equilibrate/ { print $2 }')
        [ "$left" -gt 0 ]
        [ "$left" -lt 100000000 ]
        "$MD" -q "$@" --equilibrate $((100000000 - left + 200)) --steps 500 --thermo whole.txt --restart whole.rst -o whole.mbf
        "$MD" -q --from-restart part.rst --equilibrate 200 --steps 500 --thermo rest.txt --restart rest.rst -o rest.mbf
        [ "$(content rest.mbf)" = "$(content whole.mbf)" ]
        [ "$(content rest.rst)" = "$(content whole.rst)" ]
        cmp <(grep -v '^#' rest.txt) <(grep -v '^#' whole.txt)
    done
}

@test "a run that is stopped: what is downstream is told, a checkpoint that cannot be written is, too" {
    # stopped after the first frames, for any duration of the start
    ("$MD" -q --atoms 108 --density 0.021 --steps 4000000000 --every 10 --restart r --checkpoint 0 & echo $! >pid; wait $!) |
        { head -c 16384 >begun; kill -TERM "$(cat pid)"; ! cat begun - | frame-check - 2>said; }
    grep -q 'ERR from upstream: md-.*: stopped with [0-9]* steps left (--from-restart r continues the run)' said || { cat said; false; }
    "$MD" -q --from-restart r --steps 50 -o next.mbf
    "$MD" --atoms 108 --density 0.021 --steps 4000000000 --restart gone/r --checkpoint 0.0002 -o /dev/null 2>said &
    until_true 30 grep -q 'cannot write a checkpoint: gone/r' said
    kill -TERM $!
    status=0
    wait $! || status=$?
    [ $status -eq 3 ]
    fails 2 "$MD" --atoms 108 --density 0.021 --checkpoint 1 -o out
    fails 2 "$MD" --atoms 108 --density 0.021 --restart r --partial -o out
}

# chain SECONDS ARGS...: the run of ARGS, killed at random moments and continued until it is done;
# sets $kills; all messages are in the file `said`
chain() {
    local most=$1 k=0 status pid
    shift
    rm -f r said
    kills=0
    while :; do
        if [ -e r ]; then set -- --from-restart r "${@:$((k == 0 ? LESS + 1 : 3))}"; k=1; fi
        status=0
        "$MD" "$@" --restart r --checkpoint 0.0002 2>>said &
        pid=$!
        sleep "$(awk -v m="$most" -v r=$RANDOM 'BEGIN { print 0.01 + m * r / 32768 }')"
        kill -KILL $pid 2>/dev/null || :
        wait $pid 2>/dev/null || status=$?
        [ $status -ne 0 ] || return 0
        most=$(awk -v m="$most" 'BEGIN { print 1.3 * m }') # however slow the machine is, it comes to the end
        [ $status -eq 137 ] || { cat said; return 1; }
        [ ! -e r ] || frame-check -v r 2>/dev/null | grep -q md_left || return 0 # it was done, and about to exit
        kills=$((kills + 1))
        [ -e r ] || rm -f -- *.part # of a kill between these and the first checkpoint
    done
}

@test "a chain of random kills: the run ends in the content of one that nobody killed, lines of --thermo, too" {
    cpu_only
    LESS=10
    for how in "" "-z --velocities --precision double --index"; do
        # shellcheck disable=SC2086
        set -- --units lj --atoms 120 --density 0.7 --steps "$(whole 10000 40000)" --every 7 $how --thermo-every 10
        t0=${EPOCHREALTIME/[.,]/}
        "$MD" -q "$@" --thermo whole.txt --restart whole.rst -o whole.mbf
        us=$((${EPOCHREALTIME/[.,]/} - t0))
        for part in 4 16 64; do # kills within the run, however quick the machine is, and if it was busy at first
            seconds="$((us / part))e-6"
            rm -f run.mbf* thermo*
            chain $seconds "$@" --thermo thermo -o run.mbf
            echo "$how: $kills kills"
            [ "$(content run.mbf)" = "$(content whole.mbf)" ] || { grep -v Killed said; frame-check -v run.mbf | tail -n 5; ls -A; false; }
            [ "$(content r)" = "$(content whole.rst)" ]
            cmp <(grep -v '^#' thermo) <(grep -v '^#' whole.txt)
            [ "$(ls run.mbf* thermo*)" = "$(printf '%s\n' run.mbf ${how:+run.mbf.mbi} thermo)" ]
            [ $kills -lt 1 ] || break
        done
        [ $kills -gt 0 ]
        [ -z "$how" ] || frame-cut 5: run.mbf | compare --rtol 0 - <(frame-cut 5: whole.mbf)
    done
}

# stopped_late SIGNAL ARGS...: gets the signal when its checkpoint r records frames
stopped_late() {
    local signal=$1 pid
    shift
    rm -f r
    "$MD" -q "$@" --steps 4000000000 --restart r --checkpoint 0.0002 &
    pid=$!
    until_true 60 eval 'frame-check -v r 2>/dev/null | grep -q "data.md_out.bytes *[1-9][0-9][0-9][0-9][0-9]"'
    kill "-$signal" $pid
    status=0
    wait $pid || status=$?
    [ $status -eq $((128 + $(kill -l "$signal"))) ]
}

@test "a killed run that goes on to another file: the frames before are published, the two join to the whole" {
    for signal in KILL TERM; do
        rm -f ./*.mbf* ./*.txt*
        set -- --units lj --atoms 120 --density 0.7 --every 3
        stopped_late $signal "$@" --thermo 1.txt -o 1.mbf
        [ ! -e 1.mbf ] && [ -e 1.mbf.part ] && [ -e 1.txt.part ]
        fails 2 "$MD" -q "$@" --steps 9 --restart r --checkpoint 1 -o 1.mbf # another run does not take its frames
        [[ $output == *"1.mbf.part: found frames or lines of a stopped run (--from-restart continues the run"* ]]
        fails 2 "$MD" -q --from-restart r --every 5 -o 1.mbf # nor other ones to the same file
        [[ $output == *"expected "*" as in the frames already written, found "* ]]
        step=$(bin2txt --meta r | awk '$1 == "data.md_step" { print $2; exit }')
        "$MD" --from-restart r --steps 3000 --thermo 2.txt -o 2.mbf 2>said
        grep -q "1.mbf: this file contains only the earlier frames of the run, as a partial stream" said
        fails 2 frame-check 1.mbf
        frame-check -q 2.mbf
        [[ $(tail -n 1 1.txt) == "## partial "* ]]
        frame-cat --allow-partial 1.mbf 2.mbf >joined
        "$MD" -q "$@" --steps $((step + 3000)) --thermo w.txt -o whole.mbf
        compare --rtol 0 joined whole.mbf
        cmp <(grep -hv '^#' 1.txt 2.txt) <(grep -v '^#' w.txt)
        [ -z "$(ls | grep part)" ]
    done
}

@test "frames that a killed run sent into a pipe, or whose file is gone: said, and the rest ends as limited" {
    set -- --units lj --atoms 120 --density 0.7 --every 3
    gone() { # ARGS...: goes on, and says the hole
        "$MD" --from-restart r --steps 3000 -o rest.mbf "$@" 2>said
        grep -q "frames 0 to [0-9]* of the run (up to step [0-9]*) are missing. rest.mbf begins with the next frame, and its END has the status 'limited'" said
        [[ $(frame-check rest.mbf) == *"limited on request" ]]
        last=$(sed -n 's/.*up to step \([0-9]*\)).*/\1/p' said)
        frame-check -v rest.mbf | grep -q "steps from $((last / 3)) "
    }
    "$MD" -q "$@" --steps 4000000000 --restart r --checkpoint 0.0002 >pipe.mbf & # stdout: nothing of it is kept
    until_true 60 eval 'frame-check -v r 2>/dev/null | grep -q "data.md_out.bytes *[1-9][0-9][0-9][0-9][0-9]"'
    kill -KILL $!
    wait $! || :
    fails 2 frame-check pipe.mbf
    gone
    gone --restart r2 --checkpoint 0
    # this also survives another stop
    rm -f rest.mbf
    "$MD" -q --from-restart r --steps 4000000000 --restart r3 --checkpoint 0.0002 -o rest.mbf &
    until_true 60 eval 'frame-check -v r3 2>/dev/null | grep -q "data.md_out.bytes *[1-9][0-9][0-9][0-9][0-9]"'
    kill -KILL $!
    wait $! || :
    "$MD" -q --from-restart r3 --steps 3000 -o rest.mbf
    [[ $(frame-check rest.mbf) == *"limited on request" ]]
    zeros() { # FILE: of which next to nothing reached the disk
        local size
        size=$(stat -c %s "$1")
        truncate -s 100 "$1" && truncate -s "$size" "$1"
    }
    for lose in "rm run.mbf.part" "truncate -s 5000 run.mbf.part" "zeros run.mbf.part"; do
        rm -f ./*.mbf.part
        stopped_late KILL "$@" -o run.mbf
        $lose
        gone
    done
}

@test "replicas that are killed go on, each in its file; --partial goes on in the same file, too" {
    cpu_only
    set -- --units lj --atoms 60 --density 0.7 --every 3
    stopped_late KILL "$@" --replicas 3 --thermo t%.txt -o r%.mbf
    step=$(bin2txt --meta r | awk '$1 == "data.md_step" { print $2; exit }')
    "$MD" -q --from-restart r --steps 2000 --thermo t%.txt -o r%.mbf
    "$MD" -q "$@" --replicas 3 --steps $((step + 2000)) --thermo w%.txt -o w%.mbf
    for k in 0 1 2; do
        [ "$(content r$k.mbf)" = "$(content w$k.mbf)" ]
        cmp <(grep -v '^#' t$k.txt) <(grep -v '^#' w$k.txt)
    done
    stopped_late TERM "$@" --partial --thermo p.txt -o p.mbf
    step=$(bin2txt --meta r | awk '$1 == "data.md_step" { print $2; exit }')
    "$MD" -q --from-restart r --steps 2000 --thermo p.txt -o p.mbf
    "$MD" -q "$@" --steps $((step + 2000)) --thermo w.txt -o w.mbf
    [ "$(content p.mbf)" = "$(content w.mbf)" ]
    cmp <(grep -v '^#' p.txt) <(grep -v '^#' w.txt)
}

@test "it starts from the last step of a trajectory, in a pipe too" {
    xyz2bin --select 0:3 "$DATA/argon256.xyz.gz" -o a.mbf
    "$MD" a.mbf --steps 10 --every 10 --restart r.rst -o b.mbf
    xyz2bin --select 0:3 "$DATA/argon256.xyz.gz" | "$MD" --steps 10 --every 10 -o c.mbf
    [ "$(content b.mbf)" = "$(content c.mbf)" ]
    "$MD" a.mbf --steps 0 --temperature 0 --restart r.rst -o /dev/null
    bin2txt r.rst | awk '!/^#/ { print $4 }' >x0
    frame-cut 2:3 a.mbf | bin2txt | awk '!/^#/ { printf "%.9g\n", $4 }' >x1
    paste x0 x1 | awk '{ d = $1 - $2; bad += !(d * d <= 1e-10) } END { exit bad || NR != 256 }'
    near "$(bin2txt --meta b.mbf | awk '$1 == "sys.sigma" { print $2 }')" 3.4 1e-12
    bin2txt --meta b.mbf | grep -q '^prov.2.tool.*md-'
    # --cell is accepted for a stream without a cell, but not for other streams
    bin2xyz a.mbf | sed 's/^Lattice.*//' | xyz2bin -q --pbc none --dt 0.01 -o free.mbf
    fails 2 "$MD" free.mbf --steps 1 -o x
    [[ $output == *"expected a cell, found none in the stream (give --cell)"* ]]
    "$MD" -q free.mbf --cell 30,31,32 --steps 0 -o x
    bin2txt --meta x | tr '\t' ' ' | grep -qx 'sys.cell 30 0 0 0 31 0 0 0 32'
    fails 2 "$MD" a.mbf --cell 30 --steps 1 -o y
    [[ $output == *"--cell cannot be used with a stream that has its own cell"* ]]
    fails 4 "$MD" a.mbf --max-mem 2M --replicas 1000 --steps 1 -o y-%.mbf
    [[ $output == *"needed for the state of 256 atoms, but the limit is 2 MiB"* ]]
}

@test "--thermo: columns with units, energies that add up, a conserved one" {
    "$MD" $ARGON --steps 2000 --thermo e.txt -o /dev/null
    [ "$(head -n 1 e.txt)" = "# step t_ps T_K U_meV K_meV E_meV p_bar W_meV E_shifted_meV momentum_u_A_ps pairs" ]
    awk '!/^#/ { d = $4 + $5 - $6; bad += !(d * d <= 1e-12); n++ } END { exit bad || n != 41 }' e.txt
    near "$(first T_K e.txt)" 90 0.001
    # each column from the others: t, K from T (765 degrees of freedom), p from T and W, E_shifted
    # from pairs and U(11.5)
    awk '!/^#/ { k = 8.617333262e-2; V = 23.03154 ^ 3; x = (3.4 / 11.5) ^ 6; u = 4 * 10.34 * (x * x - x)
        d[1] = $2 / (0.0025 * $1 + 1e-9) - 1; d[2] = $5 / (765 / 2 * k * $3) - 1; d[3] = $7 / ((256 * k * $3 + $8 / 3) / V * 1602.176634) - 1
        d[4] = ($6 - $11 * u) / $9 - 1; for (c = $1 ? 1 : 2; c <= 4; c++) if (!(d[c] * d[c] <= 1e-16)) { print c, d[c], $0; exit 1 } }' e.txt
    # velocity Verlet at 2.5 fs: E oscillates by less than 2e-5 of E
    awk '!/^#/ { if (!n++) e = $9; d = ($9 - e) / e; if (!(d * d <= 25e-10)) { print; exit 1 } }' e.txt
    awk '!/^#/ { if (!($10 <= 1e-7)) { print; exit 1 } }' e.txt
    # the number of pairs equals that of rdf
    "$MD" $ARGON --steps 100 --precision double --thermo e.txt -o a.mbf
    frame-cut 1:2 a.mbf | rdf-cpu -q --bins 100 --rmax 11.5 | bin2txt | awk '!/^#/ { s += $2 } END { printf "%d\n", s }' >count
    [ "$(cat count)" = "$(awk '$1 == 100 { print $11 }' e.txt)" ]
    # momentum between walls: velocity Verlet has v(n) = (r(n+1) - r(n-1))/2dt if the atom meets no
    # wall
    "$MD" --atoms 100 --density 0.02 --boundary mirror --precision double --steps 400 --every 1 --thermo e.txt -o a.mbf
    bin2txt a.mbf | awk '!/^#/ && $1 >= 397 { for (k = 1; k <= 3; k++) p[k] += $(k + 3) * ($1 == 399) - $(k + 3) * ($1 == 397) }
        END { printf "%.10g\n", 39.948 / 0.005 * sqrt(p[1] ^ 2 + p[2] ^ 2 + p[3] ^ 2) }' >momentum
    near "$(awk '$1 == 399 { print $10 }' e.txt)" "$(cat momentum)" 1e-3
}

@test "--shift: potential moves nothing but U, force conserves what a jump lets go" {
    local how
    for how in none potential force; do
        # 2.5 sigma and 4 fs: the jump of the force is felt; the same numbers on every machine
        "$MD" --atoms 108 --density 0.021 --cutoff 8.5 --dt 4 --shift $how --steps 30000 --every 100 --thermo $how.txt -o $how.mbf
    done
    [ "$(content potential.mbf)" = "$(content none.mbf)" ]
    [ "$(content force.mbf)" != "$(content none.mbf)" ]
    # U of each line minus pairs U(rc): E_shifted of one run is E of the other, to the last digits
    # of the sums
    paste none.txt potential.txt | awk '!/^#/ { d = $9 / $17 - 1; e = $20 / $17 - 1; n++; if (d * d > 1e-18 || e != 0 || $8 != $19) { print; bad = 1 } } END { exit bad || n != 301 }'
    # relative change of the mean from the first tenth to the last: 9.4e-6 with the jump, 1e-7
    # without (other seeds: 6e-6 to 1.3e-5, 6e-7)
    drift() { awk '!/^#/ { e[++n] = $9 } END { for (i = 1; i <= 30; i++) { a += e[i + 1]; b += e[n + 1 - i] } d = b / a - 1; print d < 0 ? -d : d }' $1.txt; }
    echo "none $(drift none) force $(drift force)"
    awk -v a="$(drift none)" -v b="$(drift force)" 'BEGIN { exit !(b < 1e-6 && a > 4e-6) }'
    fails 2 "$MD" --atoms 108 --density 0.021 --shift energy -o x.mbf
}

@test "frames: one in --every, their time and stride, what made them" {
    "$MD" --atoms 64 --density 0.02 --steps 175 --every 50 --dt 2 -o a.mbf
    bin2txt a.mbf | awk '!/^#/ && $3 == 0 { print $1, $2 }' >t
    [ "$(wc -l <t)" -eq 3 ]
    near "$(awk '$1 == 0 { print $2 }' t)" 0.1 1e-12
    near "$(awk '$1 == 2 { print $2 }' t)" 0.3 1e-12
    [ "$(bin2txt --meta a.mbf | awk '$1 == "sys.dt_ps" { printf "%g", $2 }')" = 0.1 ]
    bin2txt --meta a.mbf | grep -q '^sys.species.*Ar 64'
    # positions are wrapped into the box
    bin2txt a.mbf | awk '!/^#/ { n++; for (k = 4; k <= 6; k++) bad += !($k >= 0 && $k < 14.74) } END { exit bad || !n }'
}

@test "--replicas: a file each, seeds one after another" {
    lj 64 --density 0.7 --replicas 3 --seed 5 --steps 100 -o 'r%.mbf'
    for k in 0 1 2; do
        lj 64 --density 0.7 --seed $((5 + k)) --steps 100 -o one.mbf
        [ "$(content "r$k.mbf")" = "$(content one.mbf)" ]
    done
    fails 2 lj 64 --density 0.7 --replicas 3 -o one.mbf
    lj 64 --density 0.7 --replicas 3 --seed 5 --steps 50 --restart r.rst -o 'h%.mbf'
    "$MD" --from-restart r.rst --steps 50 -o 'r%.mbf'
    frame-cut 1:2 one.mbf | compare --rtol 0 - r2.mbf
}

@test "several sizes: each system as if it were alone, files named after it" {
    lj 40,64,108 --density 0.7 --seed 5 --steps 100 --equilibrate 50 --thermo 's%.txt' -o 's%.mbf'
    for n in 40 64 108; do
        lj $n --density 0.7 --seed 5 --steps 100 --equilibrate 50 --thermo one.txt -o one.mbf
        [ "$(content "s$n.mbf")" = "$(content one.mbf)" ]
        cmp <(grep -v origin s$n.txt) <(grep -v origin one.txt)
    done
    [ "$(ls s*.mbf | wc -l)" -eq 3 ]
    lj 40 --density 0.7 --steps 50 -o 'x%.mbf' # of one size, too
    [ -s x40.mbf ]
    fails 2 lj 40,64 --density 0.7 -o one.mbf
    fails 2 lj 40,64,40 --density 0.7 -o '%.mbf'
    [[ $output == *"40 twice"* ]]
    fails 2 lj 40,64 --cell 6 -o '%.mbf'
    fails 2 lj 40,64 --density 0.7 --replicas 2 -o '%.mbf'
    fails 2 lj 40,64 --density 0.7 --dt 0.018 --temperature 6 -o '%.mbf'
    [[ $output == *"md-"*"0 atoms: step"* || $output == *"md-"*"4 atoms: step"* ]]
    [ "$(echo [0-9]*)" = '[0-9]*' ]
    fails 2 lj 40, --density 0.7 -o '%.mbf'
    mkfifo f40.mbf f64.mbf # each of the readers is told
    for n in 40 64; do { frame-check -q f$n.mbf 2>said$n || :; } & done
    fails 2 lj 40,64 --density 0.7 --dt 0.018 --temperature 6 -o 'f%.mbf'
    wait
    for n in 40 64; do grep -q 'ERR from upstream: md-.*atoms: step' said$n || { cat said$n; false; }; done
    # a system that fails is named, and the others also end, because they are one run
    fails 2 lj 40,2 --density 0.7 -o '%.mbf'
    [[ $output == *"2 atoms: "* ]]
    [ "$(echo [0-9]*)" = '[0-9]*' ]
}

@test "bad parameters: one line that says what, status 2, nothing written" {
    refuse() {
        local want=$1
        shift
        fails 2 "$MD" "$@" -o out.mbf
        [ "${#lines[@]}" -eq 1 ] && [[ $output == *"$want"* ]] && [ ! -e out.mbf ] || { echo "$output"; return 1; }
    }
    refuse "from 1" --atoms 0 --cell 20
    refuse "density" --atoms 10
    refuse "half the smallest" --atoms 256 --cell 23 --cutoff 12
    refuse "too long" --atoms 256 --cell 23.03154 --dt 500
    refuse "disagree" --atoms 256 --cell 23 --density 0.1
    refuse "berendsen" --atoms 256 --cell 23 --thermostat nose
    refuse "cannot be placed" --atoms 400 --cell 20 --start random
    refuse "three edges" --atoms 10 --cell 20,20
    refuse "overlap" --atoms 4000 --cell 20
    refuse "cannot be combined" --from-restart a b
}

@test "a run that blows up says at which step, and what is downstream fails too" {
    fails 2 "$MD" --atoms 500 --density 0.021 --dt 100 --steps 5000 --every 1 -o out.mbf
    [ ! -e out.mbf ]
    [[ $output == *"step "*": "*"time step"* ]]
    run bash -c "$MD --atoms 500 --density 0.021 --dt 100 --steps 5000 --every 1 | frame-check"
    [ "$status" -eq 2 ]
    [[ $output == *"step "* ]]
}

@test "a live pipe: frames come while the run goes on, and a closed pipe ends it" {
    fails 0 timeout 120 env --default-signal=PIPE bash -c "$MD --atoms 108 --density 0.021 --steps 4000000000 --every 50 | head -c 200000 | wc -c"
    [ "$output" = 200000 ]
}

@test "--velocities: VELO beside POSN, of the same time: their temperature is that of --thermo" {
    local precision
    for precision in mixed double; do
        "$MD" $ARGON --precision $precision --thermostat berendsen:0.5 --steps 400 --every 20 --velocities --thermo e.txt -o a.mbf
        "$MD" $ARGON --precision $precision --thermostat berendsen:0.5 --steps 400 --every 20 -o b.mbf
        compare --rtol 0 a.mbf b.mbf
        frame-check -v a.mbf | grep -q 'VELO f\(32\|64\) .*20 steps from 0 at 0.05 ps'
        # K of the frames compared with the column; f32 has an error of 6e-8 per velocity, and
        # errors are random
        py oracle/kinetic_energy a.mbf e.txt
    done
}

@test "--stress-every: lines have the mean tensor of the steps between them; pauses and threads change no bit" {
    lj 108 --density 0.8 --steps 60 --every 60 --thermo-every 1 --stress --thermo all.txt -o all.mbf
    lj 108 --density 0.8 --steps 60 --every 60 --thermo-every 12 --stress --stress-every 3 --thermo mean.txt -o mean.mbf
    grep -qx '## data.averaged 4' mean.txt
    grep -qx '## sys.units lj' mean.txt
    [ "$(grep -vc '^#' mean.txt)" -eq 5 ]
    # 1e-12 relative to 1, for sums of four in another order
    awk '!/^#/ && $1 > 0 { if (FILENAME == "all.txt") { if ($1 % 3 == 0) for (k = 12; k <= 17; k++) s[int(($1 - 1) / 12), k] += $k / 4
             for (k = 1; k <= 11; k++) at[$1, k] = $k }
         else { n++; for (k = 12; k <= 17; k++) if (($k - s[$1 / 12 - 1, k])^2 > 1e-24) exit 1
             for (k = 1; k <= 11; k++) if ($k != at[$1, k]) exit 1 } } END { if (n != 5) exit 1 }' all.txt mean.txt
    compare -q all.mbf mean.mbf
    lj 108 --density 0.8 --steps 60 --every 60 --thermo-every 12 --stress-every 3 --thermo again.txt --restart r.mbf --checkpoint 0 -t 2 -o again.mbf
    diff <(grep -v '^#' mean.txt) <(grep -v '^#' again.txt)
    fails 2 "$MD" --atoms 108 --density 0.02 --steps 60 --thermo-every 12 --stress-every 5 --thermo t.txt -o t.mbf
    [ "$output" = "md-cpu: --stress-every 5: expected a divisor of the 12 steps between lines of the --thermo file" ] || [[ $output == *"-gpu: --stress-every 5:"* ]]
    fails 2 "$MD" --atoms 108 --density 0.02 --stress-every 5 -o t.mbf
}

@test "--stress: a third of the trace is p, the tensor is that of the definition, and it costs no bits" {
    "$MD" $ARGON --steps 100 --every 50 --thermo e.txt -o a.mbf
    "$MD" $ARGON --steps 100 --every 50 --thermo-every 10 --stress --thermo s.txt -o b.mbf
    [ "$(content a.mbf)" = "$(content b.mbf)" ]
    [ "$(head -n 1 s.txt)" = "$(head -n 1 e.txt) pxx_bar pyy_bar pzz_bar pxy_bar pxz_bar pyz_bar" ]
    [ "$(grep -cv '^#' s.txt)" -eq 11 ]
    awk '!/^#/ { d = ($12 + $13 + $14) / 3 / $7 - 1; if (!(d * d <= 1e-18)) { print d, $0; exit 1 } }' s.txt
    # lines that occur in both are equal
    awk '!/^#/ && $1 % 50 == 0 { NF = 11; print }' s.txt >both
    grep -v '^#' e.txt | diff - both
    # At rest, the tensor is the sum of r_a F_b over pairs, here over all pairs, from the positions
    # in the output.
    "$MD" a.mbf --cutoff 11.5 --temperature 0 --steps 0 --thermo s.txt --stress --precision double >/dev/null
    frame-cut 1:2 a.mbf | bin2txt | awk 'BEGIN { n = 0 } !/^#/ { for (k = 1; k <= 3; k++) r[n, k] = $(k + 3); n++ }
        END { L = 23.03154; for (i = 0; i < n; i++) for (j = 0; j < i; j++) { s = 0
                for (k = 1; k <= 3; k++) { d[k] = r[i, k] - r[j, k]; d[k] -= L * int(d[k] / L + (d[k] > 0 ? 0.5 : -0.5)); s += d[k] ^ 2 }
                if (s >= 132.25) continue
                x = (3.4 ^ 2 / s) ^ 3; f = 24 * 10.34 * x * (2 * x - 1) / s
                p[1] += f * d[1] ^ 2; p[2] += f * d[2] ^ 2; p[3] += f * d[3] ^ 2
                p[4] += f * d[1] * d[2]; p[5] += f * d[1] * d[3]; p[6] += f * d[2] * d[3] }
            for (k = 1; k <= 6; k++) printf "%.9g ", p[k] / L ^ 3 * 1602.176634; print "" }' >want
    # pairs that f32 moves across the cutoff contribute less than 0.02 bar
    grep -v '^#' s.txt | cut -d' ' -f12-17 | paste -d' ' - want |
        awk '{ for (k = 1; k <= 6; k++) { d = $k - $(k + 6); if (!(d * d <= 0.0025)) { print; bad = 1 } } } END { exit bad || NR != 1 }'
    fails 2 "$MD" $ARGON --steps 10 --stress -o x.mbf
    fails 2 "$MD" $ARGON --steps 10 --thermo-every 5 -o x.mbf
}

@test "-v says what the steps took: steps, seconds, both rates, in proportion" {
    lj 500 --density 0.8 --steps 40 -v -o /dev/null 2>err
    grep -q ': [0-9.]* GiB of [a-zA-Z]* memory$' err
    awk '/: 40 steps in [0-9.]* s: .* steps\/s, .* atom-steps\/s$/ { s = $5; r = $7; a = $9; n++ }
        END { exit !(n == 1 && s > 0 && r * s > 39 && r * s < 41 && a / r > 495 && a / r < 505) }' err || { cat err; false; }
}

@test "a start of many pieces: the same with any number of threads, and the first bad atom is named" {
    for t in 1 3; do
        lj 40000 --density 0.8 --start random --steps 2 --every 2 -t $t --restart $t.rst -o $t.mbf
        [ "$(content $t.rst)" = "$(content 1.rst)" ]
        [ "$(content $t.mbf)" = "$(content 1.mbf)" ]
    done
    bin2txt 1.mbf | awk '!/^#/ { if ($3 == 18001 || $3 == 39001) { print $3 - 1, x, y, z } else print $3, $4, $5, $6; x = $4; y = $5; z = $6 }' >shape
    awk 'BEGIN { print 40000; print "" } { printf "Ar %s %s %s\n", $2, $3, $4 }' shape >bad.xyz
    xyz2bin --cell 36.8403149864 --dt 1 bad.xyz -o bad.mbf
    for t in 1 3; do
        run "$MD" --units lj -t $t --steps 1 bad.mbf
        [ "$status" -eq 2 ]
        [[ $output == *"atoms 18000 and 18001 overlap"* ]]
    done
}

@test "a run that misses its temperature, or stays on its lattice, says so; one that does neither is quiet" {
    "$MD" --atoms 256 --density 0.02095 --steps 4000 -o x.mbf 2>note
    grep -Eq 'the mean temperature of the run is (4[0-9]|5[0-9])(\.[0-9]+)? K instead of 90 \(equilibrate with --thermostat berendsen:0.5 and --equilibrate' note
    "$MD" --atoms 256 --density 0.02095 --thermostat berendsen:0.1 --start random --equilibrate 4000 --steps 4000 -o x.mbf 2>note
    [ ! -s note ]
    lj 108 --density 1.1 --temperature 0.5 --cutoff half --thermostat berendsen:1 --equilibrate 2000 --steps 1000 -o x.mbf 2>note
    grep -Eq 'the initial lattice has not melted: its order parameter is 0\.[5-9][0-9]* \(' note
    ! grep -q 'mean temperature' note || false
    # melts the lattice at a high temperature, then keeps it liquid at a lower temperature
    lj 108 --density 0.7 --temperature 2 --cutoff half --thermostat berendsen:1 --equilibrate 4000 --steps 1000 -o x.mbf 2>note
    [ ! -s note ]
    # the run changes from the lattice to the temperature, so U differs in the rest of the run,
    # which is reported once
    lj 108 --density 0.8 --temperature 1 --cutoff half --thermostat berendsen:1 --steps 3000 --thermo t --thermo-every 10 -o x.mbf 2>note
    grep -Eq 'U per atom is -5\.[345][0-9]* in the first (1[0-9]|2[0-5]) % of the run and -5\.[12][0-9]* in the rest, a change of' note
    [ "$(wc -l <note)" -eq 1 ]
    # without a thermostat a restart may have any temperature
    lj 108 --density 0.7 --temperature 2 --steps 10 --restart r.rst -o x.mbf
    "$MD" --from-restart r.rst --steps 4000 -o y.mbf 2>note
    [ ! -s note ]
}

@test "--rebuild: lists every so many steps, and the same trajectory" {
    lj 4000 --density 0.8 --temperature 1 --neighbours verlet --skin 0.6 --steps 100 --every 10 -v -o a.mbf 2>a.note
    lj 4000 --density 0.8 --temperature 1 --neighbours verlet --skin 0.6 --steps 100 --every 10 --rebuild 5 -v -o b.mbf 2>b.note
    compare -q a.mbf b.mbf
    [[ $MD == *-cpu ]] || return 0 # its lists have another size
    builds() { sed -n 's/.*, \([0-9]*\) list builds$/\1/p' "$1"; }
    [ "$(builds b.note)" -ge 20 ]
    [ "$(builds a.note)" -lt 15 ]
}

@test "a time step in ps is said; what a run goes on from is not written over" {
    md=${MD:-md-cpu}
    start="$md --atoms 32 --density 0.02 --steps 4 --every 2"
    run $start --dt 0.0025 -o out.mbf
    [ "$status" -eq 0 ]
    [[ $output == *"warning: --dt 0.0025 fs is unusually small (if you meant ps, give --dt 2.5)"* ]]
    fails 0 $start --units lj --density 0.8 --dt 0.0025 -o out.mbf
    [[ $output != *"unusually small"* ]]
    $start -q --restart r.mbf -o out.mbf
    cp r.mbf was
    fails 2 "$md" --from-restart r.mbf --steps 2 -o r.mbf
    [[ $output == *"r.mbf: input and output are the same file"* ]]
    ln r.mbf other-name
    fails 2 "$md" --from-restart r.mbf --steps 2 --thermo other-name -o out.mbf
    cmp r.mbf was
    "$md" -q --from-restart r.mbf --steps 2 --restart r.mbf -o out.mbf # going on in place is what a restart is for
}

@test "--tail adds to U, E, W and p what the integral beyond the cutoff says, and E_shifted stays" {
    lj 500 --density 0.8 --cutoff 3 --steps 20 --every 20 --thermo a.txt --stress -o /dev/null
    lj 500 --density 0.8 --cutoff 3 --steps 20 --every 20 --thermo b.txt --stress --tail -o /dev/null
    paste a.txt b.txt | awk '!/^#/ { x = 1 / 27; pi = 3.14159265358979
        u = 500 * 8 / 3 * pi * 0.8 * (x ^ 3 / 3 - x); p = 16 / 3 * pi * 0.64 * (2 * x ^ 3 / 3 - x); n++
        for (k = 1; k <= 17; k++) { want = k == 4 || k == 6 ? u : k == 7 || k > 11 && k < 15 ? p : k == 8 ? 3 * p * 500 / 0.8 : 0
            d = $(k + 17) - $k - want; if (!(d * d <= 1e-18 * (1 + $k * $k))) { print k, $k, $(k + 17), want; bad = 1 } } }
        END { exit bad || n != 2 }'
    for bad in "--shift force" "--boundary mirror"; do
        run lj 500 --density 0.8 $bad --thermo c.txt --tail --steps 1
        [ "$status" -eq 2 ]
        [[ $output == *"--tail needs a truncated pair potential"* ]]
        [ ! -e c.txt ]
    done
    run lj 500 --density 0.8 --tail --steps 1
    [ "$status" -eq 2 ]
}

@test "--data and --from-data: a state there and back is the same state, in every unit" {
    lj 300 --density 0.8 --steps 200 --restart a.rst --data a.data -o /dev/null
    "$MD" --from-data a.data --units lj --steps 0 --restart b.rst --data b.data -o /dev/null
    tail -n +2 a.data >a; tail -n +2 b.data | cmp a -
    # positions and velocities have the same bits, except for atoms outside the box
    for f in a b; do bin2txt $f.rst | awk '!/^#/ && $3 == p + 0 { $1 = ""; $2 = ""; print; p++ }' >$f.txt; done
    diff a.txt b.txt | grep -c '^<' >moved || true
    [ "$(cat moved)" -lt 150 ]
    # LAMMPS units real (fs and kcal/mol), a shifted box, other orders of lines, image flags
    printf 'LAMMPS data file via write_data, timestep = 5, units = real\r\n\n3 atoms\n1 atom types\n-5 15 xlo xhi\n0 20 ylo yhi\n0 20 zlo zhi\n\nMasses\n\n1 39.948\n\nPair Coeffs\n\n1 0.2385 3.405\n\nVelocities\n\n2 0 0 0.001\n1 0.002 0 0\n3 0 0 0\n\nAtoms # full\n\n3 7 1 0.5 8 9 10\n1 0 1 0 -4 1 2 0 0 1\n2 0 1 0 5 5 5\n' >r.data
    "$MD" --from-data r.data --steps 0 --data s.data --restart s.rst -o /dev/null
    grep -q 'units = metal' s.data
    awk '/^Pair/ { getline; getline; good = $2 > 0.010342 && $2 < 0.010343 && $3 == 3.405 } END { exit !good }' s.data
    awk '/^Atoms/ { getline; getline; print }' s.data | grep -qx '1 1 1 1 2 0 0 1'
    awk '/^Velocities/ { getline; getline; print }' s.data | grep -qx '1 2 0 0'
    awk '/^Masses/ { getline; getline; print }' s.data | grep -qx '1 39.948'
    sed 's/^1 39.948/1 20.18/; s/ # full//; s/^3 7 1 0.5/3 1/; s/^\([12]\) 0 1 0 /\1 1 /' r.data >plain.data # and no style behind Atoms
    "$MD" -q --from-data plain.data --steps 0 --data p.data -o /dev/null
    diff <(sed 's/^1 20.18$/1 39.948/' p.data) s.data
    for style in 'atomic:$1 " " $3' 'charge:$1 " " $3 " " $4' 'molecular:$1 " " $2 " " $3'; do
        awk '/^Atoms/ { on = NR; $3 = "'"${style%%:*}"'" } on && NR > on + 1 { x = '"${style#*:}"'; for (k = 5; k <= NF; k++) x = x " " $k; $0 = x } 1' r.data >t.data
        "$MD" -q --from-data t.data --steps 0 --restart t.rst -o /dev/null
        [ "$(content t.rst)" = "$(content s.rst)" ] || { cat t.data; false; }
    done
}

@test "--from-data: what is wrong is named with its line, and nothing is written" {
    lj 4 --cell 8 --steps 0 --data good.data -o /dev/null
    bad() { # PATTERN SED
        sed "$2" good.data >bad.data
        run "$MD" --from-data bad.data --steps 1 --cutoff 2.5 -o out.mbf
        echo "$output"
        [ "$status" -eq 2 ]
        [[ $output == *bad.data*"$1"* ]]
        [ ! -e out.mbf ]
    }
    bad "expected one atom type, found 2" 's/^1 atom types/2 atom types/'
    bad "line 5: expected only atoms, without bonds or angles, found '3 bonds'" '4a 3 bonds'
    bad "expected an atom" 's/^1 1 [0-9].*/1 2 0 0 0/'
    bad "expected a cell with right angles" '8a 1 0 0 xy xz yz'
    bad "expected each atom id once" 's/^2 1 /1 1 /'
    bad "in the middle of a section" '/^Velocities/,$d;/^4 1 /d'
    bad "expected the position of atom id 1, found none" '/^Atoms/,$d'
    bad "units metal, real or lj, found cgs" '1s/units = lj/units = cgs/'
    bad "line 12: expected a row with type 1 and its mass" 's/^1 1$/1 one/'
    bad "line 12: expected a row with type 1 and its mass, found '2 1'" 's/^1 1$/2 1/'
    bad "line 12: expected a row with type 1 and its mass, found '1 -1'" 's/^1 1$/1 -1/'
    bad "line 16: expected a row with type 1, epsilon and sigma, found '2 1 1'" 's/^1 1 1$/2 1 1/'
    bad "line 6: column 2: expected text, found byte 0x00" '6s/ /\x00/'
    head -c -1 good.data >torn.data
    run "$MD" --from-data torn.data --steps 1 -o out.mbf
    [ "$status" -eq 2 ]
    [[ $output == *"the last line has no newline"* ]]
    [ ! -e out.mbf ]
    run bash -c "yes | tr -d '\n' | '$MD' --from-data - --steps 1"
    [ "$status" -eq 2 ]
    [[ $output == *"stdin: line 1: expected a line of at most 67108864 bytes, found more"* ]]
    run bash -c "yes | '$MD' --from-data - --steps 1"
    [ "$status" -eq 2 ]
    [[ $output == *"expected a header line 'N atoms'"* ]]
    sed 's/^4 atoms/40000 atoms/' good.data >bad.data
    run "$MD" --from-data bad.data --steps 1 --max-mem 1M
    [ "$status" -eq 4 ]
    [[ $output == *"needed for the state of 40000 atoms, but the limit is 1 MiB"* ]]
    run "$MD" --from-data nowhere.data --steps 1
    [ "$status" -eq 3 ] || [ "$status" -eq 2 ]
    [[ $output == *nowhere.data* ]]
    run "$MD" --from-data good.data --atoms 5
    [ "$status" -eq 2 ]
}

@test "LAMMPS: from one data file the same forces, energy and pressure to 1e-12, and the same NVE averages" {
    command -v lmp >/dev/null || skip "no lmp (Debian: lammps): data files are not compared with it"
    lj 500 --density 0.8 --temperature 1 --steps 2000 --thermostat berendsen:0.2 --data start.data -o /dev/null
    cat >in.lmp <<'END'
units lj
atom_style atomic
pair_style lj/cut 2.5
read_data start.data
pair_modify tail yes
timestep 0.004
fix 1 all nve
compute w all pressure NULL virial
thermo_style custom step temp pe c_w
thermo_modify norm no format float %.16g
thermo 10
dump 1 all custom 6000 forces id fx fy fz
dump_modify 1 sort id format float %.17g
run 6000
write_data end.data
END
    lmp -in in.lmp -log none >lmp.txt
    # forces, because one Euler step from rest gives v = F dt
    sed '/^Velocities/,$d' start.data >rest.data
    "$MD" --from-data rest.data --temperature 0 --integrator euler --precision double --dt 0.001 --steps 1 --data euler.data -o /dev/null
    awk '/^Velocities/ { on = 1; next } on && NF == 4 { printf "%d %.17g %.17g %.17g\n", $1, 1000 * $2, 1000 * $3, 1000 * $4 }' euler.data >ours
    sed -n '10,509p' forces | paste ours - | awk '{ bad += $1 != $5; for (k = 2; k < 5; k++) { d += ($k - $(k + 4)) ^ 2; s += $k ^ 2 } }
        END { print "forces", sqrt(d / s); exit !(!bad && NR == 500 && d < 1e-24 * s) }'
    "$MD" --from-data start.data --precision double --dt 0.004 --tail --steps 6000 --every 10 --thermo e.txt -o /dev/null
    awk '/^Step/ { on = 1; next } /^Loop/ { on = 0 } on && NF == 4' lmp.txt >theirs
    grep -v '^#' e.txt | paste - theirs | awk '
        NR == 1 { d = $4 / $14 - 1; w = $8 / (3 * 625) / $15 - 1; print "U, W:", d, w; bad = !(d * d <= 1e-24 && w * w <= 1e-23) }
        { a += $3; b += $13; u += $4; v += $14; p += $8 / 1875; q += $15; n++ }
        END { print a / n, b / n, u / n, v / n, p / n, q / n
            # ten times the standard errors of such a run: T 0.002, U 1, p 0.01
            exit !(!bad && n == 601 && (a - b) ^ 2 < (0.02 * n) ^ 2 && (u - v) ^ 2 < (15 * n) ^ 2 && (p - q) ^ 2 < (0.1 * n) ^ 2) }'
    # md continues from a file of LAMMPS
    "$MD" --from-data end.data --units lj --precision double --steps 0 --tail --thermo end.txt -o /dev/null
    near "$(first U end.txt)" "$(tail -n 1 theirs | awk '{ print $3 }')" 1e-8
}
