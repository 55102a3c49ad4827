#include "k8s/codec/message_table.hpp"

namespace troupe::k8s {

#include "k8s/codec/kubernetes_messages.inc"

} // namespace troupe::k8s
