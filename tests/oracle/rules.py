# SPDX-License-Identifier: MIT
"""What META and each array of a segment must be, as mbf(5) has it and frame-check --strict: before anybody computes with them."""
import math
import re

import numpy as np

NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", re.ASCII)
RUN = r"[^ ()]+ +[0-9]+ *"
SPECIES = re.compile(r" *(?:[0-9]+\*\( *(?:%s)+\) *|%s)*" % (RUN, RUN))
PARTS = re.compile(r"([0-9]+)\*\(([^()]*)\)|([^ ()]+ +[0-9]+)(?= |$)")
STEPS = (b"POSN", b"PAIR", b"SERI")


class Wrong(Exception):
    """What was expected, and what was found."""


def numbers(meta, key, n=1):
    """n numbers behind key; None: it is absent."""
    words = [w for w in meta[key].split(" ") if w] if key in meta else None
    if words is not None and not (len(words) == n and all(NUMBER.fullmatch(w) and math.isfinite(float(w)) for w in words)):
        raise Wrong("expected %s in %s, found %s" % ("a number" if n == 1 else "%d numbers" % n, key, meta[key]))
    return words and [float(w) for w in words]


def cell_is_good(cell, periodic):
    """A right-handed cell with a volume, or none (all zero) where nothing is periodic."""
    with np.errstate(all="ignore"):
        c = np.asarray(cell, dtype=float).reshape(3, 3)
        volume = np.dot(np.cross(c[0], c[1]), c[2])
        return bool(0 < volume < 1e300 and np.abs(c).sum() < 1e300 if c.any() else not periodic)


def runs_of(text):
    """[(name, atoms), ...] of sys.species, with groups repeated; Wrong where it is none."""
    runs = []
    for repeat, group, run in PARTS.findall(text) if SPECIES.fullmatch(text) else [("", "", "x 0")]:
        words = [w for w in (group or run).split(" ") if w]
        runs.append((int(repeat or 1), [(name, int(k)) for name, k in zip(words[::2], words[1::2])]))
    if any(r < 1 or k < 1 or len(name.encode()) > 15 for r, group in runs for name, k in group):
        raise Wrong('expected "NAME COUNT ..." in sys.species, found %s' % text)
    return runs


def check_meta(meta):
    """Raises Wrong; else the number of atoms, 0 where it is not told."""
    natoms = meta.get("sys.natoms", "")
    if "sys.natoms" in meta and not (re.fullmatch("[0-9]+", natoms) and 1 <= int(natoms) < 1 << 64):
        raise Wrong("expected sys.natoms of 1 or more, found %s" % natoms)
    for key in "sys.dt_ps", "sys.sigma":
        if not (numbers(meta, key) or [1])[0] > 0:
            raise Wrong("expected a positive number in %s, found %s" % (key, meta[key]))
    pbc = meta.get("sys.pbc", "FFF")
    if len(pbc) != 3 or set(pbc) - set("TF"):
        raise Wrong("expected three letters T or F in sys.pbc, found %s" % pbc)
    if not cell_is_good(numbers(meta, "sys.cell", 9) or [0] * 9, "T" in pbc):
        raise Wrong("expected a right-handed cell with a volume in sys.cell, found %s" % meta.get("sys.cell", "none"))
    return int(natoms or 0)


def scalars_of(meta):
    """The names and units of data.scalars; Wrong where they are none."""
    words = [w for w in meta.get("data.scalars", "").split(" ") if w]
    pairs = [w.split(":") for w in words]
    if len(words) > 64 or len({p[0] for p in pairs}) < len(words) or not all(
            len(p) == 2 and all(re.fullmatch('[!-~]{1,31}', x) and not set(x) & set(',:="') for x in p) for p in pairs):
        raise Wrong("expected at most 64 scalars NAME:UNIT in data.scalars, found %s" % meta["data.scalars"])
    return [tuple(p) for p in pairs]


def check_species(meta, natoms):
    if "sys.species" in meta and sum(r * sum(k for _, k in group) for r, group in runs_of(meta["sys.species"])) != natoms:
        raise Wrong("expected the names of %d atoms in sys.species, found %s" % (natoms, meta["sys.species"]))


def listed(meta, key, n):
    return key not in meta or len([w for w in meta[key].split(" ") if w]) == n


class Segment:
    """check(array) for each array of a segment in its order, then end()."""

    def __init__(self, meta):
        self.meta, self.natoms = meta, check_meta(meta)
        self.sums, self.waiting, self.named, self.steps = [], {}, False, None
        self.scalars, self.beside = scalars_of(meta), None

    def fits(self, code, shape, nth):
        m, n = self.meta, self.natoms
        first = self.sums[0][1] if self.sums else None
        if code in (b"POSN", b"VELO"):
            return len(shape) == 3 and shape[1:] == (n, 3)
        if code == b"SCAL":
            return len(shape) == 3 and shape[1:] == (n, len(self.scalars)) and len(self.scalars) > 0
        if code == b"PAIR":
            return len(shape) == 3 and shape[1] > 0 and n > 0 and shape[2] == n * (n - 1) // 2
        if code in (b"SERI", b"SPEC"):
            return len(shape) == 2 and shape[1] > 0 and nth == 0 and listed(m, "data.columns", shape[1])
        if code in (b"TIME", b"CELL"):
            return shape[1:] == ((9,) if code == b"CELL" else ())
        if code == b"CORR" and nth == 0:
            return len(shape) == 2 and shape[1] > 0
        if code == b"CORR":
            return (nth == 1 and len(shape) == 4 and shape[:2] == first and min(shape[2:]) > 0 and
                    listed(m, "data.functions", shape[3]) and listed(m, "data.component", shape[2]))
        if nth == 0:  # HIST
            return (len(shape) == 3 and min(shape[1:]) > 0 and m.get("data.bins") == str(shape[2]) and
                    (numbers(m, "data.rmax") or [0])[0] > 0)
        return shape == first if nth == 1 else nth == 2 and shape == first[:1]

    def check(self, a):
        code, shape, text = a.code, a.data.shape, a.code.decode()
        sums = code in (b"CORR", b"HIST", b"SPEC")
        nth = len(self.sums) if sums else 0
        kinds = "u8" if sums and nth == 0 and code != b"SPEC" else ("f4", "f8") if code in (b"POSN", b"VELO", b"SCAL", b"PAIR") else "f8"
        if sums and self.sums and self.sums[0][0] != code or a.data.dtype.str[1:] not in kinds or not self.fits(code, shape, nth):
            raise Wrong("expected %s that fits its META, found another one (%s)" % (text, ",".join(map(str, shape))))
        like = (code, a.data.dtype, shape[1:])
        if code in STEPS and (self.steps or like) != like:
            raise Wrong("step %d: expected %s blocks of one type and width in the segment, found %s" % (a.index, self.steps[0].decode(), text))
        self.steps = like if code in STEPS else self.steps
        undefined = code in (b"SPEC", b"SCAL") or code == b"HIST" and nth == 1  # NaN: not known
        good = ~np.isinf(a.data) if undefined else np.isfinite(a.data)
        if not good.all() or code == b"SPEC" and np.isnan(a.data[:, 0]).any():
            raise Wrong("step %d: expected finite numbers in %s, found one that is not" % (a.index, text))
        if sums:
            self.sums.append((code, shape))
        elif code == b"POSN" and not self.named:
            check_species(self.meta, self.natoms)
            self.named = True
        if code == b"CELL" and not all(cell_is_good(c, "T" in self.meta.get("sys.pbc", "")) for c in a.data):
            raise Wrong("step %d: expected a right-handed cell with a volume in CELL, found another one" % a.index)
        if code in (b"TIME", b"CELL"):
            self.waiting[text] = shape[0]
        if code == b"SCAL" or code in STEPS:
            beside, this = self.beside, (shape[0], a.index, a.data.dtype)
            needed = code == b"POSN" and self.scalars and shape[0]
            if beside is not None if code == b"SCAL" else beside != this or code != b"POSN" if beside else needed:
                raise Wrong("step %d: expected one SCAL of the steps of its POSN where data.scalars names it, found %s" % (a.index, beside))
            self.beside = this if code == b"SCAL" else None
        if code in STEPS:
            for name, n in self.waiting.items():
                if n not in (0, shape[0]):
                    raise Wrong("step %d: expected %s of %d steps, found %d" % (a.index, name, shape[0], n))
            self.waiting = {}

    def end(self):
        want = {b"CORR": 2, b"HIST": 3}.get(self.sums[0][0], 1) if self.sums else 0
        if self.beside:
            raise Wrong("expected a block behind SCAL, found the end of the segment")
        if any(self.waiting.values()):
            raise Wrong("expected a block behind %s, found the end of the segment" % " and ".join(self.waiting))
        if len(self.sums) != want:
            raise Wrong("expected %d arrays of sums, found %d" % (want, len(self.sums)))
