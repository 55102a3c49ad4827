#include "actors/cli/base/error_line.hpp"

#include "actors/admin/text/terminal_text.hpp"

#include <iostream>

namespace troupe::cli {

void print_error_line(const std::string& text) {
  std::cerr << actors::escape_control_characters_of_lines(text) << std::endl;
}

} // namespace troupe::cli
