#include "k8s/rest/tls.hpp"

#include "k8s/rest/system_authorities.hpp"

#include <boost/asio/buffer.hpp>
#include <openssl/x509_vfy.h>

#include <mutex>

namespace troupe::k8s::rest {

struct tls_config::state {
  std::string ca;
  std::string cert;
  std::string key;
  std::string origin;
  bool insecure = false;
  std::mutex mutex;
  std::string complaint;

  /// Called by OpenSSL in place of its own verification.
  static int verify_chain_and_record_error(X509_STORE_CTX* chain, void* self) {
    int good = X509_verify_cert(chain);
    auto error = X509_STORE_CTX_get_error(chain);
    auto* s = static_cast<state*>(self);
    std::lock_guard guard{s->mutex};
    if (good > 0)
      s->complaint.clear();
    else if (error == X509_V_OK || error == X509_V_ERR_UNSPECIFIED
             || error == X509_V_ERR_HOSTNAME_MISMATCH
             || error == X509_V_ERR_IP_ADDRESS_MISMATCH)
      // With no fault of its own it was our check of the name.
      s->complaint = "is for another host name";
    else
      s->complaint = std::string{"is not trusted ("}
                     + X509_verify_cert_error_string(error) + ")";
    return good;
  }
};

tls_config::tls_config(const client_config& config, const credential& cred)
    : state_(std::make_unique<state>()) {
  state_->ca = config.ca_pem;
  state_->cert = cred.client_cert_pem;
  state_->key = cred.client_key_pem;
  state_->origin = config.origin;
  state_->insecure = config.insecure;
}

tls_config::~tls_config() = default;

void tls_config::configure_context(boost::asio::ssl::context& context) const {
  using boost::asio::buffer;
  namespace ssl = boost::asio::ssl;
  auto* native = context.native_handle();
  context.set_options(ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1);
  if (state_->ca.empty())
    trust_system_authorities(context);
  else
    context.add_certificate_authority(buffer(state_->ca));
  X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(native),
                              X509_V_FLAG_PARTIAL_CHAIN);
  if (!state_->cert.empty()) {
    context.use_certificate_chain(buffer(state_->cert));
    context.use_private_key(buffer(state_->key), ssl::context::pem);
  }
  SSL_CTX_set_cert_verify_callback(native, state::verify_chain_and_record_error,
                                   state_.get());
  context.set_verify_mode(state_->insecure ? ssl::verify_none
                                           : ssl::verify_peer);
}

std::string
tls_config::describe_handshake_failure(const std::string& what) const {
  if (auto complaint = last_verify_error(); !complaint.empty())
    return "its certificate " + complaint + "; check certificate-authority in "
           + state_->origin;
  return "the TLS handshake failed (" + what
         + "); does it speak https, and does it take our certificate?";
}

std::string tls_config::last_verify_error() const {
  std::lock_guard guard{state_->mutex};
  return state_->complaint;
}

} // namespace troupe::k8s::rest
