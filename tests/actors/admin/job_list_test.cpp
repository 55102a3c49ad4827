#include "actors/admin/job_list.hpp"
#include "tests/actors/admin/job_rows.hpp"
#include "tests/actors/single_actor_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;
using boost::test_tools::per_element;

BOOST_AUTO_TEST_SUITE(job_list_test)

namespace {

struct job_list_fixture : single_actor_fixture {
  /// An actor that has sent a row, as supervisors do.
  caf::actor supervisor(const job_row& row) {
    auto who = spawn([row, to = context->jobs](caf::event_based_actor* self) {
      self->send(to, row);
      return caf::behavior{[](int) {}};
    });
    run();
    return who;
  }

  strings names() {
    caf::scoped_actor self{context->jobs->home_system()};
    self->send(context->jobs, get_job_changes{});
    run();
    strings result;
    self->receive([&](const job_changes_ptr& all) { result = names_in(*all); });
    return result;
  }
};

} // namespace

BOOST_FIXTURE_TEST_CASE(a_row_lives_as_long_as_its_supervisor,
                        job_list_fixture) {
  auto a = supervisor(row_of("a", 1));
  auto b = supervisor(row_of("b", 2));
  BOOST_TEST(names() == (strings{"a:1", "b:2"}), per_element());
  fail(a);
  BOOST_TEST(names() == (strings{"b:2"}), per_element());
}

BOOST_FIXTURE_TEST_CASE(the_row_of_a_successor_stays, job_list_fixture) {
  auto first = supervisor(row_of("a", 1));
  auto second = supervisor(row_of("a", 2));
  fail(first);
  BOOST_TEST(names() == (strings{"a:2"}), per_element());
  fail(second);
  BOOST_TEST(names().empty());
}

BOOST_AUTO_TEST_SUITE_END()
