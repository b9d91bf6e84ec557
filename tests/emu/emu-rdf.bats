# SPDX-License-Identifier: MIT
# The engine of rdf-gpu on an emulated machine (tests/emu): every kernel gives exactly the counts of
# rdf-cpu, without a GPU.
load ../helpers
LEAN="20 0 0 4 18 0 -3 5 19"

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    emulated rdf-gpu
}

# counted FILE OPTION...: both engines give the same counts, which are not all 0. HOW is the
# machine, and DEVICES are its options.
counted() {
    local f=$1
    shift
    rdf-cpu -q "$@" "$f" -o cpu.hist
    [ "$(bin2txt cpu.hist | awk '!/^#/ { n += $2 } END { print (n > 0) }')" -eq 1 ] || { echo "$f $*: nothing to count"; return 1; }
    # shellcheck disable=SC2086
    env $HOW "$EMU" -q $DEVICES "$@" "$f" -o emu.hist || return 1
    compare -q cpu.hist emu.hist >/dev/null && [ "$(content cpu.hist)" = "$(content emu.hist)" ] || { echo "$HOW $f $*"; compare cpu.hist emu.hist; return 1; }
}

# mixed FILE CELL ATOMS FRAMES [GROW]: three atoms of A to two of B and one of C, as FILE.mbf, and
# as FILE64.mbf in f64
mixed() {
    cloud "${@:2}" | awk 'NF == 1 { n = 0 } $1 == "Ar" { $1 = substr("AABACB", ++n % 6 + 1, 1) } 1' >"$1.xyz"
    xyz2bin -q --unsorted-ok "$1.xyz" -o "$1.mbf"
    xyz2bin -q --unsorted-ok --dtype f64 "$1.xyz" -o "$1"64.mbf
}

# corner: pairs at exactly the largest possible distance, which belong to the last bin, as
# corner.mbf and corner64.mbf
corner() {
    printf '4\nLattice="8 0 0 0 8 0 0 0 8" Properties=species:S:1:pos:R:3\nA 0 0 0\nA 4 4 4\nB 1 2 3\nB 5 6 7\n' >corner.xyz
    xyz2bin -q corner.xyz -o corner.mbf
    xyz2bin -q --dtype f64 corner.xyz -o corner64.mbf
}

@test "emulated rdf-gpu: small frames, a block of threads each: one species, partial pairs, leaning cells, blocks, f64" {
    n=$(whole 63 201)
    mixed cube "$CUBE" "$n" 9
    seq 0 $((n - 1)) | xargs -n 3 >three
    mixed skew "$LEAN" "$n" 5
    mixed grown "$CUBE" "$n" 5 0.01
    bin2xyz cube.mbf | sed 's/pbc="[^"]*"/pbc="F T T"/' | awk '$1 ~ /^[ABC]$/ { $2 *= 1 + int(++k / 300) / 9 } 1' | xyz2bin -q --unsorted-ok -o slab.mbf
    corner
    for f in cube cube64 skew skew64 grown slab; do
        counted $f.mbf
        counted $f.mbf --pair A-A --pair A-C --bins 77 --rmax half
        counted $f.mbf --pair all --blocks 3 --bins 400
        counted $f.mbf --exclude three --bins 50
    done
    for f in cube corner corner64; do
        counted $f.mbf --bins 90 --rmax corner
        counted $f.mbf --bins 90 --rmax corner --axes xz
    done
    for f in cube cube64 skew skew64 slab; do # pairs between two times
        counted $f.mbf --lag 0,1,4 --unwrapped
        counted $f.mbf --lag 1:4:2 --unwrapped --pair all --blocks 3 --exclude three --bins 77
    done
    HOW=EMU_BACKWARD=1 counted cube.mbf --pair all --lag 0:5 --unwrapped
    HOW=EMU_BACKWARD=1 counted cube.mbf --pair all
    HOW=EMU_SMS=1 counted skew.mbf --blocks 2
    HOW=EMU_DEVICES=3 DEVICES="--devices all" counted cube.mbf
}

@test "emulated rdf-gpu: large frames, sorted, in clusters with boxes: the same, and with more atoms than a block holds" {
    mixed cube "$CUBE" "$(whole 700 3000)" 2
    mixed skew "$LEAN" "$(whole 500 3000)" 2
    mixed grown "$CUBE" "$(whole 300 3000)" 3 0.01
    mixed wide "90 0 0 0 60 0 0 0 40" "$(whole 2500 9000)" 1 # far boxes are out of reach
    mixed dense "$CUBE" 5000 1 # boxes so near that no pair of them is tested
    corner
    counted wide.mbf --algorithm cells --axes xy
    for f in cube cube64 skew skew64 grown wide wide64; do
        counted $f.mbf --algorithm cells --bins 300
        counted $f.mbf --algorithm cells --pair all --rmax 4 --bins 40
    done
    for f in cube cube64 skew skew64; do # pairs between two times
        counted $f.mbf --algorithm cells --lag 0,1 --unwrapped --bins 300
        counted $f.mbf --algorithm cells --lag 1 --unwrapped --pair A-B --pair B-B --rmax 4 --bins 40
    done
    counted wide.mbf
    counted dense.mbf
    counted dense.mbf --algorithm cells --bins 60 --rmax 8 --pair all
    for f in corner corner64; do
        counted $f.mbf --algorithm cells --bins 90 --rmax corner
    done
    counted grown.mbf --algorithm cells --blocks 3 --rmax corner
    mixed many "$CUBE" "$(whole 70 300)" 13 # several frames in one launch, and pieces of batches
    for f in many many64; do
        counted $f.mbf --algorithm cells --blocks 3 --bins 50
        counted $f.mbf --algorithm cells --blocks 3 --lag 0,1,4 --unwrapped --pair A-A --pair B-C
        HOW=EMU_DEVICES=3 DEVICES="--devices all" counted $f.mbf --algorithm cells --pair all --blocks 2
    done
    seq 0 $(($(whole 700 3000) - 1)) | xargs -n 4 >four
    counted cube.mbf --algorithm cells --exclude four
    for HOW in EMU_BACKWARD=1 EMU_SMS=1 EMU_DEVICES=3; do
        DEVICES="--devices all" counted cube.mbf --algorithm cells --pair A-B --pair B-B
        DEVICES="--devices all" counted cube.mbf --algorithm cells --pair A-B --lag 0,1 --unwrapped
    done
    # a histogram that does not fit into shared memory
    HOW=EMU_SHARED=20
    for f in cube cube64 skew skew64; do
        counted $f.mbf --algorithm cells --bins 5000
    done
}

@test "emulated rdf-gpu: what its own tests ask of an rdf" {
    left
    env RDF="$EMU" bats --tap "$ROOT/tests/analyses/rdf.bats" >said || { grep -A 9 '^not ok' said; false; }
}
