#include "actors/cli/progress/exit_cause.hpp"

namespace troupe::cli {

std::string likely_exit_cause(std::int64_t exit_code) {
  switch (exit_code) {
  case 126:
    return "a command could not be executed (its mode, or its format)";
  case 127:
    return "a command, or a shared library, was not found";
  case 132:
    return "an instruction that this processor does not have (SIGILL)";
  case 134:
    return "the program aborted itself (SIGABRT)";
  case 135:
    return "an access to memory that is not there (SIGBUS); is /dev/shm full?";
  case 136:
    return "an error of arithmetic (SIGFPE)";
  case 137:
    return "killed (SIGKILL), as by the kernel when memory runs out";
  case 139:
    return "the program crashed (SIGSEGV)";
  case 143:
    return "told to end (SIGTERM)";
  default:
    return "";
  }
}

} // namespace troupe::cli
