#include "actors/base/heap.hpp"
#include "actors/cli/base/bundled_libraries.hpp"
#include "actors/cli/commands/commands.hpp"

#include <csignal>

int main(int argc, char** argv) {
  troupe::cli::adapt_to_bundled_libraries();
  // Whoever started us may have ignored it; then the kernel would not tell how
  // our children end.
  std::signal(SIGCHLD, SIG_DFL);
  troupe::actors::make_heap_return_large_texts();
  return troupe::cli::run_program({argv, argv + argc});
}
