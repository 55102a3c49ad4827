#include "actors/operator_identity.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <sys/wait.h>
#include <unistd.h>

using namespace troupe::actors;

BOOST_AUTO_TEST_SUITE(operator_identity_test)

namespace {

/// `identity` with another PID.
std::string with_pid(const std::string& identity, pid_t pid) {
  auto from = identity.find('_') + 1;
  return identity.substr(0, from) + std::to_string(pid)
         + identity.substr(identity.find('.', from));
}

pid_t ended_child() {
  pid_t child = ::fork();
  if (child == 0)
    ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

} // namespace

BOOST_AUTO_TEST_CASE(each_identity_is_different) {
  BOOST_TEST(make_operator_identity() != make_operator_identity());
}

BOOST_AUTO_TEST_CASE(only_a_process_that_cannot_run_has_ended) {
  auto ours = make_operator_identity();
  BOOST_TEST(
      has_operator_process_ended(ours)); // Of an earlier process with our PID.
  BOOST_TEST(has_operator_process_ended(with_pid(ours, ended_child())));
  BOOST_TEST(!has_operator_process_ended(with_pid(ours, ::getppid())));
  auto elsewhere = with_pid(ours, ended_child());
  elsewhere.replace(elsewhere.find('.') + 1, 2, "zz"); // Another machine.
  for (const auto& text :
       {elsewhere, std::string{}, std::string{"pod-1"}, std::string{"a_b_c"},
        std::string{"pod_99999999999999.x.y_1"}})
    BOOST_TEST(!has_operator_process_ended(text), text);
}

BOOST_AUTO_TEST_SUITE_END()
