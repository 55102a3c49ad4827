#include "tests/exploration/queue/queue_calls.hpp"

#include "frameworks/core/model/labels.hpp"

#include <nlohmann/json.hpp>

namespace troupe::exploration {

namespace {

std::uint64_t version_in(const nlohmann::json& object) {
  return std::stoull(
      object.at("metadata").at("resourceVersion").get<std::string>());
}

std::string text_of_job_in_queue(const setting& s, const job_object& j) {
  return R"({"metadata":{"name":"job","namespace":"ns","uid":")" + s.job().uid
         + R"(","resourceVersion":")" + std::to_string(j.version)
         + R"(","generation":)" + std::to_string(j.generation)
         + R"(,"labels":{")" + core::label::kueue_queue
         + R"(":"q"},"annotations":)" + nlohmann::json(j.annotations).dump()
         + R"(},"spec":)" + j.spec->text + R"(,"status":{}})";
}

} // namespace

order_call_kind kind_of_queue_call(const k8s::request& r) {
  bool workload = r.resource.rfind("workloads", 0) == 0;
  switch (r.method) {
  case k8s::verb::remove:
    return order_call_kind::remove_workload;
  case k8s::verb::create:
    return order_call_kind::make_workload;
  case k8s::verb::update:
    return workload ? order_call_kind::write_workload
                    : order_call_kind::write_job;
  default:
    break;
  }
  if (workload)
    return order_call_kind::read_workload;
  return r.resource == "resourceflavors" ? order_call_kind::read_flavor
                                         : order_call_kind::read_job;
}

queue_text read_queue_text(const setting& s, order_call_kind call,
                           const std::string& body) {
  queue_text text;
  if (!is_of_queue(call) || body.empty()
      || call == order_call_kind::remove_workload)
    return text;
  auto object = nlohmann::json::parse(body);
  if (call != order_call_kind::make_workload)
    text.version = version_in(object);
  if (call == order_call_kind::write_job)
    text.spec = s.read_spec(object.at("spec").dump());
  else
    text.body = read_workload_body(std::move(object));
  return text;
}

std::string text_of_queue_answer(const setting& s, const order_under_way& o) {
  const auto& a = *o.answer;
  if (a.is == order_answer::what::job)
    return text_of_job_in_queue(s, *a.of_job);
  if (a.is == order_answer::what::flavor)
    return R"({"metadata":{"name":"f"},"spec":{"nodeLabels":{"zone":"a"}}})";
  auto text = text_of(s, a.seen);
  bool listed = o.call == order_call_kind::read_workload
                || o.call == order_call_kind::look;
  return listed
             ? R"({"metadata":{"resourceVersion":"1"},"items":[)" + text + "]}"
             : text;
}

} // namespace troupe::exploration
