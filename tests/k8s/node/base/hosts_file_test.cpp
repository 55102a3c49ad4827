#include "k8s/node/base/hosts_file.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s::node;

BOOST_AUTO_TEST_CASE(a_service_resolves_to_the_pods_that_it_selects) {
  std::vector<named_pod> pods{
      {"a", "w-0", "127.9.0.2", {{"job", "j"}, {"index", "0"}}},
      {"a", "w-1", "127.9.0.3", {{"job", "j"}, {"index", "1"}}},
      {"b", "w-0", "127.9.0.4", {{"job", "j"}, {"index", "0"}}}};
  std::vector<named_service> services{
      {"a", "w-1", {{"job", "j"}, {"index", "1"}}},
      {"a", "none", {{"job", "j"}, {"index", "7"}}},
      {"a", "manual", {}}};
  BOOST_TEST(make_hosts_file("a", pods, services, "x.y")
             == "127.9.0.3 w-1\n"
                "127.9.0.3 w-1.a\n"
                "127.9.0.3 w-1.a.svc\n"
                "127.9.0.3 w-1.a.svc.x.y\n"
                "127.9.0.3 w-1.w-1\n"
                "127.9.0.3 w-1.w-1.a\n"
                "127.9.0.3 w-1.w-1.a.svc\n"
                "127.9.0.3 w-1.w-1.a.svc.x.y\n"
                "- none\n"
                "- none.a\n"
                "- none.a.svc\n"
                "- none.a.svc.x.y\n");
}

BOOST_AUTO_TEST_CASE(another_namespace_needs_the_longer_name) {
  std::vector<named_pod> pods{{"b", "p", "127.9.0.4", {{"app", "s"}}}};
  std::vector<named_service> services{{"b", "s", {{"app", "s"}}}};
  auto text = make_hosts_file("a", pods, services, "x.y");
  BOOST_TEST(text.find(" s\n") == std::string::npos);
  BOOST_TEST(text.find("127.9.0.4 s.b\n") != std::string::npos);
}
