# SPDX-License-Identifier: MIT
"""A stand-in for ase.io: four frames of two atoms from a file that says "two"; of one that says "turns" the third has another name,
of one that says "slab" the cell is left-handed, its third vector 0."""
import numpy as np
class Cell:
    array = np.zeros((3, 3))
class Slab:
    array = np.array([[0, 9.0, 0], [8.0, 0, 0], [0, 0, 0]])
class Atoms:
    cell, pbc = Cell, np.array([False] * 3)
    def __init__(self, k, turns=False): self.positions, self.names = np.full((2, 3), float(k)), ["Na", "K" if turns and k == 2 else "Cl"]
    def get_chemical_symbols(self): return self.names
    def has(self, what): return True
    def get_velocities(self): return np.ones((2, 3))
    arrays = {"type": [1, 2]}
def iread(name, index, format=None):
    if open(name).read() not in ("two\n", "turns\n", "slab\n") and format != "lammps-data": raise ValueError("unknown file type")
    if open(name).read() == "slab\n": Atoms.cell, Atoms.pbc = Slab, np.array([True, True, False])
    return (Atoms(k, open(name).read() == "turns\n") for k in range(4))
