#include "actors/program_pages.hpp"

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <link.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace troupe::actors {

namespace {

bool is_traced() {
  std::ifstream status{"/proc/self/status"};
  std::string line;
  while (std::getline(status, line))
    if (line.rfind("TracerPid:", 0) == 0)
      return line.find_first_not_of("0 \t", line.find(':') + 1)
             != std::string::npos;
  return true; // Unknown.
}

/// For dl_iterate_phdr: the program, and each library. Writable segments
/// contain what the loader has relocated, also where it has made them read-only
/// since.
int release_read_only_segments(dl_phdr_info* object, std::size_t, void*) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0)
      continue;
    auto begin = object->dlpi_addr + segment.p_vaddr;
    auto end = begin + segment.p_memsz;
    begin = begin / page * page;
    end = (end + page - 1) / page * page;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): so the loader has it.
    auto* pages = reinterpret_cast<void*>(begin);
    ::madvise(pages, end - begin, MADV_DONTNEED); // If that fails, they stay.
  }
  return 0;
}

} // namespace

void release_clean_program_pages() {
  if (!is_traced())
    ::dl_iterate_phdr(release_read_only_segments, nullptr);
}

} // namespace troupe::actors
