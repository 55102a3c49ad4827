#include "k8s/http/client_shares.hpp"

#include <algorithm>
#include <tuple>

namespace troupe::k8s::http {

const client_shares::sums& client_shares::sums_of(const address& client) const {
  static const sums none;
  auto i = clients_.find(client);
  return i == clients_.end() ? none : i->second;
}

void client_shares::add_to_or_subtract_from_sums(const entry& e,
                                                 bool is_counted) {
  std::size_t one = e.now == use::leaving ? 0 : 1;
  auto& own = clients_[e.client];
  for (auto* s : {&total_, &own}) {
    s->connections += is_counted ? one : -one;
    s->bytes += is_counted ? e.bytes : -e.bytes;
  }
  if (own.connections == 0 && own.bytes == 0)
    clients_.erase(e.client);
}

void client_shares::add(number connection, const address& client) {
  auto& e = connections_[connection];
  e.client = client;
  e.since = next_place_++;
  add_to_or_subtract_from_sums(e, true);
}

void client_shares::remove(number connection) {
  auto i = connections_.find(connection);
  if (i == connections_.end())
    return;
  add_to_or_subtract_from_sums(i->second, false);
  connections_.erase(i);
}

void client_shares::set_use(number connection, use now) {
  auto i = connections_.find(connection);
  if (i == connections_.end() || i->second.now == now)
    return;
  bool counts_else = now == use::leaving || i->second.now == use::leaving;
  if (counts_else)
    add_to_or_subtract_from_sums(i->second, false);
  i->second.now = now;
  i->second.since = next_place_++;
  if (counts_else)
    add_to_or_subtract_from_sums(i->second, true);
}

void client_shares::set_bytes(number connection, std::size_t bytes) {
  auto i = connections_.find(connection);
  if (i == connections_.end())
    return;
  add_to_or_subtract_from_sums(i->second, false);
  i->second.bytes = bytes;
  add_to_or_subtract_from_sums(i->second, true);
}

bool client_shares::is_favoured(const address& client) const {
  return std::find(favoured_.begin(), favoured_.end(), client)
         != favoured_.end();
}

void client_shares::favour(const address& client) {
  if (!favoured_.empty() && favoured_.back() == client)
    return;
  favour_no_more(client);
  favoured_.push_back(client);
  if (favoured_.size() > most_favoured)
    favoured_.pop_front();
}

void client_shares::favour_no_more(const address& client) {
  favoured_.erase(std::remove(favoured_.begin(), favoured_.end(), client),
                  favoured_.end());
}

template <class Amount, class Fit>
std::optional<client_shares::number>
client_shares::find_connection_to_close(Amount amount, const address& own,
                                        bool only_own, Fit fit) const {
  auto least = amount(sums_of(own));
  bool own_favoured = is_favoured(own);
  bool best_favoured = false;
  std::optional<number> found;
  std::size_t most = 0;
  const entry* best = nullptr;
  for (const auto& [n, e] : connections_) {
    if (e.now >= use::busy || !fit(n, e))
      continue;
    auto has = amount(sums_of(e.client));
    bool favoured = is_favoured(e.client);
    bool may_be_closed =
        e.client == own
        || (!only_own
            && (favoured == own_favoured ? has > least : own_favoured));
    if (!may_be_closed)
      continue;
    bool better =
        !best
        || (favoured ? best_favoured && has > most
                     : best_favoured || has > most)
        || (favoured == best_favoured && has == most
            && std::tie(e.now, e.since) < std::tie(best->now, best->since));
    if (!better)
      continue;
    found = n;
    best_favoured = favoured;
    most = has;
    best = &e;
  }
  return found;
}

client_shares::room
client_shares::room_for_connection(const address& client) const {
  bool own_full = sums_of(client).connections >= most_.connections_per_client;
  if (!own_full && total_.connections < most_.connections)
    return {true};
  return {false, find_connection_to_close(
                     [](const sums& s) { return s.connections; }, client,
                     own_full, [](number, const entry&) { return true; })};
}

client_shares::room client_shares::room_for_bytes(number connection,
                                                  std::size_t bytes) const {
  auto i = connections_.find(connection);
  if (i == connections_.end())
    return {};
  const auto& own = sums_of(i->second.client);
  auto more = bytes > i->second.bytes ? bytes - i->second.bytes : 0;
  bool own_full = own.bytes + more > most_.bytes_per_client;
  if (more == 0 || (!own_full && total_.bytes + more <= most_.bytes))
    return {true};
  return {false, find_connection_to_close([](const sums& s) { return s.bytes; },
                                          i->second.client, own_full,
                                          [&](number n, const entry& e) {
                                            return n != connection
                                                   && e.bytes > 0;
                                          })};
}

} // namespace troupe::k8s::http
