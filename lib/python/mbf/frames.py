# SPDX-License-Identifier: MIT
"""Frames and META through the C library: arrays of a stream, every byte of it verified, and where a stream goes."""
import atexit
import ctypes
import errno
import os
import re
import sys
import threading
import weakref
from ctypes import byref

import numpy as np

from . import library
from .library import lib

DTYPES = [np.dtype(t) for t in ("u1", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8", "u1")]
STATUS = ("complete", "limited", "partial")
THREADS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
# memory at an address, as a memoryview: flags 0x100 to read, 0x200 to write
memory = ctypes.pythonapi.PyMemoryView_FromMemory
memory.restype, memory.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int]


class Error(Exception):
    """A stream that cannot be used; the text begins with its name."""


class Truncated(Error):
    """It ends before its END."""


class Corrupt(Error):
    """It is damaged, or no MBF stream."""


class Failed(Error):
    """The program that wrote it said that it failed, or that this is a part only."""


def said(e, kind=Error):
    """A struct err as an exception."""
    text = os.fsdecode(e.text)
    if e.status == library.ERR_MEMORY:
        return MemoryError(text)
    if e.status == library.ERR_MACHINE:
        return OSError(next((n for n in errno.errorcode if text.endswith(os.strerror(n))), errno.EIO), text)
    return kind(text)


class Meta:
    """A struct meta, from a dict."""

    def __init__(self, meta):
        self.p = lib.meta_new()
        for key, value in meta.items():
            self[key] = value

    def __setitem__(self, key, value):
        k, v = str(key).encode(), str(value).encode()
        if b"\0" in k + v or lib.meta_set(self.p, k, v):
            raise ValueError("META: a key of a to z, 0 to 9, _ and . with a text expected, found %.80r" % key)

    def numbers(self, key, values):
        values = np.ascontiguousarray(values, dtype=float)
        lib.meta_set_f64(self.p, key.encode(), values.ctypes.data_as(ctypes.POINTER(ctypes.c_double)), values.size)

    def __del__(self):
        lib.meta_free(self.p)


def entries(p):
    """A struct meta as a dict."""
    key, value, meta = ctypes.c_char_p(), ctypes.c_char_p(), {}
    while lib.meta_at(p, len(meta), byref(key), byref(value)):
        meta[key.value.decode()] = value.value.decode()
    return meta


class Calls:
    """A Python file for C to read or to write; what it throws, C passes on as -1 and `why` keeps."""

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
    """One array: code (b"POSN"), data (numpy, read-only), index of its first step, and desc, as C has it."""

    def __init__(self, frame):
        self.desc = frame.desc
        self.code, self.index = frame.desc.code, frame.desc.index
        self.data = np.empty(frame.desc.dims[:frame.desc.ndim], DTYPES[frame.desc.dtype])
        ctypes.memmove(self.data.ctypes.data, frame.data, frame.bytes)
        self.data.flags.writeable = False


class Reader:
    """next(): a dict (META of a segment that begins), an Array, or a tuple of END's totals (status, stream hash, content hash,
    steps); StopIteration after the last END, an Error where the stream is not whole. file: a path, or what has read(), which is
    not closed. strict: what META and each array must be is verified, too, and that segments are of one system."""

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
            return Failed("%s: %s failed: %s" % (self.name, (tool or b"the program before").decode(), (why or b"it did not say why").decode()))
        e = lib.frame_error(self._r).contents
        text = os.fsdecode(e.text)[len(self.name) + 2:]
        return said(e, Truncated if text.startswith(("TRUNCATED", "offset 0: empty input")) else Corrupt if text.startswith("CORRUPT") else Error)

    def _rule(self, rule, *of):
        e = library.Err()
        if self.strict and rule(byref(self._rules), *of, byref(e)):
            raise said(library.Err(e.status, os.fsencode("%s: segment %d: " % (self.name, self.segments)) + e.text))

    def _begin(self):
        m = lib.frame_meta(self._r)
        differs = lib.meta_system_differs(self._first, m) if self._first and self.strict else None
        if differs:
            raise Error("%s: segments of one system expected, found another %s" % (self.name, differs.decode()))
        self._first = self._first or lib.meta_copy(m)
        self._rule(lib.frame_rules_meta, m)
        return entries(m)

    def _end(self):
        t = library.Totals()
        lib.frame_totals(self._r, byref(t))
        if t.status == library.PARTIAL:
            raise Failed("%s: a partial stream: the program before did not come to its end" % self.name)
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
        raise ValueError("%s: an open stream expected, found a closed one" % self.name)


def reason(e):
    """What an exception says, for who reads a line."""
    text = str(e)
    return "%s: %s" % (type(e).__name__, text) if isinstance(e, (ArithmeticError, LookupError)) and text else text or type(e).__name__


def say(program, e):
    """A message, one line; what a terminal would obey in a name becomes '?'."""
    text = re.sub("[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]", "?", " ".join(str(e).split("\n")))
    print("%s: %s" % (program, text), file=sys.stderr)


class Output:
    """A struct frame_writer to a path, to stdout ("-" or None) or to a binary file. A path appears when the stream is complete; in a
    pipe, what is not ends in ERR, in the name of tool. compress: True predicts what is in f32, a level from 1 to 9 is zlib alone."""

    def __init__(self, out=None, compress=0, tool="mbf"):
        self.p, e = None, library.Err()
        self.pid, self.lock, self.busy = os.getpid(), threading.Lock(), None  # whose it is; one call at a time
        stdout = out is None or out == "-"
        if stdout and sys.stdout.isatty():
            raise Error("stdout is a terminal: frames are binary")
        self.calls, self.began, self.broken = Calls(sys.stdout.buffer if stdout else out, flush=stdout), False, False
        self.opts = library.WriterOpts(tool=tool.encode(), compress=library.SMALL if compress is True else int(compress), threads=THREADS)
        if hasattr(self.calls.file, "write"):
            self.opts.write = library.READ(self.calls.write)
        self.p = lib.frame_create(os.fsencode("a file" if self.opts.write else out), byref(self.opts), byref(e))
        if not self.p:
            raise said(e)
        OPEN.add(self)

    def hold(self):
        """For `with`: one call at a time, of the process that opened it."""
        if os.getpid() != self.pid:  # before the lock, which a thread of the parent may have held
            raise Error("expected the process that opened the stream, %d, found a fork of it, %d: open another one there" % (self.pid, os.getpid()))
        if self.busy == threading.get_ident():
            raise RuntimeError("expected a write() of the output that leaves its stream alone, found one that uses it")
        return self

    def __enter__(self):
        self.lock.acquire()
        self.busy = threading.get_ident()

    def __exit__(self, *_):
        self.busy = None
        self.lock.release()

    def must(self, failed):
        """What a call returned, which is 0."""
        if failed:
            self.broken = True
            raise self.calls.why or said(lib.frame_writer_error(self.p).contents)

    def put_meta(self, meta):
        self.began = True
        self.must(lib.frame_put_meta(self.p, meta.p))

    def close(self, why=None):
        """why: the exception that ends it, which a pipe is told, and which leaves no file."""
        e, p, self.p = library.Err(), self.p, None
        if os.getpid() != self.pid:  # a fork: the file and its name are the parent's
            return
        if p and why and not self.broken:
            if self.opts.write and not self.began:  # ERR stands in a segment
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
            self.close(Error("the stream was left without an end: with mbf.Writer(...), or its close()"))


OPEN = weakref.WeakSet()


@atexit.register
def _leave():
    """What a program leaves open, of which no `with` sees the exception."""
    for out in list(OPEN):
        if out.p and (out.pid != os.getpid() or out.lock.acquire(timeout=5)):  # a thread may be in a call that never ends
            why = getattr(sys, "last_value", None)
            out.close(why) if why else out.__del__()
