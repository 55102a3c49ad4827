#include "k8s/rest/watch_connections.hpp"

#include "k8s/request_counts.hpp"

namespace troupe::k8s::rest {

namespace http = web::http;
using std::chrono::seconds;

watch_connections::watch_connections(const client_config& config,
                                     const credential& cred,
                                     std::chrono::milliseconds silence)
    : server_(config.server)
    , origin_(config.origin)
    , tls_server_name_(config.tls_server_name)
    , terms_(config, cred)
    , client_(web::uri{config.server},
              make_client_config(config.insecure, silence)) {
  // nop
}

http::client::http_client_config
watch_connections::make_client_config(bool insecure,
                                      std::chrono::milliseconds silence) {
  http::client::http_client_config c;
  c.set_timeout(silence);
  c.set_validate_certificates(!insecure);
  c.set_max_redirects(0); // The login is for this server only.
  c.set_ssl_context_callback([this](boost::asio::ssl::context& context) {
    terms_.configure_cpprest_context(context);
  });
  return c;
}

pplx::task<http::http_response>
watch_connections::open_watch(const request& r, const std::string& token,
                              write_only_callback_streambuf::byte_handler to,
                              std::function<void(int)> on_status,
                              const pplx::cancellation_token& cancel) {
  namespace streams = concurrency::streams;
  http::http_request q{http_method(r.method)};
  q.set_request_uri(web::uri{r.path});
  auto& headers = q.headers();
  headers.add("Accept", r.accept.empty() ? "application/json" : r.accept);
  headers.add("User-Agent", "troupe"); // Shows up in managedFields.
  if (!token.empty())
    headers.add("Authorization", "Bearer " + token);
  if (!tls_server_name_.empty()) // What the certificate is to name.
    headers.add("Host", tls_server_name_);
  q.set_response_stream(streams::ostream{streams::streambuf<std::uint8_t>{
      std::make_shared<write_only_callback_streambuf>(std::move(to))}});
  return client_.request(q, cancel).then(
      [on_status = std::move(on_status)](http::http_response answer) {
        on_status(answer.status_code());
        return answer.content_ready();
      });
}

failure watch_connections::failure_of_current_exception() const {
  try {
    throw;
  } catch (const http::http_exception& e) {
    std::string what = e.what();
    if (e.error_code() == std::errc::timed_out)
      return {ec::timeout, "no answer from " + server_ + " in time"};
    if (e.error_code() == std::errc::operation_canceled)
      return {ec::cancelled, "given up"};
    if (what.find("SSL") != std::string::npos)
      what = terms_.describe_handshake_failure(what);
    if (what.rfind("Invalid", 0) == 0) // Status line, header or chunk.
      return {ec::garbage, server_ + " does not speak HTTP: " + what};
    return {ec::unreachable, "cannot reach " + server_ + ": " + what};
  } catch (const pplx::task_canceled&) {
    return {ec::cancelled, "given up"};
  } catch (const std::exception& e) {
    return {ec::garbage,
            "the answer of " + server_ + " cannot be used: " + e.what()};
  }
}

} // namespace troupe::k8s::rest
