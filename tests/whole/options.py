# SPDX-License-Identifier: MIT
"""options.py FOLDER: two values of an option that give another content give another META.

TABLE and lines of the bats files have a row for each program: the kind of its output, its input, and each of its options. An option has
two values that give different contents, same(a, b) of two that give one result but for rounding, or a text: why META need not have
it. A program or an option without a row is an error, as are two contents with one META. Sums of one value do not merge with those of
the other, as shares of one run or as two runs; steps of one are not joined to those of the other.
Lines of a new program NAME, behind "# ", the others as often as needed:
    options: NAME KIND INPUT ARGUMENT...        KIND: shares, runs, steps, spectra or text; INPUT: a file of options.bats
    option: NAME OPTION VALUE VALUE [ARGUMENT]  a value "-" is the option left out, "+" the option alone
    option: NAME OPTION: why META need not have it
"""
import re
import subprocess
import sys
from pathlib import Path

FRAMES, STORED, READ, TEXT = ("which frames are read: the content has them", "how numbers are stored: each array has it",
                              "how an input is read: the content has it", "it writes text, or what it writes is no stream")
AXIS = "its axis is the first column"
COMMON = dict.fromkeys("compress dtype".split(), STORED) | dict.fromkeys("from to select".split(), FRAMES) | dict.fromkeys(
    "force index no-sync threads max-mem log quiet verbose output help help-all version completion device devices".split(), TEXT) | {
        "shard": "data.shard, tested by shards.bats", "method": "rounding"}
READER = dict.fromkeys("format dialect time-unit units timestep columns uneven allow-partial unsorted-ok jumps-ok keep-duplicates drop-overlap topology "
                       "molecules unwrap velocities wait silence open-end steps energies species scalars charges time run external info velocity-unit".split(), READ)


class same(tuple):
    def __new__(cls, *values):
        return tuple.__new__(cls, values)


LAGS = {"lags": ("5", "6"), "tmax": ("0.05", "0.07"), "blocks": ("4", "6")}
MOLECULES = {"molecules": ("three", "mixed"), "masses": ("O=16,H=1", "O=1,H=16", "--molecules=3"), "drift": ("subtract", "keep"), "drift-of": ("O", "H")}
MOTION = LAGS | MOLECULES | {"axes": (None, "")}
BETA = {"pair-function": ("function", "changed"), "component": ("xz", "xy"), "sigma": ("3", "3.5"), "cutoff": ("5", "6", "--sum=mic"), "sum": ("mic", "taper:4,6"),
        "prefactor": ("3", "2"), "beta-weights": ("O=1,H=2", "O=2,H=1"), "pair": ("O-O", "O-H"), "exclude": ("three", "mixed"),
        "within": ("three", "mixed"), "between": ("three", "mixed")}
WAVES = {"qmax": ("1", "1.5"), "qstep": ("0.05", "0.07"), "vectors": ("20", "30"), "pair": ("O-O", "H-H"), "weights": ("O=1,H=2", "O=2,H=1"),
         "form-factor": ("factors", "others"), "blocks": ("4", "6")}
# program: kind of the output, arguments that an option of the same name replaces, input, options
TABLE = {
    "msd-cpu": ("shares", {"lags": "8", "unwrapped": ""}, "in", MOTION | {"alpha2": (None, ""), "unwrapped": "what is refused"}),
    "vacf-cpu": ("shares", {"lags": "8"}, "in", MOTION | {"vacf-weights": ("O=1,H=2", "O=2,H=1"), "integral": "what bin2txt shows"}),
    "g4-cpu": ("shares", {"sum": "taper", "lags": "8", "sigma": "3"}, "few",
               BETA | LAGS | {"origins": ("20", "30"), "series": TEXT, "components": "what bin2txt shows"}),
    "rdf-cpu": ("shares", {}, "in", {"axes": ("xy", "xz"), "thickness": "data.thickness, of a slab: rdf.bats", "bins": ("50", "60"), "rmax": ("4", "5"), "pair": ("O-O", "O-H"), "blocks": ("4", "6"),
                                     "exclude": ("three", "mixed"), "normalisation": ("exact", "lecture"),
                                     "lag": ("0,3", "0,4", "--unwrapped"), "unwrapped": "what is refused",
                                     "algorithm": same("all-pairs", "cells")}),
    "sq-cpu": ("shares", {"qmax": "1"}, "in", WAVES | {"convention": ("ashcroft-langreth", "faber-ziman", "--pair=O-H")}),
    "fqt-cpu": ("shares", {"qmax": "0.6", "lags": "8"}, "in",
                WAVES | LAGS | {"direction": ("1,0,0", "0,1,0"), "self": (None, ""), "currents": (None, ""),
                                "self-vectors": ("2", "3", "--self")}),
    "acf": ("runs", {}, "series", LAGS | {"pairs": ("a", "b"), "average": ("one", "other"), "invariant": ("iso", "aniso"),
                                          "mean": ("keep", "subtract"), "scale": ("1", "2"), "unit": "a name",
                                          "modulo": ("0.1", "0.2"), "derivative": (None, ""),
                                          "integral": "what bin2txt shows", "response": "what bin2txt shows"}),
    "alpha-cpu": ("steps", {"polarizability": "O=1,H=0"}, "few",
                  {"polarizability": ("O=1,H=0", "O=1.0000001,H=0"), "model": ("model", "turned"), "order": ("1", "2"),
                   "thole": ("2.1", "2.2"), "parts": (None, ""), "sum": ("ewald:pairs", "ewald:mesh"), "tolerance": ("1e-2", "1e-9"),
                   "dipole": (None, "", "--model=charged")}),
    "beta-gen": ("steps", {"sum": "taper", "sigma": "3"}, "few", BETA),
    "unwrap": ("steps", {}, "few", MOLECULES | {"molecules": ("three", "turned-round"), "masses": ("O=16,H=1", "O=1,H=16", "--drift=subtract"), "scheme": READ}),
    "fft-spectrum": ("spectra", {}, "corr",
                     {"window": ("hann", "blackman"), "pad": ("1", "2"), "unit": ("THz", "meV"), "quantum": ("standard", "harmonic", "--temperature=100"),
                      "volume": "of spectra in measured units: fft-spectrum.bats", "amagat": "densities are in META: fft-spectrum.bats",
                      "weight": ("nu3", "nu4", "--laser=90000"), "laser": ("90000", "95000", "--weight=nu4"), "temperature": ("100", "200", "--quantum=bose"),
                      "ratio": ("vacf_O/vacf_H", "vacf_H/vacf_O"), "two-sided": AXIS}),
    "rdf2sq": ("spectra", {}, "hist", {"qmax": AXIS, "qstep": AXIS, "window": ("none", "lorch"), "fit": "a message",
                                       "method": "debye is of bodies in empty space"}),
    "nmr-rates": ("spectra", {}, "h.corr", {"spin": ("1H", "19F"), "tail": (None, ""), "spins": ("10", "20"), "lowest": AXIS,
                                            "highest": AXIS, "decade": AXIS,
                                            **dict.fromkeys(["quadrupolar", "asymmetry"], "keys of their own, tested by nmr.bats")}),
    "xyz2bin": ("steps", {}, "in.xyz", READER | {"sigma": ("3", "4"), "dt": ("1", "2"), "cell": "pieces of one run may have other cells", "pbc": ("xy", "xyz"),
                                                 "atoms": ("0:9", "1:10"), "species": ("O", "H")}),
    "traj2bin": ("steps", {}, "in.xyz", READER | {"sigma": ("3", "4"), "dt": ("1", "2"), "cell": "pieces of one run may have other cells", "pbc": ("xy", "xyz"),
                                                  "atoms": ("0:9", "1:10"), "species": ("O", "H"), "elements": "changes sys.species: traj2bin.bats"}),
    "txt2bin": ("steps", {}, "table", READER | {"dt": ("1", "2"), "columns": ("xx", "xy", "--dt=1")}),
    "frame-cut": ("steps", {}, "few", {"species": ("O", "H"), "atoms": ("0:9", "1:10")}),
    "frame-cat": ("steps", {}, "few", {"segments": FRAMES, "allow-partial": FRAMES, "jumps": FRAMES}),
    "md-cpu": ("runs of their own", {"steps": "8", "every": "4", "atoms": "32", "density": "0.02"}, None,
               dict.fromkeys("start seed steps equilibrate replicas partial tail from-restart from-data".split(),
                             "a state, of which runs may be merged") |
               dict.fromkeys("thermo thermo-every stress stress-every restart checkpoint data".split(), TEXT) |
               dict.fromkeys("skin rebuild neighbours".split(), "the same forces: rounding") |
               {"atoms": ("32", "36"), "density": ("0.02", "0.021"), "cell": ("12", "13"), "every": ("2", "4"), "velocities": FRAMES,
                "temperature": ("80", "90"), "epsilon": ("10", "11"), "sigma": ("3.3", "3.4"), "mass": ("40", "41"),
                "lj": ("sigma", "rmin"), "units": ("metal", "lj"), "cutoff": ("5", "half"), "shift": ("none", "force"),
                "boundary": ("periodic", "mirror"), "integrator": ("velocity-verlet", "euler", "--velocities"), "dt": ("2", "3"),
                "thermostat": ("none", "berendsen:0.1"), "precision": ("mixed", "double")}),
    "frame-merge": (TEXT, {}, None, {}), "imd2bin": (TEXT, {}, None, READER | dict.fromkeys("sigma dt cell pbc atoms".split(), READ)),
    "bin2txt": (TEXT, {}, None, dict.fromkeys("meta format digits".split(), TEXT)), "bin2xyz": (TEXT, {}, None, {"digits": TEXT}),
    "compare": (TEXT, {}, None, dict.fromkeys("rtol atol sigma".split(), TEXT)), "frame-index": (TEXT, {}, None, {}),
    "einstein": (TEXT, {}, None, dict.fromkeys("column axes fit-from fit-to viscosity temperature".split(), TEXT)),
    "frame-check": (TEXT, {}, None, {"strict": TEXT}),
    "green-kubo": ("runs", {"property": "viscosity", "temperature": "300", "volume": "1000", "unit": "bar", "cutoff": "0.1", "tmax": "0.2"}, "fluxes",
                   {"property": ("viscosity", "bulk-viscosity"), "columns": ("pxy", "pxz"), "unit": ("bar", "atm"),
                    "temperature": ("300", "310"), "volume": ("1000", "1100"), "tmax": ("0.2", "0.3"), "cutoff": TEXT, "flux": "data.flux_scale, tested by green-kubo.bats"}),
}


def declared():
    """The rows of lines in bats files."""
    rows = {}
    for path in sorted(Path(__file__).parent.parent.glob("*/*.bats")):
        for tag, name, rest in re.findall(r"^# (options?): (\S+) (.*)$", path.read_text(encoding="utf-8"), re.M):
            if tag == "options":
                kind, source, *words = rest.split()
                rows[name] = (TEXT if kind == "text" else kind, dict((w[2:].split("=", 1) + [""])[:2] for w in words), source, {})
                continue
            option, _, why = rest.partition(": ")
            option, *values = option.split()
            rows[name][3][option] = why or tuple({"-": None, "+": ""}.get(v, v) for v in values)
    return rows


TABLE.update(declared())
REPLACES = {"tmax": "lags", "cutoff": "sum", "model": "polarizability", "dipole": "polarizability", "cell": "density"}
WHOLE = {("g4-cpu", "origins"), ("g4-cpu", "blocks")}  # these do not go with --shard
wrong = []


def run(*words):
    return subprocess.run(words, capture_output=True, text=True)


def arguments(program, option, value, more=()):
    """Of one run, but for the input and -o."""
    base = {k: v for k, v in TABLE[program][1].items() if k not in (option, REPLACES.get(option))}
    words = [f"--{k}={v}" if v else f"--{k}" for k, v in base.items() if not any(m.startswith("--" + k) for m in more)]
    if value is not None:
        words.append(f"--{option}={value}" if value else f"--{option}")
    return [program, "-q", *words, *more]


def described(path):
    """(META without provenance, content) of a stream."""
    text = run("frame-check", "-v", path).stdout
    meta = [line for line in text.splitlines() if re.match(r"  (sys|data|x)\.", line)]
    return meta, re.findall(r"content +(\S+)", text)


def made(words, source, to):
    done = run(*words, *([source] if source else []), "-o", to)
    if done.returncode:
        wrong.append(f"{' '.join(words)}: {done.stderr}")
    return done.returncode == 0


def refused(what, *words):
    done = run(*words, "-o", "whole")
    if done.returncode != 2:
        wrong.append(f"{what}: status {done.returncode} of {' '.join(words)}, {done.stderr}")


def check(program, option, entry):
    kind, _, source, _ = TABLE[program]
    a, b = (arguments(program, option, v, entry[2:]) for v in entry[:2])
    what = f"{' '.join(a)} and {' '.join(b)}"
    if not (made(a, source, "a") and made(b, source, "b")):
        return
    (meta_a, content_a), (meta_b, content_b) = described("a"), described("b")
    if isinstance(entry, same):
        return
    if meta_a == meta_b:
        wrong.append(f"{what}: the same META, {'and content: they test nothing' if content_a == content_b else 'another content'}")
    if kind == "shares" and (program, option) not in WHOLE:
        if made([*a, "--shard=1/2"], source, "1") and made([*b, "--shard=2/2"], source, "2"):
            refused(what, "frame-merge", "1", "2")
    if kind in ("shares", "runs") and option != "blocks":
        if made(b, source + ".2" if kind == "runs" else source, "b"):
            refused(what, "frame-merge", "a", "b")
    if kind == "steps":
        refused(what, "frame-cat", "--jumps=close", "a", "b")


for program in sorted(p.name for p in Path(sys.argv[1]).iterdir()):
    if program.endswith("-gpu"):
        continue
    row = TABLE.get(program)
    if not row:
        wrong.append(f"{program}: expected a row of TABLE or a line '# options:' of its bats file, found none")
        continue
    there = re.findall(r"^complete -c \S+ -l (\S+)", run(program, "--completion", "fish").stdout, re.M)
    for option in there:
        entry = row[3].get(option, COMMON.get(option))
        if entry is None:
            wrong.append(f"{program} --{option}: expected two values in TABLE or in a line '# option:', or why META need not have it, found neither")
        elif not isinstance(entry, str):
            check(program, option, entry)
    wrong += [f"{program} --{o}: it is in TABLE, but the program does not have it" for o in row[3] if o not in there and row[3] is not READER
              and o not in READER]
print("\n".join(wrong))
sys.exit(bool(wrong))
