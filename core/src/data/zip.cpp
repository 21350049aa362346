// SPDX-License-Identifier: MIT
// ZIP as NumPy writes and reads it: entries that are stored or deflated, with 64-bit sizes where a writer uses them.
#include <algorithm>
#include <cstring>
#include <zlib.h>

#include "base/error.hpp"
#include "base/pinned.hpp"
#include "base/text.hpp"
#include "data/numpy.hpp"

namespace concord {
namespace {

constexpr uint32_t kEndOfDirectory = 0x06054b50, kDirectoryEntry = 0x02014b50, kLocalEntry = 0x04034b50,
                   kEnd64 = 0x06064b50, kLocator64 = 0x07064b50;

class ZipReader {
 public:
  ZipReader(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  std::map<std::string, std::string> read() {
    size_t at = find_directory();
    std::map<std::string, std::string> entries;
    for (uint64_t i = 0; i < count_; ++i) {
      if (number<uint32_t>(at) != kDirectoryEntry) refuse("its directory is broken");
      const size_t name_size = number<uint16_t>(at + 28), extra = number<uint16_t>(at + 30);
      Entry entry{number<uint16_t>(at + 10), number<uint32_t>(at + 16), number<uint32_t>(at + 20),
                  number<uint32_t>(at + 24), number<uint32_t>(at + 42)};
      const std::string name(part(at + 46, name_size));
      read_extra(part(at + 46 + name_size, extra), entry);
      if ((number<uint16_t>(at + 8) & 1) != 0) refuse("its entry " + quote(name) + " is encrypted");
      // Entries may not share their bytes, so that all of them are bounded as one is.
      if (entry.packed > bytes_.size() - taken_) refuse("its entries overlap");
      taken_ += entry.packed;
      if (!entries.emplace(name, unpack(name, entry)).second)
        refuse("it has the entry " + quote(name) + " twice");
      at += 46 + name_size + extra + number<uint16_t>(at + 32);
    }
    return entries;
  }

 private:
  struct Entry {
    uint16_t method;
    uint32_t checksum;
    uint64_t packed, size, place;
  };

  [[noreturn]] void refuse(const std::string& why) const {
    fail(Fault::input, About{name_, name_}, "{}; numpy.savez and scipy.sparse.save_npz write such files",
         why);
  }

  std::string_view part(size_t at, size_t size) const {
    if (at > bytes_.size() || size > bytes_.size() - at) refuse("it is cut off");
    return bytes_.substr(at, size);
  }

  template <class Number>
  Number number(size_t at) const {
    Number value;
    std::memcpy(&value, part(at, sizeof(value)).data(), sizeof(value));
    return value;
  }

  /// The place of the directory, behind all entries.
  size_t find_directory() {
    constexpr size_t kSize = 22, kMostComment = 65535;
    if (bytes_.size() < kSize) refuse("it is cut off");
    size_t at = bytes_.size() - kSize;
    const size_t least = at > kMostComment ? at - kMostComment : 0;
    while (number<uint32_t>(at) != kEndOfDirectory) {
      if (at == least) refuse("it is no ZIP file, or cut off");
      --at;
    }
    count_ = number<uint16_t>(at + 10);
    const auto place = number<uint32_t>(at + 16);
    if (count_ != 0xffff && place != 0xffffffff) return place;
    if (at < 20 || number<uint32_t>(at - 20) != kLocator64) return place;
    const auto end = number<uint64_t>(at - 12);
    if (number<uint32_t>(end) != kEnd64) refuse("its directory is broken");
    count_ = number<uint64_t>(end + 32);
    return number<uint64_t>(end + 48);
  }

  /// 64-bit sizes stand in the order of the fields that are full.
  static void read_extra(std::string_view extra, Entry& entry) {
    while (extra.size() >= 4) {
      uint16_t kind = 0, size = 0;
      std::memcpy(&kind, extra.data(), 2);
      std::memcpy(&size, extra.data() + 2, 2);
      std::string_view field = extra.substr(4, size);
      if (kind == 1)
        for (uint64_t* value : {&entry.size, &entry.packed, &entry.place})
          if (*value == 0xffffffff && field.size() >= 8) {
            std::memcpy(value, field.data(), 8);
            field.remove_prefix(8);
          }
      extra.remove_prefix(std::min<size_t>(extra.size(), 4 + size_t{size}));
    }
  }

  std::string unpack(const std::string& name, const Entry& entry) const {
    if (number<uint32_t>(entry.place) != kLocalEntry) refuse("its entry " + quote(name) + " is broken");
    const size_t head = 30 + number<uint16_t>(entry.place + 26) + number<uint16_t>(entry.place + 28);
    const std::string_view packed = part(entry.place + head, entry.packed);
    std::string bytes;
    if (entry.method == 0)
      bytes = packed;
    else if (entry.method == 8)
      bytes = inflated(packed, entry.size, name);
    else
      refuse(fmt::format("its entry {} is compressed by method {}", quote(name), entry.method));
    if (bytes.size() != entry.size ||
        crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()) != entry.checksum)
      refuse("its entry " + quote(name) + " does not match its checksum");
    return bytes;
  }

  /// zlib's state, freed in any case.
  struct Inflater : Pinned {
    z_stream stream{};
    Inflater() {
      if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) fail(Fault::io, "zlib cannot be used");
    }
    ~Inflater() { inflateEnd(&stream); }
  };

  std::string inflated(std::string_view packed, uint64_t claimed, const std::string& name) const {
    constexpr uint64_t kMostRatio = 1032;  // of deflate: more is a lie
    if (claimed / kMostRatio > packed.size() + 1)
      refuse(fmt::format("its entry {} claims {} bytes, and {} cannot hold so many", quote(name), claimed,
                         packed.size()));
    constexpr size_t kStep = size_t{1} << 26;  // zlib counts in 32 bits
    Inflater inflater;
    z_stream& stream = inflater.stream;
    std::string bytes(claimed, '\0');
    size_t in = 0, out = 0;
    int status = Z_OK;
    while (status == Z_OK) {
      const auto given = static_cast<uInt>(std::min(kStep, packed.size() - in));
      const auto room = static_cast<uInt>(std::min(kStep, bytes.size() - out));
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + in));
      stream.avail_in = given;
      stream.next_out = reinterpret_cast<Bytef*>(bytes.data() + out);
      stream.avail_out = room;
      status = inflate(&stream, Z_NO_FLUSH);
      in += given - stream.avail_in;
      out += room - stream.avail_out;
      if (status == Z_OK && given == stream.avail_in && room == stream.avail_out) break;
    }
    if (status != Z_STREAM_END || out != claimed) refuse("its entry " + quote(name) + " cannot be unpacked");
    return bytes;
  }

  std::string_view bytes_;
  const std::string& name_;
  uint64_t count_ = 0, taken_ = 0;
};

template <class Number>
void append(std::string& bytes, Number value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

/// What local entries and those of the directory share, from the version on. Sizes stand in a field of 64 bits.
std::string entry_fields(uint32_t checksum) {
  std::string fields;
  append<uint16_t>(fields, 45);                             // version
  for (int i = 0; i < 2; ++i) append<uint16_t>(fields, 0);  // flags, method
  append<uint16_t>(fields, 0);                              // time
  append<uint16_t>(fields, 33);                             // 1 January 1980
  append(fields, checksum);
  append(fields, ~uint32_t{0});
  append(fields, ~uint32_t{0});
  return fields;
}

}  // namespace

std::map<std::string, std::string> unzip(std::string_view bytes, const std::string& name) {
  return ZipReader(bytes, name).read();
}

std::string zip(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string bytes, directory;
  for (const auto& [name, content] : entries) {
    const auto place = static_cast<uint64_t>(bytes.size());
    const auto checksum =
        static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
    const auto name_size = static_cast<uint16_t>(name.size());
    append(bytes, kLocalEntry);
    bytes += entry_fields(checksum);
    append(bytes, name_size);
    append<uint16_t>(bytes, 20);
    bytes += name;
    append<uint16_t>(bytes, 1);
    append<uint16_t>(bytes, 16);
    append<uint64_t>(bytes, content.size());
    append<uint64_t>(bytes, content.size());
    bytes += content;

    append(directory, kDirectoryEntry);
    append<uint16_t>(directory, 45);
    directory += entry_fields(checksum);
    append(directory, name_size);
    append<uint16_t>(directory, 28);
    for (int i = 0; i < 3; ++i) append<uint16_t>(directory, 0);  // comment, disk, internal attributes
    append<uint32_t>(directory, 0);
    append(directory, ~uint32_t{0});
    directory += name;
    append<uint16_t>(directory, 1);
    append<uint16_t>(directory, 24);
    append<uint64_t>(directory, content.size());
    append<uint64_t>(directory, content.size());
    append<uint64_t>(directory, place);
  }
  const auto at = static_cast<uint64_t>(bytes.size());
  bytes += directory;
  const auto end = static_cast<uint64_t>(bytes.size());
  append(bytes, kEnd64);
  append<uint64_t>(bytes, 44);
  append<uint16_t>(bytes, 45);
  append<uint16_t>(bytes, 45);
  append<uint64_t>(bytes, 0);  // this disk, that of the directory
  append<uint64_t>(bytes, entries.size());
  append<uint64_t>(bytes, entries.size());
  append<uint64_t>(bytes, directory.size());
  append<uint64_t>(bytes, at);
  append(bytes, kLocator64);
  append<uint32_t>(bytes, 0);
  append<uint64_t>(bytes, end);
  append<uint32_t>(bytes, 1);
  append(bytes, kEndOfDirectory);
  append<uint32_t>(bytes, 0);
  append<uint16_t>(bytes, static_cast<uint16_t>(entries.size()));
  append<uint16_t>(bytes, static_cast<uint16_t>(entries.size()));
  append<uint32_t>(bytes, static_cast<uint32_t>(std::min<uint64_t>(directory.size(), ~uint32_t{0})));
  append(bytes, ~uint32_t{0});
  append<uint16_t>(bytes, 0);
  return bytes;
}

}  // namespace concord
