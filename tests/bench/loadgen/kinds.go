package main

import (
	"cmp"
	"fmt"
	"strings"
)

// kind is what the kinds of jobs differ in. Its jobs have one pod of each of
// `leaders`; the others are workers. `name` is what loads call it; the version,
// the kind and the operator's name follow from it where they are not given.
type kind struct {
	name, field      string
	of, version      string
	operator         string
	container        string
	portName         string
	port             int // 0: no ports and no services
	restart          string
	leaders          []string
	master           string // label of the type whose first pod is the job's master
	more             object // of the job's spec
	host, comma      string // a worker's name in the list of all, and what is between
	environment      func(*job, slot) []object
	completePod      func(j *job, at slot, spec, container object)
	auxiliaryObjects func(*job) []write
	launcherJob      bool // The leader's pod is made by the Job controller.
}

// mix is what the jobs of a load `mix` take in turn. A new kind does not come
// into it, so that figures of before can be compared.
var mix = []string{"TFJob", "PyTorchJob", "XGBoostJob", "PaddleJob", "MPIJob",
	"JAXJob", "MXJob"}

var kinds = []*kind{{
	name: "TFJob", field: "tfReplicaSpecs", container: "tensorflow",
	portName: "tfjob-port", port: 2222, restart: "Never",
	master: "worker", host: `"%s.default.svc:2222"`, comma: ",",
	environment: tensorflow,
}, {
	name: "PyTorchJob", field: "pytorchReplicaSpecs", container: "pytorch",
	portName: "pytorchjob-port", port: 23456, restart: "OnFailure",
	leaders: []string{"Master"}, master: "master",
	environment: pytorch, completePod: waitForMaster,
}, {
	name: "XGBoostJob", field: "xgbReplicaSpecs", container: "xgboost",
	portName: "xgboostjob-port", port: 9999, restart: "Never",
	leaders: []string{"Master"}, master: "master", host: "%s", comma: ",",
	environment: xgboost,
}, {
	name: "PaddleJob", field: "paddleReplicaSpecs", container: "paddle",
	portName: "master", port: 36543, restart: "OnFailure",
	master: "none", environment: paddle,
}, {
	name: "MPIJob", field: "mpiReplicaSpecs", container: "mpi",
	restart: "Never",
	leaders: []string{"Launcher"}, master: "launcher", host: "%s slots=1\n",
	environment: mpi, completePod: completeMPIPod, auxiliaryObjects: auxiliaryObjectsMPI,
}, {
	name: "MPIJob2", of: "MPIJob", version: "v2beta1", operator: "mpi-operator",
	field: "mpiReplicaSpecs", container: "mpi", restart: "Never",
	leaders: []string{"Launcher"}, environment: mpiSSH, completePod: completeSSHPod,
	auxiliaryObjects: auxiliaryObjectsSSH, launcherJob: true,
}, {
	name: "JAXJob", field: "jaxReplicaSpecs", container: "jax",
	portName: "jaxjob-port", port: 6666, restart: "Never",
	master: "worker", environment: jax,
}, {
	name: "MXJob", field: "mxReplicaSpecs", container: "mxnet",
	portName: "mxjob-port", port: 9091, restart: "Never",
	leaders: []string{"Scheduler", "Server"}, master: "server",
	more: object{"jobMode": "Train"}, host: `{"url":"%s","port":9091}`, comma: ",",
	environment: mxnet,
}}

func (k *kind) kind() string { return cmp.Or(k.of, k.name) }

func (k *kind) apiVersion() string { return "kubeflow.org/" + cmp.Or(k.version, "v1") }

func (k *kind) controller() string {
	return cmp.Or(k.operator, strings.ToLower(k.name)+"-controller")
}

func (k *kind) path() string {
	return "/apis/" + k.apiVersion() + "/namespaces/default/" + strings.ToLower(k.kind()) + "s"
}

// chosen are the kinds that the jobs take in turn.
func chosen(name string, pods int) ([]*kind, error) {
	names := []string{name}
	if name == "mix" {
		names = mix
	}
	var result []*kind
	for _, wanted := range names {
		k := find(wanted)
		if k == nil {
			return nil, fmt.Errorf("%q is no kind: TFJob and the like, or mix", wanted)
		}
		if least := len(k.leaders) + 1; pods < least {
			return nil, fmt.Errorf("%d pods: %ss have %d or more", pods, k.name, least)
		}
		result = append(result, k)
	}
	return result, nil
}

func find(name string) *kind {
	for _, k := range kinds {
		if k.name == name {
			return k
		}
	}
	return nil
}
