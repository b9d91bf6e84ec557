# SPDX-License-Identifier: MIT
# sanitize
# Every program gives back what it took, of whole, cut and wrong input: the leak sanitizer looks
# when it ends.

load ../helpers

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit
    xyz2bin -q --cell 20 --dt 0.01 "$DATA/argon8.xyz" -o p
    head -c 900 p >cut
    { cat p; echo more; } >more
    g4-cpu -q --lags 2 p -o c
    rdf-cpu -q p -o h
    seq 30 >t
    txt2bin --dt 1 t -o s
    fft-spectrum -q c -o sp
    md-cpu -q --atoms 64 --density 0.02 --steps 10 --restart r -o m
    for f in dcd ncdf trr xtc; do head -c 1500 "$DATA/formats/water10.$f" >"cut.$f"; done
}

setup() { cd "$BATS_FILE_TMPDIR" || return 1; }

# commands, one a line
commands() {
    sed "s,@,$DATA/,g" <<'LIST'
acf s
acf p
acf cut
unwrap p
unwrap cut
unwrap --molecules gone p
vacf-cpu p
msd-cpu --lags 2 --unwrapped p
msd-cpu --unwrapped --method fft cut
msd-cpu --molecules gone p
green-kubo s
green-kubo cut
einstein c
einstein cut
alpha-cpu --polarizability Ar=1.64 --order 1 p
alpha-cpu --polarizability Ar=1.64 cut
alpha-cpu --model gone p
beta-gen p
beta-gen cut
bin2txt c
bin2txt cut
bin2txt t
bin2txt --format json p
bin2xyz p
bin2xyz cut
bin2xyz more
bin2xyz c
compare c c
compare c h
compare p cut
fft-spectrum c
fft-spectrum cut
nmr-rates --spins 8 c
nmr-rates --spins 8 cut
fft-spectrum p
frame-cat p p
frame-cat p c
frame-cat cut p
frame-check -v c h s sp
frame-check --strict p c h s
frame-check cut
frame-check more
frame-cut 0:1 p
frame-cut -z : cut
frame-cut : c
frame-cut 99: p
frame-index -o i cut
frame-merge c
frame-merge c c
frame-merge c h
frame-merge c cut
frame-merge --max-mem 1 c
g4-cpu --lags 2 p
g4-cpu --lags 2 cut
g4-cpu --lags 99 p
g4-cpu --method fft p
g4-cpu --sum ewald --lags 2 p
g4-cpu --max-mem 1 --lags 2 p
g4-cpu c
md-cpu -q --atoms 64 --density 0.02 --steps 10 --restart o -o n
md-cpu -q --from-restart r --steps 5
md-cpu -q --from-restart cut --steps 5 -o n
rdf-cpu p
rdf-cpu cut
rdf-cpu c
rdf2sq h
rdf2sq c
rdf2sq cut
fqt-cpu --qmax 1 --lags 2 --self --pair all p
fqt-cpu --qmax 1 p
fqt-cpu --qmax 1 --lags 2 cut
fqt-cpu --direction 1,0,0 --qmax 0.01 p
sq-cpu --qmax 2 p
sq-cpu --qmax 2 cut
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
traj2bin p
txt2bin --dt 1 t
txt2bin --dt 1 p
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
    for p in "$BIN"/*; do commands | grep -q "^${p##*/} " || { echo "no command of $p"; false; }; done
    commands | while read -r line; do
        # shellcheck disable=SC2086
        ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1:exitcode=99 $line >out 2>err </dev/null || [ $? -ne 99 ] || {
            echo "$line"
            head -n 20 err
            exit 1
        }
    done
}
