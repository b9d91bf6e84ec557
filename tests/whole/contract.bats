# SPDX-License-Identifier: MIT
# sanitize
# Tests the promises of every program in a loop (the contract of architecture.md).

load ../helpers

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit
    export POSN=$BATS_FILE_TMPDIR/a.mbf CORR=$BATS_FILE_TMPDIR/c.mbf HIST=$BATS_FILE_TMPDIR/h.mbf SPEC=$BATS_FILE_TMPDIR/s.mbf \
        SERI=$BATS_FILE_TMPDIR/t.mbf VELO=$BATS_FILE_TMPDIR/v.mbf
    xyz2bin --select 0:40 "$DATA/argon256.xyz.gz" -o "$POSN"
    md-cpu -q --atoms 64 --density 0.02 --steps 40 --every 4 --velocities -o "$VELO"
    g4-cpu --lags 4 "$POSN" -o "$CORR"
    rdf-cpu "$POSN" -o "$HIST"
    fft-spectrum -q "$CORR" -o "$SPEC"
    seq 100 | txt2bin --dt 1 -o "$SERI"
}

# Lists every program of the build, without GPU programs on a host without a GPU.
programs() {
    local p
    for p in "$BIN"/*; do
        p=${p##*/}
        case $p in
        *-gpu) [ "${GPU:-0}" = 1 ] && echo "$p" ;;
        *) echo "$p" ;;
        esac
    done
}

# Programs that read one frame stream from stdin, with a good input for each: "program input
# options".
readers() {
    declared reads
}

@test "--help: usage on stdout, examples last, at most 80 columns, status 0, no GPU needed" {
    for p in "$BIN"/*; do
        name=${p##*/}
        CUDA_VISIBLE_DEVICES="" run "$p" --help-all
        [ "$status" -eq 0 ] || { echo "$name: $status"; false; }
        [[ ${lines[0]} == "Usage: $name "* ]] || { echo "$name: ${lines[0]}"; false; }
        [[ $output == *"Examples:"*"$name"* ]] || { echo "$name: no example"; false; }
        [[ $output == *"--output"* && $output == *"--max-mem"* ]]
        wide=$(awk '{ gsub(/\xc3./, "A") } length > 80' <<<"$output")
        [ -z "$wide" ] || { echo "$name: $wide"; false; }
        # --help has the program's own options and one line for the common ones
        "$p" -h >own
        "$p" --help | command cmp - own
        grep -q '^Common options (-o FILE, .*-t N, -q, -v, \.\.\.): --help-all or mbf(7)\.$' own
        ! grep -qE -- '^ +(-[a-zA-Z], )?--(output|max-mem|quiet)' own
        [ -z "$(grep -vxFf <(printf '%s\n' "$output") own | grep -v '^Common options')" ]
        awk '{ gsub(/\xc3./, "A") } length > 80 { exit 1 }' own
    done
}

@test "--version: name, version, then build facts" {
    for p in "$BIN"/*; do
        CUDA_VISIBLE_DEVICES="" run "$p" -V
        [ "$status" -eq 0 ]
        [[ ${lines[0]} =~ ^${p##*/}\ [0-9]+\.[0-9]+\.[0-9]+$ ]] || { echo "${lines[0]}"; false; }
        [[ ${lines[1]} == "format MBF 1.4" && $output == *compiler* && $output == *threads* ]]
    done
}

@test "--help: lines that are broken go on in one column; a number out of its range is told the range" {
    for p in "$BIN"/*; do
        [ "$("$p" --help-all | sed -nE 's/^( {8,}).*/\1|/p' | sort -u | wc -l)" -eq 1 ] || { echo "$p"; "$p" --help-all; false; }
    done
    fails 2 rdf-cpu --rmax x
    [ "$output" = "rdf-cpu: --rmax: expected a number from 1e-09 to 1e+09, found 'x'" ]
    fails 2 sq-cpu --qmax -1
    [ "$output" = "sq-cpu: --qmax: expected a number from 1e-06 to 1e+06, found '-1'" ]
}

@test "MBF_SIMD chooses a level that the machine has, and nothing else does" {
    best=$(rdf-cpu --version | tail -n 1)
    levels=$(grep -qw avx512cd /proc/cpuinfo && echo 2 3 4 || { grep -qw avx2 /proc/cpuinfo && echo 2 3; } || echo 2)
    for l in $levels; do
        [[ $(MBF_SIMD=v$l rdf-cpu --version | tail -n 1) == "threads "*", x86-64-v$l"* ]]
    done
    [[ $best == *", x86-64-v$l"* ]]
    for other in v1 v5 v v2x x2 2 ''; do
        [ "$(MBF_SIMD=$other rdf-cpu --version | tail -n 1)" = "$best" ] || { echo "$other"; false; }
    done
}

@test "--help and --version to a full disk or a closed stdout: status 3, and one line that says so" {
    for p in "$BIN"/*; do
        for o in --help --help-all --version; do
            for to in full closed; do
                [ $to = closed ] || [ -w /dev/full ] || continue
                status=0
                if [ $to = full ]; then
                    CUDA_VISIBLE_DEVICES="" "$p" $o >/dev/full 2>err || status=$?
                else
                    CUDA_VISIBLE_DEVICES="" "$p" $o >&- 2>err || status=$?
                fi
                [ "$status" -eq 3 ] || { echo "$p $o $to: $status"; false; }
                grep -qx "${p##*/}: stdout: cannot write: .*" err || { echo "$p $o $to:"; cat err; false; }
                [ "$(wc -l <err)" -eq 1 ]
            done
        done
    done
}

@test "an unknown option is one line on stderr that names the program, status 2, nothing on stdout" {
    for p in $(programs); do
        status=0
        "$p" --no-such-option >out 2>err </dev/null || status=$?
        [ "$status" -eq 2 ] || { echo "$p: $status"; false; }
        [ ! -s out ]
        [ "$(wc -l <err)" -eq 1 ]
        grep -q "^$p: .*no-such-option" err
    done
}

@test "a number that is not one, or out of range, is refused whole" {
    for v in 1x 0 -1 "" 1e999 99999999999999999999; do
        fails 2 g4-cpu --lags "$v" "$POSN"
        [[ $output == *"--lags"*"'$v'"* ]] || { echo "$output"; false; }
    done
    fails 2 frame-check --max-mem 12Q "$POSN"
    fails 2 beta-gen --sigma nan "$POSN"
}

@test "an empty name, from a variable that was never set, is refused before anything is read" {
    readers | while read -r p input options; do
        for bad in -o --log; do
            # shellcheck disable=SC2086
            fails 2 "$p" $options no-such-file "$bad" ""
            [[ $output == *": expected FILE"*", found ''" && ${#lines[@]} -eq 1 ]] || { echo "$p $bad: $output"; false; }
        done
        # shellcheck disable=SC2086
        fails 2 "$p" $options ""
        [[ $output == *": expected "*", found ''" && ${#lines[@]} -eq 1 ]] || { echo "$p: $output"; false; }
    done
}

@test "every reader gives the same bytes from stdin, from -, from a file and after --" {
    readers | while read -r p input options; do
        [ "$p" = frame-check ] && continue # its verdict names the file
        # shellcheck disable=SC2086
        case $p in
        frame-cut)
            "$p" $options "$input" >a
            "$p" $options <"$input" >b
            "$p" $options - <"$input" >c
            "$p" -- $options "$input" >d
            ;;
        *)
            "$p" $options "$input" >a
            "$p" $options <"$input" >b
            "$p" $options - <"$input" >c
            "$p" $options -- "$input" >d
            ;;
        esac
        cmp a b && cmp a c && cmp a d || { echo "$p"; exit 1; }
    done
}

@test "every reader: -o writes the same bytes as stdout, and leaves no temporary file" {
    mkdir -p out
    readers | while read -r p input options; do
        # shellcheck disable=SC2086
        "$p" $options "$input" >a
        "$p" $options "$input" -o out/b
        cmp a out/b || { echo "$p"; exit 1; }
        [ "$(ls out)" = b ] || { ls out; exit 1; }
        rm out/b
    done
}

@test "every reader: empty input is status 2 and says so" {
    readers | while read -r p input options; do
        # shellcheck disable=SC2086
        fails 2 "$p" $options </dev/null || exit 1
        [[ $output == *empty* || $output == *"zero bytes"* ]] || { echo "$p: $output"; exit 1; }
    done
}

@test "every reader: a cut stream is status 2, TRUNCATED, and no result under the final name" {
    readers | while read -r p input options; do
        head -c "$(($(stat -c %s "$input") - 300))" "$input" >cut
        rm -f result
        # shellcheck disable=SC2086
        fails 2 "$p" $options -o result cut || exit 1
        [[ $output == *TRUNCATED* ]] || { echo "$p: $output"; exit 1; }
        # shellcheck disable=SC2086
        fails 2 "$p" $options -o result - <cut || exit 1
        [[ $p == frame-check || ! -e result ]] || { echo "$p left a result"; exit 1; }
    done
}

@test "every reader: one flipped byte in the payload is status 2, CORRUPT" {
    readers | while read -r p input options; do
        cp "$input" bad
        at=$(($(stat -c %s "$input") - 700))
        printf '\xa5' | dd of=bad bs=1 seek=$at conv=notrunc status=none
        cmp -s bad "$input" && printf '\x5a' | dd of=bad bs=1 seek=$at conv=notrunc status=none
        # shellcheck disable=SC2086
        fails 2 "$p" $options <bad || exit 1
        [[ $output == *CORRUPT* ]] || { echo "$p: $output"; exit 1; }
    done
}

@test "every reader: text instead of frames is status 2 and shown" {
    readers | while read -r p input options; do
        # shellcheck disable=SC2086
        fails 2 "$p" $options <"$DATA/argon8.xyz" || exit 1
        [[ $output == *text* ]] || { echo "$p: $output"; exit 1; }
    done
}

@test "every reader: a full disk is status 3" {
    [ -w /dev/full ] || skip "no /dev/full"
    readers | while read -r p input options; do
        status=0
        # shellcheck disable=SC2086
        "$p" $options "$input" >/dev/full 2>err || status=$?
        [ "$status" -eq 3 ] || { echo "$p: $status"; cat err; exit 1; }
        grep -q "^$p: .*" err
        status=0
        # shellcheck disable=SC2086
        "$p" $options "$input" -o /dev/full 2>err || status=$?
        [ "$status" -eq 3 ] || { echo "$p -o: $status"; cat err; exit 1; }
        [ -c /dev/full ]
    done
}

@test "every reader: an output folder that does not exist is status 3 and named" {
    readers | while read -r p input options; do
        # shellcheck disable=SC2086
        fails 3 "$p" $options "$input" -o no/such/folder/file || exit 1
        [[ $output == *no/such/folder* ]] || { echo "$p: $output"; exit 1; }
    done
}

@test "every reader: a missing file is status 3, named, with the reason" {
    readers | while read -r p input options; do
        # shellcheck disable=SC2086
        fails 3 "$p" $options nowhere.mbf || exit 1
        [[ $output == *nowhere.mbf*"No such file"* ]] || { echo "$p: $output"; exit 1; }
    done
}

@test "every reader: closed descriptors 0, 1 and 2 never make a good status out of a lost result" {
    readers | while read -r p input options; do
        status=0
        # shellcheck disable=SC2086
        "$p" $options <&- >out 2>err || status=$?
        [ "$status" -ne 0 ] || { echo "$p: read a closed stdin"; exit 1; }
        status=0
        # shellcheck disable=SC2086
        "$p" $options "$input" >&- 2>err || status=$?
        [ "$status" -eq 3 ] || { echo "$p: closed stdout gave $status"; cat err; exit 1; }
        # shellcheck disable=SC2086
        "$p" $options "$input" 2>&- >a
        # shellcheck disable=SC2086
        "$p" $options "$input" >b 2>/dev/null
        cmp a b || { echo "$p: closed stderr changed the result"; exit 1; }
    done
}

@test "every reader: head closes the pipe and nothing is said" {
    readers | while read -r p input options; do
        # shellcheck disable=SC2086
        { env --default-signal=PIPE "$p" $options "$input" 2>err | head -c 1 >one; } || true # whoever started this may ignore it
        [ -s one ] && [ ! -s err ] || { echo "$p:"; cat err; exit 1; }
    done
}

@test "a stage that dies makes every stage after it fail, with and without pipefail" {
    xyz2bin "$DATA/argon256.xyz.gz" >whole.mbf
    for n in 200 100000 2000000; do
        for pf in +o -o; do
            set $pf pipefail
            status=0
            { head -c $n whole.mbf | beta-gen 2>e1 | g4-cpu --lags 4 2>e2 | fft-spectrum -q 2>e3 | bin2txt >txt 2>e4; } || status=$?
            set +o pipefail
            [ "$status" -eq 2 ] || { echo "$status after $n bytes"; cat e?; false; }
            [ ! -s txt ]
        done
    done
}

@test "identical bytes for 1 and 2 threads" {
    readers | while read -r p input options; do
        # shellcheck disable=SC2086
        "$p" $options -t 1 "$input" >a
        # shellcheck disable=SC2086
        "$p" $options -t 2 "$input" >b
        cmp a b || { echo "$p"; exit 1; }
    done
}

@test "--quiet and --verbose: -q is silent on success, -v ends with the summary line" {
    readers | while read -r p input options; do
        # shellcheck disable=SC2086
        "$p" $options -q "$input" 2>err >/dev/null
        [ ! -s err ] || { echo "$p:"; cat err; exit 1; }
        # shellcheck disable=SC2086
        "$p" ${options/-q /} -v "$input" 2>err >/dev/null
        tail -n 1 err | grep -q "^$p: [0-9]* frames, [0-9]* bytes, .* s, .* GB/s" || { echo "$p:"; cat err; exit 1; }
    done
}

@test "programs that write frames refuse a terminal without --force" {
    command -v script >/dev/null || skip "no script(1)"
    for p in beta-gen frame-cat; do
        run timeout 60 script -qec "$p $POSN" /dev/null
        [ "$status" -eq 2 ]
        [[ $output == *terminal* ]]
    done
}

@test "a word that is not known: which one was near, in whatever case" {
    meant() { # VALUE MEANT PROGRAM OPTION; MEANT empty: none is near
        fails 2 "$3" "$4" "$1" /dev/null
        [[ $output == "$3: $4: "*"found '$1'${2:+ (did you mean $2?)}" ]] || { echo "$output"; false; }
    }
    meant hlaf half rdf-cpu --rmax
    meant Corner corner rdf-cpu --rmax
    meant 12x '' rdf-cpu --rmax
    meant Hann hann fft-spectrum --window
    meant haan hann fft-spectrum --window
    meant bartlett '' fft-spectrum --window
    meant thz THz fft-spectrum --unit
    meant tvs tsv bin2txt --format
    meant h '' rdf-cpu --rmax
    meant ewlad ewald g4-cpu --sum
    meant Taper taper beta-gen --sum
    meant spheres '' g4-cpu --sum
    fails 2 g4-cpu --sum ewalds:pairs /dev/null
    [[ $output == "g4-cpu: --sum: expected mic, taper, taper:R1,R2, ewald, "*"found 'ewalds:pairs'" ]]
}

@test "names of atoms that are missing: who needs them says how to give them" {
    traj2bin -q --velocities "$DATA/formats/water10.trr" -o nameless.mbf
    ! bin2txt --meta nameless.mbf | grep -q sys.species || false
    hint="name the atoms, e.g. traj2bin --species '3*(O 1 H 2) Na 1'"
    printf 'molecule H2O  O H H\n  site O  1.40 1.47 1.42   frame 2-3,1\n' >model
    for c in "rdf-cpu --pair O-H" "sq-cpu --weights O=5.8,H=6.67" "fqt-cpu --qmax 3 --weights O=5,H=6" "alpha-cpu --model model" "frame-cut --species O" \
        "g4-cpu --sigma 3 --pair O-O" "beta-gen --sigma 3 --weights O=1" "vacf-cpu --weights mass" "vacf-cpu --weights O=1,H=2"; do
        # shellcheck disable=SC2086 # words
        fails 2 $c nameless.mbf -o no.mbf
        [[ ${#lines[@]} -eq 1 && ! -e no.mbf ]]
        [[ $output == *"$hint"* || ($c == *O=1,H=2 && $output == *"name them with traj2bin --species or --topology"*) ]] || { echo "$c: $output"; false; }
    done
    # names of some programs
    fails 2 traj2bin --species '3*(O 1 H 2)' "$DATA/formats/water10.xtc" -o no.mbf
    [ "$output" = "traj2bin: --species 3*(O 1 H 2): sys.species: expected names for 10 atoms, found names for 9 atoms" ]
}

@test "an option that is not known: which it is, what was near, and what it could be short for" {
    see="(see g4-cpu --help)"
    fails 2 g4-cpu --lag-count=4 /dev/null
    [ "$output" = "g4-cpu: unknown option '--lag-count' $see" ]
    fails 2 g4-cpu --lgas=4 /dev/null
    [ "$output" = "g4-cpu: unknown option '--lgas': did you mean --lags? $see" ]
    fails 2 g4-cpu --componnent xz /dev/null
    [ "$output" = "g4-cpu: unknown option '--componnent': did you mean --component? $see" ]
    fails 2 g4-cpu --comp /dev/null
    [ "$output" = "g4-cpu: ambiguous option '--comp': --component, --components or --compress $see" ]
    fails 2 g4-cpu --c=1 /dev/null
    [ "$output" = "g4-cpu: ambiguous option '--c': --component, --cutoff, --components or --compress $see" ]
    fails 2 g4-cpu -x /dev/null
    [ "$output" = "g4-cpu: unknown option '-x' $see" ]
    fails 2 g4-cpu -lags 4 /dev/null # as GROMACS and LAMMPS spell options
    [ "$output" = "g4-cpu: unknown option '-lags': did you mean --lags? $see" ]
    fails 2 g4-cpu /dev/null -component=xz
    [ "$output" = "g4-cpu: unknown option '-component': did you mean --component? $see" ]
    fails 2 g4-cpu -x -lags 4 /dev/null
    [ "$output" = "g4-cpu: unknown option '-x' $see" ]
    fails 2 g4-cpu -qx
    [ "$output" = "g4-cpu: unknown option '-x' $see" ]
    fails 2 g4-cpu /dev/null --series
    [ "$output" = "g4-cpu: option --series needs FILE $see" ]
}

@test "American spellings are options, too" {
    xyz2bin "$DATA/argon8.xyz" -o a.mbf
    rdf-cpu --normalization lecture a.mbf -o us
    rdf-cpu --normalisation lecture a.mbf -o uk
    cmp us uk
    md-cpu --steps 1 --neighbors all-pairs a.mbf -o us
    md-cpu --steps 1 --neighb all-pairs a.mbf -o uk # short for both, which are one
    cmp us uk
}

# options PROGRAM: the long options of its --help, sorted.
options() {
    CUDA_VISIBLE_DEVICES="" "$1" --help-all | grep -oE '^ {2,6}(-[a-zA-Z], )?--[a-z0-9-]+' | grep -oE -- '--[a-z0-9-]+' | sort -u
}

# completed WORD...: the completions of bash for the last word of a command line.
completed() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    "$(complete -p "$1" | sed 's/.*-F \([^ ]*\) .*/\1/')" 2>/dev/null
    printf '%s\n' "${COMPREPLY[@]}" | sort
}

@test "--completion: what bash, zsh and fish offer is what the option table has" {
    for p in "$BIN"/*; do
        name=${p##*/}
        source <("$p" --completion bash)
        [ "$(completed "$name" --)" = "$(options "$p")" ] || { echo "$name"; false; }
        [ "$("$p" --completion zsh | sed -nE "s/^    '(\(-. )?(--[a-z0-9-]+)[]=[)].*/\2/p" | sort)" = "$(options "$p")" ]
        [ "$("$p" --completion fish | sed -n "s/^complete -c $name -l \([a-z0-9-]*\) .*/--\1/p" | sort)" = "$(options "$p")" ]
    done
    source <(rdf-cpu --completion bash)
    [ "$(completed rdf-cpu --algo)" = --algorithm ]
    [ "$(completed rdf-cpu --algorithm "" | paste -sd ' ')" = "all-pairs auto cells" ]
    [ "$(completed rdf-cpu --algorithm = c)" = cells ]
    [ -z "$(completed rdf-cpu --bins "")" ]
    touch here.mbf
    [ "$(completed rdf-cpu -o her)" = here.mbf ]
    [ "$(completed rdf-cpu her)" = here.mbf ]
    fails 2 rdf-cpu --completion csh
    [ "$output" = "rdf-cpu: --completion: expected bash, zsh or fish, found 'csh'" ]
    if command -v zsh >/dev/null; then
        for p in "$BIN"/*; do "$p" --completion zsh >_x && zsh -fn _x; done
    fi
    command -v fish >/dev/null || skip "no fish: its completions were read, not run"
    for p in "$BIN"/*; do "$p" --completion fish >x.fish && fish -n x.fish; done
    HOME=$PWD fish -c 'rdf-cpu --completion fish | source; complete -C "rdf-cpu --algorithm "' | cut -f1 >offered
    grep -qx cells offered && grep -qx all-pairs offered
}

@test "a program under a prefix speaks with it: name, usage, examples, and of the others" {
    mkdir bin
    for p in compare xyz2bin g4-cpu; do ln -s "$BIN/$p" bin/mbf-$p; done
    [ "$(bin/mbf-compare --version | head -n 1)" = "mbf-$(compare --version | head -n 1)" ]
    bin/mbf-compare --help >help
    grep -q '^Usage: mbf-compare ' help
    grep -q '^  mbf-g4-cpu --lags 8 argon.mbf | mbf-compare - reference.mbf' help
    [ -z "$(grep -E '(^|[^-])\b(compare|g4-cpu)\b' help | grep -v mbf-)" ]
    fails 2 bin/mbf-compare --rotl 1
    [[ $output == "mbf-compare: unknown option '--rotl': did you mean --rtol? (see mbf-compare --help)" ]]
    fails 2 bin/mbf-xyz2bin "$DATA/formats/water10.xtc"
    [[ $output == *"mbf-xyz2bin: "*": is an XTC trajectory: mbf-traj2bin reads it"* ]]
    # names in the stream stay, so that its bytes do not depend on the installation
    cmp <(bin/mbf-xyz2bin "$DATA/argon8.xyz") <(xyz2bin "$DATA/argon8.xyz")
    bin/mbf-g4-cpu --completion bash | grep -q 'complete .* mbf-g4-cpu$'
}

@test "progress: one program of a pipe shows it, with the time to go; -q and files see none" {
    command -v script >/dev/null || skip "no script(1)"
    shown() { timeout 60 script -qec "$1" /dev/null </dev/null | tr '\r' '\n' | sed 's/\x1b\[K//g' | grep -E '^((md|rdf|g4)-cpu|compare): [0-9]+ '; }
    run="md-cpu --atoms 500 --density 0.02 --steps 4000000000 --every 50"
    shown "timeout 3 $run -o /dev/null" >said
    grep -qE '^md-cpu: [0-9]+ of 4000000000 steps, .*/s, [0-9]+ s to go$' said
    shown "timeout 4 sh -c '$run | rdf-cpu --bins 50 -o /dev/null'" >said
    [ -n "$(grep -E '^(md-cpu|rdf-cpu): [0-9]+ ' said)" ] || { cat said; false; }
    [ "$(grep -oE '^(md-cpu|rdf-cpu): [0-9]+ ' said | cut -d: -f1 | sort -u | wc -l)" -eq 1 ] || { cat said; false; }
    [ -z "$(shown "timeout 2 $run -q -o /dev/null")" ]
    # a pass of many pairs of pairs, long after all frames were read
    shown "timeout 2 g4-cpu -t 1 --method direct --lags 20 '$POSN' -o /dev/null" >said
    grep -qE '^g4-cpu: [1-9][0-9]* of [0-9]+ tiles of pairs, .*/s, [0-9]+ s to go$' said
    # the ends of two pipes are unknown
    shown "timeout 3 bash -c 'compare <($run -q) <($run -q)'" >said
    grep -qE '^compare: [1-9][0-9]* bytes, .*/s$' said
    [ -z "$(timeout 2 $run 2>&1 >/dev/null)" ]
}

@test "progress in a file: with -v a line per minute, otherwise none" {
    [ -n "${CHECK_ALL:-}" ] || skip "takes a minute: make check-all"
    slowly() { head -c 40000 "$POSN"; sleep 61; tail -c +40001 "$POSN"; }
    slowly | frame-cut -v : 2>said >/dev/null &
    slowly | frame-cut : 2>none >/dev/null
    wait $!
    [ "$(grep -cE '^frame-cut: [1-9][0-9]* steps, [0-9.e-]+/s$' said)" -eq 1 ] || { cat said; false; }
    [ ! -s none ]
}

@test "-t 4096: the same bytes, in no more time or memory than a few threads want" {
    [ -z "$SANITIZED" ] || skip "memory is the sanitizer's"
    readers | while read -r p input options; do
        [ "$p" = frame-check ] && continue
        # shellcheck disable=SC2086
        "$p" $options -t 1 "$input" >a
        # shellcheck disable=SC2086
        (ulimit -v 1000000 && timeout 20 "$p" $options -t 4096 "$input" >b) || { echo "$p"; exit 1; }
        cmp a b || { echo "$p"; exit 1; }
    done
}

@test "limits of the process are limits of memory: ulimit -v and -d make status 4 with need and limit" {
    [ -z "$SANITIZED" ] || skip "memory is the sanitizer's"
    for u in v d; do
        fails 4 bash -c "ulimit -$u 60000; rdf-cpu -t 8 --blocks 8 --bins 1000000 '$POSN' -o out"
        [[ $output == *GiB*MiB*max-mem* ]] || { echo "$output"; false; }
        [ ! -e out ]
    done
    # memory that --max-mem allows but the process cannot get
    fails 4 bash -c 'printf "50000000\n\nAr 1 2 3\n" | (ulimit -v 400000; exec xyz2bin --max-mem 8G -o out)'
    [[ $output == "xyz2bin: stdin: out of memory for a frame" && ! -e out ]] || { echo "$output"; false; }
}
