#include "tests/k8s/codec/codec_texts.hpp"
#include "tests/k8s/sample_pod.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <atomic>
#include <thread>

using namespace troupe::k8s;
using namespace troupe::k8s::codec_texts;
using nlohmann::json;
using state_kind = container_status::state_kind;

BOOST_AUTO_TEST_SUITE(codec_test)

namespace {

pod_state pod_of(const std::string& text) {
  return std::get<pod_state>(must_read(text, object_detail::pod)->state);
}

std::string with_status(const std::string& status) {
  return R"({"metadata":{"name":"p"},"status":)" + status + "}";
}

} // namespace

BOOST_AUTO_TEST_CASE(metadata_is_read) {
  auto o = must_read(sample_pod(), object_detail::metadata);
  BOOST_CHECK(std::holds_alternative<metadata_state>(o->state));
  const auto& m = o->meta;
  BOOST_CHECK_EQUAL(m.name, "a-worker-0");
  BOOST_CHECK_EQUAL(m.ns, "ns");
  BOOST_CHECK_EQUAL(m.uid, "u-1");
  BOOST_CHECK_EQUAL(m.resource_version, 4711u);
  BOOST_CHECK_EQUAL(m.generation, 3);
  BOOST_CHECK_EQUAL(to_rfc3339(m.created), "2026-01-31T12:00:00Z");
  BOOST_REQUIRE(m.deleted);
  BOOST_CHECK_EQUAL(to_rfc3339(*m.deleted), "2026-01-31T13:00:00Z");
  BOOST_CHECK_EQUAL(m.deletion_grace_seconds.value(), 30);
  BOOST_CHECK(
      (m.labels
       == std::map<std::string, std::string>{
           {"app", "caf\xc3\xa9"}, {"training.kubeflow.org/job-name", "a"}}));
  // Which may be as large as objects.
  BOOST_CHECK(m.annotations.empty());
  BOOST_CHECK_EQUAL(
      must_read(sample_pod(), object_detail::pod)->meta.annotations.at("note"),
      "line\nnext");
  BOOST_REQUIRE_EQUAL(m.owners.size(), 2u);
  BOOST_CHECK(!m.owners[0].controller);
  BOOST_REQUIRE(m.controller());
  BOOST_CHECK_EQUAL(m.controller()->api_version, "kubeflow.org/v1");
  BOOST_CHECK_EQUAL(m.controller()->kind, "TFJob");
  BOOST_CHECK_EQUAL(m.controller()->name, "a");
  BOOST_CHECK_EQUAL(m.controller()->uid, "u-a");
}

BOOST_AUTO_TEST_CASE(the_state_of_a_pod_is_read) {
  auto p = pod_of(sample_pod());
  BOOST_CHECK(p.phase == pod_phase::failed);
  BOOST_CHECK_EQUAL(p.reason, "Evicted");
  BOOST_CHECK_EQUAL(p.message, "low on memory");
  BOOST_CHECK_EQUAL(p.node, "node-1");
  BOOST_REQUIRE_EQUAL(p.ips.size(), 2u);
  BOOST_CHECK_EQUAL(p.ips[0], "10.0.0.1");
  BOOST_CHECK_EQUAL(p.ips[1], "fd00::1");
  BOOST_CHECK_EQUAL(to_rfc3339(p.started.value()), "2026-01-31T12:00:30Z");
  BOOST_REQUIRE_EQUAL(p.containers.size(), 4u);
  BOOST_CHECK_EQUAL(p.containers[0].name, "tensorflow");
  BOOST_CHECK_EQUAL(p.containers[0].restarts, 2);
  BOOST_CHECK(p.containers[0].state == state_kind::terminated);
  BOOST_CHECK_EQUAL(p.containers[0].exit_code, 137);
  BOOST_CHECK_EQUAL(p.containers[0].reason, "OOMKilled");
  BOOST_CHECK_EQUAL(p.containers[0].message, "killed");
  BOOST_CHECK_EQUAL(to_rfc3339(p.containers[0].finished.value()),
                    "2026-01-31T12:29:00Z");
  BOOST_CHECK(!p.containers[1].finished);
  BOOST_CHECK(p.containers[1].state == state_kind::waiting);
  BOOST_CHECK_EQUAL(p.containers[1].reason, "ImagePullBackOff");
  BOOST_CHECK(p.containers[2].state == state_kind::running);
  BOOST_CHECK(p.containers[3].state == state_kind::none);
  BOOST_REQUIRE_EQUAL(p.init_containers.size(), 1u);
  BOOST_CHECK_EQUAL(p.init_containers[0].reason, "Completed");
  BOOST_REQUIRE_EQUAL(p.conditions.size(), 1u);
  BOOST_CHECK_EQUAL(p.conditions[0].type, "Ready");
  BOOST_CHECK_EQUAL(p.conditions[0].status, "False");
  BOOST_CHECK_EQUAL(p.conditions[0].reason, "PodFailed");
  BOOST_CHECK_EQUAL(p.conditions[0].message, "m");
  BOOST_CHECK_EQUAL(to_rfc3339(p.conditions[0].last_transition),
                    "2026-01-31T12:30:00Z");
}

BOOST_AUTO_TEST_CASE(a_whole_object_can_be_written_back) {
  constexpr const char* text =
      R"({"apiVersion":"v1","kind":"ConfigMap","da\"ta":{"a":"b"},"metadata":)"
      R"({"name":"c","labels":{"x":"y"},"resourceVersion":"7",)"
      R"("managedFields":[{"manager":"m"}],"ownerReferences":)"
      R"([{"uid":"u","controller":true}]},"immutable":true})";
  auto o = must_read(text, object_detail::full);
  const auto& whole = std::get<full_state>(o->state);
  BOOST_CHECK_EQUAL(whole.text, R"({"da\"ta":{"a":"b"},"immutable":true})");
  BOOST_CHECK_EQUAL(whole.metadata,
                    R"({"name":"c","labels":{"x":"y"},"resourceVersion":"7",)"
                    R"("ownerReferences":[{"uid":"u","controller":true}]})");
  // Nobody looks after what has no controller.
  auto foreign = must_read(R"({"metadata":{"name":"c"}})", object_detail::full);
  BOOST_CHECK(std::holds_alternative<metadata_state>(foreign->state));
}

BOOST_AUTO_TEST_CASE(a_raw_object_keeps_spec_and_status_as_they_are) {
  auto text = R"({"metadata":{"name":"j"},"spec": { "b" : [1, -2, 2.5,
    18446744073709551615, true, null], "a":"\u00e9\"\\\n" },
    "status" : {"conditions":[ ]} })";
  auto raw = std::get<spec_and_status_state>(
      must_read(text, object_detail::spec_and_status)->state);
  BOOST_CHECK_EQUAL(json::parse(raw.spec), json::parse(text)["spec"]);
  BOOST_CHECK_EQUAL(raw.spec.find(' '), std::string::npos);
  BOOST_CHECK_EQUAL(raw.status, R"({"conditions":[]})");
  auto none = must_read(R"({"metadata":{}})", object_detail::spec_and_status);
  BOOST_CHECK_EQUAL(std::get<spec_and_status_state>(none->state).spec, "null");
  BOOST_CHECK_EQUAL(std::get<spec_and_status_state>(none->state).status,
                    "null");
}

BOOST_AUTO_TEST_CASE(the_last_manager_of_the_spec_is_kept) {
  const std::pair<const char*, const char*> rows[] = {
      {"null", ""},
      {R"([{"manager":"a","fieldsV1":{"f:status":{}}}])", ""},
      {R"([{"manager":"a","fieldsV1":{"f:spec":{}}}])", "a"},
      {R"([{"manager":"a","time":"2026-01-31T12:00:01Z",
            "fieldsV1":{"f:spec":{}}},
           {"manager":"b","time":"2026-01-31T12:00:00Z",
            "fieldsV1":{"f:spec":{}}},
           {"manager":"c","time":"2026-01-31T12:00:02Z",
            "fieldsV1":{"f:status":{}}}])",
       "a"},
      {R"([5, {"manager":5,"fieldsV1":{"f:spec":{}}}])", ""},
  };
  for (const auto& [fields, manager] : rows) {
    auto o = must_read(R"({"metadata":{"managedFields":)" + std::string{fields}
                           + "}}",
                       object_detail::spec_and_status);
    BOOST_CHECK_EQUAL(std::get<spec_and_status_state>(o->state).spec_manager,
                      manager);
  }
}

BOOST_AUTO_TEST_CASE(phases_are_read) {
  const std::pair<const char*, pod_phase> rows[] = {
      {R"({"phase":"Pending"})", pod_phase::pending},
      {R"({"phase":"Running"})", pod_phase::running},
      {R"({"phase":"Succeeded"})", pod_phase::succeeded},
      {R"({"phase":"Failed"})", pod_phase::failed},
      {R"({"phase":"Unknown"})", pod_phase::unknown},
      {R"({"phase":"Dreaming"})", pod_phase::unknown},
      {R"({"phase":""})", pod_phase::pending},
      {R"({"phase":5})", pod_phase::pending},
      {R"({})", pod_phase::pending},
      {R"(null)", pod_phase::pending},
      {R"("Failed")", pod_phase::pending},
  };
  for (const auto& [status, phase] : rows)
    BOOST_CHECK_MESSAGE(pod_of(with_status(status)).phase == phase, status);
}

BOOST_AUTO_TEST_CASE(mistyped_fields_read_as_empty) {
  auto o = must_read(
      R"({"metadata":{"name":1,"namespace":[],"uid":{},"resourceVersion":9,
      "generation":"2","creationTimestamp":"noon","deletionTimestamp":true,
      "labels":["a"],"annotations":"b","ownerReferences":{"a":1}},
      "spec":[1],"status":{"phase":{},"containerStatuses":"none",
      "initContainerStatuses":[1,"a",null,[],{"restartCount":1e99,
      "state":[]}],"conditions":[{"lastTransitionTime":1}]}})",
      object_detail::pod);
  BOOST_CHECK_EQUAL(o->meta.name + o->meta.ns + o->meta.uid, "");
  BOOST_CHECK_EQUAL(o->meta.resource_version, 0u);
  BOOST_CHECK_EQUAL(o->meta.generation, 0);
  BOOST_CHECK(o->meta.created == time_point{});
  BOOST_CHECK(!o->meta.deleted);
  BOOST_CHECK(o->meta.labels.empty() && o->meta.annotations.empty());
  BOOST_CHECK(o->meta.owners.empty());
  const auto& p = std::get<pod_state>(o->state);
  BOOST_CHECK(p.containers.empty());
  BOOST_CHECK_EQUAL(p.init_containers.size(), 5u);
  BOOST_CHECK_EQUAL(p.init_containers[4].restarts, 0);
}

BOOST_AUTO_TEST_CASE(versions_that_are_no_number_are_0) {
  const std::pair<const char*, std::uint64_t> rows[] = {
      {"1", 1},  {"18446744073709551615", 18446744073709551615u},
      {"", 0},   {"18446744073709551616", 0},
      {"-1", 0}, {"12a", 0},
      {"+1", 0}, {" 1", 0}};
  for (const auto& [text, version] : rows)
    BOOST_CHECK_EQUAL(must_read(sample_pod(text), object_detail::metadata)
                          ->meta.resource_version,
                      version);
}

BOOST_AUTO_TEST_CASE(numbers_out_of_range_read_as_0) {
  auto p = pod_of(with_status(
      R"({"containerStatuses":[{"restartCount":4294967297,
      "state":{"terminated":{"exitCode":-9223372036854775808}}}]})"));
  BOOST_CHECK_EQUAL(p.containers.at(0).restarts, 0);
  BOOST_CHECK_EQUAL(p.containers.at(0).exit_code, 0);
}

BOOST_AUTO_TEST_CASE(a_status_in_place_of_an_object_means_it_is_gone) {
  auto o =
      decode_object(R"({"kind":"Status","metadata":{},"status":"Success"})",
                    object_detail::pod);
  BOOST_REQUIRE(!o);
  BOOST_CHECK(o.error().code == ec::not_found);
}

// -- broken text --------------------------------------------------------------

BOOST_AUTO_TEST_CASE(an_integer_beyond_64_bits_is_a_floating_point_number) {
  constexpr const char* text =
      R"({"metadata":{"name":"a"},"spec":{"x":100000000000000000000}})";
  auto raw = std::get<spec_and_status_state>(
      must_read(text, object_detail::spec_and_status)->state);
  BOOST_CHECK_EQUAL(json::parse(raw.spec), json::parse(text)["spec"]);
  BOOST_CHECK(
      decode_list(R"({"metadata":{},"items":[)" + std::string{text} + "]}",
                  object_detail::metadata));
  BOOST_CHECK(decode_watch_line(event("ADDED", text), object_detail::pod));
}

BOOST_AUTO_TEST_CASE(every_prefix_of_an_event_is_garbage) {
  auto line = event("MODIFIED", sample_pod());
  for (auto keep : {object_detail::pod, object_detail::metadata,
                    object_detail::spec_and_status})
    BOOST_REQUIRE(bool(decode_watch_line(line, keep)));
  for (std::size_t i = 0; i < line.size(); ++i) {
    // A copy of its own size, so that reading on is seen by sanitizers.
    std::vector<char> cut(line.begin(), line.begin() + static_cast<long>(i));
    auto e = decode_watch_line({cut.data(), cut.size()}, object_detail::pod);
    BOOST_REQUIRE(!e);
    BOOST_REQUIRE(e.error().code == ec::garbage);
  }
}

BOOST_AUTO_TEST_CASE(no_damaged_byte_brings_the_codec_down) {
  const auto line = event("ADDED", sample_pod());
  std::uint32_t seed = 1;
  for (int i = 0; i < 4000; ++i) {
    auto text = line;
    for (int k = 0; k < 1 + i % 3; ++k) {
      seed = seed * 1664525 + 1013904223;
      text[(seed >> 8) % text.size()] = static_cast<char>(seed >> 24);
    }
    auto e = decode_watch_line(text, i % 2 ? object_detail::pod
                                           : object_detail::spec_and_status);
    BOOST_REQUIRE(e || e.error().code == ec::garbage);
  }
}

BOOST_AUTO_TEST_CASE(text_that_is_no_object_is_garbage) {
  for (std::string text :
       {"", " ", "null", "1", "\"a\"", "[]", "{}", "{\"metadata\":1}",
        "{\"metadata\":null}", "<html>busy</html>", "{\"a\":1}}", "\xff\xfe",
        "{\"metadata\":{\"name\":\"\xff\"}}"}) {
    auto o = decode_object(text, object_detail::pod);
    BOOST_REQUIRE_MESSAGE(!o, text);
    BOOST_CHECK(o.error().code == ec::garbage);
    auto l = decode_list(text, object_detail::pod);
    BOOST_CHECK_MESSAGE(!l && l.error().code == ec::garbage, text);
    auto e = decode_watch_line(text, object_detail::pod);
    BOOST_CHECK_MESSAGE(!e && e.error().code == ec::garbage, text);
  }
  std::string deep(100'000, '[');
  BOOST_CHECK(!decode_object(deep, object_detail::spec_and_status));
}

BOOST_AUTO_TEST_CASE(garbage_is_shown_in_one_printable_line) {
  auto o = decode_object("<html>\n\x01\x1b[31m" + std::string(5000, 'x'),
                         object_detail::pod);
  BOOST_REQUIRE(!o);
  const auto& what = o.error().message;
  BOOST_CHECK_NE(what.find("<html>???[31mxxx"), std::string::npos);
  BOOST_CHECK_LT(what.size(), 400u);
}

// -- threads ------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(threads_decode_side_by_side) {
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t, &good] {
      auto version = std::to_string(100 + t);
      for (int i = 0; i < 200; ++i) {
        auto o = decode_object(sample_pod(version), object_detail::pod);
        if (o
            && (*o)->meta.resource_version
                   == static_cast<std::uint64_t>(100 + t))
          ++good;
      }
    });
  for (auto& t : threads)
    t.join();
  BOOST_CHECK_EQUAL(good.load(), 800);
}

BOOST_AUTO_TEST_SUITE_END()
