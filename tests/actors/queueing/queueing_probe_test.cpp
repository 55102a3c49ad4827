#include "actors/queueing/queueing_probe.hpp"
#include "tests/actors/single_actor_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(queueing_probe_test)

namespace {

using answer = k8s::result<std::string>;

const answer not_there = k8s::failure{k8s::ec::not_found, "no"};
const answer silent = k8s::failure{k8s::ec::timeout, "late"};
const answer forbidden = k8s::failure{
    k8s::ec::forbidden, "User \"u\" cannot create resource \"tfjobs\""};
const answer webhook = k8s::failure{
    k8s::ec::forbidden, "admission webhook \"a.b\" denied the request"};
const answer kueue = std::string{R"({"resources":[{"name":"workloads"}]})"};
const answer other_api = std::string{R"({"resources":[{"name":"queues"}]})"};
const answer allowed = std::string{R"({"status":{"allowed":true}})"};
const answer denied = std::string{R"({"status":{"allowed":false}})"};
const answer as_sent = std::string{R"({"spec":{"runPolicy":{}}})"};
const answer suspended =
    std::string{R"({"spec":{"runPolicy":{"suspend":true}}})"};

std::string text(const queueing_probe::step& s) {
  if (const auto* call = std::get_if<k8s::request>(&s))
    return std::string{k8s::to_string(call->method)} + " " + call->resource;
  if (const auto* why = std::get_if<k8s::failure>(&s))
    return std::string{"failed "} + k8s::to_string(why->code);
  const auto& found = std::get<core::queueing_options>(s);
  std::string result = found.on ? "on" : found.holds ? "holds" : "off";
  if (found.unknown)
    result += ", unknown";
  for (const auto& kind : found.left_to_kueue)
    result += ", without " + kind;
  for (const auto& kind : found.undecided)
    result += ", undecided " + kind;
  return result + (found.why_off.empty() ? "" : ", says why");
}

std::string course_of(kueue_mode mode, const std::vector<answer>& answers) {
  queueing_probe probe{
      {mode,
       {&row_of_kind("DIJob"), &row_of_kind("TFJob"), &row_of_kind("MPIJob")},
       "ns"}};
  auto next = probe.begin();
  auto result = text(next);
  for (const auto& a : answers) {
    BOOST_REQUIRE(std::holds_alternative<k8s::request>(next));
    next = probe.on_answer(a);
    result += "; " + text(next);
  }
  return result;
}

const std::string discovery = "get apiresources";
const std::string review = "create selfsubjectaccessreviews";
const std::string try_tf = "create tfjobs";
const std::string try_mpi = "create mpijobs";

} // namespace

BOOST_AUTO_TEST_CASE(what_is_found_out_follows_from_the_answers) {
  struct row {
    kueue_mode mode;
    std::vector<answer> answers;
    std::string course;
  };
  const auto until_trial = discovery + "; " + review + "; " + try_tf;
  const auto both = until_trial + "; " + try_mpi + "; ";
  const row rows[] = {
      {kueue_mode::off, {}, "off"},
      {kueue_mode::automatic, {not_there}, discovery + "; off"},
      {kueue_mode::automatic, {other_api}, discovery + "; off"},
      {kueue_mode::automatic, {silent}, discovery + "; failed timeout"},
      {kueue_mode::automatic,
       {kueue, denied},
       discovery + "; " + review + "; off, says why"},
      {kueue_mode::automatic,
       {kueue, silent},
       discovery + "; " + review + "; failed timeout"},
      {kueue_mode::automatic, {kueue, allowed, as_sent, as_sent}, both + "on"},
      {kueue_mode::automatic,
       {kueue, allowed, suspended, as_sent},
       both + "on, without v1/tfjobs"},
      {kueue_mode::automatic,
       {kueue, allowed, as_sent, suspended},
       both + "on, without " + "v1/mpijobs"},
      // Not known yet; and never known: both may look after the kind.
      {kueue_mode::automatic,
       {kueue, allowed, silent, webhook},
       both + "on, undecided v1/tfjobs"},
      {kueue_mode::automatic,
       {kueue, allowed, forbidden},
       until_trial + "; off, says why"},
      {kueue_mode::own, {kueue}, discovery + "; on"},
      {kueue_mode::own, {not_there}, discovery + "; holds, says why"},
      {kueue_mode::own, {other_api}, discovery + "; holds, says why"},
      {kueue_mode::own, {silent}, discovery + "; failed timeout"},
  };
  for (const auto& r : rows)
    BOOST_TEST(course_of(r.mode, r.answers) == r.course);
}

BOOST_AUTO_TEST_CASE(a_trial_makes_nothing) {
  queueing_probe probe{
      {kueue_mode::automatic, {&row_of_kind("PyTorchJob")}, "trials"}};
  probe.begin();
  probe.on_answer(kueue);
  auto next = probe.on_answer(allowed);
  const auto& call = std::get<k8s::request>(next);
  BOOST_TEST(call.path
             == "/apis/kubeflow.org/v1/namespaces/trials/pytorchjobs"
                "?dryRun=All");
  auto body = json::parse(call.body);
  BOOST_TEST(body["metadata"]["labels"].contains("kueue.x-k8s.io/queue-name"));
  BOOST_TEST(!body["spec"].contains("runPolicy"));
  // It is one that the rules of its kind accept.
  for (const auto& kind : frameworks::all()) {
    if (kind.names.type.group != "kubeflow.org"
        || *kind.names.spec_field == '\0')
      continue;
    queueing_probe one{{kueue_mode::automatic, {&kind}, "ns"}};
    one.begin();
    one.on_answer(kueue);
    auto sent =
        json::parse(std::get<k8s::request>(one.on_answer(allowed)).body);
    k8s::object o;
    o.meta.name = "trial";
    o.meta.ns = "ns";
    o.meta.uid = "uid";
    o.state = k8s::spec_and_status_state{sent["spec"].dump(), "null"};
    auto j = core::decode_job(kind, o);
    BOOST_REQUIRE(j);
    BOOST_TEST(j->validation_error == "", kind.names.type.kind);
  }
}

BOOST_AUTO_TEST_CASE(a_probe_begins_anew_each_time) {
  queueing_probe probe{{kueue_mode::automatic, {&row_of_kind("TFJob")}, "ns"}};
  for (bool suspends : {true, false}) {
    BOOST_TEST(text(probe.begin()) == discovery);
    probe.on_answer(kueue);
    probe.on_answer(allowed);
    BOOST_TEST(text(probe.on_answer(suspends ? suspended : as_sent))
               == (suspends ? "on, without v1/tfjobs" : "on"));
  }
}

BOOST_AUTO_TEST_CASE(modes_have_names) {
  BOOST_TEST((parse_kueue_mode("auto") == kueue_mode::automatic));
  BOOST_TEST((parse_kueue_mode("own") == kueue_mode::own));
  BOOST_TEST((parse_kueue_mode("off") == kueue_mode::off));
  BOOST_TEST((parse_kueue_mode("") == kueue_mode::off));
}

BOOST_AUTO_TEST_SUITE_END()
