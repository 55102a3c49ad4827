#include "actors/admin/admin_paths.hpp"
#include "actors/admin/log_levels.hpp"
#include "actors/admin/stream_query.hpp"
#include "k8s/http/message_format.hpp"
#include "tests/fuzz/fuzz_input.hpp"

// A request to the admin endpoint: the target ("/admin/v1/stream?since=7") and,
// on the next line, the body of a change of log levels.

namespace {

using namespace troupe;
using fuzz::require;

std::string percent_encode(std::string_view text) {
  static constexpr char hex[] = "0123456789ABCDEF";
  std::string out;
  for (unsigned char c : text)
    out.append(1, '%').append(1, hex[c >> 4]).append(1, hex[c & 15]);
  return out;
}

/// The first slash has to stand there as it is.
std::string to_target(const k8s::http::request& r) {
  if (r.path == "*")
    return r.path;
  std::string out = "/" + percent_encode(std::string_view{r.path}.substr(1));
  for (const auto& [key, value] : r.query)
    out += (out.find('?') == out.npos ? "?" : "&") + percent_encode(key) + "="
           + percent_encode(value);
  return out;
}

void check_target(const k8s::http::request& r) {
  k8s::http::request again;
  require(k8s::http::parse_request_target(to_target(r), again)
              && again.path == r.path && again.query == r.query,
          "a target that is written and read is the same");
}

bool is_part(const std::string& text) {
  return !text.empty() && text.find('/') == text.npos;
}

void check_path(const std::string& path) {
  auto target = actors::parse_admin_path(path);
  if (!target)
    return;
  require(*actors::allowed_methods_of(target->subject) != '\0',
          "what is served has methods");
  bool of_pod = target->subject == actors::admin_subject::pod_log;
  require(!of_pod || is_part(target->pod), "a log is of a pod");
  bool of_job = of_pod || target->subject == actors::admin_subject::job
                || target->subject == actors::admin_subject::explanation;
  require(!of_job
              || (is_part(target->ns) && is_part(target->kind)
                  && is_part(target->name)),
          "a job has a namespace, a kind and a name");
}

void check_stream(const k8s::http::request& r) {
  auto subject = actors::parse_stream_query(r);
  require(!subject || !subject->job
              || (is_part(subject->job->ns) && is_part(subject->job->kind)
                  && is_part(subject->job->name)),
          "a stream is of a whole job");
  require(!subject || r.query_param("since").empty()
              || subject->revision == std::stoull(r.query_param("since")),
          "a stream begins where it is asked to");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  fuzz::fuzz_input input{data, size};
  k8s::http::request r;
  if (k8s::http::parse_request_target(input.take_until("\n"), r)) {
    check_target(r);
    check_path(r.path);
    check_stream(r);
  }
  auto change = actors::parse_log_level_change(std::string{input.rest()});
  require(!change || change->level || !change->component.empty(),
          "a change of all levels has a level");
  return 0;
}
