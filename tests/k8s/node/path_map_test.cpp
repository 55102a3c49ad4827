#include "k8s/node/path_map.h"
#include "k8s/node/volumes.hpp"

#include <boost/test/unit_test.hpp>
#include <climits>

using namespace troupe::k8s::node;

namespace {

std::string mapped(const char* maps, const char* path,
                   std::size_t size = PATH_MAX) {
  char space[PATH_MAX];
  return map_path(maps, path, space, size);
}

} // namespace

BOOST_AUTO_TEST_CASE(paths_at_or_below_a_mount_are_led_elsewhere) {
  constexpr auto maps = "/etc/mpi/deep:/run/c:/etc/mpi:/run/a:/opt/kube:"
                        "/run/b";
  struct {
    const char* path;
    const char* result;
  } rows[] = {
      {"/etc/mpi", "/run/a"},
      {"/etc/mpi/", "/run/a/"},
      {"/etc/mpi/hostfile", "/run/a/hostfile"},
      {"/etc/mpi/x/y", "/run/a/x/y"},
      {"/etc/mpi/deep/y", "/run/c/y"},
      {"/etc/mpi/deeper", "/run/a/deeper"},
      {"//etc/./mpi///y", "/run/a///y"},
      {"/opt/kube/kubectl", "/run/b/kubectl"},
      {"/etc/mpi2", "/etc/mpi2"},
      {"/etc/mp", "/etc/mp"},
      {"/etc", "/etc"},
      {"/", "/"},
      {"", ""},
      {"etc/mpi", "etc/mpi"},
      {"/run/a", "/run/a"},
  };
  for (const auto& row : rows)
    BOOST_TEST(mapped(maps, row.path) == row.result);
  BOOST_TEST(mapped(nullptr, "/etc/mpi") == "/etc/mpi");
  BOOST_TEST(mapped("", "/etc/mpi") == "/etc/mpi");
  // What does not fit stays as it is.
  BOOST_TEST(mapped("/a:/bcdef", "/a/x", 8) == "/a/x");
  BOOST_TEST(mapped("/a:/bcdef", "/a/x", 9) == "/bcdef/x");
}

BOOST_AUTO_TEST_CASE(a_program_is_found_along_the_path) {
  char space[PATH_MAX];
  auto found = [&](const char* path, const char* name) {
    auto* file =
        map_program("/opt/tools:/usr/bin", path, name, space, sizeof space);
    return std::string{file ? file : "none"};
  };
  BOOST_TEST(found("/no:/opt/tools", "env") == "/usr/bin/env");
  BOOST_TEST(found("/usr/bin", "env") == "/usr/bin/env");
  BOOST_TEST(found("/usr/bin", "/opt/tools/x") == "/usr/bin/x");
  BOOST_TEST(found("/usr/bin", "no-such-program") == "none");
  BOOST_TEST(found("", "env") == "none");
}

BOOST_AUTO_TEST_CASE(mounts_become_a_map_with_the_inner_ones_first) {
  auto pod = json::parse(R"({"spec":{"volumes":[
    {"name":"a","emptyDir":{}},{"name":"b","configMap":{"name":"m"}},
    {"name":"h","hostPath":{"path":"/srv/data/"}}]}})");
  auto mounts = [&](const char* text) {
    return mount_path_map_text(pod, {{"volumeMounts", json::parse(text)}},
                               "/v");
  };
  BOOST_TEST(mounts("[]") == "");
  BOOST_TEST(mounts(R"([{"name":"a","mountPath":"//x/"},
                        {"name":"b","mountPath":"/x/y"}])")
             == "/x/y:/v/b:/x:/v/a");
  BOOST_TEST(mounts(R"([{"name":"h","mountPath":"/d","subPath":"p"}])")
             == "/d:/srv/data/p");
  BOOST_TEST(mounts(R"([{"name":"kube-api-access-1","mountPath":"/var"}])")
             == "");
}

BOOST_AUTO_TEST_CASE(mounts_that_cannot_be_had_are_refused) {
  auto pod = json::parse(R"({"spec":{"volumes":[{"name":"a"},
    {"name":"claim","persistentVolumeClaim":{"claimName":"c"}}]}})");
  struct {
    const char* mount;
    const char* part; ///< "" if it is fine.
  } rows[] = {
      {R"({"name":"a","mountPath":"/x"})", ""},
      {R"({"name":"a","mountPath":"/x","subPath":"y/z"})", ""},
      {R"({"name":"claim","mountPath":"/x"})", "no persistentVolumeClaim"},
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
      auto r = find_unsupported_mount(pod, c);
      BOOST_TEST(r.has_value() == (*row.part != '\0'));
      if (r)
        BOOST_TEST(r->message.find(row.part) != std::string::npos, r->message);
    }
}
