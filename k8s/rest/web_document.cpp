#include "k8s/rest/web_document.hpp"

#include "k8s/general/addresses.hpp"
#include "k8s/rest/credentials/proxy_choice.hpp"
#include "k8s/rest/credentials/server_address.hpp"
#include "k8s/rest/system_authorities.hpp"

#include <cpprest/http_client.h>
#include <pplx/threadpool.h>

#include <chrono>
#include <future>
#include <memory>

namespace troupe::k8s::rest {

namespace {

using std::chrono::seconds;
using http_config = web::http::client::http_client_config;

constexpr seconds longest_silence{30};
constexpr seconds longest_time{60};

failure web_failure(const std::string& url, const std::string& why) {
  return {ec::invalid, url + ": " + why};
}

/// It has forty threads otherwise, which stay until the end of the process.
void limit_cpprest_threads() {
  try {
    crossplat::threadpool::initialize_with_threads(1);
  } catch (const std::exception&) {
    // An earlier document has done that.
  }
}

/// Why it is not even tried.
std::string describe_unusable_url(const std::string& url) {
  auto a = parse_server_address_unchecked(url);
  if (!is_usable_server_url(url) || a.authority.find('@') != std::string::npos)
    return "is no address; it must be https://HOST/PATH";
  if (a.host.find(':') != std::string::npos)
    return "an IPv6 address cannot be used here; name the host, or download "
           "the file";
  if (!a.tls && !is_localhost_or_loopback(a.host))
    return "http could be changed on its way, and what it says is carried "
           "out; use https, or download the file and look at it";
  return "";
}

result<nothing> set_proxy_of_environment(http_config& config,
                                         const std::string& url) {
  auto chosen = choose_proxy(url, read_proxy_environment());
  if (chosen.empty())
    return nothing{};
  auto proxy = parse_proxy_url(chosen);
  if (!proxy)
    return failure{ec::invalid, "HTTPS_PROXY: " + proxy.error().message};
  web::web_proxy through{web::uri{"http://" + proxy->name}};
  if (!proxy->user.empty())
    through.set_credentials({proxy->user, proxy->password});
  config.set_proxy(through);
  return nothing{};
}

/// What both ends of a download know.
struct download {
  std::promise<result<std::string>> answer;
  pplx::cancellation_token_source cancel;
  std::atomic<bool> is_too_long{false};
};

void start_download(const std::shared_ptr<download>& d,
                    const http_config& config, const std::string& url,
                    std::size_t most) {
  web::http::http_request request{web::http::methods::GET};
  request.headers().add("User-Agent", "troupe");
  request.set_progress_handler(
      [d, most](web::http::message_direction::direction way, auto bytes) {
        if (way == web::http::message_direction::download && bytes > most) {
          d->is_too_long = true;
          d->cancel.cancel();
        }
      });
  web::http::client::http_client client{web::uri{url}, config};
  client.request(request, d->cancel.get_token())
      .then([](const web::http::http_response& answer) {
        if (answer.status_code() == web::http::status_codes::OK)
          return answer.extract_utf8string(true);
        auto why = "the server answers " + std::to_string(answer.status_code())
                   + " " + answer.reason_phrase();
        return pplx::task_from_exception<std::string>(std::runtime_error{why});
      })
      .then([d, client](const pplx::task<std::string>& done) {
        try {
          d->answer.set_value(done.get());
        } catch (const std::exception& e) {
          d->answer.set_value(failure{ec::invalid, e.what()});
        }
      });
}

} // namespace

bool is_web_url(std::string_view text) {
  return text.rfind("https://", 0) == 0 || text.rfind("http://", 0) == 0;
}

result<std::string> read_web_document(const std::string& url,
                                      std::size_t most) {
  if (auto why = describe_unusable_url(url); !why.empty())
    return web_failure(url, why);
  http_config config;
  config.set_timeout(longest_silence);
  config.set_ssl_context_callback([](boost::asio::ssl::context& context) {
    namespace ssl = boost::asio::ssl;
    context.set_options(ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1);
    trust_system_authorities(context);
  });
  if (auto done = set_proxy_of_environment(config, url); !done)
    return web_failure(url, done.error().message);
  limit_cpprest_threads();
  auto d = std::make_shared<download>();
  auto answer = d->answer.get_future();
  try {
    start_download(d, config, url, most);
  } catch (const std::exception& e) {
    return web_failure(url, e.what());
  }
  bool is_late = answer.wait_for(longest_time) != std::future_status::ready;
  if (is_late)
    d->cancel.cancel();
  auto text = answer.get();
  if (d->is_too_long || (text && text->size() > most))
    return web_failure(url,
                       "is longer than " + std::to_string(most) + " bytes");
  if (is_late)
    return web_failure(url, "has not come within a minute");
  if (!text)
    return web_failure(url, "cannot be read: " + text.error().message);
  return text;
}

} // namespace troupe::k8s::rest
