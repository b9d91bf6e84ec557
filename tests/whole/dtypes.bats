# SPDX-License-Identifier: MIT
# The same numbers in f32 and f64, and the same lattice with other cell vectors, give the same
# results in every analysis and in each of its modes.

load ../helpers

# tolerance relative to the largest value of a column: analyses sum differences of f32 coordinates
# in f64, or transform them in f32 (fqt: 4e-6)
CLOSE=1e-5

THESE='f32 f64'

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit
    modules
    numpy_python
    frame-cut -q 0:12 "$DATA/water64.mbf" -o f32.mbf
    "$PY" - <<'PY'
import mbf, numpy as np
run = mbf.read("f32.mbf")
mbf.write("f64.mbf", run.positions.astype("f8"), velocities=run.velocities.astype("f8"), time=run.time, cell=run.cell, species=mbf.species_of(run.meta), dtype="f8")
a, b, c = run.cell[0]
for k, pbc in enumerate(("TFF", "FTF", "FFT", "TTF", "TFT", "FTT")):
    for d in "f4", "f8":
        mbf.write(f"{pbc}.f{8 * int(d[1])}.mbf", run.positions[:, :36:3].astype(d), time=run.time, cell=run.cell, pbc=pbc, species=["O"] * 12, dtype=d)
mbf.write("skew.mbf", run.positions.astype("f8"), velocities=run.velocities.astype("f8"), time=run.time, cell=[a, a + b, c - b], species=mbf.species_of(run.meta), dtype="f8")
PY
    for f in f32 f64 skew; do frame-cut -q --atoms 0:36:3 $f.mbf -o few.$f.mbf; done # 12 oxygen atoms, for the four-fold sum
}

# same PROGRAM OPTIONS...: compares every number of both results, except standard errors
same() {
    local f
    for f in $THESE; do "$@" "$BATS_FILE_TMPDIR/$f.mbf" -o $f.out 2>err || { cat err; return 1; }; bin2txt -q $f.out | grep -v '^##' | sed 's/^# //' >$f; done
    [[ $(frame-check -v "$BATS_FILE_TMPDIR/${THESE##* }.mbf") == *'POSN f64'* ]] || { frame-check -v "$BATS_FILE_TMPDIR/${THESE##* }.mbf"; return 1; }
    # shellcheck disable=SC2086
    paste -d ' ' $THESE | awk -v close_="$CLOSE" -v what="$*" '
        NR == 1 { for (i = 1; i <= NF / 2; i++) error[i] = $i ~ /_se$/; next }
        { n = NF / 2; for (i = 1; i <= n; i++) { a[NR, i] = $i; b[NR, i] = $(n + i); v = $i < 0 ? -$i : $i; if ($i != "nan" && v > most[i]) most[i] = v } }
        END {
            if (NR < 2) { print what ": no rows"; exit 1 }
            for (r = 2; r <= NR; r++) for (i = 1; i <= n; i++) {
                x = a[r, i]; y = b[r, i]
                if (x == y || error[i]) continue
                d = x - y; d = d < 0 ? -d : d
                if (x == "nan" || y == "nan" || !(d <= close_ * most[i])) { print what ": row " r ", column " i ": " x " and " y; exit 1 }
            }
        }'
}

@test "pair functions and structure: g(r), S(q), F(q,t) with its self part, all methods" {
    for o in "" "--rmax corner --bins 50" "--pair all --rmax 4" "--exclude 3 --pair O-H"; do CLOSE=1e-2 same rdf-cpu -q $o; done # a pair at the edge of a bin counts in one or in the other
    for o in "--qmax 3 --vectors 200" "--qmax 3 --pair all --vectors 100"; do same sq-cpu -q $o; done
    for o in "--lags 9" "--lags 9 --self" "--self" "--lags 10 --currents"; do same fqt-cpu -q --qmax 1.5 --vectors 40 $o; done
}

@test "motion: displacements and velocities, all methods, molecules" {
    for o in "--lags 9" "" "--molecules 3 --lags 9" "--molecules 3 --apart"; do
        for m in window fft; do
            [ $m = window ] && [[ $o != *lags* ]] && continue
            same msd-cpu -q --unwrapped --method $m $o
        done
    done
    for o in "--lags 9" "" "--molecules 3 --lags 9" "--weights mass --lags 10"; do same vacf-cpu -q $o; done
    same unwrap -q --molecules 3
}

@test "light: beta, its correlation functions by every method, polarizability to all orders" {
    for o in "--sum mic" "--sum ewald --method factored" "--sum mic --method fft" "--sum taper --component all"; do same g4-cpu -q --pair O-O --lags 4 --sigma 3 $o; done
    THESE="few.f32 few.f64" same g4-cpu -q --lags 4 --sigma 3 --sum mic --method direct
    same beta-gen -q --pair O-O --sigma 3 --sum mic
    for o in "--order 1" "" "--thole 2.6"; do same alpha-cpu -q --polarizability O=0.8,H=0.1 $o; done
}

@test "each axis that is periodic, alone and with another: light, g(r), displacements" {
    for p in TFF FTF FFT TTF TFT FTT; do # 12 atoms
        THESE="$p.f32 $p.f64"
        for o in mic taper:2,6; do same g4-cpu -q --lags 4 --sigma 3 --component all --sum $o; done
        same beta-gen -q --sigma 3 --sum mic
        CLOSE=1e-2 same rdf-cpu -q --rmax 4
        same msd-cpu -q --lags 9 --unwrapped
    done
}

@test "one lattice by other vectors: g(r), S(q), F(q,t), light, displacements" {
    THESE='f64 skew'
    for o in "--rmax 3.5" "--pair O-H --rmax 3 --exclude 3"; do same rdf-cpu -q $o; done
    for o in "" "--pair all"; do same sq-cpu -q --qmax 2 --vectors 100000 $o; done
    for o in "" "--self" "--lags 9" "--lags 9 --self" "--lags 9 --currents"; do same fqt-cpu -q --qmax 1.2 --vectors 100000 $o; done
    for o in "ewald --method factored" "ewald --component all" "taper:2,3.5"; do same g4-cpu -q --pair O-O --lags 4 --sigma 3 --sum $o; done
    THESE="few.f64 few.skew" same g4-cpu -q --lags 4 --sigma 3 --sum ewald --method direct
    for o in "--order 1" "" "--thole 2.6"; do same alpha-cpu -q --polarizability O=0.8,H=0.1 $o; done
    for o in "" "--molecules 3"; do
        unwrap -q $o "$BATS_FILE_TMPDIR/f64.mbf" | bin2txt -q | grep -v '^#' >one
        unwrap -q $o "$BATS_FILE_TMPDIR/skew.mbf" | bin2txt -q | grep -v '^#' >other
        cmp one other
    done
}
