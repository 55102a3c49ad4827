#include "k8s/http/client_shares.hpp"

#include <boost/test/unit_test.hpp>

using troupe::k8s::http::client_shares;
using use = client_shares::use;

BOOST_AUTO_TEST_SUITE(client_shares_test)

namespace {

client_shares::address client(int last) {
  return boost::asio::ip::make_address("10.0.0." + std::to_string(last));
}

/// Connections that are numbered from 1 in the order in which they came.
struct crowd {
  explicit crowd(client_shares::amounts most)
      : shares(most) {}

  client_shares::number add(int of, use now = use::idle,
                            std::size_t bytes = 0) {
    shares.add(++last, client(of));
    shares.set_use(last, now);
    shares.set_bytes(last, bytes);
    return last;
  }

  /// The connection that is closed for one of this client; 0: none has to be,
  /// -1: none can be.
  int closed_for(int of) const {
    return read(shares.room_for_connection(client(of)));
  }
  int closed_for_bytes(client_shares::number of, std::size_t bytes) const {
    return read(shares.room_for_bytes(of, bytes));
  }

  static int read(const client_shares::room& r) {
    BOOST_TEST(!(r.there && r.close_first));
    return r.there ? 0 : r.close_first ? int(*r.close_first) : -1;
  }

  client_shares shares;
  client_shares::number last = 0;
};

constexpr client_shares::amounts four_connections{4, 3, 100, 60};

} // namespace

BOOST_AUTO_TEST_CASE(while_there_is_room_nobody_is_closed) {
  crowd c{four_connections};
  for (int i = 0; i < 3; ++i)
    c.add(1);
  BOOST_TEST(c.closed_for(2) == 0);
  c.shares.remove(2);
  BOOST_TEST(c.closed_for(1) == 0);
  c.shares.remove(2); // It is known no more.
  BOOST_TEST(c.shares.connections() == 2u);
}

BOOST_AUTO_TEST_CASE(a_client_at_its_share_loses_its_own_that_is_missed_least) {
  crowd c{four_connections};
  c.add(1, use::replying);
  c.add(1, use::reading);
  c.add(1);
  BOOST_TEST(c.closed_for(1) == 3);
  c.shares.set_use(3, use::busy);
  BOOST_TEST(c.closed_for(1) == 2);
  c.shares.set_use(2, use::busy);
  BOOST_TEST(c.closed_for(1) == 1);
  c.shares.set_use(1, use::busy);
  BOOST_TEST(c.closed_for(1) == -1);
  BOOST_TEST(c.closed_for(2) == 0);
}

BOOST_AUTO_TEST_CASE(the_oldest_goes_first) {
  crowd c{four_connections};
  c.add(1);
  c.add(1);
  c.add(1);
  c.shares.set_use(1, use::busy); // It is used, and waits again since then.
  c.shares.set_use(1, use::idle);
  BOOST_TEST(c.closed_for(1) == 2);
}

BOOST_AUTO_TEST_CASE(the_client_that_has_most_makes_room) {
  crowd c{four_connections};
  c.add(2);
  c.add(1);
  c.add(1);
  c.add(3);
  BOOST_TEST(c.closed_for(4) == 2);
  BOOST_TEST(c.closed_for(3) == 2);
  // What has no more than another is left to it.
  BOOST_TEST(c.closed_for(1) == 2);
  c.shares.set_use(2, use::busy);
  c.shares.set_use(3, use::busy);
  BOOST_TEST(c.closed_for(1) == -1);
  BOOST_TEST(c.closed_for(2) == 1);
  BOOST_TEST(c.closed_for(4) == 1);
}

BOOST_AUTO_TEST_CASE(those_that_leave_do_not_count) {
  crowd c{four_connections};
  for (int i = 0; i < 9; ++i)
    c.add(1, use::leaving);
  BOOST_TEST(c.shares.connections() == 0u);
  BOOST_TEST(c.closed_for(1) == 0);
  for (int i = 0; i < 3; ++i)
    c.add(1, use::busy);
  BOOST_TEST(c.closed_for(1) == -1);
  c.shares.set_use(10, use::leaving);
  BOOST_TEST(c.closed_for(1) == 0);
}

BOOST_AUTO_TEST_CASE(bytes_have_shares_too) {
  crowd c{{100, 100, 100, 60}};
  c.add(1, use::reading, 30);
  c.add(1, use::reading, 20);
  c.add(2, use::reading, 10);
  BOOST_TEST(c.shares.bytes() == 60u);
  BOOST_TEST(c.closed_for_bytes(3, 50) == 0);
  BOOST_TEST(c.closed_for_bytes(3, 51) == 1);
  BOOST_TEST(c.closed_for_bytes(3, 61) == -1); // More than one may have.
  BOOST_TEST(c.closed_for_bytes(2, 30) == 0);
  BOOST_TEST(c.closed_for_bytes(2, 31) == 1);
  BOOST_TEST(c.closed_for_bytes(1, 41) == 2);
  c.shares.set_use(2, use::busy);
  BOOST_TEST(c.closed_for_bytes(1, 41) == -1);
  BOOST_TEST(c.closed_for_bytes(1, 10) == 0); // Less than before.
  c.shares.set_bytes(2, 0);
  c.shares.remove(3);
  BOOST_TEST(c.shares.bytes() == 30u);
  BOOST_TEST(c.closed_for_bytes(9, 1) == -1);
}

BOOST_AUTO_TEST_CASE(who_has_most_bytes_makes_room_for_them) {
  crowd c{{100, 100, 100, 100}};
  c.add(1, use::idle, 40);
  c.add(2, use::reading, 30);
  c.add(2, use::reading, 30);
  c.add(3);
  BOOST_TEST(c.closed_for_bytes(4, 10) == 2);
  // Others are no better off than who asks.
  BOOST_TEST(c.closed_for_bytes(2, 40) == 3);
  c.shares.set_use(2, use::busy);
  c.shares.set_use(3, use::busy);
  BOOST_TEST(c.closed_for_bytes(4, 10) == 1);
  BOOST_TEST(c.closed_for_bytes(2, 40) == -1);
}

BOOST_AUTO_TEST_CASE(favoured_clients_have_room_before_all_others) {
  crowd c{{4, 3, 100, 60}};
  c.add(9);
  for (int i = 1; i <= 3; ++i)
    c.add(i, use::reading);
  BOOST_TEST(c.closed_for(9) == 1); // Others have no more than it.
  c.shares.favour(client(9));
  BOOST_TEST(c.closed_for(9) == 2);
  c.shares.remove(2);
  c.add(9);
  BOOST_TEST(c.closed_for(9) == 3);
  c.shares.remove(3);
  c.add(9);
  BOOST_TEST(c.closed_for(9) == 1); // At its own share.
  // It has most, and loses none.
  BOOST_TEST(c.closed_for(2) == 4);
  BOOST_TEST(c.closed_for(3) == 4);
  c.shares.favour(client(2));
  BOOST_TEST(c.closed_for(2) == 4);
  c.shares.favour_no_more(client(9));
  BOOST_TEST(c.closed_for(2) == 1);
  c.shares.favour(client(9));
  BOOST_TEST(c.closed_for(2) == 4);
  for (int i = 20; i < 20 + int(client_shares::most_favoured); ++i)
    c.shares.favour(client(i));
  c.shares.remove(4);
  c.add(3);
  BOOST_TEST(c.closed_for(2) == 1); // Favoured no more.
}

BOOST_AUTO_TEST_SUITE_END()
