package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"
)

// api is one pool of connections to an API server. HTTP/1.1 only: a pool of
// 16 shall be 16 connections, as it is in the operator.
type api struct {
	server, token string
	http          *http.Client
}

func newAPI(server, ca, token string, connections int) (*api, error) {
	transport := &http.Transport{
		MaxConnsPerHost:     connections,
		MaxIdleConnsPerHost: connections,
		TLSNextProto:        map[string]func(string, *tls.Conn) http.RoundTripper{},
	}
	if ca != "" {
		pem, err := os.ReadFile(ca)
		if err != nil {
			return nil, err
		}
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM(pem)
		transport.TLSClientConfig = &tls.Config{RootCAs: roots}
	}
	return &api{server, token, &http.Client{Transport: transport}}, nil
}

func (a *api) open(method, path, accept, kind string, body []byte) (*http.Response, error) {
	request, err := http.NewRequest(method, a.server+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if a.token != "" {
		request.Header.Set("Authorization", "Bearer "+a.token)
	}
	request.Header.Set("Accept", accept)
	if body != nil {
		request.Header.Set("Content-Type", kind)
	}
	answer, err := a.http.Do(request)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode >= 300 {
		defer answer.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(answer.Body, 500))
		return nil, fmt.Errorf("%s %s: %d: %s", method, path, answer.StatusCode, text)
	}
	return answer, nil
}

// call decodes the answer into `into`, or drops it where that is nil.
func (a *api) call(method, path, kind string, body []byte, into any) error {
	if into == nil {
		return a.send(method, path, "application/json", kind, body)
	}
	answer, err := a.open(method, path, "application/json", kind, body)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	return json.NewDecoder(answer.Body).Decode(into)
}

// send drops the answer.
func (a *api) send(method, path, accept, kind string, body []byte) error {
	answer, err := a.open(method, path, accept, kind, body)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return err
}

// drain watches jobs and what lies under the paths as the operator does, and
// drops what comes. A watch that the server ends begins anew.
func (a *api) drain(kinds []*kind, paths map[string]int) {
	whole, brief := "application/json", "application/json"
	if *protobuf {
		whole, brief = protobufType+";stream=watch", protobufMetadata
	}
	for _, k := range kinds {
		a.drainOne(k.path(), "application/json")
	}
	for path := range paths {
		switch path {
		case pods, batchJobs:
			a.drainOne(path+selector, whole)
		case services:
			if kinds[0].launcherJob { // Its services lack the label.
				a.drainOne(path, brief)
			} else {
				a.drainOne(path+selector, brief)
			}
		case secrets:
			a.drainOne(path+"?fieldSelector=type%3D"+url.QueryEscape(sshAuth), brief)
		default:
			a.drainOne(path, brief)
		}
	}
}

func (a *api) drainOne(path, accept string) {
	answer := a.startWatch(path, accept, "0")
	go func() {
		for {
			io.Copy(io.Discard, answer.Body)
			answer.Body.Close()
			answer = a.startWatch(path, accept, "0")
		}
	}()
}

// Only names and versions: what a watch is asked for that merely counts.
const partial = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"

// watch hands each event to `line`, for as long as the program runs, beginning
// with all there is. A server ends a watch whose reader falls behind, and those
// of a kind that it has just learnt of: the next one resumes.
func (a *api) watch(path, accept string, line func([]byte)) {
	// Version 0 spares the server to make sure that it has the latest, which on
	// an old etcd it waits for in vain.
	version := "0"
	answer := a.startWatch(path, accept, version)
	go func() {
		for {
			reader := bufio.NewReaderSize(answer.Body, 1<<18)
			for {
				text, err := reader.ReadBytes('\n')
				if err != nil {
					break
				}
				if bytes.HasPrefix(text, []byte(`{"type":"ERROR"`)) {
					version = "0"
					break
				}
				version = field(text, "resourceVersion")
				line(text)
			}
			answer.Body.Close()
			answer = a.startWatch(path, accept, version)
		}
	}()
}

// startWatch asks for up to ten seconds: a server that has just learnt of a
// kind answers 429 for a while.
func (a *api) startWatch(path, accept, version string) *http.Response {
	for try := 0; ; try++ {
		answer, err := a.open("GET", path+mark(path)+"watch=1&timeoutSeconds=3600&resourceVersion="+version, accept, "", nil)
		if err == nil {
			return answer
		}
		if try == 100 {
			check(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// field finds the first string of a name; servers write metadata early.
func field(text []byte, name string) string {
	_, rest, _ := bytes.Cut(text, []byte(`"`+name+`":"`))
	value, _, _ := bytes.Cut(rest, []byte(`"`))
	return string(value)
}

func mark(path string) string {
	for _, letter := range path {
		if letter == '?' {
			return "&"
		}
	}
	return "?"
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "loadgen:", err)
		os.Exit(1)
	}
}
