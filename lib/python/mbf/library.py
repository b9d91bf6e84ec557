# SPDX-License-Identifier: MIT
"""Loads libmbf.so, described in mbf(3), with ctypes, and declares the functions that this package needs."""
import ctypes
import os
import sys
from ctypes import POINTER, c_bool, c_char, c_char_p, c_double, c_int, c_longlong, c_size_t, c_ssize_t, c_uint16, c_uint32, c_uint64, c_void_p

VERSION = "0.2.0"  # equal to the version in lib/cli/cli.h; a test compares them
MACOS = sys.platform == "darwin"
SONAME = ("libmbf.%s.dylib" if MACOS else "libmbf.so.%s") % VERSION.rsplit(".", 1)[0]
LIBDIR = ""  # written by make install
ERR_BAD, ERR_MACHINE, ERR_MEMORY = 2, 3, 4
META, POSN, PAIR, SERI, END, OTHER = 1, 2, 5, 9, 13, 0
F32, F64 = 5, 6
COMPLETE, PARTIAL, SMALL = 0, 2, -1
READ = ctypes.CFUNCTYPE(c_ssize_t, c_void_p, c_void_p, c_size_t)
HASH = ctypes.c_ubyte * 16


def struct(name, **fields):
    return type(name, (ctypes.Structure,), {"_fields_": list(fields.items())})


Err = struct("err", status=c_int, text=c_char * 1016, file=c_uint16, frame=c_uint16, line=c_uint16, atom=c_uint16)
Desc = struct("frame_desc", type=c_int, dtype=c_int, ndim=c_int, dims=c_uint64 * 4, index=c_uint64, time=c_double, flags=c_uint32, code=c_char * 5)
Frame = struct("frame", desc=Desc, data=c_void_p, bytes=c_size_t, finite=c_bool)
Totals = struct("frame_totals", frames=c_uint64, arrays=c_uint64, raw_bytes=c_uint64, wire_bytes=c_uint64, stream_hash=HASH, content_hash=HASH,
                parent_hash=HASH * 2, status=c_int, parents=c_uint32, steps=c_uint64, of_hash=HASH)
Rules = struct("frame_rules", meta=c_void_p, sums=Desc, steps=Desc, narrays=c_int, natoms=c_uint64, pbc=c_int * 3, nscalars=c_int, scal=Desc,
               species=c_bool, times=c_uint64, cells=c_uint64)
ReaderOpts = struct("frame_reader_opts", max_mem=c_size_t, threads=c_int, allow_partial=c_bool, left_out=c_void_p, window=c_void_p, read=READ,
                    **{"from": c_void_p})
WriterOpts = struct("frame_writer_opts", tool=c_char_p, compress=c_int, threads=c_int, force=c_bool, index=c_bool, max_mem=c_uint64, last=c_bool,
                    at_once=c_bool, like=c_char_p, write=READ, to=c_void_p)
Box = struct("box", h=c_double * 9, inv=c_double * 9, pbc=c_int * 3, ortho=c_int)
Info = struct("traj_info", type=c_int, dtype=c_int, natoms=c_size_t, ncomp=c_size_t, step_bytes=c_size_t, nscalars=c_size_t,
              scalar_bytes=c_size_t, dt_ps=c_double, sigma=c_double, box=Box)
ImportSteps = struct("cli_import_steps", max=c_size_t, pos=c_void_p, vel=c_void_p, scal=c_void_p, time=c_void_p, cell=c_void_p)
ERR, NAMES, TEXTS = POINTER(Err), POINTER(c_char * 16), POINTER(c_char_p)

# for each function: the type of its result, then the types of its arguments
FUNCTIONS = {
    "frame_open": (c_void_p, c_char_p, POINTER(ReaderOpts)), "frame_close_reader": (None, c_void_p), "frame_next": (c_int, c_void_p, POINTER(Frame)),
    "frame_error": (ERR, c_void_p), "frame_damage": (c_int, c_void_p), "frame_received": (c_void_p, c_void_p), "frame_meta": (c_void_p, c_void_p),
    "frame_totals": (c_int, c_void_p, POINTER(Totals)), "frame_step_times": (None, POINTER(Desc), c_double, c_void_p),
    "frame_rules_meta": (c_int, POINTER(Rules), c_void_p, ERR), "frame_rules_array": (c_int, POINTER(Rules), POINTER(Frame), ERR),
    "frame_rules_end": (c_int, POINTER(Rules), ERR), "frame_create": (c_void_p, c_char_p, POINTER(WriterOpts), ERR),
    "frame_put_meta": (c_int, c_void_p, c_void_p), "frame_end": (c_int, c_void_p, c_int, c_void_p, c_void_p),
    "frame_fail": (c_int, c_void_p, ERR, c_void_p), "frame_close_writer": (c_int, c_void_p, ERR), "frame_writer_error": (ERR, c_void_p),
    "meta_new": (c_void_p,), "meta_free": (None, c_void_p), "meta_copy": (c_void_p, c_void_p), "meta_get": (c_char_p, c_void_p, c_char_p),
    "meta_set": (c_int, c_void_p, c_char_p, c_char_p), "meta_set_f64": (c_int, c_void_p, c_char_p, POINTER(c_double), c_size_t),
    "meta_at": (c_int, c_void_p, c_size_t, POINTER(c_char_p), POINTER(c_char_p)), "meta_system_differs": (c_char_p, c_void_p, c_void_p),
    "meta_species_hint": (c_char_p, c_size_t, c_char_p),
    "meta_species": (c_int, c_void_p, c_size_t, c_void_p, NAMES, c_int, ERR), "meta_set_species": (c_int, c_void_p, c_size_t, c_void_p, NAMES),
    "scalars_add": (c_int, c_void_p, c_char_p, c_char_p, ERR),
    "cli_import_open": (c_void_p, TEXTS, c_int, TEXTS, c_char_p, c_char_p, c_int, ERR), "cli_import_close": (None, c_void_p),
    "cli_import_meta": (c_void_p, c_void_p), "cli_import_next": (c_longlong, c_void_p, POINTER(ImportSteps)),
    "cli_import_expected": (c_double, c_void_p), "cli_import_error": (ERR, c_void_p), "cli_import_warning": (c_char_p, c_void_p),
    "traj_box": (c_int, c_void_p, POINTER(Box), ERR), "traj_writer_like": (c_void_p, c_void_p, POINTER(Info), c_double),
    "traj_put": (c_int, c_void_p, c_uint64, c_double, POINTER(Box), c_void_p, c_void_p, c_void_p), "traj_flush": (c_int, c_void_p),
    "traj_writer_free": (None, c_void_p)}


def load():
    """Loads the library that MBF_LIBRARY names. If this variable is not set, tries the installed library, libraries in and above this package, and the path of the loader."""
    above = os.path.join(os.path.dirname(os.path.abspath(__file__)), *[".."] * 3)
    places = [os.path.join(LIBDIR, SONAME), os.path.join(os.path.dirname(os.path.abspath(__file__)), SONAME), os.path.join(above, SONAME), os.path.join(above, "build", "pic", "libmbf.dylib" if MACOS else "libmbf.so")]
    told = os.environ.get("MBF_LIBRARY")
    for place in [told] if told else [*filter(os.path.exists, places), SONAME]:
        try:
            found = ctypes.CDLL(place)
            for name, (result, *arguments) in FUNCTIONS.items():
                function = getattr(found, name)
                function.restype, function.argtypes = result, arguments
            return found
        except (OSError, AttributeError) as e:
            why = e
    raise ImportError("expected the C library %s, found none that can be used: build it with 'make' in the source tree, install it with 'make install-library', "
                      "or name another one with MBF_LIBRARY=FILE (%s)" % (SONAME, why))


lib = load()
