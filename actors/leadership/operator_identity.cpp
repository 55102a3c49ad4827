#include "actors/leadership/operator_identity.hpp"

#include "k8s/text.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <random>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
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

constexpr const char* proof_prefix = "troupe-";

/// The sizes of a file say what its process has done, and the time of its last
/// change when.
constexpr off_t claimed_size = 1; ///< It has claimed a Lease; else empty.
constexpr off_t ended_size = 2;   ///< It has, and was seen to have ended.

/// For so long others may ask whether the holder of a Lease has ended. No Lease
/// is valid for longer in practice.
constexpr std::chrono::hours kept_after_end{1};

std::string proof_path(const std::string& directory,
                       const std::string& suffix) {
  return directory + "/" + proof_prefix + suffix;
}

bool is_random_suffix(std::string_view text) {
  return text.size() == suffix_length
         && text.find_first_not_of("0123456789abcdef")
                == std::string_view::npos;
}

/// The random number in an identity, NAME_PROCESS_RANDOM; a name has no `_`.
/// "" if it is none of ours.
std::string random_suffix_of(const std::string& identity) {
  auto parts = k8s::split_without_empty_parts(identity, '_');
  if (parts.size() != 3 || !is_random_suffix(parts[2]))
    return "";
  return std::string{parts[2]};
}

/// A file that another user made proves nothing.
bool is_plain_file_of_ours(int file) {
  struct stat about {};
  return ::fstat(file, &about) == 0 && S_ISREG(about.st_mode)
         && about.st_uid == ::geteuid();
}

/// With the lock of a process that has ended; -1: it lives, or the file is
/// none of ours.
int try_lock_proof(const std::string& path) {
  int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0)
    return -1;
  if (is_plain_file_of_ours(file) && ::flock(file, LOCK_EX | LOCK_NB) == 0)
    return file;
  ::close(file);
  return -1;
}

void remove_or_mark_proof(const std::string& path) {
  int file = try_lock_proof(path);
  if (file < 0)
    return;
  struct stat about {};
  ::fstat(file, &about);
  auto changed = std::chrono::system_clock::from_time_t(about.st_mtime);
  bool long_ended =
      about.st_size >= ended_size
      && std::chrono::system_clock::now() - changed >= kept_after_end;
  if (about.st_size < claimed_size || long_ended)
    ::unlink(path.c_str());
  else if (about.st_size < ended_size && ::ftruncate(file, ended_size) != 0)
    ::unlink(path.c_str()); // Nobody could tell when it may go.
  ::close(file);
}

void remove_unused_proofs(const std::string& directory) {
  std::error_code failed;
  std::filesystem::directory_iterator all{directory, failed};
  for (; !failed && all != std::filesystem::directory_iterator{};
       all.increment(failed)) {
    auto name = all->path().filename().string();
    if (name.rfind(proof_prefix, 0) == 0
        && is_random_suffix(
            std::string_view{name}.substr(std::strlen(proof_prefix))))
      remove_or_mark_proof(all->path().string());
  }
}

} // namespace

operator_identity::operator_identity(std::string directory)
    : directory_(std::move(directory)) {
  take_name_and_make_proof();
}

operator_identity::~operator_identity() {
  remove_proof();
}

void operator_identity::take_new_identity() {
  remove_proof();
  take_name_and_make_proof();
}

void operator_identity::take_name_and_make_proof() {
  auto suffix = make_random_suffix();
  text_ = pod_name_or_hostname() + "_" + std::to_string(::getpid()) + "."
          + pid_namespace_id() + "_" + suffix;
  claimed_ = false;
  remove_unused_proofs(directory_);
  // It gets its name when it is locked: others remove a file that is not.
  auto named = proof_path(directory_, suffix);
  path_ = named + ".new";
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file_ < 0)
    return;
  if (::flock(file_, LOCK_EX | LOCK_NB) == 0
      && ::rename(path_.c_str(), named.c_str()) == 0)
    path_ = named;
  else
    remove_proof();
}

void operator_identity::mark_proof_as_claimed() {
  if (file_ < 0 || std::exchange(claimed_, true))
    return;
  if (::ftruncate(file_, claimed_size) != 0)
    claimed_ = false; // A full disk: with the next renewal.
}

void operator_identity::remove_proof() {
  if (file_ < 0)
    return;
  ::unlink(path_.c_str());
  ::close(std::exchange(file_, -1));
}

bool take_proof_of_operator_end(const std::string& identity,
                                const std::string& directory) {
  auto suffix = random_suffix_of(identity);
  if (suffix.empty())
    return false;
  auto path = proof_path(directory, suffix);
  int file = try_lock_proof(path);
  if (file < 0)
    return false;
  ::unlink(path.c_str());
  ::close(file);
  return true;
}

} // namespace troupe::actors
