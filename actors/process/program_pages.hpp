#pragma once

#include <cstdint>
#include <vector>

namespace troupe::actors {

/// A part of the program or of a library: its addresses, in whole pages.
struct program_segment {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

/// Those that can be read only. Not those that are writable in the file, also
/// where the loader has made them read-only after it relocated what they
/// contain.
std::vector<program_segment> list_read_only_segments();

/// Takes the pages of the program and its libraries that nothing has written to
/// out of this process's resident memory (MADV_DONTNEED). Those still needed
/// come back from the page cache when they are used. To be called after the
/// start, which reads symbol tables and runs code that are not used later. Does
/// nothing under a debugger, whose breakpoints are writes to such pages.
void release_clean_program_pages();

} // namespace troupe::actors
