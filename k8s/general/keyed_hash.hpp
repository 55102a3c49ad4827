#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace troupe::k8s {

/// Secret of a keyed hash.
using hash_key = std::array<std::uint64_t, 2>;

/// One that nobody outside this process knows.
hash_key make_random_hash_key();

/// SipHash-2-4 of some bytes: who does not know the key cannot find two texts
/// with the same hash.
std::uint64_t keyed_hash(const hash_key& key, std::string_view bytes);

/// The same of several texts: their lengths count, so {"ab", "c"} and {"a",
/// "bc"} differ.
std::uint64_t keyed_hash(const hash_key& key,
                         std::initializer_list<std::string_view> texts);

} // namespace troupe::k8s
