{{/* Labels of every object, as the Kustomization's. */}}
{{- define "troupe.labels" -}}
app: training-operator
app.kubernetes.io/name: training-operator
app.kubernetes.io/part-of: kubeflow
{{- with .Values.extraLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* The objects of a file of deploy/ as a dict {objects: [...]}: FILE, ROOT. */}}
{{- define "troupe.objects" -}}
{{- $objects := list }}
{{- range regexSplit "(?m)^---\\s*$" (.root.Files.Get (printf "files/%s" .file)) -1 }}
{{- $object := fromYaml . }}
{{- if $object }}{{ $objects = append $objects $object }}{{ end }}
{{- end }}
{{- if not $objects }}{{ fail (printf "the chart has no files/%s" .file) }}{{ end }}
{{- dict "objects" $objects | toJson }}
{{- end }}

{{/* Prints OBJECT with the labels, and the release's namespace where the file
has kubeflow: ROOT, OBJECT. */}}
{{- define "troupe.print" -}}
{{- $namespace := .root.Release.Namespace }}
{{- $object := .object }}
{{- $metadata := $object.metadata }}
{{- $labels := include "troupe.labels" .root | fromYaml }}
{{- $_ := set $metadata "labels" (mustMergeOverwrite (dict) ($metadata.labels | default dict) $labels) }}
{{- $cluster := list "ClusterRole" "ClusterRoleBinding" "CustomResourceDefinition" "MutatingWebhookConfiguration" "Namespace" "ValidatingWebhookConfiguration" }}
{{- if and (not (has $object.kind $cluster)) (eq (get $metadata "namespace" | default "kubeflow") "kubeflow") }}
{{- $_ := set $metadata "namespace" $namespace }}
{{- end }}
{{- range $object.subjects }}
{{- if eq .namespace "kubeflow" }}{{ $_ := set . "namespace" $namespace }}{{ end }}
{{- end }}
{{- range $object.webhooks }}{{ $_ := set .clientConfig.service "namespace" $namespace }}{{ end }}
---
{{ toYaml $object }}
{{ end }}

{{/* Prints the objects of FILE: ROOT, FILE. */}}
{{- define "troupe.file" -}}
{{- $root := .root }}
{{- range (include "troupe.objects" . | fromJson).objects }}
{{- include "troupe.print" (dict "root" $root "object" .) }}
{{- end }}
{{- end }}

{{/* Flags of the operator as {args: [...]}: those of the Deployment with what
the values change, in its order; then others by name. ROOT, ARGS. */}}
{{- define "troupe.args" -}}
{{- $values := .root.Values }}
{{- $namespace := .root.Release.Namespace }}
{{- $changes := dict }}
{{- if $values.kinds }}{{ $_ := set $changes "enable-scheme" $values.kinds }}{{ end }}
{{- with $values.gangScheduler }}{{ $_ := set $changes "gang-scheduler-name" . }}{{ end }}
{{- $domain := ternary "di-server.di-system" (printf "di-server.%s" $namespace) $values.diServer.originalAddress }}
{{- if $values.diServer.enabled }}
{{- $_ := set $changes "server-address" (printf "%s:8080" $domain) }}
{{- $_ := set $changes "di-server-url" (printf "http://%s.svc.cluster.local:8081" $domain) }}
{{- else }}
{{- $_ := set $changes "di-server-bind-address" "0" }}
{{- end }}
{{- range $name, $value := $values.args }}{{ $_ := set $changes $name $value }}{{ end }}
{{- $args := list }}
{{- $of_di_server := list "server-address" "di-server-url" }}
{{- range .args }}
{{- $name := regexReplaceAll "=.*$" (trimPrefix "--" .) "" }}
{{- if hasKey $changes $name }}
{{- $args = append $args (printf "--%s=%s" $name (include "troupe.value" (get $changes $name))) }}
{{- $_ := unset $changes $name }}
{{- else if or $values.diServer.enabled (not (has $name $of_di_server)) }}
{{- $args = append $args . }}
{{- end }}
{{- end }}
{{- range $name := keys $changes | sortAlpha }}
{{- $args = append $args (printf "--%s=%s" $name (include "troupe.value" (get $changes $name))) }}
{{- end }}
{{- dict "args" $args | toJson }}
{{- end }}

{{/* A setting's value as a flag has it. */}}
{{- define "troupe.value" -}}
{{- if kindIs "slice" . }}
{{- $texts := list }}
{{- range . }}{{ $texts = append $texts (include "troupe.value" .) }}{{ end }}
{{- join "," $texts }}
{{- else if kindIs "string" . }}{{ . }}{{ else }}{{ toJson . }}{{ end }}
{{- end }}

{{/* Pods of DIJobs and the other replicas, as overlays/di says. */}}
{{- define "troupe.di_server_ingress" -}}
from:
  - namespaceSelector: {}
    podSelector:
      matchLabels:
        group-name: diengine.opendilab.org
  - namespaceSelector: {}
    podSelector:
      matchLabels:
        diengine/operator: di-operator
  - podSelector:
      matchLabels:
        control-plane: kubeflow-training-operator
ports:
  - port: di-server
    protocol: TCP
{{- end }}

{{/* Fails where Helm would leave a definition that is there as it is, and say
nothing: what an installation finds and takes for its own it does not compare
with the cluster, nor does an upgrade what it finds for the first time. ROOT,
DEFINITION. */}}
{{- define "troupe.check_definition" -}}
{{- $release := .root.Release }}
{{- $versions := .definition.spec.versions | toJson }}
{{- with lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" .definition.metadata.name }}
{{- $notes := .metadata.annotations | default dict }}
{{- $ours := and (eq (get $notes "meta.helm.sh/release-name") $release.Name) (eq (get $notes "meta.helm.sh/release-namespace") $release.Namespace) }}
{{- if and (eq $ours $release.IsInstall) (ne $versions (toJson .spec.versions)) }}
{{- fail (printf "the definition %s is of another release, and Helm would leave it so: write it by `helm template %s CHART --namespace %s --show-only templates/definitions.yaml | kubectl apply --server-side --force-conflicts -f -` (with the same values), then repeat this" .metadata.name $release.Name $release.Namespace) }}
{{- end }}
{{- end }}
{{- end }}
