#pragma once

#include <boost/asio/ip/address.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>

namespace troupe::k8s::http {

/// Counts the connections and the bytes of requests of each client (an address)
/// and of all clients, and decides whose connection is closed when another one
/// needs the room. A value without sockets and clocks: a connection is older
/// than another one if it began its present use earlier.
///
/// Room is made at the cost of the client that has most, and never of another
/// client that has no more than the one that needs it. So clients with many
/// connections do not keep others out, nor do a client's old connections keep
/// out its new ones.
///
/// Some clients can be favoured: room is made for them at the cost of all
/// others, and never at theirs for others. Among themselves they share as all
/// clients do.
class client_shares {
public:
  using address = boost::asio::ip::address;
  using number = std::uint64_t; ///< Of a connection, chosen by the owner.

  /// What the end of a connection would lose, in the order in which connections
  /// are closed. Those that are busy or leaving are not closed.
  enum class use : std::uint8_t {
    idle,     ///< Nothing: it waits for a request.
    reading,  ///< A part of a request.
    replying, ///< An answer that the client has not taken.
    busy,     ///< A request that is carried out, or a stream.
    leaving,  ///< Nothing: it is about to end, and does not count.
  };

  struct amounts {
    std::size_t connections;
    std::size_t connections_per_client;
    std::size_t bytes;
    std::size_t bytes_per_client;
  };

  static constexpr std::size_t most_favoured = 16;

  explicit client_shares(const amounts& most)
      : most_(most) {}

  /// Whether there is room. If not, the owner closes `close_first` and asks
  /// again; without `close_first` no room can be made.
  struct room {
    bool there = false;
    std::optional<number> close_first = std::nullopt;
  };

  room room_for_connection(const address& client) const;
  /// For a connection that is to hold `bytes` in all.
  room room_for_bytes(number connection, std::size_t bytes) const;

  void add(number connection, const address& client); ///< It is idle.
  void remove(number connection);
  void set_use(number connection, use now);
  void set_bytes(number connection, std::size_t bytes);
  /// Of more than most_favoured clients, the last ones.
  void favour(const address& client);
  void favour_no_more(const address& client);

  std::size_t connections() const { return total_.connections; }
  std::size_t bytes() const { return total_.bytes; }

private:
  struct sums {
    std::size_t connections = 0; ///< Without those that are leaving.
    std::size_t bytes = 0;
  };

  struct entry {
    address client;
    use now = use::idle;
    std::uint64_t since = 0; ///< A place in the order of changes of use.
    std::size_t bytes = 0;
  };

  const sums& sums_of(const address& client) const;
  bool is_favoured(const address& client) const;
  void add_to_or_subtract_from_sums(const entry& e, bool is_counted);
  /// The connection whose end loses least, among connections of `own` and of
  /// clients that have more of `amount` than `own`: of the client that has
  /// most. Only connections for which `fit` is true.
  template <class Amount, class Fit>
  std::optional<number> find_connection_to_close(Amount amount,
                                                 const address& own,
                                                 bool only_own, Fit fit) const;

  amounts most_;
  sums total_;
  std::map<address, sums> clients_;
  std::unordered_map<number, entry> connections_;
  std::deque<address> favoured_; ///< The last one at the end.
  std::uint64_t next_place_ = 1;
};

} // namespace troupe::k8s::http
