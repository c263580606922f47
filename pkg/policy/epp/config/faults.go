// SPDX-License-Identifier: Apache-2.0

package config

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
	// syntaxStep is the first step of decoding.
	syntaxStep     step = iota // neither YAML nor JSON, or no object
	headerStep                 // apiVersion and kind
	valueTypesStep             // fields of a wrong type
	strictStep                 // fields that there are not, or twice
	gatesStep

	// typesStep is the first step of loading.
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
	producersStep    // data that no plugin produces
	producerLoopStep // producers that need each other

	// startStep follows loading.
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
	Err  *field.Error
}

// Add reports faults of the step that the loader is at.
func (l *Loader) Add(errs ...*field.Error) { l.addAt(l.step, errs...) }

// addAt reports faults that the EPP finds at another step than they are found
// at here.
func (l *Loader) addAt(s step, errs ...*field.Error) {
	for _, err := range errs {
		l.Faults = append(l.Faults, fault{s, err})
	}
}

// Notice says what the EPP accepts and does not follow.
func (l *Loader) Notice(at *field.Path, rule, format string, args ...any) {
	l.notices = append(l.notices, Notice{Path: at, Rule: rule, Text: fmt.Sprintf(format, args...)})
}

// inOrder sorts the faults by step, and returns the stage of the first one.
func (l *Loader) inOrder() (field.ErrorList, Stage) {
	if len(l.Faults) == 0 {
		return nil, Accepted
	}
	slices.SortStableFunc(l.Faults, func(a, b fault) int { return cmp.Compare(a.step, b.step) })
	var errs field.ErrorList
	for _, f := range l.Faults {
		errs = append(errs, f.Err)
	}
	return errs, l.Faults[0].step.stage()
}

// broken reports whether there is a fault of a step before this one.
func (l *Loader) broken(before step) bool {
	return slices.ContainsFunc(l.Faults, func(f fault) bool { return f.step < before })
}
