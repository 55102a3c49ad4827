#include "actors/cli/local/refused_calls.hpp"

#include <utility>

namespace troupe::cli {

namespace {

constexpr std::size_t most_messages = 20;

class recording_client : public k8s::api {
public:
  recording_client(std::shared_ptr<k8s::api> client,
                   std::shared_ptr<refused_calls> into)
      : client_(std::move(client))
      , into_(std::move(into)) {}

  void send(k8s::request r, std::chrono::milliseconds limit,
            std::function<void(k8s::result<std::string>)> done) override {
    client_->send(std::move(r), limit,
                  [into = into_,
                   done = std::move(done)](k8s::result<std::string> answer) {
                    if (!answer)
                      into->record_if_forbidden(answer.error());
                    done(std::move(answer));
                  });
  }

  std::unique_ptr<k8s::watch_session> watch(k8s::request r,
                                            std::chrono::milliseconds idle,
                                            k8s::watch_sink sink) override {
    sink.ended = [into = into_, ended = std::move(sink.ended)](
                     k8s::result<k8s::nothing> how) {
      if (!how)
        into->record_if_forbidden(how.error());
      ended(std::move(how));
    };
    return client_->watch(std::move(r), idle, std::move(sink));
  }

private:
  std::shared_ptr<k8s::api> client_;
  std::shared_ptr<refused_calls> into_;
};

} // namespace

void refused_calls::record_if_forbidden(const k8s::failure& why) {
  if (why.code != k8s::ec::forbidden)
    return;
  std::lock_guard guard{mutex_};
  if (known_.size() < most_messages && known_.insert(why.message).second)
    fresh_.push_back(why.message);
}

std::vector<std::string> refused_calls::take_new_messages() {
  std::lock_guard guard{mutex_};
  return std::exchange(fresh_, {});
}

std::shared_ptr<k8s::api>
make_recording_client(std::shared_ptr<k8s::api> client,
                      std::shared_ptr<refused_calls> into) {
  return std::make_shared<recording_client>(std::move(client), std::move(into));
}

} // namespace troupe::cli
