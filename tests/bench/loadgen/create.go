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

func (c *nameCounter) missing() int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.want - len(c.seen)
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

// post is a write in the encoding of the baseline. Its body is asked for when
// the job has its UID.
type post struct {
	path string
	body func() []byte
}

// postsOf are made before the clock runs. Those of one list are sent one after
// the other.
func postsOf(j *job) [][]post {
	var result [][]post
	for _, list := range j.writes() {
		var posts []post
		for _, w := range list {
			body := func() []byte { return encode(w.content()) }
			if *protobuf {
				body = inProtobuf(j, w)
			}
			posts = append(posts, post{w.path, body})
		}
		result = append(result, posts)
	}
	return result
}

// startWriters makes the objects that come through the channel, and watches
// what the operator does: jobs and pods whole, of other objects the metadata.
func startWriters(paths map[string]int, lists <-chan []post) {
	pool(0).drain(load, paths)
	sent, answer := "application/json", "application/json"
	if *protobuf {
		sent, answer = protobufType, protobufMetadata
	}
	writer := pool(*writers)
	for i := 0; i < *writers; i++ {
		go func() {
			for list := range lists {
				for _, p := range list {
					check(writer.send("POST", p.path, answer, sent, p.body()))
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
	lists := make(chan []post, total)
	jobs := make([]*job, *jobsN)
	posts := make([][][]post, *jobsN)
	for i := range jobs {
		jobs[i] = newJob(kindOf(i), jobName(i), "", *podsN)
		if *writers > 0 {
			posts[i] = postsOf(jobs[i])
		}
	}
	if *writers > 0 {
		startWriters(paths, lists)
	}

	creator := pool(users)
	start := time.Now()
	parallel(*jobsN, users, func(i int) {
		var made struct{ Metadata struct{ Name, UID string } }
		j := jobs[i]
		check(creator.call("POST", j.kind.path(), "application/json", j.body(), &made))
		j.uid = made.Metadata.UID
		for _, list := range posts[i] {
			lists <- list
		}
	})
	created := time.Since(start)
	missing := 0
	end := time.After(*limit)
	for path, count := range counts {
		if !*partly {
			wait("all of "+path, count.done)
		} else if missing > 0 || !waited(count.done, end) {
			missing += count.missing()
		}
	}
	printLine(object{"jobs_created": created.Seconds(), "seconds": time.Since(start).Seconds(),
		"objects": total, "missing": missing})
}
