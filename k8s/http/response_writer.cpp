#include "k8s/http/connection.hpp"

#include <boost/asio/post.hpp>

namespace troupe::k8s::http {

namespace {

class connection_response_writer : public response_writer {
public:
  connection_response_writer(std::shared_ptr<server_executor> executor,
                             std::weak_ptr<connection> c, std::uint64_t turn,
                             std::shared_ptr<std::atomic<std::size_t>> unsent)
      : executor_(std::move(executor))
      , client_(std::move(c))
      , turn_(turn)
      , unsent_(std::move(unsent)) {}

  ~connection_response_writer() override {
    // Not at once: the answer may have been given on another thread and still
    // be on its way here.
    executor_->post([c = client_, turn = turn_] {
      if (auto here = c.lock())
        here->on_writer_dropped(turn);
    });
  }
  void reply(response r) override {
    run_on_connection(
        [r = std::move(r)](connection& c, std::uint64_t turn) mutable {
          c.reply(turn, std::move(r));
        });
  }
  void start(response head) override {
    run_on_connection(
        [h = std::move(head)](connection& c, std::uint64_t turn) mutable {
          c.start(turn, std::move(h));
        });
  }
  void write(std::string piece) override {
    *unsent_ += piece.size();
    run_on_connection(
        [p = std::move(piece)](connection& c, std::uint64_t turn) mutable {
          c.write(turn, std::move(p));
        });
  }
  void finish() override {
    run_on_connection(
        [](connection& c, std::uint64_t turn) { c.finish(turn); });
  }
  void on_disconnect(std::function<void()> gone) override {
    run_on_connection(
        [g = std::move(gone)](connection& c, std::uint64_t turn) mutable {
          c.on_disconnect(turn, std::move(g));
        });
  }

  std::size_t backlog() const override { return *unsent_; }
  void on_drained(std::function<void()> drained) override {
    run_on_connection(
        [d = std::move(drained)](connection& c, std::uint64_t turn) mutable {
          c.on_drained(turn, std::move(d));
        });
  }

  message_stream_ptr accept_websocket(const std::string& subprotocol,
                                      message_stream_events events) override {
    auto here = executor_->is_on_server_thread() ? client_.lock() : nullptr;
    return here ? here->accept_websocket(turn_, subprotocol, std::move(events))
                : nullptr;
  }

private:
  // The weak pointer is locked on the server's thread only, so that a
  // connection never dies on another one.
  template <class F>
  void run_on_connection(F f) {
    executor_->dispatch(
        [c = client_, turn = turn_, f = std::move(f)]() mutable {
          if (auto here = c.lock())
            f(*here, turn);
        });
  }

  std::shared_ptr<server_executor> executor_;
  std::weak_ptr<connection> client_;
  std::uint64_t turn_;
  std::shared_ptr<std::atomic<std::size_t>> unsent_;
};

} // namespace

response_writer_ptr
make_response_writer(std::shared_ptr<server_executor> executor,
                     std::weak_ptr<connection> c, std::uint64_t turn,
                     std::shared_ptr<std::atomic<std::size_t>> unsent) {
  return std::make_shared<connection_response_writer>(
      std::move(executor), std::move(c), turn, std::move(unsent));
}

void server_executor::dispatch(std::function<void()> task) {
  if (is_on_server_thread())
    return task();
  post(std::move(task));
}

void server_executor::post(std::function<void()> task) {
  std::lock_guard guard{lock};
  if (io)
    boost::asio::post(*io, std::move(task));
}

} // namespace troupe::k8s::http
