#pragma once

#include "k8s/result.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace troupe::k8s::node {

/// The standard streams of a program that is about to start: pipes, or a pseudo
/// terminal. Closes descriptors that nobody has taken.
class program_streams {
public:
  program_streams() = default;
  program_streams(const program_streams&) = delete;
  program_streams& operator=(const program_streams&) = delete;
  ~program_streams();

  /// Without input the program reads /dev/null. Errors go into the output
  /// unless `separate_errors`; with a terminal they always do.
  std::optional<failure> open_pipes_or_terminal(bool has_input,
                                                bool is_terminal,
                                                bool separate_errors);

  /// The program's ends with their numbers there, for child_command.
  std::vector<std::pair<int, int>> descriptors_of_program() const;

  // Our ends, which the caller must close; -1 if there is none, or after the
  // first call. With a terminal, input and output are descriptors of the same
  // end.
  int take_input_fd();
  int take_output_fd();
  int take_errors_fd();

private:
  bool open_pipe(int program_stream, bool program_writes);
  bool open_terminal();

  int ours_[3] = {-1, -1, -1};
  int programs_[3] = {-1, -1, -1};
};

} // namespace troupe::k8s::node
