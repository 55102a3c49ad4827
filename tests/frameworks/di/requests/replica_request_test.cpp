#include "frameworks/di/requests/replica_request.hpp"
#include "frameworks/di/requests/replica_response.hpp"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(replica_request_test)

namespace {

using namespace troupe;
using namespace troupe::frameworks::di;

constexpr const char* replicas = "/v1alpha1/replicas";
constexpr const char* failed = "/v1alpha1/replicas/failed";
const std::string nothing =
    R"({"namespace":"","coordinator":"","collectors":null,"learners":null})";

std::variant<replica_request_ptr, core::job_response>
decode(const std::string& method, const std::string& path,
       const std::string& body, std::map<std::string, std::string> query = {}) {
  return decode_replica_request({method, path, std::move(query), body},
                                "10.0.0.1");
}

replica_request must_decode(const std::string& method, const std::string& path,
                            const std::string& body,
                            std::map<std::string, std::string> query = {}) {
  auto decoded = decode(method, path, body, std::move(query));
  if (auto* r = std::get_if<core::job_response>(&decoded))
    throw std::logic_error(r->message);
  return *std::get<replica_request_ptr>(decoded);
}

core::job_response must_respond(const std::string& method,
                                const std::string& path,
                                const std::string& body,
                                std::map<std::string, std::string> query = {}) {
  auto decoded = decode(method, path, body, std::move(query));
  if (auto* r = std::get_if<core::job_response>(&decoded))
    return *r;
  throw std::logic_error("was decoded: " + body);
}

} // namespace

BOOST_AUTO_TEST_CASE(an_addition) {
  auto r = must_decode(
      "POST", replicas,
      R"({"namespace":"ns","coordinator":"cp-coordinator","color":"red",
          "collectors":{"replicas":2,"cpus":"0.5","memory":"200Mi"},
          "LEARNERS":{"Replicas":1,"gpus":"1500m","cpus":2,"memory":null}})");
  BOOST_TEST((r.verb == request_verb::add));
  BOOST_TEST(r.ns == "ns");
  BOOST_TEST(r.job_lookup_pod() == "cp-coordinator");
  BOOST_TEST(r.source == "10.0.0.1");
  BOOST_TEST(r.collectors.replicas == 2);
  BOOST_TEST(r.collectors.cpus == "500m");
  BOOST_TEST(r.collectors.memory == "200Mi");
  BOOST_TEST(r.collectors.gpus == "");
  BOOST_TEST(r.learners.replicas == 1);
  BOOST_TEST(r.learners.gpus == "1500m");
  BOOST_TEST(r.learners.gpu_count == 2);
  BOOST_TEST(r.learners.cpus == "2");
}

BOOST_AUTO_TEST_CASE(zero_keeps_the_template) {
  auto r = must_decode("POST", replicas,
                       R"({"namespace":"ns","coordinator":"c",
                           "learners":{"replicas":1,"gpus":"0","cpus":0}})");
  BOOST_TEST(r.learners.gpus == "");
  BOOST_TEST(r.learners.cpus == "");
  BOOST_TEST(r.learners.gpu_count == 0);
}

BOOST_AUTO_TEST_CASE(of_repeated_names_the_last_counts) {
  auto r =
      must_decode("POST", replicas,
                  R"({"namespace":"a","namespace":"b","coordinator":"c"})");
  BOOST_TEST(r.ns == "b");
}

BOOST_AUTO_TEST_CASE(removals_and_reports) {
  auto r = must_decode("DELETE", replicas,
                       R"({"namespace":"ns","coordinator":"c",
                           "collectors":{"replicas":5000}} trailing)");
  BOOST_TEST((r.verb == request_verb::remove));
  BOOST_TEST(r.collectors.replicas == 5000);

  r = must_decode("POST", failed,
                  R"({"namespace":"ns","coordinator":"c","collectors":["a","a"],
                      "learners":["b"]})");
  BOOST_TEST((r.verb == request_verb::replace));
  BOOST_TEST(r.failed_collectors.size() == 1u);
  BOOST_TEST(r.job_lookup_pod() == "a");
}

BOOST_AUTO_TEST_CASE(lists) {
  struct row {
    std::map<std::string, std::string> query;
    const char* ns;
    const char* pod;
  };
  const row rows[] = {
      {{}, "", ""},
      {{{"namespace", ""}, {"coordinator", "c"}}, "", ""},
      {{{"coordinator", "c"}}, "", ""},
      {{{"namespace", "n"}}, "n", ""},
      {{{"NameSpace", "n"}, {"Coordinator", "c"}}, "n", "c"},
      {{{"namespace", "n"}, {"coordinator", "c"}, {"aggregator", "a"}},
       "n",
       "c"},
      {{{"namespace", "n"}, {"aggregator", "a"}}, "n", "a"},
  };
  for (const auto& x : rows) {
    auto r = must_decode("GET", replicas, "{}", x.query);
    BOOST_TEST(r.ns == x.ns);
    BOOST_TEST(r.job_lookup_pod() == x.pod);
  }
}

BOOST_AUTO_TEST_CASE(what_needs_no_job) {
  struct row {
    const char* method;
    const char* path;
    std::string body;
    std::map<std::string, std::string> query;
    int status;
    std::string message;
    std::string data;
  };
  const std::string undecodable = "failed to decode request body: ";
  const row rows[] = {
      {"GET",
       replicas,
       "",
       {{"job", "x"}},
       400,
       "request param job is not supported",
       "null"},
      {"GET",
       replicas,
       "",
       {{"namespace", "n"}, {"name", "x"}},
       200,
       "successfully get replicas",
       "null"},
      {"PUT", replicas, "", {}, 501, "PUT not implemented", "null"},
      {"GET", failed, "", {}, 501, "GET not implemented", "null"},
      {"POST", replicas, "", {}, 400, undecodable + "EOF", nothing},
      {"POST", replicas, "{", {}, 400, undecodable + "unexpected EOF", nothing},
      {"DELETE",
       replicas,
       "[]",
       {},
       400,
       undecodable
           + "json: cannot unmarshal array into Go value of type "
             "types.DIJobRequest",
       nothing},
      {"POST",
       replicas,
       R"({"namespace":5})",
       {},
       400,
       undecodable
           + "json: cannot unmarshal number into Go struct field "
             "DIJobRequest.namespace of type string",
       nothing},
      {"POST",
       replicas,
       R"({"collectors":{"replicas":"one"}})",
       {},
       400,
       undecodable
           + "json: cannot unmarshal string into Go struct field "
             "ResourceQuantity.collectors.replicas of type int",
       nothing},
      {"POST",
       replicas,
       R"({"learners":{"replicas":1.5}})",
       {},
       400,
       undecodable
           + "json: cannot unmarshal number 1.5 into Go struct field "
             "ResourceQuantity.learners.replicas of type int",
       nothing},
      {"POST",
       replicas,
       R"({"namespace":5,"collectors":{"cpus":""}})",
       {},
       400,
       undecodable
           + "quantities must match the regular expression "
             "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
       nothing},
      {"POST",
       failed,
       R"({"collectors":{"replicas":1}})",
       {},
       400,
       undecodable
           + "json: cannot unmarshal object into Go struct field "
             "DIJobResponse.collectors of type []string",
       nothing},
      {"POST",
       failed,
       R"({"namespace":"n","coordinator":"c","learners":[]})",
       {},
       200,
       "successfully recreate replicas",
       R"({"namespace":"n","coordinator":"c","collectors":null,"learners":null})"},
      {"POST",
       replicas,
       R"({"namespace":"n"})",
       {},
       404,
       "pod: n/ not exists in cache",
       nothing},
      {"POST",
       replicas,
       R"({"namespace":"n","coordinator":"c","collectors":{"replicas":1001}})",
       {},
       400,
       "replicas: 1001 are too many for one request; ask for 1000 at most",
       nothing},
      {"POST",
       replicas,
       R"({"namespace":"n","coordinator":"c","learners":{"gpus":"1M"}})",
       {},
       400,
       "gpus: 1M are too many for one replica; ask for 10000 at most",
       nothing},
      {"POST",
       replicas,
       R"({"namespace":"n","coordinator":"c","learners":{"memory":"-1Gi"}})",
       {},
       400,
       "cpus, gpus and memory must not be negative, as -1Gi is",
       nothing},
  };
  for (const auto& x : rows) {
    auto r = must_respond(x.method, x.path, x.body, x.query);
    BOOST_TEST(r.status == x.status, x.body);
    BOOST_TEST(r.message == x.message, x.body);
    BOOST_TEST(r.data == x.data, x.body);
  }
}

BOOST_AUTO_TEST_CASE(a_pod_names_its_job) {
  using names = std::vector<std::string>;
  const std::pair<const char*, names> rows[] = {
      {"cp-coordinator", {"cp"}},
      {"cp-collector-7x2bq", {"cp"}},
      {"cp-aggregator-7x2bq", {"cp"}},
      {"a-b-learner-7x2bq", {"a-b"}},
      {"x-ddp-learner-7x2bq", {"x", "x-ddp"}},
      {"cp-collector-aeiou", {}},
      {"-coordinator", {}},
      {"cp", {}},
      {"", {}},
  };
  for (const auto& [pod, jobs] : rows)
    BOOST_TEST(possible_jobs_of_pod(pod) == jobs,
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
