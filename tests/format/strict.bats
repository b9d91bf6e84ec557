# SPDX-License-Identifier: MIT
# Streams with valid checksums and impossible numbers: frame-check --strict names the rule, and
# programs that use the stream refuse it.

load ../helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    numpy_python
    [ ! -e "$BATS_FILE_TMPDIR/good" ] || return 0
    # a good stream of each type, and streams NAME-* that break one rule each
    mkdir "$BATS_FILE_TMPDIR/good" "$BATS_FILE_TMPDIR/bad" && cd "$BATS_FILE_TMPDIR" && py forge/broken_rules
    cd "$BATS_TEST_TMPDIR" || return 1
}

@test "frame-check --strict: what every type must be, and which rule a stream breaks" {
    fails 0 frame-check --strict "$BATS_FILE_TMPDIR"/good/*
    [ "${#lines[@]}" -eq 7 ]
    cat "$BATS_FILE_TMPDIR"/good/{posn,pair} | frame-check --strict
    for f in "$BATS_FILE_TMPDIR"/bad/*; do
        [[ $f == */posn-begin-inf ]] || frame-check "$f" # whole: every checksum holds
        fails 2 frame-check --strict "$f"
        [ "${#lines[@]}" -eq 1 ] && [[ $output == *"expected"* ]] || { echo "$f: $output"; false; }
    done
    fails 2 frame-check --strict "$BATS_FILE_TMPDIR/bad/posn-cell-nan"
    [[ $output == *"posn-cell-nan: segment 0: "*"finite numbers in CELL"* ]]
}

@test "who reads them refuses them, and writes nothing" {
    refuse() {
        local f
        for f in "$BATS_FILE_TMPDIR"/bad/$1; do
            fails 2 ${*:2} "$f" -o out || { echo "$f"; return 1; }
            [ ! -e out ] && [[ $output == *"$f"* ]] || { echo "$f: $output"; return 1; }
        done
    }
    for t in "g4-cpu --lags 2" rdf-cpu "sq-cpu --qmax 1" beta-gen; do
        for f in nan atoms dtype shape cell-nan cell-flat cell-steps cell-eight time-f32 time-inf time-steps; do refuse "posn-$f" $t; done
        refuse 'meta-*' $t
    done
    refuse 'species-*' bin2xyz
    refuse 'pair-*' g4-cpu --lags 2
    refuse 'corr-*' frame-merge "$BATS_FILE_TMPDIR/good/corr"
    refuse 'corr-*' fft-spectrum -q
    refuse 'hist-*' frame-merge "$BATS_FILE_TMPDIR/good/hist"
    refuse 'hist-*' rdf2sq -q
    refuse 'seri-*' acf
    refuse 'spec-*' bin2txt
    [[ $output == *'expected 3 column names in data.columns, found "nu_cm-1 I"' ]]
}

@test "what has no end is a word of the format where it is only shown" {
    for w in text:-inf csv:-Inf json:null; do bin2txt --format "${w%:*}" "$BATS_FILE_TMPDIR/bad/seri-inf" | grep -q -- "[ ,]${w#*:}\>"; done
}

@test "zlib data that are none are never handed on under a seal, though their hash is true" {
    cd "$BATS_FILE_TMPDIR" || return 1
    for t in frame-check frame-cat "frame-cat -z" "frame-cut 0:3" bin2xyz rdf-cpu; do
        fails 2 $t zlib -o out
        [ ! -e out ] && [[ $output == *"zlib"* || $output == *CORRUPT* ]] || { echo "$t: $output"; false; }
    done
}

@test "names that no text can carry are refused" {
    cd "$BATS_FILE_TMPDIR" || return 1
    fails 2 bin2xyz name -o out
    [[ $output == *"a name with a character that a text column cannot hold"* ]]
    bin2txt columns -o out
    grep -qx '# step t_ps one column_1' out
    ln -sf "$BIN/frame-check" $'\033[31m-frame-check' # nor does a name that the program was given reach a terminal
    fails 3 ./$'\033[31m-frame-check' none
    [[ $output == "frame-check: none: "* ]]
}
