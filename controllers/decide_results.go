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
	if !d.index(true) {
		return
	}
	next := d.reporter.planned()
	if err := d.sumUp(next); err != nil {
		d.reporter.report(d.reporter.planned(), verdict{failed, v1alpha1.ReasonResultCorrupt, fmt.Sprintf("the results do not sum up: %v", err)})
		return
	}
	if d.results.study.lostRows > 0 {
		next.status().Gates, d.gatesVerdict = nil, nil
		d.reporter.report(next, verdict{failed, v1alpha1.ReasonShardsFailed, lostWords(d.results.study)})
		return
	}
	if len(d.awaited) > 0 {
		d.gatesVerdict = nil
		d.reporter.report(d.reporter.planned(), verdict{ongoing, v1alpha1.ReasonPending, fmt.Sprintf("%s; it is created again once that is gone", some(d.awaited))})
		return
	}
	d.reporter.report(next, d.completeVerdict(next.status()))
	d.cleaner.collect(next.status())
}

// sumUp fills in what came of the study.
func (d summarizer) sumUp(next subject) error {
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
		return d.leaderboard(sw)
	}
	return errors.Join(d.leaderboard(sw), d.publisher.rollOut(sw))
}

// leaderboard has the status name a ConfigMap of the best points.
func (d summarizer) leaderboard(sw sweep) error {
	cm, err := makeLeaderboard(d.subject, d.plan, d.results.study.study)
	if err != nil {
		return err
	}
	if sw.Status.Leaderboard = cm.Name; !d.children.hasConfigMap(cm.Name) {
		d.do(act{ensure, cm, "it holds the best points with all their figures"})
	}
	return nil
}

// completeVerdict says that all results are there, and first of all if they are
// of no use.
func (d summarizer) completeVerdict(st *v1alpha1.CommonStatus) verdict {
	done := join(doneWords(st.Progress), d.remark)
	if d.nothingServed != "" {
		return verdict{complete, v1alpha1.ReasonNothingServed, join(d.nothingServed, done)}
	}
	return verdict{complete, v1alpha1.ReasonComplete, done}
}

// completeAgain is the verdict on a subject that is complete already, whose rows
// were not read again.
func (d summarizer) completeAgain() verdict {
	st := d.subject.status()
	if c := meta.FindStatusCondition(st.Conditions, v1alpha1.ConditionComplete); c != nil && c.Reason == v1alpha1.ReasonNothingServed {
		return verdict{complete, c.Reason, c.Message}
	}
	return d.completeVerdict(st)
}

// index has the status name all results that there are, where that is worth a
// write. It returns false where they are too many, which it reports.
func (d summarizer) index(worthIt bool) bool {
	if !worthIt {
		return true
	}
	l, err := newResultIndex(d.subject, d.plan, d.results.study)
	if err == nil && l.size > maxIndexBytes {
		err = fmt.Errorf("the results take %d ConfigMaps, more than an index can list: ask for fewer simulations", l.status.Chunks)
	}
	if err != nil {
		d.cleaner.halt("its results are too many")
		d.reporter.report(d.reporter.planned(), verdict{failed, v1alpha1.ReasonInvalid, err.Error()})
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
			d.do(act{ensure, cm, "the status is to name the results that there are"})
		}
	}
	d.resultsStatus = l.status
	d.cleaner.cleanIndexes()
	return true
}
