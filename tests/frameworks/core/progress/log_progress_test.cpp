#include "frameworks/core/progress/log_progress.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;

BOOST_AUTO_TEST_SUITE(log_progress_test)

namespace {

using strings = std::vector<std::string>;

core::log_progress rules_of(const strings& patterns) {
  auto policy = std::make_shared<core::log_policy>();
  for (const auto& p : patterns)
    policy->rules.push_back({"", k8s::compile_text_pattern(p).pattern});
  return core::log_progress{policy};
}

/// "45% loss=0.1 step=3"; "-" if nothing was told.
std::string told(core::log_progress& by) {
  auto progress = by.take();
  if (!progress)
    return "-";
  std::string out =
      progress->percent ? std::to_string(*progress->percent) + "%" : "";
  for (const auto& m : progress->metrics)
    out += (out.empty() ? "" : " ") + m.name + "=" + m.value;
  return out;
}

} // namespace

BOOST_AUTO_TEST_CASE(groups_of_a_line_are_percentage_and_metrics) {
  struct row {
    strings patterns;
    strings lines;
    std::string expected;
  };
  const std::string steps = R"((?P<step>[\d,_]+)/(?P<total>[\d,_]+))";
  const row rows[] = {
      {{R"(step (?P<step>\d+)/(?P<total>\d+).*loss[ =](?P<loss>[0-9.]+))"},
       {"step 450/1000, loss 0.25"},
       "45% step=450 total=1000 loss=0.25"},
      {{steps}, {"no such line"}, "-"},
      {{steps}, {"999/1000"}, "99% step=999 total=1000"},
      {{steps}, {"1,500/3_000"}, "50% step=1,500 total=3_000"},
      {{steps}, {"7/0"}, "step=7 total=0"},
      {{steps}, {"12/10"}, "100% step=12 total=10"},
      {{R"((?P<percent>[\d.]+)%)"}, {"45.9%"}, "45%"},
      {{R"((?P<percent>[\d.]+)%)"}, {"180%"}, "100%"},
      {{R"((?P<percent>\S+) done)"}, {"half done"}, ""},
      // The program's own percentage is not computed again.
      {{R"((?P<percent>\d+)% (?P<step>\d+)/(?P<total>\d+))"},
       {"7% 1/2"},
       "7% step=1 total=2"},
      // What several rules and lines tell is put together.
      {{R"(of (?P<total>\d+) steps)", R"(step (?P<step>\d+))",
        R"(loss=(?P<loss>\S+))"},
       {"of 200 steps", "step 50 loss=1.5", "loss=1.25", "other"},
       "25% total=200 step=50 loss=1.25"},
      // A group that takes no part changes nothing.
      {{R"(a=(?P<a>\d+)(?: b=(?P<b>\d+))?)"}, {"a=1 b=2", "a=3"}, "a=3 b=2"},
      // Bars of Keras and of tqdm, as Lightning has it.
      {{R"((?P<step>\d+)/(?P<total>\d+) .*loss: (?P<loss>[\d.e-]+))"},
       {"  12/938 \u2501\u2501 3s 4ms/step - accuracy: 0.1 - loss: 2.3",
        "469/938 \u2501\u2501 2s 4ms/step - accuracy: 0.7 - loss: 9.1e-1"},
       "50% step=469 total=938 loss=9.1e-1"},
      {{R"(Epoch (?P<epoch>\d+):\s+(?P<percent>\d+)%)",
        R"(train_loss=(?P<train_loss>[\d.]+))"},
       {"Epoch 3:  42%|\u2588 | 42/100 [00:01<00:02, v_num=0, "
        "train_loss=0.123]"},
       "42% epoch=3 train_loss=0.123"},
      {{"alive"}, {"still alive"}, ""},
      {{R"((?P<long>x+))"}, {std::string(65, 'x')}, ""},
  };
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.lines.front()) {
      auto by = rules_of(r.patterns);
      for (const auto& line : r.lines)
        by.read_line(line);
      BOOST_TEST(told(by) == r.expected);
      BOOST_TEST(told(by) == "-");
    }
}

BOOST_AUTO_TEST_CASE(there_are_at_most_sixteen_metrics) {
  std::string pattern;
  strings patterns;
  for (int i = 0; i < 20; ++i) {
    pattern += "(?P<m" + std::to_string(i) + ">.)";
    if (i % 10 == 9)
      patterns.push_back(std::exchange(pattern, ""));
  }
  auto by = rules_of(patterns);
  by.read_line("0123456789");
  BOOST_TEST(by.take()->metrics.size() == core::max_progress_metrics);
}

BOOST_AUTO_TEST_CASE(a_byte_costs_more_with_large_rules) {
  BOOST_TEST(rules_of({R"(loss=(?P<loss>[\d.]+))"}).cost_of_byte() == 1);
  BOOST_TEST(rules_of({"a{400}(?P<a>b)", "c{400}"}).cost_of_byte() >= 8);
}

BOOST_AUTO_TEST_SUITE_END()
