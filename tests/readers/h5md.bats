# SPDX-License-Identifier: MIT
# sanitize
# traj2bin: H5MD.

load ../helpers

setup_file() {
    py=none
    for p in python3 /usr/bin/python3; do
        ! "$p" -c 'import h5py' 2>/dev/null || { py=$p && break; }
    done
    [ "$py" = none ] || export PY=$py
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    ! traj2bin /dev/null 2>&1 | grep libhdf5 || skip "this build has no libhdf5"
    [ -n "${PY:-}" ] || skip "no h5py for Python (python3-h5py)"
}

# mkh5 FILE KEY=VALUE...: three frames of four atoms; positions are 3 atom + axis + 100 frame, velocities atom + axis/10. Keys:
# real (f4, f8, or what is no real), unit, units of time and velocity (none: no attribute), clock (rows, linear, none), edges
# (vector, matrix, fixed, moving, none), boundary, species (int, enum, text, bytes, moving, none), velocity, image, id, pack (gzip
# in chunks), groups, scale (of what is in the file), and then lines of Python after everything is written (f the file, g the group).
# One Python makes them all: to start one with h5py takes longer than what is tested. A subshell has no way to it, and one of its own.
mkh5() {
    if [ -z "${PYTHON_IN:-}" ] || [ "$PYTHON_OF" != "$BASHPID" ]; then
        coproc { exec 3>&- && py forge/h5md; }
        PYTHON_IN=${COPROC[1]} PYTHON_OUT=${COPROC[0]} PYTHON_OF=$BASHPID
    fi
    local said
    printf '%s\0' "$@" '' >&"$PYTHON_IN"
    read -r said <&"$PYTHON_OUT" && [ "$said" = made ]
}

# rows FILE OPTION...: positions (and velocities) as text, a line an atom.
rows() { traj2bin -q "$@" -o rows.mbf && bin2xyz rows.mbf | awk 'NF >= 4 && $1 !~ /=/ { $1 = ""; print substr($0, 2) }'; }
want() { awk 'BEGIN { for (t = 0; t < 3; t++) for (i = 0; i < 4; i++) print 3*i + 100*t, 3*i + 1 + 100*t, 3*i + 2 + 100*t }'; }
# says KEY VALUE: what META of the last rows says
says() { frame-check -v rows.mbf | grep -qE "^ +$1 +$2\$" || { frame-check -v rows.mbf; false; }; }
times() { bin2txt rows.mbf | awk '!/^#/ { print $2 }' | uniq | xargs; }

# refuses TEXT [OPTION...]: the file `bad`, in one line, with nothing left.
refuses() {
    local text=$1
    shift
    rm -f out.mbf
    fails 2 traj2bin -q -o out.mbf bad "$@"
    [[ $output == *"bad: "*"$text"* && ${#lines[@]} -eq 1 && ! -e out.mbf ]] || { echo "expected: $text"; echo "found: $output"; false; }
}

@test "H5MD: f32 and f64, packed in chunks or not, clocks by rows and by a number, cells of every kind" {
    for real in f4 f8 '>f4'; do
        for pack in '' 1; do
            for clock in rows linear; do
                for f64 in f32 f64; do
                    mkh5 a.h5 real=$real pack=$pack clock=$clock
                    [ "$(rows a.h5 --dtype $f64)" = "$(want)" ]
                    says sys.dt_ps 0.5
                    says sys.cell '20 0 0 0 30 0 0 0 40'
                    says sys.pbc TTT
                    [ "$(times)" = "2 2.5 3" ]
                done
            done
        done
    done
    mkh5 a.h5 edges=matrix boundary='none periodic periodic'
    rows a.h5 >/dev/null
    says sys.cell '20 0 0 5 30 0 1 2 40'
    says sys.pbc FTT
    mkh5 a.h5 edges=moving
    rows a.h5 >/dev/null
    [ "$(bin2xyz rows.mbf | grep -o 'Lattice="[^"]*"' | xargs)" = "Lattice=20 0 0 0 30 0 0 0 40 Lattice=21 0 0 0 31 0 0 0 41 Lattice=22 0 0 0 32 0 0 0 42" ]
    mkh5 a.h5 edges=none boundary='none none none'
    [ "$(rows a.h5 --pbc none)" = "$(want)" ]
    mkh5 a.h5 clock=linear every=0.2 then='del g["position/time"]; g["position/time"] = np.float32([2, 2.2, 2.4]); g["position/time"].attrs["unit"] = b"ps"'
    rows a.h5 >/dev/null
    says sys.dt_ps 0.2
    mkh5 a.h5 then='p = g["position/value"][0]; del g["position"]; g["position"] = p; g["position"].attrs["unit"] = "Angstrom"' # one frame
    [ "$(rows a.h5)" = "$(want | head -n 4)" ]
}

@test "H5MD: units of the file, and --units where it names none or others" {
    mkh5 a.h5 real=f8 unit=nm scale=0.1 time_unit=fs every=500 velocity=1 vel_unit='nm ps-1'
    rows a.h5 --dtype f64 >got
    awk 'NR == FNR { for (k = 1; k <= 3; k++) w[FNR, k] = $k; next } { for (k = 1; k <= 3; k++) if (($k - w[FNR, k])^2 > 1e-20) exit 1 }' <(want) got
    says sys.dt_ps 0.5
    says sys.cell '20 0 0 0 30 0 0 0 40'
    for v in 'nm ps-1 0.1' 'nm/ps 0.1' 'Angstrom fs-1 0.001' 'm s-1 100'; do
        mkh5 a.h5 velocity=1 vel_unit="${v% *}" real=f8 then="g['velocity/value'][...] *= ${v##* }"
        rows a.h5 --velocities | awk '{ for (k = 4; k <= 6; k++) if (($k - int((NR - 1) % 4) - (k - 4) / 10)^2 > 1e-12) exit 1; n++ } END { exit n != 12 }' || { echo "$v"; false; }
    done
    mkh5 bad unit= time_unit= velocity=1 vel_unit=
    refuses "particles/all/position/value: expected a unit, Angstrom, nm, pm, um or m, which the file does not name: --units STYLE says"
    [ "$(rows bad --units metal)" = "$(want)" ]
    says sys.dt_ps 0.5
    rows bad --units nano --velocities >nano
    says sys.dt_ps 500
    [ "$(sed -n 2p nano)" = "30 40 50 0.01 0.011 0.012" ]
    mkh5 bad unit=furlong
    refuses "particles/all/position/value: expected the unit Angstrom, nm, pm, um or m, found 'furlong' (--units overrides)"
    mkh5 bad velocity=1 vel_unit='furlong ps-1'
    refuses "particles/all/velocity/value: expected the unit such as 'nm ps-1', found 'furlong ps-1'" --velocities
    [ "$(rows bad)" = "$(want)" ] # nobody asks for them
    mkh5 bad time_unit=
    refuses "expected a time, found none: in what unit, fs, ps, ns, us or s, the file does not say: --dt PS gives"
    [ "$(rows bad --dt 2)" = "$(want)" ]
    rows bad --timestep 0.001 >/dev/null
    says sys.dt_ps 0.01
    mkh5 bad clock=none
    refuses "expected a time, found none: the file has none: --dt PS gives"
}

@test "H5MD: species, ids, velocities, images, --select, several files" {
    for s in enum text bytes; do
        mkh5 a.h5 species=$s
        rows a.h5 >/dev/null
        says sys.species 'O 1 H 2 O 1'
    done
    for s in int moving; do
        mkh5 a.h5 species=$s
        rows a.h5 --species 8=Ox,1=Hy >/dev/null
        says sys.species 'Ox 1 Hy 2 Ox 1'
        rows a.h5 >/dev/null
        says sys.species '8 1 1 2 8 1'
    done
    mkh5 a.h5 id=1 velocity=1 species=text
    rows a.h5 --velocities >got
    [ "$(cut -d' ' -f1-3 got)" = "$(want)" ]
    [ "$(cut -d' ' -f4- got | sort -u | xargs)" = "0 0.1 0.2 1 1.1 1.2 2 2.1 2.2 3 3.1 3.2" ]
    mkh5 a.h5 id=1 species=moving then='g["species/value"][0] = [1, 2, 3, 4]
for e in "position", "id": g[e + "/value"][0] = g[e + "/value"][0][::-1]' # the first frame is not in order
    [ "$(rows a.h5)" = "$(want)" ]
    says sys.species '4 1 3 1 2 1 1 1'
    rows a.h5 --select 1: >/dev/null
    says sys.species '4 1 3 1 2 1 1 1'
    mkh5 a.h5 image=1 id=1
    [ "$(rows a.h5)" = "$(want)" ]
    [ "$(rows a.h5 --unwrap --dtype f64)" = "$(want | awk '{ t = int((NR - 1) / 4); i = (NR - 1) % 4; print $1 + 20 * t, $2, $3 - 40 * i }')" ]
    [ "$(rows a.h5 --unwrap)" = "$(rows a.h5 --unwrap --dtype f64)" ]
    [ "$(rows a.h5 --select 1)" = "$(want | sed -n 5,8p)" ]
    frame-check -v rows.mbf | grep -q 'END limited'
    rows a.h5 --select 2 >/dev/null
    frame-check -v rows.mbf | grep -q 'END complete'
    mkh5 b.h5 then='g["position/time"][...] += 1; g["position/value"][...] += 200'
    rows a.h5 b.h5 >/dev/null # the frame in which one ends is where the other begins
    [ "$(times)" = "2 2.5 3 3.5 4" ]
    [ "$(traj2bin -q - <b.h5 | content)" = "$(traj2bin -q b.h5 | content)" ] # a file all the same
    mkh5 a.h5 then='f["particles/again"] = f["particles/all"]' # two names of one group
    [ "$(rows a.h5)" = "$(want)" ]
}

@test "H5MD: what is wrong is said in one line, status 2, nothing written" {
    # wrong TEXT KEY=VALUE... [-- OPTION...]
    wrong() {
        local text=$1 keys=()
        shift
        while [ $# -gt 0 ] && [ "$1" != -- ]; do keys+=("$1") && shift; done
        mkh5 bad "${keys[@]}"
        refuses "$text" "${@:2}"
    }
    wrong "expected one group of particles with positions, found 2: all, some" groups="all some"
    wrong "expected H5MD (groups h5md and particles), found another HDF5 file" then='del f["h5md"]'
    wrong "expected a group of particles with positions, found none" then='del g["position"]'
    wrong "particles/all/position/value: expected frames x atoms x 3 numbers of f32 or f64, found 3 x 4 x 3 of another type" real=S4
    wrong "particles/all/position/value: expected frames x atoms x 3 numbers of f32 or f64, found 3 x 4 x 2" then='p = g["position/value"][:, :, :2]; del g["position/value"]; g["position/value"] = p'
    wrong "particles/all/position/value: expected frames x atoms x 3 numbers of f32 or f64, found 12 x 3" then='p = g["position/value"][...]; del g["position/value"]; g["position/value"] = p.reshape(12, 3)'
    wrong "particles/all/velocity/value: expected frames x atoms x 3 numbers of f32 or f64, found 3 x 3 x 3" velocity=1 then='p = g["velocity/value"][:, :3]; del g["velocity/value"]; g["velocity/value"] = p'
    wrong "particles/all/velocity/value: expected 3 frames as of the positions, found 2" velocity=1 then='p = g["velocity/value"][:2]; del g["velocity/value"]; g["velocity/value"] = p'
    wrong "particles/all/box/edges: expected 3 or 3 x 3 numbers, found 2" then='del g["box/edges"]; g["box/edges"] = [1.0, 2.0]'
    wrong "particles/all/box: expected the boundary 'periodic' or 'none', found 'open'" boundary="none open none"
    wrong "particles/all/box: expected the boundary of 3 axes, found 2" boundary="none none"
    wrong "particles/all/position/time: expected a number, or one of each of 3 frames, found 2 of rank 1" then='del g["position/time"]; g["position/time"] = [1.0, 2.0]'
    wrong "frame 2: particles/all/box/edges/step: expected step 27 as of the positions, found 28" edges=moving then='g["box/edges/step"][2] = 28'
    wrong "frame 1: expected finite numbers, found position y of atom 2: nan or inf" then='g["position/value"][1, 2, 1] = np.nan'
    wrong "frame 1: particles/all/position/time: expected a time, found nan" then='g["position/time"][1] = np.nan'
    wrong "frame 2: expected time 3 ps after 2.5 ps, found 9 ps: " then='g["position/time"][2] = 9'
    wrong "frame 0: expected a cell, found none" edges=none
    wrong "frame 0: expected a cell with a volume" then='g["box/edges"][0] = -1'
    wrong "expected velocities (--velocities), found an H5MD file without" -- --velocities
    wrong "expected particles/all/image for --unwrap, found none" -- --unwrap
    wrong "--species 1=Ar: an H5MD file has no types to name" species=text -- --species 1=Ar
    wrong "frame 1: " id=1 then='g["id/value"][1, 0] = 99'
    wrong "expected frames, found an H5MD file without any" then='del g["position/value"]; g.create_dataset("position/value", (0, 4, 3), "f4").attrs["unit"] = "nm"; del g["position/time"], g["position/step"]'
    mkh5 good
    for ((k = 8; k < $(stat -c %s good); k += 997)); do
        head -c $k good >bad
        refuses "expected"
    done
    mkh5 bad then='del g["position/value"]; g.create_dataset("position/value", (3, 1 << 40, 3), "f4", chunks=(1, 1000, 3)).attrs["unit"] = "nm"'
    fails 4 traj2bin bad -o out.mbf
    [[ $output == *"of memory needed for "*"allowed (--max-mem)"* && ${#lines[@]} -eq 1 && ! -e out.mbf ]] || { echo "$output"; false; }
    for c in gzip 'cat'; do
        $c <good | { fails 2 traj2bin -o out.mbf - && [[ $output == "traj2bin: stdin: expected a file as it stands, since an H5MD file is not read from its beginning to its end, found "* ]]; }
    done
    gzip -c good >bad
    refuses "found compressed data: write it to a file first"
    printf '\x89HDF\r\n\x1a\nxyz' >bad
    refuses "expected an HDF5 file, found none that libhdf5 reads (cut, or damaged?): "
}

@test "H5MD: any byte changed is read or refused, in one line, and soon" {
    mkh5 good species=enum velocity=1 pack=1
    "$PY" -c '
import random
b = bytearray(open("good", "rb").read())
random.seed(7)
for k in range(60):
    c = bytearray(b)
    for _ in range(1 + k % 3):
        c[random.randrange(8, len(b))] = random.randrange(256)
    open("bad%d" % k, "wb").write(c)'
    # what libhdf5 itself does not free, or asks for, is not ours
    export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0:allocator_may_return_null=1
    for k in {0..59}; do
        rm -f out.mbf
        run timeout 20 traj2bin -q --max-mem 1G bad$k --velocities -o out.mbf
        [[ ($status -eq 0 && -e out.mbf) || ( ($status -eq 2 || $status -eq 4) && ${#lines[@]} -eq 1 && ! -e out.mbf) ]] || { echo "bad$k: $status $output"; false; }
    done
}

@test "H5MD: what python3 -m mbf to h5md writes is read back, with its species" {
    modules
    "$PY" -c 'import numpy' 2>/dev/null || skip "no NumPy for Python (python3-numpy)"
    xyz2bin -q "$DATA/argon8.xyz" -o a.mbf
    "$PY" -m mbf to h5md a.mbf -o a.h5md
    traj2bin -q a.h5md -o b.mbf
    bin2xyz a.mbf | sed 's/ sigma=3.4$//' >a.xyz # which H5MD has no place for
    bin2xyz b.mbf | cmp - a.xyz
}

@test "H5MD: libhdf5 is loaded by who reads such a file, and nobody links it" {
    for p in "$BIN"/*; do
        ! readelf -d "$p" | grep -q 'NEEDED.*hdf5' || { echo "$p"; false; }
    done
    mkh5 a.h5
    fails 2 xyz2bin a.h5 -o out.mbf
    [[ $output == *"is an HDF5 file (H5MD): traj2bin reads it" ]]
    [ -z "${SANITIZED:-}" ] || skip "plain build only: what is loaded was not looked at"
    command -v strace >/dev/null || skip "no strace: what is loaded was not looked at"
    strace -f -e trace=openat -o calls traj2bin -q "$DATA/formats/water10.xtc" -o x.mbf
    ! grep -q libhdf5 calls
    strace -f -e trace=openat -o calls traj2bin -q a.h5 -o x.mbf && grep -q libhdf5 calls
}
