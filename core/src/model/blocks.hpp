// SPDX-License-Identifier: MIT
#pragma once
// The numbers of a model file: little-endian float64 in blocks, one after the other. The header of the file has the offset
// and the shape of each block under its name.
#include <Eigen/Core>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "model/bases.hpp"

namespace concord {

void append_u64(std::string& bytes, uint64_t value);
uint64_t read_u64(std::string_view bytes, size_t at);

class BlockWriter {
 public:
  using Json = nlohmann::ordered_json;
  void matrix(const char* name, const RowMatrix& matrix);
  void vector(const char* name, const Eigen::VectorXd& vector);
  const std::string& bytes() const { return bytes_; }
  /// What the header says about the blocks.
  const Json& described() const { return described_; }

 private:
  void append(const char* name, const double* numbers, int64_t count, std::initializer_list<int64_t> shape);

  std::string bytes_;
  Json described_ = Json::object();
};

/// Reads a header and the blocks that it describes, in the order in which they were written. Whatever does not fit is
/// Fault::input that names the file.
class BlockReader {
 public:
  using Json = nlohmann::ordered_json;
  /// Nothing is copied: all of it must outlive the reader.
  BlockReader(const Json& header, std::string_view blocks, const std::string& file)
      : header_(header), blocks_(blocks), file_(file) {}

  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> text, Args&&... args) const {
    fail(Fault::input, About{file_, file_}, text, std::forward<Args>(args)...);
  }

  const Json& member(const Json& object, const char* key) const;
  uint64_t unsigned_member(const Json& object, const char* key) const;
  int64_t extent(const Json& value, const char* what) const;
  std::vector<std::string> names(const char* key) const;
  bool has_block(const char* name) const { return member(header_, "blocks").contains(name); }
  RowMatrix matrix(const char* name);
  Eigen::VectorXd vector(const char* name);
  void require_end() const;

 private:
  std::vector<int64_t> shape(const char* name, size_t dimensions) const;
  void fill(double* numbers, int64_t count);

  const Json& header_;
  std::string_view blocks_;
  const std::string& file_;
  size_t used_ = 0;  // bytes of blocks_ that were read
};

/// Writes the blocks of bases that are there, and returns what the header says about the bases.
nlohmann::ordered_json write_bases(const Bases& bases, BlockWriter& out);
/// What write_bases has written, for V labels.
Bases read_bases(const nlohmann::ordered_json& described, int64_t V, BlockReader& in);

}  // namespace concord
