#pragma once

#include "frameworks/core/observed/observed.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe::core {

// Reasons of problems that are ours; others are those of Kubernetes.

/// An init container of ours has given up; its kubelet starts it again.
inline constexpr const char* init_gave_up = "InitContainerGaveUp";
/// The default container has ended for good, and others run on.
inline constexpr const char* container_keeps_pod = "ContainerKeepsPod";
inline constexpr const char* crash_loop_reason = "CrashLoop";

/// Why a pod makes no progress, according to its status; the problem of a
/// failed pod is its own reason and message. `own_init`: init containers that
/// the kind has added.
std::optional<child_problem> find_pod_problem(const k8s::pod_state& state,
                                              const child_view& pod,
                                              const job& of,
                                              const own_containers& own_init);

/// Why a pod makes no progress at `now`: its crash loop, or else its problem.
child_problem crash_loop_or_pod_problem(const child_view& pod, time_point now);

/// What blocks a pod that is not finished: its containers, else its init
/// containers, else its latest condition. Empty if nothing does.
std::vector<child_problem> problems_in_status(const std::string& pod,
                                              const k8s::pod_state& state);

/// The condition that changed last, or nullptr.
const k8s::pod_condition*
latest_condition(const std::vector<k8s::pod_condition>& conditions);

bool is_one_of(const own_containers& names, const std::string& name);

/// "init container init-pytorch, which waits for the master's name to resolve,"
std::string describe_init_container(const std::string& name,
                                    const char* waits_for);

} // namespace troupe::core
