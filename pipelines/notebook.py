# SPDX-License-Identifier: MIT
# %% [markdown]
# # A trajectory in a notebook
#
# Each part that begins with `# %%` is a cell: Jupyter (with jupytext), VS Code, Spyder and PyCharm
# open this file as a notebook. `python3 notebook.py` runs it from start to end. The programs of mbf
# must be on PATH or in the folder that MBF_BIN names. Only NumPy is needed, and gnuplot for the
# picture.

# %%
import os

import mbf
import numpy as np

here = os.path.dirname(os.path.abspath(__file__)) if "__file__" in globals() else "."
data = next(p for p in (here + "/../tests/data/water64.mbf", here + "/../data/water64.mbf", "water64.mbf") if os.path.exists(p))

# %% [markdown]
# ## Read a run
#
# The sample has 64 SPC/E molecules. `mbf.read("run.xtc", topology="conf.gro")` reads a file of
# another program in the same way; its options are those of traj2bin.

# %%
run = mbf.read(data)
print(run)
oxygens = np.array(mbf.species_of(run.meta)) == "O"
print("%d atoms, of which %d are oxygen" % (len(oxygens), oxygens.sum()))

# %% [markdown]
# ## The pair distribution function and the coordination number
#
# `mbf.run` gives arrays to a program and returns its result as columns with labels and units.
# Columns that end in `_se` are standard errors.

# %%
g = mbf.run("rdf-cpu", run, pair=["O-O", "O-H"], exclude=3, bins=120)
k = int(np.argmax(g["g_O-O"]))
print("highest g_OO: %.2f +- %.2f at %.2f %s" % (g["g_O-O"][k], g["g_O-O_se"][k], g["r_A"][k], g.units["r_A"]))
shell = k + int(np.argmin(g["g_O-O"][k:k + 20]))
print("neighbours within %.2f A: %.2f" % (g["r_A"][shell], g["n_O-O"][shell]))

# %% [markdown]
# ## The diffusion coefficient
#
# Programs can be joined: the result of `unwrap` is a run again. `einstein` returns text.

# %%
whole = mbf.run("unwrap", run, molecules=3)
mbf.run("msd-cpu", whole, molecules=3, out="msd.mbf")
print(mbf.run("einstein", "msd.mbf").strip())

# %% [markdown]
# ## The density of states
#
# The velocities of the run are used. The maximum of the librations is between 400 and 800 per cm.

# %%
mbf.run("vacf-cpu", run, vacf_weights="mass", tmax=1, out="mvv.mbf")
dos = mbf.run("fft-spectrum", "mvv.mbf", window="hann", pad=4)
nu = dos[next(iter(dos))]
total = dos["I_mvv_3NkT_meV_meVcm"]
band = (nu > 350) & (nu < 900)
print("librations: maximum at %.0f per cm" % nu[band][np.argmax(total[band])])

# %% [markdown]
# ## Pictures and tables
#
# `mbf.plot` draws results with gnuplot. `mbf.table("msd.mbf").to_xarray()` and
# `mbf.frame("msd.mbf")` (pandas) keep labels and units for your own figures.

# %%
try:
    print(mbf.plot("msd.mbf", "msd.svg"))
except mbf.Error as e:
    print(e)  # gnuplot is missing
