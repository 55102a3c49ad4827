#include "k8s/apiserver/pods/pod_streaming.hpp"

#include "k8s/apiserver/streams/port_channels.hpp"
#include "k8s/apiserver/streams/port_forwarding.hpp"
#include "k8s/apiserver/streams/remote_command.hpp"
#include "k8s/http/message_format.hpp"
#include "k8s/http/websocket.hpp"
#include "k8s/text.hpp"

#include <algorithm>

namespace troupe::k8s::apiserver {

namespace {

std::vector<std::string> container_names(const json& pod) {
  std::vector<std::string> names;
  for (auto list : {"containers", "initContainers"})
    if (auto* l = find_value(pod, {"spec", list}); l && l->is_array())
      for (const auto& c : *l)
        names.push_back(text_at(c, {"name"}));
  return names;
}

/// The container that is meant: what the request says, or what kubectl would
/// choose.
status_or<std::string> choose_exec_container(const request_info& info,
                                             const json& pod) {
  auto names = container_names(pod);
  auto is_one = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  auto asked = info.query_param("container");
  if (!asked.empty() && !is_one(asked))
    return bad_request("container " + asked + " is not valid for pod "
                       + info.name);
  if (!asked.empty())
    return asked;
  const auto& preferred =
      text_at(pod, {"metadata", "annotations",
                    "kubectl.kubernetes.io/default-container"});
  if (is_one(preferred))
    return preferred;
  if (names.empty())
    return bad_request("a container name must be specified for pod "
                       + info.name);
  return names.front();
}

bool is_container_running(const json& pod, const std::string& name) {
  for (auto list : {"containerStatuses", "initContainerStatuses"})
    if (auto* l = find_value(pod, {"status", list}); l && l->is_array())
      for (const auto& c : *l)
        if (text_at(c, {"name"}) == name)
          return find_value(c, {"state", "running"}) != nullptr;
  return false;
}

/// What is wrong with the pod, whatever is asked of it.
std::optional<status_error>
check_pod_is_on_streaming_node(const server_state& state,
                               const request_info& info, const json& pod) {
  if (text_at(pod, {"spec", "nodeName"}).empty())
    return bad_request("pod " + info.name + " does not have a host assigned");
  if (!state.pod_streams)
    return bad_request(
        "exec, attach and port-forward are not supported on simulated nodes");
  return std::nullopt;
}

/// The subprotocol to speak, or why there is none. Clients that cannot become a
/// WebSocket are told only if nothing else is wrong.
status_or<std::string>
negotiate_subprotocol(const request_info& info,
                      const std::vector<std::string>& known) {
  const auto& r = *info.request;
  auto offered = http::choose_subprotocol(r, known);
  if (http::is_websocket_request(r) && !offered.empty())
    return offered;
  if (http::is_websocket_request(r))
    return bad_request(
        "unable to upgrade: unable to negotiate protocol: client supports ["
        + join(http::split_header_list(r.header("sec-websocket-protocol")), " ")
        + "], server accepts [" + join(known, " ") + "]");
  return bad_request("unable to upgrade: " + info.subresource
                     + " is served over WebSocket only (" + join(known, ", ")
                     + "); kubectl does that from version 1.31 on");
}

status_or<exec_options> parse_exec_options(const request_info& info) {
  exec_options out;
  const auto& r = *info.request;
  out.command = r.query_params("command");
  out.has_stdin = is_query_flag_set(r, "stdin");
  out.has_stdout = is_query_flag_set(r, "stdout");
  out.has_stderr = is_query_flag_set(r, "stderr");
  out.tty = is_query_flag_set(r, "tty");
  if (info.subresource == "exec"
      && (out.command.empty() || out.command.front().empty()))
    return bad_request("you must specify at least 1 command for the container");
  if (!out.has_stdin && !out.has_stdout && !out.has_stderr)
    return bad_request("you must specify at least 1 of stdin, stdout, stderr");
  return out;
}

std::optional<status_error>
serve_exec_or_attach(server_state& state, const request_info& info,
                     const json& pod, const http::response_writer_ptr& writer) {
  auto options = parse_exec_options(info);
  if (!options)
    return options.error();
  auto container = choose_exec_container(info, pod);
  if (!container)
    return container.error();
  const auto& name = *container;
  if (auto error = check_pod_is_on_streaming_node(state, info, pod))
    return error;
  if (!is_container_running(pod, name)) {
    // A kubelet's own text, which kubectl shows as the reason of a failed
    // upgrade.
    writer->reply({404,
                   "text/plain; charset=utf-8",
                   "container not found (\"" + name + "\")",
                   {}});
    return std::nullopt;
  }
  auto protocol = negotiate_subprotocol(info, remote_command_subprotocols());
  if (!protocol)
    return protocol.error();
  auto* node = state.pod_streams;
  container_ref where{info.ns, info.name, name};
  serve_remote_command(
      writer, *protocol,
      [&, is_exec = info.subresource == "exec"](session_sink sink) {
        auto& how = *options;
        return is_exec ? node->exec(where, std::move(how), std::move(sink))
                       : node->attach(where, how, std::move(sink));
      });
  return std::nullopt;
}

std::optional<status_error>
serve_port_forward_request(server_state& state, const request_info& info,
                           const json& pod,
                           const http::response_writer_ptr& writer) {
  if (auto error = check_pod_is_on_streaming_node(state, info, pod))
    return error;
  auto protocol = negotiate_subprotocol(
      info, {spdy_port_forward_subprotocol, port_channels_subprotocol});
  if (!protocol)
    return protocol.error();
  auto start = [node = state.pod_streams, ns = info.ns,
                name = info.name](std::uint16_t port, session_sink sink) {
    return node->forward_port(ns, name, port, std::move(sink));
  };
  if (*protocol == spdy_port_forward_subprotocol) {
    serve_port_forward(writer, start);
    return std::nullopt;
  }
  auto ports = parse_forwarded_ports(info.request->query_params("ports"));
  if (!ports)
    return ports.error();
  serve_port_channels(writer, *ports, start);
  return std::nullopt;
}

} // namespace

bool is_exec_attach_or_port_forward(const request_info& info) {
  return info.type->bucket == "pods"
         && (info.subresource == "exec" || info.subresource == "attach"
             || info.subresource == "portforward");
}

void serve_pod_streaming(server_state& state, const request_info& info,
                         const http::response_writer_ptr& writer) {
  auto s = state.objects.find("pods", info.storage_key());
  if (!s)
    return writer->reply(info.not_found_error().to_response());
  auto* serve = info.subresource == "portforward" ? serve_port_forward_request
                                                  : serve_exec_or_attach;
  if (auto error = serve(state, info, s->value(), writer))
    writer->reply(error->to_response());
}

} // namespace troupe::k8s::apiserver
