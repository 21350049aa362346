# SPDX-License-Identifier: MIT
"""What the docstrings and pages show is run; the types are checked."""
import doctest
import importlib
import pkgutil
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import concord
from concord._command import program
from support import SANITIZED

ROOT = Path(__file__).resolve().parents[2]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
MODULES = ["concord", *(f"concord.{module.name}" for module in pkgutil.iter_modules(concord.__path__))]
PAGES = [page for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
         if re.search(r"^```python\n>>> ", page.read_text(), flags=re.M)]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    assert doctest.testmod(importlib.import_module(name), optionflags=FLAGS).failed == 0


def test_there_are_docstrings_to_run():
    finder = doctest.DocTestFinder()
    examples = [test for name in MODULES for test in finder.find(importlib.import_module(name)) if test.examples]
    assert len(examples) >= 10 and ROOT / "docs/python.md" in PAGES


@pytest.mark.skipif(SANITIZED, reason="a page shows figures of training, whose bits are another compiler's here")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(>>> .*?)^```", page.read_text(), flags=re.M | re.S)
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page.name, str(page), 0)
    told = []
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=told.append, clear_globs=False)
    assert not told, "".join(told)


@pytest.mark.parametrize("script", sorted((ROOT / "examples/python").glob("*.py")), ids=lambda script: script.name)
def test_examples(script, tmp_path, monkeypatch):
    if script.name == "compare_sklearn.py":
        pytest.skip("it measures for minutes")
    monkeypatch.chdir(tmp_path)
    exec(compile(script.read_text(), str(script), "exec"), {"__name__": "__main__"})


def test_types():
    if shutil.which("mypy") is None:
        pytest.skip("mypy is not installed")
    ran = subprocess.run(["mypy", "--config-file", "pyproject.toml", "--cache-dir", "/dev/null", "concord"],
                         cwd=ROOT / "python", capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout


def test_versions_agree():
    told = subprocess.run([program(), "--version"], capture_output=True, text=True, check=True).stdout
    assert told.startswith(f"concord {concord.__version__} ")
