# SPDX-License-Identifier: MIT
# Faults around a stream: full disks, killed stages, slow and stuttering pipes, closed descriptors,
# bombs. Truncations, flips, forgeries and lost frames at every byte are in
# unit/test_frame_faults.c.

load ../helpers

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit
    export A=$BATS_FILE_TMPDIR/a.mbf MAKE=$BIN/../tests/unit/make_frames PRELOAD=$BATS_FILE_TMPDIR/preload_io.so
    xyz2bin --select 0:8 --cell 22.6 --dt 0.01 "$DATA/argon256.xyz.gz" -o "$A"
    "$MAKE" big >big.mbf
    export BIG=$BATS_FILE_TMPDIR/big.mbf
    "${CC:-cc}" -shared -fPIC -D_GNU_SOURCE -o "$PRELOAD" "$ROOT/tests/unit/preload_io.c" -ldl
}

setup() { cd "$BATS_TEST_TMPDIR" || exit; }

@test "/dev/full as stdout, as -o and behind a pipe: status 3, the reason named" {
    [ -w /dev/full ] || skip "no /dev/full"
    for p in "frame-cat" "frame-cut :" "frame-cat -z"; do
        fails 3 bash -c "$p '$BIG' >/dev/full"
        [[ $output == *"No space left"* ]]
        fails 3 $p "$BIG" -o /dev/full
        [[ $output == *"No space left"* ]]
    done
    [ -c /dev/full ]
}

@test "a readv() that stops within a frame: traj2bin reads the rest of the frame" {
    python3 -c pass || skip "no python3"
    py forge/amber_large >whole.nc
    traj2bin -q whole.nc -o 1.mbf
    LD_PRELOAD=$PRELOAD traj2bin -q whole.nc >2.mbf
    cmp 1.mbf 2.mbf
}

@test "a tiny file system: status 3, no file under the final name, no temporary one" {
    mkdir small
    mount -t tmpfs -o size=1m none small 2>/dev/null || skip "cannot mount a tmpfs"
    status=0
    frame-cat "$BIG" -o small/out 2>err || status=$?
    left=$(ls -A small)
    umount small
    [ "$status" -eq 3 ]
    [ -z "$left" ]
    grep -q "No space left" err
}

@test "a stage killed at any moment: the next one fails with TRUNCATED, or the stream was whole" {
    for ms in 1 3 5 8 12 20 30; do
        status=0
        {
            frame-cat "$BIG" &
            sleep "0.0$((ms / 10))$((ms % 10))"
            kill -9 $! 2>/dev/null || true
            wait $! || true
        } 2>/dev/null | frame-check >out 2>err || status=$?
        if [ "$status" -eq 0 ]; then
            grep -q "1398096 steps" out
        else
            [ "$status" -eq 2 ]
            grep -Eq "TRUNCATED|empty input" err || { cat err; false; }
        fi
    done
}

# Tests whether $victim has an unfinished output, with a temporary name ($named) or without a name.
begun() {
    named=$(ls -A | grep '^\.out' || true)
    [ -n "$named" ] || ls -l "/proc/$victim/fd" 2>/dev/null | grep -q "$PWD/.*(deleted)$"
}

# growing SIGNAL PROGRAM...: the program reads a stream that does not end, and gets the signal after
# its -o file was opened.
growing() {
    local sig=$1
    shift
    rm -f slow
    mkfifo slow
    (cat "$BIG"; exec sleep 60) >slow 3>&- &
    feeder=$!
    "$@" -o out <slow 3>&- &
    victim=$!
    until_true 20 begun
    kill "-$sig" "$victim"
    wait "$victim" || true
    kill "$feeder" 2>/dev/null || true
    wait "$feeder" || true
    [ ! -e out ]
}

@test "a writer killed while its -o file grows: nothing, where the file system knows files without a name" {
    on_linux "an output has a name from the beginning"
    python3 -c 'import os; os.open(".", os.O_TMPFILE | os.O_WRONLY)' 2>/dev/null || skip "no O_TMPFILE here, or no python3"
    growing KILL frame-cut :
    [ "$(ls -A)" = slow ] || { ls -A; false; }
}

@test "a file system without O_TMPFILE, or no /proc: a temporary name beside, the same file, and SIGTERM removes it" {
    [ -z "$SANITIZED" ] || skip "preload and sanitizers do not mix"
    "${CC:-cc}" -shared -fPIC -D_GNU_SOURCE -o "$BATS_FILE_TMPDIR/named.so" "$ROOT/tests/unit/preload_named.c" -ldl
    frame-cat "$A" -o want
    for without in tmpfile proc; do
        PRELOAD_WITHOUT=$without LD_PRELOAD=$BATS_FILE_TMPDIR/named.so frame-cat "$A" -o got
        cmp got want
        rm got
        growing TERM env PRELOAD_WITHOUT=$without LD_PRELOAD="$BATS_FILE_TMPDIR/named.so" frame-cut :
        [ "$(wc -w <<<"$named")" -eq 1 ]
        [ "$(ls -A | sort | tr '\n' ' ')" = "slow want " ] || { ls -A; false; }
    done
}

@test "bytes one to seven at a time, EINTR and EAGAIN in between: the same stream comes out" {
    [ -z "$SANITIZED" ] || skip "preload and sanitizers do not mix"
    frame-cat "$A" >want
    LD_PRELOAD=$PRELOAD frame-cat <"$A" >got
    cmp got want
    cat "$A" | LD_PRELOAD=$PRELOAD frame-cat | LD_PRELOAD=$PRELOAD frame-cut : | frame-check -q
    frame-cat -z "$A" >want
    LD_PRELOAD=$PRELOAD frame-cat -z <"$A" >got
    cmp got want
}

@test "a disk that fills up in the middle of a stream: status 3 here, 2 behind" {
    [ -z "$SANITIZED" ] || skip "preload and sanitizers do not mix"
    for n in 1 2 3 50 200; do
        status=0
        PRELOAD_IO_ENOSPC=$n LD_PRELOAD=$PRELOAD frame-cat "$A" >out 2>err || status=$?
        [ "$status" -eq 3 ]
        fails 2 frame-check out
    done
}

@test "a descriptor that is not blocking is waited for" {
    command -v python3 >/dev/null || skip "no python3"
    py format/not_blocking "$A" >out
    frame-cat "$A" | cmp - out
}

@test "descriptors 0, 1 and 2 closed: never a result that looks good and is not" {
    frame-cat "$A" >want
    status=0
    frame-cat "$A" >&- 2>err || status=$?
    [ "$status" -eq 3 ]
    frame-cat "$A" 2>&- >got
    cmp got want
    frame-cat "$A" <&- >got
    cmp got want
    frame-cat "$A" -o got <&- >&- 2>&-
    cmp got want
    status=0
    frame-cat <&- >got 2>err || status=$?
    [ "$status" -ne 0 ]
    [ -s err ]
    cmp "$A" <(cat "$A")
}

@test "a slow reader holds the writer back; memory stays bounded" {
    [ -z "$SANITIZED" ] || skip "memory is the sanitizer's"
    command -v python3 >/dev/null || skip "no python3"
    for k in 1 2 3 4; do cat "$BIG"; done >four
    py format/slow_reader four >out
    read -r bytes kib <out
    [ "$bytes" -gt 268000000 ]
    [ "$kib" -lt 65536 ] # a 4 MiB part, its buffers and the program, not the 256 MiB that pass through
}

@test "deflate bombs: the limit of memory holds, and too much or too little is CORRUPT" {
    "$MAKE" bomb >bomb
    [ "$(stat -c %s bomb)" -lt 100000 ]
    frame-check bomb
    fails 4 frame-check --max-mem 16M bomb
    [[ $output == *"--max-mem"* ]]
    fails 4 frame-cut --max-mem 16M : bomb
    [[ $output == *"but the limit is 16 MiB (use a larger --max-mem)"* ]]
}

@test "ERR travels down the pipe: who, what, and who passed it on" {
    xyz2bin --select 0:8 --sigma 3.5 --dt 0.01 "$DATA/argon256.xyz.gz" >other
    set +o pipefail
    cat "$A" other >ab
    fails 2 bash -c 'cat ab | frame-cat 2>e1 | frame-cut : 2>e2 | frame-cut 0: 2>e3 | frame-check 2>e4'
    grep -q "frame-cat: .*sys.sigma" e1
    grep -q "frame-cut: stdin: .*ERR from upstream: frame-cat: .*sys.sigma" e2
    grep -q "frame-cut: .*frame-cat: .*sys.sigma.*(passed on by frame-cut)" e3
    grep -q "frame-check: .*frame-cat: .*sys.sigma.*(passed on by frame-cut frame-cut)" e4
    "$MAKE" err | frame-cut : 2>err | frame-check 2>/dev/null || true
    fails 2 bash -c '"$MAKE" err | frame-cut : -o out'
    [ ! -e out ]
}

@test "a failure after a whole segment is not taken for a short, whole stream" {
    head -c 3000 "$A" >cut
    cat "$A" cut >both
    fails 2 bash -c 'frame-cut : <both 2>/dev/null | frame-check'
    [[ $output == *"upstream program wrote nothing"* ]] # a file is looked through first
    fails 2 bash -c 'cat both | frame-cut : 2>/dev/null | frame-check'
    [[ $output == *"ERR from upstream: frame-cut: stdin: TRUNCATED"* ]]
}

@test "the input does not begin with a stream: shown, with a guess" {
    banner() { printf 'Last login: Fri Nov 20 from 10.0.0.1\n'; cat "$A"; }
    banner >bad
    fails 2 frame-check bad
    [[ $output == *"Last login"*banner* ]]
    gzip -c "$A" >bad
    fails 2 frame-check bad
    [[ $output == *gzip* ]]
    for mark in 'x\x8b' '\x28\xb5\x2fx'; do # a part of gzip's, and of zstd's
        printf "$mark is no stream" >bad
        fails 2 frame-check bad
        [[ $output == *"is not a frame stream"* ]] || { echo "$output"; false; }
    done
    fails 2 frame-check "$DATA/argon8.xyz"
    [[ $output == *xyz2bin* ]]
    sed 's/$/\r/' "$A" >bad
    fails 2 frame-check bad
    tail -c +2 "$A" >bad
    fails 2 frame-check bad
    fails 2 frame-check /dev/null
    [[ $output == *"wrote nothing"* ]]
}

@test "numbers that are not finite are refused, naming step and atom" {
    fails 2 bash -c '"$MAKE" nan | frame-cut :'
    [[ $output == *"frame 2:"*"atom 2, z"* ]]
}

@test "not a terminal, unless forced" {
    command -v script >/dev/null || skip "no script(1)"
    run timeout 60 script -qec "frame-cat '$A'" /dev/null
    [ "$status" -eq 2 ]
    [[ $output == *"terminal"*"--force"* ]]
}

@test "frame-cat does not seal parts whose zlib data are bad, though their hashes are true" {
    "$MAKE" badzlib >bad
    fails 2 frame-check bad
    fails 2 frame-cat bad -o out
    [[ $output == *CORRUPT*zlib* ]]
    [ ! -e out ]
}

@test "what a terminal would obey never reaches one raw: ESC, BEL, C1 and turned text of META and names" {
    command -v script >/dev/null || skip "no script(1)"
    xyz2bin --select 0:2 --cell 23 "$DATA/argon256.xyz.gz" -o "$(printf 'a\033]0;title\007\302\233\342\200\256fbm\342\201\246\330\234\342\200\250.mbf')"
    for f in a*; do
        ! timeout 60 script -qec "bin2txt '$f' | head -n 1; bin2txt '$f'; bin2txt '$f.none'" /dev/null >shown || false
        ! LC_ALL=C grep -aqP '\x1b|\x07|\xc2\x9b|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]|\xd8\x9c' shown || { cat -v shown | head -5; false; }
        grep -aq 'a?]0;title' shown
        # as options of every program, for failing and working commands, and after a pipe
        timeout 60 script -qec "for p in $(ls "$BIN" | grep -v gpu | xargs); do \$p --max-mem '$f'; \$p '--$f'; \$p -v '$f' -o 'no/$f'; \$p '$f.none'; \$p --log 'no/$f' '$f'; done;
            frame-check -v '$f' | cat; xyz2bin --cell '$f'; rdf-cpu --pair '$f' '$f'; frame-cut --atoms '$f' : '$f'" /dev/null </dev/null >shown || true
        ! LC_ALL=C sed 's/\x1b\[K//g' shown | LC_ALL=C grep -aqP '\x1b|\x07|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]|\xd8\x9c' || { cat -v shown | grep -F '^[]' | head -5; false; }
        [ "$(grep -c '' shown)" -gt 90 ]
        bin2txt "$f" | LC_ALL=C grep -aq . # and a pipe gets what there is
    done
}

@test "many small steps in one array take the memory of the array, not a cell for each of them" {
    command -v python3 >/dev/null || skip "no python3"
    "$BIN/../tests/unit/make_sparse" many 2 || skip "no sparse file here" # 2.8 million steps, 64 MiB an array
    python3 - many <<'END'
import resource, subprocess, sys
subprocess.run(["frame-cut", "-q", "2796202:", sys.argv[1], "-o", "cut"], check=True)
subprocess.run(["frame-cut", "-q", "1398098:1398103", sys.argv[1], "-o", "middle"], check=True)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
assert peak < 160 << 10, "%d KiB" % peak # the array, twice at most
END
    bin2txt cut | grep -v '^#' | cut -d ' ' -f 1,3,4 | cmp - <(printf '%s\n' '2796202 0 0' '2796202 1 1' '2796202 2 2' '2796202 3 3' '2796203 0 1' '2796203 1 2' '2796203 2 3' '2796203 3 4' '2796204 0 2' '2796204 1 3' '2796204 2 4' '2796204 3 5')
    [[ $(frame-check middle) == *" 5 steps"* ]]
}
