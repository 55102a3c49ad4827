#pragma once

#include <cstddef>
#include <malloc.h>

namespace troupe::actors {

/// Reading a text of this size leaves much free memory between what stays.
inline constexpr std::size_t large_text = 512u << 10;

/// At the start of the process. Large texts go back to the system when they are
/// released; without this glibc keeps them, because it raises its limit when
/// one is.
inline void return_large_texts_at_once() {
  constexpr int large = 128 << 10;
  mallopt(M_MMAP_THRESHOLD, large);
}

/// Gives the system what is free inside the heaps of all threads.
inline void return_free_memory() {
  malloc_trim(0);
}

} // namespace troupe::actors
