#include "actors/cli/completion/completion_values.hpp"

#include "actors/cli/base/embedded_crds.hpp"
#include "config/setting_rows.hpp"
#include "frameworks/registry.hpp"
#include "k8s/json.hpp"
#include "k8s/text.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <set>

namespace troupe::cli {

namespace {

using strings = std::vector<std::string>;

constexpr std::size_t most_candidates = 1000;

/// "--output" of "--output", "output" of a setting, "FILE" of an argument.
std::string name_of(const CLI::Option& option) {
  if (!option.get_lnames().empty())
    return option.get_lnames().front();
  return option.get_single_name();
}

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size()
         && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// The words of "FORMAT:{text,json}".
strings choices_in_type_name(const std::string& type) {
  auto begin = type.find('{');
  auto end = type.find('}', begin);
  if (begin == type.npos || end == type.npos)
    return {};
  return k8s::split_without_empty_parts(
      std::string_view{type}.substr(begin + 1, end - begin - 1), ',');
}

/// For `run --logs`: what the replicas of any kind are called.
strings log_choices() {
  strings all{"all", "none"};
  std::set<std::string> types;
  for (const auto& f : frameworks::all())
    for (const auto& rule : f.replicas)
      types.insert(k8s::lower_case(rule.type));
  all.insert(all.end(), types.begin(), types.end());
  return all;
}

/// Of flags whose values only we know.
strings known_choices(const std::string& command, const std::string& name) {
  if (name == "logs")
    return log_choices();
  if (name == "enable-scheme")
    return supported_schemes();
  if (name == "gang-scheduler-name")
    return {"volcano", "kubernetes", "scheduler-plugins-scheduler"};
  if (name == "zap-log-level")
    return {"debug", "info", "error"};
  if (name == "zap-encoder")
    return {"json", "console"};
  if (name == "zap-time-encoding")
    return config::setting_choices("log-time-encoding");
  bool has_settings =
      command == "operator" || command == "up" || command == "di-server";
  return has_settings ? config::setting_choices(name) : strings{};
}

/// The option that is written so, "--output" or "-o", if it takes a value.
const CLI::Option* find_option_with_value(const CLI::App& command,
                                          const std::string& flag) {
  if (flag.size() < 2 || flag.front() != '-')
    return nullptr;
  for (const auto* option : command.get_options())
    if (option->nonpositional() && option->check_name(flag))
      return option->get_items_expected_max() > 0 ? option : nullptr;
  return nullptr;
}

const CLI::App* find_command(const CLI::App& app, const std::string& name) {
  for (const auto* c :
       app.get_subcommands([](const CLI::App*) { return true; }))
    if (c->get_name() == name)
      return c;
  return nullptr;
}

/// The words with flag and value apart: "--output=te" is three in some shells,
/// one in others.
strings separate_equals_signs(const strings& words) {
  strings out;
  for (const auto& word : words) {
    auto equals = word.find('=');
    if (word == "=") {
      // In front of what is typed next.
    } else if (word.rfind("--", 0) == 0 && equals != word.npos) {
      out.push_back(word.substr(0, equals));
      out.push_back(word.substr(equals + 1));
    } else {
      out.push_back(word);
    }
  }
  if (!words.empty() && words.back() == "=")
    out.emplace_back();
  return out;
}

} // namespace

offered_values values_of_option(const CLI::App& command,
                                const CLI::Option& option) {
  const auto name = name_of(option);
  const auto type = option.get_type_name();
  const auto& of = command.get_name();
  auto choices = choices_in_type_name(type);
  if (choices.empty())
    choices = known_choices(of, name);
  if (!choices.empty())
    return {value_source::choices, std::move(choices)};
  if (name == "context")
    return {value_source::contexts};
  if (name == "namespace" || name == "operator-namespace")
    return {value_source::namespaces};
  if (of == "explain" && option.get_positional())
    return {value_source::jobs};
  if (type == "DIRECTORY")
    return {value_source::directories};
  if (type == "FILE" || name == "FILE" || name == "kubeconfig"
      || ends_with(name, "-file"))
    return {value_source::files};
  return {value_source::nothing};
}

value_question read_value_question(const CLI::App& app, const strings& typed) {
  value_question q;
  auto words = separate_equals_signs(typed);
  const auto* command = words.empty() ? nullptr : find_command(app, words[0]);
  if (!command || words.size() < 2)
    return q;
  q.begun = words.back();
  if (auto equals = typed.back().find('=');
      typed.back().rfind("--", 0) == 0 && equals != std::string::npos)
    q.before = typed.back().substr(0, equals + 1);
  const std::pair<const char*, std::string*> told[] = {
      {"namespace", &q.ns},
      {"kubeconfig", &q.kubeconfig},
      {"context", &q.context},
      {"admin", &q.admin},
      {"admin-token-file", &q.admin_token_file},
      {"admin-ca-file", &q.admin_ca_file},
      {"operator-namespace", &q.operator_namespace},
  };
  const CLI::Option* waiting = nullptr;
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    if (waiting) {
      for (const auto& [name, to] : told)
        if (name_of(*waiting) == name)
          *to = words[i];
      waiting = nullptr;
    } else {
      waiting = find_option_with_value(*command, words[i]);
    }
  }
  if (waiting) {
    q.values = values_of_option(*command, *waiting);
    return q;
  }
  for (const auto* option : command->get_options())
    if (option->get_positional())
      q.values = values_of_option(*command, *option);
  return q;
}

strings job_candidates(const nlohmann::json& list, const std::string& chosen,
                       const std::string& usual, const std::string& begun) {
  const auto& ns = chosen.empty() ? usual : chosen;
  strings all;
  for (const auto& job : k8s::array_at(list, {"jobs"})) {
    const auto& name = k8s::text_at(job, {"name"});
    const auto& of = k8s::text_at(job, {"namespace"});
    bool is_here = of == ns;
    if (is_here)
      all.push_back(name);
    if (is_here && !begun.empty())
      all.push_back(k8s::lower_case(k8s::text_at(job, {"kind"})) + "/" + name);
    if (chosen.empty() && (!is_here || !begun.empty()))
      all.push_back(of + "/" + name);
  }
  return all;
}

strings select_shell_safe_candidates(const strings& words,
                                     const std::string& begun) {
  strings out;
  std::set<std::string> seen;
  for (const auto& word : words) {
    bool is_plain =
        word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRST"
                               "UVWXYZ0123456789._/@:+-")
        == word.npos;
    if (is_plain && !word.empty() && word.rfind(begun, 0) == 0
        && out.size() < most_candidates && seen.insert(word).second)
      out.push_back(word);
  }
  return out;
}

} // namespace troupe::cli
