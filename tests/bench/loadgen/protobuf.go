package main

import (
	"encoding/json"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

const (
	protobufType = "application/vnd.kubernetes.protobuf"
	// Of what was written and of most of what is watched, the operator reads no
	// more than this.
	protobufMetadata = protobufType + ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
)

// message is an object of a type that has a form in protobuf.
type message interface {
	metav1.Object
	Marshal() ([]byte, error)
}

// messages makes an empty one of each kind that is written.
var messages = map[string]func() message{
	"Pod":            func() message { return &corev1.Pod{} },
	"Service":        func() message { return &corev1.Service{} },
	"ConfigMap":      func() message { return &corev1.ConfigMap{} },
	"Secret":         func() message { return &corev1.Secret{} },
	"Job":            func() message { return &batchv1.Job{} },
	"ServiceAccount": func() message { return &corev1.ServiceAccount{} },
	"Role":           func() message { return &rbacv1.Role{} },
	"RoleBinding":    func() message { return &rbacv1.RoleBinding{} },
}

// inProtobuf reads the content at once, so that all that is left to do later is
// to fill in the owner's UID and to write the bytes.
func inProtobuf(j *job, w write) func() []byte {
	content := w.content()
	kind := runtime.TypeMeta{
		APIVersion: content["apiVersion"].(string), Kind: content["kind"].(string)}
	made := messages[kind.Kind]()
	check(json.Unmarshal(encode(content), made))
	return func() []byte {
		made.GetOwnerReferences()[0].UID = types.UID(j.uid)
		raw, err := made.Marshal()
		check(err)
		body, err := (&runtime.Unknown{TypeMeta: kind, Raw: raw}).Marshal()
		check(err)
		return append([]byte("k8s\x00"), body...)
	}
}
