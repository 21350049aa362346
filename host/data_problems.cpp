// SPDX-License-Identifier: MIT
// concord data problems: the decoding problems that a model meets in data, as files for `concord decode`.
#include "base/files.hpp"
#include "data.hpp"
#include "data/dataset.hpp"
#include "predict/prediction.hpp"
#include "problem/files.hpp"

namespace concord {
namespace po = boost::program_options;

Exit run_data_problems(const Strings& words, Context& context) {
  Arguments arguments(
      "data problems --model FILE --data FILE --rows 0,5,10-20 --out DIR [OPTIONS]",
      R"(Writes the decoding problem of each row, maximise u'b - u'Au with b = W'x and A of the model,
to DIR/row-ROW.json, which `concord decode --problem` reads.)");
  arguments.add()("model", po::value<std::string>()->value_name("FILE"), "the model")(
      "data", po::value<std::string>()->value_name("FILE"), "the data")(
      "rows", po::value<std::string>()->value_name("ROWS"), "which instances, counted from 0")(
      "out", po::value<std::string>()->value_name("DIR"), "where to write; made if it is not there");
  add_source_options(arguments);
  if (!arguments.parse(words, context)) return Exit::done;

  ErrorList errors;
  const std::string model_file = arguments.required("model"), data = arguments.required("data");
  const std::string rows_text = arguments.required("rows");
  const std::filesystem::path folder = arguments.required("out");
  DataSource source;
  errors.attempt([&] { source = source_for(arguments, data); });
  Model model;
  errors.attempt([&] { model = load_model(model_file); });
  errors.throw_if_any();

  const ExpectedColumns columns = columns_of(model);
  const Dataset dataset = read_dataset(source, &columns);
  const std::vector<int64_t> rows = parse_rows("--rows", rows_text, dataset.instances());
  const Eigen::MatrixXd scores = problem_scores(model, dataset.X);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail(Fault::io, About{folder.string(), folder.string()}, "cannot be made: {}", error.message());
  for (const int64_t row : rows)
    write_file_atomically(folder / fmt::format("row-{}.json", row), problem_text(model.A, scores.col(row)));
  context.out.write(fmt::format("{} problems with {} labels written to {}\n", rows.size(), model.labels(),
                                folder.string()));
  return Exit::done;
}

}  // namespace concord
