#include "k8s/node/base/path_map.h"

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
    auto* file = find_mapped_program("/opt/tools:/usr/bin", path, name, space,
                                     sizeof space);
    return std::string{file ? file : "none"};
  };
  BOOST_TEST(found("/no:/opt/tools", "env") == "/usr/bin/env");
  BOOST_TEST(found("/usr/bin", "env") == "/usr/bin/env");
  BOOST_TEST(found("/usr/bin", "/opt/tools/x") == "/usr/bin/x");
  BOOST_TEST(found("/usr/bin", "no-such-program") == "none");
  BOOST_TEST(found("", "env") == "none");
}
