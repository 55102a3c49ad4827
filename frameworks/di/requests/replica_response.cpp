#include "frameworks/di/requests/replica_response.hpp"

#include "k8s/json.hpp"

namespace troupe::frameworks::di {

namespace {

void append_urls_or_null(std::string& out, const urls& all) {
  if (!all) {
    out += "null";
    return;
  }
  out += '[';
  for (std::size_t i = 0; i < all->size(); ++i) {
    if (i > 0)
      out += ',';
    k8s::append_quoted(out, (*all)[i]);
  }
  out += ']';
}

} // namespace

std::string to_json_text(const replica_entry& e) {
  std::string out = "{\"namespace\":";
  k8s::append_quoted(out, e.ns);
  out += ",\"coordinator\":";
  k8s::append_quoted(out, e.coordinator);
  out += ",\"collectors\":";
  append_urls_or_null(out, e.collectors);
  out += ",\"learners\":";
  append_urls_or_null(out, e.learners);
  return out + "}";
}

std::string unchanged_entry_json() {
  return to_json_text({});
}

core::job_response bad_request_response(const std::string& why) {
  return {400, why, unchanged_entry_json()};
}

const char* success_message(request_verb v) {
  switch (v) {
  case request_verb::list:
    return "successfully get replicas";
  case request_verb::add:
    return "successfully create replicas";
  case request_verb::remove:
    return "successfully delete replicas";
  case request_verb::replace:
    return "successfully recreate replicas";
  }
  return "";
}

core::job_response pod_not_found_response(const std::string& ns,
                                          const std::string& pod,
                                          std::string data) {
  return {404, "pod: " + ns + "/" + pod + " not exists in cache",
          std::move(data), true};
}

std::string to_response_body(const core::job_response& r) {
  bool success = r.status < 400;
  std::string out = success ? "{\"success\":true,\"code\":0,\"message\":"
                            : "{\"success\":false,\"code\":1,\"message\":";
  k8s::append_quoted(out, r.message);
  return out + ",\"data\":" + r.data + "}";
}

core::job_response
join_list_responses(const std::vector<core::job_response>& of_jobs) {
  std::string data = "[";
  for (const auto& one : of_jobs) {
    if (one.status == 503)
      return one; // Without it the list would not be whole.
    if (one.status < 400)
      data += (data.size() > 1 ? "," : "") + one.data;
  }
  return {200, success_message(request_verb::list), data + "]"};
}

} // namespace troupe::frameworks::di
