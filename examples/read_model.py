# SPDX-License-Identifier: MIT
import hashlib, json, sys
import numpy as np

data = open(sys.argv[1], "rb").read()
assert data[:8] == b"CONCORD\n" and hashlib.sha256(data[:-32]).digest() == data[-32:]
version, length = (int(x) for x in np.frombuffer(data, "<u8", 2, 8))
header = json.loads(data[24 : 24 + length])
numbers = data[(24 + length + 7) // 8 * 8 : -32]
print(f"version {version}, labels {header['label_names']}")
for name, block in header["blocks"].items():
    values = np.frombuffer(numbers, "<f8", np.prod(block["shape"], dtype=int), block["offset"])
    print(name, values.reshape(block["shape"]).tolist(), sep="\n")
