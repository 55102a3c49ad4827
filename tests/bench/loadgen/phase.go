package main

import (
	"encoding/json"
	"time"
)

// podStatus is what a kubelet would write for a phase.
func podStatus(container, phase, now string) []byte {
	state := object{"running": object{"startedAt": now}}
	if phase != "Running" {
		state = object{"terminated": object{
			"exitCode": 0, "reason": "Completed", "startedAt": now, "finishedAt": now}}
	}
	return encode(object{"status": object{
		"phase": phase, "startTime": now,
		"containerStatuses": []object{{
			"name": container, "image": image, "imageID": "",
			"ready": phase == "Running", "restartCount": 0, "state": state}},
	}})
}

// countFinished counts a job whose condition *phase is True.
func countFinished(count *nameCounter, line []byte) {
	var event struct {
		Object struct {
			Metadata struct{ Name string }
			Status   struct {
				Conditions []struct{ Type, Status string }
			}
		}
	}
	check(json.Unmarshal(line, &event))
	for _, condition := range event.Object.Status.Conditions {
		if condition.Type == *phase && condition.Status == "True" {
			count.add(event.Object.Metadata.Name)
		}
	}
}

func setPhase() {
	count := newNameCounter(*jobsN)
	for _, k := range load {
		pool(0).watch(k.path(), "application/json", func(line []byte) { countFinished(count, line) })
	}
	kubelet := pool(users)
	start := time.Now()
	bodies := map[*kind][]byte{}
	for _, k := range load {
		bodies[k] = podStatus(k.container, *phase, start.UTC().Format(time.RFC3339))
	}
	// Slot by slot, so that many jobs change at the same time.
	parallel(*jobsN**podsN, users, func(i int) {
		k := kindOf(i % *jobsN)
		j := job{kind: k, name: jobName(i % *jobsN), pods: *podsN}
		at := j.slot(i / *jobsN)
		if k.launcherJob && at.label == "launcher" {
			check(actForJobController(kubelet, &j, bodies[k]))
			return
		}
		path := pods + "/" + j.child(at.label, at.index) + "/status"
		check(kubelet.call("PATCH", path, "application/merge-patch+json", bodies[k], nil))
	})
	patched := time.Since(start)
	wait("all jobs", count.done)
	printLine(object{"patched": patched.Seconds(), "seconds": time.Since(start).Seconds()})
}
