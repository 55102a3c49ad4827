#include "k8s/apiserver/storage/object_text.hpp"
#include "k8s/apiserver/storage/store.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(object_text_test)

namespace {

/// Like a TF_CONFIG: much of it is quotes.
std::string long_string(int entries, const std::string& end = "") {
  std::string out;
  for (int i = 0; i < entries; ++i)
    out += "\"job-worker-" + std::to_string(i) + ".ns.svc:2222\",\n";
  return out + end;
}

json object_with_strings(std::vector<std::string> strings) {
  return {{"a", "before"},
          {"k\"ey", {{"list", {1, strings, true, nullptr}}, {"s", "short"}}},
          {"z", "after"}};
}

std::string text_of(const object_text& t) {
  std::string out;
  t.append_to(out);
  return out;
}

} // namespace

BOOST_AUTO_TEST_CASE(text_and_value_are_the_same_with_and_without_blocks) {
  auto pool = std::make_shared<string_block_pool>();
  std::string plain(20000, 'x');
  std::string umlauts = "x";
  while (umlauts.size() < 20000)
    umlauts += "\u00e4\u20ac\U0001d11e";
  std::string no_utf8 = std::string(5000, '\xff') + plain;
  for (const auto& strings : std::vector<std::vector<std::string>>{
           {},
           {"", "short", long_string(100)}, // Below what is shared.
           {long_string(1000)},
           {plain, "", long_string(1000), umlauts, plain},
           {std::string(8192, 'y'), std::string(8191, 'y')},
           {"one", no_utf8, plain}}) {
    auto object = object_with_strings(strings);
    object_text shared{object, pool.get()}, own{object, nullptr};
    BOOST_TEST(text_of(own) == to_text(object));
    BOOST_TEST(text_of(shared) == to_text(object));
    BOOST_TEST(shared.size() == to_text(object).size());
    BOOST_TEST((shared.parse() == json::parse(to_text(object))));
  }
  BOOST_TEST(pool->size() == 0u);
}

BOOST_AUTO_TEST_CASE(members_are_read_and_written_by_themselves) {
  auto pool = std::make_shared<string_block_pool>();
  json metadata{{"annotations", {{"long", long_string(1000)}, {"n", "1"}}},
                {"labels", {{"a", "b"}}}};
  json object{{"kind", long_string(900)},
              {"metadata", metadata},
              {"spec", {{"long", long_string(800)}, {"node", "x"}}}};
  for (auto* blocks : {pool.get(), static_cast<string_block_pool*>(nullptr)}) {
    object_text text{object, blocks};
    std::string part;
    text.append_member_to(part, "metadata");
    BOOST_TEST(part == to_text(metadata));
    text.append_member_to(part, "absent");
    BOOST_TEST(part == to_text(metadata));
    auto read = text.parse_members_without_long_strings(
        {{"metadata", "labels"},
         {"spec", "node"},
         {"spec", "absent"},
         {"spec", "node", "deeper"},
         {"metadata", "annotations", "n"}});
    BOOST_TEST(
        (read
         == json{{"metadata",
                  {{"labels", {{"a", "b"}}}, {"annotations", {{"n", "1"}}}}},
                 {"spec", {{"node", "x"}}}}));
  }
}

BOOST_AUTO_TEST_CASE(equal_blocks_are_there_once_as_long_as_somebody_has_them) {
  auto pool = std::make_shared<string_block_pool>();
  auto common = long_string(1000);
  object_text first{object_with_strings({common + "first"}), pool.get()};
  auto blocks = pool->size();
  BOOST_TEST(blocks == common.size() / 4096 + 1);
  {
    // The end of the string differs, and what is before it.
    auto other = object_with_strings({"short", common + "second"});
    object_text second{other, pool.get()};
    BOOST_TEST(pool->size() == blocks + 1);
    BOOST_TEST((second.parse() == other));
  }
  BOOST_TEST(pool->size() == blocks);
}

BOOST_AUTO_TEST_CASE(versions_in_the_history_of_a_store_share_long_strings) {
  store s{10};
  std::size_t growth = 0;
  for (int version = 0; version < 5; ++version) {
    json pod{{"spec", {{"env", long_string(1000)}}}, {"status", version}};
    auto stored = s.put("pods", "ns/pod", pod);
    BOOST_TEST(stored->value()["spec"] == pod["spec"]);
    if (version == 0)
      growth = s.parsed_values().shared_block_count();
    BOOST_TEST(s.parsed_values().shared_block_count() == growth);
  }
  BOOST_TEST(growth > 0u);
  s.remove("pods", "ns/pod");
}

BOOST_AUTO_TEST_SUITE_END()
