// The benchmark's load generator, and its baseline: a client without decisions.
//
//	loadgen [flags] create           creates the jobs; an operator does the rest
//	loadgen -write N [flags] create  also writes their pods, services and the
//	                                 like itself, over N connections, and watches
//	                                 as an operator would, in plain JSON or, with
//	                                 -protobuf, in what costs the server least
//	loadgen -phase P [flags] phase   puts all pods into phase P and waits until
//	                                 every job's condition of that name is True; does
//	                                 the Job controller's work where kinds need it
//	loadgen -failures N -scope S [flags] recover
//	                                 one job of a policy of that scope, or a JobSet;
//	                                 so often one of its pods fails, and all run again;
//	                                 with -write without an operator
//	loadgen [flags] probe            makes and removes a job of each kind, whatever
//	                                 the load, and says what took longest
//	loadgen [flags] check            only says whether there can be such a load
//
// LOADGEN_TOKEN in the environment is the bearer token: whoever lists processes
// can read command lines. Each prints a line of JSON, times in seconds; `recover`
// one for the start and for each failure, `check` none.
package main

import (
	"flag"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

var (
	server   = flag.String("server", "", "URL of the API server")
	ca       = flag.String("ca", "", "file with its certificate authority")
	jobsN    = flag.Int("jobs", 1, "number of jobs")
	podsN    = flag.Int("pods", 1, "pods of a job, of all its replica types")
	kindArg  = flag.String("kind", "TFJob", "kind of the jobs; mix: seven in turn")
	writers  = flag.Int("write", 0, "write the jobs' objects, so many at a time")
	protobuf = flag.Bool("protobuf", false, "write and watch what is built in in protobuf")
	phase    = flag.String("phase", "", "Running or Succeeded")
	limit    = flag.Duration("limit", 10*time.Minute, "give up after")
	scope    = flag.String("scope", "", "recover: of the job's failure policy")
	failures = flag.Int("failures", 1, "recover: so many, one after the other")
	pause    = flag.Duration("pause", 12*time.Second, "recover: before each failure")
	jobSet   = flag.Bool("jobset", false, "recover: make a JobSet of the same pods")
	partly   = flag.Bool("partly", false, "create: at the limit say how much is there")
)

// load is the kinds that the jobs take in turn.
var load []*kind

func kindOf(index int) *kind { return load[index%len(load)] }

// users is how many jobs are created, or pods patched, at a time: the same
// for the baseline and the operator.
const users = 8

func pool(connections int) *api {
	made, err := newAPI(*server, *ca, os.Getenv("LOADGEN_TOKEN"), connections)
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
	if !waited(done, time.After(*limit)) {
		check(fmt.Errorf("waited %v for %s", *limit, what))
	}
}

func waited(done <-chan struct{}, end <-chan time.Time) bool {
	select {
	case <-done:
		return true
	case <-end:
		return false
	}
}

func printLine(result object) { fmt.Println(string(encode(result))) }

func main() {
	flag.Parse()
	var err error
	load, err = chosen(*kindArg, *podsN)
	check(err)
	switch flag.Arg(0) {
	case "create":
		create()
	case "phase":
		setPhase()
	case "recover":
		recovery()
	case "probe":
		probe()
	case "check":
	default:
		check(fmt.Errorf("create, phase, recover, probe or check?"))
	}
}
