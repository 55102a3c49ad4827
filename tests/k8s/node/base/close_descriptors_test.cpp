#include "k8s/node/base/close_descriptors.h"

#include <boost/test/unit_test.hpp>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

BOOST_AUTO_TEST_SUITE(close_descriptors_test)

namespace {

/// How many of these descriptors are open after `close_all`, in a child.
int count_open_after(void (*close_all)(int first)) {
  auto child = ::fork();
  if (child == 0) {
    ::dup2(0, 30);
    ::dup2(0, 31);
    ::dup2(0, 200);
    close_all(31);
    int open = 0;
    for (int fd : {0, 30, 31, 200})
      open += ::fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
    ::_exit(open);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

} // namespace

BOOST_AUTO_TEST_CASE(only_what_is_below_stays_open) {
  BOOST_TEST(count_open_after(close_descriptors_from) == 2);
  BOOST_TEST(count_open_after(close_descriptors_one_by_one) == 2);
}

BOOST_AUTO_TEST_SUITE_END()
