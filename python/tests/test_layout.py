# SPDX-License-Identifier: MIT
"""The structs of _structs.py are those of the headers, byte for byte."""
import ctypes
import inspect
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from concord import _structs

INCLUDE = Path(__file__).resolve().parents[2] / "core/include"
STRUCTS = {f"concord_{re.sub('(?<!^)(?=[A-Z])', '_', name).lower()}": struct
           for name, struct in inspect.getmembers(_structs, inspect.isclass)
           if issubclass(struct, ctypes.Structure) and hasattr(struct, "_fields_")}


def test_layout(tmp_path):
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
    lines = [f'printf("{name} %zu\\n", sizeof({name}));' for name in STRUCTS]
    lines += [f'printf("{name}.{field} %zu\\n", offsetof({name}, {field}));' for name, struct in STRUCTS.items()
              for field, _ in struct._fields_]
    lines += [f'printf("{name} %lld\\n", (long long){name});' for name in ("CONCORD_API", "CONCORD_ABI", "CONCORD_MAGIC")]
    (tmp_path / "layout.c").write_text("#include <concord/concord.h>\n#include <stdio.h>\nint main(void) {\n"
                                       + "\n".join(lines) + "\nreturn 0; }\n")
    subprocess.run(["cc", f"-I{INCLUDE}", "-o", tmp_path / "layout", tmp_path / "layout.c"], check=True)
    told = subprocess.run([tmp_path / "layout"], capture_output=True, text=True, check=True).stdout
    theirs = {name: int(number) for name, number in (line.split() for line in told.splitlines())}
    ours = {name: ctypes.sizeof(struct) for name, struct in STRUCTS.items()}
    ours |= {f"{name}.{field}": getattr(struct, field).offset for name, struct in STRUCTS.items()
             for field, _ in struct._fields_}
    ours |= {f"CONCORD_{name}": getattr(_structs, name) for name in ("API", "ABI", "MAGIC")}
    assert len(STRUCTS) >= 15 and ours == theirs
