# SPDX-License-Identifier: MIT
"""Reads and writes steps of trajectories and time series, reads complete results, and reads results as tables."""
import ctypes
import io
import itertools
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import traceback
from ctypes import byref
from types import SimpleNamespace
from typing import NamedTuple, Optional

import numpy as np

from . import frames, library
from .frames import Error
VERSION, lib = library.VERSION, library.lib

NAMES = {b"CORR": ("counts", "sums"), b"HIST": ("counts", "expected", "steps"), b"SPEC": ("values",)}
MAGIC = b"\x89MBF"
KINDS = {b"POSN": "positions", b"PAIR": "pairs", b"SERI": "series"}


class Step(NamedTuple):
    """Represents one time step. The arrays are read-only views that remain valid while they are referenced."""
    index: int  # number of the step in its run
    time: float  # ps; NaN if unknown
    cell: Optional[np.ndarray]  # [3, 3], rows are vectors, angstrom; None without a cell
    data: np.ndarray  # positions [natoms, 3] angstrom; pairs [components, pairs]; series [columns]
    velocities: Optional[np.ndarray]  # [natoms, 3] angstrom/ps; None without velocities
    scalars: dict  # dict with an array [natoms] for each scalar, such as the charge; NaN marks undefined values

    @property
    def positions(self):
        """Returns the data of a trajectory."""
        return self.data

    def __repr__(self):
        return "<mbf step %d: %s>" % (self.index, ", ".join(_words([self.time], "data %s" % list(self.data.shape), self.cell, self.velocities, self.scalars)))


def _words(times, what, cell, velocities, scalars):
    """Returns the parts of the string that represents a step or a run."""
    words = [what]
    if len(times) and not np.isnan(times).any():
        words.append(" to ".join("%.6g" % t for t in dict.fromkeys((times[0], times[-1]))) + " ps")
    if cell is not None:
        words.append("cell of %.6g A^3" % abs(np.linalg.det(cell)))
    return words + (["velocities"] if velocities is not None else []) + list(scalars)


def _plural(text):
    return re.sub(r"\b1 (step|atom|number)s\b", r"1 \1", text)


def _cell(meta):
    text = meta.get("sys.cell")
    return np.array(text.split(), dtype=float).reshape(3, 3) if text else None


def species_of(meta, needed=False):
    """Returns the name of each atom, from sys.species. If this key is missing, returns None or, if needed is True, raises an Error with a remedy."""
    natoms = int(meta.get("sys.natoms", 0))
    if "sys.species" in meta:
        return _species(frames.Meta({k: meta[k] for k in ("sys.species", "sys.natoms") if k in meta}), natoms, Error)
    if needed:
        hint = lib.meta_species_hint(natoms, ctypes.create_string_buffer(96)).decode()
        raise Error("expected names of %d atoms, found none (%s)" % (natoms, hint))
    return None


def scalars_of(meta):
    """Returns a dict with the unit of each scalar of the atoms, from data.scalars."""
    return dict(word.split(":") for word in meta.get("data.scalars", "").split())


def _named(meta, scalars):
    """Returns the scalars [..., C] of each atom by name."""
    return {} if scalars is None else {name: scalars[..., k] for k, name in enumerate(scalars_of(meta))}


def _species(meta, natoms, kind):
    """Returns the names in a frames.Meta, or raises an exception of the given kind."""
    index, names, e = np.empty(natoms, "u1"), (ctypes.c_char * 16 * 256)(), library.Err()
    if lib.meta_species(meta.p, natoms, index.ctypes.data, names, 256, byref(e)) < 0:
        raise frames.said(e, kind)
    names = [n.value.decode() for n in names]
    return [names[k] for k in index]


def _name(meta, names, natoms):
    """Sets sys.species from the names of all atoms."""
    kinds = list(dict.fromkeys(names))
    bad = next((name for name in kinds if not is_name(name)), None)
    if bad is not None:
        raise ValueError("species: expected names of 1 to 15 bytes without blanks and brackets, found '%s'" % bad)
    if len(names) != natoms or len(kinds) > 256:
        raise ValueError("species: expected %d names with at most 256 different ones, found %d names with %d different ones" % (natoms, len(names), len(kinds)))
    index = np.array([kinds.index(name) for name in names], "u1")
    table = (ctypes.c_char * 16 * len(kinds))(*[ctypes.create_string_buffer(name.encode(), 16) for name in kinds])
    lib.meta_set_species(meta.p, len(names), index.ctypes.data, table)


class Stream:
    """Represents an open stream, for use in a with statement. All data are verified before they are returned. The last step may be
    returned before the end of the stream is verified. A truncated stream raises Truncated at the point of truncation.

    - meta: META of the current segment, a dict of strings
    - kind: "positions", "pairs" or "series", after the first step was read
    - steps: number of steps returned so far"""

    def __init__(self, file, name, owned=True, reader=None, selected=False):
        self._file, self.selected = file if owned else None, selected
        self.reader = reader or frames.Reader(file, name, strict=True)
        self.meta, self.kind, self.steps, self.last = next(self.reader), None, 0, None  # last: data of the step that was returned last

    def __repr__(self):
        of = " of %s atoms" % self.meta["sys.natoms"] if "sys.natoms" in self.meta else ""
        what = self.kind or self.meta.get("data.quantity", "data")
        return _plural("<mbf stream %s: %s%s, %d steps so far>" % (self.reader.name, what, of, self.steps))

    def __enter__(self):
        return self

    def __exit__(self, *why):
        self.close()

    def close(self):
        """Closes the stream before its end. A pipe is also closed."""
        self.reader.close()
        if hasattr(self._file, "close"):
            self._file.close()

    def _arrays(self):
        """Yields the arrays of the stream and handles META and END."""
        for item in self.reader:
            if isinstance(item, dict):
                was, now = (m.get("data.scalars", "absent") for m in (self.meta, item))
                if was != now:
                    raise Error("%s: expected segments of one system, found different values of data.scalars: %s here and %s in the first segment" % (self.reader.name, now, was))
                self.meta = item
            elif not isinstance(item, tuple):
                yield item

    def __iter__(self):
        """Yields a Step for each time step."""
        for first, times, *arrays in self._blocks(self._arrays()):
            for *step, scalars in zip(itertools.count(first), times.tolist(), *(itertools.repeat(None) if a is None else a for a in arrays)):
                self.steps += 1
                self.last = step[3]
                yield Step(*step, _named(self.meta, scalars))

    def _blocks(self, arrays):
        """Yields blocks of steps: index of the first step, times [n], cells [n, 3, 3] or None, data, velocities or None, scalars [n, natoms, C] or None."""
        waiting = {}
        for a in arrays:
            if a.code in NAMES:
                raise Error("%s: expected time steps, found %s (use mbf.read or mbf.table)" % (self.reader.name, a.code.decode()))
            if a.code not in KINDS:
                waiting[a.code] = a
                continue
            self.kind, velocities = KINDS[a.code], waiting.get(b"VELO", a)
            if (velocities.data.shape, velocities.data.dtype, velocities.index) != (a.data.shape, a.data.dtype, a.index):
                raise Error("%s: expected VELO with the steps of its block, found VELO of other steps" % self.reader.name)
            n, cell, dt = len(a.data), _cell(self.meta), float(self.meta.get("sys.dt_ps", "nan"))
            times = waiting[b"TIME"].data if b"TIME" in waiting else np.empty(n)
            if b"TIME" not in waiting:
                lib.frame_step_times(byref(a.desc), dt, times.ctypes.data)
            cells = waiting[b"CELL"].data.reshape(-1, 3, 3) if b"CELL" in waiting else None if cell is None else np.broadcast_to(cell, (n, 3, 3))
            yield a.index, times, cells, a.data, None if velocities is a else velocities.data, waiting[b"SCAL"].data if b"SCAL" in waiting else None
            waiting = {}


def _open(path, options, select=None, whole=False):
    """Opens a stream. For a trajectory of another program, select is the slice of steps to read, and whole states whether to return the
    steps in the largest possible blocks. If select is used, the stream is marked as `selected`."""
    several = isinstance(path, (list, tuple))
    if several and not path:
        raise ValueError("expected one path or more, found none")
    if (path is None or path == "-" or hasattr(path, "read")) and options:
        raise ValueError("expected a path with the options %s, found standard input or an open file" % ", ".join(options))
    if path is None or path == "-":
        return Stream(sys.stdin.buffer, "stdin", owned=False)
    if hasattr(path, "read"):
        return Stream(path, str(getattr(path, "name", "a file")), owned=False)
    file = io.open(path[0] if several else path, "rb", buffering=0)  # fails if the path cannot be read; Python reads a pipe, so that Ctrl-C works
    if not (several or options or os.path.isfile(path)):
        return Stream(file, os.fsdecode(path))
    with file:
        if not (several or options) and MAGIC.startswith(file.read(len(MAGIC))):
            return Stream(path, os.fsdecode(path))
    if select and "select" in options:
        raise ValueError("expected steps or select, found both")
    reader = frames.Import(path if several else [path], {**options, "select": select} if select else options, whole)
    return Stream(None, reader.name, reader=reader, selected=bool(select))


def open(path=None, **options):  # noqa: A001 - called as mbf.open
    """Returns a Stream from a path, from stdin (None or "-"), or from a binary file such as a pipe.

    A path may also be a trajectory of another program in a format that traj2bin reads, or a list of such paths that form one trajectory. The
    options are those of traj2bin, as in open("run.dump", units="real", timestep=0.002, species="1=O,2=H", velocities=True)."""
    return _open(path, options)


class Run(SimpleNamespace):
    """Holds the result of read as arrays by name. Printing a Run lists its contents without the numbers.

    - meta: META, a dict of strings
    - kind: "positions", "pairs" or "series", or for results CORR, HIST or SPEC
    - index, time: numbers of the steps, and their times in ps (NaN if unknown), [F]
    - cell: [F, 3, 3] in angstrom, with the vectors as rows, or None
    - positions: [F, N, 3], angstrom; velocities: [F, N, 3], angstrom/ps, or None
    - scalars: a dict with an array [F, N] for each scalar, such as the charge; scalars_of(meta) returns the units. NaN marks undefined values
    - pairs: [F, components, pairs]; series: [F, columns], with the names in meta["data.columns"]
    - counts, sums: for CORR, [blocks, lags] and [blocks, lags, components, functions]
    - counts, expected, steps: for HIST, counts and expected are [blocks, pairs of species, bins], and steps is [blocks]. For van Hove
      functions, each lag has the histograms of pairs, followed by the histograms of displacements, and steps is [blocks, lags]
    - values: for SPEC, [rows, columns]"""

    def __repr__(self):
        if self.kind not in vars(self):
            return "<mbf %s: %s>" % (self.kind, ", ".join("%s %s" % (k, list(v.shape)) for k, v in vars(self).items() if isinstance(v, np.ndarray)))
        data = getattr(self, self.kind)
        each = "%d atoms" % data.shape[1] if self.kind == "positions" else " x ".join(map(str, data.shape[1:])) + " numbers"
        cell = self.cell[0] if self.cell is not None and len(self.cell) else None
        return "<mbf %s: %s>" % (self.kind, ", ".join(_words(self.time, _plural("%d steps of %s" % (len(data), each)), cell, self.velocities, self.scalars)))

    def to_xarray(self):
        """Returns an xarray.Dataset of time steps, with positions [time, atom, axis], velocities, scalars [time, atom], cell and, if atoms have names,
        species [atom]. For a time series, the Dataset has a variable [time] for each column, with the name of the column."""
        import xarray  # noqa: PLC0415 - needed only here
        if self.kind not in ("positions", "series"):
            raise Error("to_xarray: expected positions or series, found %s" % self.kind)
        time = ("time", self.time, {"units": "ps"})
        if self.kind == "series":
            names = self.meta["data.columns"].split()
            return xarray.Dataset({n: ("time", self.series[:, k]) for k, n in enumerate(names)}, {"time": time}, dict(self.meta))
        of = {"positions": (("time", "atom", "axis"), self.positions, {"units": "angstrom"})}
        if self.velocities is not None:
            of["velocities"] = (("time", "atom", "axis"), self.velocities, {"units": "angstrom/ps"})
        units = scalars_of(self.meta)
        of.update({name: (("time", "atom"), a, {"units": units[name]}) for name, a in self.scalars.items()})
        if self.cell is not None:
            of["cell"] = (("time", "vector", "axis"), self.cell, {"units": "angstrom"})
        names = species_of(self.meta)
        return xarray.Dataset(of, {"time": time, "axis": list("xyz"), **({"species": ("atom", names)} if names else {})}, dict(self.meta))


def _cut(block, steps, atoms):
    """Returns the selected steps and atoms of a block."""
    index, times, cells, rows, velocities, scalars = block
    first, stop, stride = steps.start or 0, steps.stop, steps.step or 1
    last = index[0] + len(times) if stop is None else min(stop, index[0] + len(times))
    begin = max(first, index[0] + -(index[0] - first) % stride if index[0] > first else first)
    keep = slice(begin - index[0], max(last - index[0], begin - index[0]), stride)

    def chosen(a, of_atoms):
        return None if a is None else a[keep] if atoms is None or not of_atoms else a[keep][:, atoms]

    return (index[1] + keep.start, keep), times[keep], chosen(cells, False), chosen(rows, True), chosen(velocities, True), chosen(scalars, True)


def _chosen(stream, natoms, atoms):
    """Returns the indices of the selected atoms."""
    if stream.kind != "positions":
        raise Error("%s: atoms: expected a stream of positions, found %s" % (stream.reader.name, stream.kind))
    chosen = np.atleast_1d(np.arange(natoms)[atoms])
    if chosen.ndim != 1 or not len(chosen):
        raise ValueError("atoms: expected an index, a slice, indices or a mask that selects some of %d atoms, found %.80r" % (natoms, atoms))
    return chosen


def _meta_of(meta, atoms):
    """Returns the META for these atoms."""
    of = {"sys.selected_of": meta["sys.natoms"]} if len(atoms) < int(meta["sys.natoms"]) else {}
    names, kept = species_of(meta), frames.Meta({**of, **meta, "sys.natoms": len(atoms)})
    if names:
        _name(kept, [names[k] for k in atoms], len(atoms))
    return frames.entries(kept.p)


def read(path=None, steps=None, atoms=None, **options):
    """Reads a whole stream and returns a Run. For results, the Run contains counts and sums. For averages, use mbf.table.

    - steps: a step number, counted from 0 as in frame-cut, or a slice of steps with a stride above 0
    - atoms: an index, a slice, indices or a mask; meta then describes the selected atoms
    - options: the options of mbf.open for a trajectory of another program. Only the selected steps are decoded

    Only the selected data are kept in memory."""
    one = isinstance(steps, (int, np.integer))
    steps, given = slice(steps, steps + 1) if one else slice(None) if steps is None else steps, steps
    if not isinstance(steps, slice) or any(v is not None and v < least for v, least in ((steps.start, 0), (steps.stop, 0), (steps.step, 1))):
        raise ValueError("steps: expected a number from 0, or a slice with a stride above 0, found %.80r" % (given,))
    first_step, stride = steps.start or 0, steps.step or 1
    with _open(path, options, None if given is None else "%d:%s:%d" % (first_step, "" if steps.stop is None else steps.stop, stride), atoms is None) as s:
        arrays, selected = s._arrays(), s.selected
        steps = slice(None) if selected else steps
        first = next(arrays, None)
        if first and first.code in NAMES:
            data = [first.data] + [a.data for a in arrays]
            if s.reader.segments > 1 or len(data) != len(NAMES[first.code]):
                raise Error("%s: expected one result, found several segments or other arrays" % s.reader.name)
            return Run(meta=s.meta, kind=first.code.decode(), **dict(zip(NAMES[first.code], data)))
        blocks, at, chosen = [], 0, None
        for k, t, cells, rows, *more in s._blocks(itertools.chain([first] if first else [], arrays)):
            if chosen is None and atoms is not None:
                chosen = _chosen(s, rows.shape[1], atoms)
            (k, keep), *cut = _cut(((at, k), t, cells, rows, *more), steps, chosen)
            at += len(t)
            if len(cut[0]):
                blocks.append(((k, keep.step), *(None if c is None else c.copy() if len(c) < len(t) else c for c in cut)))
        if not blocks:
            raise Error("%s: expected data, found none" % s.reader.name)
        index, times, cells, rows, velocities, scalars = zip(*blocks)

        def whole(blocks):
            return None if any(b is None for b in blocks) else blocks[0] if len(blocks) == 1 and blocks[0].flags.writeable else np.concatenate(blocks)

        def indices(of, n):  # signed numbers, because differences can be negative; unsigned numbers beyond 2^63
            k, stride = of
            return k + stride * np.arange(n, dtype="i8" if k + stride * n <= 2**63 else "u8")

        index = whole([indices(k, len(t)) for k, t in zip(index, times)])
        meta = s.meta if chosen is None else _meta_of(s.meta, chosen)
        if "sys.dt_ps" in meta:  # as in frame-cut
            meta = {**meta, "sys.dt_ps": "%.15g" % (float(meta["sys.dt_ps"]) * (steps.step or 1))}
        return Run(meta=meta, kind=s.kind, index=first_step + stride * index if selected else index, time=whole(times),
                               cell=whole(cells), velocities=whole(velocities), scalars=_named(meta, whole(scalars)), **{s.kind: whole(rows)})


def _is_word(s):
    """Returns whether s can be a column of text, that is, contains no blanks and no control characters."""
    return bool(s) and all(c > " " and c != "\x7f" for c in s)


def is_name(s):
    """Returns whether s can be a name in sys.species."""
    return _is_word(s) and not set(s) & set("()") and len(s.encode()) <= 15


def names_of(species):
    """Returns a list of names as strings. Names from HDF5 are bytes."""
    return [s.decode() if isinstance(s, bytes) else str(s) for s in species]


class Writer:
    """Writes positions, a time series or pair tables, step by step, to a path, stdout ("-") or a binary file, for use with `with`. A file
    appears under its name when it is complete. If an error occurs earlier, no file remains, and a stream in a pipe ends in an ERR frame.

    - dt: time between steps in ps (default: from the first two times)
    - pbc: periodic axes, such as "TTF" (default: all)
    - species: a name for each atom, or a string in the form of sys.species
    - columns: names of the columns of a time series (default: write a trajectory)
    - components: names of the components of pair tables. Each component has one row of pairs i < j
    - dtype: number type of positions and pair tables, float32 or float64 (default: float32)
    - scalar_units: a dict with the unit of each scalar, such as {"charge": "e"} (default: unknown)
    - meta: further META keys, such as x.note
    - compress: True for codec 3 of mbf(5) and zlib, 1 to 9 for zlib only
    - tool, args: program and arguments for the provenance in META"""

    def __init__(self, out=None, *, dt=None, pbc=None, species=None, columns=None, components=None, dtype=None, scalar_units=None, meta=None,
                 compress=0, tool="mbf", args=""):
        if columns is not None and components is not None:
            raise ValueError("expected columns of a time series or components of pair tables, found both")
        columns, components = (None if names is None else list(names) for names in (columns, components))
        if columns == [] or components == []:
            raise ValueError("columns, components: expected one name or more, found none")
        self.out = frames.Output(out, compress, tool)
        self.dt, self.pbc, self.species, self.columns, self.components, self.natoms = dt, pbc, species, columns, components, 0
        self.dtype, self.meta = np.dtype(dtype or ("<f8" if columns else "<f4")).newbyteorder("<"), dict(meta or {})
        if self.dtype.str not in (("<f8",) if columns else ("<f4", "<f8")):
            raise ValueError("dtype: expected %sfloat64, found %s" % ("" if columns else "float32 or ", self.dtype))
        self.meta.setdefault("prov.1.tool", tool)
        self.meta.setdefault("prov.1.version", VERSION)
        self.meta.setdefault("prov.1.args", args)
        self.scalar_units, self.scalars = dict(scalar_units or {}), None  # scalars: their names, from the first step
        self.waiting, self.total, self.shape, self.timed, self.traj = [], 0, None, None, None
        self.box0, self.changes, self.lacks = library.Box(), False, False  # changes: a cell differed from META; lacks: a step had no cell

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        if self.out.pid != os.getpid():  # a fork leaves the block; the stream belongs to the parent
            return
        with self.out.hold():
            if self.out.p:
                self._end(kind, value)

    def _end(self, kind, value):
        try:
            if not kind:
                if not self.total:
                    raise Error("expected at least one step, found none")
                self._begin()
                self.out.must(lib.traj_flush(self.traj))
                self.out.must(lib.frame_end(self.out.p, library.COMPLETE, None, None))
        except BaseException as e:
            value = e
            raise
        finally:
            lib.traj_writer_free(self.traj)
            self.traj = None
            self.out.close(value)

    def close(self):
        """Ends the stream, for use without `with`."""
        if self.out.p:
            self.__exit__(None, None, None)

    def put(self, data, time=math.nan, cell=None, velocities=None, scalars=None):
        """Writes a step: positions [natoms, 3] in angstrom, a row [columns] or tables [components, pairs]. time is in ps; cell is [3, 3],
        three edges or one edge, in angstrom; velocities are like positions, in angstrom/ps; scalars is a dict with an array [natoms] for each scalar, and its names must be the same in every step. If no reader would accept the data,
        ValueError is raised. Several threads may call put, one after the other. A forked process may not call put."""
        with self.out.hold():
            if not self.out.p:
                raise ValueError("expected an open stream, found a closed one")
            self._put(data, time, cell, velocities, scalars)

    def _put(self, data, time, cell, velocities, scalars):
        at = "step %d" % self.total
        data = self._array(data, at)
        if cell is not None:
            cell = np.asarray(cell, dtype=float)
            cell = np.diag(np.broadcast_to(cell, 3)) if cell.size in (1, 3) else cell.reshape(3, 3)
            if not (np.isfinite(cell).all() and np.linalg.det(cell) > 0):
                raise ValueError("%s: expected a right-handed cell with a volume, found %s" % (at, cell.tolist()))
        if velocities is not None and (self.columns is not None or self.components is not None):
            raise ValueError("%s: expected velocities only with positions" % at)
        if math.isinf(time):
            raise ValueError("%s: expected a time in ps, found %g" % (at, time))
        self.timed = not math.isnan(time) if self.timed is None else self.timed
        if self.timed == math.isnan(time):
            raise ValueError("%s: expected times for all steps or for none" % at)
        velocities = self._array(velocities, at + ": velocities") if velocities is not None else None
        self.waiting.append((self.total, float(time), cell, data, velocities, self._columns(scalars or {}, at)))
        self.total += 1
        if self.traj or self.total > 1 or self.dt is not None or not self.timed:
            self._begin()

    def _columns(self, scalars, at):
        """Returns the scalars of a step as [natoms, C], or None without scalars."""
        self.scalars = list(scalars) if self.scalars is None else self.scalars
        if self.scalars != list(scalars):
            raise ValueError("%s: expected the scalars %s as in the first step, found %s" % (at, self.scalars, list(scalars)))
        if not scalars:
            return None
        if self.columns is not None or self.components is not None:
            raise ValueError("%s: expected scalars only with positions" % at)
        for name, a in scalars.items():
            if np.iscomplexobj(a) or np.shape(a) != (self.natoms,) or np.isinf(np.asarray(a, dtype=self.dtype)).any():
                raise ValueError("%s: %s: expected %d real numbers that are finite or NaN, found other values" % (at, name, self.natoms))
        return np.ascontiguousarray(np.stack([np.asarray(a, dtype=self.dtype) for a in scalars.values()], axis=1))

    def _array(self, data, what):
        if np.iscomplexobj(data):
            raise ValueError("%s: expected real numbers, found complex ones" % what)
        data = np.array(data, dtype=self.dtype, order="C")
        if self.shape is None:
            self._check_first(data)
        if data.shape != self.shape:
            raise ValueError("%s: expected numbers of shape %s, found %s" % (what, self.shape, data.shape))
        if not np.isfinite(data).all():
            raise ValueError("%s: expected finite numbers, found a number that is not finite" % what)
        return data

    def _check_first(self, data):
        if self.components is not None:
            self._check_pairs(data)
        elif self.columns is None and (data.ndim != 2 or data.shape[1] != 3 or not len(data)):
            raise ValueError("expected positions of shape [natoms, 3], found %s" % (data.shape,))
        elif self.columns is not None and data.shape != (len(self.columns),):
            raise ValueError("expected %d columns, found %s" % (len(self.columns), data.shape))
        elif self.columns is None:
            self.natoms = len(data)
        self.shape = data.shape

    def _check_pairs(self, data):
        pairs = data.shape[1] if data.ndim == 2 else 0
        self.natoms = (1 + math.isqrt(1 + 8 * pairs)) // 2
        if data.ndim != 2 or len(data) != len(self.components) or pairs < 1 or self.natoms * (self.natoms - 1) // 2 != pairs:
            raise ValueError("expected pair tables of shape [%d components, N(N-1)/2 pairs], found %s" % (len(self.components), data.shape))

    def _begin(self):
        """Writes META if it has not been written, and then the steps that were kept until META was known. The second step determines dt."""
        if not self.traj:
            meta, e, dtype = self._meta(), library.Err(), library.F32 if self.dtype == "<f4" else library.F64
            if lib.traj_box(meta.p, byref(self.box0), byref(e)):
                raise frames.said(e, ValueError)
            self.out.put_meta(meta)
            kind = library.SERI if self.columns else library.PAIR if self.components else library.POSN
            info = library.Info(kind, dtype, self.natoms, len(self.columns or self.components or ()), box=self.box0, nscalars=len(self.scalars))
            self.traj = lib.traj_writer_like(self.out.p, byref(info), self.dt if self.dt is not None else math.nan)
            if not self.traj:
                raise MemoryError("out of memory for steps")
        for index, time, cell, data, *more in self.waiting:
            box = None if cell is None else library.Box((ctypes.c_double * 9)(*cell.ravel()))
            self.changes |= box is not None and box.h[:] != self.box0.h[:]
            self.lacks |= box is None
            if self.changes and (self.lacks or not any(self.box0.h)):
                raise ValueError("step %d: expected a cell in every step or in none" % index)
            self.out.must(lib.traj_put(self.traj, index, time, box, data.ctypes.data, *(None if a is None else a.ctypes.data for a in more)))
        self.waiting = []

    def _meta(self):
        """Returns the META for the first step, or for the first two steps, which determine dt."""
        (_, first, cell, *_), *more = self.waiting
        given = self.meta
        if self.dt is None and more and more[0][1] > first:
            self.dt = float("%.12g" % (more[0][1] - first))
        if self.dt is not None and not 0 < self.dt < math.inf:
            raise ValueError("dt: expected a number of ps above 0, found %g" % self.dt)
        kind = {"data.quantity": "time-series"} if self.columns else {"data.quantity": "pair-anisotropy", "data.unit": "1"} if self.components else {
            "data.quantity": "positions", "data.unit": "angstrom"}
        meta = frames.Meta({**kind, **given})
        if self.dt is not None and "sys.dt_ps" not in given:
            meta.numbers("sys.dt_ps", self.dt)
        self.dt = float(given.get("sys.dt_ps", self.dt or "nan"))
        if cell is not None and "sys.cell" not in given:
            meta.numbers("sys.cell", cell)
        if cell is not None and "sys.pbc" not in given:
            pbc = self.pbc if self.pbc is not None else "TTT"
            meta["sys.pbc"] = pbc if isinstance(pbc, str) else "".join("FT"[bool(p)] for p in pbc)
        for key, names in ("columns", self.columns), ("component", self.components):
            for name in names or ():
                if not _is_word(name) or list(names).count(name) > 1:
                    raise ValueError("%s: expected different names without blanks, found '%s'" % (key, name))
            if names:
                meta["data." + key] = " ".join(names)
        e = library.Err()
        for name in self.scalars:
            if lib.scalars_add(meta.p, name.encode(), self.scalar_units.get(name, "-").encode(), byref(e)):
                raise frames.said(e, ValueError)
        if not self.columns:
            meta["sys.natoms"] = self.natoms
        if isinstance(self.species, str):
            meta["sys.species"] = self.species
        elif self.species is not None:
            _name(meta, names_of(self.species), self.natoms)
        if self.species is not None:
            _species(meta, self.natoms, ValueError)
        return meta


def write(out, data, *, time=None, cell=None, velocities=None, scalars=None, dt=None, **options):
    """Writes all steps at once. The data are positions [F, N, 3]. With columns=[...], they are a time series [F, columns]. With
    components=[...], they are pair tables [F, components, pairs].

    - time: times [F], ps, or give only dt
    - cell: one cell for all steps, or [F, 3, 3]
    - velocities: like positions, angstrom/ps
    - scalars: a dict with an array [F, N] for each scalar, such as the charge
    - options: the options of Writer"""
    data = np.asarray(data)
    times = np.asarray(time, dtype=float) if time is not None else np.arange(len(data)) * (dt if dt is not None else math.nan)
    if len(times) != len(data):
        raise ValueError("expected %d times, found %d" % (len(data), len(times)))
    every = cell is not None and np.ndim(cell) == 3
    if every and len(cell) != len(data):
        raise ValueError("expected %d cells, found %d" % (len(data), len(cell)))
    with Writer(out, dt=dt, **options) as w:
        for k, step in enumerate(data):
            w.put(step, times[k], cell[k] if every else cell, None if velocities is None else velocities[k], {n: a[k] for n, a in (scalars or {}).items()})


def inherit(w, of):
    """Copies the META of the input of a filter: the keys of the user, the provenance and the system. For atom names, see Writer.species."""
    done = max([int(k.split(".")[1]) for k in of if k.startswith("prov.") and k.endswith(".tool")], default=0)
    w.scalar_units = {**scalars_of(of), **w.scalar_units}
    w.dt = float(of["sys.dt_ps"]) if w.dt is None and "sys.dt_ps" in of else w.dt
    if done < 64:  # the largest number of entries in META; after that number, the provenance starts again
        mine = {k.split(".")[2]: v for k, v in w.meta.items() if k.startswith("prov.1.")}
        w.meta.update({k: v for k, v in of.items() if k.startswith("prov.")})
        w.meta.update({"prov.%d.%s" % (done + 1, k): v for k, v in {**({"parents": done} if done else {}), **mine}.items()})
    for key, value in of.items():
        atoms = key in ("sys.natoms", "sys.species", "sys.cell", "sys.pbc")
        if key.startswith("x.") or (key.startswith("sys.") and key != "sys.dt_ps" and (w.columns or not atoms)):
            w.meta.setdefault(key, value)


def _selects(data, of):
    """Returns True if data contains only atoms of a step, at unchanged positions."""
    data = np.asarray(data)
    return data.ndim == 2 and np.shape(of)[1:] == data.shape[1:] == (3,) and len(data) < len(of) and set(map(bytes, data.astype(of.dtype))) <= set(map(bytes, of))


def filter(make, source=None, out=None, **options):  # noqa: A001 - called as mbf.filter
    """Runs a filter from source (default: stdin) to out (default: stdout). make(stream) takes a Stream and yields the output steps as (data, time), optionally
    followed by cell, velocities and scalars. The options are those of Writer. dt and the META of the system are copied from the input, and so are atom
    names if the number of atoms is the same. An error in make ends the output in an ERR frame with its message, and leaves no file."""
    with Writer(out, **options) as w, open(source) as s:
        inherit(w, s.meta)
        for step in make(s):
            if w.shape is None and _selects(step[0], s.last):
                w.meta.setdefault("sys.selected_of", s.meta["sys.natoms"])
            if w.shape is None and w.species is None and np.ndim(step[0]) == 2 and len(step[0]) == int(s.meta.get("sys.natoms", 0)):
                w.species = s.meta.get("sys.species")
            w.put(*step)


def run_filter(make, source=None, out=None, **options):
    """Runs mbf.filter as a program. If an error occurs, a message of one line is printed and the exit status is set. python3 -X dev also prints the traceback."""
    try:
        filter(make, source, out, **options)
    except Exception as e:  # noqa: BLE001
        if sys.flags.dev_mode:
            traceback.print_exc()
        where = "" if isinstance(e, (Error, ValueError, OSError, MemoryError)) else " (%s)" % _where(e)
        frames.say(os.path.basename(sys.argv[0]), frames.reason(e) + where)
        sys.exit(3 if isinstance(e, OSError) else 4 if isinstance(e, MemoryError) else 2)


def _where(e):
    """Returns the last line of the traceback in the file of the filter. The file of the filter is the first file after this one."""
    lines = traceback.extract_tb(e.__traceback__)
    file = next((line.filename for line in lines if line.filename != __file__), __file__)
    return "%s:%d" % next((file, line.lineno) for line in reversed(lines) if line.filename == file)


# ---- tables: averages and errors are computed only in one place, the program bin2txt

PREFIX = ""  # written by make install PROGRAM_PREFIX=...


def program(name):
    """Returns the path of a program: in MBF_BIN, on PATH, next to this Python, or in the bin folder next to the lib of this module."""
    name, here = name if name.startswith(PREFIX) else PREFIX + name, os.path.dirname(os.path.abspath(__file__))
    beside = [os.path.join(here, *[".."] * k, "bin") for k in (3, 4, 5)]
    found = shutil.which(name, path=os.pathsep.join(p for p in [os.environ.get("MBF_BIN"), os.environ.get("PATH"), os.path.dirname(sys.executable), *beside] if p))
    if not found:
        raise Error("expected %s on PATH or in MBF_BIN, found none" % name)
    return found


def frame(path=None):
    """Returns mbf.table as a pandas.DataFrame, whose attrs "labels" and "units" are dicts with one entry per column. This function needs pandas."""
    return table(path).to_pandas()


class Table(dict):
    """A dict of columns, which are arrays. The dicts labels and units contain a string for each column, such as "g(r), O-O" and "1". An unknown unit
    is written as "-". The dict meta contains the entries that bin2txt prints, as strings."""
    labels: dict
    units: dict
    meta: dict
    source = None  # the path or the bytes of the stream

    def to_pandas(self):
        """Returns a pandas.DataFrame, whose attrs "labels" and "units" are dicts with one entry per column."""
        import pandas  # noqa: PLC0415 - needed only here
        result = pandas.DataFrame(self)
        result.attrs.update(labels=self.labels, units=self.units)
        return result

    def plot(self, picture="plot.png", **variables):
        """Draws the table like mbf.plot, with the same variables. Returns the argument picture."""
        from .programs import plot  # noqa: PLC0415 - programs imports this file
        if isinstance(self.source, str):
            return plot(self.source, picture, **variables)
        with tempfile.NamedTemporaryFile(suffix=".mbf") as f:
            f.write(self.source)
            f.flush()
            return plot(f.name, picture, **variables)

    def to_xarray(self):
        """Returns an xarray.Dataset. The axis, and a second axis (q of F(q,t)) if there is one, are the coordinates of all variables. The
        attributes of each variable are long_name and units; the attributes of the Dataset are meta."""
        import xarray  # noqa: PLC0415 - needed only here
        axes = list(self)[:2 if "axis2" in self.meta else 1]
        n = len(self[axes[-1]]) // max(1, len(np.unique(self[axes[-1]]))) if len(axes) == 2 else len(self[axes[0]])
        parts = {axes[0]: self[axes[0]][:n], axes[-1]: self[axes[-1]][::n if len(axes) == 2 else 1]}

        def attrs(name):
            return {"long_name": self.labels.get(name, name), "units": self.units.get(name, "-")}

        return xarray.Dataset({c: (axes, v.reshape([-1, n][2 - len(axes):]).T, attrs(c)) for c, v in self.items() if c not in axes},
                              {a: (a, parts[a], attrs(a)) for a in axes}, dict(self.meta))


def table(path=None):
    """Returns the table that bin2txt prints as a dict of columns, for example for pandas.DataFrame(mbf.table("gr.mbf")). Standard errors are
    in the columns NAME_se if there are blocks. Counts are integers, and unknown values are NaN. The attributes labels and units of the dict are
    dicts with one entry per column, for example units["g"]. The keys of META are in mbf.read(path).meta."""
    if path is None or path == "-":
        path = sys.stdin.buffer
    given = path.read() if hasattr(path, "read") else None
    run = subprocess.run([program("bin2txt"), "--format", "json", "-q", *([] if given is not None else ["--", os.fspath(path)])],
                         input=given, stdin=None if given is not None else subprocess.DEVNULL, capture_output=True, check=False)
    if run.returncode:
        raise Error(run.stderr.decode("utf-8", "replace").strip())
    text = run.stdout.decode()
    found, end = json.JSONDecoder().raw_decode(text)
    if text[end:].strip():
        raise Error("%s: expected one table, found several segments" % path)
    rows = found["data"]
    columns = Table()
    columns.meta = found["meta"]
    columns.source = os.fsdecode(path) if given is None else given
    columns.labels, columns.units = ({n: t.replace("~", " ") for n, _, t in (w.rpartition(":") for w in found["meta"].get(key, "").split())} for key in ("label.of", "unit.of"))
    for k, name in enumerate(found["columns"]):
        values = [math.nan if row[k] is None else row[k] for row in rows]
        columns[name] = np.array(values) if values else np.empty(0)
    return columns
