// SPDX-License-Identifier: MIT
#include "submodular-greedy.hpp"

CONCORD_EXPORT_DECODER(concord::submodular_greedy::SubmodularGreedy, "submodular-greedy",
                       "attractive priors: adds labels to the loss-augmented problem greedily, a comparison")
