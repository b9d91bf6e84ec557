# SPDX-License-Identifier: MIT
# Streams whose checksums hold and whose numbers cannot be: frame-check --strict names the rule, and who uses them refuses.

load ../helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    numpy_python
    [ ! -e "$BATS_FILE_TMPDIR/good" ] || return 0
    # a good stream of each type, and streams NAME-* that break one rule each
    mkdir "$BATS_FILE_TMPDIR/good" "$BATS_FILE_TMPDIR/bad" && cd "$BATS_FILE_TMPDIR" && "$PY" - <<'PY'
import math
import struct
import zlib
import numpy as np
from oracle import frames, xxh3

SYS = {"sys.natoms": "2", "sys.cell": "9 0 0 0 9 0 0 0 9", "sys.pbc": "TTT", "sys.dt_ps": "0.5", "sys.sigma": "3.4", "sys.species": "Ar 2"}


def put(name, meta, *arrays):
    with frames.Writer(name) as w:
        w.put_meta({**SYS, **meta})
        for code, data, *time in arrays:
            w.put(frames.Array(code, np.asarray(data), 0, (time or [0.0])[0]))
        w.end()


def but(a, v):
    a = np.array(a)
    a.reshape(-1)[-1] = v
    return a


nan, inf = math.nan, math.inf
p = np.arange(18.0).reshape(3, 2, 3) % 7
cell, time = np.tile(np.diag([9.0, 9, 9]).ravel(), (3, 1)), np.array([0, 0.5, 1])
put("good/posn", {}, (b"TIME", time), (b"CELL", cell), (b"VELO", p), (b"POSN", p))
for name, arrays in {"nan": [(b"POSN", but(p, nan))], "velo-inf": [(b"VELO", but(p, inf)), (b"POSN", p)], "atoms": [(b"POSN", p[:, :1])],
                     "dtype": [(b"POSN", p.astype("i8"))], "shape": [(b"POSN", p[..., 0])], "cell-nan": [(b"CELL", but(cell, nan)), (b"POSN", p)],
                     "cell-flat": [(b"CELL", but(cell, 0)), (b"POSN", p)], "cell-steps": [(b"CELL", cell[:2]), (b"POSN", p)], "cell-eight": [(b"CELL", cell[:, :8]), (b"POSN", p)],
                     "time-f32": [(b"TIME", time.astype("f4")), (b"POSN", p)],
                     "time-inf": [(b"TIME", but(time, inf)), (b"POSN", p)], "time-steps": [(b"TIME", time[:2]), (b"POSN", p)],
                     "time-alone": [(b"POSN", p), (b"TIME", time)], "begin-inf": [(b"POSN", p, inf)]}.items():
    put("bad/posn-" + name, {}, *arrays)
put("name", {"sys.species": "A\tr 2"}, (b"POSN", p))
put("columns", {"data.columns": "one t\x1b[31mwo", "data.quantity": "series"}, (b"SERI", np.ones((4, 2))))
for key, value in {"natoms": "0", "dt_ps": "inf", "sigma": "nan", "cell": "9 0 0 0 9 0 0 0 nan", "pbc": "TTX"}.items():
    put("bad/meta-" + key, {"sys." + key: value}, (b"POSN", p))
for k, value in enumerate(["Ar 3", "Ar 1", "3*(Ar 1)", "2*(Ar 1", "2*()", "Ar", "Ar 1 Kr"]):
    put("bad/species-%d" % k, {"sys.species": value}, (b"POSN", p))
b = np.ones((3, 1, 1))
put("good/pair", {"data.component": "xz"}, (b"PAIR", b))
put("bad/pair-nan", {"data.component": "xz"}, (b"PAIR", but(b, nan)))
put("bad/pair-pairs", {"data.component": "xz"}, (b"PAIR", np.ones((3, 1, 2))))
s, columns = np.ones((4, 2)), {"data.columns": "one two"}
put("good/seri", columns, (b"SERI", s))
put("bad/seri-inf", columns, (b"SERI", but(s, -inf)))
put("bad/seri-f32", columns, (b"SERI", s.astype("f4")))
put("bad/seri-names", columns, (b"SERI", np.ones((4, 3))))
n, g, corr = np.full((2, 3), 5, "u8"), np.ones((2, 3, 1, 4)), {"data.functions": "G G2 G3 G4", "data.component": "xz", "data.quantity": "g4"}
put("good/corr", corr, (b"CORR", n), (b"CORR", g))
put("bad/corr-nan", corr, (b"CORR", n), (b"CORR", but(g, nan)))
put("bad/corr-inf", corr, (b"CORR", n), (b"CORR", but(g, inf)))
put("bad/corr-one", corr, (b"CORR", n))
put("bad/corr-three", corr, (b"CORR", n), (b"CORR", g), (b"CORR", g))
put("bad/corr-lags", corr, (b"CORR", n), (b"CORR", g[:, :2]))
put("bad/corr-f64", corr, (b"CORR", n.astype("f8")), (b"CORR", g))
put("bad/corr-dt", {**corr, "sys.dt_ps": "nan"}, (b"CORR", n), (b"CORR", g))
c, x, t = np.full((2, 1, 4), 5, "u8"), np.ones((2, 1, 4)), np.array([10.0, 10])
hist = {"data.bins": "4", "data.rmax": "4", "data.quantity": "rdf"}
put("good/hist", hist, (b"HIST", c), (b"HIST", x), (b"HIST", t))
put("bad/hist-expected-inf", hist, (b"HIST", c), (b"HIST", but(x, inf)), (b"HIST", t))
put("bad/hist-steps-nan", hist, (b"HIST", c), (b"HIST", x), (b"HIST", but(t, nan)))
put("bad/hist-rmax-inf", {**hist, "data.rmax": "inf"}, (b"HIST", c), (b"HIST", x), (b"HIST", t))
put("bad/hist-bins", {**hist, "data.bins": "5"}, (b"HIST", c), (b"HIST", x), (b"HIST", t))
put("bad/hist-two", hist, (b"HIST", c), (b"HIST", x))
v, names = np.array([[0.0, 1], [1, nan]]), {"data.columns": "nu_cm-1 I"}
put("good/spec", names, (b"SPEC", v))
put("bad/spec-axis", names, (b"SPEC", v[:, ::-1]))
put("bad/spec-names", names, (b"SPEC", np.ones((2, 3))))

# a part whose stored bytes have a true hash and are no zlib data
with frames.Writer("zlib") as w:
    w.put_meta(SYS)
    raw, bad = p.tobytes(), zlib.compress(p.tobytes(), 9)[:-9] + b"not zlib!"
    h = frames.MAGIC + struct.pack("<BBH4sIBBBBQQd4Q5Q", 1, 0, 128, b"POSN", 5, 6, 3, 1, 0, w.frames, 0, 0.0, 3, 2, 3, 0, 0, len(raw), len(bad),
                                   xxh3.digest64(raw), xxh3.digest64(bad))
    h = frames.Header(h + struct.pack("<Q", xxh3.digest64(h)))
    w.file.write(h.bytes + bad + b"\0" * (-len(bad) % 64))
    w.frames, w.arrays, w.raw, w.steps, w.wire = w.frames + 1, 1, len(raw), 3, w.wire + 128 + (len(bad) + 63) // 64 * 64
    w.stream.update(h.bytes)
    w.content.update(h.content())
    w.end()
PY
    cd "$BATS_TEST_TMPDIR" || return 1
}

@test "frame-check --strict: what every type must be, and which rule a stream breaks" {
    fails 0 frame-check --strict "$BATS_FILE_TMPDIR"/good/*
    [ "${#lines[@]}" -eq 6 ]
    cat "$BATS_FILE_TMPDIR"/good/{posn,pair} | frame-check --strict
    for f in "$BATS_FILE_TMPDIR"/bad/*; do
        [[ $f == */posn-begin-inf ]] || frame-check "$f" # whole: every checksum holds
        fails 2 frame-check --strict "$f"
        [ "${#lines[@]}" -eq 1 ] && [[ $output == *"expected"* ]] || { echo "$f: $output"; false; }
    done
    fails 2 frame-check --strict "$BATS_FILE_TMPDIR/bad/posn-cell-nan"
    [[ $output == *"posn-cell-nan: segment 0: "*"finite numbers in CELL"* ]]
}

@test "who reads them refuses them, and writes nothing" {
    refuse() {
        local f
        for f in "$BATS_FILE_TMPDIR"/bad/$1; do
            fails 2 ${*:2} "$f" -o out || { echo "$f"; return 1; }
            [ ! -e out ] && [[ $output == *"$f"* ]] || { echo "$f: $output"; return 1; }
        done
    }
    for t in "g4-cpu --lags 2" rdf-cpu "sq-cpu --qmax 1" beta-gen; do
        for f in nan atoms dtype shape cell-nan cell-flat cell-steps cell-eight time-f32 time-inf time-steps; do refuse "posn-$f" $t; done
        refuse 'meta-*' $t
    done
    refuse 'species-*' bin2xyz
    refuse 'pair-*' g4-cpu --lags 2
    refuse 'corr-*' frame-merge "$BATS_FILE_TMPDIR/good/corr"
    refuse 'corr-*' fft-spectrum -q
    refuse 'hist-*' frame-merge "$BATS_FILE_TMPDIR/good/hist"
    refuse 'hist-*' rdf2sq -q
    refuse 'seri-*' acf
    refuse 'spec-*' bin2txt
    [[ $output == *'3 column names expected in data.columns, found "nu_cm-1 I"' ]]
}

@test "what has no end is a word of the format where it is only shown" {
    for w in text:-inf csv:-Inf json:null; do bin2txt --format "${w%:*}" "$BATS_FILE_TMPDIR/bad/seri-inf" | grep -q -- "[ ,]${w#*:}\>"; done
}

@test "zlib data that are none are never handed on under a seal, though their hash is true" {
    cd "$BATS_FILE_TMPDIR" || return 1
    for t in frame-check frame-cat "frame-cat -z" "frame-cut 0:3" bin2xyz rdf-cpu; do
        fails 2 $t zlib -o out
        [ ! -e out ] && [[ $output == *"zlib"* || $output == *CORRUPT* ]] || { echo "$t: $output"; false; }
    done
}

@test "names that no text can carry are refused" {
    cd "$BATS_FILE_TMPDIR" || return 1
    fails 2 bin2xyz name -o out
    [[ $output == *"a name with a character that no text carries"* ]]
    bin2txt columns -o out
    grep -qx '# step t_ps one column_1' out
    ln -sf "$BIN/frame-check" $'\033[31m-frame-check' # nor does a name that the program was given reach a terminal
    fails 3 ./$'\033[31m-frame-check' none
    [[ $output == "frame-check: none: "* ]]
}
