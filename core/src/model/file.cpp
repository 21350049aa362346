// SPDX-License-Identifier: MIT
// The model file; docs/model-file.md describes it.
#include <bit>
#include <cmath>
#include <limits>
#include <span>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "config/config.hpp"
#include "model/model.hpp"

namespace concord {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kMagic = "CONCORD\n";
constexpr uint64_t kVersion = 1;
constexpr size_t kPreamble = 24;  // magic, version, length of the header
constexpr size_t kChecksum = 32;

// Little-endian on any host; compilers make one move of each loop where the host is.
void append_u64(std::string& bytes, uint64_t value) {
  for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>((value >> shift) & 0xff);
}

uint64_t read_u64(std::string_view bytes, size_t at) {
  uint64_t value = 0;
  for (size_t i = 0; i < 8; ++i) value |= uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  return value;
}

size_t padding_after(size_t size) {
  return (8 - size % 8) % 8;
}

std::string_view as_text(const std::array<unsigned char, kChecksum>& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

// ---- reading -------------------------------------------------------------------------------------------------

class ModelReader {
 public:
  ModelReader(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  Model read() {
    read_preamble();
    check_integrity();
    parse_header();
    if (unsigned_member(header_, "version") != kVersion) refuse("its header is of another version");
    if (unsigned_member(header_, "bytes") != blocks_.size())
      refuse("its header announces {} bytes of numbers, and it has {}", unsigned_member(header_, "bytes"),
             blocks_.size());

    Model model;
    try {
      model.settings = settings_from_json(member(header_, "config"));
    } catch (const Error& error) {
      refuse("{}", error.what());
    }
    model.preprocess.settings = model.settings.preprocess;
    model.preprocess.inputs = extent(member(member(header_, "preprocess"), "inputs"), "inputs");
    model.label_names = names("label_names");
    model.feature_names = names("feature_names");
    model.W = matrix("W");
    model.A = matrix("A");
    model.thresholds = vector("thresholds");
    model.preprocess.centre = vector("centre");
    model.preprocess.factor = vector("factor");
    if (model.settings.preprocess.fourier && model.settings.preprocess.features.value_or(true)) {
      model.preprocess.frequencies = matrix("frequencies");
      model.preprocess.phases = vector("phases");
    }
    if (header_.contains("bases")) model.bases = bases(member(header_, "bases"), model);
    model.preprocess.given = model.bases.given * static_cast<int64_t>(model.label_names.size());
    if (used_ != blocks_.size()) refuse("{} bytes follow its last block", blocks_.size() - used_);
    model.record = member(header_, "record");
    if (const std::string fault = fault_of(model); !fault.empty()) refuse("{}", fault);
    return model;
  }

 private:
  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> text, Args&&... args) const {
    concord::fail(Fault::input, About{name_, name_}, text, std::forward<Args>(args)...);
  }

  void read_preamble() {
    const size_t seen = std::min(bytes_.size(), kMagic.size());
    if (bytes_.substr(0, seen) != kMagic.substr(0, seen))
      refuse("not a Concord model: it begins with {}, not with 'CONCORD'", quote(bytes_.substr(0, seen)));
    if (bytes_.size() < kPreamble + kChecksum)
      refuse("a model that is cut off: it has {} bytes, and the smallest has more than {}", bytes_.size(),
             kPreamble + kChecksum);
    const uint64_t version = read_u64(bytes_, 8);
    if (version != kVersion)
      refuse("a model in version {} of the format; this concord reads version {}: {}", version, kVersion,
             version > kVersion ? "use a newer one" : "there is no such version");
    const uint64_t length = read_u64(bytes_, 16);
    const size_t room = bytes_.size() - kPreamble - kChecksum;
    if (length > room || padding_after(length) > room - length)
      refuse("a model that is cut off: its header has {} bytes, and there is room for {}", length, room);
    header_text_ = bytes_.substr(kPreamble, length);
    const size_t start = kPreamble + length + padding_after(length);
    padding_ = bytes_.substr(kPreamble + length, padding_after(length));
    blocks_ = bytes_.substr(start, bytes_.size() - kChecksum - start);
  }

  /// A file that is too short says so; for all else the checksum speaks.
  void check_integrity() const {
    const std::string_view checksum = bytes_.substr(bytes_.size() - kChecksum);
    if (as_text(sha256(bytes_.substr(0, bytes_.size() - kChecksum))) == checksum) return;
    const Json header = parse_json(false);
    if (header.is_object() && header.contains("bytes") && header["bytes"].is_number_unsigned() &&
        header["bytes"].get<uint64_t>() > blocks_.size())
      refuse("a model that is cut off: it holds {} of {} bytes of numbers", blocks_.size(),
             header["bytes"].get<uint64_t>());
    refuse("an altered model: its bytes do not match their SHA-256 checksum");
  }

  /// nlohmann copies and writes by recursion, so a header must not be deep.
  Json parse_json(bool may_throw) const {
    const auto limit_depth = [this](int depth, Json::parse_event_t, const Json&) {
      if (depth > 64) refuse("its header has too many brackets within brackets");
      return true;
    };
    return Json::parse(header_text_, limit_depth, may_throw);
  }

  void parse_header() {
    if (padding_.find_first_not_of('\0') != std::string_view::npos)
      refuse("the bytes after its header are not zero");
    try {
      header_ = parse_json(true);
    } catch (const Json::parse_error& error) {
      refuse("its header is not JSON, from byte {} of {} on", error.byte, header_text_.size());
    } catch (const Json::exception&) {
      refuse("its header holds a number that is out of range");
    }
  }

  const Json& member(const Json& object, const char* key) const {
    if (!object.is_object() || !object.contains(key)) refuse("its header has no {}", key);
    return object.at(key);
  }

  uint64_t unsigned_member(const Json& object, const char* key) const {
    const Json& value = member(object, key);
    if (!value.is_number_unsigned()) refuse("{} in its header is not an integer >= 0", key);
    return value.get<uint64_t>();
  }

  int64_t extent(const Json& value, const char* what) const {
    constexpr uint64_t most = std::numeric_limits<int64_t>::max();
    if (!value.is_number_unsigned() || value.get<uint64_t>() > most)
      refuse("{} in its header is not a size", what);
    return value.get<int64_t>();
  }

  std::vector<std::string> names(const char* key) const {
    const Json& list = member(header_, key);
    std::vector<std::string> names;
    if (!list.is_array()) refuse("{} in its header is not a list", key);
    for (const Json& name : list) {
      if (!name.is_string()) refuse("{} in its header holds something that is not a string", key);
      names.push_back(name.get<std::string>());
    }
    return names;
  }

  /// The shape of the next block, which has `dimensions` extents and fits into the bytes that are left.
  std::vector<int64_t> shape(const char* name, size_t dimensions) const {
    const Json& block = member(member(header_, "blocks"), name);
    if (unsigned_member(block, "offset") != used_)
      refuse("block {} begins at {}, not at {}, where the one before it ends", name,
             unsigned_member(block, "offset"), used_);
    const Json& given = member(block, "shape");
    if (!given.is_array() || given.size() != dimensions)
      refuse("the shape of block {} is not a list of {}", name, dimensions);
    std::vector<int64_t> shape;
    auto left = static_cast<int64_t>((blocks_.size() - used_) / 8);
    for (const Json& one : given) {
      shape.push_back(extent(one, "a shape"));
      if (shape.back() > left) refuse("block {} is larger than the file", name);
      if (shape.back() > 0) left /= shape.back();
    }
    return shape;
  }

  void fill(double* numbers, int64_t count) {
    for (int64_t i = 0; i < count; ++i, used_ += 8)
      numbers[i] = std::bit_cast<double>(read_u64(blocks_, used_));
  }

  RowMatrix matrix(const char* name) {
    const std::vector<int64_t> extents = shape(name, 2);
    RowMatrix result(extents[0], extents[1]);
    fill(result.data(), result.size());
    return result;
  }

  Eigen::VectorXd vector(const char* name) {
    Eigen::VectorXd result(shape(name, 1)[0]);
    fill(result.data(), result.size());
    return result;
  }

  Bases bases(const Json& described, const Model& model) {
    Bases bases;
    bases.labels = static_cast<int64_t>(model.label_names.size());
    bases.given = extent(member(described, "given"), "given");
    if (bases.given > 1'000'000) refuse("{} bases come with the data", bases.given);
    const Json& kernels = member(described, "kernels");
    if (!kernels.is_array() || kernels.size() > 2)
      refuse("bases.kernels in its header is not a list of at most 2");
    for (const Json& one : kernels) {
      const Json &name = member(one, "kernel"), &width = member(one, "width");
      if (name != "rbf" && name != "laplace")
        refuse("its header has a kernel that is neither rbf nor laplace");
      if (!width.is_number()) refuse("the width of a kernel in its header is not a number");
      KernelRidge base{name == "rbf" ? Kernel::rbf : Kernel::laplace, width.get<double>(), {}};
      base.alpha = matrix(base.kernel == Kernel::rbf ? "rbf_alpha" : "laplace_alpha");
      bases.kernels.push_back(std::move(base));
    }
    if (!bases.kernels.empty())
      bases.rows = member(described, "sparse") == true
                       ? sparse_rows(extent(member(described, "columns"), "columns"))
                       : Features(matrix("rows"));
    if (member(described, "ovr") == true) bases.W = matrix("ovr_W");
    bases.weights = vector("base_weights");
    bases.offsets = vector("base_offsets");
    return bases;
  }

  /// Rows in compressed form: where each row ends, then the columns and the values of the entries.
  Features sparse_rows(int64_t columns) {
    const Eigen::VectorXd ends = vector("row_ends"), at = vector("row_columns"),
                          values = vector("row_values");
    if (at.size() != values.size() || at.size() > std::numeric_limits<int>::max() ||
        columns > std::numeric_limits<int>::max())
      refuse("the blocks of its sparse rows do not fit together");
    SparseMatrix rows(ends.size(), columns);
    rows.reserve(values.size());
    int64_t entry = 0;
    for (int64_t i = 0; i < ends.size(); ++i) {
      rows.startVec(i);
      int64_t before = -1;
      for (; entry < values.size() && static_cast<double>(entry) < ends(i); ++entry) {
        const double column = at(entry);
        if (!(column > static_cast<double>(before) && column < static_cast<double>(columns)) ||
            column != std::floor(column))
          refuse("row {} of its sparse rows has columns that do not increase", i);
        before = static_cast<int64_t>(column);
        rows.insertBack(i, before) = values(entry);
      }
      if (static_cast<double>(entry) != ends(i))
        refuse("row {} of its sparse rows ends where it should not", i);
    }
    if (entry != values.size()) refuse("entries follow its last sparse row");
    rows.finalize();
    return Features(std::move(rows));
  }

  std::string_view bytes_;
  const std::string& name_;
  std::string_view header_text_, padding_, blocks_;
  size_t used_ = 0;  // bytes of blocks_ that were read
  Json header_;
};

}  // namespace

// ---- writing -------------------------------------------------------------------------------------------------

std::string model_bytes(const Model& model) {
  const auto refuse = [](const std::string& why) {
    fail(Fault::input, "the model cannot be saved: {}", why);
  };
  if (const std::string fault = fault_of(model); !fault.empty()) refuse(fault);
  for (const auto* names : {&model.label_names, &model.feature_names})
    for (const std::string& name : *names)
      if (!is_utf8(name)) refuse(fmt::format("the name {} is not UTF-8", quote(name)));

  std::string blocks;
  Json described = Json::object();
  const auto append = [&](const char* name, std::span<const double> numbers,
                          std::initializer_list<int64_t> shape) {
    described[name] = {{"offset", blocks.size()}, {"shape", shape}};
    for (const double number : numbers) append_u64(blocks, std::bit_cast<uint64_t>(number));
  };
  const auto span_of = [](const auto& matrix) {
    return std::span(matrix.data(), static_cast<size_t>(matrix.size()));
  };
  const auto append_vector = [&](const char* name, const Eigen::VectorXd& vector) {
    append(name, span_of(vector), {vector.size()});
  };
  const RowMatrix A = model.A;
  append("W", span_of(model.W), {model.W.rows(), model.W.cols()});
  append("A", span_of(A), {A.rows(), A.cols()});
  append_vector("thresholds", model.thresholds);
  append_vector("centre", model.preprocess.centre);
  append_vector("factor", model.preprocess.factor);
  const auto append_matrix = [&](const char* name, const RowMatrix& matrix) {
    append(name, span_of(matrix), {matrix.rows(), matrix.cols()});
  };
  if (model.preprocess.phases.size() > 0) {
    append_matrix("frequencies", model.preprocess.frequencies);
    append_vector("phases", model.preprocess.phases);
  }
  Json bases;
  if (!model.bases.empty()) {
    bases = {{"given", model.bases.given},
             {"kernels", Json::array()},
             {"sparse", model.bases.rows.is_sparse()},
             {"columns", model.bases.rows.columns()},
             {"ovr", model.bases.W.size() > 0}};
    for (const KernelRidge& base : model.bases.kernels) {
      const bool rbf = base.kernel == Kernel::rbf;
      bases["kernels"].push_back({{"kernel", rbf ? "rbf" : "laplace"}, {"width", base.width}});
      append_matrix(rbf ? "rbf_alpha" : "laplace_alpha", base.alpha);
    }
    if (!model.bases.kernels.empty() && model.bases.rows.is_sparse()) {
      Eigen::VectorXd ends(model.bases.rows.rows()), at(model.bases.rows.stored()), values(at.size());
      int64_t entry = 0;
      for (int64_t i = 0; i < ends.size(); ++i) {
        model.bases.rows.for_row(i, [&](int64_t j, double x) {
          at(entry) = static_cast<double>(j);
          values(entry++) = x;
        });
        ends(i) = static_cast<double>(entry);
      }
      append_vector("row_ends", ends);
      append_vector("row_columns", at);
      append_vector("row_values", values);
    } else if (!model.bases.kernels.empty()) {
      append_matrix("rows", model.bases.rows.dense());
    }
    if (model.bases.W.size() > 0) append_matrix("ovr_W", model.bases.W);
    append_vector("base_weights", model.bases.weights);
    append_vector("base_offsets", model.bases.offsets);
  }

  Json header = {{"version", kVersion},
                 {"config", settings_json(model.settings)},
                 {"label_names", model.label_names},
                 {"feature_names", model.feature_names},
                 {"preprocess", {{"inputs", model.preprocess.inputs}}},
                 {"blocks", described},
                 {"bytes", blocks.size()},
                 {"record", model.record}};
  if (!bases.is_null()) header["bases"] = bases;
  std::string text;
  try {
    text = header.dump();
  } catch (const Json::exception& error) {
    refuse(fmt::format("its record or config is not UTF-8 ({})", error.what()));
  }

  std::string bytes(kMagic);
  append_u64(bytes, kVersion);
  append_u64(bytes, text.size());
  bytes += text;
  bytes.append(padding_after(bytes.size()), '\0');
  bytes += blocks;
  bytes += as_text(sha256(bytes));
  return bytes;
}

Model parse_model(std::string_view bytes, const std::string& name) {
  return ModelReader(bytes, name).read();
}

void save_model(const Model& model, const std::filesystem::path& file) {
  write_file_atomically(file, model_bytes(model));
}

Model load_model(const std::filesystem::path& file) {
  return parse_model(read_whole_file(file), file.string());
}

}  // namespace concord
