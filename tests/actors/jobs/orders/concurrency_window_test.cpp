#include "actors/jobs/orders/concurrency_window.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using troupe::actors::concurrency_window;

BOOST_AUTO_TEST_SUITE(concurrency_window_test)

BOOST_AUTO_TEST_CASE(a_window_doubles_on_success_and_falls_back_on_failure) {
  struct row {
    const char* outcomes; ///< '.' succeeded, 'x' failed.
    int size;
  } rows[] = {{"", 2},
              {".", 2},
              {"..", 4},
              {".....", 4},
              {"......", 8},
              {"..............", 10},
              {"..............................", 10},
              {"......x", 2},
              {".x.", 2},
              {".x..", 4},
              {"x", 2}};
  for (const auto& r : rows) {
    concurrency_window w{2, 10};
    for (char c : std::string{r.outcomes})
      c == '.' ? w.count_success_and_grow_if_due() : w.shrink_to_first_size();
    BOOST_TEST(w.size() == r.size, "'" << r.outcomes << "'");
  }
}

BOOST_AUTO_TEST_SUITE_END()
