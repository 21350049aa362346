// SPDX-License-Identifier: MIT
// The model file; docs/model-file.md describes it.
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "config/config.hpp"
#include "model/blocks.hpp"
#include "model/model.hpp"

namespace concord {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kMagic = "CONCORD\n";
constexpr uint64_t kVersion = 1;
constexpr size_t kPreamble = 24;  // magic, version, length of the header
constexpr size_t kChecksum = 32;

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
    BlockReader in(header_, blocks_, name_);
    if (in.unsigned_member(header_, "version") != kVersion) refuse("its header is of another version");
    if (const uint64_t announced = in.unsigned_member(header_, "bytes"); announced != blocks_.size())
      refuse("its header announces {} bytes of numbers, and it has {}", announced, blocks_.size());

    Model model;
    try {
      model.settings = settings_from_json(in.member(header_, "config"));
      if (!model.settings.preprocess.scale)  // a config may leave it open
        fail(Fault::input, "config.preprocess.scale is missing");
    } catch (const Error& error) {
      refuse("{}", error.what());
    }
    model.preprocess.settings = model.settings.preprocess;
    model.preprocess.inputs = in.extent(in.member(in.member(header_, "preprocess"), "inputs"), "inputs");
    model.label_names = in.names("label_names");
    model.feature_names = in.names("feature_names");
    model.W = in.matrix("W");
    model.A = in.matrix("A");
    model.thresholds = in.vector("thresholds");
    model.preprocess.centre = in.vector("centre");
    model.preprocess.factor = in.vector("factor");
    if (model.settings.preprocess.missing) {
      model.preprocess.imputation.fill = in.vector("fill");
      model.preprocess.imputation.indicators = in.vector("indicators");
    }
    if (model.settings.preprocess.fourier && model.settings.preprocess.features.value_or(true)) {
      model.preprocess.waves.frequencies = in.matrix("frequencies");
      model.preprocess.waves.phases = in.vector("phases");
    }
    const auto V = static_cast<int64_t>(model.label_names.size());
    if (in.has_block("calibration")) model.calibration = in.vector("calibration");
    if (header_.contains("bases")) model.bases = read_bases(header_.at("bases"), V, in);
    model.preprocess.given = model.bases.given * V;
    in.require_end();
    model.record = in.member(header_, "record");
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

  std::string_view bytes_;
  const std::string& name_;
  std::string_view header_text_, padding_, blocks_;
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

  BlockWriter blocks;
  blocks.matrix("W", model.W);
  blocks.matrix("A", model.A);
  blocks.vector("thresholds", model.thresholds);
  blocks.vector("centre", model.preprocess.centre);
  blocks.vector("factor", model.preprocess.factor);
  if (model.settings.preprocess.missing) {
    blocks.vector("fill", model.preprocess.imputation.fill);
    blocks.vector("indicators", model.preprocess.imputation.indicators);
  }
  if (model.preprocess.waves.phases.size() > 0) {
    blocks.matrix("frequencies", model.preprocess.waves.frequencies);
    blocks.vector("phases", model.preprocess.waves.phases);
  }
  if (model.calibration.size() > 0) blocks.vector("calibration", model.calibration);
  Json bases;
  if (!model.bases.empty()) bases = write_bases(model.bases, blocks);

  Json header = {{"version", kVersion},
                 {"config", settings_json(model.settings)},
                 {"label_names", model.label_names},
                 {"feature_names", model.feature_names},
                 {"preprocess", {{"inputs", model.preprocess.inputs}}},
                 {"blocks", blocks.described()},
                 {"bytes", blocks.bytes().size()},
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
  bytes += blocks.bytes();
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
