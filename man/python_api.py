# SPDX-License-Identifier: MIT
"""python_api.py FOLDER prints an HTML page with the public names of the Python package in FOLDER: signatures and docstrings. They are read
from the sources, so neither NumPy nor the library is needed."""
import ast
import html
import pathlib
import re
import sys

HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8"/>
  <meta name="viewport" content="width=device-width, initial-scale=1.0"/>
  <link rel="stylesheet" href="mbf.css" type="text/css" media="all"/>
  <title>%(name)s: the Python module</title>
</head>
<body>
<h1>The Python module <code>%(name)s</code></h1>
<p><a href="index.html">All pages</a>; <a href="mbf-python.7.html">mbf-python(7)</a> is a tutorial and describes the commands;
<a href="mbf.5.html">mbf(5)</a> describes the content of a stream.</p>
"""


def marked(words):
    return re.sub("`([^`]*)`", r"<code>\1</code>", html.escape(" ".join(words.split()), quote=False))


def text(node):
    """Converts a docstring to paragraphs. Lines indented by four more blanks are code; the items of a list begin with "- name:"."""
    said = ast.get_docstring(node, clean=False) or ""
    begin = "\n" + " " * (node.body[0].col_offset if node.body else 0)
    out = []
    for block in re.split(r"\n\s*\n", said.replace(begin, "\n").strip("\n")):
        if block.startswith("    "):
            out.append("<pre>%s</pre>" % html.escape(re.sub("^    ", "", block, flags=re.M).rstrip()))
        elif block.startswith("- "):
            items = [i.partition(": ") for i in re.split(r"(?:^|\n)- ", block)[1:]]
            out.append("<dl>%s</dl>" % "\n".join("<dt><code>%s</code></dt>\n<dd>%s</dd>" % (html.escape(n), marked(t)) for n, _, t in items))
        elif block.strip():
            out.append("<p>%s</p>" % marked(block))
    return "\n".join(out)


def signature(name, function, drop=0):
    args = function.args
    args.posonlyargs, args.args = args.posonlyargs[drop:], args.args[drop if not args.posonlyargs else 0:]
    return "%s(%s)" % (name, ast.unparse(args))


def fields(node):
    """Yields the annotated names of a NamedTuple, with the comments after them."""
    for item in node.body:
        if isinstance(item, ast.AnnAssign):
            comment = LINES[item.lineno - 1].partition("#")[2].strip()
            yield "<dt><code>%s</code></dt>\n<dd>%s</dd>" % (item.target.id, html.escape(comment or ast.unparse(item.annotation)))


def members(node):
    for item in node.body:
        if isinstance(item, ast.FunctionDef) and (not item.name.startswith("_") or item.name == "__iter__") and ast.get_docstring(item):
            is_property = any(ast.unparse(d) == "property" for d in item.decorator_list)
            name = item.name if is_property else signature("for step in stream" if item.name == "__iter__" else item.name, item, 1)
            yield "<dt><code>%s</code></dt>\n<dd>%s</dd>" % (html.escape(name.replace("for step in stream()", "for step in stream")), text(item))


def entry(name, node):
    if isinstance(node, ast.ClassDef):
        begin = next((i for i in node.body if isinstance(i, ast.FunctionDef) and i.name == "__init__"), None)
        base = next((ast.unparse(b) for b in node.bases), "")
        title = signature(name, begin, 1) if begin and name == "Writer" else name + ("(%s)" % base if base in PUBLIC or base == "Exception" else "")
        inside = "\n".join([*fields(node), *members(node)])
        return title, text(node) + ("\n<dl>\n%s\n</dl>" % inside if inside else "")
    return signature(name, node), text(node)


folder = pathlib.Path(sys.argv[1])
module = ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))
WHERE = {a.name: i.module for i in module.body if isinstance(i, ast.ImportFrom) and i.module for a in i.names}
PUBLIC = next([e.value for e in i.value.elts] for i in module.body if isinstance(i, ast.Assign) and i.targets[0].id == "__all__")
print(HEAD % {"name": folder.name} + text(module))
for heading, kinds in ("Functions", (ast.FunctionDef,)), ("Classes", (ast.ClassDef,)):
    print("<h1>%s</h1>" % heading)
    for name in (n for n in PUBLIC if n in WHERE):
        source = (folder / (WHERE[name] + ".py")).read_text(encoding="utf-8")
        LINES = source.splitlines()
        node = next(i for i in ast.parse(source).body if getattr(i, "name", None) == name)
        if isinstance(node, kinds):
            title, body = entry(name, node)
            print('<section>\n<h2 id="%s"><a class="permalink" href="#%s"><code>%s.%s</code></a></h2>\n%s\n</section>'
                  % (name, name, folder.name, html.escape(title), body))
print("</body>\n</html>")
