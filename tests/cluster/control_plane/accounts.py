"""Accounts that may do no more than a role says, and what they did."""

import json

import yaml

NAMESPACE = "troupe-system"
SHIPPED_NAMESPACE = "kubeflow"
LIFETIME = 4 * 3600  # seconds of a token
# The operators' accounts are all in these namespaces.
AUDITED = {
    "apiVersion": "audit.k8s.io/v1", "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "rules": [{"level": "Metadata",
               "userGroups": [f"system:serviceaccounts:{name}" for name in
                              (NAMESPACE, SHIPPED_NAMESPACE)]},
              {"level": "None"}]}


def bind(cluster, account, role):
    """A kubeconfig of a service account that is bound to the ClusterRole
    `role`, a manifest, in all namespaces."""
    name = role["metadata"]["name"]
    objects = [
        {"apiVersion": "v1", "kind": "Namespace",
         "metadata": {"name": NAMESPACE}},
        {"apiVersion": "v1", "kind": "ServiceAccount",
         "metadata": {"name": account, "namespace": NAMESPACE}},
        role,
        {"apiVersion": "rbac.authorization.k8s.io/v1",
         "kind": "ClusterRoleBinding", "metadata": {"name": account},
         "roleRef": {"apiGroup": "rbac.authorization.k8s.io",
                     "kind": "ClusterRole", "name": name},
         "subjects": [{"kind": "ServiceAccount", "name": account,
                       "namespace": NAMESPACE}]}]
    cluster.kubectl("apply", "-f", "-", stdin=yaml.safe_dump_all(objects))
    return write_kubeconfig(cluster, NAMESPACE, account)


def write_kubeconfig(cluster, namespace, account):
    """The path of a kubeconfig of an account that exists."""
    path = cluster.path(account + ".kubeconfig")
    cluster.write_kubeconfig(path, account, token(cluster, namespace, account))
    return path


def token(cluster, namespace, account):
    answer = cluster.client.post(
        f"/api/v1/namespaces/{namespace}/serviceaccounts/{account}/token",
        {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
         "spec": {"expirationSeconds": LIFETIME}})
    return answer["status"]["token"]


def may(client, namespace, account, verb, group, resource):
    """Whether the API server already grants it: a binding counts when its
    authorizer has seen it, a moment after it was made."""
    answer = client.post(
        "/apis/authorization.k8s.io/v1/subjectaccessreviews",
        {"apiVersion": "authorization.k8s.io/v1",
         "kind": "SubjectAccessReview", "spec": {
             "user": f"system:serviceaccount:{namespace}:{account}",
             "resourceAttributes": {"namespace": namespace, "verb": verb,
                                    "group": group, "resource": resource}}})
    return answer["status"].get("allowed", False)


class Audit:
    """What an account asked of the API server: its log, read as it grows."""

    def __init__(self, cluster, namespace, account):
        self.path = cluster.path("audit.log")
        self.user = f"system:serviceaccount:{namespace}:{account}"

    def entries(self):
        """Its calls, as the API server has logged them."""
        with open(self.path) as file:
            # The last line may be written just now.
            entries = [json.loads(line) for line in file
                       if line.endswith("\n")]
        return [entry for entry in entries if "objectRef" in entry
                and entry["user"]["username"] == self.user]

    def calls(self):
        """Of each call: (verb, group, resource, whether its role allows it).

        A quota answers 403, too.
        """
        return [(entry["verb"], entry["objectRef"].get("apiGroup", ""),
                 resource(entry["objectRef"]), entry["annotations"][
                     "authorization.k8s.io/decision"] == "allow")
                for entry in self.entries()]

    def forbidden(self):
        """(verb, group, resource) of each call that was forbidden."""
        return {call[:3] for call in self.calls() if not call[3]}


def resource(reference):
    """As roles name it."""
    parts = reference["resource"], reference.get("subresource")
    return "/".join(filter(None, parts))


def rights(role):
    """(verb, group, resource) of all that the role grants."""
    return {(verb, group, resource) for rule in role["rules"]
            for verb in rule["verbs"] for group in rule["apiGroups"]
            for resource in rule["resources"]}
