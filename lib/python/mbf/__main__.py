# SPDX-License-Identifier: MIT
"""The command python3 -m mbf from|to|check|plot, see mbf-python(7)."""
import argparse
import errno
import os
import shlex
import signal
import subprocess
import sys

from . import convert, data, frames, programs

EXAMPLES = """examples:
  python3 -m mbf from run.gsd --dt 0.5 | rdf-cpu | bin2txt
  python3 -m mbf from --topology top.pdb run.h5md -o run.mbf
  python3 -m mbf to npz run.mbf -o run.npz
  python3 -m mbf check run.mbf
  python3 -m mbf plot gr.mbf -o gr.svg

exit status: 0 success, 2 wrong options or bad input, 3 system error,
4 not enough memory
"""


class Parser(argparse.ArgumentParser):
    """Reports an error in the options on one line."""

    def error(self, message):
        frames.say("mbf", "%s (see python3 -m mbf --help)" % message)
        sys.exit(2)


def wants(what):
    """Wraps the parser of an option. If the parser raises a ValueError, the error message is "expected `what`, found TEXT"."""

    def named(read):
        def parse(text):
            try:
                return read(text)
            except ValueError:
                raise argparse.ArgumentTypeError("expected %s, found '%s'" % (what, text)) from None

        return parse

    return named


@wants("A:B:C with a stride above 0")
def parse_select(text):
    parts = [int(p) if p else None for p in text.split(":")]
    if len(parts) not in (2, 3) or any(p is not None and p < 0 for p in parts) or (len(parts) == 3 and parts[2] == 0):
        raise ValueError(text)
    return slice(*parts)


@wants("any of x, y, z, or none")
def parse_pbc(text):
    if text != "none" and (not text or set(text) - set("xyz")):
        raise ValueError(text)
    return text


@wants("a number of ps from 1e-12 to 1e+12")
def parse_dt(text):
    if not 1e-12 <= float(text) <= 1e12:
        raise ValueError(text)
    return float(text)


def options():
    width = {"formatter_class": lambda prog: argparse.RawDescriptionHelpFormatter(prog, width=79)}
    p = Parser(prog="python3 -m mbf", description="Convert, verify and plot the frame streams of mbf.", epilog=EXAMPLES, **width)
    p.add_argument("-V", "--version", action="version", version="mbf.py %s" % data.VERSION)
    sub = p.add_subparsers(dest="verb", required=True, metavar="from|to|check|plot")
    f = sub.add_parser("from", help="convert trajectories to positions", **width,
                       description="Read the positions in GSD, H5MD, HDF5 of MDTraj, PDB, GRO, CIF and other\nformats of MDAnalysis, chemfiles, ASE, gsd or h5py, or in npy and npz files.")
    f.add_argument("files", nargs="+", metavar="FILE")
    f.add_argument("-o", "--output", default="-", metavar="FILE", help="write to FILE (default: standard output)")
    f.add_argument("--with", dest="peer", choices=["auto", *convert.PEERS], default="auto", metavar="MODULE", help="module that reads the file: %s, or auto for the first installed module that can read it (default: auto)" % ", ".join(convert.PEERS))
    f.add_argument("--topology", metavar="FILE", help="file with atom names, if the trajectory has none")
    f.add_argument("--dt", type=parse_dt, metavar="PS", help="time between frames, ps (default: from the file)")
    f.add_argument("--cell", metavar="A[,B,C[,a,b,g]]", help="cell edges in angstrom, angles in degrees (default: from the file)")
    f.add_argument("--pbc", type=parse_pbc, metavar="AXES", help="periodic axes, any of x y z, or none (default: from the file)")
    f.add_argument("--species", metavar="LIST", help="atom names, such as '512*(O 1 H 2)' (default: from the file)")
    f.add_argument("--select", type=parse_select, default=slice(None), metavar="A:B:C", help="select frames A, A+C, ... below B (default: all)")
    f.add_argument("--velocities", action="store_true", help="also write velocities; a file without velocities is an error")
    f.add_argument("--dtype", choices=["f32", "f64"], default="f32", help="number type, f32 or f64 (default: f32)")
    f.add_argument("-z", "--compress", type=int, choices=range(1, 10), default=0, metavar="LEVEL", help="zlib level (default: off)")
    f.add_argument("-v", "--verbose", action="store_true", help="print the reader and the source of time and cell")
    t = sub.add_parser("to", help="convert a stream to npy, npz or H5MD", **width, description="Convert a stream to a NumPy file or to H5MD.")
    t.add_argument("form", choices=["npy", "npz", "h5md"])
    t.add_argument("file", nargs="?", default="-", metavar="FILE", help="input stream (default: standard input)")
    t.add_argument("-o", "--output", required=True, metavar="FILE", help="output file")
    c = sub.add_parser("check", help="verify a stream and print its hashes", **width, description="Verify a stream and print the hashes of each segment.")
    c.add_argument("file", nargs="?", default="-", metavar="FILE", help="input stream (default: standard input)")
    g = sub.add_parser("plot", help="plot results with gnuplot", **width, description="Plot correlation functions, histograms, spectra or time "
                       "series, with\npipelines/plot.sh and gnuplot.")
    g.add_argument("files", nargs="+", metavar="FILE", help="results of the same kind")
    g.add_argument("-o", "--output", default="plot.png", metavar="PICTURE", help="picture, a name that ends in .png, .svg or .pdf (default: plot.png)")
    return p


def check(path):
    with sys.stdin.buffer if path == "-" else open(path, "rb") as f:
        for item in frames.Reader(f, "stdin") if path == "-" else frames.Reader(path, path):
            if isinstance(item, tuple):
                print("stream", item[1].hex())
                print("content", item[2].hex())


def on_disk(path):
    """Waits until a file or a folder is stored on disk. File systems without fsync are accepted. A disk error raises an exception."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as e:
        if e.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EROFS):
            raise
    finally:
        os.close(handle)


def export(o):
    """Exports a stream to a file. The file appears under its name when the file is complete."""
    if o.output == "-":
        if o.form == "h5md":
            raise frames.Error("h5md: expected a file, found standard output (-o FILE)")
        return convert.export(o.form, o.file, "-")
    if os.path.exists(o.output) and not os.path.isfile(o.output):
        return convert.export(o.form, o.file, o.output)
    handle, temporary, target = convert.beside(o.output)
    os.close(handle)
    try:
        convert.export(o.form, o.file, temporary)
        on_disk(temporary)
        os.replace(temporary, target)
        on_disk(os.path.dirname(target))
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)
    return None


def same_file(out, files):
    return os.path.isfile(out) and any(os.path.exists(f) and os.path.samefile(f, out) for f in files)


def main(argv):
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.unraisablehook = lambda _: None  # if writing failed, closing the file fails for the same reason
    o = options().parse_args(argv)
    try:
        if o.verb == "plot":
            return programs.draw(o.files, o.output).returncode
        if o.verb != "check" and same_file(o.output, o.files if o.verb == "from" else [o.file]):
            raise frames.Error("%s: input and output are the same file" % o.output)
        if o.verb == "from":
            o.dtype = {"f32": "<f4", "f64": "<f8"}[o.dtype]
            told = [a for a in argv[1:] if a not in o.files and a != o.output and a not in ("-o", "--output", "-v", "--verbose")]
            said = convert.convert(o.files, o, shlex.join(told))
            if o.verbose:
                frames.say("mbf", said)
        elif o.verb == "to":
            export(o)
        else:
            check(o.file)
    except (frames.Error, ValueError, ImportError) as e:
        frames.say("mbf", e)
        return 2
    except OSError as e:
        frames.say("mbf", "%s: %s" % (e.filename, e.strerror) if e.filename and e.strerror else e.strerror or e)
        return 3
    except MemoryError as e:
        frames.say("mbf", "not enough memory: %s" % e)
        return 4
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
