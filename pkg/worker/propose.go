// SPDX-License-Identifier: Apache-2.0

package worker

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/propose"
	"windtunnel.dev/windtunnel/pkg/search"
)

const (
	// InquiriesFile has the inquiries of a round.
	InquiriesFile = "inquiries.json.gz"
	// HeaderFile has the header Authorization, where the Secret and its key exist.
	HeaderFile = "authorization"
	// OriginFile says for which service the header is.
	OriginFile = "origin"
	// ComponentJournal is the component of the ConfigMap that has the answers.
	ComponentJournal = "journal"
)

// proposePause is how long after the first try that fails there is a second one.
const proposePause = time.Second

// ProposeOptions say what to ask.
type ProposeOptions struct {
	// PlanFolder holds PlanFile, RoundFolder OwnerFile and InquiriesFile, and SecretFolder
	// may hold HeaderFile and OriginFile.
	PlanFolder, RoundFolder, SecretFolder string
	// Wait waits for so long, or until the context ends.
	Wait func(context.Context, time.Duration)
}

// Inquiries are what a Job asks before a round.
type Inquiries struct {
	// Round is the index of the round.
	Round     int              `json:"round"`
	Inquiries []search.Inquiry `json:"inquiries"`
}

// Propose asks the proposer of a plan, writes the answers as a ConfigMap, and returns what to
// report. A proposer without an answer is no error: the answers say so.
func Propose(ctx context.Context, o ProposeOptions, creator Creator) (store.Report, error) {
	var report store.Report
	err := o.propose(ctx, creator, &report)
	if err != nil {
		report.Error = err.Error()
	}
	return report, err
}

func (o ProposeOptions) propose(ctx context.Context, creator Creator, report *store.Report) error {
	plan, err := ReadPlan(o.PlanFolder)
	if err != nil {
		return markBadInput(err)
	}
	owner, err := readOwner(o.RoundFolder)
	if err != nil {
		return markBadInput(err)
	}
	packed, err := os.ReadFile(filepath.Join(o.RoundFolder, InquiriesFile))
	if err != nil {
		return markBadInput(err)
	}
	var asked Inquiries
	if _, err := propose.Unpack(packed, &asked); err != nil {
		return markBadInput(fmt.Errorf("%s: %w", InquiriesFile, err))
	}
	service := plan.ProposerOf()
	if service == nil {
		return fmt.Errorf("%w: the plan names no proposer", ErrBadInput)
	}
	report.PlanHash, report.Round = plan.Hash(), asked.Round
	var entries []propose.Entry
	client := propose.NewClient(o.clientOptions(plan, service, func(e propose.Entry) error {
		entries = append(entries, e)
		return nil
	}))
	if _, err := client.Propose(ctx, asked.Inquiries); err != nil {
		return fmt.Errorf("%w: %w", ErrStopped, err)
	}
	cm, results := owner.journal(entries)
	if err := creator.CreateConfigMap(ctx, cm); err != nil {
		return fmt.Errorf("create ConfigMap %s: %w", cm.Name, err)
	}
	report.Results = &results
	return nil
}

// clientOptions are those of a client that asks for policies of a plan.
func (o ProposeOptions) clientOptions(plan *experiment.Plan, service *experiment.Proposer, note func(propose.Entry) error) propose.Options {
	options := propose.Options{
		URL: service.URL, Timeout: time.Duration(service.TimeoutSeconds) * time.Second, Pause: proposePause, Wait: o.Wait, Note: note,
		Objectives: ProposeObjectives(plan), Features: ProposeFeatures(plan),
	}
	if service.Secret != "" {
		options.Authorization = func() (string, error) { return o.header(service) }
	}
	return options
}

// header is the header of a service. Its Secret names the service: who may write a URL into a sweep need
// not be one who may read the Secret.
func (o ProposeOptions) header(service *experiment.Proposer) (string, error) {
	read := func(name string) string {
		raw, err := os.ReadFile(filepath.Join(o.SecretFolder, name))
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(raw))
	}
	header, stated := read(HeaderFile), read(OriginFile)
	switch {
	case header == "":
		return "", fmt.Errorf("the Secret %s does not exist, or has no text under the key %s", service.Secret, service.Key)
	case stated == "":
		return "", fmt.Errorf("the Secret %s does not say for which service it is: add the key %s with %s", service.Secret, OriginFile, originOf(service.URL))
	case originOf(stated) == "" || originOf(stated) != originOf(service.URL):
		return "", fmt.Errorf("the Secret %s is for another service than %s: its key %s must be equal", service.Secret, originOf(service.URL), OriginFile)
	}
	return header, nil
}

// originOf is the scheme, the host and the port of a URL; "" if it has none.
func originOf(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" {
		return ""
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// ProposeObjectives are the objectives of a plan as a proposer receives them.
func ProposeObjectives(plan *experiment.Plan) []propose.Objective {
	var all []propose.Objective
	for _, o := range plan.Objectives {
		all = append(all, propose.Objective{Metric: o.Metric, Maximize: o.Direction == v1alpha1.Maximize})
	}
	return all
}

// ProposeFeatures are the features of a plan as a proposer receives them.
func ProposeFeatures(plan *experiment.Plan) []string {
	var all []string
	for _, f := range plan.Search.Features {
		all = append(all, f.Metric)
	}
	return all
}

// journal makes the object that holds answers, and a reference to it.
func (w *Owner) journal(entries []propose.Entry) (*corev1.ConfigMap, store.Reference) {
	packed, raw := propose.Pack(entries)
	reference := store.Reference{Rows: len(entries), SHA256: experiment.Digest(raw)}
	cm := w.configMap(0, 0, reference.SHA256)
	cm.Labels = maps.Clone(cm.Labels)
	cm.Labels[labelComponent] = ComponentJournal
	cm.BinaryData = map[string][]byte{store.ProposalsKey: packed}
	reference.Name = cm.Name
	return cm, reference
}
