#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

// Kubernetes' protobuf as an API server writes it, made from the JSON of the
// same object: by field numbers of its own, so that a reader that has one wrong
// is found.

/// An object or a list in its envelope. `message` is the name of its type:
/// Pod, PodList, PartialObjectMetadata, Status and the like.
std::string protobuf_of(const nlohmann::json& object,
                        const std::string& message);

/// A frame of a watch without its length.
std::string protobuf_frame(const std::string& type, const std::string& object);

/// A frame as it is on the wire.
std::string with_length(const std::string& frame);

// The parts, for what no server would write.

std::string varint(std::uint64_t value);
std::string number_field(unsigned number, std::uint64_t value);
std::string bytes_field(unsigned number, const std::string& bytes);
