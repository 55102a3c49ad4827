#include "actors/reports/reports_under_way.hpp"

#include <utility>

namespace troupe::actors {

namespace {

namespace http = k8s::http;
using counter = std::shared_ptr<std::atomic<std::size_t>>;

class counted_writer : public http::response_writer {
public:
  counted_writer(http::response_writer_ptr back, counter count)
      : back_(std::move(back))
      , count_(std::move(count)) {}
  ~counted_writer() override { --*count_; }
  counted_writer(const counted_writer&) = delete;
  counted_writer& operator=(const counted_writer&) = delete;

  void reply(http::response r) override {
    r.headers["Connection"] = "close";
    back_->reply(std::move(r));
  }
  void start(http::response head) override { back_->start(std::move(head)); }
  void write(std::string piece) override { back_->write(std::move(piece)); }
  void finish() override { back_->finish(); }
  void on_disconnect(std::function<void()> gone) override {
    back_->on_disconnect(std::move(gone));
  }

private:
  http::response_writer_ptr back_;
  counter count_;
};

} // namespace

http::response_writer_ptr
reports_under_way::add_or_null(const http::response_writer_ptr& back) {
  if (++*count_ > most) {
    --*count_;
    return nullptr;
  }
  return std::make_shared<counted_writer>(back, count_);
}

} // namespace troupe::actors
