#!/bin/sh
# SPDX-License-Identifier: MIT
# html.sh TO PAGE... writes the pages as HTML to the folder TO, with an index and with links between
# the pages. If python3 (PYTHON) is installed, another page lists the names of the Python module.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
to=$1
shift
command -v mandoc >/dev/null || { echo "note: no mandoc: no HTML pages"; exit 0; }
mkdir -p "$to"
cp "$here/mbf.css" "$to/"
for page; do
    of=$(sed -n 's,^\.so man[0-9]/,,p' "$page")
    # a comment `.\" eqn: TEXT` replaces the line before it by the formula TEXT (eqn)
    awk '/^\.\\" eqn: / { print ".EQ\n" substr($0, 10) "\n.EN"; had = 0; next } had { print line } { line = $0; had = 1 } END { if (had) print line }' \
        "${of:+$(dirname "$page")/}${of:-$page}" | mandoc -T html -O man=%N.%S.html,style=mbf.css >"$to/${page##*/}.html"
done
# pages of other projects are not here
for l in $(grep -ohE 'href="[A-Za-z0-9_.-]+\.[0-9]\.html' "$to"/*.html | cut -d'"' -f2 | sort -u); do
    [ -e "$to/$l" ] || sed -i "s, href=\"$l\",," "$to"/*.html
done
# the Python module has no page of its names but this one
rm -f "$to/mbf-python.api.html"
if "${PYTHON:-python3}" "$here/python_api.py" "$here/../lib/python/mbf" >"$to/api.part" 2>/dev/null; then mv "$to/api.part" "$to/mbf-python.api.html"
else
    rm -f "$to/api.part"
    echo "note: no python3 of 3.9 or later: no page of the Python module's names"
    sed -i 's, href="mbf-python.api.html",,' "$to"/mbf-python.7.html
fi
# rows PAGE.html...: lines of the index, but for pages that are another's
rows() {
    for page; do
        tr '\n' ' ' <"$page" | tr -s ' ' | sed -nE 's,.*<title>([^<]*)</title>.*<section[^>]*> *<h1[^>]*id="NAME">.*</h1>(.*)<span class="Nd">([^<]*)</span>.*,\1\t\2\t\3,p' |
            awk -F '\t' -v file="${page##*/}" '{ name = file; sub(/\.[0-9]\.html$/, "", name)
                if (index(tolower($1), name "(") != 1) exit # alpha-gpu(1) is alpha-cpu(1)
                gsub(/<[^>]*>|&#x2014;/, "", $2); gsub(/ +$|^ +/, "", $2)
                if ($1 !~ /\(1\)$/) $2 = $2 substr($1, index($1, "("))
                printf "<tr><td><a href=\"%s\">%s</a></td><td>%s</td></tr>\n", file, $2, $3 }'
    done
}
cp "$here/../pipelines/argon-spectrum.png" "$to/"
p=$(cd "$to" && ls ./*bin2txt.1.html) && p=${p#./} && p=${p%bin2txt.1.html} # PROGRAM_PREFIX
{
    sed '/<title>/s/>.*</>mbf: start here</; /<body>/q' "$to/mbf.7.html"
    cat <<END
<h1>mbf: start here</h1>
<p>mbf computes correlation functions, spectra and transport coefficients from molecular-dynamics trajectories, with
error bars. It is a set of small programs that you join with pipes.</p>
<h1>Three steps</h1>
<ol class="steps">
<li>Install mbf. In its source tree, this command installs programs, pages and completions:
<pre>make deps &amp;&amp; make &amp;&amp; sudo make install PREFIX=/usr/local</pre></li>
<li>Compute a first g(r) from your own XTC, TRR, DCD, NetCDF, H5MD or LAMMPS file:
<pre>${p}traj2bin run.xtc -o run.mbf
${p}rdf-cpu run.mbf | ${p}bin2txt -o gr.txt</pre>
If a file does not state its units, its times or its cell, the program prints which option to add.
For XYZ, use <a class="Xr" href="${p}xyz2bin.1.html">${p}xyz2bin</a>.</li>
<li>Continue with the <a class="Xr" href="mbf-cookbook.7.html">cookbook</a>, whose recipes begin with files from
GROMACS, LAMMPS, CP2K and others. <a class="Xr" href="mbf.7.html">mbf(7)</a> explains how the programs fit
together, and <a class="Xr" href="mbf-python.7.html">mbf-python(7)</a> explains how to read the results in Python.</li>
</ol>
<p><img src="argon-spectrum.png" width="1200" height="540" alt="Correlation functions and the depolarised light-scattering
spectrum of liquid argon"/></p>
<p>Correlation functions and the light-scattering spectrum of liquid argon, computed with
<a class="Xr" href="${p}g4-cpu.1.html">${p}g4-cpu</a> and
<a class="Xr" href="${p}fft-spectrum.1.html">${p}fft-spectrum</a>.</p>
<h1>Programs by task</h1>
END
    awk '/id="Programs"/ { on = 1 } on && /<\/section>/ { exit } on && /Input and simulation/ { show = 1 } show' "$to/mbf.7.html"
    echo '<h1>All pages</h1><table>'
    rows "$to"/mbf.7.html
    for page in "$to"/*.7.html; do [ "${page##*/}" = mbf.7.html ] || rows "$page"; done
    [ ! -e "$to/mbf-python.api.html" ] || echo '<tr><td><a href="mbf-python.api.html">import mbf</a></td><td>names of the Python module: functions, classes, options</td></tr>'
    rows "$to"/*.5.html "$to"/*.3.html
    echo '</table><h1>All programs</h1><table>'
    rows "$to"/*.1.html
    echo '</table></body></html>'
} >"$to/index.html"
