// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstring>
#include <elf.h>
#include <set>

#include "base/files.hpp"
#include "check/test.hpp"

namespace concord::check {
namespace {

/// Element i of an array at `offset`, if the file is long enough to hold it.
template <class T>
T at(const std::string& bytes, uint64_t offset, uint64_t i = 0) {
  T value{};
  const uint64_t from = offset + i * sizeof(T);
  if (from > bytes.size() || bytes.size() - from < sizeof(T)) throw Failure("the file is cut off");
  std::memcpy(&value, bytes.data() + from, sizeof(T));
  return value;
}

/// Made by the linker in every library, when no version script hides them.
bool is_linkers(const std::string& name) {
  static const std::set<std::string> names = {"_init", "_fini", "_edata", "_end", "__bss_start"};
  return names.count(name) != 0;
}

}  // namespace

std::vector<std::string> exported_symbols(const std::filesystem::path& file) {
  const std::string bytes = read_whole_file(file);
  const auto header = at<Elf64_Ehdr>(bytes, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
    throw Failure("it is no 64-bit ELF library");
  std::vector<std::string> exported;
  for (uint64_t i = 0; i < header.e_shnum; ++i) {
    const auto section = at<Elf64_Shdr>(bytes, header.e_shoff, i);
    if (section.sh_type != SHT_DYNSYM) continue;
    const auto strings = at<Elf64_Shdr>(bytes, header.e_shoff, section.sh_link);
    for (uint64_t s = 0; s < section.sh_size / sizeof(Elf64_Sym); ++s) {
      const auto symbol = at<Elf64_Sym>(bytes, section.sh_offset, s);
      const auto visibility = ELF64_ST_VISIBILITY(symbol.st_other);
      if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_BIND(symbol.st_info) == STB_LOCAL ||
          visibility == STV_HIDDEN || visibility == STV_INTERNAL)
        continue;
      const uint64_t from = strings.sh_offset + symbol.st_name;
      if (from >= bytes.size()) throw Failure("the file is cut off");
      std::string name(bytes.c_str() + from);
      if (!is_linkers(name)) exported.push_back(std::move(name));
    }
  }
  std::sort(exported.begin(), exported.end());
  return exported;
}

}  // namespace concord::check
