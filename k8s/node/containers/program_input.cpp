#include "k8s/node/containers/program_input.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

#include <sys/ioctl.h>

namespace troupe::k8s::node {

namespace asio = boost::asio;

namespace {

constexpr char end_of_transmission = 4;

} // namespace

program_input::program_input(asio::io_context& io, int fd, bool is_terminal)
    : pipe_(io, fd)
    , is_terminal_(is_terminal) {}

program_input::~program_input() {
  *alive_ = false;
}

void program_input::write(std::string bytes, std::function<void()> taken) {
  if (is_closing_ || !pipe_.is_open()) {
    asio::post(pipe_.get_executor(), std::move(taken));
    return;
  }
  pieces_.push_back({std::move(bytes), std::move(taken)});
  if (pieces_.size() == 1)
    write_next();
}

void program_input::write_next() {
  asio::async_write(
      pipe_, asio::buffer(pieces_.front().bytes),
      [this, alive = alive_](boost::system::error_code error, std::size_t) {
        if (!*alive)
          return;
        if (error) // The program reads no more; what comes is thrown away.
          pipe_.close(error);
        auto taken = std::move(pieces_.front().taken);
        pieces_.pop_front();
        if (!pieces_.empty())
          write_next();
        else if (is_closing_)
          close_after_pending_writes();
        taken();
      });
}

void program_input::close_after_pending_writes() {
  is_closing_ = !pieces_.empty();
  if (is_closing_ || !pipe_.is_open())
    return;
  if (is_terminal_)
    write({end_of_transmission}, [] {});
  else
    pipe_.close();
}

void program_input::resize_terminal(std::uint16_t width, std::uint16_t height) {
  winsize size{};
  size.ws_col = width;
  size.ws_row = height;
  if (is_terminal_ && pipe_.is_open())
    ::ioctl(pipe_.native_handle(), TIOCSWINSZ, &size);
}

} // namespace troupe::k8s::node
