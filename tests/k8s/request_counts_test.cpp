#include "k8s/request_counts.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;

BOOST_AUTO_TEST_SUITE(request_counts_test)

BOOST_AUTO_TEST_CASE(answers_are_counted_by_method_and_status) {
  request_counts counts{"host"};
  for (auto v : {verb::get, verb::list, verb::watch})
    counts.count(v, 200);
  counts.count(verb::create, 201);
  counts.count(verb::update, 409);
  counts.count(verb::patch, 0);
  counts.count(verb::remove, 200);
  std::map<std::string, std::uint64_t> found;
  for (const auto& r : counts.rows())
    found[r.method + " " + std::to_string(r.status)] = r.times;
  const std::map<std::string, std::uint64_t> expected{{"GET 200", 3},
                                                      {"POST 201", 1},
                                                      {"PUT 409", 1},
                                                      {"PATCH 0", 1},
                                                      {"DELETE 200", 1}};
  BOOST_TEST((found == expected));
}

BOOST_AUTO_TEST_SUITE_END()
