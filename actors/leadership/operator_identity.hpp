#pragma once

#include <string>

namespace troupe::actors {

/// Where a process shows that it runs: in memory, so that a restart of the
/// machine ends it, and shared by the containers of a pod.
inline constexpr const char* default_proof_directory = "/dev/shm";

/// A name for this process as the holder of a Lease, different for each: the
/// pod's name ($MY_POD_NAME, else the host's), and after `_` the process, its
/// PID namespace, the boot of the machine, and a random number.
///
/// While the process lives, it holds the lock of a file that has the random
/// number in its name. The kernel releases the lock when the process ends,
/// however it ends. Only the free lock of an existing file proves the end: a
/// virtual machine that was resumed from the same snapshot has the same boot,
/// namespace and PIDs.
///
/// A process that takes a name removes the files of processes that have ended:
/// at once if they never claimed a Lease, because nobody asks about them;
/// otherwise an hour after their end was first noticed.
class operator_identity {
public:
  explicit operator_identity(std::string directory = default_proof_directory);
  ~operator_identity();
  operator_identity(const operator_identity&) = delete;
  operator_identity& operator=(const operator_identity&) = delete;

  const std::string& text() const { return text_; }

  /// This process is about to write itself on a Lease as its holder.
  void mark_proof_as_claimed();

  /// Another process was seen to have this name: takes a new one.
  void take_new_identity();

private:
  void take_name_and_make_proof();
  void remove_proof();

  std::string directory_;
  std::string text_;
  std::string path_; ///< Of the locked file.
  bool claimed_ = false;
  int file_ = -1; ///< -1: there is none, so nothing can be proved.
};

/// Whether `identity` names a process that has certainly ended: one that ran on
/// this machine as our user, and whose lock is free. True only once, because
/// the file is removed then.
bool take_proof_of_operator_end(
    const std::string& identity,
    const std::string& directory = default_proof_directory);

} // namespace troupe::actors
