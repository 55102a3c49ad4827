// docs/metrics.md lists what is exposed.
#include "actors/metrics/metrics.hpp"
#include "tests/fixtures/manifests.hpp"

#include <boost/test/unit_test.hpp>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(metrics_page_test)

namespace {

/// Counts something in every family.
void count_everything(actors::metrics& m) {
  m.observe_api_call(k8s::verb::get, "pods", "ok", 0.1);
  m.observe_call_wait(actors::call_priority::normal, 0.1);
  m.count_decision(core::create_child{});
  m.watch_meter_of("pods").count_watch_end("closed");
  m.set_leading("lease", true);
  m.count_actor_restart("watcher");
  m.reconcile_meter_of("tfjob-controller", 1);
  m.count_created_job("ns", "tensorflow");
  m.count_deleted_job("ns", "tensorflow");
  m.count_succeeded_job("ns", "tensorflow");
  m.count_failed_job("ns", "tensorflow");
  m.count_restarted_replica("ns", "tensorflow");
  auto answers = std::make_shared<k8s::request_counts>("host");
  answers->count(k8s::verb::get, 200);
  m.set_request_counts(answers);
  m.webhook_meter_of("/validate").on_review_ended(200, 0.1);
  m.observe_di_server_request("/v1alpha1/replicas", "POST", 200, 0.1);
  m.set_webhook_certificate_expiry(k8s::time_point{});
}

/// A root's report with everything that is exposed.
const json& root_report() {
  static const json it{
      {"actor", "root"},
      {"children",
       {{{"actor", "gateway"}},
        {{"actor", "watcher"}, {"resource", "pods"}, {"secondsBehind", 1}}}}};
  return it;
}

/// The rows of docs/metrics.md that this text is described by: name, type,
/// labels, help.
std::set<std::string> rows_of(const std::string& text) {
  std::map<std::string, std::string> help;
  std::map<std::string, std::string> type;
  std::map<std::string, std::set<std::string>> label_names;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words{line};
    std::string first, second, name;
    words >> first >> second >> name;
    if (first == "#") {
      std::string rest;
      std::getline(words >> std::ws, rest);
      (second == "HELP" ? help : type)[name] = rest;
      continue;
    }
    auto brace = first.find('{');
    auto sample = first.substr(0, brace);
    for (const char* part : {"_bucket", "_sum", "_count"})
      if (auto cut = sample.rfind(part);
          cut != std::string::npos && type.count(sample.substr(0, cut)) > 0)
        sample.resize(cut);
    auto& labels = label_names[sample];
    while (brace != std::string::npos) {
      auto equals = line.find("=\"", brace);
      auto label = line.substr(brace + 1, equals - brace - 1);
      if (label != "le")
        labels.insert(label);
      auto end = line.find('"', equals + 2) + 1;
      brace = line[end] == ',' ? end : std::string::npos;
    }
  }
  std::set<std::string> rows;
  for (const auto& [name, text_of_help] : help) {
    std::string names;
    for (const auto& label : label_names[name])
      names += (names.empty() ? "`" : ", `") + label + "`";
    rows.insert("| `" + name + "` | " + type[name] + " | " + names + " | "
                + text_of_help + " |");
  }
  return rows;
}

std::set<std::string> rows_of_the_page() {
  std::ifstream page{METRICS_PAGE};
  std::set<std::string> rows;
  for (std::string line; std::getline(page, line);)
    if (line.rfind("| `", 0) == 0)
      rows.insert(line);
  return rows;
}

} // namespace

BOOST_AUTO_TEST_CASE(the_page_lists_what_is_exposed) {
  actors::metrics m;
  count_everything(m);
  auto job = m.add_job_meter("tensorflow");
  job->set_launcher_job("ns", "pi-launcher");
  job->set_progress("ns", "pi", 45);
  core::queue_use use;
  use.queue = "team-a";
  use.is_held = true;
  job->set_queue_use("ns", use, {});
  use.is_held = false;
  use.admitted_at = k8s::time_point{};
  job->set_queue_use("ns", use, {});
  auto exposed = rows_of(m.exposition_text({}, root_report()));
  auto listed = rows_of_the_page();
  for (const auto& row : exposed)
    BOOST_TEST(listed.count(row) == 1u, "not in docs/metrics.md: " << row);
  for (const auto& row : listed)
    BOOST_TEST(exposed.count(row) == 1u, "not exposed: " << row);
}

BOOST_AUTO_TEST_SUITE_END()
