#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace troupe::k8s {

/// The secret of a keyed hash.
using hash_key = std::array<std::uint64_t, 2>;

/// A key that nobody outside this process knows.
hash_key make_random_hash_key();

/// SipHash-2-4 of some bytes. Nobody can find two texts with the same hash
/// without the key.
std::uint64_t keyed_hash(const hash_key& key, std::string_view bytes);

/// The same for several texts. Their lengths count, so {"ab", "c"} and {"a",
/// "bc"} differ.
std::uint64_t keyed_hash(const hash_key& key,
                         std::initializer_list<std::string_view> texts);

} // namespace troupe::k8s
