#include "actors/cli/progress/progress_table.hpp"

#include "actors/admin/text/terminal_text.hpp"
#include "frameworks/core/base/quantity.hpp"
#include "k8s/json.hpp"
#include "k8s/text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace troupe::cli {

using actors::pad_right;
using actors::strip_control_characters;
using k8s::array_at;
using k8s::text_at;

namespace {

constexpr std::size_t longest_bar = 20;

std::string sanitize_and_fit_line(const std::string& text, std::size_t width) {
  return actors::truncate_with_ellipsis(strip_control_characters(text), width);
}

struct bar_part {
  const char* cell;
  std::size_t replicas;
};

/// "██▓▓░": those that have succeeded, run, wait, and have failed. A cell is a
/// replica, or an equal share of more than fit.
std::string progress_bar(const std::vector<replica_view>& all) {
  std::array<bar_part, 4> parts{{{"█", 0}, {"▓", 0}, {"░", 0}, {"×", 0}}};
  for (const auto& v : all) {
    auto part = v.phase == "Succeeded" || v.phase == "Stopped" ? 0
                : v.phase == "Running"                         ? 1
                : v.phase == "Failed"                          ? 3
                                                               : 2;
    ++parts[static_cast<std::size_t>(part)].replicas;
  }
  auto cells = std::min(all.size(), longest_bar);
  std::string bar;
  std::size_t before = 0;
  for (const auto& part : parts) {
    auto after = before + part.replicas;
    // Rounded at the borders, so that the sum is right.
    for (auto i = before * cells / all.size(); i < after * cells / all.size();
         ++i)
      bar += part.cell;
    before = after;
  }
  return bar;
}

/// "  ██████████░░░░░░░░░░  45%, 3m left, loss 0.2347"; "" if nothing was told.
std::string training_line(const training_view& v) {
  auto text = describe_training(v);
  if (text.empty())
    return {};
  std::string bar;
  if (v.percent) {
    auto done =
        static_cast<std::size_t>(std::clamp<std::int64_t>(*v.percent, 0, 100))
        * longest_bar / 100;
    for (std::size_t i = 0; i < longest_bar; ++i)
      bar += i < done ? "█" : "░";
    bar += "  ";
  }
  return "  " + bar + text;
}

/// A long name is cut, so that state and counts are seen.
std::string table_heading(const progress& seen,
                          const std::vector<replica_view>& all,
                          std::size_t width) {
  std::map<std::string, int> phases;
  for (const auto& v : all)
    ++phases[v.phase];
  const auto& state = seen.job().state;
  auto head = "  " + (state.empty() ? std::string{"new"} : state);
  if (auto attempt = seen.job().attempt.attempt; attempt > 0)
    head += ", attempt " + std::to_string(attempt);
  if (!all.empty())
    head += "  " + progress_bar(all);
  for (const auto& [phase, count] : phases)
    head += "  " + std::to_string(count) + " " + phase;
  constexpr std::size_t least_title = 24;
  auto room = width - std::min(width, actors::column_count(head));
  return actors::truncate_in_middle(strip_control_characters(seen.title()),
                                    std::max(room, least_title))
         + head;
}

std::string running_time_text(const replica_view& v, k8s::time_point now) {
  if (!v.started)
    return "-";
  return k8s::human_duration(std::chrono::duration_cast<std::chrono::seconds>(
      v.ended.value_or(now) - *v.started));
}

std::string describe_amounts(double used, const char* unit,
                             std::int64_t bytes) {
  char text[64];
  std::snprintf(text, sizeof text, "%5.2f %s %6lld MiB", used, unit,
                static_cast<long long>(bytes >> 20));
  return text;
}

/// " 0.52 CPU    113 MiB", and the same of its GPUs if these are known.
std::string describe_usage(const k8s::resource_usage& used) {
  auto text = describe_amounts(used.cpu, "CPU", used.memory);
  if (used.gpus)
    text += "  " + describe_amounts(used.gpus->busy, "GPU", used.gpus->memory);
  return text;
}

/// How wide the longest of the descriptions is.
std::size_t usage_column_width(const usage_by_pod& used) {
  k8s::resource_usage widest;
  for (const auto& [pod, usage] : used)
    if (usage.gpus)
      widest.gpus.emplace();
  return describe_usage(widest).size();
}

/// An amount in thousandths.
std::int64_t usage_in_milli_units(const nlohmann::json& container,
                                  const char* what) {
  auto amount = core::quantity::parse(text_at(container, {"usage", what}));
  if (!amount)
    return 0;
  *amount *= 1000;
  return amount->round_up();
}

} // namespace

usage_by_pod read_pod_usage(const nlohmann::json& list) {
  usage_by_pod out;
  for (const auto& pod : array_at(list, {"items"})) {
    auto& sum = out[text_at(pod, {"metadata", "name"})];
    for (const auto& c : array_at(pod, {"containers"})) {
      sum.cpu += static_cast<double>(usage_in_milli_units(c, "cpu")) / 1000;
      sum.memory += usage_in_milli_units(c, "memory") / 1000;
      if (!k8s::find_value(c, {"usage", "nvidia.com/gpu"}))
        continue;
      auto gpus = sum.gpus.value_or(k8s::gpu_usage{});
      gpus.busy +=
          static_cast<double>(usage_in_milli_units(c, "nvidia.com/gpu")) / 1000;
      gpus.memory += usage_in_milli_units(c, "nvidia.com/gpu-memory") / 1000;
      sum.gpus = gpus;
    }
  }
  return out;
}

std::vector<table_line> make_job_table(const progress& seen,
                                       const usage_by_pod& used,
                                       k8s::time_point now, std::size_t width,
                                       std::size_t height) {
  std::vector<table_line> lines;
  if (height == 0)
    return lines;
  auto all = seen.replicas();
  lines.push_back(
      {sanitize_and_fit_line(table_heading(seen, all, width), width)});
  if (auto line = training_line(seen.job().training);
      !line.empty() && lines.size() < height)
    lines.push_back({sanitize_and_fit_line(line, width)});
  const auto heads = lines.size();
  std::size_t longest = 0;
  for (const auto& v : all)
    longest = std::max(longest, v.slot.size());
  // What does not fit is in the counts of the head.
  for (const auto& v : all) {
    if (lines.size() == height)
      break;
    if (lines.size() + 1 == height && all.size() + heads > height) {
      lines.push_back({sanitize_and_fit_line(
          "  and " + std::to_string(all.size() + heads + 1 - height) + " more",
          width)});
      break;
    }
    auto line = "  " + pad_right(v.slot, longest) + "  "
                + pad_right(running_time_text(v, now), 6) + "  ";
    if (!used.empty()) {
      // The latest figures may be of the pod before, which had this name.
      auto usage = v.phase == "Pending" ? used.end() : used.find(v.pod);
      line +=
          pad_right(usage == used.end() ? "-" : describe_usage(usage->second),
                    usage_column_width(used) + 2);
    }
    lines.push_back({sanitize_and_fit_line(line + describe_replica(v), width),
                     v.phase == "Failed"});
  }
  return lines;
}

} // namespace troupe::cli
