#include "k8s/http/spdy_frames.hpp"
#include "tests/fuzz/fuzz_input.hpp"

#include <vector>

// What a client of a port-forward sends in the messages of its WebSocket: the
// third byte on. The first one says whether it is frames or headers, the second
// in which pieces it comes.

namespace {

using namespace troupe::k8s::http;
using troupe::fuzz::require;

using texts = std::vector<std::string>;

texts read_frames(const std::vector<std::string_view>& pieces) {
  texts out;
  spdy_reader r;
  for (auto piece : pieces) {
    r.add_bytes(piece);
    while (auto f = r.next_frame()) {
      out.push_back(std::to_string(static_cast<int>(f->type)) + "/"
                    + std::to_string(f->stream) + f->data);
      for (const auto& [name, value] : f->headers)
        out.push_back(name + "=" + value);
    }
  }
  if (r.has_failed()) {
    out.emplace_back("failed");
    require(!r.next_frame(), "nothing follows an error");
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
    auto read = r.read_header_block(w.write_header_block(headers));
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
  if (kind == 's')
    require(read_frames({input.rest()}) == read_frames(pieces),
            "frames do not depend on the pieces of the input");
  else
    check_headers(input.rest(), seed);
  return 0;
}
