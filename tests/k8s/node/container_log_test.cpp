#include "k8s/node/container_log.hpp"
#include "k8s/objects.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <unistd.h>

using namespace troupe::k8s;
using namespace troupe::k8s::node;
using namespace std::chrono_literals;

namespace {

const auto noon = *from_rfc3339("2026-01-31T12:00:00Z");

/// A log in a file of its own, and what a reader was given.
struct log_fixture {
  std::string path = (std::filesystem::temp_directory_path()
                      / ("container-log-" + std::to_string(::getpid())))
                         .string();
  container_log log;
  std::string text;
  int ends = 0;

  explicit log_fixture(std::size_t limit = 1u << 20)
      : log(path, limit) {}
  ~log_fixture() { ::unlink(path.c_str()); }

  std::string read(const log_options& o, time_point now = noon) {
    text.clear();
    log.read(
        o, now,
        [this](const std::string& piece) {
          text += piece;
          return true;
        },
        [this](const result<nothing>&) { ++ends; });
    return text;
  }
};

} // namespace

BOOST_AUTO_TEST_CASE(options_choose_the_part) {
  log_fixture d;
  d.log.append("one\ntw", noon);
  d.log.append("o\nthree\n", noon + 10s);
  auto tail = [](std::int64_t n) {
    log_options o;
    o.tail_lines = n;
    return o;
  };
  log_options all, some, late, stamps;
  some.limit_bytes = 5;
  late.since = 5s;
  stamps.timestamps = true;
  struct {
    log_options options;
    const char* text;
  } rows[] = {
      {all, "one\ntwo\nthree\n"},
      {tail(0), ""},
      {tail(1), "three\n"},
      {tail(2), "two\nthree\n"},
      {tail(3), "one\ntwo\nthree\n"},
      {tail(9), "one\ntwo\nthree\n"},
      {some, "one\nt"},
      {late, "o\nthree\n"},
      {stamps, "2026-01-31T12:00:00Z one\n2026-01-31T12:00:00Z two\n"
               "2026-01-31T12:00:10Z three\n"},
  };
  for (const auto& row : rows)
    BOOST_TEST(d.read(row.options, noon + 10s) == row.text);
  d.log.close();
  for (const auto& row : rows)
    BOOST_TEST(d.read(row.options, noon + 10s) == row.text);
  BOOST_TEST(d.ends == 18);
}

BOOST_AUTO_TEST_CASE(a_tail_counts_a_line_without_end) {
  log_fixture d;
  d.log.append("one\ntwo", noon);
  log_options o;
  o.tail_lines = 1;
  BOOST_TEST(d.read(o) == "two");
}

BOOST_AUTO_TEST_CASE(a_follower_gets_what_comes_with_its_time_until_the_end) {
  log_fixture d;
  d.log.append("one\n", noon);
  log_options o;
  o.follow = true;
  o.timestamps = true;
  d.read(o);
  d.log.append("tw", noon + 1s);
  d.log.append("o\n", noon + 2s);
  BOOST_TEST(d.ends == 0);
  d.log.close();
  BOOST_TEST(d.text == "2026-01-31T12:00:00Z one\n2026-01-31T12:00:01Z two\n");
  BOOST_TEST(d.ends == 1);
}

BOOST_AUTO_TEST_CASE(a_follower_ends_at_its_limit) {
  log_fixture d;
  log_options o;
  o.follow = true;
  o.limit_bytes = 4;
  d.read(o);
  d.log.append("one\n", noon);
  d.log.append("two\n", noon);
  BOOST_TEST(d.text == "one\n");
  BOOST_TEST(d.ends == 1);
}

BOOST_AUTO_TEST_CASE(a_log_stays_within_its_limit_and_keeps_whole_lines) {
  log_fixture d{100};
  for (int i = 100; i < 200; ++i)
    d.log.append(std::to_string(i) + "\n", noon + std::chrono::seconds{i});
  auto text = d.read({});
  BOOST_TEST(text.size() <= 100u);
  BOOST_TEST(text.size() >= 40u);
  BOOST_TEST(text.size() % 4 == 0u);
  BOOST_TEST(text.substr(text.size() - 8) == "198\n199\n");
  log_options o;
  o.tail_lines = 1;
  o.timestamps = true;
  BOOST_TEST(d.read(o) == "2026-01-31T12:03:19Z 199\n");
}
