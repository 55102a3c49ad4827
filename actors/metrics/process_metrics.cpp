#include "actors/metrics/process_metrics.hpp"

#include <prometheus/metric_type.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <sstream>
#include <sys/resource.h>
#include <unistd.h>

namespace troupe::actors {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

namespace {

/// The fields of /proc/self/stat that are exported.
struct process_stat {
  double cpu_seconds = 0;
  double start_seconds = 0; ///< After the machine's start.
  double virtual_bytes = 0;
  double resident_bytes = 0;
};

std::optional<process_stat> read_process_stat() {
  std::ifstream file{"/proc/self/stat"};
  std::string text{std::istreambuf_iterator<char>{file}, {}};
  // The name in parentheses may have anything in it.
  auto end_of_name = text.rfind(')');
  if (end_of_name == std::string::npos)
    return std::nullopt;
  std::istringstream fields{text.substr(end_of_name + 1)};
  std::string skipped;
  auto skip = [&](int n) {
    while (n-- > 0)
      fields >> skipped;
  };
  double user = 0;
  double system = 0;
  double start = 0;
  double size = 0;
  double pages = 0;
  skip(11); // The state is field 3 of proc(5), utime is field 14.
  fields >> user >> system;
  skip(6); // To starttime, field 22.
  fields >> start >> size >> pages;
  if (!fields)
    return std::nullopt;
  auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  return process_stat{(user + system) / ticks, start / ticks, size,
                      pages * static_cast<double>(::sysconf(_SC_PAGESIZE))};
}

/// When the machine was started, in seconds since the epoch.
std::optional<double> read_boot_time() {
  std::ifstream file{"/proc/stat"};
  std::string word;
  while (file >> word) {
    if (word == "btime") {
      double seconds = 0;
      if (file >> seconds)
        return seconds;
      break;
    }
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return std::nullopt;
}

std::optional<double> count_open_files() {
  std::error_code failed;
  std::filesystem::directory_iterator all{"/proc/self/fd", failed};
  if (failed)
    return std::nullopt;
  // The directory itself is open while it is read.
  return static_cast<double>(
      std::distance(begin(all), std::filesystem::directory_iterator{}) - 1);
}

MetricFamily single_value_family(MetricType type, const char* name,
                                 const char* help, double value) {
  MetricFamily f{name, help, type, {}};
  ClientMetric m;
  if (type == MetricType::Counter)
    m.counter.value = value;
  else
    m.gauge.value = value;
  f.metric.push_back(std::move(m));
  return f;
}

} // namespace

std::vector<MetricFamily> process_metric_families() {
  std::vector<MetricFamily> all;
  auto gauge = [&](const char* name, const char* help, double value) {
    all.push_back(single_value_family(MetricType::Gauge, name, help, value));
  };
  if (auto stat = read_process_stat()) {
    all.push_back(single_value_family(
        MetricType::Counter, "process_cpu_seconds_total",
        "User and system CPU time spent, in seconds", stat->cpu_seconds));
    gauge("process_resident_memory_bytes", "Resident memory",
          stat->resident_bytes);
    gauge("process_virtual_memory_bytes", "Virtual memory",
          stat->virtual_bytes);
    if (auto boot = read_boot_time())
      gauge("process_start_time_seconds",
            "Start of the process, in seconds since the epoch",
            *boot + stat->start_seconds);
  }
  if (auto n = count_open_files())
    gauge("process_open_fds", "Open file descriptors", *n);
  auto limit = [&](auto what, const char* name, const char* help) {
    rlimit r{};
    if (::getrlimit(what, &r) == 0)
      // No limit is the largest number, as in Prometheus' own clients.
      gauge(name, help,
            static_cast<double>(r.rlim_cur == RLIM_INFINITY
                                    ? std::numeric_limits<std::uint64_t>::max()
                                    : r.rlim_cur));
  };
  limit(RLIMIT_NOFILE, "process_max_fds", "File descriptors at most");
  limit(RLIMIT_AS, "process_virtual_memory_max_bytes",
        "Virtual memory at most");
  return all;
}

MetricFamily request_count_family(const k8s::request_counts& answers) {
  MetricFamily f{"rest_client_requests_total",
                 "Calls to the API server, watches included, by HTTP status",
                 MetricType::Counter,
                 {}};
  for (const auto& row : answers.rows()) {
    ClientMetric m;
    m.label = {
        {"code", row.status == 0 ? "<error>" : std::to_string(row.status)},
        {"host", answers.host()},
        {"method", row.method}};
    m.counter.value = static_cast<double>(row.times);
    f.metric.push_back(std::move(m));
  }
  return f;
}

} // namespace troupe::actors
