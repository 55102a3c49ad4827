#include "k8s/codec/protobuf_objects.hpp"

#include "k8s/bounded_time.hpp"
#include "k8s/codec/codec_parts.hpp"

namespace troupe::k8s::protobuf {

namespace {

// -- metadata -----------------------------------------------------------------

/// Nothing if the message is empty, as Go's zero time is.
std::optional<time_point> read_time(pbf_reader m) {
  std::optional<std::int64_t> seconds;
  for_each_field(m, [&](pbf_reader& f, std::uint32_t tag) {
    if (tag != integer_tag(1))
      return false;
    seconds = f.get_int64();
    return true;
  });
  if (!seconds)
    return std::nullopt;
  return to_bounded_time(*seconds);
}

void read_map_entry(pbf_reader m, std::map<std::string, std::string>& into) {
  std::string key;
  std::string value;
  for_each_field(m, [&](pbf_reader& f, std::uint32_t tag) {
    if (tag == bytes_tag(1))
      key = take_text(f);
    else if (tag == bytes_tag(2))
      value = take_text(f);
    else
      return false;
    return true;
  });
  into.emplace(std::move(key), std::move(value));
}

owner_reference read_owner_reference(pbf_reader m) {
  owner_reference r;
  for_each_field(m, [&](pbf_reader& f, std::uint32_t tag) {
    switch (tag) {
    case bytes_tag(1):
      r.kind = take_text(f);
      return true;
    case bytes_tag(3):
      r.name = take_text(f);
      return true;
    case bytes_tag(4):
      r.uid = take_text(f);
      return true;
    case bytes_tag(5):
      r.api_version = take_text(f);
      return true;
    case integer_tag(6):
      r.controller = f.get_uint64() != 0;
      return true;
    default:
      return false;
    }
  });
  return r;
}

} // namespace

object_meta read_object_meta(pbf_reader m) {
  object_meta r;
  for_each_field(m, [&](pbf_reader& f, std::uint32_t tag) {
    switch (tag) {
    case bytes_tag(1):
      r.name = take_text(f);
      return true;
    case bytes_tag(3):
      r.ns = take_text(f);
      return true;
    case bytes_tag(5):
      r.uid = take_text(f);
      return true;
    case bytes_tag(6):
      r.resource_version = parse_resource_version_or_zero(take_view(f));
      return true;
    case integer_tag(7):
      r.generation = f.get_int64();
      return true;
    case bytes_tag(8):
      r.created = read_time(f.get_message()).value_or(time_point{});
      return true;
    case bytes_tag(9):
      r.deleted = read_time(f.get_message());
      return true;
    case integer_tag(10):
      r.deletion_grace_seconds = f.get_int64();
      return true;
    case bytes_tag(11):
      read_map_entry(f.get_message(), r.labels);
      return true;
    case bytes_tag(12):
      read_map_entry(f.get_message(), r.annotations);
      return true;
    case bytes_tag(13):
      r.owners.push_back(read_owner_reference(f.get_message()));
      return true;
    default:
      return false;
    }
  });
  return r;
}

namespace {

// -- pods ---------------------------------------------------------------------

using state_kind = container_status::state_kind;

/// Of waiting (1, 2) or terminated (3, 4, 1 for the exit code, 5 and 6 for its
/// times).
void read_container_state_detail(pbf_reader m, container_status& c) {
  bool ended = c.state == state_kind::terminated;
  for_each_field(m, [&](pbf_reader& f, std::uint32_t tag) {
    if (ended && tag == integer_tag(1))
      c.exit_code = int32_or_zero(f.get_int64());
    else if (tag == bytes_tag(ended ? 3 : 1))
      c.reason = take_text(f);
    else if (tag == bytes_tag(ended ? 4 : 2))
      c.message = take_text(f);
    else if (ended && tag == bytes_tag(5))
      c.started = read_time(f.get_message());
    else if (ended && tag == bytes_tag(6))
      c.finished = read_time(f.get_message());
    else
      return false;
    return true;
  });
}

void read_container_state(pbf_reader m, container_status& c) {
  for_each_field(m, [&](pbf_reader& f, std::uint32_t tag) {
    switch (tag) {
    case bytes_tag(1):
      c.state = state_kind::waiting;
      read_container_state_detail(f.get_message(), c);
      return true;
    case bytes_tag(3):
      c.state = state_kind::terminated;
      read_container_state_detail(f.get_message(), c);
      return true;
    case bytes_tag(2):
      c.state = state_kind::running;
      for_each_field(f.get_message(),
                     [&](pbf_reader& field, std::uint32_t of_running) {
                       if (of_running != bytes_tag(1))
                         return false;
                       c.started = read_time(field.get_message());
                       return true;
                     });
      return true;
    default:
      return false;
    }
  });
}

std::optional<container_status::ended_run> read_last_ended_run(pbf_reader m) {
  container_status c;
  read_container_state(m, c);
  if (c.state != state_kind::terminated)
    return std::nullopt;
  return container_status::ended_run{c.exit_code, std::move(c.reason),
                                     c.started, c.finished};
}

container_status read_container_status(pbf_reader m) {
  container_status c;
  for_each_field(m, [&](pbf_reader& f, std::uint32_t tag) {
    switch (tag) {
    case bytes_tag(1):
      c.name = take_text(f);
      return true;
    case bytes_tag(2):
      read_container_state(f.get_message(), c);
      return true;
    case bytes_tag(3):
      c.last = read_last_ended_run(f.get_message());
      return true;
    case integer_tag(5):
      c.restarts = int32_or_zero(f.get_int64());
      return true;
    default:
      return false;
    }
  });
  return c;
}

pod_condition read_condition(pbf_reader m) {
  pod_condition c;
  for_each_field(m, [&](pbf_reader& f, std::uint32_t tag) {
    switch (tag) {
    case bytes_tag(1):
      c.type = take_text(f);
      return true;
    case bytes_tag(2):
      c.status = take_text(f);
      return true;
    case bytes_tag(4):
      c.last_transition = read_time(f.get_message()).value_or(time_point{});
      return true;
    case bytes_tag(5):
      c.reason = take_text(f);
      return true;
    case bytes_tag(6):
      c.message = take_text(f);
      return true;
    default:
      return false;
    }
  });
  return c;
}

/// Of a message whose only field that counts is a text: a PodIP, the
/// podGroupName of a PodSchedulingGroup.
std::string read_first_field(pbf_reader m) {
  std::string text;
  for_each_field(m, [&](pbf_reader& f, std::uint32_t tag) {
    if (tag != bytes_tag(1))
      return false;
    text = take_text(f);
    return true;
  });
  return text;
}

} // namespace

void read_pod_status(pbf_reader m, pod_state& p) {
  for_each_field(m, [&](pbf_reader& f, std::uint32_t tag) {
    switch (tag) {
    case bytes_tag(1):
      p.phase = parse_pod_phase(take_view(f));
      return true;
    case bytes_tag(2):
      p.conditions.push_back(read_condition(f.get_message()));
      return true;
    case bytes_tag(3):
      p.message = take_text(f);
      return true;
    case bytes_tag(4):
      p.reason = take_text(f);
      return true;
    case bytes_tag(6):
      add_pod_ip(p, take_text(f), true);
      return true;
    case bytes_tag(7):
      p.started = read_time(f.get_message());
      return true;
    case bytes_tag(8):
      p.containers.push_back(read_container_status(f.get_message()));
      return true;
    case bytes_tag(10):
      p.init_containers.push_back(read_container_status(f.get_message()));
      return true;
    case bytes_tag(12):
      add_pod_ip(p, read_first_field(f.get_message()), false);
      return true;
    default:
      return false;
    }
  });
}

namespace {

declared_port read_port(pbf_reader m) {
  declared_port p;
  for_each_field(m, [&](pbf_reader& f, std::uint32_t tag) {
    if (tag == bytes_tag(1))
      p.name = take_text(f);
    else if (tag == integer_tag(3))
      p.number = int32_or_zero(f.get_int64());
    else if (tag == bytes_tag(4))
      p.protocol = take_text(f);
    else
      return false;
    return true;
  });
  return p;
}

/// The ports of one container.
void append_container_ports(pbf_reader container,
                            std::vector<declared_port>& into) {
  std::string name;
  auto first = into.size();
  for_each_field(container, [&](pbf_reader& f, std::uint32_t tag) {
    if (tag == bytes_tag(1))
      name = take_text(f);
    else if (tag == bytes_tag(6))
      into.push_back(read_port(f.get_message()));
    else
      return false;
    return true;
  });
  for (auto i = first; i < into.size(); ++i)
    into[i].container = name;
}

void add_name_if_sidecar(pbf_reader container,
                         std::vector<std::string>& names) {
  std::string name;
  bool is_sidecar = false;
  for_each_field(container, [&](pbf_reader& f, std::uint32_t tag) {
    if (tag == bytes_tag(1))
      name = take_text(f);
    else if (tag == bytes_tag(24))
      is_sidecar = take_view(f) == "Always";
    else
      return false;
    return true;
  });
  if (is_sidecar)
    names.push_back(std::move(name));
}

} // namespace

void read_pod_spec(pbf_reader m, object_detail keep, pod_state& p,
                   std::vector<std::string>& sidecars) {
  bool wants_ports = keep == object_detail::pod_with_ports;
  std::vector<declared_port> ports;
  p.scheduling_group = "";
  for_each_field(m, [&](pbf_reader& f, std::uint32_t tag) {
    if (tag == bytes_tag(10))
      p.node = take_text(f);
    else if (tag == integer_tag(11))
      p.on_host_network = f.get_bool();
    else if (tag == bytes_tag(2) && wants_ports)
      append_container_ports(f.get_message(), ports);
    else if (tag == bytes_tag(20))
      add_name_if_sidecar(f.get_message(), sidecars);
    else if (tag == bytes_tag(43))
      p.scheduling_group = read_first_field(f.get_message());
    else
      return false;
    return true;
  });
  if (wants_ports)
    p.ports =
        std::make_shared<const std::vector<declared_port>>(std::move(ports));
}

} // namespace troupe::k8s::protobuf
