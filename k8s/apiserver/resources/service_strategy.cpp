#include "k8s/apiserver/resources/service_strategy.hpp"

#include "k8s/apiserver/base/object_metadata.hpp"

#include <set>

namespace troupe::k8s::apiserver {

namespace {

bool is_headless(const json& spec) {
  return text_at(spec, {"clusterIP"}) == "None";
}

void set_service_defaults(json& service) {
  auto& spec = ensure_object(service, "spec");
  set_default(spec, "type", "ClusterIP");
  set_default(spec, "sessionAffinity", "None");
  if (text_at(spec, {"type"}) != "ExternalName") {
    set_default(spec, "internalTrafficPolicy", "Cluster");
    set_default(spec, "ipFamilies", json::array({"IPv4"}));
    set_default(spec, "ipFamilyPolicy", "SingleStack");
  }
  if (is_headless(spec))
    set_default(spec, "clusterIPs", json::array({"None"}));
  auto ports = spec.find("ports");
  if (ports == spec.end() || !ports->is_array())
    return;
  for (auto& p : *ports) {
    if (!p.is_object())
      continue;
    set_default(p, "protocol", "TCP");
    auto port = number_at(p, {"port"}, 0);
    auto target = p.find("targetPort");
    if (target == p.end() || target->is_null() || *target == 0 || *target == "")
      p["targetPort"] = port;
  }
}

void reset_new_service_status(json& service) {
  service["status"] = {{"loadBalancer", json::object()}};
}

void validate_port_name_and_number(const json& port, const std::string& path,
                                   bool need_name, std::set<std::string>& names,
                                   field_errors& out) {
  const auto& name = text_at(port, {"name"});
  if (need_name && name.empty())
    out.push_back(required_value(path + ".name"));
  else if (!name.empty() && !names.insert(name).second)
    out.push_back(duplicate_value(path + ".name", name));
  else if (auto why = dns1123_label_error(name); !name.empty() && !why.empty())
    out.push_back(invalid_value(path + ".name", name, why));
  auto number = number_at(port, {"port"}, 0);
  if (number < 1 || number > 65535)
    out.push_back(invalid_value(path + ".port", number,
                                "must be between 1 and 65535, inclusive"));
}

field_errors validate_service(const json& service) {
  field_errors out;
  const auto& spec = service["spec"];
  const auto& type = text_at(spec, {"type"});
  if (type != "ClusterIP" && type != "ExternalName" && type != "NodePort"
      && type != "LoadBalancer")
    out.push_back(unsupported_value(
        "spec.type", type,
        {"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"}));
  auto* ports = find_value(spec, {"ports"});
  bool some = ports && ports->is_array() && !ports->empty();
  if (!some && !is_headless(spec) && type != "ExternalName")
    out.push_back(required_value("spec.ports"));
  std::set<std::string> names;
  for (std::size_t i = 0; some && i < ports->size(); ++i)
    validate_port_name_and_number((*ports)[i],
                                  "spec.ports[" + std::to_string(i) + "]",
                                  ports->size() > 1, names, out);
  return out;
}

field_errors validate_service_update(const json& service, const json& old) {
  const auto& before = text_at(old, {"spec", "clusterIP"});
  const auto& after = text_at(service, {"spec", "clusterIP"});
  if (before.empty() || before == after
      || text_at(service, {"spec", "type"}) == "ExternalName")
    return {};
  return {invalid_value("spec.clusterIPs[0]", after,
                        "primary clusterIP can not "
                        "be changed")};
}

} // namespace

write_strategy service_strategy() {
  return {set_service_defaults, reset_new_service_status, nullptr,
          validate_service,     validate_service_update,  nullptr};
}

} // namespace troupe::k8s::apiserver
