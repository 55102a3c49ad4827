// The benchmark's load, and the floor below every operator.
//
//	floor [flags] create          creates the jobs; an operator does the rest
//	floor -write N [flags] create also writes their pods and services itself,
//	                              over N connections, and watches as an
//	                              operator would: nothing can be faster
//	floor -phase P [flags] phase  puts all pods into phase P and waits until
//	                              every job's condition of that name is True
//
// Either prints one line of JSON, times in seconds.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

var (
	server  = flag.String("server", "", "URL of the API server")
	ca      = flag.String("ca", "", "file with its certificate authority")
	token   = flag.String("token", "", "bearer token")
	jobsN   = flag.Int("jobs", 1, "number of jobs")
	workers = flag.Int("workers", 1, "workers of a job")
	write   = flag.Int("write", 0, "write pods and services, so many at a time")
	phase   = flag.String("phase", "", "Running or Succeeded")
	limit   = flag.Duration("limit", 10*time.Minute, "give up after")
)

// users is how many jobs are created, or pods patched, at a time: the same
// for the floor and the operator.
const users = 8

func pool(connections int) *api {
	made, err := newAPI(*server, *ca, *token, connections)
	check(err)
	return made
}

// parallel calls do(0) … do(n-1), at most `at` of them at a time.
func parallel(n, at int, do func(int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for i := 0; i < at; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for k := next.Add(1) - 1; k < int64(n); k = next.Add(1) - 1 {
				do(int(k))
			}
		}()
	}
	group.Wait()
}

func wait(what string, done <-chan struct{}) {
	select {
	case <-done:
	case <-time.After(*limit):
		check(fmt.Errorf("waited %v for %s", *limit, what))
	}
}

// tally is done when `want` objects were seen.
func tally(want int, done chan<- struct{}) func([]byte) {
	seen := map[string]bool{}
	return func(line []byte) {
		name := field(line, "name")
		if strings.HasPrefix(name, jobPrefix) && !seen[name] {
			seen[name] = true
			if len(seen) == want {
				close(done)
			}
		}
	}
}

func create() {
	want := *jobsN * *workers
	observer := pool(0)
	allPods, allServices := make(chan struct{}), make(chan struct{})
	observer.watch(pods, partial, tally(want, allPods))
	observer.watch(services, partial, tally(want, allServices))

	type order struct {
		family family
		index  int
	}
	orders := make(chan order, want)
	if *write > 0 {
		for _, path := range []string{jobs, pods + selector, services + selector} {
			pool(0).watch(path, "application/json", func([]byte) {})
		}
		writer := pool(*write)
		for i := 0; i < *write; i++ {
			go func() {
				for o := range orders {
					check(writer.call("POST", pods, "application/json", o.family.pod(o.index), nil))
					check(writer.call("POST", services, "application/json", o.family.service(o.index), nil))
				}
			}()
		}
	}

	creator := pool(users)
	start := time.Now()
	parallel(*jobsN, users, func(i int) {
		var made struct{ Metadata struct{ Name, UID string } }
		check(creator.call("POST", jobs, "application/json", jobBody(jobName(i), *workers), &made))
		if *write > 0 {
			family := newFamily(made.Metadata.Name, made.Metadata.UID, *workers)
			for k := 0; k < *workers; k++ {
				orders <- order{family, k}
			}
		}
	})
	created := time.Since(start)
	wait("all pods", allPods)
	wait("all services", allServices)
	printLine(object{"jobs_created": created.Seconds(), "seconds": time.Since(start).Seconds()})
}

// settled calls done when every job's condition *phase is True.
func settled(done chan<- struct{}) func([]byte) {
	reached := map[string]bool{}
	return func(line []byte) {
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
			name := event.Object.Metadata.Name
			if condition.Type == *phase && condition.Status == "True" && !reached[name] {
				reached[name] = true
				if len(reached) == *jobsN {
					close(done)
				}
			}
		}
	}
}

func turn() {
	done := make(chan struct{})
	pool(0).watch(jobs, "application/json", settled(done))
	kubelet := pool(users)
	start := time.Now()
	body := podStatus(*phase, start.UTC().Format(time.RFC3339))
	// Worker by worker, so that many jobs change at the same time.
	parallel(*jobsN**workers, users, func(i int) {
		name := fmt.Sprintf("%s-worker-%d", jobName(i%*jobsN), i / *jobsN)
		check(kubelet.call("PATCH", pods+"/"+name+"/status", "application/merge-patch+json", body, nil))
	})
	patched := time.Since(start)
	wait("all jobs", done)
	printLine(object{"patched": patched.Seconds(), "seconds": time.Since(start).Seconds()})
}

func printLine(result object) { fmt.Println(string(encode(result))) }

func main() {
	flag.Parse()
	switch flag.Arg(0) {
	case "create":
		create()
	case "phase":
		turn()
	default:
		check(fmt.Errorf("create or phase?"))
	}
}
