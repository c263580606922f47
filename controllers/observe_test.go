// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/experiment/compile"
)

// poison is a subject whose spec brings the compiler down.
type poison struct{ subject }

func (poison) compile(context.Context, compile.Inputs) (*compile.Compiled, field.ErrorList, error) {
	panic("blocks do not add up")
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
