#include "actors/cli/commands.hpp"

int main(int argc, char** argv) {
  return troupe::cli::run_program({argv, argv + argc});
}
