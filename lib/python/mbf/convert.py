# SPDX-License-Identifier: MIT
"""Reads other formats with NumPy, gsd, h5py, MDAnalysis, chemfiles or ASE, and writes npy, npz and H5MD."""
import errno
import importlib
import itertools
import json
import math
import os
import re
import stat
import sys
import tempfile
import warnings

import numpy as np

from . import data
from .clock import Clock
from .frames import Error

MAGIC = b"\x89MBF\r\n\x1a\n"
DEG = math.pi / 180
F32_RANGE = 16384  # in angstrom, as in lib/base/f32_range.h


def parse_cell(text):
    """Parses "A[,B,C[,alpha,beta,gamma]]", in angstrom and degrees, and returns the cell vectors as rows."""
    v = [float(x) for x in text.split(",")]
    if len(v) not in (1, 3, 6) or not all(math.isfinite(x) and x > 0 for x in v):
        raise ValueError("expected A, A,B,C or A,B,C,alpha,beta,gamma, found '%s'" % text)
    return cell_of(v[:3] if len(v) > 1 else v * 3, v[3:] if len(v) == 6 else (90, 90, 90))


def cell_of(edges, angles):
    """Returns the cell vectors as rows, from edges and angles in degrees."""
    (a, b, c), (alpha, beta, gamma) = edges, angles
    ca, cb, cg, sg = (0 if alpha == 90 else math.cos(alpha * DEG), 0 if beta == 90 else math.cos(beta * DEG),
                      0 if gamma == 90 else math.cos(gamma * DEG), 1 if gamma == 90 else math.sin(gamma * DEG))
    y = (ca - cb * cg) / sg
    z2 = 1 - cb * cb - y * y
    if z2 <= 0:
        raise ValueError("expected angles of a cell, found %s, %s, %s" % (alpha, beta, gamma))
    return np.array([[a, 0, 0], [b * cg, b * sg, 0], [c * cb, c * y, c * math.sqrt(z2)]])


# ---- input. A peer is a generator. It yields (species or None), then for each frame (time, step or
# None, cell or None, pbc or None,
# positions, velocities or None). A time that was rounded to f32 is an np.float32; a step that wraps
# after 32 bits is an np.int32.
# Arrays are copies, because peers reuse their memory and frames are read ahead.

def head_of(file, n=4096):
    with open(file, "rb") as f:
        return f.read(n)


def is_numpy(file):
    return head_of(file, 6)[:6] in (b"\x93NUMPY", b"PK\3\4\x14\0", b"PK\3\4-\0")


def is_gsd(file):
    return head_of(file, 8) == b"\xdf\x65" * 4


def is_hdf5(file):
    return head_of(file, 8) == b"\x89HDF\r\n\x1a\n"


def text_of(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def is_lammps_data(file):
    return all(re.search(p, head_of(file), re.M) for p in (rb"^\s*\d+\s+atoms\s*$", rb"\sxlo\s+xhi\b"))


def whole_cell(cell, pbc):
    """Returns the same lattice with right-handed vectors. A zero vector along a non-periodic axis becomes a unit normal. Returns None if there is no cell or volume."""
    h = np.array(cell, dtype=float).reshape(3, 3)
    zero = [k for k in range(3) if not h[k].any() and pbc is not None and not (pbc[k] == "T" if isinstance(pbc, str) else pbc[k])]
    if len(zero) == 1:
        n = np.cross(h[zero[0] - 2], h[zero[0] - 1])
        h[zero[0]] = n / np.linalg.norm(n) + 0.0 if n.any() else 0.0  # no -0
    if np.linalg.det(h) < 0:
        h[2] = -h[2]
    return h if np.linalg.det(h) > 0 else None


def same_names(first, now, frame):
    """Checks that the names of a frame are those of the first frame, because a stream has one species per atom."""
    atom = next((k for k, names in enumerate(zip(first, now)) if names[0] != names[1]), None)
    if atom is not None:
        raise Error("frame %d: expected atom %d to be '%s' as in the first frame, found '%s'" % (frame, atom, first[atom], now[atom]))


def by_numpy(files, o):
    """Reads npy (positions [F, N, 3] or [N, 3]) and npz (any of the arrays that `to` writes). Units are angstrom and ps."""
    for k, f in enumerate(files):
        z = np.load(f, allow_pickle=False)
        z = {"positions": z} if isinstance(z, np.ndarray) else {name: z[name] for name in z.files}
        x = z.get("positions", np.empty(0))
        x = x[None] if x.ndim == 2 else x
        if x.ndim != 3 or x.shape[2] != 3:
            raise Error("expected positions of shape [F, N, 3], found %s" % (str(x.shape) if "positions" in z else ", ".join(z)))
        if k == 0:
            yield data.names_of(z["species"]) if "species" in z else None
        cell = z.get("cell")
        cells = [None] * len(x) if cell is None else np.broadcast_to(np.diag(cell) if cell.ndim == 1 else cell, (len(x), 3, 3))
        pbc = dict(str(m).split("\t", 1) for m in z.get("meta", ())).get("sys.pbc")
        for s, step in enumerate(x):
            yield (z["time"][s] if "time" in z else math.nan, None, cells[s], pbc, step,
                   z["velocities"][s] if o.velocities and "velocities" in z else None)


def by_gsd(files, o):
    """Reads GSD files of HOOMD-blue with the module gsd. The box is Lx, Ly, Lz and the tilt factors xy, xz, yz. The second vector is (xy Ly, Ly, 0)."""
    hoomd, n = importlib.import_module("gsd.hoomd"), 0
    for k, f in enumerate(files):
        try:
            run = hoomd.open(f, "rb")  # before gsd 3.0
        except ValueError:
            run = hoomd.open(f, "r")
        with run:
            for s, frame in enumerate(run):
                if k == s == 0:
                    species = [frame.particles.types[t] for t in frame.particles.typeid]
                    yield species
                same_names(species, [frame.particles.types[t] for t in frame.particles.typeid], n)
                n += 1
                x, y, z, xy, xz, yz = map(float, frame.configuration.box)
                flat = z == 0 or frame.configuration.dimensions == 2  # the box has no height, so any vector along z is valid
                cell = np.array([[x, 0, 0], [xy * y, y, 0], [0, 0, z or 1] if flat else [xz * z, yz * z, z]])
                yield math.nan, int(frame.configuration.step), cell if x * y > 0 else None, "TTF" if flat else None, frame.particles.position.copy(), None


def by_mdtraj(files, o):
    """Reads HDF5 files of MDTraj (convention "Pande"), with nm, ps, degrees, and atom names in a JSON topology."""
    h5py = importlib.import_module("h5py")
    units = {"coordinates": "nanometers", "time": "picoseconds", "cell_lengths": "nanometers", "cell_angles": "degrees", "velocities": "nanometers/picosecond"}
    for k, name in enumerate(files):
        with h5py.File(name, "r") as f:
            said = text_of(f.attrs.get("conventions", ""))
            if "Pande" not in said:
                raise Error("expected HDF5 of MDTraj with the conventions 'Pande', found '%s'" % said)
            for key, unit in units.items():
                found = text_of(f[key].attrs.get("units", unit)) if key in f else unit
                if found != unit:
                    raise Error("expected %s in %s, found '%s'" % (key, unit, found))
            if k == 0:
                atoms = [a for c in json.loads(f["topology"][0])["chains"] for r in c["residues"] for a in r["atoms"]] if "topology" in f else []
                atoms.sort(key=lambda a: a["index"])
                yield next((names for names in ([a.get(key) for a in atoms] for key in ("element", "name")) if names and all(names)), None)
            get = {key: f[key] for key in units if key in f}
            for s in range(len(get["coordinates"])):
                edges, angles = ([float(str(v)) for v in get[key][s]] if key in get else None for key in ("cell_lengths", "cell_angles"))
                x, v = (np.asarray(get[key][s], dtype=o.dtype) * 10 if key in get else None for key in ("coordinates", "velocities"))
                yield (get["time"][s] if "time" in get else math.nan, None,
                       cell_of([10 * e for e in edges], angles) if edges and angles and any(edges) else None, None, x, v if o.velocities else None)


def by_mdanalysis(files, o):
    mda = importlib.import_module("MDAnalysis")
    if any(map(is_gsd, files)):
        raise Error("MDAnalysis reads the tilt factors of a GSD box as cosines")
    u = mda.Universe(*([o.topology] if o.topology else []), *files)
    for f in files:  # the GRO reader of MDAnalysis reads only the first frame, without a warning
        if f.lower().endswith(".gro"):
            with open(f, "rb") as g:
                lines = sum(1 for line in g if line.strip())
            if lines > len(u.atoms) + 3:
                raise Error("MDAnalysis reads only the first of several frames in a GRO file")
    named = [[str(s) for s in getattr(u.atoms, k)] for k in ("elements", "types", "names") if hasattr(u.atoms, k)]
    named = [s for s in named if all(s)]  # a virtual site has a type but no element
    # In a PSF file of CHARMM, the types are numbers, so that the names are used
    yield next((s for s in named if not all(t.isdigit() for t in s)), named[0] if named else None)
    for ts in u.trajectory:
        form = set(np.atleast_1d(getattr(getattr(u.trajectory, "active_reader", u.trajectory), "format", ())))
        # For a file without times MDAnalysis invents times: 1 ps per frame, for LAMMPS 1 ps per
        # step
        said = "dt" in ts.data or ("time" in ts.data and "LAMMPSDUMP" not in form)
        time, step = float(ts.time) if said else math.nan, ts.data.get("step") if form & {"XTC", "TRR", "LAMMPSDUMP"} else None
        if form & {"XTC", "TRR", "NCDF"}:
            time = np.float32(time)
        if form & {"XTC", "TRR"} and step is not None:
            step = np.int32(step)
        cell = ts.triclinic_dimensions
        has_cell = cell is not None and abs(np.linalg.det(np.asarray(cell, float))) > 0
        yield (time, step, np.asarray(cell, float) if has_cell else None, None, ts.positions.copy(),
               ts.velocities.copy() if o.velocities and ts.has_velocities else None)


def by_chemfiles(files, o):
    chemfiles, first, n = importlib.import_module("chemfiles"), True, 0
    for f in files:
        with chemfiles.Trajectory(f) as t:
            if o.topology:
                t.set_topology(o.topology)
            for _ in range(t.nsteps):
                frame = t.read()
                now = [a.type or a.name for a in frame.atoms]
                if first:
                    kinds = now
                    yield kinds if all(kinds) else None
                first = False
                same_names(kinds, now, n)
                n += 1
                cell = np.array(frame.cell.matrix, float).T  # chemfiles stores the vectors in columns
                yield (math.nan, None, cell if abs(np.linalg.det(cell)) > 0 else None, None, frame.positions.copy(),
                       np.array(frame.velocities) if o.velocities and frame.has_velocities() else None)


def by_ase(files, o):
    ase_io, units = importlib.import_module("ase.io"), importlib.import_module("ase.units")
    first, n = True, 0
    for f in files:
        lammps = is_lammps_data(f)
        for atoms in ase_io.iread(f, index=":", **({"format": "lammps-data"} if lammps else {})):
            if first:  # without masses, ASE uses the type number as an atomic number
                told = not lammps or re.search(rb"^\s*Masses\b", head_of(f), re.M)
                symbols = atoms.get_chemical_symbols()
                yield symbols if told else [str(t) for t in atoms.arrays["type"]]
            first = False
            same_names(symbols, atoms.get_chemical_symbols(), n)
            n += 1
            has_cell = whole_cell(atoms.cell.array, pbc_of(o, atoms.pbc)) is not None
            yield (math.nan, None, atoms.cell.array if has_cell else None, atoms.pbc if has_cell else None, atoms.positions,
                   atoms.get_velocities() * units.fs * 1e3 if o.velocities and atoms.has("momenta") else None)


PEERS = {"NumPy": by_numpy, "gsd": by_gsd, "h5py": by_mdtraj, "MDAnalysis": by_mdanalysis, "chemfiles": by_chemfiles, "ase": by_ase}


def advance(frames, where):
    """Returns the next frame from another reader, or None at the end. Any exception becomes an Error (chemfiles raises objects that are not Exceptions)."""
    try:
        return next(frames, None)
    except (ImportError, KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException as e:  # noqa: BLE001
        raise Error("%s: %s: %s" % (where, type(e).__name__, " ".join(str(e).split())[:300])) from None


def open_peer(files, o):
    """Finds the first installed reader that can read the first file. Returns its name, species, frames and first frame."""
    said, head = [], head_of(files[0], 8)
    if head in (b"", MAGIC):
        raise Error("%s: expected a trajectory, found %s" % (files[0], "an MBF stream, which needs no conversion" if head else "an empty file"))
    for name, peer in PEERS.items():
        if o.peer not in ("auto", name):
            continue
        if not {"NumPy": is_numpy, "gsd": is_gsd, "h5py": is_hdf5}.get(name, bool)(files[0]):
            said += ["%s does not read this format" % name] * (o.peer == name)
            continue
        frames = peer(files, o)
        try:
            species = advance(frames, name)
            frame = advance(frames, name)
            if frame is not None:
                return name, species, frames, frame
            said.append("%s found no frame" % name)
        except ImportError as e:
            said.append("%s is not installed" % name if e.name == name else "%s: %s" % (name, e))
        except Error as e:
            said.append(str(e))
    raise Error("%s: %s" % (files[0], "; ".join(said)))


def selected(frames, first, o, where):
    """Yields the frames of --select in the form that Clock needs: (number, time, step, positions, cell, pbc, velocities)."""
    start, stop, every = o.select.start or 0, o.select.stop, o.select.step or 1
    for n in itertools.count() if stop is None else range(stop):
        frame = first if n == 0 else advance(frames, "%s: frame %d" % (where, n))
        if frame is None:
            return
        if n >= start and (n - start) % every == 0:
            time, step, cell, pbc, positions, velocities = frame
            yield n, time, step, positions, cell, pbc, velocities


def check_reach(positions, o, where):
    far = np.argwhere(np.abs(positions) > F32_RANGE)
    if o.dtype == "<f4" and len(far):
        atom, axis = far[0]
        raise Error("%s: expected positions within %g angstrom of the origin, where f32 resolves 0.001 angstrom, found %s of atom %d at %g "
                    "(--dtype f64)" % (where, F32_RANGE, "xyz"[axis], atom, positions[atom][axis]))


def convert(files, o, args):
    """Implements `from`. Converts frames of other formats to a stream, and returns a line that states the reader and the sources of values."""
    warnings.showwarning = lambda *_, **__: None  # hide the warnings of the other packages; relevant problems are checked here
    for f in files:
        open(f, "rb").close()
    name, species, frames, frame = open_peer(files, o)
    bad = next((s for s in species or () if not data.is_name(s)), None)
    if bad is not None or len(set(species or ())) > 255:
        print("mbf: warning: %s: atom names were dropped: expected at most 255 names of 1 to 15 bytes without blanks and brackets, found %s" %
              (files[0], ascii(bad) if bad is not None else "more"), file=sys.stderr)
        species = None
    cell = parse_cell(o.cell) if o.cell else None
    clock = Clock(o.dt, o.select, files[0])
    frames = clock(selected(frames, frame, o, files[0]))
    first = next(frames, None)
    if first is None:
        raise Error("%s: expected frames that --select selects, found none (python3 -m mbf from -v without --select prints the number of frames)" % files[0])
    with data.Writer(o.output, dt=clock.dt, pbc=pbc_of(o, first[4]), species=o.species or species, dtype=o.dtype, compress=o.compress, tool="mbf from",
                     args=args) as writer:
        for n, time, positions, own, pbc, velocities in itertools.chain([first], frames):
            own = None if own is None else whole_cell(own, pbc_of(o, pbc))
            if o.velocities and velocities is None:
                raise Error("%s: frame %d: expected velocities, found none by %s" % (files[0], n, name))
            use = cell if cell is not None else own
            if use is None and o.pbc != "none":
                raise Error("%s: frame %d: expected a cell, found none (give --cell, or --pbc none if there is no cell)" % (files[0], n))
            check_reach(positions, o, "%s: frame %d" % (files[0], n))
            writer.put(positions, time, use, velocities)
    said = "--dt" if o.dt is not None else name
    return "read by %s: %d frames of %d atoms, dt %s, cell %s" % (
        name, clock.n, writer.shape[0], "%g ps (%s)" % (clock.dt, said) if clock.dt else "unknown (--dt)",
        "none" if use is None else "(--cell)" if cell is not None else "(%s)" % name)


def pbc_of(o, pbc):
    if o.pbc is not None:
        return "".join("FT"[c in o.pbc] for c in "xyz") if o.pbc != "none" else "FFF"
    return pbc


# ---- output

def beside(path):
    """Creates a new file next to `path`, or next to the target of a link `path`, with the mode and, if permitted, the owner and group of
    an existing file. Returns the handle, the name, and the final name that the file gets when it is complete."""
    target = os.path.realpath(path)
    old = os.stat(target) if os.path.exists(target) else None
    if os.path.islink(path) and not old:
        raise FileNotFoundError(errno.ENOENT, "expected a link to a file, found a link to nothing", path)
    if old and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    handle, name = tempfile.mkstemp(prefix="." + os.path.basename(target)[:200] + ".", dir=os.path.dirname(target))
    mask = os.umask(0)
    os.umask(mask)
    mode = stat.S_IMODE(old.st_mode) if old else 0o666 & ~mask
    for owner, group in ((old.st_uid, -1), (-1, old.st_gid)) if old else ():
        try:
            os.chown(name, owner, group)
        except OSError:
            mode &= ~(stat.S_IRWXG | stat.S_ISGID) if group >= 0 else -1  # removes rights for a group that differs from the old one
    os.chmod(name, mode)
    return handle, name, target


def to_h5md(run, out):
    h5py = importlib.import_module("h5py")
    if run.kind != "positions":
        raise Error("h5md: expected positions, found %s" % run.kind)
    with h5py.File(out, "w") as f:
        head = f.create_group("h5md")
        head.attrs["version"] = np.array([1, 1], dtype="i4")
        head.create_group("author").attrs["name"] = "unknown"
        creator = head.create_group("creator")
        creator.attrs["name"], creator.attrs["version"] = "mbf", data.VERSION
        atoms = f.create_group("particles/all")
        f["particles/trajectory"] = atoms  # a second name for the data, which MDAnalysis expects
        for name, values, unit in (("position", run.positions, "Angstrom"), ("velocity", run.velocities, "Angstrom ps-1")):
            if values is not None:
                element(atoms.create_group(name), run, values, unit)
        box = atoms.create_group("box")
        box.attrs["dimension"] = 3
        box.attrs["boundary"] = np.array([b"periodic" if p == "T" else b"none" for p in run.meta.get("sys.pbc", "FFF")])
        if run.cell is not None:
            element(box.create_group("edges"), run, run.cell, "Angstrom")
        names = data.species_of(run.meta)
        if names:
            kinds = sorted(set(names))
            atoms["species"] = np.array([kinds.index(n) for n in names], dtype="i4")
            f.create_group("parameters").attrs["species"] = np.array([k.encode() for k in kinds])


def element(group, run, values, unit):
    group["value"], group["step"] = values, run.index
    group["value"].attrs["unit"] = unit
    if not np.isnan(run.time).any():
        group["time"] = run.time
        group["time"].attrs["unit"] = "ps"


def export(form, path, out):
    """Implements `to`. Converts a stream to npy (only its data), npz (all arrays by name) or H5MD."""
    run = data.read(path)
    what = {k: v for k, v in vars(run).items() if isinstance(v, np.ndarray)}
    if form == "h5md":
        to_h5md(run, out)
    elif form == "npy":
        if run.kind not in what:
            raise Error("npy: expected data with one array, found %s (npz holds several arrays)" % run.kind)
        with open(out, "wb") if out != "-" else sys.stdout.buffer as f:
            np.save(f, what[run.kind])
    else:
        names = data.species_of(run.meta)
        what.update({"species": np.array(names)} if names else {})
        what["meta"] = np.array(["%s\t%s" % kv for kv in run.meta.items()])
        with open(out, "wb") if out != "-" else sys.stdout.buffer as f:
            np.savez(f, **what)
