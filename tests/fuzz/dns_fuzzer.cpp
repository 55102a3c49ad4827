#include "k8s/node/namespaces/dns_zone.hpp"
#include "tests/fuzz/fuzz_input.hpp"

// A message to the cluster's DNS, as a pod may send it.

namespace {

using namespace troupe::k8s::node;
using troupe::fuzz::require;

const dns_zone& sample_zone() {
  static const dns_zone zone{
      {{"a", "p", "10.244.1.0", {{"k", "v"}}}},
      {{"a", "s", {{"k", "v"}}}, {"a", "t", {{"k", ""}}}},
      "x.y"};
  return zone;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  std::string message{reinterpret_cast<const char*>(data), size};
  auto query = parse_dns_query(message);
  if (!query)
    return 0;
  auto found = sample_zone().find_answer(*query);
  auto answer = found ? *found : dns_answer{dns_code::server_failure};
  auto response = make_dns_response(*query, answer, query->limit);
  require(response.size() <= query->limit,
          "a response is no longer than asked");
  require(response.compare(0, 2, message, 0, 2) == 0,
          "a response has the number of its query");
  require(response.compare(12, query->question.size(), query->question) == 0,
          "a response repeats the question");
  require(!parse_dns_query(response), "a response is no query");
  return 0;
}
