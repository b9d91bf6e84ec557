# SPDX-License-Identifier: MIT
# sanitize
# frame-check, frame-cut, frame-cat and frame-merge on good input, and their refusals.
# reads: frame-check POSN
# reads: frame-cut POSN :
# reads: frame-cat POSN
# writes: frame-cat POSN -z
# writes: frame-merge CORR

load ../helpers

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit
    export A=$BATS_FILE_TMPDIR/a.mbf MAKE=$BIN/../tests/unit/make_frames
    xyz2bin --select 0:200 --cell 22.6 --dt 0.01 "$DATA/argon256.xyz.gz" -o "$A"
}

setup() { cd "$BATS_TEST_TMPDIR" || exit; }

steps() { frame-check "$@" | sed 's/.*arrays, \([0-9]*\) steps.*/\1/'; }
rows() { bin2txt "$@" | grep -v '^#'; }

@test "frame-check: one verdict a file, and the worst status of all" {
    fails 0 frame-check "$A"
    [[ $output == "$A: whole: 1 segment, 3 frames, 1 arrays, 200 steps, "*" bytes, limited on request" ]]
    head -c 5000 "$A" >cut
    fails 2 frame-check "$A" cut "$A"
    [ "$(grep -c whole <<<"$output")" -eq 2 ]
    [ "$(grep -c TRUNCATED <<<"$output")" -eq 1 ]
}

@test "frame-check -v: META, arrays, END and hashes; nothing that a terminal would act upon" {
    fails 0 frame-check -v "$A"
    [[ $output == *"sys.natoms           256"* ]]
    [[ $output == *"POSN f32  [F,256,3] 1 array, 200 steps from 0 at 0 ps, 614400 bytes"* ]]
    [[ $output == *"END limited on request: 2 frames, 1 arrays, 200 steps, 614400 raw bytes"* ]]
    beta-gen "$A" --prefactor "3" -o b.mbf
    frame-check -v b.mbf | grep -q '^  parent  *[0-9a-f]\{32\}$' || frame-check -v b.mbf | grep -q 'prov.2.parents *1'
    ! frame-check -v "$A" 2>&1 | grep -q $'\033'
}

@test "frame-check: status of END is told; partial is refused, unknown types are judged by their flags" {
    for kind in sample limited two dropped; do "$MAKE" $kind | frame-check; done
    [[ $("$MAKE" limited | frame-check) == *"limited on request" ]]
    for kind in partial critical err; do
        "$MAKE" $kind >bad
        fails 2 frame-check bad
    done
    "$MAKE" dropped >d
    fails 0 frame-check d
    [[ $output == *"unknown type NEWS"* ]]
    "$MAKE" err >e
    fails 2 frame-check e
    [[ $output == *"ERR from upstream: beta-gen: disk?full"* || $output == *"beta-gen: disk"*full*"passed on by g4-cpu"* ]]
}

@test "arrays of unknown type that are left out are told once an input, unless -q" {
    "$MAKE" unknown >u
    "$MAKE" unknown-sums >us
    news="warning: u: arrays of unknown type NEWS are skipped"
    while read -r p options; do
        # shellcheck disable=SC2086
        $p $options u 2>err >/dev/null
        [ "$(cat err)" = "$p: $news" ] || { echo "$p:"; cat err; false; }
        # shellcheck disable=SC2086
        $p -q $options u 2>err >/dev/null
        [ ! -s err ] || { echo "$p -q:"; cat err; false; }
    done <<LIST
frame-check
frame-cat
frame-cat -z
bin2txt
bin2xyz
beta-gen --sigma 1
g4-cpu --sigma 1 --lags 1
rdf-cpu --rmax 3
md-cpu --steps 1
LIST
    # copy-safe ones may be passed over; where the same data should come out, that is told, too
    frame-cut : u 2>err >cut
    [ "$(cat err)" = "frame-cut: $news"$'\n'"frame-cut: ${news/NEWS/MORE}" ]
    frame-merge us 2>err >merged
    [ "$(grep -c MORE err)" -eq 1 ]
    grep -q "^frame-merge: warning: us: arrays of unknown type MORE are skipped" err
    frame-cat -q u | frame-check -v | grep -q "^  MORE f64"
    ! frame-check -v cut merged | grep MORE
}

@test "frame-cut: the same steps as the same slice of the text" {
    rows "$A" >all
    for s in 0:10 10:20 190: :7 ::3 5:150:7 199: 150:9999 : 3::1 77:78; do
        IFS=: read -r a b c <<<"$s:"
        c=${c%:}
        frame-cut "$s" "$A" >cut
        frame-check -q cut
        rows cut | cut -d' ' -f2- >got
        awk -v a="${a:-0}" -v b="${b:-99999}" -v c="${c:-1}" '$1 >= a && $1 < b && ($1 - a) % c == 0' all |
            cut -d' ' -f2- >want
        [ -s want ]
        # a stride multiplies dt_ps, so times may differ in their last bit; positions may not
        cmp <(cut -d' ' -f2- got) <(cut -d' ' -f2- want) || { echo "$s"; diff got want | head -4; false; }
        paste got want | awk '{ d = $1 - $6; bad += !(d * d <= 1e-24) } END { exit bad || !NR }' || { echo "$s: times"; false; }
        # into files, because the block length in a pipe depends on the speed of the machine
        frame-cut "$s" <"$A" >other
        cmp other cut || { echo "$s: file and stdin differ"; false; }
        cat "$A" | frame-cut "$s" >other
        cmp other cut || { echo "$s: pipe differs"; false; }
    done
}

@test "frame-cut: stride goes into sys.dt_ps, index and time stay right, END says limited" {
    frame-cut 20::4 "$A" >cut
    fails 0 frame-check -v cut
    [[ $output == *"sys.dt_ps            0.04"* ]]
    [[ $output == *"45 steps from 5 at 0.2 ps"* ]]
    [[ $output == *"END limited on request"* ]]
    frame-cut : "$A" >whole
    [[ $(frame-check -v whole) == *"END complete"* ]]
    [ "$(content whole)" = "$(content "$A")" ]
}

@test "frame-cut: END names its parent where the one input segment was read to its end, in a pipe too" {
    hash=$(frame-check -v "$A" | awk '$1 == "stream" { print $2 }')
    [ -n "$hash" ]
    for slice in : 20::4; do
        frame-cut "$slice" "$A" >cut
        [ "$(frame-check -v cut | awk '$1 == "parent" { print $2 }')" = "$hash" ]
        cat "$A" | frame-cut "$slice" >piped
        cmp piped cut
    done
    frame-cut :20 "$A" >cut
    cat "$A" "$A" | frame-cut 5: >several
    for f in cut several; do
        [[ $(frame-check -v $f) != *"parent "* ]]
    done
}

@test "frame-cut: a start beyond the last step is refused; none asked for is an empty, whole stream" {
    frame-cut 5:5 "$A" | frame-check
    for s in 200: 500: 500:600 300::7; do
        fails 2 frame-cut $s "$A" -o out
        [ "$output" = "frame-cut: $A: expected a step with the number ${s%%:*}, found only 200 steps" ]
        fails 2 frame-cut $s -o out < <(cat "$A")
        [ "$output" = "frame-cut: stdin: expected a step with the number ${s%%:*}, found only 200 steps" ]
        [ ! -e out ]
    done
    frame-cut 199: "$A" | frame-check
}

@test "frame-cut: pair tables too; other kinds are refused" {
    frame-cut 0:9 "$A" >nine
    frame-cut 2:9:3 "$A" >three
    beta-gen nine >pairs
    beta-gen three >q
    frame-cut 2:9:3 pairs >p
    [ "$(steps p)" -eq 3 ]
    [ "$(content p)" = "$(content q)" ]
    g4-cpu --lags 3 "$A" >c.mbf
    fails 2 frame-cut 0:1 c.mbf
    [[ $output == *"found CORR"* ]]
}

@test "frame-cut: a single number is one step; a text that is no slice of natural numbers is refused" {
    [ "$(content <(frame-cut 5 "$A"))" = "$(content <(frame-cut 5:6 "$A"))" ]
    [ "$(content <(frame-cut --atoms :9 5 "$A"))" = "$(content <(frame-cut --atoms :9 5:6 "$A"))" ]
    for s in -5: 5:-1 ::-1; do
        fails 2 frame-cut -- "$s" "$A"
        [[ $output == *"expected numbers of 0 or more, found '$s'" ]] || { echo "$output"; false; }
    done
    fails 2 frame-cut -5: "$A"
    [[ $output == *"expected an option, found '-5': steps and atoms are counted from 0, and negative numbers are not supported (frame-check prints the number of steps)" ]] || { echo "$output"; false; }
    fails 2 frame-cut 150:50 "$A"
    [[ $output == *"expected a FIRST that is not greater than STOP, found '150:50'" ]] || { echo "$output"; false; }
    for s in ::0 1:2:3:4 a:b 1.5: 99999999999999999999: ''; do
        fails 2 frame-cut "$s" "$A"
        [[ ${#lines[@]} -eq 1 ]]
    done
}

@test "frame-cut on a regular file does not read what it leaves out" {
    [ -z "$SANITIZED" ] || skip "strace and the leak sanitizer do not mix"
    command -v strace >/dev/null || skip "no strace"
    for _ in 1 2 3 4 5 6 7 8; do cat "$A"; done | frame-cat --jumps close >eight
    strace -f -e trace=read,pread64,readv -o log frame-cut 1500: eight >cut
    read=$(awk '/ = [0-9]+$/ { n += $NF } END { print n + 0 }' log)
    [ "$read" -lt 2000000 ]
    [ "$(steps cut)" -eq 100 ]
}

@test "frame-cat: cutting apart and joining again gives the same content" {
    frame-cut 0:50 "$A" >1
    frame-cut 50:120 "$A" >2
    frame-cut 120: "$A" >3
    frame-cat 1 2 3 >joined
    fails 0 frame-check -v joined
    [[ $output == *"200 steps from 0 at 0 ps"* ]]
    cmp <(rows joined) <(rows "$A")
    cat 1 2 3 | frame-cat | cmp - joined
    cat 1 2 3 | frame-cat --segments 3 | frame-check
    for k in 2 4; do
        cat 1 2 3 >three
        fails 2 frame-cat --segments $k three
    done
}

@test "frame-cat: provenance of the first segment, stream hashes of the first two" {
    frame-cut 0:50 "$A" >1
    frame-cut 50:120 "$A" >2
    frame-cut 120: "$A" >3
    frame-cat 1 2 3 | frame-check -v >all 2>&1
    [ "$(awk '$1 == "prov.2.args" { print $2 }' all)" = 0:50 ]
    [ "$(awk '$1 == "prov.3.parents" { $1 = ""; print }' all)" = " 2" ]
    [ "$(awk '$1 == "parent" { print $2 }' all)" = "$(for k in 1 2; do frame-check -v $k 2>&1 | awk '$1 == "stream" { print $2 }'; done)" ]
}

@test "frame-cat --jumps close: index and time go on where the stream before ended" {
    frame-cat --jumps close "$A" "$A" >twice
    fails 0 frame-check twice
    [ "$(steps twice)" -eq 400 ]
    [ "$(rows twice | awk '$1 == 200 && $3 == 0 { print $2 }')" = 2 ]
    g4-cpu --lags 3 twice | frame-check
}

@test "frame-cat: a jump in time is refused with both steps, or marked; no correlation runs across it" {
    frame-cut 0:50 "$A" >1
    frame-cut 50:100 "$A" >2
    frame-cut 60:100 "$A" >3
    frame-cut 40:100 "$A" >4
    frame-cat 1 2 | g4-cpu --lags 3 | frame-check
    while read -r a b found; do
        for join in "frame-cat $a $b" "cat $a $b | frame-cat"; do
            fails 2 bash -c "$join >out"
            [[ $output == *": expected a step that follows step $found"* ]] || { echo "$output"; false; }
        done
        fails 2 frame-cat "$a" "$b" -o none
        [ ! -e none ]
        frame-cat --jumps mark "$a" "$b" | frame-check - 2>&1 | grep -q "whole: 2 segments"
        frame-cat --jumps mark "$a" "$b" >marked
        cmp <(rows marked) <(cat "$a" "$b" | rows -)
        for p in "g4-cpu --lags 3" "beta-gen"; do
            $p marked -o r 2>err && [ "$p" = beta-gen ] || grep -q "expected one segment, found a second one" err
        done
        fails 2 g4-cpu --lags 3 r # pair tables of both keep the join
        fails 2 bash -c "cat $a $b | g4-cpu --lags 3 | frame-check"
    done <<'LIST'
1 3 49 at 0.49 ps, found step 60 at 0.6 ps
1 4 49 at 0.49 ps, found step 40 at 0.4 ps
2 1 99 at 0.99 ps, found step 0 at 0 ps
LIST
    [ "$(frame-cat --jumps mark 1 2 4 | content | head -n 1)" = "$(frame-cat 1 2 | content)" ]
    # without times, the index of the step is used
    printf '1\n\nAr %s 0 0\n' 1 2 3 4 5 6 7 8 9 | xyz2bin -q >n
    frame-cut 0:5 n >n1
    frame-cut 5:9 n >n2
    frame-cut 7:9 n >n3
    frame-cat n1 n2 | frame-check
    fails 2 frame-cat n1 n3 -o out
    [[ $output == *"expected a step that follows step 4, found step 7 ("* ]]
    # a time series
    seq 40 | txt2bin --dt 1 >s
    frame-cut :20 s >s1
    frame-cut 25: s >s2
    fails 2 frame-cat s1 s2 -o out
    frame-cat --jumps mark s1 s2 >s3
    fails 2 acf s3
    fails 2 acf <(cat s1 s2)
}

@test "frame-cat: streams that do not go together are refused, naming the key; no file is left" {
    xyz2bin --select 0:10 --pbc xy --dt 0.01 "$DATA/argon256.xyz.gz" >other
    fails 2 frame-cat "$A" other -o out
    [[ $output == *"sys.pbc"* ]]
    fails 2 frame-cat "$A" <(frame-cut ::2 "$A") -o out
    [[ $output == *"sys.dt_ps"* ]]
    beta-gen "$A" >p1
    beta-gen --component zz "$A" >p2
    fails 2 frame-cat p1 p2 -o out
    [[ $output == *"data.component"* ]]
    g4-cpu --lags 3 "$A" >c
    fails 2 frame-cat c -o out
    [[ $output == *frame-merge* ]]
    [ ! -e out ]
    [ -z "$(ls -A | grep '^\.out')" ]
}

@test "the content hash is the same with and without -z, at any level, for 1 to 4 threads" {
    want=$(content "$A")
    [ ${#want} -eq 32 ]
    for t in 1 2 3 4; do
        for z in "" -z --compress=1 --compress=9; do
            frame-cat $z -t $t "$A" >"o$t$z"
            [ "$(content "o$t$z")" = "$want" ] || { echo "$t $z"; false; }
            cmp "o$t$z" "o1$z"
        done
    done
    [ "$(stat -c %s o1-z)" -lt "$(stat -c %s o1)" ]
    frame-cat -z "$A" | frame-cat | cmp <(rows "$A") <(rows -) || frame-cat -z "$A" | rows - | cmp - <(rows "$A")
}

@test "-z predicts positions: with four decimals 0.4 of their bytes, and all programs read them" {
    xyz2bin --select 0:342 "$DATA/argon256.xyz.gz" | bin2xyz |
        awk 'NF == 4 { $0 = sprintf("%s %.4f %.4f %.4f", $1, $2, $3, $4) } 1' | xyz2bin -o four
    frame-cat -z four -o z
    [ $((5 * $(stat -c %s z))) -lt $((2 * $(stat -c %s four))) ]
    [ "$(content z)" = "$(content four)" ]
    at=$(grep -abo POSN z | head -n 1 | cut -d: -f1) # version 1.4, flags 0, 2 and 4, codec 3
    [ "$(od -An -tu1 -j$((at - 3)) -N14 z | awk '{ print $1, $8, $14 }')" = "4 21 3" ]
    frame-cut 100:200:7 z | rows - | cmp - <(frame-cut 100:200:7 four | rows -)
    rdf-cpu z | rows - | cmp - <(rdf-cpu four | rows -)
    frame-cat --compress=1 four >one
    at=$(grep -abo POSN one | head -n 1 | cut -d: -f1) # what older readers know
    [ "$(od -An -tu1 -j$((at - 3)) -N14 one | awk '{ print $1, $8, $14 }')" = "0 5 1" ]
}

@test "-z: a single step, which nothing predicts, is left to zlib where that makes it shorter" {
    md-cpu -q --atoms 4000 --density 0.02 --steps 1 --every 1 -o one
    frame-cat -z one >z
    frame-cat --compress=1 one >zlib
    at=$(grep -abo POSN z | head -n 1 | cut -d: -f1)
    [ "$(od -An -tu1 -j$((at + 10)) -N1 z)" -eq 1 ]
    [ "$(stat -c %s z)" -eq "$(stat -c %s zlib)" ]
}

@test "frame-merge: blocks of all runs side by side; averages and errors follow" {
    for k in 0 1 2; do
        frame-cut $((60 * k)):$((60 * k + 60)) "$A" >part
        g4-cpu --lags 4 --blocks 2 part >g$k
        rdf-cpu --bins 20 part >r$k
    done
    frame-merge g0 g1 g2 >g
    [[ $(frame-check -v g) == *"CORR u64  [6,4]"*"CORR f64  [6,4,1,4]"* ]]
    cat g0 g1 g2 | frame-merge | cmp - g
    frame-merge r0 r1 r2 >r
    # counts add up exactly, and bins are rows
    paste <(rows r0) <(rows r1) <(rows r2) <(rows r) | awk 'NF { n = NF / 4; if ($2 + $(2 + 5) + $(2 + 10) != $(2 + 15)) bad = 1 }
        END { exit bad || !n }' || { head -3 <(rows r); false; }
    # origins add up, and the mean of G2 at lag 0 is the mean over all 180 steps
    [ "$(rows g | awk 'NR == 1 { print $2 }')" -eq 180 ]
    want=$(paste <(rows g0) <(rows g1) <(rows g2) | awk 'NR == 1 { print ($4 + $(4 + NF / 3) + $(4 + 2 * NF / 3)) / 3 }')
    near "$(rows g | awk 'NR == 1 { print $4 }')" "$want" 0.001 # six printed digits of 500
}

@test "frame-merge: other parameters are refused, naming the key; so are other kinds" {
    g4-cpu --lags 4 "$A" >a
    g4-cpu --lags 5 "$A" >b
    g4-cpu --lags 4 --component zz "$A" >c
    fails 2 frame-merge a b -o out
    [[ $output == *"expected data.lags 4, as in "*", found 5"* ]]
    fails 2 frame-merge a c -o out
    [[ $output == *"data.component"* ]]
    "$BIN/../tests/unit/make_corr" corr functions="C D" >d
    "$BIN/../tests/unit/make_corr" corr functions="C E" >e
    fails 2 frame-merge d e -o out
    [[ $output == *"expected data.functions C D, as in d, found C E"* ]]
    rdf-cpu "$A" >h
    fails 2 frame-merge a h -o out
    [[ $output == *"h: segment 1: expected correlation as in the first segment, found pair-histogram" ]]
    fails 2 frame-merge h a -o out
    [[ $output == *"a: segment 1: expected pair-histogram as in the first segment, found correlation" ]]
    fails 2 frame-merge a "$A" -o out
    [[ $output == *"expected correlation as in the first segment, found positions" ]]
    fails 2 frame-merge "$A" -o out
    [[ $output == *"expected sums (CORR of g4 and acf, HIST of rdf), found POSN" ]]
    fft-spectrum -q a -o s
    fails 2 frame-merge s -o out
    [[ $output == *"found SPEC, which holds averages" ]]
    [ ! -e out ]
}

@test "frame-merge: a run that is given twice is refused, whatever its name and compression" {
    g4-cpu --lags 4 "$A" >a
    frame-cut 20: "$A" | g4-cpu --lags 4 >b
    g4-cpu -z --lags 4 "$A" >c
    for twice in "a a" "a b a" "b a c"; do
        # shellcheck disable=SC2086
        fails 2 frame-merge $twice -o out
        [[ $output == *"expected a different run, found the same content as in segment "[01]" (a)" ]]
    done
    cat a b b >d
    fails 2 frame-merge d -o out
    [[ $output == "frame-merge: d: segment 2: expected a different run, found the same content as in segment 1 (d)" ]]
    [ ! -e out ]
    frame-merge a b -o out
}

@test "output: links are followed, pipes and devices are written, modes obey the umask" {
    echo old >real
    ln -s real link
    frame-cat "$A" -o link
    [ -L link ]
    cmp <(content real) <(content "$A")
    mkfifo fifo
    frame-check fifo >verdict &
    timeout 20 frame-cat "$A" -o fifo
    wait $!
    [ -p fifo ]
    grep -q whole verdict
    frame-cat "$A" -o /dev/null
    [ -c /dev/null ]
    (umask 027 && frame-cat "$A" -o mode)
    [ "$(stat -c %a mode)" = 640 ]
}

@test "an input is never the output, whatever its name and however it is written" {
    "$BIN/../tests/unit/make_corr" corr >corr
    frame-cut 0:3 "$A" | bin2xyz -o xyz
    mkdir deep
    check() { # OPTIONS... with IN for the input, of $kind
        local name
        for name in s deep/../s hard soft; do
            cp "$kind" s
            ln -f s hard
            ln -sf s soft
            eval "$(sed "s|IN|s|g; s|OUT|$name|g" <<<"$*")" 2>err && { echo "status 0: $*, $name"; false; }
            [ "$(cat err)" = "${1%% *}: $want" ] || { echo "$*, $name:"; cat err; false; }
            cmp s "$kind" || { echo "changed: $*, $name"; false; }
        done
    }
    while read -r kind line; do
        p=${line%% *}
        [ -x "$BIN/$p" ] || continue
        want="s: input and output are the same file" check "$line IN -o OUT"
        want="stdin: input and output are the same file" check "$line <IN -o OUT"
        want="s: input and output are the same file" check "$line IN >>OUT"
        want="stdin: input and output are the same file" check "$line - <IN >>OUT"
        want="s: input and output are the same file" check "$line IN --log OUT"
    done <<LIST
$A bin2txt
$A bin2xyz
$A frame-check
$A frame-cat
$A frame-cut :
$A beta-gen
$A g4-cpu --lags 1
$A rdf-cpu
$A md-cpu --steps 1
corr fft-spectrum
corr frame-merge
xyz xyz2bin
xyz txt2bin
LIST
    # > empties the file before any program can read it; the message explains why it is empty
    cp "$A" s
    fails 2 bash -c 'bin2txt s >s; exit $?'
    cp "$A" s
    fails 2 g4-cpu --lags 1 --series s s -o out
    [ "$output" = "g4-cpu: s: input and output are the same file" ]
    cmp s "$A"
    # the same name in another folder, one device for both, and a pipe are accepted
    frame-cat s -o deep/s
    bin2txt /dev/null -o /dev/null 2>err || grep -vq same err
    frame-cat s | frame-cat - -o s2
}

@test "velocities travel beside their positions: checked, cut and joined in step, passed over by the rest" {
    "$MAKE" velocities >v
    frame-check -v v >out
    grep -q "^  VELO f64  \[F,4,3\] 2 arrays, 5 steps from 0 at 0 ps" out
    grep -q "5 steps, " out
    frame-cut 1::2 v >cut
    frame-check -v cut >out
    grep -q "^  VELO f64  \[F,4,3\] 1 array, 2 steps" out
    grep -q "^  POSN f64  \[F,4,3\] 1 array, 2 steps" out
    # steps 1 and 3, ten times the positions: x of atom 0 is k, its velocity 10 k
    py oracle/velocities_kept cut
    frame-cut :2 v >a
    frame-cut 2: v >b
    frame-cat a b | frame-cut : >joined
    frame-cut : v >whole
    [ "$(content joined)" = "$(content whole)" ]
    for p in bin2txt bin2xyz "beta-gen -q --sigma 1" "g4-cpu -q --sigma 1 --lags 1" "rdf-cpu --rmax 3" "frame-cut :" "frame-cat"; do
        # shellcheck disable=SC2086
        ${p%% *} $([ "$p" = "${p#* }" ] || echo "${p#* }") v 2>err >/dev/null
        [ ! -s err ] || { echo "$p"; cat err; false; }
    done
    [ "$(bin2txt v | grep -v '^#' | head -n 1 | cut -d" " -f-6)" = "0 0 0 0 0.01 0.02" ]
    [ "$(bin2txt v | grep -vc '^#')" -eq 20 ]
    "$MAKE" other-velocities >o
    fails 2 frame-cut : o
    [[ $output == *"expected VELO with the same steps as POSN"* ]]
}

@test "scalars of the atoms travel beside their positions: checked, cut and joined in step, passed over by the rest" {
    "$MAKE" scalars >v
    frame-check -v --strict v >out
    grep -q "^  SCAL f64  \[F,4,2\] 2 arrays, 5 steps from 0 at 0 ps" out
    grep -q "data.scalars  *charge:e q6:1$" out
    numpy_python
    scalars() { "$PY" -c 'import sys
from oracle import frames
for a in frames.Reader(open(sys.argv[1], "rb"), sys.argv[1]):
    if isinstance(a, frames.Array) and a.code == b"SCAL": print(*("%.10g" % x for x in a.data.ravel()))' "$1"; }
    # steps 1 and 3, atoms 1 and 3; the scalars of atom i are k + i/10 and -(k + i/10 + 0.01)
    frame-cut --atoms 1::2 1::2 v >cut
    at=$(grep -abo SCAL cut | tail -n 1 | cut -d: -f1) # version 1.3, critical: earlier releases refuse it
    od -An -tx1 -j $((at - 4)) -N 9 cut | grep -q '01 03 80 00 53 43 41 4c 05'
    frame-check --strict -v cut | grep -q "^  SCAL f64  \[F,2,2\] 1 array, 2 steps"
    [ "$(scalars cut)" = "1.1 -1.11 1.3 -1.31 3.1 -3.11 3.3 -3.31" ]
    frame-cut :2 v >a
    frame-cut 2: v >b
    frame-cut : v >whole
    for o in "" -z; do
        frame-cat $o a b >joined
        frame-check --strict joined
        frame-cut : joined >again
        [ "$(content again)" = "$(content whole)" ]
    done
    # CELL, which frame-cat adds for pieces with other cells, comes before SCAL
    bin2xyz v >v.xyz
    for k in 9 11; do xyz2bin -q --cell $k --scalars charge v.xyz -o "c$k"; done
    frame-cat --jumps close c9 c11 -o cells
    [ "$(grep -aoE 'CELL|SCAL|POSN' cells | xargs)" = "SCAL POSN CELL SCAL POSN" ]
    frame-check -q --strict cells
    "$MAKE" velocities >none
    fails 2 frame-cat v none
    [[ $output == *"found different values of data.scalars: absent here and charge:e q6:1 in the first segment"* ]]
    cat v none >two
    fails 2 frame-cut : two
    [[ $output == *"found different values of data.scalars: absent here and charge:e q6:1 in the first segment"* ]]
    for p in "beta-gen -q --sigma 1" "g4-cpu -q --sigma 1 --lags 1" "rdf-cpu -q --rmax 3" "msd-cpu -q --lags 2"; do
        $p v >with 2>err && [ ! -s err ] || { echo "$p"; cat err; false; }
        $p <v >piped && cmp with piped
    done
    "$MAKE" other-scalars >o
    for p in "frame-cut :" unwrap; do
        fails 2 $p o -o no
        [[ $output == *"expected SCAL with the steps of its POSN and the 2 scalars in data.scalars, found another array"* && ! -e no ]]
    done
}

@test "scalars are columns of text, and compare finds the worst of them by step and atom" {
    for k in scalars scalars-more scalars-nan; do "$MAKE" "$k" >"$k"; done
    bin2txt scalars >text
    [ "$(head -n 1 text)" = "# step t_ps atom x_A y_A z_A charge q6" ]
    grep -qx "## scalars charge:e q6:1" text
    rows scalars | awk '{ x = $1 + 0.1 * $3; bad += ($7 - x)^2 + ($8 + x + 0.01)^2 > 1e-20 } END { exit bad || NR != 20 }'
    [ "$(bin2txt --format json scalars-nan | grep -c 'null')" -eq 1 ]
    [ "$(rows scalars-nan | awk '$8 == "nan" { print $1, $3 }')" = "3 2" ]
    fails 1 compare scalars scalars-more
    [[ ${lines[5]} == "q6 20 "*" 0.25 3:2 differ" && ${lines[4]} == "charge 20 0 0 0 - agree" ]]
    [[ $output == *"differ: q6 most, at step 3:2;"* ]]
    fails 0 compare --atol 0.26 scalars scalars-more
    fails 1 compare scalars scalars-nan
    [[ $output == *"differ: q6 holds numbers that are undefined"* ]]
    frame-cat -z scalars-nan -o again # undefined in both: they agree, whatever the names of the files
    frame-cut -q : again | fails 0 compare - scalars-nan
    "$MAKE" velocities >none
    fails 2 compare scalars none
    [[ $output == *"different kinds: POSN of 4 atoms with 5 columns and POSN of 4 atoms with 3 columns"* ]]
    for p in bin2txt "compare scalars"; do
        "$MAKE" other-scalars >o
        fails 2 $p o
        [[ $output == *"expected SCAL with the steps of its POSN and the 2 scalars in data.scalars"*"found another array"* ]]
    done
}

@test "a table of more than 64 columns is printed, cut and compared" {
    awk 'BEGIN { printf "# step t_ps"; for (i = 0; i < 100; i++) printf " q%d", i; for (k = 0; k < 5; k++) { printf "\n%d %g", k, k / 2; for (i = 0; i < 100; i++) printf " %d", i * k } print "" }' >wide
    txt2bin -q wide -o w.mbf
    bin2txt w.mbf | grep -v '^##' | cmp - wide
    sed '$s/ 396$/ 397/' wide | txt2bin -q - -o other.mbf
    fails 1 compare w.mbf other.mbf
    [[ ${lines[-1]} == "differ: q99 most, at step 4;"* ]]
}

@test "a stream cut inside its scalars is refused by every program that reads it" {
    "$MAKE" scalars >v
    for at in 300 400 $(($(grep -abo SCAL v | sed -n 2p | cut -d: -f1) + 150)); do
        head -c "$at" v >cut
        for p in frame-check frame-cat "frame-cut :" bin2txt "compare - $PWD/v" bin2xyz unwrap "rdf-cpu --rmax 3" "g4-cpu --sigma 1 --lags 1" "msd-cpu --lags 2" "beta-gen --sigma 1"; do
            fails 2 bash -c "$p <cut >out"
            [[ $output == *TRUNCATED* ]] || { echo "$p: $output"; false; }
            fails 2 $p cut -o no
            [ ! -e no ]
        done
    done
}

@test "a time series is checked, cut, joined, printed and compared; it is no trajectory" {
    "$MAKE" series >s
    frame-check -v s | grep -q "^  SERI f64  \[F,2\] 2 arrays, 5 steps from 0 at 0 ps"
    frame-cut 1::2 s | bin2txt | grep -v "^##" >got
    printf "# step t_ps one two\n0 0.5 1 1\n1 1.5 3 9\n" | diff - got
    frame-cut :2 s >a
    frame-cut 2: s >b
    frame-cat a b | frame-cut : >joined
    frame-cut : s >whole
    [ "$(content joined)" = "$(content whole)" ]
    fails 0 compare whole s
    "$MAKE" series-other >other
    fails 1 compare s other
    [[ $output == *two* ]]
    for p in bin2xyz g4-cpu rdf-cpu beta-gen; do
        fails 2 "$p" s
    done
}

@test "frame-cut --species, --atoms: the rows of who stays, with their velocities and names; nobody is an error" {
    traj2bin --velocities --species 'O 1 H 2 O 1 H 2 O 1 H 2 O 1' "$DATA/formats/water10.trr" -o w.mbf
    all() { bin2txt w.mbf | awk -v keep="$1" '!/^#/ && keep ~ " " $3 " " { print $1, $4, $5, $6 }'; }
    some() { frame-cut "$@" : w.mbf -o s.mbf && bin2txt s.mbf | awk '!/^#/ { print $1, $4, $5, $6 }'; }
    [ "$(some --species H)" = "$(all ' 1 2 4 5 7 8 ')" ]
    bin2txt --meta s.mbf >meta
    grep -q "sys.natoms.6$" meta
    grep -q "sys.species.H 6$" meta
    [ "$(some --atoms 1:9:3)" = "$(all ' 1 4 7 ')" ]
    [ "$(some --species O,H --atoms 3:)" = "$(all ' 3 4 5 6 7 8 9 ')" ]
    bin2txt --meta s.mbf | grep -q "sys.species.O 1 H 2 O 1 H 2 O 1$"
    [ "$(some --species O --atoms 1:9)" = "$(all ' 3 6 ')" ]
    frame-check -v s.mbf | grep -q 'VELO f32  \[F,2,3\]'
    cat w.mbf w.mbf >two # segments: the choice holds for each
    frame-cut --species O : two | frame-check -v >said
    [ "$(grep -c 'sys.natoms  *4$' said)" -eq 2 ]
    fails 2 frame-cut --species O,X : w.mbf -o no
    [[ $output == "frame-cut: w.mbf: --species: expected species among O, H, found 'X'" && ! -e no ]]
    # if there are more names than fit into a line, the line states this
    awk 'BEGIN { print 60; print "Lattice=\"90 0 0 0 90 0 0 0 90\""; for (k = 0; k < 60; k++) print "Name" k, k, 0, 0 }' | xyz2bin -q --dt 1 -o many.mbf
    fails 2 frame-cut --species O many.mbf -o no
    [[ $output == *", Name1"*", ..., found 'O'" ]]
    fails 2 rdf-cpu --pair O many.mbf -o no
    [[ $output == *" Name1"*" ..."*", found O" ]]
    fails 2 frame-cut --species O --atoms 1:3 : w.mbf -o no
    [[ $output == *"select none of the 10 atoms"* && ! -e no ]]
    fails 2 frame-cut --atoms 3:3 : w.mbf
    fails 2 bash -c 'beta-gen -q --sigma 3 --cutoff 4 w.mbf | frame-cut --atoms 1: : -o no'
    [[ $output == *"expected positions to select from"* ]]
    # xyz2bin and traj2bin make the same choice
    bin2xyz w.mbf >w.xyz
    compare <(xyz2bin --species O --atoms 1:9 w.xyz) <(frame-cut --species O --atoms 1:9 : w.mbf)
    fails 2 xyz2bin --atoms 10: w.xyz -o no
    compare <(traj2bin --species 'O 1 H 2 O 1 H 2 O 1 H 2 O 1' --species O "$DATA/formats/water10.xtc") \
        <(traj2bin --atoms 0::3 "$DATA/formats/water10.xtc")
    fails 2 traj2bin --species O --species H "$DATA/formats/water10.xtc" -o no
    fails 2 traj2bin --species O "$DATA/formats/water10.xtc" -o no
    [[ $output == *"expected "*" atoms, found none (name the atoms, e.g. traj2bin --species '"* && ! -e no ]]
    # without a range, all steps of a file or of a pipe
    compare <(frame-cut --species O : w.mbf) <(frame-cut --species O w.mbf)
    compare <(frame-cut --species O : w.mbf) <(frame-cut --species O <w.mbf)
    [ "$(content <(frame-cut --species O : w.mbf))" = "$(content <(frame-cut --species O w.mbf))" ]
    fails 2 frame-cut w.mbf
    fails 2 frame-cut --species O w.mbf w.mbf
    [[ $output == "frame-cut: unexpected operand 'w.mbf': "* ]]
}

@test "--max-mem counts what compression takes: fewer threads, the same bytes; then refused" {
    head -c 24000000 /dev/zero | od -An -v -td1 -w1 | head -n 2000000 | txt2bin --dt 1 -o big.mbf
    frame-cut -z -t 8 : big.mbf -o want
    frame-cut -z -t 8 --max-mem 40M : big.mbf -o got
    cmp want got
    fails 4 frame-cut -z --max-mem 1M : big.mbf -o got2
    [[ $output == *"--max-mem"* ]]
}

@test "names that are missing: how many there are, and how they are given" {
    traj2bin -q --dt 1 "$DATA/formats/water10.dcd" -o w.mbf # ten atoms without names
    hint="(name the atoms, e.g. traj2bin --species '3*(O 1 H 2) Na 1')"
    for run in "rdf-cpu --pair O-O" "sq-cpu --weights O=1" "alpha-cpu --polarizability O=1" "g4-cpu --sigma 3 --lags 2 --weights O=1"; do
        # shellcheck disable=SC2086
        fails 2 $run w.mbf -o no
        [[ $output == *"w.mbf: expected the species of 10 atoms, found none $hint" && ! -e no ]] || { echo "$output"; false; }
    done
    fails 2 frame-cut --species O w.mbf -o no
    [ "$output" = "frame-cut: w.mbf: --species O: expected names for 10 atoms, found none $hint" ]
    fails 2 traj2bin --dt 1 --species '2*(O 1 H 2)' "$DATA/formats/water10.dcd" -o no
    [ "$output" = "traj2bin: --species 2*(O 1 H 2): sys.species: expected names for 10 atoms, found names for 6 atoms" ]
    traj2bin -v --dt 1 "$DATA/formats/water10.dcd" 2>said >/dev/null
    grep -qF "10 atoms, species unknown $hint" said
    traj2bin -q --dt 1 --species '3*(O 1 H 2) Na 1' "$DATA/formats/water10.dcd" | rdf-cpu -q --pair O-Na -o yes # as it says
}

# gas EDGE SEED: 5 frames of 30 atoms in a constant cube, with a time for each frame
gas() {
    awk -v L="$1" -v s="$2" "$UNIFORM"'BEGIN { seed(s); for (t = 0; t < 5; t++) { print 30 "\nLattice=\"" L " 0 0 0 " L " 0 0 0 " L "\" Properties=species:S:1:pos:R:3 pbc=\"T T T\" Time=" t + 5 * (s - 1) " time_unit=ps"
        for (i = 0; i < 30; i++) print "A", L * uniform(), L * uniform(), L * uniform() } }' | xyz2bin -q --unsorted-ok "${@:3}"
}
cells() { bin2xyz "$@" | sed -nE 's/.*Lattice="([0-9.]+) .*/\1/p' | uniq -c | xargs; }

@test "pieces of a run at constant pressure: frame-cat, frame-cut and readers keep the cell of each, frame-merge adds" {
    gas 20 1 -o 1.mbf
    gas 21 2 -o 2.mbf
    frame-cat --jumps close 1.mbf 2.mbf -o both.mbf
    frame-check both.mbf
    [ "$(cells both.mbf)" = "5 20 5 21" ]
    cat 1.mbf 2.mbf >two.mbf
    [ "$(cells two.mbf)" = "5 20 5 21" ]
    frame-cut : two.mbf | cells | grep -x "5 20 5 21"
    frame-cut 3:8 two.mbf | cells | grep -x "2 20 3 21"
    for f in 1 2 both two; do rdf-cpu -q --rmax 8 --bins 4 $f.mbf -o $f.hist; done
    frame-merge 1.hist 2.hist -o sum.hist
    for f in both two; do
        paste <(bin2txt $f.hist | grep -v '^#') <(bin2txt sum.hist | grep -v '^#') | awk '{ if ($2 != $7 || ($3 - $8)^2 > 1e-20) exit 1; n++ } END { exit n != 4 }'
    done
    [ "$(bin2txt --meta sum.hist | grep sys.cell)" = "sys.cell	20.5 0 0 0 20.5 0 0 0 20.5" ]
    # another axis, or no cell, is another system
    gas 21 2 --pbc xy -o 3.mbf
    fails 2 frame-cat --jumps close 1.mbf 3.mbf -o out
    [[ $output == *"sys.pbc"* ]]
    awk 'BEGIN { for (t = 5; t < 7; t++) { print "30\nx"; for (i = 0; i < 30; i++) print "A", i, i, i } }' | xyz2bin -q --dt 1 -o 5.mbf
    fails 2 frame-cat --jumps close 1.mbf 5.mbf -o out
    [[ $output == *"sys."* ]]
}
