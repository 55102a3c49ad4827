#include "k8s/node/base/node_client.hpp"

#include "k8s/node/base/pod_fields.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>

namespace troupe::k8s::node {

using namespace std::chrono_literals;

namespace {

constexpr auto call_limit = 30s;
constexpr std::chrono::milliseconds retry_pause = 500ms;
constexpr std::chrono::milliseconds longest_retry_pause = 4s;
/// Longer than kubectl takes from a deletion to its watch, some 20 ms.
constexpr auto removal_pause = 200ms;

} // namespace

void node_client::send(request r, answer_handler handle) {
  client_->send(
      std::move(r), call_limit,
      [io = io_, handle = std::move(handle)](result<std::string> answer) {
        if (handle)
          boost::asio::post(
              *io, [handle, answer = std::move(answer)] { handle(answer); });
      });
}

void node_client::run_after(std::chrono::milliseconds pause,
                            std::function<void()> task) {
  auto timer = std::make_shared<boost::asio::steady_timer>(*io_, pause);
  timer->async_wait([timer, task = std::move(task)](auto error) {
    if (!error)
      task();
  });
}

void node_client::run_after_retry_pause(std::function<void()> task) {
  run_after(retry_pause, std::move(task));
}

void node_client::send_with_retries(request r, answer_handler handle) {
  send_and_retry(std::move(r), std::move(handle), retry_pause);
}

void node_client::send_and_retry(request r, answer_handler handle,
                                 std::chrono::milliseconds pause) {
  send(r, [this, r, handle = std::move(handle),
           pause](const result<std::string>& answer) {
    if (!answer && answer.error().is_retryable())
      run_after(pause, [this, r, handle, pause] {
        send_and_retry(r, handle, std::min(2 * pause, longest_retry_pause));
      });
    else if (handle)
      handle(answer);
  });
}

void node_client::delete_pod_after_pause(const json& pod) {
  run_after(removal_pause, [this, ref = pod_ref(pod), uid = uid_of(pod)] {
    send_with_retries(k8s::remove(ref, uid, 0));
  });
}

void node_client::send_event(const json& pod, const char* type,
                             const std::string& reason,
                             const std::string& message) {
  auto ref = pod_ref(pod);
  auto now = to_rfc3339(std::chrono::system_clock::now());
  json body{
      {"apiVersion", "v1"},
      {"kind", "Event"},
      {"metadata", {{"generateName", ref.name + "."}, {"namespace", ref.ns}}},
      {"involvedObject",
       {{"apiVersion", "v1"},
        {"kind", "Pod"},
        {"namespace", ref.ns},
        {"name", ref.name},
        {"uid", uid_of(pod)}}},
      {"type", type},
      {"reason", reason},
      {"message", message},
      {"source", {{"component", "troupe-node"}}},
      {"count", 1},
      {"firstTimestamp", now},
      {"lastTimestamp", now}};
  send(create(resources::events, ref.ns, to_text(body)));
}

} // namespace troupe::k8s::node
