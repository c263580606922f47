// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A step is where the EPP's loader finds a fault, in its order: it stops at the
// first.
type step uint8

const (
	// Decoding.
	syntaxStep     step = iota // neither YAML nor JSON, or no object
	headerStep                 // apiVersion and kind
	valueTypesStep             // fields of a wrong type
	strictStep                 // fields that there are not, or twice
	gatesStep

	// Loading.
	typesStep        // plugins' types and names
	parametersStep   // parameters that name other plugins, to find an order
	orderStep        // what they name, and cycles
	factoriesStep    // all other parameters
	defaultsStep     // types of default plugins
	profilesStep     // profiles' names and references
	detectorRefStep  // the saturation detector's reference
	parserRefStep    // the parsers'
	pickersStep      // a profile's second picker
	handlersStep     // profile handlers
	dataLayerStep    // sources
	flowControlStep  // the flow controller's limits and policies
	parsersStep      // what is no parser
	detectorStep     // what is no detector
	producersStep    // data that nobody produces
	producerLoopStep // producers that need each other

	// Starting.
	startStep
)

func (s step) stage() Stage {
	switch {
	case s <= gatesStep:
		return RefusedInDecoding
	case s < startStep:
		return RefusedInLoading
	default:
		return RefusedInStarting
	}
}

type fault struct {
	step step
	err  *field.Error
}

// add reports faults of the step that the loader is at.
func (l *loader) add(errs ...*field.Error) { l.addAt(l.step, errs...) }

// addAt reports faults that the EPP finds at another step than they are found
// at here.
func (l *loader) addAt(s step, errs ...*field.Error) {
	for _, err := range errs {
		l.faults = append(l.faults, fault{s, err})
	}
}

// notice says what the EPP accepts and does not follow.
func (l *loader) notice(at *field.Path, rule, format string, args ...any) {
	l.notices = append(l.notices, Notice{Path: at, Rule: rule, Text: fmt.Sprintf(format, args...)})
}

// inOrder sorts the faults by step, and returns the stage of the first one.
func (l *loader) inOrder() (field.ErrorList, Stage) {
	if len(l.faults) == 0 {
		return nil, Accepted
	}
	slices.SortStableFunc(l.faults, func(a, b fault) int { return cmp.Compare(a.step, b.step) })
	var errs field.ErrorList
	for _, f := range l.faults {
		errs = append(errs, f.err)
	}
	return errs, l.faults[0].step.stage()
}

// broken reports whether there is a fault of a step before this one.
func (l *loader) broken(before step) bool {
	return slices.ContainsFunc(l.faults, func(f fault) bool { return f.step < before })
}
