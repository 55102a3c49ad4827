#include "tests/k8s/rest/scripted_server.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/error_code.hpp>

#include <cctype>
#include <sys/socket.h>

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

std::string received_request::header(const std::string& name) const {
  auto at = head.find("\r\n" + name + ":");
  if (at == std::string::npos)
    return "";
  at = head.find_first_not_of(' ', at + name.size() + 3);
  return head.substr(at, head.find("\r\n", at) - at);
}

// -- peer ---------------------------------------------------------------------

peer::peer(socket s, asio::ssl::context* tls)
    : socket_(std::move(s)) {
  if (tls)
    tls_.emplace(socket_, *tls);
}

bool peer::handshake() {
  error_code e;
  if (tls_)
    tls_->handshake(asio::ssl::stream_base::server, e);
  return !e;
}

std::size_t peer::read_some(char* into, std::size_t size) {
  error_code e;
  auto n = tls_ ? tls_->read_some(asio::buffer(into, size), e)
                : socket_.read_some(asio::buffer(into, size), e);
  return e ? 0 : n;
}

std::optional<received_request> peer::read() {
  std::size_t head_end = 0;
  std::size_t body_size = 0;
  for (char block[8192];;) {
    if (head_end == 0)
      if (auto at = unread_.find("\r\n\r\n"); at != std::string::npos) {
        head_end = at + 4;
        received_request r{unread_.substr(0, head_end), ""};
        if (auto length = r.header("Content-Length"); !length.empty())
          body_size = std::stoul(length);
      }
    if (head_end > 0 && unread_.size() >= head_end + body_size)
      break;
    auto n = read_some(block, sizeof block);
    if (n == 0)
      return std::nullopt;
    unread_.append(block, n);
  }
  received_request r{unread_.substr(0, head_end),
                     unread_.substr(head_end, body_size)};
  unread_.erase(0, head_end + body_size);
  return r;
}

void peer::write(const std::string& text) {
  error_code ignored;
  if (tls_)
    asio::write(*tls_, asio::buffer(text), ignored);
  else
    asio::write(socket_, asio::buffer(text), ignored);
}

void peer::answer(int status, const std::string& body,
                  const std::string& more_headers) {
  write("HTTP/1.1 " + std::to_string(status)
        + " As Said\r\nContent-Type: application/json\r\nContent-Length: "
        + std::to_string(body.size()) + "\r\n" + more_headers + "\r\n" + body);
}

void peer::begin_chunks(int status) {
  write("HTTP/1.1 " + std::to_string(status)
        + " As Said\r\nContent-Type: application/json\r\n"
          "Transfer-Encoding: chunked\r\n\r\n");
}

void peer::chunk(const std::string& text) {
  char size[32];
  std::snprintf(size, sizeof size, "%zx\r\n", text.size());
  write(size + text + "\r\n");
}

void peer::wait_until_left() {
  for (char block[1024]; read_some(block, sizeof block) > 0;)
    ;
}

std::string peer::client_name() {
  if (!tls_)
    return "";
  auto* cert = SSL_get1_peer_certificate(tls_->native_handle());
  if (!cert)
    return "";
  char name[256] = "";
  X509_NAME_get_text_by_NID(X509_get_subject_name(cert), NID_commonName, name,
                            sizeof name);
  X509_free(cert);
  return name;
}

std::string peer::asked_name() {
  if (!tls_)
    return "";
  const char* name =
      SSL_get_servername(tls_->native_handle(), TLSEXT_NAMETYPE_host_name);
  return name ? name : "";
}

// -- scripted_server ----------------------------------------------------------

scripted_server::scripted_server(script s, std::optional<certificate> tls,
                                 const std::string& address)
    : script_(std::move(s))
    , acceptor_(io_, tcp::endpoint{asio::ip::make_address(address), 0}) {
  port_ = acceptor_.local_endpoint().port();
  if (tls) {
    tls_.emplace(asio::ssl::context::tls_server);
    tls_->use_certificate_chain(asio::buffer(tls->cert));
    tls_->use_private_key(asio::buffer(tls->key), asio::ssl::context::pem);
    tls_->set_verify_mode(asio::ssl::verify_peer);
    tls_->set_verify_callback([](bool, auto&) { return true; });
  }
  thread_ = std::thread{[this] { accept(); }};
}

scripted_server::~scripted_server() {
  ending_ = true;
  ::shutdown(acceptor_.native_handle(), SHUT_RDWR);
  thread_.join();
  std::lock_guard guard{mutex_};
  for (auto& g : sessions_)
    ::shutdown(g.connection->socket_.native_handle(), SHUT_RDWR);
  for (auto& g : sessions_)
    g.thread.join();
}

std::string scripted_server::url() const {
  auto address = acceptor_.local_endpoint().address();
  auto host =
      address.is_v6() ? "[" + address.to_string() + "]" : address.to_string();
  return (tls_ ? "https://" : "http://") + host + ":" + std::to_string(port_);
}

void scripted_server::accept() {
  while (!ending_) {
    error_code e;
    auto socket = acceptor_.accept(e);
    if (e)
      continue;
    ++connections_;
    std::lock_guard guard{mutex_};
    auto& g = sessions_.emplace_back();
    g.connection =
        std::make_unique<peer>(std::move(socket), tls_ ? &*tls_ : nullptr);
    g.thread = std::thread{[this, connection = g.connection.get()] {
      if (connection->handshake())
        script_(*connection);
      // The number of the socket stays ours until the end.
      ::shutdown(connection->socket_.native_handle(), SHUT_RDWR);
    }};
  }
}
