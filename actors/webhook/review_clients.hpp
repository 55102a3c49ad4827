#pragma once

#include <cstddef>
#include <deque>
#include <set>
#include <string>

namespace troupe::actors {

/// Which clients of the webhooks' port are served before all others: those
/// that sent well-formed reviews, as API servers do, and no reports, as pods
/// do. API servers need not say who they are, so a pod that wants to pass for
/// one can. A value; clients are addresses.
class review_clients {
public:
  static constexpr std::size_t most_reviewing = 64;
  static constexpr std::size_t most_reporting = 4'096;

  /// Of a client that sends others than well-formed ones nothing is known.
  void note_review(const std::string& client, bool well_formed);
  void note_report(const std::string& client) { reporting_.add(client); }

  /// Whether a review of this client, which is not read yet, comes before all
  /// others.
  bool is_favoured(const std::string& client) const {
    return reviewing_.has(client) && !reporting_.has(client);
  }

private:
  /// The clients that came last.
  class latest {
  public:
    explicit latest(std::size_t most)
        : most_(most) {}
    bool has(const std::string& client) const {
      return known_.count(client) > 0;
    }
    void add(const std::string& client);
    void remove(const std::string& client);

  private:
    std::size_t most_;
    std::set<std::string> known_;
    std::deque<std::string> order_; ///< The first came first.
  };

  latest reviewing_{most_reviewing};
  latest reporting_{most_reporting};
};

} // namespace troupe::actors
