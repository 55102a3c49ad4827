#include "tests/k8s/codec/protobuf_writer.hpp"

#include "k8s/objects.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <stdexcept>

using nlohmann::json;

namespace {

struct field {
  const char* message;
  const char* name;
  unsigned number;
  const char* type; ///< text, number, flag, time, map, or a message.
};

constexpr field fields[] = {
    {"ObjectMeta", "name", 1, "text"},
    {"ObjectMeta", "generateName", 2, "text"},
    {"ObjectMeta", "namespace", 3, "text"},
    {"ObjectMeta", "uid", 5, "text"},
    {"ObjectMeta", "resourceVersion", 6, "text"},
    {"ObjectMeta", "generation", 7, "number"},
    {"ObjectMeta", "creationTimestamp", 8, "time"},
    {"ObjectMeta", "deletionTimestamp", 9, "time"},
    {"ObjectMeta", "deletionGracePeriodSeconds", 10, "number"},
    {"ObjectMeta", "labels", 11, "map"},
    {"ObjectMeta", "annotations", 12, "map"},
    {"ObjectMeta", "ownerReferences", 13, "OwnerReference"},
    {"ObjectMeta", "finalizers", 14, "text"},
    {"ObjectMeta", "managedFields", 17, "ManagedFieldsEntry"},
    {"OwnerReference", "kind", 1, "text"},
    {"OwnerReference", "name", 3, "text"},
    {"OwnerReference", "uid", 4, "text"},
    {"OwnerReference", "apiVersion", 5, "text"},
    {"OwnerReference", "controller", 6, "flag"},
    {"OwnerReference", "blockOwnerDeletion", 7, "flag"},
    {"ManagedFieldsEntry", "manager", 1, "text"},
    {"ManagedFieldsEntry", "operation", 2, "text"},
    {"ManagedFieldsEntry", "time", 4, "time"},
    {"PartialObjectMetadata", "metadata", 1, "ObjectMeta"},
    {"Pod", "metadata", 1, "ObjectMeta"},
    {"Pod", "spec", 2, "PodSpec"},
    {"Pod", "status", 3, "PodStatus"},
    {"PodSpec", "containers", 2, "Container"},
    {"PodSpec", "restartPolicy", 3, "text"},
    {"PodSpec", "terminationGracePeriodSeconds", 4, "number"},
    {"PodSpec", "nodeName", 10, "text"},
    {"PodSpec", "hostNetwork", 11, "flag"},
    {"PodSpec", "initContainers", 20, "Container"},
    {"PodSpec", "schedulingGroup", 43, "PodSchedulingGroup"},
    {"PodSchedulingGroup", "podGroupName", 1, "text"},
    {"Container", "name", 1, "text"},
    {"Container", "image", 2, "text"},
    {"Container", "command", 3, "text"},
    {"Container", "ports", 6, "ContainerPort"},
    {"Container", "restartPolicy", 24, "text"},
    {"ContainerPort", "name", 1, "text"},
    {"ContainerPort", "containerPort", 3, "number"},
    {"ContainerPort", "protocol", 4, "text"},
    {"PodStatus", "phase", 1, "text"},
    {"PodStatus", "conditions", 2, "PodCondition"},
    {"PodStatus", "message", 3, "text"},
    {"PodStatus", "reason", 4, "text"},
    {"PodStatus", "podIP", 6, "text"},
    {"PodStatus", "startTime", 7, "time"},
    {"PodStatus", "containerStatuses", 8, "ContainerStatus"},
    {"PodStatus", "initContainerStatuses", 10, "ContainerStatus"},
    {"PodStatus", "podIPs", 12, "PodIP"},
    {"PodIP", "ip", 1, "text"},
    {"PodCondition", "type", 1, "text"},
    {"PodCondition", "status", 2, "text"},
    {"PodCondition", "lastProbeTime", 3, "time"},
    {"PodCondition", "lastTransitionTime", 4, "time"},
    {"PodCondition", "reason", 5, "text"},
    {"PodCondition", "message", 6, "text"},
    {"ContainerStatus", "name", 1, "text"},
    {"ContainerStatus", "state", 2, "ContainerState"},
    {"ContainerStatus", "lastState", 3, "ContainerState"},
    {"ContainerStatus", "ready", 4, "flag"},
    {"ContainerStatus", "restartCount", 5, "number"},
    {"ContainerStatus", "image", 6, "text"},
    {"ContainerState", "waiting", 1, "Waiting"},
    {"ContainerState", "running", 2, "Running"},
    {"ContainerState", "terminated", 3, "Terminated"},
    {"Waiting", "reason", 1, "text"},
    {"Waiting", "message", 2, "text"},
    {"Running", "startedAt", 1, "time"},
    {"Terminated", "exitCode", 1, "number"},
    {"Terminated", "signal", 2, "number"},
    {"Terminated", "reason", 3, "text"},
    {"Terminated", "message", 4, "text"},
    {"Terminated", "startedAt", 5, "time"},
    {"Terminated", "finishedAt", 6, "time"},
    {"ListMeta", "resourceVersion", 2, "text"},
    {"ListMeta", "continue", 3, "text"},
    {"ListMeta", "remainingItemCount", 4, "number"},
    {"PodList", "metadata", 1, "ListMeta"},
    {"PodList", "items", 2, "Pod"},
    {"PartialObjectMetadataList", "metadata", 1, "ListMeta"},
    {"PartialObjectMetadataList", "items", 2, "PartialObjectMetadata"},
    {"Status", "metadata", 1, "ListMeta"},
    {"Status", "status", 2, "text"},
    {"Status", "message", 3, "text"},
    {"Status", "reason", 4, "text"},
    {"Status", "details", 5, "StatusDetails"},
    {"Status", "code", 6, "number"},
    {"StatusDetails", "name", 1, "text"},
    {"StatusDetails", "kind", 3, "text"},
    {"StatusDetails", "retryAfterSeconds", 5, "number"},
};

std::string message_of(const json& object, const std::string& message);

std::string time_message(const json& value) {
  auto t = troupe::k8s::from_rfc3339(value.get<std::string>());
  if (!t)
    throw std::logic_error("no time: " + value.dump());
  auto since = std::chrono::floor<std::chrono::seconds>(t->time_since_epoch());
  return number_field(1, static_cast<std::uint64_t>(since.count()))
         + number_field(2, 0);
}

std::string one(const field& f, const json& value) {
  const std::string type = f.type;
  if (type == "number")
    return number_field(f.number,
                        static_cast<std::uint64_t>(value.get<std::int64_t>()));
  if (type == "flag")
    return number_field(f.number, value.get<bool>() ? 1 : 0);
  if (type == "text")
    return bytes_field(f.number, value.get<std::string>());
  if (type == "time")
    return bytes_field(f.number, time_message(value));
  return bytes_field(f.number, message_of(value, type));
}

std::string message_of(const json& object, const std::string& message) {
  std::string out;
  for (const auto& f : fields) {
    if (message != f.message || !object.contains(f.name))
      continue;
    const auto& value = object[f.name];
    if (f.type == std::string{"map"}) {
      for (const auto& [key, text] : value.items())
        out += bytes_field(f.number,
                           bytes_field(1, key)
                               + bytes_field(2, text.get<std::string>()));
    } else if (value.is_array()) {
      for (const auto& item : value)
        out += one(f, item);
    } else if (!value.is_null()) {
      out += one(f, value);
    } else if (f.type == std::string{"time"}) {
      out += bytes_field(f.number, ""); // Go's zero time.
    }
  }
  return out;
}

} // namespace

std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7)
    out += static_cast<char>((value & 0x7f) | 0x80);
  return out + static_cast<char>(value);
}

std::string number_field(unsigned number, std::uint64_t value) {
  return varint(number << 3) + varint(value);
}

std::string bytes_field(unsigned number, const std::string& bytes) {
  return varint(number << 3 | 2) + varint(bytes.size()) + bytes;
}

std::string protobuf_of(const json& object, const std::string& message) {
  return std::string{"k8s\0", 4}
         + bytes_field(1, bytes_field(1, "v1") + bytes_field(2, message))
         + bytes_field(2, message_of(object, message)) + bytes_field(3, "")
         + bytes_field(4, "");
}

std::string protobuf_frame(const std::string& type, const std::string& object) {
  return bytes_field(1, type) + bytes_field(2, bytes_field(1, object));
}

std::string with_length(const std::string& frame) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8)
    out += static_cast<char>(frame.size() >> shift);
  return out + frame;
}
