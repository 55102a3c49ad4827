#include "actors/operator_identity.hpp"

#include "k8s/text.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <random>
#include <unistd.h>

namespace troupe::actors {

namespace {

std::string pod_name_or_hostname() {
  if (const char* pod = std::getenv("MY_POD_NAME"); pod && *pod)
    return pod;
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

/// Which PIDs mean the same processes as ours: "BOOT.NAMESPACE"; "" if the
/// kernel does not say.
std::string pid_namespace_id() {
  std::string boot;
  std::getline(std::ifstream{"/proc/sys/kernel/random/boot_id"}, boot);
  std::array<char, 64> space{}; // "pid:[4026531836]"
  auto length = ::readlink("/proc/self/ns/pid", space.data(), space.size() - 1);
  if (boot.size() < 8 || length < 7)
    return "";
  std::string text{space.data(), static_cast<std::size_t>(length)};
  return boot.substr(0, 8) + "." + text.substr(5, text.size() - 6);
}

} // namespace

std::string make_operator_identity() {
  std::random_device random;
  std::array<char, 17> suffix{};
  auto bits = (std::uint64_t{random()} << 32) | random();
  std::to_chars(suffix.data(), suffix.data() + 16, bits, 16);
  return pod_name_or_hostname() + "_" + std::to_string(::getpid()) + "."
         + pid_namespace_id() + "_" + suffix.data();
}

bool has_operator_process_ended(const std::string& identity) {
  // NAME_PID.BOOT.NAMESPACE_RANDOM; a name has no `_`.
  auto parts = k8s::split(identity, '_');
  if (parts.size() != 3)
    return false;
  auto dot = parts[1].find('.');
  auto scope = pid_namespace_id();
  if (dot == std::string::npos || scope.empty()
      || parts[1].substr(dot + 1) != scope)
    return false;
  int pid = 0;
  auto [end, error] =
      std::from_chars(parts[1].data(), parts[1].data() + dot, pid);
  if (error != std::errc{} || end != parts[1].data() + dot || pid <= 0)
    return false;
  return pid == ::getpid() || (::kill(pid, 0) != 0 && errno == ESRCH);
}

} // namespace troupe::actors
