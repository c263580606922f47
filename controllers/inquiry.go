// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/propose"
	"windtunnel.dev/windtunnel/pkg/worker"
)

// A round of a sweep that evolves policies may begin with inquiries of a service that proposes
// some. The manager opens no connection to addresses that users choose: a Job of the sweep
// asks. What it writes is the journal, and a study is a function of its plan, its rows and its
// journal.

const (
	secretFolder = "/etc/windtunnel/secret"
	// authoritiesKey is the key of the Secret with the certificates that a service over HTTPS is
	// checked by: the image has none.
	authoritiesKey = corev1.ServiceAccountRootCAKey
	// proposeSlack is how much longer than its tries a pod may take that asks, in seconds.
	proposeSlack = 120
	proposeTries = 3
)

// smallResources are those of a container that simulates nothing.
func smallResources() corev1.ResourceRequirements {
	return corev1.ResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m"), corev1.ResourceMemory: resource.MustParse("128Mi")},
		Limits:   corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1"), corev1.ResourceMemory: resource.MustParse("512Mi")},
	}
}

// newInquiryTask makes the task of asking the proposer before a round.
func newInquiryTask(s subject, p *subjectPlan, st *studyState, attempt int) *task {
	work, raw := propose.Pack(worker.Inquiries{Round: st.index(), Inquiries: st.inquiries})
	return &task{
		job:       jobName(s.object().GetUID(), s.object().GetName(), p.hash, st.index(), attempt, experiment.Digest(raw), s.execution()),
		round:     st.index(),
		attempt:   attempt,
		shards:    1,
		inquiries: len(st.inquiries),
		work:      work,
	}
}

// asks reports whether the pod of the task asks a proposer, and simulates nothing.
func (t *task) asks() bool { return t.inquiries > 0 }

// component is that of the Job of the task, and of its pods.
func (t *task) component() string {
	if t.asks() {
		return ComponentProposer
	}
	return ComponentWorker
}

// askProposer has the worker of a pod ask the proposer of a plan.
func askProposer(spec *corev1.PodSpec, service *experiment.Proposer, job string) {
	spec.ActiveDeadlineSeconds = ptr.To(int64(proposeTries*service.TimeoutSeconds + proposeSlack))
	mount(spec, "round", roundFolder, keysOf(roundName(job), worker.OwnerFile, worker.InquiriesFile))
	if service.Secret == "" {
		return
	}
	// The pod says so where the Secret is missing, as it says what else keeps it from an answer.
	mount(spec, "secret", secretFolder, corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{
		SecretName: service.Secret, Optional: ptr.To(true),
		Items: []corev1.KeyToPath{
			{Key: service.Key, Path: worker.HeaderFile}, {Key: worker.OriginFile, Path: worker.OriginFile}, {Key: authoritiesKey, Path: authoritiesKey},
		},
	}})
	c := &spec.Containers[0]
	c.Env = append(c.Env, corev1.EnvVar{Name: "SSL_CERT_FILE", Value: path.Join(secretFolder, authoritiesKey)})
}

// proposals are the answers of a round, as a ConfigMap has them.
type proposals struct {
	store.Reference
	entries []propose.Entry
	// indexed says that the index of the status lists them.
	indexed bool
}

// proposals reads the ConfigMap of answers.
func (r resultReader) proposals(ctx context.Context, ref store.Reference) (*proposals, *fault, error) {
	cm, f, err := r.configMap(ctx, ref.Name)
	if f != nil || err != nil {
		return nil, f, err
	}
	p := &proposals{Reference: ref}
	raw, err := propose.Unpack(cm.BinaryData[store.ProposalsKey], &p.entries)
	if digest := experiment.Digest(raw); err == nil && digest != ref.SHA256 {
		err = fmt.Errorf("has the digest %s, but the pod wrote %s", digest, ref.SHA256)
	}
	if err == nil && (len(p.entries) != ref.Rows || len(p.entries) == 0) {
		err = fmt.Errorf("holds %d answers, but the pod reported %d", len(p.entries), ref.Rows)
	}
	if err != nil {
		return nil, corruptResult("ConfigMap %s of proposals: %v", ref.Name, err), nil
	}
	return p, nil, nil
}

// readJournal reads the answers that an index lists. Where they must exist and do not, that is a
// fault.
func (r *studyReader) readJournal(ctx context.Context, references []store.Reference, must bool) error {
	for _, ref := range references {
		if known := r.rows.answersOf(ref); known != nil {
			known.indexed = true
			continue
		}
		p, f, err := r.ownResults().proposals(ctx, ref)
		if err != nil {
			return err
		}
		if f != nil && must {
			r.fault = f
			return nil
		}
		if f == nil {
			p.indexed = true
			r.rows.addProposals(p)
		}
	}
	return nil
}

// readProposals reads what a pod wrote that asked for the round to come.
func (r *studyReader) readProposals(ctx context.Context, ref store.Reference) error {
	p, f, err := r.ownResults().proposals(ctx, ref)
	if err != nil {
		return err
	}
	if f == nil {
		if err := propose.Check(p.entries, r.rows.study.Inquiries()); err != nil {
			f = corruptResult("ConfigMap %s of proposals: %v", ref.Name, err)
		}
	}
	if r.fault = f; f == nil {
		r.rows.addProposals(p)
		r.rows.lists[ref.Name] = true
	}
	return nil
}

// addProposals takes up answers, of which all are of one round.
func (j *studyRows) addProposals(p *proposals) {
	j.proposals[p.entries[0].Generation] = p
	j.journal.Add(p.entries)
}

// answersOf are the answers that a reference is of; nil where they were not read.
func (j *studyRows) answersOf(ref store.Reference) *proposals {
	for _, p := range j.proposals {
		if p.Reference == ref {
			return p
		}
	}
	return nil
}

// asks reports whether the study waits for answers of a proposer.
func (s *studyState) asks() bool { return s.inquiries != nil }

// over reports whether nothing is left to do.
func (s *studyState) over() bool { return s.round == nil && !s.asks() }

// index is that of the round under way, or of the one that is asked for.
func (s *studyState) index() int {
	if s.round == nil {
		return s.last + 1
	}
	return s.round.Index
}

// component is that of the Job that the study needs next.
func (s *studyState) component() string {
	if s.asks() {
		return ComponentProposer
	}
	return ComponentWorker
}

// answers are all that there are, in the order of their rounds.
func (s *studyState) answers() []*proposals {
	var all []*proposals
	for _, round := range slices.Sorted(maps.Keys(s.proposals)) {
		all = append(all, s.proposals[round])
	}
	return all
}

// journal lists the answers.
func (s *studyState) journal() []store.Reference {
	var all []store.Reference
	for _, p := range s.answers() {
		all = append(all, p.Reference)
	}
	return all
}

// proposalsOf identifies the answers that a round has policies of; "" where it has none.
func (s *studyState) proposalsOf(round int) string {
	if p := s.proposals[round]; p != nil {
		return p.SHA256[:16]
	}
	return ""
}

// hasUnindexedProposals reports whether there are answers that the status does not name.
func (s *studyState) hasUnindexedProposals() bool {
	for _, p := range s.proposals {
		if !p.indexed {
			return true
		}
	}
	return false
}

// wanted is how many policies the inquiries ask for.
func (s *studyState) wanted() int {
	n := 0
	for i := range s.inquiries {
		n += s.inquiries[i].Count
	}
	return n
}
