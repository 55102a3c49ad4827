#include "k8s/codec/codec.hpp"
#include "k8s/watch/watch_frames.hpp"
#include "tests/k8s/codec/protobuf_writer.hpp"
#include "tests/k8s/sample_pod.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <sstream>

using namespace troupe::k8s;
using nlohmann::json;
using kind = watch_event::kind;

BOOST_AUTO_TEST_SUITE(protobuf_codec_test)

namespace {

// -- all that is kept of an object, as text -----------------------------------

std::string to_text(const std::map<std::string, std::string>& texts) {
  return json(texts).dump();
}

std::string to_text(const container_status& c) {
  std::ostringstream out;
  out << c.name << " " << c.restarts << " " << static_cast<int>(c.state) << " "
      << c.exit_code << " " << c.reason << " " << c.message << " "
      << (c.started ? to_rfc3339(*c.started) : "never") << " "
      << (c.finished ? to_rfc3339(*c.finished) : "never")
      << (c.is_sidecar ? " sidecar;" : ";");
  if (c.last)
    out << "before " << c.last->exit_code << " " << c.last->reason << " "
        << (c.last->started ? to_rfc3339(*c.last->started) : "never") << " "
        << (c.last->finished ? to_rfc3339(*c.last->finished) : "never") << ";";
  return out.str();
}

std::string to_text(const pod_state& p) {
  std::ostringstream out;
  out << static_cast<int>(p.phase) << " " << p.reason << " " << p.message << " "
      << p.node << " " << p.scheduling_group.value_or("unknown") << " "
      << (p.started ? to_rfc3339(*p.started) : "never") << "\naddresses ";
  for (const auto& ip : p.ips)
    out << ip << ";";
  out << "\ncontainers ";
  for (const auto& c : p.containers)
    out << to_text(c);
  out << "\ninit containers ";
  for (const auto& c : p.init_containers)
    out << to_text(c);
  out << "\nconditions ";
  for (const auto& c : p.conditions)
    out << c.type << " " << c.status << " " << c.reason << " " << c.message
        << " " << to_rfc3339(c.last_transition) << ";";
  out << "\nports " << (p.ports ? "" : "unknown");
  for (const auto& d : p.ports ? *p.ports : std::vector<declared_port>{})
    out << d.container << " " << d.name << " " << d.number << " " << d.protocol
        << ";";
  return out.str();
}

std::string to_text(const object& o) {
  const auto& m = o.meta;
  std::ostringstream out;
  out << m.name << " " << m.ns << " " << m.uid << " " << m.resource_version
      << " " << m.generation << " " << to_rfc3339(m.created) << " "
      << (m.deleted ? to_rfc3339(*m.deleted) : "never") << " "
      << m.deletion_grace_seconds.value_or(-7) << to_text(m.labels)
      << to_text(m.annotations) << "\nowners ";
  for (const auto& r : m.owners)
    out << r.api_version << " " << r.kind << " " << r.name << " " << r.uid
        << (r.controller ? " controls;" : ";");
  out << "\nstate " << o.state.index() << " ";
  if (const auto* p = std::get_if<pod_state>(&o.state))
    out << to_text(*p);
  return out.str();
}

template <class T>
T must(result<T> r) {
  BOOST_REQUIRE_MESSAGE(bool(r), (r ? std::string{} : r.error().message));
  return *r;
}

std::string pod_in_protobuf() {
  auto pod = json::parse(sample_pod());
  pod["metadata"]["labels"].erase("odd"); // Only JSON can have a number there.
  return protobuf_of(pod, "Pod");
}

/// Pods that differ from the sample in what a patch says.
const char* const patches[] = {
    R"({})",
    R"({"metadata":{"deletionTimestamp":null,"annotations":null}})",
    R"({"metadata":{"deletionGracePeriodSeconds":null}})",
    R"({"metadata":{"creationTimestamp":null}})",
    R"({"metadata":{"creationTimestamp":"1969-12-31T23:59:59Z"}})",
    R"({"metadata":{"creationTimestamp":"1970-01-01T00:00:00Z"}})",
    R"({"metadata":{"creationTimestamp":"2250-12-31T23:59:59Z"}})",
    R"({"metadata":{"creationTimestamp":"1700-01-01T00:00:00Z"}})",
    R"({"metadata":{"ownerReferences":null,"labels":null}})",
    R"({"metadata":{"resourceVersion":"18446744073709551615",
        "deletionGracePeriodSeconds":-1,"generation":9223372036854775807}})",
    R"({"metadata":{"resourceVersion":"x","generation":-1}})",
    R"({"spec":{"nodeName":null},"status":null})",
    R"({"spec":{"schedulingGroup":{"podGroupName":"tfjob-gang"}}})",
    R"({"spec":{"schedulingGroup":{}}})",
    R"({"spec":null,"status":{"phase":"Pending","conditions":null}})",
    R"({"status":{"phase":"Running","reason":null,"message":null}})",
    R"({"status":{"phase":"Succeeded"}})",
    R"({"spec":{"containers":[{"name":"a","ports":[{"name":"di-port",
        "containerPort":22270,"protocol":"TCP"},{"containerPort":4294967297}]},
        {"ports":[{"name":"x","protocol":"UDP"},{"protocol":""},{}]},{"name":"none"}]}})",
    R"({"spec":{"initContainers":[{"name":"side","restartPolicy":"Always"},
        {"name":"once","restartPolicy":"Never"},{"restartPolicy":"Always"},
        {"name":"wait"}]},"status":{"initContainerStatuses":[{"name":"wait"},
        {"name":"side","restartCount":2},{"name":"once"},{}]}})",
    R"({"status":{"phase":"Dreaming"}})",
    R"({"status":{"phase":""}})",
    R"({"status":{"containerStatuses":[{"name":"a","restartCount":2147483647,
        "state":{"terminated":{"exitCode":-2147483648}}}]}})",
    R"({"status":{"containerStatuses":[{"name":"a","restartCount":4294967297,
        "state":{"terminated":{"exitCode":-9223372036854775808}}}]}})",
    R"({"status":{"startTime":null,"containerStatuses":[{"name":"a","state":{
        "terminated":{"startedAt":"2026-01-31T12:00:00Z","finishedAt":null}}},
        {"name":"b","state":{"running":{"startedAt":"2026-01-31T12:00:00Z"}}},
        {"name":"c","state":{"terminated":{"finishedAt":
        "2026-01-31T12:00:01Z"}}}]}})",
    R"({"status":{"containerStatuses":[{"name":"a","state":{"running":{}}},
        {"name":"b","state":{"waiting":{}},"lastState":{"terminated":{
        "exitCode":3,"reason":"Error"}}},{}]}})",
    R"({"status":{"containerStatuses":[{"name":"a","restartCount":4,"state":{
        "waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{
        "exitCode":137,"reason":"OOMKilled","startedAt":"2026-01-31T12:00:00Z",
        "finishedAt":"2026-01-31T12:00:02Z"}}},{"name":"b","lastState":{}},
        {"name":"c","lastState":{"waiting":{}}},
        {"name":"d","lastState":{"terminated":{}}}]}})",
    R"({"status":{"conditions":[{"type":"DisruptionTarget","status":"True",
        "reason":"DeletionByPodGC","message":"caf\u00e9"},
        {"type":"Ready","lastTransitionTime":null}]}})",
};

bool is_garbage(const result<object_ptr>& o) {
  return !o && o.error().code == ec::garbage;
}

} // namespace

// -- the same as JSON ---------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_pod_reads_as_its_json_does) {
  for (const auto* patch : patches)
    for (auto keep : {object_detail::pod, object_detail::pod_with_ports,
                      object_detail::metadata}) {
      auto pod = json::parse(sample_pod());
      pod["metadata"]["labels"].erase("odd");
      pod.merge_patch(json::parse(patch));
      auto text = must(decode_object(pod.dump(), keep));
      auto bytes = must(decode_object(protobuf_of(pod, "Pod"), keep));
      BOOST_CHECK_MESSAGE(to_text(*text) == to_text(*bytes),
                          patch << "\nJSON: " << to_text(*text)
                                << "\nprotobuf: " << to_text(*bytes));
    }
}

BOOST_AUTO_TEST_CASE(metadata_alone_reads_as_a_pod_without_a_state) {
  auto meta = json{{"metadata", json::parse(sample_pod())["metadata"]}};
  meta["metadata"]["labels"].erase("odd");
  auto bytes = protobuf_of(meta, "PartialObjectMetadata");
  auto text = must(decode_object(meta.dump(), object_detail::pod));
  BOOST_CHECK_EQUAL(to_text(*must(decode_object(bytes, object_detail::pod))),
                    to_text(*text));
  auto o = must(decode_object(bytes, object_detail::metadata));
  BOOST_CHECK(std::holds_alternative<metadata_state>(o->state));
  BOOST_CHECK_EQUAL(o->meta.uid, "u-1");
}

BOOST_AUTO_TEST_CASE(a_list_in_protobuf_reads_as_its_json_does) {
  auto one = json::parse(sample_pod("7"));
  auto two = json::parse(sample_pod("8"));
  one["metadata"]["labels"] = {{"a", "b"}};
  two["metadata"]["labels"].erase("odd");
  json list{{"metadata", {{"resourceVersion", "99"}, {"continue", "more"}}},
            {"items", {one, two}}};
  for (const auto* message : {"PodList", "PartialObjectMetadataList"}) {
    auto page =
        must(decode_list(protobuf_of(list, message), object_detail::metadata));
    auto text = must(decode_list(list.dump(), object_detail::metadata));
    BOOST_CHECK_EQUAL(page.resource_version, 99u);
    BOOST_CHECK_EQUAL(page.continue_token, "more");
    BOOST_REQUIRE_EQUAL(page.items.size(), 2u);
    for (int i = 0; i < 2; ++i)
      BOOST_CHECK_EQUAL(to_text(*page.items[i]), to_text(*text.items[i]));
  }
  auto empty = must(decode_list(
      protobuf_of({{"metadata", {{"resourceVersion", "5"}}}}, "PodList"),
      object_detail::pod));
  BOOST_CHECK(empty.items.empty());
  BOOST_CHECK_EQUAL(empty.resource_version, 5u);
}

BOOST_AUTO_TEST_CASE(frames_say_what_happened_to_which_object) {
  const std::pair<const char*, kind> rows[] = {{"ADDED", kind::added},
                                               {"MODIFIED", kind::modified},
                                               {"DELETED", kind::deleted}};
  auto text = sample_pod();
  for (auto [type, what] : rows) {
    auto e = must(decode_protobuf_watch_frame(
        protobuf_frame(type, pod_in_protobuf()), object_detail::pod));
    BOOST_CHECK(e.type == what);
    BOOST_REQUIRE(e.item);
    BOOST_CHECK_EQUAL(to_text(*e.item),
                      to_text(*must(decode_object(text, object_detail::pod))));
  }
}

BOOST_AUTO_TEST_CASE(a_bookmark_and_an_error_in_protobuf) {
  json mark{{"metadata", {{"resourceVersion", "12"}}}};
  auto b = must(decode_protobuf_watch_frame(
      protobuf_frame("BOOKMARK", protobuf_of(mark, "Pod")),
      object_detail::pod));
  BOOST_CHECK(b.type == kind::bookmark && !b.item);
  BOOST_CHECK_EQUAL(b.resource_version, 12u);
  json status{{"metadata", json::object()},
              {"status", "Failure"},
              {"message", "too old resource version: 1 [9]"},
              {"reason", "Expired"},
              {"code", 410}};
  auto e = must(decode_protobuf_watch_frame(
      protobuf_frame("ERROR", protobuf_of(status, "Status")),
      object_detail::pod));
  BOOST_CHECK(e.type == kind::error);
  BOOST_CHECK_EQUAL(e.code, 410);
  BOOST_CHECK_EQUAL(e.message, "too old resource version: 1 [9]");
}

BOOST_AUTO_TEST_CASE(a_status_in_protobuf_is_a_refusal_or_an_end) {
  json status{{"metadata", json::object()},
              {"status", "Failure"},
              {"message", "no pods today"},
              {"reason", "AlreadyExists"},
              {"code", 409},
              {"details", {{"retryAfterSeconds", 2}}}};
  auto bytes = protobuf_of(status, "Status");
  auto f = decode_status(bytes, 409);
  BOOST_CHECK(f.code == ec::exists);
  BOOST_CHECK_EQUAL(f.message, "no pods today");
  BOOST_CHECK(f.retry_after == std::chrono::seconds{2});
  auto o = decode_object(bytes, object_detail::pod);
  BOOST_CHECK(!o && o.error().code == ec::not_found);
  auto l = decode_list(bytes, object_detail::pod);
  BOOST_CHECK(!l && l.error().code == ec::garbage);
  auto other = decode_status(pod_in_protobuf(), 503);
  BOOST_CHECK(other.code == ec::overloaded);
  BOOST_CHECK_EQUAL(other.message, "the server answered 503");
}

// -- broken bytes -------------------------------------------------------------

BOOST_AUTO_TEST_CASE(text_that_is_no_utf8_reads_as_text_that_is) {
  auto meta = bytes_field(1, bytes_field(1, "a\xff\xc3") + bytes_field(5, "u"));
  auto text = std::string{"k8s\0", 4} + bytes_field(2, meta);
  auto o = must(decode_object(text, object_detail::metadata));
  BOOST_CHECK_EQUAL(o->meta.name, "a??");
  BOOST_CHECK_EQUAL(o->meta.uid, "u");
}

BOOST_AUTO_TEST_CASE(every_prefix_of_a_frame_is_garbage) {
  auto frame = protobuf_frame("MODIFIED", pod_in_protobuf());
  for (std::size_t i = 0; i < frame.size(); ++i) {
    // A copy of its own size, so that reading on is seen by sanitizers.
    std::vector<char> cut(frame.begin(), frame.begin() + static_cast<long>(i));
    auto e = decode_protobuf_watch_frame({cut.data(), cut.size()},
                                         object_detail::pod);
    BOOST_REQUIRE(!e);
    BOOST_REQUIRE(e.error().code == ec::garbage);
  }
}

BOOST_AUTO_TEST_CASE(an_item_that_is_broken_costs_the_others_nothing) {
  auto meta = [](const std::string& name) {
    return bytes_field(1, bytes_field(1, name) + bytes_field(5, "u-" + name));
  };
  // A status that is longer than the pod.
  auto broken = meta("b") + bytes_field(3, "\x0a\x7f");
  auto items = bytes_field(2, meta("a")) + bytes_field(2, broken)
               + bytes_field(2, meta("c"));
  auto page = must(decode_list(std::string{"k8s\0", 4}
                                   + bytes_field(2, bytes_field(1, "") + items),
                               object_detail::pod));
  BOOST_REQUIRE_EQUAL(page.items.size(), 2u);
  BOOST_CHECK_EQUAL(page.items[1]->meta.name, "c");
  BOOST_REQUIRE_EQUAL(page.unreadable.size(), 1u);
  BOOST_CHECK_EQUAL(page.unreadable[0]->meta.uid, "u-b");
  BOOST_REQUIRE(page.unreadable[0]->unreadable());
  BOOST_CHECK(!page.unreadable[0]->unreadable()->for_good);
  auto e = must(decode_protobuf_watch_frame(
      protobuf_frame("MODIFIED",
                     std::string{"k8s\0", 4} + bytes_field(2, broken)),
      object_detail::pod));
  BOOST_REQUIRE(e.item);
  BOOST_CHECK(e.item->unreadable());
}

BOOST_AUTO_TEST_CASE(no_damaged_byte_of_a_frame_brings_the_codec_down) {
  const auto frame = protobuf_frame("ADDED", pod_in_protobuf());
  std::uint32_t seed = 1;
  int read = 0;
  for (int i = 0; i < 20000; ++i) {
    std::vector<char> bytes(frame.begin(), frame.end());
    for (int k = 0; k < 1 + i % 3; ++k) {
      seed = seed * 1664525 + 1013904223;
      bytes[(seed >> 8) % bytes.size()] = static_cast<char>(seed >> 24);
    }
    auto e = decode_protobuf_watch_frame({bytes.data(), bytes.size()},
                                         i % 2 ? object_detail::pod
                                               : object_detail::metadata);
    BOOST_REQUIRE(e || e.error().code == ec::garbage);
    read += e ? 1 : 0;
  }
  BOOST_CHECK(read > 0 && read < 20000);
}

BOOST_AUTO_TEST_CASE(what_no_server_writes_is_garbage_or_empty) {
  const std::string head{"k8s\0", 4};
  const auto huge = varint(~std::uint64_t{0});
  const auto named = bytes_field(1, bytes_field(1, "a"));
  const std::pair<const char*, std::string> broken[] = {
      {"nothing behind the magic number", head},
      {"an envelope without an object", head + bytes_field(1, "")},
      {"an object without metadata", head + bytes_field(2, "")},
      {"metadata that is a number", head + bytes_field(2, number_field(1, 7))},
      {"an envelope longer than the text", head + "\x12" + huge},
      {"metadata longer than the object",
       head + bytes_field(2, "\x0a" + huge + "a")},
      {"a length that goes on and on", head + "\x12" + std::string(20, '\xff')},
      {"a tag that goes on and on", head + std::string(20, '\xff')},
      {"a number that goes on and on",
       head + bytes_field(2, named + "\x20" + std::string(20, '\xff'))},
      {"field 0", head + bytes_field(0, "a")},
      {"groups", head + bytes_field(2, named + "\x23\x24")},
      {"an encoding", head + bytes_field(2, named) + bytes_field(3, "gzip")},
  };
  for (const auto& [what, text] : broken) {
    BOOST_CHECK_MESSAGE(is_garbage(decode_object(text, object_detail::pod)),
                        what);
    auto l = decode_list(text, object_detail::pod);
    BOOST_CHECK_MESSAGE(!l && l.error().code == ec::garbage, what);
    auto e = decode_protobuf_watch_frame(protobuf_frame("ADDED", text),
                                         object_detail::pod);
    BOOST_CHECK_MESSAGE(!e && e.error().code == ec::garbage, what);
    BOOST_CHECK(decode_status(text, 500).code == ec::server_error);
  }
  // Of another type than it should be: as if it were not there.
  auto odd = must(decode_object(
      head
          + bytes_field(
              2, bytes_field(1, number_field(1, 5) + bytes_field(7, "x")
                                    + number_field(11, 1) + bytes_field(5, "u"))
                     + number_field(2, 1) + number_field(3, 1)),
      object_detail::pod));
  BOOST_CHECK_EQUAL(odd->meta.name, "");
  BOOST_CHECK_EQUAL(odd->meta.uid, "u");
  // Only what is asked for in protobuf is read.
  for (auto keep : {object_detail::spec_and_status, object_detail::full})
    BOOST_CHECK(is_garbage(decode_object(pod_in_protobuf(), keep)));
  for (const auto& frame :
       {std::string{}, bytes_field(1, "ADDED"), bytes_field(2, "a"),
        protobuf_frame("", pod_in_protobuf()),
        protobuf_frame("added", pod_in_protobuf()),
        protobuf_frame("ADDED", sample_pod()), protobuf_frame("ERROR", "")}) {
    auto e = decode_protobuf_watch_frame(frame, object_detail::pod);
    BOOST_CHECK(!e && e.error().code == ec::garbage);
  }
}

// -- streams ------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(bytes_of_frames_one_at_a_time_make_the_same_frames) {
  watch_frames cut{64};
  std::vector<std::string> seen;
  for (char byte : with_length("one") + with_length("") + with_length("three")
                       + with_length("unfinished").substr(0, 9))
    BOOST_REQUIRE(cut.feed(
        {&byte, 1}, [&](std::string_view frame) { seen.emplace_back(frame); }));
  BOOST_CHECK((seen == std::vector<std::string>{"one", "", "three"}));
  BOOST_CHECK_EQUAL(cut.pending_bytes(), 9u);
}

BOOST_AUTO_TEST_CASE(a_frame_that_is_too_long_is_refused_before_it_is_there) {
  auto ignore = [](std::string_view) {};
  watch_frames exact{64};
  BOOST_CHECK(exact.feed(with_length(std::string(64, 'x')), ignore));
  watch_frames whole{64};
  BOOST_CHECK(!whole.feed(with_length(std::string(65, 'x')), ignore));
  watch_frames pieces{64};
  BOOST_CHECK(pieces.feed(std::string{"\0\0", 2}, ignore));
  BOOST_CHECK(!pieces.feed(std::string{"\0\x41", 2}, ignore));
}

BOOST_AUTO_TEST_SUITE_END()
