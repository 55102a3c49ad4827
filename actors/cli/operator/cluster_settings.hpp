#pragma once

#include "config/settings.hpp"
#include "frameworks/core/model/cluster_options.hpp"
#include "k8s/result.hpp"

namespace troupe::cli {

/// What the settings say about the cluster, with the template of the
/// PyTorchJob's init container, which is read from its file. A missing file
/// means the built-in template, as in training-operator v1; one that cannot be
/// understood is ec::invalid.
k8s::result<core::cluster_options>
load_cluster_options(const config::settings& s);

/// The template as a JSON list of containers, its placeholders
/// ({{.MasterAddr}}, {{.InitContainerImage}}, {{.MaxTries}}) filled in. The
/// master's address is only marked, because it differs from job to job. `path`
/// is for errors.
k8s::result<std::string>
parse_init_container_template(const std::string& text, const std::string& path,
                              const config::settings& s);

} // namespace troupe::cli
