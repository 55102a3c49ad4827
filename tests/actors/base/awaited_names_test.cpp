#include "actors/base/awaited_names.hpp"

#include <boost/test/unit_test.hpp>
#include <caf/all.hpp>

#include <thread>

using namespace troupe;
using namespace troupe::actors;
using core::child_kind;

BOOST_AUTO_TEST_SUITE(awaited_names_test)

namespace {

struct waiting_actors {
  caf::actor_system_config config;
  caf::actor_system system{config};

  caf::actor make() {
    return system.spawn(
        [](caf::event_based_actor*) -> caf::behavior { return {[](int) {}}; });
  }
};

caf::strong_actor_ptr pointer_to(const caf::actor& who) {
  return caf::actor_cast<caf::strong_actor_ptr>(who);
}

} // namespace

BOOST_FIXTURE_TEST_CASE(who_waits_for_a_name_is_told_once, waiting_actors) {
  awaited_names names;
  auto a = make();
  auto b = make();
  BOOST_TEST(names.take(child_kind::pod, "ns", "w-0").empty());
  names.add_waiter_until_name_is_free(child_kind::pod, "ns", "w-0",
                                      pointer_to(a));
  names.add_waiter_until_name_is_free(child_kind::pod, "ns", "w-0",
                                      pointer_to(a));
  names.add_waiter_until_name_is_free(child_kind::pod, "ns", "w-0",
                                      pointer_to(b));
  names.add_waiter_until_name_is_free(child_kind::pod, "ns", "w-1",
                                      pointer_to(b));
  BOOST_TEST(names.take(child_kind::service, "ns", "w-0").empty());
  BOOST_TEST(names.take(child_kind::pod, "other", "w-0").empty());
  auto told = names.take(child_kind::pod, "ns", "w-0");
  BOOST_REQUIRE(told.size() == 2u);
  BOOST_TEST((told[0] == pointer_to(a) && told[1] == pointer_to(b)));
  BOOST_TEST(names.take(child_kind::pod, "ns", "w-0").empty());
  BOOST_TEST(names.size() == 1u);
}

BOOST_FIXTURE_TEST_CASE(who_has_ended_waits_no_more, waiting_actors) {
  awaited_names names;
  caf::weak_actor_ptr ended;
  {
    auto gone = make();
    ended = caf::actor_cast<caf::weak_actor_ptr>(gone);
    for (int i = 0; i < 63; ++i)
      names.add_waiter_until_name_is_free(child_kind::pod, "ns",
                                          std::to_string(i), pointer_to(gone));
    caf::anon_send_exit(gone, caf::exit_reason::user_shutdown);
  }
  // Its thread may hold it a moment longer than it is counted.
  while (caf::actor_cast<caf::strong_actor_ptr>(ended))
    std::this_thread::yield();
  BOOST_TEST(names.take(child_kind::pod, "ns", "0").empty());
  auto here = make();
  names.add_waiter_until_name_is_free(child_kind::pod, "ns", "here",
                                      pointer_to(here));
  names.add_waiter_until_name_is_free(child_kind::pod, "ns", "here too",
                                      pointer_to(here));
  BOOST_TEST(names.size() == 2u);
}

BOOST_AUTO_TEST_SUITE_END()
