// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/result"
)

// summarizer decides which ConfigMaps hold the results, and what a complete status says
// of them.
type summarizer struct {
	*draft
	reporter  reporter
	cleaner   cleaner
	publisher publisher
}

// complete sums all results up.
func (d summarizer) complete() statement {
	if tooMany, ok := d.updateIndex(); !ok {
		return tooMany
	}
	next := d.reporter.planned()
	sum, err := d.summarize(next)
	switch {
	case err != nil:
		r := d.reporter.withPlan(phaseFailed, v1alpha1.ReasonResultCorrupt, fmt.Sprintf("the results cannot be summarized: %v", err))
		r.gates = sum.gates
		return r
	case d.results.study.lostRows > 0:
		next.status().Gates = nil
		return statement{next: next, standing: standing{phaseFailed, v1alpha1.ReasonShardsFailed, lostSimulationsMessage(d.results.study)}}
	case len(d.awaited) > 0:
		return d.reporter.withPlan(phaseReconciling, v1alpha1.ReasonPending, fmt.Sprintf("%s; the manager creates it again after that", joinFirst(d.awaited)))
	}
	return statement{next: next, standing: sum.standing(next.status()), gates: sum.gates}
}

// studySummary is what came of a complete study in addition to its figures.
type studySummary struct {
	// gates is the verdict on the gates; nil if the plan has none.
	gates *study.Judged
	// nothingServed says why no request was served; "" where some were.
	nothingServed string
	// remark says what was not done for a complete subject.
	remark string
}

// summarize fills in what came of the study.
func (d summarizer) summarize(next subject) (sum studySummary, err error) {
	if results := next.status().Results; results != nil && d.results.study.lostRows == 0 {
		if results.Digest, err = result.RowsDigest(d.results.study.study.Rows()); err != nil {
			return sum, err
		}
	}
	sum.nothingServed = result.NothingServed(d.results.study.study.Rows())
	if err := next.fill(d.results.study.study); err != nil {
		return sum, err
	}
	if sum.gates, err = d.results.study.study.Verdict(); err != nil {
		return sum, err
	}
	sw, isSweep := next.(sweep)
	switch {
	case !isSweep:
		return sum, nil
	case d.results.study.lostRows > 0:
		return sum, d.updateLeaderboard(sw)
	}
	listed := d.updateLeaderboard(sw)
	sum.remark, err = d.publisher.publish(sw, sum.gates)
	return sum, errors.Join(listed, err)
}

// updateLeaderboard has the status name a ConfigMap of the best points.
func (d summarizer) updateLeaderboard(sw sweep) error {
	cm, err := makeLeaderboard(d.subject, d.plan, d.results.study.study)
	if err != nil {
		return err
	}
	if sw.Status.Leaderboard = cm.Name; !d.children.hasConfigMap(cm.Name) {
		d.act(action{verbEnsure, cm, "it holds the best points with all their metrics"})
	}
	return nil
}

// standing says that all results are there, and first of all if they are of no use.
func (s studySummary) standing(st *v1alpha1.CommonStatus) standing {
	done := joinMessages(completeMessage(st.Progress), s.remark)
	if s.nothingServed != "" {
		return standing{phaseComplete, v1alpha1.ReasonNothingServed, joinMessages(s.nothingServed, done)}
	}
	return standing{phaseComplete, v1alpha1.ReasonComplete, done}
}

// completeAgain is the standing of a status that is complete already, whose rows were not
// read again.
func completeAgain(st *v1alpha1.CommonStatus) standing {
	if c := meta.FindStatusCondition(st.Conditions, v1alpha1.ConditionComplete); c != nil && c.Reason == v1alpha1.ReasonNothingServed {
		return standing{phaseComplete, c.Reason, c.Message}
	}
	return studySummary{}.standing(st)
}

// updateIndex has the status name all results that there are. It returns false where
// they are too many, and the statement of that.
func (d summarizer) updateIndex() (tooMany statement, ok bool) {
	l, err := newResultIndex(d.subject, d.plan, d.results.study)
	if err == nil && l.size > maxIndexBytes {
		err = fmt.Errorf("the results need %d ConfigMaps, more than one index can list: run fewer simulations", l.status.Chunks)
	}
	if err != nil {
		d.cleaner.stopJobs("it has too many results")
		return d.reporter.withPlan(phaseFailed, v1alpha1.ReasonInvalid, err.Error()), false
	}
	d.indexed = l.named
	if l.status == nil {
		d.resultsStatus = nil
		return statement{}, true
	}
	if d.resultsStatus != nil && d.resultsStatus.Index == l.status.Index {
		return statement{}, true
	}
	for _, cm := range l.configMaps {
		if !d.children.hasConfigMap(cm.Name) {
			d.act(action{verbEnsure, cm, "it holds results, or the index of them"})
		}
	}
	d.resultsStatus = l.status
	d.cleaner.deleteOldIndexes()
	return statement{}, true
}
