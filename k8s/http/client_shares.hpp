#pragma once

#include <boost/asio/ip/address.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>

namespace troupe::k8s::http {

/// How many connections and bytes of requests a server has for all its clients
/// and for one of them, who has how many, and whose connection is closed when
/// another one needs the room. A client is an address. A value: no socket, no
/// clock; "older" is what began its present use before others.
///
/// Room is made at the cost of the client that has most, and never at the cost
/// of one that has less than the one who needs it; so many connections of some
/// clients do not keep others out, nor do old ones of a client its new ones.
class client_shares {
public:
  using address = boost::asio::ip::address;
  using number = std::uint64_t; ///< Of a connection, chosen by the owner.

  /// What would be lost if a connection were closed. In the order in which they
  /// are closed; those that are busy are not.
  enum class use : std::uint8_t {
    idle,     ///< Nothing: it waits for a request.
    reading,  ///< A part of a request.
    replying, ///< An answer that the client has not taken.
    busy,     ///< A request that is carried out, or a stream.
    leaving,  ///< Nothing, and it does not count: all is said.
  };

  struct amounts {
    std::size_t connections;
    std::size_t connections_per_client;
    std::size_t bytes;
    std::size_t bytes_per_client;
  };

  explicit client_shares(const amounts& most)
      : most_(most) {}

  /// Whether there is room, and if not, which connection has to be closed
  /// before asking again; without one there is none to be had.
  struct room {
    bool there = false;
    std::optional<number> close_first = std::nullopt;
  };

  room room_for_connection(const address& client) const;
  /// For a connection that would hold so many bytes in all.
  room room_for_bytes(number connection, std::size_t bytes) const;

  void add(number connection, const address& client); ///< It is idle.
  void remove(number connection);
  void set_use(number connection, use now);
  void set_bytes(number connection, std::size_t bytes);

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
  void count(const entry& e, bool present);
  /// The connection that is missed least among those of the clients with the
  /// largest `amount`, `own` or more; only those that are `fit`.
  template <class Amount, class Fit>
  std::optional<number> find_closable(Amount amount, const address& own,
                                      bool only_own, Fit fit) const;

  amounts most_;
  sums total_;
  std::map<address, sums> clients_;
  std::unordered_map<number, entry> connections_;
  std::uint64_t next_place_ = 1;
};

} // namespace troupe::k8s::http
