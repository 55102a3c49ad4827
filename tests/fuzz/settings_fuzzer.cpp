#include "config/settings_file.hpp"
#include "config/settings_text.hpp"
#include "frameworks/registry.hpp"
#include "tests/fuzz/fuzz_input.hpp"

// The file that `--config` names.

namespace {

using namespace troupe;
using fuzz::require;

k8s::result<config::settings> read(const std::string& text) {
  auto said = config::parse_settings_yaml(text, "f");
  if (!said)
    return said.error();
  return config::apply_assignments({}, *said);
}

std::vector<std::string> job_kinds() {
  std::vector<std::string> kinds;
  for (const auto& f : frameworks::all())
    kinds.push_back(f.names.type.kind);
  return kinds;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  static const auto kinds = job_kinds();
  fuzz::fuzz_input input{data, size};
  auto settings = read(std::string{input.rest()});
  if (!settings) {
    require(settings.error().message.rfind("f:", 0) == 0,
            "an error begins with file and line");
    return 0;
  }
  (void)config::to_json(*settings);
  auto text = config::to_yaml(*settings);
  if (auto fine = config::validate_settings(*settings, kinds); !fine) {
    require(!fine.error().message.empty(), "a failure has a message");
    return 0;
  }
  auto again = read(text);
  require(bool(again), "settings that are written can be read");
  auto changed = config::find_changed_settings(*settings, *again);
  require(changed.reloadable.empty() && changed.at_restart.empty(),
          "settings that are written and read are the same");
  require(config::to_yaml(*again).size() > 0, "they can be written again");
  return 0;
}
