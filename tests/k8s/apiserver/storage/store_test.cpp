#include "k8s/apiserver/storage/store.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(store_test)

namespace {

json object(int value) {
  return {{"metadata", {{"name", "x"}}}, {"value", value}};
}

/// "key=value " of each object of a namespace after a key.
std::string listed(const store& s, const std::string& ns,
                   const std::string& after = "", std::size_t most = 100) {
  std::string out;
  s.for_each("pods", ns, after,
             [&](const std::string& key, const stored_object_ptr& o) {
               out += key + "=" + o->value()["value"].dump() + " ";
               return --most > 0;
             });
  return out;
}

std::string listed_at(const store& s, std::uint64_t version) {
  std::string out;
  if (!s.for_each_at_version(
          version, "pods", "", "",
          [&](const std::string& key, const stored_object_ptr& o) {
            out += key + "=" + o->value()["value"].dump() + " ";
            return true;
          }))
    return "forgotten";
  return out;
}

/// "added key" of each change after a version.
std::string changes(const store& s, std::uint64_t version) {
  auto found = s.changes_after("pods", version);
  if (!found)
    return "forgotten";
  const char* names[] = {"added", "modified", "deleted"};
  std::string out;
  for (const auto& c : *found)
    out += std::string{names[static_cast<int>(c->type)]} + " " + c->key + " ";
  return out;
}

} // namespace

BOOST_AUTO_TEST_CASE(every_write_has_a_version_of_its_own) {
  store s{10};
  auto first = s.put("pods", "a/x", object(1));
  auto second = s.put("services", "a/x", object(2));
  auto third = s.put("pods", "a/x", object(3));
  BOOST_TEST(second->resource_version() == first->resource_version() + 1);
  BOOST_TEST(third->resource_version() == second->resource_version() + 1);
  BOOST_TEST(s.resource_version() == third->resource_version());
  BOOST_TEST(third->value()["metadata"]["resourceVersion"]
             == std::to_string(third->resource_version()));
  BOOST_TEST(json::parse(third->text()) == third->value());
  auto removed = s.remove("pods", "a/x");
  BOOST_REQUIRE(removed);
  BOOST_TEST(removed->resource_version() == third->resource_version() + 1);
  BOOST_TEST(!s.find("pods", "a/x"));
  BOOST_TEST(s.find("services", "a/x"));
  BOOST_TEST(!s.remove("pods", "a/x"));
  BOOST_TEST(s.resource_version() == removed->resource_version());
}

BOOST_AUTO_TEST_CASE(a_list_is_of_a_namespace_and_goes_on_after_a_key) {
  store s{10};
  for (const char* key : {"b/x", "a/y", "a/x", "ab/z", "/c"})
    s.put("pods", key, object(1));
  BOOST_TEST(listed(s, "") == "/c=1 a/x=1 a/y=1 ab/z=1 b/x=1 ");
  BOOST_TEST(listed(s, "a") == "a/x=1 a/y=1 ");
  BOOST_TEST(listed(s, "a", "a/x") == "a/y=1 ");
  BOOST_TEST(listed(s, "", "a/y") == "ab/z=1 b/x=1 ");
  BOOST_TEST(listed(s, "", "", 2) == "/c=1 a/x=1 ");
  BOOST_TEST(listed(s, "none") == "");
}

BOOST_AUTO_TEST_CASE(
    a_list_does_not_leave_its_namespace_whatever_it_goes_on_after) {
  store s{10};
  for (auto key : {"a/1", "a/2", "b/1", "b/2"})
    s.put("pods", key, object(1));
  const auto version = s.resource_version();
  s.put("pods", "c/1", object(1));
  for (auto after : {"a/2", "a0", "b", "b/", "b/1", "b/9", "c/1", "\xff"}) {
    BOOST_TEST(listed(s, "a", after) == "", after);
    BOOST_TEST(s.count_after("pods", "a", after) == 0u);
    BOOST_TEST(s.count_after_at_version(version, "pods", "a", after) == 0u);
  }
  for (auto after : {"", "A", "a", "a/", "a/0"})
    BOOST_TEST(s.count_after("pods", "a", after) == 2u, after);
}

BOOST_AUTO_TEST_CASE(an_earlier_version_is_listed_as_it_was) {
  store s{10};
  auto empty = s.resource_version();
  auto one = s.put("pods", "a/x", object(1))->resource_version();
  auto two = s.put("pods", "a/y", object(2))->resource_version();
  auto three = s.put("pods", "a/x", object(3))->resource_version();
  auto four = s.remove("pods", "a/y")->resource_version();
  BOOST_TEST(listed_at(s, empty) == "");
  BOOST_TEST(listed_at(s, one) == "a/x=1 ");
  BOOST_TEST(listed_at(s, two) == "a/x=1 a/y=2 ");
  BOOST_TEST(listed_at(s, three) == "a/x=3 a/y=2 ");
  BOOST_TEST(listed_at(s, four) == "a/x=3 ");
}

BOOST_AUTO_TEST_CASE(changes_are_kept_as_long_as_the_history_is) {
  store s{2};
  auto start = s.resource_version();
  auto one = s.put("pods", "a/x", object(1))->resource_version();
  s.put("pods", "a/x", object(2));
  BOOST_TEST(changes(s, start) == "added a/x modified a/x ");
  s.remove("pods", "a/x");
  BOOST_TEST(changes(s, one) == "modified a/x deleted a/x ");
  BOOST_TEST(changes(s, start) == "forgotten");
  BOOST_TEST(listed_at(s, start) == "forgotten");
  BOOST_TEST(changes(s, s.resource_version()) == "");
}

BOOST_AUTO_TEST_CASE(a_restored_object_keeps_its_version_and_is_no_change) {
  store s{10};
  int changes = 0;
  s.on_change = [&](const change_ptr&) { ++changes; };
  auto o = object(1);
  o["metadata"]["resourceVersion"] = "41";
  s.restore_without_change_event("pods", "a/x", o);
  BOOST_TEST(changes == 0);
  BOOST_TEST(s.find("pods", "a/x")->resource_version() == 41u);
  BOOST_TEST(s.put("pods", "a/y", object(2))->resource_version() == 42u);
  BOOST_TEST(changes == 1);
}

BOOST_AUTO_TEST_CASE(nothing_before_what_is_restored_is_remembered) {
  store s{10};
  s.continue_from_version_if_higher(40);
  BOOST_TEST(s.put("pods", "a/x", object(1))->resource_version() == 41u);
  BOOST_TEST(changes(s, 39) == "forgotten");
  BOOST_TEST(!s.changes_after("jobs", 39));
  BOOST_TEST(changes(s, 40) == "added a/x ");
}

BOOST_AUTO_TEST_CASE(a_change_that_is_not_persisted_does_not_happen) {
  store s{10};
  s.put("pods", "a/x", object(1));
  auto version = s.resource_version();
  s.persist = [](const change&) { throw std::runtime_error{"full"}; };
  BOOST_CHECK_THROW(s.put("pods", "a/x", object(2)), std::runtime_error);
  BOOST_CHECK_THROW(s.put("pods", "a/y", object(2)), std::runtime_error);
  BOOST_CHECK_THROW(s.remove("pods", "a/x"), std::runtime_error);
  BOOST_TEST(s.resource_version() == version);
  BOOST_TEST(s.size("pods") == 1u);
  BOOST_TEST(changes(s, version) == "");
}

BOOST_AUTO_TEST_SUITE_END()
