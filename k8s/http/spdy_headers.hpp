#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::k8s::http {

// Header blocks of SPDY/3.1: all blocks of one direction of a connection are
// one zlib stream, which begins with the dictionary of the protocol.

using spdy_header_map = std::map<std::string, std::string>;

class spdy_header_reader {
public:
  spdy_header_reader();
  ~spdy_header_reader();
  /// Nullopt if this is no header block or too large a one; the connection is
  /// unusable from then on. Several values of a name are separated by a NUL.
  std::optional<spdy_header_map> read_header_block(std::string_view block);

private:
  struct zlib_stream;
  std::unique_ptr<zlib_stream> stream_;
};

class spdy_header_writer {
public:
  spdy_header_writer();
  ~spdy_header_writer();
  std::string write_header_block(const spdy_header_map& headers);

private:
  struct zlib_stream;
  std::unique_ptr<zlib_stream> stream_;
};

/// The dictionary with which compression begins, on both sides.
const std::string& spdy_dictionary();

} // namespace troupe::k8s::http
