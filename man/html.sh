#!/bin/sh
# SPDX-License-Identifier: MIT
# html.sh TO PAGE...: the pages as HTML in the folder TO, with links between them, by mandoc; the
# names of the Python module, where
# there is a python3 (PYTHON), and an index of all.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
to=$1
shift
command -v mandoc >/dev/null || { echo "note: no mandoc: no HTML pages"; exit 0; }
mkdir -p "$to"
cp "$here/mbf.css" "$to/"
for page; do
    of=$(sed -n 's,^\.so man[0-9]/,,p' "$page")
    mandoc -T html -O man=%N.%S.html,style=mbf.css "${of:+$(dirname "$page")/}${of:-$page}" >"$to/${page##*/}.html"
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
{
    sed '/<title>/s/>.*</>mbf: pages</; /<body>/q' "$to/mbf.7.html"
    echo '<h1>Pages of mbf</h1><table>'
    rows "$to"/mbf.7.html
    for page in "$to"/*.7.html; do [ "${page##*/}" = mbf.7.html ] || rows "$page"; done
    [ ! -e "$to/mbf-python.api.html" ] || echo '<tr><td><a href="mbf-python.api.html">import mbf</a></td><td>names of the Python module: functions, classes, options</td></tr>'
    rows "$to"/*.5.html "$to"/*.3.html
    echo '</table><h1>Programs</h1><table>'
    rows "$to"/*.1.html
    echo '</table></body></html>'
} >"$to/index.html"
