package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
)

const (
	core     = "/api/v1/namespaces/default/"
	pods     = core + "pods"
	services = core + "services"
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

// job is one with what its pods have in common.
type job struct {
	kind      *kind
	name, uid string
	pods      int
	hosts     string
	scope     string // of its failure policy; "": it has none
	attempt   int    // of its pods, where the scope is not Pod
}

// slot is the replica type and index of a pod.
type slot struct {
	label string
	index int
}

func newJob(k *kind, name, uid string, pods int) *job {
	j := &job{kind: k, name: name, uid: uid, pods: pods}
	if k.host != "" {
		hosts := j.workers()
		for i, worker := range hosts {
			hosts[i] = fmt.Sprintf(k.host, worker)
		}
		j.hosts = strings.Join(hosts, k.comma)
	}
	return j
}

func (j *job) child(label string, index int) string {
	if label == "launcher" {
		return j.name + "-launcher"
	}
	return fmt.Sprintf("%s-%s-%d", j.name, label, index)
}

func (j *job) workers() []string {
	result := make([]string, j.pods-len(j.kind.leaders))
	for i := range result {
		result[i] = j.child("worker", i)
	}
	return result
}

// slot is that of the job's n-th pod: the leaders come first.
func (j *job) slot(n int) slot {
	if n < len(j.kind.leaders) {
		return slot{strings.ToLower(j.kind.leaders[n]), 0}
	}
	return slot{"worker", n - len(j.kind.leaders)}
}

// body is the manifest that a user would send.
func (j *job) body() []byte {
	container := object{"name": j.kind.container, "image": image}
	replicas := func(count int) object {
		result := object{"replicas": count,
			"template": object{"spec": object{"containers": []object{container}}}}
		if j.scope != "" {
			result["restartPolicy"] = "ExitCode"
		}
		return result
	}
	types := object{"Worker": replicas(j.pods - len(j.kind.leaders))}
	for _, leader := range j.kind.leaders {
		types[leader] = replicas(1)
	}
	spec := object{j.kind.field: types}
	maps.Copy(spec, j.kind.more)
	if j.scope != "" {
		spec["runPolicy"] = object{"failurePolicy": object{"restartScope": j.scope}}
	}
	return encode(object{"apiVersion": j.kind.apiVersion(), "kind": j.kind.kind(),
		"metadata": object{"name": j.name}, "spec": spec})
}

func (j *job) meta(name string, labels object) object {
	return object{
		"name": name, "labels": labels,
		"ownerReferences": []object{{
			"apiVersion": j.kind.apiVersion(), "kind": j.kind.kind(), "name": j.name,
			"uid": j.uid, "controller": true, "blockOwnerDeletion": true,
		}},
	}
}

func (j *job) labels(at slot) object {
	result := object{
		label + "operator-name": j.kind.controller(),
		label + "job-name":      j.name,
	}
	if j.kind.launcherJob {
		result[label+"job-role"] = at.label
	} else {
		result[label+"replica-type"] = at.label
	}
	if at.label != "launcher" {
		result[label+"replica-index"] = fmt.Sprint(at.index)
	}
	return result
}

func (j *job) pod(at slot) object {
	labels := j.labels(at)
	if at.label == j.kind.master && at.index == 0 {
		labels[label+"job-role"] = "master"
	}
	container := object{"name": j.kind.container, "image": image}
	env := j.kind.environment(j, at)
	restart := j.kind.restart
	if j.scope != "" {
		restart = "Never"
	}
	if j.scope != "" && j.scope != "Pod" {
		labels[label+"restart-attempt"] = fmt.Sprint(j.attempt)
		env = append(env, variables("TRAINING_RESTART_ATTEMPT", j.attempt)...)
	}
	if env != nil {
		container["env"] = env
	}
	if j.kind.port != 0 {
		container["ports"] = []object{{"name": j.kind.portName, "containerPort": j.kind.port}}
	}
	spec := object{"restartPolicy": restart, "containers": []object{container}}
	if j.kind.completePod != nil {
		j.kind.completePod(j, at, spec, container)
	}
	return object{"apiVersion": "v1", "kind": "Pod",
		"metadata": j.meta(j.child(at.label, at.index), labels), "spec": spec}
}

func (j *job) service(at slot) object {
	labels := j.labels(at)
	return object{
		"apiVersion": "v1", "kind": "Service",
		"metadata": j.meta(j.child(at.label, at.index), labels),
		"spec": object{
			"clusterIP": "None", "selector": labels,
			"ports": []object{{"name": j.kind.portName, "port": j.kind.port}},
		},
	}
}

// write is one object to be made.
type write struct {
	path    string
	content func() object
}

// writes are all that an operator makes for the job. Those of one list are made
// one after the other.
func (j *job) writes() [][]write {
	var result [][]write
	if j.kind.auxiliaryObjects != nil {
		for _, w := range j.kind.auxiliaryObjects(j) {
			result = append(result, []write{w})
		}
	}
	for n := 0; n < j.pods; n++ {
		at := j.slot(n)
		if j.kind.launcherJob && at.label == "launcher" {
			continue
		}
		list := []write{{pods, func() object { return j.pod(at) }}}
		if j.kind.port != 0 {
			list = append(list, write{services, func() object { return j.service(at) }})
		}
		result = append(result, list)
	}
	return result
}
