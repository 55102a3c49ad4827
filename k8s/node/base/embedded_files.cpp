#include "k8s/node/base/embedded_files.hpp"

#include <cstddef>

// What embedded_bytes.S defines.
#define TROUPE_EMBEDDED(name)                                                  \
  extern "C" const char troupe_##name##_begin[];                               \
  extern "C" const char troupe_##name##_end[];                                 \
  std::string_view troupe::k8s::node::name##_bytes() {                         \
    return {troupe_##name##_begin,                                             \
            static_cast<std::size_t>(troupe_##name##_end                       \
                                     - troupe_##name##_begin)};                \
  }

TROUPE_EMBEDDED(preload)
TROUPE_EMBEDDED(reaper)
TROUPE_EMBEDDED(namespace_holder)
TROUPE_EMBEDDED(exec_only_kubectl)
TROUPE_EMBEDDED(deliver_kubectl_script)
TROUPE_EMBEDDED(nslookup)
