package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/pem"
	"fmt"
	"maps"
	"sync"
	"time"
)

// MPIJob v2beta1: ranks are started over SSH, the launcher is a batch/v1 Job.

const (
	secrets   = core + "secrets"
	batchJobs = "/apis/batch/v1/namespaces/default/jobs"
	sshAuth   = "kubernetes.io/ssh-auth"
	keysPath  = "/root/.ssh"
)

func mpiSSH(_ *job, at slot) []object {
	result := variables("K_MPI_JOB_ROLE", at.label)
	if at.label == "worker" {
		return result
	}
	return append(result, variables("OMPI_MCA_orte_keep_fqdn_hostnames", true,
		"OMPI_MCA_orte_default_hostfile", configPath+"/hostfile",
		"OMPI_MCA_plm_rsh_args", "-o ConnectionAttempts=10",
		"OMPI_MCA_orte_set_default_slots", 1,
		"NVIDIA_VISIBLE_DEVICES", "", "NVIDIA_DRIVER_CAPABILITIES", "")...)
}

func completeSSHPod(j *job, at slot, spec, container object) {
	key := func(name, path string) object { return object{"key": name, "path": path} }
	spec["hostname"], spec["subdomain"] = j.child(at.label, at.index), j.name
	mounts := []object{{"name": "ssh-auth", "mountPath": keysPath}}
	volumes := []object{{"name": "ssh-auth", "secret": object{
		"secretName": j.name + "-ssh", "defaultMode": 0o600, "items": []object{
			key("ssh-privatekey", "id_rsa"), key("ssh-publickey", "id_rsa.pub"),
			key("ssh-publickey", "authorized_keys")}}}}
	if at.label == "worker" {
		container["command"] = []string{"/usr/sbin/sshd", "-De"}
		spec["dnsConfig"] = object{
			"searches": []string{j.name + ".default.svc.cluster.local"}}
	} else {
		spec["restartPolicy"] = "OnFailure"
		mounts = append(mounts, object{"name": "mpi-job-config", "mountPath": configPath})
		hosts, script := key("hostfile", "hostfile"), key("discover_hosts.sh", "discover_hosts.sh")
		hosts["mode"], script["mode"] = 0o444, 0o555
		volumes = append(volumes, configVolume(j, hosts, script))
	}
	container["volumeMounts"], spec["volumes"] = mounts, volumes
}

func auxiliaryObjectsSSH(j *job) []write {
	made := func(path, version, kind, name string, labels object, parts func() object) write {
		return write{path, func() object {
			body := object{"apiVersion": version, "kind": kind, "metadata": j.meta(name, labels)}
			maps.Copy(body, parts())
			return body
		}}
	}
	own := object{"app": j.name}
	ofJob := object{"app": j.name, label + "operator-name": j.kind.controller()}
	return []write{
		made(services, "v1", "Service", j.name, own, func() object {
			return object{"spec": object{"clusterIP": "None", "selector": object{
				label + "operator-name": j.kind.controller(), label + "job-name": j.name}}}
		}),
		made(core+"configmaps", "v1", "ConfigMap", j.name+"-config", own, func() object {
			hosts := ""
			for _, name := range j.workers() {
				hosts += fmt.Sprintf("%s.%s.default.svc slots=1\n", name, j.name)
			}
			return object{"data": object{"hostfile": hosts, "discover_hosts.sh": "#!/bin/sh\n"}}
		}),
		made(secrets, "v1", "Secret", j.name+"-ssh", own, func() object {
			return object{"type": sshAuth, "data": keyPair()}
		}),
		made(batchJobs, "batch/v1", "Job", j.child("launcher", 0), ofJob, func() object {
			pod := j.pod(j.slot(0))
			meta := pod["metadata"].(object)
			delete(meta, "name")
			return object{"spec": object{"podReplacementPolicy": "Failed",
				"template": object{"metadata": meta, "spec": pod["spec"]}}}
		}),
	}
}

// keyPair is the same for all jobs: what is to be compared is the writing.
var keyPair = sync.OnceValue(func() object {
	private, err := ecdsa.GenerateKey(elliptic.P521(), rand.Reader)
	check(err)
	text, err := x509.MarshalECPrivateKey(private)
	check(err)
	point, err := private.PublicKey.ECDH()
	check(err)
	var blob []byte
	for _, part := range [][]byte{[]byte("ecdsa-sha2-nistp521"), []byte("nistp521"), point.Bytes()} {
		blob = append(binary.BigEndian.AppendUint32(blob, uint32(len(part))), part...)
	}
	base64ed := base64.StdEncoding.EncodeToString
	return object{
		"ssh-privatekey": base64ed(pem.EncodeToMemory(
			&pem.Block{Type: "EC PRIVATE KEY", Bytes: text})),
		"ssh-publickey": base64ed([]byte("ecdsa-sha2-nistp521 " + base64ed(blob) + "\n")),
	}
})

// actForJobController makes the launcher's pod, brings it into *phase, and
// writes the status of its Job.
func actForJobController(a *api, j *job, status []byte) error {
	const merge = "application/merge-patch+json"
	where := batchJobs + "/" + j.child("launcher", 0)
	pod := j.child("launcher", 0) + "-first"
	now := time.Now().UTC().Format(time.RFC3339)
	jobStatus := object{"startTime": now, "active": 1, "ready": 1}
	if *phase == "Running" {
		var made struct {
			Metadata struct{ Name, UID string }
			Spec     struct {
				Template struct{ Metadata, Spec object }
			}
		}
		if err := a.call("GET", where, "", nil, &made); err != nil {
			return err
		}
		meta := made.Spec.Template.Metadata
		meta["name"], meta["finalizers"] = pod, []string{"batch.kubernetes.io/job-tracking"}
		meta["ownerReferences"] = []object{{"apiVersion": "batch/v1", "kind": "Job",
			"name": made.Metadata.Name, "uid": made.Metadata.UID,
			"controller": true, "blockOwnerDeletion": true}}
		body := encode(object{"apiVersion": "v1", "kind": "Pod", "metadata": meta,
			"spec": made.Spec.Template.Spec})
		if err := a.call("POST", pods, "application/json", body, nil); err != nil {
			return err
		}
	} else {
		condition := func(name string) object {
			return object{"type": name, "status": "True", "reason": "CompletionsReached",
				"lastProbeTime": now, "lastTransitionTime": now}
		}
		jobStatus = object{"completionTime": now, "succeeded": 1, "active": nil, "ready": 0,
			"conditions": []object{condition("SuccessCriteriaMet"), condition("Complete")}}
	}
	if err := a.call("PATCH", pods+"/"+pod+"/status", merge, status, nil); err != nil {
		return err
	}
	return a.call("PATCH", where+"/status", merge,
		encode(object{"status": jobStatus}), nil)
}
