#include "actors/process/program_pages.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>

using namespace troupe::actors;

BOOST_AUTO_TEST_SUITE(program_pages_test)

namespace {

constexpr std::size_t size = 64u << 10; ///< Several pages.

const std::array<char, size> constant{1, 2, 3}; ///< In a read-only segment.
std::array<char, size> variable{1, 2, 3};       ///< In a writable one.

/// Relocated by the loader, in a segment that it makes read-only then.
const char* const relocated[] = {&constant[0], &constant[2]};

/// What is there now, not what the compiler knows of it.
template <class T>
T read(const volatile T& t) {
  return t;
}

bool is_read_only(const void* object) {
  auto at = reinterpret_cast<std::uintptr_t>(object);
  auto all = list_read_only_segments();
  return std::any_of(all.begin(), all.end(), [at](const auto& segment) {
    return segment.begin <= at && at < segment.end;
  });
}

} // namespace

// Whether a page is resident after its release cannot be asserted: the kernel
// may map it again with others of its file.
BOOST_AUTO_TEST_CASE(what_the_loader_or_the_program_writes_is_in_no_segment) {
  int local = 0;
  BOOST_TEST(is_read_only(&constant[0]));
  BOOST_TEST(is_read_only(&constant[size - 1]));
  BOOST_TEST(is_read_only(reinterpret_cast<const void*>(&is_read_only)));
  BOOST_TEST(!is_read_only(&variable[0]));
  BOOST_TEST(!is_read_only(&relocated[0]));
  BOOST_TEST(!is_read_only(&local));
}

BOOST_AUTO_TEST_CASE(nothing_is_lost) {
  variable[size / 2] = 7;
  release_clean_program_pages();
  BOOST_TEST(read(constant[0]) == 1);
  BOOST_TEST(read(constant[size - 1]) == 0);
  BOOST_TEST(read(variable[1]) == 2);
  BOOST_TEST(read(variable[size / 2]) == 7);
  BOOST_TEST(read(relocated[0]) == &constant[0]);
  BOOST_TEST(*read(relocated[1]) == 3);
}

BOOST_AUTO_TEST_SUITE_END()
