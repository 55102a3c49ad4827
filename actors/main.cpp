#include "actors/base/heap.hpp"
#include "actors/cli/commands/commands.hpp"

int main(int argc, char** argv) {
  troupe::actors::make_heap_return_large_texts();
  return troupe::cli::run_program({argv, argv + argc});
}
