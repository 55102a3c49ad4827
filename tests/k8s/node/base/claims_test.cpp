#include "k8s/node/base/claims.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::node;

BOOST_AUTO_TEST_SUITE(claims_test)

namespace {

const claim_directories where{"/run/claims", {{"mine", "/home/me/data"}}};

/// The pod's volume "v" and whether it was found, in a pod that mounts it.
json volume_of(const char* volume, const char* ns = "team") {
  json pod{{"metadata", {{"namespace", ns}}}};
  auto v = json::parse(volume);
  v["name"] = "v";
  pod["spec"]["volumes"] = json::array({v});
  std::vector<claimed_directory> found;
  auto out = with_claim_directories(pod, where, found)["spec"]["volumes"][0];
  out.erase("name");
  BOOST_TEST(found.size() == (out.contains("hostPath") ? 1u : 0u));
  if (!found.empty())
    BOOST_TEST(found[0].path == text_at(out, {"hostPath", "path"}));
  return out;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_claim_is_a_directory) {
  struct row {
    const char* volume;
    const char* becomes;
  } rows[] = {
      {R"({"persistentVolumeClaim":{"claimName":"data"}})",
       R"({"hostPath":{"path":"/run/claims/team/data",
                       "type":"DirectoryOrCreate"}})"},
      {R"({"persistentVolumeClaim":{"claimName":"mine"}})",
       R"({"hostPath":{"path":"/home/me/data","type":"Directory"}})"},
      {R"({"persistentVolumeClaim":{"claimName":"../x"}})",
       R"({"persistentVolumeClaim":{"claimName":"../x"}})"},
      {R"({"persistentVolumeClaim":{"claimName":".."}})",
       R"({"persistentVolumeClaim":{"claimName":".."}})"},
      {R"({"persistentVolumeClaim":{}})", R"({"persistentVolumeClaim":{}})"},
      {R"({"persistentVolumeClaim":7})", R"({"persistentVolumeClaim":7})"},
      {R"({"ephemeral":{"volumeClaimTemplate":{}}})", R"({"emptyDir":{}})"},
      {R"({"emptyDir":{}})", R"({"emptyDir":{}})"},
  };
  for (const auto& r : rows)
    BOOST_TEST(volume_of(r.volume) == json::parse(r.becomes), r.volume);
  const char* volume = R"({"persistentVolumeClaim":{"claimName":"data"}})";
  BOOST_TEST(volume_of(volume, "..") == json::parse(volume));
}

BOOST_AUTO_TEST_CASE(a_claim_that_is_only_read_cannot_be_written) {
  auto pod = json::parse(R"({"metadata":{"namespace":"n"},"spec":{
    "volumes":[{"name":"v","persistentVolumeClaim":
                  {"claimName":"data","readOnly":true}},
               {"name":"w","persistentVolumeClaim":{"claimName":"more"}}],
    "initContainers":[{"volumeMounts":[{"name":"v","mountPath":"/v"}]}],
    "containers":[{"volumeMounts":[{"name":"v","mountPath":"/v"},
                                   {"name":"w","mountPath":"/w"}]}]}})");
  std::vector<claimed_directory> found;
  auto spec = with_claim_directories(pod, where, found)["spec"];
  BOOST_TEST(found.size() == 2u);
  BOOST_TEST(
      bool_at(spec["initContainers"][0]["volumeMounts"][0], {"readOnly"}));
  BOOST_TEST(bool_at(spec["containers"][0]["volumeMounts"][0], {"readOnly"}));
  BOOST_TEST(!bool_at(spec["containers"][0]["volumeMounts"][1], {"readOnly"}));
}

BOOST_AUTO_TEST_CASE(a_pod_without_volumes_stays_as_it_is) {
  std::vector<claimed_directory> found;
  for (const char* text : {R"({"spec":{}})", R"({"spec":{"volumes":3}})"})
    BOOST_TEST(with_claim_directories(json::parse(text), where, found)
               == json::parse(text));
  BOOST_TEST(found.empty());
}

BOOST_AUTO_TEST_SUITE_END()
