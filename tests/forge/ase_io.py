# SPDX-License-Identifier: MIT
"""A stand-in for ase.io: four frames of two atoms from a file that says "two"."""
import numpy as np
class Cell:
    array = np.zeros((3, 3))
class Atoms:
    cell, pbc = Cell, np.array([False] * 3)
    def __init__(self, k): self.positions = np.full((2, 3), float(k))
    def get_chemical_symbols(self): return ["Na", "Cl"]
    def has(self, what): return True
    def get_velocities(self): return np.ones((2, 3))
    arrays = {"type": [1, 2]}
def iread(name, index, format=None):
    if open(name).read() != "two\n" and format != "lammps-data": raise ValueError("unknown file type")
    return (Atoms(k) for k in range(4))
