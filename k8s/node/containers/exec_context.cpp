#include "k8s/node/containers/exec_context.hpp"

#include "k8s/general/files.hpp"
#include "k8s/node/base/files.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace troupe::k8s::node {

namespace fs = std::filesystem;

namespace {

/// It is the default where the command names none. There already, if the
/// container has lived before.
std::optional<failure> link_default_container(const std::string& directory,
                                              const std::string& container) {
  if (::symlink(container.c_str(), (directory + "/.first").c_str()) != 0
      && errno != EEXIST)
    return failure{ec::invalid, "cannot write " + directory + "/.first"};
  return std::nullopt;
}

} // namespace

std::optional<failure>
make_exec_directory_and_link(const std::string& directory,
                             const std::string& link) {
  if (auto bad = make_directory_and_parents(directory))
    return bad;
  if (auto bad =
          make_directory_and_parents(fs::path(link).parent_path().string()))
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
                                          bool is_default, pid_t reaper,
                                          const container_plan& plan) {
  constexpr char end = '\0';
  auto text = std::to_string(reaper) + end + plan.directory + end;
  for (const auto& [name, value] : plan.env)
    text += name + "=" + value + end;
  // The environment may hold secrets.
  if (auto bad = write_file_atomically(directory + "/" + plan.name, text, 0600))
    return bad;
  return is_default ? link_default_container(directory, plan.name)
                    : std::nullopt;
}

result<unique_descriptor> listen_for_exec(const std::string& directory,
                                          bool is_default,
                                          const std::string& container) {
  auto refused = [&] {
    return failure{ec::invalid, "cannot listen at " + directory + "/"
                                    + container + ": " + std::strerror(errno)};
  };
  remove_exec_context(directory, container);
  unique_descriptor at{
      ::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  unique_descriptor made{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  // Paths of sockets are short.
  sockaddr_un a{};
  a.sun_family = AF_UNIX;
  auto path = "/proc/self/fd/" + std::to_string(at.get()) + "/" + container;
  if (path.size() >= sizeof a.sun_path)
    return failure{ec::invalid, "the name " + container + " is too long"};
  path.copy(a.sun_path, path.size());
  if (at.get() < 0 || made.get() < 0
      || ::bind(made.get(), reinterpret_cast<sockaddr*>(&a), sizeof a) != 0
      || ::listen(made.get(), SOMAXCONN) != 0)
    return refused();
  if (is_default)
    if (auto bad = link_default_container(directory, container))
      return *bad;
  return made;
}

void remove_exec_context(const std::string& directory,
                         const std::string& container) {
  ::unlink((directory + "/" + container).c_str());
}

} // namespace troupe::k8s::node
