#pragma once

#include "k8s/result.hpp"

#include <string>
#include <string_view>

namespace troupe::k8s::rest {

/// Whether this names a document of the web: "https://..." or "http://...".
bool is_web_url(std::string_view text);

/// Reads a document of the web. Redirects are followed, but not to http; the
/// certificate has to be of the system's authorities (or SSL_CERT_FILE's); the
/// proxy is HTTPS_PROXY, unless NO_PROXY names the server. http:// is for this
/// machine only: what is read here is carried out. ec::invalid, with the URL
/// and the reason, for everything that goes wrong, an answer longer than `most`
/// or one that takes longer than a minute. Blocks.
result<std::string> read_web_document(const std::string& url,
                                      std::size_t most = 16u << 20);

} // namespace troupe::k8s::rest
