#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# molecular dynamics against Debian's LAMMPS with as many MPI processes as threads Lennard-Jones,
# rho* 0.8442 (the LAMMPS benchmark "melt", half-box cutoff at 256 atoms), list rebuilds included.
set -eu
BIN=${BIN:-build/bin}
export PATH="$BIN:$PATH" LC_ALL=C OMP_NUM_THREADS=${THREADS:-$(nproc)}
rounds=${ROUNDS:-5}
work=$(mktemp -d "${TMPDIR:-/tmp}/md.XXXXXX")
trap 'rm -rf "$work"' EXIT
cat >"$work/in" <<'LAMMPS'
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 ${x} 0 ${y} 0 ${z}
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut ${rc}
pair_coeff 1 1 1.0 1.0 ${rc}
neighbor 0.3 bin
neigh_modify delay 0 every 20 check no
fix 1 all nve
timestep ${dt}
thermo ${steps}
run ${steps}
LAMMPS

lammps() { # processes x y z rc dt steps: seconds a step, as LAMMPS reports its loop
    local run=(lmp)
    [ "$1" -eq 1 ] || run=(mpirun --allow-run-as-root --oversubscribe -np "$1" lmp)
    "${run[@]}" -in "$work/in" -var x "$2" -var y "$3" -var z "$4" -var rc "$5" -var dt "$6" -var steps "$7" -screen none \
        -log "$work/log" >&2
    awk '/^Loop time/ { print $4 / $9 }' "$work/log"
}
ours() { # x y z rc dt steps method: seconds a step, from two lengths, so that start-up does not count
    local a=1.6795962 t0 t1 t2 cell
    cell=$(awk -v a=$a -v x="$1" -v y="$2" -v z="$3" 'BEGIN { printf "%.10g,%.10g,%.10g", a * x, a * y, a * z }')
    set -- "$(($1 * $2 * $3 * 4))" "$cell" "$4" "$5" "$6" "$7"
    md() { md-cpu -q --units lj --atoms "$1" --cell "$2" --cutoff "$3" --dt "$4" --neighbours "$6" --temperature 1.44 --steps "$5" \
        --every 1000000000 -o /dev/null; }
    t0=$(date +%s%N)
    md "$1" "$2" "$3" "$4" "$(($5 / 4))" "$6"
    t1=$(date +%s%N)
    md "$1" "$2" "$3" "$4" "$5" "$6"
    t2=$(date +%s%N)
    awk -v a="$t0" -v b="$t1" -v c="$t2" -v n="$(($5 - $5 / 4))" 'BEGIN { print ((c - b) - (b - a)) / 1e9 / n }'
}
median() { sort -g "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

processes=$OMP_NUM_THREADS
for ((i = 0; i <= rounds; i++)); do # interleaved; the first round only warms up
    [ $i -gt 0 ] || { ours 24 32 32 2.5 0.005 40 auto >/dev/null; continue; }
    ours 24 32 32 2.5 0.005 240 verlet >>"$work/98304.ours"
    ours 24 32 32 2.5 0.005 100 cells >>"$work/98304.cells"
    ours 4 4 4 half 0.001 80000 auto >>"$work/256.ours"
    command -v lmp >/dev/null || continue
    lammps "$processes" 24 32 32 2.5 0.005 100 >>"$work/98304.lammps"
    lammps "$processes" 4 4 4 3.3592 0.001 10000 >>"$work/256.lammps"
    lammps 1 4 4 4 3.3592 0.001 10000 >>"$work/256.lammps1"
done
echo "$OMP_NUM_THREADS threads; medians of $rounds"
printf '%-44s %12s %14s %8s\n' "what" "steps/s" "atom-steps/s" "ratio"
row() { # name file atoms reference
    [ -s "$work/$2" ] || return 0
    awk -v name="$1" -v s="$(median "$work/$2")" -v n="$3" -v r="$([ -s "$work/$4" ] && median "$work/$4" || echo 0)" \
        'BEGIN { printf "%-44s %12.5g %14.4g %8s\n", name, 1 / s, n / s, (r > 0 ? sprintf("%.2f", r / s) : "-") }'
}
row "98,304 atoms, rc 2.5: LAMMPS, $processes processes" 98304.lammps 98304 98304.lammps
row "98,304 atoms, rc 2.5: md-cpu, lists" 98304.ours 98304 98304.lammps
row "98,304 atoms, rc 2.5: md-cpu, cells" 98304.cells 98304 98304.lammps
row "256 atoms, half box: LAMMPS, $processes processes" 256.lammps 256 256.lammps
row "256 atoms, half box: LAMMPS, 1 process" 256.lammps1 256 256.lammps
row "256 atoms, half box: md-cpu" 256.ours 256 256.lammps
command -v lmp >/dev/null || echo "no lmp: apt-get install lammps for the comparison"
