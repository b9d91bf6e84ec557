#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# bench-imd.sh [FRAMES] [ROUNDS]: a session of 100,000 atoms through loopback, next to a client that
# throws it away; and what LAMMPS loses.
#
# "recv" reads the same bytes into one buffer and does nothing: what the socket gives. "seconds" are
# of the client's own clock, behind the engine's first byte; the engine is a program that writes the
# session from memory. LAMMPS (LMP; since February 2025) runs 4,000 atoms for 2,000 steps without
# `fix imd`, and with a frame every ten steps into imd2bin | frame-check; its own loop time is set
# against the other, and against that into the client that throws away.
set -eu
BIN=${BIN:-build/bin}
frames=${1:-400}
rounds=${2:-5}
dir=$(mktemp -d "${TMPDIR:-/tmp}/imd.XXXXXX")
trap 'rm -rf "$dir"' EXIT
export LC_ALL=C PATH="$BIN:$PATH"
server=$(cd "$(dirname "$0")/../readers" && pwd)/imd_server.py

python3 - "$dir/session" "$frames" <<'PY'
import array, random, struct, sys
n, frames = 100000, int(sys.argv[2])
random.seed(1)
body = array.array("f", (random.random() * 100 for _ in range(3 * n))).tobytes()
with open(sys.argv[1], "wb") as f:
    f.write(struct.pack(">i", 4) + struct.pack("<i", 3) + struct.pack(">ii", 10, 7) + bytes([1, 0, 1, 1, 1, 0, 0]))
    for t in range(frames):
        f.write(struct.pack(">ii", 12, 1) + struct.pack("<ddq", 0.001, 0.01 * t, 10 * t))
        f.write(struct.pack(">ii", 13, 1) + struct.pack("<9f", 100, 0, 0, 0, 100, 0, 0, 0, 100) + struct.pack(">ii", 2, n) + body)
PY
cat >"$dir/recv.py" <<'PY'
import socket, struct, sys, time
while True:
    try:
        s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
        break
    except ConnectionRefusedError:
        time.sleep(0.01)
s.recv(23, socket.MSG_WAITALL)
s.sendall(struct.pack(">ii", 3, 0))
b = memoryview(bytearray(1 << 20))
while s.recv_into(b):
    pass
PY
bytes=$(stat -c %s "$dir/session")
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
# seconds COMMAND...: of a command with PORT in it, from its start to its end, once the engine
# listens
seconds() {
    rm -f "$dir/port"
    python3 "$server" "$dir/session" "$dir/port" >/dev/null 2>&1 &
    until [ -s "$dir/port" ]; do sleep 0.01; done
    local from=$EPOCHREALTIME
    bash -c "${1//PORT/$(<"$dir/port")}" >/dev/null 2>&1
    awk -v a="$from" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }'
    wait
}
last=$((10 * (frames - 1)))
ways=("python3 $dir/recv.py PORT" "imd2bin -q --steps $last :PORT" "imd2bin -q --steps $last :PORT | frame-check -q")
names=(recv "imd2bin" "imd2bin | frame-check")
for _ in $(seq "$rounds"); do
    for k in "${!ways[@]}"; do seconds "${ways[k]}" >>"$dir/seconds.$k"; done
done
base=$(median <"$dir/seconds.0")
printf '# way GB/s of_recv (%d MB, %d frames, %d rounds)\n' $((bytes / 1000000)) "$frames" "$rounds"
for k in "${!ways[@]}"; do
    t=$(median <"$dir/seconds.$k")
    awk -v n="${names[k]}" -v b="$bytes" -v t="$t" -v base="$base" 'BEGIN { printf "%-24s %6.2f %6.2f\n", n, 1e-9 * b / t, base / t }'
done

"${LMP:-lmp}" -h 2>/dev/null | grep -qE '(2025|202[6-9])' || { echo "note: no LAMMPS since February 2025 (LMP): its loss is not measured"; exit 0; }
cat >"$dir/in" <<'END'
units metal
lattice fcc 5.72
region box block 0 10 0 10 0 10
create_box 1 box
create_atoms 1 box
mass 1 39.948
velocity all create 140 4711
pair_style lj/cut 8.5
pair_coeff * * 0.0103 3.4
timestep 0.005
fix 1 all nve
if "${port} > 0" then "fix 2 all imd ${port} version 3 trate 10 velocities no forces no"
thermo 1000
run 2000
END
loop() { sed -n 's/^Loop time of \([0-9.]*\).*/\1/p'; }
for _ in $(seq "$rounds"); do
    "${LMP:-lmp}" -var port 0 -in "$dir/in" -log none | loop >>"$dir/alone"
    port=$((20000 + RANDOM % 20000))
    imd2bin -q --steps 2000 :$port | frame-check -q &
    "${LMP:-lmp}" -var port $port -in "$dir/in" -log none | loop >>"$dir/live"
    wait
    port=$((20000 + RANDOM % 20000))
    python3 "$dir/recv.py" $port &
    "${LMP:-lmp}" -var port $port -in "$dir/in" -log none | loop >>"$dir/thrown"
    wait
done
awk -v a="$(median <"$dir/alone")" -v b="$(median <"$dir/live")" -v c="$(median <"$dir/thrown")" 'BEGIN {
    printf "LAMMPS, a frame in ten   %.3f s alone, %.3f s live: %+.1f %% (thrown away: %+.1f %%)\n", a, b, 100 * (b / a - 1), 100 * (c / a - 1) }'
