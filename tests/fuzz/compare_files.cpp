// SPDX-License-Identifier: MIT
// Reads arbitrary bytes as the files of a comparison's folder, which may be a stranger's or a shard's: the answer and the
// result of a cell of each kind, and results.json. What is accepted is written and read back the same.
#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "compare/results.hpp"
#include "require.hpp"

using namespace concord;
using namespace concord::compare;
using fuzz::require;

namespace {

template <class Read>
void attempt(const Read& read) {
  try {
    read();
  } catch (const Error& error) {
    require(error.kind() == Fault::input, "an error in a file is an input error");
  } catch (const Json::exception&) {  // their readers say that it is no such file
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::optional<Json> json = json_in({reinterpret_cast<const char*>(data), size});
  if (!json || !json->is_object()) return 0;
  for (const CellKind kind : {CellKind::training, CellKind::solver}) {
    attempt(
        [&] { to_json(answer_from_json(*json, kind)).dump(-1, ' ', false, Json::error_handler_t::replace); });
    attempt([&] {
      const Json written = to_json(result_from_json(*json, kind));
      require(to_json(result_from_json(written, kind)) == written, "a result survives its file");
    });
  }
  attempt([&] {
    const Json written = to_json(results_from_json(*json));
    require(to_json(results_from_json(written)) == written, "results survive their file");
  });
  return 0;
}
