# SPDX-License-Identifier: MIT
"""conda.py META.YAML build|test: the commands of a conda recipe as a shell script, as conda-build reads them."""
import os
import sys
from types import SimpleNamespace

import jinja2
import yaml

text = jinja2.Template(open(sys.argv[1]).read()).render(environ=os.environ, compiler=lambda language: language, pin_compatible=lambda name: name)
recipe = SimpleNamespace(**yaml.safe_load(text))
print("\n".join({"build": recipe.build["script"], "test": recipe.test["commands"]}[sys.argv[2]]))
