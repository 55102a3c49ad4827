#include "tests/k8s/node/node_fixture.hpp"

#include "k8s/calls.hpp"

#include <boost/test/unit_test.hpp>

#include <fstream>
#include <future>
#include <thread>

namespace troupe::k8s::node {

using namespace std::chrono_literals;

namespace {

constexpr auto time_limit = 60s;

template <class T>
void require(const result<T>& r) {
  if (!r)
    BOOST_FAIL(r.error().message);
}

const resource& type_of(const std::string& kind) {
  static const resource config_maps{"", "v1", "configmaps", "ConfigMap"};
  static const resource accounts{"", "v1", "serviceaccounts", "ServiceAccount"};
  static const resource secrets{"", "v1", "secrets", "Secret"};
  return kind == "Pod"              ? resources::pods
         : kind == "Service"        ? resources::services
         : kind == "ConfigMap"      ? config_maps
         : kind == "ServiceAccount" ? accounts
                                    : secrets;
}

} // namespace

node_fixture::node_fixture(const std::function<void(node_options&)>& change,
                           const wrapper& wrap) {
  auto plane =
      apiserver::start_control_plane(apiserver::control_plane_options{});
  require(plane);
  plane_ = std::move(*plane);
  api_ = plane_->make_local_api();
  node_options options;
  options.run_directory = directory_.path() + "/run";
  options.work_directory = directory_.path();
  options.back_off_base = 20ms;
  change(options);
  auto started = start_node(wrap(api_), options);
  require(started);
  node_ = *started;
}

node_fixture::~node_fixture() {
  node_->stop();
}

json node_fixture::pod(const std::string& name, const std::string& script) {
  json main{
      {"name", "main"}, {"image", "none"}, {"command", {"bash", "-c", script}}};
  return {
      {"apiVersion", "v1"},
      {"kind", "Pod"},
      {"metadata",
       {{"name", name}, {"namespace", "default"}, {"labels", {{"app", name}}}}},
      {"spec",
       {{"restartPolicy", "Never"}, {"containers", json::array({main})}}}};
}

result<std::string> node_fixture::call(request r) {
  std::promise<result<std::string>> answer;
  api_->send(std::move(r), time_limit,
             [&](result<std::string> a) { answer.set_value(std::move(a)); });
  return answer.get_future().get();
}

void node_fixture::create(const json& object) {
  auto answer = call(k8s::create(type_of(text_at(object, {"kind"})), "default",
                                 to_text(object)));
  require(answer);
}

void node_fixture::patch(const std::string& kind, const std::string& name,
                         const json& merge) {
  auto answer =
      call(merge_patch({type_of(kind), "default", name}, to_text(merge)));
  require(answer);
}

void node_fixture::wait_for_event(const std::string& reason,
                                  const std::string& part) {
  std::string all;
  bool came = eventually([&] {
    auto answer =
        call(k8s::list({resources::events, "default", "", ""}, 0, ""));
    require(answer);
    all = *answer;
    auto list = parse_json(all);
    for (const auto& e : (*list)["items"])
      if (text_at(e, {"reason"}) == reason
          && text_at(e, {"message"}).find(part) != std::string::npos)
        return true;
    return false;
  });
  BOOST_REQUIRE_MESSAGE(came,
                        "no event " << reason << " " << part << " in " << all);
}

std::map<std::string, resource_usage>
node_fixture::measure_usage(const std::string& pod) {
  std::promise<node_usage> measured;
  node_->measure_usage(
      [&](node_usage used) { measured.set_value(std::move(used)); });
  std::map<std::string, resource_usage> out;
  for (const auto& p : measured.get_future().get().pods)
    if (p.name == pod)
      for (const auto& c : p.containers)
        out[c.name] = c.used;
  return out;
}

void node_fixture::remove(const std::string& pod, int grace) {
  auto answer = call(k8s::remove({resources::pods, "default", pod}, "", grace));
  require(answer);
}

json node_fixture::get(const std::string& pod) {
  auto answer = call(k8s::get({resources::pods, "default", pod}));
  if (!answer)
    return {};
  auto object = parse_json(*answer);
  BOOST_REQUIRE(object);
  return *object;
}

bool eventually(const std::function<bool()>& condition) {
  auto end = std::chrono::steady_clock::now() + time_limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end)
      return false;
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

json node_fixture::wait(const std::string& pod,
                        const std::function<bool(const json&)>& condition) {
  json now;
  bool came = eventually([&] {
    now = get(pod);
    return condition(now);
  });
  BOOST_REQUIRE_MESSAGE(came, pod << " is " << now.dump(1));
  return now;
}

json node_fixture::wait_for_phase(const std::string& pod,
                                  const std::string& phase) {
  return wait(pod, [&](const json& p) {
    return text_at(p, {"status", "phase"}) == phase;
  });
}

std::string node_fixture::log(const std::string& pod,
                              const std::string& container,
                              const log_options& options) {
  std::string text;
  std::promise<void> over;
  auto cancel = node_->stream_log("default", pod, container, options,
                                  {[&](const std::string& piece) {
                                     text += piece;
                                     return true;
                                   },
                                   [&](const result<nothing>& how) {
                                     if (!how)
                                       text += "no log: " + how.error().message;
                                     over.set_value();
                                   }});
  over.get_future().wait();
  return text;
}

std::string node_fixture::wait_for_log(const std::string& pod,
                                       const std::string& text) {
  std::string all;
  bool came = eventually([&] {
    all = log(pod);
    return all.find(text) != std::string::npos;
  });
  BOOST_REQUIRE_MESSAGE(came, pod << " says " << all);
  return all;
}

bool is_running(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  auto end = text.rfind(") ");
  return end != std::string::npos && text[end + 2] != 'Z';
}

json container(const json& pod, std::size_t i, const char* list) {
  auto* all = find_value(pod, {"status", list});
  return all && all->is_array() && i < all->size() ? (*all)[i] : json();
}

} // namespace troupe::k8s::node
