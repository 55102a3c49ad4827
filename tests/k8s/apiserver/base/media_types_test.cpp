#include "k8s/apiserver/base/media_types.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(media_types_test)

namespace {

http::request accepting(const std::string& accept) {
  http::request r;
  r.method = "GET";
  if (!accept.empty())
    r.headers["accept"] = accept;
  return r;
}

} // namespace

BOOST_AUTO_TEST_CASE(the_first_form_that_there_is_counts) {
  using form = object_form;
  const std::string json = "application/json";
  const std::string meta = ";v=v1;g=meta.k8s.io";
  struct row {
    std::string accept;
    form wanted;
  };
  const row rows[] = {
      {"", form::object},
      {json, form::object},
      {"*/*", form::object},
      {json + ";as=Table" + meta, form::table},
      {json + "; as=Table; v=v1beta1; g=meta.k8s.io", form::table},
      {json + ";as=Table;v=v9;g=meta.k8s.io," + json, form::object},
      {json + ";as=Table" + meta + "," + json, form::table},
      {json + "," + json + ";as=Table" + meta, form::object},
      {json + ";as=PartialObjectMetadata" + meta, form::metadata},
      {json + ";as=PartialObjectMetadataList" + meta, form::metadata},
      {"application/vnd.kubernetes.protobuf", form::object},
      {"text/html," + json + ";as=Table" + meta, form::table}};
  for (const auto& r : rows)
    BOOST_TEST((requested_object_form(accepting(r.accept)) == r.wanted),
               r.accept);
}

BOOST_AUTO_TEST_CASE(what_is_not_there_is_not_acceptable) {
  const std::string json = "application/json";
  const std::string meta = ";v=v1;g=meta.k8s.io";
  struct row {
    std::string accept;
    bool object, list; ///< Whether they can be answered.
  };
  const row rows[] = {
      {"", true, true},
      {"text/html", false, false},
      {"text/html,*/*;q=0.1", true, true},
      {json + ";as=Nonsense" + meta, false, false},
      {json + ";as=PartialObjectMetadata" + meta, true, false},
      {json + ";as=PartialObjectMetadataList" + meta, false, true}};
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.accept) {
      auto request = accepting(r.accept);
      BOOST_TEST(!check_accept_and_include_object(request, false) == r.object);
      BOOST_TEST(!check_accept_and_include_object(request, true) == r.list);
      if (!r.object)
        BOOST_TEST(check_accept_and_include_object(request, false)->code
                   == 406);
    }
}

BOOST_AUTO_TEST_CASE(rows_have_objects_of_three_kinds) {
  auto r = accepting("application/json;as=Table;v=v1;g=meta.k8s.io");
  for (auto include : {"", "None", "Metadata", "Object"}) {
    r.query["includeObject"] = include;
    BOOST_TEST(!check_accept_and_include_object(r, true));
  }
  r.query["includeObject"] = "Other";
  BOOST_REQUIRE(check_accept_and_include_object(r, true));
  BOOST_TEST(check_accept_and_include_object(r, true)->code == 400);
}

BOOST_AUTO_TEST_SUITE_END()
