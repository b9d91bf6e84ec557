# SPDX-License-Identifier: MIT
# mbf(5): its example filter is extracted, built and run, and its tables agree with the library.

load ../helpers

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit
    export A=$BATS_FILE_TMPDIR/a.mbf MAKE=$BIN/../tests/unit/make_frames
    xyz2bin --select 0:400 --cell 22.6 --dt 0.01 "$DATA/argon256.xyz.gz" -o "$A"
    # the source of the page and not its rendering; a reader copies the same text, with a backslash
    # for \e
    awk '/^\.Bd -literal$/ { on = 1; next } /^\.Ed$/ { on = 0 } on' "$ROOT/man/mbf.5" | sed 's/\\e/\\/g' >shift.c
    "${CC:-cc}" -O2 -Wall -o shift shift.c
}

setup() { cd "$BATS_FILE_TMPDIR" || exit; }

@test "the example filter has at most 60 lines and compiles without a warning" {
    [ "$(wc -l <shift.c)" -le 60 ]
    [ -z "$("${CC:-cc}" -O2 -Wall -Wextra -o /dev/null shift.c 2>&1)" ]
}

@test "the example filter moves every atom, and what it writes is whole" {
    ./shift 0 0 0 <"$A" >same
    cmp same "$A"
    ./shift 1 2.5 -3 <"$A" >moved
    frame-check moved
    paste <(bin2txt "$A" | grep -v '^#') <(bin2txt moved | grep -v '^#') | awk '
        { for (k = 0; k < 3; k++) { d = $(NF - 2 + k) - $(NF / 2 - 2 + k) - (k == 0 ? 1 : k == 1 ? 2.5 : -3)
                                    if (d > 1e-5 || d < -1e-5) bad = 1 } } # f32 near 30 A: 2e-6
        END { exit bad || NR != 256 * 400 }'
    cat "$A" "$A" | ./shift 1 1 1 | frame-check
    "$MAKE" big | ./shift 1 0 0 | frame-check
}

@test "the example filter refuses what is cut, damaged or compressed" {
    n=$(stat -c %s "$A")
    for k in 0 1 127 128 200 1000 $((n - 257)) $((n - 256)) $((n - 1)); do
        fails 2 bash -c "head -c $k '$A' | ./shift 1 1 1 >/dev/null"
    done
    for k in 3 60 300 5000 $((n - 200)) $((n - 50)); do
        cp "$A" bad
        printf '\xa5' | dd of=bad bs=1 seek=$k conv=notrunc status=none
        cmp -s bad "$A" || fails 2 bash -c "./shift 1 1 1 <bad >/dev/null"
    done
    fails 2 bash -c "frame-cat -z '$A' | ./shift 1 1 1"
}
