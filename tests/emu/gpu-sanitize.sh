#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# gpu-sanitize.sh [TOOL...]: compute-sanitizer memcheck, racecheck, initcheck and synccheck over the
# GPU programs on inputs of a few atoms. Several tools run side by side. A tool with an engine in
# cuda/ joins by a function run_TOOL that names its runs (one `run NAME COMMAND...` each).
set -u
cd "$(dirname "$0")/../.." || exit 3
export PATH="${BIN:-$PWD/build/bin}:$PATH" LC_ALL=C
[ $# -gt 0 ] || for e in $(grep -lw ENGINE_GPU tools/*.c); do
    e=$(basename "$e" .c)
    set -- "$@" "$e"
done
if ! command -v compute-sanitizer >/dev/null; then
    echo "gpu-sanitize: no compute-sanitizer: skipped"
    exit "$([ "${REQUIRE_GPU:-0}" = 1 ] && echo 1 || echo 0)"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
if [ $# -gt 1 ]; then
    for t in "$@"; do tests/emu/gpu-sanitize.sh "$t" >"$work/$t" 2>&1 & done
    wait
    for t in "$@"; do
        grep -v '^gpu-sanitize: [0-9]* passed' "$work/$t"
        read -r p f < <(sed -nE 's/^gpu-sanitize: ([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$work/$t")
        passed=$((passed + ${p:-0})) failed=$((failed + ${f:-1})) # no count: it ended before its time
    done
    echo "gpu-sanitize: $passed passed, $failed failed"
    exit "$((failed > 0))"
fi

run() { # NAME COMMAND...: the four sanitizers side by side
    local name=$1 tool
    shift
    for tool in memcheck racecheck initcheck synccheck; do
        {
            compute-sanitizer --tool "$tool" --error-exitcode 9 "${@/#"$work/o"/"$work/$tool.o"}" >"$work/$tool.log" 2>"$work/$tool.err" </dev/null
            echo $? >"$work/$tool.rc"
        } &
    done
    wait
    for tool in memcheck racecheck initcheck synccheck; do
        if [ "$(cat "$work/$tool.rc")" = 0 ]; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "not clean: $tool: $name"
            grep -a '^=========' "$work/$tool.log" "$work/$tool.err" | head -n 12
        fi
    done
}

# 20 atoms of the sample, 48 steps: two tiles of atoms, the second one not full
gzip -dc tests/data/argon256.xyz.gz | awk 'NF == 1 { if (++f > 48) exit; print 20; n = -1 } NF > 1 && n++ < 20' >"$work/tiny.xyz"
xyz2bin "$work/tiny.xyz" -o "$work/tiny.mbf" || exit 3
cell() { # NAME A-LATTICE-IN-AWK, of n [OPTION...]: the same atoms in another cell
    bin2xyz "$work/tiny.mbf" | awk "/Lattice=/ { n++; sub(\"Lattice=\\\"[^\\\"]*\", \"Lattice=\\\"\" $2) } 1" |
        xyz2bin -q --unsorted-ok "${@:3}" -o "$work/$1.mbf" || exit 3
}
cell grown '40 + n / 8 " 0 0 0 40 0 0 0 40"'
cell skew '"40 0 0 15 38 0 -9 7 36"'
xyz2bin --dtype f64 "$work/tiny.xyz" -o "$work/tiny64.mbf" || exit 3
cell long '"9 0 0 0 9 0 2 1 " 400 + n'
cell long64 '"400 0 0 0 9 0 0 0 9"' --dtype f64
beta-gen "$work/tiny.mbf" -o "$work/tiny.pair" || exit 3

run_g4() {
    run "g4-gpu factored" g4-gpu --sum mic --method factored --lags 9 -o "$work/o" "$work/tiny.mbf"
    run "g4-gpu factored, two passes, blocks" g4-gpu --sum mic --method factored --lags 48 --blocks 3 -o "$work/o" "$work/tiny.mbf"
    run "g4-gpu direct" g4-gpu --sum mic --method direct --lags 3 -o "$work/o" "$work/tiny.mbf"
    run "g4-gpu fft" g4-gpu --sum mic --method fft -o "$work/o" "$work/tiny.mbf"
    run "g4-gpu fft, blocks" g4-gpu --sum mic --method fft --lags 9 --blocks 3 -o "$work/o" "$work/tiny.mbf"
    run "g4-gpu pairs" g4-gpu --method factored --lags 9 -o "$work/o" "$work/tiny.pair"
    run "g4-gpu sums in f32, blocks" g4-gpu --sum mic --method factored --lags 48 --blocks 3 --accumulate f32 -o "$work/o" "$work/tiny.mbf"
    run "g4-gpu sums in f32, pairs" g4-gpu --lags 9 --accumulate f32 -o "$work/o" "$work/tiny.pair"
    for s in taper ewald; do
        for f in tiny grown skew tiny64; do
            run "g4-gpu --sum $s, $f" g4-gpu --sum $s --lags 9 -o "$work/o" "$work/$f.mbf"
        done
        run "g4-gpu --sum $s, five components, two passes" g4-gpu --sum $s --lags 48 --component all -o "$work/o" "$work/tiny.mbf"
        run "g4-gpu --sum $s direct" g4-gpu --sum $s --method direct --lags 3 -o "$work/o" "$work/tiny.mbf"
        run "g4-gpu --sum $s fft" g4-gpu --sum $s --method fft -o "$work/o" "$work/skew.mbf"
        run "g4-gpu --sum $s, sums in f32" g4-gpu --sum $s --lags 9 --accumulate f32 -o "$work/o" "$work/tiny.mbf"
    done
    for f in long long64; do # lists pay in such a cell
        run "g4-gpu lists, $f" g4-gpu --sum taper:2,4 --lags 9 -o "$work/o" "$work/$f.mbf"
    done
    for f in tiny grown skew tiny64; do
        run "g4-gpu mesh, $f" g4-gpu --sum ewald:7,9,1e-3 --lags 9 -o "$work/o" "$work/$f.mbf"
    done
    run "g4-gpu mesh, five components" g4-gpu --sum ewald:7,9,1e-3 --component all --lags 9 -o "$work/o" "$work/grown.mbf"
    # a table of each rank, and a correction to the dipole-induced-dipole form
    bin2xyz "$work/skew.mbf" | awk 'NF == 4 && NR % 2 { $1 = "Kr" } 1' | xyz2bin -q --unsorted-ok -o "$work/mixed.mbf" || exit 3
    for table in '0 A^3' '1 D' '2 A^3' '2_+did 1'; do
        read -r rank unit <<<"$table"
        awk -v rank="${rank/_/ }" -v unit="$unit" 'BEGIN { print "rank " rank "\nunit " unit "\nr Ar-Kr" (rank == 1 ? "" : " Ar-Ar Kr-Kr")
            for (r = 2; r < 9; r += 0.1) print r, exp(-r / 0.3), (rank == 1 ? "" : exp(-r / 0.2) " " exp(-r / 0.25)) }' >"$work/table"
        for s in $([ "$unit" = 1 ] && echo taper ewald || echo mic); do
            run "g4-gpu table of rank $rank, --sum $s" g4-gpu --pair-function "$work/table" --sum "$s" --lags 9 -o "$work/o" "$work/mixed.mbf"
        done
    done
    run "g4-gpu two engines" g4-gpu --sum mic --method factored --lags 9 --devices 0,0 -o "$work/o" "$work/tiny.mbf"
}
run_rdf() {
    run "rdf-gpu" rdf-gpu --bins 50 -o "$work/o" "$work/tiny.mbf"
    for f in tiny skew tiny64; do
        run "rdf-gpu --lag, $f" rdf-gpu --lag 0:6:2 --unwrapped --bins 50 -o "$work/o" "$work/$f.mbf"
    done
}
run_ql() {
    for f in tiny grown skew tiny64; do
        run "ql-gpu, $f" ql-gpu --rmax 9 --averaged --w -o "$work/o" "$work/$f.mbf"
        run "ql-gpu, $f, nearest" ql-gpu --nearest 3 -o "$work/o" "$work/$f.mbf"
    done
}
run_sq() {
    run "sq-gpu" sq-gpu --qmax 3 -o "$work/o" "$work/tiny.mbf"
    run "sq-gpu, rounds of tiles" sq-gpu --qmax 9 --max-mem 4M -o "$work/o" "$work/tiny.mbf"
}
run_alpha() {
    for f in tiny grown skew tiny64; do
        run "alpha-gpu, $f" alpha-gpu --polarizability Ar=1.64 --parts -o "$work/o" "$work/$f.mbf"
    done
    run "alpha-gpu, orders" alpha-gpu --polarizability Ar=1.64 --order 3 -o "$work/o" "$work/tiny.mbf"
    run "alpha-gpu, damped" alpha-gpu --polarizability Ar=1.64 --thole 2.1304 -o "$work/o" "$work/skew.mbf"
    run "alpha-gpu, damped, two engines" alpha-gpu --polarizability Ar=1.64 --thole cubic:0.39 --devices 0,0 -o "$work/o" "$work/tiny.mbf"
    cell dense '"14 0 0 0 14 0 2 -1 14"' --select 0:2
    bin2xyz "$work/dense.mbf" | awk 'NF == 1 { f++ } NF != 4 { if (f == 1) print NF == 1 ? 4100 : $0; next } f == 1 && !done { done = 1
        for (k = 0; k < 4100; k++) print "Ar", 3.3 * (k % 16), 3.3 * (int(k / 16) % 16), 3.3 * int(k / 256) }' |
        sed 's/Lattice="[^"]*"/Lattice="53 0 0 0 53 0 2 -1 57"/' | xyz2bin -q -o "$work/large.mbf" || exit 3
    run "alpha-gpu, a mesh" alpha-gpu --polarizability Ar=1.64 -o "$work/o" "$work/large.mbf"
    printf 'molecule Ar2 Ar Ar\n site 1 1.64 charge 0.2 dipole 0 0 0.1 quadrupole 0.3 frame 1-2\n site 2 0 charge -0.2\n' >"$work/moments"
    for f in tiny grown skew tiny64; do
        run "alpha-gpu, moments, $f" alpha-gpu --dipole --model "$work/moments" --parts -o "$work/o" "$work/$f.mbf"
    done
    run "alpha-gpu, moments, orders, damped" alpha-gpu --dipole --model "$work/moments" --order 3 --thole 2.1304 -o "$work/o" "$work/skew.mbf"
    run "alpha-gpu, moments, a mesh" alpha-gpu --dipole --model "$work/moments" --parts --sum ewald:mesh -o "$work/o" "$work/large.mbf"
    run "alpha-gpu, rounds in double" alpha-gpu --polarizability Ar=1.64 --tolerance 1e-14 -o "$work/o" "$work/tiny.mbf"
}
run_fqt() {
    md-cpu -q --atoms 20 --density 0.02 --steps 40 --every 4 --velocities -o "$work/moving.mbf" || exit 3
    run "fqt-gpu" fqt-gpu --qmax 2 --lags 4 --self --currents -o "$work/o" "$work/moving.mbf"
    run "fqt-gpu, two engines" fqt-gpu --qmax 2 --lags 4 --devices 0,0 -o "$work/o" "$work/tiny.mbf"
}
run_md() {
    run "md-gpu" md-gpu --atoms 64 --density 0.02 --temperature 90 --steps 4 --every 2 --seed 1 -o "$work/o"
    run "md-gpu, lists in a cluster" md-gpu --units lj --atoms 600 --density 0.8 --temperature 0.7 --thermostat berendsen:1 --steps 6 --every 2 -o "$work/o"
    # bricks: several lanes an atom; an atom a thread, lists in shared memory and not; several
    # bricks a block; cells
    run "md-gpu, bricks" md-gpu --units lj --atoms 1100 --density 0.8 --temperature 0.7 --rebuild 2 --steps 4 --every 2 -o "$work/o"
    for n in 50000 90000 140000; do
        run "md-gpu, $n atoms" md-gpu --units lj --atoms "$n" --density 0.8442 --temperature 0.7 --steps 2 --every 2 -o "$work/o"
    done
    run "md-gpu, cells" md-gpu --units lj --atoms 1100 --density 0.8 --temperature 0.7 --neighbours cells --steps 4 --every 2 -o "$work/o"
}

for t in "$@"; do
    command -v "$t-gpu" >/dev/null || continue
    if ! declare -F "run_$t" >/dev/null; then
        echo "not clean: $t-gpu has no runs here"
        failed=$((failed + 1))
        continue
    fi
    "run_$t"
done
echo "gpu-sanitize: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
