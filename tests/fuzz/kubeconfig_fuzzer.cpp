#include "k8s/general/base64.hpp"
#include "k8s/general/child_output.hpp"
#include "k8s/rest/credentials/credentials.hpp"
#include "tests/fuzz/fuzz_input.hpp"
#include "tests/k8s/http/self_signed_certificate.hpp"

// A kubeconfig and, behind a line `%%`, what its credential plugin prints. The
// words CERTIFICATE and KEY stand for a pair that belongs together, in base64.

namespace {

using namespace troupe;
using fuzz::require;

/// What run_for_output() gives.
std::string plugin_output;

void replace_all(std::string& text, std::string_view what,
                 const std::string& with) {
  for (auto at = text.find(what); at != text.npos;
       at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

std::string with_certificates(std::string_view text) {
  static const auto pair = *k8s::http::make_self_signed_certificate({"host"});
  std::string out{text};
  replace_all(out, "CERTIFICATE", k8s::to_base64(pair.certificate));
  replace_all(out, "KEY", k8s::to_base64(pair.key));
  return out;
}

void check_config(const k8s::rest::client_config& c) {
  require(c.server.rfind("http://", 0) == 0
              || c.server.rfind("https://", 0) == 0,
          "a server has a scheme");
  require(!c.default_namespace.empty(), "there is a namespace");
  auto credential = c.get_credential();
  require(!credential
              || credential->client_cert_pem.empty()
                     == credential->client_key_pem.empty(),
          "a certificate has a key");
}

} // namespace

/// In the place of k8s/general/child_output.cpp: no input runs a program.
k8s::result<std::string> troupe::k8s::run_for_output(const child_program& c) {
  require(!c.command.empty() && !c.env.empty(), "a plugin has a command");
  return plugin_output;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  fuzz::fuzz_input input{data, size};
  auto text = with_certificates(input.take_until("\n%%\n"));
  plugin_output = input.rest();
  // A folder that is not there: relative paths lead to no file.
  const std::string path = "/nonexistent/config";
  auto config = k8s::rest::load_kubeconfig(text, path);
  if (config)
    check_config(*config);
  else
    require(config.error().message.find(path) != std::string::npos,
            "an error names the file");
  return 0;
}
