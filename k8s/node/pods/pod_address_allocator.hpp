#pragma once

#include "k8s/node/base/isolation.hpp"
#include "k8s/node/base/pod_subnet.hpp"

#include <set>
#include <string>

namespace troupe::k8s::node {

/// Gives out the addresses of a block; an address that was given back is reused
/// as late as possible. With namespaces the block is the pods' network, from
/// its 256th address on; with preload it is 127.x.0.0/16, which other processes
/// see as taken while the object lives. Without isolation every pod has the
/// host's loopback address.
class pod_address_allocator {
public:
  explicit pod_address_allocator(isolation_kind i = isolation_kind::preload,
                                 const pod_subnet& subnet = {});
  ~pod_address_allocator();

  pod_address_allocator(const pod_address_allocator&) = delete;
  pod_address_allocator& operator=(const pod_address_allocator&) = delete;

  /// "" when all are in use, some 65,000.
  std::string allocate_or_empty();
  void release(const std::string& address);

private:
  isolation_kind isolation_;
  int claim_ = -1;     ///< A socket that marks the block as ours.
  unsigned block_ = 0; ///< Its first address, in the host's order.
  int first_ = 2;
  int next_ = 0;
  std::set<int> used_;
};

} // namespace troupe::k8s::node
