#include "actors/program_pages.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <cstdint>
#include <fcntl.h>
#include <unistd.h>

using namespace troupe::actors;

BOOST_AUTO_TEST_SUITE(program_pages_test)

namespace {

/// The kernel maps pages that are near the one that is read, too: the middle is
/// far from what others read.
constexpr std::size_t size = 512u << 10;
constexpr std::size_t middle = size / 2;

const std::array<char, size> constant{1, 2, 3}; ///< In a read-only segment.
std::array<char, size> variable{1, 2, 3};       ///< In a writable one.

/// What is there now, not what the compiler knows of it.
int read(const volatile char& c) {
  return c;
}

/// Whether the page of this address is in the resident memory (proc(5)).
bool is_resident(const void* address) {
  int file = ::open("/proc/self/pagemap", O_RDONLY);
  BOOST_REQUIRE(file >= 0);
  auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  std::uint64_t entry = 0;
  auto at = reinterpret_cast<std::uintptr_t>(address) / page * sizeof entry;
  auto got = ::pread(file, &entry, sizeof entry, static_cast<off_t>(at));
  ::close(file);
  BOOST_REQUIRE(got == static_cast<ssize_t>(sizeof entry));
  return (entry >> 63) != 0;
}

} // namespace

BOOST_AUTO_TEST_CASE(pages_that_were_only_read_are_released_and_come_back) {
  BOOST_TEST(read(constant[middle]) == 0);
  BOOST_TEST(is_resident(&constant[middle]));
  release_clean_program_pages();
  BOOST_TEST(!is_resident(&constant[middle]));
  BOOST_TEST(read(constant[0]) == 1);
  BOOST_TEST(read(constant[middle]) == 0);
  BOOST_TEST(is_resident(&constant[middle]));
}

BOOST_AUTO_TEST_CASE(what_was_written_stays) {
  variable[middle] = 7;
  release_clean_program_pages();
  BOOST_TEST(is_resident(&variable[middle]));
  BOOST_TEST(read(variable[middle]) == 7);
  BOOST_TEST(read(variable[0]) == 1);
}

BOOST_AUTO_TEST_SUITE_END()
