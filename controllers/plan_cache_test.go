// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
)

func planOf(seeds int) *hashedPlan { return hashPlan(&experiment.Plan{Seeds: make([]int64, seeds)}) }

// by is the name of an object that uses a plan.
func by(name string) subjectName {
	return subjectName{v1alpha1.SimulationRunKind, types.NamespacedName{Namespace: "team-a", Name: name}}
}

func TestThePlanCacheForgetsWhatWasUsedLongestAgo(t *testing.T) {
	key := func(hash string) planKey { return planKey{hash: hash} }
	size := planOf(4).size
	c := newPlanCache(2*size + 1)
	c.put(key("a"), by("a"), planOf(4))
	c.put(key("b"), by("b"), planOf(4))
	c.get(key("a"), by("a"))
	c.put(key("c"), by("c"), planOf(4))
	if c.get(key("a"), by("a")) == nil || c.get(key("b"), by("b")) != nil || c.get(key("c"), by("c")) == nil || c.used != 2*size {
		t.Errorf("it holds %v, %d bytes", c.recent, c.used)
	}
	large := planOf(1000)
	c.put(key("large"), by("large"), large)
	if c.get(key("large"), by("large")) == nil || len(c.plans) != 1 || c.used != large.size {
		t.Errorf("it holds %v, %d bytes", c.recent, c.used)
	}
	c.put(key("large"), by("large"), planOf(1000))
	if c.used != large.size {
		t.Errorf("a plan counts twice: %d bytes", c.used)
	}
}

// TestEqualPlansAreHeldOnce: but the files of an object's spec are its own, and those
// of its last spec count.
func TestEqualPlansAreHeldOnce(t *testing.T) {
	c := newPlanCache(1 << 20)
	first, second := planOf(4), planOf(4)
	shared := planKey{hash: first.hash}
	c.put(shared, by("first"), first)
	if got := c.put(shared, by("second"), second); got != first {
		t.Error("an equal plan is held beside the one that is there")
	}
	own := planKey{hash: first.hash, of: "an object"}
	c.put(own, by("own"), first)
	if got := c.put(own, by("own"), second); got != second || c.get(own, by("own")) != second {
		t.Error("an object gets the files of its former spec")
	}
	if want := 2 * first.size; c.used != want {
		t.Errorf("it counts %d bytes, want %d", c.used, want)
	}
}

// TestAPlanIsDroppedWithItsLastObject: whether that ends or is edited.
func TestAPlanIsDroppedWithItsLastObject(t *testing.T) {
	c := newPlanCache(1 << 20)
	shared, other := planKey{hash: "shared"}, planKey{hash: "other"}
	c.put(shared, by("first"), planOf(4))
	c.put(shared, by("second"), planOf(4))
	c.release(by("first"))
	c.release(by("first"))
	if c.plans[shared] == nil {
		t.Error("a plan is gone that an object uses")
	}
	c.put(other, by("second"), planOf(4))
	if c.plans[shared] != nil {
		t.Error("a plan is left that was one of a former spec")
	}
	c.release(by("second"))
	if len(c.plans)+len(c.recent)+len(c.by)+c.used != 0 {
		t.Errorf("%v is left, %d bytes", c.recent, c.used)
	}
}
