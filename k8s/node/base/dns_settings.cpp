#include "k8s/node/base/dns_settings.hpp"

#include "k8s/node/base/pod_fields.hpp"

#include <algorithm>

namespace troupe::k8s::node {

namespace {

constexpr std::size_t most_searches = 32; ///< As Kubernetes allows.
constexpr std::size_t most_options = 32;

/// Whether it stays one word of a line.
bool is_word(const std::string& text) {
  constexpr std::size_t most_characters = 253;
  return !text.empty() && text.size() <= most_characters
         && std::all_of(text.begin(), text.end(), [](unsigned char c) {
              return c > ' ' && c < 127; // In ASCII these are visible.
            });
}

/// Those of dnsConfig replace ours of the same name.
std::string join_options(const json& pod) {
  std::vector<std::pair<std::string, std::string>> all{{"ndots", "5"}};
  for (const auto& option :
       list_at(value_at(pod, {"spec", "dnsConfig"}), "options")) {
    const auto& name = text_at(option, {"name"});
    const auto& value = text_at(option, {"value"});
    if (!is_word(name) || (!value.empty() && !is_word(value)))
      continue;
    auto same = std::find_if(all.begin(), all.end(),
                             [&](const auto& o) { return o.first == name; });
    if (same != all.end())
      same->second = value;
    else if (all.size() < most_options)
      all.emplace_back(name, value);
  }
  std::string out;
  for (const auto& [name, value] : all)
    out += " " + name + (value.empty() ? "" : ":" + value);
  return out;
}

} // namespace

std::vector<std::string> dns_searches(const json& pod) {
  std::vector<std::string> out;
  for (const auto& search :
       list_at(value_at(pod, {"spec", "dnsConfig"}), "searches"))
    if (search.is_string() && is_word(search.get_ref<const std::string&>())
        && out.size() < most_searches)
      out.push_back(search);
  return out;
}

std::string full_host_name(const json& pod, const std::string& hostname,
                           const std::string& cluster_domain) {
  const auto& subdomain = text_at(pod, {"spec", "subdomain"});
  return subdomain.empty() ? ""
                           : hostname + "." + subdomain + "."
                                 + text_at(pod, {"metadata", "namespace"})
                                 + ".svc." + cluster_domain;
}

std::string make_resolv_conf(const json& pod, const std::string& cluster_domain,
                             const std::string& name_server) {
  const auto& ns = text_at(pod, {"metadata", "namespace"});
  std::vector<std::string> searches{ns + ".svc." + cluster_domain,
                                    "svc." + cluster_domain, cluster_domain};
  for (auto& one : dns_searches(pod))
    if (std::find(searches.begin(), searches.end(), one) == searches.end())
      searches.push_back(std::move(one));
  std::string out = "nameserver " + name_server + "\nsearch";
  for (const auto& one : searches)
    out += " " + one;
  return out + "\noptions" + join_options(pod) + "\n";
}

} // namespace troupe::k8s::node
