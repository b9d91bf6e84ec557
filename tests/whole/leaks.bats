# SPDX-License-Identifier: MIT
# sanitize
# Every program frees its memory for complete, cut and wrong input, as the leak sanitizer checks at
# the end.

load ../helpers

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit
    inputs 8 30
    for f in text posn dump velo msd corr hist table seri flux; do head -c -300 $f >$f.cut; done
    ln -s posn p
    ln -s posn.cut cut
    ln -s corr c
    ln -s hist h
    ln -s seri s
    ln -s table t
    { cat p; echo more; } >more
    fft-spectrum -q c -o sp
    md-cpu -q --atoms 64 --density 0.02 --steps 10 --restart r -o m
    for f in dcd ncdf trr xtc; do head -c 1500 "$DATA/formats/water10.$f" >"cut.$f"; done
}

setup() { cd "$BATS_FILE_TMPDIR" || return 1; }

# commands, one per line: for every program, by the declarations in its bats file, its input, this
# input cut, another kind of file and no file; then commands for other code paths
commands() {
    declared reads writes | while read -r p input options; do
        [ "$input" != - ] || { echo "$p $options"; continue; }
        other=$([ "$input" = "$POSN" ] && echo "$CORR" || echo "$POSN")
        for f in "$input" "$input.cut" "$other" "$DATA/argon8.xyz" gone; do echo "$p $options $f"; done
    done
    sed "s,@,$DATA/,g" <<'LIST'
unwrap --molecules gone p
msd-cpu --lags 2 --unwrapped p
msd-cpu --unwrapped --method fft cut
msd-cpu --molecules gone p
alpha-cpu --polarizability Ar=1.64 cut
alpha-cpu --model gone p
bin2txt --format json p
bin2xyz more
compare p cut
frame-cat p p
frame-cat p c
frame-check -v c h s sp
frame-check --strict p c h s
frame-check more
frame-cut 0:1 p
frame-cut 99: p
frame-cut -z : cut
frame-index -o i cut
frame-merge c c
frame-merge c h
frame-merge --max-mem 1 c
g4-cpu --lags 99 p
g4-cpu --method fft p
g4-cpu --sum ewald --lags 2 p
g4-cpu --max-mem 1 --lags 2 p
md-cpu -q --atoms 64 --density 0.02 --steps 10 --restart o -o n
md-cpu -q --from-restart r --steps 5
md-cpu -q --from-restart cut --steps 5 -o n
fqt-cpu --qmax 1 --lags 2 --self --pair all p
fqt-cpu --qmax 1 p
fqt-cpu --qmax 1 --lags 2 cut
fqt-cpu --direction 1,0,0 --qmax 0.01 p
sq-cpu --qmax 2 p
imd2bin --wait 0 --steps 3 127.0.0.1:1
imd2bin --open-end nowhere
traj2bin --format imd @../fuzz/corpus-imd/session
traj2bin --format imd @../fuzz/corpus-imd/cell
traj2bin --format imd @../fuzz/corpus-imd/cut
traj2bin --format imd @../fuzz/corpus-imd/gap
traj2bin @formats/water10.xtc
traj2bin @formats/water10.trr
traj2bin @formats/water10.ncdf
traj2bin --dt 1 @formats/water10.dcd
traj2bin --max-mem 1 @formats/water10.xtc
traj2bin cut.xtc
traj2bin cut.trr
traj2bin cut.ncdf
traj2bin --dt 1 cut.dcd
txt2bin t
xyz2bin --cell 20 -z @argon8.xyz
xyz2bin @dialects/no-final-newline.xyz
xyz2bin --species Xx @argon8.xyz
xyz2bin --max-mem 1 @argon8.xyz
xyz2bin @argon8.xyz t
LIST
}

@test "no program leaks, whatever it reads" {
    [ -n "${SANITIZED:-}" ] || skip "the sanitized programs look for leaks"
    [ -z "$(undeclared)" ] || { echo "expected a line '# reads:' or '# writes:', found none of $(undeclared)"; false; }
    commands | while read -r line; do
        # shellcheck disable=SC2086
        ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1:exitcode=99 $line >out 2>err </dev/null || [ $? -ne 99 ] || {
            echo "$line"
            head -n 20 err
            exit 1
        }
    done
}
