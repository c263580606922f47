// SPDX-License-Identifier: Apache-2.0

// Package folder has the runs and sweeps of files for the pages of package dashboard: of what
// run -o json and sweep -o json printed.
package folder

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/archive"
	"windtunnel.dev/windtunnel/pkg/dashboard"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// Source is files, and the files of folders. It implements [dashboard.Source].
type Source struct {
	paths []string
	clock clock.WithTicker

	mu sync.Mutex
	// read is what files had when they were last looked at.
	read map[string]file
}

// file is a file as it was read.
type file struct {
	version string
	objects []dashboard.Object
	// fault says why the file has no objects; nil if it has some.
	fault error
}

// New returns the source of files and folders.
func New(c clock.WithTicker, paths ...string) *Source {
	return &Source{paths: paths, clock: c, read: map[string]file{}}
}

// Check returns an error if a path cannot be read, or if no file has results. Files without results
// are named.
func (s *Source) Check() (without []string, err error) {
	objects, err := s.all()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for name := range s.read {
		if s.read[name].fault != nil {
			without = append(without, name)
		}
	}
	slices.Sort(without)
	if len(objects) == 0 {
		return without, fmt.Errorf("%s: there is no output of run -o json or sweep -o json", strings.Join(s.paths, ", "))
	}
	return without, nil
}

// files are all files that may have results.
func (s *Source) files() (map[string]fs.FileInfo, error) {
	files := map[string]fs.FileInfo{}
	for _, path := range s.paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			files[path] = info
			continue
		}
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if e.IsDir() || filepath.Ext(e.Name()) != ".json" {
				continue
			}
			if info, err := e.Info(); err == nil { // else it is gone by now
				files[filepath.Join(path, e.Name())] = info
			}
		}
	}
	return files, nil
}

// all are the objects of all files. Files are read again when they change.
func (s *Source) all() ([]dashboard.Object, error) {
	files, err := s.files()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for name := range s.read {
		if files[name] == nil {
			delete(s.read, name)
		}
	}
	var names []string
	for name, info := range files {
		names = append(names, name)
		version := fmt.Sprintf("%d-%d", info.ModTime().UnixNano(), info.Size())
		if s.read[name].version != version {
			s.read[name] = readFile(name, version, info.ModTime())
		}
	}
	slices.Sort(names)
	var objects []dashboard.Object
	times := map[dashboard.Key]int{}
	for _, name := range names {
		objects = append(objects, s.read[name].objects...)
	}
	for i := range objects {
		times[objects[i].Key]++
	}
	for i := range objects {
		if o := &objects[i]; times[o.Key] > 1 {
			o.Key = o.InFile(o.File)
		}
	}
	return objects, nil
}

// readFile reads the objects of a file without their rows.
func readFile(name, version string, changed time.Time) file {
	f := file{version: version}
	printed, err := readPrinted(name)
	if err != nil {
		f.fault = err
		return f
	}
	for i := range printed {
		o := objectOf(&printed[i], name, version)
		o.Created = changed
		f.objects = append(f.objects, o)
	}
	return f
}

func readPrinted(name string) ([]archive.Printed, error) {
	raw, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return archive.ReadPrinted(raw)
}

// objectOf is what pages show of what was printed.
func objectOf(p *archive.Printed, name, version string) dashboard.Object {
	status := p.Status
	o := dashboard.Object{
		Key: dashboard.Key{Resource: dashboard.Runs, Namespace: p.Metadata.Namespace, Name: p.Metadata.Name}, Version: version,
		Status: &status.CommonStatus, Metrics: status.Metrics, File: name, Judged: p.Verdict(),
	}
	if p.Kind == v1alpha1.PolicySweepKind {
		o.Resource, o.Best, o.Baseline = dashboard.Sweeps, status.Best, status.Baseline
		if board := p.Leaderboard; board != nil && len(board.Candidates) > 0 {
			o.Unmet = board.Candidates[0].Standing == result.Infeasible
		}
	}
	if o.Namespace == "" {
		o.Namespace = "default"
	}
	if o.Name == "" {
		o.Name = "unnamed"
	}
	return o
}

// List implements [dashboard.Source].
func (s *Source) List(_ context.Context, resource dashboard.Resource, namespace string) ([]dashboard.Object, error) {
	objects, err := s.all()
	return slices.DeleteFunc(objects, func(o dashboard.Object) bool {
		return o.Resource != resource || namespace != "" && o.Namespace != namespace
	}), err
}

// Get implements [dashboard.Source].
func (s *Source) Get(_ context.Context, key dashboard.Key) (*dashboard.Object, error) {
	objects, err := s.all()
	if err != nil {
		return nil, err
	}
	// The name without a file is that of the first file: links to it outlive other files with the object.
	for _, is := range []func(*dashboard.Object) bool{
		func(o *dashboard.Object) bool { return o.Key == key },
		func(o *dashboard.Object) bool { return o.Key == key.InFile(o.File) },
	} {
		for i := range objects {
			if is(&objects[i]) {
				return &objects[i], nil
			}
		}
	}
	return nil, dashboard.ErrNotFound
}

// Results implements [dashboard.Source].
func (s *Source) Results(_ context.Context, of *dashboard.Object) (*dashboard.Results, error) {
	printed, err := readPrinted(of.File)
	if err != nil {
		return nil, err
	}
	for i := range printed {
		p := &printed[i]
		o := objectOf(p, of.File, of.Version)
		if o.Key == of.Key || o.InFile(o.File) == of.Key {
			return resultsOf(p), nil
		}
	}
	return nil, dashboard.ErrNotFound
}

func resultsOf(p *archive.Printed) *dashboard.Results {
	r := &dashboard.Results{Rows: p.Rows, Parameters: map[int][]result.Assignment{}}
	for _, pass := range []bool{false, true} {
		for i := range p.Gates {
			if (p.Gates[i].Verdict == verdict.Pass) == pass {
				r.Deciding = append(r.Deciding, p.Gates[i].Measure)
			}
		}
	}
	if p.Kind != v1alpha1.PolicySweepKind {
		r.RunReport = p.RunReport
		return r
	}
	r.Report, r.ReportFault = p.Report()
	if p.Leaderboard == nil {
		return r
	}
	for _, o := range p.Leaderboard.Objectives {
		r.Deciding = append(r.Deciding, o.Measure)
	}
	for i := range p.Leaderboard.Candidates {
		c := &p.Leaderboard.Candidates[i]
		r.Parameters[c.Point] = c.Parameters
	}
	return r
}

// lookInterval is how often files are looked at while a reader watches.
const lookInterval = 2 * time.Second

// Watch implements [dashboard.Source].
func (s *Source) Watch(ctx context.Context, changed func(dashboard.Key)) error {
	ticker := s.clock.NewTicker(lookInterval)
	defer ticker.Stop()
	versions := func() map[dashboard.Key]string {
		known := map[dashboard.Key]string{}
		objects, _ := s.all() // a folder that is gone has none
		for i := range objects {
			known[objects[i].Key] = objects[i].Version
		}
		return known
	}
	before := versions()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C():
		}
		now := versions()
		for key, version := range now {
			if before[key] != version {
				changed(key)
			}
			delete(before, key)
		}
		for key := range before {
			changed(key)
		}
		before = now
	}
}
