#include "k8s/node/pods/pod_address_allocator.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <random>
#include <sys/socket.h>
#include <unistd.h>

namespace troupe::k8s::node {

namespace {

constexpr int address_count = 65'000;
constexpr int bridged_first = 256; ///< Below are the bridge and its kind.
constexpr std::uint16_t claim_port = 49'151;

unsigned loopback_block(int number) {
  return (127u << 24) | (static_cast<unsigned>(number) << 16);
}

in_addr_t to_network_order_address(unsigned block, int number) {
  return htonl(block | static_cast<unsigned>(number));
}

/// A bound socket is seen by other processes, and gone when we are.
int claim_block(unsigned block) {
  int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_port = htons(claim_port);
  a.sin_addr.s_addr = to_network_order_address(block, 65'534);
  if (::bind(fd, reinterpret_cast<sockaddr*>(&a), sizeof a) == 0)
    return fd;
  ::close(fd);
  return -1;
}

} // namespace

pod_address_allocator::pod_address_allocator(isolation_kind i,
                                             const pod_subnet& subnet)
    : isolation_(i) {
  if (i == isolation_kind::namespaces) {
    block_ = subnet.first;
    first_ = bridged_first;
    return;
  }
  std::random_device source;
  // 127.0 is the host's own.
  std::uniform_int_distribution<int> any{1, 254};
  for (int tries = 0; tries < 64 && claim_ < 0; ++tries) {
    block_ = loopback_block(any(source));
    claim_ = claim_block(block_);
  }
}

pod_address_allocator::~pod_address_allocator() {
  if (claim_ >= 0)
    ::close(claim_);
}

std::string pod_address_allocator::allocate_or_empty() {
  if (isolation_ == isolation_kind::none)
    return "127.0.0.1";
  if (used_.size() >= address_count)
    return "";
  while (used_.count(next_) > 0)
    next_ = (next_ + 1) % address_count;
  auto number = next_;
  next_ = (next_ + 1) % address_count;
  used_.insert(number);
  in_addr a{to_network_order_address(block_, first_ + number)};
  char text[INET_ADDRSTRLEN];
  return ::inet_ntop(AF_INET, &a, text, sizeof text);
}

void pod_address_allocator::release(const std::string& address) {
  in_addr a{};
  if (::inet_pton(AF_INET, address.c_str(), &a) == 1)
    used_.erase(static_cast<int>(ntohl(a.s_addr) & 0xffffu) - first_);
}

} // namespace troupe::k8s::node
