#include "k8s/node/exec_context.hpp"

#include "k8s/node/files.hpp"

#include <cerrno>
#include <filesystem>
#include <unistd.h>

namespace troupe::k8s::node {

namespace fs = std::filesystem;

std::optional<failure>
make_exec_directory_and_link(const std::string& directory,
                             const std::string& link) {
  if (auto bad = make_directory(directory))
    return bad;
  if (auto bad = make_directory(fs::path(link).parent_path().string()))
    return bad;
  auto fresh = directory + "/.link";
  std::error_code wrong;
  fs::create_symlink(directory, fresh, wrong);
  if (!wrong)
    fs::rename(fresh, link, wrong);
  if (wrong)
    return failure{ec::invalid, "cannot make " + link + ": " + wrong.message()};
  return std::nullopt;
}

void remove_exec_directory_and_link(const std::string& directory,
                                    const std::string& link) {
  std::error_code ignored; // It goes with the run directory at the latest.
  if (fs::read_symlink(link, ignored) == directory)
    fs::remove(link, ignored);
  fs::remove_all(directory, ignored);
}

std::optional<failure> write_exec_context(const std::string& directory,
                                          bool first, pid_t reaper,
                                          const container_plan& plan) {
  constexpr char end = '\0';
  auto text = std::to_string(reaper) + end + plan.directory + end;
  for (const auto& [name, value] : plan.env)
    text += name + "=" + value + end;
  // The environment may hold secrets.
  if (auto bad = write_file_atomically(directory + "/" + plan.name, text, 0600))
    return bad;
  // There already, if the container has lived before.
  if (first
      && ::symlink(plan.name.c_str(), (directory + "/.first").c_str()) != 0
      && errno != EEXIST)
    return failure{ec::invalid, "cannot write " + directory + "/.first"};
  return std::nullopt;
}

void remove_exec_context(const std::string& directory,
                         const std::string& container) {
  ::unlink((directory + "/" + container).c_str());
}

} // namespace troupe::k8s::node
