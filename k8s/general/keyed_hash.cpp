#include "k8s/general/keyed_hash.hpp"

#include <random>
#include <string>

namespace troupe::k8s {

namespace {

constexpr std::uint64_t rotate_left(std::uint64_t x, int by) {
  return (x << by) | (x >> (64 - by));
}

/// Of the first `size` bytes, the lowest first.
std::uint64_t read_little_endian(const char* bytes, std::size_t size) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < size; ++i)
    word |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return word;
}

struct sip_state {
  std::uint64_t v0, v1, v2, v3;

  void mix() {
    v0 += v1;
    v1 = rotate_left(v1, 13) ^ v0;
    v0 = rotate_left(v0, 32);
    v2 += v3;
    v3 = rotate_left(v3, 16) ^ v2;
    v0 += v3;
    v3 = rotate_left(v3, 21) ^ v0;
    v2 += v1;
    v1 = rotate_left(v1, 17) ^ v2;
    v2 = rotate_left(v2, 32);
  }

  void add(std::uint64_t word) {
    v3 ^= word;
    mix();
    mix();
    v0 ^= word;
  }
};

} // namespace

hash_key make_random_hash_key() {
  std::random_device random;
  auto word = [&] { return (std::uint64_t{random()} << 32) | random(); };
  return {word(), word()};
}

std::uint64_t keyed_hash(const hash_key& key, std::string_view bytes) {
  sip_state s{key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du,
              key[0] ^ 0x6c7967656e657261u, key[1] ^ 0x7465646279746573u};
  auto left = bytes.size();
  const char* at = bytes.data();
  for (; left >= 8; left -= 8, at += 8)
    s.add(read_little_endian(at, 8));
  s.add(read_little_endian(at, left)
        | (std::uint64_t{bytes.size() & 0xff} << 56));
  s.v2 ^= 0xff;
  for (int i = 0; i < 4; ++i)
    s.mix();
  return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}

std::uint64_t keyed_hash(const hash_key& key,
                         std::initializer_list<std::string_view> texts) {
  std::string all;
  for (auto text : texts)
    all.append(std::to_string(text.size())).append(1, ':').append(text);
  return keyed_hash(key, all);
}

} // namespace troupe::k8s
