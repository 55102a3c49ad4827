package main

import "maps"

const (
	group = "rbac.authorization.k8s.io"
	rbac  = "/apis/" + group + "/v1/namespaces/default/"

	configPath, kubectlPath = "/etc/mpi", "/opt/kube"
)

func mpi(_ *job, at slot) []object {
	if at.label == "worker" {
		return nil
	}
	script := configPath + "/kubexec.sh"
	return variables("OMPI_MCA_plm_rsh_agent", script,
		"OMPI_MCA_orte_default_hostfile", configPath+"/hostfile",
		"NVIDIA_VISIBLE_DEVICES", "", "NVIDIA_DRIVER_CAPABILITIES", "",
		"I_MPI_HYDRA_BOOTSTRAP", "rsh", "I_MPI_HYDRA_BOOTSTRAP_EXEC", script)
}

func configVolume(j *job, files ...object) object {
	return object{"name": "mpi-job-config",
		"configMap": object{"name": j.name + "-config", "items": files}}
}

func completeMPIPod(j *job, at slot, spec, container object) {
	file := func(name string, mode int) object {
		return object{"key": name, "path": name, "mode": mode}
	}
	script := file("kubexec.sh", 0o555)
	config := object{"name": "mpi-job-config", "mountPath": configPath}
	if at.label == "worker" {
		container["command"], container["args"] = []string{"sleep"}, []string{"365d"}
		container["volumeMounts"] = []object{config}
		spec["volumes"] = []object{configVolume(j, script)}
		return
	}
	mounts := []object{{"name": "mpi-job-kubectl", "mountPath": kubectlPath}, config}
	amounts := object{"cpu": "100m", "memory": "512Mi", "ephemeral-storage": "5Gi"}
	container["volumeMounts"] = mounts
	spec["serviceAccountName"] = j.name + "-launcher"
	spec["initContainers"] = []object{{
		"name":            "kubectl-delivery",
		"image":           "ghcr.io/kubeflow/training-v1/kubectl-delivery:latest",
		"imagePullPolicy": "IfNotPresent",
		"env":             variables("TARGET_DIR", kubectlPath, "NAMESPACE", "default"),
		"resources":       object{"limits": amounts, "requests": amounts},
		"volumeMounts":    mounts,
	}}
	spec["volumes"] = []object{
		{"name": "mpi-job-kubectl", "emptyDir": object{}},
		configVolume(j, script, file("hostfile", 0o444), file("discover_hosts.sh", 0o555)),
	}
}

// auxiliaryObjectsMPI are the objects that a job has beside pods.
func auxiliaryObjectsMPI(j *job) []write {
	launcher := j.name + "-launcher"
	made := func(path, version, kind, name string, parts func() object) write {
		return write{path, func() object {
			body := object{"apiVersion": version, "kind": kind,
				"metadata": j.meta(name, object{"app": j.name})}
			maps.Copy(body, parts())
			return body
		}}
	}
	return []write{
		made(core+"serviceaccounts", "v1", "ServiceAccount", launcher,
			func() object { return nil }),
		made(core+"configmaps", "v1", "ConfigMap", j.name+"-config",
			func() object { return object{"data": files(j)} }),
		made(rbac+"roles", group+"/v1", "Role", launcher,
			func() object { return object{"rules": rules(j)} }),
		made(rbac+"rolebindings", group+"/v1", "RoleBinding", launcher, func() object {
			return object{
				"roleRef": object{"apiGroup": group, "kind": "Role", "name": launcher},
				"subjects": []object{{"kind": "ServiceAccount", "name": launcher,
					"namespace": "default"}},
			}
		}),
	}
}

func files(j *job) object {
	return object{
		"hostfile":          j.hosts,
		"discover_hosts.sh": "#!/bin/sh", // No worker runs yet.
		"kubexec.sh": "#!/bin/sh\nset -x\nPOD_NAME=$1\nshift\n" + kubectlPath +
			"/kubectl exec ${POD_NAME} -- /bin/sh -c \"$*\"",
	}
}

func rules(j *job) []object {
	rule := func(resource string, verbs ...string) object {
		return object{"apiGroups": []string{""}, "resources": []string{resource}, "verbs": verbs}
	}
	exec := rule("pods/exec", "create")
	exec["resourceNames"] = j.workers()
	return []object{rule("pods", "get", "list", "watch"), exec}
}
