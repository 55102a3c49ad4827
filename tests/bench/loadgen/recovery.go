package main

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

const (
	jobSets = "/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets"
	// As of a process that was killed: under ExitCode its pod is replaced.
	killed = 137
)

// recovery makes one job, and lets one of its pods fail, again and again. With
// writers it is the operator, too: deletes all pods, and makes them again when
// all are gone.
func recovery() {
	j := newJob(kindOf(0), jobName(0), "", *podsN)
	j.scope = *scope
	seen := watchPods()
	var all [][]post
	if *writers > 0 {
		pool(0).drain(load, expected())
		all = postsOf(j)
	}
	writer := pool(*writers)
	running := seen.when(func() bool { return seen.running == *podsN })
	start := time.Now()
	if *jobSet {
		check(pool(1).call("POST", jobSets, "application/json", j.jobSet(), nil))
	} else {
		var made struct{ Metadata struct{ UID string } }
		check(pool(1).call("POST", j.kind.path(), "application/json", j.body(), &made))
		j.uid = made.Metadata.UID
	}
	send(writer, all)
	printLine(object{"first": timeOf("all pods to run", running).Sub(start).Seconds()})
	for n := 0; n < *failures; n++ {
		time.Sleep(*pause)
		j.attempt++
		printLine(failAndRecover(j, seen, writer))
	}
}

// send makes the objects over all connections of the client.
func send(writer *api, lists [][]post) {
	sent, answer := "application/json", "application/json"
	if *protobuf {
		sent, answer = protobufType, protobufMetadata
	}
	parallel(len(lists), *writers, func(i int) {
		for _, p := range lists[i] {
			check(writer.send("POST", p.path, answer, sent, p.body()))
		}
	})
}

func podsAlone(lists [][]post) [][]post {
	var result [][]post
	for _, list := range lists {
		list = slices.DeleteFunc(list, func(p post) bool { return p.path != pods })
		if len(list) > 0 {
			result = append(result, list)
		}
	}
	return result
}

func failAndRecover(j *job, seen *podWatch, writer *api) object {
	old := seen.snapshot()
	var uids []types.UID
	for uid := range old {
		uids = append(uids, uid)
	}
	slices.Sort(uids)
	one := uids[0] // They are random.
	failed := seen.when(func() bool { return seen.all[one].phase == corev1.PodFailed })
	gone := seen.when(func() bool { return !anyLeft(seen, uids) })
	recovered := seen.when(func() bool {
		_, there := seen.all[one]
		return !there && seen.running == *podsN
	})
	var again [][]post
	if *writers > 0 {
		again = podsAlone(postsOf(j))
	}
	kubelet := pool(1)
	sent := time.Now()
	check(kubelet.call("PATCH", pods+"/"+old[one].name+"/status",
		"application/merge-patch+json", failure(j.kind.container, sent), nil))
	answered := time.Now()
	result := object{"sent": seconds(sent), "answered": seconds(answered),
		"failed": seconds(timeOf("the failure", failed))}
	if *writers > 0 {
		deleteAll(writer, old, uids)
		result["gone"] = seconds(timeOf("all pods to go", gone))
		send(writer, again)
	}
	end := timeOf("all pods to run again", recovered)
	if *writers == 0 {
		select { // Not if one pod alone was replaced.
		case at := <-gone:
			result["gone"] = seconds(at)
		default:
		}
	}
	replaced := 0
	for uid := range seen.snapshot() {
		if _, before := old[uid]; !before {
			replaced++
		}
	}
	result["end"] = seconds(end)
	result["seconds"] = end.Sub(sent).Seconds()
	result["replaced"] = replaced
	return result
}

func anyLeft(seen *podWatch, uids []types.UID) bool {
	return slices.ContainsFunc(uids, func(uid types.UID) bool {
		_, there := seen.all[uid]
		return there
	})
}

func deleteAll(writer *api, all map[types.UID]podSeen, uids []types.UID) {
	answer := "application/json"
	if *protobuf {
		answer = protobufMetadata
	}
	parallel(len(uids), *writers, func(i int) {
		body := encode(object{"apiVersion": "v1", "kind": "DeleteOptions",
			"preconditions": object{"uid": uids[i]}})
		check(writer.send("DELETE", pods+"/"+all[uids[i]].name, answer,
			"application/json", body))
	})
}

func failure(container string, now time.Time) []byte {
	at := now.UTC().Format(time.RFC3339)
	return encode(object{"status": object{"phase": "Failed",
		"containerStatuses": []object{{
			"name": container, "image": image, "imageID": "",
			"ready": false, "restartCount": 0,
			"state": object{"terminated": object{"exitCode": killed,
				"reason": "Error", "startedAt": at, "finishedAt": at}}}}}})
}

func seconds(at time.Time) float64 { return float64(at.UnixMicro()) / 1e6 }

// jobSet is one whose one Job has as many pods like the job's second.
func (j *job) jobSet() []byte {
	pod := j.pod(j.slot(1))
	return encode(object{"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet",
		"metadata": object{"name": j.name}, "spec": object{
			"failurePolicy": object{"maxRestarts": 1000},
			"replicatedJobs": []object{{"name": "w", "replicas": 1,
				"template": object{"spec": object{
					"parallelism": j.pods, "completions": j.pods,
					"completionMode": "Indexed", "backoffLimit": 0,
					"template": object{"spec": pod["spec"]}}}}}}})
}
