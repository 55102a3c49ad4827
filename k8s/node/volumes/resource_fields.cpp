#include "k8s/node/volumes/resource_fields.hpp"

#include "k8s/node/base/pod_fields.hpp"

#include <limits>
#include <string_view>
#include <sys/statvfs.h>
#include <unistd.h>

namespace troupe::k8s::node {

namespace {

// NOLINTNEXTLINE(modernize-use-using): an alias cannot be an extension.
__extension__ typedef unsigned __int128 wide;

/// Far more than any machine has, in thousandths.
constexpr wide most_milli = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t most_digits = 18;

struct unit {
  std::string_view suffix;
  wide times; ///< In billionths.
};

constexpr wide giga = 1'000'000'000;

const unit units[] = {
    {"n", 1},
    {"u", 1'000},
    {"m", 1'000'000},
    {"", giga},
    {"k", giga * 1'000},
    {"M", giga * 1'000'000},
    {"G", giga* giga},
    {"T", giga* giga * 1'000},
    {"P", giga* giga * 1'000'000},
    {"E", giga* giga* giga},
    {"Ki", giga << 10},
    {"Mi", giga << 20},
    {"Gi", giga << 30},
    {"Ti", giga << 40},
    {"Pi", giga << 50},
    {"Ei", giga << 60},
};

const unit* find_unit(std::string_view suffix) {
  for (const auto& u : units)
    if (u.suffix == suffix)
      return &u;
  return nullptr;
}

/// "e3" and "E3" are a thousand.
std::optional<wide> power_of_ten_in_billionths(std::string_view text) {
  if (text.size() < 2 || text.size() > 3 || (text[0] | 0x20) != 'e')
    return std::nullopt;
  int exponent = 0;
  for (char c : text.substr(1)) {
    if (c < '0' || c > '9')
      return std::nullopt;
    exponent = exponent * 10 + (c - '0');
  }
  if (exponent > 18)
    return std::nullopt;
  auto times = giga;
  for (int i = 0; i < exponent; ++i)
    times *= 10;
  return times;
}

wide divide_rounding_up(wide a, wide b) {
  return a / b + (a % b == 0 ? 0 : 1);
}

std::optional<std::int64_t> parse_milli_text(std::string_view text) {
  wide digits = 0, parts = 1;
  std::size_t count = 0, i = !text.empty() && text[0] == '+' ? 1 : 0;
  bool has_point = false;
  for (; i < text.size(); ++i) {
    if (text[i] == '.' && !has_point) {
      has_point = true;
    } else if (text[i] >= '0' && text[i] <= '9') {
      if (++count > most_digits)
        return std::nullopt;
      digits = digits * 10 + static_cast<wide>(text[i] - '0');
      parts *= has_point ? 10 : 1;
    } else {
      break;
    }
  }
  auto suffix = text.substr(i);
  std::optional<wide> times;
  if (const auto* u = find_unit(suffix))
    times = u->times;
  else
    times = power_of_ten_in_billionths(suffix);
  // digits < 2^60; with the largest unit, 2^90, the product would not fit.
  if (count == 0 || !times || (digits > 0 && *times > ~wide{0} / digits))
    return std::nullopt;
  auto milli = divide_rounding_up(digits * *times, parts * 1'000'000);
  if (milli > most_milli)
    return std::nullopt;
  return static_cast<std::int64_t>(milli);
}

const json* find_container(const json& pod, const std::string& name) {
  for (auto list : {"containers", "initContainers"})
    for (const auto& c : list_at(value_at(pod, {"spec"}), list))
      if (text_at(c, {"name"}) == name)
        return &c;
  return nullptr;
}

/// Of a container that says nothing itself; 0: the node has none either.
std::int64_t host_milli_amount_or_zero(const std::string& resource,
                                       const host_resources& host) {
  if (resource == "cpu")
    return host.milli_cpus;
  if (resource == "memory")
    return host.memory * 1000;
  return resource == "ephemeral-storage" ? host.storage * 1000 : 0;
}

bool is_known_resource(const std::string& name) {
  return name == "cpu" || name == "memory" || name == "ephemeral-storage"
         || name.rfind("hugepages-", 0) == 0;
}

failure wrong_reference_failure(const std::string& why) {
  return {ec::invalid, "resourceFieldRef: " + why};
}

} // namespace

host_resources read_host_resources() {
  host_resources host;
  host.milli_cpus = ::sysconf(_SC_NPROCESSORS_ONLN) * 1000;
  host.memory = static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES))
                * ::sysconf(_SC_PAGESIZE);
  struct statvfs root {};
  if (::statvfs("/", &root) == 0)
    host.storage = static_cast<std::int64_t>(root.f_blocks)
                   * static_cast<std::int64_t>(root.f_frsize);
  return host;
}

std::optional<std::int64_t> parse_milli_quantity(const json& quantity) {
  if (quantity.is_string())
    return parse_milli_text(quantity.get_ref<const std::string&>());
  return quantity.is_number() ? parse_milli_text(to_text(quantity))
                              : std::nullopt;
}

result<std::string> resource_field_text(const json& pod, const json* own,
                                        const json& reference,
                                        const host_resources& host) {
  const auto& name = text_at(reference, {"containerName"});
  const auto* container = name.empty() ? own : find_container(pod, name);
  if (!container)
    return wrong_reference_failure("containerName \"" + name
                                   + "\" is no container of the pod");
  const auto& path = text_at(reference, {"resource"});
  auto dot = path.find('.');
  auto list = path.substr(0, dot);
  auto resource = dot == path.npos ? "" : path.substr(dot + 1);
  if ((list != "limits" && list != "requests") || !is_known_resource(resource))
    return wrong_reference_failure("unsupported container resource: " + path);
  // Requests that are not given are the limits.
  const json* amount =
      &value_at(*container, {"resources", list.c_str(), resource.c_str()});
  if (amount->is_null() && list == "requests")
    amount = &value_at(*container, {"resources", "limits", resource.c_str()});
  std::int64_t milli = 0;
  if (!amount->is_null()) {
    auto given = parse_milli_quantity(*amount);
    if (!given)
      return wrong_reference_failure(path
                                     + " is no quantity: " + to_text(*amount));
    milli = *given;
  } else if (list == "limits") {
    milli = host_milli_amount_or_zero(resource, host);
  }
  const auto& given_divisor = value_at(reference, {"divisor"});
  auto divisor = given_divisor.is_null() ? std::optional<std::int64_t>{0}
                                         : parse_milli_quantity(given_divisor);
  if (!divisor)
    return wrong_reference_failure("divisor is no quantity: "
                                   + to_text(given_divisor));
  if (*divisor == 0) // As Kubernetes stores a divisor that is not given.
    *divisor = 1000;
  return std::to_string(static_cast<std::int64_t>(divide_rounding_up(
      static_cast<wide>(milli), static_cast<wide>(*divisor))));
}

} // namespace troupe::k8s::node
