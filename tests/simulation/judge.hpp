#pragma once

#include "tests/fixtures/fake_api.hpp"
#include "tests/simulation/kind_book.hpp"

#include <set>
#include <string>
#include <vector>

namespace troupe::simulation {

/// Looks at every write of the operator before it takes effect, and at what is
/// left in the end. It knows what the operator may know: everything that was
/// true at some time since the operator's process began. What was no longer
/// true by then must not guide it any more.
class judge {
public:
  judge(const kind_book& book, std::shared_ptr<fixtures::fake_api> api,
        std::string job_key);

  // -- what happens -----------------------------------------------------------
  void job_changed();                       ///< Or was made, or removed.
  void pod_changed(const std::string& key); ///< By anybody.
  void orphaned(const json& object);        ///< It was the job's until now.
  void operator_begins(); ///< It knows what it finds, and nothing else.
  void calm_begins();     ///< From now on nothing goes wrong any more.
  void operator_writes(const k8s::request& r, const std::string& plural,
                       const std::string& key, const json& body);

  // -- what is wrong ----------------------------------------------------------
  /// With the operator's writes, so far.
  const std::vector<std::string>& complaints() const { return complaints_; }
  /// With the end state, given that all is quiet. Complains, too.
  void judge_the_end();
  /// How much the operator has written, but for events.
  int writes() const { return writes_; }

private:
  void complain(std::string what);
  template <class Test>
  bool some(Test test) const; ///< Of the manifests it may have in mind.
  const json* job() const { return api_->find(book_.plural(), job_key_); }
  long long now() const;
  replica read(const json& pod) const;
  bool ours(const json& object) const;
  bool adoptable(const json& object) const;
  cast present() const;
  int true_restarts() const;
  static int restarts_of(const json& pod, const replica& r);

  // Writes.
  void judge_creation(const std::string& plural, const std::string& key,
                      const json& body);
  void judge_removal(const std::string& plural, const json& object,
                     const json& body);
  void judge_replacement(const json& pod, const replica& r);
  void judge_pace(const json& pod, const replica& r);
  bool may_clean_up(const std::string& plural, const json& object) const;
  void judge_job_removal(const json& body);
  void judge_status(const json& old, const json& status);
  void judge_conditions(const json& status);
  void judge_counts(const json& before, const json& status);
  void judge_success();
  void judge_failure(const json& status);

  // The end.
  void end_of_foreign(const json& job);
  void end_of_finished(const manifest& m, const json& job);
  void end_of_suspended(const json& job);
  void end_of_living(const manifest& m, const json& job);
  void end_of_slots(const manifest& m, const char* plural);
  void end_of_counts(const manifest& m, const json& job);
  void end_of_auxiliary_objects(const json& job);
  void end_of_limits(const manifest& m, const json& job);
  void nothing_left(const char* why);

  const kind_book& book_;
  std::shared_ptr<fixtures::fake_api> api_;
  std::string job_key_;

  // What the operator may know.
  std::vector<manifest> manifests_;
  cast replicas_;
  std::set<std::string> uids_;     ///< Of the job.
  std::set<std::string> ended_;    ///< Pods that ran on when it began.
  std::set<std::string> orphaned_; ///< Children that were the job's then.
  bool over_ = false;              ///< The job was when it began.

  // What is true.
  std::string uid_;                     ///< Of the job.
  std::map<std::string, int> restarts_; ///< That count, by UID of the pod.
  int granted_ = 0;                     ///< Restarts that it went along with.
  int biggest_ = 0;                     ///< Of a single pod among these.
  int most_limit_ = 0;                  ///< The job ever had.
  long long calm_since_ = 0;
  int writes_ = 0;
  std::vector<std::string> complaints_;
};

/// Seconds since 1970 of a time as objects have it; 0 if it is none.
long long seconds_of(const json& time);

} // namespace troupe::simulation
