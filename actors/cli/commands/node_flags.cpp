#include "actors/cli/commands/node_flags.hpp"

#include <CLI/CLI.hpp>

namespace troupe::cli {

void add_node_flags(CLI::App& command, node_choice& out) {
  command
      .add_option("--node", out.kind,
                  "host: containers run as processes of this machine; "
                  "simulated: pods run nothing and end after a while [host]")
      ->type_name("KIND")
      ->check(CLI::IsMember({"host", "simulated"}));
  command
      .add_option("--isolation", out.isolation,
                  "What keeps pods apart: namespaces (a network, processes and "
                  "mounts for each), preload (a library in their programs), "
                  "none; auto: namespaces where they work, else preload [auto]")
      ->type_name("KIND")
      ->check(CLI::IsMember({"auto", "namespaces", "preload", "none"}));
  command
      .add_option("--volume", out.volumes,
                  "A directory of this machine for the volume of a claim "
                  "(PersistentVolumeClaim), CLAIM=DIRECTORY; other claims get "
                  "one below the run directory, or that of --data; may be "
                  "repeated")
      ->type_name("CLAIM=DIRECTORY")
      ->allow_extra_args(false);
  command
      .add_option("--workdir", out.work_directory,
                  "Where pods work whose containers name no workingDir; what "
                  "they write there stays there. Otherwise they work in this "
                  "directory: with namespaces in a copy for each container, "
                  "whose changes stay in work/ of the run directory, else in "
                  "itself")
      ->type_name("DIRECTORY");
  command
      .add_option("--simulated-run-time", out.run_time,
                  "After which a simulated pod succeeds; 0: when it is deleted "
                  "[10s]")
      ->type_name("DURATION");
  command
      .add_option("--simulated-failure", out.failures,
                  "A simulated pod that fails, POD=CODE[@DURATION][,once]; POD "
                  "may contain * and ?; may be repeated")
      ->type_name("RULE")
      ->allow_extra_args(false);
}

} // namespace troupe::cli
