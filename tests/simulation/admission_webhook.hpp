#pragma once

#include "k8s/api.hpp"
#include "k8s/objects.hpp"

#include <map>
#include <optional>
#include <random>
#include <string>

namespace troupe::simulation {

/// An admission webhook of somebody else. While it is installed, it denies some
/// of the operator's writes, or answers them so late that the API server, or
/// the operator, does not wait for it.
class admission_webhook {
public:
  /// What becomes of a call; if nothing is set, the webhook allows it.
  struct outcome {
    bool waits = false;                  ///< For the webhook's answer.
    std::optional<k8s::failure> failure; ///< The call is not done.
    bool caller_gave_up = false;         ///< It is done after that.
  };

  /// With rules of its own each time.
  void install(std::mt19937_64& random);
  void uninstall() { mode_ = mode::uninstalled; }
  bool installed() const { return mode_ != mode::uninstalled; }

  outcome review(const k8s::request& call, k8s::time_point now,
                 std::mt19937_64& random);

private:
  enum class mode { uninstalled, denies, is_late };

  outcome deny(const k8s::request& r, std::mt19937_64& random) const;
  outcome answer_late(const k8s::request& r, k8s::time_point now,
                      std::mt19937_64& random);

  mode mode_ = mode::uninstalled;
  std::size_t rule_ = 0; ///< Which writes it reviews.
  /// When who waits for it has had enough; by path and body of the call.
  std::map<std::string, k8s::time_point> waiting_;
};

} // namespace troupe::simulation
