# SPDX-License-Identifier: MIT
# sanitize
# --shard K/N and frame-merge: N shares, made by anybody in any order, are the bits of the one run.
# shard: rdf-cpu POSN --pair all --rmax corner
# shard: rdf-cpu POSN --blocks 7
# shard: rdf-cpu POSN --pair all --lag 0,1,70 --unwrapped
# shard: sq-cpu POSN --qmax 2 --pair all
# shard: sq-cpu POSN --qmax 2 --blocks 10
# shard: fqt-cpu FEW --qmax 1 --lags 30 --self
# shard: fqt-cpu FEW --qmax 0.6 --blocks 8
# shard: g4-cpu POSN --lags 20 --sum mic
# shard: g4-cpu POSN --lags 50 --sum taper:3,5
# shard: g4-cpu FEW --lags 7 --component all --sum taper
# shard: g4-cpu FEW --lags 1100 --method factored
# shard: g4-cpu FEW --lags 2 --method direct
# shard: g4-cpu PAIR --lags 9
# shard: g4-cpu FEW --lags 9 --sum ewald
# shard: rdf-cpu FEW --rmax 5
# shard: sq-cpu FEW --qmax 1

load ../helpers

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit
    export POSN=$BATS_FILE_TMPDIR/a.mbf LONG=$BATS_FILE_TMPDIR/long.mbf FEW=$BATS_FILE_TMPDIR/few.mbf \
        PAIR=$BATS_FILE_TMPDIR/b.mbf EMU=$BIN/../emu/g4-gpu
    # 8 atoms of 800 frames, six times, so that blocks double more than once
    xyz2bin --select 0:800 --cell 22.6 --dt 0.01 "$DATA/argon256.xyz.gz" | bin2xyz |
        awk 'NF == 1 { print 8; next } /=/ { print; n = 0; next } n++ < 8' | xyz2bin -q - -o eight.mbf
    frame-cat -q --jumps close eight.mbf{,,,,,} | frame-cut -q 0:4771 -o "$FEW"
    frame-cut -q 0:90 "$FEW" | beta-gen --component all -o "$PAIR"
    xyz2bin --select 0:800 --cell 22.6 --dt 0.01 "$DATA/argon256.xyz.gz" | bin2xyz |
        awk 'NF == 1 { n = 0 } /^Ar/ && n++ % 3 == 0 { sub(/^Ar/, "Kr") } { print }' | xyz2bin -q --dt 0.01 - -o "$POSN"
    for k in 1 2 3 4 5 6; do ln -s a.mbf $k.mbf; done
    frame-cat -q --jumps close [1-6].mbf -o "$LONG" --index
}


# shares N PROGRAM FILE OPTIONS...: computes part K of N as p.K, for all K
shares() {
    local n=$1 k
    shift
    rm -f p.*
    for ((k = 1; k <= n; k++)); do "$@" --shard $k/"$n" -o p.$k; done
}

# workers N P PROGRAM FILE OPTIONS...: computes N parts as p.K, P at a time, in random order, after
# two were killed while their output had no name
workers() {
    local n=$1 p=$2 k
    shift 2
    rm -f p.*
    for k in $(shuf -n 2 -i 1-"$n"); do
        fails 137 strace -f -qq -o said -e inject=fsync:signal=KILL "$@" --shard "$k/$n" -o p.$k
        [ ! -e p.$k ] || return 1
    done
    shuf -i 1-"$n" | xargs -P "$p" -I% "$@" --shard "%/$n" -o p.%
}

# Prints the number of bytes that COMMAND... reads from files and libraries.
reads() {
    bash -c '"$@"; exec cat /proc/$$/io' sh "$@" | sed -n 's/^rchar: //p'
}

# printed FILE: its table without the errors of F_s, because parts do not measure the scatter
# between atoms
printed() {
    bin2txt "$1" | grep -v '^##' | awk '$1 == "#" { for (k = 2; k <= NF; k++) left[k - 1] = $k ~ /^F_s.*_se$/ }
        { for (k = 1; k <= NF; k++) if (!left[k - ($1 == "#")]) printf "%s ", $k; print "" }'
}

@test "the shares of 1, 2, 5 and 64, by 1, 7 and 64 workers of which two are killed, in any order, are the unsharded run" {
    turn=0 seen=
    all=$([ -n "${SANITIZED:-}" ] && echo 9 || echo 64)
    declared shard | while read -r p input options; do
        # shellcheck disable=SC2086
        $p $options "$input" -o whole
        # shellcheck disable=SC2086
        cat "$input" | $p $options | cmp - whole
        many=$all # in `make check` of each program once
        [[ " $seen" != *" $p "* ]] || many=$(whole 9 $all)
        seen="$seen$p "
        for n in 2 5 $many; do
            # shellcheck disable=SC2086
            case $n in
            $many) workers $many $((turn++ % 3 == 0 ? 1 : turn % 3 == 2 ? 7 : 64)) $p -t 1 $options "$input" ;;
            *) shares $n $p $options "$input" ;;
            esac
            # shellcheck disable=SC2046
            frame-merge $(shuf -e p.*) -o merged
            [ "$(content merged)" = "$(content whole)" ] || { echo "$p $options: $n"; exit 1; }
            # shellcheck disable=SC2046
            frame-merge $(shuf -e p.*) | cmp - merged || { echo "$p $options: $n: another order, other bytes"; exit 1; }
            printed merged | cmp - <(printed whole)
        done
    done
}

@test "a share does not depend on threads, -z of its input, or an index" {
    frame-cut -q -z : "$POSN" -o small.mbf
    for p in "rdf-cpu" "sq-cpu --qmax 2"; do
        $p --shard 2/3 -t 1 "$POSN" -o a
        $p --shard 2-of-3 -t 3 "$POSN" -o b
        [ "$(content a)" = "$(content b)" ]
        $p --shard 2/3 small.mbf -o c
        [ "$(content a)" = "$(content c)" ]
        [ "$(frame-check -v c | grep 'share of')" = "$(frame-check -v a | grep 'share of')" ]
        frame-index small.mbf
        $p --shard 2/3 small.mbf -o d
        cmp c d
        rm small.mbf.mbi
    done
}

@test "a share reads its own bytes: 1/N of them; without an index also headers on the way there" {
    size=$(stat -c %s "$LONG")
    ln -s "$LONG" plain.mbf
    base=$(reads rdf-cpu --shard 64/64 -t 1 "$POSN" -o /dev/null)
    for n in 2 4 8; do
        for k in 1 $n; do
            # its part, a block of 1 MiB and a block of the run at either end, and the programs
            # themselves
            most=$((size / n + size / 33 + 2 * 1048576 + base))
            got=$(reads rdf-cpu --shard $k/$n -t 1 "$LONG" -o /dev/null)
            [ "$got" -gt $((size / n - size / 33)) ] && [ "$got" -lt $most ] || { echo "$k/$n: $got of $size, at most $most"; false; }
            got=$(reads rdf-cpu --shard $k/$n -t 1 plain.mbf -o /dev/null)
            [ "$got" -lt $((most + 16384 * (size / 1048576 + 1))) ] || { echo "$k/$n without an index: $got"; false; }
        done
    done
}

@test "gaps, doubles, strangers, other parameters and whole runs among shares are refused by name" {
    shares 4 rdf-cpu "$POSN"
    fails 2 frame-merge p.1 p.2 p.4 -o out
    [[ $output == *"expected 4 parts, found 3 (missing 3)"* ]] || { echo "$output"; false; }
    fails 2 frame-merge p.2 p.3 -o out
    [[ $output == *"missing 1 4"* ]]
    cp p.2 again
    fails 2 frame-merge p.1 p.2 p.3 p.4 again -o out
    [[ $output == *again*"part 2/4"*p.2* || $output == *p.2*"part 2/4"*again* ]] || { echo "$output"; false; }
    rdf-cpu --shard 3/5 "$POSN" -o five
    fails 2 frame-merge p.1 p.2 five p.4 -o out
    [[ $output == *five*"one of 4 parts"*"3/5"* ]] || { echo "$output"; false; }
    frame-cut 1: "$POSN" | frame-cut : -o other.mbf
    rdf-cpu --shard 3/4 other.mbf -o stranger
    fails 2 frame-merge p.1 p.2 stranger p.4 -o out
    [[ $output == *stranger*"another input"* ]] || { echo "$output"; false; }
    rdf-cpu --bins 100 --shard 3/4 "$POSN" -o bins
    fails 2 frame-merge p.1 p.2 bins p.4 -o out
    [[ $output == *bins*data.bins* ]] || { echo "$output"; false; }
    rdf-cpu --bins 100 --shard 1/4 "$POSN" -o bins # it is the stranger, though it is the first
    fails 2 frame-merge bins p.2 p.3 p.4 -o out
    [[ $output == *"bins: segment 0: expected data.bins 200, as in p."*", found 100"* ]] || { echo "$output"; false; }
    rdf-cpu --shard 1/4 other.mbf -o bins
    fails 2 frame-merge bins p.2 p.3 p.4 -o out
    [[ $output == *"bins: segment 0: expected a part of the same input as p."* ]] || { echo "$output"; false; }
    rdf-cpu "$POSN" -o whole
    fails 2 frame-merge p.1 p.2 whole p.3 p.4 -o out
    [[ $output == *whole*"whole run"* ]] || { echo "$output"; false; }
    sq-cpu --qmax 2 --shard 3/4 "$POSN" -o sq
    fails 2 frame-merge p.1 p.2 sq p.4 -o out
    head -c 1000 p.3 >cut
    fails 2 frame-merge p.1 p.2 cut p.4 -o out
    [[ $output == *cut*TRUNCATED* ]]
    cp p.3 bent
    printf '\x7f' | dd of=bent bs=1 seek=1500 conv=notrunc status=none
    fails 2 frame-merge p.1 p.2 bent p.4 -o out
    [[ $output == *bent*CORRUPT* ]]
    [ ! -e out ]
    frame-merge p.4 p.1 p.3 p.2 | compare - whole
}

@test "a share whose data.shard is no K/N is refused" {
    numpy_python
    for k in 1 2; do rdf-cpu --shard $k/2 "$POSN" -o p.$k; done
    for bad in 3/2 0/2 2 2/x; do
        "$PY" - $bad <<'EOF'
import sys
from oracle import frames
with open("p.2", "rb") as f, frames.Writer("bad") as w:
    for what in frames.Reader(f, "p.2"):
        if isinstance(what, dict):
            w.put_meta({**what, "data.shard": sys.argv[1]})
        elif isinstance(what, frames.Array):
            w.put(what)
    w.end()
EOF
        fails 2 frame-merge p.1 bad -o out
        [[ $output == *"bad: "*"expected K/N in data.shard"* && ! -e out ]] || { echo "$bad: $output"; false; }
    done
}

@test "g4 shares its origins: a share reads the lags behind its end, and nothing else" {
    size=$(stat -c %s "$LONG")
    base=$(reads g4-cpu --lags 2 --shard 64/64 -t 1 "$PAIR" -o /dev/null)
    got=$(reads g4-cpu --lags 2 --shard 5/8 -t 2 "$LONG" -o /dev/null)
    [ "$got" -gt $((size / 8 - size / 33)) ] && [ "$got" -lt $((size / 8 + size / 33 + 2 * 1048576 + base)) ] ||
        { echo "$got of $size"; false; }
}

@test "g4: fft, --origins, --blocks and --series do not go with shares, and say why" {
    for o in "--method fft" "--lags 300" "--lags 4 --origins 9" "--lags 4 --blocks 3" "--lags 4 --series s.mbf"; do
        # shellcheck disable=SC2086
        fails 2 g4-cpu $o --shard 1/2 "$POSN" -o out
        [[ $output == *"--shard"* ]] || { echo "$output"; false; }
    done
    fails 2 g4-cpu --lags 801 --method factored --shard 1/2 "$POSN" -o out
    [[ $output == *"801 lags need at least 801 steps, found 800"* ]] || { echo "$output"; false; }
    [ ! -e out ]
    [ ! -e s.mbf ]
}

@test "emulated g4-gpu: shares are the bits of the one run" {
    emulated g4-gpu
    frame-cut -q 0:131 "$FEW" -o short.mbf
    for o in "--lags 5 --component all" "--lags 5 --accumulate f32" "--lags 2 --method direct"; do
        # shellcheck disable=SC2086
        "$EMU" -q $o short.mbf -o whole
        # shellcheck disable=SC2086
        shares 3 "$EMU" $o short.mbf
        frame-merge p.2 p.3 p.1 -o merged
        [ "$(content merged)" = "$(content whole)" ] || { echo "$o"; false; }
    done
}

@test "what cannot be shared: a pipe, several segments, more blocks than steps, K beyond N, steps that END does not have" {
    fails 2 bash -c 'cat "$POSN" | rdf-cpu --shard 1/2 -o out'
    [[ $output == *"needs a file"* ]]
    cat "$POSN" "$POSN" >two.mbf
    fails 2 rdf-cpu --shard 1/2 two.mbf -o out
    [[ $output == *"one segment"* ]]
    for bad in 0/2 3/2 1/0 1 1/2x x/2 1/1000001 -1/2 '' 1-2; do
        fails 2 rdf-cpu --shard "$bad" "$POSN" -o out
        [[ $output == *K/N* ]] || { echo "$bad: $output"; false; }
    done
    for p in rdf-cpu sq-cpu; do
        fails 2 $p --blocks 900 --shard 1/2 "$POSN" -o out
        fails 2 $p --blocks 900 "$POSN" -o out
        [[ $output == *"found 900 blocks and 800 steps"* ]] || { echo "$output"; false; }
    done
    [ ! -e out ]
}

@test "pipelines/cluster: a share killed on the way and made again, in a job array's environment; the merge waits for it" {
    export SLURM_ARRAY_TASK_COUNT=4
    for k in 4 2 1; do SLURM_ARRAY_TASK_ID=$k sh "$ROOT/pipelines/cluster/slurm.sh" "$FEW" 9; done
    SLURM_ARRAY_TASK_ID=3 timeout -s KILL 0.002 sh "$ROOT/pipelines/cluster/slurm.sh" "$FEW" 9 || true
    [ ! -e shares/3-of-4.cf ] || rm shares/3-of-4.cf # it was faster than that
    fails 2 frame-merge shares/*.cf -o merged
    [[ $output == *"missing 3"* ]]
    [ ! -e merged ]
    SLURM_ARRAY_TASK_ID=3 sh "$ROOT/pipelines/cluster/slurm.sh" "$FEW" 9
    frame-merge shares/*.cf -o merged
    [ "$(content merged)" = "$(g4-cpu -q --lags 9 "$FEW" -o whole && content whole)" ]
    [ "$(grep -c '^g4-cpu' shares.tsv)" -ge 4 ]
    for n in 0 x -1; do # not: nothing done, and the shares of another run merged
        SHARES=$n fails 2 sh "$ROOT/pipelines/cluster/parallel.sh" : "$FEW" 9
        [[ $output == *"SHARES: expected a number from 1, found '$n'"* ]]
    done
}

@test "pipelines/cluster: Snakemake scatters, gathers, and ends in the content of the one run" {
    command -v snakemake >/dev/null || skip "no snakemake"
    cp "$FEW" argon.mbf
    HOME=$PWD snakemake -q -s "$ROOT/pipelines/cluster/Snakefile" -j 2 --config trajectory=argon.mbf shares=5 lags=9 >said 2>&1 || { cat said; false; }
    [ "$(content correlation.mbf)" = "$(g4-cpu -q --lags 9 argon.mbf -o whole && content whole)" ]
    frame-check -q spectrum.mbf
}

@test "pipelines/cluster: another analysis, its options; where shares fail, the first one's error" {
    export ANALYSIS=rdf-cpu OPTIONS="--bins 50 --rmax 9" SLURM_ARRAY_TASK_COUNT=3
    for k in 1 2 3; do SLURM_ARRAY_TASK_ID=$k sh "$ROOT/pipelines/cluster/slurm.sh" "$FEW"; done
    [ "$(frame-merge shares/*.cf -o merged && content merged)" = "$(rdf-cpu -q --bins 50 --rmax 9 "$FEW" -o whole && content whole)" ]
    [ -z "$(ls shares/*.err shares/error 2>/dev/null)" ]
    OPTIONS="--bins 50 --rmax hlaf" SLURM_ARRAY_TASK_ID=2 fails 2 sh "$ROOT/pipelines/cluster/slurm.sh" "$FEW"
    [[ $output == "rdf-cpu: --rmax: "*"(did you mean half?)" ]]
    grep -q '(did you mean half?)' shares/error
    command -v parallel >/dev/null || skip "no parallel: slurm.sh was run"
    rm -r shares
    SHARES=3 sh "$ROOT/pipelines/cluster/parallel.sh" : "$FEW"
    [ "$(frame-merge shares/*.cf -o merged && content merged)" = "$(content whole)" ]
    OPTIONS="--bins none" SHARES=3 fails 3 sh "$ROOT/pipelines/cluster/parallel.sh" : "$FEW"
    [ "$output" = "parallel.sh: part 1 of 3: rdf-cpu: --bins: expected a whole number from 1 to 1000000, found 'none'" ] || { echo "$output"; false; }
}

@test "cluster scripts with another analysis: OPTIONS and ANALYSIS give the one content; of shares that fail the first says why" {
    cp "$DATA/water64.mbf" "water of mine.mbf"
    rdf-cpu -q --bins 40 --pair O-O --exclude 3 "water of mine.mbf" -o whole
    one() { # of an array of Slurm: what sbatch sets
        SLURM_ARRAY_TASK_ID=$1 SLURM_ARRAY_TASK_COUNT=3 ANALYSIS=rdf-cpu OPTIONS="$2" "$ROOT/pipelines/cluster/slurm.sh" "water of mine.mbf"
    }
    for k in 1 2 3; do one $k '--bins 40 --pair O-O --exclude 3' 2>/dev/null; done
    frame-merge shares/*.cf -o merged
    [ "$(content merged)" = "$(content whole)" ]
    [ ! -e shares/error ]
    rm -r shares
    for k in 2 1; do fails 2 one $k '--bins 40 --pair O-X'; done
    [[ $(cat shares/error) == "rdf-cpu: water of mine.mbf: --pair: expected two of the species O H joined by a dash, found O-X" ]]
    [ -e shares/1-of-3.err ] && [ ! -e shares/1-of-3.cf ]
    rm -r shares
    command -v parallel >/dev/null || skip "no parallel: slurm.sh was tested"
    export PARALLEL_HOME=$PWD REMOTE_BIN=$BIN SHARES=3 ANALYSIS=rdf-cpu
    OPTIONS='--bins 40 --pair O-O --exclude 3' "$ROOT/pipelines/cluster/parallel.sh" : "$PWD/water of mine.mbf" 3>&-
    frame-merge shares/*.cf -o merged
    [ "$(content merged)" = "$(content whole)" ]
    rm -r shares
    OPTIONS='--bins 40 --pair O-X' run "$ROOT/pipelines/cluster/parallel.sh" : "$PWD/water of mine.mbf" 3>&-
    [ "$status" -ne 0 ]
    [ "$output" = "parallel.sh: part 1 of 3: rdf-cpu: $PWD/water of mine.mbf: --pair: expected two of the species O H joined by a dash, found O-X" ] || { echo "$output"; false; }
    SHARES=none fails 2 "$ROOT/pipelines/cluster/parallel.sh" : "water of mine.mbf"
    [ "$output" = "parallel.sh: SHARES: expected a number from 1, found 'none'" ]
}
