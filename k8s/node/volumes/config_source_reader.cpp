#include "k8s/node/volumes/config_source_reader.hpp"

#include "k8s/node/base/pod_fields.hpp"
#include "k8s/node/volumes/api_access.hpp"

namespace troupe::k8s::node {

namespace {

const resource service_accounts{"", "v1", "serviceaccounts", "ServiceAccount"};

config_source_content
parse_config_source_answer(const std::string& kind,
                           const result<std::string>& answer) {
  if (!answer)
    return answer.error();
  auto object = parse_json(*answer);
  if (!object)
    return object.error();
  return decode_config_source_data(kind, *object);
}

config_source_content parse_token_answer(const result<std::string>& answer) {
  if (!answer)
    return answer.error();
  auto token = text_at(parse_json_or_null(*answer), {"status", "token"});
  if (token.empty())
    return failure{ec::garbage, "the API server answers without a token"};
  return std::map<std::string, std::string>{{"token", std::move(token)}};
}

/// For this pod: the token ends with it.
request make_token_request(const json& pod, const token_source& wanted) {
  json spec{{"expirationSeconds", wanted.seconds},
            {"boundObjectRef",
             {{"kind", "Pod"},
              {"apiVersion", "v1"},
              {"name", pod_ref(pod).name},
              {"uid", uid_of(pod)}}}};
  if (!wanted.audience.empty())
    spec["audiences"] = {wanted.audience};
  auto r = create(service_accounts, pod_ref(pod).ns,
                  to_text({{"apiVersion", "authentication.k8s.io/v1"},
                           {"kind", "TokenRequest"},
                           {"spec", std::move(spec)}}));
  r.path += "/" + service_account_or_default(pod) + "/token";
  r.resource += "/token";
  return r;
}

bool refuses_automatic_tokens(const std::string& account) {
  auto object = parse_json_or_null(account);
  const auto* automount = find_value(object, {"automountServiceAccountToken"});
  return automount && *automount == false;
}

} // namespace

void config_source_reader::read_all_sources(
    const json& pod, std::vector<config_source_name> names,
    std::function<void(config_sources)> handle) {
  struct reading {
    config_sources found;
    std::size_t left;
    std::function<void(config_sources)> handle;
  };
  auto all = std::make_shared<reading>();
  all->left = names.size();
  all->handle = std::move(handle);
  for (const auto& name : names)
    read_config_source(pod, name, [all, name](config_source_content content) {
      all->found.emplace(name, std::move(content));
      if (--all->left == 0)
        all->handle(std::move(all->found));
    });
}

void config_source_reader::read_config_source(const json& pod,
                                              const config_source_name& name,
                                              one_handler handle) {
  if (name.first == token_source_kind)
    return read_token(pod, name, std::move(handle));
  client_.send(
      get({config_source_resource(name.first), pod_ref(pod).ns, name.second}),
      [kind = name.first,
       handle = std::move(handle)](const result<std::string>& answer) {
        handle(parse_config_source_answer(kind, answer));
      });
}

void config_source_reader::read_token(const json& pod,
                                      const config_source_name& name,
                                      one_handler handle) {
  auto wanted = decode_token_source(name);
  auto use = [handle](const result<std::string>& answer) {
    handle(parse_token_answer(answer));
  };
  if (!wanted.is_automatic)
    return client_.send(make_token_request(pod, wanted), use);
  client_.send(
      get({service_accounts, pod_ref(pod).ns, service_account_or_default(pod)}),
      [this, use, handle = std::move(handle),
       request =
           make_token_request(pod, wanted)](const result<std::string>& a) {
        if (!a)
          handle(a.error());
        else if (refuses_automatic_tokens(*a))
          handle(failure{ec::not_found, "the account wants no token mounted"});
        else
          client_.send(request, use);
      });
}

} // namespace troupe::k8s::node
