package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

const (
	jobs     = "/apis/kubeflow.org/v1/namespaces/default/tfjobs"
	pods     = "/api/v1/namespaces/default/pods"
	services = "/api/v1/namespaces/default/services"
	image    = "registry.example/train:1"
	label    = "training.kubeflow.org/"
	// What the operator's own watches ask for.
	selector = "?labelSelector=training.kubeflow.org%2Foperator-name"
)

type object map[string]any

func encode(body object) []byte {
	text, err := json.Marshal(body)
	check(err)
	return text
}

const jobPrefix = "load-"

func jobName(index int) string { return fmt.Sprintf("%s%05d", jobPrefix, index) }

func jobBody(name string, workers int) []byte {
	box := object{"name": "tensorflow", "image": image}
	return encode(object{
		"apiVersion": "kubeflow.org/v1", "kind": "TFJob",
		"metadata": object{"name": name},
		"spec": object{"tfReplicaSpecs": object{"Worker": object{
			"replicas": workers,
			"template": object{"spec": object{"containers": []object{box}}},
		}}},
	})
}

// family is a job with what its replicas have in common.
type family struct{ name, uid, hosts string }

func newFamily(name, uid string, workers int) family {
	hosts := make([]string, workers)
	for i := range hosts {
		hosts[i] = fmt.Sprintf(`"%s-worker-%d.default.svc:2222"`, name, i)
	}
	return family{name, uid, strings.Join(hosts, ",")}
}

func (f family) meta(index int) (object, object) {
	labels := object{
		label + "operator-name": "tfjob-controller",
		label + "job-name":      f.name,
		label + "replica-type":  "worker",
		label + "replica-index": fmt.Sprint(index),
	}
	return labels, object{
		"name":   fmt.Sprintf("%s-worker-%d", f.name, index),
		"labels": labels,
		"ownerReferences": []object{{
			"apiVersion": "kubeflow.org/v1", "kind": "TFJob", "name": f.name,
			"uid": f.uid, "controller": true, "blockOwnerDeletion": true,
		}},
	}
}

func (f family) pod(index int) []byte {
	labels, meta := f.meta(index)
	if index == 0 {
		labels[label+"job-role"] = "master"
	}
	config := fmt.Sprintf(`{"cluster":{"worker":[%s]},"task":{"type":"worker",`+
		`"index":%d},"environment":"cloud"}`, f.hosts, index)
	return encode(object{
		"apiVersion": "v1", "kind": "Pod", "metadata": meta,
		"spec": object{"restartPolicy": "Never", "containers": []object{{
			"name": "tensorflow", "image": image,
			"env":   []object{{"name": "TF_CONFIG", "value": config}},
			"ports": []object{{"name": "tfjob-port", "containerPort": 2222}},
		}}},
	})
}

func (f family) service(index int) []byte {
	labels, meta := f.meta(index)
	return encode(object{
		"apiVersion": "v1", "kind": "Service", "metadata": meta,
		"spec": object{
			"clusterIP": "None", "selector": labels,
			"ports": []object{{"name": "tfjob-port", "port": 2222}},
		},
	})
}

// podStatus is what a kubelet would write for a phase.
func podStatus(phase, now string) []byte {
	state := object{"running": object{"startedAt": now}}
	if phase != "Running" {
		state = object{"terminated": object{
			"exitCode": 0, "reason": "Completed", "startedAt": now, "finishedAt": now}}
	}
	return encode(object{"status": object{
		"phase": phase, "startTime": now,
		"containerStatuses": []object{{
			"name": "tensorflow", "image": image, "imageID": "",
			"ready": phase == "Running", "restartCount": 0, "state": state}},
	}})
}
