package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// largestEvent is more than an object can have.
const largestEvent = 16 << 20

type podSeen struct {
	name    string
	phase   corev1.PodPhase
	leaving bool
}

func (p podSeen) runs() bool { return p.phase == corev1.PodRunning && !p.leaving }

// podWatch knows the pods that a watch has shown. It asks for what operators and
// controllers ask for, so that the server encodes each event once.
type podWatch struct {
	mutex   sync.Mutex
	all     map[types.UID]podSeen
	running int
	version string // of the last event
	waits   []podWait
}

type podWait struct {
	test func() bool
	at   chan time.Time
}

func watchPods() *podWatch {
	w := &podWatch{all: map[types.UID]podSeen{}, version: "0"}
	server := pool(0)
	next := func() io.ReadCloser {
		return server.startWatch(pods, protobufType+";stream=watch", w.version).Body
	}
	body := next()
	go func() {
		for { // Servers end watches; the next one resumes.
			for reader := bufio.NewReaderSize(body, 1<<18); w.readOne(reader) == nil; {
			}
			body.Close()
			body = next()
		}
	}()
	return w
}

func (w *podWatch) readOne(from io.Reader) error {
	var head [4]byte
	if _, err := io.ReadFull(from, head[:]); err != nil {
		return err
	}
	size := binary.BigEndian.Uint32(head[:])
	if size > largestEvent {
		check(fmt.Errorf("an event of %d bytes", size))
	}
	frame := make([]byte, size)
	if _, err := io.ReadFull(from, frame); err != nil {
		return err
	}
	w.record(frame, time.Now())
	return nil
}

func (w *podWatch) record(frame []byte, at time.Time) {
	var event metav1.WatchEvent
	var envelope runtime.Unknown
	var pod corev1.Pod
	check(event.Unmarshal(frame))
	check(envelope.Unmarshal(event.Object.Raw[len("k8s\x00"):]))
	if event.Type == "ERROR" {
		check(fmt.Errorf("the watch of pods: %s", envelope.Raw))
	}
	check(pod.Unmarshal(envelope.Raw))
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.all[pod.UID].runs() {
		w.running--
	}
	delete(w.all, pod.UID)
	w.version = pod.ResourceVersion
	if event.Type != "DELETED" {
		now := podSeen{pod.Name, pod.Status.Phase, pod.DeletionTimestamp != nil}
		w.all[pod.UID] = now
		if now.runs() {
			w.running++
		}
	}
	var open []podWait
	for _, wait := range w.waits {
		if wait.test() {
			wait.at <- at
		} else {
			open = append(open, wait)
		}
	}
	w.waits = open
}

// when tells the time of the first event from now on after which `test` holds.
// It may read the fields.
func (w *podWatch) when(test func() bool) <-chan time.Time {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	at := make(chan time.Time, 1)
	w.waits = append(w.waits, podWait{test, at})
	return at
}

func (w *podWatch) snapshot() map[types.UID]podSeen {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	result := map[types.UID]podSeen{}
	for uid, pod := range w.all {
		result[uid] = pod
	}
	return result
}

func timeOf(what string, at <-chan time.Time) time.Time {
	select {
	case result := <-at:
		return result
	case <-time.After(*limit):
		check(fmt.Errorf("waited %v for %s", *limit, what))
		return time.Time{}
	}
}
