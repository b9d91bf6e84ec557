# SPDX-License-Identifier: MIT
# sanitize
# portable
# --log: writes a line for every start, however the program ends.

load ../helpers

setup_file() { xyz2bin --select 0:100 --cell 22.6 --dt 0.01 "$DATA/argon256.xyz.gz" -o "$BATS_FILE_TMPDIR/a.mbf"; }

setup() { cd "$BATS_TEST_TMPDIR" && cp "$BATS_FILE_TMPDIR/a.mbf" .; }

column() { awk -F '\t' -v name="$2" 'NR == 1 { for (k = 1; k <= NF; k++) if ($k == name) at = k } NR > 1 { print $at }' "$1"; }

@test "a line has what was done, and the hashes of what was written" {
    rdf-cpu --bins 50 a.mbf -o g.mbf --log log.tsv
    frame-cut -q 0:9 a.mbf --log log.tsv >cut.mbf
    [ "$(wc -l <log.tsv)" -eq 3 ]
    [ "$(awk -F '\t' '{ print NF }' log.tsv | sort -u)" = 12 ]
    [ "$(column log.tsv tool | tr '\n' ' ')" = "rdf-cpu frame-cut " ]
    [ "$(column log.tsv status | sort -u)" = 0 ]
    [ "$(column log.tsv steps | head -1)" = 100 ]
    [ "$(column log.tsv bytes | head -1)" = "$(stat -c %s a.mbf)" ]
    [ "$(column log.tsv output | tr '\n' ' ')" = "g.mbf  " ]
    [ "$(column log.tsv args | tr '\n' ' ')" = "--bins 50 0:9 " ]
    [ "$(column log.tsv input | sort -u)" = a.mbf ]
    for f in g cut; do
        for h in content stream; do column log.tsv $h | grep -qx "$(frame-check -v $f.mbf 2>/dev/null | awk -v h=$h '$1 == h { print $2 }')"; done
    done
    column log.tsv peak_KiB | awk '$1 < 500 { bad = 1 } END { exit bad || !NR }'
    column log.tsv seconds | awk '!/^[0-9]+\.[0-9]+$/ { bad = 1 } END { exit bad || !NR }'
}

@test "names that hold a tab or the end of a line leave a line of twelve words" {
    cp a.mbf $'a\tb\nc'
    rdf-cpu -q $'a\tb\nc' -o $'x\ty' --log log.tsv
    [ "$(awk -F '\t' '{ print NF }' log.tsv | uniq -c | awk '{ print $1, $2 }')" = "2 12" ]
    [ "$(column log.tsv input)" = "a b c" ]
    [ "$(column log.tsv output)" = "x y" ]
}

@test "bytes are those of the input, whatever is made of them" {
    g4-cpu -q --lags 4 a.mbf -o c.mbf
    for w in "beta-gen a.mbf" "frame-cat a.mbf" "fft-spectrum -q c.mbf" "frame-merge c.mbf"; do
        rm -f log.tsv
        $w --log log.tsv -o out
        [ "$(column log.tsv bytes)" = "$(stat -c %s "${w##* }")" ] || { cat log.tsv; false; }
    done
}

@test "failures are logged with their status, and the log changes nothing else" {
    head -c 5000 a.mbf >cut.mbf
    fails 2 rdf-cpu cut.mbf -o g.mbf --log log.tsv
    fails 4 rdf-cpu --max-mem 1K a.mbf -o g.mbf --log log.tsv
    rdf-cpu a.mbf --log log.tsv | cmp - <(rdf-cpu a.mbf)
    [ "$(column log.tsv status | tr '\n' ' ')" = "2 4 0 " ]
    [ "$(column log.tsv content | head -2 | tr -d '\n')" = "" ]
    [ "$(echo g.*)" = 'g.*' ]
}

@test "many at once leave whole lines; a log that cannot be written is status 3" {
    for k in $(seq 20); do frame-cut -q $k:50 a.mbf -o $k.out --log log.tsv & done
    wait
    [ "$(grep -c '^frame-cut' log.tsv)" -eq 20 ]
    [ "$(awk -F '\t' '{ print NF }' log.tsv | sort -u)" = 12 ]
    fails 3 frame-cut 0:1 a.mbf -o x --log no/such/folder.tsv
    [ ! -e x ]
    [ -w /dev/full ] || skip "no /dev/full"
    fails 3 frame-cut 0:1 a.mbf -o x --log /dev/full
    [[ $output == *"/dev/full: cannot write"* ]]
}

@test "a log on a file that is no log is refused: a line would ruin it; one that cannot be written is status 3" {
    frame-cut : a.mbf -o precious.mbf
    seq 9 >text
    for f in precious.mbf text; do
        cp "$f" before
        fails 2 frame-cut 0:1 a.mbf -o x --log "$f"
        [[ $output == *"--log: $f: expected a new file or a log written by --log, found another file"* ]]
        cmp "$f" before
        [ ! -e x ]
    done
    # a pipe with a reader gets a line; a pipe without a reader gives status 3, and no signal
    mkfifo pipe
    cat pipe >line & reader=$!
    frame-cut 0:1 a.mbf -o x --log pipe
    wait $reader
    grep -q '^frame-cut' line
    (sleep 0.2 3>&-) <pipe & reader=$!
    status=0
    { sleep 0.6; cat a.mbf; } | env --default-signal=PIPE frame-cut 0:1 -o x --log pipe 2>err || status=$?
    [ "$status" -eq 3 ]
    grep -q 'pipe: cannot write: Broken pipe' err
    [ -w /dev/full ] || skip "no /dev/full"
    for s in 1 2; do md-cpu -q --atoms 64 --density 0.02 --steps 20 --every 5 --seed $s -o seed.$s; done
    fails 1 compare seed.1 seed.2
    fails 3 compare seed.1 seed.2 --log /dev/full # where the answer is no, too
}

@test "a line that a limit or a disk cuts short is status 3, told" {
    { printf 'tool\t'; head -c 995 /dev/zero | tr '\0' x; } >log.tsv
    fails 3 bash -c '(ulimit -f 1; exec frame-cut 0:1 a.mbf --log log.tsv) | wc -c >bytes; exit "${PIPESTATUS[0]}"'
    [[ $output == "frame-cut: log.tsv: cannot write: "* && ${#lines[@]} -eq 1 ]] || { echo "$output"; false; }
    [ "$(stat -c %s log.tsv)" -eq 1024 ]
    [ "$(cat bytes)" -gt 1024 ] # the stream itself went on
}
