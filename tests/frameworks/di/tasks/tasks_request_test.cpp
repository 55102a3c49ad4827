#include "frameworks/di/tasks/tasks_request.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;

BOOST_AUTO_TEST_SUITE(tasks_request_test)

using namespace troupe::frameworks::di;

namespace {

using decoded =
    std::optional<std::variant<task_request_ptr, core::job_response>>;

decoded decode(const std::string& method, const std::string& path,
               const std::string& body = "") {
  return decode_task_request({method, path, {}, body}, "10.0.0.1");
}

/// "400 why", "no page", or the request.
std::string text_of(const decoded& d) {
  if (!d)
    return "no page";
  if (const auto* r = std::get_if<core::job_response>(&*d))
    return std::to_string(r->status) + " " + r->message + " " + r->data;
  const auto& q = *std::get<task_request_ptr>(*d);
  const char* verbs[] = {"list", "add", "remove", "report"};
  return verbs[static_cast<int>(q.verb)] + (" " + q.ns) + " " + q.job;
}

} // namespace

BOOST_AUTO_TEST_CASE(requests) {
  struct row {
    const char* method;
    const char* path;
    const char* body;
    const char* result;
  };
  // clang-format off
  const row rows[] = {
      {"GET", "/v2alpha1/job/ns.j/replicas", "", "list ns j"},
      {"GET", "/v2alpha1/job/ns/j/replicas", "", "list ns j"},
      {"GET", "/v2alpha1/job/ns/j.k/replicas", "", "list ns j.k"},
      {"POST", "/v2alpha1/job/ns.j/replicas", R"({"replicas":2})", "add ns j"},
      {"POST", "/v2alpha1/job/ns.j/replicas", "{}", "add ns j"},
      {"POST", "/v2alpha1/job/ns.j/replicas", "", "400 EOF null"},
      {"POST", "/v2alpha1/job/ns.j/replicas", R"({"replicas":"2"})",
       "400 replicas: must be a whole number, not string 2 null"},
      {"POST", "/v2alpha1/job/ns.j/replicas", R"({"replicas":1.5})",
       "400 replicas: must be a whole number, not number 1.5 null"},
      {"POST", "/v2alpha1/job/ns.j/replicas", "[]",
       "400 the body must be an object, not array null"},
      {"DELETE", "/v2alpha1/job/ns.j/replicas", R"({"replicas":1})",
       "remove ns j"},
      {"POST", "/v2alpha1/job/ns.j/profilings", R"({"a":[1]})", "report ns j"},
      {"POST", "/v2alpha1/job/ns.j/profilings", "", "400 EOF null"},
      {"GET", "/v2alpha1/job/j/replicas", "",
       "400 job id j must be in namespace.name format null"},
      {"GET", "/v2alpha1/job/a.b.c/replicas", "",
       "400 job id a.b.c must be in namespace.name format null"},
      {"GET", "/v2alpha1/job/.j/replicas", "",
       "400 job id .j must be in namespace.name format null"},
      {"GET", "/v2alpha1/job//replicas", "", "no page"},
      {"GET", "/v2alpha1/job/a/b/c/replicas", "", "no page"},
      {"PUT", "/v2alpha1/job/ns.j/replicas", "{}", "no page"},
      {"GET", "/v2alpha1/job/ns.j/profilings", "", "no page"},
      {"GET", "/v2alpha1/replicas", "", "no page"},
      {"GET", "/v2alpha1/job/ns.j", "", "no page"},
  };
  // clang-format on
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.method << ' ' << r.path << ' ' << r.body)
  BOOST_TEST(text_of(decode(r.method, r.path, r.body)) == r.result);
}

BOOST_AUTO_TEST_CASE(the_source_is_kept) {
  auto d = decode("GET", "/v2alpha1/job/ns.j/replicas");
  BOOST_REQUIRE(d.has_value());
  BOOST_TEST(std::get<task_request_ptr>(*d)->source == "10.0.0.1");
}

BOOST_AUTO_TEST_CASE(an_unknown_job) {
  const std::pair<task_verb, int> rows[] = {{task_verb::list, 404},
                                            {task_verb::add, 404},
                                            {task_verb::remove, 400},
                                            {task_verb::report, 400}};
  for (const auto& [verb, status] : rows) {
    task_request q;
    q.verb = verb;
    q.job = "j";
    auto r = job_not_found_response(q);
    BOOST_TEST(r.status == status);
    BOOST_TEST(r.message == "DIJob.diengine.opendilab.org \"j\" not found");
    BOOST_TEST(r.data == "null");
  }
}

BOOST_AUTO_TEST_SUITE_END()
