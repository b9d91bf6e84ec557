# SPDX-License-Identifier: MIT
# Files that appear when they are complete: power cuts, modes, links, several outputs of one run.

load helpers

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit
    export POSN=$BATS_FILE_TMPDIR/a.mbf
    xyz2bin --select 0:20 --cell 22.6 --dt 0.01 "$DATA/argon256.xyz.gz" -o "$POSN"
}

# cuts COMMAND...: the states of file "out" after a power cut at any moment of the run
cuts() {
    local was=
    [ ! -e out ] || was=existed
    strace -f -y -s 8 -e trace=%file,%desc -o "$BATS_FILE_TMPDIR/trace" "$@" 2>err || { cat err; return 1; }
    python3 "$ROOT/tests/crash.py" "$BATS_FILE_TMPDIR/trace" . out $was
}

@test "a power cut at any moment leaves the old file or the new one, whole" {
    [ -z "$SANITIZED" ] || skip "strace and the leak sanitizer do not mix"
    strace -o /dev/null true 2>/dev/null || skip "strace may not trace here"
    mkdir -p disk && cd disk
    [ "$(cuts frame-cut : "$POSN" -o out)" = "absent new renamed" ]
    [ "$(cuts frame-cut -z : "$POSN" -o out)" = "new old renamed" ]
    [ "$(cuts bin2txt "$POSN" -o out)" = "new old renamed" ]
    rm out
    [ "$(cuts g4-cpu --lags 3 --series other "$POSN" -o out)" = "absent new renamed" ]
    # and the test sees what --no-sync gives up
    [ "$(cuts frame-cut --no-sync : "$POSN" -o out)" = "old torn renamed" ]
}

@test "a text that fits into a pipe is one write: head that goes after a line leaves no broken pipe" {
    [ -z "$SANITIZED" ] || skip "strace and the leak sanitizer do not mix"
    strace -o /dev/null true 2>/dev/null || skip "strace may not trace here"
    strace -o log -e trace=writev bin2txt "$POSN" | cat >text
    [ "$(wc -c <text)" -gt 100000 ]
    [ "$(grep -c '^writev' log)" -eq 1 ]
}

@test "a file that is replaced leaves its mode to the new one; a new one has that of the umask" {
    umask 022
    frame-cut 0:2 "$POSN" -o out
    [ "$(stat -c %a out)" = 644 ]
    chmod 600 out
    frame-cut 0:3 "$POSN" -o out
    [ "$(stat -c %a out)" = 600 ]
    [[ $(frame-check out) == *" 3 steps"* ]]
    chmod 640 out
    bin2txt "$POSN" -o out
    [ "$(stat -c %a out)" = 640 ]
    [ "$(id -u)" -eq 0 ] || skip "another owner: needs root"
    chown 12345:54321 out
    frame-cut 0:3 "$POSN" -o out
    [ "$(stat -c %u:%g:%a out)" = 12345:54321:640 ]
}

@test "symbolic links: the file behind one is replaced, one to nothing is refused" {
    mkdir -p there
    frame-cut 0:2 "$POSN" -o there/real
    ln -sf there/real link
    frame-cut 0:3 "$POSN" -o link
    [ -L link ]
    [[ $(frame-check there/real) == *" 3 steps"* ]]
    ln -sf there/nothing dangling
    fails 3 frame-cut 0:3 "$POSN" -o dangling
    [[ $output == *"dangling: cannot open for writing: No such file"* ]]
    [ -L dangling ]
    [ ! -e there/nothing ]
}

@test "a file that may not be written is refused, though its folder would allow another" {
    if [ "$(id -u)" -eq 0 ]; then
        command -v setpriv >/dev/null || skip "no setpriv(1)"
        chmod 755 "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" .
        as="setpriv --reuid 12345 --clear-groups"
        mkdir -m 777 open
        $as test -r "$POSN" -a -x "$BIN/frame-cut" 2>/dev/null || skip "the programs cannot be read by others"
    else
        mkdir open
    fi
    cd open
    echo precious >out
    chmod 444 out
    fails 3 $as frame-cut 0:3 "$POSN" -o out
    [[ $output == *"out: cannot open for writing: Permission denied"* ]]
    [ "$(cat out)" = precious ]
}

@test "several outputs of a run appear together, or none does" {
    mkdir -p both && cd both
    g4-cpu --lags 3 --series series "$POSN" -o out
    [ "$(ls -A | tr '\n' ' ')" = "out series " ]
    rm ./*
    [ -w /dev/full ] || skip "no /dev/full"
    fails 3 g4-cpu --lags 3 --series series "$POSN" -o /dev/full
    [ -z "$(ls -A)" ]
    fails 3 md-cpu -q --atoms 64 --density 0.02 --steps 20 --thermo thermo --restart /dev/full -o out
    [ -z "$(ls -A)" ]
    fails 3 md-cpu -q --atoms 64 --density 0.02 --steps 20 --thermo /dev/full --restart restart -o out
    [ -z "$(ls -A)" ]
    fails 3 md-cpu -q --atoms 64 --density 0.02 --steps 20 --thermo no/such/thermo --restart restart -o out
    [ -z "$(ls -A)" ]
}

@test "two outputs of a run are two files, however they are spelled" {
    mkdir -p twice && cd twice
    md="md-cpu -q --atoms 64 --density 0.02 --steps 20"
    for o in "--thermo x -o x" "--restart x -o ./x" "--restart x --thermo ../twice/x -o y" \
        "--data x -o x" "--data x --restart ./x -o y" "--thermo x.mbi --index -o x"; do
        # shellcheck disable=SC2086
        fails 2 $md $o
        [[ $output == *"two outputs name the same file"* ]]
        [ -z "$(ls -A)" ]
    done
    # shellcheck disable=SC2086
    fails 2 $md --log x --thermo ./x -o y
    fails 2 g4-cpu --lags 3 --series ./out "$POSN" -o out
    fails 2 g4-cpu --lags 3 --log out "$POSN" -o ./out
    fails 2 g4-cpu --lags 3 --log x --series ./x "$POSN" -o out
    touch out
    ln -s out link
    fails 2 g4-cpu --lags 3 --series link "$POSN" -o out
    [ ! -s out ]
    # of several systems each name counts, and the index of -o is an output of every tool
    rm out link
    for o in "--restart f-1" "--log f-2" "--restart ./f-1.mbi --index" "--log f-0.mbi --index" "--thermo f-%.mbi --index"; do
        # shellcheck disable=SC2086
        fails 2 $md --every 5 --replicas 3 -o f-% $o
        [[ $output == *"two outputs name the same file"* ]] || { echo "$o: $output"; false; }
        [ -z "$(find . -name 'f-*' -size +1k)" ] # a log has a line
        rm -f f-*
    done
    for p in "$BIN"/*; do
        [[ $p != *-gpu ]] && "$p" --help | grep -q -- --index || continue
        fails 2 "$p" --index --log ./o.mbi -o o 0:1
        [[ $output == *"two outputs name the same file"* ]] || { echo "$p: $output"; false; }
        [ ! -e o.mbi ]
    done
    frame-cut 0:2 "$POSN" -o o.mbi
    fails 2 frame-cut --index : o.mbi -o o
    [[ $output == *"input and output are the same file"* ]]
    fails 2 frame-index --log o.mbi.mbi o.mbi
    frame-check -q o.mbi
}
