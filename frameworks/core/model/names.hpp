#pragma once

#include "frameworks/core/model/decision.hpp"
#include "frameworks/core/model/framework.hpp"

#include <map>
#include <string>
#include <string_view>

namespace troupe::core {

// Every name; labels and annotations are in labels.hpp.

/// "mnist-worker-0": of the pod and of its service. A type that is not indexed
/// has one pod, named without a number: "mnist-launcher". With random names
/// the index is a suffix of letters: "mnist-collector-7x2bq".
std::string child_name(const framework& f, const std::string& job,
                       const slot& at);
std::string child_name(const job& j, const slot& at);
/// The name of the child that is to be created.
std::string child_name(const job& j, const create_child& wanted);

/// The value of the label job-name.
std::string job_name_label_value(const std::string& job);

/// The labels that name a slot (type and, if it has one, index or pod), the
/// operator and the job: what services carry and select on.
std::map<std::string, std::string> selector_labels(const job& j,
                                                   const slot& at);

/// The names of children whose framework has random names end with five
/// characters. They are an index, written in base 27; so the name contains the
/// slot, and a random index is a random suffix.
inline constexpr std::int32_t random_suffix_count = 27 * 27 * 27 * 27 * 27;
/// "7x2bq" of an index in [0, random_suffix_count).
std::string letter_suffix_of_index(std::int32_t index);
/// The index of such a suffix; -1 for any other text.
std::int32_t index_from_letter_suffix(std::string_view suffix);
/// The index at the end of a child's name; -1 if it has none.
std::int32_t index_from_random_name(std::string_view name);

/// The number at the end of a child's name ("mnist-worker-7"); -1 if it has
/// none.
std::int32_t index_from_numbered_name(std::string_view name);

/// The number in a label or annotation; -1 if it is not written as we would
/// write it ("07" is not our "7").
std::int32_t parse_index_label(const std::string& text);

/// The selector for all children of one job, for a list.
std::string children_selector_of_job(const job& j);

/// The selector for the children of all jobs of these kinds, or, if there are
/// none, of all kinds with these labels. So pods of other programs do not take
/// memory here.
std::string children_selector(const std::vector<const framework*>& kinds,
                              const label_keys& keys);

/// Whether one selector finds the children of kinds with either of these.
bool have_same_selector(const label_keys& a, const label_keys& b);

/// The selector for the pods of one type, as the status shows it.
std::string replica_type_selector(const job& j, const std::string& type);

/// "TFJob" + "Running".
std::string kind_prefixed_reason(const framework& f, const char* suffix);

} // namespace troupe::core
