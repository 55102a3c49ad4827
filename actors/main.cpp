#include "actors/base/heap.hpp"
#include "actors/cli/commands/commands.hpp"

int main(int argc, char** argv) {
  troupe::actors::return_large_texts_at_once();
  return troupe::cli::run_program({argv, argv + argc});
}
