# SPDX-License-Identifier: MIT
"""mbf reads and writes the frame streams of the many-body filters in Python. See mbf-python(7).

    with mbf.open("argon.mbf") as stream:      # a path, a pipe, or None for stdin
        for step in stream:                    # each step is verified
            step.time, step.cell, step.positions
    run = mbf.read("argon.mbf")                # the whole stream: run.positions [F, N, 3], run.meta
    mbf.write("out.mbf", run.positions, dt=0.1, cell=23.0, species=["Ar"] * 256)
    mbf.frame("gr.mbf")                        # averages with errors, as a pandas.DataFrame
    gr = mbf.run("rdf-cpu", run, pair="O-O")   # a program, on a file or on arrays; gr.to_xarray()
"""
from .data import Run, Step, Stream, Writer, filter, frame, open, read, scalars_of, species_of, table, write  # noqa: A004 - mbf.open
from .programs import plot, run
from .frames import Corrupt, Error, Failed, Truncated
from . import library as _library

__version__ = _library.VERSION
__all__ = ["Corrupt", "Error", "Failed", "Run", "Step", "Stream", "Truncated", "Writer", "__version__", "filter", "frame", "open", "plot", "read", "run", "scalars_of", "species_of", "table", "write"]
