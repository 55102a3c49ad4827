#include "k8s/node/base/elf_interpreter.hpp"

#include <cstring>
#include <elf.h>

namespace troupe::k8s::node {

namespace {

/// Reads a structure at `offset`; false if the file is too short.
template <class T>
bool read_at(std::string_view file, std::uint64_t offset, T& out) {
  if (offset > file.size() || file.size() - offset < sizeof(T))
    return false;
  std::memcpy(&out, file.data() + offset, sizeof(T));
  return true;
}

bool has_part(const std::string& text, const char* part) {
  return text.find(part) != text.npos;
}

} // namespace

std::optional<std::string> find_elf_interpreter(std::string_view file) {
  Elf64_Ehdr header;
  if (!read_at(file, 0, header)
      || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0
      || header.e_ident[EI_CLASS] != ELFCLASS64
      || header.e_phentsize != sizeof(Elf64_Phdr))
    return std::nullopt;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part;
    if (!read_at(file, header.e_phoff + i * sizeof part, part))
      return std::nullopt;
    if (part.p_type != PT_INTERP)
      continue;
    if (part.p_offset > file.size()
        || file.size() - part.p_offset < part.p_filesz)
      return std::nullopt;
    auto text = file.substr(part.p_offset, part.p_filesz);
    return std::string{text.substr(0, text.find('\0'))};
  }
  return std::string{};
}

preload_obstacle
find_preload_obstacle(const std::optional<std::string>& interpreter) {
  if (!interpreter)
    return {};
  if (interpreter->empty())
    return {false, "/bin/sh is linked statically"};
  if (has_part(*interpreter, "/ld-musl"))
    return {true, "/bin/sh has the C library musl, and the library is for "
                  "glibc"};
  return {};
}

} // namespace troupe::k8s::node
