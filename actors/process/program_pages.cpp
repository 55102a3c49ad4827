#include "actors/process/program_pages.hpp"

#include <cstddef>
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

/// For dl_iterate_phdr.
int add_read_only_segments(dl_phdr_info* object, std::size_t, void* segments) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& header = object->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || (header.p_flags & PF_W) != 0)
      continue;
    auto begin = object->dlpi_addr + header.p_vaddr;
    auto end = begin + header.p_memsz;
    static_cast<std::vector<program_segment>*>(segments)->push_back(
        {begin / page * page, (end + page - 1) / page * page});
  }
  return 0;
}

} // namespace

std::vector<program_segment> list_read_only_segments() {
  std::vector<program_segment> result;
  ::dl_iterate_phdr(add_read_only_segments, &result);
  return result;
}

void release_clean_program_pages() {
  if (is_traced())
    return;
  for (const auto& segment : list_read_only_segments()) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): so the loader has it.
    auto* pages = reinterpret_cast<void*>(segment.begin);
    // Where that fails, the pages stay.
    ::madvise(pages, segment.end - segment.begin, MADV_DONTNEED);
  }
}

} // namespace troupe::actors
