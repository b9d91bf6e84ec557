#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# bench-formats.sh [FRAMES] [ROUNDS]: trajectories of other programs, next to cat and to MDAnalysis;
# interleaved medians of one run.
#
# "cat" is `cat FILE >/dev/null`: it copies the file out of the page cache once, a buffer at a time,
# and what it writes is dropped unread; the tool writes there, too, but has converted, checked and
# hashed every number. "pipe" sets `traj2bin FILE | cat >/dev/null` against `cat FILE | cat
# >/dev/null`, where bytes do go through a pipe. "all" is without -t. MDAnalysis is timed over its
# first pass through the frames in a fresh process, without start and opening; it maps NetCDF into
# memory, copies nothing out of the page cache, and hands the frames on to nobody.
set -eu
BIN=${BIN:-build/bin}
frames=${1:-300}
rounds=${2:-5}
dir=$(mktemp -d "${TMPDIR:-/tmp}/formats.XXXXXX")
trap 'rm -rf "$dir"' EXIT
export LC_ALL=C PATH="$BIN:$PATH"
python=
for p in python3 /usr/bin/python3; do "$p" -W ignore -c 'import MDAnalysis' 2>/dev/null && python=$p && break; done
[ -n "$python" ] || { echo "note: MDAnalysis is not installed (python3-mdanalysis): it writes the files of this table"; exit 0; }

# A liquid of 20,000 atoms that moves a little from frame to frame.
"$python" -W ignore - "$dir" "$frames" 2>/dev/null <<'PY'
import struct, sys, numpy as np, MDAnalysis as mda
dir, frames, n, L = sys.argv[1], int(sys.argv[2]), 20000, 90.0
g = np.random.default_rng(1)
u = mda.Universe.empty(n, trajectory=True)
r = g.random((n, 3)).astype("f4") * L
u.dimensions = [L, L, L, 90, 90, 90]
w = {f: mda.Writer("%s/run.%s" % (dir, f), n, dt=0.5) for f in ("xtc", "trr", "dcd", "ncdf")}
b, t = open(dir + "/run.bin", "wb"), open(dir + "/run.lammpstrj", "w")
ids = np.arange(1, n + 1)
for f in range(frames):
    r = (r + g.normal(0, 0.05, (n, 3)).astype("f4")) % np.float32(L)
    u.atoms.positions = r
    u.trajectory.ts.time = 0.5 * f
    u.trajectory.ts.frame = f
    for x in w.values():
        x.write(u.atoms)
    b.write(struct.pack("<q10sii", -10, b"DUMPCUSTOM", 1, 2) + struct.pack("<qqi6i6di", f, n, 0, 0, 0, 0, 0, 0, 0, 0, L, 0, L, 0, L, 5))
    b.write(struct.pack("<i", 5) + b"metal" + b"\1" + struct.pack("<d", 0.5 * f) + struct.pack("<i", 13) + b"id type x y z" + struct.pack("<i", 1))
    rows = np.empty((n, 5))
    rows[:, 0], rows[:, 1], rows[:, 2:] = ids, 1, r
    b.write(struct.pack("<i", 5 * n) + rows.tobytes())
    if f < frames // 3:
        t.write("ITEM: TIMESTEP\n%d\nITEM: NUMBER OF ATOMS\n%d\nITEM: BOX BOUNDS pp pp pp\n0 %g\n0 %g\n0 %g\nITEM: ATOMS id type x y z\n" % (f, n, L, L, L))
        np.savetxt(t, rows, "%d %d %.6g %.6g %.6g")
for x in w.values():
    x.close()
PY
cat >"$dir/peer.py" <<'PY'
import sys, time, warnings
warnings.simplefilter("ignore")
import MDAnalysis as mda
f = sys.argv[1]
u = mda.Universe.empty(20000)
u.load_new(f)
len(u.trajectory)  # offsets: not timed
t = time.perf_counter()
for ts in u.trajectory:
    pass
print(int(1e9 * (time.perf_counter() - t)))
PY

opts() { case $1 in run.lammpstrj) echo "--units metal --dt 0.5" ;; run.dcd) echo "--dt 0.5" ;; esac; }
ours() { # FILE [-t THREADS]
    # shellcheck disable=SC2046
    traj2bin -q "${@:2}" $(opts "$1") "$dir/$1" >/dev/null
}
# shellcheck disable=SC2046
ours_piped() { traj2bin -q $(opts "$1") "$dir/$1" | cat >/dev/null; }
through_cat() { cat "$dir/$1" >/dev/null; }
# shellcheck disable=SC2002
through_pipe() { cat "$dir/$1" | cat >/dev/null; }
nanoseconds() { # COMMAND...: of its wall clock
    local a b
    a=$(date +%s%N)
    "$@"
    b=$(date +%s%N)
    echo $((b - a))
}
median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

files=$(cd "$dir" && ls run.*)
for ((i = 0; i < rounds; i++)); do
    for f in $files; do
        nanoseconds through_cat "$f" >>"$dir/cat.$f.ns"
        nanoseconds ours "$f" -t 1 >>"$dir/one.$f.ns"
        nanoseconds ours "$f" -t 2 >>"$dir/two.$f.ns"
        nanoseconds ours "$f" >>"$dir/all.$f.ns"
        nanoseconds through_pipe "$f" >>"$dir/pipe.$f.ns"
        nanoseconds ours_piped "$f" >>"$dir/piped.$f.ns"
        case $f in run.xtc | run.trr | run.dcd | run.ncdf) "$python" "$dir/peer.py" "$dir/$f" 2>/dev/null >>"$dir/peer.$f.ns" ;; esac
    done
done
printf '%-16s %7s %8s %8s %8s %8s %9s %7s %7s %7s %9s %8s %8s\n' file MB cat_GB/s -t1_GB/s -t2_GB/s all_GB/s peer_GB/s \
    -t1/cat -t2/cat all/cat pipe/pipe -t1/peer all/peer
for f in $files; do
    [ -s "$dir/peer.$f.ns" ] && peer=$(median "$dir/peer.$f.ns") || peer=0
    awk -v f="$f" -v b="$(stat -c %s "$dir/$f")" -v c="$(median "$dir/cat.$f.ns")" -v o="$(median "$dir/one.$f.ns")" -v t="$(median "$dir/two.$f.ns")" -v p="$peer" \
        -v a="$(median "$dir/all.$f.ns")" -v cc="$(median "$dir/pipe.$f.ns")" -v oc="$(median "$dir/piped.$f.ns")" '
        function of(x, y) { return x ? sprintf("%.2f", x / y) : "-" }
        BEGIN {
            printf "%-16s %7.1f %8.2f %8.2f %8.2f %8.2f %9s %7.2f %7.2f %7.2f %9.2f %8s %8s\n", f, b / 1e6, b / c, b / o, b / t, b / a,
                p ? of(b, p) : "-", c / o, c / t, c / a, cc / oc, of(p, o), of(p, a)
        }'
done
echo "targets: XTC 2 times MDAnalysis, DCD, NetCDF and binary dump 0.8 of cat, LAMMPS text 1 GB/s and with two threads 1.8 times that"
