#pragma once

#include <map>
#include <set>
#include <string>

namespace troupe::k8s::node {

/// A block 127.x.0.0/16 of loopback addresses, claimed for this process as
/// long as the object lives, and given out one by one; an address that was
/// given back is reused as late as possible.
class pod_address_allocator {
public:
  pod_address_allocator();
  ~pod_address_allocator();

  pod_address_allocator(const pod_address_allocator&) = delete;
  pod_address_allocator& operator=(const pod_address_allocator&) = delete;

  /// "" when all 65,000 are in use.
  std::string allocate();
  void release(const std::string& address);

private:
  int claim_ = -1; ///< A socket that marks the block as ours.
  int block_ = 0;
  int next_ = 0;
  std::set<int> used_;
};

} // namespace troupe::k8s::node
