# SPDX-License-Identifier: MIT
# long
# GPU programs when the GPU fails: no memory at the n-th allocation, a launch that fails, a device
# that disappears, or a kill during the run. There must be one message, status 4 for memory and 3
# otherwise, and no file, and the next run must work. This uses the emulated machine or, with GPU=1,
# the real GPU, whose driver is replaced by preload_gpu.c.

load ../helpers

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit
    export IN=$BATS_FILE_TMPDIR
    export MOST=$(whole 6 12) EMU_DEVICES=2
    argon_gas 6 8
    beta-gen -q gas.mbf -o gas.pair
    printf 'molecule Ar2 Ar Ar\n site 1 1.64 charge 0.2\n site 2 0 charge -0.2\n' >moments
    export LIST=$IN/list WHERE=$TREE/emu PRELOAD=
    if [ "${GPU:-0}" = 1 ]; then
        export MOST=6 WHERE=$BIN PRELOAD=$IN/preload_gpu.so
        "${CC:-cc}" -shared -fPIC -D_GNU_SOURCE -o "$PRELOAD" "$ROOT/tests/unit/preload_gpu.c" -ldl
    fi
    while read -r line; do
        [ ! -x "$WHERE/${line%% *}" ] || echo "$WHERE/$line"
    done <<LIST >"$LIST"
g4-gpu -q --lags 3 -o out $IN/gas.mbf
g4-gpu -q --devices all --lags 3 -o out $IN/gas.mbf
g4-gpu -q --method fft --lags 3 -o out $IN/gas.mbf
g4-gpu -q --lags 3 --series series -o out $IN/gas.pair
sq-gpu -q --qmax 1 -o out $IN/gas.mbf
alpha-gpu -q --polarizability Ar=1.64 -o out $IN/gas.mbf
alpha-gpu -q --dipole --model $IN/moments -o out $IN/gas.mbf
fqt-gpu -q --qmax 1 --lags 3 -o out $IN/gas.mbf
rdf-gpu -q --bins 50 -o out $IN/gas.mbf
ql-gpu -q --rmax 3 --averaged -o out $IN/gas.mbf
md-gpu -q --atoms 64 --density 0.02 --steps 10 --every 5 --thermo thermo --restart restart -o out
LIST
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    [ -s "$LIST" ] || skip "no GPU programs in this tree"
}

@test "the n-th allocation, launch or call of the GPU fails: status 4 or 3, one message, no file" {
    for p in "$BIN"/*-gpu; do
        [ ! -x "$WHERE/${p##*/}" ] || grep -q "/${p##*/} " "$LIST" || { echo "no command of $p"; false; }
    done
    mkdir here
    cd here
    # four runs at a time, because each run mostly waits for the start of CUDA
    xargs -P 4 -d '\n' -n 1 bash -c 'mkdir $$ && cd $$ && "$TREE/tests/unit/nth" $MOST "$PRELOAD" $1 >../said.$$ </dev/null || { echo "$1"; cat ../said.$$; exit 1; }' - <"$LIST"
    awk '/runs, 0 break/ { n++; if ($1 < 18) { print FILENAME, $0; bad = 1 } } END { exit bad || n != lines }' lines="$(wc -l <"$LIST")" said.*
}

@test "kill -9 in the middle of a run: no file, and the next run works" {
    [ "${GPU:-0}" = 1 ] && argon_gas 400 2000 || argon_gas 30 200
    while read -r p _; do
        case $p in
        */md-gpu) run="-q --atoms 4000 --density 0.02 --steps 100000 --every 100" ;;
        */g4-gpu) run="-q --method direct --lags 30 gas.mbf" ;;
        */sq-gpu) run="-q --qmax 8 gas.mbf" ;;
        */fqt-gpu) run="-q --qmax 8 --lags 20 gas.mbf" ;;
        */ql-gpu) run="-q --rmax 3 --averaged gas.mbf" ;;
        */rdf-gpu) run="-q --bins 500 gas.mbf" ;;
        */alpha-gpu) run="-q --polarizability Ar=1.64 gas.mbf" ;;
        esac
        # shellcheck disable=SC2086
        for after in 0.1 0.6; do
            "$p" $run -o killed &
            sleep $after
            kill -9 $! || true
            wait $! || [ $? -eq 137 ]
            rm -f .killed*
            [ ! -e killed ] || frame-check -q killed # it was quicker
            rm -f killed
        done
        [ -z "$(ls -A | grep -v '^gas.mbf$')" ]
        sed -n "s,^$p ,,p" "$LIST" | head -n 1 | xargs "$p"
        frame-check -q out
        rm -f out thermo restart
    done < <(sort -u -k 1,1 "$LIST")
}
