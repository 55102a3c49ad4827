#include "tests/actors/reports/intake_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(report_intake_test)

BOOST_FIXTURE_TEST_CASE(a_report_of_a_pod_reaches_its_job, intake_fixture) {
  auto back = report();
  BOOST_TEST(back->status() == 0);
  BOOST_TEST(json::parse(find_call(review).request->body)["spec"]
             == json({{"token", token_of("u1")}, {"audiences", {audience}}}));
  BOOST_TEST(asked_about == strings{"u1"}, boost::test_tools::per_element());
  answer_review();
  BOOST_TEST(back->status() == 200);
  BOOST_TEST(
      json::parse(back->given->body)["trainerStatus"]["progressPercentage"]
      == 45);
  BOOST_REQUIRE(reports.size() == 1);
  BOOST_TEST(reports[0].ns == "ns");
  BOOST_TEST(reports[0].name == "job");
  BOOST_TEST(reports[0].pod_uid == "u1");
  BOOST_TEST(reports[0].progress.percent.value() == 45);
  // The next ones need no review, and come once a second.
  BOOST_TEST(report()->status() == 200);
  BOOST_TEST(report()->status() == 200);
  auto early = report();
  BOOST_TEST(early->status() == 429);
  BOOST_TEST(early->given->headers["Retry-After"] == "1");
  BOOST_TEST(reports.size() == 3);
  BOOST_TEST(asked_about.size() == 1u);
}

BOOST_FIXTURE_TEST_CASE(without_a_token_of_the_job_nothing_is_told,
                        intake_fixture) {
  struct row {
    const char* description;
    void (*change)(k8s::http::request& q);
  } rows[] = {
      {"no token", [](auto& q) { q.headers.clear(); }},
      {"another scheme",
       [](auto& q) { q.headers["authorization"] = "Basic t"; }},
      {"an empty one", [](auto& q) { q.headers["authorization"] = "Bearer "; }},
      {"a long one",
       [](auto& q) {
         q.headers["authorization"] = "Bearer " + std::string(20'000, 'x');
       }},
      {"no job", [](auto& q) { q.path = "/progress/"; }},
      {"half a path",
       [](auto& q) { q.path = "/progress/namespaces/ns/tfjobs"; }},
      {"more of a path", [](auto& q) { q.path += "/status"; }},
      {"an empty part",
       [](auto& q) { q.path = "/progress/namespaces//tfjobs/job"; }},
      {"no such kind",
       [](auto& q) {
         q = request(token_of(
             "u1", "training.kubeflow.org/progress/namespaces/ns/xjobs/job"));
         q.path = "/progress/namespaces/ns/xjobs/job";
       }},
      {"no token's text",
       [](auto& q) { q.headers["authorization"] = "Bearer t"; }},
      {"another audience",
       [](auto& q) { q = request(token_of("u1", "other")); }},
      {"no pod", [](auto& q) { q = request(token_of("")); }},
  };
  for (const auto& r : rows) {
    auto q = request();
    r.change(q);
    BOOST_TEST(report(q)->status() == 403, r.description);
  }
  BOOST_TEST(calls.empty());
  BOOST_TEST(asked_about.empty());
  auto of_other_namespace = report(request(token_of("u1", audience, "other")));
  answer_review("elsewhere");
  BOOST_TEST(of_other_namespace->status() == 403);
  const auto forged = request(token_of("u1", audience, "forged"));
  auto of_nobody = report(forged);
  answer(review, std::string{R"({"status": {"authenticated": false}})"});
  BOOST_TEST(of_nobody->status() == 403);
  BOOST_TEST(report(forged)->status() == 403);
  BOOST_TEST(calls.empty());
  BOOST_TEST(reports.empty());
  job_answer.status = 403; // A pod that has ended, or is not of this job.
  on_question = [](const std::string&) { return 200; }; // A moment before.
  auto ended = report();
  answer_review();
  BOOST_TEST(ended->given->body == of_nobody->given->body);
}

BOOST_FIXTURE_TEST_CASE(only_what_may_be_a_pods_costs_a_review,
                        intake_fixture) {
  on_question = [](const std::string& pod) { return pod == "u1" ? 200 : 403; };
  auto stranger = report(request(token_of("u2")));
  BOOST_TEST(stranger->status() == 403);
  // The same where there is no job.
  on_question = [](const std::string&) { return 404; };
  auto of_no_job = report(request(token_of("u3")));
  BOOST_TEST(of_no_job->status() == 403);
  BOOST_TEST(of_no_job->given->body == stranger->given->body);
  // Nobody knows yet.
  auto before = route->authority()->missed();
  on_question = [](const std::string&) { return 503; };
  BOOST_TEST(report(request(token_of("u4")))->status() == 503);
  BOOST_TEST((route->authority()->missed() > before));
  BOOST_TEST(calls.empty());
  BOOST_TEST(reports.empty());
  BOOST_TEST(asked_about == (strings{"u2", "u3", "u4"}),
             boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(a_flood_in_the_name_of_a_pod_starves_no_other,
                        intake_fixture) {
  std::size_t refused = 0;
  for (int i = 0; i < 500; ++i)
    refused +=
        report(request(token_of("u1", audience, std::to_string(i))))->status()
        == 403;
  BOOST_TEST(refused >= 490u);
  BOOST_TEST(calls.size() == 500u - refused);
  calls.clear();
  auto back = report(request(token_of("u2")));
  answer_review("ns", "u2");
  BOOST_TEST(back->status() == 200);
}

BOOST_FIXTURE_TEST_CASE(what_the_job_cannot_take_is_told, intake_fixture) {
  report();
  answer_review();
  auto q = request();
  q.body = R"({"trainerStatus": {"progressPercentage": 450}})";
  auto wrong = report(q);
  BOOST_TEST(wrong->status() == 422);
  BOOST_TEST(wrong->given->body.find("progressPercentage")
             != std::string::npos);
  q = request();
  q.method = "PUT";
  BOOST_TEST(report(q)->status() == 405);
  q.method = "POST";
  q.body = std::string(65 * 1024, ' ');
  BOOST_TEST(report(q)->status() == 413);
}

BOOST_FIXTURE_TEST_CASE(only_pods_of_a_job_hear_that_it_has_gone,
                        intake_fixture) {
  on_question = [](const std::string&) { return 200; }; // A moment before.
  job_answer = {404, "gone", {}};
  auto stranger = report(request(token_of("u2")));
  answer_review("ns", "u2");
  BOOST_TEST(stranger->status() == 403); // Perhaps it never was.
  BOOST_TEST(stranger->given->body.find("gone") == std::string::npos);
  job_answer = {};
  auto taken = report();
  answer_review();
  BOOST_TEST(taken->status() == 200);
  job_answer = {404, "gone", {}};
  BOOST_TEST(report()->status() == 404);
  // With its next token, too, which is reviewed.
  on_question = [](const std::string&) { return 404; };
  auto next = report(request(token_of("u1", audience, "next")));
  answer_review();
  BOOST_TEST(next->status() == 404);
  // But not with any token, and so many are reviewed.
  std::size_t reviewed = 0;
  for (int i = 0; i < 100; ++i) {
    auto back = report(request(token_of("u1", audience, std::to_string(i))));
    reviewed += waits(review);
    if (waits(review))
      answer(review, std::string{R"({"status": {"authenticated": false}})"});
    BOOST_TEST(back->status() == 403);
  }
  BOOST_TEST(reviewed < 50u);
}

BOOST_FIXTURE_TEST_CASE(bodies_of_every_wrong_kind_are_refused,
                        intake_fixture) {
  report();
  answer_review();
  const std::string bodies[] = {
      "",
      "null",
      "7",
      "[]",
      "{}",
      "hello",
      "{\"trainerStatus\"",
      R"({"trainerStatus": 7})",
      R"({"trainerStatus": {"progressPercentage": -1}})",
      R"({"trainerStatus": {"progressPercentage": 4.5}})",
      R"({"trainerStatus": {"progressPercentage": "45"}})",
      R"({"trainerStatus": {"progressPercentage": 1e300}})",
      R"({"trainerStatus": {"estimatedRemainingSeconds": -1}})",
      R"({"trainerStatus": {"estimatedRemainingSeconds": 99999999999}})",
      R"({"trainerStatus": {"metrics": {}}})",
      R"({"trainerStatus": {"metrics": [7]}})",
      R"({"trainerStatus": {"metrics": [{"name": "x"}]}})",
      R"({"trainerStatus": {"metrics": [{"name": "", "value": "1"}]}})",
      R"({"trainerStatus": {"metrics": [{"name": "a\u0000", "value": "1"}]}})",
      R"({"trainerStatus": {"lastUpdatedTime": "yesterday"}})",
      "{\"trainerStatus\": {\"metrics\": [{\"name\": \"\xff\", "
      "\"value\": \"1\"}]}}",
      std::string(60'000, '['),
      "{\"trainerStatus\": " + std::string(60'000, '['),
  };
  int number = 0;
  for (const auto& body : bodies) {
    auto pod = "u" + std::to_string(10 + number++);
    auto q = request(token_of(pod));
    q.body = body;
    auto back = report(q);
    answer_review("ns", pod.c_str());
    BOOST_TEST(back->status() == 422, body.substr(0, 90));
    auto said = json::parse(back->given->body);
    BOOST_TEST(said["kind"] == "Status");
    BOOST_TEST(said["message"].get<std::string>().size() < 500u);
  }
  BOOST_TEST(reports.size() == 1); // The first one.
}

BOOST_FIXTURE_TEST_CASE(so_many_wait_at_once_and_no_connection_stays,
                        intake_fixture) {
  std::vector<std::shared_ptr<kept_report_answer>> waiting;
  auto q = request(token_of("u1")); // Its review comes late.
  for (std::size_t i = 0; i < reports_under_way::most; ++i) {
    auto back = std::make_shared<kept_report_answer>();
    route->answer(q, back);
    waiting.push_back(back);
  }
  auto late = std::make_shared<kept_report_answer>();
  route->answer(q, late);
  BOOST_TEST(late->status() == 503);
  BOOST_TEST(late->given->headers["Connection"] == "close");
  run(); // All but a few of one token are told to come later.
  auto again = report(q);
  BOOST_TEST(again->status() == 503);
  answer_review();
  int taken = 0;
  for (const auto& one : waiting) {
    BOOST_TEST(one->given->headers["Connection"] == "close");
    taken += one->status() == 200;
  }
  BOOST_TEST(taken == 3); // And one is early.
  BOOST_TEST(report(q)->status() == 429);
}

BOOST_FIXTURE_TEST_CASE(a_server_that_is_away_is_asked_again, intake_fixture) {
  auto back = report();
  fail_call(review, k8s::ec::unreachable);
  BOOST_TEST(back->status() == 503);
  auto again = report();
  answer_review();
  BOOST_TEST(again->status() == 200);
}

BOOST_FIXTURE_TEST_CASE(an_answer_that_is_no_review_is_asked_for_again,
                        intake_fixture) {
  auto back = report();
  answer(review, std::string{"{{{{"});
  BOOST_TEST(back->status() == 503);
  auto again = report();
  answer_review();
  BOOST_TEST(again->status() == 200);
}

BOOST_FIXTURE_TEST_CASE(without_an_intake_reports_come_later, intake_fixture) {
  auto missed = [&] { return route->authority()->missed(); };
  route->set_intake({});
  BOOST_TEST((missed() == k8s::time_point{}));
  BOOST_TEST(report()->status() == 503);
  BOOST_TEST((missed() > k8s::time_point{}));
  BOOST_TEST(report(k8s::http::request{})->status() == 403);
}

BOOST_FIXTURE_TEST_CASE(a_report_that_finds_no_leader_was_missed,
                        intake_fixture) {
  auto leader = std::make_shared<report_leader>("10.0.0.1:9443");
  route->forward_to_leader(leader, "host");
  auto is_missed = [&](const k8s::http::request& q) {
    route->authority()->note_missed({});
    auto status = report(q)->status();
    bool missed = route->authority()->missed() > k8s::time_point{};
    return std::to_string(status) + (missed ? " missed" : "");
  };
  BOOST_TEST(is_missed(request()) == "503 missed"); // Nobody is known to lead.
  leader->on_lease_observed(false, R"({"spec": {"holderIdentity": "b"},
    "metadata": {"annotations": {
      "training.kubeflow.org/reports-address": "10.0.0.2:9443"}}})");
  auto forwarded = request();
  forwarded.headers["x-troupe-forwarded"] = "1";
  BOOST_TEST(is_missed(forwarded) == "503 missed"); // It goes no further.
  BOOST_TEST(is_missed(request()) == "503 missed"); // Without a certificate.
  BOOST_TEST(is_missed(k8s::http::request{}) == "403");
  leader->on_lease_observed(true, "{}");
  job_answer.status = 403;
  BOOST_TEST(is_missed(request()) == "403");
}

BOOST_AUTO_TEST_SUITE_END()
