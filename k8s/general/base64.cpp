#include "k8s/general/base64.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <limits>

namespace troupe::k8s {

namespace {

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

unsigned char* buffer_of(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}

} // namespace

std::string to_base64(std::string_view bytes) {
  std::string out(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  auto length = EVP_EncodeBlock(buffer_of(out), bytes_of(bytes),
                                static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(length));
  return out;
}

std::optional<std::string> from_base64(std::string_view encoded) {
  std::string text;
  std::copy_if(encoded.begin(), encoded.end(), std::back_inserter(text),
               [](unsigned char c) { return !std::isspace(c); });
  if (text.size() > std::numeric_limits<int>::max())
    return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size()
         && text[text.size() - 1 - padding] == '=')
    ++padding;
  if (text.find('=') < text.size() - padding)
    return std::nullopt;
  std::string out(text.size() / 4 * 3 + 3, '\0');
  auto length = EVP_DecodeBlock(buffer_of(out), bytes_of(text),
                                static_cast<int>(text.size()));
  if (length < static_cast<int>(padding))
    return std::nullopt;
  // Padding decodes to zero bytes, which are counted.
  out.resize(static_cast<std::size_t>(length) - padding);
  return out;
}

} // namespace troupe::k8s
