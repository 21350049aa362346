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
      fail(Fault::input, About{"--to detect"}, "name the format, arff or libsvm");
    return format;
  }
  const std::string extension = out.extension().string();
  if (extension == ".arff") return DataFormat::arff;
  if (extension == ".libsvm" || extension == ".svm") return DataFormat::libsvm;
  fail(Fault::input,
       "{}: the extension says no format; call it .arff or .libsvm, or add --to arff or --to libsvm",
       out.string());
}

}  // namespace

Exit run_data_convert(const Strings& words, Context& context) {
  Arguments arguments(
      "data convert IN OUT [--labels XML] [--format F] [--to F] [--like FILE]",
      "Writes the dataset IN as OUT: ARFF (.arff, with Mulan's XML of the same name beside it) or\n"
      "LIBSVM (.libsvm, .svm). Numbers keep their bits. LIBSVM knows no names: labels are counted\n"
      "from 0 and features from 1, in the order of IN.");
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
    expected = columns_of(read_dataset(like));
  }
  const Dataset data = read_dataset(source_for(arguments, in), arguments.has("like") ? &expected : nullptr);
  std::string wrote = out.string();
  if (format == DataFormat::arff) {
    const std::filesystem::path xml = std::filesystem::path(out).replace_extension(".xml");
    write_arff(data, out, xml);
    wrote += " and " + xml.string();
  } else {
    write_libsvm(data, out);
  }
  std::string text = fmt::format("{}: {} instances, {} features, {} labels\n", wrote, data.instances(),
                                 data.features(), data.labels());
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
