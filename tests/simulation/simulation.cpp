#include "tests/simulation/simulation.hpp"

#include <cstdio>
#include <sstream>
#include <utility>

namespace troupe::simulation {

namespace {

using fixtures::fault;
using fixtures::operator_fixture;

/// One run of the simulation.
class simulation_run {
public:
  explicit simulation_run(const simulation_options& s)
      : options_(s)
      , api_(std::make_shared<simulated_api_server>())
      , cluster_owner_(s.kind->make_cluster(s.seed, *s.kind->row, api_))
      , cluster_(*cluster_owner_)
      , operator_(api_) {
    if (s.trace)
      api_->trace = [](const std::string& what) { std::puts(what.c_str()); };
    operator_.kinds = {s.kind->row};
    operator_.options->directories = 1 + static_cast<int>(s.seed % 3);
    operator_.options->cluster.scheduling = cluster_.gang();
    operator_.options->cluster.gang_scheduler = gang_scheduler;
    operator_.options->cluster.queueing = cluster_.queueing();
    operator_.options->cluster.lost_node_period = cluster_.lost_node_period();
    if (cluster_.takes_reports()) {
      operator_.options->cluster.progress_url = "https://operator/progress";
      operator_.options->cluster.progress_authority = "CA";
    }
    cluster_.begin(
        [this](auto what, auto done) {
          send_request(std::move(what), std::move(done));
        },
        [this](auto pod, auto taken) {
          send_report(std::move(pod), std::move(taken));
        });
    begin();
  }

  simulation_result run() {
    for (int i = 0; i < options_.kind->steps; ++i)
      step();
    cluster_.stop_faults();
    faults_stopped_ = true;
    settle();
    ask_at_end();
    auto& invariants = cluster_.invariants();
    invariants.check_end_state();
    check_reason_to_wait();
    for (const auto& key : cluster_.lost_pods_left())
      invariants.lost_pod_left(key);
    simulation_result result;
    result.violations = invariants.violations();
    if (result.violations.empty())
      check_fixed_point(result);
    result.calls = calls_;
    result.end = end_state();
    return result;
  }

private:
  void check_reason_to_wait() {
    if (!cluster_.waits_for_a_reason())
      return;
    const auto& kind = options_.kind->row->names.type.kind;
    auto report = operator_.request_report(kind.c_str(), "job");
    const auto& said = text(at(report, "summary"));
    if (said.find("wait") == std::string::npos
        && said.find("Workload") == std::string::npos
        && said.find("Kueue has evicted") == std::string::npos)
      cluster_.invariants().wait_without_reason(report.dump());
  }

  /// What is asked last is to be answered, so the process goes on.
  void ask_at_end() {
    auto restart = std::exchange(options_.restart_after_call, 0);
    if (cluster_.ask_at_end())
      settle();
    options_.restart_after_call = restart;
  }

  void step() {
    auto& random = cluster_.random();
    auto dice = random() % 100;
    if (dice < 55 && operator_.runnable_actors() > 0)
      operator_.run_one(random() % operator_.runnable_actors());
    else if (dice < 75)
      network();
    else if (dice < 95)
      cluster_.step();
    else if (dice < 96)
      operator_.advance_clock(std::chrono::milliseconds{random() % 30'000});
    else if (operator_.timer_set())
      operator_.advance_to_next_timer();
    if (options_.restarts > 0 && random() % 10000 < unsigned(options_.restarts))
      restart_operator();
    if (options_.leader_changes > 0
        && random() % 10000 < unsigned(options_.leader_changes))
      change_leader();
  }

  void network() {
    if (!api_->pending().empty() && cluster_.chance(60)) {
      answer(cluster_.random()() % api_->pending().size());
      return;
    }
    auto streams_behind = api_->streams_behind();
    if (streams_behind.empty())
      return;
    auto& random = cluster_.random();
    auto which = streams_behind[random() % streams_behind.size()];
    api_->deliver_events(which, 1 + random() % 4);
  }

  void answer(std::size_t which) {
    if (!faults_stopped_ && is_late(api_->pending()[which].request))
      return;
    if (!faults_stopped_ && admission_fails(which))
      return;
    if (auto why = cluster_.refusal_of(api_->pending()[which].request))
      return fail_call(which, std::move(*why));
    if (!faults_stopped_ && cluster_.chance(options_.bad_calls))
      answer_badly(which);
    else
      api_->answer(which);
    if (++calls_ == options_.restart_after_call)
      restart_operator();
  }

  /// Calls of a former leader take longer than those of the present one.
  bool is_late(const k8s::request& call) {
    return is_write(call) && process_of(call) != api_->process()
           && cluster_.chance(70);
  }

  /// Whether a webhook has answered the call, or lets it wait.
  bool admission_fails(std::size_t which) {
    auto review =
        cluster_.webhook().review(api_->pending()[which].request,
                                  operator_.wall_clock(), cluster_.random());
    if (review.failure)
      fail_call(which, *review.failure);
    else if (review.caller_gave_up)
      api_->answer(which, fault::lost_answer);
    return review.waits || review.failure || review.caller_gave_up;
  }

  void fail_call(std::size_t which, k8s::failure why) {
    cluster_.invariants().call_failed(api_->pending()[which].request);
    api_->fail_call(which, std::move(why));
  }

  void answer_badly(std::size_t which) {
    using k8s::ec;
    using k8s::verb;
    auto what = api_->pending()[which].request.method;
    switch (cluster_.random()() % 8) {
    case 0:
    case 1:
      return api_->answer(which, fault::lost_answer);
    case 2:
      return api_->answer(which, fault::lost_call);
    case 3:
      return api_->answer(which, fault::overloaded);
    case 4:
      return api_->answer(which, fault::server_error);
    case 5:
      return fail_call(which, {ec::timeout, "no answer in time"});
    case 6:
      return fail_call(which, {ec::invalid, "denied by a webhook"});
    default:
      // A conflict as the answer to a deletion means another object.
      if (what == verb::remove)
        return api_->answer(which, fault::server_error);
      return fail_call(
          which, {what == verb::create ? ec::exists : ec::conflict, "again"});
    }
  }

  /// As di-server sends it.
  void send_request(core::job_request_ptr what,
                    std::function<void(const core::job_response&)> done) {
    actors::request_to_job question{options_.kind->row, "ns", "job",
                                    std::move(what)};
    operator_.system().spawn(
        [done = std::move(done), root = operator_.root,
         question = std::move(question)](caf::event_based_actor* self) {
          self->request(root, caf::infinite, question)
              .then([done](const core::job_response& r) { done(r); },
                    [done](caf::error&) {
                      done({504, "the job did not answer"});
                    });
        });
  }

  /// As the server for reports sends it, when it knows whose token it is.
  void send_report(std::string pod_uid,
                   std::function<void(k8s::time_point)> taken) {
    actors::report_to_job report{
        {options_.kind->row}, "ns", "job", std::move(pod_uid), {}};
    report.progress.percent = 1;
    operator_.system().spawn(
        [taken = std::move(taken), root = operator_.root,
         report = std::move(report)](caf::event_based_actor* self) {
          self->request(root, caf::infinite, report)
              .then(
                  [taken](const actors::report_answer& a) {
                    if (a.status == 200)
                      taken(a.taken->time);
                  },
                  [](caf::error&) {});
        });
  }

  void begin() {
    api_->start_next_process();
    cluster_.invariants().operator_started();
    operator_.start();
  }

  void restart_operator() {
    if (api_->trace)
      api_->trace("the operator is restarted");
    operator_.stop();
    api_->drop_pending(cluster_.random()() % 4);
    begin();
  }

  /// The operator has lost its Lease, and another process takes over. The
  /// writes of the former leader that are in the network arrive at any time.
  void change_leader() {
    if (api_->trace)
      api_->trace("another process leads");
    operator_.stop();
    while (api_->streams() > 0)
      api_->break_stream(0);
    begin();
  }

  /// Kubelets, garbage collector and operator work until nothing is left.
  void settle() {
    // Why a pod group or a queue lets wait is asked again and again, for ever.
    auto enough = operator_.wall_clock() + std::chrono::hours{1};
    for (int round = 0; round < 400; ++round) {
      run_until_idle();
      bool more = cluster_.finish_pending_work();
      if (more)
        run_until_idle();
      // Back-offs, deadlines, times to live; not the watchers' idle limit.
      if (operator_.timer_set()
          && operator_.next_timer() < std::chrono::minutes{20}) {
        operator_.advance_to_next_timer();
        more = true;
      }
      if (!more && api_->pending().empty() && operator_.runnable_actors() == 0)
        return;
      if (cluster_.waits_for_ever() && operator_.wall_clock() > enough)
        return;
    }
    never_idle_ = true;
  }

  void run_until_idle() {
    for (int i = 0; i < 20000; ++i) {
      operator_.run_messages();
      if (!api_->pending().empty())
        answer(0);
      else if (!api_->streams_behind().empty())
        api_->deliver_all();
      else
        return;
    }
    never_idle_ = true;
  }

  /// A new operator process must find nothing to do either.
  void check_fixed_point(simulation_result& result) {
    if (never_idle_) {
      result.violations.push_back("the operator never comes to rest");
      return;
    }
    auto before = end_state();
    auto writes = cluster_.invariants().writes();
    if (api_->trace)
      api_->trace("the operator is restarted a last time");
    operator_.stop();
    api_->drop_pending(0);
    begin();
    settle();
    if (end_state() != before)
      result.violations.push_back("a restart changes the end state: " + before
                                  + " -> " + end_state());
    else if (cluster_.invariants().writes() != writes)
      result.violations.push_back("a restarted operator writes without a need");
    for (const auto& w : cluster_.invariants().violations())
      result.violations.push_back("after a last restart: " + w);
  }

  std::string end_state() const {
    std::ostringstream out;
    if (const auto* j = api_->find(cluster_.plural(), cluster_.job_key())) {
      const auto& status = at(*j, "status");
      for (const auto& c : at(status, "conditions"))
        out << text(at(c, "type")) << '=' << text(at(c, "status")) << ' ';
      for (const char* field : {"phase", "replicaStatuses", "replicaStatus",
                                "taskStatus", "reschedules"})
        if (status.contains(field))
          out << at(status, field) << ' ';
    } else {
      out << "no job";
    }
    for (const auto& plural : api_->plurals())
      if (plural != cluster_.plural() && plural != "events")
        for (const auto& [key, o] : api_->all(plural))
          out << ' ' << plural << '/' << name_of(o) << ':' << phase_of(o);
    return out.str();
  }

  simulation_options options_;
  std::shared_ptr<simulated_api_server> api_;
  std::unique_ptr<simulated_cluster> cluster_owner_;
  simulated_cluster& cluster_;
  operator_fixture operator_;
  int calls_ = 0;
  bool faults_stopped_ = false;
  bool never_idle_ = false;
};

} // namespace

simulation_result simulate(const simulation_options& s) {
  return simulation_run{s}.run();
}

} // namespace troupe::simulation
