# SPDX-License-Identifier: MIT
# sanitize
# Several inputs in one start have separate results, named after them, as with one input each.

load ../helpers

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit
    mkdir sub
    md-cpu -q --atoms 32 --density 0.021 --steps 400 --every 10 -o a.mbf
    md-cpu -q --atoms 21 --density 0.019 --steps 300 --every 10 -o b.c.mbf
    xyz2bin -q --select 0:50 --cell 22.6 --dt 0.01 "$DATA/argon256.xyz.gz" -o sub/d
}

setup() { cd "$BATS_TEST_TMPDIR" && cp -r "$BATS_FILE_TMPDIR"/* .; }

# all PROGRAM OPTIONS...: results for several inputs equal the separate results, byte for byte
all() {
    rm -f out-* one
    "$@" a.mbf b.c.mbf sub/d -o out-%.mbf
    [ "$(echo out-*)" = "out-a.mbf out-b.c.mbf out-d.mbf" ]
    for f in a.mbf b.c.mbf sub/d; do
        "$@" $f -o one
        k=${f##*/}
        cmp one "out-${k%.mbf}.mbf"
    done
}

@test "results are those of single runs, to the byte" {
    all g4-cpu -q --lags 9
    all g4-cpu -q --lags 5 --component all --sum mic --shard 2/3
    all g4-cpu -q --method fft
    all rdf-cpu -q --bins 60
    all rdf-cpu -q --bins 60 --shard 1/2
    all sq-cpu -q --qmax 2
}

@test "% is the stem, also of one input; %d the number; of stdin the name stays" {
    rdf-cpu -q a.mbf -o g-%-%d-%.mbf
    [ -s g-a-0-a.mbf ]
    rdf-cpu -q a.mbf sub/d -o %d.g
    cmp 0.g g-a-0-a.mbf
    [ -s 1.g ]
    rdf-cpu -q -o 'g-%.mbf' <a.mbf
    cmp 'g-%.mbf' g-a-0-a.mbf
    cp a.mbf .hidden
    rdf-cpu -q .hidden a.mbf -o h-%
    cmp h-.hidden h-a
}

@test "names that would be lost are refused before anything is read" {
    cp a.mbf sub/a.xyz
    for p in g4-cpu rdf-cpu sq-cpu; do
        fails 2 $p a.mbf b.c.mbf
        [[ $output == *"expected a %"*"no -o"* ]]
        fails 2 $p a.mbf b.c.mbf -o out
        [[ $output == *"expected a %"*"out"* ]]
        fails 2 $p a.mbf sub/a.xyz -o out-%
        [[ $output == *"a.mbf and sub/a.xyz"*"out-a"*"%d"* ]]
        fails 2 $p a.mbf - -o out-% <b.c.mbf
        fails 2 $p b.c.mbf a.mbf -o %.mbf # would write over them
        [[ $output == *"b.c.mbf: input and output are the same file"* ]]
    done
    fails 2 g4-cpu --lags 4 a.mbf b.c.mbf -o out-% --series s
    [[ $output == *"found s"* ]]
    fails 2 g4-cpu --lags 4 a.mbf b.c.mbf -o out-% --series out-%
    [ "$(ls)" = "a.mbf
b.c.mbf
sub" ]
}

@test "one that fails has no result, and keeps no other from its own; the highest status counts" {
    head -c 3000 a.mbf >cut.mbf
    for p in "g4-cpu --lags 4" "rdf-cpu" "sq-cpu --qmax 2"; do
        rm -f out-*
        fails 2 $p cut.mbf a.mbf b.c.mbf -o out-%.mbf
        [[ $output == *"cut.mbf: "*TRUNCATED* && $output == *"1 of 3 inputs gave no result"* ]]
        [ "$(echo out-*)" = "out-a.mbf out-b.c.mbf" ]
        frame-check -q out-a.mbf out-b.c.mbf
        fails 3 $p a.mbf nowhere.mbf cut.mbf -o out-%.mbf
        [[ $output == *"nowhere.mbf: "*"2 of 3 inputs gave no result"* ]]
    done
    fails 2 g4-cpu -q --lags 35 b.c.mbf a.mbf -o lag-% --series s-% # 30 steps of b.c
    [ "$(echo lag-* s-*)" = "lag-a s-a" ]
}

@test "--series has one each; --log a line each; messages name the input" {
    g4-cpu -v --lags 9 a.mbf b.c.mbf -o out-%.mbf --series s-%.mbf --log log.tsv 2>said
    g4-cpu -q --lags 9 a.mbf -o one --series s
    compare s s-a.mbf | grep -q ^identical
    grep -q "^g4-cpu: a.mbf: 40 frames, .* GB/s" said
    grep -q "^g4-cpu: b.c.mbf: 30 frames, .* GB/s" said
    [ "$(grep -cvE '^g4-cpu: (warning: )?(a.mbf|b.c.mbf): ' said)" = 0 ]
    run grep 'a.mbf: a.mbf' said
    [ "$status" -eq 1 ]
    head -c 3000 a.mbf >cut.mbf
    fails 2 rdf-cpu -q cut.mbf b.c.mbf -o g-% --log log.tsv
    cut -f 1,3,4,10,12 log.tsv | tail -n +2 >lines
    diff lines - <<END
g4-cpu	0	40	out-a.mbf	a.mbf
g4-cpu	0	30	out-b.c.mbf	b.c.mbf
rdf-cpu	2	0	g-cut	cut.mbf
rdf-cpu	0	30	g-b.c	b.c.mbf
END
    [ "$(cut -f 8 log.tsv | sed -n 2p)" = "$(frame-check -v out-a.mbf 2>/dev/null | awk '$1 == "content" { print $2 }')" ]
}

@test "emulated g4-gpu: several inputs give the bytes of single runs" {
    emulated g4-gpu
    frame-cut -q 0:8 b.c.mbf -o sub/d
    frame-cut -q 0:20 a.mbf -o less
    mv less a.mbf
    all "$EMU" -q --lags 5 --component all --sum mic
    all "$EMU" -q --method fft
}
