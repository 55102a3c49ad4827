#pragma once

#include <cstddef>
#include <malloc.h>

namespace troupe::actors {

/// Reading a text of this size leaves much free memory between blocks that stay
/// in use.
inline constexpr std::size_t large_text = 512u << 10;

/// To be called at the start of the process. The memory of a large text is
/// returned to the system when the text is freed. Without this, glibc keeps it,
/// because it raises its limit after the first one.
inline void make_heap_return_large_texts() {
  constexpr int large = 128 << 10;
  mallopt(M_MMAP_THRESHOLD, large);
}

/// Returns to the system the memory that is free inside the heaps of all
/// threads.
inline void return_free_memory() {
  malloc_trim(0);
}

} // namespace troupe::actors
