#include "k8s/node/namespaces/netlink_message.h"

#include <boost/test/unit_test.hpp>

#include <cerrno>
#include <cstring>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string>

BOOST_AUTO_TEST_SUITE(netlink_message_test)

namespace {

std::string bytes_of(const netlink_message& m, std::size_t from) {
  return {reinterpret_cast<const char*>(m.words) + from, m.size - from};
}

netlink_message begun() {
  netlink_message m;
  ifinfomsg link{};
  netlink_begin(&m, RTM_NEWLINK, NLM_F_CREATE, &link, sizeof link);
  return m;
}

constexpr std::size_t fixed = NLMSG_LENGTH(sizeof(ifinfomsg));

} // namespace

BOOST_AUTO_TEST_CASE(a_message_says_its_length_and_wants_an_answer) {
  auto m = begun();
  nlmsghdr head{};
  std::memcpy(&head, m.words, sizeof head);
  BOOST_TEST(head.nlmsg_len == fixed);
  BOOST_TEST(head.nlmsg_type == RTM_NEWLINK);
  BOOST_TEST(head.nlmsg_flags == (NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE));
}

BOOST_AUTO_TEST_CASE(attributes_are_aligned) {
  auto m = begun();
  netlink_add_text(&m, 3, "lo");
  netlink_add_u32(&m, 10, 7);
  const std::string text("\x07\x00\x03\x00lo\x00\x00", 8);
  const std::string number("\x08\x00\x0a\x00\x07\x00\x00\x00", 8);
  BOOST_TEST(bytes_of(m, fixed) == text + number);
}

BOOST_AUTO_TEST_CASE(an_attribute_may_contain_others) {
  auto m = begun();
  auto outer = netlink_begin_nested(&m, 18);
  auto inner = netlink_begin_nested(&m, 2);
  netlink_add_u32(&m, 1, 5);
  netlink_end_nested(&m, inner);
  netlink_end_nested(&m, outer);
  BOOST_TEST(bytes_of(m, fixed)
             == std::string("\x10\x00\x12\x00\x0c\x00\x02\x00"
                            "\x08\x00\x01\x00\x05\x00\x00\x00",
                            16));
}

BOOST_AUTO_TEST_CASE(one_that_does_not_fit_is_not_sent) {
  auto m = begun();
  auto outer = netlink_begin_nested(&m, 18);
  for (int i = 0; i < 200; ++i)
    netlink_add_u32(&m, 1, 5);
  netlink_end_nested(&m, outer);
  BOOST_TEST(m.is_too_long == 1);
  BOOST_TEST(m.size <= sizeof m.words);
  BOOST_TEST(netlink_call(-1, &m) == EMSGSIZE);
}

BOOST_AUTO_TEST_SUITE_END()
