#include "k8s/apiserver/base/object_limits.hpp"
#include "k8s/apiserver/storage/store.hpp"
#include "tests/k8s/apiserver/custom_resource_fixture.hpp"

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(object_limits_test)

namespace {

json nested(std::size_t depth) {
  json out = json::object();
  while (--depth > 0)
    out = json{{"a", std::move(out)}};
  return out;
}

} // namespace

BOOST_AUTO_TEST_CASE(depth_and_bytes_are_those_of_the_text) {
  struct row {
    const char* text;
    std::size_t depth;
  } rows[] = {{"{}", 1},
              {R"("abc")", 0},
              {"true", 0},
              {R"({"a":{"b":[]},"c":[]})", 3},
              {R"(["abc",["abc"]])", 2}};
  for (const auto& r : rows) {
    auto extent = measure_json(json::parse(r.text));
    BOOST_TEST(extent.depth == r.depth, r.text);
    BOOST_TEST(extent.bytes >= std::string{r.text}.size(), r.text);
    BOOST_TEST(extent.bytes <= std::string{r.text}.size() + 4, r.text);
  }
}

BOOST_AUTO_TEST_CASE(an_object_may_be_that_deep_and_large) {
  auto deep = [](std::size_t depth) {
    return check_object_limits({{"spec", nested(depth - 1)}}).has_value();
  };
  BOOST_TEST(!deep(most_object_depth));
  BOOST_TEST(deep(most_object_depth + 1));
  auto owned = [](std::size_t depth) {
    return check_object_limits(
               {{"metadata", {{"managedFields", nested(depth - 2)}}}})
        .has_value();
  };
  BOOST_TEST(!owned(most_managed_fields_depth));
  BOOST_TEST(owned(most_managed_fields_depth + 1));
  auto large = [](std::size_t bytes) {
    return check_object_limits({{"data", std::string(bytes, 'x')}}).has_value();
  };
  BOOST_TEST(!large(most_object_bytes - 100));
  BOOST_TEST(large(most_object_bytes));
}

/// Whatever makes an object, it can be read from its text again.
BOOST_FIXTURE_TEST_CASE(no_write_makes_a_deeper_object, defined) {
  auto with = [](json free) {
    auto out = job({{"size", 1}});
    out["spec"]["free"] = std::move(free);
    return out;
  };
  const auto most = most_object_depth - 2;
  BOOST_TEST(post(jobs, with(nested(most + 1))).status == 413);
  BOOST_TEST(post(jobs, with(nested(most))).status == 201);
  const auto path = jobs + "/j";
  auto whole = with(nested(most + 1));
  whole["metadata"]["resourceVersion"] = get(path).version();
  BOOST_TEST(put(path, whole).status == 413);
  BOOST_TEST(merge(path, {{"spec", {{"free", {{"b", nested(most)}}}}}}).status
             == 413);
  json operations = json::array();
  std::string deep = "/spec/free";
  for (int i = 0; i < 150; ++i)
    operations.push_back(
        {{"op", "add"}, {"path", deep += "/b"}, {"value", json::object()}});
  BOOST_TEST(
      call("PATCH", path, operations, "application/json-patch+json").status
      == 413);
  auto apply = [&](json free) {
    return call("PATCH", path + "?fieldManager=me&force=true",
                with(std::move(free)), "application/apply-patch+yaml");
  };
  BOOST_TEST(apply(nested(most + 1)).status == 413);
  BOOST_TEST(apply(nested(most)).status == 200);
  BOOST_TEST(get(path).status == 200);
  auto stored = core.objects().find("jobs.x.io", "default/j");
  BOOST_REQUIRE(stored);
  BOOST_TEST(!parse_json_or_null(stored->text()).is_null());
  // In a list, in an event.
  BOOST_TEST(
      !parse_json_or_null("{\"items\":[" + stored->text() + "]}").is_null());
}

BOOST_FIXTURE_TEST_CASE(patches_do_not_make_an_object_larger_than_a_body,
                        server_fixture) {
  post(maps, config_map("m"));
  int status = 200;
  int patches = 0;
  for (; status == 200 && patches < 10; ++patches)
    status =
        merge(maps + "/m",
              {{"data",
                {{"k" + std::to_string(patches), std::string(4u << 20, 'x')}}}})
            .status;
  BOOST_TEST(status == 413);
  BOOST_TEST(patches == 4);
}

BOOST_FIXTURE_TEST_CASE(lists_that_are_too_long_are_not_merged,
                        server_fixture) {
  json before = json::array(), more = json::array();
  for (int i = 0; i < 20000; ++i) {
    before.push_back("x.io/a" + std::to_string(i));
    more.push_back("x.io/b" + std::to_string(i));
  }
  auto map = config_map("m");
  map["metadata"]["finalizers"] = before;
  BOOST_TEST(post(maps, map).status == 201);
  auto a = call("PATCH", maps + "/m", {{"metadata", {{"finalizers", more}}}},
                "application/strategic-merge-patch+json");
  BOOST_TEST(a.status == 400);
  BOOST_TEST(a.says("merges lists of too many items"));
}

BOOST_AUTO_TEST_SUITE_END()
