# SPDX-License-Identifier: MIT
"""What pyproject.toml cannot say: where the library is, and what a wheel that carries it is called.

`pip install ./python` leaves the place of a build tree in the package, if there is one; an installed library is found
without it. scripts/wheel puts the library into concord/_lib first, and the wheel is then for this platform only.
"""
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.dist import Distribution

HERE = Path(__file__).resolve().parent
CARRIES = (HERE / "concord/_lib").is_dir()


class Build(build_py):
    def run(self):
        super().run()
        built = HERE.parent / "build/release"
        if not CARRIES and any(built.glob("lib*/**/libconcord.so")):
            (Path(self.build_lib) / "concord/_built.txt").write_text(f"{built}\n")


class Carrying(Distribution):
    def has_ext_modules(self):
        return CARRIES


def commands():
    found = {"build_py": Build}
    if CARRIES:
        from wheel.bdist_wheel import bdist_wheel

        class AnyPython(bdist_wheel):
            def get_tag(self):
                return "py3", "none", super().get_tag()[2]

        found["bdist_wheel"] = AnyPython
    return found


setup(cmdclass=commands(), distclass=Carrying)
