#include "actors/jobs/orders/replica_group.hpp"
#include "tests/actors/jobs/orders/order_builders.hpp"
#include "tests/actors/single_actor_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;
using boost::test_tools::per_element;

BOOST_AUTO_TEST_SUITE(replica_group_test)

using namespace orders;

namespace {

/// A group, and an owner that notes the results of its orders.
struct group_fixture : single_actor_fixture {
  explicit group_fixture(int window_first = 8, int window_most = 64) {
    options->group_window_first = window_first;
    options->group_window_most = window_most;
    auto owner = spawn([this]() -> caf::behavior {
      return {
          [this](const order_done& r) {
            results.push_back((r.already_satisfied ? "satisfied" : "done")
                              + (r.item ? " " + r.item->meta.uid : ""));
          },
          [this](const order_failed& r) {
            results.push_back(
                r.name_is_free
                    ? "free"
                    : "failed " + std::string{k8s::to_string(r.why.code)});
            if (r.existing)
              results.back() += ", exists " + r.existing->meta.uid;
          },
          [this](const orders_cancelled& r) {
            for (const auto& o : r.orders)
              results.push_back("cancelled " + std::to_string(o.id));
          },
      };
    });
    group = spawn(replica_group, context, group_id{false, "worker"},
                  caf::actor_cast<order_issuer_actor>(owner));
  }

  void execute(std::vector<core::decision> decisions) {
    execute_orders batch{job, {}};
    for (auto& d : decisions)
      batch.orders.push_back({++last_order, std::move(d)});
    send(group, std::move(batch));
  }

  void create_pods(int count) {
    std::vector<core::decision> all;
    for (int i = 0; i < count; ++i)
      all.push_back(
          core::create_child{core::child_kind::pod, {"worker", i}, ""});
    execute(std::move(all));
  }

  core::job_ptr job =
      std::make_shared<const core::job>(make_job().workers(100).get());
  std::uint64_t last_order = 0;
  strings results;
  replica_group_actor group;
};

} // namespace

BOOST_AUTO_TEST_CASE(calls_start_slowly_and_a_failure_starts_anew) {
  group_fixture f{2, 8};
  f.create_pods(40);
  strings first{"create pods job-worker-0", "create pods job-worker-1"};
  BOOST_TEST(f.waiting() == first, per_element());
  for (std::size_t window : {4u, 8u, 8u}) {
    for (auto n = f.calls.size(); n > 0; --n)
      f.answer("create pods", pod_text("uid"));
    BOOST_TEST(f.calls.size() == window);
  }
  for (int i = 0; i < 8; ++i)
    f.fail_call("create pods", k8s::ec::forbidden);
  BOOST_TEST(f.calls.size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_cancellation_drops_the_creations_that_were_not_sent) {
  group_fixture f{1, 1};
  f.create_pods(3);
  f.execute({remove()});
  f.send(f.group, cancel_pending_creations{});
  strings cancelled{"cancelled 2", "cancelled 3"};
  BOOST_TEST(f.results == cancelled, per_element());
  BOOST_TEST(f.waiting() == strings{"create pods job-worker-0"}, per_element());
  f.answer("create pods", pod_text("uid"));
  BOOST_TEST(f.waiting() == strings{"delete pods job-worker-0"}, per_element());
  f.send(f.group, cancel_pending_creations{}); // Nothing to cancel: no report.
  BOOST_TEST(f.results.size() == 3u);
}

BOOST_AUTO_TEST_CASE(what_the_first_answer_means) {
  struct row {
    core::decision order;
    k8s::result<std::string> answer;
    const char* result; ///< "": the object is read first.
  };
  // clang-format off
  const row rows[] = {
      {create(),   pod_text("new"),                 "done new"},
      {create(),   failed(k8s::ec::exists),         ""},
      {create(),   failed(k8s::ec::timeout),        ""},
      {create(),   failed(k8s::ec::unreachable),    ""},
      {create(),   failed(k8s::ec::server_error),   ""},
      {create(),   failed(k8s::ec::garbage),        ""},
      {create(),   failed(k8s::ec::not_found),      "failed not_found"},
      {create(),   failed(k8s::ec::invalid),        "failed invalid"},
      {create(),   failed(k8s::ec::forbidden),      "failed forbidden"},
      {create(),   failed(k8s::ec::overloaded),     "failed overloaded"},
      {create(),   failed(k8s::ec::conflict),       "failed conflict"},
      {create(),   failed(k8s::ec::cancelled),      "failed cancelled"},
      {create(),   std::string{"<html>"},           ""},
      {remove(),   std::string{"{}"},          "done"},
      {remove(),   pod_text("uid", 6, deleting),    "done uid"},
      {remove(),   pod_text("uid", 6),              "done"},
      {remove(),   failed(k8s::ec::not_found),      "satisfied"},
      {remove(),   failed(k8s::ec::conflict),       ""},
      {remove(),   failed(k8s::ec::timeout),        ""},
      {remove(),   failed(k8s::ec::forbidden),      "failed forbidden"},
      {release(),  pod_text("uid", 6),              "done uid"},
      {release(),  failed(k8s::ec::not_found),      "satisfied"},
      {release(),  failed(k8s::ec::conflict),       "failed conflict"},
      {release(),  failed(k8s::ec::timeout),        ""},
      {annotate(), pod_text("uid", 6),              "done uid"},
      {annotate(), failed(k8s::ec::not_found),      "satisfied"},
      {update(),   pod_text("uid", 6),              "done uid"},
      {update(),   failed(k8s::ec::conflict),       ""},
      {read(),     list_text(9, {pod_text("uid")}), "done uid"},
      {read(),     list_text(9),                    "satisfied"},
      {read(),     list_text(9, {pod_text("x")}),   "satisfied"},
      // The server's cache is older than what the watch showed.
      {read(),     list_text(4, {pod_text("uid", 4)}), "failed server_error"},
      {read(),     failed(k8s::ec::timeout),        "failed timeout"},
  };
  // clang-format on
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(
        core::describe_decision(r.order)
        << (r.answer ? *r.answer : k8s::to_string(r.answer.error().code))) {
      group_fixture f;
      f.execute({r.order});
      BOOST_REQUIRE(f.calls.size() == 1u);
      f.answer("", r.answer);
      if (*r.result) {
        BOOST_TEST(f.results == strings{r.result}, per_element());
        BOOST_TEST(f.calls.empty());
      } else {
        BOOST_TEST(f.results.empty());
        BOOST_REQUIRE(f.calls.size() == 1u);
        auto asked = parse_request_path(f.calls[0].request->path);
        BOOST_TEST((f.calls[0].request->method == k8s::verb::list));
        BOOST_TEST(asked.query["fieldSelector"].rfind("metadata.name=job-", 0)
                   == 0u);
      }
    }
}

BOOST_AUTO_TEST_CASE(what_a_read_after_an_unknown_result_means) {
  struct row {
    core::decision order;
    k8s::ec first;
    k8s::result<std::string> answer;
    const char* result;
  };
  auto found = [](std::string text) -> k8s::result<std::string> {
    return list_text(9, {std::move(text)});
  };
  const k8s::result<std::string> none = list_text(9);
  using k8s::ec;
  // clang-format off
  const row rows[] = {
      {create(), ec::timeout,  found(pod_text("new", 5, worker_meta(0))), "satisfied new"},
      {create(), ec::exists,   found(pod_text("new", 5, worker_meta(0))), "satisfied new"},
      {create(), ec::exists,   found(pod_text("it", 5, worker_meta(0, "other"))),
                                                     "failed exists, exists it"},
      {create(), ec::exists,   found(pod_text("it", 5, worker_meta(1))),
                                                     "failed exists, exists it"},
      {create(), ec::exists,   found(pod_text("it")), "failed exists, exists it"},
      {create(), ec::timeout,  none,                 "failed timeout"},
      {create(), ec::timeout,  failed(ec::forbidden), "failed timeout"},
      {create(), ec::exists,   failed(ec::forbidden), "failed exists"},
      {remove(), ec::timeout,  none,                 "satisfied"},
      {remove(), ec::timeout,  found(pod_text("x")), "satisfied"},
      {remove(), ec::timeout,  found(pod_text("uid", 6, deleting)), "done uid"},
      {remove(), ec::timeout,  found(pod_text("uid")), "failed timeout"},
      {remove(), ec::conflict, found(pod_text("x")), "satisfied"},
      {remove(), ec::conflict, found(pod_text("uid")), "failed conflict"},
      {release(), ec::timeout, found(pod_text("uid")), "failed timeout"},
      {release(), ec::timeout, none,                 "satisfied"},
      // It has been updated, by this call or by another client.
      {update(), ec::timeout,  found(pod_text("uid", 6)), "satisfied uid"},
      {update(), ec::conflict, found(pod_text("uid", 6)), "satisfied uid"},
      {update(), ec::timeout,  found(pod_text("uid", 5)), "failed timeout"},
  };
  // clang-format on
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(
        core::describe_decision(r.order)
        << k8s::to_string(r.first) << " "
        << (r.answer ? *r.answer : k8s::to_string(r.answer.error().code))) {
      group_fixture f;
      f.execute({r.order});
      f.fail_call("", r.first);
      f.answer("list", r.answer);
      BOOST_TEST(f.results == strings{r.result}, per_element());
      BOOST_TEST(f.calls.empty());
    }
}

BOOST_AUTO_TEST_CASE(a_name_that_is_taken_is_waited_for) {
  for (auto code : {k8s::ec::exists, k8s::ec::timeout}) {
    group_fixture f;
    f.execute({create()});
    f.fail_call("create", code);
    // Before the answer to the read, which may be old when it arrives.
    auto told = f.context->awaited->take(core::child_kind::pod, "ns", pod_name);
    BOOST_TEST(told.size() == (code == k8s::ec::exists ? 1u : 0u));
  }
}

// What had it has gone between the answer and the read, and its end was told
// before anybody waited for it.
BOOST_AUTO_TEST_CASE(a_pod_whose_name_is_free_by_the_read_is_decided_anew) {
  group_fixture f;
  f.execute({create()});
  f.fail_call("create", k8s::ec::exists);
  f.answer("list", list_text(9));
  BOOST_TEST(f.results == strings{"free"}, per_element());
  BOOST_TEST(f.calls.empty());
}

BOOST_AUTO_TEST_CASE(a_name_that_is_free_by_the_read_is_taken_at_once) {
  group_fixture f;
  f.execute({create_service()});
  f.fail_call("create", k8s::ec::exists);
  f.answer("list", list_text(9));
  BOOST_TEST(f.results.empty());
  f.answer("create", pod_text("new"));
  BOOST_TEST(f.results == strings{"done new"}, per_element());
  BOOST_TEST(f.calls.empty());

  // A later answer counts as the first does.
  f.results.clear();
  f.execute({create_service()});
  f.fail_call("create", k8s::ec::exists);
  f.answer("list", list_text(9));
  f.fail_call("create", k8s::ec::forbidden);
  f.execute({create_service()});
  f.fail_call("create", k8s::ec::exists);
  f.answer("list", list_text(9));
  f.fail_call("create", k8s::ec::timeout);
  f.answer("list", list_text(9, {pod_text("new", 5, worker_meta(0))}));
  BOOST_TEST(f.results == (strings{"failed forbidden", "satisfied new"}),
             per_element());

  // A server that says both for ever.
  f.results.clear();
  f.execute({create_service()});
  for (int i = 0; i < 3; ++i) {
    f.fail_call("create", k8s::ec::exists);
    f.answer("list", list_text(9));
  }
  BOOST_TEST(f.results == strings{"failed exists"}, per_element());
  BOOST_TEST(f.calls.empty());
}

BOOST_AUTO_TEST_CASE(a_read_without_an_answer_is_made_again) {
  group_fixture f;
  f.execute({create()});
  f.fail_call("create", k8s::ec::unreachable);
  for (auto why : {k8s::ec::unreachable, k8s::ec::timeout, k8s::ec::garbage,
                   k8s::ec::unauthenticated}) {
    f.fail_call("list", why);
    BOOST_TEST(f.results.empty());
  }
  f.answer("list", list_text(9, {pod_text("new", 5, worker_meta(0))}));
  BOOST_TEST(f.results == strings{"satisfied new"}, per_element());

  f.results.clear();
  f.execute({create()});
  f.fail_call("create", k8s::ec::unreachable);
  for (int i = 0; i < 5; ++i)
    f.fail_call("list", k8s::ec::timeout);
  BOOST_TEST(f.results == strings{"failed timeout"}, per_element());
}

BOOST_AUTO_TEST_CASE(a_job_that_is_being_deleted_adopts_nothing) {
  struct row {
    k8s::result<std::string> job;
    const char* result; ///< "": it adopts.
  };
  // clang-format off
  const row rows[] = {
      {object_text("job", "job-uid", 5),           ""},
      {object_text("job", "job-uid", 5, deleting), "failed not_found"},
      {object_text("job", "later", 5),             "failed not_found"},
      {std::string{"<html>"},                      "failed not_found"},
      {failed(k8s::ec::not_found),                 "failed not_found"},
      {failed(k8s::ec::timeout),                   "failed timeout"},
  };
  // clang-format on
  for (const auto& r : rows) {
    group_fixture f;
    f.execute({adopt()});
    BOOST_TEST(f.waiting() == strings{"get tfjobs job"}, per_element());
    f.answer("get tfjobs job", r.job);
    if (*r.result) {
      BOOST_TEST(f.results == strings{r.result}, per_element());
      BOOST_TEST(f.calls.empty());
      continue;
    }
    BOOST_REQUIRE(f.waiting() == strings{"patch pods job-worker-0"});
    auto meta = json::parse(f.calls[0].request->body)["metadata"];
    BOOST_TEST(meta["uid"] == "uid");
    BOOST_TEST(meta["ownerReferences"][0]["uid"] == "job-uid");
    f.answer("patch pods", pod_text("uid", 6));
    BOOST_TEST(f.results == strings{"done uid"}, per_element());
  }
}

BOOST_AUTO_TEST_CASE(an_order_for_the_job_itself_is_refused) {
  group_fixture f;
  f.execute({core::delete_job{"job-uid", ""}});
  BOOST_TEST(f.results == strings{"failed bug"}, per_element());
}

BOOST_AUTO_TEST_CASE(which_group_carries_out_a_decision) {
  struct row {
    core::decision d;
    const char* group;
  };
  core::create_auxiliary config;
  config.wanted = core::auxiliary_object{}; // A config map.
  core::delete_child removal;
  removal.kind = core::child_kind::role;
  const row rows[] = {
      {create(), "worker"},          {remove(), "worker"},
      {adopt(), "worker"},           {annotate(), "worker"},
      {config, "auxiliary objects"}, {update(), "auxiliary objects"},
      {read(), "auxiliary objects"}, {removal, "auxiliary objects"}};
  for (const auto& r : rows)
    BOOST_TEST(to_string(group_id_of(r.d)) == r.group);
}

BOOST_AUTO_TEST_SUITE_END()
