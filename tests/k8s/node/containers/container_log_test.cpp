#include "k8s/node/containers/container_log.hpp"
#include "k8s/objects.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
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
  boost::asio::io_context io;
  std::shared_ptr<container_log> log =
      std::make_shared<container_log>(io, path);
  std::string text;
  int ends = 0;
  bool is_ready = true;

  ~log_fixture() { ::unlink(path.c_str()); }

  std::string read(const log_options& o, time_point now = noon) {
    text.clear();
    log->add_reader(o, now,
                    {[this](const std::string& piece) {
                       text += piece;
                       return true;
                     },
                     [this](const result<nothing>&) { ++ends; },
                     [this] { return is_ready; }});
    return text;
  }
};

} // namespace

BOOST_FIXTURE_TEST_CASE(the_end_of_a_log_has_a_limit, log_fixture) {
  BOOST_TEST(log->end_of_text(80, 2048) == "");
  for (int i = 1; i <= 100; ++i)
    log->append(std::to_string(i) + "\n", noon);
  BOOST_TEST(log->end_of_text(2, 2048) == "99\n100\n");
  BOOST_TEST(log->end_of_text(200, 2048).rfind("1\n2\n", 0) == 0u);
  BOOST_TEST(log->end_of_text(80, 6) == "9\n100\n");
  log->append(std::string(1'000'000, 'a'), noon);
  BOOST_TEST(log->end_of_text(80, 2048) == std::string(2048, 'a'));
  log->close();
  BOOST_TEST(log->end_of_text(80, 3) == "aaa");
}

BOOST_AUTO_TEST_CASE(a_loss_of_output_is_told_once) {
  boost::asio::io_context io;
  struct row {
    const char* path;
    const char* why;
  } rows[] = {
      {"/dev/full", "output is lost: /dev/full cannot be written: No space "
                    "left on device"},
      {"/none/log", "output is lost: /none/log cannot be written: No such "
                    "file or directory"},
  };
  for (const auto& r : rows) {
    std::vector<std::string> told;
    auto log = std::make_shared<container_log>(
        io, r.path, [&](const std::string& why) { told.push_back(why); });
    log->append("", noon);
    BOOST_TEST(told.empty());
    log->append("one\n", noon);
    log->append("two\n", noon);
    BOOST_TEST(told == std::vector<std::string>{r.why},
               boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(options_choose_the_part) {
  log_fixture d;
  d.log->append("one\ntw", noon);
  d.log->append("o\nthree\n", noon + 10s);
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
  d.log->close();
  for (const auto& row : rows)
    BOOST_TEST(d.read(row.options, noon + 10s) == row.text);
  BOOST_TEST(d.ends == 18);
}

BOOST_AUTO_TEST_CASE(a_tail_counts_a_line_without_end) {
  log_fixture d;
  d.log->append("one\ntwo", noon);
  log_options o;
  o.tail_lines = 1;
  BOOST_TEST(d.read(o) == "two");
}

BOOST_AUTO_TEST_CASE(a_follower_gets_what_comes_with_its_time_until_the_end) {
  log_fixture d;
  d.log->append("one\n", noon);
  log_options o;
  o.follow = true;
  o.timestamps = true;
  d.read(o);
  d.log->append("tw", noon + 1s);
  d.log->append("o\n", noon + 2s);
  BOOST_TEST(d.ends == 0);
  d.log->close();
  BOOST_TEST(d.text == "2026-01-31T12:00:00Z one\n2026-01-31T12:00:01Z two\n");
  BOOST_TEST(d.ends == 1);
}

BOOST_AUTO_TEST_CASE(a_follower_ends_at_its_limit) {
  log_fixture d;
  log_options o;
  o.follow = true;
  o.limit_bytes = 4;
  d.read(o);
  d.log->append("one\n", noon);
  d.log->append("two\n", noon);
  BOOST_TEST(d.text == "one\n");
  BOOST_TEST(d.ends == 1);
}

BOOST_AUTO_TEST_CASE(a_reader_takes_its_time_and_misses_nothing) {
  log_fixture d;
  std::string all;
  for (int i = 0; i < 200'000; ++i) // More than one piece.
    all += std::to_string(i) + "\n";
  log_options follow;
  follow.follow = true;
  d.is_ready = false;
  d.read(follow);
  d.log->append(all, noon);
  d.log->append("last\n", noon);
  d.log->close();
  BOOST_TEST(d.text == "");
  BOOST_TEST(d.ends == 0);
  // Its owner has released it.
  std::weak_ptr<container_log> owned = d.log;
  d.log.reset();
  d.is_ready = true;
  d.io.run();
  BOOST_TEST((d.text == all + "last\n"));
  BOOST_TEST(d.ends == 1);
  BOOST_TEST(owned.expired());
}

BOOST_AUTO_TEST_CASE(one_who_wants_no_more_is_not_told_of_the_end) {
  log_fixture d;
  log_options follow;
  follow.follow = true;
  int pieces = 0;
  bool ended = false;
  d.log->add_reader(follow, noon,
                    {[&](const std::string&) { return ++pieces < 2; },
                     [&](const result<nothing>&) { ended = true; }});
  for (const char* text : {"one\n", "two\n", "three\n"})
    d.log->append(text, noon);
  d.log->close();
  BOOST_TEST(pieces == 2);
  BOOST_TEST(!ended);
}

BOOST_AUTO_TEST_CASE(a_tail_of_a_large_log_is_found) {
  log_fixture d;
  std::string line(1000, 'x');
  for (int i = 0; i < 1000; ++i)
    d.log->append(line + std::to_string(i) + "\n", noon);
  log_options tail;
  for (int lines : {1, 300, 999, 1000, 2000}) {
    tail.tail_lines = lines;
    auto text = d.read(tail);
    BOOST_TEST(std::count(text.begin(), text.end(), '\n')
               == std::min(lines, 1000));
    BOOST_TEST(text.compare(0, 1000, line) == 0);
  }
}
