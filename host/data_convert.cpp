// SPDX-License-Identifier: MIT
// concord data convert: between formats.
#include "data.hpp"
#include "data/files.hpp"

namespace concord {
namespace po = boost::program_options;
namespace {

DataFormat output_format(const Arguments& arguments, const std::filesystem::path& out) {
  if (arguments.has("to")) {
    const DataFormat format = parse_data_format(arguments.get<std::string>("to"));
    if (format == DataFormat::detect)
      fail(Fault::input, About{"--to detect"}, "name the format: arff, libsvm, csv, numpy or xc");
    return format;
  }
  constexpr std::pair<const char*, DataFormat> formats[] = {
      {".arff", DataFormat::arff}, {".libsvm", DataFormat::libsvm}, {".svm", DataFormat::libsvm},
      {".csv", DataFormat::csv},   {".tsv", DataFormat::csv},       {".npy", DataFormat::numpy},
      {".npz", DataFormat::numpy}, {".xc", DataFormat::xc}};
  for (const auto& [extension, format] : formats)
    if (out.extension() == extension) return format;
  fail(
      Fault::input,
      "{}: the extension says no format; call it .arff, .libsvm, .csv, .tsv, .npy, .npz or .xc, or add --to FORMAT",
      out.string());
}

}  // namespace

Exit run_data_convert(const Strings& words, Context& context) {
  Arguments arguments(
      "data convert IN OUT [--labels WHERE] [--ignore COLUMNS] [--format F] [--to F] [--like FILE]",
      R"(Writes the dataset IN as OUT: ARFF (.arff, with Mulan's XML of the same name beside it), CSV (.csv,
.tsv with tabs; the labels are its last columns), NumPy (.npy dense, .npz as scipy.sparse.save_npz; the
labels in STEM-labels beside it), LIBSVM (.libsvm, .svm) or XC text (.xc). Numbers keep their bits. NumPy,
LIBSVM and XC know no names: labels are counted from 0, in the order of IN.)");
  arguments.positional("IN");
  arguments.positional("OUT");
  add_source_options(arguments);
  arguments.add()("to", po::value<std::string>()->value_name("F"),
                  "the format of OUT; default: by its extension")(
      "like", po::value<std::string>()->value_name("FILE"),
      "the dataset that IN is used with, such as the training set of a test set: IN must have its features "
      "and "
      "labels, and a LIBSVM file takes their numbers and names from it");
  if (!arguments.parse(words, context)) return Exit::done;
  const std::string in = arguments.required("IN");
  const std::filesystem::path out = arguments.required("OUT");
  const DataFormat format = output_format(arguments, out);

  ExpectedColumns expected;
  if (arguments.has("like")) {
    DataSource like;
    like.file = arguments.get<std::string>("like");
    if (like.file.extension() == ".csv" || like.file.extension() == ".tsv")
      like = source_for(arguments, like.file);
    expected = columns_of(read_dataset(like));
    expected.owner = like.file.string();
    expected.ignore = like.ignore;
  }
  const Dataset data = read_dataset(source_for(arguments, in), arguments.has("like") ? &expected : nullptr);
  Strings wrote;
  for (const auto& file : write_dataset(data, format, out)) wrote.push_back(file.string());
  std::string text = fmt::format("{}: {} instances, {} features, {} labels\n", fmt::join(wrote, " and "),
                                 data.instances(), data.features(), data.labels());
  if (format == DataFormat::libsvm && positives_per_label(data.Y).back() == 0)
    text += fmt::format(
        "note: no instance has the last label '{}', so the file alone does not show that there are {} "
        "labels; use "
        "--like, or a model, which does\n",
        data.label_names.back(), data.labels());
  context.out.write(text);
  return Exit::done;
}

}  // namespace concord
