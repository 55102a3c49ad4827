#include "k8s/http/websocket_frames.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s::http;

BOOST_AUTO_TEST_SUITE(websocket_frames_test)

namespace {

constexpr bool is_final = true;

/// A frame as a client sends it.
std::string client_frame(websocket_opcode kind, const std::string& payload,
                         bool final = is_final) {
  auto out = format_frame_head(kind, payload.size());
  if (!final)
    out[0] = static_cast<char>(out[0] & 0x7f);
  out[1] = static_cast<char>(out[1] | 0x80);
  const std::string mask = "\x01\x80\xff\x7f";
  out += mask;
  for (std::size_t i = 0; i < payload.size(); ++i)
    out += static_cast<char>(payload[i] ^ mask[i % 4]);
  return out;
}

/// "kind:payload" of each message, with the error at the end.
std::string read(websocket_reader& r) {
  std::string out;
  while (auto m = r.next())
    out += std::to_string(static_cast<int>(m->kind)) + ":"
           + (m->payload.size() > 20 ? std::to_string(m->payload.size())
                                     : m->payload)
           + " ";
  if (r.error())
    out += "error " + std::to_string(static_cast<int>(*r.error()));
  return out;
}

constexpr auto continuation = websocket_opcode::continuation;
constexpr auto text = websocket_opcode::text;
constexpr auto binary = websocket_opcode::binary;
constexpr auto ping = websocket_opcode::ping;
constexpr auto close_ = websocket_opcode::close;

} // namespace

BOOST_AUTO_TEST_CASE(frames_become_messages) {
  const std::string unmasked = "\x82\x01x";
  const std::string reserved = "\xc2\x81"
                               "aaaax";
  const std::string unknown = "\x83\x81"
                              "aaaax";
  const std::string huge = "\x82\xff\xff\xff\xff\xff\xff\xff\xff\xff"
                           "aaaa";
  struct row {
    std::string bytes;
    const char* messages;
  };
  // clang-format off
  const row rows[] = {
      {client_frame(binary, "abc"), "2:abc "},
      {client_frame(text, "abc") + client_frame(binary, ""), "1:abc 2: "},
      {client_frame(binary, std::string(125, 'x')), "2:125 "},
      {client_frame(binary, std::string(126, 'x')), "2:126 "},
      {client_frame(binary, std::string(65535, 'x')), "2:65535 "},
      {client_frame(binary, std::string(65536, 'x')), "2:65536 "},
      {client_frame(binary, std::string(70000, 'x')), "2:70000 "},
      {client_frame(binary, std::string(70001, 'x')), "error 1009"},
      // In parts, with a control frame between them.
      {client_frame(text, "a", !is_final) + client_frame(ping, "p")
         + client_frame(continuation, "b", !is_final)
         + client_frame(continuation, "c") + client_frame(binary, "d"),
       "9:p 1:abc 2:d "},
      {client_frame(binary, std::string(40000, 'x'), !is_final)
         + client_frame(continuation, std::string(40000, 'x')), "error 1009"},
      {client_frame(close_, "\x03\xe8"), "8:\x03\xe8 "},
      {client_frame(continuation, "b"), "error 1002"},
      {client_frame(text, "a", !is_final) + client_frame(text, "b"), "error 1002"},
      {client_frame(ping, "p", !is_final), "error 1002"},
      {client_frame(ping, std::string(126, 'p')), "error 1002"},
      {client_frame(binary, "a") + unmasked, "2:a error 1002"},
      {reserved, "error 1002"},
      {unknown, "error 1002"},
      {huge, "error 1009"},
  };
  // clang-format on
  for (const auto& r : rows) {
    websocket_reader whole{70000};
    whole.add(r.bytes);
    BOOST_TEST(read(whole) == r.messages);
    websocket_reader in_bytes{70000};
    std::string messages;
    for (char c : r.bytes) {
      in_bytes.add({&c, 1});
      if (!in_bytes.error())
        messages += read(in_bytes);
    }
    BOOST_TEST(messages == r.messages);
  }
}

BOOST_AUTO_TEST_CASE(frames_are_written_without_a_mask) {
  BOOST_TEST(format_frame_head(binary, 5) == "\x82\x05");
  BOOST_TEST(format_frame_head(binary, 300) == "\x82\x7e\x01\x2c");
  BOOST_TEST(format_frame_head(binary, 65536)
             == std::string("\x82\x7f\0\0\0\0\0\1\0\0", 10));
  BOOST_TEST(format_close_frame(websocket_close::normal) == "\x88\x02\x03\xe8");
}

BOOST_AUTO_TEST_SUITE_END()
