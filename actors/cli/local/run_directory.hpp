#pragma once

#include "k8s/result.hpp"

#include <memory>
#include <string>

namespace troupe::cli {

/// Where one run keeps its logs. What it makes is for its owner's eyes only.
/// One that we made ourselves is taken away with this object unless it is to be
/// kept; one that was named stays in any case.
class run_directory {
public:
  /// Uses `named`, making it if need be; "" makes "/tmp/troupe-x3Fs2a", and
  /// takes away those whose process was killed before it could. One that
  /// anybody may write to is refused: programs are started from there.
  static k8s::result<std::unique_ptr<run_directory>>
  open(const std::string& named);

  ~run_directory();
  run_directory(const run_directory&) = delete;
  run_directory& operator=(const run_directory&) = delete;

  const std::string& path() const { return path_; }
  bool is_kept() const { return kept_; }
  void keep_on_exit();
  /// Where pods wrote into working directories of their own, which is kept
  /// then; "" if they did not.
  std::string keep_if_work_files();
  /// Where the volumes of claims are, kept likewise; "" if nothing is in them.
  std::string keep_if_claim_files();

private:
  run_directory(std::string path, bool kept);
  void lock_until_process_ends();

  std::string path_;
  bool kept_;
  int lock_ = -1; ///< A file there, locked as long as this process lives.
};

/// Removes the directories in `base` that open("") has made, whose process is
/// dead, and which were not to be kept. If pods wrote files, those and the logs
/// stay.
void remove_abandoned_run_directories(const std::string& base);

} // namespace troupe::cli
