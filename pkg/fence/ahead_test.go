// SPDX-License-Identifier: Apache-2.0

package fence_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/fence"
	"windtunnel.dev/windtunnel/pkg/policy"
)

// A process that started ahead of its request answers as any does, also after others had a
// program that ends its process, and after some that waited are gone.
func TestProcessesThatStartAhead(t *testing.T) {
	good := bundled(t, starlarkText)
	bad := bundled(t, "routing:\n  "+signals+"\n  starlark:\n    source: |\n      def score(request, endpoints):\n          x = [\"a\" * 1000000 for i in range(2000)]\n          return [0 for e in endpoints]")
	want, err := simulate(t, good, nil, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	f := &fence.Fence{Limits: few}
	stop := f.StartAhead(2)
	for range 3 {
		if _, err := simulate(t, bad, f, 0); !errors.As(err, new(*policy.Fault)) {
			t.Fatalf("%v is no fault", err)
		}
		got, err := simulate(t, good, f, 0, 1)
		if diff := cmp.Diff(want, got, cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" || err != nil {
			t.Fatalf("%v (-one process +fence):\n%s", err, diff)
		}
	}
	for range 1000 {
		if f.KillWaiting() == 2 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if got, err := simulate(t, good, f, 0, 1); err != nil || !cmp.Equal(want[0].Row, got[0].Row, cmp.Exporter(func(reflect.Type) bool { return true })) {
		t.Errorf("after those that waited were ended: %v", err)
	}
	stop()
	if _, err := simulate(t, good, f, 0); err != nil {
		t.Errorf("after the end: %v", err)
	}
}
