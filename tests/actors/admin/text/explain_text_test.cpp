#include "actors/admin/text/explain_text.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::actors;
using nlohmann::json;

BOOST_AUTO_TEST_SUITE(explain_text_test)

namespace {

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& l : lines)
    text += l + "\n";
  return text;
}

json pod(const char* name, const char* type, int index, const char* phase) {
  return {{"name", name},
          {"uid", std::string{"uid-of-"} + name},
          {"type", type},
          {"index", index},
          {"phase", phase}};
}

json condition(const char* type, const char* at, const char* message) {
  return {{"type", type},
          {"status", "True"},
          {"reason", std::string{"TFJob"} + type},
          {"message", message},
          {"lastTransitionTime", at}};
}

json report() {
  auto failed = pod("mnist-worker-0", "worker", 0, "Failed");
  failed["exitCode"] = 3;
  failed["restarts"] = 2;
  auto stuck = pod("mnist-worker-1", "worker", 1, "Pending");
  stuck["trouble"] = "Unschedulable: 0/3 nodes are available";
  auto leaves = pod("mnist-worker-2", "worker", 2, "Running");
  leaves["terminating"] = true;
  return {
      {"kind", "TFJob"},
      {"namespace", "default"},
      {"name", "mnist"},
      {"at", "2026-01-31T12:10:00Z"},
      {"created", "2026-01-31T12:00:00Z"},
      {"activeDeadlineAt", "2026-01-31T13:00:01Z"},
      {"summary", "2 of 5 replicas run; mnist-worker-3 does not exist yet"},
      {"replicas", {{"PS", 1}, {"Worker", 4}}},
      {"replicaCounts",
       {{"PS", {{"active", 1}}}, {"Worker", {{"active", 1}, {"failed", 1}}}}},
      {"status",
       {{"startTime", "2026-01-31T12:00:01Z"},
        {"conditions",
         {condition("Created", "2026-01-31T12:00:00Z", "made"),
          condition("Running", "2026-01-31T12:09:50Z", "it runs")}}}},
      {"pods", {leaves, stuck, failed, pod("mnist-ps-0", "ps", 0, "Running")}},
      {"expectations",
       {{{"what", "pod"},
         {"action", "create"},
         {"subject", "worker-3"},
         {"text", "the creation of pod worker-3"},
         {"ageSeconds", 4.25},
         {"heldForSeconds", 8.0},
         {"attempts", 2},
         {"lastFailure",
          {{"code", "forbidden"}, {"message", "exceeded quota: gpus"}}}},
        {{"what", "pod"},
         {"action", "delete"},
         {"subject", "uid-of-mnist-worker-2"},
         {"text", "the deletion of pod mnist-worker-2"},
         {"ageSeconds", 61.0},
         {"attempts", 0}}}},
      {"waitingFor",
       {{"text", "the creation of pod worker-3, which has failed 2 times: "
                 "exceeded quota: gpus; it is tried again in 8s"},
        {"who", "a person, who raises the quota or deletes other objects"}}},
      {"statusWriter",
       {{"failuresInARow", 1}, {"lastFailure", "429: too many requests"}}},
      {"timers", {{{"what", "next look"}, {"inSeconds", 3.0}}}},
      {"lastDecisions",
       {{{"at", "2026-01-31T12:00:00Z"}, {"what", "create pod worker-3: x"}},
        {{"at", "2026-01-31T12:09:55Z"}, {"what", "write status"}}}},
      {"passes", 7}};
}

} // namespace

BOOST_AUTO_TEST_CASE(a_report_is_printed_in_plain_words) {
  BOOST_TEST(
      joined(explain_report_lines(report()))
      == "TFJob default/mnist: 2 of 5 replicas run; mnist-worker-3 does not "
         "exist yet\n"
         "Waiting for: the creation of pod worker-3, which has failed 2 times: "
         "exceeded quota: gpus; it is tried again in 8s (whose move: a person, "
         "who raises the quota or deletes other objects)\n"
         "Created 10m ago, started 9m59s ago.\n"
         "It fails in 50m if it has not ended by then "
         "(activeDeadlineSeconds).\n"
         "Replicas:\n"
         "  PS         1 wanted, 1 there, 1 running\n"
         "  Worker     4 wanted, 3 there, 1 running, 1 failed\n"
         "Conditions, oldest first:\n"
         "  Created    True  10m ago     TFJobCreated: made\n"
         "  Running    True  10s ago     TFJobRunning: it runs\n"
         "Pods:\n"
         "  mnist-ps-0               Running\n"
         "  mnist-worker-0           Failed with exit code 3, its containers "
         "were restarted 2 times\n"
         "  mnist-worker-1           Pending; Unschedulable: 0/3 nodes are "
         "available\n"
         "  mnist-worker-2           Running, is being deleted\n"
         "Calls of the operator:\n"
         "  the creation of pod worker-3, refused 2 times; tried again in 8s\n"
         "  the deletion of pod mnist-worker-2, asked for 61s ago\n"
         "  the write of its status, which has failed once: 429: too many "
         "requests\n"
         "It looks again in 3s, or as soon as something changes.\n"
         "Last decisions, newest first:\n"
         "  5s ago      write status\n"
         "  10m ago     create pod worker-3: x\n");
}

BOOST_AUTO_TEST_CASE(of_many_pods_those_are_listed_that_need_a_look) {
  json big{{"pods", json::array()}};
  for (int i = 0; i < 30; ++i)
    big["pods"].push_back(pod(("w-" + std::to_string(i)).c_str(), "worker", i,
                              i < 28 ? "Running" : "Pending"));
  auto text = joined(explain_report_lines(big));
  BOOST_TEST(text.find("w-5 ") == std::string::npos);
  BOOST_TEST(text.find("w-29 ") != std::string::npos);
  BOOST_TEST(text.find("  28 pods run\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_pods_say_cannot_steer_the_terminal) {
  auto odd = report();
  odd["pods"][0]["trouble"] = "Error: \033[2J\nroot# ";
  odd["summary"] = "\033]0;x\007";
  odd["waitingFor"] = {{"text", "\033[2J"}, {"who", "\033c"}};
  for (const auto& line : explain_report_lines(odd))
    for (char c : line)
      BOOST_TEST(static_cast<unsigned char>(c) >= 0x20u);
}

BOOST_AUTO_TEST_CASE(a_report_of_nothing_is_still_an_answer) {
  auto text = joined(explain_report_lines(json::object()));
  BOOST_TEST(text.find("nothing is known yet") != std::string::npos);
  BOOST_TEST(text.find("Pods: none") != std::string::npos);
  for (const auto& odd :
       {json(nullptr), json(5), json::array({1}),
        json{{"pods", {1, nullptr, {{"exitCode", "x"}}}},
             {"expectations", {"x", {{"heldForSeconds", 1e300}}}},
             {"status", 5},
             {"waitingFor", 5},
             {"replicas", {{"Worker", "x"}}}},
        json{{"statusWriter", 5},
             {"replicaCounts", {{"Worker", 5}}},
             {"replicas", {{"Worker", 1}}}},
        json{{"replicaCounts", 5}, {"replicas", 5}}}) {
    BOOST_TEST(!explain_report_lines(odd).empty());
  }
}

BOOST_AUTO_TEST_CASE(a_restart_is_explained_by_its_cause_and_its_stage) {
  auto r = report();
  r["failurePolicy"] = {
      {"scope", "Job"}, {"maxRestarts", 10}, {"counted", 2}, {"window", "6h"}};
  r["restart"] = {{"attempt", 2},
                  {"at", "2026-01-31T12:09:00Z"},
                  {"counted", 7}, // Most are before the window.
                  {"pod", "mnist-worker-1"},
                  {"node", "n7"},
                  {"reason", "OOMKilled"},
                  {"seconds", 60.0},
                  {"stage", "stopping"},
                  {"progress", "3 of 8 pods of attempt 1 still run"}};
  r["goodput"] = {{"allRunningSeconds", 450.0}, {"lostSeconds", 50.0}};
  auto text = joined(explain_report_lines(r));
  auto has = [&](const char* part) {
    return text.find(part) != std::string::npos;
  };
  BOOST_TEST(has("\nAttempt 2 began 60s ago because of pod mnist-worker-1 on "
                 "node n7 (OOMKilled); the recovery has taken 60s so far: 3 of "
                 "8 pods of attempt 1 still run.\n"
                 "Restarts that count: 2, at most 10 within 6h.\n"
                 "All replicas ran 90% of 8m20s, as far as this operator has "
                 "seen it.\n"),
             text);
  r["failurePolicy"] = {{"scope", "Job"}, {"backoffLimit", 6}, {"counted", 4}};
  text = joined(explain_report_lines(r));
  BOOST_TEST(has("Restarts that count: 4, at most 6 by backoffLimit, those of "
                 "single pods, too.\n"),
             text);
  r["restart"].erase("stage");
  r["restart"]["recovered"] = "2026-01-31T12:09:12Z";
  r["restart"]["seconds"] = 12.0;
  r["restart"]["types"] = "Worker";
  r["podsMadeBeforePolicy"] = 2;
  text = joined(explain_report_lines(r));
  BOOST_TEST(has("\nAttempt 2 of Worker began 60s ago because of pod "
                 "mnist-worker-1 on node n7 (OOMKilled); all replicas ran "
                 "again after 12s.\n"),
             text);
  BOOST_TEST(has("\n2 pods were made before the failure policy and are "
                 "restarted by the kubelet: there only the failure of the pod "
                 "itself counts.\n"),
             text);
}

BOOST_AUTO_TEST_CASE(what_is_left_out_of_a_wrong_policy_is_explained) {
  auto r = report();
  BOOST_TEST(joined(explain_report_lines(r)).find("Wrong")
             == std::string::npos);
  r["policyErrors"] = {
      {{"field", "spec.runPolicy.failurePolicy.maxRestarts"},
       {"text", "Invalid value: -1: must be from 0 to 1000"}},
      {{"field", "metadata.annotations[a]"}, {"text", "odd\x1b[2J"}}};
  auto text = joined(explain_report_lines(r));
  BOOST_TEST(
      text.find("\nWrong in its policies, and left out; the rest of them "
                "holds:\n"
                "  spec.runPolicy.failurePolicy.maxRestarts: Invalid "
                "value: -1: must be from 0 to 1000\n"
                "  metadata.annotations[a]: odd")
          != std::string::npos,
      text);
  BOOST_TEST(text.find('\x1b') == std::string::npos);
}

BOOST_AUTO_TEST_CASE(whose_log_is_read_is_told_or_why_it_is_not) {
  auto told = [](json log) {
    auto r = report();
    r["log"] = std::move(log);
    return joined(explain_report_lines(r));
  };
  auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  json log{{"pod", "mnist-worker-0"}, {"container", "tensorflow"}};
  BOOST_TEST(has(told(log), "Its log rules read the log of mnist-worker-0, "
                            "container tensorflow.\n"));
  log["problem"] = "no right\x1b[1m";
  BOOST_TEST(has(told(log), "Its log rules are not applied to the log of "
                            "mnist-worker-0: no right"));
  BOOST_TEST(!has(told(log), "\x1b"));
  BOOST_TEST(has(told({{"problem", "no such replica"}}),
                 "Its log rules are not applied: no such replica\n"));
  BOOST_TEST(!has(told(json::object()), "log rules"));
}

BOOST_AUTO_TEST_SUITE_END()
