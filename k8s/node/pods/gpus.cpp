#include "k8s/node/pods/gpus.hpp"

#include "k8s/node/base/pod_fields.hpp"
#include "k8s/text.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>

namespace troupe::k8s::node {

namespace {

constexpr const char* gpu_resource = "nvidia.com/gpu";

std::optional<int> parse_device_index(std::string_view text) {
  int out = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{} || end != text.data() + text.size() || out < 0)
    return std::nullopt;
  return out;
}

/// The indexes in CUDA_VISIBLE_DEVICES; nullopt if it names devices otherwise.
std::optional<std::vector<int>> parse_visible_devices(const std::string& text) {
  std::vector<int> out;
  for (const auto& part : split_without_empty_parts(text, ',')) {
    auto index = parse_device_index(part);
    if (!index)
      return std::nullopt;
    out.push_back(*index);
  }
  return out;
}

/// A count of devices, which is a whole number as text or number. Bounded, so
/// that the counts of all containers can be summed up.
std::int64_t parse_device_count_or_zero(const json& quantity) {
  constexpr std::int64_t most = INT32_MAX;
  if (quantity.is_number_integer())
    return std::clamp<std::int64_t>(int64_at(quantity, {}).value_or(most), 0,
                                    most);
  return quantity.is_string()
             ? parse_device_index(quantity.get_ref<const std::string&>())
                   .value_or(0)
             : 0;
}

using device_counts = std::map<std::string, std::int64_t>;

void add_requested_devices(const json& container, device_counts& sum) {
  // Requests of devices equal limits, and may be left out.
  const auto& limits = value_at(container, {"resources", "limits"});
  if (!limits.is_object())
    return;
  for (const auto& [name, quantity] : limits.items())
    if (is_device_resource(name))
      sum[name] += parse_device_count_or_zero(quantity);
}

device_counts sum_devices_without_init_containers(const json& pod) {
  device_counts out;
  for (const auto& c : list_at(value_at(pod, {"spec"}), "containers"))
    add_requested_devices(c, out);
  return out;
}

} // namespace

std::vector<int> find_nvidia_gpus(const std::string& device_directory,
                                  const char* visible) {
  std::set<int> found;
  std::error_code ignored; // No directory, no devices.
  for (const auto& entry :
       std::filesystem::directory_iterator(device_directory, ignored)) {
    auto file = entry.path().filename().string();
    std::string_view name = file;
    if (auto index = remove_prefix(name, "nvidia") ? parse_device_index(name)
                                                   : std::nullopt)
      found.insert(*index);
  }
  auto chosen = parse_visible_devices(visible ? visible : "");
  if (!visible || !chosen)
    return {found.begin(), found.end()};
  std::vector<int> out;
  std::sort(chosen->begin(), chosen->end());
  std::set_intersection(found.begin(), found.end(), chosen->begin(),
                        chosen->end(), std::back_inserter(out));
  return out;
}

bool is_device_resource(const std::string& name) {
  return name.find('/') != name.npos
         && name.find("kubernetes.io/") == name.npos;
}

std::size_t count_gpus_without_init_containers(const json& pod) {
  return static_cast<std::size_t>(
      sum_devices_without_init_containers(pod)[gpu_resource]);
}

bool requests_gpus(const json& pod, const std::string& container) {
  device_counts requested;
  for (const auto& c : list_at(value_at(pod, {"spec"}), "containers"))
    if (text_at(c, {"name"}) == container)
      add_requested_devices(c, requested);
  return requested[gpu_resource] > 0;
}

std::optional<start_error> find_unmeetable_gpu_request(const json& pod,
                                                       std::size_t gpus) {
  auto requested = count_gpus_without_init_containers(pod);
  if (gpus == 0 || requested <= gpus)
    return std::nullopt;
  return start_error{
      "InsufficientGPUs",
      "requested number of devices unavailable for nvidia.com/gpu. Requested: "
          + std::to_string(requested) + ", Available: " + std::to_string(gpus)};
}

std::string missing_devices_text(const json& pod, std::size_t gpus) {
  std::string out;
  for (const auto& [name, count] : sum_devices_without_init_containers(pod))
    if (count > 0 && (name != gpu_resource || gpus == 0))
      out += (out.empty() ? "" : ", ") + std::to_string(count) + " " + name;
  return out;
}

std::optional<std::vector<int>> gpu_allocator::allocate(const std::string& uid,
                                                        std::size_t count) {
  if (count > free_.size())
    return std::nullopt;
  auto end = std::next(free_.begin(), static_cast<std::ptrdiff_t>(count));
  std::vector<int> out{free_.begin(), end};
  free_.erase(free_.begin(), end);
  if (!out.empty())
    allocated_[uid] = out;
  return out;
}

void gpu_allocator::release(const std::string& uid) {
  auto gpus = allocated_.find(uid);
  if (gpus == allocated_.end())
    return;
  free_.insert(gpus->second.begin(), gpus->second.end());
  allocated_.erase(gpus);
}

} // namespace troupe::k8s::node
