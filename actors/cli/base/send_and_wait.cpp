#include "actors/cli/base/send_and_wait.hpp"

#include "k8s/json.hpp"
#include "k8s/rest/rest_api.hpp"

#include <future>

namespace troupe::cli {

namespace {

constexpr std::chrono::seconds answer_limit{30};

} // namespace

k8s::result<nlohmann::json> send_and_wait(k8s::api& client, k8s::request r) {
  auto path = r.path;
  std::promise<k8s::result<std::string>> promise;
  auto answer = promise.get_future();
  client.send(std::move(r), answer_limit,
              [&promise](k8s::result<std::string> text) {
                promise.set_value(std::move(text));
              });
  auto text = answer.get();
  if (!text)
    return text.error();
  auto body = k8s::parse_json(*text);
  if (!body)
    return k8s::failure{k8s::ec::garbage,
                        "the answer to " + path + " is no JSON"};
  return body;
}

k8s::request make_get_request(std::string path) {
  return {k8s::verb::get, std::move(path), "", "", "path"};
}

std::shared_ptr<k8s::api> make_client(const std::string& url,
                                      const std::string& token,
                                      const std::string& ca_pem) {
  k8s::rest::client_config who;
  who.get_credential = [token]() -> k8s::result<k8s::rest::credential> {
    k8s::rest::credential l;
    l.token = token;
    return l;
  };
  who.server = url;
  who.ca_pem = ca_pem;
  who.origin = url;
  return k8s::rest::make_rest_api(std::move(who));
}

} // namespace troupe::cli
