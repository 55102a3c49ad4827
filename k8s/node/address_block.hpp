#pragma once

#include <map>
#include <set>
#include <string>

namespace troupe::k8s::node {

/// A block 127.x.0.0/16 of loopback addresses, claimed for this process as
/// long as the object lives, and given out one by one; an address that was
/// given back is reused as late as possible.
class address_block {
public:
  address_block();
  ~address_block();

  address_block(const address_block&) = delete;
  address_block& operator=(const address_block&) = delete;

  /// "" when all 65,000 are in use.
  std::string take();
  void give_back(const std::string& address);

private:
  int claim_ = -1; ///< A socket that marks the block as ours.
  int block_ = 0;
  int next_ = 0;
  std::set<int> used_;
};

} // namespace troupe::k8s::node
