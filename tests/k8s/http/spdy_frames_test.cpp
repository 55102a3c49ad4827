#include "k8s/http/spdy_frames.hpp"

#include <boost/test/unit_test.hpp>

#include <random>

using namespace troupe::k8s::http;

BOOST_AUTO_TEST_SUITE(spdy_frames_test)

namespace {

std::string number(std::uint64_t n, int bytes) {
  std::string out;
  for (int i = bytes - 1; i >= 0; --i)
    out += static_cast<char>(n >> (8 * i) & 255);
  return out;
}

std::string control(std::uint32_t type, const std::string& payload,
                    std::uint32_t flags = 0, std::uint32_t version = 3) {
  return number(0x8000 | version, 2) + number(type, 2) + number(flags, 1)
         + number(static_cast<std::uint32_t>(payload.size()), 3) + payload;
}

std::string open(std::uint32_t stream, spdy_header_writer& w,
                 const spdy_header_map& headers, std::uint32_t flags = 0) {
  return control(1,
                 number(stream, 4) + number(0, 4) + number(0, 2)
                     + w.write_header_block(headers),
                 flags);
}

std::string text_of(const spdy_frame& f) {
  auto out = std::to_string(static_cast<int>(f.type)) + "/"
             + std::to_string(f.stream) + (f.is_last ? "." : "") + ":" + f.data;
  for (const auto& [name, value] : f.headers)
    out += name + "=" + value + ",";
  return out + " ";
}

std::string read(spdy_reader& r) {
  std::string out;
  while (auto f = r.next_frame())
    out += text_of(*f);
  return out + (r.has_failed() ? "failed" : "");
}

} // namespace

BOOST_AUTO_TEST_CASE(frames_are_read_in_whatever_pieces_they_come) {
  spdy_header_writer headers;
  auto other = static_cast<int>(spdy_type::other);
  auto bytes =
      open(1, headers,
           {{"port", "80"}, {"requestid", "0"}, {"streamtype", "error"}});
  bytes += format_spdy_data(1, "", true);
  bytes += open(3, headers,
                {{"port", "80"}, {"requestid", "0"}, {"streamtype", "data"}});
  bytes += format_spdy_data(3, "hello", false) + format_spdy_ping(7)
           + control(4, number(0, 4))
           + control(9, number(3, 4) + number(1000, 4)) + format_spdy_refusal(3)
           + control(7, number(0, 4) + number(0, 4));
  auto ignored = std::to_string(other) + "/0: ";
  auto expected = "1/1:port=80,requestid=0,streamtype=error, 0/1.: "
                  "1/3:port=80,requestid=0,streamtype=data, 0/3:hello 6/7: "
                  + ignored + ignored + "3/3: " + ignored;
  spdy_reader whole;
  whole.add_bytes(bytes);
  BOOST_TEST(read(whole) == expected);
  spdy_reader in_bytes;
  std::string frames;
  for (char c : bytes) {
    in_bytes.add_bytes({&c, 1});
    frames += read(in_bytes);
  }
  BOOST_TEST(frames == expected);
}

BOOST_AUTO_TEST_CASE(what_is_no_spdy_ends_the_reading) {
  spdy_header_writer headers;
  std::mt19937 random{1};
  std::string noise;
  while (noise.size() < 70000)
    noise += static_cast<char>(random());
  struct row {
    const char* what;
    std::string bytes;
  };
  const row rows[] = {
      {"another version", control(6, number(1, 4), 0, 2)},
      {"a long control frame", number(0x80030004, 4) + number(0x00ffffff, 4)},
      {"headers that are no zlib stream",
       control(1, number(1, 4) + number(0, 6) + "headers")},
      {"too many headers", open(1, headers, {{"x", noise}})},
      {"a short frame", control(1, number(1, 4))},
      {"an answer of a server", control(2, number(1, 4))},
  };
  for (const auto& r : rows) {
    spdy_reader reader;
    reader.add_bytes(r.bytes + format_spdy_ping(1));
    BOOST_TEST(read(reader) == "failed", r.what);
  }
}

BOOST_AUTO_TEST_CASE(header_blocks_share_one_compression) {
  spdy_header_writer w;
  spdy_header_reader r;
  const spdy_header_map headers{{"content-type", "text/plain"}, {"x", ""}};
  auto first = w.write_header_block(headers);
  auto second = w.write_header_block(headers);
  // The first bytes of a zlib stream with the dictionary of SPDY/3.
  BOOST_TEST(first.substr(0, 1) == "\x78");
  BOOST_TEST(first.substr(2, 4) == "\xe3\xc6\xa7\xc2");
  BOOST_TEST(second.size() < first.size());
  for (const auto& block : {first, second, w.write_header_block({})}) {
    auto read_back = r.read_header_block(block);
    BOOST_REQUIRE(read_back);
    BOOST_TEST(
        (*read_back
         == (block == first || block == second ? headers : spdy_header_map{})));
  }
  BOOST_TEST(!r.read_header_block("garbage"));
  BOOST_TEST(!r.read_header_block(w.write_header_block(headers))); // For good.
}

BOOST_AUTO_TEST_SUITE_END()
