#pragma once

namespace troupe::actors {

/// Takes the pages of the program and its libraries that nothing has written to
/// out of this process's resident memory (MADV_DONTNEED). Those still needed
/// come back from the page cache when they are used. To be called after the
/// start, which reads symbol tables and runs code that are not used later. Does
/// nothing under a debugger, whose breakpoints are writes to such pages.
void release_clean_program_pages();

} // namespace troupe::actors
