// SPDX-License-Identifier: MIT
#include "model/blocks.hpp"

#include <bit>
#include <limits>

namespace concord {

// Little-endian on any host; compilers make one move of each loop where the host is.
void append_u64(std::string& bytes, uint64_t value) {
  for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>((value >> shift) & 0xff);
}

uint64_t read_u64(std::string_view bytes, size_t at) {
  uint64_t value = 0;
  for (size_t i = 0; i < 8; ++i) value |= uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  return value;
}

void BlockWriter::append(const char* name, const double* numbers, int64_t count,
                         std::initializer_list<int64_t> shape) {
  described_[name] = {{"offset", bytes_.size()}, {"shape", shape}};
  for (int64_t i = 0; i < count; ++i) append_u64(bytes_, std::bit_cast<uint64_t>(numbers[i]));
}

void BlockWriter::matrix(const char* name, const RowMatrix& matrix) {
  append(name, matrix.data(), matrix.size(), {matrix.rows(), matrix.cols()});
}

void BlockWriter::vector(const char* name, const Eigen::VectorXd& vector) {
  append(name, vector.data(), vector.size(), {vector.size()});
}

const BlockReader::Json& BlockReader::member(const Json& object, const char* key) const {
  if (!object.is_object() || !object.contains(key)) refuse("its header has no {}", key);
  return object.at(key);
}

uint64_t BlockReader::unsigned_member(const Json& object, const char* key) const {
  const Json& value = member(object, key);
  if (!value.is_number_unsigned()) refuse("{} in its header is not an integer >= 0", key);
  return value.get<uint64_t>();
}

int64_t BlockReader::extent(const Json& value, const char* what) const {
  constexpr uint64_t most = std::numeric_limits<int64_t>::max();
  if (!value.is_number_unsigned() || value.get<uint64_t>() > most)
    refuse("{} in its header is not a size", what);
  return value.get<int64_t>();
}

std::vector<std::string> BlockReader::names(const char* key) const {
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
std::vector<int64_t> BlockReader::shape(const char* name, size_t dimensions) const {
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

void BlockReader::fill(double* numbers, int64_t count) {
  for (int64_t i = 0; i < count; ++i, used_ += 8)
    numbers[i] = std::bit_cast<double>(read_u64(blocks_, used_));
}

RowMatrix BlockReader::matrix(const char* name) {
  const std::vector<int64_t> extents = shape(name, 2);
  RowMatrix result(extents[0], extents[1]);
  fill(result.data(), result.size());
  return result;
}

Eigen::VectorXd BlockReader::vector(const char* name) {
  Eigen::VectorXd result(shape(name, 1)[0]);
  fill(result.data(), result.size());
  return result;
}

void BlockReader::require_end() const {
  if (used_ != blocks_.size()) refuse("{} bytes follow its last block", blocks_.size() - used_);
}

}  // namespace concord
