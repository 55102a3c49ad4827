#pragma once

#include "k8s/result.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace troupe::k8s {

/// One container of a pod.
struct container_ref {
  std::string ns;
  std::string pod;
  std::string container;
};

/// The options of GET pods/NAME/exec, or of attach, which has no command.
struct exec_options {
  std::vector<std::string> command;
  bool has_stdin = false;
  bool has_stdout = false;
  bool has_stderr = false;
  bool tty = false; ///< Then output and errors are one stream.
};

enum class output_stream : std::uint8_t { standard_output, standard_error };

/// Receives the output of a session. Called on a thread of the runtime, one
/// call at a time.
struct session_sink {
  std::function<void(output_stream, std::string)> output;
  /// Whether the sink takes more output now; if not, the session waits for
  /// `resume_output`.
  std::function<bool()> is_ready;
  /// The bytes given to `write_input` have been passed on.
  std::function<void()> on_input_taken;
  /// Called once, as the last: the exit code, or why there is none, for the
  /// user.
  std::function<void(result<int>)> end;
};

/// A command that runs in a container, the streams of a container, or a
/// connection to a pod. Thread-safe. Dropping it ends the command, or closes
/// the connection; the sink may be called until that has happened.
class stream_session {
public:
  virtual ~stream_session() = default;
  /// One call at a time: the next only after on_input_taken.
  virtual void write_input(std::string bytes) = 0;
  virtual void close_input() = 0;
  /// In columns and rows.
  virtual void resize_terminal(std::uint16_t width, std::uint16_t height) = 0;
  virtual void resume_output() = 0;
};

using stream_session_ptr = std::shared_ptr<stream_session>;

/// The runner of pods' containers: the node. Thread-safe. A session that cannot
/// be begun ends with a text for the user.
class streaming_runtime {
public:
  virtual ~streaming_runtime() = default;

  virtual stream_session_ptr exec(const container_ref& where,
                                  exec_options options, session_sink to) = 0;
  /// The streams of the container's own program, from now on.
  virtual stream_session_ptr attach(const container_ref& where,
                                    const exec_options& options,
                                    session_sink to) = 0;
  /// A TCP connection to a port of the pod: its bytes are the input and the
  /// standard output. Its end has exit code 0.
  virtual stream_session_ptr forward_port(const std::string& ns,
                                          const std::string& pod,
                                          std::uint16_t port,
                                          session_sink to) = 0;
};

} // namespace troupe::k8s
