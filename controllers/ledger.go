// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/result"
)

// ledger says which shards have results. A shard's results are believed when
// the status names them, which says that they were verified once, or when a
// succeeded pod of the plan's Job reports them.
type ledger struct {
	plan *planned
	// shards hold the results of each shard; len == plan.shards.
	shards []entry
	// fault is set where a report cannot be true.
	fault *fault
}

// entry is one shard's results, by chunk.
type entry struct {
	references []v1alpha1.ResultReference
	// verified says that the status names them.
	verified bool
	// unreadable says why a succeeded pod reported nothing.
	unreadable string
}

// fault is why results cannot be had.
type fault struct{ reason, message string }

func corrupt(format string, args ...any) *fault {
	return &fault{v1alpha1.ReasonResultCorrupt, fmt.Sprintf(format, args...)}
}

// known reports whether the shard has results.
func (e *entry) known() bool { return len(e.references) > 0 }

// newLedger reads the status and the pods' reports.
func newLedger(p *planned, named []v1alpha1.ResultReference, pods []corev1.Pod) *ledger {
	l := &ledger{plan: p, shards: make([]entry, p.shards)}
	l.takeStatus(named)
	for i := range pods {
		if pods[i].Status.Phase == corev1.PodSucceeded && l.fault == nil {
			l.takePod(&pods[i])
		}
	}
	return l
}

// takeStatus takes the references of whole shards.
func (l *ledger) takeStatus(named []v1alpha1.ResultReference) {
	byShard := map[int][]v1alpha1.ResultReference{}
	for _, ref := range named {
		if id, ok := parseChunkName(l.plan.job, ref.Name); ok && id.shard < l.plan.shards {
			byShard[id.shard] = append(byShard[id.shard], ref)
		}
	}
	for shard, references := range byShard {
		sortReferences(l.plan.job, references)
		if l.check(shard, references) == "" {
			l.shards[shard] = entry{references: references, verified: true}
		}
	}
}

// takePod takes what a succeeded pod reports.
func (l *ledger) takePod(pod *corev1.Pod) {
	index, ok := completionIndex(pod)
	if !ok || index >= l.plan.shards || l.shards[index].verified {
		return
	}
	message := terminationMessage(pod)
	report, err := experiment.DecodeReport(message)
	if err != nil {
		l.shards[index].unreadable = fmt.Sprintf("pod %s succeeded, but its termination message is no report: %q", pod.Name, clip(message, 256))
		return
	}
	switch {
	case report.PlanHash != l.plan.hash:
		l.fault = corrupt("pod %s reports results of plan %q, not of %q", pod.Name, report.PlanHash, l.plan.hash)
	case report.Shard != index:
		l.fault = corrupt("pod %s of shard %d reports results of shard %d", pod.Name, index, report.Shard)
	case l.shards[index].known() && !slices.Equal(l.shards[index].references, report.Chunks):
		l.fault = corrupt("two pods of shard %d report different results, the second is %s", index, pod.Name)
	default:
		if words := l.check(index, report.Chunks); words != "" {
			l.fault = corrupt("pod %s reports results that cannot be those of shard %d: %s", pod.Name, index, words)
			return
		}
		l.shards[index] = entry{references: report.Chunks}
	}
}

// check says in words why references cannot be all results of a shard, or
// nothing if they can.
func (l *ledger) check(shard int, references []v1alpha1.ResultReference) string {
	span := l.plan.round.Shard(shard, l.plan.shards)
	var rows int64
	for i, ref := range references {
		id, ok := parseChunkName(l.plan.job, ref.Name)
		if !ok || id.shard != shard || id.chunk != i || !strings.HasPrefix(ref.SHA256, id.digest) {
			return fmt.Sprintf("%q is not the name of its chunk %d", ref.Name, i)
		}
		rows += ref.Rows
	}
	if want := int64(span.End - span.First); rows != want {
		return fmt.Sprintf("they hold %d rows, want %d", rows, want)
	}
	return ""
}

// verified returns a ledger of what the status names.
func (l *ledger) verified() *ledger {
	v := &ledger{plan: l.plan, shards: slices.Clone(l.shards)}
	for i := range v.shards {
		if !v.shards[i].verified {
			v.shards[i] = entry{}
		}
	}
	return v
}

// any reports whether any shard has results.
func (l *ledger) any() bool {
	return slices.ContainsFunc(l.shards, func(e entry) bool { return e.known() })
}

// complete reports whether every shard has results.
func (l *ledger) complete() bool {
	return l.fault == nil && !slices.ContainsFunc(l.shards, func(e entry) bool { return !e.known() })
}

// unread names the ConfigMaps that must be read before anything is said of
// them: what was reported since, and, once all is there, everything.
func (l *ledger) unread() []string {
	all := l.complete()
	var names []string
	for i := range l.shards {
		if l.shards[i].verified && !all {
			continue
		}
		for _, ref := range l.shards[i].references {
			names = append(names, ref.Name)
		}
	}
	return names
}

// verify compares the results with the chunks that were read, which must be all
// that unread names, and returns the rows of those chunks in order.
func (l *ledger) verify(chunks map[string]chunk) ([]result.Row, *fault) {
	if l.fault != nil {
		return nil, l.fault
	}
	for _, name := range l.unread() {
		if _, read := chunks[name]; !read {
			panic(fmt.Sprintf("controllers: result %s is believed without having been read", name))
		}
	}
	var rows []result.Row
	for shard := range l.shards {
		at := l.plan.round.Shard(shard, l.plan.shards).First
		for _, ref := range l.shards[shard].references {
			c, read := chunks[ref.Name]
			if !read {
				continue
			}
			more, f := l.verifyChunk(ref, c, at)
			if f != nil {
				return nil, f
			}
			rows = append(rows, more...)
			at += len(more)
		}
	}
	return rows, nil
}

// verifyChunk returns the rows of a chunk that begins at simulation first.
func (l *ledger) verifyChunk(ref v1alpha1.ResultReference, c chunk, first int) ([]result.Row, *fault) {
	switch {
	case !c.found:
		return nil, &fault{v1alpha1.ReasonResultMissing, fmt.Sprintf("ConfigMap %s held results and is gone", ref.Name)}
	case !c.owned:
		return nil, corrupt("ConfigMap %s bears the name of a result, but belongs to somebody else", ref.Name)
	case !c.sealed:
		return nil, corrupt("ConfigMap %s bears the name of a result, but is not immutable", ref.Name)
	}
	if digest := c.SHA256(); digest != ref.SHA256 {
		return nil, corrupt("ConfigMap %s has the digest %s, but the worker wrote %s", ref.Name, digest, ref.SHA256)
	}
	rows, err := c.Decode()
	if err != nil {
		return nil, corrupt("ConfigMap %s: %v", ref.Name, err)
	}
	if int64(len(rows)) != ref.Rows {
		return nil, corrupt("ConfigMap %s holds %d rows, but the worker reported %d", ref.Name, len(rows), ref.Rows)
	}
	for i := range rows {
		point, seed := l.plan.simulation(first + i)
		if rows[i].Point != point || rows[i].Seed != seed {
			return nil, corrupt("ConfigMap %s: row %d is of point %d, seed %d; want point %d, seed %d",
				ref.Name, i, rows[i].Point, rows[i].Seed, point, seed)
		}
	}
	return rows, nil
}

// simulation returns the point and the seed of simulation i.
func (p *planned) simulation(i int) (point int, seed int64) {
	trial, seed := p.round.At(i)
	return trial.Point.ID, seed
}

// references are all results, by shard and chunk, and how many rows and shards
// they make.
func (l *ledger) references() (references []v1alpha1.ResultReference, rows int64, shards int) {
	for i := range l.shards {
		if l.shards[i].known() {
			shards++
		}
		for _, ref := range l.shards[i].references {
			references = append(references, ref)
			rows += ref.Rows
		}
	}
	return references, rows, shards
}

// missing lists the shards without results, in words.
func (l *ledger) missing() string {
	var words []string
	for i := range l.shards {
		switch {
		case l.shards[i].known():
		case l.shards[i].unreadable != "":
			words = append(words, fmt.Sprintf("shard %d: %s", i, l.shards[i].unreadable))
		default:
			words = append(words, fmt.Sprintf("shard %d: no succeeded pod of it is left", i))
		}
	}
	return some(words)
}

// sortReferences sorts the results of one Job by shard and chunk.
func sortReferences(job string, references []v1alpha1.ResultReference) {
	slices.SortFunc(references, func(a, b v1alpha1.ResultReference) int {
		x, _ := parseChunkName(job, a.Name)
		y, _ := parseChunkName(job, b.Name)
		if x.shard != y.shard {
			return x.shard - y.shard
		}
		return x.chunk - y.chunk
	})
}
