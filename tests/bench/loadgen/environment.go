package main

import (
	"fmt"
	"strings"
)

// variables takes names and values in turn; values as fmt prints them.
func variables(pairs ...any) []object {
	var result []object
	for i := 0; i < len(pairs); i += 2 {
		result = append(result, object{"name": pairs[i], "value": fmt.Sprint(pairs[i+1])})
	}
	return result
}

func tensorflow(j *job, at slot) []object {
	if j.pods == 1 {
		return nil
	}
	return variables("TF_CONFIG", fmt.Sprintf(`{"cluster":{"worker":[%s]},`+
		`"task":{"type":"worker","index":%d},"environment":"cloud"}`, j.hosts, at.index))
}

// rank counts the master, if there is one.
func rank(j *job, at slot) int {
	if at.label == "worker" {
		return at.index + len(j.kind.leaders)
	}
	return at.index
}

func pytorch(j *job, at slot) []object {
	master, port, rank := j.child("master", 0), j.kind.port, rank(j, at)
	return variables("PYTHONUNBUFFERED", 1,
		"MASTER_PORT", port, "PET_MASTER_PORT", port,
		"MASTER_ADDR", master, "PET_MASTER_ADDR", master,
		"WORLD_SIZE", j.pods, "RANK", rank, "PET_NODE_RANK", rank,
		"PET_NPROC_PER_NODE", "auto", "PET_NNODES", j.pods)
}

func waitForMaster(j *job, at slot, spec, _ object) {
	if at.label == "master" {
		return
	}
	script := "err=1;for i in $(seq 100); do if nslookup " + j.child("master", 0) +
		"; then err=0 && break; fi;echo waiting for master; sleep 2; done; exit $err"
	spec["initContainers"] = []object{{
		"name": "init-pytorch", "image": "alpine:3.10", "imagePullPolicy": "IfNotPresent",
		"resources": object{
			"limits":   object{"cpu": "100m", "memory": "20Mi"},
			"requests": object{"cpu": "50m", "memory": "10Mi"},
		},
		"command": []string{"sh", "-c", script},
	}}
}

func xgboost(j *job, at slot) []object {
	return variables("MASTER_PORT", j.kind.port, "MASTER_ADDR", j.child("master", 0),
		"WORLD_SIZE", j.pods, "RANK", rank(j, at), "PYTHONUNBUFFERED", 1,
		"WORKER_PORT", j.kind.port, "WORKER_ADDRS", j.hosts)
}

func paddle(j *job, at slot) []object {
	result := variables("PYTHONUNBUFFERED", 1, "PADDLE_JOB_ID", j.name, "PADDLE_NNODES", j.pods)
	host := j.child("worker", 0)
	if at.index == 0 {
		host = "$(POD_IP_DUMMY)"
		result = append(result, object{"name": "POD_IP_DUMMY",
			"valueFrom": object{"fieldRef": object{"fieldPath": "status.podIP"}}})
	}
	return append(result, variables("PADDLE_MASTER", fmt.Sprint(host, ":", j.kind.port))...)
}

func jax(j *job, at slot) []object {
	return variables("PYTHONUNBUFFERED", 1, "COORDINATOR_PORT", j.kind.port,
		"COORDINATOR_ADDRESS", j.child("worker", 0),
		"NUM_PROCESSES", j.pods, "PROCESS_ID", at.index)
}

func mxnet(j *job, at slot) []object {
	host := func(label string) string { return fmt.Sprintf(j.kind.host, j.child(label, 0)) }
	config := strings.NewReplacer("SCHEDULER", host("scheduler"), "SERVER", host("server"),
		"WORKERS", j.hosts, "TYPE", at.label, "INDEX", fmt.Sprint(at.index)).Replace(
		`{"cluster":{"scheduler":[SCHEDULER],"server":[SERVER],"worker":[WORKERS]},` +
			`"labels":{"scheduler":"","server":"","worker":""},` +
			`"task":{"type":"TYPE","index":INDEX}}`)
	result := variables("MX_CONFIG", config,
		"DMLC_PS_ROOT_PORT", j.kind.port, "DMLC_PS_ROOT_URI", j.child("scheduler", 0),
		"DMLC_NUM_SERVER", 1, "DMLC_NUM_WORKER", j.pods-len(j.kind.leaders),
		"DMLC_ROLE", at.label, "DMLC_USE_KUBERNETES", 1)
	if at.label == "worker" {
		result = append(result, variables("DMLC_WORKER_ID", at.index)...)
	}
	return result
}
