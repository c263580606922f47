// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// suspectDelay is how long after its start a manager leaves an object alone that was
// being compiled when a manager died: the others have their turn first.
const suspectDelay = 30 * time.Second

// maxKills is after how many deaths of managers an object is not compiled any more.
const maxKills = 2

// errSuspect says that an object has to wait because a manager died while it compiled
// it, errTooExpensive that it is not compiled any more.
var (
	errSuspect      = errors.New("a manager died while it compiled the object")
	errTooExpensive = errors.New("managers died while they compiled the object")
)

// compileGuard keeps an object whose compilation kills managers from killing one after the
// other. What is being compiled stands in a folder that outlives the process, a file
// an object: what a manager finds there when it starts, the one before it was killed
// at. It may be used concurrently; nil guards nothing.
type compileGuard struct {
	folder string
	clock  clock.PassiveClock
	// suspectsWaitUntil is when suspects may compile.
	suspectsWaitUntil time.Time
	// exclusive is held in common by all that compile together, and by a suspect alone.
	exclusive sync.RWMutex

	mu       sync.Mutex
	suspects map[types.UID]compileRecord
}

// compileRecord is what a file says: which generation of an object was compiled, and how
// many managers died of it before.
type compileRecord struct {
	// Object is for those who look into the folder.
	Object     string `json:"object"`
	Generation int64  `json:"generation"`
	Deaths     int    `json:"deaths"`
	// Running says that it was being compiled when the file was written.
	Running bool `json:"running"`
}

// newCompileGuard reads what the manager before this one left in a folder; an empty name
// guards nothing.
func newCompileGuard(folder string, now clock.PassiveClock) (*compileGuard, error) {
	if folder == "" {
		return nil, nil
	}
	g := &compileGuard{folder: folder, clock: now, suspectsWaitUntil: now.Now().Add(suspectDelay), suspects: map[types.UID]compileRecord{}}
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("read the compile records: %w", err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(filepath.Join(folder, file.Name()))
		var a compileRecord
		if err != nil || json.Unmarshal(raw, &a) != nil {
			continue // cut off while it was written, before anything was compiled
		}
		if a.Running {
			a.Deaths, a.Running = a.Deaths+1, false
		}
		uid := types.UID(file.Name())
		if err := g.write(uid, a); err != nil {
			return nil, err
		}
		g.suspects[uid] = a
	}
	return g, nil
}

// begin notes that an object is about to be compiled. It returns what to call
// afterwards, or why the object is not to be compiled now. A suspect is compiled alone.
func (g *compileGuard) begin(s subject) (end func(), err error) {
	if g == nil {
		return func() {}, nil
	}
	_, suspected := g.suspect(s.object().GetUID(), s.object().GetGeneration())
	lock, unlock := g.exclusive.RLock, g.exclusive.RUnlock
	if suspected {
		lock, unlock = g.exclusive.Lock, g.exclusive.Unlock
	}
	if err := g.mayBegin(s); err != nil {
		return nil, err
	}
	lock()
	forget, err := g.beginSlow(s)
	if err != nil {
		unlock()
		return nil, err
	}
	return func() { forget(); unlock() }, nil
}

// mayBegin says why an object is not to be compiled now.
func (g *compileGuard) mayBegin(s subject) error {
	before, suspected := g.suspect(s.object().GetUID(), s.object().GetGeneration())
	switch {
	case suspected && before.Deaths >= maxKills:
		return errTooExpensive
	case suspected && g.clock.Now().Before(g.suspectsWaitUntil):
		return errSuspect
	}
	return nil
}

// beginSlow is begin for the slow lane, where an object is compiled together with others, and no other object waits
// for it.
func (g *compileGuard) beginSlow(s subject) (end func(), err error) {
	if g == nil {
		return func() {}, nil
	}
	if err := g.mayBegin(s); err != nil {
		return nil, err
	}
	uid := s.object().GetUID()
	before, _ := g.suspect(uid, s.object().GetGeneration())
	a := compileRecord{Object: s.kind() + " " + nameOf(s).String(), Generation: s.object().GetGeneration(), Deaths: before.Deaths, Running: true}
	if err := g.write(uid, a); err != nil {
		return nil, err
	}
	return func() { g.clear(uid) }, nil
}

// knownTooExpensive returns errTooExpensive for a generation of which the status says so.
func knownTooExpensive(s subject) error {
	st := s.status()
	if st.ObservedGeneration == s.object().GetGeneration() && readyReason(st) == v1alpha1.ReasonTooExpensive {
		return errTooExpensive
	}
	return nil
}

// suspect returns what is held against a generation of an object.
func (g *compileGuard) suspect(uid types.UID, generation int64) (compileRecord, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	a, known := g.suspects[uid]
	return a, known && a.Generation == generation && a.Deaths > 0
}

// clear forgets an object that was compiled and did no harm. A file that stays is
// written over the next time.
func (g *compileGuard) clear(uid types.UID) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.suspects, uid)
	_ = os.Remove(g.file(uid))
}

func (g *compileGuard) file(uid types.UID) string { return filepath.Join(g.folder, string(uid)) }

func (g *compileGuard) write(uid types.UID, a compileRecord) error {
	raw, err := json.Marshal(a)
	if err != nil {
		return err
	}
	if err := os.WriteFile(g.file(uid), raw, 0o600); err != nil {
		return fmt.Errorf("write the compile record: %w", err)
	}
	return nil
}
