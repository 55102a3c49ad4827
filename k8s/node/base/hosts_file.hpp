#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace troupe::k8s::node {

/// A pod that has not finished.
struct named_pod {
  std::string ns;
  std::string name; ///< Its host name.
  std::string address;
  std::map<std::string, std::string> labels;
};

struct named_service {
  std::string ns;
  std::string name;
  std::map<std::string, std::string> selector;
};

/// Finds pods by their labels, so that a thousand services over a thousand pods
/// do not take a million comparisons. The pods must outlive it.
class pods_by_label {
public:
  explicit pods_by_label(const std::vector<named_pod>& pods);
  /// None if the service has no selector.
  std::vector<const named_pod*>
  find_selected_pods(const named_service& s) const;

private:
  using label_key = std::tuple<std::string, std::string, std::string>;
  std::map<label_key, std::vector<const named_pod*>> pods_;
};

/// The hosts file that programs in namespace `ns` see. Each service with a
/// selector has its names (NAME in its own namespace, NAME.NS, NAME.NS.svc,
/// NAME.NS.svc.DOMAIN) at the address of the first pod that it selects, or "-"
/// without any. Each selected pod has its own names below it (POD.NAME,
/// POD.NAME.NS.svc and the like, as headless services give).
std::string make_hosts_file(const std::string& ns,
                            const std::vector<named_pod>& pods,
                            const std::vector<named_service>& services,
                            const std::string& domain);

} // namespace troupe::k8s::node
