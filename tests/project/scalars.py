# SPDX-License-Identifier: MIT
"""scalars: read and write the scalars of the files s and n, which python.bats makes; write w and d."""
import mbf
import numpy as np

r, n = mbf.read("s"), mbf.read("n")
assert list(r.scalars) == ["charge", "q6"] and mbf.scalars_of(r.meta) == {"charge": "e", "q6": "1"}
assert r.scalars["charge"].shape == (5, 4) and np.array_equal(r.scalars["charge"], r.positions[..., 0]) and np.array_equal(r.scalars["q6"], -r.positions[..., 1])
assert np.argwhere(np.isnan(n.scalars["q6"])).tolist() == [[3, 2]] and not np.isnan(n.scalars["charge"]).any() and "q6" in repr(r), r
few = mbf.read("s", steps=slice(1, None, 2), atoms=[3, 0])
assert np.array_equal(few.scalars["q6"], r.scalars["q6"][1::2][:, [3, 0]])
with mbf.open("s") as s:
    for k, step in enumerate(s):
        assert np.array_equal(step.scalars["q6"], r.scalars["q6"][k]) and "charge" in repr(step)
mbf.write("w", n.positions, time=n.time, cell=9, dtype="f8", scalars=n.scalars, scalar_units={"charge": "e"})
assert mbf.scalars_of(mbf.read("w").meta) == {"charge": "e", "q6": "-"}
def double(stream):
    for step in stream:
        yield step.positions, step.time, step.cell, None, {**step.scalars, "twice": 2 * step.scalars["charge"]}
mbf.filter(double, "s", "d", dtype="f8")
d = mbf.read("d")
assert np.array_equal(d.scalars["twice"], 2 * r.scalars["charge"]) and mbf.scalars_of(d.meta) == {"charge": "e", "q6": "1", "twice": "-"}
try:
    import xarray
    x = r.to_xarray()
    assert x["charge"].dims == ("time", "atom") and x["charge"].attrs["units"] == "e"
except ImportError:
    pass
p = np.zeros((4, 3))
for want, scalars, more in (("4 real numbers", {"q": np.zeros(3)}, {}), ("finite or NaN", {"q": [0, 0, 0, np.inf]}, {}), ("NAME:UNIT", {"a b": np.zeros(4)}, {}),
                            ("NAME:UNIT", {"q": np.zeros(4)}, {"scalar_units": {"q": "a:b"}})):
    try:
        mbf.write("no", [p], scalars={k: [v] for k, v in scalars.items()}, cell=9, dt=1, **more)
    except ValueError as e:
        assert want in str(e), e
    else:
        raise AssertionError(want)
try:
    with mbf.Writer("no", dt=1) as w:
        w.put(p, 0, 9, None, {"q": np.zeros(4)})
        w.put(p, 1, 9)
except ValueError as e:
    assert "step 1: expected the scalars ['q'] as in the first step, found []" in str(e), e
else:
    raise AssertionError
