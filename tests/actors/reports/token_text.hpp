#pragma once

#include "k8s/general/base64.hpp"
#include "tests/fixtures/builders.hpp"

#include <algorithm>
#include <string>

namespace troupe::fixtures {

/// "HEADER.CLAIMS.SIGNATURE" with these claims; nobody has signed it.
inline std::string token_text(const json& claims,
                              const std::string& signature = "signature") {
  auto encoded = k8s::to_base64(claims.dump());
  encoded.erase(std::find(encoded.begin(), encoded.end(), '='), encoded.end());
  std::replace(encoded.begin(), encoded.end(), '+', '-');
  std::replace(encoded.begin(), encoded.end(), '/', '_');
  return "eyJ9." + encoded + "." + signature;
}

/// As an API server writes it for a pod.
inline json claims_of_pod(const std::string& uid, const json& audiences) {
  return {{"aud", audiences},
          {"sub", "system:serviceaccount:ns:default"},
          {"kubernetes.io",
           {{"namespace", "ns"}, {"pod", {{"name", "p"}, {"uid", uid}}}}}};
}

} // namespace troupe::fixtures
