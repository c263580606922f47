// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/worker"
)

// study finds out how far the subject's study is: it goes through the rounds whose
// rows are all there, reads what the pods of the current round report, and goes
// on where that completes it.
func (o *observer) study(ctx context.Context, w *observation) error {
	j := o.studies.get(w.subject, w.plan.hash)
	if j != nil && !j.validFor(w.subject.execution()) {
		j = nil
	}
	r := studyReader{observer: o, observed: w, rows: j}
	err := r.read(ctx)
	if err != nil || r.fault != nil {
		// Half of what was read may be in it.
		o.studies.forget(nameOf(w.subject))
	} else {
		o.studies.put(w.subject, r.rows)
	}
	if err != nil {
		return fmt.Errorf("results of %s: %w", w.subject.object().GetName(), err)
	}
	w.results.study = r.rows.state()
	w.results.study.fault = r.fault
	return nil
}

// studyReader is one look at a subject's results.
type studyReader struct {
	*observer
	observed *observation
	rows     *studyRows
	fault    *fault
}

func (r *studyReader) read(ctx context.Context) error {
	fresh := r.rows == nil
	if fresh {
		var err error
		if r.rows, err = newStudyRows(r.observed.plan); err != nil {
			return err
		}
	}
	r.rows.plan = r.observed.plan
	if err := r.readIndex(ctx); err != nil || r.fault != nil {
		return err
	}
	if fresh && !r.observed.plan.KeepsMore() {
		if err := r.readReused(ctx); err != nil {
			return err
		}
	}
	if err := r.rows.advance(); err != nil {
		return err
	}
	for r.fault == nil {
		on, err := r.readRound(ctx)
		if err != nil || !on {
			return err
		}
	}
	return nil
}

// ownResults are the subject's own results.
func (r *studyReader) ownResults() resultReader {
	return resultReader{reader: r.live, namespace: r.observed.subject.object().GetNamespace(), owner: r.observed.subject}
}

// readIndex reads what the status names. What this generation wrote must be
// there; what a former one wrote serves where it can.
func (r *studyReader) readIndex(ctx context.Context) error {
	st := r.observed.subject.status()
	if st.Results == nil || st.Results.Index == r.rows.index {
		return nil
	}
	strict := st.ObservedGeneration == r.observed.subject.object().GetGeneration() && st.PlanHash == r.observed.plan.hash
	index, f, err := r.ownResults().index(ctx, st.Results.Index, st.Results.SHA256)
	if err != nil {
		return err
	}
	if f != nil {
		if strict {
			r.fault = f
		}
		return nil
	}
	r.rows.index = st.Results.Index
	former := index.Plan != r.observed.plan.hash
	if former && r.observed.plan.KeepsMore() {
		// What is to be kept may be missing next to those rows.
		return nil
	}
	if !former {
		if err := r.readJournal(ctx, index.Journal, strict); err != nil || r.fault != nil {
			return err
		}
	}
	for _, ref := range index.Chunks {
		ref.Reused = ref.Reused || former
		if err := r.readChunk(ctx, r.ownResults(), ref, former, strict && !former); err != nil || r.fault != nil {
			return err
		}
	}
	for _, l := range index.Lost {
		if !former && l.Execution == executionDigest(r.observed.subject.execution()) {
			r.rows.addLost(l)
		}
	}
	for _, ref := range index.Reserve {
		ref.Reused = ref.Reused || former
		if err := r.readChunk(ctx, r.ownResults(), ref, true, false); err != nil {
			return err
		}
	}
	return nil
}

// readChunk reads a chunk that is not read yet. Where it must exist and does not, that is
// a fault.
func (r *studyReader) readChunk(ctx context.Context, from resultReader, ref store.Reference, spare, must bool) error {
	f, err := r.tryChunk(ctx, from, ref, spare)
	if f != nil && must {
		r.fault = f
	}
	return err
}

// tryChunk reads a chunk that is not read yet, or returns the fault of one that cannot be
// read.
func (r *studyReader) tryChunk(ctx context.Context, from resultReader, ref store.Reference, spare bool) (*fault, error) {
	if r.rows.sources[ref.Name] != nil {
		return nil, nil
	}
	rows, uid, f, err := from.chunk(ctx, ref)
	if f != nil || err != nil {
		return f, err
	}
	own := from.owner.object().GetUID() == r.observed.subject.object().GetUID()
	r.rows.addChunk(&source{Reference: ref, uid: uid, own: own, optional: spare, former: spare}, rows)
	return nil, nil
}

// readReused reads the results of the objects that the spec names.
func (r *studyReader) readReused(ctx context.Context) error {
	others, _, err := r.sources(ctx, r.observed.subject)
	if err != nil {
		return err
	}
	for _, other := range others {
		st := other.status()
		if st.Results == nil || st.EngineVersion != r.observed.plan.EngineVersion {
			continue
		}
		from := resultReader{reader: r.live, namespace: other.object().GetNamespace(), owner: other}
		index, f, err := from.index(ctx, st.Results.Index, st.Results.SHA256)
		if err != nil {
			return err
		}
		if f != nil {
			r.rows.addNotReused(other, f)
			continue
		}
		for _, ref := range index.Chunks {
			f, err := r.tryChunk(ctx, from, ref, true)
			if err != nil {
				return err
			}
			if f != nil {
				r.rows.addNotReused(other, f)
			}
		}
	}
	return nil
}

// readRound reads what there is of the current round. It returns true where
// that completed the round.
func (r *studyReader) readRound(ctx context.Context) (bool, error) {
	w, st := r.observed, r.rows.state()
	w.results.study, w.task, w.job.pods, w.job.reports, w.job.podsAlive, w.job.repeated, w.job.underway = st, nil, nil, nil, false, 0, 0
	if st.failure != nil {
		return false, nil
	}
	if st.over() {
		return false, errors.Join(r.readRehearsal(ctx), r.verifyChunks(ctx))
	}
	if w.currentJob() == nil {
		if found, err := r.findNextJob(ctx); !found || err != nil {
			return false, err
		}
	}
	job := w.currentJob()
	if err := r.missingChild(ctx, w, roundName(job.Name)); err != nil {
		return false, err
	}
	if err := r.pods(ctx, w, job); err != nil {
		return false, err
	}
	w.job.reports = newReports(w.plan, st.index(), shardsOf(job), w.job.pods)
	w.results.rehearsal = w.job.reports.rehearsal
	if r.fault = w.job.reports.fault; r.fault != nil {
		return false, nil
	}
	over, bad := finished(job)
	over = over || r.observed.pastDeadline || isSuspended(job)
	for _, list := range w.job.reports.unread(r.rows, over) {
		if err := r.readList(ctx, list); err != nil || r.fault != nil {
			return false, err
		}
	}
	if bad && !st.asks() {
		if err := r.recordLostShards(ctx, job); err != nil {
			return false, err
		}
	}
	if advanced, err := r.advanced(); advanced || err != nil {
		return advanced, err
	}
	w.results.study = r.rows.state()
	if isSuspended(job) || len(w.job.reports.parts) > 0 {
		var err error
		if w.job.repeated, err = r.countRepeated(ctx, job); err != nil {
			return false, err
		}
	}
	if !over {
		var err error
		if w.job.underway, err = r.countUnderway(ctx, job); err != nil {
			return false, err
		}
	}
	return r.findNextJob(ctx)
}

// readRehearsal reads what the pod of a live run reported, where the look that found its row has not
// written that into the status.
func (r *studyReader) readRehearsal(ctx context.Context) error {
	w := r.observed
	if w.plan.Live == nil || w.results.rehearsal != nil || meta.FindStatusCondition(w.subject.status().Conditions, v1alpha1.ConditionRehearsed) != nil {
		return nil
	}
	for _, job := range w.children.jobs {
		if !w.isCurrent(job, 0) {
			continue
		}
		if err := r.pods(ctx, w, job); err != nil {
			return err
		}
		if told := newReports(w.plan, 0, 1, w.job.pods).rehearsal; told != nil {
			w.results.rehearsal = told
		}
	}
	w.job.pods, w.job.podsAlive = nil, false
	return nil
}

// findNextJob looks for the Job that the current round takes next, and reports whether it
// is there: the cache may lack it. Where it does not, the observation has the task of creating it.
func (r *studyReader) findNextJob(ctx context.Context) (bool, error) {
	w := r.observed
	if w.task = w.nextTask(); w.task == nil {
		return false, nil
	}
	if err := r.missingJob(ctx, w); err != nil {
		return false, err
	}
	// A Job whose labels were changed does not belong to the plan.
	if job := w.currentJob(); job != nil && job.Name == w.task.job {
		w.task = nil
		return true, nil
	}
	return false, r.missingChild(ctx, w, roundName(w.task.job))
}

// recordLostShards records which simulations a failed Job has lost, where the spec allows
// that.
func (r *studyReader) recordLostShards(ctx context.Context, job *batchv1.Job) error {
	failed, spare := failedIndexes(job), int(r.observed.subject.execution().MaxFailedShards)-r.observed.results.study.lostShards()
	if gaveUp(r.rows.lost, job) || len(failed) == 0 || len(failed) > spare {
		return nil
	}
	simulations, err := r.simulationsOf(ctx, job, failed)
	if err != nil || len(simulations) == 0 {
		return err
	}
	r.rows.addLost(store.Lost{
		Round: r.rows.study.Round().Index, Spans: experiment.SpansOf(simulations), Shards: len(failed), Job: job.Name,
		Why: lostShardsMessage(failed, r.observed.job.pods), Execution: executionDigest(r.observed.subject.execution()),
	})
	return nil
}

// simulationsOf returns which simulations without rows some of a Job's shards had;
// none where that is not known.
func (r *studyReader) simulationsOf(ctx context.Context, job *batchv1.Job, shards []int) ([]int, error) {
	parts, err := r.shardSimulations(ctx, job)
	if parts == nil || err != nil {
		return nil, err
	}
	var simulations []int
	for _, shard := range shards {
		simulations = append(simulations, parts[shard]...)
	}
	return r.rows.stillMissing(simulations), nil
}

// countRepeated counts the simulations with rows of a Job's shards that have not ended.
func (r *studyReader) countRepeated(ctx context.Context, job *batchv1.Job) (int, error) {
	if r.observed.results.study.done == 0 {
		return 0, nil
	}
	parts, err := r.shardSimulations(ctx, job)
	n := 0
	for shard, part := range parts {
		if missing := len(r.rows.stillMissing(slices.Clone(part))); missing > 0 || !succeeded(job, r.observed.job.pods, shard) {
			n += len(part) - missing
		}
	}
	return n, err
}

// shardSimulations returns which simulations each of a Job's shards has, as the Job's ConfigMap
// says; nil where that is gone.
func (r *studyReader) shardSimulations(ctx context.Context, job *batchv1.Job) ([][]int, error) {
	cm, f, err := r.ownResults().configMap(ctx, roundName(job.Name))
	if f != nil || err != nil {
		return nil, err
	}
	work, err := experiment.DecodeWork(cm.BinaryData[worker.RoundFile])
	if err != nil || work.Round != r.rows.study.Round().Index {
		return nil, nil
	}
	round, which, err := study.Resume(r.observed.plan.Plan, work)
	if err != nil {
		return nil, nil
	}
	return round.Parts(which, shardsOf(job)), nil
}

// advanced continues with the next round where the round is complete, and with the round
// itself where its inquiries are answered. It reports whether it did.
func (r *studyReader) advanced() (bool, error) {
	asked, begun := r.rows.study.Inquiries() != nil, r.rows.rounds
	err := r.rows.advance()
	over := r.rows.study.Round() == nil && r.rows.study.Inquiries() == nil
	return over || asked != (r.rows.study.Inquiries() != nil) || begun != r.rows.rounds || r.rows.failure != nil, err
}

// readList reads what a shard wrote, or a pod that asked a proposer.
func (r *studyReader) readList(ctx context.Context, list store.Reference) error {
	if r.rows.study.Inquiries() != nil {
		return r.readProposals(ctx, list)
	}
	references, holder, f, err := r.ownResults().list(ctx, list)
	if f != nil || err != nil {
		r.fault = f
		return err
	}
	var chunks []chunk
	for _, ref := range references {
		rows, uid, f, err := r.ownResults().listed(ctx, ref, holder)
		if err != nil {
			return err
		}
		if f == nil {
			if words := r.rows.contradiction(rows); words != "" {
				f = corruptResult("ConfigMap %s: %s", ref.Name, words)
			}
		}
		if f != nil {
			r.fault = f
			return nil
		}
		if r.rows.sources[ref.Name] == nil {
			chunks = append(chunks, chunk{&source{Reference: ref, uid: uid, own: true}, rows})
		}
	}
	r.rows.addShard(chunks)
	r.rows.lists[list.Name] = true
	return nil
}

// verifyChunks checks, before all is summed up, that every chunk that serves is still
// the one that was read, and still belongs to the object that it was read from.
func (r *studyReader) verifyChunks(ctx context.Context) error {
	there := map[string]types.UID{}
	for i := range r.observed.children.configMaps {
		there[r.observed.children.configMaps[i].Name] = r.observed.children.configMaps[i].UID
	}
	for _, ref := range r.observed.results.study.chunks {
		from := r.rows.sources[ref.Name]
		if there[ref.Name] == from.uid {
			continue
		}
		cm := configMapMetadata()
		err := r.live.Get(ctx, client.ObjectKey{Namespace: r.observed.subject.object().GetNamespace(), Name: ref.Name}, cm)
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("read result %s: %w", ref.Name, err)
		}
		switch {
		case err != nil || cm.UID != from.uid:
			r.fault = missingResult(ref.Name)
			return nil
		case from.own && !ownedBy(cm, r.observed.subject):
			r.fault = foreignResult(ref.Name)
			return nil
		}
	}
	return nil
}

// missingResult is the fault of a result that is not there any more.
func missingResult(name string) *fault {
	return &fault{v1alpha1.ReasonResultMissing, fmt.Sprintf("ConfigMap %s, which held results, does not exist", name)}
}

// foreignResult is the fault of a result that does not belong to the object of its name.
func foreignResult(name string) *fault {
	return corruptResult("ConfigMap %s has the name of a result, but its owner reference does not match", name)
}
