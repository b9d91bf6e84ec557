# SPDX-License-Identifier: MIT
"""runs.py BIN SECTION...: every run of a section of tests/golden/runs gives what tests/golden/runs.txt records.
runs.py BIN --remake [SECTION...]: run these sections (all), write tests/golden/runs.txt and print what changed.

A line of tests/golden/runs is one command, or several: each part {a|b|c} stands for its alternatives, all combinations are run, and
"-" is no word. A line "## NAME" begins a section. Forms of a line:
    NAME = PROGRAM ARGUMENT...           the output is the file NAME, which lines of all sections read: section "inputs"
    show FILE                            what another command has written to FILE
    damage FILE COUNT PROGRAM ARGUMENT...  the command reads copies of FILE with one byte changed, or cut there, at COUNT places
    words FILE COUNT PROGRAM ARGUMENT...   copies of a text with one of COUNT words replaced or left out
    meta FILE PROGRAM ARGUMENT...          copies of a stream with one value of META changed or one key left out
    made FORGE ARGUMENT... : PROGRAM ...   the command reads what tests/forge/FORGE.py writes to standard output, as the file "made",
                                           or to its first argument; "+" is a blank in both
The runs start in a folder with the files of `files()`, which are made in section "inputs".

A record is the line of the run after "$ ", and then
    status N    the exit status, if it is not 0
    TYPE ...    of a stream: the type of its first array, hashes of its META and of the head of its text, and its content hash
    = ...       of a table: one number per column, a weighted sum of its values, "~" and the sum of their sizes, and after "?" which
                values are no numbers
    | ...       a line of a text, or the number of lines and the hash of a long one
    ! ...       the hash of each message; the messages are at the end of the file
    ...:...     of changed copies: the change and a hash of what the run gave, where it is not what the last one gave
Programs of which a bats file says "# rounds:", and lines of tests/golden/runs that begin with "~", have no content hash, since other
processors round them otherwise. Numbers are equal if they differ by less than TOLERANCE of the sum of sizes.
"""
import contextlib
import difflib
import hashlib
import io
import itertools
import math
import os
import re
import runpy
import subprocess
import sys
import zlib
from pathlib import Path

from forge import forge

ROOT = Path(__file__).parent.parent.parent
RUNS, RECORD = ROOT / "tests/golden/runs", ROOT / "tests/golden/runs.txt"
TOLERANCE = 1e-7
DIGITS = 9
MEMORY = "--max-mem=256M"  # of runs with changed copies: what they may ask for must not depend on the machine
LONG = 12  # lines of a text that are recorded as they are
ROUNDS = {m for f in ROOT.glob("tests/*/*.bats") for m in re.findall(r"^# rounds: (\S+)", f.read_text(encoding="utf-8"), re.M)}


class Numbers:
    """The same sequence on any machine."""

    def __init__(self, seed):
        self.x = seed

    def __call__(self, low=-1.0, high=1.0):
        self.x = (self.x * 6364136223846793005 + 1442695040888963407) % 2**64
        return low + (high - low) * ((self.x >> 33) / 2**31)


def gas(name, cell, names, frames, pbc="T T T", grow=(0, 0, 0), velocities=False, time="Time={:g} time_unit=ps", jitter=0.05, seed=1):
    """Extended XYZ of atoms on a grid of the cell, each displaced, which move a little in every frame."""
    random, side = Numbers(seed), 1
    while side**3 < len(names):
        side += 1
    at = [[(k + 0.15 * random()) / side for k in (n % side, n // side % side, n // side**2)] for n in range(len(names))]
    with open(name, "w", encoding="utf-8") as h:
        for f in range(frames):
            box = [[(1 + g * f) * x for x in row] for g, row in zip(grow, cell)]
            lattice = " ".join(f"{x:.9g}" for row in box for x in row)
            columns = "species:S:1:pos:R:3" + ":velo:R:3" * velocities
            h.write(f'{len(names)}\nLattice="{lattice}" pbc="{pbc}" Properties={columns} {time.format(0.01 * f)}\n')
            for n, a in zip(names, at):
                for k in range(3):
                    a[k] += jitter / side * random()
                p = [sum(a[k] * box[k][c] for k in range(3)) for c in range(3)]
                v = [f" {3 * random():.6f}" for _ in range(3)] if velocities else []
                h.write(f"{n} " + " ".join(f"{x:.6f}" for x in p) + "".join(v) + "\n")


def molecules(name, edge, count, frames, seed=5):
    """Water-like molecules O H H of one shape each on a grid of a cube, turned and moved a little in every frame, with velocities."""
    random, side = Numbers(seed), 1
    while side**3 < count:
        side += 1
    centre = [[edge * (k + 0.5 + 0.2 * random()) / side for k in (m % side, m // side % side, m // side**2)] for m in range(count)]
    arms = [[[random() for _ in range(3)] for _ in range(2)] for _ in range(count)]
    with open(name, "w", encoding="utf-8") as h:
        for f in range(frames):
            h.write(f'{3 * count}\nLattice="{edge} 0 0 0 {edge} 0 0 0 {edge}" Properties=species:S:1:pos:R:3:velo:R:3:q:R:1 Time={0.01 * f:g} time_unit=ps\n')
            for c, arm in zip(centre, arms):
                for k in range(3):
                    c[k] += 0.1 * random()
                h.write("O " + " ".join(f"{x % edge:.6f}" for x in c) + "".join(f" {random():.6f}" for _ in range(3)) + " -0.8\n")
                for a in arm:
                    for k in range(3):
                        a[k] += 0.2 * random()
                    length = math.sqrt(sum(x * x for x in a)) or 1.0
                    h.write("H " + " ".join(f"{(x + 0.97 * y / length) % edge:.6f}" for x, y in zip(c, a)) + "".join(f" {random():.6f}" for _ in range(3)) + " 0.4\n")


def dump(name, columns, steps, tilt=False, atoms=12, seed=7):
    """A LAMMPS dump; `columns` is a list of words that name what rand a line has."""
    random = Numbers(seed)
    base = [[random(0, 9) for _ in range(3)] for _ in range(atoms)]
    with open(name, "w", encoding="utf-8") as h:
        for s in steps:
            order = sorted(range(atoms), key=lambda _: random())
            h.write(f"ITEM: TIMESTEP\n{s}\nITEM: NUMBER OF ATOMS\n{atoms}\n")
            h.write("ITEM: BOX BOUNDS xy xz yz pp pp ff\n-1 12 2\n0 9 1\n0 9.5 0.5\n" if tilt else "ITEM: BOX BOUNDS pp pp ff\n-1 8\n0 9\n0 9.5\n")
            h.write("ITEM: ATOMS " + columns + "\n")
            for i in order:
                x = [b + 0.1 * random() for b in base[i]]
                known = {"id": i + 1, "type": 1 + i % 2, "mol": 1 + i // 3, "q": 0.5 - i % 2, "element": "ArKr"[2 * (i % 2):][:2], "mass": 40 + i % 2}
                for k, axis in enumerate("xyz"):
                    known.update({axis: x[k], axis + "u": x[k] + 9 * (i % 2), axis + "s": x[k] / 9, "v" + axis: random(), "i" + axis: i % 3 - 1})
                h.write(" ".join(str(v) if isinstance(v, (int, str)) else f"{v:.6g}" for v in (known[c] for c in columns.split())) + "\n")


def table(name, head, rows, columns, seed):
    """A table of text; neighbouring rows are correlated."""
    random, x = Numbers(seed), [0.0] * columns
    with open(name, "w", encoding="utf-8") as h:
        h.write(head)
        for r in range(rows):
            x = [0.8 * v + random() for v in x]
            h.write(f"{0.02 * r:.6g} " + " ".join(f"{v:.6f}" for v in x) + "\n")


def logs():
    """Tables of other programs."""
    head = ("LAMMPS (2 Aug 2023)\nunits metal\ntimestep 0.002\nCreated orthogonal box = (0 0 0) to (20 20 20)\n  1 by 1 by 1 MPI processor grid\n"
            "compute flux all heat/flux ke pe st\nvariable V equal vol\nvariable Jx equal c_flux[1]/vol\nvariable Jy equal c_flux[2]/v_V\nvariable Jz equal \"c_flux[3] / vol\"\n"
            "fix f all ave/time 1 10 10 c_flux[1] c_flux[2]\nfix 1 all {}\nthermo 10\n")
    memory, end = "Per MPI rank memory allocation (min/avg/max) = 3 | 3 | 3 Mbytes\n", "Loop time of 0.1 on 1 procs for 100 steps with 50 atoms\n\nPerformance: 7 ns/day\n"

    def rows(seed, begin, n, form="{:8d} {:.4f} {:.5f} {:.5f} {:.5f} {:.4f}\n"):
        random = Numbers(seed)
        return "".join(form.format(begin + 10 * k, 300 + random(), random(), random(), random(), 8000 + 0 * k) for k in range(n))
    names = "   Step Temp v_Jx v_Jy v_Jz Volume\n"
    for name, fix in (("nve.log", "nve"), ("npt.log", "npt temp 300 300 0.1 iso 0 0 1")):
        Path(name).write_text(head.format(fix) + memory + names + rows(21, 0, 80) + end + "fix 1 all nve\nrun 500\n" + memory + names + rows(22, 790, 60) + end, encoding="utf-8")
    Path("pair.log").write_text(head.format("nvt temp 300 300 1").replace("metal", "real") + memory + "Step Temp Pxy Pxz Pyz Volume\n" + rows(23, 0, 120) + end, encoding="utf-8")
    Path("cut.log").write_text(head.format("nve") + memory + names + rows(24, 0, 30), encoding="utf-8")
    multi = "------------ Step {:8d} ----- CPU = 0.1 (sec) -----\nTemp     =  {:.4f} Pxy      =  {:.5f} \nPxz      =  {:.5f} Pyz      =  {:.5f} Volume   =  {:.4f} \n"
    Path("multi.log").write_text(head.format("nve") + memory + rows(25, 0, 12, multi) + end, encoding="utf-8")
    Path("yaml.log").write_text("LAMMPS (1)\nunits real\n  Time step     : 2\n---\nkeywords: ['Step', 'Temp', 'Pxy', ]\ndata:\n  - [0, 1.5, 2, ]\n  - [5, 2.5, 1, ]\n...\nLoop time of 1\n", encoding="utf-8")
    Path("ave.txt").write_text("# Time-averaged data for fix ave/time\n# TimeStep v_pxy v_T\n0 1 2\n10 3 4\n20 3 1\n", encoding="utf-8")
    Path("t.csv").write_text('"a b", c,Time[fs]\r\n1.5,-2,0\r\n+3e0,4.D-1,2\r\n2.5,7,4\r\n', encoding="utf-8")
    Path("t.xvg").write_text('@ xaxis label "Time (ps)"\n@ yaxis label "(bar)"\n@ s0 legend "Pres-XY"\n@ s1 legend "Total Energy"\n0 1 2\n2 3 4\n4 3 1\n', encoding="utf-8")
    Path("own.txt").write_text("# step t_ps pxy pxz\n## sys.cell 9 0 0 0 9 0 0 0 9\n## sys.units lj\n## origin 0\n1 0.5 3 4\n2 1 5 6.25\n3 1.5 5 6\n", encoding="utf-8")
    Path("bare.txt").write_text("1\t2\n\n3\t4\n5 6\n", encoding="utf-8")


def files():
    logs()
    cube, skew = [[16, 0, 0], [0, 16, 0], [0, 0, 16]], [[15, 0, 0], [3, 16, 0], [-2, 4, 17]]
    two = ["Ar" if k % 3 else "Kr" for k in range(42)]
    gas("cube.xyz", cube, two, 24, velocities=True)
    gas("tri.xyz", skew, two, 24, velocities=True, seed=2)
    gas("slab.xyz", cube, two, 12, pbc="T T F", seed=3)
    gas("wire.xyz", [[13, 0, 0], [0, 12, 0], [0, 0, 14]], two[:27], 12, pbc="F T F", seed=4)
    gas("free.xyz", cube, two, 12, pbc="F F F", seed=5)
    gas("npt.xyz", skew, two, 20, grow=(0.001, 0.001, 0.001), velocities=True, seed=6)
    gas("wide.xyz", cube, two, 6, grow=(0.06, 0, 0), seed=16)
    gas("tall.xyz", skew, two, 6, grow=(0, 0.06, -0.02), seed=17)
    gas("high.xyz", cube, two, 6, grow=(-0.01, 0, 0.06), seed=18)
    gas("one.xyz", cube, ["Ar"] * 42, 20, velocities=True, seed=8)
    gas("plain.xyz", cube, two[:9], 7, time="", velocities=True)
    molecules("mol.xyz", 10, 16, 24)
    dump("plain.dump", "id type x y z", (0, 10, 20, 30))
    dump("all.dump", "id mol type element q mass x y z vx vy vz ix iy iz", (0, 10, 20, 30))
    dump("tilt.dump", "id type xs ys zs ix iy iz vx vy vz", (0, 10, 20, 30), tilt=True)
    dump("u.dump", "id type xu yu zu", (0, 10, 20, 30), tilt=True)
    dump("uneven.dump", "id type x y z", (0, 10, 20, 40, 50))
    dump("odd.dump", "id type x y z vx vy vz", (0, 10, 20, 40, 50))
    dump("noids.dump", "type x y z", (0, 10, 20))
    table("flux.txt", "t_ps pxx pyy pzz pxy pxz pyz\n", 400, 6, 11)
    table("flux2.txt", "t_ps pxx pyy pzz pxy pxz pyz\n", 300, 6, 12)
    table("jflux.txt", "t_ps jx jy jz\n", 300, 3, 15)
    table("tensor.txt", "t_ps xx xy xz yy yz zz\n", 200, 6, 13)
    table("mixed.txt", "t_ps a b Temp Volume\n", 64, 4, 14)
    Path("files").write_text("0 1 2\n3 4 5\n6 7 8\n", encoding="utf-8")
    Path("mols").write_text("".join(f"{3 * k} {3 * k + 1} {3 * k + 2}\n" for k in range(16)), encoding="utf-8")
    Path("turned").write_text("".join(f"{3 * k} {3 * k + 2} {3 * k + 1}\n" for k in range(15, -1, -1)), encoding="utf-8")
    for rank, names in enumerate(("Ar-Ar Ar-Kr Kr-Kr", "Kr-Ar", "Ar-Ar Kr-Ar Kr-Kr")):
        rows = "".join(f"{1 + k / 8:g} {' '.join(f'{(k % 5 - 2 + c) * (40 - k) / 40:g}' for c in range(len(names.split())))}\n" for k in range(41))
        unit = "D" if rank == 1 else "A^3"
        Path(f"rank{rank}").write_text(f"rank {rank}\nunit {unit}\nr {names}\n{rows}", encoding="utf-8")
        Path("plus").write_text(f"rank {rank} +did\nunit 1\nr {names}\n{rows}", encoding="utf-8")
    Path("pairs").write_text("".join(f"{3 * k} {(3 * k + 4) % 42} {(3 * k + 8) % 42}\n" for k in range(14)), encoding="utf-8")
    Path("factors").write_text("q Ar Kr O H\n" + "".join(f"{0.7 * q:.2f} {3 - 0.3 * q:.2f} {4 - 0.5 * q:.2f} {2 - 0.2 * q:.2f} {1 - 0.1 * q:.2f}\n" for q in range(9)), encoding="utf-8")
    Path("water.mol").write_text("molecule W O H H\nsite O 0.8 0.7 0.9 frame 1-2,3\nsite 2 0.3\nsite 3 0.3 0.2 0.1 frame 3-1,2\n", encoding="utf-8")
    Path("dipole.mol").write_text("molecule W O H H\nsite O 0.8 0.7 0.9 frame 1-2,3 charge -0.8 dipole 0.1 0 0.2 quadrupole 0.3 0 0.1 -0.5 0 0.2\n"
                                  "site 2 0 charge 0.4\nsite 3 0 charge 0.4\n", encoding="utf-8")
    Path("charges").write_text("".join(f"{0.5 - k % 2}\n" for k in range(42)), encoding="utf-8")
    Path("charges.top").write_text("; water\n[ atomtypes ]\nOX 8 15.9994 -0.8 A 0.3166 0.65\nHX 1.008 0.4 A 0 0\n#define qH 0.41\n[ moleculetype ]\nWAT 2\n"
                                   "[ atoms ]\n1 OX 1 WAT O 1\n2 HX 1 WAT H1 1 qH 1.008\n#ifdef OTHER\n3 HX 1 WAT H2 1 0.5\n#else\n3 HX 1 WAT H2 1 \\\n 0.39\n#endif\n"
                                   "[ system ]\nwater\n[ molecules ]\nWAT 10\nWAT 6\n", encoding="utf-8")


def commands(line):
    """The commands that a line with {a|b} stands for."""
    parts = [p.split("|") if k % 2 else [p] for k, p in enumerate(re.split(r"\{(.*?)\}", line.lstrip("~ ")))]
    return [" ".join(w for w in "".join(chosen).split() if w != "-") for chosen in itertools.product(*parts)]


def crc(text):
    return f"{zlib.crc32(text.encode()):08x}"


def sums(rows):
    """One word for each column of a table: a weighted sum of its numbers, the sum of their sizes, and how many are no numbers."""
    out = []
    for column in itertools.zip_longest(*rows, fillvalue="nan"):
        total = size = bad = 0.0
        for k, word in enumerate(column):
            try:
                v = float(word)
            except ValueError:
                v = math.nan
            if math.isfinite(v):
                w = 1 + 0.5 * ((k * 2654435761 >> 7) % 64) / 64
                total, size = total + w * v, size + abs(w * v)
            else:
                bad += k + 1
        out.append(f"{total:.{DIGITS}g}~{size:.2g}" + (f"?{bad:.0f}" if bad else ""))
    return " ".join(out)


def same_number(a, b, least):
    (x, _, xbad), (y, size, ybad) = (re.fullmatch(r"([^~]*)~([^?]*)\??(.*)", w).groups() for w in (a, b))
    return xbad == ybad and abs(float(x) - float(y)) <= TOLERANCE * float(size) + least


def same(a, b):
    """Do two lines of a record agree? Words with "~" are numbers of a column, all others must be equal, numbers of a text but for its
    last digits."""
    x, y = a.split(" "), b.split(" ")
    if len(x) != len(y):
        return False
    sizes = [float(w.split("~")[1].split("?")[0]) for w in y if re.fullmatch(r"[-+.\de]+~[-+.\de]+(\?\d+)?", w)]
    for v, w in zip(x, y):
        if v == w:
            continue
        if "~" in v and "~" in w and sizes:
            if not same_number(v, w, 1e-11 * max(sizes)):
                return False
        elif not (a.startswith(("~", "! ~")) and re.fullmatch(r"-?\d+\.\d+(e[-+]\d+)?", v) and re.fullmatch(r"-?\d+\.\d+(e[-+]\d+)?", w)
                  and abs(float(v) - float(w)) <= 2e-5 * abs(float(w))):
            return False
    return True


class Runner:
    def __init__(self, programs):
        self.programs, self.messages, self.streams = programs, {}, {}

    def start(self, words, to):
        """(status, messages), the output in the file `to`. It is a new file: to empty an older one, a
        file system may wait for the disk."""
        Path(to).unlink(missing_ok=True)
        with open(to, "wb") as h:
            p = subprocess.run([f"{self.programs}/{words[0]}", *words[1:]], stdin=subprocess.DEVNULL, stdout=h, stderr=subprocess.PIPE, check=False)
        return p.returncode, p.stderr.decode("utf-8", "replace")

    def text(self, *words):
        return subprocess.run([f"{self.programs}/{words[0]}", *words[1:]], stdin=subprocess.DEVNULL, capture_output=True, check=False).stdout.decode("utf-8", "replace")

    def stream(self, path, rounds, brief=False):
        """What is recorded of a stream."""
        described = self.text("frame-check", "-v", path).split("\n")
        content = " ".join(x.split()[1] for x in described if x.startswith("  content "))[:16]
        arrays = list(dict.fromkeys(" ".join(x.split()[:2]) for x in described if re.match(r"  [A-Z]{4} +[fiu]\d+ ", x)))
        meta = [x for x in described if re.match(r"  (data|sys|x)\.", x) and not (rounds and re.match(r"  data\.(scatter|masses)", x))]
        end = [re.sub(r", \d+ on the wire.*", "", x) for x in described if x.startswith("  END ")]
        line = f"{(arrays or ['-'])[0][:4]} {crc(chr(10).join(arrays + meta + end))}" + ("" if rounds else f" {content}")
        if brief or not arrays or re.match(r"POSN|VELO|SCAL|PAIR|CELL|TIME", arrays[0]):
            return [line]
        shown = self.text("bin2txt", "--digits", "17", path).split("\n")
        head = [x for x in shown if x.startswith("#") and not re.match(r"## (prov|end|data\.scatter)", x)]
        return [f"{line} {crc(chr(10).join(head))}" if not rounds else line, "= " + sums([x.split() for x in shown if x and not x.startswith("#")])]

    def output(self, path, rounds, brief=False):
        if not os.path.exists(path):
            return ["no file"]
        with open(path, "rb") as h:
            data = h.read()
        if not data:
            return []
        if data[:6] == b"\x89MBF\r\n":
            key = hashlib.sha256(data).digest(), rounds, brief
            if key not in self.streams:  # many changed inputs have the same output
                self.streams[key] = self.stream(path, rounds, brief)
            return self.streams[key]
        lines = [x.replace(str(ROOT), "ROOT") for x in data.decode("utf-8", "replace").rstrip("\n").split("\n") if not re.match(r"## (prov|end)|  (prov\.\d+\.version|stream )", x)]
        mark = "~ " if rounds else "| "
        if len(lines) <= LONG and all(len(x) < 400 for x in lines) and not brief:
            return [mark + x for x in lines]
        return [f"{mark}{len(lines)} lines" + ("" if rounds else f" {crc(chr(10).join(lines))}")]

    def record(self, words, rounds, to, brief=False):
        status, said = self.start(words, to)
        out = [f"status {status}"] if status else []
        out += self.output(to, rounds, brief)
        said = [x for x in said.replace(str(ROOT), "ROOT").split("\n") if x and not re.search(r", [\d.]+ s, [\d.]+ GB/s$", x)]
        if not brief:
            self.messages.update((crc(x), x) for x in said)
        return out + ["! " + crc(x) for x in said]

    def run(self, line):
        rounds = line.startswith("~")
        for command in commands(line):
            name, words = "out", command.split()
            if words[1] == "=":
                name, words = words[0], words[2:]
            inside = [w.replace("DATA", str(ROOT / "tests/data")) for w in words]
            rounded = rounds or words[0] in ROUNDS
            if words[0] == "show":
                yield command, self.output(words[1], rounds)
            elif words[0] == "made":
                colon = words.index(":")
                made([w.replace("+", " ") for w in words[1:colon]])
                yield command, self.record([*(w.replace("+", " ") for w in words[colon + 1:]), MEMORY], rounded, name)
            elif words[0] in ("damage", "words", "meta"):
                yield command, list(self.damaged(*inside, rounds=rounded))
            else:
                yield command, self.record(inside, rounded, name)

    def damaged(self, kind, path, *words, rounds):
        with open(path, "rb") as h:
            data = h.read()
        to = "bad" + Path(path).suffix
        if kind == "meta":
            copies = changed_meta(data)
        else:
            count, *words = words
            copies = changed_words(data, int(count)) if kind == "words" else changed_bytes(data, int(count))
        last, line = None, ""
        for what, copy in copies:
            Path(to).unlink(missing_ok=True)
            Path(to).write_bytes(copy)
            got = " ".join(self.record([*words, to, MEMORY], rounds, "out", brief=True))
            if got != last:
                line += (" " if line else "") + f"{what}:{crc(got)}"
            last = got
            if len(line) > 120:
                yield line
                line = ""
        if line:
            yield line


def made(words):
    """Runs a program of tests/forge in this process."""
    old, out = (sys.argv, sys.stdout), io.TextIOWrapper(io.BytesIO())
    sys.argv, sys.stdout = words, out
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            runpy.run_path(str(ROOT / f"tests/forge/{words[0]}.py"), run_name="__main__")
        out.flush()
    finally:
        sys.argv, sys.stdout = old
    Path("made").write_bytes(out.buffer.getvalue())


def changed_bytes(data, count):
    n = len(data)
    places = sorted(set(range(0, min(n, count), 1)) | {k * n // count for k in range(count)})
    for at in places:
        yield f"{at}+1", data[:at] + bytes([(data[at] + 1) % 256]) + data[at + 1:]
        if at % 4 == 0:
            yield f"{at}cut", data[:at]
            yield f"{at}+128", data[:at] + bytes([(data[at] + 128) % 256]) + data[at + 1:]


def changed_words(data, count):
    """Words at the beginning, and some of those that follow."""
    words = list(re.finditer(rb"\S+", data))
    first = words[:count // 2]
    for m in first + words[count // 2::max(1, len(words) // (count // 2 + 1))]:
        for new in (b"", b"x", b"-1", b"0", b"1e30", m.group() + b" " + m.group()):
            yield f"{m.start()}{'=' if len(new) < 5 else '*'}{new.decode('utf-8', 'replace') if len(new) < 5 else 2}", data[:m.start()] + new + data[m.end():]


def changed_meta(data):
    frames = forge.split(data)
    text = bytes(frames[0][1]).decode()
    lines = [x for x in text.split("\n") if x and not x.startswith("prov.")]
    for line in lines:
        key, _, value = line.partition("\t" if "\t" in line else " ")
        gap = line[len(key):len(line) - len(value)]
        first, *rest = value.split(" ")
        for what, new in (("none", None), ("empty", key + gap), ("x", key + gap + "x"), ("0", key + gap + "0"), ("-1", key + gap + "-1"), ("nan", key + gap + "nan"),
                          ("less", key + gap + " ".join(rest)), ("more", line + " 1"), ("twice", line + " " + value), ("many", line + "".join(f" a{k}" for k in range(70))), ("long", key + gap + 200 * "y"), ("other", key + gap + " ".join([re.sub(r"[1-8]", lambda m: str(int(m.group()) + 1), first), *rest]))):
            if new == line:
                continue
            changed = text.replace(line + "\n", new + "\n" if new is not None else "", 1)
            out = [[bytearray(h), bytearray(p)] for h, p in frames]
            out[0][1] = bytearray(changed.encode())
            forge.hashed(out[0][0], bytes(out[0][1]), counts=True)
            yield f"{key}/{what}", forge.joined(out)


def recorded():
    """{first line: further lines} of tests/golden/runs.txt, and {hash: message}."""
    if not RECORD.exists():
        return {}, {}
    parts = re.split(r"^(?=[$] )", RECORD.read_text(encoding="utf-8").split("\n== messages\n")[0], flags=re.M)[1:]
    lines = [p.rstrip("\n").split("\n") for p in parts]
    return {first: rest for first, *rest in lines}, dict(x.split(" ", 1) for x in RECORD.read_text(encoding="utf-8").split("\n== messages\n")[1].rstrip("\n").split("\n"))


def sections():
    """[(section, line)] of tests/golden/runs."""
    section = ""
    for line in RUNS.read_text(encoding="utf-8").split("\n"):
        section = line[3:] if line.startswith("## ") else section
        if line and not line.startswith("#"):
            yield "inputs" if re.match(r"\w+ = ", line) else section, line


def without_run(programs):
    """Options of programs that no line of tests/golden/runs has."""
    text = RUNS.read_text(encoding="utf-8")
    for p in sorted(Path(programs).iterdir()):
        fish = subprocess.run([p, "--completion", "fish"], capture_output=True, text=True, check=False).stdout if not p.name.endswith("-gpu") and p.name not in ENGINES else ""
        for option in re.findall(r"^complete -c \S+ -l (\S+)", fish, re.M):
            if option not in OUTSIDE and not re.search(rf"(^|[ {{|]){p.name}\b[^\n]*--{option}\b", text, re.M):
                yield f"{p.name} --{option}: expected a run with this option in tests/golden/runs, found none"


def main():
    programs, *chosen = sys.argv[1:]
    remake = chosen[:1] == ["--remake"]
    runner, (known, messages), got = Runner(programs), recorded(), {}
    every = list(dict.fromkeys(["inputs"] + [s for s, _ in sections()]))
    chosen = ["inputs", *(s for s in every[1:] if s in chosen[1:] or not chosen[1:])] if remake else chosen
    if "inputs" in chosen:
        files()
    for section in chosen:
        for _, line in filter(lambda x: x[0] == section, sections()):
            for command, record in runner.run(line):
                got[f"$ {command}"] = record
    wrong = 0
    for first, record in got.items():
        want = known.get(first, [])
        if first in known and len(want) == len(record) and all(map(same, record, want)):
            got[first] = want
            continue
        wrong += 1
        print(first)
        for x in difflib.unified_diff(want, record, n=0, lineterm=""):
            if not re.match(r"(---|\+\+\+|@@)", x):
                print(f"{x[0]} {messages.get(x[3:]) or runner.messages.get(x[3:], x[3:])}" if x[1:3] == "! " else x)
    missing = [*without_run(programs)] if "inputs" in chosen else []
    if remake:
        there = [f"$ {c}" for section in every for s, line in sections() if s == section for c in commands(line)]
        missing += [f"{k}: no longer run" for k in known if k not in there]
        got = {k: got.get(k, known.get(k, [])) for k in there}
        runner.messages = {x[2:]: runner.messages.get(x[2:]) or messages[x[2:]] for r in got.values() for x in r if x.startswith("! ")}
        with open(RECORD, "w", encoding="utf-8") as h:
            h.writelines("\n".join([first, *record]) + "\n" for first, record in got.items())
            h.write("\n== messages\n" + "".join(f"{k} {v}\n" for k, v in sorted(runner.messages.items(), key=lambda item: item[1])))
    print(*missing, f"{len(got)} runs, {wrong} of them not as recorded", sep="\n")
    return 0 if remake else wrong + len(missing) > 0 or not got


# options that change no result, and those with files that cannot be made everywhere
OUTSIDE = set("output no-sync threads max-mem log quiet verbose help help-all version completion force compress index device devices".split())
ENGINES = {"imd2bin"}  # their input is a running program
if __name__ == "__main__":
    sys.exit(main())
