#pragma once

#include "frameworks/core/model/framework.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>

namespace troupe::core {

// How the pods of a job learn where they may report how far they are, in the
// protocol of Kubeflow Trainer.

/// The audience of the tokens with which pods of this job report. A token of
/// one job is of no use for another.
std::string report_audience(const std::string& ns, const std::string& plural,
                            const std::string& name);

/// The path of this job's reports, below the address that pods are told.
std::string report_path(const job& j);

/// Whether jobs of this kind may ask for it.
bool takes_reports(const framework& f);

/// The name of the job's config map with the authority of the server.
std::string report_config_map_name(const job& j);

/// Whether its pods are told where to report: its policy asks for it, and there
/// is such a place.
bool tells_pods_where_to_report(const job& j, const cluster_options& cluster);

/// The config map; only for a job whose pods are told. Without a body while the
/// authority is not known: then it stays as it is.
auxiliary_object report_config_map(const job& j,
                                   const cluster_options& cluster);

/// What of the template of a type is in the way of the variables, the mount and
/// the volume, as "the variable KUBEFLOW_TRAINER_SERVER_URL"; "": nothing. Then
/// the template stays as its author wrote it.
std::string obstacle_to_reporting(const nlohmann::json& pod_spec,
                                  const std::string& main_container);

/// The event of a job that asks for reports, of whose pods some or all are not
/// told where to report; nullopt: all are.
std::optional<job_event> not_told_event(const job& j,
                                        const cluster_options& cluster);

/// Adds variables to the main container, and a volume with a token and the
/// server's authority, to the `spec` of a pod that is otherwise complete;
/// nothing if there is an obstacle. Returns whether it did; a label then says
/// so.
bool add_report_access(nlohmann::json& pod_spec,
                       const std::string& main_container, const job& j,
                       const cluster_options& cluster);

} // namespace troupe::core
