# SPDX-License-Identifier: MIT
# sanitize
# portable
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

# mkh5 FILE KEY=VALUE...: three frames of four atoms; positions are 3 atom + axis + 100 frame, and
# velocities atom + axis/10. Keys: real (f4, f8, or an invalid type), unit, units of time and
# velocity (none: no attribute), clock (rows, linear, none), edges (vector, matrix, fixed, moving,
# none), boundary, species (int, enum, text, bytes, moving, none), velocity, image, id, pack (gzip
# in chunks), frames (3), begin (number of the first, 0), groups, scale (of the numbers), and then
# lines of Python that run at the end (f is the file, g the group). One Python process makes all
# files, because its start with h5py takes longer than a test. A subshell uses its own.
mkh5() {
    if [ -z "${PYTHON_IN:-}" ] || [ "$PYTHON_OF" != "$BASHPID" ]; then
        coproc { exec 3>&- && py forge/h5md; }
        PYTHON_IN=${COPROC[1]} PYTHON_OUT=${COPROC[0]} PYTHON_OF=$BASHPID
    fi
    local said
    printf '%s\0' "$@" '' >&"$PYTHON_IN"
    read -r said <&"$PYTHON_OUT" && [ "$said" = made ]
}

# rows FILE OPTION...: prints positions (and velocities) as text, one line per atom.
rows() { traj2bin -q "$@" -o rows.mbf && bin2xyz rows.mbf | awk 'NF >= 4 && $1 !~ /=/ { $1 = ""; print substr($0, 2) }'; }
want() { awk 'BEGIN { for (t = 0; t < 3; t++) for (i = 0; i < 4; i++) print 3*i + 100*t, 3*i + 1 + 100*t, 3*i + 2 + 100*t }'; }
# says KEY VALUE: META of the last rows has this value
says() { frame-check -v rows.mbf | grep -qE "^ +$1 +$2\$" || { frame-check -v rows.mbf; false; }; }
times() { bin2txt rows.mbf | awk '!/^#/ { print $2 }' | uniq | xargs; }

# refuses TEXT [OPTION...]: the file `bad` is refused in one line, and no output remains.
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
    # the arrays that were read are counted for each type
    for real in f4 f8; do
        for velocity in '' 1; do
            mkh5 a.h5 real=$real velocity=$velocity
            traj2bin -v ${velocity:+--velocities} a.h5 -o rows.mbf 2>err
            grep -q " 3 frames, $((36 * ${real#f} * (velocity + 1))) bytes," err || { cat err; false; }
        done
    done
    mkh5 bad scale=0 # edges of zeros are no cell
    refuses "expected a cell for the periodic axes, found none (give --cell, or --pbc none)"
    mkh5 a.h5 edges=none boundary='none none none'
    [ "$(rows a.h5 --pbc none)" = "$(want)" ]
    mkh5 a.h5 clock=linear every=0.2 then='del g["position/time"]; g["position/time"] = np.float32([2, 2.2, 2.4]); g["position/time"].attrs["unit"] = b"ps"'
    rows a.h5 >/dev/null
    says sys.dt_ps 0.2
    # an interval of f64 is exact, and one of f32 has the fewest decimals
    mkh5 a.h5 clock=linear every=0.123456789012
    rows a.h5 >/dev/null
    says sys.dt_ps 0.123456789012
    mkh5 a.h5 clock=linear then='o = g["position/time"].attrs["offset"]; del g["position/time"]; g["position/time"] = np.float32(0.1); g["position/time"].attrs["unit"] = b"ps"; g["position/time"].attrs["offset"] = o'
    rows a.h5 >/dev/null
    says sys.dt_ps 0.1
    [ "$(times)" = "2 2.1 2.2" ]
    # times of f64 are exact, and times of f32 are rounded, in the unit of the file
    mkh5 a.h5 frames=2 then='g["position/time"][...] = [100000, 100000.97]'
    rows a.h5 >/dev/null
    says sys.dt_ps 0.97
    for unit in ps fs; do
        mkh5 bad frames=2 then="del g['position/time']; g['position/time'] = np.float32(np.array([100000, 100000.97]) * $([ $unit = ps ] && echo 1 || echo 1000)); g['position/time'].attrs['unit'] = b'$unit'"
        refuses "ps: the first 2 frames may be 0.9"
    done
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
    refuses "particles/all/position/value: expected a unit (Angstrom, nm, pm, um or m), found none in the file (name a unit style with --units"
    [ "$(rows bad --units metal)" = "$(want)" ]
    says sys.dt_ps 0.5
    rows bad --units nano --velocities >nano
    says sys.dt_ps 500
    [ "$(sed -n 2p nano)" = "30 40 50 0.01 0.011 0.012" ]
    mkh5 bad unit=furlong
    refuses "particles/all/position/value: expected the unit Angstrom, nm, pm, um or m, found 'furlong' (name the units with --units)"
    mkh5 bad velocity=1 vel_unit='furlong ps-1'
    refuses "particles/all/velocity/value: expected the unit such as 'nm ps-1', found 'furlong ps-1'" --velocities
    [ "$(rows bad)" = "$(want)" ] # nobody asks for them
    mkh5 bad time_unit=
    refuses "expected a time, found none: the file does not name the unit of time as fs, ps, ns, us or s (give the time between frames with --dt PS"
    [ "$(rows bad --dt 2)" = "$(want)" ]
    rows bad --timestep 0.001 >/dev/null
    says sys.dt_ps 0.01
    mkh5 bad clock=none unit=
    refuses "expected a unit (Angstrom, nm, pm, um or m) and times, found neither in the file (name a unit style with --units: metal for Å and ps, real for Å and fs, nano for nm and ns; and give the time between frames with --dt PS)"
    [ "$(rows bad --units metal --dt 0.5)" = "$(want)" ]
    refuses "expected a unit (Angstrom, nm, pm, um or m), found none in the file" --dt 0.5
    mkh5 bad clock=none
    refuses "expected a time, found none: the file has no times (give the time between frames with --dt PS"
}

@test "H5MD: species, ids, velocities, images, --select, several files" {
    for s in enum text bytes; do
        mkh5 a.h5 species=$s
        rows a.h5 >/dev/null
        says sys.species 'O 1 H 2 O 1'
    done
    mkh5 a.h5 then='g.create_dataset("species", data=np.array([8, 1, 7, 1], "i1"), dtype=h5py.enum_dtype({"H": 1, "O": 8}, basetype="i1"))'
    rows a.h5 >/dev/null # 7 has no name
    says sys.species 'O 1 H 1 7 1 H 1'
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
    mkh5 a.h5 id=1 species=moving then='g["species/value"][...] = [[1, 2, 3, 4], [2, 4, 1, 3], [1, 2, 3, 4]]
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

@test "H5MD: large frames come out of shared memory unchanged, over several files, with species and velocities" {
    local large='for e in ("position", "velocity"):
    old = g[e + "/value"]
    v, unit = np.tile(old[:], (1, 5000, 1)), old.attrs["unit"]
    del g[e + "/value"]
    g[e + "/value"] = v
    g[e + "/value"].attrs["unit"] = unit
g["species"] = np.tile([8, 1, 1, 8], 5000)
'
    mkh5 a.h5 velocity=1 then="$large"
    mkh5 b.h5 velocity=1 then="$large"'g["position/step"][:] += 30; g["position/time"][:] += 1.5; g["velocity/step"][:] += 30'
    # four FILE...: the first four of 20000 atoms, where all groups of four are equal
    four() {
        rows "$@" >all
        [ "$(awk '{ seen[NR % 4 " " int((NR - 1) / 20000) " " $0]++ } END { for (k in seen) if (seen[k] != 5000) print k }' all)" = "" ]
        awk '(NR - 1) % 20000 < 4' all
    }
    [ "$(four a.h5)" = "$(want)" ]
    [ "$(four a.h5 b.h5)" = "$(want && want)" ]
    [ "$(four --select 1::3 a.h5 b.h5)" = "$(for _ in 1 2; do want | sed -n 5,8p; done)" ]
    four --velocities --dtype f64 a.h5 b.h5 >wide
    [ "$(awk '{ print $1, $2, $3 }' wide)" = "$(want && want)" ]
    awk 'NR == 22 { exit !(($4 - 1)^2 + ($5 - 1.1)^2 + ($6 - 1.2)^2 < 1e-12) }' wide
    # more frames than two exchanges hold; each frame is read once
    mkh5 a.h5 velocity=1 frames=37 then="${large//5000/3000}"
    for option in --velocities '--select :29' '--select 2::3'; do
        # shellcheck disable=SC2086
        rows $option a.h5 | awk -v o="$option" 'BEGIN { first = o ~ /2::3/ ? 2 : 0; step = o ~ /2::3/ ? 3 : 1 }
            { i = (NR - 1) % 4; t = first + step * int((NR - 1) / 12000); if ($1 != 3*i + 100*t || $2 != $1 + 1 || $3 != $1 + 2 || (NF > 3 && ($4 - i)^2 > 1e-9)) exit bad = 1 }
            END { exit bad || NR != 12000 * (o ~ /2::3/ ? 12 : o ~ /29/ ? 29 : 37) }' || { echo "$option"; false; }
    done
}

@test "H5MD: --select takes every fourth frame of two files, with their species, cells and velocities" {
    for species in moving int text; do
        mkh5 a.h5 species=$species velocity=1 edges=moving frames=13 begin=0
        mkh5 b.h5 species=$species velocity=1 edges=moving frames=14 begin=13
        for option in --velocities --keep-duplicates; do # without the second, all frames are decoded
            rows --select 3::4 $option a.h5 b.h5 | cut -d' ' -f1-3 >got
            for t in 3 7 11 15 19 23; do want | head -n 4 | awk -v t=$t '{ print $1 + 100 * t, $2 + 100 * t, $3 + 100 * t }'; done | cmp - got
            [ "$(times)" = "3.5 5.5 7.5 9.5 11.5 13.5" ]
            [ "$(bin2xyz rows.mbf | grep -o 'Lattice="[0-9]*' | cut -d'"' -f2 | xargs)" = "23 27 31 22 26 30" ] # each file's begin at 20
            [ "$species" = text ] && says sys.species 'O 1 H 2 O 1' || says sys.species '8 1 1 2 8 1'
        done
    done
    mkh5 b.h5 species=int then='g["species"][1] = 8' frames=13 begin=13
    mkh5 a.h5 species=int frames=13
    fails 2 traj2bin -q -o out.mbf --select 3::4 a.h5 b.h5
    [[ $output == "traj2bin: b.h5: frame 13: expected atom 1 to be '1' as in the first frame, found '8'"* && ! -e out.mbf ]] || { echo "$output"; false; }
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
    wrong "particles/all/velocity/value: expected frames x atoms x 3 numbers of f32 or f64, found 3 x 3 x 3" velocity=1 then='p = g["velocity/value"][:, :3]; del g["velocity/value"]; g["velocity/value"] = p' -- --velocities
    wrong "particles/all/velocity/step: expected one number, or one for each of 2 frames, found 3 numbers in an array of rank 1" velocity=1 then='p = g["velocity/value"][:2]; del g["velocity/value"]; g["velocity/value"] = p' -- --velocities
    wrong "particles/all/velocity/value: expected 3 frames, as for the positions, found 2 frames" velocity=1 then='p = g["velocity/value"][:2]; del g["velocity/value"], g["velocity/step"]; g["velocity/value"] = p; g["velocity/value"].attrs["unit"] = "nm ps-1"' -- --velocities
    wrong "particles/all/position: expected the target of this link, found nothing that libhdf5 can read" then='del g["position"]; g["position"] = h5py.SoftLink("/gone")'
    wrong "particles/all/box: expected the target of this link, found nothing that libhdf5 can read" then='del g["box"]; g["box"] = h5py.SoftLink("/gone")'
    wrong "particles/all/box: expected text, found another type" then='g["box"].attrs["boundary"] = [1, 1, 1]'
    wrong "particles/all/position/time: expected a single number as attribute offset, found another value" clock=linear then='g["position/time"].attrs["offset"] = "2"'
    wrong "particles/all/box/edges: expected 3 or 3 x 3 numbers, found 2" then='del g["box/edges"]; g["box/edges"] = [1.0, 2.0]'
    wrong "particles/all/box: expected the boundary 'periodic' or 'none', found 'open'" boundary="none open none"
    wrong "particles/all/box: expected the boundary of 3 axes, found 2" boundary="none none"
    wrong "particles/all/position/time: expected one number, or one for each of 3 frames, found 2 numbers in an array of rank 1" then='del g["position/time"]; g["position/time"] = [1.0, 2.0]'
    wrong "frame 2: particles/all/box/edges/step: expected step 27, as for the positions, found step 28" edges=moving then='g["box/edges/step"][2] = 28'
    wrong "frame 1: expected finite numbers, found nan or inf as position y of atom 2" then='g["position/value"][1, 2, 1] = np.nan'
    wrong "frame 1: particles/all/position/time: expected a time, found nan" then='g["position/time"][1] = np.nan'
    wrong "frame 2: expected time 3 ps after 2.5 ps, found 9 ps: " then='g["position/time"][2] = 9'
    wrong "frame 0: expected a cell for the periodic axes, found none (give --cell, or --pbc none)" edges=none
    wrong "frame 0: expected a cell, found none (give a cell with --cell, or --pbc none for a non-periodic system)" edges=none boundary=
    wrong "frame 0: expected cell vectors that span a volume" then='g["box/edges"][0] = 0'
    wrong "--velocities: expected a file with velocities, found an H5MD file without" -- --velocities
    wrong "expected particles/all/image for --unwrap, found none" -- --unwrap
    wrong "--species 1=Ar: expected atom types to rename, found an H5MD file without atom types, but with names" species=text -- --species 1=Ar
    wrong "frame 1: " id=1 then='g["id/value"][1, 0] = 99'
    wrong "expected at least one frame, found an H5MD file without frames" then='del g["position/value"]; g.create_dataset("position/value", (0, 4, 3), "f4").attrs["unit"] = "nm"; del g["position/time"], g["position/step"]'
    mkh5 good
    for ((k = 8; k < $(stat -c %s good); k += 997)); do
        head -c $k good >bad
        refuses "expected"
    done
    mkh5 bad then='del g["position/value"]; g.create_dataset("position/value", (3, 1 << 40, 3), "f4", chunks=(1, 1000, 3)).attrs["unit"] = "nm"'
    fails 4 traj2bin bad -o out.mbf
    [[ $output == *"of memory is needed for "*"(use a larger --max-mem)"* && ${#lines[@]} -eq 1 && ! -e out.mbf ]] || { echo "$output"; false; }
    for c in gzip 'cat'; do
        $c <good | { fails 2 traj2bin -o out.mbf - && [[ $output == "traj2bin: stdin: expected an uncompressed file, found "*" (write the uncompressed data to a file first)" ]]; }
    done
    gzip -c good >bad
    refuses "found compressed data (write the uncompressed data to a file first)"
    printf '\x89HDF\r\n\x1a\nxyz' >bad
    refuses "expected an HDF5 file, found nothing that libhdf5 can read (the file may be truncated or damaged): "
    # a data set in a layout that libhdf5 does not know, as from a newer library
    mkh5 good pack=1
    python3 - <<'END'
import re
b = open("good", "rb").read()
layout = re.compile(rb"\x03(\x02\x04.{8}\x02\0{3}\x03\0{3}\x02\0{3})", re.S) # version 3, chunks of 2 x 3 x 2
assert len(layout.findall(b)) == 1
open("bad", "wb").write(layout.sub(lambda m: b"\x09" + m[1], b))
END
    refuses "particles/all/position/value: expected a data set, found nothing that libhdf5 can read (the file may be truncated or damaged): bad version number"
}

# twice OLD NEW...: lines of Python that write a data set again, so that only the data from NEW are
# in the file
unwritten='def unwritten(path, rows, **how):
    d = g[path]; a, shape, kind, unit = d[...], d.shape, d.dtype, dict(d.attrs)
    del g[path]
    d = g.create_dataset(path, shape, kind, **how)
    for k, v in unit.items(): d.attrs[k] = v
    for t in range(rows): d[t] = a[t]
'

@test "H5MD: rows that are one chunk each are read in place, and no wrong size of a chunk is believed" {
    mkh5 good edges=moving then="$unwritten"'unwritten("position/value", 3, chunks=(1, 4, 3))'
    [ "$(rows good)" = "$(want)" ]
    for bytes in 64 32 1048576; do
        python3 - "$bytes" <<'END'
import struct, sys
b = open("good", "rb").read()
key = struct.pack("<II4Q", 48, 0, 1, 0, 0, 0)
assert b.count(key) == 1
open("bad", "wb").write(b.replace(key, struct.pack("<I", int(sys.argv[1])) + key[4:]))
END
        [ "$(rows bad)" = "$(want)" ]
    done
}

@test "H5MD: a damaged chunk of edges, steps or times is refused in the first of its frames" {
    local of
    for of in box/edges/value position/step position/time; do
        mkh5 bad edges=moving frames=7 then="$unwritten"'unwritten("'$of'", 7, chunks=(2,) + g["'$of'"].shape[1:], compression="gzip")
open("at", "w").write(str(g["'$of'"].id.get_chunk_info(2).byte_offset))'
        python3 -c 'b = bytearray(open("bad", "rb").read()); b[int(open("at").read()) + 2] ^= 6; open("bad", "wb").write(b)'
        refuses "frame 4: particles/all/$of: expected numbers, found nothing that libhdf5 can read"
        rows bad --select :4 | head -n 12 | cmp - <(want)
    done
}

@test "H5MD: frames that were never written are refused by number; --select takes those before them" {
    local how never="expected data, found a frame that was never written (choose the frames before it with --select)"
    for how in 'chunks=(1, 4, 3)' 'chunks=(1, 2, 2), compression="gzip"' 'chunks=(3, 4, 3)' 'chunks=(3, 4, 3), fillvalue=-1' 'chunks=(3, 4, 3), fillvalue=np.nan'; do
        mkh5 bad then="$unwritten"'unwritten("position/value", 2, '"$how)"
        refuses "frame 2: particles/all/position/value: $never"
        [ "$(rows bad --select :2)" = "$(want | head -n 8)" ]
        frame-check -v rows.mbf | grep -q 'END limited'
        mkh5 bad velocity=1 then="$unwritten"'unwritten("velocity/value", 2, '"${how/(3,/(1,})"
        refuses "frame 2: particles/all/velocity/value: $never" --velocities
        [ "$(rows bad)" = "$(want)" ]
    done
    mkh5 bad then="$unwritten"'unwritten("position/value", 0)' # one piece, not yet in the file
    refuses "frame 0: particles/all/position/value: $never"
    mkh5 bad edges=moving then="$unwritten"'unwritten("box/edges/value", 1, chunks=(1, 3, 3))'
    refuses "frame 1: particles/all/box/edges/value: $never"
    [ "$(rows bad --cell 20,30,40)" = "$(want)" ]
    for e in step time; do
        mkh5 bad then="$unwritten"'unwritten("position/'$e'", 2, chunks=(1,))'
        refuses "frame 2: particles/all/position/$e: $never"
        [ "$(rows bad --select :2)" = "$(want | head -n 8)" ]
        mkh5 bad then="del g['position/$e']; g.create_dataset('position/$e', (), 'f8')"
        refuses "particles/all/position/$e: expected a number, found no stored value"
    done
    mkh5 bad velocity=1 then="$unwritten"'unwritten("velocity/step", 2, chunks=(1,))'
    refuses "frame 2: particles/all/velocity/step: $never" --velocities
    mkh5 bad velocity=1 then="$unwritten"'unwritten("velocity/step", 0, chunks=(1,)); g["velocity/step"][1:] = g["position/step"][1:]; g["position/step"][0] = 0'
    refuses "frame 0: particles/all/velocity/step: expected step 0, as for the positions, found step 17 (use --select" --velocities
    mkh5 bad id=1 then="$unwritten"'unwritten("id/value", 1, chunks=(1, 4))'
    refuses "frame 1: particles/all/id/value: $never"
    mkh5 bad species=text then='del g["species"]; g.create_dataset("species", (4,), h5py.string_dtype())'
    refuses "frame 0: particles/all/species: $never"
    mkh5 a.h5 velocity=1 real=f8 then='g["position/value"][0] = 0; g["velocity/value"][...] = 0' # a start in one point, at rest
    rows a.h5 --velocities >/dev/null
}

@test "H5MD: data in other files are read by --external only, and refused where they are missing or short" {
    mkdir -p sub elsewhere
    local raw='p = g["position/value"][...]; u = dict(g["position/value"].attrs); del g["position/value"]
p.tofile("sub/raw.bin"); g.create_dataset("position/value", (3, 4, 3), "f4", external=[("raw.bin", 0, 96), ("raw.bin", 96, 48)]); g["position/value"].attrs.update(u)'
    mkh5 sub/a.h5 then="$raw"
    cp sub/a.h5 bad
    refuses "particles/all/position/value: expected data in this file, found data in 2 other files (read them with --external)"
    refuses "particles/all/position/value: expected data in the external file raw.bin: No such file or directory" --external
    [ "$(rows sub/a.h5 --external)" = "$(want)" ]
    [ "$(cd elsewhere && rows ../sub/a.h5 --external)" = "$(want)" ]
    head -c 143 sub/raw.bin >raw.bin
    refuses "particles/all/position/value: expected 48 bytes of data in raw.bin, found 47 bytes" --external

    local link='f2 = h5py.File("sub/other.h5", "w"); f2["there/x"] = 1; f.copy("particles/all/velocity", f2["there"]); f2.close(); del g["velocity"]; '
    mkh5 sub/a.h5 velocity=1 then="$link"'g["velocity"] = h5py.ExternalLink("other.h5", "/there/velocity")'
    cp sub/a.h5 bad
    refuses "particles/all/velocity: expected data in this file, found a link to another file (--external follows it)" --velocities
    refuses "particles/all/velocity: expected the target of this link, found nothing that libhdf5 can read" --velocities --external
    [ "$(rows bad)" = "$(want)" ]
    rows sub/a.h5 --velocities --external | cut -d' ' -f1-3 | cmp - <(want)
    mkh5 sub/a.h5 velocity=1 then="$link"'f["ext"] = h5py.ExternalLink("other.h5", "/there"); g["velocity"] = h5py.SoftLink("/ext/velocity")'
    cp sub/a.h5 bad && cp sub/other.h5 .
    refuses "particles/all/velocity: expected data in this file, found a link to another file (--external follows it)" --velocities
    rows bad --velocities --external >/dev/null

    # virtual VALUE...: the three frames are those of three files, or of what VALUE makes of them
    virtual() {
        mkh5 sub/a.h5 then='p = g["position/value"][...]; u = dict(g["position/value"].attrs); del g["position/value"]
import os
lay = h5py.VirtualLayout((3, 4, 3), "f4")
for t in range(3):
    with h5py.File(f"sub/s{t}.h5", "w") as o: o["d"] = p[t]
    lay[t] = h5py.VirtualSource(f"s{t}.h5", "d", (4, 3))
'"$1"'
g.create_virtual_dataset("position/value", lay, fillvalue=0); g["position/value"].attrs.update(u)'
        rm -f s?.h5
        cp sub/a.h5 bad
        cp sub/s?.h5 .
    }
    virtual ''
    refuses "particles/all/position/value: expected data in this file, found a virtual data set with 3 sources (read the sources with --external)"
    [ "$(rows sub/a.h5 --external)" = "$(want)" ]
    rm s1.h5
    refuses "particles/all/position/value: source s1.h5: expected an HDF5 file, found nothing that libhdf5 can read (the file may be truncated or damaged): No such file or directory" --external
    virtual 'with h5py.File("sub/s1.h5", "w") as o: o["d"] = p[1, :3]'
    refuses "particles/all/position/value: source s1.h5: d: expected more data, found a shorter data set" --external
    virtual 'with h5py.File("sub/s1.h5", "w") as o: o.create_dataset("d", (4, 3), "f4", chunks=(2, 3))[:2] = 1'
    refuses "particles/all/position/value: source s1.h5: d: expected data, found parts that were never written" --external
    virtual 'with h5py.File("sub/s1.h5", "w") as o: o["e"] = p[1]'
    refuses "particles/all/position/value: source s1.h5: expected the data set d, found none" --external
    virtual 'lay = h5py.VirtualLayout((3, 4, 3), "f4"); lay[0] = h5py.VirtualSource("s0.h5", "d", (4, 3))'
    refuses "particles/all/position/value: expected 36 numbers in the sources of this data set, found 12" --external
    # four links to the data are followed; five are refused, as is a set that is its own source
    chain() {
        mkh5 sub/a.h5 frames=1 then='p = g["position/value"][...]; u = dict(g["position/value"].attrs); del g["position/value"]
with h5py.File("sub/c0.h5", "w") as o: o["d"] = p
for k in range(1, '"$1"'):
    with h5py.File(f"sub/c{k}.h5", "w") as o:
        lay = h5py.VirtualLayout((1, 4, 3), "f4"); lay[...] = h5py.VirtualSource(f"c{k - 1}.h5", "d", (1, 4, 3)); o.create_virtual_dataset("d", lay)
lay = h5py.VirtualLayout((1, 4, 3), "f4"); lay[...] = h5py.VirtualSource("'"$2"'", "'"$3"'", (1, 4, 3))
g.create_virtual_dataset("position/value", lay); g["position/value"].attrs.update(u)'
        cp sub/a.h5 bad
        cp sub/c?.h5 .
    }
    chain 4 c3.h5 d
    [ "$(rows bad --external)" = "$(want | head -n 4)" ]
    chain 5 c4.h5 d
    refuses "expected at most 4 links from file to file, found more" --external
    chain 1 . particles/all/position/value
    refuses "expected at most 4 links from file to file, found more" --external
    fails 2 traj2bin --external "$DATA/formats/water10.xtc" -o out.mbf
    [[ $output == *": --external: expected an H5MD file, found an XTC trajectory" ]]
}

@test "H5MD: rows of cell and velocities are those of the positions' steps; elements that nobody asks for may differ" {
    local every2='for n in "value", "step", "time":
    d = g["velocity/" + n]; p, u = d[::2], dict(d.attrs); del g["velocity/" + n]; g["velocity/" + n] = p; g["velocity/" + n].attrs.update(u)'
    mkh5 bad velocity=1 then="$every2"
    [ "$(rows bad)" = "$(want)" ]
    refuses "frame 1: particles/all/velocity/step: expected step 17, as for the positions, found step 27 (use --select to choose the frames that contain this quantity and positions)" --velocities
    [ "$(rows bad --velocities --select ::2 | cut -d' ' -f1-3)" = "$(want | sed 5,8d)" ]
    # velocities are stored twice as often; only rows at the steps of the positions are used
    mkh5 a.h5 velocity=1 then='v = np.repeat(g["velocity/value"][...], 2, axis=0)[:5]; v[1::2] = 99; u = dict(g["velocity/value"].attrs)
for n in "value", "step", "time": del g["velocity/" + n]
g["velocity/value"] = v; g["velocity/value"].attrs.update(u); g["velocity/step"] = np.arange(5) * 5 + 7'
    rows a.h5 --velocities >got
    ! grep 99 got || false
    [ "$(cut -d' ' -f1-3 got)" = "$(want)" ]
    mkh5 a.h5 edges=moving then='e = g["box/edges/value"][...]; del g["box/edges"]; g["box/edges/value"] = e[[0, 0, 1, 1, 2]]; g["box/edges/value"].attrs["unit"] = "Angstrom"; g["box/edges/step"] = 5; g["box/edges/step"].attrs["offset"] = 7'
    rows a.h5 >/dev/null
    [ "$(bin2xyz rows.mbf | grep -o 'Lattice="[0-9]*' | tr -d '\n')" = 'Lattice="20Lattice="21Lattice="22' ]
    mkh5 bad edges=moving clock=linear then='g["box/edges/step"].attrs["offset"] = 17'
    refuses "frame 0: particles/all/box/edges/step: expected step 7, as for the positions, found step 17"
    mkh5 bad edges=moving clock=linear then='g["box/edges/step"][...] = 11'
    refuses "frame 1: particles/all/box/edges/step: expected step 17, as for the positions, found step 18"
    mkh5 a.h5 image=1 then='p = g["image/value"][:2]; del g["image"]; g["image/value"] = p'
    [ "$(rows a.h5)" = "$(want)" ]
    mkh5 a.h5 velocity=1 then='g["velocity/value"].attrs["unit"] = 7; del g["velocity/step"]; g["velocity/step"] = "x"'
    [ "$(rows a.h5)" = "$(want)" ]
}

@test "H5MD: a boundary of none needs no cell, and one that is partly periodic needs it" {
    mkh5 a.h5 edges=none boundary='none none none'
    [ "$(rows a.h5)" = "$(want)" ]
    frame-check -v rows.mbf | grep -q 'sys.cell' && false
    mkh5 bad edges=none boundary='none periodic periodic'
    refuses "frame 0: expected a cell for the periodic axes, found none (give --cell, or --pbc none)"
    for o in '--cell 20,30,40' '--pbc none'; do
        # shellcheck disable=SC2086
        [ "$(rows bad $o)" = "$(want)" ]
    done
    for e in vector moving; do
        mkh5 a.h5 edges=$e boundary='periodic periodic none'
        rows a.h5 >/dev/null
        says sys.pbc TTF
        mkh5 a.h5 edges=$e boundary='none none none'
        rows a.h5 >/dev/null
        says sys.pbc FFF
    done
}

# charges FILE KEY=VALUE...: as mkh5, with a charge i/4 - t/8 of atom i in frame t and a fixed mass
charges() {
    mkh5 "$1" then='element(at + "/charge", move(np.array([[i / 4 - t / 8 for i in range(4)] for t in frame])), k["real"], "e"); g["charge"].attrs["type"] = "effective"
g["mass"] = np.arange(4, dtype="i8") + 1; g["mass"].attrs["unit"] = "kJ mol-1"
'"${THEN:-}" "${@:2}"
}
# scalars OPTION... FILE...: print the scalars as text, one line per atom
scalars() { traj2bin -q "$@" -o scal.mbf && bin2txt scal.mbf | awk '!/^#/' | cut -d' ' -f7-; }
want_charges() { awk -v first="${1:-0}" 'BEGIN { for (t = first; t < first + 3; t++) for (i = 0; i < 4; i++) print i / 4 - t / 8, i + 1 }'; }

@test "H5MD: --scalars reads charges and other elements, of any type, fixed or per step, sorted by id, with units" {
    for real in f4 f8 '>f4'; do
        for id in '' 1; do
            charges a.h5 real=$real id=$id velocity=1 pack=1
            for o in '' --velocities '--dtype f64' '--velocities --dtype f64'; do
                # shellcheck disable=SC2086
                [ "$(scalars $o --scalars charge,mass a.h5 | awk '{ print $(NF - 1), $NF }')" = "$(want_charges | if [ -z "$id" ]; then cat; else awk 'BEGIN { split("1 2 3 4 3 1 4 2 4 3 2 1", m) } { for (j = 1; j <= 4; j++) if (m[int((NR - 1) / 4) * 4 + j] == (NR - 1) % 4 + 1) print $1, j }'; fi)" ]
                frame-check -q --strict -v scal.mbf | grep -q 'data.scalars  *charge:e mass:kJ.mol-1$'
                # shellcheck disable=SC2086
                traj2bin -q $o a.h5 -o plain.mbf
                diff <(bin2txt scal.mbf | grep -v '^#' | cut -d' ' -f-6) <(bin2txt plain.mbf | grep -v '^#' | cut -d' ' -f-6)
            done
        done
    done
    charges a.h5
    [ "$(scalars --scalars mass,charge --select 1 a.h5)" = "$(want_charges | awk 'NR > 4 && NR < 9 { print $2, $1 }')" ]
    [ "$(scalars --scalars mass --charges 'Ar=0.5' --species 'Ar 4' --select 1 a.h5 | xargs)" = "1 0.5 2 0.5 3 0.5 4 0.5" ]
    # several files, and more frames than the processes exchange at once
    charges b.h5 begin=2 frames=39
    [ "$(scalars --scalars charge,mass a.h5 b.h5 | tail -n +9)" = "$(for t in {2..40..3}; do want_charges $t; done)" ]
    [ "$(scalars --scalars charge,mass --select 3::3 a.h5 b.h5 | wc -l)" -eq 52 ]
    # large frames
    THEN='for e in "position", "charge":
    old = g[e + "/value"]; v, unit = np.concatenate([old[:]] * 20000, axis=1), old.attrs["unit"]
    del g[e + "/value"]; g[e + "/value"] = v; g[e + "/value"].attrs["unit"] = unit' charges a.h5
    for o in f32 f64; do [ "$(scalars --scalars charge --dtype $o a.h5 | sort -n | uniq -c | xargs)" = "20000 -0.25 20000 -0.125 40000 0 20000 0.125 40000 0.25 20000 0.375 40000 0.5 20000 0.625 20000 0.75" ]; done
}

@test "H5MD: scalars are those of the positions' steps, with the unit of the file or of --units" {
    # charges stored twice as often as the positions; the charges between the positions are 99
    THEN='v = np.repeat(g["charge/value"][...], 2, axis=0)[:5]; v[1::2] = 99; u = dict(g["charge/value"].attrs)
for n in "value", "step", "time": del g["charge/" + n]
g["charge/value"] = v; g["charge/value"].attrs.update(u); g["charge/step"] = np.arange(5) * 5 + 7' charges a.h5
    [ "$(scalars --scalars charge,mass a.h5)" = "$(want_charges)" ]
    THEN='g["charge/step"][1] = 18' charges bad
    refuses "frame 1: particles/all/charge/step: expected step 17, as for the positions, found step 18 (use --select to choose the frames that contain this quantity and positions)" --scalars charge
    scalars --scalars charge --select ::2 bad >/dev/null
    THEN='del g["charge/step"]; g["charge/step"] = "x"' charges a.h5
    traj2bin -q a.h5 -o out.mbf # nobody asks for them
    # unit KEYS UNIT OPTION...: the unit of the charges
    unit() {
        THEN="g['charge/value'].attrs['unit'] = $1" charges a.h5
        scalars --scalars charge "${@:3}" a.h5 >/dev/null
        frame-check -v scal.mbf | grep -q "data.scalars  *charge:$2\$" || { frame-check -v scal.mbf; false; }
    }
    unit '"C"' C
    unit '"10-19 C"' 10-19.C
    unit '"C"' e --units metal
    unit '""' pC --units micro --dtype f64
    unit '"e"' - --units lj
    unit "'$(printf '%032d' 0)'" -
    THEN='del g["charge/value"].attrs["unit"]; del g["mass"].attrs["unit"]' charges bad
    refuses "particles/all/charge/value: expected a unit such as 'e', found none in the file (name a unit style with --units)" --scalars charge
    [ "$(scalars --units real --scalars charge,mass --select 0 bad | xargs)" = "0 1 0.25 2 0.5 3 0.75 4" ]
    frame-check -v scal.mbf | grep -q 'data.scalars  *charge:e mass:-$'
    cp bad b.h5 && charges a.h5
    THEN='g["charge/value"].attrs["unit"] = "C"' charges bad begin=2
    fails 2 traj2bin -q -o out.mbf --scalars charge a.h5 bad
    [[ $output == "traj2bin: bad: "*"expected the unit 'e' of charge, as in the first file, found 'C'"* && ! -e out.mbf ]] || { echo "$output"; false; }
}

@test "H5MD: scalars that are missing, not finite, never written or of another shape are refused with their place" {
    # wrong TEXT LINES NAME
    wrong() { THEN=$2 charges bad "${@:4}" && refuses "$1" --scalars "$3"; }
    wrong "--scalars: expected particles/all/q, found none" '' q
    wrong "particles/all/position/value: expected frames x a number per atom, found 3 x 4 x 3" '' position
    wrong "particles/all/mass: expected a number per atom, found 3" 'del g["mass"]; g["mass"] = [1, 2, 3]' mass
    wrong "particles/all/mass: expected a number per atom, found 4 x 1" 'del g["mass"]; g["mass"] = [[1], [2], [3], [4]]' mass
    wrong "particles/all/mass: expected a number per atom, found 4 of another type" 'del g["mass"]; g["mass"] = np.array([b"1", b"2", b"3", b"4"])' mass
    wrong "particles/all/charge/value: expected 3 frames, as for the positions, found 2 frames" 'q = g["charge/value"][:2]; del g["charge"]; g["charge/value"] = q; g["charge/value"].attrs["unit"] = "e"' charge
    wrong "frame 1: expected finite numbers or nan, found inf as charge of atom 2" 'g["charge/value"][1, 2] = np.inf' charge
    wrong "frame 1: expected finite numbers or nan, found inf as charge of atom 2" 'g["charge/value"][1, 2] = 1e39' charge real=f8 # f32 has no such number
    local anew='del g["charge/value"]; d = g.create_dataset("charge/value", (3, 4), "f4", chunks=(1, 2), fillvalue=-9); d.attrs["unit"] = "e"; d[0] = 1; '
    wrong "frame 1: particles/all/charge/value: expected data, found a frame that was never written (choose the frames before it with --select)" "$anew" charge
    wrong "frame 1: particles/all/charge/value: expected data, found a frame that was never written" "$anew"'d[1, :2] = 1' charge
    wrong "frame 2: particles/all/charge/value: expected data, found a frame that was never written" "$anew"'d[1] = 1; d[2] = -9' charge
    THEN='g["charge/value"][1, 2] = np.nan' charges a.h5
    [ "$(scalars --scalars charge --select 1 a.h5 | xargs)" = "-0.125 0.125 nan 0.625" ]
    fails 2 traj2bin -q -o out.mbf --scalars charge --charges Ar=1 --species 'Ar 4' a.h5
    [[ $output == *"expected either --charges or --scalars charge, found both"* ]]
}

@test "H5MD: species that change during the run are refused with frame and atom" {
    mkh5 bad species=moving then='g["species/value"][2, 3] = 1'
    refuses "frame 2: particles/all/species/value: expected species 8 of atom 3 as in the first frame, found 1"
    [ "$(rows bad --select :2)" = "$(want | head -n 8)" ]
    says sys.species '8 1 1 2 8 1'
    local anew='a = lambda rows, kind: (g.create_dataset("species/value", data=rows, dtype=kind), g.__setitem__("species/step", g["position/step"]))
'
    mkh5 bad then="$anew"'a(np.array([[b"O", b"H"] * 2] * 2 + [[b"O", b"O"] * 2]), "S3")'
    refuses "frame 2: particles/all/species/value: expected species H of atom 1 as in the first frame, found O"
    mkh5 bad then="$anew"'a([["O", "H"] * 2, ["C", "H"] * 2, ["O", "H"] * 2], h5py.string_dtype())'
    refuses "frame 1: particles/all/species/value: expected species O of atom 0 as in the first frame, found C"
    mkh5 a.h5 then="$anew"'a(np.array([[b"O  ", b"H  "] * 2] * 3), "S3")' # Fortran fills texts with blanks
    rows a.h5 >/dev/null
    says sys.species '2\*\(O 1 H 1\)'
    mkh5 a.h5 then="$anew"'a([["O", "H"] * 2] * 3, h5py.string_dtype())'
    rows a.h5 >/dev/null
    says sys.species '2\*\(O 1 H 1\)'
    mkh5 a.h5 id=1 then="$anew"'a(np.array([[1, 8, 1, 8], [1, 1, 8, 8], [8, 1, 8, 1]], "i1"), h5py.enum_dtype({"H": 1, "O": 8}, basetype="i1"))'
    rows a.h5 >/dev/null # the atoms move, each with its species
    says sys.species '2\*\(H 1 O 1\)'
    cp a.h5 bad
    "$PY" -c 'import h5py; h5py.File("bad", "r+")["particles/all/species/value"][1] = [1, 1, 8, 1]'
    refuses "frame 1: particles/all/species/value: expected species 8 of atom 1 as in the first frame, found 1"
}

@test "H5MD: a locked file is reported as locked, and both remedies work" {
    mkh5 bad
    coproc HOLD { "$PY" -c 'import fcntl, sys
f = open("bad", "rb+"); fcntl.flock(f, fcntl.LOCK_EX); print("held", flush=True); sys.stdin.read()'; }
    read -r _ <&"${HOLD[0]}"
    fails 3 traj2bin -q -o out.mbf bad
    [[ $output == "traj2bin: bad: the file is locked by a program that is writing to it (wait for that program to end, or set HDF5_USE_FILE_LOCKING=FALSE to read the file now): Resource temporarily unavailable" && ! -e out.mbf ]]
    [ "$(HDF5_USE_FILE_LOCKING=FALSE rows bad)" = "$(want)" ]
    pid=$HOLD_PID
    eval "exec ${HOLD[1]}>&-"
    wait "$pid" || true
    [ "$(rows bad)" = "$(want)" ]
}

@test "H5MD: --max-mem holds for texts, attributes and chunks, however small they are in the file" {
    [ -z "$SANITIZED" ] || skip "sanitizers use memory of their own"
    # over TEXT then=...: refused with status 4 in less than 150 MB
    over() {
        mkh5 bad "$2"
        fails 4 "$PY" -c 'import resource, subprocess, sys
p = subprocess.run(sys.argv[1:])
most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
if most > 150e3: sys.exit("%d kB" % most)
sys.exit(p.returncode)' "$BIN/traj2bin" -q --max-mem 100M -o out.mbf bad
        [[ $output == *"bad: "*"$1"* && ${#lines[@]} -eq 1 && ! -e out.mbf ]] || { echo "$output"; false; }
    }
    over "of memory is needed for chunks of particles/all/species, but the limit is 100 MiB (use a larger --max-mem)" then='g.create_dataset("species", (4,), "S50000000", chunks=(4,), compression="gzip")[...] = b"O"'
    over "of memory is needed for chunks of particles/all/position/step, but the limit is 100 MiB (use a larger --max-mem)" then='del g["position/step"]; g.create_dataset("position/step", (3,), "i8", maxshape=(None,), chunks=(20000000,), compression="gzip")[...] = [7, 17, 27]'
    over "of memory is needed for texts of particles/all/species, but the limit is 100 MiB (use a larger --max-mem)" then='g["species"] = np.array([b"O" + b"x" * 29999999] * 4)'
    over "out of memory for libhdf5 (try a larger --max-mem)" then='d = g.create_dataset("species", (4,), h5py.string_dtype()); d[...] = ["O" * 90000000] * 4'
    mkh5 a.h5 species=text pack=1
    rows a.h5 --max-mem 4M >/dev/null
}

@test "H5MD: every call that fails gives the same content or status 3 or 4, and no file" {
    on_linux "the reader process closes its copies of descriptors one by one, and what that says does not matter"
    [ -z "$SANITIZED" ] || skip "preload and sanitizers do not mix"
    charges rich.h5 id=1 species=text velocity=1 image=1 pack=1 edges=moving
    "${CC:-cc}" -shared -fPIC -D_GNU_SOURCE -o fail.so "$ROOT/tests/unit/preload_fail.c" -ldl
    mkdir here && cd here
    "${TREE:-$ROOT/build}/tests/unit/nth" "$(whole 120 1000)" ../fail.so "$BIN/traj2bin" -q --velocities --unwrap --scalars charge,mass -o out ../rich.h5 >../said || { head -n 8 ../said; false; }
    [ "$(awk '/runs/ { print $1 }' ../said)" -gt 400 ]
}

@test "H5MD: where libhdf5 crashes or is killed, one message and no file; it ends with traj2bin" {
    [ -z "$SANITIZED" ] || skip "preload and sanitizers do not mix"
    mkh5 bad pack=1
    # the n-th read crashes, or the process ends
    cat >crash.c <<'C'
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
ssize_t pread(int fd, void *p, size_t n, off_t at)
{
    static int seen;
    ssize_t (*real)(int, void *, size_t, off_t) = (ssize_t(*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT, "pread");
    if (++seen == atoi(getenv("CRASH_AT"))) {
        errno = atoi(getenv("CRASH_ERRNO"));
        if (atoi(getenv("CRASH_BY")))
            raise(atoi(getenv("CRASH_BY")));
        exit(1);
    }
    return real(fd, p, n, at);
}
C
    "${CC:-cc}" -shared -fPIC -D_GNU_SOURCE -o crash.so crash.c -ldl
    # crash AT BY ERRNO STATUS TEXT
    crash() {
        fails "$4" env LD_PRELOAD="$PWD/crash.so" CRASH_AT="$1" CRASH_BY="$2" CRASH_ERRNO="$3" traj2bin -q -o out.mbf bad
        [[ $output == *"traj2bin: bad: "*"$5" && ${#lines[@]} -eq 1 && ! -e out.mbf ]] || { echo "$output"; false; }
    }
    for at in 1 3 8; do
        crash $at 11 0 2 "the file is probably damaged: libhdf5 crashed while reading it"
        crash $at 11 12 4 "out of memory: libhdf5 crashed (--max-mem may allow more)"
        crash $at 0 5 3 "read error: libhdf5 crashed"
        crash $at 9 0 3 "the process that reads this file with libhdf5 was killed"
        crash $at 27 0 2 "the file is probably damaged: libhdf5 could not finish reading it"
    done
    mkfifo pipe
    traj2bin -q bad >pipe 3>&- &
    local pid=$! child
    exec 8<pipe
    for _ in {1..100}; do child=$(cat "/proc/$pid/task/$pid/children" 2>/dev/null) || true; [ -z "$child" ] || break; sleep 0.02; done
    exec 8<&-
    wait $pid || true
    for _ in {1..100}; do [ -n "$child" ] && [ -e "/proc/${child% }" ] || break; sleep 0.02; done
    [ ! -e "/proc/${child:-none}" ]
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
    # leaks and requests of libhdf5 itself do not count
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

@test "H5MD: of the libraries that a build names, the first one that is there is loaded; without any, the message names all" {
    [ -z "${SANITIZED:-}" ] || skip "plain build only"
    command -v pkg-config >/dev/null || skip "no pkg-config: libhdf5's header is not found"
    library=$(grep -ao 'libhdf5[a-z_]*\.so\.[0-9]*' "$BIN/traj2bin" | head -n 1)
    mkh5 a.h5
    # names LIST PROGRAM: builds a traj2bin that looks for these libraries
    names() {
        # shellcheck disable=SC2046
        cc -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -I"$ROOT/lib" $(pkg-config --cflags hdf5-serial 2>/dev/null || pkg-config --cflags hdf5) -DHDF5_LIBRARY="\"$1\"" \
            -o "$2" "${BIN%/bin}/tools/traj2bin.o" "$ROOT/lib/formats/hdf5.c" "${BIN%/bin}/libmbf.a" $(pkg-config --libs libisal 2>/dev/null) -lz -lpthread -ldl -lm
    }
    names "libnone.so.1 $library libnone.so.2" two
    ./two -q a.h5 -o two.mbf
    traj2bin -q a.h5 -o one.mbf
    cmp <(bin2xyz one.mbf) <(bin2xyz two.mbf)
    names "libnone.so.1 libnone.so.2" none
    fails 2 ./none -q a.h5 -o none.mbf
    [[ $output == *"no usable libnone.so.1 libnone.so.2 was found"* && ! -e none.mbf ]]
}
