// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <cstring>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/text_lines.hpp"
#include "data/numpy.hpp"

namespace concord {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are little-endian");

/// What follows 'key': in the dictionary of a header, which Python writes.
std::string_view after_key(std::string_view header, std::string_view key) {
  const size_t at = header.find(key);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = header.substr(at + key.size());
  return rest.substr(std::min(rest.find_first_not_of(" :"), rest.size()));
}

/// Bytes of one number of this type; 0: it is unknown.
size_t width_of(const std::string& type) {
  const auto size = number_in<size_t>(std::string_view(type).substr(std::min<size_t>(2, type.size())));
  return size.value_or(0) * (type.size() > 1 && type[1] == 'U' ? 4 : 1);
}

template <class Number>
double at(std::string_view numbers, int64_t i) {
  Number value;
  std::memcpy(&value, numbers.data() + static_cast<size_t>(i) * sizeof(value), sizeof(value));
  return static_cast<double>(value);
}

}  // namespace

NumpyHeader parse_numpy_header(std::string_view begin, const std::string& name) {
  const auto refuse = [&](const std::string& why) { fail(Fault::input, About{name, name}, "{}", why); };
  if (!begin.starts_with("\x93NUMPY")) refuse("it is no NumPy array");
  if (begin.size() < 12) refuse("it is cut off");
  const auto byte = [&](size_t i) { return size_t{static_cast<unsigned char>(begin[i])}; };
  const size_t version = byte(6);
  NumpyHeader header;
  size_t length = byte(8) | byte(9) << 8;
  header.size = 10;
  if (version > 1) {
    length |= byte(10) << 16 | byte(11) << 24;
    header.size = 12;
  }
  if (version < 1 || version > 3 || length > 65536) refuse("its header is of an unknown version");
  if (length > begin.size() - header.size) refuse("it is cut off");
  const std::string_view text = begin.substr(header.size, length);
  header.size += length;

  const std::string_view type = after_key(text, "'descr'");
  if (!type.starts_with('\'') || type.find('\'', 1) == std::string_view::npos)
    refuse("its header has no type of numbers");
  header.type = type.substr(1, type.find('\'', 1) - 1);
  const std::string_view order = after_key(text, "'fortran_order'");
  if (!order.starts_with("True") && !order.starts_with("False")) refuse("its header has no order");
  header.fortran = order.starts_with("True");
  std::string_view shape = after_key(text, "'shape'");
  if (!shape.starts_with('(') || shape.find(')') == std::string_view::npos) refuse("its header has no shape");
  const std::string whole(shape.substr(0, shape.find(')') + 1));
  shape = std::string_view(whole).substr(1, whole.size() - 2);
  while (!without_blanks(shape).empty()) {
    const size_t comma = std::min(shape.find(','), shape.size());
    const auto extent = number_in<int64_t>(without_blanks(shape.substr(0, comma)));
    if (!extent || *extent < 0) refuse("its shape is " + whole);
    header.shape.push_back(*extent);
    shape.remove_prefix(std::min(comma + 1, shape.size()));
  }
  return header;
}

int64_t NumpyArray::count() const {
  int64_t product = 1;
  for (const int64_t extent : header.shape) product *= extent;
  return product;
}

bool NumpyArray::is_numeric() const {
  for (const char* type : {"|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8"})
    if (header.type == type) return true;
  return false;
}

double NumpyArray::number(int64_t i) const {
  const char kind = header.type[1];
  switch (width) {
    case 1:
      return kind == 'i' ? at<int8_t>(numbers, i) : at<uint8_t>(numbers, i);
    case 2:
      return kind == 'i' ? at<int16_t>(numbers, i) : at<uint16_t>(numbers, i);
    case 4:
      return kind == 'f'   ? at<float>(numbers, i)
             : kind == 'i' ? at<int32_t>(numbers, i)
                           : at<uint32_t>(numbers, i);
    default:
      return kind == 'f'   ? at<double>(numbers, i)
             : kind == 'i' ? at<int64_t>(numbers, i)
                           : at<uint64_t>(numbers, i);
  }
}

std::string NumpyArray::text() const {
  std::string letters;
  for (const char letter : numbers)
    if (letter != '\0') letters += letter;
  return letters;
}

NumpyArray parse_numpy(std::string_view bytes, const std::string& name) {
  NumpyArray array{parse_numpy_header(bytes, name), {}, name};
  array.width = width_of(array.header.type);
  const auto refuse = [&](const std::string& why) { fail(Fault::input, About{name, name}, "{}", why); };
  if (array.header.type.find('O') != std::string::npos)
    refuse("its numbers are Python objects (allow_pickle), which are not read");
  if (array.width == 0) refuse("its numbers are of the unknown type " + quote(array.header.type));
  array.numbers = bytes.substr(array.header.size);
  uint64_t left = array.numbers.size() / array.width;
  for (const int64_t extent : array.header.shape) {
    if (extent == 0) left = 0;
    if (extent > 0) left /= static_cast<uint64_t>(extent);
  }
  const bool empty =
      std::find(array.header.shape.begin(), array.header.shape.end(), 0) != array.header.shape.end();
  // The quotient bounds the product, which then cannot overflow.
  if (empty ? !array.numbers.empty()
            : left == 0 || static_cast<uint64_t>(array.count()) * array.width != array.numbers.size())
    refuse(fmt::format("its shape ({}) of type {} does not fit its {} bytes",
                       fmt::join(array.header.shape, ", "), array.header.type, array.numbers.size()));
  return array;
}

std::string numpy_bytes(const std::string& type, const std::string& shape, std::string_view numbers) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", type, shape);
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string bytes = "\x93NUMPY";
  bytes += {'\x01', '\0', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  bytes += header;
  return bytes.append(numbers);
}

}  // namespace concord
