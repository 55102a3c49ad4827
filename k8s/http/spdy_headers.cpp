#include "k8s/http/spdy_headers.hpp"

#include <zlib.h>

namespace troupe::k8s::http {

namespace {

/// Of a block, without compression.
constexpr std::size_t most_header_bytes = 64u << 10;

Bytef* zlib_bytes_of(std::string_view text) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
}

/// Takes a 32-bit number from the front of `text`, or a text with its length.
bool take_uint32(std::string_view& text, std::size_t& n) {
  if (text.size() < 4)
    return false;
  n = 0;
  for (int i = 0; i < 4; ++i)
    n = n << 8 | static_cast<unsigned char>(text[static_cast<size_t>(i)]);
  text.remove_prefix(4);
  return true;
}

bool take_length_prefixed_text(std::string_view& text, std::string& out) {
  std::size_t n = 0;
  if (!take_uint32(text, n) || n > text.size())
    return false;
  out = text.substr(0, n);
  text.remove_prefix(n);
  return true;
}

std::optional<spdy_header_map> parse_header_block(std::string_view text) {
  spdy_header_map out;
  std::size_t n = 0;
  if (!take_uint32(text, n))
    return std::nullopt;
  for (; n > 0; --n) {
    std::string name;
    std::string value;
    if (!take_length_prefixed_text(text, name)
        || !take_length_prefixed_text(text, value)
        || !out.emplace(std::move(name), std::move(value)).second)
      return std::nullopt;
  }
  return text.empty() ? std::optional{std::move(out)} : std::nullopt;
}

void append_uint32(std::string& out, std::size_t n) {
  for (int shift = 24; shift >= 0; shift -= 8)
    out += static_cast<char>(n >> shift & 255);
}

void append_length_prefixed_text(std::string& out, std::string_view text) {
  append_uint32(out, text.size());
  out += text;
}

} // namespace

// -- reading ------------------------------------------------------------------

struct spdy_header_reader::zlib_stream {
  z_stream z{};
  bool is_usable = ::inflateInit(&z) == Z_OK;
  ~zlib_stream() { ::inflateEnd(&z); }

  /// Inflates all of `block`.
  bool inflate(std::string_view block, std::string& out) {
    const auto& dictionary = spdy_dictionary();
    z.next_in = zlib_bytes_of(block);
    z.avail_in = static_cast<uInt>(block.size());
    out.resize(most_header_bytes);
    z.next_out = zlib_bytes_of(out);
    z.avail_out = static_cast<uInt>(out.size());
    int how = ::inflate(&z, Z_SYNC_FLUSH);
    if (how == Z_NEED_DICT
        && ::inflateSetDictionary(&z, zlib_bytes_of(dictionary),
                                  static_cast<uInt>(dictionary.size()))
               == Z_OK)
      how = ::inflate(&z, Z_SYNC_FLUSH);
    out.resize(out.size() - z.avail_out);
    return how == Z_OK && z.avail_in == 0 && out.size() < most_header_bytes;
  }
};

spdy_header_reader::spdy_header_reader()
    : stream_(std::make_unique<zlib_stream>()) {}

spdy_header_reader::~spdy_header_reader() = default;

std::optional<spdy_header_map>
spdy_header_reader::read_header_block(std::string_view block) {
  std::string text;
  if (!stream_->is_usable || !stream_->inflate(block, text)) {
    stream_->is_usable = false;
    return std::nullopt;
  }
  return parse_header_block(text);
}

// -- writing ------------------------------------------------------------------

struct spdy_header_writer::zlib_stream {
  z_stream z{};
  zlib_stream() {
    ::deflateInit(&z, Z_DEFAULT_COMPRESSION);
    const auto& dictionary = spdy_dictionary();
    ::deflateSetDictionary(&z, zlib_bytes_of(dictionary),
                           static_cast<uInt>(dictionary.size()));
  }
  ~zlib_stream() { ::deflateEnd(&z); }
};

spdy_header_writer::spdy_header_writer()
    : stream_(std::make_unique<zlib_stream>()) {}

spdy_header_writer::~spdy_header_writer() = default;

std::string
spdy_header_writer::write_header_block(const spdy_header_map& headers) {
  std::string text;
  append_uint32(text, headers.size());
  for (const auto& [name, value] : headers) {
    append_length_prefixed_text(text, name);
    append_length_prefixed_text(text, value);
  }
  auto& z = stream_->z;
  // The marker of a flush comes on top of what deflateBound() counts.
  std::string out(::deflateBound(&z, static_cast<uLong>(text.size())) + 16,
                  '\0');
  z.next_in = zlib_bytes_of(text);
  z.avail_in = static_cast<uInt>(text.size());
  z.next_out = zlib_bytes_of(out);
  z.avail_out = static_cast<uInt>(out.size());
  ::deflate(&z, Z_SYNC_FLUSH);
  out.resize(out.size() - z.avail_out);
  return out;
}

} // namespace troupe::k8s::http
