# SPDX-License-Identifier: MIT
"""The page of the Python package: what it exports, with signatures and docstrings, from its sources."""
import ast
from pathlib import Path

PACKAGE = Path("python/concord")
MODULES = {"concord": "__init__.py", "concord.sklearn": "sklearn.py", "concord.plot": "plot.py"}


def sources(repo):
    return {path.stem: ast.parse(path.read_text()) for path in sorted((repo / PACKAGE).glob("*.py"))}


def exported(tree):
    """The names of __all__, or the public classes and functions of a module without one."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return [name for name in ast.literal_eval(node.value) if name != "__version__"]
    return [node.name for node in tree.body
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("_")]


def definition(name, trees, first):
    """Where the name is defined: in its own module, or in one of the private ones."""
    for tree in (first, *trees.values()):
        for node in tree.body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name == name:
                return node
    return None


def signature(node):
    return f"{node.name}({ast.unparse(node.args)})" + (f" -> {ast.unparse(node.returns)}" if node.returns else "")


def text_of(node):
    doc = ast.get_docstring(node)
    return f"```text\n{doc}\n```\n" if doc else ""


def members(node):
    """Methods and properties that users call; a constructor is the first."""
    for member in node.body:
        if isinstance(member, ast.FunctionDef) and (member.name == "__init__" or not member.name.startswith("_")):
            yield member


def markdown(repo):
    trees = sources(repo)
    out = ["# The Python package: reference", "",
           "What `import concord` has; [Python](../python.md) is the tutorial. Examples in these texts are run by the tests.", ""]
    for module, file in MODULES.items():
        tree = trees[Path(file).stem]
        out += [f"## {module}", "", text_of(tree)]
        for name in exported(tree):
            node = definition(name, trees, tree)
            if node is None:
                continue  # a module, which has a section of its own
            is_class = isinstance(node, ast.ClassDef)
            out += [f"### {name}", ""]
            if not is_class:
                out += [f"```python\n{signature(node)}\n```", ""]
            out += [text_of(node), ""]
            for member in members(node) if is_class else ():
                out += [f"```python\n{signature(member)}\n```", "", text_of(member), ""]
    return "\n".join(out)
