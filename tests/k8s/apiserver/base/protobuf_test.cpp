#include "k8s/apiserver/base/protobuf.hpp"
#include "k8s/codec/protobuf_encoding.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(protobuf_test)

namespace {

std::string varint(std::uint64_t n) {
  std::string out;
  for (; n > 0x7f; n >>= 7)
    out += char(0x80 | (n & 0x7f));
  return out + char(n);
}

/// A field of bytes: a string, or a message.
std::string bytes(unsigned number, const std::string& text) {
  return varint(number << 3 | 2) + varint(text.size()) + text;
}

/// A field that is a number or a flag.
std::string number(unsigned number, std::int64_t value) {
  return varint(number << 3) + varint(static_cast<std::uint64_t>(value));
}

std::string entry(const std::string& key, const std::string& value) {
  return bytes(1, key) + bytes(2, value);
}

/// An object in its envelope, as clients send it.
std::string envelope(const std::string& version, const std::string& kind,
                     const std::string& raw) {
  return std::string("k8s\0", 4) + bytes(1, bytes(1, version) + bytes(2, kind))
         + bytes(2, raw) + bytes(3, "") + bytes(4, "");
}

} // namespace

BOOST_AUTO_TEST_CASE(the_known_kinds_read_as_their_json) {
  struct row {
    const char* version;
    const char* kind;
    std::string raw;
    const char* read;
  };
  // A creationTimestamp, written by every client and by the server anew.
  auto meta = bytes(1, bytes(1, "m") + bytes(2, "") + bytes(8, ""));
  // clang-format off
  const row rows[] = {
      {"v1", "Namespace", meta + bytes(2, "") + bytes(3, ""), R"({"metadata":{"name":"m"},"spec":{},"status":{}})"},
      {"v1", "ServiceAccount", meta, R"({"metadata":{"name":"m"}})"},
      {"authentication.k8s.io/v1", "TokenRequest",
       meta + bytes(2, bytes(1, "a") + bytes(1, "b") + bytes(3, bytes(1, "Pod") + bytes(2, "v1") + bytes(3, "p") + bytes(4, "u")) + number(4, 600)) + bytes(3, bytes(1, "")),
       R"({"metadata":{"name":"m"},"spec":{"audiences":["a","b"],"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"p","uid":"u"},"expirationSeconds":600},"status":{}})"},
      {"authentication.k8s.io/v1", "TokenReview", bytes(2, bytes(1, "t") + bytes(2, "a")), R"({"spec":{"token":"t","audiences":["a"]}})"},
      {"v1", "ConfigMap", bytes(2, entry("k", "v")) + bytes(2, entry("l", "")) + bytes(3, entry("b", "\xff")) + number(4, 1),
       R"({"data":{"k":"v","l":""},"binaryData":{"b":"/w=="},"immutable":true})"},
      {"v1", "Secret", bytes(2, entry("k", "\xff")) + bytes(3, "Opaque") + bytes(4, entry("t", "v")) + number(5, 0),
       R"({"data":{"k":"/w=="},"type":"Opaque","stringData":{"t":"v"},"immutable":false})"},
      {"scheduling.k8s.io/v1", "PriorityClass", number(2, -7) + number(3, 1) + bytes(4, "d") + bytes(5, "Never"),
       R"({"value":-7,"globalDefault":true,"description":"d","preemptionPolicy":"Never"})"},
      {"v1", "DeleteOptions", number(1, 300) + bytes(2, bytes(1, "u") + bytes(2, "5")) + bytes(4, "Orphan") + bytes(5, "All"),
       R"({"gracePeriodSeconds":300,"preconditions":{"uid":"u","resourceVersion":"5"},"propagationPolicy":"Orphan","dryRun":["All"]})"},
      {"v1", "Namespace", bytes(1, bytes(2, "g-") + bytes(3, "n") + bytes(5, "u") + bytes(6, "9") + number(7, 2)
                                   + bytes(11, entry("a", "b")) + bytes(12, entry("c", "d")) + bytes(14, "f") + bytes(14, "g")
                                   + bytes(13, bytes(1, "K") + bytes(3, "o") + bytes(4, "i") + bytes(5, "v1") + number(6, 1) + number(7, 0))),
       R"({"metadata":{"generateName":"g-","namespace":"n","uid":"u","resourceVersion":"9","generation":2,
           "labels":{"a":"b"},"annotations":{"c":"d"},"finalizers":["f","g"],
           "ownerReferences":[{"kind":"K","name":"o","uid":"i","apiVersion":"v1","controller":true,"blockOwnerDeletion":false}]}})"},
      {"v1", "ConfigMap", "", "{}"},
      {"authorization.k8s.io/v1", "SelfSubjectAccessReview",
       bytes(1, "") + bytes(2, bytes(1, bytes(1, "n") + bytes(2, "create") + bytes(5, "pods")) ) + bytes(3, number(1, 0)),
       R"({"metadata":{},"spec":{"resourceAttributes":{"namespace":"n","verb":"create","resource":"pods"}},"status":{"allowed":false}})"},
      {"authorization.k8s.io/v1", "SelfSubjectRulesReview", bytes(2, bytes(1, "n")),
       R"({"spec":{"namespace":"n"}})"},
      {"apps/v1", "Deployment",
       bytes(2, number(1, 2) + bytes(3, bytes(2, bytes(2, bytes(1, "c") + bytes(2, "i") + bytes(6, number(3, 80))
                                                             + bytes(8, bytes(1, entry("cpu", bytes(1, "2")))))))
                  + number(5, 0) + number(7, 1))
         + bytes(3, number(1, 0)),
       R"({"spec":{"replicas":2,"paused":true,"template":{"spec":{"containers":[
           {"name":"c","image":"i","ports":[{"containerPort":80}],"resources":{"limits":{"cpu":"2"}}}]}}},"status":{}})"},
      {"v1", "Pod", bytes(2, bytes(1, bytes(1, "v") + bytes(2, bytes(2, "")))),
       R"({"spec":{"volumes":[{"name":"v","emptyDir":{}}]}})"},
      {"policy/v1", "PodDisruptionBudget", bytes(2, bytes(1, number(1, 1) + bytes(3, "50%")) + bytes(3, number(1, 0) + number(2, 4))),
       R"({"spec":{"minAvailable":"50%","maxUnavailable":4}})"},
      {"coordination.k8s.io/v1", "Lease", bytes(2, bytes(3, number(1, 1700000000) + number(2, 5000)) + bytes(4, "")),
       R"({"spec":{"acquireTime":"2023-11-14T22:13:20.000005Z"}})"},
      // A time that a time_point could not hold.
      {"coordination.k8s.io/v1", "Lease", bytes(2, bytes(3, number(1, 253402300799) + number(2, 999'999'999))),
       R"({"spec":{"acquireTime":"2250-12-31T23:59:59.000000Z"}})"},
      {"v1", "Event", bytes(7, number(1, 9'300'000'000)), R"({"lastTimestamp":"2250-12-31T23:59:59Z"})"},
      {"events.k8s.io/v1", "Event", bytes(10, "n"), R"({"note":"n"})"},
      {"v1", "Event", bytes(7, number(1, 1700000000)) + number(8, 0), R"({"lastTimestamp":"2023-11-14T22:13:20Z"})"},
      {"apps/v1", "ControllerRevision", bytes(2, bytes(1, R"({"a":[1]})")), R"({"data":{"a":[1]}})"},
  };
  // clang-format on
  for (const auto& r : rows) {
    auto read = decode_protobuf(envelope(r.version, r.kind, r.raw));
    BOOST_REQUIRE(bool(read));
    auto expected = json::parse(r.read);
    expected["apiVersion"] = r.version;
    expected["kind"] = r.kind;
    BOOST_TEST(*read == expected, *read);
  }
}

BOOST_AUTO_TEST_CASE(a_length_may_need_more_than_one_byte) {
  std::string value(300, 'x');
  auto read =
      decode_protobuf(envelope("v1", "ConfigMap", bytes(2, entry("k", value))));
  BOOST_REQUIRE(bool(read));
  BOOST_TEST(text_at(*read, {"data", "k"}) == value);
}

BOOST_AUTO_TEST_CASE(all_else_is_an_unsupported_media_type) {
  struct row {
    const char* what;
    std::string body;
  };
  auto good = envelope("v1", "Namespace", bytes(1, bytes(1, "m")));
  auto of_kind = [](const char* kind, const std::string& raw) {
    return envelope("v1", kind, raw);
  };
  const row rows[] = {
      {"nothing", ""},
      {"no envelope", bytes(1, "x")},
      {"another magic", "k9s" + good.substr(3)},
      {"an empty envelope", good.substr(0, 4)},
      {"an unknown kind", of_kind("TFJob", bytes(1, bytes(1, "m")))},
      {"no kind", of_kind("", "")},
      {"an unknown field", of_kind("Namespace", bytes(9, "x"))},
      {"an unknown inner field",
       of_kind("Namespace", bytes(1, bytes(99, "x")))},
      {"a length beyond the end", of_kind("Namespace", "\x0a\x05x")},
      {"a number without end",
       of_kind("PriorityClass", "\x10" + std::string(11, '\xff'))},
      {"a fixed64", of_kind("PriorityClass", "\x11" + std::string(8, '\1'))},
      {"a time before all times",
       of_kind("Pod", bytes(1, bytes(9, number(1, -1))))},
      {"a time after all times",
       of_kind("Pod", bytes(1, bytes(9, number(1, 253402300800))))},
      {"less than no part of a second",
       of_kind("Pod", bytes(1, bytes(9, number(1, 0) + number(2, -1))))},
      {"more than a part of a second",
       of_kind("Pod",
               bytes(1, bytes(9, number(1, 0) + number(2, 1'000'000'000))))},
      {"a name that is no UTF-8",
       of_kind("Namespace", bytes(1, bytes(1, "\xff")))},
  };
  BOOST_TEST(bool(decode_protobuf(good)));
  for (const auto& r : rows) {
    auto read = decode_protobuf(r.body);
    BOOST_TEST((!read && read.error().code == 415), r.what);
  }
}

BOOST_AUTO_TEST_CASE(what_our_client_writes_reads_as_its_json) {
  // clang-format off
  const char* const rows[] = {
      R"({"apiVersion":"v1","kind":"Pod",
          "metadata":{"name":"job-worker-0","namespace":"team","labels":{"a":"b","empty":""},"annotations":{"text":"\"ä\n"},"creationTimestamp":"2026-01-31T12:00:00Z",
                      "ownerReferences":[{"apiVersion":"kubeflow.org/v1","kind":"TFJob","name":"job","uid":"u","controller":true,"blockOwnerDeletion":true}]},
          "spec":{"restartPolicy":"Never","hostNetwork":true,"priority":-5,"terminationGracePeriodSeconds":0,"nodeSelector":{"gpu":"yes"},
                  "securityContext":{"runAsUser":1000,"supplementalGroups":[1,2]},
                  "tolerations":[{"key":"k","operator":"Exists","tolerationSeconds":60}],
                  "affinity":{"podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,"podAffinityTerm":{"topologyKey":"zone","labelSelector":{}}}]}},
                  "volumes":[{"name":"scratch","emptyDir":{}},{"name":"shm","emptyDir":{"medium":"Memory","sizeLimit":"64Mi"}},
                             {"name":"files","configMap":{"name":"c","items":[{"key":"k","path":"p","mode":420}]}},
                             {"name":"data","ephemeral":{"volumeClaimTemplate":{"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}}}],
                  "containers":[{"name":"tensorflow","image":"i","command":["sh","-c"],"args":["","x"],"ports":[{"name":"tf","containerPort":2222,"protocol":"TCP"}],
                                 "env":[{"name":"A","value":"1"},{"name":"B","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}},
                                        {"name":"C","valueFrom":{"resourceFieldRef":{"resource":"limits.cpu","divisor":"1m"}}}],
                                 "resources":{"limits":{"cpu":"500m","nvidia.com/gpu":"2"}},
                                 "livenessProbe":{"httpGet":{"path":"/","port":"tf"},"periodSeconds":5},
                                 "readinessProbe":{"tcpSocket":{"port":2222}},
                                 "lifecycle":{"preStop":{"exec":{"command":["true"]}}},
                                 "securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]},"seccompProfile":{"type":"RuntimeDefault"}}}],
                  "ephemeralContainers":[{"name":"debug","image":"i","targetContainerName":"tensorflow"}]}})",
      R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},
          "spec":{"clusterIP":"None","selector":{"a":"b"},"ports":[{"name":"p","port":2222,"targetPort":"tf"},{"port":1,"targetPort":1}]}})",
      R"({"apiVersion":"v1","kind":"Event","metadata":{"name":"e","namespace":"n"},"involvedObject":{"kind":"TFJob","name":"j","uid":"u"},
          "reason":"R","message":"m","type":"Normal","count":2,"source":{"component":"c"},
          "firstTimestamp":"2026-01-31T12:00:00Z","lastTimestamp":"2026-01-31T12:00:01Z","eventTime":"2026-01-31T12:00:00.000250Z"})"};
  // clang-format on
  for (const auto* text : rows) {
    auto bytes = json_to_protobuf_if_certain(text);
    BOOST_REQUIRE(bytes.has_value());
    auto read = decode_protobuf(*bytes);
    BOOST_REQUIRE(bool(read));
    BOOST_TEST(*read == json::parse(text));
  }
}

// What is null is not written, and whole numbers are quantities, too.
BOOST_AUTO_TEST_CASE(our_client_writes_what_the_server_would_store) {
  auto bytes = json_to_protobuf_if_certain(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"creationTimestamp":null},
          "spec":{"containers":[{"resources":{"limits":{"cpu":2}}}],
                  "tolerations":[]}})");
  BOOST_REQUIRE(bytes.has_value());
  auto read = decode_protobuf(*bytes);
  BOOST_REQUIRE(bool(read));
  const auto& pod = *read;
  BOOST_TEST(pod["metadata"] == json::object());
  BOOST_TEST(pod["spec"]
             == json::parse(
                 R"({"containers":[{"resources":{"limits":{"cpu":"2"}}}]})"));
}

BOOST_AUTO_TEST_SUITE_END()
