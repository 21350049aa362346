// SPDX-License-Identifier: MIT
// concord data fetch: the published datasets.
#include "data.hpp"
#include "data/fetch.hpp"

namespace concord {
namespace po = boost::program_options;

Exit run_data_fetch(const Strings& words, Context& context) {
  Arguments arguments(
      "data fetch NAME [--out DIR]",
      fmt::format(
          "Downloads a dataset ({}) from the Mulan repository with curl,\nand checks its SHA-256 sums. Files "
          "that are there already and right are kept.",
          fmt::join(published_datasets(), ", ")));
  arguments.positional("NAME");
  arguments.add()("out", po::value<std::string>()->value_name("DIR"),
                  "the folder of the files; default: NAME");
  if (!arguments.parse(words, context)) return Exit::done;
  const std::string name = arguments.required("NAME");
  published_files(name);  // an unknown name makes no folder
  const std::string directory = arguments.has("out") ? arguments.get<std::string>("out") : name;
  try {
    for (const FetchedFile& file : fetch_dataset(name, directory))
      context.out.write(fmt::format("{} {}\n", file.path.string(), file.was_there ? "was there" : "fetched"));
  } catch (const Error&) {
    if (context.control.stop_requested()) return Exit::interrupted;  // Ctrl-C ended curl
    throw;
  }
  return Exit::done;
}

}  // namespace concord
