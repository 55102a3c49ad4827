package main

import "time"

// probe writes what a load writes: a server that has just learnt of a kind
// holds up the first of its jobs for seconds.
func probe() {
	slowest := time.Duration(0)
	user := pool(1)
	timed := func(call func() error) {
		start := time.Now()
		check(call())
		slowest = max(slowest, time.Since(start))
	}
	for _, k := range kinds {
		j := newJob(k, "probe", "", len(k.leaders)+1)
		timed(func() error { return user.call("POST", k.path(), "application/json", j.body(), nil) })
		timed(func() error { return user.call("DELETE", k.path()+"/probe", "", nil, nil) })
	}
	printLine(object{"slowest": slowest.Seconds()})
}
