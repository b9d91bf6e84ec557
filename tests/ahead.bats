# SPDX-License-Identifier: MIT
# sanitize
# Parts of a file are read and hashed ahead by helpers: what comes out, and what is said of damage, is that of one thread.

load helpers

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit
    md-cpu -q --atoms 8000 --density 0.021 --steps 160 --every 1 --velocities -o a.mbf # blocks of 1 MiB, 30 MiB
    md-cpu -q --atoms 1500 --density 0.021 --steps 30 --every 10 | beta-gen -o pairs.mbf # a step has two parts
}

setup() { cd "$BATS_FILE_TMPDIR" && rm -f x* y*; }

# alike STATUS COMMAND...: that status, and the same stdout and messages for 1 and 3 threads
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
