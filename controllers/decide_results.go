// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"

	"windtunnel.dev/windtunnel/api/v1alpha1"
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
func (d summarizer) complete() {
	if !d.updateIndex(true) {
		return
	}
	next := d.reporter.withPlan()
	if err := d.summarize(next); err != nil {
		d.reporter.report(d.reporter.withPlan(), verdict{outcomeFailed, v1alpha1.ReasonResultCorrupt, fmt.Sprintf("the results cannot be summarized: %v", err)})
		return
	}
	if d.results.study.lostRows > 0 {
		next.status().Gates, d.gatesVerdict = nil, nil
		d.reporter.report(next, verdict{outcomeFailed, v1alpha1.ReasonShardsFailed, lostSimulationsMessage(d.results.study)})
		return
	}
	if len(d.awaited) > 0 {
		d.gatesVerdict = nil
		d.reporter.report(d.reporter.withPlan(), verdict{outcomeReconciling, v1alpha1.ReasonPending, fmt.Sprintf("%s; the manager creates it again after that", joinFirst(d.awaited))})
		return
	}
	d.reporter.report(next, d.completeVerdict(next.status()))
	d.cleaner.deleteUnneeded(next.status())
}

// summarize fills in what came of the study.
func (d summarizer) summarize(next subject) error {
	if results := next.status().Results; results != nil && d.results.study.lostRows == 0 {
		digest, err := result.RowsDigest(d.results.study.study.Rows())
		if err != nil {
			return err
		}
		results.Digest = digest
	}
	d.nothingServed = result.NothingServed(d.results.study.study.Rows())
	var err error
	if err := next.fill(d.results.study.study); err != nil {
		return err
	}
	if d.gatesVerdict, err = d.results.study.study.Verdict(); err != nil {
		return err
	}
	sw, isSweep := next.(sweep)
	switch {
	case !isSweep:
		return nil
	case d.results.study.lostRows > 0:
		return d.updateLeaderboard(sw)
	}
	return errors.Join(d.updateLeaderboard(sw), d.publisher.publish(sw))
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

// completeVerdict says that all results are there, and first of all if they are
// of no use.
func (d summarizer) completeVerdict(st *v1alpha1.CommonStatus) verdict {
	done := joinMessages(completeMessage(st.Progress), d.remark)
	if d.nothingServed != "" {
		return verdict{outcomeComplete, v1alpha1.ReasonNothingServed, joinMessages(d.nothingServed, done)}
	}
	return verdict{outcomeComplete, v1alpha1.ReasonComplete, done}
}

// completeAgain is the verdict on a subject that is complete already, whose rows
// were not read again.
func (d summarizer) completeAgain() verdict {
	st := d.subject.status()
	if c := meta.FindStatusCondition(st.Conditions, v1alpha1.ConditionComplete); c != nil && c.Reason == v1alpha1.ReasonNothingServed {
		return verdict{outcomeComplete, c.Reason, c.Message}
	}
	return d.completeVerdict(st)
}

// updateIndex has the status name all results that there are, where that is worth a
// write. It returns false where they are too many, which it reports.
func (d summarizer) updateIndex(worthIt bool) bool {
	if !worthIt {
		return true
	}
	l, err := newResultIndex(d.subject, d.plan, d.results.study)
	if err == nil && l.size > maxIndexBytes {
		err = fmt.Errorf("the results need %d ConfigMaps, more than one index can list: run fewer simulations", l.status.Chunks)
	}
	if err != nil {
		d.cleaner.stopJobs("it has too many results")
		d.reporter.report(d.reporter.withPlan(), verdict{outcomeFailed, v1alpha1.ReasonInvalid, err.Error()})
		return false
	}
	d.indexed = l.named
	if l.status == nil {
		d.resultsStatus = nil
		return true
	}
	if d.resultsStatus != nil && d.resultsStatus.Index == l.status.Index {
		return true
	}
	for _, cm := range l.configMaps {
		if !d.children.hasConfigMap(cm.Name) {
			d.act(action{verbEnsure, cm, "it holds results, or the index of them"})
		}
	}
	d.resultsStatus = l.status
	d.cleaner.deleteOldIndexes()
	return true
}
