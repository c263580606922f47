// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"errors"
	"os"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"

	"windtunnel.dev/windtunnel/internal/testing/builder"
)

// guarded is an object of a UID and a generation.
func guarded(uid string, generation int64) subject {
	sweep := builder.MakeSweep(uid, "team-a").Obj()
	sweep.UID, sweep.Generation = types.UID(uid), generation
	return sweeps.wrap(sweep)
}

// managers start one after the other over one folder, the next one where the one
// before was killed.
type managers struct {
	t      *testing.T
	folder string
	clock  *clocktesting.FakePassiveClock
	guard  *compileGuard
}

func newManagers(t *testing.T) *managers {
	m := &managers{t: t, folder: t.TempDir(), clock: clocktesting.NewFakePassiveClock(time.Unix(0, 0))}
	m.restart()
	return m
}

func (m *managers) restart() {
	m.t.Helper()
	var err error
	if m.guard, err = newCompileGuard(m.folder, m.clock); err != nil {
		m.t.Fatal(err)
	}
}

// begin has a compilation begin; it is over where end is called.
func (m *managers) begin(s subject, want error) (end func()) {
	m.t.Helper()
	end, err := m.guard.begin(s)
	if !errors.Is(err, want) {
		m.t.Fatalf("begin: %v, want %v", err, want)
	}
	return end
}

func (m *managers) pass(d time.Duration) { m.clock.SetTime(m.clock.Now().Add(d)) }

func TestASpecThatKillsManagersIsCompiledLastAndThenNotAtAll(t *testing.T) {
	m := newManagers(t)
	guilty, innocent, done := guarded("guilty", 1), guarded("innocent", 1), guarded("done", 1)
	m.begin(done, nil)()
	m.begin(innocent, nil)
	m.begin(guilty, nil)
	m.restart()
	m.begin(done, nil)()
	m.begin(innocent, errSuspect)
	m.begin(guilty, errSuspect)
	m.pass(suspectDelay)
	m.begin(innocent, nil)()
	m.begin(innocent, nil)()
	m.begin(guilty, nil)
	m.restart()
	m.begin(innocent, nil)()
	m.begin(guilty, errTooExpensive)
	m.pass(time.Hour)
	m.begin(guilty, errTooExpensive)
	m.restart()
	m.begin(guilty, errTooExpensive)
	m.begin(guarded("guilty", 2), nil)()
	if files, err := os.ReadDir(m.folder); err != nil || len(files) > 0 {
		t.Errorf("%d files are left, %v; want none of what was compiled", len(files), err)
	}
}

func TestASuspectIsTriedAlone(t *testing.T) {
	m := newManagers(t)
	m.begin(guarded("suspect", 1), nil)
	m.restart()
	m.pass(suspectDelay)
	other := m.begin(guarded("other", 1), nil)
	began := make(chan func())
	go func() {
		end, _ := m.guard.begin(guarded("suspect", 1))
		began <- end
	}()
	select {
	case <-began:
		t.Fatal("the suspect is compiled beside another object")
	case <-time.After(20 * time.Millisecond):
	}
	other()
	(<-began)()
	m.begin(guarded("other", 1), nil)()
}

func TestAManagerWithoutAFolderGuardsNothing(t *testing.T) {
	g, err := newCompileGuard("", nil)
	if g != nil || err != nil {
		t.Fatalf("guard %v, error %v", g, err)
	}
	end, err := g.begin(guarded("any", 1))
	if err != nil {
		t.Fatal(err)
	}
	end()
}
