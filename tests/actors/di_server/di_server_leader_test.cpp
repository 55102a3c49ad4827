#include "actors/di_server/di_server_leader.hpp"
#include "k8s/json.hpp"

#include <boost/test/unit_test.hpp>

#include <functional>

using troupe::actors::di_server_leader;
using troupe::actors::forwarded_header;
using troupe::actors::taken_counts;
using troupe::k8s::json;
namespace http = troupe::k8s::http;

BOOST_AUTO_TEST_SUITE(di_server_leader_test)

namespace {

std::string lease_of(const di_server_leader& who, const char* holder) {
  json annotations = json::object();
  for (const auto& [name, value] : who.lease_annotations())
    if (!value.empty())
      annotations[name] = value;
  return json{{"metadata", {{"annotations", annotations}}},
              {"spec", {{"holderIdentity", holder}}}}
      .dump();
}

http::request request_to_add() {
  http::request q;
  q.method = "POST";
  q.path = "/v1alpha1/replicas";
  q.query = {{"a", "1"}, {"b", "2"}};
  q.headers = {{"content-type", "application/json"}};
  q.body = R"({"coordinator":"x"})";
  return q;
}

/// Two replicas that have the key; a leads, and b knows it.
struct two_replicas {
  two_replicas() {
    for (auto* one : {&a, &b})
      one->set_key("a key of thirty-two bytes or more");
    a.on_lease_observed(true, lease_of(a, "a"));
    b.on_lease_observed(false, lease_of(a, "a"));
  }

  http::request forwarded(const std::string& client = "10.0.0.7") {
    auto q = request_to_add();
    q.headers[forwarded_header] =
        b.make_forwarded_header(q, b.current_route(), client);
    return q;
  }

  di_server_leader a{"10.0.0.1:1", "term-a"};
  di_server_leader b{"10.0.0.2:2", "term-b"};
};

} // namespace

BOOST_AUTO_TEST_CASE(requests_go_to_the_replica_that_leads) {
  di_server_leader a{"10.0.0.1:1", "term-a"};
  di_server_leader b{"10.0.0.2:2", "term-b"};
  BOOST_TEST(!b.current_route().here);
  BOOST_TEST(b.current_route().address == "");

  a.on_lease_observed(true, lease_of(a, "a"));
  b.on_lease_observed(false, lease_of(a, "a"));
  BOOST_TEST(a.current_route().here);
  BOOST_TEST(!b.current_route().here);
  BOOST_TEST(b.current_route().address == "10.0.0.1:1");
  BOOST_TEST(b.current_route().term == "term-a");
  BOOST_TEST(!b.current_route().has_key);

  // Released; then taken by b, before a knows.
  b.on_lease_observed(false, lease_of(a, ""));
  BOOST_TEST(b.current_route().address == "");
  a.on_lease_observed(false, lease_of(a, "a"));
  BOOST_TEST(a.current_route().address == "");
}

BOOST_AUTO_TEST_CASE(leases_of_others_name_nobody) {
  di_server_leader a{"", "term"};
  for (const char* lease : {"", "{}", R"({"spec":{"holderIdentity":"x"}})"}) {
    a.on_lease_observed(false, lease);
    BOOST_TEST(a.current_route().address == "");
  }
}

BOOST_AUTO_TEST_CASE(the_secret_of_former_releases_is_removed) {
  auto all = di_server_leader{"10.0.0.1:1", "term"}.lease_annotations();
  BOOST_TEST(all.at("training.kubeflow.org/di-server-token") == "");
  for (const auto& [name, value] : all)
    BOOST_TEST(value.find("key") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_forwarded_request_is_taken_once) {
  two_replicas r;
  auto q = r.forwarded();
  BOOST_TEST(r.a.verified_client_of_forwarded(q) == "10.0.0.7");
  BOOST_TEST(r.a.accept_forwarded_once(q));
  BOOST_TEST(!r.a.accept_forwarded_once(q));
  // Another one of the same client, and those that overtake.
  auto second = r.forwarded();
  auto third = r.forwarded();
  BOOST_TEST(r.a.accept_forwarded_once(third));
  BOOST_TEST(r.a.accept_forwarded_once(second));
  BOOST_TEST(!r.a.accept_forwarded_once(third));
}

BOOST_AUTO_TEST_CASE(nothing_of_a_forwarded_request_can_be_changed) {
  using change = std::function<void(http::request&)>;
  auto in_header = [](const char* from, const char* to) -> change {
    return [=](http::request& q) {
      auto& text = q.headers[forwarded_header];
      auto at = text.find(from);
      BOOST_REQUIRE(at != text.npos);
      text.replace(at, std::string{from}.size(), to);
    };
  };
  const std::pair<const char*, change> rows[] = {
      {"method", [](auto& q) { q.method = "DELETE"; }},
      {"path", [](auto& q) { q.path += "/failed"; }},
      {"query", [](auto& q) { q.query["a"] = "2"; }},
      {"query to path", [](auto& q) { q.query.erase("b"); }},
      {"type", [](auto& q) { q.headers.erase("content-type"); }},
      {"client", in_header("10.0.0.7", "10.0.0.8")},
      {"no client", in_header("10.0.0.7 ", "")},
      {"empty client", in_header("10.0.0.7 ", " ")},
      {"term", in_header("term-a", "term-c")},
      {"replica", in_header("term-b", "term-c")},
      {"count", in_header(" 1 ", " 2 ")},
      {"empty", [](auto& q) { q.headers[forwarded_header] = ""; }},
      {"more", [](auto& q) { q.headers[forwarded_header] += " x"; }},
      {"mac", [](auto& q) { q.headers[forwarded_header].back() ^= 1; }},
  };
  for (const auto& [what, how] : rows) {
    two_replicas r;
    auto q = r.forwarded();
    how(q);
    BOOST_TEST(r.a.verified_client_of_forwarded(q) == "", what);
    BOOST_TEST(!r.a.accept_forwarded_once(q), what);
  }
  two_replicas r;
  auto q = r.forwarded();
  q.body += " ";
  BOOST_TEST(r.a.verified_client_of_forwarded(q) == "10.0.0.7"); // By its head.
  BOOST_TEST(!r.a.accept_forwarded_once(q));
}

BOOST_AUTO_TEST_CASE(a_forwarded_request_is_for_one_term_and_one_key) {
  two_replicas r;
  auto q = r.forwarded();
  di_server_leader next{"10.0.0.1:1", "term-next"};
  next.set_key("a key of thirty-two bytes or more");
  BOOST_TEST(next.verified_client_of_forwarded(q) == "");
  di_server_leader other{"10.0.0.1:1", "term-a"};
  BOOST_TEST(other.verified_client_of_forwarded(q) == "");
  other.set_key("another key of thirty-two bytes or more");
  BOOST_TEST(other.verified_client_of_forwarded(q) == "");
  // Nobody is vouched for by an empty name.
  BOOST_TEST(r.a.verified_client_of_forwarded(r.forwarded("")) == "");
}

BOOST_AUTO_TEST_CASE(old_counts_are_not_taken) {
  taken_counts t;
  BOOST_TEST(t.take_if_new("a", 5));
  BOOST_TEST(t.take_if_new("a", 5000));
  BOOST_TEST(!t.take_if_new("a", 6));
  BOOST_TEST(t.take_if_new("a", 4000));
  BOOST_TEST(!t.take_if_new("a", 4000));
  BOOST_TEST(!t.take_if_new("a", 3999));
  BOOST_TEST(t.take_if_new("b", 6));
}

BOOST_AUTO_TEST_SUITE_END()
