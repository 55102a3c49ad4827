#include "k8s/node/usage/process_table.hpp"

#include "k8s/general/files.hpp"

#include <charconv>
#include <filesystem>
#include <sstream>
#include <unistd.h>
#include <vector>

namespace troupe::k8s::node {

namespace {

double ticks_to_seconds(std::int64_t ticks) {
  static const auto per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  return static_cast<double>(ticks) / per_second;
}

std::int64_t pages_to_bytes(std::int64_t pages) {
  static const auto size = static_cast<std::int64_t>(::sysconf(_SC_PAGESIZE));
  return pages * size;
}

std::optional<pid_t> parse_pid(const std::string& name) {
  pid_t pid = 0;
  auto end = name.data() + name.size();
  auto [read, error] = std::from_chars(name.data(), end, pid);
  if (error != std::errc{} || read != end)
    return std::nullopt;
  return pid;
}

} // namespace

std::optional<process_stat> parse_process_stat(const std::string& text) {
  // The name of the program is in parentheses, and may contain some.
  auto name_end = text.rfind(')');
  if (name_end == text.npos)
    return std::nullopt;
  std::istringstream rest{text.substr(name_end + 1)};
  process_stat out;
  std::string word;
  std::int64_t ticks = 0, number = 0;
  // Numbered as in proc(5); the name is the second.
  for (int field = 3; field <= 24; ++field) {
    if (!(rest >> word))
      return std::nullopt;
    if (field == 3) // The state is a letter.
      continue;
    auto end = word.data() + word.size();
    if (std::from_chars(word.data(), end, number).ec != std::errc{}) {
      if (field == 4 || (field >= 14 && field <= 17) || field == 24)
        return std::nullopt;
      continue;
    }
    if (field == 4)
      out.parent = static_cast<pid_t>(number);
    else if (field >= 14 && field <= 17)
      ticks += number;
    else if (field == 24)
      out.memory = pages_to_bytes(number);
  }
  out.cpu_seconds = ticks_to_seconds(ticks);
  return out;
}

void process_table::add_process(pid_t pid, const process_stat& stat) {
  processes_[pid] = stat;
  children_.emplace(stat.parent, pid);
}

resource_usage process_table::sum_usage_of_tree(pid_t root) const {
  resource_usage sum;
  std::vector<pid_t> open{root};
  while (!open.empty()) {
    auto pid = open.back();
    open.pop_back();
    auto process = processes_.find(pid);
    if (process == processes_.end())
      continue;
    sum.cpu += process->second.cpu_seconds;
    sum.memory += process->second.memory;
    auto [begin, end] = children_.equal_range(pid);
    for (auto child = begin; child != end; ++child)
      open.push_back(child->second);
  }
  return sum;
}

process_table read_process_table() {
  process_table all;
  std::error_code ignored; // Processes may end while they are read.
  for (const auto& entry :
       std::filesystem::directory_iterator{"/proc", ignored})
    if (auto pid = parse_pid(entry.path().filename().string()))
      if (auto text = read_file(entry.path().string() + "/stat"))
        if (auto stat = parse_process_stat(*text))
          all.add_process(*pid, *stat);
  return all;
}

resource_usage read_host_usage() {
  resource_usage out;
  if (auto text = read_file("/proc/stat")) {
    std::istringstream line{*text};
    std::string name;
    std::int64_t user = 0, nice = 0, system = 0;
    if (line >> name >> user >> nice >> system)
      out.cpu = ticks_to_seconds(user + nice + system);
  }
  if (auto text = read_file("/proc/meminfo")) {
    std::istringstream lines{*text};
    std::string name, unit;
    std::int64_t kibibytes = 0;
    while (lines >> name >> kibibytes && std::getline(lines, unit)) {
      if (name == "MemTotal:")
        out.memory += kibibytes * 1024;
      else if (name == "MemAvailable:")
        out.memory -= kibibytes * 1024;
    }
  }
  return out;
}

} // namespace troupe::k8s::node
