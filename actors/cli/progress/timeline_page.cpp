#include "actors/cli/progress/timeline_page.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace troupe::cli {

namespace {

using k8s::time_point;

// In units of the picture, which is as wide as the window.
constexpr int label_width = 170;
constexpr int chart_width = 800;
constexpr int row_height = 20;
constexpr int axis_height = 24;

constexpr const char* page_head = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>)";

constexpr const char* page_style = R"(</title><style>
:root{color-scheme:light dark}
body{font:14px system-ui,sans-serif;margin:1.5em;max-width:80em}
h1{font-size:1.3em}
svg{width:100%;height:auto}
svg text{font:11px system-ui,sans-serif;fill:currentColor}
line{stroke:currentColor;opacity:.2}
rect,.key{fill:#7c8aa0;background:#7c8aa0}
.Pending,.Created,.Queued,.Suspended{fill:#a9b4c4;background:#a9b4c4}
.Running{fill:#3b82f6;background:#3b82f6}
.Succeeded{fill:#16a34a;background:#16a34a}
.Failed{fill:#dc2626;background:#dc2626}
.Restarting,.Stalled,.Ending{fill:#f59e0b;background:#f59e0b}
.key{display:inline-block;width:.9em;height:.9em;margin:0 .3em 0 1em}
td{padding-right:1em;vertical-align:top}
</style></head><body>
)";

std::string escape_html(const std::string& text) {
  std::string out;
  for (char c : text)
    switch (c) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    default:
      out += c;
    }
  return out;
}

double seconds_between(time_point begin, time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

/// "0.25 s", "12 s", "3 min", "2 h".
std::string axis_time_text(double seconds) {
  auto number = [](double value, const char* unit) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g %s", value, unit);
    return std::string(text);
  };
  if (seconds < 120)
    return number(seconds, "s");
  return seconds < 7200 ? number(seconds / 60, "min")
                        : number(seconds / 3600, "h");
}

/// The distance of ticks on an axis of so many seconds: at most ten.
double axis_tick_seconds(double seconds) {
  constexpr double steps[] = {0.1,  0.2,  0.5,  1,     2,    5,   10,
                              20,   30,   60,   120,   300,  600, 1200,
                              1800, 3600, 7200, 14400, 43200};
  for (auto step : steps)
    if (seconds / step <= 10)
      return step;
  return std::ceil(seconds / 10 / 86400) * 86400;
}

/// Where times are in the picture.
struct scale {
  time_point begin;
  time_point end;

  double length_seconds() const {
    return std::max(0.1, seconds_between(begin, end));
  }
  int x_coordinate(time_point t) const {
    auto share =
        seconds_between(begin, std::clamp(t, begin, end)) / length_seconds();
    return label_width + static_cast<int>(std::lround(share * chart_width));
  }
};

bool is_end_state(const std::string& state) {
  return state == "Succeeded" || state == "Failed" || state == "Stopped";
}

std::string svg_attribute(const char* name, int value) {
  return std::string(" ") + name + "=\"" + std::to_string(value) + "\"";
}

/// A bar; a thin one for what has ended and is still there.
std::string span_svg(const timeline_span& s, int y, const scale& times) {
  auto end = s.end.value_or(times.end);
  auto left = times.x_coordinate(s.begin);
  auto thickness = is_end_state(s.state) ? 6 : row_height - 6;
  auto tooltip = s.state + " from "
                 + axis_time_text(seconds_between(times.begin, s.begin))
                 + " for " + axis_time_text(seconds_between(s.begin, end));
  if (!s.note.empty() && s.note != s.state)
    tooltip += ": " + s.note;
  return "<rect class=\"" + escape_html(s.state) + "\""
         + svg_attribute("x", left)
         + svg_attribute("y", y + (row_height - thickness) / 2)
         + svg_attribute("width", std::max(2, times.x_coordinate(end) - left))
         + svg_attribute("height", thickness) + "><title>"
         + escape_html(tooltip) + "</title></rect>\n";
}

std::string text_svg(int x, int y, const std::string& text) {
  return "<text" + svg_attribute("x", x) + svg_attribute("y", y) + ">"
         + escape_html(text) + "</text>\n";
}

std::string row_svg(const timeline_row& row, int y, const scale& times) {
  auto out = text_svg(0, y + row_height - 6, row.name);
  for (const auto& s : row.spans)
    out += span_svg(s, y, times);
  return out;
}

std::string axis_svg(int height, const scale& times) {
  std::string out;
  auto step = axis_tick_seconds(times.length_seconds());
  for (double t = 0; t <= times.length_seconds(); t += step) {
    auto x = label_width
             + static_cast<int>(
                 std::lround(t / times.length_seconds() * chart_width));
    out += "<line" + svg_attribute("x1", x) + svg_attribute("x2", x)
           + svg_attribute("y1", 0) + svg_attribute("y2", height) + "/>\n"
           + text_svg(x + 2, height + axis_height - 10, axis_time_text(t));
  }
  return out;
}

std::string job_svg(const timeline& job, const scale& times) {
  auto pods = job.pod_rows();
  auto height = row_height * (1 + static_cast<int>(pods.size()));
  auto out =
      "<svg viewBox=\"0 0 " + std::to_string(label_width + chart_width + 30)
      + " " + std::to_string(height + axis_height) + "\">\n"
      + axis_svg(height, times) + row_svg(job.job_timeline_row(), 0, times);
  int y = row_height;
  for (const auto& row : pods) {
    out += row_svg(row, y, times);
    y += row_height;
  }
  return out + "</svg>\n";
}

std::string warnings_html(const timeline& job, const scale& times) {
  if (job.recorded_warnings().empty())
    return "";
  std::string out = "<table>\n";
  for (const auto& w : job.recorded_warnings())
    out += "<tr><td>" + axis_time_text(seconds_between(times.begin, w.at))
           + "</td><td>" + escape_html(w.text) + "</td></tr>\n";
  return out + "</table>\n";
}

std::string legend_html() {
  std::string out = "<p>";
  for (auto state : {"Pending", "Running", "Restarting", "Succeeded", "Failed"})
    out += std::string("<span class=\"key ") + state + "\"></span>" + state;
  return out + "</p>\n";
}

/// From the first thing that was seen.
time_point earliest_time(const std::vector<const timeline*>& jobs,
                         time_point now) {
  auto out = now;
  auto look = [&](const timeline_row& row) {
    if (!row.spans.empty())
      out = std::min(out, row.spans.front().begin);
  };
  for (const auto* job : jobs) {
    look(job->job_timeline_row());
    for (const auto& row : job->pod_rows())
      look(row);
  }
  return out;
}

} // namespace

std::string make_timeline_page(const std::vector<const timeline*>& jobs,
                               time_point now) {
  scale times{earliest_time(jobs, now), now};
  std::string title;
  for (const auto* job : jobs)
    title += (title.empty() ? "" : ", ") + job->title();
  auto out = page_head + escape_html(title) + page_style;
  for (const auto* job : jobs) {
    const auto& states = job->job_timeline_row().spans;
    out += "<h1>" + escape_html(job->title())
           + (states.empty() ? "" : ": " + escape_html(states.back().state))
           + "</h1>\n" + job_svg(*job, times) + warnings_html(*job, times);
  }
  return out + legend_html() + "<p>Seconds since "
         + k8s::to_rfc3339(times.begin)
         + ", by troupe run.</p>\n</body></html>\n";
}

} // namespace troupe::cli
