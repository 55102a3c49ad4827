#include "k8s/node/namespaces/dns_zone.hpp"

#include "k8s/text.hpp"

#include <algorithm>

namespace troupe::k8s::node {

namespace {

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size()
         && text.compare(text.size() - end.size(), text.npos, end) == 0;
}

/// "10.244.1.0" as "0.1.244.10.in-addr.arpa".
std::string reverse_dns_name(const std::string& address) {
  std::string out;
  for (auto end = address.size(); end != std::string::npos;) {
    auto dot = end == 0 ? std::string::npos : address.rfind('.', end - 1);
    auto begin = dot == std::string::npos ? 0 : dot + 1;
    out += address.substr(begin, end - begin) + ".";
    end = dot;
  }
  return out + "in-addr.arpa";
}

std::string with_dashes_for_dots(std::string address) {
  std::replace(address.begin(), address.end(), '.', '-');
  return address;
}

} // namespace

dns_zone::dns_zone(const std::vector<named_pod>& pods,
                   const std::vector<named_service>& services,
                   std::string domain, const pod_subnet& subnet,
                   const std::vector<std::string>& host_services)
    : domain_(lower_case(domain))
    , pod_addresses_end_(reverse_dns_name(subnet.address(0)).substr(3)) {
  pods_by_label index{pods};
  for (const auto& s : services) {
    if (s.selector.empty())
      continue; // Resolved elsewhere.
    auto name = lower_case(s.name + "." + s.ns + ".svc." + domain_);
    auto& all = addresses_[name];
    for (const auto* p : index.find_selected_pods(s)) {
      all.push_back(p->address);
      auto pod_name = lower_case(p->name) + "." + name;
      addresses_[pod_name] = {p->address};
      names_.emplace(reverse_dns_name(p->address), pod_name);
    }
  }
  for (const auto& p : pods) {
    auto name = with_dashes_for_dots(p.address) + "." + lower_case(p.ns)
                + ".pod." + domain_;
    addresses_[name] = {p.address};
    names_.emplace(reverse_dns_name(p.address), name);
  }
  const std::vector<std::string> host{subnet.bridge_address()};
  for (const auto& name : host_services)
    addresses_.emplace(lower_case(name) + ".svc." + domain_, host);
  addresses_["kubernetes.default.svc." + domain_] = host;
}

std::optional<dns_answer> dns_zone::find_answer(const dns_query& q) const {
  return ends_with(q.name, pod_addresses_end_) ? find_reverse_answer(q)
                                               : find_forward_answer(q);
}

std::optional<dns_answer>
dns_zone::find_forward_answer(const dns_query& q) const {
  auto i = addresses_.find(q.name);
  if (i == addresses_.end()) {
    // Names of one word are no business of the resolvers outside.
    if (q.name == domain_ || ends_with(q.name, "." + domain_)
        || q.name.find('.') == std::string::npos)
      return dns_answer{dns_code::no_such_name};
    return std::nullopt;
  }
  if (i->second.empty())
    return dns_answer{dns_code::server_failure};
  bool asks = q.type == static_cast<unsigned>(dns_type::a)
              || q.type == static_cast<unsigned>(dns_type::any);
  return dns_answer{dns_code::no_error,
                    asks ? i->second : std::vector<std::string>{}};
}

std::optional<dns_answer>
dns_zone::find_reverse_answer(const dns_query& q) const {
  auto i = names_.find(q.name);
  if (i == names_.end())
    return dns_answer{dns_code::no_such_name};
  return dns_answer{dns_code::no_error, {}, {i->second}};
}

} // namespace troupe::k8s::node
