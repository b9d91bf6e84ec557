# SPDX-License-Identifier: MIT
# portable
# Killed stages, full disks, too little memory, signals and slow readers: no result may look
# complete unless it is, and nothing else may be written.

load ../helpers

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit
    export SMALL=$BATS_FILE_TMPDIR/small
    inputs 60 20000
}

teardown_file() { umount "$SMALL" 2>/dev/null || true; }

# Prints the text in twelve pieces, 0.05 s apart.
slowly() {
    local k size
    size=$(($(stat -c %s "$TEXT") / 12 + 1))
    for k in {1..12}; do
        dd bs=$size count=1 status=none || break
        sleep 0.05
    done <"$TEXT"
    [ -z "$HOLD" ] || until_true 30 test -e killed # whatever is to be killed is alive until then, on any machine
}

# stage N COMMAND...: runs the command, with its process id in pid.N
stage() { exec sh -c 'echo $$ >"pid.$0"; exec "$@"' "$@"; }

# Runs the whole pipeline, with the statuses of its stages in $stages and of the whole in $all.
pipeline() {
    all=0
    slowly | (stage 1 xyz2bin --cell 22.6 --dt 0.01) | (stage 2 beta-gen) | (stage 3 g4-cpu --lags 8) |
        (stage 4 fft-spectrum -q) | (stage 5 bin2txt -o final) && stages=("${PIPESTATUS[@]}") || {
        all=$? stages=("${PIPESTATUS[@]}")
    }
} 2>err

# killed N SECONDS: kills stage N of a pipeline with -9 after SECONDS, and tests the other stages.
killed() {
    rm -f pid.* final killed
    (
        sleep "$2"
        until_true 20 test -s "pid.$1"
        kill -9 "$(cat "pid.$1")"
        touch killed
    ) 3>&- &
    HOLD=1 pipeline
    wait $! || return 1
    echo "stage $1 killed after $2 s: stages ${stages[*]}, all $all"
    [ "${stages[$1]}" -eq 137 ] || return 1 # it was alive: the kill came in the middle
    [ "${stages[5]}" -ne 0 ] && [ "$all" -ne 0 ] && [ ! -e final ] || return 1
    [ "$1" -eq 5 ] || [ "${stages[5]}" -eq 2 ] && [ -s err ] || return 1
    [ "$1" -eq 5 ] || [ -z "$(find . -name '.final*')" ] || return 1
    rm -f .final* # of a kill where the file system has no O_TMPFILE
}

@test "kill -9 of any stage at any moment: the last one fails and its file does not appear" {
    pipeline
    [ "$all" -eq 0 ]
    [ "$(grep -c '^[0-9]' final)" -gt 8 ] # what a pipeline does that nobody kills
    for pf in +o -o; do
        set $pf pipefail
        for s in 1 2 3 4 5; do
            for t in 0.1 0.3; do
                killed $s $t
            done
        done
    done
}

@test "kill -9 of bin2xyz between two frames: what it has written ends within a line" {
    mkfifo in
    (head -c -256 "$POSN"; exec sleep 60) >in 3>&- &
    feeder=$!
    bin2xyz <in >part 3>&- &
    until_true 20 eval '[ "$(size_of part)" -gt 300000 ]'
    sleep 0.1 # it waits for more
    kill -9 $!
    wait $! || true
    kill $feeder && wait $feeder || true
    [ -n "$(tail -c 1 part)" ]
    fails 2 xyz2bin -q part -o out
    [ ! -e out ]
}

@test "kill -9 of bin2xyz in a write that waits: what a reader gets ends within a line, wherever frames end" {
    frames() { # ROW ATOMS: 3 MB
        awk -v row="$1" -v n="$2" 'BEGIN { while (k < 3e6) { print n "\n"; for (i = 0; i < n; i++) print row; k += n * length(row) + 50 } }'
    }
    for row in "LLLLLLLLLLLLLLL 1.25 2.25 3.125" "LLLLLLLLL 1.25 2.25 3.125"; do # a full pipe ended with frame 3135, 4143
        frames "$row" $((${#row} == 31 ? 9 : 8)) | xyz2bin -q -o posn
        bin2xyz -t 1 posn -o whole
        [ "$(stat -c %s whole)" -gt 2000000 ]
        py whole/full_pipe >part
        cmp -n "$(stat -c %s part)" part whole
        [ -n "$(tail -c 1 part)" ]
        fails 2 xyz2bin -q part -o out
        [ ! -e out ]
    done
}

# Programs that write, with their input and options: "program input options".
writers() {
    declared reads writes
}

# run_writer OUTPUT PROGRAM INPUT OPTIONS...: runs it with the operands in the required places
run_writer() {
    local out=$1 p=$2 input=$3
    shift 3
    case $p in
    md-cpu) "$p" "$@" -o "$out" ;;
    *) "$p" "$@" "$input" -o "$out" ;;
    esac
}

tiny_disk() {
    mkdir -p "$SMALL"
    mountpoint -q "$SMALL" || mount -t tmpfs -o size=64k none "$SMALL" 2>/dev/null || skip "cannot mount a tmpfs"
    rm -rf "${SMALL:?}"/* "$SMALL"/.[a-z]*
}

@test "a full file system behind -o of every program: status 3, nothing left under any name" {
    tiny_disk
    dd if=/dev/zero of="$SMALL/fill" bs=4k status=none 2>/dev/null || true
    writers | while read -r line; do
        # shellcheck disable=SC2086
        fails 3 run_writer "$SMALL/out" $line || { echo "$line"; exit 1; }
        [[ $output == *"No space left"* ]] || { echo "$line: $output"; exit 1; }
        [ "$(ls -A "$SMALL")" = fill ] || { echo "$line"; ls -A "$SMALL"; exit 1; }
    done
    for o in --thermo --restart; do
        fails 3 md-cpu --atoms 64 --density 0.02 --steps 50 --every 10 -q $o "$SMALL/other" -o here
        [ "$(ls -A "$SMALL")" = fill ] || { echo "$o"; ls -A "$SMALL"; false; }
        [ ! -e here ] || frame-check -q here # the positions may be whole
    done
}

@test "memory: every program refuses with the need, the limit and the option, status 4, and leaves nothing" {
    writers | while read -r line; do
        [ "${line%% *}" != frame-index ] || continue
        # shellcheck disable=SC2086
        fails 4 run_writer out $line --max-mem 1 || exit 1
        [[ $output =~ [0-9.]+\ ([KM]iB|bytes)\ of\ memory\ is\ needed\ for\ .*,\ but\ the\ limit\ is\ 1\ bytes\ \(use\ a\ larger\ --max-mem ]] || { echo "$line: $output"; exit 1; }
        [ ! -e out ] || { echo "$line"; exit 1; }
    done
}

@test "no home, no TMPDIR, an environment of nothing but PATH: nothing is written but the output" {
    [ -z "${SANITIZED:-}" ] || skip "the sanitizer has files of its own"
    mkdir work tmp
    cd work
    writers | while read -r line; do
        rm -rf ./* ../log
        # shellcheck disable=SC2046,SC2086
        env -i PATH="$PATH" TMPDIR="$PWD/../tmp" strace -f -qq -o ../log -e trace=open,openat,creat,mkdir,mkdirat,mknod,mknodat,link,linkat,rename,renameat,renameat2,symlink,symlinkat,unlink,unlinkat,truncate \
            bash -c "$(declare -f run_writer); run_writer \"\$@\"" sh out $line >/dev/null
        [ "$(ls -A)" = out ] && [ -z "$(ls -A ../tmp)" ] || { echo "$line"; ls -A . ../tmp; exit 1; }
        # files that were opened for writing, created, renamed or removed: the output without a name
        # or with a hidden name in its folder
        grep -E 'O_WRONLY|O_RDWR|O_CREAT|^[0-9]+ +(creat|mk|link|rename|symlink|unlink|trunc)' ../log | grep -v ' = -1 ' |
            grep -vE '"(/dev/(null|tty)|/proc/self/fd/[0-9]+|'"$PWD"'(/\.?out[^"]*)?|\.?out[^"]*|\.)"' >../other || true
        [ ! -s ../other ] || { echo "$line"; cat ../other; exit 1; }
    done
}

@test "a file system that fills up in the middle of a file: the same" {
    tiny_disk
    writers | grep -E '^(xyz2bin|traj2bin|bin2xyz|bin2txt|frame-cut|frame-cat|beta-gen)' | while read -r line; do
        # shellcheck disable=SC2086
        fails 3 run_writer "$SMALL/out" $line || { echo "$line"; exit 1; }
        [ -z "$(ls -A "$SMALL")" ] || { echo "$line"; ls -A "$SMALL"; exit 1; }
    done
}

# begun PID: tests whether the process has an unfinished output, with a temporary name or without.
begun() {
    [ -n "$(find . -name '.out*')" ] || ls -l "/proc/$1/fd" 2>/dev/null | grep -q "$PWD/.*(deleted)$"
}

# A stage reads its input except the end, waits, and gets a signal. It must end by this signal and
# remove its files. The file "begun" lists the programs whose output existed at that time. Other
# programs begin their output when they have a result.
signalled() {
    local sig=$1 p=$2 input=$3 status=0 feeder victim
    shift 3
    (head -c -256 "$input"; exec sleep 60) >in 3>&- &
    feeder=$!
    env --default-signal=INT,QUIT "$p" "$@" -o out <in 2>err 3>&- & # bash lets children ignore these
    victim=$!
    until_true 20 eval '[[ $(readlink "/proc/$victim/exe") == */"$p" ]]'
    [[ " $EARLY " == *" $p "* ]] && until_true 20 begun $victim || for _ in {1..20}; do
        begun $victim && break
        sleep 0.02
    done
    ! begun $victim || echo "$p" >>begun
    kill "-$sig" $victim
    wait $victim || status=$?
    kill $feeder 2>/dev/null || true
    wait $feeder || true
    [ "$status" -eq $((128 + $(kill -l "$sig"))) ] || { echo "$p: SIG$sig: status $status"; return 1; }
    [ -z "$(find . -name '*out*')" ] || { echo "$p: SIG$sig left"; ls -A; return 1; }
}

@test "SIGINT and SIGTERM: a program ends by the signal, no file and no temporary one stays" {
    mkfifo in
    EARLY="xyz2bin bin2xyz frame-cut beta-gen frame-cat md-cpu"
    for sig in INT TERM; do
        while read -r line; do
            # shellcheck disable=SC2086
            signalled $sig $line
        done < <(writers | grep -Ev '^(compare|md)')
        signalled $sig md-cpu "$POSN" --atoms 256 --density 0.02 --steps 100000000
    done
    for p in $EARLY; do
        [ "$(grep -c "^$p\$" begun)" -ge 2 ] || { cat begun; false; }
    done
}

@test "every signal that ends a program takes its unfinished files, hidden ones too: HUP, PIPE, XCPU, ..." {
    [ -z "$SANITIZED" ] || skip "preload and sanitizers do not mix"
    "${CC:-cc}" -shared -fPIC -D_GNU_SOURCE -o named.so "$ROOT/tests/unit/preload_named.c" -ldl
    export LD_PRELOAD=$PWD/named.so PRELOAD_WITHOUT=tmpfile EARLY="frame-cut"
    mkfifo in
    for sig in HUP PIPE XCPU XFSZ QUIT ALRM USR1 USR2 VTALRM; do
        (ulimit -c 0; signalled $sig frame-cut "$POSN" :)
    done
    # a reader that ends while another output is complete and waits for this one
    for _ in 1 2; do
        run bash -c 'env --default-signal=PIPE g4-cpu --lags 8 --series series "$0" 2>/dev/null | sleep 0; echo "${PIPESTATUS[0]}"' "$POSN"
        [ "$output" = 141 ]
        [ -z "$(find . -name '*series*')" ] || { ls -A; false; }
    done
}

# Prints the peak memory of a running stage in KiB.
peak() { awk '/VmHWM/ { print $2 }' "/proc/$(cat "pid.$1")/status"; }

@test "a slow reader holds every stage before it back; their memory stays bounded" {
    [ -z "$SANITIZED" ] || skip "memory is the sanitizer's"
    [ -r /proc/self/status ] || skip "no /proc"
    zcat "$DATA/argon256.xyz.gz" >long # 1001 steps: 3 MB of positions, 130 MB of pairs
    {
        (stage 1 xyz2bin -t 2 --cell 22.6 long) | (stage 2 frame-cat) | (stage 3 beta-gen -t 2) |
            (stage 4 frame-cut :) | {
            head -c 1000 >/dev/null
            sleep 0.5
            head -c 8000000 >/dev/null
            sleep 0.3
            peak 3 >peak.3
            peak 4 >peak.4
            cat
        } | tail -c 256 >end
    }
    [ -s end ]
    for s in 3 4; do
        echo "stage $s: $(cat peak.$s) KiB"
        [ "$(cat peak.$s)" -gt 1000 ] # blocks and parts, not the 130 MB that pass
        [ "$(cat peak.$s)" -lt 65536 ]
    done
}
