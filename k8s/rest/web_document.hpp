#pragma once

#include "k8s/result.hpp"

#include <string>
#include <string_view>

namespace troupe::k8s::rest {

/// Whether the text begins with https:// or http://.
bool is_web_url(std::string_view text);

/// Reads a document from the web. Redirects are followed, except to http; the
/// certificate must be signed by the system's authorities (or SSL_CERT_FILE's);
/// the proxy is HTTPS_PROXY, unless NO_PROXY names the server. http:// is
/// allowed for this machine only, since manifests are carried out. Every
/// failure is ec::invalid with the URL and the reason: also an answer longer
/// than `most` bytes, or one that takes longer than a minute. Blocks.
result<std::string> read_web_document(const std::string& url,
                                      std::size_t most = 16u << 20);

} // namespace troupe::k8s::rest
