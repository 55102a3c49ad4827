#pragma once

#include "k8s/result.hpp"

#include <memory>
#include <string>

namespace troupe::cli {

/// The directory in which one run keeps its logs. Only the owner can read what
/// is made here. A directory that we made is removed with this object unless it
/// is to be kept; a directory that the user named always stays.
class run_directory {
public:
  /// Uses `named`, and makes it if it does not exist. "" makes a new one
  /// ("/tmp/troupe-x3Fs2a") and removes those that killed processes have left.
  /// A directory that anybody may write to is refused, because programs are
  /// started from it.
  static k8s::result<std::unique_ptr<run_directory>>
  open_named_or_make_new(const std::string& named);

  ~run_directory();
  run_directory(const run_directory&) = delete;
  run_directory& operator=(const run_directory&) = delete;

  const std::string& path() const { return path_; }
  bool is_kept() const { return kept_; }
  void keep_on_exit();
  /// If pods wrote into working directories of their own, keeps this directory
  /// and returns where these are; otherwise "".
  std::string keep_if_work_files();
  /// The same for the volumes of claims; "" if nothing is in them.
  std::string keep_if_claim_files();

private:
  run_directory(std::string path, bool kept);
  void lock_until_process_ends();

  std::string path_;
  bool kept_;
  int lock_ = -1; ///< A file there, locked as long as this process lives.
};

/// Removes the directories in `base` that open_named_or_make_new("") has made,
/// if their process is dead and they were not to be kept. If pods wrote files,
/// the files and the logs stay.
void remove_abandoned_run_directories(const std::string& base);

} // namespace troupe::cli
