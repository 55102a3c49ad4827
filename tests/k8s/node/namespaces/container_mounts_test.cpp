#include "k8s/node/base/open_in_root.h"
#include "k8s/node/namespaces/container_mounts.hpp"
#include "tests/fixtures/scratch_directory.hpp"
#include "tests/k8s/node/namespaces/sample_sandbox.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <filesystem>

using namespace troupe::k8s;
using namespace troupe::k8s::node;

BOOST_AUTO_TEST_SUITE(container_mounts_test)

namespace {

pod_sandbox sandbox_with_namespaces() {
  auto s = sandbox();
  s.address = "10.244.1.0";
  s.work_directory = "/home/me/job";
  s.volumes_directory = "/run-dir/volumes/u";
  auto& n = s.namespaces;
  n.cluster_domain = "x.y";
  n.run_directory = "/run-dir";
  n.visible_directories = {"/run-dir/tools"};
  n.root_directory = "/run-dir/root";
  n.tmp_directory = "/run-dir/scratch/u";
  n.shm_directory = "/run-dir/shm/u";
  n.working_dir_overlays = "/run-dir/work/u";
  return s;
}

std::vector<std::string> lines(const json& p, const json& c,
                               const pod_sandbox& s) {
  std::vector<std::string> out;
  for (const auto& m : make_container_mounts(p, c, s))
    out.push_back(m.how + " " + m.target + " " + m.source
                  + (m.part.empty() ? "" : " part " + m.part));
  return out;
}

bool has(const std::vector<std::string>& all, const std::string& line) {
  return std::find(all.begin(), all.end(), line) != all.end();
}

/// Whether both are there, in this order.
bool order(const std::vector<std::string>& all, const std::string& one,
           const std::string& two) {
  return has(all, two)
         && std::find(all.begin(), std::find(all.begin(), all.end(), two), one)
                != std::find(all.begin(), all.end(), two);
}

} // namespace

BOOST_AUTO_TEST_CASE(a_container_has_directories_of_its_own) {
  json c{{"name", "c"}};
  auto all = lines(pod, c, sandbox_with_namespaces());
  BOOST_TEST(has(all, "bind /tmp /run-dir/scratch/u/c"));
  BOOST_TEST(has(all, "bind /dev/shm /run-dir/shm/u"));
  BOOST_TEST(has(all, "empty /run-dir "));
  BOOST_TEST(has(all, "bind-ro /run-dir/tools /run-dir/tools"));
  BOOST_TEST(has(all, "text /etc/hostname host\n"));
  BOOST_TEST(has(all, "overlay /home/me/job /run-dir/work/u/c"));
}

BOOST_AUTO_TEST_CASE(the_file_for_termination_messages_is_mounted_last) {
  auto s = sandbox_with_namespaces();
  s.isolation = isolation_kind::namespaces;
  s.termination_directory = "/run-dir/messages/u";
  json c{{"name", "c"}, {"terminationMessagePath", "/dev/termination-log"}};
  BOOST_TEST(order(lines(pod, c, s), "bind /dev/shm /run-dir/shm/u",
                   "bind-if-possible /dev/termination-log "
                   "/run-dir/messages/u/c"));
  c["terminationMessagePath"] = "/tmp/why";
  BOOST_TEST(order(lines(pod, c, s), "bind /tmp /run-dir/scratch/u/c",
                   "bind /tmp/why /run-dir/messages/u/c"));
}

BOOST_AUTO_TEST_CASE(a_working_directory_below_tmp_is_shown_there) {
  auto s = sandbox_with_namespaces();
  s.work_directory = "/tmp/job";
  json c{{"name", "c"}};
  auto all = lines(pod, c, s);
  BOOST_TEST(
      order(all, "bind /tmp /run-dir/scratch/u/c", "bind /tmp/job /tmp/job"));
  BOOST_TEST(order(all, "bind /tmp/job /tmp/job",
                   "overlay /tmp/job /run-dir/work/u/c"));
  s.work_directory = "/";
  BOOST_TEST(!has(lines(pod, c, s), "overlay / /run-dir/work/u/c"));
}

BOOST_AUTO_TEST_CASE(a_working_directory_that_is_written_has_no_overlay) {
  auto s = sandbox_with_namespaces();
  s.is_work_directory_written = true;
  json c{{"name", "c"}};
  auto all = lines(pod, c, s);
  BOOST_TEST(has(all, "bind /home/me/job /home/me/job"));
  BOOST_TEST(!has(all, "overlay /home/me/job /run-dir/work/u/c"));
  s.work_directory = "/tmp";
  BOOST_TEST(order(lines(pod, c, s), "bind /tmp /run-dir/scratch/u/c",
                   "bind /tmp /tmp"));
  s.work_directory = "/";
  BOOST_TEST(!has(lines(pod, c, s), "bind / /"));
}

BOOST_AUTO_TEST_CASE(a_working_directory_may_be_one_that_containers_have) {
  for (const std::string path : {"/tmp", "/run", "/dev/shm", "/dev/shm/job"}) {
    auto s = sandbox_with_namespaces();
    s.work_directory = path;
    json c{{"name", "c"}};
    auto all = lines(pod, c, s);
    auto shown = "bind " + path + " " + path;
    BOOST_TEST(order(all, shown, "overlay " + path + " /run-dir/work/u/c"));
    if (path == "/tmp")
      BOOST_TEST(order(all, "bind /tmp /run-dir/scratch/u/c", shown));
    BOOST_TEST(find_private_directory_at(path)
               == (path == "/dev/shm/job" ? "" : path));
  }
  auto s = sandbox_with_namespaces();
  s.work_directory = "/tmpdir";
  BOOST_TEST(!has(lines(pod, json{{"name", "c"}}, s), "bind /tmpdir /tmpdir"));
}

BOOST_AUTO_TEST_CASE(hidden_directories_are_seen_by_no_path) {
  auto s = sandbox_with_namespaces();
  s.namespaces.hidden_directories = {"/srv/data"};
  s.namespaces.claims_directory = "/srv/data/claims";
  const auto ns = text_at(pod, {"metadata", "namespace"});
  auto mounts = [&](const std::string& host_path) {
    json with_volume = pod;
    with_volume["spec"]["volumes"] = {
        {{"name", "v"}, {"hostPath", {{"path", host_path}}}}};
    json c{{"name", "c"},
           {"volumeMounts", {{{"name", "v"}, {"mountPath", "/in"}}}}};
    return lines(with_volume, c, s);
  };
  auto all = mounts("/srv");
  BOOST_TEST(has(all, "empty /srv/data "));
  BOOST_TEST(order(all, "bind /in /srv", "empty /in/data "));
  all = mounts("/");
  BOOST_TEST(order(all, "bind /in /", "empty /in/srv/data "));
  BOOST_TEST(has(all, "empty /in/run-dir "));
  for (auto inside : {"/srv/data", "/srv/data/token", "/srv/data/claims",
                      "/srv/x/../data", "/run-dir", "/run-dir/pods"})
    BOOST_TEST(has(mounts(inside), "empty /in "), inside);
  // A claim is a volume.
  all = mounts("/srv/data/claims/" + ns + "/c");
  BOOST_TEST(has(all, "bind /in /srv/data/claims/" + ns + "/c"));
  BOOST_TEST(has(mounts("/srv/data/claims/other/c"), "empty /in "));
  all = mounts("/srv/database");
  BOOST_TEST(has(all, "bind /in /srv/database"));
  BOOST_TEST(!has(all, "empty /in "));
}

BOOST_AUTO_TEST_CASE(links_are_followed_once_when_they_are_looked_at) {
  namespace fs = std::filesystem;
  troupe::fixtures::scratch_directory scratch;
  const auto top = fs::canonical(scratch.path());
  fs::create_directories(top / "data" / "v2");
  fs::create_directories(top / "secret" / "token");
  fs::create_symlink("data", top / "link");
  fs::create_symlink("v2", top / "data" / "latest");
  fs::create_symlink("/secret", top / "rooted");
  fs::create_symlink((top / "secret").string(), top / "data" / "out");
  auto s = sandbox_with_namespaces();
  s.namespaces.hidden_directories = {(top / "secret").string()};
  auto mount = [&](const fs::path& path, const char* part) {
    json p = pod;
    p["spec"]["volumes"] = {
        {{"name", "v"}, {"hostPath", {{"path", path.string()}}}}};
    json c{{"name", "c"},
           {"volumeMounts",
            {{{"name", "v"}, {"mountPath", "/in"}, {"subPath", part}}}}};
    for (const auto& line : lines(p, c, s))
      if (line.find(" /in ") != std::string::npos)
        return line;
    return std::string{};
  };
  const auto data = (top / "data").string();
  BOOST_TEST(mount(top / "link", "") == "bind /in " + data);
  BOOST_TEST(mount(top / "link", "latest") == "bind /in " + data + " part v2");
  BOOST_TEST(mount(top / "link", "./") == "bind /in " + data);
  // In the volume it leads nowhere, and what is not there is not mounted.
  BOOST_TEST(mount(top / "link", "out") == "bind /in " + data + " part out");
  BOOST_TEST(open_exactly(data.c_str(), "out") < 0);
  BOOST_TEST(mount(data + "/out", "") == "empty /in ");
  // The volume is the root of its links.
  BOOST_TEST(mount(top, "rooted/token") == "empty /in ");
}

BOOST_AUTO_TEST_CASE(a_hidden_directory_may_be_around_where_containers_work) {
  auto s = sandbox_with_namespaces();
  json c{{"name", "c"}};
  s.namespaces.hidden_directories = {"/home/me/job/data"};
  BOOST_TEST(order(lines(pod, c, s), "overlay /home/me/job /run-dir/work/u/c",
                   "empty /home/me/job/data "));
  s.namespaces.hidden_directories = {"/home/me"};
  BOOST_TEST(!has(lines(pod, c, s), "empty /home/me "));
  s.namespaces.hidden_directories = {"/tmp/data"}; // There is nothing.
  BOOST_TEST(!has(lines(pod, c, s), "empty /tmp/data "));
  s.work_directory = "/tmp";
  BOOST_TEST(has(lines(pod, c, s), "empty /tmp/data "));
}

BOOST_AUTO_TEST_CASE(one_directory_may_be_inside_the_other) {
  auto s = sandbox_with_namespaces();
  json c{{"name", "c"}};
  const std::string run = "empty /run-dir ";
  s.work_directory = "/run-dir/job";
  BOOST_TEST(
      order(lines(pod, c, s), run, "overlay /run-dir/job /run-dir/work/u/c"));
  s = sandbox_with_namespaces();
  s.namespaces.run_directory = "/home/me/job/run";
  BOOST_TEST(order(lines(pod, c, s), "overlay /home/me/job /run-dir/work/u/c",
                   "empty /home/me/job/run "));
}

BOOST_AUTO_TEST_CASE(parents_come_first) {
  auto p = pod;
  p["spec"]["volumes"] = json::parse(R"([
    {"name": "m", "configMap": {"name": "m"}},
    {"name": "e", "emptyDir": {}},
    {"name": "h", "hostPath": {"path": "/data/"}}])");
  auto c = json::parse(R"({"name": "c", "volumeMounts": [
    {"name": "m", "mountPath": "/a/b/c/", "subPath": "key"},
    {"name": "e", "mountPath": "/a/b"},
    {"name": "h", "mountPath": "/a", "readOnly": true}]})");
  auto all = lines(p, c, sandbox_with_namespaces());
  BOOST_TEST(order(all, "bind-ro /a /data", "bind /a/b /run-dir/volumes/u/e"));
  BOOST_TEST(order(all, "bind /a/b /run-dir/volumes/u/e",
                   "bind-ro /a/b/c /run-dir/volumes/u/m part key"));
}

BOOST_AUTO_TEST_CASE(the_hosts_file_names_the_pod) {
  auto s = sandbox_with_namespaces();
  BOOST_TEST(make_etc_hosts(s).find("\n10.244.1.0\thost\n")
             != std::string::npos);
  s.full_name = "host.sub.n.svc.x.y";
  BOOST_TEST(make_etc_hosts(s).find("\n10.244.1.0\thost.sub.n.svc.x.y\thost")
             != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_reaper_reads_words) {
  auto text =
      encode_mounts(sandbox_with_namespaces(),
                    {{"bind", "/a", "/b"}, {"bind", "/c", "/d", "e/f"}});
  std::string words("/run-dir/root\0bind\0/a\0/b\0\0bind\0/c\0/d\0e/f\0", 41);
  BOOST_TEST(text == words);
}

BOOST_AUTO_TEST_SUITE_END()
