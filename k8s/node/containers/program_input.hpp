#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>

namespace troupe::k8s::node {

/// What a program reads as its standard input, from our side. Lives on one
/// io_context. SIGPIPE must be ignored or blocked there.
class program_input {
public:
  /// Takes the descriptor: of a pipe, or of a terminal.
  program_input(boost::asio::io_context& io, int fd, bool is_terminal);
  ~program_input();

  program_input(const program_input&) = delete;
  program_input& operator=(const program_input&) = delete;

  /// `taken` is called later, when the program has room for more; also if it
  /// reads no more at all.
  void write(std::string bytes, std::function<void()> taken);
  /// The program reads the end after what has been written. A terminal has no
  /// end: it is told the character that means it.
  void close_after_pending_writes();
  /// Of the terminal.
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
