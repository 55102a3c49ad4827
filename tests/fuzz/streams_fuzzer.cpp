#include "k8s/http/spdy_frames.hpp"
#include "k8s/http/websocket_frames.hpp"
#include "tests/fuzz/fuzz_input.hpp"

#include <vector>

// What a client sends after the handshake of a WebSocket: the third byte on.
// The first one says what it is, the second in which pieces it comes.

namespace {

using namespace troupe::k8s::http;
using troupe::fuzz::require;

constexpr std::size_t most_message_bytes = 300; // Short inputs reach it.

using texts = std::vector<std::string>;

texts read_messages(const std::vector<std::string_view>& pieces) {
  texts out;
  websocket_reader r{most_message_bytes};
  for (auto piece : pieces) {
    r.add(piece);
    while (auto m = r.next()) {
      require(m->payload.size() <= most_message_bytes, "messages are bounded");
      out.push_back(std::to_string(static_cast<int>(m->kind)) + m->payload);
    }
  }
  if (r.error()) {
    out.push_back("error " + std::to_string(static_cast<unsigned>(*r.error())));
    require(!r.next(), "nothing follows an error");
  }
  return out;
}

texts read_frames(const std::vector<std::string_view>& pieces) {
  texts out;
  spdy_reader r;
  for (auto piece : pieces) {
    r.add(piece);
    while (auto f = r.next()) {
      out.push_back(std::to_string(static_cast<int>(f->type)) + "/"
                    + std::to_string(f->stream) + f->data);
      for (const auto& [name, value] : f->headers)
        out.push_back(name + "=" + value);
    }
  }
  if (r.has_failed()) {
    out.emplace_back("failed");
    require(!r.next(), "nothing follows an error");
  }
  return out;
}

/// Headers as a client writes them: the input is their values.
void check_headers(std::string_view input, std::uint8_t seed) {
  spdy_header_writer w;
  spdy_header_reader r;
  for (int block = 0; block < 2; ++block) {
    spdy_header_map headers;
    for (auto value : troupe::fuzz::cut(input, seed))
      headers.emplace("x" + std::to_string(headers.size()), value);
    auto read = r.read(w.write(headers));
    require(read && *read == headers,
            "written and read again, headers are the same");
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  troupe::fuzz::fuzz_input input{data, size};
  auto kind = input.take_byte();
  auto seed = input.take_byte();
  auto pieces = troupe::fuzz::cut(input.rest(), seed);
  if (kind == 'w')
    require(read_messages({input.rest()}) == read_messages(pieces),
            "messages do not depend on the pieces of the input");
  else if (kind == 's')
    require(read_frames({input.rest()}) == read_frames(pieces),
            "frames do not depend on the pieces of the input");
  else
    check_headers(input.rest(), seed);
  return 0;
}
