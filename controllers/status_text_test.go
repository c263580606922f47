// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/builder"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
)

// Texts of programs, services, pods and traces reach a status. Whoever prints it sees them as they
// are, and the schema takes no longer texts.
func TestAStatusIsPrintable(t *testing.T) {
	const hostile = "\x1b[2J\u202e\r\nPASS"
	sweep := builder.MakeSweep("s", "team-a").Obj()
	st := &sweep.Status
	st.Warnings = []string{hostile}
	st.Gates = []v1alpha1.GateStatus{{Name: "g", Message: hostile}}
	st.Best = &v1alpha1.PointStatus{Summary: hostile, Parameters: []v1alpha1.Assignment{{Name: "policy", Value: "a\n\tb" + hostile}}}
	s := sweeps.wrap(sweep)
	setConditions(s.status(), standing{phase: phaseFailed, reason: "Failed", message: "the service says " + hostile}, time.Unix(0, 0))
	bound(s.status())
	makePrintable(s)

	texts := jsontest.Decode[any](t, jsontest.Encode(t, st))
	if words := fmt.Sprint(texts); strings.ContainsFunc(words, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Cf, r) }) {
		t.Errorf("%q", words)
	}
	if got, want := meta.FindStatusCondition(st.Conditions, v1alpha1.ConditionReady).Message, `the service says \u001b[2J\u202e PASS`; got != want {
		t.Errorf("the condition says %q, want %q", got, want)
	}
	mask := strings.Repeat("\ufffd", 1)
	want := "a\n\tb" + mask + "[2J" + mask + mask + "\nPASS"
	if diff := cmp.Diff(want, st.Best.Parameters[0].Value); diff != "" {
		t.Errorf("a value (−want +got):\n%s", diff)
	}
}
