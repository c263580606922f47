// SPDX-License-Identifier: Apache-2.0

package search

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

func TestACapacityIsNotConfirmed(t *testing.T) {
	p := Problem{
		Space:      Space{Parameters: []Parameter{{Name: "load", Kind: Integer, Min: "1", Max: "8"}}},
		Objectives: 1, Seeds: 2,
		Settings: Settings{
			Algorithm: Capacity, Seed: 1, MaxTrials: 20, Confirm: 2,
			Capacity:  CapacitySettings{Load: "load"},
			Precision: &PrecisionSettings{Relative: 0.05, MaxSeeds: 10},
		},
	}
	_, errs := New(p, field.NewPath("spec"))
	if len(errs) != 2 || errs[0].Field != "spec.replications.precision" || errs[1].Field != "spec.search.confirm" {
		t.Errorf("got %v", errs)
	}
}
