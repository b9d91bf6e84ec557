# SPDX-License-Identifier: MIT
# portable
# Files appear when they are complete: power cuts, modes, links, several outputs of one run.

load ../helpers

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit
    inputs 20 100
}

# traced COMMAND...: records its operations on files in $BATS_FILE_TMPDIR/trace
traced() {
    strace -f -y -s 8 -e trace=openat,write,writev,pwrite64,fsync,fdatasync,linkat,rename -o "$BATS_FILE_TMPDIR/trace" "$@" 2>err || { cat err; return 1; }
}

# after NAME [existed]: tests that a power cut at any moment of this run leaves the old file or the
# complete new file
after() {
    local now
    now=$(py whole/crash "$BATS_FILE_TMPDIR/trace" . "$@")
    [ "$now" = "$([ $# -gt 1 ] && echo "new old" || echo "absent new") renamed" ] || { echo "$1: $now"; return 1; }
}

can_trace() {
    [ -z "$SANITIZED" ] || skip "strace and the leak sanitizer do not mix"
    strace -o /dev/null true 2>/dev/null || skip "strace may not trace here"
}

@test "a power cut at any moment leaves the old file or the new one, whole: every program" {
    can_trace
    mkdir -p disk
    cd disk
    while read -r p input options; do
        [ "$input" = - ] && input= # md-cpu
        # shellcheck disable=SC2086
        for was in "" existed; do
            traced "$p" $options $input -o out
            after out $was || { echo "$p"; false; }
        done
        rm out
    done < <(declared reads writes)
    [ -z "$(undeclared)" ] || { echo "expected a line '# reads:' or '# writes:', found none of $(undeclared)"; false; }
    traced frame-cut --no-sync : "$POSN" -o out # and the test sees what that gives up
    ! after out || false
}

@test "the same of every output that a run has beside -o, and of each of several" {
    can_trace
    mkdir -p several
    cd several
    cp "$POSN" one && cp "$POSN" two
    each() { # NAMES COMMAND...: made, and made again
        local was names=$1 k
        shift
        for was in "" existed; do
            traced "$@"
            for k in $names; do
                after $k $was || { echo "$*"; return 1; }
            done
        done
    }
    each "out-one out-two S-one S-two" g4-cpu --lags 3 --series S-% -o out-% one two
    each "out-one out-two" rdf-cpu -o out-% one two
    each "o o.mbi" frame-cut --index : one -o o
    each one.mbi frame-index one
    md="md-cpu -q --atoms 64 --density 0.02 --steps 20 --every 5"
    each "x x.mbi thermo restart data" $md --index --thermo thermo --restart restart --data data -o x
    each "x-0 x-1 t-0 t-1" $md --replicas 2 --thermo t-% -o x-%
    each "c" $md --restart c --checkpoint 0.00001 -o x
    # text is appended to a log: the line is on disk before the program ends, and then the entry of
    # a new log in its folder
    for end in "write fsync fsync" "fsync write fsync"; do # the folder's fsync that is last, or the one before, is of -o
        traced frame-cut --log log : one -o o
        [ "$(awk '/\/log>|\/several>\)/ && !/openat/ { sub(/v?\(.*/, "", $2); print $2 }' "$BATS_FILE_TMPDIR/trace" | tail -n 3 | xargs)" = "$end" ]
    done
    traced frame-cut --no-sync --log log : one -o o
    [[ $(grep -c sync "$BATS_FILE_TMPDIR/trace") -eq 0 ]]
}

@test "a disk that fails when a checkpoint has its name: the one before, or the new one, stands there, whole" {
    can_trace
    mkdir -p failing && cd failing
    md="md-cpu --atoms 64 --density 0.02 --every 5"
    $md -q --steps 20 --restart r -o x
    cp r old
    for when in {1..6}; do # a checkpoint has two: of the file, of the folder
        cp old r
        status=0
        strace -f -o trace -e trace=fsync -e inject=fsync:error=EIO:when=$when+ $md --steps 8000 --restart r --checkpoint 0.00001 -o /dev/null 2>err || status=$?
        [ "$status" -eq 3 ]
        grep -q 'cannot write a checkpoint: .*r: \(cannot be written\|cannot write the folder of this file\) to disk: Input/output error' err || { cat err; false; }
        frame-check -q r
        [ "$(ls -A)" = "$(printf '%s\n' err old r trace x)" ] || { ls -A; false; }
    done
}

@test "a text that fits into a pipe is one write: head that goes after a line leaves no broken pipe" {
    on_linux "the size of a pipe is unknown"
    can_trace
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
    mkdir -p both
    cd both
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
    mkdir -p twice
    cd twice
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
    # each name of several systems counts, and the index of -o is an output of every tool
    rm out link
    for o in "--restart f-1" "--log f-2" "--restart ./f-1.mbi --index" "--log f-0.mbi --index" "--thermo f-%.mbi --index"; do
        # shellcheck disable=SC2086
        fails 2 $md --every 5 --replicas 3 -o f-% $o
        [[ $output == *"two outputs name the same file"* ]] || { echo "$o: $output"; false; }
        [ -z "$(find . -name 'f-*' -size +1k)" ] # a log has a line
        rm -f f-*
    done
    for p in "$BIN"/*; do
        [[ $p != *-gpu ]] && "$p" --help-all | grep -q -- --index || continue
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

@test "an output on what stdout is: refused, by device and inode; where stdout is no output it may be one" {
    mkdir -p onstdout && cd onstdout
    frame-cut 0:6 "$POSN" -o in
    md="md-cpu -q --atoms 64 --density 0.02 --steps 20 --every 5"
    for at in /dev/stdout /dev/fd/1 /proc/self/fd/1 x ../onstdout/x hard; do
        for o in "$md --thermo" "$md --data" "$md --restart" "$md --log" "g4-cpu --lags 3 in --series" "g4-cpu --lags 3 in --log" \
            "bin2txt in --log" "frame-cut : in --log" "compare in in --log"; do
            rm -f x hard
            : >x
            ln x hard
            status=0
            $o $at >>x 2>err || status=$?
            [ "$status" -eq 2 ] || { echo "$o $at: $status"; false; }
            grep -q "two outputs name the same file: .*" err || { echo "$o $at: $(cat err)"; false; }
            [ ! -s x ]
        done
        [[ $at == *[xd] ]] || for o in "$md --thermo" "g4-cpu --lags 3 in --series" "frame-cut : in --log"; do # a pipe
            bash -c "$o $at 2>err | cat >got; exit \${PIPESTATUS[0]}" && false || [ $? -eq 2 ]
            grep -q "two outputs name the same file" err
            [ ! -s got ]
        done
    done
    cp in o
    bash -c 'frame-index o >o.mbi' && false || [ $? -eq 2 ]
    bash -c 'frame-cut --index : in -o o >o.mbi' && false || [ $? -eq 2 ]
    # a name that is not there yet, by a link to it
    ln -s new link
    fails 2 frame-cut : in -o new --log link
    [ ! -e new ]
    # complete files remain complete
    $md --thermo /dev/stdout -o y >text
    [ "$(grep -cv '^#' text)" -eq 5 ]
    frame-cut : in -o y --log /dev/stdout | grep -q '^frame-cut'
}

@test "--molecules appears with the frames, or not at all: a run that fails leaves what stood there" {
    printf 'two\n4\n    1SOL     OW    1   0.100   0.100   0.100\n    1SOL    HW1    2   0.200   0.100   0.100\n    2SOL     OW    3   0.500   0.500   0.500\n    2SOL    HW1    4   0.600   0.500   0.500\n   1.2 1.2 1.2\n' >t.gro
    awk 'BEGIN { for (t = 0; t < 3; t++) { print "4\nt"; for (k = 0; k < 4; k++) print "X", k, t / 10, 1 } }' >m.xyz
    head -n 16 m.xyz >cut.xyz
    read_it="traj2bin -q --cell 12 --dt 0.1 --topology t.gro --molecules mols"
    for was in "" old; do
        rm -f mols
        [ -z "$was" ] || echo $was >mols
        for to in "-o out" ">file"; do # into a pipe they come first: traj2bin.bats
            fails 2 bash -c "$read_it cut.xyz $to"
            [ "$(cat mols 2>/dev/null)" = "$was" ] && [ ! -e out ] || { ls -A; false; }
            fails 3 $read_it m.xyz -o none/out
            [ "$(cat mols 2>/dev/null)" = "$was" ]
        done
        rm -f file
        [ -z "$(find . -name '.mols*')" ]
    done
    fails 3 bash -c "exec $read_it m.xyz >/dev/full"
    $read_it m.xyz -o out
    [ "$(cat mols)" = "$(printf '0 1\n2 3')" ] && frame-check -q out
}

@test "a rename that fails for good takes no only copy away: what stood there, or the new file, is in the folder" {
    can_trace
    md="md-cpu -q --atoms 64 --density 0.02 --steps 20 --every 5 --thermo t --data d --restart r -o x"
    $md && sha256sum x t d r >/dev/null
    for when in 1 2 3 4; do # of the four outputs this one, and what would bring the others back, has no rename
        for f in x t d r; do echo "old $f" >$f; done
        status=0
        strace -f -o /dev/null -e trace=rename,renameat,renameat2 -e inject=rename,renameat,renameat2:error=EIO:when=$when+ $md 2>err || status=$?
        [ $status -eq 3 ] || { cat err; false; }
        for f in x t d r; do
            grep -qx "old $f" -- "$f" .$f.* 2>/dev/null || { echo "rename $when: old $f is gone"; ls -A; cat err; false; }
        done
        rm -f .[xtdr].*
    done
}

@test "an fsync that failed is final: a later one that succeeds saves no output" {
    can_trace
    md="md-cpu -q --atoms 64 --density 0.02 --every 5"
    for when in 1 2; do # of the first checkpoint: of the frames, of the folder with their name
        rm -f x* r
        status=0
        strace -f -o /dev/null -e trace=fsync -e inject=fsync:error=EIO:when=$when $md --steps 8000 --restart r --checkpoint 0.00001 -o x 2>err || status=$?
        [ $status -eq 3 ] && [ ! -e x ] || { echo "$when: $status"; ls -A; cat err; false; }
        grep -q 'x.*: cannot be written to disk: Input/output error' err
    done
}

@test "a kill before the first checkpoint: the same command works again; while one runs, or a checkpoint knows the frames, it is refused" {
    on_linux "an output has a name from the beginning"
    can_trace
    md="md-cpu -q --atoms 64 --density 0.02 --steps 8000 --every 5 --seed 3 --thermo t --restart r --checkpoint 0.00001 -o x"
    $md && cp x whole && cp t lines
    for call in linkat fsync; do
        for when in 1 2 3 4; do
            rm -f x* t* r
            fails 137 strace -f -o /dev/null -e inject=$call:signal=KILL:when=$when $md
            if [ -e r ]; then
                fails 2 $md
                [[ $output == *"--from-restart continues the run"* ]]
                ${md/--atoms 64 --density 0.02 --steps 8000/--from-restart r}
            else
                $md
            fi
            compare x whole && [ "$(grep -v '^#' t)" = "$(grep -v '^#' lines)" ] || { echo "$call $when"; false; }
        done
    done
    # the restart of an older run that was not stopped knows nothing of the frames
    for when in 1 2; do
        rm -f x* t* r
        $md
        fails 137 strace -f -o /dev/null -e inject=linkat:signal=KILL:when=$when $md
        run $md
        [ "$status" -eq 0 ] || { echo "$output"; false; }
        compare x whole
    done
}

@test "python3 -m mbf to: bytes and name are on disk before the end; a disk that fails leaves what stood there" {
    can_trace
    numpy_python
    for form in npy npz; do
        echo old >x.$form
        fails 3 strace -f -o /dev/null -e trace=fsync -e inject=fsync:error=EIO:when=1 "$PY" -m mbf to $form "$POSN" -o x.$form
        [ "$(cat x.$form)" = old ] && [ "$(ls -A)" = x.$form ]
        strace -f -o trace -e trace=fsync,rename "$PY" -m mbf to $form "$POSN" -o x.$form
        [ "$(grep -oE '(fsync|rename)\(' trace | tail -n 3 | xargs)" = 'fsync( rename( fsync(' ]
        rm x.$form trace
    done
}
