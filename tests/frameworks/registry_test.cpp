// What each kind in the registry must have, here and in other folders: the
// message of a failure names the file and what to add to it.
#include "frameworks/registry.hpp"
#include "k8s/text.hpp"

#include <boost/test/unit_test.hpp>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace troupe;

BOOST_AUTO_TEST_SUITE(registry_test)

namespace {

/// "" if there is no such file.
std::string file(const std::string& path) {
  std::ifstream in{std::string{REPOSITORY} + "/" + path};
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

bool is_part_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '/' || c == '_';
}

/// Not "tfjobs" of "tfjobs/status".
bool has_word(const std::string& text, const std::string& word) {
  for (auto at = text.find(word); at != std::string::npos;
       at = text.find(word, at + 1)) {
    auto end = at + word.size();
    if ((at == 0 || !is_part_of_word(text[at - 1]))
        && (end == text.size() || !is_part_of_word(text[end])))
      return true;
  }
  return false;
}

/// The names of a folder's files with this extension.
std::vector<std::string> files(const std::string& folder,
                               const char* extension) {
  std::vector<std::string> result;
  for (const auto& entry : std::filesystem::directory_iterator{
           std::string{REPOSITORY} + "/" + folder})
    if (entry.path().extension() == extension)
      result.push_back(entry.path().filename().string());
  return result;
}

/// "jax" of "framework jax() {", or "".
std::string table_in(const std::string& source) {
  const std::string begin = "\nframework ";
  auto from = source.find(begin);
  if (from == std::string::npos)
    return {};
  from += begin.size();
  return source.substr(from, source.find('(', from) - from);
}

std::string lower(std::string text) {
  for (auto& c : text)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

struct mention {
  std::string path;
  std::string word;
  const char* remedy;
};

std::vector<mention> mentions_of(const core::framework& kind) {
  const auto& plural = kind.names.type.plural;
  const auto& name = kind.names.type.kind;
  const auto* generate = "run deploy/list_kinds.py";
  std::vector<mention> result{
      {"deploy/crds/Kustomization",
       kind.names.type.group + "_" + plural + ".yaml", generate},
      {"deploy/rbac/role.yaml", plural, generate},
      {"deploy/rbac/role.yaml", plural + "/status", generate},
      {"deploy/rbac/role.yaml", plural + "/finalizers", generate},
      {"deploy/rbac/users/roles.yaml", plural, generate},
      {"deploy/rbac/users/roles.yaml", plural + "/status", generate},
      {"deploy/webhook/configuration.yaml", plural, generate},
      {"README.md", name, "add it to the table of job kinds"},
      {"deploy/words.py", name, "describe the kind"},
      {"tests/cluster/jobs/kinds.py", name, "add a row for the kind"},
  };
  // Of the others, tests have classes of their own.
  if (!kind.own.make_pod) {
    result.push_back({"deploy/generate_crds.py", name, "add a row and run it"});
    result.push_back({"deploy/words.py", "\"" + name + "\": of_kind",
                      "describe its fields in KIND_FIELDS"});
    result.push_back({"tests/frameworks/CMakeLists.txt",
                      std::string{kind.names.short_name} + "_test.cpp",
                      "write that test, as jax_test.cpp is, and add it"});
    result.push_back({"tests/simulation/replica_types/kind_rows.cpp", name,
                      "add a row with the rules of its documentation"});
    result.push_back({"tests/bench/loadgen/kinds.go", name,
                      "add a row with what is written for its pods"});
  }
  return result;
}

/// Whether a file of deploy/samples has a job of this kind.
bool has_sample(const core::framework& kind) {
  for (const auto& name : files("deploy/samples", ".yaml")) {
    auto text = file("deploy/samples/" + name);
    if (text.find("kind: " + kind.names.type.kind + "\n") != std::string::npos
        && text.find("apiVersion: " + kind.names.type.api_version() + "\n")
               != std::string::npos)
      return true;
  }
  return false;
}

} // namespace

BOOST_AUTO_TEST_CASE(every_file_that_lists_kinds_has_each) {
  for (const auto& kind : frameworks::all()) {
    auto definition = "deploy/crds/" + kind.names.type.group + "_"
                      + kind.names.type.plural + ".yaml";
    BOOST_CHECK_MESSAGE(!file(definition).empty(),
                        definition << " is not there: add "
                                   << kind.names.type.kind
                                   << " to deploy/generate_crds.py and run it");
    for (const auto& m : mentions_of(kind))
      BOOST_CHECK_MESSAGE(has_word(file(m.path), m.word),
                          m.path << " does not have \"" << m.word
                                 << "\": " << m.remedy);
    BOOST_CHECK_MESSAGE(has_sample(kind), "deploy/samples has no job of "
                                              << kind.names.type.api_version()
                                              << " " << kind.names.type.kind
                                              << ": add one that trains");
    auto record = "tests/faults/records/" + kind.names.type.kind + ".txt";
    BOOST_CHECK_MESSAGE(!file(record).empty(),
                        record << " is not there: tests/faults/run.py --record "
                                  "--life "
                               << kind.names.type.kind << " writes it");
  }
}

BOOST_AUTO_TEST_CASE(every_table_is_in_the_registry) {
  auto registry = file("frameworks/registry.cpp");
  for (const auto& source : files("frameworks", ".cpp")) {
    auto table = table_in(file("frameworks/" + source));
    BOOST_CHECK_MESSAGE(table.empty() || has_word(registry, table),
                        "frameworks/registry.cpp does not have \""
                            << table << "()\", the table of frameworks/"
                            << source
                            << ": append it as the last row, and declare it in "
                               "frameworks/registry.hpp");
  }
}

// Others may follow.
BOOST_AUTO_TEST_CASE(kinds_keep_their_places) {
  const char* const names[] = {"tensorflow", "pytorch", "xgboost",
                               "paddle",     "mpi",     "jax",
                               "mxnet",      "di",      "di-tasks"};
  std::size_t place = 0;
  for (const std::string name : names) {
    const std::string found = frameworks::all().at(place++).names.short_name;
    BOOST_CHECK_MESSAGE(found == name,
                        "frameworks/registry.cpp: row "
                            << place << " is that of " << found
                            << ", which has to come after the kinds of before: "
                               "inputs of fuzzers name kinds by their place");
  }
}

// What users write is where the operator reads it; who may be scaled can be.
BOOST_AUTO_TEST_CASE(definitions_agree_with_the_tables) {
  for (const auto& kind : frameworks::all()) {
    const std::string field = kind.names.spec_field;
    if (field.empty())
      continue;
    const auto* name = kind.names.type.kind.c_str();
    auto definition = file("deploy/crds/" + kind.names.type.group + "_"
                           + kind.names.type.plural + ".yaml");
    BOOST_CHECK_MESSAGE(has_word(definition, field),
                        "the definition of "
                            << name << " has no field \"" << field
                            << "\", which its table names: change its row in "
                               "deploy/generate_crds.py, and run that");
    bool scales = has_word(definition, "specReplicasPath");
    BOOST_CHECK_MESSAGE(
        scales == kind.pods.writes_status_selector,
        "the definition of "
            << name << (scales ? " has" : " has no")
            << " subresource scale, but pods.writes_status_selector of its "
               "table says otherwise: change either, the definition by its row "
               "in deploy/generate_crds.py");
  }
}

BOOST_AUTO_TEST_CASE(every_sample_is_in_the_list_of_samples) {
  auto list = file("deploy/samples/README.md");
  for (const auto& name : files("deploy/samples", ".yaml"))
    BOOST_CHECK_MESSAGE(has_word(list, name),
                        "deploy/samples/README.md does not have \""
                            << name << "\": say there what it trains");
}

BOOST_AUTO_TEST_CASE(names_follow_from_the_kind) {
  for (const auto& kind : frameworks::all())
    BOOST_TEST_CONTEXT("the row of " << kind.names.type.kind << " "
                                     << kind.names.type.version) {
      auto singular = lower(kind.names.type.kind);
      BOOST_TEST(kind.names.singular == singular);
      BOOST_TEST(kind.names.type.plural == singular + "s");
      BOOST_TEST(kind.names.short_name != std::string{});
      BOOST_TEST((kind.pods.container != std::string{}
                  || kind.accepted.allows_any_container_name));
      BOOST_TEST(kind.names.controller != std::string{});
    }
}

// What Kubernetes accepts as the name of a port.
BOOST_AUTO_TEST_CASE(names_of_ports_are_accepted_by_kubernetes) {
  for (const auto& kind : frameworks::all()) {
    if (kind.pods.port == 0)
      continue;
    std::string name = kind.pods.port_name;
    bool characters = name.find_first_not_of("abcdefghijklmnopqrstuvwxyz"
                                             "0123456789-")
                      == std::string::npos;
    BOOST_CHECK_MESSAGE(
        !name.empty() && name.size() <= 15 && characters,
        "the row of " << kind.names.type.kind << ": port_name \"" << name
                      << "\" must have 1 to 15 characters of a-z, 0-9 and -");
  }
}

BOOST_AUTO_TEST_CASE(every_kind_says_how_replicas_find_each_other) {
  for (const auto& kind : frameworks::all())
    BOOST_CHECK_MESSAGE(kind.hooks.environment || kind.hooks.auxiliary_objects
                            || kind.own.make_pod,
                        "the row of "
                            << kind.names.type.kind
                            << ": set `environment`, which gives the replicas "
                               "the addresses of the others");
}

BOOST_AUTO_TEST_CASE(a_job_belongs_to_the_row_of_its_birth) {
  for (const auto& read_in : frameworks::all())
    for (const auto& born : frameworks::all()) {
      bool same_kind = read_in.names.type.kind == born.names.type.kind;
      if (same_kind && *born.names.born_as != '\0')
        BOOST_TEST(&frameworks::row_of_birth(read_in, born.names.born_as)
                   == &born);
    }
  const auto& v1 = *frameworks::find("kubeflow.org/v1", "MPIJob");
  BOOST_TEST(v1.names.born_as == std::string{"v1"});
  // Of a definition that has no such field, or has it not right.
  for (const char* other : {"", "v0"})
    BOOST_TEST(&frameworks::row_of_birth(v1, other) == &v1);
}

BOOST_AUTO_TEST_SUITE_END()
