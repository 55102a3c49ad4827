#include "k8s/node/base/node_directory.hpp"

#include "k8s/general/files.hpp"
#include "k8s/node/base/embedded_files.hpp"
#include "k8s/node/base/files.hpp"

#include <utility>

namespace troupe::k8s::node {

std::optional<failure> node_directory::create_with_programs() const {
  // LD_PRELOAD takes both for the end of a file name.
  if (path_.find_first_of(": ") != std::string::npos)
    return failure{ec::invalid, "the run directory \"" + path_
                                    + "\" must have neither blanks nor colons "
                                      "in its name; choose another"};
  for (auto sub :
       {"", "/logs", "/hosts", "/volumes", "/tools/path", "/pods", "/contexts"})
    if (auto bad = make_directory_and_parents(path_ + sub))
      return bad;
  for (auto [file, bytes] :
       {std::pair{preload_library_file(), preload_bytes()},
        std::pair{reaper_file(), reaper_bytes()},
        std::pair{namespace_holder_file(), namespace_holder_bytes()},
        std::pair{tools_directory() + "/kubectl", exec_only_kubectl_bytes()},
        std::pair{tools_directory() + "/deliver-kubectl",
                  deliver_kubectl_script_bytes()},
        std::pair{tools_directory() + "/path/nslookup", nslookup_bytes()}})
    if (auto bad = write_file_atomically(file, bytes, 0700))
      return bad;
  return std::nullopt;
}

} // namespace troupe::k8s::node
