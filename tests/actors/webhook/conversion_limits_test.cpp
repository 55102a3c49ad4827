// DIJobs that are deep, or have many values, in both versions.
#include "actors/webhook/conversion_review.hpp"
#include "frameworks/conversions.hpp"
#include "tests/actors/webhook/large_objects.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(conversion_limits_test)

namespace {

/// The answer to a request to convert these objects, as JSON text.
k8s::http::response convert_to(const std::string& api_version,
                               const std::string& objects) {
  k8s::http::request r;
  r.method = "POST";
  r.path = actors::conversion_path;
  r.body = R"({"apiVersion":"apiextensions.k8s.io/v1",)"
           R"("kind":"ConversionReview","request":{"uid":"u",)"
           R"("desiredAPIVersion":")"
           + api_version + R"(","objects":)" + objects + "}}";
  return actors::answer_conversion_review(r);
}

} // namespace

BOOST_AUTO_TEST_CASE(a_dense_dijob_can_be_read_in_both_versions) {
  const auto& c = frameworks::object_conversions().front();
  // What is in the annotation, and what is too large for one.
  for (std::size_t items : {100'000u, 700'000u})
    for (const char* from : {"v1alpha1", "v2alpha1"}) {
      auto other = std::string{from} == "v1alpha1" ? "v2alpha1" : "v1alpha1";
      auto list = zeros(items);
      auto made = R"({"apiVersion":")" + c.api_version(from)
                  + R"(","kind":"DIJob","metadata":{"name":"a","x":)" + list
                  + R"(},"spec":{"tasks":)" + list + R"(,"volumes":)" + list
                  + R"(},"status":{"conditions":)" + list + "}}";
      auto convert = [&](const std::string& object, const char* to) {
        auto answer = convert_to(c.api_version(to), "[" + object + "]");
        return json::parse(answer.body)["response"];
      };
      auto there = convert(made, other);
      const auto status = k8s::text_at(there, {"result", "status"});
      bool fits = items == 100'000u;
      // Only what is stored is read whatever it has.
      BOOST_TEST(
          status
          == (fits || std::string{from} == "v1alpha1" ? "Success" : "Failure"));
      if (status != "Success")
        continue;
      const auto& view = there["convertedObjects"][0];
      BOOST_TEST((view["spec"]["volumes"] == json::parse(list)));
      auto back = convert(view.dump(), from);
      BOOST_TEST((k8s::text_at(back, {"result", "status"}) == "Success")
                 == fits);
      if (fits)
        BOOST_TEST((back["convertedObjects"][0] == json::parse(made)));
    }
}

BOOST_AUTO_TEST_CASE(a_deep_dijob_can_be_read_in_both_versions) {
  const auto& c = frameworks::object_conversions().front();
  for (const char* from : {"v1alpha1", "v2alpha1"})
    for (std::size_t levels : {198u, 1'100u, 9'980u})
      BOOST_TEST_CONTEXT(from << " " << levels) {
        auto other = std::string{from} == "v1alpha1" ? "v2alpha1" : "v1alpha1";
        json made{{"apiVersion", c.api_version(from)},
                  {"kind", "DIJob"},
                  {"metadata", {{"name", "deep"}, {"namespace", "ns"}}},
                  {"spec", json::object()}};
        auto plain = made;
        plain["metadata"]["name"] = "plain";
        auto deep = with_nesting(made, levels);
        std::string objects;
        k8s::run_on_deep_json_thread([&] {
          objects = "[" + k8s::to_text(deep) + "," + k8s::to_text(plain) + "]";
        });
        auto there = convert_to(c.api_version(other), objects);
        BOOST_REQUIRE_EQUAL(there.status, 200);
        k8s::run_on_deep_json_thread([&] {
          auto answer = *k8s::parse_json(there.body);
          const auto& list = answer["response"]["convertedObjects"];
          BOOST_REQUIRE_EQUAL(list.size(), 2u);
          objects = k8s::to_text(list);
        });
        auto back = convert_to(c.api_version(from), objects);
        k8s::run_on_deep_json_thread([&] {
          auto answer = *k8s::parse_json(back.body);
          const auto& list = answer["response"]["convertedObjects"];
          BOOST_REQUIRE_EQUAL(list.size(), 2u);
          BOOST_TEST((list[0] == deep));
          BOOST_TEST((list[1] == plain));
        });
      }
}

BOOST_AUTO_TEST_SUITE_END()
