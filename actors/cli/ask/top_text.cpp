#include "actors/admin/text/report_text.hpp"
#include "actors/admin/text/terminal_text.hpp"
#include "actors/cli/ask/admin_text.hpp"
#include "actors/cli/ask/top_view.hpp"
#include "k8s/json.hpp"

#include <algorithm>
#include <tuple>

namespace troupe::cli {

using actors::column_count;
using actors::human_duration_between;
using actors::once_or_n_times;
using actors::pad_right;
using actors::pluralize;
using actors::strip_control_characters;
using actors::truncate_in_middle;
using actors::truncate_with_ellipsis;
using k8s::array_at;
using k8s::bool_at;
using k8s::number_at;
using k8s::text_at;
using nlohmann::json;

namespace {

using row_cells = std::vector<std::string>;
using styled_lines = std::vector<styled_line>;

/// To which long cells of a first column are cut.
constexpr std::size_t least_first_column = 16;

/// Rows of cells below a line of headings; each column as wide as its widest
/// cell, two blanks apart. The last one takes what is left of the line.
class table {
public:
  /// `least_last_column`: of a line, if the first column can do with less; 0:
  /// that is never cut.
  explicit table(row_cells headings, std::size_t least_last_column = 0)
      : least_last_column_(least_last_column) {
    rows_.push_back({std::move(headings), line_style::heading});
  }

  void add_row(row_cells row, line_style style) {
    rows_.push_back({std::move(row), style});
  }

  void append_lines(styled_lines& out, std::size_t width) const {
    auto columns = rows_.front().texts.size();
    std::vector<std::size_t> widths(columns, 0);
    for (const auto& row : rows_)
      for (std::size_t i = 0; i + 1 < columns; ++i)
        widths[i] = std::max(widths[i], column_count(row.texts[i]));
    if (width > 0 && least_last_column_ > 0)
      widths[0] = std::min(widths[0], most_of_first_column(widths, width));
    for (const auto& row : rows_) {
      std::string line;
      for (std::size_t i = 0; i + 1 < columns; ++i)
        line +=
            pad_right(truncate_in_middle(row.texts[i], widths[i]), widths[i])
            + "  ";
      line += row.texts.back();
      line.erase(line.find_last_not_of(' ') + 1);
      out.push_back(
          {width > 0 ? truncate_with_ellipsis(line, width) : line, row.style});
    }
  }

private:
  std::size_t most_of_first_column(const std::vector<std::size_t>& widths,
                                   std::size_t width) const {
    auto others = least_last_column_;
    for (auto w = widths.begin() + 1; w != widths.end(); ++w)
      others += *w + 2;
    return std::max(width > others ? width - others : 0, least_first_column);
  }

  struct styled_row {
    row_cells texts;
    line_style style;
  };
  std::size_t least_last_column_;
  std::vector<styled_row> rows_;
};

/// All actors of that name, wherever they stand in the tree.
void collect_actor_reports(const json& tree, const std::string& name,
                           std::vector<const json*>& found) {
  if (text_at(tree, {"actor"}) == name)
    found.push_back(&tree);
  for (const auto& child : array_at(tree, {"children"}))
    collect_actor_reports(child, name, found);
}

std::vector<const json*> actor_reports_named(const json& tree,
                                             const std::string& name) {
  std::vector<const json*> found;
  collect_actor_reports(tree, name, found);
  return found;
}

std::int64_t sum_of(const std::vector<const json*>& all, k8s::key_path path) {
  std::int64_t sum = 0;
  for (const auto* a : all)
    sum += number_at(*a, path);
  return sum;
}

row_cells operator_summary_lines(const json& tree) {
  row_cells out;
  auto jobs = actor_reports_named(tree, "job-supervisor");
  auto open = std::count_if(jobs.begin(), jobs.end(), [](const json* j) {
    return !bool_at(*j, {"finished"});
  });
  out.push_back(
      std::string{"Operator: "}
      + (bool_at(tree, {"stopping"}) ? "stopping"
         : bool_at(tree, {"ready"})  ? "ready"
                                     : "not ready, waits for its watches")
      + "; " + pluralize(static_cast<std::int64_t>(jobs.size()), "job") + ", "
      + std::to_string(open) + " not finished");
  auto gateways = actor_reports_named(tree, "gateway");
  auto recorders = actor_reports_named(tree, "event-recorder");
  out.push_back(
      "Calls: " + std::to_string(sum_of(gateways, {"underWay"}))
      + " under way, at most " + std::to_string(sum_of(gateways, {"window"}))
      + "; " + std::to_string(sum_of(gateways, {"waiting"})) + " waiting"
      + (std::any_of(gateways.begin(), gateways.end(),
                     [](const json* g) { return bool_at(*g, {"paused"}); })
             ? "; paused, the server is overloaded"
             : ""));
  out.push_back("Events: " + std::to_string(sum_of(recorders, {"waiting"}))
                + " waiting, " + std::to_string(sum_of(recorders, {"dropped"}))
                + " given up");
  if (auto n = number_at(tree, {"restarts"}); n > 0)
    out.push_back("Actors died and were started again " + once_or_n_times(n)
                  + ".");
  if (auto n = actor_reports_named(tree, "silent").size(); n > 0)
    out.push_back(pluralize(static_cast<std::int64_t>(n), "actor")
                  + " did not answer in time.");
  return out;
}

/// A terminal on which bars and long headings would leave the summary no room.
bool is_narrow(std::size_t width) {
  return width > 0 && width < 100;
}

/// "████░░░░░░  45%", or " 45%" where there is no room; "" if the job says
/// nothing.
std::string training_bar(const json& job, std::size_t width) {
  auto percent = k8s::int64_at(job, {"percent"});
  if (!percent)
    return {};
  const std::int64_t cells = is_narrow(width) ? 0 : 10;
  auto told = std::clamp<std::int64_t>(*percent, 0, 100);
  std::string bar;
  for (std::int64_t i = 0; i < cells; ++i)
    bar += i < told * cells / 100 ? "█" : "░";
  auto number = std::to_string(told) + "%";
  return bar + std::string((cells > 0 ? 5 : 4) - number.size(), ' ') + number;
}

line_style style_of_job(const json& job) {
  if (text_at(job, {"summary"}).rfind("failed", 0) == 0)
    return line_style::bad;
  if (bool_at(job, {"finished"}))
    return line_style::ended;
  return number_at(job, {"running"}) == number_at(job, {"replicas"})
             ? line_style::good
             : line_style::partial;
}

/// Whether `a` comes before `b` in this column; equal ones are neither.
bool sorts_before(const json& a, const json& b, job_column column) {
  switch (column) {
  case job_column::kind:
    return text_at(a, {"kind"}) < text_at(b, {"kind"});
  case job_column::replicas: {
    auto replicas = [](const json& j) {
      return std::pair{number_at(j, {"running"}), number_at(j, {"replicas"})};
    };
    return replicas(a) < replicas(b);
  }
  case job_column::age: // As texts, the latest first: it is the youngest.
    return text_at(a, {"created"}) > text_at(b, {"created"});
  case job_column::summary:
    return text_at(a, {"summary"}) < text_at(b, {"summary"});
  case job_column::job:
    break;
  }
  auto order = [](const json& j) {
    return std::tuple{bool_at(j, {"finished"}), text_at(j, {"namespace"}),
                      text_at(j, {"name"}), text_at(j, {"kind"})};
  };
  return order(a) < order(b);
}

void sort_jobs(std::vector<const json*>& jobs, const top_view& view) {
  auto sort_by = [&](job_column column) {
    std::stable_sort(jobs.begin(), jobs.end(),
                     [&](const json* a, const json* b) {
                       return sorts_before(*a, *b, column);
                     });
  };
  sort_by(job_column::job);
  if (view.sort != job_column::job)
    sort_by(view.sort);
  if (view.reversed)
    std::reverse(jobs.begin(), jobs.end());
}

void add_job_table(styled_lines& out, const json& tree, const top_view* view,
                   std::size_t width) {
  auto jobs = actor_reports_named(tree, "job-supervisor");
  if (jobs.empty())
    return;
  sort_jobs(jobs, view ? *view : top_view{});
  row_cells headings{"JOB", "KIND", is_narrow(width) ? "RUN" : "REPLICAS",
                     "AGE", "SUMMARY"};
  if (view)
    headings[static_cast<std::size_t>(view->sort)] +=
        view->reversed ? " ^" : " v";
  bool some_report = std::any_of(jobs.begin(), jobs.end(), [](const json* j) {
    return k8s::int64_at(*j, {"percent"}).has_value();
  });
  if (some_report)
    headings.insert(headings.end() - 1, is_narrow(width) ? "DONE" : "PROGRESS");
  constexpr std::size_t least_summary = 26;
  table all{std::move(headings), least_summary};
  for (const auto* j : jobs) {
    row_cells row{
        strip_control_characters(text_at(*j, {"namespace"}) + "/"
                                 + text_at(*j, {"name"})),
        strip_control_characters(text_at(*j, {"kind"})),
        std::to_string(number_at(*j, {"running"})) + "/"
            + std::to_string(number_at(*j, {"replicas"})),
        human_duration_between(*j, {"created"}, tree, {"at"}).value_or("?"),
        strip_control_characters(text_at(*j, {"summary"}))};
    if (some_report)
      row.insert(row.end() - 1, training_bar(*j, width));
    all.add_row(std::move(row), style_of_job(*j));
  }
  out.push_back({});
  all.append_lines(out, width);
}

void add_watch_table(styled_lines& out, const json& tree, std::size_t width) {
  auto watches = actor_reports_named(tree, "watcher");
  if (watches.empty())
    return;
  auto order = [](const json* w) {
    return std::tuple{text_at(*w, {"state"}) == "watching",
                      text_at(*w, {"resource"}), text_at(*w, {"apiVersion"}),
                      text_at(*w, {"namespace"})};
  };
  std::sort(watches.begin(), watches.end(),
            [&](const json* a, const json* b) { return order(a) < order(b); });
  table all{
      {"WATCH", "APIVERSION", "NAMESPACE", "STATE", "TROUBLE", "SELECTOR"}};
  for (const auto* w : watches) {
    auto ns = text_at(*w, {"namespace"});
    auto failures = number_at(*w, {"failuresInARow"});
    auto why = strip_control_characters(text_at(*w, {"lastFailure"}));
    bool works = text_at(*w, {"state"}) == "watching";
    auto trouble = failures > 0
                       ? "failed " + once_or_n_times(failures) + ": " + why
                   : works ? ""
                           : why;
    all.add_row({strip_control_characters(text_at(*w, {"resource"})),
                 strip_control_characters(text_at(*w, {"apiVersion"})),
                 ns.empty() ? "all" : strip_control_characters(ns),
                 strip_control_characters(text_at(*w, {"state"})), trouble,
                 strip_control_characters(text_at(*w, {"labelSelector"}))},
                works ? line_style::plain : line_style::bad);
  }
  out.push_back({});
  all.append_lines(out, width);
}

} // namespace

styled_lines make_top_tables(const json& tree, const top_view* view,
                             std::size_t width) {
  styled_lines out;
  for (auto& line : operator_summary_lines(tree))
    out.push_back({width > 0 ? truncate_with_ellipsis(line, width) : line});
  add_job_table(out, tree, view, width);
  add_watch_table(out, tree, width);
  return out;
}

std::vector<std::string> top_lines(const json& tree, std::size_t width) {
  std::vector<std::string> out;
  for (auto& line : make_top_tables(tree, nullptr, width))
    out.push_back(std::move(line.text));
  return out;
}

} // namespace troupe::cli
