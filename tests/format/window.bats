# SPDX-License-Identifier: MIT
# sanitize
# --from PS and --to PS select a window of time. All programs that read steps give the result of
# frame-cut with the same steps.

load ../helpers

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit
    # 90 steps of 0.05 ps in blocks of several sizes; the cell grows, so that every first cell is
    # different
    xyz2bin --select 0:90 --cell 22.6 --dt 0.05 "$DATA/argon256.xyz.gz" | bin2xyz |
        awk 'NF == 1 { print 12; next } /=/ { print; n = 0; next } n++ < 12' |
        awk '/Lattice/ { s = 22.6 + 0.01 * k++; sub(/Lattice="[^"]*"/, "Lattice=\"" s " 0 0 0 " s " 0 0 0 " s "\"") } { print }' >a.xyz
    xyz2bin -q --dt 0.05 a.xyz -o a.mbf
    "$BIN/../tests/unit/make_frames" uneven >uneven.mbf # step k of 30 at k (k + 1) / 100 ps
    sed 's/ *Time=[^ ]*//' a.xyz | xyz2bin -q - -o none.mbf
    g4-cpu -q --lags 3 --series ser.mbf a.mbf -o series.cf
}

setup() { cd "$BATS_FILE_TMPDIR" || return 1; }

# alike FROM:TO FILE COMMAND...: --from and --to give, for a file, its bytes and a pipe, the result
# of the steps of frame-cut
alike() {
    local cut=$1 file=$2
    shift 2
    frame-cut -q "$cut" "$file" | "${tool[@]}" >want
    content want >hash
    [ -n "$(<hash)" ]
    "${tool[@]}" "$@" "$file" >got
    content got | command cmp hash -
    "${tool[@]}" "$@" <"$file" >got
    content got | command cmp hash -
    cat "$file" | "${tool[@]}" "$@" >got
    content got | command cmp hash -
}

@test "every reader of steps: a window is frame-cut of its steps, ends on steps and between them" {
    for t in "rdf-cpu -q" "rdf-cpu -q --rmax 4 --blocks 3" "sq-cpu -q --qmax 1.5" "g4-cpu -q --lags 4 --sum mic" \
        "beta-gen -q --sum mic" "frame-cut 0:" "frame-cut ::2"; do
        read -ra tool <<<"$t"
        alike 20:41 a.mbf --from 1 --to 2
        alike 20:41 a.mbf --from 0.96 --to 2.04
        alike 21:41 a.mbf --from 1.04 --to 2
        alike 70: a.mbf --from 3.5
        alike :11 a.mbf --to 0.5
        alike 7:12 a.mbf --from 0.35 --to 0.55
        alike : a.mbf --from -3 --to 1000
    done
    tool=(acf -q)
    alike 20:41 ser.mbf --from 1 --to 2
    alike 70: ser.mbf --from 3.5
    alike :11 ser.mbf --to 0.52
    frame-cut -q 20:41 a.mbf | bin2xyz >want
    bin2xyz --from 1 --to 2 a.mbf | cmp want -
    beta-gen -q --sum mic a.mbf -o pair.mbf
    tool=(g4-cpu -q --lags 4)
    alike 20:41 pair.mbf --from 1 --to 2
}

@test "a window of steps with times of their own, and of a file with an index" {
    tool=(rdf-cpu -q)
    alike 10:21 uneven.mbf --from 1.1 --to 4.2
    alike 10:20 uneven.mbf --from 1.0 --to 4.19
    tool=(frame-cut 1:)
    alike 10:21 uneven.mbf --from 1.1 --to 4.2
    for k in 1 2 3 4 5 6 7 8; do
        xyz2bin -q --select $((10 * k)):$((10 * k + 10)) --cell 22.6 --dt 0.05 "$DATA/argon256.xyz.gz" -o part$k.mbf
    done
    frame-cat -q --jumps close part[1-8].mbf -o parts.mbf
    tool=(rdf-cpu -q)
    alike 65:70 parts.mbf --from 3.75 --to 3.95
    alike 35:42 parts.mbf --from 2.25 --to 2.55
    frame-index parts.mbf
    alike 65:70 parts.mbf --from 3.75 --to 3.95
    alike 35:42 parts.mbf --from 2.25 --to 2.55
    tool=(frame-cut 1:)
    alike 35:42 parts.mbf --from 2.25 --to 2.55
    [ -z "${SANITIZED:-}" ] || skip "strace and the leak sanitizer do not mix"
    # steps outside the window are not read: one block of eight is read
    strace -f -o calls -e trace=read,pread64,readv,preadv rdf-cpu -q --from 2.25 --to 2.45 parts.mbf -o gr
    [ "$(awk '{ n += $NF } END { print n }' calls)" -lt $(($(stat -c %s parts.mbf) * 5 / 8)) ]
}

@test "shares cut the window: merged they are the window of one run, and of no other" {
    for t in "rdf-cpu -q" "sq-cpu -q --qmax 1.5" "g4-cpu -q --lags 4 --sum mic"; do
        read -ra tool <<<"$t"
        for file in a.mbf uneven.mbf; do
            [[ $t$file != g4*uneven* ]] || continue
            rm -f s.*
            for k in 1 2 3; do "${tool[@]}" --from 0.5 --to 3 --shard $k/3 $file -o s.$k; done
            frame-merge -q s.* -o whole
            "${tool[@]}" --from 0.5 --to 3 $file -o one
            [ "$(content whole)" = "$(content one)" ]
            bin2txt one | grep -v '^## prov\|^## input' >want
            ! frame-check -v whole | grep -q data.window
        done
    done
    rdf-cpu -q --from 0.5 --to 2 --shard 2/3 uneven.mbf -o s.2
    rdf-cpu -q --from 0.5 --to 3 --shard 1/3 uneven.mbf -o s.1
    rdf-cpu -q --from 0.5 --to 3 --shard 3/3 uneven.mbf -o s.3
    fails 2 frame-merge s.1 s.2 s.3 -o no
    [[ $output == *"s.2: segment"*"expected data.window"* ]]
    fails 2 rdf-cpu --from 0.5 --to 3 --shard 1/3 - <uneven.mbf
    [[ $output == *"--shard with --from or --to needs a file name"* ]]
}

@test "several segments, and times that jump back: the first run of steps within the window" {
    frame-cut -q 0:30 a.mbf -o b1.mbf
    frame-cut -q 50:90 a.mbf -o b2.mbf
    cat b1.mbf b2.mbf >two.mbf # 0 to 1.45 ps, 2.5 to 4.45 ps
    cat b2.mbf b1.mbf >back.mbf
    content <(frame-cut -q 10:40 two.mbf | rdf-cpu -q) >want
    rdf-cpu -q --from 0.5 --to 2.95 two.mbf >got
    content got | cmp want -
    content <(frame-cut -q 10:50 back.mbf | rdf-cpu -q) >want
    rdf-cpu -q --from 3 --to 9 back.mbf >got # from 3 ps on, and what comes behind 4.45 ps: 0 to 0.45 ps
    frame-cut -q 10: back.mbf | rdf-cpu -q >all
    content all | cmp - <(content got)
    cat back.mbf | rdf-cpu -q --from 3 --to 4 | content - >got
    frame-cut -q 10:31 back.mbf | rdf-cpu -q | content - | cmp - got
}

@test "what a window refuses" {
    for in in "$PWD/a.mbf" "-"; do
        name=$([ "$in" = - ] && echo stdin || echo "$in")
        fails 2 rdf-cpu --from 2.01 --to 2.04 "$in" -o no <a.mbf
        [ "$output" = "rdf-cpu: $name: expected steps from 2.01 ps to 2.04 ps, found only the neighbouring steps at 2 ps and 2.05 ps" ]
        fails 2 frame-cut --from 100 : "$in" -o no <a.mbf
        [ "$output" = "frame-cut: $name: expected steps from 100 ps, found the last step at 4.45 ps" ]
        fails 2 bin2xyz --to -1 "$in" -o no <a.mbf
        [ "$output" = "bin2xyz: $name: expected steps to -1 ps, found the first step at 0 ps" ]
    done
    fails 2 acf --from 2.01 --to 2.04 ser.mbf -o no
    [[ $output == *"only the neighbouring steps at 2 ps and 2.05 ps" ]]
    fails 2 acf --from 9 ser.mbf -o no
    [[ $output == *"found the last step at 4.45 ps" ]]
    fails 2 beta-gen --from 1 none.mbf -o no
    [ "$output" = "beta-gen: none.mbf: frame 0: --from and --to need a time, but this step has none" ]
    frame-cut 0:0 a.mbf -o empty.mbf
    fails 2 rdf-cpu --from 1 empty.mbf -o no
    [ "$output" = "rdf-cpu: empty.mbf: expected steps from 1 ps, found no step at all" ]
    fails 2 rdf-cpu --from 2 --to 1 a.mbf -o no
    [ "$output" = "rdf-cpu: expected --from before --to, found 2 and 1" ]
    fails 2 rdf-cpu --from nan a.mbf -o no
    fails 2 md-cpu --to 3 -o no
    [ ! -e no ]
}

@test "what is written tells the window as it tells other options" {
    rdf-cpu -q --bins 10 --from 1 --to 2 a.mbf | frame-check -v - | grep -q 'prov.*args *--bins 10 --from 1 --to 2$'
    frame-cut --from 1 --to 2 : a.mbf | frame-check -v - | grep -q 'END limited'
    for p in rdf-cpu sq-cpu g4-cpu beta-gen frame-cut bin2xyz acf; do
        $p --help-all | grep -q -- '--from PS'
        $p --help-all | grep -q -- '--to PS'
    done
}
