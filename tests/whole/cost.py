#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cost.py [--times K] [TABLE...]: what n and 4n cost, by the processor's seconds (user and system) and the largest resident size.

A row holds if seconds(4n) <= 1.5 * 4^P * seconds(n) + 0.02 and memory(4n) <= 1.5 * 4^M * memory(n) + 4 MiB, M = 0 within 1.3
(what is below this program's own 15 MiB is not seen, so that 4n of a stream must be more). What
exceeds is measured thrice in all, and the least counts, so that a busy machine fails nothing. Prints a line a row; exits with 1 if
one does not hold. K instead of 4 shows that a row can fail: --times 32 must break them. Needs the programs in PATH.
"""
import gzip
import itertools
import math
import os
import random
import re
import shlex
import struct
import subprocess
import sys
import tempfile

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "formats")
EDGE = 3.8  # of the cube that an atom has, angstrom


# ---- inputs of size n
def tool(path, *command):
    """The file at PATH becomes what the command makes of it."""
    with open(path, "rb") as stdin, open(path + ".new", "wb") as stdout:
        subprocess.run(command, stdin=stdin, stdout=stdout, check=True)
    os.rename(path + ".new", path)


def lattice(n, names):
    """n atoms in a cube as lines of text, and its edge."""
    r = random.Random(n)
    side = math.ceil(n ** (1 / 3) - 1e-9)
    rows = ["%s %.4f %.4f %.4f\n" % (names[a % len(names)], *((c + 0.3 * r.random()) * EDGE for c in (a % side, a // side % side, a // side ** 2)))
            for a in range(n)]
    return "".join(rows), side * EDGE


def xyz(path, atoms, frames, names=("Ar",), comment=""):
    text, edge = lattice(atoms, names)
    head = '%d\nLattice="%g 0 0 0 %g 0 0 0 %g" Properties=species:S:1:pos:R:3%s\n' % (atoms, edge, edge, edge, comment)
    with open(path, "w") as f:
        for _ in range(frames):
            f.write(head + text)


def posn(path, *options):
    tool(path, "xyz2bin", "-q", "--dt", "0.01", *options)


def frames_text(path, n):
    xyz(path, 64, n)


def frames_gz(path, n):
    xyz(path, 64, n)
    with open(path, "rb") as f, gzip.open(path + ".gz", "wb", 1) as g:
        for b in iter(lambda: f.read(1 << 20), b""):
            g.write(b)
    os.rename(path + ".gz", path)


def frames(path, n):
    xyz(path, 64, n)
    posn(path)


def packed(path, n):
    xyz(path, 64, n)
    posn(path, "-z")


def atoms_text(path, n):
    xyz(path, n, 3)


def atoms(path, n):
    xyz(path, n, 3)
    posn(path)


def pile(path, n):
    """A cell that is long along one axis, and longer the more atoms."""
    r = random.Random(n)
    with open(path, "w") as f:
        f.write('%d\nLattice="16 0 0 0 16 0 0 0 %g" Properties=species:S:1:pos:R:3\n' % (n, n / 4))
        for _ in range(n):
            f.write("Ar %.3f %.3f %.3f\n" % (16 * r.random(), 16 * r.random(), n / 4 * r.random()))
    posn(path)


def species_text(path, n):
    """A name of its own for each atom."""
    xyz(path, n, 1, ["s%d" % k for k in range(n)])


def species(path, n):
    """As many as names of atoms are kept for."""
    xyz(path, n, 3, ["s%d" % k for k in range(255)])
    posn(path)


def few_species(path, n):
    xyz(path, 240, 20, ["s%d" % k for k in range(n)])
    posn(path)


def pairs(path, n):
    xyz(path, 32, n)
    posn(path)
    tool(path, "beta-gen", "-q", "--sigma", "3.4")


def lammps(path, n):
    text, edge = lattice(64, "1")
    body = "".join("%d %s" % (k + 1, row) for k, row in enumerate(text.splitlines(True)))
    with open(path, "w") as f:
        for k in range(n):
            f.write("ITEM: TIMESTEP\n%d\nITEM: NUMBER OF ATOMS\n64\nITEM: BOX BOUNDS pp pp pp\n0 %g\n0 %g\n0 %g\n"
                    "ITEM: ATOMS id type x y z\n%s" % (k, edge, edge, edge, body))


def repeated(path, n, name, head, size, patch):
    """The first frame of a carried file, of so many bytes behind its head, n times; patch(buffer, k) numbers it."""
    with open(os.path.join(DATA, name), "rb") as f:
        b = f.read()
    one = bytearray(b[head:head + size])
    with open(path, "wb") as f:
        f.write(b[:head])
        for k in range(n):
            patch(one, k)
            f.write(one)


def dcd(path, n):
    frame = 8 + 48 + 3 * (8 + 40)
    repeated(path, n, "water10.dcd", os.path.getsize(os.path.join(DATA, "water10.dcd")) - 3 * frame, frame, lambda one, k: None)
    with open(path, "r+b") as f:
        f.seek(8)
        f.write(struct.pack("<i", n))


def xtc(path, n):
    with open(os.path.join(DATA, "water10.xtc"), "rb") as f:
        size = f.read().index(struct.pack(">ii", 1995, 10), 4)
    repeated(path, n, "water10.xtc", 0, size, lambda one, k: struct.pack_into(">if", one, 8, k, k))


def trr(path, n):
    repeated(path, n, "water10.trr", 0, 360, lambda one, k: struct.pack_into(">iif", one, 68, k, 0, k))


def netcdf(path, n):
    # coordinates 120, time 4, lengths 24, angles 24, velocities 120
    repeated(path, n, "water10.ncdf", 0x390, 292, lambda one, k: struct.pack_into(">f", one, 120, k))
    with open(path, "r+b") as f:
        f.seek(4)
        f.write(struct.pack(">i", n))


def columns(path, n):
    r = random.Random(1)
    block = "".join("%.6f %.6f\n" % (r.gauss(0, 1), r.gauss(0, 1)) for _ in range(1000))
    with open(path, "w") as f:
        f.write("# a b\n")
        for _ in range(n):
            f.write(block)


def series(path, n):
    columns(path, n)
    tool(path, "txt2bin", "-q", "--dt", "0.01")


def lags(path, n):
    series(path, n)
    tool(path, "acf", "-q", "--blocks", "1", "--pairs", "a-a")


def bins(path, n):
    xyz(path, 64, 4)
    posn(path)
    tool(path, "rdf-cpu", "-q", "--bins", str(n))


def parts(path, n):
    """n whole segments of one frame, one behind the other."""
    xyz(path, 2, 1)
    posn(path)
    with open(path, "rb") as f:
        b = f.read()
    with open(path, "wb") as f:
        for _ in range(n):
            f.write(b)


def sums(path, n):
    """n files, and the same as one stream."""
    os.mkdir(path + ".d")
    subprocess.run(["md-cpu", "-q", "--atoms", "8", "--density", "0.02", "--steps", "2", "--every", "1", "--seed", "1", "--replicas", str(n), "-o", path + ".d/%.mbf"], check=True)
    names = [path + ".d/%d.mbf" % k for k in range(n)]
    subprocess.run(["g4-cpu", "-q", "--lags", "2", "--blocks", "1", *names, "-o", path + ".d/%.cf"], check=True)
    with open(path, "wb") as f:
        for name in names:
            with open(name[:-4] + ".cf", "rb") as g:
                f.write(g.read())


def filled(path, n, head, what, tail=""):
    with open(path, "w") as f:
        f.write(head)
        for _ in range(n):
            f.write(what * 1024)
        f.write(tail)


def line(path, n):
    filled(path, n, "", "x")


def digits(path, n):
    filled(path, n, "1\n", "9")


def blank(path, n):
    filled(path, n, "1\n\nAr 1 2 3\n", "\n")


def blank_first(path, n):
    filled(path, n, "", "\n", "1 2\n2 3\n")


def comment(path, n):
    with open(path, "w") as f:
        for _ in range(100):
            f.write("1\nLattice=\"9 0 0 0 9 0 0 0 9\" " + "k=v " * n + "\nAr 1 2 3\n")


def nothing(path, n):
    pass


# ---- the tables: input, n, and rows of command, [status], power of time, power of memory. @ is the
# input, {n} its size, {x*} n times x.
TABLES = {
    "text": [
        (frames_text, 8000, [("xyz2bin --dt 0.01 @", 1, 0), ("xyz2bin --dt 0.01 -z @", 1, 0), ("xyz2bin --dt 0.01 --select ::7 --atoms 0:9 @", 1, 0)]),
        (frames_gz, 8000, [("xyz2bin --dt 0.01 @", 1, 0)]),
        (atoms_text, 60000, [("xyz2bin --dt 0.01 @", 1, 1)]),
        (species_text, 30000, [("xyz2bin @", 1, 1)]),
        (lammps, 5000, [("traj2bin --units real --timestep 0.001 @", 1, 0)]),
        (dcd, 40000, [("traj2bin --dt 0.01 @", 1, 0)]),
        (xtc, 40000, [("traj2bin @", 1, 0)]),
        (trr, 40000, [("traj2bin @", 1, 0)]),
        (netcdf, 40000, [("traj2bin @", 1, 0)]),
        (columns, 200, [("txt2bin --dt 0.01 @", 1, 1)]),
    ],
    "frames": [
        (frames, 20000, [("frame-cat @", 1, 0), ("frame-cut 5::3 @", 1, 0), ("frame-check @", 1, 0), ("frame-index @", 1, 1),
                         ("compare @ @", 1, 0)]),
        (frames, 3000, [("bin2xyz @", 1, 0), ("bin2txt @", 1, 0), ("frame-cat -z @", 1, 0)]),
        (packed, 8000, [("frame-check @", 1, 0), ("frame-cat @", 1, 0)]),
        (atoms, 60000, [("bin2xyz @", 1, 1), ("frame-cat @", 1, 1), ("frame-check @", 1, 1)]),
        (species, 30000, [("frame-check -v @", 1, 1), ("bin2xyz @", 1, 1), ("bin2txt --meta @", 1, 1), ("frame-cut --species s1,s7 : @", 1, 1)]),
        (parts, 10000, [("frame-cat --jumps close @", 1, 0), ("frame-check @", 1, 0), ("frame-cat --jumps close -z @", 1, 0)]),
        (sums, 250, [("frame-merge @", 1, 1), ("frame-merge {@.d/%.cf *}", 1, 1), ("frame-check @", 1, 0)]),
    ],
    "physics": [
        (frames, 8000, [("beta-gen --sigma 3.4 @", 1, 0), ("g4-cpu --sigma 3.4 --lags 50 @", 1, 0), ("rdf-cpu @", 1, 0), ("sq-cpu --qmax 2 @", 1, 0),
                        ("fqt-cpu --qmax 2 --lags 20 --self @", 1, 0)]),
        (pairs, 3000, [("g4-cpu --lags 50 @", 1, 0)]),
        (atoms, 40000, [("rdf-cpu --rmax 7 @", 1, 1), ("sq-cpu --vectors 200 --qmax 2 @", 4 / 3, 1)]),
        (pile, 16000, [("sq-cpu --vectors 200 --qmax 2 @", 1, 1)]),
        (atoms, 1000, [("beta-gen --sigma 3.4 --cutoff 7 @", 2, 2), ("g4-cpu --sigma 3.4 --sum ewald:pairs --lags 2 --blocks 1 @", 2, 1), ("rdf-cpu @", 2, 1)]),
        (atoms, 8000, [("g4-cpu --sigma 3.4 --cutoff 8 --lags 2 --blocks 1 @", 1, 1), ("g4-cpu --sigma 3.4 --lags 2 --blocks 1 @", 1, 1)]),
        (few_species, 8, [("rdf-cpu --pair all @", 2, 2)]),
        (few_species, 2, [("sq-cpu --pair all @", 2, 2)]),
        (series, 100, [("acf --lags 100 @", 1, 1), ("acf --integral @", 1, 1)]),
        (lags, 40, [("fft-spectrum @", 1, 1), ("bin2txt @", 1, 1), ("compare @ @", 1, 1)]),
        (bins, 4000, [("rdf2sq @", 1, 1)]),
        (nothing, 20000, [("md-cpu --atoms 64 --density 0.02 --steps {n}", 1, 0)]),
        (nothing, 8000, [("md-cpu --atoms {n} --density 0.02 --neighbours cells --cutoff 8.5 --steps 40", 1, 1)]),
    ],
    "hostile": [
        (line, 8000, [("xyz2bin @", 2, 1, 0), ("traj2bin @", 2, 1, 0), ("txt2bin @", 2, 1, 0), ("frame-check @", 2, 1, 0)]),
        (digits, 8000, [("xyz2bin @", 2, 1, 0)]),
        (blank, 6000, [("xyz2bin --cell 9 @", 1, 0)]),
        (blank_first, 6000, [("xyz2bin @", 2, 1, 0), ("txt2bin --dt 1 @", 1, 0)]),
        (comment, 60000, [("xyz2bin --dt 1 @", 1, 1)]),
        (nothing, 16000, [("rdf-cpu {--pair A-B *} nowhere", 2, 1, 1), ("rdf-cpu {--bins 9 *} nowhere", 3, 1, 1)]),
        (nothing, 6000, [("traj2bin --species '{(*}O' {data}/water10.dcd", 2, 1, 0), ("traj2bin --species '{9*(*}O{)*}' {data}/water10.dcd", 2, 1, 0),
                          ("traj2bin --species '{O *}' {data}/water10.dcd", 2, 1, 0), ("frame-cut --species {O,*}O : nowhere", 3, 1, 0)]),
    ],
    # what takes longer: for tests/check-long
    "long": [
        (parts, 250000, [("frame-cat --jumps close @", 1, 0), ("frame-check @", 1, 0)]),
        (sums, 2000, [("frame-merge @", 1, 1), ("frame-merge {@.d/%.cf *}", 1, 1)]),
        (line, 128000, [("xyz2bin @", 2, 1, 0), ("traj2bin @", 2, 1, 0), ("txt2bin @", 2, 1, 0)]),
        (blank, 64000, [("xyz2bin --cell 9 @", 1, 0)]),
        (atoms, 4000, [("g4-cpu --sigma 3.4 --sum ewald:pairs --lags 2 --blocks 1 @", 2, 1), ("rdf-cpu @", 2, 1), ("sq-cpu @", 4 / 3, 1)]),
        (nothing, 2000, [("md-cpu --atoms {n} --density 0.02 --neighbours all-pairs --cutoff 8.5 --steps 40", 2, 1),
                         ("md-cpu --atoms {n} --density 0.02 --neighbours verlet --cutoff 8.5 --steps 400", 1, 1)]),
    ],
    # what must not hold: the first by its time, the second by its memory
    "broken": [
        (nothing, 1000, [("awk 'BEGIN { for (k = 0; k < 2 * {n} * {n}; k++) s += k }'", 1, 1), ("python3 -c 'b = b\"x\" * {n} * 20000'", 1, 0)]),
    ],
}


# ---- measuring
def words(command, path, n):
    """The command line: @ is the input; {x*} is n times x, % in it the number."""
    command = command.replace("{n}", str(n)).replace("{data}", DATA)
    command = re.sub(r"\{([^}]*)\*\}", lambda m: "".join(m[1].replace("%", str(k)) for k in range(n)), command)
    return shlex.split(command.replace("@", path))


def cost(argv, status):
    """Seconds and KiB of one run."""
    null = os.open(os.devnull, os.O_RDWR)
    with open("err", "wb") as err:
        pid = os.posix_spawnp(argv[0], argv, {**os.environ, "OMP_NUM_THREADS": "1"},
                              file_actions=[(os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, null, 1), (os.POSIX_SPAWN_DUP2, err.fileno(), 2)])
    _, ended, u = os.wait4(pid, 0)
    os.close(null)
    if os.waitstatus_to_exitcode(ended) != status:
        with open("err", "rb") as err:
            sys.exit("%s: expected status %d, found %d: %s" % (" ".join(argv)[:200], status, os.waitstatus_to_exitcode(ended), err.read(600)))
    return u.ru_utime + u.ru_stime, u.ru_maxrss


def make(generator, path, n):
    """In a process of its own: what it needs is not ours, nor our children's."""
    pid = os.fork()
    if pid == 0:
        try:
            generator(path, n)
            os._exit(0)
        finally:
            os._exit(1)
    if os.waitpid(pid, 0)[1]:
        sys.exit("%s(%d) failed" % (generator.__name__, n))


def holds(generator, n, times, row):
    command, *status, p, m = row
    least = [(1e9, 1 << 40)] * 2
    for _ in range(3):
        for k, size in enumerate((n, n * times)):
            now = cost(words(command, "in%d" % k, size), status[0] if status else 0)
            least[k] = tuple(map(min, least[k], now))
        (s1, m1), (s4, m4) = least
        ok = s4 <= 1.5 * 4 ** p * s1 + 0.02 and m4 <= (1.5 * 4 ** m if m else 1.3) * m1 + 4096
        if ok:
            break
    print("%-6s %-11s %6d  %6.3f %6.3f s  %6.1f %6.1f MiB  %s" %
          ("ok" if ok else "NOT OK", generator.__name__, n, s1, s4, m1 / 1024, m4 / 1024, command), flush=True)
    return ok


def main(args):
    times = 4
    if args[:1] == ["--times"]:
        times, args = int(args[1]), args[2:]
    bad = 0
    for generator, n, rows in itertools.chain.from_iterable(TABLES[name] for name in args):
        with tempfile.TemporaryDirectory(dir=".") as folder:
            os.chdir(folder)
            for k, size in enumerate((n, n * times)):
                make(generator, "in%d" % k, size)
            bad += sum(not holds(generator, n, times, row) for row in rows)
            os.chdir("..")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
