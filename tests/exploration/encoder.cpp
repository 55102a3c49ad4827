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

void encoder::reset(const pod_places& places, k8s::time_point now) {
  places_ = &places;
  now_ = now;
  at_ = 0;
  names_ = 0;
  for (auto& p : parts_)
    p.clear();
  for (auto& domain : ranked_)
    domain.clear();
}

void encoder::number(std::uint64_t n) {
  while (n > 0x7F) {
    byte(n | 0x80U);
    n >>= 7U;
  }
  byte(n);
}

void encoder::text(std::string_view s) {
  number(s.size());
  parts_[at_] += s;
}

namespace {

/// In place of a name; no text has such a character.
constexpr char name_mark = 1;
constexpr std::uint64_t name_tag = 0xF0;

} // namespace

void encoder::naming_text(std::string_view s) {
  for (std::size_t begin = 0;;) {
    std::size_t found = std::string_view::npos;
    std::size_t slot = 0;
    for (std::size_t i = 0; i < places_->names.size(); ++i)
      if (auto at = s.find(places_->names[i], begin); at < found) {
        found = at;
        slot = i;
      }
    if (found == std::string_view::npos)
      return text(s.substr(begin));
    text(s.substr(begin, found - begin));
    byte(name_mark);
    ++names_;
    number(names_);
    begin = found + places_->names[slot].size();
    part p{*this, static_cast<int>(slot), name_tag};
    number(names_);
  }
}

void encoder::ranked(std::size_t domain, std::uint64_t value) {
  auto& p = parts_[at_];
  ranked_[domain].push_back({value, static_cast<std::uint32_t>(at_),
                             static_cast<std::uint32_t>(p.size())});
  p += '\0';
}

void encoder::list_version(std::uint64_t v) {
  byte(v > 0 ? 1 : 0);
  if (v == 0)
    return;
  constexpr std::uint64_t list_tag = 0xF1;
  for (std::size_t slot = 0; slot < places_->names.size(); ++slot) {
    part p{*this, static_cast<int>(slot), list_tag};
    version(v);
  }
}

void encoder::pod(int number) {
  ranked(first_number + at_, static_cast<std::uint64_t>(number));
}

void encoder::pod_if_written(int slot, int number, std::uint64_t tag) {
  auto domain = first_number + static_cast<std::size_t>(slot + 1);
  auto value = static_cast<std::uint64_t>(number);
  const auto& all = ranked_[domain];
  if (std::none_of(all.begin(), all.end(),
                   [&](const entry& e) { return e.value == value; }))
    return;
  part p{*this, slot, tag};
  pod(number);
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

void encoder::replace_by_ranks() {
  for (const auto& domain : ranked_) {
    if (domain.empty())
      continue;
    values_.clear();
    for (const auto& e : domain) {
      auto i = std::lower_bound(values_.begin(), values_.end(), e.value);
      if (i == values_.end() || *i != e.value)
        values_.insert(i, e.value);
    }
    if (values_.size() > 255)
      throw std::runtime_error("a state with too many numbers");
    for (const auto& e : domain)
      parts_[e.part][e.place] = static_cast<char>(
          std::lower_bound(values_.begin(), values_.end(), e.value)
          - values_.begin());
  }
}

void encoder::sort_groups() {
  for (const auto& group : places_->groups)
    for (std::size_t i = 1; i < group.size(); ++i)
      for (std::size_t j = i; j > 0; --j) {
        auto& before = parts_[static_cast<std::size_t>(group[j - 1] + 1)];
        auto& here = parts_[static_cast<std::size_t>(group[j] + 1)];
        if (!(here < before))
          break;
        here.swap(before);
      }
}

fingerprint encoder::finish() {
  replace_by_ranks();
  sort_groups();
  all_.clear();
  for (std::size_t i = 0; i <= places_->names.size(); ++i) {
    auto size = static_cast<std::uint32_t>(parts_[i].size());
    all_.append(reinterpret_cast<const char*>(&size), sizeof size);
    all_ += parts_[i];
  }
  return hash_of(all_);
}

} // namespace troupe::exploration
