// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/internal/testing/paniccheck"
	"windtunnel.dev/windtunnel/pkg/search"
)

func stepped(name, min, max, step string) search.Parameter {
	return search.Parameter{Name: name, Kind: search.Stepped, Min: min, Max: max, Step: step}
}

func continuous(name, min, max string) search.Parameter {
	return search.Parameter{Name: name, Kind: search.Continuous, Min: min, Max: max}
}

func integer(name, min, max string) search.Parameter {
	return search.Parameter{Name: name, Kind: search.Integer, Min: min, Max: max}
}

func choice(name string, labels ...string) search.Parameter {
	return search.Parameter{Name: name, Kind: search.Choice, Choices: labels}
}

func logarithmic(p search.Parameter) search.Parameter {
	p.LogScale = true
	return p
}

var path = field.NewPath("spec")

// spaceOf is a space of parameters alone.
func spaceOf(parameters ...search.Parameter) search.Space {
	return search.Space{Parameters: parameters}
}

// lines writes errors one a line, as "kind at path: detail".
func lines(errs field.ErrorList) []string {
	var got []string
	for _, err := range errs {
		got = append(got, string(err.Type)+" at "+err.Field+": "+err.Detail)
	}
	return got
}

func TestFaultsOfASpaceAreNamedWithTheirPlace(t *testing.T) {
	const notDecimal = `must be a decimal number, such as "2.5"`
	tests := map[string]struct {
		space search.Space
		want  []string
	}{
		"a sound space": {spaceOf(stepped("a", "0", "5", "0.5"), continuous("b", "0", "1"), integer("c", "1", "8"), choice("d", "x")), nil},
		"no parameters": {search.Space{}, []string{"FieldValueRequired at spec.parameters: there must be a parameter to vary"}},
		"no name":       {spaceOf(choice("", "x")), []string{"FieldValueRequired at spec.parameters[0].name: every parameter must have a name"}},
		"one name twice": {
			spaceOf(choice("a", "x"), choice("a", "y")),
			[]string{"FieldValueDuplicate at spec.parameters[1].name: "},
		},
		"nothing to choose": {
			spaceOf(choice("a")),
			[]string{"FieldValueRequired at spec.parameters[0].values: there must be a value to choose"},
		},
		"an empty choice": {
			spaceOf(choice("a", "x", "")),
			[]string{"FieldValueRequired at spec.parameters[0].values[1]: an empty value means that the parameter does not exist"},
		},
		"conditions on what is not there": {
			spaceOf(
				when(choice("a", "x"), "b", "x"), when(stepped("b", "0", "1", "0.1"), "b", "0.1"),
				when(choice("c", "x"), "b"), when(choice("d", "x"), "b", "0.1", "0.15", "x"),
			),
			[]string{
				"FieldValueInvalid at spec.parameters[0].when.parameter: must be the name of an earlier parameter",
				"FieldValueInvalid at spec.parameters[1].when.parameter: must be the name of an earlier parameter",
				"FieldValueRequired at spec.parameters[2].when.values: there must be a value with which the parameter exists",
				"FieldValueInvalid at spec.parameters[3].when.values[1]: parameter \"b\" never has this value",
				"FieldValueInvalid at spec.parameters[3].when.values[2]: parameter \"b\" never has this value",
			},
		},
		"one choice twice": {
			spaceOf(choice("a", "x", "y", "x")),
			[]string{"FieldValueDuplicate at spec.parameters[0].values[2]: "},
		},
		"min above max": {
			spaceOf(choice("a", "x"), stepped("b", "0.5", "0.25", "1")),
			[]string{"FieldValueInvalid at spec.parameters[1].range.max: must not be less than min, 0.5"},
		},
		"no step at all": {
			spaceOf(stepped("a", "0", "1", "")),
			[]string{"FieldValueRequired at spec.parameters[0].range.step: " + notDecimal},
		},
		"step of zero": {
			spaceOf(stepped("a", "0", "1", "0.0")),
			[]string{"FieldValueInvalid at spec.parameters[0].range.step: must be greater than 0"},
		},
		"step backwards": {
			spaceOf(stepped("a", "0", "1", "-0.5")),
			[]string{"FieldValueInvalid at spec.parameters[0].range.step: must be greater than 0"},
		},
		"all faults at once": {
			spaceOf(stepped("a", "", "1e3", "abc"), continuous("b", "2", "1")),
			[]string{
				"FieldValueRequired at spec.parameters[0].range.min: " + notDecimal,
				"FieldValueInvalid at spec.parameters[0].range.max: " + notDecimal,
				"FieldValueInvalid at spec.parameters[0].range.step: " + notDecimal,
				"FieldValueInvalid at spec.parameters[1].range.max: must not be less than min, 2",
			},
		},
		"sums too long to be names": {
			spaceOf(stepped("a", "0."+strings.Repeat("3", 50), strings.Repeat("9", 20), "1000000")),
			[]string{"FieldValueInvalid at spec.parameters[0].range: has values of up to 71 characters, and at most 64 are allowed; take numbers with fewer digits"},
		},
		"fractions that float64 does not tell apart": {
			spaceOf(continuous("a", "1", "1.00000000002"), stepped("b", "1000000", "1000001", "0.0000000001")),
			[]string{
				"FieldValueInvalid at spec.parameters[0].range: steps of 0.0000000000000001 are too small next to the ends: in double precision the values are equal",
				"FieldValueInvalid at spec.parameters[1].range: steps of 0.0000000001 are too small next to the ends: in double precision the values are equal",
			},
		},
		"a number too long to be meant": {
			spaceOf(stepped("a", "0", strings.Repeat("9", 65), "1")),
			[]string{"FieldValueInvalid at spec.parameters[0].range.max: must be at most 64 characters long"},
		},
		"integers with a fraction": {
			spaceOf(search.Parameter{Name: "a", Kind: search.Integer, Min: "0.5", Max: "8", Step: "1.5"}),
			[]string{
				"FieldValueInvalid at spec.parameters[0].range.min: must be a whole number, since the parameter takes no others",
				"FieldValueInvalid at spec.parameters[0].range.step: must be a whole number, since the parameter takes no others",
			},
		},
		"continuous with a step": {
			spaceOf(search.Parameter{Name: "a", Kind: search.Continuous, Min: "0", Max: "8", Step: "1"}),
			[]string{"FieldValueForbidden at spec.parameters[0].range.step: a continuous parameter has no step"},
		},
		"zero on a logarithmic scale": {
			spaceOf(logarithmic(continuous("a", "0", "8"))),
			[]string{"FieldValueInvalid at spec.parameters[0].range.min: must be greater than 0 on a logarithmic scale"},
		},
		"more steps than can be numbered": {
			spaceOf(stepped("a", "0", "1", "0."+strings.Repeat("0", 30)+"1")),
			[]string{"FieldValueInvalid at spec.parameters[0].range.step: makes more values than can be numbered; take a larger one"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, errs := search.New(problemOf(search.Random, tc.space, 10), path)
			if diff := cmp.Diff(tc.want, lines(errs)); diff != "" {
				t.Errorf("errors (−want +got):\n%s", diff)
			}
		})
	}
}

func TestSizeIsTheNumberOfPoints(t *testing.T) {
	huge := integer("huge", "1", "4294967296")
	tests := map[string]struct {
		space search.Space
		want  uint64
	}{
		"one choice":        {spaceOf(choice("a", "x")), 1},
		"a product":         {spaceOf(stepped("a", "0", "5", "0.5"), choice("b", "x", "y"), integer("c", "1", "3")), 66},
		"the largest":       {spaceOf(integer("a", "1", "9223372036854775807"), choice("b", "x", "y")), math.MaxUint64 - 1},
		"more than 64 bits": {spaceOf(renamed(huge, "a"), renamed(huge, "b")), math.MaxUint64},
		"much more":         {spaceOf(renamed(huge, "a"), renamed(huge, "b"), renamed(huge, "c"), choice("d", "x", "y")), math.MaxUint64},
	}
	for name, tc := range tests {
		if got, exact := tc.space.Size(); got != tc.want || !exact {
			t.Errorf("%s: %d points, exactly %v, want %d", name, got, exact, tc.want)
		}
	}
}

func when(p search.Parameter, parameter string, values ...string) search.Parameter {
	p.When = &search.Condition{Parameter: parameter, Values: values}
	return p
}

func renamed(p search.Parameter, name string) search.Parameter {
	p.Name = name
	return p
}

func TestSizeOfAnInvalidSpacePanics(t *testing.T) {
	defer paniccheck.Want(t, "did not panic")
	spaceOf().Size()
}
