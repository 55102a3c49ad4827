#include "k8s/node/config_source_reader.hpp"

namespace troupe::k8s::node {

namespace {

config_source_content
config_source_from_answer(const std::string& kind,
                          const result<std::string>& answer) {
  if (!answer)
    return answer.error();
  auto object = parse_json(*answer);
  if (!object)
    return object.error();
  return config_source_data(kind, *object);
}

} // namespace

void config_source_reader::read(const std::string& ns,
                                std::vector<config_source_name> names,
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
    client_.send(get({config_source_resource(name.first), ns, name.second}),
                 [all, name](const result<std::string>& answer) {
                   all->found.emplace(
                       name, config_source_from_answer(name.first, answer));
                   if (--all->left == 0)
                     all->handle(std::move(all->found));
                 });
}

} // namespace troupe::k8s::node
