#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>

namespace troupe::k8s::node {

/// Our end of a program's standard input. For one io_context, where SIGPIPE
/// must be ignored or blocked.
class program_input {
public:
  /// Owns the descriptor, which is of a pipe or of a terminal.
  program_input(boost::asio::io_context& io, int fd, bool is_terminal);
  ~program_input();

  program_input(const program_input&) = delete;
  program_input& operator=(const program_input&) = delete;

  /// `taken` is called later, when there is room for more, or when the program
  /// no longer reads.
  void write(std::string bytes, std::function<void()> taken);
  /// The program reads the end after all that was written. A terminal cannot be
  /// closed: it gets the character that means the end.
  void close_after_pending_writes();
  /// Does nothing for a pipe.
  void resize_terminal(std::uint16_t width, std::uint16_t height);

private:
  struct piece {
    std::string bytes;
    std::function<void()> taken;
  };

  void write_next();

  boost::asio::posix::stream_descriptor pipe_;
  const bool is_terminal_;
  bool is_closing_ = false;
  std::deque<piece> pieces_; ///< The first is being written.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

} // namespace troupe::k8s::node
