#include "actors/reports/token_reviews.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;
using namespace std::chrono_literals;
using next = token_reviews::next;
using ids = std::vector<std::uint64_t>;

BOOST_AUTO_TEST_SUITE(token_reviews_test)

namespace {

constexpr token_reviews::time_point start{1h};
const reviewed_pod pod{"ns", "pod-uid"};
const claimed_pod of_pod{"pod-uid"};
const claimed_pod of_gone{"gone-uid", true};

claimed_pod other_pod(std::uint64_t number) {
  return {"pod-" + std::to_string(number)};
}

json review_of_pod() {
  return json::parse(R"({"status": {"authenticated": true,
    "audiences": ["job"],
    "user": {"username": "system:serviceaccount:ns:default",
             "extra": {"authentication.kubernetes.io/pod-uid": ["u1"]}}}})");
}

} // namespace

BOOST_AUTO_TEST_CASE(a_review_asks_for_the_audience_of_the_job) {
  auto r = token_review_request("t", "job");
  BOOST_TEST(r.path == "/apis/authentication.k8s.io/v1/tokenreviews");
  BOOST_TEST(json::parse(r.body) == json::parse(R"({
    "apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview",
    "spec": {"token": "t", "audiences": ["job"]}})"));
}

BOOST_AUTO_TEST_CASE(only_a_token_of_a_pod_for_that_audience_counts) {
  auto read = read_token_review(review_of_pod().dump(), "job");
  BOOST_REQUIRE((read && read->has_value()));
  BOOST_TEST((*read)->ns == "ns");
  BOOST_TEST((*read)->uid == "u1");
  struct row {
    const char* description;
    void (*change)(json& status);
  } rows[] = {
      {"nobody's", [](json& s) { s["authenticated"] = false; }},
      {"nothing", [](json& s) { s = json::object(); }},
      {"another audience", [](json& s) { s["audiences"] = {"other"}; }},
      {"no audience", [](json& s) { s.erase("audiences"); }},
      {"a user", [](json& s) { s["user"]["username"] = "admin"; }},
      {"no pod", [](json& s) { s["user"].erase("extra"); }},
      {"two pods",
       [](json& s) {
         s["user"]["extra"]["authentication.kubernetes.io/pod-uid"] = {"a",
                                                                       "b"};
       }},
  };
  for (const auto& r : rows) {
    auto review = review_of_pod();
    r.change(review["status"]);
    auto nobody = read_token_review(review.dump(), "job");
    BOOST_TEST((nobody && !nobody->has_value()), r.description);
  }
  // Then nobody has said whose it is.
  for (const char* text : {"<html>", "", "{}", R"({"status": "Failure"})"})
    BOOST_TEST(!read_token_review(text, "job"), text);
}

BOOST_AUTO_TEST_CASE(a_token_is_reviewed_once_a_minute) {
  token_reviews t;
  auto first = t.on_report(1, "t", "job", of_pod, start);
  BOOST_TEST((first.what == next::ask));
  BOOST_TEST((t.on_report(2, "t", "job", of_pod, start).what == next::wait));
  // For another job it is another question.
  BOOST_TEST((t.on_report(3, "t", "other", of_pod, start).what == next::ask));
  BOOST_TEST((t.on_reviewed(first.review, pod, start + 1s) == ids{1, 2}));
  auto passed = t.on_report(4, "t", "job", of_pod, start + 60s);
  BOOST_TEST((passed.what == next::pass));
  BOOST_TEST(passed.pod.uid == "pod-uid");
  BOOST_TEST(
      (t.on_report(5, "t", "job", of_pod, start + 61s).what == next::ask));
}

BOOST_AUTO_TEST_CASE(what_is_nobodys_is_refused_for_a_minute) {
  token_reviews t;
  auto review = t.on_report(1, "t", "job", of_pod, start).review;
  BOOST_TEST((t.on_reviewed(review, {}, start) == ids{1}));
  BOOST_TEST(
      (t.on_report(2, "t", "job", of_pod, start + 59s).what == next::refuse));
  BOOST_TEST(
      (t.on_report(3, "t", "job", of_pod, start + 60s).what == next::ask));
}

BOOST_AUTO_TEST_CASE(a_review_that_failed_is_made_again) {
  token_reviews t;
  auto review = t.on_report(1, "t", "job", of_pod, start).review;
  BOOST_TEST((t.on_review_failed(review) == ids{1}));
  BOOST_TEST((t.on_report(2, "t", "job", of_pod, start).what == next::ask));
  BOOST_TEST((t.on_review_failed(review) == ids{}));
  BOOST_TEST((t.on_reviewed(review, pod, start) == ids{}));
}

BOOST_AUTO_TEST_CASE(what_strangers_send_is_bounded) {
  token_reviews t;
  std::vector<std::uint64_t> reviews;
  for (std::uint64_t i = 0; i < 2 * token_reviews::most_asked; ++i) {
    auto step =
        t.on_report(i, "t" + std::to_string(i), "job", other_pod(i), start);
    BOOST_TEST((step.what
                == (i < token_reviews::most_asked ? next::ask : next::busy)));
    if (step.what == next::ask)
      reviews.push_back(step.review);
  }
  for (std::size_t i = 1; i < 2 * token_reviews::most_waiting_per_token; ++i)
    BOOST_TEST((t.on_report(1000 + i, "t0", "job", of_pod, start).what
                == (i < token_reviews::most_waiting_per_token ? next::wait
                                                              : next::busy)));
  for (auto review : reviews)
    t.on_reviewed(review, {}, start);
  std::size_t asked = 0;
  for (std::size_t i = 0; i < 30'000; ++i) { // In 100 seconds.
    auto now = start + 1s + std::chrono::microseconds{3'333 * i};
    auto step =
        t.on_report(i, "u" + std::to_string(i), "job", other_pod(i), now);
    if (step.what != next::ask)
      continue;
    ++asked;
    t.on_reviewed(step.review, {}, now);
  }
  BOOST_TEST(asked == 100 * token_reviews::most_asked_per_second);
  BOOST_TEST(t.kept() <= 61 * token_reviews::most_asked_per_second);
  BOOST_TEST(t.kept() <= token_reviews::most_kept);
}

BOOST_AUTO_TEST_CASE(who_writes_tokens_in_the_name_of_a_pod_has_its_share) {
  token_reviews t;
  auto good = t.on_report(1, "good", "job", of_pod, start).review;
  t.on_reviewed(good, pod, start);
  std::size_t asked = 0;
  for (int i = 0; i < 1'000; ++i) { // In 100 seconds.
    auto now = start + 100ms * i;
    auto step = t.on_report(i, "t" + std::to_string(i), "job", of_pod, now);
    if (step.what == next::ask) {
      ++asked;
      t.on_reviewed(step.review, {}, now);
    } else {
      BOOST_TEST((step.what == next::refuse));
    }
  }
  BOOST_TEST(asked <= 103u);
  // The token that it really has is reviewed whatever others do.
  auto late = start + 99'900ms;
  BOOST_TEST((t.on_report(1, "x", "job", of_pod, late).what == next::refuse));
  auto again = t.on_report(1, "good", "job", of_pod, late);
  BOOST_TEST((again.what == next::ask));
  t.on_reviewed(again.review, pod, late);
  BOOST_TEST((t.on_report(2, "good", "job", of_pod, late).what == next::pass));
}

BOOST_AUTO_TEST_CASE(reviews_for_jobs_that_have_gone_have_a_budget) {
  token_reviews t;
  std::vector<std::uint64_t> reviews;
  for (std::size_t i = 0; i < 100; ++i) {
    auto step = t.on_report(i, "g" + std::to_string(i), "job", of_gone, start);
    BOOST_TEST((
        step.what
        == (i < token_reviews::most_asked_of_gone ? next::ask : next::refuse)));
    if (step.what == next::ask)
      reviews.push_back(step.review);
  }
  // Those of jobs that are there have all of theirs.
  for (std::size_t i = 0; i < token_reviews::most_asked; ++i)
    BOOST_TEST((
        t.on_report(i, "t" + std::to_string(i), "job", other_pod(i), start).what
        == next::ask));
  t.on_review_failed(reviews[0]);
  t.on_reviewed(reviews[1], pod, start);
  std::size_t asked = 0;
  for (std::size_t i = 0; i < 1'000; ++i) { // In ten seconds.
    auto now = start + 10ms * i;
    auto step = t.on_report(i, "h" + std::to_string(i), "job", of_gone, now);
    if (step.what != next::ask)
      continue;
    ++asked;
    t.on_reviewed(step.review, {}, now);
  }
  BOOST_TEST(asked
             == 10 * token_reviews::most_asked_of_gone_per_second
                    - token_reviews::most_asked_of_gone);
}

BOOST_AUTO_TEST_CASE(a_token_is_known_from_its_first_review_on) {
  token_reviews t;
  BOOST_TEST(!t.knows("t", "job", start));
  auto review = t.on_report(1, "t", "job", of_pod, start).review;
  BOOST_TEST(t.knows("t", "job", start));
  BOOST_TEST(!t.knows("t", "other", start));
  t.on_reviewed(review, {}, start);
  BOOST_TEST(t.knows("t", "job", start + 59s));
  BOOST_TEST(!t.knows("t", "job", start + 60s));
}

BOOST_AUTO_TEST_SUITE_END()
