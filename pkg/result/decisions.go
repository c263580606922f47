// SPDX-License-Identifier: Apache-2.0

package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unique"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// Decisions say of a simulation what was decided on its requests: enough to tell whether
// two simulations decided alike, and what they had no occasion to decide. The zero value
// is of rows that do not say.
type Decisions struct {
	// Requests counts those that were routed or refused.
	Requests int64
	// Digest is equal where each request was sent to the same place and served at the same
	// times, and scalers did the same.
	Digest uint64
	// lists is the JSON of Shown and Idle: rows of a study share it.
	lists unique.Handle[string]
}

// decisionLists are the parts of decisions of which there are few different ones.
type decisionLists struct {
	// Shown are properties that some requests had.
	Shown []string `json:"shown,omitempty"`
	// Idle are parts of the router that never told two endpoints apart.
	Idle []string `json:"idle,omitempty"`
}

// The properties that requests may show.
const (
	ShownSessions   = "sessions"
	ShownAdapters   = "adapters"
	ShownHeaders    = "headers"
	ShownPriorities = "priorities"
	ShownLengths    = "promptLengths"
)

var shownNames = map[simulator.Shown]string{
	simulator.ShownSessions: ShownSessions, simulator.ShownAdapters: ShownAdapters, simulator.ShownHeaders: ShownHeaders,
	simulator.ShownPriorities: ShownPriorities, simulator.ShownLengths: ShownLengths,
}

// NewDecisions returns decisions with lists in any order.
func NewDecisions(requests int64, digest uint64, shown, idle []string) Decisions {
	slices.Sort(shown)
	slices.Sort(idle)
	raw, err := json.Marshal(decisionLists{shown, idle})
	if err != nil {
		panic(fmt.Sprintf("result: lists of decisions: %v", err))
	}
	return Decisions{Requests: requests, Digest: digest, lists: unique.Make(string(raw))}
}

// decisionsOf are those of an outcome, with the parts of the router that were idle.
func decisionsOf(o *simulator.Result, idle []string) Decisions {
	var shown []string
	for property, name := range shownNames {
		if o.Decisions.Shown&property != 0 {
			shown = append(shown, name)
		}
	}
	return NewDecisions(o.Decisions.Requests, digestOf(o), shown, slices.Clone(idle))
}

// hashedReasons is how many reasons of rejections are in each digest. A later reason is in the digests of
// runs that have it, so that a new reason moves no other digest.
const hashedReasons = simulator.ClassRefused + 1

// digestOf takes what was decided in addition to where requests went into their digest: why they
// were refused, what replicas computed, such as prompts for others, and how scalers scaled.
func digestOf(o *simulator.Result) uint64 {
	digest := o.Decisions.Digest
	add := func(numbers ...int64) {
		for _, n := range numbers {
			digest = simulator.Mix(digest, uint64(n))
		}
	}
	for i := range o.Cells {
		c := &o.Cells[i]
		add(c.RejectedBy[:hashedReasons]...)
		for reason := hashedReasons; reason < simulator.Reasons; reason++ {
			if n := c.RejectedBy[reason]; n > 0 {
				add(int64(reason), n)
			}
		}
		add(c.Handoffs, c.Migrated, c.Preemptions)
	}
	for i := range o.Replicas {
		r := &o.Replicas[i]
		if !wasThere(r) {
			continue
		}
		add(r.Served, r.ServedTokens, r.Steps, int64(r.Busy))
		for _, l := range r.Lifetimes {
			add(int64(l.From), int64(l.To))
		}
		for _, stage := range r.Stages {
			add(int64(stage))
		}
	}
	for i := range o.Units {
		add(o.Units[i].Ups, o.Units[i].Downs, o.Units[i].Reversals)
	}
	return digest
}

// wasThere says of a replica whether it was there for some time, or on its way: a scaler's
// maximum makes room for others, which decide nothing.
func wasThere(r *simulator.ReplicaUse) bool {
	return len(r.Lifetimes) > 0 || slices.ContainsFunc(r.Stages[autoscaling.Pending:], func(d time.Duration) bool { return d > 0 })
}

// Known says whether the row has decisions.
func (d *Decisions) Known() bool { return d.lists != unique.Handle[string]{} }

func (d *Decisions) listed() (l decisionLists) {
	if d.Known() {
		if err := json.Unmarshal([]byte(d.lists.Value()), &l); err != nil {
			panic(fmt.Sprintf("result: lists of decisions %s: %v", d.lists.Value(), err))
		}
	}
	return l
}

// Shows says whether some requests had a property.
func (d *Decisions) Shows(property string) bool { return slices.Contains(d.listed().Shown, property) }

// Idle are the parts of the router that never told two endpoints apart, in order.
func (d *Decisions) Idle() []string { return d.listed().Idle }

// Equal says whether two rows decided alike and have the same lists.
func (d Decisions) Equal(other Decisions) bool { return d == other }

// mergeDecisions are those of several workloads together; unknown where one is.
func mergeDecisions(rows []Row) Decisions {
	var requests int64
	var digest uint64
	var shown []string
	idle := rows[0].Decisions.Idle()
	for i := range rows {
		d := &rows[i].Decisions
		if !d.Known() {
			return Decisions{}
		}
		requests, digest = requests+d.Requests, simulator.Mix(digest, d.Digest)
		l := d.listed()
		shown = append(shown, l.Shown...)
		idle = slices.DeleteFunc(idle, func(name string) bool { return !slices.Contains(l.Idle, name) })
	}
	slices.Sort(shown)
	return NewDecisions(requests, digest, slices.Compact(shown), idle)
}

// decisionsJSON are decisions as they are written.
type decisionsJSON struct {
	Requests int64  `json:"requests"`
	Digest   string `json:"digest"`
	decisionLists
}

// MarshalJSON writes known decisions; others are to be left out.
func (d Decisions) MarshalJSON() ([]byte, error) {
	return json.Marshal(decisionsJSON{d.Requests, fmt.Sprintf("%016x", d.Digest), d.listed()})
}

// IsZero has unknown decisions left out.
func (d Decisions) IsZero() bool { return !d.Known() }

// UnmarshalJSON reads what MarshalJSON writes.
func (d *Decisions) UnmarshalJSON(raw []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	var in decisionsJSON
	if err := decoder.Decode(&in); err != nil {
		return err
	}
	digest, err := strconv.ParseUint(in.Digest, 16, 64)
	if err != nil || len(in.Digest) != 16 {
		return errors.New("the digest of decisions must have 16 hexadecimal digits")
	}
	if in.Requests < 0 {
		return errors.New("there are fewer than 0 requests")
	}
	*d = NewDecisions(in.Requests, digest, in.Shown, in.Idle)
	return nil
}

// readDecisions reads the members of an object, and its end.
func readDecisions(l *rowLine) Decisions {
	l.skip(`"requests":`)
	requests := l.integer()
	l.skip(`,"digest":"`)
	text := string(l.plainText())
	digest, err := strconv.ParseUint(text, 16, 64)
	l.other = l.other || err != nil || len(text) != 16 || strings.ToLower(text) != text || requests < 0
	var lists decisionLists
	if l.has(`,"shown":[`) {
		lists.Shown = readTexts(l)
	}
	if l.has(`,"idle":[`) {
		lists.Idle = readTexts(l)
	}
	l.skip(`}`)
	l.other = l.other || !slices.IsSorted(lists.Shown) || !slices.IsSorted(lists.Idle)
	return NewDecisions(requests, digest, lists.Shown, lists.Idle)
}

// readTexts reads the texts of a list that has some, and its end.
func readTexts(l *rowLine) []string {
	var texts []string
	for more := true; more && !l.other; more = l.has(`,`) {
		l.skip(`"`)
		texts = append(texts, string(l.plainText()))
	}
	l.skip(`]`)
	return texts
}
