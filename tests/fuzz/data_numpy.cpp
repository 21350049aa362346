// SPDX-License-Identifier: MIT
// NumPy: .npy, and .npz with X and Y or a sparse matrix, which is then also taken for the labels.
#include "data_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace concord;
  using namespace concord::fuzz;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  for (const std::string& labels : {std::string(), bytes}) {
    Dataset dataset;
    if (!accepted([&] { dataset = read_numpy(bytes, "fuzz", labels, "fuzz", nullptr, false); })) continue;
    check(dataset, dataset.features());
    const std::string X = numpy_text(dataset.X),
                      Y = numpy_text(label_features(dataset, dataset.X.is_sparse()));
    require_same(dataset, read_numpy(X, "fuzz", Y, "fuzz", nullptr, false));
  }
  return 0;
}
