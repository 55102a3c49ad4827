#include "k8s/base64.hpp"

namespace troupe::k8s {

std::string base64(std::string_view in) {
  static constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnop"
                                    "qrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < in.size(); i += 3) {
    std::uint32_t bits = 0;
    auto n = std::min<std::size_t>(3, in.size() - i);
    for (std::size_t j = 0; j < 3; ++j)
      bits = bits << 8 | (j < n ? static_cast<unsigned char>(in[i + j]) : 0u);
    for (std::size_t j = 0; j < 4; ++j)
      out += j <= n ? letters[bits >> (18 - 6 * j) & 63] : '=';
  }
  return out;
}

} // namespace troupe::k8s
