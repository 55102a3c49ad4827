#pragma once

#include <string>

/// A pod as an API server sends it, of about the usual size: two containers,
/// conditions and the managedFields that nobody reads.
inline std::string sample_pod(const std::string& version = "4711") {
  std::string fields;
  for (int i = 0; i < 40; ++i)
    fields += (i ? "," : "") + std::string{R"("k:{\"name\":\"VARIABLE_)"}
              + std::to_string(i) + R"(\"}":{".":{},"f:name":{},"f:value":{}})";
  return R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a-worker-0",
"generateName":"x","namespace":"ns","uid":"u-1","resourceVersion":")"
         + version
         + R"(","generation":3,"creationTimestamp":"2026-01-31T12:00:00Z",
"deletionTimestamp":"2026-01-31T13:00:00Z","deletionGracePeriodSeconds":30,
"labels":{"app":"caf\u00e9","odd":7,"training.kubeflow.org/job-name":"a"},
"annotations":{"note":"line\nnext"},
"ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"n","uid":"u-n"},
{"apiVersion":"kubeflow.org/v1","kind":"TFJob","name":"a","uid":"u-a",
"controller":true,"blockOwnerDeletion":true}],
"managedFields":[{"manager":"m","operation":"Update","apiVersion":"v1",
"fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:containers":{)"
         + fields + R"(}}}}]},
"spec":{"nodeName":"node-1","restartPolicy":"Never","containers":[
{"name":"tensorflow","image":"i:1","command":["python","train.py"],
"env":[{"name":"TF_CONFIG","value":"{\"cluster\":{}}"}],
"resources":{"limits":{"cpu":"1","memory":"1Gi"}}}]},
"status":{"phase":"Failed","reason":"Evicted","message":"low on memory",
"podIP":"10.0.0.1",
"podIPs":[{"ip":"10.0.0.1"},{"ip":"fd00::1"}],
"startTime":"2026-01-31T12:00:30Z","conditions":[{"type":"Ready","status":"False",
"reason":"PodFailed","message":"m","lastProbeTime":null,
"lastTransitionTime":"2026-01-31T12:30:00Z"}],
"initContainerStatuses":[{"name":"init","restartCount":0,"state":{
"terminated":{"exitCode":0,"reason":"Completed"}}}],
"containerStatuses":[{"name":"tensorflow","restartCount":2,"ready":false,
"image":"i:1","state":{"terminated":{"exitCode":137,"reason":"OOMKilled",
"message":"killed","startedAt":"2026-01-31T12:01:00Z",
"finishedAt":"2026-01-31T12:29:00Z"}},"lastState":{}},
{"name":"side","restartCount":0,"state":{"waiting":{"reason":
"ImagePullBackOff","message":"no such image"}}},
{"name":"up","state":{"running":{"startedAt":"2026-01-31T12:01:00Z"}}},
{"name":"new"}]}})";
}
