#include "k8s/node/namespaces/dns_message.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s::node;

BOOST_AUTO_TEST_SUITE(dns_message_test)

namespace {

std::string head(unsigned flags, unsigned questions, unsigned additional = 0) {
  std::string out("\x12\x34", 2);
  for (unsigned word : {flags, questions, 0u, 0u, additional}) {
    out += static_cast<char>(word >> 8);
    out += static_cast<char>(word & 0xff);
  }
  return out;
}

const std::string question("\x02Ws\x01n\x00\x00\x01\x00\x01", 10);
const std::string extension("\x00\x00\x29\x04\xd0\x00\x00\x00\x00\x00\x00", 11);

unsigned word_at(const std::string& text, std::size_t at) {
  return static_cast<unsigned char>(text.at(at)) * 256u
         + static_cast<unsigned char>(text.at(at + 1));
}

} // namespace

BOOST_AUTO_TEST_CASE(a_query_is_read) {
  auto q = parse_dns_query(head(0x0100, 1) + question);
  BOOST_REQUIRE(q);
  BOOST_TEST(q->id == 0x1234u);
  BOOST_TEST(q->name == "ws.n");
  BOOST_TEST(q->type == 1u);
  BOOST_TEST(q->wants_recursion);
  BOOST_TEST(q->limit == 512u);
  BOOST_TEST(!q->has_extension);
  q = parse_dns_query(head(0, 1, 1) + question + extension);
  BOOST_REQUIRE(q);
  BOOST_TEST(q->limit == 1232u);
  BOOST_TEST(q->has_extension);
}

BOOST_AUTO_TEST_CASE(what_is_no_query_is_dropped) {
  auto whole = head(0x0100, 1) + question;
  for (std::size_t n = 0; n < whole.size(); ++n)
    BOOST_TEST(!parse_dns_query(whole.substr(0, n)), n << " bytes");
  BOOST_TEST(!parse_dns_query(head(0x8100, 1) + question)); // A response.
  BOOST_TEST(!parse_dns_query(head(0x2800, 1) + question)); // An update.
  BOOST_TEST(!parse_dns_query(head(0, 2) + question + question));
  // A compressed name, and one that is longer than the message.
  BOOST_TEST(!parse_dns_query(head(0, 1) + "\xc0\x0c" + question));
  BOOST_TEST(!parse_dns_query(head(0, 1) + "\x3f" + question));
}

BOOST_AUTO_TEST_CASE(a_response_repeats_the_question) {
  auto q = parse_dns_query(head(0x0100, 1) + question);
  auto text = make_dns_response(
      *q, {dns_code::no_error, {"10.244.1.2", "10.244.1.3"}, {}}, 512);
  BOOST_TEST(text.substr(0, 2) == "\x12\x34");
  BOOST_TEST(word_at(text, 2) == 0x8580u);
  BOOST_TEST(word_at(text, 6) == 2u);
  BOOST_TEST(text.substr(12, question.size()) == question);
  BOOST_TEST(text.substr(text.size() - 6)
             == std::string("\x00\x04\x0a\xf4\x01\x03", 6));
  text = make_dns_response(*q, {dns_code::no_such_name}, 512);
  BOOST_TEST((word_at(text, 2) & 15u) == 3u);
  BOOST_TEST(text.size() == 12 + question.size());
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_left_out_and_told) {
  auto q = parse_dns_query(head(0, 1, 1) + question + extension);
  std::vector<std::string> many(40, "10.244.1.2");
  auto text = make_dns_response(*q, {dns_code::no_error, many, {}}, 512);
  BOOST_TEST(text.size() <= 512u);
  BOOST_TEST((word_at(text, 2) & 0x0200u) != 0u);
  BOOST_TEST(word_at(text, 6) == 29u);
  BOOST_TEST(word_at(text, 10) == 1u);
  text = make_dns_response(*q, {dns_code::no_error, many, {}}, 1232);
  BOOST_TEST((word_at(text, 2) & 0x0200u) == 0u);
  BOOST_TEST(word_at(text, 6) == 40u);
}

BOOST_AUTO_TEST_CASE(a_name_is_written_by_its_labels) {
  auto q = parse_dns_query(head(0, 1) + question);
  auto text = make_dns_response(*q, {dns_code::no_error, {}, {"p.n"}}, 512);
  BOOST_TEST(text.substr(text.size() - 7)
             == std::string("\x00\x05\x01p\x01n\x00", 7));
}

BOOST_AUTO_TEST_SUITE_END()
