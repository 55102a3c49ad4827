#include "actors/cli/run/event_watches.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

using namespace troupe::cli;

BOOST_AUTO_TEST_SUITE(event_watches_test)

BOOST_AUTO_TEST_CASE(an_event_is_handed_to_the_job_that_it_is_about) {
  struct row {
    const char* ns;
    const char* object;
    const char* job;
  };
  for (const auto& r : {row{"one", "train", "one/train"},
                        {"one", "train-worker-0", "one/train"},
                        {"one", "train-2", "one/train-2"},
                        {"one", "train-2-worker-0", "one/train-2"},
                        {"one", "train-20-worker-0", "one/train"},
                        {"two", "train-2-worker-0", "two/train"},
                        {"two", "twice-worker-0", "two/twicetwo/twice"},
                        {"one", "trainer-worker-0", ""},
                        {"one", "", ""},
                        {"one", "-", ""},
                        {"three", "train", ""}}) {
    std::string told;
    event_watches events;
    for (auto [ns, name] : {std::pair{"one", "train"},
                            {"one", "train-2"},
                            {"two", "train"},
                            {"two", "twice"},
                            {"two", "twice"}})
      events.add_job(ns, name,
                     [&told, id = std::string{ns} + "/" + name](const auto&) {
                       told += id;
                     });
    events.call_handlers_of_job_by_prefix(
        r.ns, {{"involvedObject", {{"name", r.object}}}});
    BOOST_TEST(told == r.job, r.ns << " " << r.object);
  }
}

BOOST_AUTO_TEST_SUITE_END()
