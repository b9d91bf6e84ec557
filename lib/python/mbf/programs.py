# SPDX-License-Identifier: MIT
"""Runs the programs of mbf on Python data, and draws their results."""
import io
import os
import subprocess
import sys
import tempfile
import threading

from . import convert, data, frames


def run(make, source=None, out=None, **options):
    """Runs a program of mbf, or a filter that is written in Python.

    run("rdf-cpu", source, pair=["O-O", "O-H"], bins=200) runs a program with the options --pair O-O --pair O-H --bins 200. source is a path,
    a list of paths, a Run, bytes, or an open binary file. The value of an option is True (for an option without a value, such as --alpha2), a string, a number, or a list of values,
    for which the option is repeated. In the name of an option, _ stands for -. Results (CORR, HIST, SPEC) are returned as a Table, time steps as a Run,
    and other output as a string. With out, the output is also written to that file. Warnings go to stderr. If the program fails, Error is raised
    with its message. Several threads may call run at the same time.

    run(make, source, out) runs mbf.filter(make, source, out) as a program: an error is reported on one line and sets the exit status.
    python3 -X dev also prints the traceback."""
    if not isinstance(make, str):
        data.run_filter(make, source, out, **options)
        return None
    words = [data.program(make)]
    for name, value in options.items():
        for v in value if isinstance(value, (list, tuple)) else [value]:
            words += [] if v is None or v is False else [_option(name) if v is True else _option(name, v)]
    if isinstance(source, (str, os.PathLike, list, tuple)):
        words += ["--", *_paths(source)]
        source = None
    elif source is not None and not isinstance(source, (data.Run, bytes, bytearray, memoryview)) and not hasattr(source, "read"):
        raise TypeError("run: expected a path, a list of paths, a Run, bytes or an open binary file, found %s%s" % (
            type(source).__name__, " (keep the stream of a Table with out=FILE, and give FILE)" if isinstance(source, data.Table) else ""))
    output, said = _output(make, words, source)
    if said:
        sys.stderr.write(said)
    if out is not None:
        _save(out, output)
    if not output.startswith(data.MAGIC):
        return output.decode()
    result = data.read(io.BytesIO(output))
    return data.table(io.BytesIO(output)) if result.kind in ("CORR", "HIST", "SPEC") else result


def _paths(files):
    return list(map(os.fspath, [files] if isinstance(files, (str, os.PathLike)) else files))


def _save(path, output):
    """Writes a file that appears under its name when it is complete. A pipe or a device is written directly."""
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as f:
            f.write(output)
        return
    handle, name, target = convert.beside(path)
    try:
        with open(handle, "wb") as f:
            f.write(output)
        os.replace(name, target)
    finally:
        if os.path.exists(name):
            os.unlink(name)


def _option(name, *value):
    flag = ("-" if len(name) == 1 else "--") + name.replace("_", "-")
    return flag + ("" if len(name) == 1 else "=").join(["", *map(str, value)])


def _output(name, words, source):
    """Runs a program. A thread writes the source to its standard input. Returns its output and what it wrote to standard error."""
    failed = []

    def feed(pipe):
        try:
            with pipe:
                if isinstance(source, data.Run):
                    _send(source, pipe)
                else:
                    for piece in [source] if isinstance(source, (bytes, bytearray, memoryview)) else iter(lambda: source.read(1 << 20), b""):
                        pipe.write(piece)
        except BrokenPipeError:
            pass  # the program itself states why it failed
        except BaseException as e:  # noqa: BLE001 - raised below
            failed.append(e)

    with tempfile.TemporaryFile() as errors, subprocess.Popen(words, stdin=subprocess.DEVNULL if source is None else subprocess.PIPE,
                                                              stdout=subprocess.PIPE, stderr=errors) as p:
        thread = threading.Thread(target=feed, args=(p.stdin,))
        if source is not None:
            thread.start()
        output = p.stdout.read()
        if source is not None:
            thread.join()
        status = p.wait()
        errors.seek(0)
        said = errors.read().decode("utf-8", "replace")
    if failed:
        raise failed[0]
    if status:
        raise data.Error(said.strip() or "%s: ended with status %d" % (name, status))
    return output, said


def _send(run, pipe):
    """Writes a Run as a stream."""
    if run.kind not in ("positions", "series"):
        raise data.Error("run: expected positions or a series, found %s" % run.kind)
    series = run.kind == "series"
    with data.Writer(pipe, columns=run.meta["data.columns"].split() if series else None, dtype=getattr(run, run.kind).dtype) as w:
        data.inherit(w, run.meta)
        w.species = None if series else run.meta.get("sys.species")
        for k, step in enumerate(getattr(run, run.kind)):
            w.put(step, run.time[k], *([] if series else [None if run.cell is None else run.cell[k], None if run.velocities is None else run.velocities[k],
                                                         {n: a[k] for n, a in run.scalars.items()}]))


def plot(files, picture="plot.png", **variables):
    """Draws results with plot.sh and gnuplot. files is a path or a list of paths. The variables are those of plot.sh, such as NAMES="g_O-O" or LOG=0.
    Returns the argument picture."""
    for name in variables:
        if name not in ("NAMES", "PANELS", "LOG", "XRANGE", "YRANGE", "TITLE", "SIZE"):
            raise TypeError("plot: expected NAMES, PANELS, LOG, XRANGE, YRANGE, TITLE or SIZE, found " + name)
    if not isinstance(files, (str, os.PathLike, list, tuple)):
        raise TypeError("plot: expected a path or a list of paths, found " + type(files).__name__)
    p = draw(_paths(files), picture, {name: str(value) for name, value in variables.items()}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if p.returncode:
        raise data.Error(p.stderr.decode("utf-8", "replace").strip())
    return picture


def draw(files, picture, variables=None, **options):
    """Runs plot.sh of the source tree, or else the installed one, and returns its CompletedProcess."""
    here = os.path.dirname(os.path.abspath(__file__))
    places = [os.path.join(here, *[".."] * 3, "pipelines")] + [os.path.join(at, "share", "mbf", "pipelines") for at in (
        sys.prefix, *[os.path.join(here, *[".."] * k) for k in (3, 4, 5)])]
    script = next((s for s in (os.path.join(p, "plot.sh") for p in places) if os.path.exists(s)), None)
    if not script:
        raise frames.Error("expected plot.sh in share/mbf/pipelines, found none")
    bin_ = {} if "MBF_BIN" not in os.environ else {"BIN": os.environ["MBF_BIN"]}
    return subprocess.run(["sh", script, "-o", picture, "--", *map(os.fspath, files)], env={**os.environ, **bin_, **(variables or {})}, check=False, **options)
