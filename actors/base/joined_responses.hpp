#pragma once

#include "actors/base/messages.hpp"

#include <caf/all.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace troupe::actors {

/// How long a response may take: a request waits for its turn, and is then
/// carried out.
inline constexpr auto response_patience =
    std::chrono::duration_cast<std::chrono::milliseconds>(
        2 * job_request_patience);

/// Receives the responses of one source; no responses if the source has failed.
using take_responses = std::function<void(std::vector<job_response>)>;
/// Asks one source.
using response_source = std::function<void(take_responses)>;

/// Asks all sources, and delivers their responses in the order of the sources
/// when all have come.
inline caf::result<job_responses>
join_job_responses(caf::typed_response_promise<job_responses> promise,
                   const std::vector<response_source>& sources) {
  struct collection {
    caf::typed_response_promise<job_responses> promise;
    std::vector<std::vector<job_response>> parts;
    std::size_t missing;

    void deliver() {
      std::vector<job_response> all;
      for (auto& part : parts)
        all.insert(all.end(), part.begin(), part.end());
      promise.deliver(
          std::make_shared<const std::vector<job_response>>(std::move(all)));
    }
  };
  auto c = std::make_shared<collection>(collection{
      promise, std::vector<std::vector<job_response>>(sources.size()),
      sources.size()});
  if (sources.empty())
    c->deliver();
  for (std::size_t i = 0; i < sources.size(); ++i)
    sources[i]([c, i](std::vector<job_response> part) {
      c->parts[i] = std::move(part);
      if (--c->missing == 0)
        c->deliver();
    });
  return promise;
}

} // namespace troupe::actors
