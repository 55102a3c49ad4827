#pragma once

#include "actors/reports/report_pace.hpp"
#include "k8s/api.hpp"
#include "k8s/objects.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace troupe::actors {

/// Who has a token, as the API server says.
struct reviewed_pod {
  std::string ns;  ///< Of its service account.
  std::string uid; ///< Of the pod that the token is bound to.
};

/// The request that asks the API server whose token it is, and whether it is
/// meant for this audience.
k8s::request token_review_request(const std::string& token,
                                  const std::string& audience);

/// nullopt: nobody's, for another audience, or not bound to a pod. A failure if
/// the answer is no review.
k8s::result<std::optional<reviewed_pod>>
read_token_review(const std::string& answer, const std::string& audience);

/// What is known of the pod that a token names before it is reviewed.
struct claimed_pod {
  std::string uid;
  /// Its job has gone, whose pods have nothing to tell any more.
  bool of_gone_job = false;
};

/// The answers to reviews of tokens, for a minute, and the reports that wait
/// for one. Keeps no token, only a hash. A value; time is an argument.
///
/// Whoever knows the UID of a pod can write tokens in its name, so each pod has
/// a share of the reviews: one a second, and three at once. A token that was
/// found to be the pod's needs none of it.
class token_reviews {
public:
  using time_point = std::chrono::steady_clock::time_point;

  static constexpr std::chrono::seconds keep_period{60};
  static constexpr std::size_t most_kept = 8'192;
  static constexpr std::size_t most_asked = 32; ///< At a time.
  /// The calls of jobs have to come through beside them.
  static constexpr std::size_t most_asked_per_second = 100;
  /// For jobs that have gone: apart, so that jobs that are there miss none.
  static constexpr std::size_t most_asked_of_gone = 4;
  static constexpr std::size_t most_asked_of_gone_per_second = 5;
  /// That wait for the review of one token.
  static constexpr std::size_t most_waiting_per_token = 4;

  /// What to do with a report of this number.
  enum class next : std::uint8_t {
    ask,    ///< Review the token; the report waits.
    wait,   ///< It is being reviewed; the report waits.
    refuse, ///< It was reviewed: it is nobody's. Or the pod, or jobs that have
            ///< gone, had their share of the reviews: strangers hear the same.
    pass,   ///< It was reviewed: `pod` has it.
    busy,   ///< Too many reviews, or reports that wait.
  };
  struct step {
    next what = next::busy;
    std::uint64_t review = 0; ///< Of `ask`: its number.
    reviewed_pod pod;         ///< Of `pass`.
  };

  /// Whether the token was reviewed, or is being reviewed.
  bool knows(const std::string& token, const std::string& audience,
             time_point now);
  /// `claimed` counts for a token that is not known.
  step on_report(std::uint64_t report, const std::string& token,
                 const std::string& audience, const claimed_pod& claimed,
                 time_point now);

  /// The review has ended. nullopt: the token is nobody's. Returns the reports
  /// that waited for it.
  std::vector<std::uint64_t> on_reviewed(std::uint64_t review,
                                         const std::optional<reviewed_pod>& pod,
                                         time_point now);
  /// The review could not be made; the next report asks again.
  std::vector<std::uint64_t> on_review_failed(std::uint64_t review);

  std::size_t kept() const { return entries_.size(); }
  std::size_t asked() const { return asked_.size(); }

private:
  struct entry {
    std::optional<reviewed_pod> pod;
    time_point until{};
    std::uint64_t review = 0; ///< 0: it is not being reviewed.
    bool of_gone_job = false;
    std::vector<std::uint64_t> waiting;
  };

  /// How many reviews are made.
  struct budget {
    bool take(time_point now); ///< Whether there is room; if so, it counts.

    std::size_t most;
    std::size_t most_per_second;
    std::size_t asked = 0; ///< Now.
    time_point second_began{};
    std::size_t asked_in_second = 0;
  };

  void forget_old_entries(time_point now);
  next may_ask(const std::string& hash, const claimed_pod& claimed,
               time_point now);
  budget& budget_of(bool of_gone_job) { return of_gone_job ? gone_ : living_; }

  std::unordered_map<std::string, entry> entries_; ///< By hash.
  std::unordered_map<std::uint64_t, std::string> asked_;
  std::list<std::pair<time_point, std::string>> by_age_; ///< Reviewed ones.
  std::uint64_t next_review_ = 1;
  budget living_{most_asked, most_asked_per_second};
  budget gone_{most_asked_of_gone, most_asked_of_gone_per_second};
  report_pace pods_; ///< With the hashes of their tokens.
};

} // namespace troupe::actors
