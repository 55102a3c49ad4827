#pragma once

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

/// nullopt: nobody's, for another audience, or not bound to a pod.
std::optional<reviewed_pod> read_token_review(const std::string& answer,
                                              const std::string& audience);

/// The answers to reviews of tokens, for a minute, and the reports that wait
/// for one. Keeps no token, only a hash. A value; time is an argument.
class token_reviews {
public:
  using time_point = std::chrono::steady_clock::time_point;

  static constexpr std::chrono::seconds keep_period{60};
  static constexpr std::size_t most_kept = 8'192;
  static constexpr std::size_t most_asked = 32; ///< At a time.
  /// The calls of jobs have to come through beside them.
  static constexpr std::size_t most_asked_per_second = 100;
  /// That wait for the review of one token.
  static constexpr std::size_t most_waiting_per_token = 4;

  /// What to do with a report of this number.
  enum class next : std::uint8_t {
    ask,    ///< Review the token; the report waits.
    wait,   ///< It is being reviewed; the report waits.
    refuse, ///< It was reviewed: it is nobody's.
    pass,   ///< It was reviewed: `pod` has it.
    busy,   ///< Too many reviews, or reports that wait.
  };
  struct step {
    next what = next::busy;
    std::uint64_t review = 0; ///< Of `ask`: its number.
    reviewed_pod pod;         ///< Of `pass`.
  };

  step on_report(std::uint64_t report, const std::string& token,
                 const std::string& audience, time_point now);

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
    std::vector<std::uint64_t> waiting;
  };

  void forget_old_entries(time_point now);
  bool may_ask(time_point now); ///< If so, it counts.

  std::unordered_map<std::string, entry> entries_; ///< By hash.
  std::unordered_map<std::uint64_t, std::string> asked_;
  std::list<std::pair<time_point, std::string>> by_age_; ///< Reviewed ones.
  std::uint64_t next_review_ = 1;
  time_point second_began_{};
  std::size_t asked_in_second_ = 0;
};

} // namespace troupe::actors
