#include "config/default_reasons.hpp"

#include <map>

namespace troupe::config {

const char* reason_for_default(const std::string& name) {
  // clang-format off
  static const std::map<std::string, const char*> reasons{
      {"kubeconfig", "found where every client of Kubernetes looks"},
      {"context", "as kubectl"},
      {"namespace", "as upstream"},
      {"health-probe-bind-address", "upstream's, so that probes of existing deployments keep working"},
      {"metrics-bind-address", "upstream's, so that existing scrape configurations keep working"},
      {"admin-bind-address", "loopback: it shows everybody's jobs and asks for no token"},
      {"admin-token-file", "on the loopback, whoever may log in to the machine may read"},
      {"admin-tls-cert-file", "nothing leaves the machine on the loopback"},
      {"admin-tls-key-file", "nothing leaves the machine on the loopback"},
      {"admin-allow-remote", "kept so that old settings are read"},
      {"controller-threads", "reconciles are short and never wait, and HTTP needs as much CPU again"},
      {"scheduler-threads", "one number is enough for most"},
      {"http-threads", "one was 1.4 times as fast as two for a single watch, and carries a thousand creations a second"},
      {"gateways", "one carries what an API server can take"},
      {"directories", "so that no single actor handles every watch event"},
      {"child-watchers", "one connection carries the pods of a thousand jobs; more cost the API server more"},
      {"kube-api-qps", "the server limits its clients itself (429 with Retry-After), and that is obeyed"},
      {"kube-api-burst", "twice the rate is what client-go's users have in mind"},
      {"window-first", "so that a server that has just started is not overloaded"},
      {"window-most", "64 were 1.4 times as fast as 16 against a real server; more did not help"},
      {"namespace-window", "jobs take turns already; for clusters where one tenant creates thousands of jobs"},
      {"slow-start-first", "a pod that admission refuses is refused a few times, not a thousand times"},
      {"slow-start-most", "as many as one gateway has in flight"},
      {"list-page", "what the API server's own clients ask for"},
      {"request-limit", "a server answers within seconds unless it is overloaded or hangs"},
      {"watch-limit", "so that watches spread over the servers of a cluster again"},
      {"watch-idle-limit", "servers send a bookmark about once a minute"},
      {"status-interval", "so that a thousand pods that start at once do not become a thousand writes"},
      {"stop-limit", "5 s are promised in all"},
      {"cluster-domain", "the resolver of the pod knows it"},
      {"enable-scheme", "as upstream"},
      {"gang-scheduler-name", "as upstream"},
      {"leader-elect", "as upstream; the manifests of deploy/ set it"},
      {"leader-election-id", "upstream's, so that both never lead at the same time"},
      {"leader-election-namespace", "where the operator has the right to it"},
      {"leader-election-lease-duration", "as client-go"},
      {"leader-election-renew-deadline", "as client-go; the rest of the duration is for calls on their way"},
      {"leader-election-retry-period", "as client-go"},
      {"ignore-lease", "two operators on the same jobs work against each other"},
      {"pytorch-init-container-image", "as upstream"},
      {"pytorch-init-container-template-file", "as upstream"},
      {"pytorch-init-container-max-tries", "as upstream"},
      {"mpi-kubectl-delivery-image", "as upstream"},
      {"di-server-bind-address", "the next port after those of upstream and of the admin page; a Service maps upstream's 8080 to it"},
      {"server-address", "as upstream"},
      {"di-server-url", "as upstream"},
      {"service-domain-name", "as upstream"},
      {"di-server-advertise-host", "only the pod knows its address"},
      {"di-server-access", "a job's replicas are the job's business; old clients outside of its pods need anybody"},
      {"agconfig-namespace", "as upstream"},
      {"agconfig-name", "as upstream"},
      {"gpu-alloc-policy", "as upstream"},
      {"webhook-server-port", "as upstream"},
      {"webhook-service-name", "as upstream"},
      {"webhook-secret-name", "as upstream"},
      {"webhook-url", "outside of a cluster no Service leads to the operator"},
      {"webhook-certificate-life", "as upstream"},
      {"webhook-authority-life", "as upstream"},
      {"log-level", "one line for each thing that an administrator would do something about"},
      {"log-format", "for people; collectors read json better"},
      {"log-time-encoding", "sorts as text, and has milliseconds"},
  };
  // clang-format on
  auto i = reasons.find(name);
  return i == reasons.end() ? "" : i->second;
}

} // namespace troupe::config
