#include "k8s/node/volumes/api_access.hpp"
#include "k8s/node/volumes/volumes.hpp"
#include "tests/fixtures/scratch_directory.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/stat.h>

using namespace troupe::k8s;
using namespace troupe::k8s::node;
namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(volumes_test)

namespace {

/// The volumes of a pod below a temporary directory.
struct volumes_fixture {
  /// Fills one volume "v" of this kind; "", or what is wrong.
  std::string fill(const std::string& volume) {
    json v = json::parse(volume);
    v["name"] = "v";
    json pod;
    pod["metadata"] = {{"namespace", "there"},
                       {"labels", {{"a", "1"}, {"b", "2"}}}};
    pod["spec"]["volumes"] = json::array({v});
    pod["spec"]["containers"] = json::parse(
        R"([{"name":"c","resources":{"limits":{"memory":"2Ki"}}}])");
    auto error = write_volumes_if_sources_read(pod, directory, data);
    if (!error)
      return "";
    BOOST_TEST(error->reason == "FailedMount");
    return (error->is_retryable ? "later: " : "never: ") + error->message;
  }

  /// "path=text path=text" of the files in the volume.
  std::string files() {
    std::map<std::string, std::string> all;
    for (const auto& e : fs::recursive_directory_iterator(directory + "/v"))
      if (e.is_regular_file()) {
        std::ostringstream text;
        text << std::ifstream(e.path()).rdbuf();
        all[fs::relative(e.path(), directory + "/v").string()] = text.str();
      }
    std::string out;
    for (const auto& [path, text] : all)
      out += (out.empty() ? "" : " ") + path + "=" + text;
    return out;
  }

  void set(const char* kind, const char* name,
           std::map<std::string, std::string> content) {
    data.insert_or_assign({kind, name}, config_source_content{content});
  }

  void fail(const char* kind, const char* name, ec code) {
    data.insert_or_assign({kind, name},
                          config_source_content{failure{code, "why"}});
  }

  troupe::fixtures::scratch_directory scratch;
  const std::string& directory = scratch.path();
  config_sources data;
};

} // namespace

BOOST_AUTO_TEST_CASE(a_volume_has_the_files_of_its_source) {
  struct row {
    const char* volume;
    const char* files;
  };
  // clang-format off
  const row rows[] = {
      {R"({})", ""},
      {R"({"emptyDir":{}})", ""},
      {R"({"configMap":{"name":"m"}})", "a=1 b=2"},
      {R"({"secret":{"secretName":"s"}})", "c=3"},
      {R"({"configMap":{"name":"m","items":[{"key":"b","path":"x/y"}]}})", "x/y=2"},
      {R"({"configMap":{"name":"m","optional":true,"items":[{"key":"z","path":"z"}]}})", ""},
      {R"({"configMap":{"name":"gone","optional":true}})", ""},
      {R"({"configMap":{"name":"unread"}})", ""}, // Stays as it is.
      {R"({"projected":{"sources":[{"configMap":{"name":"m"}},{"secret":{"name":"s"}}]}})", "a=1 b=2 c=3"},
      {R"({"projected":{"sources":[{"configMap":{"name":"m"}},{"secret":{"name":"unread"}}]}})", ""},
      {R"({"projected":{"sources":[{"configMap":{"name":"gone","optional":true}},{"secret":{"name":"s","items":[{"key":"c","path":"d"}]}}]}})", "d=3"},
      {R"({"projected":{"sources":[{"serviceAccountToken":{"path":"token","audience":"x","expirationSeconds":600}}]}})", "token=jwt"},
      {R"({"projected":{"sources":[{"downwardAPI":{"items":[{"path":"n","fieldRef":{"fieldPath":"metadata.namespace"}},
          {"path":"l","fieldRef":{"fieldPath":"metadata.labels"}},{"path":"b","fieldRef":{"fieldPath":"metadata.labels['b']"}}]}}]}})",
       "b=2 l=a=\"1\"\nb=\"2\" n=there"},
      {R"({"downwardAPI":{"items":[{"path":"n","fieldRef":{"fieldPath":"metadata.namespace"}},
          {"path":"d/m","resourceFieldRef":{"containerName":"c","resource":"limits.memory","divisor":"1Ki"}}]}})",
       "d/m=2 n=there"},
  };
  // clang-format on
  for (const auto& r : rows) {
    volumes_fixture f;
    f.set("ConfigMap", "m", {{"a", "1"}, {"b", "2"}});
    f.set("Secret", "s", {{"c", "3"}});
    f.fail("ConfigMap", "gone", ec::not_found);
    auto token = encode_token_source({"x", 600, false});
    f.set(token.first.c_str(), token.second.c_str(), {{"token", "jwt"}});
    BOOST_TEST(f.fill(r.volume) == "", r.volume);
    BOOST_TEST(f.files() == r.files, r.volume);
  }
}

BOOST_AUTO_TEST_CASE(errors_are_worded_as_by_a_kubelet) {
  const std::string setup = "MountVolume.SetUp failed for volume \"v\" : ";
  struct row {
    const char* volume;
    std::string error;
  };
  // clang-format off
  const row rows[] = {
      {R"({"configMap":{"name":"gone"}})", "later: " + setup + "configmap \"gone\" not found"},
      {R"({"secret":{"secretName":"gone"}})", "later: " + setup + "secret \"gone\" not found"},
      {R"({"configMap":{"name":"denied","optional":true}})", "later: " + setup + "why"},
      {R"({"configMap":{"name":"m","items":[{"key":"z","path":"z"}]}})", "later: " + setup + "references non-existent config key: z"},
      {R"({"configMap":{"name":"m","items":[{"key":"a","path":"../a"}]}})", "never: " + setup + "items path \"../a\" must stay in the volume"},
      {R"({"configMap":{"name":"m","items":[{"key":"a","path":"/a"}]}})", "never: " + setup + "items path \"/a\" must stay in the volume"},
      {R"({"projected":{"sources":[{"secret":{"name":"gone"}}]}})", "later: " + setup + "secret \"gone\" not found"},
      {R"({"projected":{"sources":[{"downwardAPI":{"items":[{"path":"x","fieldRef":{"fieldPath":"spec.x"}}]}}]}})", "never: " + setup + "unsupported fieldPath: spec.x"},
      {R"({"downwardAPI":{"items":[{"path":"x","resourceFieldRef":{"resource":"limits.cpu"}}]}})", "never: " + setup + "resourceFieldRef: containerName \"\" is no container of the pod"},
      {R"({"hostPath":{"path":"/nonexistent","type":"Directory"}})", "later: " + setup + "hostPath type check failed: /nonexistent is not a directory"},
  };
  // clang-format on
  for (const auto& r : rows) {
    volumes_fixture f;
    f.set("ConfigMap", "m", {{"a", "1"}});
    f.fail("ConfigMap", "gone", ec::not_found);
    f.fail("Secret", "gone", ec::not_found);
    f.fail("ConfigMap", "denied", ec::forbidden);
    BOOST_TEST(f.fill(r.volume) == r.error);
  }
}

BOOST_FIXTURE_TEST_CASE(files_follow_their_source, volumes_fixture) {
  const auto* volume = R"({"configMap":{"name":"m","defaultMode":256,
    "items":[{"key":"a","path":"a"},{"key":"b","path":"b","mode":384}],
    "optional":true}})";
  set("ConfigMap", "m", {{"a", "1"}, {"b", "2"}});
  BOOST_TEST(fill(volume) == "");
  auto mode_of = [&](const char* name) {
    struct stat s {};
    BOOST_REQUIRE(::stat((directory + "/v/" + name).c_str(), &s) == 0);
    return s.st_mode & 0777u;
  };
  BOOST_TEST(mode_of("a") == 0400u);
  BOOST_TEST(mode_of("b") == 0600u);
  set("ConfigMap", "m", {{"a", "one"}});
  BOOST_TEST(fill(volume) == "");
  BOOST_TEST(files() == "a=one"); // Nor is the key that is gone.
  fail("ConfigMap", "m", ec::not_found);
  BOOST_TEST(fill(volume) == "");
  BOOST_TEST(files() == "");
}

BOOST_FIXTURE_TEST_CASE(files_of_secrets_are_for_the_user_alone,
                        volumes_fixture) {
  set("Secret", "s", {{"a", "1"}, {"b", "2"}, {"c", "3"}});
  const std::string items = R"("items":[{"key":"a","path":"a"},
    {"key":"b","path":"b","mode":32},{"key":"c","path":"d/c","mode":365}])";
  for (const auto& volume :
       {R"({"secret":{"secretName":"s",)" + items + "}}",
        R"({"projected":{"sources":[{"secret":{"name":"s",)" + items
            + "}}]}}"}) {
    BOOST_TEST(fill(volume) == "");
    auto mode_of = [&](const char* name) {
      struct stat s {};
      BOOST_REQUIRE(::stat((directory + "/v/" + name).c_str(), &s) == 0);
      return s.st_mode & 0777u;
    };
    BOOST_TEST(mode_of("a") == 0600u); // 0644 in a cluster.
    BOOST_TEST(mode_of("b") == 0400u); // The group's.
    BOOST_TEST(mode_of("d/c") == 0500u);
  }
}

BOOST_AUTO_TEST_CASE(mounts_become_a_map_with_the_inner_ones_first) {
  auto pod = json::parse(R"({"spec":{"volumes":[
    {"name":"a","emptyDir":{}},{"name":"b","configMap":{"name":"m"}},
    {"name":"h","hostPath":{"path":"/srv/data/"}},
    {"name":"r","hostPath":{"path":"/"}}]}})");
  auto mounts = [&](const char* text) {
    return encode_mount_path_map(pod, {{"volumeMounts", json::parse(text)}},
                                 "/v");
  };
  BOOST_TEST(mounts("[]") == "");
  BOOST_TEST(mounts(R"([{"name":"a","mountPath":"//x/"},
                        {"name":"b","mountPath":"/x/y"}])")
             == "/x/y:/v/b:/x:/v/a");
  BOOST_TEST(mounts(R"([{"name":"h","mountPath":"/d","subPath":"p"}])")
             == "/d:/srv/data/p");
  BOOST_TEST(mounts(R"([{"name":"r","mountPath":"/all"}])") == "/all:/");
  BOOST_TEST(mounts(R"([{"name":"r","mountPath":"/e","subPath":"etc"}])")
             == "/e:/etc");
  BOOST_TEST(mounts(R"([{"name":"kube-api-access-1","mountPath":"/var"}])")
             == "");
}

BOOST_AUTO_TEST_CASE(mounts_that_cannot_be_had_are_refused) {
  auto pod = json::parse(R"({"spec":{"volumes":[{"name":"a"},
    {"name":"claim","persistentVolumeClaim":{"claimName":"../c"}},
    {"name":"nfs","nfs":{"path":"/"}},{"name":"root","hostPath":{"path":"/"}},
    {"name":"near","hostPath":{"path":"data"}},{"name":"none","hostPath":{}},
    {"name":"self","downwardAPI":{}}]}})");
  struct {
    const char* mount;
    const char* part; ///< "" if it is fine.
  } rows[] = {
      {R"({"name":"a","mountPath":"/x"})", ""},
      {R"({"name":"a","mountPath":"/x","subPath":"y/z"})", ""},
      {R"({"name":"claim","mountPath":"/x"})", "claimName \"../c\" is no name"},
      {R"({"name":"nfs","mountPath":"/x"})", "this node has no nfs"},
      {R"({"name":"root","mountPath":"/x"})", ""},
      {R"({"name":"self","mountPath":"/x"})", ""},
      {R"({"name":"near","mountPath":"/x"})",
       "hostPath.path \"data\" is no absolute path; begin it with a slash"},
      {R"({"name":"none","mountPath":"/x"})", "hostPath.path \"\" is no"},
      {R"({"name":"lost","mountPath":"/x"})", "no such volume"},
      {R"({"name":"a","mountPath":"/"})", "absolute path below /"},
      {R"({"name":"a","mountPath":"x"})", "absolute path below /"},
      {R"({"name":"a","mountPath":"/x:y"})", "without colons"},
      {R"({"name":"a","mountPath":"/x","subPath":"../y"})", "stay in the"},
      {R"({"name":"a","mountPath":"/x","subPathExpr":"$A"})", "no subPathExpr"},
  };
  for (const auto& row : rows)
    BOOST_TEST_CONTEXT(row.mount) {
      json c{{"name", "c"},
             {"volumeMounts", json::array({json::parse(row.mount)})}};
      auto r = find_unsupported_mount_error(pod, c);
      BOOST_TEST(r.has_value() == (*row.part != '\0'));
      if (r)
        BOOST_TEST(r->message.find(row.part) != std::string::npos, r->message);
    }
}

BOOST_AUTO_TEST_CASE(volumes_in_memory_are_named) {
  const auto pod = json::parse(R"({"spec":{"volumes":[
    {"name":"a","emptyDir":{"medium":"Memory"}},
    {"name":"b","emptyDir":{"medium":"Memory","sizeLimit":"64Mi"}},
    {"name":"c","emptyDir":{}},{"name":"d","emptyDir":{"medium":"Other"}},
    {"name":"e","emptyDir":{"medium":"Memory"}},
    {"name":"..","emptyDir":{"medium":"Memory"}}],
    "containers":[{"volumeMounts":[{"name":"a","mountPath":"/a"},
      {"name":"e","mountPath":"/e","subPath":"x"}]}]}})");
  std::string text;
  for (const auto& v : memory_volumes(pod, "/v"))
    text += v.path + "=" + std::to_string(v.size) + " ";
  BOOST_TEST(text == "/v/a=0 /v/b=67108864 ");
}

BOOST_AUTO_TEST_CASE(directories_of_sub_paths_are_made) {
  volumes_fixture f;
  auto host = f.directory + "/host";
  fs::create_directory(host);
  json pod = json::parse(R"({"spec": {
    "volumes": [{"name": "e", "emptyDir": {}}, {"name": "h", "hostPath": {}},
                {"name": "m", "configMap": {"name": "m"}}],
    "initContainers": [{"name": "i", "volumeMounts": [
      {"name": "e", "mountPath": "/e", "subPath": "first"}]}],
    "containers": [{"name": "c", "volumeMounts": [
      {"name": "e", "mountPath": "/e", "subPath": "a/b"},
      {"name": "e", "mountPath": "/f"},
      {"name": "h", "mountPath": "/h", "subPath": "in"},
      {"name": "m", "mountPath": "/m", "subPath": "key"}]}]}})");
  pod["spec"]["volumes"][1]["hostPath"]["path"] = host;
  BOOST_TEST(!write_volumes_if_sources_read(pod, f.directory, {}));
  BOOST_TEST(!make_sub_path_directories(pod, f.directory));
  BOOST_TEST(fs::is_directory(f.directory + "/e/first"));
  BOOST_TEST(fs::is_directory(f.directory + "/e/a/b"));
  BOOST_TEST(fs::is_directory(host + "/in"));
  BOOST_TEST(!fs::exists(f.directory + "/m/key"));
  pod["spec"]["volumes"][1]["hostPath"]["path"] = host + "/gone";
  BOOST_TEST(!make_sub_path_directories(pod, f.directory));
  BOOST_TEST(!fs::exists(host + "/gone"));
}

BOOST_AUTO_TEST_CASE(directories_of_sub_paths_are_made_in_the_volume_only) {
  volumes_fixture f;
  auto host = f.directory + "/host", outside = f.directory + "/outside";
  fs::create_directories(host + "/real");
  fs::create_directory(outside);
  fs::create_symlink(outside, host + "/absolute");
  fs::create_symlink("../outside", host + "/above");
  fs::create_symlink("real", host + "/inside");
  for (const char* part : {"absolute/x", "above/x", "inside/x/y", "absolute"}) {
    json pod{
        {"spec",
         {{"volumes", {{{"name", "h"}, {"hostPath", {{"path", host}}}}}},
          {"containers",
           {{{"name", "c"},
             {"volumeMounts",
              {{{"name", "h"}, {"mountPath", "/h"}, {"subPath", part}}}}}}}}}};
    BOOST_TEST(!make_sub_path_directories(pod, f.directory), part);
  }
  BOOST_TEST(fs::is_empty(outside));
  BOOST_TEST(fs::is_directory(host + "/real/x/y"));
}

BOOST_AUTO_TEST_SUITE_END()
