#include "tests/k8s/node/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>
#include <unistd.h>

using namespace troupe::k8s;
using namespace troupe::k8s::node;

namespace {

json waiting_or(const json& pod, const char* state) {
  auto c = container(pod);
  auto* s = find_value(c, {"state", state});
  return s ? *s : json();
}

bool has_condition(const json& pod, const char* type, const char* status) {
  auto* list = find_value(pod, {"status", "conditions"});
  for (const auto& c : list ? *list : json::array())
    if (text_at(c, {"type"}) == type)
      return text_at(c, {"status"}) == status;
  return false;
}

int number_in(const std::string& path) {
  int n = 0;
  std::ifstream(path) >> n;
  return n;
}

/// Fails every second call and ends every watch at its first event.
class moody_api : public api {
public:
  explicit moody_api(std::shared_ptr<api> behind)
      : behind_(std::move(behind)) {}

  void send(request r, std::chrono::milliseconds limit,
            std::function<void(result<std::string>)> done) override {
    if (++calls_ % 2 == 1)
      done(failure{ec::unreachable, "not in the mood"});
    else
      behind_->send(std::move(r), limit, std::move(done));
  }

  std::unique_ptr<watch_session>
  watch(request r, std::chrono::milliseconds idle, watch_sink sink) override {
    auto over = std::make_shared<bool>(false);
    auto bytes = sink.bytes;
    sink.bytes = [over, bytes, ended = sink.ended](std::string_view piece) {
      if (std::exchange(*over, true))
        return;
      bytes(piece);
      ended(failure{ec::unreachable, "not in the mood"});
    };
    return behind_->watch(std::move(r), idle, std::move(sink));
  }

private:
  std::shared_ptr<api> behind_;
  std::atomic<int> calls_{0};
};

} // namespace

BOOST_AUTO_TEST_CASE(a_pod_ends_as_its_program_does) {
  struct {
    const char* script;
    const char* phase;
    int code;
    int signal;
    const char* reason;
  } rows[] = {
      {"exit 0", "Succeeded", 0, 0, "Completed"},
      {"exit 3", "Failed", 3, 0, "Error"},
      {"kill -9 $$$$", "Failed", 137, 9, "Error"},
      {"kill -TERM $$$$; sleep 60", "Failed", 143, 15, "Error"},
  };
  node_fixture l;
  int i = 0;
  for (const auto& row : rows) {
    auto name = "pod-" + std::to_string(i++);
    BOOST_TEST_CONTEXT(row.script) {
      l.create(node_fixture::pod(name, row.script));
      auto p = l.wait_for_phase(name, row.phase);
      auto end = waiting_or(p, "terminated");
      BOOST_TEST(number_at(end, {"exitCode"}, -1) == row.code);
      BOOST_TEST(number_at(end, {"signal"}) == row.signal);
      BOOST_TEST(text_at(end, {"reason"}) == row.reason);
      BOOST_TEST(has_condition(p, "PodScheduled", "True"));
      BOOST_TEST(has_condition(p, "Initialized", "True"));
      BOOST_TEST(has_condition(p, "Ready", "False"));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_running_pod_is_ready_and_has_an_address) {
  node_fixture l;
  l.create(node_fixture::pod("server", "sleep 600"));
  auto p = l.wait_for_phase("server", "Running");
  BOOST_TEST(has_condition(p, "Ready", "True"));
  BOOST_TEST(has_condition(p, "ContainersReady", "True"));
  BOOST_TEST(text_at(p, {"spec", "nodeName"}) == "laptop");
  BOOST_TEST(text_at(p, {"status", "podIP"}).rfind("127.", 0) == 0u);
  BOOST_TEST(text_at(p, {"status", "hostIP"}) == "127.0.0.1");
  BOOST_TEST(!text_at(p, {"status", "startTime"}).empty());
  BOOST_TEST(!waiting_or(p, "running").is_null());
}

BOOST_AUTO_TEST_CASE(a_pod_that_cannot_run_says_why) {
  struct {
    const char* change; ///< A merge patch of the container.
    const char* reason;
    const char* message;
  } rows[] = {
      {R"({"volumeMounts":[{"name":"disk","mountPath":"/disk"}]})",
       "UnsupportedVolume",
       "volume \"disk\" cannot be mounted at /disk: this "
       "node has no nfs"},
      {R"({"command":null})", "NoCommand", "no image is pulled here"},
      {R"({"workingDir":"/no/such/place"})", "NoWorkingDirectory",
       "workingDir /no/such/place is no directory"},
      {R"({"env":[{"name":"A","valueFrom":
          {"fieldRef":{"fieldPath":"status.moon"}}}]})",
       "CreateContainerConfigError", "unsupported fieldPath: status.moon"},
  };
  node_fixture l;
  int i = 0;
  for (const auto& row : rows) {
    auto name = "pod-" + std::to_string(i++);
    BOOST_TEST_CONTEXT(row.change) {
      auto p = node_fixture::pod(name, "exit 0");
      p["spec"]["volumes"] =
          json::array({{{"name", "disk"}, {"nfs", {{"path", "/"}}}}});
      p["spec"]["containers"][0].merge_patch(json::parse(row.change));
      l.create(p);
      p = l.wait_for_phase(name, "Failed");
      BOOST_TEST(text_at(p, {"status", "reason"}) == row.reason);
      const auto& text = text_at(p, {"status", "message"});
      BOOST_TEST(text.find(row.message) != std::string::npos, text);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_missing_program_is_a_start_error) {
  node_fixture l;
  auto p = node_fixture::pod("lost", "");
  p["spec"]["containers"][0]["command"] = {"no-such"};
  l.create(p);
  p = l.wait_for_phase("lost", "Failed");
  auto end = waiting_or(p, "terminated");
  BOOST_TEST(text_at(end, {"reason"}) == "StartError");
  BOOST_TEST(number_at(end, {"exitCode"}) == 128);
  BOOST_TEST(text_at(end, {"message"})
             == "exec: \"no-such\": not found in $PATH");
  BOOST_TEST(l.log("lost") == "exec: \"no-such\": not found in $PATH\n");
}

BOOST_AUTO_TEST_CASE(init_containers_run_one_after_the_other_and_first) {
  node_fixture l;
  auto file = l.directory() + "/order";
  auto p = node_fixture::pod("app", "echo main >> " + file);
  for (auto name : {"one", "two"}) {
    json c{{"name", name}, {"image", "none"}};
    c["command"] = {"bash", "-c",
                    std::string{"sleep 0.05; echo "} + name + " >> " + file};
    p["spec"]["initContainers"].push_back(c);
  }
  l.create(p);
  p = l.wait_for_phase("app", "Succeeded");
  std::ifstream in(file);
  std::string all{std::istreambuf_iterator<char>(in), {}};
  BOOST_TEST(all == "one\ntwo\nmain\n");
  auto first = container(p, 0, "initContainerStatuses");
  BOOST_TEST(number_at(first, {"state", "terminated", "exitCode"}, -1) == 0);
}

BOOST_AUTO_TEST_CASE(sidecars_run_beside_the_others_and_end_after_them) {
  node_fixture l;
  auto file = l.directory() + "/order";
  auto say = [&](const std::string& word) {
    return "echo " + word + " >> " + file + "; ";
  };
  auto container_of = [](const char* name, const std::string& script) {
    json c{{"name", name}, {"image", "none"}};
    c["command"] = {"bash", "-c", script};
    return c;
  };
  auto sidecar = [&](const char* name) {
    std::string word = name;
    auto c =
        container_of(name, "trap '" + say(word + "-ends") + "exit 0' TERM; "
                               + say(word) + "while :; do sleep 0.02; done");
    c["restartPolicy"] = "Always";
    return c;
  };
  auto until = [&](const char* word) {
    return std::string{"until grep -q "} + word + " " + file
           + "; do sleep 0.02; done; ";
  };
  auto p = node_fixture::pod("app", say("main") + "exit 3");
  p["spec"]["initContainers"] = {
      sidecar("one"), container_of("prep", until("one") + say("prep")),
      sidecar("two"), container_of("last", until("two") + "exit 0")};
  l.create(p);
  p = l.wait_for_phase("app", "Failed");
  std::ifstream in(file);
  std::string all{std::istreambuf_iterator<char>(in), {}};
  BOOST_TEST(all == "one\nprep\ntwo\nmain\ntwo-ends\none-ends\n");
  auto first = container(p, 0, "initContainerStatuses");
  BOOST_TEST(number_at(first, {"state", "terminated", "exitCode"}, -1) == 0);
  BOOST_TEST(number_at(first, {"restartCount"}) == 0);
}

BOOST_AUTO_TEST_CASE(a_sidecar_is_started_again_and_ends_with_its_pod) {
  node_fixture l;
  auto once = l.directory() + "/once";
  auto p = node_fixture::pod("app", "until test -e " + once
                                        + "; do sleep 0.02; done; sleep 600");
  json c{{"name", "side"}, {"image", "none"}, {"restartPolicy", "Always"}};
  c["command"] = {"bash", "-c",
                  "test -e " + once + " && sleep 600; touch " + once};
  p["spec"]["initContainers"] = json::array({c});
  l.create(p);
  p = l.wait("app", [](const json& now) {
    auto side = container(now, 0, "initContainerStatuses");
    return number_at(side, {"restartCount"}) == 1 && bool_at(side, {"ready"})
           && has_condition(now, "Ready", "True");
  });
  auto pid_text =
      text_at(container(p, 0, "initContainerStatuses"), {"containerID"});
  auto pid = std::stoi(pid_text.substr(pid_text.rfind('/') + 1));
  BOOST_TEST(is_running(pid));
  l.remove("app", 1);
  l.wait("app", [](const json& now) { return now.is_null(); });
  BOOST_TEST(!is_running(pid));
}

BOOST_AUTO_TEST_CASE(another_user_is_warned_of) {
  node_fixture l;
  auto p = node_fixture::pod("app", "exit 0");
  p["spec"]["containers"][0]["securityContext"]["runAsUser"] = 4242;
  l.create(p);
  l.wait_for_phase("app", "Succeeded");
  l.wait_for_event("IgnoredHere", "securityContext.runAsUser (containers run");
}

BOOST_AUTO_TEST_CASE(a_failed_init_container_fails_the_pod_or_is_repeated) {
  node_fixture l;
  auto once = l.directory() + "/once";
  struct {
    const char* name;
    const char* policy;
    std::string script;
    const char* phase;
    int restarts;
  } rows[] = {
      {"never", "Never", "exit 4", "Failed", 0},
      {"again", "OnFailure",
       "test -e " + once + " || { touch " + once + "; exit 1; }", "Succeeded",
       1},
  };
  for (const auto& row : rows)
    BOOST_TEST_CONTEXT(row.name) {
      auto p = node_fixture::pod(row.name, "exit 0");
      p["spec"]["restartPolicy"] = row.policy;
      json c{{"name", "init"}, {"image", "none"}};
      c["command"] = {"bash", "-c", row.script};
      p["spec"]["initContainers"] = json::array({c});
      l.create(p);
      p = l.wait_for_phase(row.name, row.phase);
      auto init = container(p, 0, "initContainerStatuses");
      BOOST_TEST(number_at(init, {"restartCount"}) == row.restarts);
    }
}

BOOST_AUTO_TEST_CASE(a_crashing_container_is_started_again_with_back_off) {
  node_fixture l;
  auto count = l.directory() + "/count";
  auto p = node_fixture::pod("crash", "echo x >> " + count + "; test $(wc -l < "
                                          + count + ") -ge 4");
  p["spec"]["restartPolicy"] = "OnFailure";
  l.create(p);
  p = l.wait_for_phase("crash", "Succeeded");
  auto c = container(p);
  BOOST_TEST(number_at(c, {"restartCount"}) == 3);
  BOOST_TEST(number_at(c, {"lastState", "terminated", "exitCode"}) == 1);
}

BOOST_AUTO_TEST_CASE(a_container_in_back_off_waits_and_the_pod_runs) {
  node_fixture l(
      [](node_options& o) { o.back_off_base = std::chrono::hours{1}; });
  auto p = node_fixture::pod("crash", "exit 1");
  p["spec"]["restartPolicy"] = "Always";
  l.create(p);
  p = l.wait("crash", [](const json& now) {
    return text_at(waiting_or(now, "waiting"), {"reason"})
           == "CrashLoopBackOff";
  });
  BOOST_TEST(text_at(p, {"status", "phase"}) == "Running");
  BOOST_TEST(number_at(container(p), {"restartCount"}) == 1);
  BOOST_TEST(has_condition(p, "Ready", "False"));
}

BOOST_AUTO_TEST_CASE(a_config_map_may_come_later) {
  node_fixture l;
  auto p = node_fixture::pod("reader", "echo \"$A $B\"");
  p["spec"]["containers"][0]["env"] = json::parse(R"([
    {"name":"A","valueFrom":{"configMapKeyRef":{"name":"m","key":"a"}}},
    {"name":"B","valueFrom":{"secretKeyRef":{"name":"s","key":"b"}}}])");
  l.create(p);
  p = l.wait("reader", [](const json& now) {
    return text_at(waiting_or(now, "waiting"), {"reason"})
           == "CreateContainerConfigError";
  });
  BOOST_TEST(text_at(p, {"status", "phase"}) == "Pending");
  l.create(json::parse(R"({"apiVersion":"v1","kind":"ConfigMap",
    "metadata":{"name":"m"},"data":{"a":"one"}})"));
  l.create(json::parse(R"({"apiVersion":"v1","kind":"Secret",
    "metadata":{"name":"s"},"data":{"b":"dHdv"}})"));
  l.wait_for_phase("reader", "Succeeded");
  BOOST_TEST(l.log("reader") == "one two\n");
}

BOOST_AUTO_TEST_CASE(a_deleted_pod_has_its_grace) {
  node_fixture l;
  l.create(
      node_fixture::pod("polite", "trap 'echo bye >> " + l.directory()
                                      + "/bye; exit 0' TERM; echo up; "
                                        "while true; do sleep 0.05; done"));
  l.wait_for_log("polite", "up");
  l.remove("polite", 30);
  l.wait("polite", [](const json& p) { return p.is_null(); });
  BOOST_TEST(::access((l.directory() + "/bye").c_str(), F_OK) == 0);
}

BOOST_AUTO_TEST_CASE(a_stubborn_pod_is_killed_after_its_grace) {
  node_fixture l;
  auto file = l.directory() + "/pid";
  l.create(
      node_fixture::pod("stubborn", "trap '' TERM; echo $$$$ > " + file
                                        + "; echo up; while true; do sleep 1; "
                                          "done"));
  l.wait_for_log("stubborn", "up");
  auto pid = number_in(file);
  BOOST_TEST(is_running(pid));
  l.remove("stubborn", 1);
  l.wait("stubborn", [](const json& p) { return p.is_null(); });
  BOOST_TEST(!is_running(pid));
}

BOOST_AUTO_TEST_CASE(a_pod_past_its_deadline_fails) {
  node_fixture l;
  auto p = node_fixture::pod("slow", "sleep 600");
  p["spec"]["activeDeadlineSeconds"] = 1;
  l.create(p);
  p = l.wait_for_phase("slow", "Failed");
  BOOST_TEST(text_at(p, {"status", "reason"}) == "DeadlineExceeded");
}

BOOST_AUTO_TEST_CASE(another_schedulers_pod_stays_pending_and_says_why) {
  node_fixture l;
  auto p = node_fixture::pod("gang", "exit 0");
  p["spec"]["schedulerName"] = "volcano";
  l.create(p);
  p = l.wait("gang", [](const json& now) {
    return has_condition(now, "PodScheduled", "False");
  });
  auto message = text_at(p["status"]["conditions"][0], {"message"});
  BOOST_TEST(message.find("\"volcano\"") != std::string::npos, message);
  BOOST_TEST(text_at(p, {"status", "phase"}) == "Pending");
}

BOOST_AUTO_TEST_CASE(pods_beyond_the_limit_wait_for_room) {
  node_fixture l([](node_options& o) { o.max_pods = 1; });
  auto go = l.directory() + "/go";
  l.create(node_fixture::pod("first",
                             "until test -e " + go + "; do sleep 0.02; done"));
  l.wait_for_phase("first", "Running");
  l.create(node_fixture::pod("second", "exit 0"));
  l.wait("second", [](const json& now) {
    return has_condition(now, "PodScheduled", "False");
  });
  std::ofstream{go};
  l.wait_for_phase("second", "Succeeded");
}

BOOST_AUTO_TEST_CASE(pods_share_out_the_gpus) {
  node_fixture l([](node_options& o) { o.gpus = {0, 3}; });
  auto pod = [](const std::string& name, const char* gpus,
                const std::string& script) {
    auto out = node_fixture::pod(name, script);
    out["spec"]["containers"][0]["resources"] = {
        {"limits", {{"nvidia.com/gpu", gpus}}}};
    return out;
  };
  auto go = l.directory() + "/go";
  l.create(pod("one", "1",
               "echo gpu=$CUDA_VISIBLE_DEVICES; until test -e " + go
                   + "; do sleep 0.02; done"));
  l.wait_for_log("one", "gpu=0\n");
  l.create(pod("both", "2", "echo gpus=$CUDA_VISIBLE_DEVICES"));
  l.wait("both", [](const json& now) {
    return has_condition(now, "PodScheduled", "False");
  });
  l.wait_for_event("FailedScheduling", "Insufficient nvidia.com/gpu");
  l.create(pod("other", "1", "echo gpu=$CUDA_VISIBLE_DEVICES"));
  l.wait_for_log("other", "gpu=3\n");
  std::ofstream{go};
  l.wait_for_log("both", "gpus=0,3\n");
  l.create(pod("never", "3", "exit 0"));
  auto failed = l.wait_for_phase("never", "Failed");
  BOOST_TEST(text_at(failed, {"status", "reason"}) == "InsufficientGPUs");
}

BOOST_AUTO_TEST_CASE(without_gpus_pods_run_without) {
  node_fixture l;
  auto pod = node_fixture::pod("a", "echo gpus=${CUDA_VISIBLE_DEVICES-none}");
  pod["spec"]["containers"][0]["resources"] = {
      {"limits", {{"nvidia.com/gpu", 2}}}};
  l.create(pod);
  l.wait_for_phase("a", "Succeeded");
  l.wait_for_event("NoSuchDevices", "2 nvidia.com/gpu");
}

BOOST_AUTO_TEST_CASE(nothing_is_left_when_the_node_stops) {
  node_fixture l;
  auto file = l.directory() + "/pids";
  // A child, and one that went its own way.
  l.create(
      node_fixture::pod("family", "trap '' TERM; sleep 600 & echo $! >> " + file
                                      + "; setsid sleep 600 & sleep 0.1; echo "
                                        "$! >> "
                                      + file + "; echo $$$$ >> " + file
                                      + "; echo up; wait; wait"));
  l.wait_for_log("family", "up");
  l.running_node().stop();
  std::ifstream in(file);
  int pid = 0;
  int seen = 0;
  for (; in >> pid; ++seen)
    BOOST_TEST(!is_running(pid));
  BOOST_TEST(seen == 3);
  BOOST_TEST(l.log("family") == "no log: the node has ended");
}

BOOST_AUTO_TEST_CASE(a_node_that_cannot_work_says_why) {
  scratch_directory d;
  std::ofstream{d.path() + "/file"};
  struct {
    std::string directory;
    const char* part;
  } rows[] = {
      {"", "needs a run directory"},
      {d.path() + "/a b", "neither blanks nor colons"},
      {d.path() + "/file/run", "/file: Not a directory"},
  };
  for (const auto& row : rows) {
    node_options o;
    o.run_directory = row.directory;
    auto n = start_node(nullptr, o);
    BOOST_REQUIRE(!n);
    BOOST_TEST(n.error().message.find(row.part) != std::string::npos,
               n.error().message);
  }
}

BOOST_AUTO_TEST_CASE(a_moody_api_server_only_takes_longer) {
  node_fixture l([](node_options&) {},
                 [](std::shared_ptr<api> a) {
                   return std::make_shared<moody_api>(std::move(a));
                 });
  l.create(node_fixture::pod("app", "exit 0"));
  l.wait_for_phase("app", "Succeeded");
}

BOOST_AUTO_TEST_CASE(many_pods_run_at_once) {
  node_fixture l;
  constexpr int count = 100;
  auto name = [](int i) { return "pod-" + std::to_string(i); };
  auto go = l.directory() + "/go";
  for (int i = 0; i < count; ++i)
    l.create(node_fixture::pod(name(i),
                               "until test -e " + go + "; do sleep 0.5; done"));
  std::set<std::string> addresses;
  for (int i = 0; i < count; ++i)
    addresses.insert(
        text_at(l.wait_for_phase(name(i), "Running"), {"status", "podIP"}));
  BOOST_TEST(addresses.size() == std::size_t{count});
  std::ofstream{go};
  for (int i = 0; i < count; ++i)
    l.wait_for_phase(name(i), "Succeeded");
}

BOOST_AUTO_TEST_CASE(directories_may_be_relative_or_left_out) {
  scratch_directory d;
  auto here = std::filesystem::current_path();
  node_fixture l([&](node_options& o) {
    o.run_directory = std::filesystem::relative(d.path(), here).string();
    o.work_directory.clear();
  });
  l.create(node_fixture::pod("app", "pwd; cd /; hostname"));
  l.wait_for_phase("app", "Succeeded");
  BOOST_TEST(l.log("app") == here.string() + "\napp\n");
}
