# SPDX-License-Identifier: MIT
"""wheel.py SOURCE BUILD TO [PLATFORM]: make a wheel from a build, with the programs in bin, libmbf.so next to the module, pages and
pipelines in share, and the libraries of BUILD/bundled in lib/mbf. PLATFORM is the platform tag, by default the Linux tag of this machine. H5MD
needs a libhdf5 for which the build was made."""
import base64
import hashlib
import pathlib
import platform
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import zipfile

NAME = "mbf_filters"  # mbf is another project's name on the index
source, build, to = map(pathlib.Path, sys.argv[1:4])
tag = sys.argv[4] if len(sys.argv) > 4 else "linux_" + platform.machine()
version = re.search(r'CLI_VERSION "(.*)"', (source / "lib/cli/cli.h").read_text()).group(1)
files = {}  # name in the wheel: (bytes, executable)


def add(name, data, executable=False):
    files[name] = (data, executable)


with tempfile.TemporaryDirectory() as root:
    if (build / "bundled").is_dir():  # make install starts the programs
        shutil.copytree(build / "bundled", root + "/usr/lib/mbf")
    subprocess.run(["make", "-s", "-C", source, "O=%s" % build, "CUDA=0", "DESTDIR=" + root, "PREFIX=/usr", "PYTHONDIR=", "install"], check=True,
                   stdout=subprocess.DEVNULL)
    usr = pathlib.Path(root) / "usr"
    for f in sorted(usr.rglob("*")):
        if not f.is_file() or f.is_symlink():
            continue
        part = f.relative_to(usr)
        if part.parts[0] == "bin":
            add("%s-%s.data/scripts/%s" % (NAME, version, part.name), f.read_bytes(), True)
        elif re.match(r"libmbf\.so\.[0-9.]+$", part.name):
            add("mbf/libmbf.so." + version.rsplit(".", 1)[0], f.read_bytes())
        elif part.parts[:2] in (("lib", "mbf"), ("share", "man"), ("share", "mbf")):
            add("%s-%s.data/data/%s" % (NAME, version, part), f.read_bytes(), bool(f.stat().st_mode & stat.S_IXUSR))
for f in sorted((source / "lib/python/mbf").glob("*.py")):
    add("mbf/" + f.name, f.read_bytes())
info = "%s-%s.dist-info/" % (NAME, version)
add(info + "METADATA", ("Metadata-Version: 2.1\nName: %s\nVersion: %s\nSummary: many-body filters for molecular dynamics: streams of checked frames\n"
                        "License: MIT; some programs use FFTW, GPL-2.0-or-later\nRequires-Python: >=3.9\nRequires-Dist: numpy\nDescription-Content-Type: text/markdown\n\n" %
                        (NAME.replace("_", "-"), version)).encode() + (source / "README.md").read_bytes())
add(info + "WHEEL", b"Wheel-Version: 1.0\nGenerator: wheel.py\nRoot-Is-Purelib: false\nTag: py3-none-%s\n" % tag.encode())
add(info + "licenses/LICENSE", (source / "LICENSE").read_bytes())
for f in sorted(build.glob("licenses/*")):  # of the libraries that are linked in or in lib/mbf
    add(info + "licenses/" + f.name, f.read_bytes())
record = "".join("%s,sha256=%s,%d\n" % (name, base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode(), len(data))
                 for name, (data, _) in files.items())
add(info + "RECORD", (record + info + "RECORD,,\n").encode())
out = to / ("%s-%s-py3-none-%s.whl" % (NAME, version, tag))
with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
    for name, (data, executable) in files.items():
        entry = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
        entry.external_attr = (0o100755 if executable else 0o100644) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        z.writestr(entry, data)
print(out)
