#pragma once

#include "actors/base/messages.hpp"
#include "frameworks/core/model/cluster_options.hpp"
#include "k8s/api.hpp"

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::actors {

/// Finds the Workloads that Kueue's own integration has made for jobs that are
/// the operator's now, and that are being deleted: no watch shows them, and
/// nobody else lets them go. A value; it is to be begun once.
class leaving_workloads_search {
public:
  /// `namespaces`: "" means all of them.
  leaving_workloads_search(std::vector<std::string> namespaces,
                           core::cluster_options cluster)
      : namespaces_(std::move(namespaces))
      , cluster_(std::move(cluster)) {}

  struct look_again {}; ///< A call has failed.
  struct done {};
  using step = std::variant<k8s::request, look_again, done>;

  /// Goes on where a call has failed.
  step next() const;
  step on_answer(const k8s::result<std::string>& answer);

  /// Those that were found since the last call.
  std::vector<release_workload> take_found() {
    return std::exchange(found_, {});
  }

private:
  void leave_namespace();
  void add_if_leaving(const k8s::object_meta& workload);

  std::vector<std::string> namespaces_; ///< Those that are left.
  core::cluster_options cluster_;
  std::string page_; ///< The token of the next page.
  std::vector<release_workload> found_;
};

} // namespace troupe::actors
