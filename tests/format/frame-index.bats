# SPDX-License-Identifier: MIT
# sanitize
# frame-index and --index: an index states where the steps of a file are, and is used only for the
# file from which it was made.

load ../helpers

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit
    export A=$BATS_FILE_TMPDIR/a.mbf MAKE=$BIN/../tests/unit
    xyz2bin --select 0:800 --cell 22.6 --dt 0.01 "$DATA/argon256.xyz.gz" -o "$A"
}

setup() { cd "$BATS_TEST_TMPDIR" && cp "$A" a.mbf; }

# Prints the number of bytes that COMMAND... reads from files and libraries.
reads() {
    bash -c '"$@"; exec cat /proc/$$/io' sh "$@" | sed -n 's/^rchar: //p'
}

@test "an index is the same from frame-index and from --index, and says nothing but what follows from the file" {
    frame-index a.mbf
    frame-check a.mbf.mbi
    bin2txt a.mbf.mbi | grep -v '^#' >rows
    [ "$(wc -l <rows)" -eq 3 ]
    read -r step byte <rows
    [ "$step" -eq 0 ]
    cmp -n 8 -i "$byte:0" a.mbf <(printf '\x89MBF\r\n\x1a\n')
    xyz2bin --select 0:800 --cell 22.6 --dt 0.01 "$DATA/argon256.xyz.gz" -o b.mbf --index
    cmp a.mbf b.mbf
    cmp a.mbf.mbi b.mbf.mbi
    for t in 1 4; do
        frame-cut -z -t $t 0: a.mbf -o z$t.mbf --index
        cp z$t.mbf.mbi on-the-fly
        frame-index z$t.mbf
        cmp on-the-fly z$t.mbf.mbi
    done
    cmp z1.mbf.mbi z4.mbf.mbi
}

@test "frame-cut gives the same bytes with an index and without, and reads less" {
    for cut in 0:3 700: 341:343 ::340 5:790:97 799:800 5:5; do
        rm -f a.mbf.mbi
        frame-cut $cut a.mbf -o plain
        frame-index a.mbf
        frame-cut $cut a.mbf -o indexed
        cmp plain indexed || { echo "$cut"; false; }
    done
    rm a.mbf.mbi
    fails 2 frame-cut 900: a.mbf
    without=$output
    frame-index a.mbf
    fails 2 frame-cut 900: a.mbf
    [ "$output" = "$without" ]
}

@test "blocks with cells and velocities before them are found from where those begin" {
    for kind in sample velocities; do
        "$MAKE/make_frames" $kind >s.mbf
        rm -f s.mbf.mbi
        frame-cut 4: s.mbf -q -o plain
        frame-index s.mbf
        [ "$(bin2txt s.mbf.mbi | grep -vc '^#')" -eq 2 ]
        frame-cut 4: s.mbf -q -o indexed
        cmp plain indexed || { echo "$kind"; false; }
    done
}

@test "a terabyte: the last step costs two reads, of the index and of its block" {
    "$MAKE/make_sparse" big.mbf || skip "no sparse file of 1 TiB here"
    [ "$(stat -c %s big.mbf)" -gt 1099511627776 ]
    frame-index big.mbf
    [ "$(stat -c %s big.mbf.mbi)" -lt 300000 ]
    last=$(((67108864 / 48) * 16384 + 2))
    n=$(reads frame-cut $last: big.mbf -o end.mbf)
    [ "$n" -lt 600000 ] || { echo "$n bytes read"; false; }
    [ "$(bin2txt end.mbf | grep -v '^#' | cut -d ' ' -f 3-)" = "$(printf '%s\n' '0 2 0 0' '1 3 0 0' '2 4 0 0' '3 5 0 0')" ]
    bin2txt end.mbf | grep -q "^$last "
}

@test "--max-mem counts an index that is made, or read" {
    "$MAKE/make_sparse" big.mbf 6000 || skip "no sparse file here"
    fails 4 frame-index --max-mem 64K big.mbf
    [[ $output == *big.mbf:*"of memory is needed for an index of "*" blocks, but the limit is 64 KiB (use a larger --max-mem)"* ]] || { echo "$output"; false; }
    [ ! -e big.mbf.mbi ]
    frame-index --max-mem 512K big.mbf
    last=$(((67108864 / 48) * 6000 + 2))
    frame-cut --max-mem 512K $last: big.mbf -o end.mbf
    fails 4 frame-cut --max-mem 150K $last: big.mbf -o other.mbf
    [[ $output == *"of memory is needed for the index big.mbf.mbi, but the limit is 150 KiB (use a larger --max-mem)"* ]] || { echo "$output"; false; }
    [ ! -e other.mbf ]
}

@test "an index of another content, a damaged one or something else is refused, naming it" {
    frame-index a.mbf
    cp a.mbf.mbi good
    frame-cut 1:800 a.mbf -o other.mbf
    cp good other.mbf.mbi
    fails 2 frame-cut 700: other.mbf -o out
    [[ $output == *other.mbf.mbi:*"the index of other.mbf"*frame-index* ]] || { echo "$output"; false; }
    [ ! -e out ]
    frame-cut -z : a.mbf -o z.mbf # the same content, other bytes
    cp good z.mbf.mbi
    fails 2 frame-cut 700: z.mbf -o out
    head -c 700 good >a.mbf.mbi
    fails 2 frame-cut 700: a.mbf -o out
    [[ $output == *a.mbf.mbi:*TRUNCATED* ]]
    cp a.mbf a.mbf.mbi
    fails 2 frame-cut 700: a.mbf -o out
    [[ $output == *a.mbf.mbi:*"expected an index"* ]]
    frame-cut 700: - <a.mbf >piped # a file without a name has no index
    frame-check piped
    cp good stdin.mbi
    frame-cut 700: - <a.mbf | cmp - piped
    frame-index a.mbf
    cmp good a.mbf.mbi
}

@test "an index that points elsewhere is caught by the frame that is there" {
    "$MAKE/make_frames" sample >s.mbf
    frame-index s.mbf
    bin2txt s.mbf.mbi | grep -v '^#' | tail -1 | { read -r _ byte; printf '\xff' | dd of=s.mbf bs=1 seek=$((byte + 30)) conv=notrunc status=none; }
    fails 2 frame-cut 4: s.mbf
    [[ $output == *s.mbf:*CORRUPT*"header hash"* ]] || { echo "$output"; false; }
}

@test "what has no index: several segments, no steps, a pipe, damage; --index without a file" {
    cat a.mbf a.mbf >two.mbf
    fails 2 frame-index two.mbf
    [[ $output == *"one segment"* ]]
    g4-cpu --lags 4 a.mbf -o c.mbf
    fails 2 frame-index c.mbf
    [[ $output == *"found none"* ]]
    head -c 100000 a.mbf >cut.mbf
    fails 2 frame-index cut.mbf
    [[ $output == *TRUNCATED* ]]
    fails 2 frame-index -o x a.mbf
    fails 2 frame-index <a.mbf
    mkfifo pipe
    cat a.mbf >pipe &
    fails 2 timeout 20 frame-index pipe
    kill $! 2>/dev/null || : # it may wait for a reader
    wait
    fails 2 bash -c 'frame-cut --index : a.mbf >x'
    fails 2 frame-cut --index : a.mbf -o /dev/null
    fails 2 frame-cut --index 5:5 a.mbf -o empty.mbf
    fails 2 g4-cpu --index --lags 4 a.mbf -o c.mbf
    [ "$(echo ./*.mbi)" = './*.mbi' ]
    md-cpu -q --atoms 64 --density 0.02 --steps 20 --every 5 --index --restart r -o m # of the trajectory, not of the restart
    [ "$(echo ./*.mbi)" = ./m.mbi ]
}

@test "an index with wrong rows under right hashes is found where a step is looked for, or refused before" {
    numpy_python
    "$MAKE/make_frames" velocities >v.mbf # VELO before POSN: a row behind it would lose velocities
    frame-cut -q ::2 a.mbf -o half.mbf
    local rows at
    for f in a half v; do
        frame-index $f.mbf
        cp $f.mbf.mbi good.$f
        mapfile -t rows < <(bin2txt good.$f | grep -v '^#')
        for k in "${!rows[@]}"; do
            at=${rows[k]% *}
            cp good.$f $f.mbf.mbi
            [ "$k" -eq 0 ] || frame-cut -q "$at:$((at + 1))" $f.mbf -o right # the true one is no trouble
            for bad in "0 1" "0 -1" "0 2" "1 64" "1 128" "1 $((${rows[k + 1]##* } - ${rows[k]##* }))" "1 $((${rows[k - (k > 0)]##* } - ${rows[k]##* }))"; do
                [ "${bad#* }" -ne 0 ] || continue
                cp good.$f $f.mbf.mbi
                py forge/forge index $f.mbf "$k" $bad
                for s in "$at" $((at + 1)); do
                    run frame-cut -q "$s:$((s + 1))" $f.mbf -o found
                    [ "$status" -eq 2 ] && [[ $output == *"$f.mbf"* ]] && continue
                    [ "$status" -eq 0 ] && frame-cut -q "$s:$((s + 1))" - <$f.mbf -o piped && cmp found piped && continue
                    echo "$f row $k ($bad), step $s: status $status: $output"
                    false
                done
            done
        done
    done
    cp good.a a.mbf.mbi
    py forge/forge index a.mbf 1 0 5
    fails 2 frame-cut 700: a.mbf -o out
    [[ $output == *"the index a.mbf.mbi, "*" from step 3"*"(create the index again with frame-index, or delete it)"* ]] || { echo "$output"; false; }
    [ ! -e out ]
}

@test "a new index may be read by who may read the file, and nobody else" {
    umask 022
    chmod 600 a.mbf
    frame-index a.mbf
    [ "$(stat -c %a a.mbf.mbi)" = 600 ]
    chmod 644 a.mbf.mbi # somebody's choice, which stays
    frame-index a.mbf
    [ "$(stat -c %a a.mbf.mbi)" = 644 ]
    frame-cut -q --index :5 a.mbf -o new.mbf
    [ "$(stat -c %a new.mbf.mbi)" = 644 ]
}
