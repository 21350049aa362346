# SPDX-License-Identifier: MIT
# %% [markdown]
# A QUBO from a matrix to a certified bound.

# %%
import numpy as np

import concord

rng = np.random.default_rng(1)
n = 60
Q = np.triu(rng.integers(-50, 51, size=(n, n)))  # minimise x'Qx over x of 0 and 1

# %% [markdown]
# `sdp-mixing` solves the semidefinite relaxation: labels within a proven distance of the best ones.

# %%
relaxed = concord.qubo(Q)
print(f"sdp-mixing  energy {relaxed.energy:.0f}, proven to be at least {relaxed.bound:.1f}: gap {100 * relaxed.gap:.2f} %")

# %% [markdown]
# `exact` closes the gap by branch and bound. With a time limit it returns the best so far and its gap.

# %%
exact = concord.qubo(Q, decoder="exact", time_limit=10)
print(f"exact       energy {exact.energy:.0f}, {exact.status}, {exact.decoded.nodes} nodes, gap {100 * exact.gap:.2f} %")
assert relaxed.bound <= exact.energy <= relaxed.energy

# %% [markdown]
# A graph, and its largest cut. A dict of edges, a scipy.sparse matrix or a networkx graph do as well.

# %%
ring = {(i, (i + 1) % 9): 1.0 for i in range(9)}
cut = concord.maxcut(ring, decoder="exact")
print(f"9-cycle     cut {cut.cut:.0f} of 9, at most {cut.bound:.0f}")
