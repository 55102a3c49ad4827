package main

import (
	"strings"
	"sync"
	"time"
)

// nameCounter is done when `want` names were seen.
type nameCounter struct {
	mutex sync.Mutex
	seen  map[string]bool
	want  int
	done  chan struct{}
}

func newNameCounter(want int) *nameCounter {
	return &nameCounter{seen: map[string]bool{}, want: want, done: make(chan struct{})}
}

func (c *nameCounter) add(name string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.seen[name] || !strings.HasPrefix(name, jobPrefix) {
		return
	}
	c.seen[name] = true
	if len(c.seen) == c.want {
		close(c.done)
	}
}

// expected is how many objects of the whole load belong under each path.
func expected() map[string]int {
	counts := map[string]int{}
	for i := 0; i < *jobsN; i++ {
		for _, list := range newJob(kindOf(i), jobName(i), "", *podsN).writes() {
			for _, w := range list {
				counts[w.path]++
			}
		}
	}
	return counts
}

// startWriters makes the objects that come through the channel, and watches
// what an operator would.
func startWriters(paths map[string]int, lists <-chan []write) {
	ignore := func([]byte) {}
	for _, k := range load {
		pool(0).watch(k.path(), "application/json", ignore)
	}
	for path := range paths {
		if path == pods || path == services {
			path += selector
		}
		pool(0).watch(path, "application/json", ignore)
	}
	writer := pool(*writers)
	for i := 0; i < *writers; i++ {
		go func() {
			for list := range lists {
				for _, w := range list {
					check(writer.call("POST", w.path, "application/json", w.body(), nil))
				}
			}
		}()
	}
}

func create() {
	observer := pool(0)
	paths, total := expected(), 0
	counts := map[string]*nameCounter{}
	for path, want := range paths {
		count := newNameCounter(want)
		counts[path] = count
		total += want
		observer.watch(path, partial, func(line []byte) { count.add(field(line, "name")) })
	}
	lists := make(chan []write, total)
	if *writers > 0 {
		startWriters(paths, lists)
	}

	creator := pool(users)
	start := time.Now()
	parallel(*jobsN, users, func(i int) {
		var made struct{ Metadata struct{ Name, UID string } }
		k, name := kindOf(i), jobName(i)
		order := newJob(k, name, "", *podsN)
		check(creator.call("POST", k.path(), "application/json", order.body(), &made))
		if *writers > 0 {
			for _, list := range newJob(k, name, made.Metadata.UID, *podsN).writes() {
				lists <- list
			}
		}
	})
	created := time.Since(start)
	for path, count := range counts {
		wait("all of "+path, count.done)
	}
	printLine(object{"jobs_created": created.Seconds(), "seconds": time.Since(start).Seconds(),
		"objects": total})
}
