// SPDX-License-Identifier: MIT
// CSV: the labels are the columns whose names begin with L.
#include "data_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace concord;
  using namespace concord::fuzz;
  const std::string text(reinterpret_cast<const char*>(data), size);
  DataSource source;
  source.labels = "L*";
  Dataset dataset;
  const bool taken = accepted([&] {
    std::istringstream in(text);
    dataset = read_csv(in, "fuzz", source);
  });
  if (!taken) return 0;
  check(dataset, static_cast<int64_t>(dataset.feature_names.size()));
  // A file without an instance is refused by whoever reads whole files.
  if (dataset.instances() == 0) return 0;
  // The text goes with its own columns, and so does what is written of it, with one-hot columns as numbers.
  const Dataset again = streamed(text, DataFormat::csv, columns_of(dataset));
  require((again.Y == dataset.Y).all() && again.features() == dataset.features(), "same labels");
  const Dataset written = streamed(csv_text(dataset, ','), DataFormat::csv, columns_of(dataset));
  require(written.instances() == dataset.instances() && (written.Y == dataset.Y).all(),
          "same labels when written");
  for (int64_t i = 0; i < dataset.instances(); ++i)
    dataset.X.for_row(i, [&](int64_t j, double value) {
      require(same_number(again.X.dense()(i, j), value), "same numbers");
      require(same_number(written.X.dense()(i, j), value), "same numbers when written");
    });
  return 0;
}
