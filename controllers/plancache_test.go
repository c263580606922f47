// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/experiment"
)

func planOf(seeds int) *hashedPlan { return hashPlan(&experiment.Plan{Seeds: make([]int64, seeds)}) }

func TestThePlanCacheForgetsWhatWasUsedLongestAgo(t *testing.T) {
	key := func(hash string) planKey { return planKey{hash: hash} }
	size := planOf(4).size
	c := newPlanCache(2*size + 1)
	c.put(key("a"), planOf(4))
	c.put(key("b"), planOf(4))
	c.get(key("a"))
	c.put(key("c"), planOf(4))
	if c.get(key("a")) == nil || c.get(key("b")) != nil || c.get(key("c")) == nil || c.used != 2*size {
		t.Errorf("it holds %v, %d bytes", c.recent, c.used)
	}
	large := planOf(1000)
	c.put(key("large"), large)
	if c.get(key("large")) == nil || len(c.plans) != 1 || c.used != large.size {
		t.Errorf("it holds %v, %d bytes", c.recent, c.used)
	}
	c.put(key("large"), planOf(1000))
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
	c.put(shared, first)
	if got := c.put(shared, second); got != first {
		t.Error("an equal plan is held beside the one that is there")
	}
	own := planKey{hash: first.hash, of: "an object"}
	c.put(own, first)
	if got := c.put(own, second); got != second || c.get(own) != second {
		t.Error("an object gets the files of its former spec")
	}
	if want := 2 * first.size; c.used != want {
		t.Errorf("it counts %d bytes, want %d", c.used, want)
	}
}
