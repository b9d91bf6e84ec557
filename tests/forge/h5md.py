# SPDX-License-Identifier: MIT
"""h5md.py: from stdin FILE KEY=VALUE..., each ended by a NUL and the last by two, as often as one likes: frames of four atoms
as H5MD, and "made" on stdout; the keys are those of mkh5 in h5md.bats."""
import sys

import h5py
import numpy as np


def make(arguments):
    k = dict(real="f4", unit="Angstrom", time_unit="ps", vel_unit="Angstrom ps-1", clock="rows", edges="vector", boundary="periodic periodic periodic",
             species="none", velocity="", image="", id="", pack="", groups="all", scale="1", then="", every="0.5", frames="3", begin="0")
    k.update(a.split("=", 1) for a in arguments[1:])
    n, atoms, scale, frame = int(k["frames"]), 4, float(k["scale"]), np.arange(int(k["frames"])) + int(k["begin"])
    x = np.array([[[3 * i + a + 100 * t for a in range(3)] for i in range(atoms)] for t in frame]) * scale
    v = np.array([[[i + a / 10 for a in range(3)] for i in range(atoms)]] * n) * scale
    how = dict(chunks=(2, 3, 2), compression="gzip", shuffle=True) if k["pack"] else {}
    f = h5py.File(arguments[0], "w")
    f.create_group("h5md").attrs["version"] = [1, 1]

    def element(path, rows, kind, unit, how={}):
        g = f.create_group(path)
        d = g.create_dataset("value", data=rows.astype(kind), **how)
        if unit:
            d.attrs["unit"] = unit
        if k["clock"] == "rows":
            g["step"], g["time"] = frame * 10 + 7, frame * float(k["every"]) + 2
        elif k["clock"] == "linear":
            g["step"], g["time"] = 10, float(k["every"])
            g["step"].attrs["offset"], g["time"].attrs["offset"] = 7, 2.0
        if "time" in g and k["time_unit"]:
            g["time"].attrs["unit"] = k["time_unit"]

    for name in k["groups"].split():
        at = "particles/" + name
        order = np.array([[0, 1, 2, 3], [2, 0, 3, 1], [3, 2, 1, 0]]) if k["id"] else np.array([[0, 1, 2, 3]] * n)
        move = lambda rows: np.array([r[o] for r, o in zip(rows, order)])
        element(at + "/position", move(x), k["real"], k["unit"], how)
        if k["velocity"]:
            element(at + "/velocity", move(v), k["real"], k["vel_unit"], how)
        if k["image"]:
            element(at + "/image", move(np.array([[[t, 0, -i] for i in range(atoms)] for t in range(n)])), "i4", "")
        if k["id"]:
            element(at + "/id", order + 1, "i8", "")
        g = f[at]
        box = g.create_group("box")
        box.attrs["dimension"] = 3
        if k["boundary"]:
            box.attrs["boundary"] = k["boundary"].split() if k["boundary"][0] != "p" else np.array(k["boundary"].encode().split())
        edge = np.array([20.0, 30.0, 40.0]) * scale
        if k["edges"] in ("vector", "matrix"):
            box["edges"] = (edge if k["edges"] == "vector" else np.array([[20, 0, 0], [5, 30, 0], [1, 2, 40]]) * scale).astype(k["real"])
            if k["unit"]:
                box["edges"].attrs["unit"] = k["unit"]
        elif k["edges"] == "moving":
            element(at + "/box/edges", np.array([np.diag(edge + t * scale) for t in range(n)]), "f8", k["unit"])
        kinds = np.array([8, 1, 1, 8])
        if k["species"] == "int":
            g["species"] = kinds
        elif k["species"] == "enum":
            g.create_dataset("species", data=kinds.astype("i1"), dtype=h5py.enum_dtype({"H": 1, "O": 8}, basetype="i1"))
        elif k["species"] == "text":
            g.create_dataset("species", data=["O", "H", "H", "O"], dtype=h5py.string_dtype())
        elif k["species"] == "bytes":
            g["species"] = np.array([b"O", b"H", b"H", b"O"])
        elif k["species"] == "moving":
            element(at + "/species", np.array([kinds[:: 1 - t % 2 * 2] for t in range(n)]), "i4", "")
    exec(k["then"], {**globals(), **locals()})  # one scope, which functions in it see
    f.close()


def words():
    """Ended by NUL, as they come."""
    word = b""
    while c := sys.stdin.buffer.read1(1):
        if c == b"\0":
            yield word.decode()
            word = b""
        else:
            word += c


line = []
for w in words():
    line += [w] if w else []
    if not w:
        make(line)
        print("made", flush=True)
        line = []
