#include "k8s/node/base/hosts_file.hpp"

#include <algorithm>
#include <iterator>

namespace troupe::k8s::node {

namespace {

using string_map = std::map<std::string, std::string>;

bool selector_matches(const string_map& selector, const string_map& labels) {
  return std::all_of(selector.begin(), selector.end(), [&](const auto& term) {
    auto i = labels.find(term.first);
    return i != labels.end() && i->second == term.second;
  });
}

/// One name a line: readers have lines of bounded length.
void add_host_lines(std::string& out, const std::string& address,
                    const std::string& qualified, const std::string& domain) {
  for (const auto& end : {std::string{}, std::string{".svc"}, ".svc." + domain})
    out += address + " " + qualified + end + "\n";
}

} // namespace

pods_by_label::pods_by_label(const std::vector<named_pod>& pods) {
  for (const auto& p : pods)
    for (const auto& [key, value] : p.labels)
      pods_[{p.ns, key, value}].push_back(&p);
}

std::vector<const named_pod*>
pods_by_label::find_selected_pods(const named_service& s) const {
  const std::vector<const named_pod*>* fewest = nullptr;
  for (const auto& [key, value] : s.selector) {
    auto i = pods_.find({s.ns, key, value});
    if (i == pods_.end())
      return {};
    if (!fewest || i->second.size() < fewest->size())
      fewest = &i->second;
  }
  std::vector<const named_pod*> result;
  if (fewest)
    std::copy_if(fewest->begin(), fewest->end(), std::back_inserter(result),
                 [&](const named_pod* p) {
                   return selector_matches(s.selector, p->labels);
                 });
  return result;
}

std::string make_hosts_file(const std::string& ns,
                            const std::vector<named_pod>& pods,
                            const std::vector<named_service>& services,
                            const std::string& domain) {
  std::string out;
  pods_by_label index{pods};
  for (const auto& s : services) {
    if (s.selector.empty())
      continue; // Resolved elsewhere.
    auto there = index.find_selected_pods(s);
    auto first = there.empty() ? "-" : there.front()->address;
    auto qualified = s.name + "." + s.ns;
    if (s.ns == ns)
      out += first + " " + s.name + "\n";
    add_host_lines(out, first, qualified, domain);
    for (const auto* p : there) {
      if (s.ns == ns)
        out += p->address + " " + p->name + "." + s.name + "\n";
      add_host_lines(out, p->address, p->name + "." + qualified, domain);
    }
  }
  return out;
}

} // namespace troupe::k8s::node
