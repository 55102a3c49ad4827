#include "tests/simulation/play.hpp"

#include <cstdio>
#include <cstdlib>
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
      , world_(s.seed, api_)
      , stage_(api_) {
    if (std::getenv("TROUPE_TRACE"))
      api_->trace = [](const std::string& what) { std::puts(what.c_str()); };
    stage_.begin();
  }

  outcome run() {
    for (int i = 0; i < score_.steps; ++i)
      step();
    world_.calm_down();
    calm_ = true;
    settle();
    outcome result;
    result.wrong = world_.complaints();
    for (auto& w : world_.judge_the_end())
      result.wrong.push_back(std::move(w));
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
    else if (stage_.timer_set())
      stage_.advance_to_next_timer();
    if (score_.crashes > 0 && random() % 10000 < unsigned(score_.crashes))
      crash();
  }

  void network() {
    auto& random = world_.random();
    if (!api_->pending().empty() && world_.chance(60)) {
      auto f = fate::normal;
      if (!calm_ && world_.chance(score_.bad_calls)) {
        const fate bad[] = {fate::lost_answer, fate::lost_call,
                            fate::overloaded, fate::broken};
        f = bad[random() % 4];
      }
      api_->answer(random() % api_->pending().size(), f);
      if (++calls_ == score_.crash_after_call)
        crash();
      return;
    }
    auto lagging = api_->lagging();
    if (!lagging.empty())
      api_->deliver(lagging[random() % lagging.size()], 1 + random() % 4);
  }

  void crash() {
    if (api_->trace)
      api_->trace("the operator dies");
    stage_.end();
    api_->drop_pending(world_.random()() % 4);
    stage_.begin();
  }

  /// Everybody finishes what is begun, in some order, until all is quiet.
  void settle() {
    for (int round = 0; round < 400; ++round) {
      quiet_down();
      bool more = world_.finish_what_is_begun();
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
      if (!api_->pending().empty()) {
        api_->answer(0);
        if (++calls_ == score_.crash_after_call)
          crash();
      } else if (!api_->lagging().empty()) {
        api_->deliver_all();
      } else {
        return;
      }
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
    stage_.end();
    api_->drop_pending(0);
    stage_.begin();
    settle();
    if (end_state() != before)
      result.wrong.push_back("a restart changes the end: " + before + " -> "
                             + end_state());
  }

  std::string end_state() const {
    std::ostringstream out;
    if (const auto* j = api_->find("tfjobs", world_.job_key())) {
      for (const auto& c :
           j->value("/status/conditions"_json_pointer, fixtures::json::array()))
        out << c["type"].get<std::string>() << '='
            << c["status"].get<std::string>() << ' ';
      out << j->value("/status/replicaStatuses"_json_pointer,
                      fixtures::json::object());
    } else {
      out << "no job";
    }
    for (const char* plural : {"pods", "services"})
      for (const auto& [key, o] : api_->all(plural))
        out << ' ' << plural[0] << ':' << key << ':'
            << o.value("/status/phase"_json_pointer, std::string{});
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
