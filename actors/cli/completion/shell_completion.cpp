#include "actors/cli/completion/shell_completion.hpp"

#include "actors/cli/completion/completion_values.hpp"
#include "k8s/text.hpp"

#include <CLI/CLI.hpp>

#include <vector>

namespace troupe::cli {

namespace {

/// A subcommand or flag.
struct completed_word {
  std::string word; ///< "--logs".
  std::string about;
  bool has_value = false;
  offered_values values = {};
};

struct completed_command {
  completed_word name;
  std::vector<completed_word> flags;
  offered_values arguments; ///< Beside flags and their values.
};

std::vector<completed_word> flags_to_complete(const CLI::App& command) {
  std::vector<completed_word> result;
  for (const auto* option : command.get_options()) {
    if (option->get_group().empty())
      continue; // Not in the help either.
    for (const auto& name : option->get_lnames())
      result.push_back({"--" + name, option->get_description(),
                        option->get_items_expected_max() > 0,
                        values_of_option(command, *option)});
  }
  return result;
}

offered_values arguments_to_complete(const CLI::App& command) {
  for (const auto* option : command.get_options())
    if (option->get_positional())
      return values_of_option(command, *option);
  return {};
}

std::vector<completed_command> commands_to_complete(const CLI::App& app) {
  std::vector<completed_command> result;
  for (const auto* c : app.get_subcommands([](const CLI::App* sub) {
         return !sub->get_name().empty() && !sub->get_group().empty();
       }))
    result.push_back({{c->get_name(), c->get_description()},
                      flags_to_complete(*c),
                      arguments_to_complete(*c)});
  return result;
}

std::string join_words(const std::vector<completed_word>& all) {
  std::vector<std::string> words;
  for (const auto& one : all)
    words.push_back(one.word);
  return k8s::join(words, " ");
}

/// Text between single quotes, for bash and zsh.
std::string bash_quoted(const std::string& text) {
  return "'" + k8s::replace_all(text, "'", "'\\''") + "'";
}

std::string bash_script(const std::vector<completed_command>& commands) {
  std::string names;
  std::string cases;
  for (const auto& c : commands) {
    names += (names.empty() ? "" : " ") + c.name.word;
    cases += "    " + c.name.word
             + ") words=" + bash_quoted(join_words(c.flags)) + " ;;\n";
  }
  return "# Completes troupe in bash: . <(troupe completion bash)\n"
         "_troupe_values() {\n"
         "  local -a found\n"
         "  mapfile -t found < <(\"${COMP_WORDS[0]}\" "
         + std::string{offered_values_word}
         + " \\\n"
           "    \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null)\n"
           "  case \"${found[0]}\" in\n"
           "    :files | '') ;;\n"
           "    :directories)\n"
           "      compopt -o filenames 2>/dev/null\n"
           "      mapfile -t COMPREPLY < <(compgen -d -- \"${1#=}\") ;;\n"
           "    :nothing) compopt +o default 2>/dev/null ;;\n"
           "    *) COMPREPLY=(\"${found[@]}\") ;;\n"
           "  esac\n"
           "}\n"
           "_troupe() {\n"
           "  local current=\"${COMP_WORDS[COMP_CWORD]}\" words=''\n"
           "  COMPREPLY=()\n"
           "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
           "    words="
         + bash_quoted(names + " --help --version")
         + "\n"
           "  elif [[ $current == -* && $current != *=* ]]; then\n"
           "    case \"${COMP_WORDS[1]}\" in\n"
         + cases
         + "    esac\n"
           "  else\n"
           "    _troupe_values \"$current\"\n"
           "  fi\n"
           "  [ -z \"$words\" ] ||\n"
           "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- "
           "\"$current\")\n"
           "}\n"
           "complete -o default -F _troupe troupe\n";
}

/// The items of _describe: 'word:what it is'.
std::string zsh_items(const std::vector<completed_word>& all,
                      const std::string& indent) {
  std::string result;
  for (const auto& one : all)
    result += indent + bash_quoted(one.word + ":" + one.about) + "\n";
  return result;
}

std::string zsh_script(const std::vector<completed_command>& commands) {
  std::vector<completed_word> names;
  std::string cases;
  for (const auto& c : commands) {
    names.push_back(c.name);
    cases += "      " + c.name.word + ") found=(\n"
             + zsh_items(c.flags, "        ") + "      ) ;;\n";
  }
  return "#compdef troupe\n"
         "# Completes troupe in zsh: source <(troupe completion zsh)\n"
         "_troupe() {\n"
         "  local -a found\n"
         "  if (( CURRENT == 2 )); then\n"
         "    found=(\n"
         + zsh_items(names, "      ")
         + "    )\n"
           "    _describe command found\n"
           "  elif [[ ${words[CURRENT]} == -* && ${words[CURRENT]} != *=* ]]; "
           "then\n"
           "    case ${words[2]} in\n"
         + cases
         + "    esac\n"
           "    _describe option found\n"
           "  else\n"
           "    found=(\"${(@f)$(${words[1]} "
         + std::string{offered_values_word}
         + " \"${(@)words[2,CURRENT]}\" 2>/dev/null)}\")\n"
           "    case ${found[1]} in\n"
           "      :files | '') _files ;;\n"
           "      :directories) _files -/ ;;\n"
           "      :nothing) ;;\n"
           "      *) compadd -- \"${found[@]}\" ;;\n"
           "    esac\n"
           "  fi\n"
           "}\n"
           "if [[ ${funcstack[1]} == _troupe ]]; then\n"
           "  _troupe \"$@\"\n"
           "else\n"
           "  compdef _troupe troupe\n"
           "fi\n";
}

/// Text between single quotes, for fish.
std::string fish_quoted(const std::string& text) {
  return "'"
         + k8s::replace_all(k8s::replace_all(text, "\\", "\\\\"), "'", "\\'")
         + "'";
}

/// What fish offers there; "" for files, which it offers by itself.
std::string fish_values(const offered_values& values) {
  switch (values.source) {
  case value_source::choices:
    return " -f -a " + fish_quoted(k8s::join(values.choices, " "));
  case value_source::directories:
    return " -f -a '(__fish_complete_directories (commandline -ct))'";
  case value_source::contexts:
  case value_source::namespaces:
  case value_source::jobs:
    return " -f -a '(__troupe_values)'";
  default:
    return "";
  }
}

std::string fish_script(const std::vector<completed_command>& commands) {
  std::string result =
      "# Completes troupe in fish: troupe completion fish | source\n"
      "function __troupe_values\n"
      "  set -l typed (commandline -opc) (commandline -ct)\n"
      "  $typed[1] "
      + std::string{offered_values_word}
      + " $typed[2..-1] 2>/dev/null | string match -v ':*'\n"
        "end\n";
  for (const auto& c : commands)
    result += "complete -c troupe -f -n __fish_use_subcommand -a " + c.name.word
              + " -d " + fish_quoted(c.name.about) + "\n";
  for (const auto& c : commands)
    for (const auto& flag : c.flags)
      result += "complete -c troupe -n '__fish_seen_subcommand_from "
                + c.name.word + "' -l " + flag.word.substr(2)
                + (flag.has_value ? " -r" : "") + " -d "
                + fish_quoted(flag.about)
                + (flag.has_value ? fish_values(flag.values) : "") + "\n";
  for (const auto& c : commands)
    if (auto values = fish_values(c.arguments); !values.empty())
      result += "complete -c troupe -n '__fish_seen_subcommand_from "
                + c.name.word + "'" + values + "\n";
  return result;
}

} // namespace

std::string completion_script(const CLI::App& app, const std::string& shell) {
  const auto commands = commands_to_complete(app);
  if (shell == "bash")
    return bash_script(commands);
  if (shell == "zsh")
    return zsh_script(commands);
  if (shell == "fish")
    return fish_script(commands);
  return {};
}

} // namespace troupe::cli
