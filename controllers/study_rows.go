// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/propose"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/search"
)

// maxPooled bounds the rows of former plans and of other objects that are held
// for rounds that may come.
const maxPooled = 100_000

// studyRows holds all rows that count for the study of a plan, and thus how far the study
// is. Rows are matched with simulations by their keys, wherever they come from, so that a
// restart, an edit and the reuse of another object's results take the same path.
type studyRows struct {
	plan  *subjectPlan
	study *study.Study
	// journal has the answers of a proposer, and proposals whence they are, by round.
	journal   propose.Journal
	proposals map[int]*proposals
	// failure is why the study cannot go on.
	failure error
	// estimate is the size of the work.
	estimate v1alpha1.PlanStatus

	// rows are those of all simulations so far, with no result where there is
	// none yet; those of the current round from first on. done counts its
	// results. Those before the current round are the study's too, and do not change.
	rows        []result.Row
	sharing     result.Sharing
	states      []rowState
	from        []*source // of those that are kept
	first, done int
	rounds      int
	// lastOfKey is the last simulation of a key, and previous the one before it, or -1.
	lastOfKey map[string]int32
	previous  []int32

	// sources are the chunks that were read, by name; lists the reports.
	sources map[string]*source
	lists   map[string]bool
	// lost are simulations that were given up.
	lost []store.Lost
	// index is the name of the index that was read last.
	index string
	// notReused are the faults of results that spec.reuseFrom names and that do not
	// serve.
	notReused []string
	// pool are rows that no simulation wants so far, by key.
	pool   map[string][]pooled
	pooled int
}

// rowState says where the row of a simulation is.
type rowState uint8

const (
	// rowMissing: the simulation has no row.
	rowMissing rowState = iota
	// rowBorrowed: it has a row, and no valid chunk of the object holds the row.
	rowBorrowed
	// rowKept: a valid chunk of the object holds its row.
	rowKept
	// rowLost: it has no row and will not get one.
	rowLost
)

// source is a chunk that was read.
type source struct {
	store.Reference
	uid types.UID
	// own says that the subject owns it; optional that the study may use it and does not
	// need it.
	own, optional bool
	// former says that the rows were simulated for another plan or object.
	former bool
	// used counts its rows that are kept, low is the first simulation of those.
	used, firstUsed int
}

// fullyUsed reports whether each row of the chunk is that of a simulation.
func (s *source) fullyUsed() bool { return s.own && s.used == s.Rows }

type pooled struct {
	row  result.Row
	from *source
}

// validFor reports whether the recorded losses hold for an execution of the Jobs:
// what was lost under another one is to be tried again.
func (j *studyRows) validFor(execution v1alpha1.Execution) bool {
	return len(j.lost) == 0 || j.lost[0].Execution == executionDigest(execution)
}

func newStudyRows(p *subjectPlan) (*studyRows, error) {
	journal := propose.Journal{}
	plan := p.Plan // which others share
	if plan.ProposerOf() != nil {
		plan = plan.WithProposer(journal.Answers)
	}
	st, err := study.New(plan)
	if err != nil {
		return nil, err
	}
	j := &studyRows{
		plan: p, study: st, journal: journal, proposals: map[int]*proposals{}, estimate: study.Estimate(p.Plan, st),
		lastOfKey: map[string]int32{}, sources: map[string]*source{}, lists: map[string]bool{}, pool: map[string][]pooled{},
	}
	return j, j.beginRound()
}

// beginRound adds the simulations of the study's next round.
func (j *studyRows) beginRound() error {
	j.first, j.done = len(j.rows), 0
	round := j.study.Round()
	if round == nil {
		return nil
	}
	j.rounds++
	keys, err := j.plan.Keys(round)
	if err != nil {
		return err
	}
	// Lists of a fine grid that grow by and by are there twice at the end.
	j.rows, j.states = slices.Grow(j.rows, len(keys)), slices.Grow(j.states, len(keys))
	j.from, j.previous = slices.Grow(j.from, len(keys)), slices.Grow(j.previous, len(keys))
	for i, key := range keys {
		of := round.At(i)
		j.addSimulation(result.Row{Key: key, Point: of.Point.ID, Share: of.Share, Seed: of.Seed, Workload: of.Workload})
	}
	for _, l := range j.lost {
		j.markLost(l)
	}
	return nil
}

// addLost records the simulations of a Job that were given up. The index lists them too.
func (j *studyRows) addLost(l store.Lost) {
	if slices.ContainsFunc(j.lost, func(known store.Lost) bool { return known.Job == l.Job }) {
		return
	}
	j.lost = append(j.lost, l)
	j.markLost(l)
}

// stillMissing returns those of the round's simulations that have no row.
func (j *studyRows) stillMissing(simulations []int) []int {
	return slices.DeleteFunc(simulations, func(i int) bool { return j.states[j.first+i] != rowMissing })
}

// markLost marks simulations of the current round as lost, where they have no row.
func (j *studyRows) markLost(l store.Lost) {
	round := j.study.Round()
	if round == nil || l.Round != round.Index {
		return
	}
	for _, span := range l.Spans {
		for _, i := range span.Indices() {
			n := j.first + i
			if n >= len(j.rows) || j.states[n] != rowMissing {
				continue
			}
			j.states[n] = rowLost
			j.rows[n].Lost, j.rows[n].Error = true, l.Why
			j.done++
		}
	}
}

// addSimulation takes up one simulation, and the row that it has already.
func (j *studyRows) addSimulation(row result.Row) {
	n := len(j.rows)
	j.rows, j.states, j.from = append(j.rows, row), append(j.states, rowMissing), append(j.from, nil)
	before, again := j.lastOfKey[row.Key]
	if !again {
		before = -1
	}
	j.lastOfKey[row.Key], j.previous = int32(n), append(j.previous, before)
	for i := before; i >= 0; i = j.previous[i] {
		if j.states[i] == rowMissing || j.states[i] == rowLost || j.states[n] == rowKept {
			continue
		}
		j.fill(n, &j.rows[i])
		if j.states[i] == rowKept && same(&j.rows[i], &row) {
			j.states[n], j.from[n] = rowKept, j.from[i]
		}
	}
	for i := range j.pool[row.Key] {
		j.offer(n, &j.pool[row.Key][i].row, j.pool[row.Key][i].from)
	}
}

// same reports whether two rows of a key are of one simulation.
func same(a, b *result.Row) bool {
	return a.Point == b.Point && a.Share == b.Share && a.Workload == b.Workload
}

// fill gives a simulation without a result another one's of its key.
func (j *studyRows) fill(n int, row *result.Row) {
	if j.states[n] != rowMissing {
		return
	}
	j.states[n] = rowBorrowed
	j.set(n, row)
	if n >= j.first {
		j.done++
	}
}

// set gives a simulation the result of a row.
func (j *studyRows) set(n int, row *result.Row) {
	own := &j.rows[n]
	own.RejectedBy, own.Decisions, own.Metrics, own.Error, own.ByMachine = row.RejectedBy, row.Decisions, row.Metrics, row.Error, row.ByMachine
	j.sharing.Share(own)
}

// offer gives a simulation a row of its key.
func (j *studyRows) offer(n int, row *result.Row, from *source) {
	if row.Seed != j.rows[n].Seed || j.states[n] == rowLost || row.ByMachine && from.former {
		return
	}
	j.fill(n, row)
	if !from.own || !same(row, &j.rows[n]) {
		return
	}
	if holder := j.from[n]; holder != nil {
		if from.optional || !holder.optional {
			return
		}
		// A chunk of this plan was made because that one holds other rows too.
		holder.used--
		if n >= j.first {
			j.set(n, row) // pods may differ where the machine decides
		}
	}
	j.states[n], j.from[n] = rowKept, from
	if from.used == 0 || n < from.firstUsed {
		from.firstUsed = n
	}
	from.used++
}

// addChunk takes up the rows of a chunk.
func (j *studyRows) addChunk(from *source, rows []result.Row) {
	j.sources[from.Name] = from
	for i := range rows {
		row := &rows[i]
		n, wanted := j.lastOfKey[row.Key]
		for ; wanted && n >= 0; n = j.previous[n] {
			j.offer(int(n), row, from)
		}
		if !wanted && (!from.optional || j.pooled < maxPooled) {
			j.pool[row.Key] = append(j.pool[row.Key], pooled{*row, from})
			j.pooled++
		}
	}
}

// chunk is a chunk and its rows.
type chunk struct {
	from *source
	rows []result.Row
}

// addShard takes up what a shard wrote. Chunks whose rows are all among them, such
// as those of a pod that was stopped before the shard was done again, serve no more.
func (j *studyRows) addShard(chunks []chunk) {
	held := map[*source]int{}
	for _, c := range chunks {
		for i := range c.rows {
			for n := j.lastOfKey[c.rows[i].Key]; n >= 0; n = j.previous[n] {
				if j.states[n] == rowKept && same(&j.rows[n], &c.rows[i]) {
					held[j.from[n]]++
				}
			}
		}
	}
	for from, rows := range held {
		from.optional = from.optional || rows == from.used
	}
	for _, c := range chunks {
		j.addChunk(c.from, c.rows)
	}
}

// contradiction says which row belongs to no simulation of the study so far, or differs
// from the one that there is of it, although no machine decided; "" without such a row.
func (j *studyRows) contradiction(rows []result.Row) string {
	for i := range rows {
		row := &rows[i]
		n, wanted := j.lastOfKey[row.Key]
		if !wanted {
			return fmt.Sprintf("row %d (point %d, seed %d) does not belong to the round", i, row.Point, row.Seed)
		}
		if there := &j.rows[n]; j.states[n] == rowKept && same(there, row) && there.Seed == row.Seed && !there.ByMachine && !row.ByMachine &&
			(there.Error != row.Error || !maps.Equal(there.RejectedBy, row.RejectedBy) || there.Decisions != row.Decisions || !there.Metrics.Equal(row.Metrics)) {
			return fmt.Sprintf("row %d (point %d, seed %d) differs from the row that another pod wrote", i, row.Point, row.Seed)
		}
	}
	return ""
}

// advance gives the study the answers that it waits for, and the rows of all rounds that are
// complete.
func (j *studyRows) advance() error {
	if j.study.Inquiries() != nil {
		j.study.Continue()
		if err := j.beginRound(); err != nil {
			return err
		}
	}
	for j.failure == nil && j.study.Round() != nil && j.done == len(j.rows)-j.first {
		if j.failure = j.study.AddRows(j.rows[j.first:]); j.failure != nil {
			return nil
		}
		if err := j.beginRound(); err != nil {
			return err
		}
	}
	return nil
}

// studyState is how far a study is, as a decision sees it.
type studyState struct {
	// study has the results of the rounds before the current one; round is that, or nil
	// where there is nothing left to do. Round last was the last one so far.
	study *study.Study
	round *experiment.Round
	last  int
	// inquiries are those that round last+1 waits for, and proposals the answers of the
	// rounds that had some.
	inquiries []search.Inquiry
	proposals map[int]*proposals
	// failure is why the study cannot go on, fault why results cannot be had.
	failure  error
	fault    *fault
	estimate v1alpha1.PlanStatus
	// missing are the round's simulations without rows, done counts those with.
	missing []int
	done    int
	// chunks hold the rows that there are, but for those that are borrowed.
	// reserve are chunks of former plans that may serve later.
	chunks, reserve []store.Reference
	borrowed        []result.Row
	// failed counts the simulations that say why they have no figures.
	failed int
	// lost says what was given up, lostRows counts the simulations that have no
	// row for that.
	lost     []store.Lost
	lostRows int
	// notReused says which results of spec.reuseFrom are damaged; "" where none is.
	notReused string
}

// lostShards is how many shards were given up.
func (s *studyState) lostShards() int {
	n := 0
	for i := range s.lost {
		n += s.lost[i].Shards
	}
	return n
}

// rows is the number of simulations that have one.
func (s *studyState) rows() int { return len(s.study.Rows()) + s.done - s.lostRows }

// fault is why results cannot be had.
type fault struct{ reason, message string }

func corruptResult(format string, args ...any) *fault {
	return &fault{v1alpha1.ReasonResultCorrupt, fmt.Sprintf(format, args...)}
}

// addNotReused notes results of another object that do not serve.
func (j *studyRows) addNotReused(of subject, f *fault) {
	j.notReused = append(j.notReused, fmt.Sprintf("%s %s: %s", of.kind(), of.object().GetName(), f.message))
}

// state returns how far the study is.
func (j *studyRows) state() *studyState {
	s := &studyState{
		study: j.study, round: j.study.Round(), last: j.rounds - 1,
		failure: j.failure, estimate: j.estimate, done: j.done, lost: j.lost,
		inquiries: j.study.Inquiries(), proposals: maps.Clone(j.proposals),
	}
	for n := range j.rows {
		switch {
		case j.states[n] == rowBorrowed, j.states[n] == rowKept && !j.from[n].fullyUsed():
			s.borrowed = append(s.borrowed, j.rows[n])
		case j.states[n] == rowLost:
			s.lostRows++
		case j.states[n] == rowMissing:
			s.missing = append(s.missing, n-j.first)
		}
		if (j.states[n] == rowBorrowed || j.states[n] == rowKept) && j.rows[n].Failed() {
			s.failed++
		}
	}
	s.chunks, s.reserve = j.references()
	if len(j.notReused) > 0 {
		s.notReused = "damaged results of spec.reuseFrom are not reused: " + joinFirst(j.notReused)
	}
	return s
}

// references are the chunks that serve, in the order of their simulations, and
// the object's others, as long as a round may come that wants them.
func (j *studyRows) references() (chunks, reserve []store.Reference) {
	var serving []*source
	for _, source := range j.sources {
		switch {
		case source.fullyUsed():
			serving = append(serving, source)
		case source.own && (j.study.Round() != nil || j.study.Inquiries() != nil):
			reserve = append(reserve, source.Reference)
		}
	}
	slices.SortFunc(serving, func(a, b *source) int { return cmp.Compare(a.firstUsed, b.firstUsed) })
	for _, source := range serving {
		chunks = append(chunks, source.Reference)
	}
	slices.SortFunc(reserve, func(a, b store.Reference) int { return cmp.Compare(a.Name, b.Name) })
	return chunks, reserve
}

// reused counts rows that were simulated for something else.
func (s *studyState) reused() int {
	rows := len(s.borrowed)
	for _, ref := range s.chunks {
		if ref.Reused {
			rows += ref.Rows
		}
	}
	return rows
}
