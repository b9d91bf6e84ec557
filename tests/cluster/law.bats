# SPDX-License-Identifier: MIT
# One trajectory of argon, with any workers and any failure, gives the same content, or an error
# that names the part, and never a wrong result.

load cluster

setup_file() { argon_run; }

setup() { cd "$BATS_TEST_TMPDIR" || return 1; }

teardown() { umount small 2>/dev/null || true; }

# sums: the programs and their options
sums() {
    cat <<'LIST'
g4-cpu mixed.mbf --lags 48 --sum mic
g4-cpu mixed.mbf --lags 48 --sum taper
g4-cpu mixed.mbf --lags 12 --sum ewald
rdf-cpu mixed.mbf --pair all --rmax corner
sq-cpu mixed.mbf --qmax 2 --pair all
LIST
}

@test "64 shares by 1, 7 and 64 workers, two killed and made again, merged in random order: one content" {
    bin2xyz "$RUN/argon.mbf" | awk 'NF == 1 { n = 0 } /^Ar/ && n++ % 3 == 0 { sub(/^Ar/, "Kr") } { print }' | xyz2bin -q -o mixed.mbf --index
    sums | while read -r p input options; do
        # shellcheck disable=SC2086
        $p -q $options "$input" -o whole
        for workers in 1 7 64; do
            rm -f p.*
            for k in $(shuf -n 2 -i 1-64); do
                # shellcheck disable=SC2086
                fails 137 strace -f -qq -o said -e inject=fsync:signal=KILL $p -t 1 $options "$input" --shard $k/64 -o p.$k
            done
            [ "$(ls p.* 2>/dev/null | wc -l)" -eq 0 ]
            # shellcheck disable=SC2086
            shuf -i 1-64 | xargs -P $workers -I% $p -q -t 1 $options "$input" --shard %/64 -o p.%
            # shellcheck disable=SC2046
            frame-merge $(shuf -e p.*) -o merged
            [ "$(content merged)" = "$(content whole)" ] || { echo "$p $options: $workers workers"; exit 1; }
        done
    done
}

# makes four parts p.1 to p.4 of the run, and merges them in random order into `merged`
parts() { for k in 1 2 3 4; do g4-cpu -q --lags 48 --shard $k/4 "$RUN/argon.mbf" -o p.$k; done; }
merge() { rm -f merged && frame-merge $(shuf -e p.?) -o merged; }

# refused WORDS...: the merge is refused with a message that has all of these words
refused() {
    local w
    fails 2 merge
    for w in "$@"; do [[ $output == *"$w"* ]] || { echo "expected '$w': $output"; return 1; }; done
    [ ! -e merged ] && [ -z "$(find . -name '.merged*')" ]
}

@test "a part that is cut, at 40 places, or has one bit turned, at 40 places, is named, and nothing is made" {
    parts
    cp p.3 good
    size=$(stat -c %s good)
    for k in $(seq 40); do
        head -c $((RANDOM * RANDOM % size)) good >p.3
        refused p.3
        at=$((RANDOM * RANDOM % size))
        cp good p.3
        byte=$(od -An -tu1 -j $at -N 1 good)
        printf "\\x$(printf %02x $((byte ^ 1 << RANDOM % 8)))" | dd of=p.3 bs=1 seek=$at conv=notrunc status=none
        refused p.3
    done
    cp good p.3
    merge
    same merged
}

@test "a part of another run, of another start, of a longer file, of other options, an older one: named, and nothing is made" {
    parts
    md-cpu -q --atoms 256 --density 0.02095 --temperature 90 --seed 2 --equilibrate 2000 --steps 40000 --every 10 -o seed.mbf
    frame-cut -q 0:3999 "$RUN/argon.mbf" -o shorter.mbf
    for f in seed shorter; do
        g4-cpu -q --lags 48 --shard 2/4 $f.mbf -o p.2
        refused p.2: "another input" "share 2"
    done
    g4-cpu -q --lags 48 --sum mic --shard 2/4 "$RUN/argon.mbf" -o p.2
    refused p.2: data.sum
    g4-cpu -q --lags 47 --shard 2/4 "$RUN/argon.mbf" -o p.2
    refused p.2: data.lags
    g4-cpu -q --lags 48 --shard 2/5 "$RUN/argon.mbf" -o p.2
    refused p.2: 2/5
    cp p.1 p.2
    refused p.2 p.1 "share 1/4"
    rm p.2
    refused "missing 2"
}

@test "a worker that was given up and was not dead: a share made twice at once is that share" {
    parts
    for _ in 1 2 3; do
        for k in 1 2 3 4 1 2 3 4; do g4-cpu -q --lags 48 --shard $k/4 "$RUN/argon.mbf" -o p.$k & done
        for _ in 1 2 3 4 5; do merge; done # every name has a whole share, at any moment
        wait
    done
    same merged
    [ "$(ls -A)" = "$(printf '%s\n' merged p.1 p.2 p.3 p.4)" ]
}

@test "a full disk, really: status 3 and the part's name, nothing there; with room, the one content" {
    mkdir small
    mount -t tmpfs -o size=1m none small 2>/dev/null || skip "cannot mount a tmpfs (root can)"
    parts
    head -c $((1048576 - 5 * $(stat -c %s p.1) / 2)) /dev/zero >small/fill # room for two of four
    for k in 1 2 3 4; do g4-cpu -q --lags 48 --shard $k/4 "$RUN/argon.mbf" -o small/p.$k 2>>said || echo "$k $?" >>failed; done
    [ "$(wc -l <failed)" -ge 2 ]
    while read -r k status; do
        [ "$status" -eq 3 ] && [ ! -e small/p.$k ]
        grep -q "small/p.$k: .*No space left" said || { cat said; false; }
    done <failed
    fails 2 frame-merge small/p.* -o merged
    [[ $output == *"missing $(cut -d ' ' -f 1 failed | head -n 1)"* ]] || { echo "$output"; false; }
    rm small/fill
    while read -r k _; do g4-cpu -q --lags 48 --shard $k/4 "$RUN/argon.mbf" -o small/p.$k; done <failed
    dd if=/dev/zero of=small/fill bs=1k status=none 2>/dev/null || true # and now for the merge
    fails 3 frame-merge small/p.* -o small/merged
    [[ $output == *small/merged*"No space left"* ]] && [ ! -e small/merged ]
    frame-merge small/p.* -o merged
    same merged
}

@test "clocks that are ten years off, go backwards or jump a day: the same bytes, and no file taken for another" {
    command -v faketime >/dev/null || skip "no faketime (make deps-cluster)"
    parts
    mkdir straight
    cp p.? straight
    trouble 1 past 2 future 3 jumps
    for k in 1 2 3 4; do g4-cpu -q --lags 48 --shard $k/4 "$RUN/argon.mbf" -o p.$k --log log.tsv; done
    troubled
    for k in 1 2 3 4; do cmp p.$k straight/p.$k; done
    awk -F '\t' 'NR > 1 && $6 !~ /^[0-9.]+$/ { exit 1 }' log.tsv # seconds
    # an index belongs to a content, not to a date
    cp "$RUN/argon.mbf" "$RUN/argon.mbf.mbi" .
    touch -d '+9 years' argon.mbf
    touch -d '-9 years' argon.mbf.mbi
    g4-cpu -q --lags 48 --shard 2/4 argon.mbf -o p.2
    cmp p.2 straight/p.2
    frame-cut -q 0:3999 argon.mbf -o other.mbf
    touch -d '-9 years' other.mbf
    cp -p argon.mbf.mbi other.mbf.mbi
    fails 2 g4-cpu -q --lags 48 --shard 2/4 other.mbf -o p.2
    [[ $output == *other.mbf.mbi* ]]
    merge
    same merged
}

@test "a terabyte: with its index the last step is there in 50 ms" {
    "$BIN/../tests/unit/make_sparse" big.mbf || skip "no sparse file of 1 TiB here"
    frame-index big.mbf
    last=$(((67108864 / 48) * 16384 + 2))
    best=1000
    for _ in 1 2 3 4 5 6 7 8 9; do
        begin=${EPOCHREALTIME/./}
        frame-cut $last: big.mbf -o end.mbf
        took=$(((${EPOCHREALTIME/./} - begin) / 1000))
        best=$((took < best ? took : best))
    done
    echo "# the last step of 1 TiB in $best ms" >&3
    [ "$best" -lt 50 ]
}
