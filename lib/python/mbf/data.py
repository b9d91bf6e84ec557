# SPDX-License-Identifier: MIT
"""What the arrays mean: steps of a trajectory or a time series, in and out; results as a whole; results as a table."""
import io
import itertools
import json
import math
import os
import re
import shutil
import subprocess
import sys
from types import SimpleNamespace
from typing import NamedTuple, Optional

import numpy as np

from . import frames, rules
from .frames import Array, Error

VERSION = "0.1.0"
BLOCK = 1 << 20  # bytes of a block at least, as the C writers have it
NAMES = {b"CORR": ("counts", "sums"), b"HIST": ("counts", "expected", "steps"), b"SPEC": ("values",)}
KINDS = {b"POSN": "positions", b"PAIR": "pairs", b"SERI": "series"}


class Step(NamedTuple):
    """One time step. Arrays are read-only views, valid for as long as they are kept."""
    index: int
    time: float  # ps; NaN: unknown
    cell: Optional[np.ndarray]  # [3, 3], rows are vectors, angstrom; None: there is none
    data: np.ndarray  # positions [natoms, 3] angstrom; pairs [components, pairs]; series [columns]
    velocities: Optional[np.ndarray]  # [natoms, 3] angstrom/ps; None: there are none

    @property
    def positions(self):
        return self.data


def _cell(meta):
    text = meta.get("sys.cell")
    return np.array(text.split(), dtype=float).reshape(3, 3) if text else None


def _words(text):
    """Those between blanks; a name may hold what Unicode calls a space."""
    return list(filter(None, text.split(" ")))


def species_of(meta):
    """The name of each atom, from sys.species; None where it does not say."""
    text = meta.get("sys.species")
    if text is None:
        return None
    try:
        return [name for repeat, group in rules.runs_of(text) for _ in range(repeat) for name, k in group for _ in range(k)]
    except rules.Wrong as e:
        raise Error(str(e)) from None


def _species_text(names):
    runs = []
    for name in names:
        if runs and runs[-1][0] == name:
            runs[-1][1] += 1
        else:
            runs.append([name, 1])
    for p in range(1, len(runs) // 2 + 1):  # "512*(O 1 H 2)"
        if len(runs) % p == 0 and runs == runs[:p] * (len(runs) // p):
            return "%d*(%s)" % (len(runs) // p, " ".join("%s %d" % (n, k) for n, k in runs[:p]))
    return " ".join("%s %d" % (n, k) for n, k in runs)


class Stream:
    """A stream that is open: `meta` of the segment being read, `kind` ("positions", "pairs", "series"); iterating gives a Step
    for each time step. Everything handed out is verified; the last step comes only after the stream has been seen to be whole up
    to it, and a stream that is cut raises Truncated where it is cut."""

    def __init__(self, file, name, owned=True):
        self._file, self._owned, self._ended = file, owned, False
        self.reader = frames.Reader(file, name)
        self.meta, self.kind = {}, None
        self._sys = None
        first = next(self.reader)
        self._begin(first)

    def __enter__(self):
        return self

    def __exit__(self, *why):
        self.close()

    def close(self):
        if self._owned:
            self._file.close()

    def _begin(self, meta):
        system = {k: v for k, v in meta.items() if k.startswith("sys.")}
        if self._sys is not None and system != self._sys:
            raise Error("%s: segments of one system expected, found another one" % self.reader.name)
        self.meta, self._sys = meta, system
        self._segment = self._keeps(rules.Segment, meta)

    def _keeps(self, rule, *of):
        """rule(*of), whose refusal names the stream."""
        try:
            return rule(*of)
        except rules.Wrong as e:
            raise Error("%s: segment %d: %s" % (self.reader.name, self.reader.segments, e)) from None

    def arrays(self):
        """Arrays as they come, META and END taken care of."""
        for item in self.reader:
            if isinstance(item, dict):
                self._begin(item)
            elif isinstance(item, Array):
                self._keeps(self._segment.check, item)
                yield item
            else:
                self._keeps(self._segment.end)

    def __iter__(self):
        return self.steps(self.arrays())

    def steps(self, arrays):
        waiting = {}
        for a in arrays:
            if a.code not in KINDS:
                if a.code in NAMES:
                    raise Error("%s: time steps expected, found %s: mbf.read or mbf.table" % (self.reader.name, a.code.decode()))
                waiting[a.code] = a
                continue
            self.kind = KINDS[a.code]
            yield from self._steps(a, waiting)
            waiting = {}

    def _steps(self, a, waiting):
        n, cell, dt = len(a.data), _cell(self.meta), float(self.meta.get("sys.dt_ps", "nan"))
        for code, shape in ((b"TIME", (n,)), (b"CELL", (n, 9)), (b"VELO", a.data.shape)):
            if code in waiting and waiting[code].data.shape != shape:
                raise Error("%s: %s of the steps of its block expected, found another shape" % (self.reader.name, code.decode()))
        times, cells, velocities = (waiting[c].data if c in waiting else None for c in (b"TIME", b"CELL", b"VELO"))
        for k in range(n):
            time = times[k] if times is not None else a.time + (k * dt if k else 0.0)
            yield Step(a.index + k, float(time), cells[k].reshape(3, 3) if cells is not None else cell, a.data[k],
                       velocities[k] if velocities is not None else None)


def open(path=None):  # noqa: A001 - mbf.open is what it is
    """A Stream from a path, from stdin (None or "-"), or from a binary file: a pipe as well."""
    if path is None or path == "-":
        return Stream(sys.stdin.buffer, "stdin", owned=False)
    if hasattr(path, "read"):
        return Stream(path, getattr(path, "name", "a file"), owned=False)
    return Stream(io.open(path, "rb"), os.fspath(path))


def read(path=None):
    """The whole stream at once. Time steps: meta, kind, index [F], time [F] ps, cell [F, 3, 3] or None, velocities or None, and
    positions [F, N, 3], pairs [F, C, P] or series [F, columns]. Results: meta, kind ("CORR", ...) and the arrays by name: counts
    and sums, not averages (mbf.table has those)."""
    with open(path) as s:
        arrays = s.arrays()
        first = next(arrays, None)
        if first is None:
            raise Error("%s: data expected, found none" % s.reader.name)
        if first.code in NAMES:
            data = [first.data] + [a.data for a in arrays]
            if s.reader.segments > 1 or len(data) != len(NAMES[first.code]):
                raise Error("%s: one result expected, found several segments or other arrays" % s.reader.name)
            return SimpleNamespace(meta=s.meta, kind=first.code.decode(), **dict(zip(NAMES[first.code], data)))
        steps = list(s.steps(itertools.chain([first], arrays)))
        cells = [t.cell for t in steps]
        velocities = [t.velocities for t in steps]
        return SimpleNamespace(meta=s.meta, kind=s.kind, index=np.array([t.index for t in steps]), time=np.array([t.time for t in steps]),
                               cell=np.array(cells) if steps and cells[0] is not None else None,
                               velocities=np.array(velocities) if steps and all(v is not None for v in velocities) else None,
                               **{s.kind or "positions": np.array([t.data for t in steps])})


def _is_word(s):
    """What a column of a text holds: no blanks, no controls."""
    return bool(s) and all(c > " " and c != "\x7f" for c in s)


def is_name(s):
    """Can sys.species have it?"""
    return _is_word(s) and not set(s) & set("()") and len(s.encode()) <= 15


def names_of(species):
    """A list of names as text; those of HDF5 are bytes."""
    return [s.decode() if isinstance(s, bytes) else str(s) for s in species]


def _numbers(v):
    """As the C writers have it: the fewest digits that read back, no point behind a whole number."""
    return " ".join(re.sub(r"\.0$", "", repr(float(x))) for x in np.ravel(v))


class Writer:
    """Positions or a time series, step by step, to a path, stdout ("-") or a binary file. Lengths in angstrom, times in ps.
    dt: time between steps (default: from the first two times); cell: [3, 3], edges [3] or one edge; species: a name for each atom,
    or the text of sys.species; columns: names of a time series; compress: True for codec 2 of mbf(5) and zlib, 1 to 9 for zlib alone.
    A file appears under its name when it is complete."""

    def __init__(self, out=None, *, dt=None, pbc=None, species=None, columns=None, dtype=None, meta=None, compress=0, tool="mbf", args=""):
        self.out = frames.Writer(out, compress)
        self.dt, self.pbc, self.species, self.columns = dt, pbc, species, columns
        self.dtype, self.meta = np.dtype(dtype or ("<f8" if columns else "<f4")).newbyteorder("<"), dict(meta or {})
        if self.dtype not in (np.dtype("<f4"), np.dtype("<f8")):
            raise ValueError("dtype: float32 or float64 expected, found %s" % self.dtype)
        self.meta.setdefault("prov.1.tool", tool)
        self.meta.setdefault("prov.1.version", VERSION)
        self.meta.setdefault("prov.1.args", args)
        self.steps, self.total, self.shape, self.cell0 = [], 0, None, None

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        try:
            if not kind:
                self._block()
                if not self.total:
                    raise Error("at least one step expected, found none")
                self.out.end()
        except BaseException as e:
            kind, value = type(e), e
            raise
        finally:
            self.out.__exit__(kind, value, traceback)

    def put(self, data, time=math.nan, cell=None, velocities=None):
        at = "step %d" % (self.total + len(self.steps))
        data = self._array(data, at)
        if cell is not None:
            cell = np.asarray(cell, dtype=float)
            cell = np.diag(np.broadcast_to(cell, 3)) if cell.size in (1, 3) else cell.reshape(3, 3)
            if not (np.isfinite(cell).all() and np.linalg.det(cell) > 0):
                raise ValueError("%s: a right-handed cell with a volume expected, found %s" % (at, _numbers(cell)))
        if math.isinf(time):
            raise ValueError("%s: a time in ps expected, found %g" % (at, time))
        velocities = self._array(velocities, at + ": velocities") if velocities is not None else None
        if self.steps and (velocities is None) != (self.steps[0][3] is None):
            self._block()
        self.steps.append((data, float(time), cell, velocities))
        if len(self.steps) * data.nbytes >= BLOCK:
            self._block()

    def _array(self, data, what):
        if np.iscomplexobj(data):
            raise ValueError("%s: real numbers expected, found complex ones" % what)
        data = np.array(data, dtype=self.dtype)
        if self.shape is None:
            self._check_first(data)
        if data.shape != self.shape:
            raise ValueError("%s: numbers of shape %s expected, found %s" % (what, self.shape, data.shape))
        if not np.isfinite(data).all():
            raise ValueError("%s: finite numbers expected, found one that is not" % what)
        return data

    def _check_first(self, data):
        if self.columns is None and (data.ndim != 2 or data.shape[1] != 3 or not len(data)):
            raise ValueError("positions of shape [natoms, 3] expected, found %s" % (data.shape,))
        if self.columns is not None and data.shape != (len(self.columns),):
            raise ValueError("%d columns expected, found %s" % (len(self.columns), data.shape))
        self.shape = data.shape

    def _begin(self):
        m, times, cell = self.meta, [t for _, t, _, _ in self.steps], self.steps[0][2]
        if self.dt is None and len(times) > 1 and times[1] > times[0]:
            self.dt = float("%.12g" % (times[1] - times[0]))
        if self.dt is not None:
            if not 0 < self.dt < math.inf:
                raise ValueError("dt: a number of ps above 0 expected, found %g" % self.dt)
            m.setdefault("sys.dt_ps", _numbers(self.dt))
        self.dt = float(m.get("sys.dt_ps", "nan"))
        if self.columns is None:
            m["sys.natoms"] = str(self.shape[0])
        if cell is not None:
            m.setdefault("sys.cell", _numbers(cell))
            pbc = self.pbc if self.pbc is not None else "TTT"
            pbc = pbc if isinstance(pbc, str) else "".join("FT"[bool(p)] for p in pbc)
            if len(pbc) != 3 or set(pbc) - set("TF"):
                raise ValueError("pbc: three letters T or F expected, found '%s'" % pbc)
            m.setdefault("sys.pbc", pbc)
        if self.species is not None:
            told = isinstance(self.species, str)
            names = [] if told else names_of(self.species)
            m["sys.species"] = self.species if told else _species_text(names)
            runs = _words(re.sub(r"\d+\*\(([^()]*)\)", r" \1 ", self.species)) if told else []
            for name in set(runs + names):
                if not is_name(name):
                    raise ValueError("species: names of 1 to 15 bytes without blanks and brackets expected, found '%s'" % name)
            if len(runs) % 2 or len(species_of(m)) != self.shape[0]:
                raise ValueError("species of %d atoms expected, found %s" % (self.shape[0], m["sys.species"]))
        m.setdefault("data.quantity", "positions" if self.columns is None else "time-series")
        if self.columns is None:
            m.setdefault("data.unit", "angstrom")
        else:
            for name in self.columns:
                if not _is_word(name) or list(self.columns).count(name) > 1:
                    raise ValueError("columns: names without blanks, each once, expected, found '%s'" % name)
            m["data.columns"] = " ".join(self.columns)
        self.cell0 = _cell(m)
        self.out.put_meta(m)

    def _block(self):
        if not self.steps:
            return
        if not self.total:
            self._begin()
        data, times, cells, velocities = zip(*self.steps)
        first, n = self.total, len(data)
        times = np.array(times)
        if np.isnan(times).any() and not np.isnan(times).all():
            raise ValueError("step %d: times of all steps, or of none, expected" % first)
        even = times[0] + np.arange(n) * self.dt
        if n > 1 and not (np.isnan(times) & np.isnan(even) | (np.abs(times - even) <= 1e-6 * self.dt)).all():
            self.out.put(Array(b"TIME", times, first, times[0]))
        if any(c is not None and (self.cell0 is None or (c != self.cell0).any()) for c in cells):
            if self.cell0 is None or any(c is None for c in cells):
                raise ValueError("step %d: a cell in every step, or in none, expected" % first)
            self.out.put(Array(b"CELL", np.array(cells).reshape(n, 9), first, times[0]))
        if velocities[0] is not None:
            self.out.put(Array(b"VELO", np.array(velocities), first, times[0], frames.COPYSAFE))
        self.out.put(Array(b"POSN" if self.columns is None else b"SERI", np.array(data), first, times[0]))
        self.total += n
        self.steps = []


def write(out, data, *, time=None, cell=None, velocities=None, dt=None, **options):
    """All steps at once: positions [F, N, 3], or, with columns=[...], a time series [F, columns]. time [F] ps, or dt alone;
    cell: one for all, or [F, 3, 3]. What else: see Writer."""
    data = np.asarray(data)
    times = np.asarray(time, dtype=float) if time is not None else np.arange(len(data)) * (dt if dt is not None else math.nan)
    if len(times) != len(data):
        raise ValueError("%d times expected, found %d" % (len(data), len(times)))
    every = cell is not None and np.ndim(cell) == 3
    if every and len(cell) != len(data):
        raise ValueError("%d cells expected, found %d" % (len(data), len(cell)))
    with Writer(out, dt=dt, **options) as w:
        for k, step in enumerate(data):
            w.put(step, times[k], cell[k] if every else cell, None if velocities is None else velocities[k])


# ---- tables: averages and errors are bin2txt's, so that one program computes them

PREFIX = ""  # make install PROGRAM_PREFIX=... writes it here


def bin2txt():
    """Path of the program: MBF_BIN, PATH, or the bin beside the lib that this module was installed in."""
    name, here = PREFIX + "bin2txt", os.path.dirname(os.path.abspath(__file__))
    beside = [os.path.join(here, *[".."] * k, "bin") for k in (3, 4, 5)]
    found = shutil.which(name, path=os.pathsep.join(filter(None, [os.environ.get("MBF_BIN"), os.environ.get("PATH"), *beside])))
    if not found:
        raise Error("%s expected on PATH or in MBF_BIN, found none: it computes averages and errors" % name)
    return found


def table(path=None):
    """What bin2txt prints, as a dict of columns: pandas.DataFrame(mbf.table("gr.mbf")). Averages with their standard errors (name
    NAME_se, where there are blocks). Counts are integers, what is not known is NaN. Keys of META are in mbf.read(path).meta."""
    if path is None or path == "-":
        path = sys.stdin.buffer
    given = path.read() if hasattr(path, "read") else None
    run = subprocess.run([bin2txt(), "--format", "json", "-q", *([] if given is not None else ["--", os.fspath(path)])],
                         input=given, stdin=None if given is not None else subprocess.DEVNULL, capture_output=True, check=False)
    if run.returncode:
        raise Error(run.stderr.decode("utf-8", "replace").strip())
    text = run.stdout.decode()
    found, end = json.JSONDecoder().raw_decode(text)
    if text[end:].strip():
        raise Error("%s: one table expected, found several segments" % path)
    rows = found["data"]
    columns = {}
    for k, name in enumerate(found["columns"]):
        values = [math.nan if row[k] is None else row[k] for row in rows]
        columns[name] = np.array(values) if values else np.empty(0)
    return columns
