#include "tests/exploration/encoder.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace troupe::exploration {

namespace {

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  __extension__ using wide = unsigned __int128;
  auto product = static_cast<wide>(a) * b;
  return static_cast<std::uint64_t>(product)
         ^ static_cast<std::uint64_t>(product >> 64U);
}

std::uint64_t load(const char* p) {
  std::uint64_t n = 0;
  std::memcpy(&n, p, sizeof n);
  return n;
}

constexpr std::uint64_t k0 = 0xa0761d6478bd642f;
constexpr std::uint64_t k1 = 0xe7037ed1a0b428db;
constexpr std::uint64_t k2 = 0x8ebc6af09c88c6e3;
constexpr std::uint64_t k3 = 0x589965cc75374cc3;

/// Two independent hashes of 64 bits.
fingerprint hash_of(std::string& bytes) {
  auto length = bytes.size();
  bytes.resize((length + 31) / 16 * 16);
  fingerprint f{length ^ k2, length ^ k3};
  for (std::size_t i = 0; i < bytes.size(); i += 16) {
    auto a = load(bytes.data() + i);
    auto b = load(bytes.data() + i + 8);
    f.high = mix(a ^ k0 ^ f.high, b ^ k1);
    f.low = mix(b ^ k2 ^ f.low, a ^ k3) + f.low;
  }
  f.high = mix(f.high ^ k2, k0);
  f.low = mix(f.low ^ k1, k3);
  bytes.resize(length);
  return f;
}

} // namespace

void encoder::reset(k8s::time_point now) {
  now_ = now;
  out_.clear();
  for (auto& domain : ranked_)
    domain.clear();
}

void encoder::number(std::uint64_t n) {
  do {
    byte((n & 0x7FU) | (n > 0x7F ? 0x80U : 0U));
    n >>= 7U;
  } while (n > 0);
}

void encoder::text(std::string_view s) {
  number(s.size());
  out_ += s;
}

void encoder::ranked(std::size_t domain, std::uint64_t value) {
  ranked_[domain].push_back({value, out_.size()});
  out_ += '\0';
}

void encoder::list_version(std::uint64_t v) {
  byte(v > 0 ? 1 : 0);
  if (v == 0)
    return;
  for (std::size_t slot = 0; slot < most_slots; ++slot)
    version(static_cast<int>(slot), v);
}

void encoder::pod(int slot, int number) {
  byte(static_cast<std::uint64_t>(slot + 1));
  if (slot >= 0)
    ranked(first_number + static_cast<std::size_t>(slot),
           static_cast<std::uint64_t>(number));
}

namespace {

std::uint64_t seconds_of(k8s::time_point t) {
  return static_cast<std::uint64_t>(
      std::chrono::floor<std::chrono::seconds>(t).time_since_epoch().count());
}

} // namespace

void encoder::moment(std::size_t field, k8s::time_point t) {
  auto domain = times + field;
  if (ranked_[domain].empty())
    ranked(domain, seconds_of(now_));
  ranked(domain, seconds_of(t));
}

void encoder::due(k8s::time_point t) {
  auto ahead = t <= now_ ? k8s::time_point::duration{0} : t - now_;
  number(static_cast<std::uint64_t>(ahead / std::chrono::milliseconds{1}));
}

void encoder::age(k8s::time_point t, k8s::time_point::duration most) {
  auto past = t == k8s::time_point{} ? most : std::min(now_ - t, most);
  number(static_cast<std::uint64_t>(std::max(past, k8s::time_point::duration{0})
                                    / std::chrono::milliseconds{1}));
}

fingerprint encoder::finish() {
  std::vector<std::uint64_t> values;
  for (const auto& domain : ranked_) {
    values.clear();
    for (const auto& e : domain)
      values.push_back(e.value);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    if (values.size() > 255)
      throw std::runtime_error("a state with too many numbers");
    for (const auto& e : domain)
      out_[e.place] = static_cast<char>(
          std::lower_bound(values.begin(), values.end(), e.value)
          - values.begin());
  }
  return hash_of(out_);
}

} // namespace troupe::exploration
