#include "k8s/codec/codec.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;

BOOST_AUTO_TEST_SUITE(partial_objects_test)

namespace {

constexpr char meta[] =
    R"("metadata":{"name":"j","namespace":"n","uid":"u","resourceVersion":"7",)"
    R"("annotations":{"kubectl.kubernetes.io/last-applied-configuration":)"
    R"("hidden"},"ownerReferences":[{"apiVersion":"kubeflow.org/v2beta1",)"
    R"("kind":"MPIJob","name":"j","uid":"o","controller":true}]})";

std::string with_meta(const std::string& rest) {
  return std::string{"{"} + meta + "," + rest + "}";
}

batch_job_state job_of(const std::string& rest) {
  auto o = decode_object(with_meta(rest), object_detail::batch_job);
  BOOST_REQUIRE(bool(o));
  return std::get<batch_job_state>((*o)->state);
}

full_state secret_of(const std::string& rest) {
  auto o = decode_object(with_meta(rest), object_detail::secret_names);
  BOOST_REQUIRE(bool(o));
  BOOST_TEST((*o)->meta.annotations.empty());
  return std::get<full_state>((*o)->state);
}

} // namespace

BOOST_AUTO_TEST_CASE(of_a_job_its_state_is_read) {
  auto j = job_of(
      R"("spec":{"suspend":true,"template":{"spec":{"schedulingGroup":{)"
      R"("podGroupName":"gang"}}}},"status":{"startTime":)"
      R"("2026-02-02T02:40:00Z",)"
      R"("completionTime":"2026-02-02T02:41:00Z","failed":3,"conditions":[)"
      R"({"type":"FailureTarget","status":"True","reason":"x"},)"
      R"({"type":"Complete","status":"False"},)"
      R"({"type":"Failed","status":"True","reason":"DeadlineExceeded",)"
      R"("message":"too long"}]})");
  BOOST_TEST(j.suspended);
  BOOST_TEST(j.scheduling_group == "gang");
  BOOST_TEST(to_rfc3339(j.started.value()) == "2026-02-02T02:40:00Z");
  BOOST_TEST(to_rfc3339(j.ended.value()) == "2026-02-02T02:41:00Z");
  BOOST_TEST(j.failed_pods == 3);
  BOOST_TEST(!j.complete);
  BOOST_TEST(j.failed);
  BOOST_TEST(j.failed_reason == "DeadlineExceeded");
  BOOST_TEST(j.failed_message == "too long");
  BOOST_TEST(j.is_finished());
}

BOOST_AUTO_TEST_CASE(what_a_job_lacks_or_mistypes_is_empty) {
  for (const char* text :
       {R"("spec":{})", R"("spec":7,"status":[])",
        R"("spec":{"suspend":"yes"},"status":{"failed":"3","startTime":1,)"
        R"("conditions":{"type":"Complete"}})",
        R"("spec":{"template":{"spec":{"schedulingGroup":"gang"}}})",
        R"("spec":{"template":{"spec":7}})",
        R"("status":{"conditions":[1,{"type":"Complete"}]})"})
    BOOST_TEST_CONTEXT(text) {
      BOOST_TEST((job_of(text) == batch_job_state{}));
    }
}

BOOST_AUTO_TEST_CASE(of_a_secret_no_value_is_kept) {
  auto s =
      secret_of(R"("type":"kubernetes.io/ssh-auth","data":{"a":"aGlkZGVu",)"
                R"("b\"":{"deep":"hidden"}},"stringData":{"c":"hidden"})");
  BOOST_TEST(
      s.text
      == R"({"type":"kubernetes.io/ssh-auth","data":{"a":"","b\"":""}})");
  BOOST_TEST(s.metadata.find("hidden") == std::string::npos);
  BOOST_TEST(secret_of(R"("data":{"a":"x"})").text == R"({"data":{"a":""}})");
  BOOST_TEST(secret_of(R"("type":"x","data":"hidden")").text
             == R"({"type":"x"})");
  BOOST_TEST(secret_of(R"("data":{})").text == R"({"data":{}})");
}

BOOST_AUTO_TEST_CASE(of_a_node_only_what_tells_that_it_is_lost_is_read) {
  struct row {
    const char* text;
    const char* ready;
    std::vector<std::string> taints;
  } rows[] = {
      {R"("spec":{"taints":[{"key":"a","effect":"NoSchedule"},{"key":"b"}]},)"
       R"("status":{"images":[{"names":["x"]}],"conditions":[)"
       R"({"type":"DiskPressure","status":"False"},)"
       R"({"type":"Ready","status":"Unknown"}]})",
       "Unknown",
       {"a", "b"}},
      {R"("spec":{})", "", {}},
      {R"("spec":{"taints":7},"status":{"conditions":{"type":"Ready"}})",
       "",
       {}},
      {R"("status":{"conditions":[{"type":"Ready","status":true}]})", "", {}},
  };
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.text) {
      auto o = decode_object(with_meta(r.text), object_detail::node);
      BOOST_REQUIRE(bool(o));
      BOOST_TEST((*o)->meta.annotations.empty());
      const auto& node = std::get<node_state>((*o)->state);
      BOOST_TEST(node.ready == r.ready);
      BOOST_TEST(node.taints == r.taints, boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(lists_and_watches_have_the_same_parts) {
  auto list = decode_list(R"({"metadata":{"resourceVersion":"9"},"items":[)"
                              + with_meta(R"("status":{"failed":2})") + "]}",
                          object_detail::batch_job);
  BOOST_REQUIRE(bool(list));
  BOOST_TEST(std::get<batch_job_state>(list->items.at(0)->state).failed_pods
             == 2);
  auto event =
      decode_watch_line(R"({"type":"MODIFIED","object":)"
                            + with_meta(R"("spec":{"suspend":true})") + "}",
                        object_detail::batch_job);
  BOOST_REQUIRE(bool(event));
  BOOST_TEST(std::get<batch_job_state>(event->item->state).suspended);
}

BOOST_AUTO_TEST_SUITE_END()
