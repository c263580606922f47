// SPDX-License-Identifier: Apache-2.0

package result

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/internal/figure"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// Rejections counts rejected requests by the name of the reason, such as shed;
// reasons without requests are left out.
type Rejections map[string]int64

// rejectionMeanings say what each reason means and which field decides it.
var rejectionMeanings = map[simulator.Reason]string{
	simulator.NoEndpoint:         "the router left no replica to choose",
	simulator.Shed:               "the router rejected it because the pool was saturated",
	simulator.EmptyPrompt:        "an engine refuses a request without a prompt",
	simulator.ExceedsModelLength: "prompt plus answer are longer than the model's context, or engine.maxModelLen",
	simulator.ExceedsKVCache:     "prompt plus answer need more than all KV blocks of a replica",
	simulator.NoRoom:             "the stability controller found no room next to what runs",
	simulator.QueueFull:          "the router's queue was full",
	simulator.Expired:            "it waited in the router's queue until its time-out",
	simulator.Evicted:            "the router ended it on a replica",
	simulator.RateLimited:        "requests came faster than a limit of router.admission",
	simulator.OverBudget:         "its tenant had used up its budget of router.admission",
	simulator.ClassRefused:       "router.admission let no request of its class enter",
	simulator.EngineQueueFull:    "the engine had as many requests as engine.maxNumQueuedReqs allows",
	simulator.EngineTokensFull:   "the engine's prompts without a first token had as many tokens as engine.maxNumQueuedTokens allows",
}

// RejectionMeaning returns what a reason means for a request, by the reason's
// name; "" for names that there are not.
func RejectionMeaning(name string) string {
	for reason, meaning := range rejectionMeanings {
		if reason.String() == name {
			return meaning
		}
	}
	return ""
}

func (r Rejections) total() int64 {
	var n int64
	for _, count := range r {
		n += count
	}
	return n
}

// Plus returns the sum of both, and leaves them as they are.
func (r Rejections) Plus(other Rejections) Rejections {
	if len(other) == 0 {
		return r
	}
	sum := Rejections{}
	for _, of := range []Rejections{r, other} {
		for name, n := range of {
			sum[name] += n
		}
	}
	return sum
}

// byCount are the names of the reasons, the most frequent one first.
func (r Rejections) byCount() []string {
	return slices.SortedFunc(maps.Keys(r), func(a, b string) int { return cmp.Or(cmp.Compare(r[b], r[a]), cmp.Compare(a, b)) })
}

// Shares lists the reasons with the share of the rejections that each has,
// where there are several: exceedsModelLength 60 %, shed 40 %.
func (r Rejections) Shares() string {
	names, total := r.byCount(), float64(r.total())
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	var words []string
	for _, name := range names {
		words = append(words, fmt.Sprintf("%s %s %%", name, figure.Fixed(float64(r[name])/total*100, 0)))
	}
	return strings.Join(words, ", ")
}

// explained lists the reasons with their counts and meanings.
func (r Rejections) explained() string {
	var words []string
	for _, name := range r.byCount() {
		words = append(words, fmt.Sprintf("%s %d (%s)", name, r[name], RejectionMeaning(name)))
	}
	return strings.Join(words, ", ")
}

// NothingServed says why no request of any of these simulations completed, in a
// sentence without a full stop; "" where one completed, and where no simulation
// gave a result.
func NothingServed(rows []Row) string {
	rejected, unfinished, timedOut, results := Rejections(nil), false, false, 0
	for i := range rows {
		row := &rows[i]
		if row.Failed() {
			continue
		}
		results++
		if completed, _ := row.Metrics.Get("completionRate"); completed > 0 {
			return ""
		}
		left, _ := row.Metrics.Get("unfinishedRate")
		givenUp, _ := row.Metrics.Get("timeoutRate")
		unfinished, timedOut = unfinished || left > 0, timedOut || givenUp > 0
		rejected = rejected.Plus(row.RejectedBy)
	}
	var others []string
	if timedOut {
		others = append(others, "timed out before they were answered")
	}
	if unfinished {
		others = append(others, "were in flight when the run ended")
	}
	what := strings.Join(others, " or ")
	switch {
	case results == 0:
		return ""
	case len(rejected) > 0 && what == "":
		return "nothing was served: every request was rejected: " + rejected.explained()
	case len(rejected) > 0:
		return "nothing was served: requests were rejected: " + rejected.explained() + "; the others " + what
	case what != "":
		return "nothing was served: all requests " + what
	default:
		return "nothing was served: no request that counts arrived, or all of them failed"
	}
}
