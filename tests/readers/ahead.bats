# SPDX-License-Identifier: MIT
# sanitize
# Helpers read and hash parts of a file ahead. Results and messages about damage are the same as
# with one thread.

load ../helpers

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit
    md-cpu -q --atoms 8000 --density 0.021 --steps 160 --every 1 --velocities -o a.mbf # blocks of 1 MiB, 30 MiB
    md-cpu -q --atoms 1500 --density 0.021 --steps 30 --every 10 | beta-gen -o pairs.mbf # a step has two parts
}

setup() { cd "$BATS_FILE_TMPDIR" && rm -f x* y*; }

# alike STATUS COMMAND...: gives this status, and the same stdout and messages, with 1 and 3 threads
alike() {
    local want=$1 one=0 three=0
    shift
    "$@" -t 1 >x.out 2>x.err || one=$?
    "$@" -t 3 >y.out 2>y.err || three=$?
    [ "$one $three" = "$want $want" ]
    command cmp x.out y.out
    diff x.err y.err
    [ -s x.out ] || [ "$want" -ne 0 ]
}

# reads COMMAND...: bytes that it reads, files and libraries together
reads() { bash -c '"$@" >/dev/null; exec cat /proc/$$/io' sh "$@" | sed -n 's/^rchar: //p'; }

@test "content is the same for any number of threads: blocks, parts, other arrays between, shares, steps left out" {
    for f in a.mbf pairs.mbf; do alike 0 frame-check "$f"; done
    alike 0 rdf-cpu --rmax 2 --bins 10 a.mbf
    alike 0 rdf-cpu --rmax 2 --bins 10 --shard 2/3 a.mbf
    alike 0 frame-cat pairs.mbf
    alike 0 g4-cpu --lags 2 pairs.mbf
    alike 0 frame-cut 7:101:3 a.mbf
    cat pairs.mbf pairs.mbf >two.mbf
    alike 0 frame-check two.mbf
    rm two.mbf
}

@test "damage is found where it is, and named alike" {
    for at in 5000000 17000000 29000000; do # twice in velocities, which rdf-cpu passes over
        cp a.mbf bad.mbf
        printf '\377\377\377' | dd of=bad.mbf bs=1 seek=$at conv=notrunc status=none
        alike $((at == 29000000 ? 2 : 0)) rdf-cpu --rmax 2 --bins 10 bad.mbf
        alike 2 frame-check bad.mbf
        grep -q CORRUPT y.err
    done
    head -c 20000000 a.mbf >bad.mbf
    alike 2 rdf-cpu --rmax 2 --bins 10 bad.mbf
    grep -q TRUNCATED y.err
    "$BIN/../tests/unit/make_frames" big-nan >bad.mbf
    alike 2 frame-cut 1: bad.mbf
    grep -q "frame 400000: .*atom 1, y" y.err
    rm bad.mbf
}

@test "a share reads its own part of the file, ahead or not" {
    [ -r /proc/self/io ] || skip "no /proc/self/io"
    frame-cut 0:1 a.mbf -o none.mbf
    none=$(reads frame-check -t 3 none.mbf)
    for n in 4 8; do
        all=$(($(stat -c %s a.mbf) / 2)) # the rest is velocities, which are passed over
        part=$(($(reads rdf-cpu -t 3 --rmax 2 --bins 10 --shard 2/$n a.mbf) - none))
        [ "$part" -gt $((all / n / 2)) ] && [ "$part" -lt $((all / n + 3000000)) ] || { echo "$n: $part of $all"; false; }
    done
}

# at_once COMMAND...: the largest number of threads of COMMAND at a time
at_once() {
    strace -f -qq -e trace=clone,clone3,exit -o trace "$@" >out 2>said || { cat said; return 1; }
    awk 'BEGIN { now = most = 1 }
         /CLONE_THREAD/ && !/= -1/ { if (++now > most) most = now }
         / exit\(0\)/ { now-- }
         END { print most }' trace
}

@test "-t 3 is three threads in all, whatever is read, computed and written at a time" {
    [ "${SANITIZED:-0}" = 0 ] || skip "a sanitizer's threads"
    strace true 2>/dev/null || skip "no strace here"
    frame-cut -q -z :40 a.mbf -o z.mbf
    bin2xyz -q z.mbf -o z.xyz
    gzip -k z.xyz
    md-cpu -q --atoms 500 --density 0.021 --steps 20 --every 1 -o small.mbf
    while read -r -a command; do
        n=$(at_once "${command[@]}" -t 3)
        echo "${command[*]}: $n"
        [ "$n" -eq 3 ]
    done <<'EOF'
frame-cut -q -z :80 a.mbf -o y.mbf
xyz2bin -q -z z.xyz.gz -o y.mbf
traj2bin -q -z z.xyz -o y.mbf
bin2xyz -q a.mbf -o y.xyz
rdf-cpu -q --rmax 2 --bins 10 a.mbf -o y.mbf
sq-cpu -q --qmax 3 a.mbf -o y.mbf
g4-cpu -q --lags 2 pairs.mbf -o y.mbf
beta-gen -q -z small.mbf -o y.mbf
md-cpu -q -z --atoms 500 --density 0.021 --steps 40 --every 1 -o y.mbf
md-cpu -q -z --atoms 108 --density 0.021 --steps 40 --every 1 --replicas 3 -o y-%.mbf
EOF
}
