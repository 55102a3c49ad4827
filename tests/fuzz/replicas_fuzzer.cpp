#include "frameworks/di/requests/replica_request.hpp"
#include "frameworks/di/requests/replica_response.hpp"
#include "frameworks/di/tasks/tasks_request.hpp"
#include "k8s/json.hpp"
#include "tests/fuzz/fuzz_input.hpp"

// A request to di-server: method and path, a query, and the body. Replicas of a
// job with a coordinator are asked for by query and body, those of a job of
// tasks by the path.

namespace {

using namespace troupe;
using namespace troupe::frameworks::di;
using troupe::fuzz::require;

constexpr const char* methods[] = {"GET", "POST", "DELETE", "PUT"};
constexpr const char* paths[] = {"/v1alpha1/replicas",
                                 "/v1alpha1/replicas/failed"};

void check_response(const core::job_response& r) {
  require(r.status == 200 || (r.status >= 400 && r.status < 600),
          "a request that needs no job has a status");
  auto body = k8s::parse_json_or_null(to_response_body(r));
  require(body.is_object() && body.size() == 4,
          "the body of a response is the envelope");
  require(body["success"] == (r.status == 200), "only 200 is a success");
  require(r.data == "null" || !k8s::parse_json_or_null(r.data).is_null(),
          "data is JSON");
}

void check_amount(const replica_request& q, const replica_amount& a) {
  if (q.verb != request_verb::add)
    return;
  require(a.replicas <= 1000, "an addition is bounded");
  require(a.gpu_count >= 0 && a.gpu_count <= 10'000, "GPUs are bounded");
  for (const auto* quantity : {&a.cpus, &a.gpus, &a.memory})
    require(quantity->empty() || quantity->front() != '-',
            "no quantity is negative");
}

void check_request(const replica_request& q) {
  check_amount(q, q.collectors);
  check_amount(q, q.learners);
  if (q.verb == request_verb::replace)
    require(!q.failed_collectors.empty() || !q.failed_learners.empty(),
            "a report names a pod");
  if (q.verb != request_verb::list)
    for (const auto& job : possible_jobs_of_pod(q.job_lookup_pod()))
      require(q.job_lookup_pod().compare(0, job.size(), job) == 0
                  && !job.empty(),
              "a pod's name begins with its job's");
}

void check_task_request(const http_request& q) {
  auto decoded = decode_task_request(q, "10.0.0.1");
  if (!decoded)
    return;
  require(is_task_path(q.path), "only pages of jobs of tasks are decoded");
  if (auto* response = std::get_if<core::job_response>(&*decoded))
    return check_response(*response);
  const auto& request = *std::get<task_request_ptr>(*decoded);
  require(!request.ns.empty() && !request.job.empty(), "a request names a job");
  require(request.ns.find('/') == std::string::npos
              && request.job.find('/') == std::string::npos,
          "names have no slash");
  check_response(job_not_found_response(request));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  fuzz::fuzz_input input{data, size};
  http_request q;
  auto choice = input.take_until("\n");
  auto number = choice.empty() ? 0u : static_cast<unsigned char>(choice[0]);
  q.method = methods[number % 4];
  bool of_tasks = number / 8 % 2 == 1;
  q.path = of_tasks ? "/v2alpha1/job/" + std::string{input.take_until("\n")}
                    : paths[number / 4 % 2];
  while (true) {
    auto key = input.take_until("\n");
    if (key.empty())
      break;
    q.query.emplace(std::string{key}, std::string{input.take_until("\n")});
  }
  q.body = std::string{input.rest()};
  if (of_tasks) {
    check_task_request(q);
    return 0;
  }
  auto decoded = decode_replica_request(q, "10.0.0.1");
  if (auto* response = std::get_if<core::job_response>(&decoded))
    check_response(*response);
  else
    check_request(*std::get<replica_request_ptr>(decoded));
  return 0;
}
