// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/clock"

	"windtunnel.dev/windtunnel/internal/testing/builder"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
)

// poison is a subject whose spec brings the compiler down.
type poison struct{ subject }

func (poison) compile(context.Context, compile.Inputs) (*compile.Compiled, field.ErrorList, error) {
	panic("blocks do not add up")
}

// endless is a subject whose spec takes for ever.
type endless struct{ subject }

func (endless) compile(ctx context.Context, in compile.Inputs) (*compile.Compiled, field.ErrorList, error) {
	<-ctx.Done()
	return compile.Sweep(ctx, builder.MakeSweep("endless", "team-a").Values("replicas", "pools[llama].replicas", "1", "2").Obj(), in)
}

func TestWhatTakesTooLongIsInvalid(t *testing.T) {
	o := &observer{compileTimeout: time.Millisecond, processorTime: busyProcessor(), clock: clock.RealClock{}}
	compiled, errs, err := o.compile(t.Context(), endless{}, nil)
	if compiled != nil || err != nil || len(errs) != 1 {
		t.Fatalf("compiled %v, faults %v, error %v; want one fault", compiled, errs, err)
	}
	if e := errs[0]; !strings.HasPrefix(e.Field, "spec.") || !strings.Contains(e.Detail, " s, at most 0.001 s") {
		t.Errorf("the fault is %v", e)
	}
}

// busyProcessor is a processor that the manager has to itself.
func busyProcessor() func() time.Duration {
	var used time.Duration
	return func() time.Duration {
		used += time.Hour
		return used
	}
}

// On a full node, a spec that compiles in half a second takes longer than the timeout.
func TestASpecIsNotToBlameForAFullNode(t *testing.T) {
	o := &observer{compileTimeout: time.Millisecond, processorTime: func() time.Duration { return time.Hour }, clock: clock.RealClock{}}
	_, errs, err := o.compile(t.Context(), endless{}, nil)
	if len(errs) > 0 || !errors.Is(err, errStarved) {
		t.Fatalf("faults %v, error %v; want that the manager is starved", errs, err)
	}
	run := builder.MakeRun("run", "team-a").Obj()
	d := decide(&observation{subject: runs.wrap(run), unsafe: err}, time.Now())
	if d.requeueAfter != starvedDelay || d.status == nil {
		t.Fatalf("the manager reports %v and looks again after %v", d.status, d.requeueAfter)
	}
}

func TestProcessorTimePasses(t *testing.T) {
	for before := processorTime(); processorTime()-before < 2*time.Millisecond; {
		_ = fmt.Sprint(before)
	}
}

func TestAManagerThatStopsSuspectsNoSpec(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	_, errs, err := (&observer{compileTimeout: time.Minute, processorTime: processorTime, clock: clock.RealClock{}}).compile(ctx, endless{}, nil)
	if len(errs) > 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("faults %v, error %v; want that it was cancelled", errs, err)
	}
}

func TestAPanicIsReportedInTheStatus(t *testing.T) {
	compiled, errs, err := compileSafely(t.Context(), poison{}, nil)
	if compiled != nil || err != nil || len(errs) != 1 {
		t.Fatalf("compiled %v, faults %v, error %v; want one fault", compiled, errs, err)
	}
	if text := errs[0].Error(); !strings.Contains(text, "spec: ") || !strings.Contains(text, "blocks do not add up") {
		t.Errorf("the fault is %q", text)
	}
}
