#include "k8s/base64.hpp"
#include "k8s/node/files.hpp"
#include "k8s/node/host_node.hpp"
#include "k8s/node/pod_fields.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>

namespace troupe::k8s::node {

namespace {

constexpr std::chrono::milliseconds gather{5}; ///< Many changes come together.

std::map<std::string, std::string>
texts_at(const json& o, std::initializer_list<const char*> path) {
  std::map<std::string, std::string> result;
  auto* map = look(o, path);
  if (map && map->is_object())
    for (const auto& [name, value] : map->items())
      if (value.is_string())
        result[name] = value.get<std::string>();
  return result;
}

config_source_content content_of(const std::string& kind, const json& object) {
  auto data = texts_at(object, {"data"});
  if (kind == "Secret")
    for (auto& [key, value] : data)
      value = from_base64(value).value_or("");
  else
    for (const auto& [key, value] : texts_at(object, {"binaryData"}))
      data[key] = from_base64(value).value_or("");
  return data;
}

config_source_content content_in(const std::string& kind,
                                 const result<std::string>& answer) {
  if (!answer)
    return answer.error();
  auto object = parse_json(*answer);
  if (!object)
    return object.error();
  return content_of(kind, *object);
}

} // namespace

// -- names --------------------------------------------------------------------

void host_node::saw_service(const json& service) {
  names_[text_at(service, {"metadata", "uid"})] = {
      text_at(service, {"metadata", "namespace"}),
      text_at(service, {"metadata", "name"}),
      texts_at(service, {"spec", "selector"})};
  hosts_changed();
}

void host_node::lost_service(const json& service) {
  names_.erase(text_at(service, {"metadata", "uid"}));
  hosts_changed();
}

void host_node::hosts_changed() {
  if (std::exchange(hosts_due_, true))
    return;
  hosts_timer_.expires_after(gather);
  hosts_timer_.async_wait([this](boost::system::error_code error) {
    if (error)
      return;
    hosts_due_ = false;
    write_hosts();
    start_new_pods();
  });
}

void host_node::write_hosts() {
  std::vector<named_pod> pods;
  std::set<std::string> namespaces;
  for (const auto& [uid, e] : runs_) {
    const auto& pod = e.run->pod();
    const auto& ns = text_at(pod, {"metadata", "namespace"});
    namespaces.insert(ns);
    if (!e.run->status().is_terminal())
      pods.push_back({ns, e.run->sandbox().hostname, e.run->sandbox().address,
                      texts_at(pod, {"metadata", "labels"})});
  }
  std::vector<named_service> services;
  for (const auto& [uid, s] : names_)
    services.push_back(s);
  for (const auto& ns : namespaces) {
    auto text = make_hosts_file(ns, pods, services, options_.cluster_domain);
    // A full disk: names stay as they were, programs go on asking.
    if (auto bad = write_file(hosts_path(ns), text, 0600))
      continue;
  }
}

/// A pod starts when its names are known, its own among them.
void host_node::start_new_pods() {
  std::vector<std::shared_ptr<pod_run>> fresh;
  for (auto& [uid, e] : runs_)
    if (!std::exchange(e.started, true) && !e.leaving && !stopping_)
      fresh.push_back(e.run);
  for (auto& run : fresh)
    run->start();
}

// -- ConfigMaps and Secrets ---------------------------------------------------

void host_node::read_sources(const std::string& ns,
                             std::vector<config_source_name> names,
                             std::function<void(config_sources)> then) {
  struct reading {
    config_sources found;
    std::size_t left;
    std::function<void(config_sources)> then;
  };
  auto all = std::make_shared<reading>();
  all->left = names.size();
  all->then = std::move(then);
  for (const auto& name : names) {
    call_ignoring_answer(
        get({config_source_resource(name.first), ns, name.second}),
        [all, name](const result<std::string>& answer) {
          all->found.emplace(name, content_in(name.first, answer));
          if (--all->left == 0)
            all->then(std::move(all->found));
        });
  }
}

/// The volumes of pods that run follow.
void host_node::saw_source(const std::string& kind, const json& object) {
  auto content = content_of(kind, object);
  config_source_name name{kind, text_at(object, {"metadata", "name"})};
  const auto& ns = text_at(object, {"metadata", "namespace"});
  for (auto& [uid, e] : runs_)
    if (text_at(e.run->pod(), {"metadata", "namespace"}) == ns)
      e.run->update_volumes(name, content);
}

} // namespace troupe::k8s::node
