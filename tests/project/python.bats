# SPDX-License-Identifier: MIT
# lib/python: the C programs write the streams that Python reads, and read those that Python writes.
# Foreign formats are read through readers of Python.

load ../helpers

setup_file() {
    export PYTHONWARNINGS=ignore MAKE=$BIN/../tests/unit/make_frames
    cd "$BATS_FILE_TMPDIR" || exit
    export A=$BATS_FILE_TMPDIR/a.mbf
    numpy_python
    xyz2bin --select 0:400 "$DATA/argon256.xyz.gz" -o "$A"
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    numpy_python
}

hashes() {
    frame-check -v "$@" 2>/dev/null | awk '$1 == "content" || $1 == "stream" { print $1, $2 }'
}

# without_xxhash COMMAND...: in a Python without the module xxhash
without_xxhash() {
    mkdir -p none
    echo 'raise ImportError("none")' >none/xxhash.py
    PYTHONPATH=$PWD/none:$PYTHONPATH "$@"
}

@test "XXH3 of NumPy: the numbers of libxxhash, at every length where its code turns" {
    without_xxhash "$PY" - >py <<'PY'
from oracle import xxh3
assert xxh3.digest64 is xxh3.plain64
for n in [0, 1, 2, 3, 4, 5, 8, 9, 16, 17, 32, 33, 64, 65, 96, 97, 120, 128, 129, 144, 160, 239, 240, 241, 256, 1023, 1024, 1025, 1088,
          1089, 2048, 2049, 65537, 1048576, 1100001]:
    b = bytes((k * 31 + (k >> 8) * 7) & 255 for k in range(n))
    print(n, "%016x" % xxh3.plain64(b), xxh3.plain128(b).hex() if n == 0 or n > 16 else "-")
PY
    cat >hash.c <<'C'
#define XXH_INLINE_ALL
#include <xxhash.h>
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    static unsigned char b[1100001];
    for (size_t k = 0; k < sizeof b; k++)
        b[k] = (unsigned char)(k * 31 + (k >> 8) * 7);
    for (size_t n; scanf("%zu%*s%*s", &n) == 1;) {
        XXH128_canonical_t c;
        XXH128_canonicalFromHash(&c, XXH3_128bits(b, n));
        printf("%zu %016llx ", n, (unsigned long long)XXH3_64bits(b, n));
        for (int k = 0; k < 16; k++)
            printf(n == 0 || n > 16 ? "%02x" : k ? "" : "-", c.digest[k]);
        printf("\n");
    }
}
C
    "${CC:-cc}" -O1 -o hash hash.c
    ./hash <py >ours
    [ "$(wc -l <py)" -eq 35 ]
    cmp py ours
}

@test "check: an independent reader agrees with frame-check, with and without xxhash" {
    all=$(whole "" 1)
    kinds=(sample limited two dropped empty pairs nan sums bomb)
    for kind in "${kinds[@]}"; do "$MAKE" $kind >$kind; done
    "$PY" -m oracle "${kinds[@]}" >py
    for kind in "${kinds[@]}"; do hashes $kind; done | cmp - py
    "$PY" -c 'import sys, mbf.__main__ as m; sys.exit(any([m.main(["check", f]) for f in sys.argv[1:]]))' "${kinds[@]}" | cmp - py
    # the kind of an array does not depend on its source or on the program that sums
    for kind in sample $([ -z "$all" ] || echo "${kinds[@]:1}"); do
        "$PY" -m mbf check $kind >py
        hashes $kind | cmp - py
        without_xxhash "$PY" -m oracle <$kind | cmp - py
        "$PY" -m mbf check <$kind | cmp - py
    done
    for kind in partial err critical; do
        "$MAKE" $kind >k
        fails 2 "$PY" -m oracle k
        fails 2 "$PY" -m mbf check k
    done
    frame-cat -z "$A" -o z
    "$PY" -m oracle z >py
    hashes z | cmp - py
}

@test "the library as Python has it is as its headers declare it; without it, or with another one, ImportError says what to do" {
    "$PY" - >layout.c <<'PY'
import ctypes
from mbf import library as l
print("#include <stddef.h>", *('#include "%s"' % h for h in ("cli/cli_import.h", "stream/frame_rules.h", "stream/traj.h")), sep="\n")
for s in (s for s in vars(l).values() if isinstance(s, type) and issubclass(s, ctypes.Structure)):
    print('_Static_assert(sizeof(struct %s) == %d, "%s");' % (s.__name__, ctypes.sizeof(s), s.__name__))
    for name, _ in s._fields_:
        print('_Static_assert(offsetof(struct %s, %s) == %d, "%s");' % (s.__name__, name, getattr(s, name).offset, name))
for name in ("ERR_BAD", "ERR_MACHINE", "ERR_MEMORY", "FRAME_META", "FRAME_POSN", "FRAME_PAIR", "FRAME_SERI", "FRAME_END", "FRAME_OTHER", "FRAME_F32", "FRAME_F64", "FRAME_COMPLETE",
             "FRAME_PARTIAL", "FRAME_SMALL"):
    print('_Static_assert(%s == %d, "%s");' % (name, vars(l)[name.replace("FRAME_", "")], name))
PY
    [ "$(grep -c _Static_assert layout.c)" -gt 80 ]
    "${CC:-cc}" -std=gnu11 -fsyntax-only -I"$ROOT/lib" layout.c
    MBF_LIBRARY=/nowhere fails 1 "$PY" -c 'import mbf'
    [[ ${lines[-1]} == "ImportError: expected the C library libmbf.so.0."*"make install"*MBF_LIBRARY*"/nowhere"* ]] || { echo "$output"; false; }
    echo 'int frame_open;' | "${CC:-cc}" -shared -o other.so -x c -
    MBF_LIBRARY=$PWD/other.so fails 1 "$PY" -c 'import mbf'
    [[ ${lines[-1]} == "ImportError: expected the C library"*"undefined symbol"* ]] || { echo "$output"; false; }
    mkdir -p there/lib/python3/dist-packages && cp -r "$ROOT/lib/python/mbf" there/lib/python3/dist-packages
    cp "$MBF_LIBRARY" there/lib/libmbf.so.0.2
    [ "$(env -u MBF_LIBRARY PYTHONPATH=there/lib/python3/dist-packages "$PY" -c 'from mbf import library; print(library.lib._name)')" -ef there/lib/libmbf.so.0.2 ]
    rm there/lib/libmbf.so.0.2
    env -u MBF_LIBRARY LD_LIBRARY_PATH= PYTHONPATH=there/lib/python3/dist-packages "$PY" -c 'import mbf' 2>err || grep -q "^ImportError: expected the C library" err
}

@test "segments of one system: numbers are compared as numbers, as the C reader does" {
    frame-cut -q :2 "$A" -o one
    "$PY" - <<'PY'
from oracle import frames
for name, dt in ("same", "0.12500"), ("other", "0.25"):
    with open("one", "rb") as f, frames.Writer(name) as w:
        for item in frames.Reader(f, "one"):
            w.put_meta({**item, "sys.dt_ps": dt}) if isinstance(item, dict) else w.end() if isinstance(item, tuple) else w.put(item)
PY
    "$PY" - <<'PY'
import numpy
from oracle import frames
with frames.Writer("alone") as w:
    w.put_meta({"sys.natoms": "2"})
    w.put(frames.Array(b"VELO", numpy.zeros((3, 2, 3)), flags=2))
    w.end()
PY
    fails 1 "$PY" -c 'import mbf; mbf.read("alone")'
    [[ ${lines[-1]} == "mbf.frames.Error: alone: expected data, found none" ]] || { echo "$output"; false; }
    cat one same >two
    cat one other >three
    "$PY" -c 'import mbf; assert mbf.read("two").positions.shape == (4, 256, 3)'
    fails 1 "$PY" -c 'import mbf; mbf.read("three")'
    [[ ${lines[-1]} == "mbf.frames.Error: three: expected segments of one system, found a different sys.dt_ps" ]] || { echo "$output"; false; }
}

@test "another program's file is no damaged stream" {
    for f in xtc dcd; do
        fails 2 "$PY" -m mbf check "$DATA/formats/water10.$f"
        [[ $output == *"expected an MBF stream, found "*"traj2bin"* && $output != *CORRUPT* ]] || { echo "$output"; false; }
    done
}

@test "codec 2: what C has predicted Python reads, and the other way round; codec 3 with and without links" {
    bin2xyz -q --digits 5 "$DATA/water64.mbf" | xyz2bin -q -o linked
    for f in linked "$DATA/water64.mbf" "$A"; do
        frame-cut -qz :30 "$f" -o packed
        at=$(grep -abo POSN packed | head -n 1 | cut -d: -f1)
        [ "$(od -An -tu1 -j$((at + 10)) -N1 packed)" -eq 3 ]
        [ "$("$PY" -m oracle packed | awk '$1 == "content" { print $2 }')" = "$(content packed)" ]
        echo "$(od -An -tu1 -j$((at + 117)) -N1 packed)"
    done | xargs >generations
    [ "$(cat generations)" = "2 2 1" ]
    for f in "$ROOT"/tests/golden/{track,link}/*.mbf; do
        [ "$("$PY" -m oracle "$f" | awk '$1 == "content" { print $2 }')" = "$(awk -v f="${f##*/}" '$1 == f { print $2 }' "${f%/*}/contents")" ]
    done
    frame-cut -q :60 "$A" | bin2xyz | awk 'NF == 4 { $0 = sprintf("%s %.4f %.4f %.4f", $1, $2, $3, $4) } 1' | xyz2bin -q -o four
    frame-cut -q :60 "$A" -o six
    for f in four six; do
        "$PY" - "$f" packed <<'PY'
import sys
from oracle import frames
with open(sys.argv[1], "rb") as f, frames.Writer(sys.argv[2], compress=True) as w:
    for item in frames.Reader(f, "x"):
        w.put_meta(item) if isinstance(item, dict) else w.end(item[0]) if isinstance(item, tuple) else w.put(item)
PY
        at=$(grep -abo POSN packed | head -n 1 | cut -d: -f1)
        [ "$(od -An -tu1 -j$((at + 10)) -N1 packed)" -eq 2 ]
        [ $((10 * $(stat -c %s packed))) -lt $((7 * $(stat -c %s $f))) ]
        [ "$(content $f)" = "$(content packed)" ]
        cmp <(bin2txt $f | grep -v '^##') <(bin2txt packed | grep -v '^##')
    done
}

@test "what is cut anywhere or flipped anywhere raises, and never a step too many" {
    frame-cut -q :3 "$A" -o three
    frame-cut -qz :3 "$A" -o packed
    py project/cut_or_flipped
}

@test "a read of Python is what bin2txt prints; a write of Python has the content of the C writer" {
    py project/read_and_write "$A"
    paste -d' ' <(bin2txt "$A" | grep -v '^#' | head -n 768) rows | awk '
        { for (k = 1; k <= 6; k++) bad += !($k - $(k + 6) <= 1e-6 && $(k + 6) - $k <= 1e-6) } END { exit bad || NR != 768 }'
    [ "$(content all.mbf)" = "$(content "$A")" ]
    [ "$(content packed.mbf)" = "$(content "$A")" ]
    [ "$(stat -c %s packed.mbf)" -lt "$(stat -c %s all.mbf)" ]
    for k in natoms dt_ps cell pbc species sigma; do
        [ "$(bin2txt --meta all.mbf | grep "sys.$k")" = "$(bin2txt --meta "$A" | grep "sys.$k")" ]
    done
    g4-cpu --lags 4 all.mbf | compare - <(g4-cpu --lags 4 "$A")
}

@test "what Python and C write of one trajectory is one system: the same META, and it merges" {
    xyz2bin --select :40 --dt 0.1 --cell 23.1,24.7,25.3,80,95,100 "$DATA/argon256.xyz.gz" -o c.mbf
    frame-cut 0:20 c.mbf -o head.mbf
    frame-cut 20: c.mbf -o tail.mbf
    "$PY" - <<'PY'
import mbf
for name in ("head", "tail"):
    run = mbf.read(name + ".mbf")
    keep = {k: run.meta[k] for k in ("sys.sigma",) if k in run.meta}
    mbf.write(name + ".py.mbf", run.positions, dt=0.1, time=run.time, cell=run.cell[0], species=mbf.species_of(run.meta), meta=keep)
    old = {"sys.dt_ps": "%.17g" % 0.1, "sys.cell": " ".join("%.17g" % x for x in run.cell[0].ravel()), **keep}
    mbf.write(name + ".old.mbf", run.positions, dt=0.1, time=run.time, cell=run.cell[0], species=mbf.species_of(run.meta), meta=old)
PY
    diff <(bin2txt --meta tail.mbf | grep '^sys') <(bin2txt --meta tail.py.mbf | grep '^sys')
    bin2txt --meta tail.old.mbf | grep -q '0.10000000000000001$'
    for p in py old; do
        cat head.mbf "tail.$p.mbf" | frame-cat - -o whole.mbf
        diff <(bin2txt whole.mbf | grep -v "^##") <(bin2txt c.mbf | grep -v "^##")
        frame-merge <(rdf-cpu --blocks 2 head.mbf) <(rdf-cpu --blocks 2 "tail.$p.mbf") -o gr.mbf
        compare <(frame-merge <(rdf-cpu --blocks 2 head.mbf) <(rdf-cpu --blocks 2 tail.mbf)) gr.mbf
    done
}

@test "velocities, cells that change, times of their own, f64, time series: there and back" {
    py project/there_and_back
    frame-check -v all.mbf | grep -q 'VELO f64'
    frame-cut -q : all.mbf -o same.mbf # the C reader and writer hand all of it on
    compare all.mbf same.mbf
    "$PY" -c 'import mbf; a, b = mbf.read("all.mbf"), mbf.read("same.mbf"); assert (a.velocities == b.velocities).all() and (a.cell == b.cell).all()'
    acf --lags 10 series.mbf >/dev/null
}

@test "results: the table is bin2txt's, sums and counts are the stream's" {
    rdf-cpu --blocks 4 --bins 20 "$A" -o gr.mbf
    g4-cpu --lags 3 --blocks 4 "$A" -o cf.mbf
    py project/results >py
    bin2txt gr.mbf | awk '!/^#/ { print $3, $5 }' >ours
    paste -d' ' py ours | sed 's/np.float64(\([^)]*\))/\1/g' | awk '$1 + 0 != $3 + 0 || ($2 != "nan" && $2 + 0 != $4 + 0) { bad = 1 } END { exit bad || NR != 20 }'
    head -c 700 gr.mbf >cut.mbf
    fails 1 "$PY" -c 'import mbf; mbf.table("cut.mbf")'
    [[ $output == *mbf.frames.Error*TRUNCATED* ]]
    fails 1 env PATH=/nowhere "$PY" -c 'import mbf; mbf.table("gr.mbf")'
    [[ $output == *"expected bin2txt on PATH or in MBF_BIN"* ]]
}

@test "a writer that fails leaves no file, and ERR in a pipe; stops downstream like every other stage" {
    cat >half.py <<'PY'
import sys, mbf
with mbf.Writer(sys.argv[1], dt=1.0) as w:
    for k in range(120):
        w.put([[0, 0, k]] * 1000, cell=9)
    raise RuntimeError("no more atoms")
PY
    fails 1 "$PY" half.py out.mbf
    [ -z "$(ls | grep -v half.py)" ]
    "$PY" half.py - 2>/dev/null >bad || true
    fails 2 frame-check bad
    [[ $output == *"no more atoms"* ]]
    fails 1 "$PY" -c 'import mbf; mbf.read("bad")'
    [[ $output == *"mbf.frames.Failed: bad: mbf failed: no more atoms"* ]]
    fails 1 "$PY" -c 'import mbf; mbf.write("out.mbf", [[[0, 0, float("nan")]]], cell=3)'
    [ ! -e out.mbf ]
    "$PY" - "$A" <<'PY' | head -n 1 >/dev/null
import sys, mbf
for step in mbf.open(sys.argv[1]):
    print(step.index, flush=True)
    if step.index > 3:
        break
PY
}

@test "from: files of MDAnalysis as it reads them, the content that traj2bin has" {
    "$PY" -c 'import MDAnalysis' 2>/dev/null || skip "no MDAnalysis for Python (python3-mdanalysis)"
    cp "$DATA"/formats/water10.[xt][tr][cr] . # MDAnalysis leaves files beside what it reads
    "$PY" - 2>/dev/null <<'PY'
import MDAnalysis as mda
u = mda.Universe.empty(10, trajectory=False)
u.add_TopologyAttr("names", ["O", "H", "H"] * 3 + ["O"])
u.add_TopologyAttr("types", ["O", "H", "H"] * 3 + ["O"])
u.load_new("water10.xtc")
u.atoms.write("top.pdb")
u.atoms.write("run.gro")
PY
    for f in xtc trr; do
        "$PY" -m mbf from -v --topology top.pdb "water10.$f" -o py.mbf 2>said
        grep -q "read by MDAnalysis: 3 frames of 10 atoms, dt 0.5 ps (MDAnalysis), cell (MDAnalysis)" said
        traj2bin "water10.$f" -o c.mbf
        cmp <(bin2xyz py.mbf | awk 'NF == 4 { print $2, $3, $4 }') <(bin2xyz c.mbf | awk 'NF == 4 { print $2, $3, $4 }')
        compare --rtol 2e-7 --atol 1e-6 py.mbf c.mbf
        [[ $(bin2txt --meta py.mbf) == *"sys.species"*"3*"* || $(bin2txt --meta py.mbf) == *"O 1 H 2"* ]]
    done
    "$PY" -m mbf from --velocities --topology top.pdb "water10.trr" | frame-check -v | grep -q 'VELO f32'
    fails 2 "$PY" -m mbf from --velocities --topology top.pdb "water10.xtc" -o no.mbf
    [[ $output == *"expected velocities"* && ! -e no.mbf ]]
    # a GRO file of one frame has no time: an unknown time step is not 1 ps
    "$PY" -m mbf from run.gro | bin2txt --meta >meta
    grep -q sys.cell meta
    ! grep -q dt_ps meta || false
    "$PY" -m mbf from --dt 0.5 --select 1:3 --topology top.pdb "water10.xtc" |
        compare - <(traj2bin --dt 0.5 --select 1:3 "water10.xtc") --rtol 2e-7 --atol 1e-6
}

@test "from: who is there reads; what nobody reads is told with what each said; unknown is asked for" {
    mkdir -p peers/MDAnalysis peers/ase # stand-ins, so that both ways are tested wherever this runs
    printf 'import numpy as np\nclass Universe:\n    def __init__(self, *files): raise OSError("no such format")\n' >peers/MDAnalysis/__init__.py
    echo 'raise ImportError("none", name="chemfiles")' >peers/chemfiles.py
    echo >peers/ase/__init__.py
    echo 'fs = 0.09822694788464063' >peers/ase/units.py
    cp "$ROOT/tests/forge/ase_io.py" peers/ase/io.py
    echo two >two.odd
    echo one >one.odd
    export PYTHONPATH=$PWD/peers:$PYTHONPATH
    fails 2 "$PY" -m mbf from two.odd -o out.mbf
    [[ $output == *"two.odd: frame 0: expected a cell, found none (give --cell, or --pbc none if there is no cell)"* && ! -e out.mbf ]]
    "$PY" -m mbf from -v --cell 9,9,12,90,90,120 --dt 2 --velocities two.odd -o out.mbf 2>said
    grep -q "read by ase: 4 frames of 2 atoms, dt 2 ps (--dt), cell (--cell)" said
    bin2txt --meta out.mbf >meta
    grep -q "Na 1 Cl 1" meta
    grep -q "sys.dt_ps.2$" meta
    "$PY" -c 'import mbf; v = mbf.read("out.mbf").velocities; assert abs(v[0, 0, 0] - 98.22694788) < 1e-5'
    "$PY" -m mbf from --pbc none two.odd | frame-check
    echo slab >slab.odd
    "$PY" -m mbf from slab.odd --dt 1 -o slab.mbf
    bin2txt --meta slab.mbf | grep -x "sys.cell	0 9 0 8 0 0 0 0 -1"
    echo turns >turns.odd
    fails 2 "$PY" -m mbf from --pbc none turns.odd -o none.mbf
    [[ $output == *"turns.odd: frame 2: ase: Error: frame 2: expected atom 1 to be 'Cl' as in the first frame, found 'K'"* || $output == *"frame 2: expected atom 1 to be 'Cl' as in the first frame, found 'K'" ]] && [ ! -e none.mbf ]
    sed -i '1i import warnings; warnings.filterwarnings("once"); warnings.warn("a warning of MDAnalysis")' peers/MDAnalysis/__init__.py
    fails 2 "$PY" -m mbf from one.odd -o none.mbf
    [[ $output != *warning* ]]
    [[ $output == *"MDAnalysis: OSError: no such format; chemfiles is not installed; ase: ValueError: unknown file type"* && ! -e none.mbf ]]
    fails 2 "$PY" -m mbf from --cell 9 --pbc none two.odd -o two.odd
    [[ $output == *"same file"* && $(cat two.odd) = two ]]
    fails 3 "$PY" -m mbf from nowhere.gsd
    [[ $output == *"mbf: nowhere.gsd: No such file or directory" ]]
    # a data file of LAMMPS is recognised by its content; types are not elements
    printf '(a title)\n\n2 atoms\n2 atom types\n\n0 9 xlo xhi\n' >data.lj
    "$PY" -m mbf from --cell 9 data.lj | bin2txt --meta | grep -q 'sys.species.1 1 2 1$'
    # MDAnalysis' reader of GRO gives the first frame of a file
    cat >peers/MDAnalysis/__init__.py <<'PY'
class Universe:
    atoms, trajectory = [0], []
    def __init__(self, *files): pass
PY
    for k in 1 2; do printf 'title\n1\n    1AR      AR    1   0.626   1.624   1.679\n   1 1 1\n'; done >two.gro
    fails 2 "$PY" -m mbf from --with MDAnalysis two.gro -o no.mbf
    [[ $output == *"two.gro: MDAnalysis: Error: MDAnalysis reads only the first of several frames in a GRO file"* && ! -e no.mbf ]]
    head -n 4 two.gro >one.gro
    fails 2 "$PY" -m mbf from --with MDAnalysis one.gro -o no.mbf
    [[ $output == *"MDAnalysis found no frame"* ]]
    # the names come from a PSF file whose types are numbers
    cat >peers/MDAnalysis/__init__.py <<'PY'
from types import SimpleNamespace as S
import numpy as np
class Universe:
    def __init__(self, *files):
        self.atoms = S(types=["56", "2"], names=["N", "HT1"] if "named" in files[0] else ["", ""])
        self.trajectory = [S(data={}, triclinic_dimensions=np.eye(3), positions=np.zeros((2, 3)), has_velocities=False)]
PY
    echo 1 | tee named.dcd >plain.dcd
    "$PY" -m mbf from --dt 1 --with MDAnalysis named.dcd | bin2txt --meta | grep -q 'sys.species.N 1 HT1 1$'
    "$PY" -m mbf from --dt 1 --with MDAnalysis plain.dcd | bin2txt --meta | grep -q 'sys.species.56 1 2 1$'
}

# npz FILE TIMES [X]: frames of one atom at X (0, 1, ...), by NumPy.
npz() {
    # one Python process makes all files of a test, because its start takes longer than a file
    [ -n "${NPZ_PID:-}" ] || coproc NPZ { exec 3>&- && "$PY" -uc 'import sys, numpy as np
for line in sys.stdin:
    name, times, *x = line[:-1].split("\t")
    t = eval(times)
    np.savez(name, time=t, positions=[[[x, 1, 2]] for x in (eval(x[0]) if x else range(len(t)))], cell=[9.0, 9, 9])
    print()'; }
    local IFS=$'\t'
    printf '%s\n' "$*" >&"${NPZ[1]}" && read -r _ <&"${NPZ[0]}"
}

# counted STEPS [TIMES]: files with steps for imitated readers: s.gsd and, with f32 times, s.xtc
counted() {
    mkdir -p peers/gsd peers/MDAnalysis
    : >peers/gsd/__init__.py
    cat >peers/gsd/hoomd.py <<'PY'
from types import SimpleNamespace as S
import numpy as np
class Run(list):
    def __enter__(self): return self
    def __exit__(self, *error): pass
def open(name, mode):
    import builtins
    steps = builtins.open(name, "rb").read()[8:].split(b";")[0].split()
    return Run([S(particles=S(types=["A"], typeid=[0], position=np.full((1, 3), float(k), "f4")),
        configuration=S(step=np.uint64(s), box=[9, 9, 9, 0, 0, 0], dimensions=3)) for k, s in enumerate(steps)])
PY
    cat >peers/MDAnalysis/__init__.py <<'PY'
from types import SimpleNamespace as S
import numpy as np
class Universe:
    def __init__(self, name):
        kind, steps, times = open(name).read().split(";")
        class Trajectory(list): format = [kind]
        self.atoms = S(names=["A"])
        self.trajectory = Trajectory(S(data={"step": int(s), "time": 0}, time=float(np.float32(t)), triclinic_dimensions=np.eye(3) * 9,
            positions=np.full((1, 3), float(k)), has_velocities=False) for k, (s, t) in enumerate(zip(steps.split(), times.split())))
PY
    printf '\xdf\x65\xdf\x65\xdf\x65\xdf\x65%s;' "$1" >s.gsd
    printf '%s;%s;%s' "${3:-XTC}" "$1" "${2:-$1}" >s.xtc
    export PYTHONPATH=$PWD/peers:$ROOT/lib/python:$ROOT/tests
}

# times OPTION... FILE: prints the time of each frame, then dt.
times() {
    "$PY" -m mbf from "$@" -o t.mbf 2>err && bin2txt t.mbf | awk '!/^#/ { print $2 }' | xargs && bin2txt --meta t.mbf | sed -n 's/^sys.dt_ps\t/dt /p'
}

# refused TEXT OPTION... FILE: status 2, one line with TEXT, no file.
refused() {
    rm -f no
    fails 2 "$PY" -m mbf from "${@:2}" -o no
    [[ $output == *"$1"* && ${#lines[@]} -eq 1 && ! -e no ]] || { echo "expected: $1"; echo "found: $output"; false; }
}

@test "from: the time between frames is right at any start and stride, of f32 and f64 times; where they leave it open, --dt gives it" {
    py project/from_times
    npz f.npz 'np.float32(1000000 + 0.001 * np.arange(60))'
    refused "f.npz: the times are rounded to 0.063 ps: the first 60 frames may be 0 to 0.00" f.npz
    [[ $output == *"(give the time between frames with --dt PS)" ]]
    times --dt 0.001 f.npz | grep -qx "dt 0.001"
    npz f.npz 'np.float32([500000, 500000.02])'
    refused "the first 2 frames may be 0 to 0.06" f.npz
    times --dt 0.02 f.npz | grep -qx "dt 0.02"
    npz f.npz '[0.0, 0, 0]'
    refused "f.npz: frame 1: expected a time after 0 ps, found 0 ps: the times do not change (give the time between frames with --dt PS)" f.npz
    times --dt 0.02 f.npz | grep -qx "0 0.02 0.04"
}

@test "from: frames that --select leaves out count for nothing: time, cell, velocities" {
    npz f.npz '[0, 3.5, 10, 12, 14, 99, 7]'
    [ "$(times --select 2:5 f.npz | xargs)" = "10 12 14 dt 2" ]
    [ "$(times --dt 2 --select 2:5 f.npz | xargs)" = "4 6 8 dt 2" ]
    "$PY" - <<'PY'
import numpy as np
cell = np.tile(np.eye(3) * 9, (4, 1, 1))
cell[0] = 0
x = np.arange(12.0).reshape(4, 1, 3)
np.savez("c.npz", time=[0, 5, 6, 7], positions=x, cell=cell)
PY
    [ "$(times --select 1: c.npz | xargs)" = "5 6 7 dt 1" ]
    refused "c.npz: expected frames that --select selects, found none" --select 9: c.npz
    "$PY" -m mbf from -v --select 1: c.npz 2>&1 >/dev/null | grep -q "read by NumPy: 3 frames of 1 atoms, dt 1 ps"
    counted "0 7 10 20 30"
    refused "s.gsd: frame 2: expected step 14 after 7, found 10" --dt 1 s.gsd
    [ "$(times --dt 1 --select 2: s.gsd | xargs)" = "2 3 4 dt 1" ]
}

@test "from: missing, overlapping and uneven frames are refused, also with --dt; each cause has its remedy, which works" {
    npz f.npz '[0, 1, 2, 4, 5, 6]'
    for o in "" "--dt 1"; do
        # shellcheck disable=SC2086
        refused "f.npz: frame 3: expected time 3 ps after 2 ps, found 4 ps: 1 frame is missing (--select :3 takes the frames before this one, --select 3: the frames from this one on)" $o f.npz
    done
    [ "$(times --select :3 f.npz | xargs)" = "0 1 2 dt 1" ]
    [ "$(times --select 3: f.npz | xargs)" = "4 5 6 dt 1" ]
    npz f.npz 'np.float32([*(500000 + 0.2 * np.arange(30)), *(500000 + 0.2 * np.arange(31, 40))])'
    for o in "" "--dt 0.2"; do
        # shellcheck disable=SC2086
        refused " after 500005.812 ps, found 500006.188 ps: 1 frame is missing (--select :30 " $o f.npz
    done
    npz f.npz '[0, 0, 1, 2, 3]'
    refused "f.npz: frame 2: expected a time after 0 ps, found 1 ps: the frames are unevenly spaced" --dt 1 f.npz
    npz f.npz '[0, 1, 2, 3, 6, 7, 8, 9, 10, 11]'
    refused "found 6 ps: 1 frame is missing (--select :4:2 takes the frames before this one, --select 4::2 the frames from this one on)" --select ::2 f.npz
    [ "$(times --select :4:2 f.npz | xargs)" = "0 2 dt 2" ]
    [ "$(times --select 4::2 f.npz | xargs)" = "6 8 10 dt 2" ]
    npz f.npz '[0, 1, 2, 1, 2, 3]' 'range(6)'
    for o in "" "--dt 1"; do
        # shellcheck disable=SC2086
        refused "f.npz: frame 3: expected time 3 ps after 2 ps, found 1 ps: the file contains a restart that overlaps the run before it (--select :3 " $o f.npz
    done
    npz f.npz '[1, 2, 4, 8, 16]'
    for o in "" "--dt 1"; do
        # shellcheck disable=SC2086
        refused "f.npz: frame 2: expected time 3 ps after 2 ps, found 4 ps" $o f.npz
    done
    npz f.npz '[0, 1, 2, 3.3, 4, 5]'
    refused "f.npz: frame 3: expected time 3 ps after 2 ps, found 3.3 ps: the times are rounded or vary (--dt PS treats the frames as evenly spaced)" f.npz
    [ "$(times --dt 1 f.npz | xargs)" = "0 1 2 3 4 5 dt 1" ]
    npz f.npz '[0, 1, 2, float("inf")]'
    refused "f.npz: frame 3: expected a time, found inf ps (choose frames that have a time with --select)" f.npz
    [ "$(times --select :3 f.npz | xargs)" = "0 1 2 dt 1" ]
    npz f.npz '[0, 1, float("nan"), 3]'
    refused "f.npz: frame 2: expected times and steps in every frame or in none, found both" f.npz
    [ "$(times --select :2 f.npz | xargs)" = "0 1 dt 1" ]
}

@test "from: copies of a frame are left out with a warning, also with --dt; so is a last one off the interval" {
    npz f.npz '[0, 1, 1, 2, 3, 3]' '[0, 1, 1, 2, 3, 3]'
    for o in "" "--dt 1"; do
        # shellcheck disable=SC2086
        [ "$(times $o f.npz | xargs)" = "0 1 2 3 dt 1" ]
        [ "$(cat err)" = "mbf: warning: f.npz: frame 2: skipped, because it repeats the frame before it with the same positions; further copies are skipped silently" ]
    done
    npz f.npz '[0, 1, 2, 2, 3]'
    refused "f.npz: frame 3: expected time 3 ps after 2 ps, found 2 ps: the time is repeated with other positions (--select :3 takes the frames before this one" --dt 1 f.npz
    npz f.npz '[0, 1, 2, 2.4]'
    [ "$(times f.npz | xargs)" = "0 1 2 dt 1" ]
    [ "$(cat err)" = "mbf: warning: f.npz: frame 3: expected time 3 ps after 2 ps, found 2.4 ps: the last frame breaks the regular interval and was skipped" ]
}

@test "from: steps of GSD, XTC and TRR show what is missing where times do not; LAMMPS' steps are no ps" {
    counted "0 10 20 40 50"
    refused "s.gsd: frame 3: expected step 30 after 20, found 40: 1 frame is missing (--select :3 " --dt 1 s.gsd
    [ "$(times --dt 1 --select :3 s.gsd | xargs)" = "0 1 2 dt 1" ]
    [ "$(times --dt 1 --select 3: s.gsd | xargs)" = "3 4 dt 1" ]
    counted "4294967300 4294967310 4294967330 4294967340" # 64 bits
    refused "frame 2: expected step 4294967320 after 4294967310, found 4294967330" --dt 1 s.gsd
    counted "0 0 0" # a program that does not count
    [ "$(times --dt 1 s.gsd | xargs)" = "0 1 2 dt 1" ]
    "$PY" -c 'print(*[250000000 + 10 * k for k in [*range(30), *range(31, 60)]], end=";"); print(*[500000 + 0.02 * k for k in [*range(30), *range(31, 60)]])' >both
    counted "$(cut -d';' -f1 both)" "$(cut -d';' -f2 both)"
    refused "s.xtc: frame 30: expected step 250000300 after 250000290, found 250000310: 1 frame is missing" s.xtc
    times --select :30 s.xtc | grep -qx "dt 0.02"
    counted "2147483643 2147483645 2147483647 -2147483647 -2147483645" "0 2 4 6 8" # counted in 32 bits
    [ "$(times s.xtc | xargs)" = "0 2 4 6 8 dt 2" ]
    counted "0 10 20 0 10" "0 2 4 6 8" # steps that start anew while times go on
    [ "$(times s.xtc | xargs)" = "0 2 4 6 8 dt 2" ]
    counted "0 100 200" "0 100 200" LAMMPSDUMP
    ! times s.xtc | grep dt || false
    [ "$(times --dt 0.5 s.xtc | xargs)" = "0 0.5 1 dt 0.5" ]
}

@test "from: HDF5 of MDTraj, as the error of traj2bin advises" {
    for PY in /usr/bin/python3 python3 none; do "$PY" -c 'import h5py' 2>/dev/null && break; done
    [ "$PY" != none ] || skip "no h5py for Python (python3-h5py)"
    py forge/mdtraj m.h5
    if traj2bin --help | grep -q H5MD; then
        fails 2 traj2bin m.h5 -o no.mbf
        [[ $output == *"(MDTraj files: python3 -m mbf from FILE, see mbf-python(7)"* ]]
    fi
    "$PY" -m mbf from -v --velocities m.h5 -o m.mbf 2>said
    grep -q "read by h5py: 3 frames of 4 atoms, dt 0.2 ps (h5py), cell (h5py)" said
    bin2txt --meta m.mbf >meta
    grep -q "sys.species.O 1 H 2 Na 1$" meta
    grep -qE "sys.cell.12 0 0 12.5[0-9]* 21.65063[0-9]* 0 0 0 30$" meta
    "$PY" -c 'import mbf; r = mbf.read("m.mbf"); assert r.positions[2, 3].tolist() == [41.25, 42.5, 43.75] and r.velocities[2, 3, 2] == 87.5 and abs(r.time - [1, 1.2, 1.4]).max() < 1e-9, (r.velocities, r.time)'
    py forge/mdtraj m.h5 elements=0 without=cell_angles
    "$PY" -m mbf from --pbc none m.h5 | bin2txt --meta | grep -q "sys.species.O 1 H1 1 H2 1 NA 1$"
    fails 2 "$PY" -m mbf from m.h5 -o no.mbf
    [[ $output == *"m.h5: frame 0: expected a cell, found none"* ]]
    py forge/mdtraj m.h5 without=time
    "$PY" -m mbf from --dt 3 m.h5 | bin2txt --meta | grep -q "sys.dt_ps.3$"
    py forge/mdtraj m.h5 unit=angstroms
    fails 2 "$PY" -m mbf from --with h5py m.h5 -o no.mbf
    [[ $output == *"h5py: Error: expected coordinates in nanometers, found 'angstroms'" && ! -e no.mbf ]]
    py forge/mdtraj m.h5 conventions=other
    fails 2 "$PY" -m mbf from --with h5py m.h5 -o no.mbf
    [[ $output == *"with the conventions 'Pande', found 'other'" && ! -e no.mbf ]]
}

@test "from: positions that f32 cannot tell apart are refused, f64 takes them" {
    "$PY" -c 'import numpy as np; x = np.zeros((3, 2, 3)); x[1, 1, 2] = -20000.123456; np.save("far.npy", x)'
    fails 2 "$PY" -m mbf from --pbc none --dt 1 far.npy -o out.mbf
    [[ $output == *"far.npy: frame 1: expected positions within 16384 angstrom"*", found z of atom 1 at -20000.1 (--dtype f64)" && ! -e out.mbf ]]
    "$PY" -m mbf from --pbc none --dt 1 --dtype f64 far.npy | bin2txt | grep -q -- "-20000.123456$"
    "$PY" -m mbf from --pbc none --dt 1 --select ::2 far.npy -o out.mbf
}

@test "from: GSD of two dimensions: no height, periodic along two axes" {
    "$PY" -c 'import gsd' 2>/dev/null || skip "no gsd for Python (python3-gsd)"
    "$PY" - <<'PY'
import gsd.hoomd
for name, z, dimensions in ("0.gsd", 0, 2), ("1.gsd", 1, 2), ("3.gsd", 1, 3):
    with gsd.hoomd.open(name, "wb" if getattr(gsd, "__version__", "5") < "3" else "w") as f:
        s = getattr(gsd.hoomd, "Frame", getattr(gsd.hoomd, "Snapshot", None))()
        s.configuration.step, s.configuration.box, s.configuration.dimensions = 0, [10, 20, z, 0.25, 0, 0], dimensions
        s.particles.N, s.particles.position = 1, [[1, 2, 0]]
        f.append(s)
PY
    for f in 0:TTF 1:TTF 3:TTT; do
        "$PY" -m mbf from ${f%:*}.gsd | bin2txt --meta >meta
        grep -q "sys.cell.10 0 0 5 20 0 0 0 1$" meta
        grep -q "sys.pbc.${f#*:}$" meta
    done
}

@test "from: GSD with a tilted box, by its own module (MDAnalysis takes the tilt for cosines)" {
    "$PY" -c 'import gsd' 2>/dev/null || skip "no gsd for Python (python3-gsd)"
    "$PY" - <<'PY'
import gsd.hoomd, numpy as np
with gsd.hoomd.open("a.gsd", "wb" if getattr(gsd, "__version__", "5") < "3" else "w") as f:
    for k in range(3):
        s = getattr(gsd.hoomd, "Frame", getattr(gsd.hoomd, "Snapshot", None))()
        s.configuration.step, s.configuration.box = 10 * k, [10, 20, 30 + k, 0.25, -0.5, 0.125]
        s.particles.N, s.particles.types, s.particles.typeid = 3, ["A", "B"], [0, 1, 1]
        s.particles.position = np.arange(9).reshape(3, 3) / 4 + k
        f.append(s)
PY
    "$PY" -m mbf from --dt 0.5 a.gsd -o a.mbf
    "$PY" - <<'PY'
import numpy as np, mbf
run = mbf.read("a.mbf")
assert (run.positions == np.arange(9).reshape(3, 3) / 4 + np.arange(3)[:, None, None]).all()
for k in range(3):
    assert (run.cell[k] == [[10, 0, 0], [5, 20, 0], [-0.5 * (30 + k), 0.125 * (30 + k), 30 + k]]).all()
assert (run.time == [0, 0.5, 1]).all() and mbf.species_of(run.meta) == ["A", "B", "B"]
PY
    fails 2 "$PY" -m mbf from --with MDAnalysis a.gsd
    [[ $output == *"tilt factors of a GSD box"* || $output == *"MDAnalysis is not installed"* ]]
    fails 2 "$PY" -m mbf from --with gsd "$DATA/argon8.xyz"
    [[ $output == *"argon8.xyz: gsd does not read this format" ]]
}

@test "what breaks a rule of mbf(5) is refused by the writer, not by who reads it" {
    py project/refused_writes
    "$PY" -m mbf from n.npz -o out.mbf 2>err
    grep -q "warning: n.npz: atom names were dropped: .*, found 'A(1)'" err
    frame-check --strict out.mbf
}

@test "names of atoms: with what Unicode calls a space; bytes are text" {
    printf '3\n\nA 0 0 0\nA\302\240B 1 1 1\nA\343\200\200B 2 2 2\n' | xyz2bin --cell 9 - -o a.mbf
    "$PY" - <<'PY'
import numpy as np, mbf
run = mbf.read("a.mbf")
names = mbf.species_of(run.meta)
assert names == ["A", "A\u00a0B", "A\u3000B"], names
for species in names, run.meta["sys.species"]:
    mbf.write("b.mbf", run.positions, cell=9, species=species)
    assert mbf.read("b.mbf").meta["sys.species"] == run.meta["sys.species"]
mbf.write("b.mbf", run.positions, cell=9, species=[n.encode() for n in names])  # as HDF5 has them
assert mbf.species_of(mbf.read("b.mbf").meta) == names
np.savez("b.npz", positions=run.positions, cell=np.eye(3) * 9, species=np.array(["A", "B", "C"], "S1"))
PY
    "$PY" -m mbf from b.npz | bin2txt --meta | grep -q 'sys.species.A 1 B 1 C 1$'
}

@test "python3 -m mbf: what is wrong is one line, with the status that every program has" {
    wrong() {
        fails "$1" "$PY" -m mbf "${@:3}"
        [[ ${#lines[@]} -eq 1 && $output == "mbf: "*"$2"* ]] || { echo "expected: $2"; echo "found: $output"; false; }
    }
    wrong 2 "--dt: expected a number of ps from 1e-12 to 1e+12, found '-1'" from --dt -1 x.npz
    wrong 2 "--select: expected A:B:C with a stride above 0, found '::0'" from --select ::0 x.npz
    wrong 2 "--pbc: expected any of x, y, z, or none, found 'q'" from --pbc q x.npz
    wrong 2 "arguments are required: from|to|check|plot (see python3 -m mbf --help)"
    wrong 2 "h5md: expected a file, found standard output (-o FILE)" to h5md "$A" -o -
    wrong 2 "a.mbf: expected a trajectory, found an MBF stream, which needs no conversion" from "$A"
    : >empty.gro
    wrong 2 "empty.gro: expected a trajectory, found an empty file" from empty.gro
    wrong 3 "nowhere: No such file or directory" check nowhere
    wrong 3 "" to npz "$A" -o /dev/full
}

@test "to: npy, npz and H5MD hold what the stream holds" {
    "$PY" -m mbf to npy "$A" -o a.npy
    "$PY" -m mbf from --dt 0.125 --cell 23.03154 a.npy | rdf-cpu --bins 20 | compare - <(rdf-cpu --bins 20 "$A")
    fails 2 "$PY" -m mbf from a.npy -o none.mbf
    [[ $output == *"a.npy: frame 0: expected a cell, found none"* && ! -e none.mbf ]]
    "$PY" -c 'import numpy; numpy.save("x.npy", numpy.zeros((4, 2)))'
    fails 2 "$PY" -m mbf from x.npy -o none.mbf
    [[ $output == *"expected positions of shape [F, N, 3], found (1, 4, 2)"* && ! -e none.mbf ]]
    "$PY" -m mbf to npz - -o a.npz <"$A"
    "$PY" -m mbf from a.npz -o b.mbf
    [ "$(content b.mbf)" = "$(content "$A")" ]
    "$PY" - "$A" <<'PY'
import sys, numpy as np, mbf
run, z = mbf.read(sys.argv[1]), np.load("a.npz")
assert (np.load("a.npy") == run.positions).all() and (z["positions"] == run.positions).all()
assert (z["time"] == run.time).all() and (z["cell"] == run.cell).all() and list(z["species"]) == ["Ar"] * 256
PY
    g4-cpu --lags 3 "$A" | "$PY" -m mbf to npz -o cf.npz
    "$PY" -c 'import numpy; assert numpy.load("cf.npz")["sums"].shape[1] == 3'
    head -c 100000 "$A" >cut
    fails 2 "$PY" -m mbf to npz cut -o none.npz
    [[ $output == *TRUNCATED* && -z $(ls none* 2>/dev/null) ]]
    "$PY" -c 'import h5py' 2>/dev/null || {
        fails 2 "$PY" -m mbf to h5md "$A" -o a.h5md
        [[ $output == *h5py* && ! -e a.h5md ]]
        skip "no h5py for Python (python3-h5py): npy and npz were tested"
    }
    "$PY" -m mbf to h5md "$A" -o a.h5md
    "$PY" - "$A" <<'PY'
import sys, h5py, mbf
run, f = mbf.read(sys.argv[1]), h5py.File("a.h5md")
assert (f["particles/all/position/value"][:] == run.positions).all() and (f["particles/all/position/time"][:] == run.time).all()
assert (f["particles/all/box/edges/value"][:] == run.cell).all() and list(f["h5md"].attrs["version"]) == [1, 1]
assert f["particles/trajectory"] == f["particles/all"]
PY
    if "$PY" -c 'import MDAnalysis' 2>/dev/null; then # it looks for a group of one name alone
        "$PY" -m mbf from a.h5md | compare --rtol 1e-7 --atol 1e-6 - "$A" # its cells are f32
    fi
}

@test "the tutorial runs, and --help fits 80 columns" {
    cp "$A" argon.mbf
    bin2xyz --digits 6 argon.mbf | head -n 516 >run.xyz
    rdf-cpu --blocks 4 argon.mbf -o gr.mbf
    awk '/^\.Bd -literal$/ { on = 1; next } /^\.Ed/ { on = 0 } on' "$ROOT/man/mbf-python.7" >tutorial.py
    "$PY" -c 'import pandas' 2>/dev/null || sed -i '/^import pandas/,/^print("g(/d' tutorial.py
    command -v gnuplot >/dev/null || sed -i '/^mbf.plot/d' tutorial.py
    cp "$DATA/water64.mbf" water.mbf
    "$PY" tutorial.py >said
    awk '/^\.Bd -literal -offset indent$/ { on = 1; next } /^\.Ed/ { on = 0 } on' "$ROOT/man/mbf-python.7" | sed -n '/^import mbf/,$p' >heights.py
    "$PY" heights.py <argon.mbf | bin2txt | grep -qx '# step t_ps mean_A width_A'
    grep -q "^Ar 256" said
    grep -q "^49.875 ps: moved" said
    frame-check moved.mbf series.mbf walk.mbf
    sed -n 's/^\.Dl \$ //p' "$ROOT/man/mbf-python.7" >commands
    "$PY" -c 'import ase' 2>/dev/null || sed -i '/ ase /d' commands
    command -v gnuplot >/dev/null || sed -i '/ plot /d' commands
    mkdir bin && printf '#!/bin/sh\nexec "%s" "$@"\n' "$(command -v "$PY")" >bin/python3 && chmod +x bin/python3
    [ "$(wc -l <commands)" -ge 2 ]
    PATH=$PWD/bin:$PATH bash -euo pipefail commands
    for verb in "" from to check plot; do
        "$PY" -m mbf $verb --help >help
        [ -z "$(awk 'length > 80' help)" ] || { awk 'length > 80' help; false; }
    done
}

@test "forged headers, META and END under right hashes: the oracle takes what frame-check takes, Python reads what --strict takes" {
    "$MAKE" sample >sample
    "$MAKE" scalars >scal
    frame-cut -q 0:4 "$A" -o few
    rdf-cpu -q --bins 7 --blocks 2 few -o hist
    g4-cpu -q --lags 2 --sum mic few -o corr
    fft-spectrum -q corr -o spec
    for f in sample scal hist corr spec; do
        mkdir "$f.d"
        py forge/forge fields "$f" "$f.d"
        for strict in "" --strict; do
            # shellcheck disable=SC2086 # none or one word
            frame-check -q $strict "$f".d/* 2>err | sed 's/: whole: .*//' | sort >ours
            ! grep -v "^frame-check: $f.d/" err || false
            py forge/forge taken "${strict:-check}" "$f".d/* | sort >theirs
            [ "$(wc -l <ours)" -gt 40 ] && [ "$(find "$f.d" -type f | wc -l)" -gt $((3 * $(wc -l <ours))) ]
            cmp ours theirs || { diff ours theirs | head; false; }
            [ -z "$strict" ] || py forge/forge read "$f".d/* | sort | cmp - theirs
        done
    done
}

@test "a file that Python replaces: behind a link, with the mode that it had; a link to nothing, a file of others: refused" {
    umask 022
    mkdir there
    echo old >there/real
    chmod 640 there/real
    ln -s there/real link
    ln -s there/none dangling
    for write in "import mbf; mbf.write('NAME', [[[0, 0, 0]]], dt=1)" to; do
        for name in link dangling; do
            run "$PY" -c "${write/NAME/$name}"
            [ "$write" != to ] || run "$PY" -m mbf to npz "$A" -o "$name"
            [ -L "$name" ]
            [ "$name" = link ] && { [ "$status" -eq 0 ] || { echo "$output"; false; }; }
            [ "$name" = link ] || { [ "$status" -ne 0 ] && [ ! -e there/none ] && [[ $output == *"link to nothing"* || $output == *"dangling: cannot open for writing"* ]]; }
        done
        [ "$(stat -c %a there/real)" = 640 ]
        [ "$(head -c 3 there/real)" != old ]
        [ "$(find . there -maxdepth 1 -name '.?*' -type f | wc -l)" -eq 0 ]
        echo old >there/real
    done
    "$PY" -m mbf to npy "$A" -o fresh
    [ "$(stat -c %a fresh)" = 644 ]
}

@test "filters of pipelines/filters: dipole, centres of molecules, displacements; one that raises ends in ERR, or empty" {
    numpy_python
    unwrap --molecules 3 "$DATA/water64.mbf" -o u.mbf
    f=$ROOT/pipelines/filters
    # the dipole moments of steps 0 and 7 from a sum in awk
    "$PY" "$f/dipole.py" O=-0.8476,H=0.4238 <u.mbf | bin2txt | awk '!/^#/ && ($1 == 0 || $1 == 7) { print $3, $4, $5 }' >got
    frame-cut 0:8:7 u.mbf | bin2txt | awk '!/^#/ { q = $3 % 3 ? 0.4238 : -0.8476; for (a = 0; a < 3; a++) m[$1, a] += q * $(4 + a) }
        END { for (t = 0; t < 2; t++) print m[t, 0], m[t, 1], m[t, 2] }' >want
    paste got want | awk '{ for (a = 1; a < 4; a++) if (($a - $(3 + a))^2 > 1e-8) exit 1; n++ } END { exit n != 2 }' || { paste got want; false; }
    fails 2 bash -c "set -o pipefail; '$PY' '$f/dipole.py' O=-0.8 <u.mbf | bin2txt"
    [[ $output == *"expected a charge for every species, found none for H"* ]]
    # displacements from the first step equal those of msd-cpu with one time origin
    frame-cut 0:2 u.mbf | "$PY" "$f/msd.py" | bin2txt | awk '!/^#/ { v = $3 } END { print v }' >got
    frame-cut 0:2 u.mbf | msd-cpu -q --lags 2 --drift keep | bin2txt | awk '!/^#/ { v = $3 } END { print v }' >want
    paste got want | awk '{ exit !(($1 - $2)^2 < 1e-12) }' || { paste got want; false; }
    [ "$(frame-cut 0:5 u.mbf | "$PY" "$f/centres.py" 3 O=15.9994,H=1.008 | frame-check -v | awk '$1 == "sys.natoms" { print $2 }')" = 64 ]
    # centres are not a selection of atoms; for a selection of atoms, msd-cpu keeps the drift
    [ "$(frame-cut 0:5 u.mbf | "$PY" "$f/centres.py" 3 O=15.9994,H=1.008 | bin2txt --meta - | grep -c selected_of)" = 0 ]
    "$PY" -c 'import mbf; mbf.filter(lambda s: ((x.positions[::3], x.time, x.cell) for x in s), "u.mbf", "oxygen.mbf")'
    [ "$(bin2txt --meta oxygen.mbf | grep selected_of)" = "sys.selected_of	192" ]
    fails 2 bash -c "'$PY' '$f/centres.py' 3 O=16 <u.mbf 2>&1 >/dev/null"
    [ "$output" = "centres.py: expected a mass for every species, found none for H" ]
    # without names, the message shows how to give them for this number of atoms
    "$PY" -c 'import mbf; r = mbf.read("u.mbf", steps=0, atoms=slice(0, 32)); mbf.write("none.mbf", r.positions, dt=1, cell=r.cell)'
    for of in "dipole.py O=1" "centres.py 3 O=16"; do
        fails 2 bash -c "'$PY' $f/$of <none.mbf 2>&1 >/dev/null"
        [ "$output" = "${of%% *}: expected names of 32 atoms, found none (name the atoms, e.g. traj2bin --species '10*(O 1 H 2) Na 2')" ]
    done
    # the META of a filter has the system and the history of the data
    "$PY" "$f/dipole.py" O=-0.8476,H=0.4238 <u.mbf | bin2txt --meta >meta
    for k in 'sys.natoms.192' 'sys.species.64\*(O 1 H 2)' 'sys.cell.12.417 ' 'prov.3.tool.dipole.py' 'prov.3.parents.2' 'prov.2.tool.unwrap'; do
        grep -q "^$k" meta || { echo "no $k"; cat meta; false; }
    done
    printf 'import mbf\nmbf.run(lambda s: ((t.positions + 1, t.time, t.cell) for t in s), tool="shift", meta={"x.by": "1"})\n' >shift.py
    frame-cut 0:3 u.mbf | "$PY" shift.py | bin2txt --meta >meta
    [ "$(grep -c -e '^sys.species.64' -e '^sys.cell.12.417 ' -e '^sys.dt_ps.0.01$' -e '^x.by.1$' meta)" -eq 4 ]
}

@test "a filter that raises ends in ERR downstream, whatever it is written with, and wherever it raises" {
    head='import mbf, sys
n, what = int(sys.argv[1]), {"value": ValueError("too many"), "os": OSError(2, "No such file or directory", "charges"), "key": KeyError("H"),
    "exit": SystemExit(3), "none": AssertionError(), "bytes": RuntimeError("\udcff" + "\xfc" * 600)}[sys.argv[2]]
def steps(s):
    for k, t in enumerate(s):
        if k == n: raise what
        yield t.positions, t.time, t.cell
'
    printf '%smbf.run(steps, tool="f")\n' "$head" >yield.py
    printf '%swith mbf.open() as s, mbf.Writer("-", tool="f") as w:\n    for t in steps(s): w.put(*t)\n' "$head" >with.py
    printf '%sw = mbf.Writer("-", tool="f")\nfor t in steps(mbf.open()): w.put(*t)\nw.close()\n' "$head" >plain.py
    printf '%sdef main():\n    w = mbf.Writer("-", tool="f")\n    for t in steps(mbf.open()): w.put(*t)\n    w.close()\nmain()\n' "$head" >main.py
    frame-cut -q 0:600 "$DATA/water64.mbf" -o w.mbf
    for program in yield with plain main; do
        for n in $([ $program = main ] || echo 0) 500; do
            for what in value $([ "$program$n" != yield500 ] || echo os key none bytes exit); do
                "$PY" $program.py $n $what <w.mbf >out 2>err && { echo "$program $n $what: status 0"; false; }
                fails 2 frame-check -q out
                case $what in value) want="too many" ;; os) want="[Errno 2] No such file or directory: 'charges'" ;; key) want="KeyError: 'H'" ;; none) want=AssertionError ;; exit) want=3 ;; bytes) want='?' ;; esac
                [[ $output == *": ERR from upstream: f: $want"* && ${#lines[@]} -eq 1 ]] || { echo "$program $n $what: $output"; cat err; false; }
            done
        done
    done
    for program in yield plain; do "$PY" $program.py 600 value <w.mbf | frame-check -q; done
    # the program ends before its stream does: there is no result, and an earlier file remains
    printf 'import mbf, sys\nw = mbf.Writer(sys.argv[1], dt=1.0)\nfor k in range(3): w.put([[0, 0, k]], cell=9)\n' >left.py
    fails 2 bash -c "'$PY' left.py - | frame-check"
    [[ $output == *"ERR from upstream: mbf: the stream was left without an end"* ]]
    echo old >old.mbf
    "$PY" left.py old.mbf
    [ "$(cat old.mbf)" = old ]
    [ -z "$(find . -maxdepth 1 -name '.*.mbf*')" ]
    # an upstream failure is passed on with its message
    head -c 200000 w.mbf >cut
    fails 2 bash -c "'$PY' yield.py 600 value <cut 2>err | frame-check -q"
    [[ $output == *"ERR from upstream: f: stdin: TRUNCATED"* ]]
    grep -q '^yield.py: stdin: TRUNCATED' err
    fails 2 bash -c "'$PY' yield.py 0 key <w.mbf 2>&1 >/dev/null"
    [[ $output == "yield.py: KeyError: 'H' (/"*"/yield.py:6)" && ${#lines[@]} -eq 1 ]] || { echo "$output"; false; }
}

@test "a filter that raises says so in one line: where, if it is no word of its own; the status of mbf(7); -X dev: the traceback, too" {
    cat >f.py <<'PY'
import mbf, numpy, sys
def helper(what):
    return {"zero": lambda: 1 / 0, "lines": lambda: exec(r'raise ValueError("a\nb\033[1m")'), "own": lambda: exec('raise mbf.Error("no")'), "type": lambda: 1 + "",
            "far": lambda: numpy.vectorize(lambda x: {}[int(x)])([7]), "os": lambda: open("/nowhere/x"), "memory": lambda: exec('raise MemoryError("4 TB")')}[what]()
mbf.run(lambda s: ((helper(sys.argv[1]), t.time) for t in s), columns=["a"], tool="f")
PY
    says() {
        fails "$2" bash -c "'$PY' f.py $1 2>&1 >out <'$DATA/water64.mbf'"
        [[ $output == "f.py: "$3 && ${#lines[@]} -eq 1 ]] || { echo "$1: $output"; false; }
        fails 2 frame-check -q out
        [[ $output == *": ERR from upstream: f: "$4 ]] || { echo "$output"; false; }
    }
    says zero 2 "ZeroDivisionError: division by zero (/*/f.py:3)" "ZeroDivisionError: division by zero"
    says type 2 "unsupported operand* [(]/*/f.py:3)" "unsupported operand*"
    says far 2 "KeyError: 7 (/*/f.py:4)" "KeyError: *7"
    says lines 2 "a b?[[]1m" "a*b*"
    says own 2 no no
    says os 3 "*No such file or directory: '/nowhere/x'" "*'/nowhere/x'"
    says memory 4 "4 TB" "4 TB"
    fails 2 bash -c "'$PY' -X dev f.py zero 2>&1 >out <'$DATA/water64.mbf'"
    [[ $output == *Traceback*helper* && ${lines[-1]} == "f.py: ZeroDivisionError"* ]] || { echo "$output"; false; }
}

@test "read: steps and atoms of a run are those of the whole; a run says what it is" {
    py project/slices "$DATA/water64.mbf"
    rdf-cpu -q --bins 20 --blocks 4 "$A" -o gr.mbf
    [ "$("$PY" -c 'import mbf; print(mbf.read("gr.mbf"))')" = "<mbf HIST: counts [4, 1, 20], expected [4, 1, 20], steps [4]>" ]
    "$PY" -c 'import mbf; mbf.write("s.mbf", [[1.0, 2.0]], columns=["a", "b"])'
    [ "$("$PY" -c 'import mbf; print(mbf.read("s.mbf"))')" = "<mbf series: 1 step of 2 numbers>" ]
    fails 1 "$PY" -c 'import mbf, sys; mbf.read(sys.argv[1], atoms=[0])' <(frame-cut -q :2 "$A" | beta-gen -q)
    [[ ${lines[-1]} == *"atoms: expected a stream of positions, found pairs" ]]
    # memory holds only the requested data and the blocks in progress, 2.1 MB each; all four blocks
    # are 6.46 MB
    "$PY" - "$DATA/water64.mbf" <<'PY'
import sys, tracemalloc, mbf
def peak(**options):
    tracemalloc.start()
    mbf.read(sys.argv[1], **options)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / 1e6
whole, few = peak(), peak(steps=slice(0, None, 300))
assert whole > 2 * 6.4 and few < 6, (whole, few)
PY
}

@test "open and read: files of other programs are what traj2bin makes of them, with its options and messages; threads and fork" {
    h5=()
    if traj2bin --help | grep -q H5MD && "$PY" -c 'import h5py' 2>/dev/null; then
        frame-cut -q :40 "$A" | "$PY" -m mbf to h5md - -o a.h5
        h5=(a.h5)
    else echo "# no h5py or no libhdf5: H5MD not tried" >&3; fi
    py project/imports "$DATA" "${h5[@]}"
}

@test "a writer and fork: the child neither writes, ends nor removes what the parent writes, however it leaves" {
    for leave in put close del exit block; do
        for kind in file sink; do
            rm -f out.mbf
            [ "$(py project/writer_fork $leave $kind)" = whole ] || { echo "$leave $kind"; false; }
            [ -z "$(find . -name '.out*')" ]
        done
    done
}

@test "a writer and threads: steps of all come, each once; a closed one and a sink that uses it are refused" {
    py project/writer_threads
}

@test "a writer and a sink that writes nothing: an exception, whatever write() returns or raises; a part at a time is whole" {
    py project/writer_sinks
}

@test "pair tables: what Python reads it writes, with the bits that beta-gen | g4-cpu gives; tables of NumPy are those of beta-gen" {
    frame-cut -q 0:30 "$A" -o few.mbf
    beta-gen -q --component all few.mbf -o pairs.mbf
    py project/pairs few.mbf pairs.mbf
    [ "$(content again.mbf)" = "$(content pairs.mbf)" ]
    frame-check -q --strict again.mbf own.mbf one.mbf
    for f in pairs again; do g4-cpu -q --lags 4 $f.mbf -o $f.cf; done
    [ "$(content again.cf)" = "$(content pairs.cf)" ]
    beta-gen -q --sum mic --dtype f64 few.mbf -o c.mbf
    # the same products in another order differ by some 1e-16 of the largest
    compare -q --rtol 1e-12 --atol 1e-12 own.mbf c.mbf
    compare -q --rtol 1e-10 <(g4-cpu -q --lags 4 own.mbf) <(g4-cpu -q --lags 4 c.mbf)
}

@test "the notebook runs from start to end, and has the numbers of the programs" {
    [ "$(grep -c '^# %%$' "$ROOT/pipelines/notebook.py")" -eq 6 ]
    "$PY" "$ROOT/pipelines/notebook.py" >said
    rdf-cpu -q --pair O-O --exclude 3 --bins 120 "$DATA/water64.mbf" | bin2txt |
        awk '!/^#/ { if ($3 > top) { top = $3; se = $5; r = $1 } } END { printf "highest g_OO: %.2f +- %.2f at %.2f A\n", top, se, r }' >want
    unwrap --molecules 3 "$DATA/water64.mbf" | msd-cpu -q --molecules 3 | einstein >>want
    grep -E '^(highest|D )' said | cmp - want
    awk '/^librations/ { exit !($4 > 450 && $4 < 600) }' said
    [ "$(grep -c . said)" -eq 7 ]
}

@test "mbf.run and mbf.plot: programs on paths, arrays, bytes and files, with options, errors and threads" {
    py project/programs "$DATA/water64.mbf"
}

@test "pandas and xarray: tables and runs with their names, units of time and META" {
    tried=0
    rdf-cpu -q --bins 20 --blocks 4 "$A" -o gr.mbf
    fqt-cpu -q --lags 5 --qmax 1.5 "$DATA/water64.mbf" -o fqt.mbf
    if "$PY" -c 'import pandas' 2>/dev/null; then
        tried=1
        "$PY" -c 'import mbf; f = mbf.frame("gr.mbf"); assert f.equals(mbf.table("gr.mbf").to_pandas()); assert list(f) == ["r_A", "count", "g", "n", "g_se"] and len(f) == 20 and f.attrs["units"]["r_A"] == "A" and f.attrs["labels"]["g"] == "g(r)"; print(f.g.tolist())' |
            tr -d '[],' | tr ' ' '\n' | sed 's/np.float64(\(.*\))/\1/' | cmp - <(bin2txt gr.mbf | awk '!/^#/ { print $3 + 0 == 0 ? "0.0" : $3 }')
    else echo "# no pandas: not tried" >&3; fi
    if "$PY" -c 'import xarray' 2>/dev/null; then
        tried=1
        py project/xarrays "$DATA/water64.mbf"
    else echo "# no xarray: not tried" >&3; fi
    [ $tried = 1 ] || skip "neither pandas nor xarray is here"
}

@test "scalars of the atoms: read and written by name, with steps and atoms, through filters, in xarray" {
    "$MAKE" scalars >s
    "$MAKE" scalars-nan >n
    py project/scalars
    [ ! -e no ]
    frame-check --strict w d
    compare -q --atol 0 w n
    "$MAKE" velocities >v
    cat s v >two
    fails 1 "$PY" -c 'import mbf; mbf.read("two")'
    [[ ${lines[-1]} == *"expected segments of one system, found different values of data.scalars: absent here and charge:e q6:1 in the first segment" ]]
    [ "$("$PY" -c 'import mbf; print(mbf.read("v").scalars)')" = "{}" ]
}
