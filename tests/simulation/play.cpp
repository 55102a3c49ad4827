#include "tests/simulation/play.hpp"

#include <cstdio>
#include <sstream>

namespace troupe::simulation {

namespace {

using fixtures::fake_api;
using fixtures::fate;
using fixtures::stage;

/// One life under way.
class life {
public:
  explicit life(const score& s)
      : score_(s)
      , api_(std::make_shared<fake_api>())
      , world_(s.seed, *s.kind, api_)
      , stage_(api_) {
    if (s.tell)
      api_->trace = [](const std::string& what) { std::puts(what.c_str()); };
    stage_.kinds = {s.kind};
    world_.begin();
    begin();
  }

  outcome run() {
    for (int i = 0; i < score_.steps; ++i)
      step();
    world_.calm_down();
    calm_ = true;
    settle();
    auto& checker = world_.checker();
    checker.judge_the_end();
    outcome result;
    result.wrong = checker.complaints();
    if (result.wrong.empty())
      check_fixed_point(result);
    result.calls = calls_;
    result.end = end_state();
    return result;
  }

private:
  void step() {
    auto& random = world_.random();
    auto dice = random() % 100;
    if (dice < 55 && stage_.runnable() > 0)
      stage_.run_one(random() % stage_.runnable());
    else if (dice < 75)
      network();
    else if (dice < 95)
      world_.step();
    else if (dice < 96)
      stage_.jump(std::chrono::milliseconds{random() % 30'000});
    else if (stage_.timer_set())
      stage_.advance_to_next_timer();
    if (score_.crashes > 0 && random() % 10000 < unsigned(score_.crashes))
      crash();
  }

  void network() {
    if (!api_->pending().empty() && world_.chance(60)) {
      answer(world_.random()() % api_->pending().size());
      return;
    }
    auto lagging = api_->lagging();
    if (lagging.empty())
      return;
    auto& random = world_.random();
    auto which = lagging[random() % lagging.size()];
    api_->deliver(which, 1 + random() % 4);
  }

  void answer(std::size_t which) {
    if (!calm_ && world_.chance(score_.bad_calls))
      answer_badly(which);
    else
      api_->answer(which);
    if (++calls_ == score_.crash_after_call)
      crash();
  }

  void answer_badly(std::size_t which) {
    using k8s::ec;
    using k8s::verb;
    auto what = api_->pending()[which].request.method;
    switch (world_.random()() % 8) {
    case 0:
    case 1:
      return api_->answer(which, fate::lost_answer);
    case 2:
      return api_->answer(which, fate::lost_call);
    case 3:
      return api_->answer(which, fate::overloaded);
    case 4:
      return api_->answer(which, fate::broken);
    case 5:
      return api_->refuse(which, {ec::timeout, "no answer in time"});
    case 6:
      return api_->refuse(which, {ec::invalid, "denied by a webhook"});
    default:
      // A server that tells a deletion of a conflict means another object.
      if (what == verb::remove)
        return api_->answer(which, fate::broken);
      return api_->refuse(
          which, {what == verb::create ? ec::exists : ec::conflict, "again"});
    }
  }

  void begin() {
    world_.checker().operator_begins();
    stage_.begin();
  }

  void crash() {
    if (api_->trace)
      api_->trace("the operator dies");
    stage_.end();
    api_->drop_pending(world_.random()() % 4);
    begin();
  }

  /// Everybody finishes what is begun, in some order, until all is quiet.
  void settle() {
    for (int round = 0; round < 400; ++round) {
      quiet_down();
      bool more = world_.finish_what_is_begun();
      if (more)
        quiet_down();
      // Back-offs, deadlines, times to live; but not the watchers' years.
      if (stage_.timer_set()
          && stage_.next_timer() < std::chrono::minutes{20}) {
        stage_.advance_to_next_timer();
        more = true;
      }
      if (!more && api_->pending().empty() && stage_.runnable() == 0)
        return;
    }
    never_quiet_ = true;
  }

  void quiet_down() {
    for (int i = 0; i < 20000; ++i) {
      stage_.settle_messages();
      if (!api_->pending().empty())
        answer(0);
      else if (!api_->lagging().empty())
        api_->deliver_all();
      else
        return;
    }
    never_quiet_ = true;
  }

  /// A new operator that knows nothing must find nothing to do either.
  void check_fixed_point(outcome& result) {
    if (never_quiet_) {
      result.wrong.push_back("never comes to rest");
      return;
    }
    auto before = end_state();
    auto writes = world_.checker().writes();
    if (api_->trace)
      api_->trace("the last operator begins");
    stage_.end();
    api_->drop_pending(0);
    begin();
    settle();
    if (end_state() != before)
      result.wrong.push_back("a restart changes the end: " + before + " -> "
                             + end_state());
    else if (world_.checker().writes() != writes)
      result.wrong.push_back("a new operator writes what is there already");
    for (const auto& w : world_.checker().complaints())
      result.wrong.push_back("after a last restart: " + w);
  }

  std::string end_state() const {
    std::ostringstream out;
    if (const auto* j = api_->find(world_.plural(), world_.job_key())) {
      const auto& status = at(*j, "status");
      for (const auto& c : at(status, "conditions"))
        out << text(at(c, "type")) << '=' << text(at(c, "status")) << ' ';
      out << at(status, "replicaStatuses");
    } else {
      out << "no job";
    }
    for (const auto& plural : api_->plurals())
      if (plural != world_.plural() && plural != "events")
        for (const auto& [key, o] : api_->all(plural))
          out << ' ' << plural << '/' << name_of(o) << ':' << phase_of(o);
    return out.str();
  }

  score score_;
  std::shared_ptr<fake_api> api_;
  world world_;
  stage stage_;
  int calls_ = 0;
  bool calm_ = false;
  bool never_quiet_ = false;
};

} // namespace

outcome play(const score& s) {
  return life{s}.run();
}

} // namespace troupe::simulation
