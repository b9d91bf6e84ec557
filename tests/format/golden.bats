# SPDX-License-Identifier: MIT
# sanitize
# Streams that mbf 0.1.0 wrote (tests/golden/0.1.0), and streams with codecs 2 and 3 (tests/golden/
# track, link and length): every present program reads them with the same meaning.

load ../helpers

OLD=$ROOT/tests/golden/0.1.0

# The rows of a stream without its comments, which name programs and arguments.
rows() {
    bin2txt "$1" | grep -v '^##'
}

@test "bin2txt gives the text of 0.1.0: the same lines, axes without noise, labels, units and an end" {
    for f in "$OLD"/*.mbf; do
        bin2txt "$f" >text
        diff <(grep '^#' text | grep -vE '^## (end|label.of|unit.of) ') <(grep '^#' "${f%.mbf}.txt")
        paste -d' ' <(grep -v '^#' text) <(grep -v '^#' "${f%.mbf}.txt") | awk '{
            for (k = 1; k <= NF / 2; k++)
                off += $k != $(k + NF / 2) && (k > 2 || ($k - $(k + NF / 2)) ^ 2 > 1e-31 * $k ^ 2)
        } END { exit off > 0 || !k }'
        tail -n 1 text | grep -qx "## end [0-9]* [0-9a-f]\{16\}"
    done
}

@test "frame-check, frame-cat and compare read them; content is passed on as it is" {
    for f in "$OLD"/*.mbf; do
        frame-check -q "$f" >/dev/null
        case $f in
        */posn.mbf | */cells.mbf | */pair.mbf) frame-cat -q "$f" -o copy ;;
        *) cp "$f" copy ;;
        esac
        fails 0 compare "$f" copy
        [[ $output == *"identical: the content hashes are equal"* ]]
    done
    fails 2 compare "$OLD/corr.mbf" "$OLD/hist.mbf"
}

@test "frame-cut, bin2xyz and beta-gen read positions" {
    frame-cut -q 3:20:4 "$OLD/posn.mbf" | bin2txt >cut
    [ "$(grep -vc '#' cut)" -eq 40 ]
    [ "$(bin2xyz -q "$OLD/posn.mbf" | wc -l)" -eq 230 ]
    beta-gen -q --sum mic --sigma 3.4 --component all "$OLD/cells.mbf" -o pair
    cmp <(rows pair) <(rows "$OLD/pair.mbf")
}

@test "analyses of old positions and pairs are the old results" {
    g4-cpu -q --sum mic --lags 5 --blocks 3 --component all "$OLD/posn.mbf" -o corr
    cmp <(rows corr) <(rows "$OLD/corr.mbf")
    compare corr "$OLD/corr.mbf"
    g4-cpu -q --lags 3 "$OLD/pair.mbf" -o one
    cmp <(rows one) <(rows "$OLD/one.mbf")
    rdf-cpu -q --bins 8 --rmax 5 --blocks 3 "$OLD/posn.mbf" -o hist
    cmp <(rows hist) <(rows "$OLD/hist.mbf")
    rdf-cpu -q --bins 6 --rmax 9 --blocks 3 --pair A-A --pair A-B "$OLD/cells.mbf" -o species
    cmp <(rows species) <(rows "$OLD/species.mbf")
}

@test "spectra and structure factors of old sums are the old ones" {
    fft-spectrum -q "$OLD/corr.mbf" -o spec
    cmp <(rows spec) <(rows "$OLD/spec.mbf")
    fft-spectrum -q "$OLD/apart.mbf" | bin2txt | grep -q '^# nu_cm-1 I_xz I2_xz'
    rdf2sq -q --qmax 3 --qstep 0.5 "$OLD/hist.mbf" -o sq
    cmp <(rows sq | grep -v '^#' | cut -d ' ' -f 1-3) <(rows "$OLD/sq.mbf" | grep -v '^#') # S_cut and the flag are newer
}

@test "frame-merge joins old sums and new ones" {
    frame-cut 3: "$OLD/posn.mbf" | g4-cpu -q --sum mic --lags 5 --blocks 3 --component all -o new
    for pair in "$OLD/corr.mbf new" "new $OLD/corr.mbf"; do
        # shellcheck disable=SC2086
        frame-merge -q $pair -o both
        paste <(rows both) <(rows new) <(rows "$OLD/corr.mbf") | awk '!/#/ {
            rows++
            off += !($1 == $11 && $2 == $12 + $22)
            for (k = 3; k < 7; k++) {
                want = ($12 * $(k + 10) + $22 * $(k + 20)) / $2
                off += !(($k - want) ^ 2 < 1e-24 * want ^ 2)
            }
        } END { exit !(rows == 5 && !off) }' # the sums are added in another order: 1e-12
    done
    frame-cut 3: "$OLD/posn.mbf" | g4-cpu -q --lags 5 --blocks 3 --component all -o default
    fails 2 frame-merge "$OLD/corr.mbf" default
    [[ $output == *"expected data.sum mic, as in "*", found ewald"* ]]
    frame-cut 3: "$OLD/posn.mbf" | rdf-cpu -q --bins 8 --rmax 5 --blocks 3 -o new
    frame-merge -q "$OLD/hist.mbf" new | bin2txt >/dev/null
}

@test "streams of codecs 2 and 3, of every kind, have the contents they had, as plain ones have" {
    for d in track link length; do
        cd "$ROOT/tests/golden/$d"
        for f in *.mbf; do
            echo "$f $(content "$f")"
            [ "$(frame-cut -q : "$f" | frame-cat -q --compress=1 | content)" = "$(content "$f")" ]
            frame-check -v "$f" 2>/dev/null | grep -q 'ratio 0\.'
        done >"$BATS_TEST_TMPDIR/now"
        cmp "$BATS_TEST_TMPDIR/now" contents
    done
}
