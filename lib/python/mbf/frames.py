# SPDX-License-Identifier: MIT
"""Reads and writes frames and META through the C library, which verifies every byte of a stream."""
import atexit
import ctypes
import errno
import os
import re
import shlex
import sys
import threading
import warnings
import weakref
from ctypes import byref
from types import SimpleNamespace

import numpy as np

from . import library
from .library import lib

DTYPES = [np.dtype(t) for t in ("u1", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8", "u1")]
CODES = {"cell": b"CELL", "time": b"TIME", "vel": b"VELO", "scal": b"SCAL", "pos": b"POSN"}
OUTSIDE = {"skip_file_prefixes": (os.path.dirname(__file__),)} if sys.version_info >= (3, 12) else {"stacklevel": 6}  # warnings name the caller's line
STATUS = ("complete", "limited", "partial")
THREADS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
# returns a memoryview of the memory at an address; the flag is 0x100 to read and 0x200 to write
memory = ctypes.pythonapi.PyMemoryView_FromMemory
memory.restype, memory.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int]


class Error(Exception):
    """Raised if a stream cannot be used. The message begins with the name of the stream."""


class Truncated(Error):
    """Raised if a stream ends before its END frame."""


class Corrupt(Error):
    """Raised if a stream is damaged, or is not an MBF stream."""


class Failed(Error):
    """Raised if the program that wrote the stream reported an error, or marked the stream as partial."""


def said(e, kind=Error):
    """Converts a struct err to an exception."""
    text = os.fsdecode(e.text)
    if e.status == library.ERR_MEMORY:
        return MemoryError(text)
    if e.status == library.ERR_MACHINE:
        return OSError(next((n for n in errno.errorcode if text.endswith(os.strerror(n))), errno.EIO), text)
    return kind(text)


class Meta:
    """Holds a struct meta that is created from a dict."""

    def __init__(self, meta):
        self.p = lib.meta_new()
        for key, value in meta.items():
            self[key] = value

    def __setitem__(self, key, value):
        k, v = str(key).encode(), str(value).encode()
        if b"\0" in k + v or lib.meta_set(self.p, k, v):
            raise ValueError("META: expected a key of a to z, 0 to 9, _ and . with a text, found %.80r" % key)

    def numbers(self, key, values):
        values = np.ascontiguousarray(values, dtype=float)
        lib.meta_set_f64(self.p, key.encode(), values.ctypes.data_as(ctypes.POINTER(ctypes.c_double)), values.size)

    def __del__(self):
        lib.meta_free(self.p)


def entries(p):
    """Converts a struct meta to a dict."""
    key, value, meta = ctypes.c_char_p(), ctypes.c_char_p(), {}
    while lib.meta_at(p, len(meta), byref(key), byref(value)):
        meta[key.value.decode()] = value.value.decode()
    return meta


class Calls:
    """Holds a Python file that C reads or writes. If the file raises an exception, the exception is stored in `why`, and the C function receives -1."""

    def __init__(self, file, flush=False):
        self.file, self.flush, self.why = file, flush, None
        self.into = getattr(file, "readinto1", None) or getattr(file, "readinto", None)

    def read(self, _, p, n):
        try:
            if self.into:
                return self.into(memory(p, n, 0x200))
            b = self.file.read(n)
            memory(p, n, 0x200)[:len(b)] = b
            return len(b)
        except BaseException as e:  # noqa: BLE001
            self.why = e
            return -1

    def write(self, _, p, n):
        try:
            done = self.file.write(bytes(memory(p, n, 0x100)))
            if self.flush:
                self.file.flush()
            if isinstance(done, bool) or not hasattr(done, "__index__") or not 0 < done <= n:
                raise OSError(errno.EIO, "write() of the output: expected a number of bytes, 1 to %d, found %.40r" % (n, done))
            return int(done)
        except BaseException as e:  # noqa: BLE001
            self.why = e
            return -1


class Array:
    """An array: its code such as b"POSN", its data (numpy, read-only), the index of its first step, and its C descriptor desc."""

    def __init__(self, frame):
        self.desc = frame.desc
        self.code, self.index = frame.desc.code, frame.desc.index
        self.data = np.empty(frame.desc.dims[:frame.desc.ndim], DTYPES[frame.desc.dtype])
        ctypes.memmove(self.data.ctypes.data, frame.data, frame.bytes)
        self.data.flags.writeable = False


class Reader:
    """Iterates over a stream. next() returns a dict (META at the start of a segment), an Array, or a tuple of the totals in END (status,
    stream hash, content hash, steps). next() raises an Error if the stream is incomplete. The argument file is a path, or an
    object with read(), which is not closed. If strict is True, also verifies the rules for META and arrays, and that all segments belong to one system."""

    def __init__(self, file, name, strict=False):
        self.name, self.strict, self.segments = name, strict, 0
        self._r = self._first = None
        self._lock, self._rules, self._calls = threading.Lock(), library.Rules(), Calls(file)
        self._opts = library.ReaderOpts(threads=THREADS, allow_partial=True)
        if hasattr(file, "read"):
            self._opts.read = library.READ(self._calls.read)
        self._r = lib.frame_open(os.fsencode(name), byref(self._opts))

    def __iter__(self):
        return self

    def __del__(self):
        self.close()

    def close(self):
        with self._lock:
            lib.frame_close_reader(self._r)
            lib.meta_free(self._first)
            self._r = self._first = None

    def _error(self):
        if self._calls.why:
            return self._calls.why
        received = lib.frame_received(self._r)
        if received:
            tool, why = (lib.meta_get(received, k) for k in (b"err.tool", b"err.msg"))
            return Failed("%s: %s failed: %s" % (self.name, (tool or b"the program before").decode(), (why or b"no reason was given").decode()))
        e = lib.frame_error(self._r).contents
        return said(e, (Error, Truncated, Corrupt)[lib.frame_damage(self._r)])

    def _rule(self, rule, *of):
        e = library.Err()
        if self.strict and rule(byref(self._rules), *of, byref(e)):
            raise said(library.Err(e.status, os.fsencode("%s: segment %d: " % (self.name, self.segments)) + e.text))

    def _begin(self):
        m = lib.frame_meta(self._r)
        differs = lib.meta_system_differs(self._first, m) if self._first and self.strict else None
        if differs:
            raise Error("%s: expected segments of one system, found a different %s" % (self.name, differs.decode()))
        self._first = self._first or lib.meta_copy(m)
        self._rule(lib.frame_rules_meta, m)
        return entries(m)

    def _end(self):
        t = library.Totals()
        lib.frame_totals(self._r, byref(t))
        if t.status == library.PARTIAL:
            raise Failed("%s: expected a complete stream, found a partial one: the program that wrote it was stopped" % self.name)
        self._rule(lib.frame_rules_end)
        self.segments += 1
        return STATUS[t.status], bytes(t.stream_hash), bytes(t.content_hash), t.steps

    def __next__(self):
        f = library.Frame()
        with self._lock:
            while self._r:
                got = lib.frame_next(self._r, byref(f))
                if got < 0:
                    raise self._error()
                if got == 0:
                    raise StopIteration
                if f.desc.type == library.META:
                    return self._begin()
                if f.desc.type == library.END:
                    return self._end()
                if f.desc.type != library.OTHER:
                    self._rule(lib.frame_rules_array, byref(f))
                    return Array(f)
        raise ValueError("%s: expected an open stream, found a closed one" % self.name)


class Import:
    """Iterates over a trajectory of another program as Reader does. next() returns META, then CELL, TIME, VELO, SCAL and POSN of each block
    of steps. The options are those of traj2bin, as keyword arguments. If whole is True, blocks are as large as possible and may be changed."""

    def __init__(self, paths, options, whole=False):
        words = [k.replace("_", "-") + ("" if v is True else "=" + _text(v)) for k, v in options.items() if v is not None and v is not False]
        self.name, self.segments, self._at, self.whole = os.fsdecode(paths[0]), 1, 0, whole
        self._lock, self._pid, self._x = threading.Lock(), os.getpid(), None
        texts = [[os.fsencode(t) for t in paths], [os.fsencode(w) for w in words]]
        if any(b"\0" in t for t in texts[0] + texts[1]):
            raise ValueError("expected paths and options without NUL, found %s" % (texts,))
        self._texts = [(ctypes.c_char_p * (len(t) + 1))(*t, None) for t in texts]
        e, args = library.Err(), shlex.join("--" + w for w in words).encode(errors="replace")
        self._x = lib.cli_import_open(self._texts[0], len(paths), self._texts[1], b"mbf", args, THREADS, byref(e))
        if not self._x:
            raise said(e)
        meta = entries(lib.cli_import_meta(self._x))
        real, natoms, scalars = "<f8" if "dtype=f64" in words else "<f4", int(meta["sys.natoms"]), len(meta.get("data.scalars", "").split())
        self._arrays = {"cell": ("sys.cell" in meta, (9,), "<f8"), "time": (True, (), "<f8"), "vel": ("velocities" in words, (natoms, 3), real),
                        "scal": (scalars, (natoms, scalars), real), "pos": (True, (natoms, 3), real)}
        self._max, self._next = max(1, min(4096, (2 << 20) // (natoms * 12))), [meta]

    def __iter__(self):
        return self

    def __del__(self):
        self.close()

    def close(self):
        if os.getpid() == self._pid:  # the threads and processes of the reader belong to the parent
            with self._lock:
                lib.cli_import_close(self._x)
                self._x = None

    def _room(self, n):
        """Returns new arrays for n steps."""
        return {k: np.empty((n, *shape), dtype) for k, (wanted, shape, dtype) in self._arrays.items() if wanted or k == "cell"}

    def _fill(self, room, at):
        """Reads steps into the arrays from row `at` on, and returns their number."""
        n = lib.cli_import_next(self._x, byref(library.ImportSteps(min(self._max, len(room["time"]) - at), **{k: v[at:].ctypes.data for k, v in room.items()})))
        for text in iter(lambda: lib.cli_import_warning(self._x), None):
            warnings.warn(os.fsdecode(text), **OUTSIDE)
        if n < 0:
            raise said(lib.cli_import_error(self._x).contents)
        return n

    def _block(self):
        """Returns the next block of steps, or nothing at the end."""
        room = self._room(self._max)
        n = got = self._fill(room, 0)
        if self.whole and n == self._max:  # pages of memory that are never written cost nothing
            few, room = room, self._room(n + self._max + int(1.25 * lib.cli_import_expected(self._x)))
            for k, v in few.items():
                room[k][:n] = v
            while got and n < len(room["time"]):
                got = self._fill(room, n)
                n += got
        for v in room.values():
            v.flags.writeable = self.whole
        self._at += n
        return [SimpleNamespace(code=CODES[k], data=v[:n], index=self._at - n) for k, v in room.items() if n and self._arrays[k][0]]

    def __next__(self):
        if os.getpid() != self._pid:  # checked before the lock, which a thread of the parent may have held
            raise Error("%s: expected the process that opened the file, %d, found its child %d (open the file in the child)" % (self.name, self._pid, os.getpid()))
        with self._lock:
            if not self._x:
                raise ValueError("%s: expected an open stream, found a closed one" % self.name)
            self._next = self._next or self._block()
            if not self._next:
                raise StopIteration
            return self._next.pop(0)


def _text(value):
    """Returns the value of an option as a string. The value is a number type, a list or a single value."""
    if isinstance(value, (type, np.dtype)):
        return np.dtype(value).name.replace("float", "f")
    return ",".join(map(str, value)) if isinstance(value, (list, tuple, np.ndarray)) else os.fsdecode(value) if isinstance(value, (bytes, os.PathLike)) else str(value)


def reason(e):
    """Returns the message of an exception on one line."""
    text = str(e)
    return "%s: %s" % (type(e).__name__, text) if isinstance(e, (ArithmeticError, LookupError)) and text else text or type(e).__name__


def say(program, e):
    """Prints a message on one line. Characters that control a terminal become '?'."""
    text = re.sub("[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]", "?", " ".join(str(e).split("\n")))
    print("%s: %s" % (program, text), file=sys.stderr)


class Output:
    """A struct frame_writer to a path, to stdout ("-" or None) or to a binary file. A file appears when the stream is complete.
    An incomplete stream in a pipe ends in an ERR frame that names tool. If compress is True, f32 values are compressed by prediction. If compress is a level from 1 to 9, only zlib is used."""

    def __init__(self, out=None, compress=0, tool="mbf"):
        self.p, e = None, library.Err()
        self.pid, self.lock, self.busy = os.getpid(), threading.Lock(), None  # the owner process; one call at a time
        stdout = out is None or out == "-"
        if stdout and sys.stdout.isatty():
            raise Error("expected a file or a pipe for binary frames, found a terminal as standard output")
        self.calls, self.began, self.broken = Calls(sys.stdout.buffer if stdout else out, flush=stdout), False, False
        self.opts = library.WriterOpts(tool=tool.encode(), compress=library.SMALL if compress is True else int(compress), threads=THREADS)
        if hasattr(self.calls.file, "write"):
            self.opts.write = library.READ(self.calls.write)
        self.p = lib.frame_create(os.fsencode("a file" if self.opts.write else out), byref(self.opts), byref(e))
        if not self.p:
            raise said(e)
        OPEN.add(self)

    def hold(self):
        """Allows one call at a time, and only in the process that opened the stream. For use in a with statement."""
        if os.getpid() != self.pid:  # checked before the lock, which a thread of the parent may have held
            raise Error("expected the process that opened the stream, %d, found its fork %d (open another stream in the fork)" % (self.pid, os.getpid()))
        if self.busy == threading.get_ident():
            raise RuntimeError("expected a write() of the output that does not use its stream, found one that does")
        return self

    def __enter__(self):
        self.lock.acquire()
        self.busy = threading.get_ident()

    def __exit__(self, *_):
        self.busy = None
        self.lock.release()

    def must(self, failed):
        """Raises the error of a call that failed."""
        if failed:
            self.broken = True
            raise self.calls.why or said(lib.frame_writer_error(self.p).contents)

    def put_meta(self, meta):
        self.began = True
        self.must(lib.frame_put_meta(self.p, meta.p))

    def close(self, why=None):
        """Closes the stream. If the stream was ended by an exception `why`, an ERR frame is written to a pipe, and no file remains."""
        e, p, self.p = library.Err(), self.p, None
        if os.getpid() != self.pid:  # in a fork, the file and its name belong to the parent
            return
        if p and why and not self.broken:
            if self.opts.write and not self.began:  # ERR must be in a segment
                meta = Meta({"prov.1.tool": self.opts.tool.decode()})
                lib.frame_put_meta(p, meta.p)
            text = reason(why).encode(errors="replace")[:1000].decode(errors="ignore")
            lib.frame_fail(p, library.Err(library.ERR_BAD, text.encode()), None)
        failed = lib.frame_close_writer(p, byref(e))
        if failed and not why:
            raise self.calls.why or said(e)
        if self.opts.write and not why:
            getattr(self.calls.file, "flush", int)()

    def __del__(self):
        if self.p:
            self.close(Error("the stream was left without an end (use with mbf.Writer(...), or call close())"))


OPEN = weakref.WeakSet()


@atexit.register
def _leave():
    """Closes the streams that a program leaves open because no `with` handles the exception."""
    for out in list(OPEN):
        if out.p and (out.pid != os.getpid() or out.lock.acquire(timeout=5)):  # another thread may be in a call that never returns
            why = getattr(sys, "last_value", None)
            out.close(why) if why else out.__del__()
