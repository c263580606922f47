// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/policy"
)

// invalidKind is the kind of the fault of a document that is no bundle, or of a bundle that
// does not go with the scenario. Other kinds are those of [policy.FaultKind].
const invalidKind = "invalid"

// A Fault is what is wrong with a policy.
type Fault struct {
	// Stage is load, call or run.
	Stage string `json:"stage"`
	Kind  string `json:"kind"`
	// Component is that of the program; empty where the fault is the bundle's.
	Component string `json:"component"`
	Message   string `json:"message"`
	// Line is that of the source, from 1; 0 where it is not known.
	Line int `json:"line"`
}

// OfMachine reports whether the machine decides when the policy has the fault.
func (f *Fault) OfMachine() bool {
	return (&policy.Fault{Stage: policy.FaultStage(f.Stage), Kind: policy.FaultKind(f.Kind)}).OfMachine()
}

// documentFault is that of a bundle with these errors.
func documentFault(errs field.ErrorList) *Fault {
	var texts []string
	for _, e := range errs {
		texts = append(texts, e.Error())
	}
	return &Fault{Stage: string(policy.LoadStage), Kind: invalidKind, Message: strings.Join(texts, "; ")}
}

// faultOf returns the fault of the policy that an error of a simulation is about; nil where
// the error is not the policy's. The scenario alone has no errors.
func faultOf(err error) *Fault {
	var program *policy.Fault
	if errors.As(err, &program) {
		return &Fault{
			Stage: string(program.Stage), Kind: string(program.Kind), Component: program.Component,
			Message: program.Message, Line: program.Line,
		}
	}
	if errors.Is(err, execute.ErrInvalidPoint) {
		return documentFault(fieldErrors(err))
	}
	return nil
}

// fieldErrors are those of a scenario that was found invalid, with paths in the bundle.
func fieldErrors(err error) field.ErrorList {
	var all interface {
		error
		Errors() []error
	}
	list := []error{err}
	if errors.As(err, &all) {
		list = all.Errors()
	}
	var errs field.ErrorList
	for _, err := range list {
		var e *field.Error
		if !errors.As(err, &e) {
			e = field.Invalid(field.NewPath("bundle"), field.OmitValueType{}, err.Error())
		}
		own := *e
		if _, in, is := strings.Cut(own.Field, ".policies."); is { // of whichever router
			own.Field = in
		}
		errs = append(errs, &own)
	}
	return errs
}

// String says it in one line.
func (f *Fault) String() string {
	of := "bundle"
	if f.Component != "" {
		of = f.Component + " program"
	}
	line := ""
	if f.Line > 0 {
		line = fmt.Sprintf(", line %d", f.Line)
	}
	return fmt.Sprintf("%s fault of the %s at stage %s%s: %s", f.Kind, of, f.Stage, line, f.Message)
}
