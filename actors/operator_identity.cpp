#include "actors/operator_identity.hpp"

#include "k8s/text.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <random>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace troupe::actors {

namespace {

constexpr std::size_t suffix_length = 16;

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

std::string make_random_suffix() {
  std::random_device random;
  std::array<char, suffix_length + 1> suffix{};
  auto bits = (std::uint64_t{random()} << 32) | random();
  std::snprintf(suffix.data(), suffix.size(), "%016llx",
                static_cast<unsigned long long>(bits));
  return suffix.data();
}

std::string proof_path(const std::string& directory,
                       const std::string& suffix) {
  return directory + "/troupe-" + suffix;
}

/// The random number in an identity, NAME_PROCESS_RANDOM; a name has no `_`.
/// "" if it is none of ours.
std::string random_suffix_of(const std::string& identity) {
  auto parts = k8s::split(identity, '_');
  if (parts.size() != 3 || parts[2].size() != suffix_length
      || parts[2].find_first_not_of("0123456789abcdef") != std::string::npos)
    return "";
  return std::string{parts[2]};
}

/// A file that another user made proves nothing.
bool is_plain_file_of_ours(int file) {
  struct stat about {};
  return ::fstat(file, &about) == 0 && S_ISREG(about.st_mode)
         && about.st_uid == ::geteuid();
}

} // namespace

operator_identity::operator_identity(std::string directory)
    : directory_(std::move(directory)) {
  take_name();
}

operator_identity::~operator_identity() {
  remove_proof();
}

void operator_identity::change() {
  remove_proof();
  take_name();
}

void operator_identity::take_name() {
  auto suffix = make_random_suffix();
  text_ = pod_name_or_hostname() + "_" + std::to_string(::getpid()) + "."
          + pid_namespace_id() + "_" + suffix;
  path_ = proof_path(directory_, suffix);
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file_ >= 0 && ::flock(file_, LOCK_EX | LOCK_NB) != 0)
    remove_proof();
}

void operator_identity::remove_proof() {
  if (file_ < 0)
    return;
  ::unlink(path_.c_str());
  ::close(std::exchange(file_, -1));
}

bool has_operator_process_ended(const std::string& identity,
                                const std::string& directory) {
  auto suffix = random_suffix_of(identity);
  if (suffix.empty())
    return false;
  auto path = proof_path(directory, suffix);
  int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0)
    return false;
  bool ended =
      is_plain_file_of_ours(file) && ::flock(file, LOCK_EX | LOCK_NB) == 0;
  if (ended)
    ::unlink(path.c_str());
  ::close(file);
  return ended;
}

} // namespace troupe::actors
