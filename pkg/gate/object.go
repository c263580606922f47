// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
)

// errMissing says that an object does not exist, or not for whoever asks.
var errMissing = errors.New("not found, or you may not read it")

// The resources that have verdicts.
const (
	sweeps = "policysweeps"
	runs   = "simulationruns"
)

// object is a run or a sweep.
type object struct {
	client.Object
	status *v1alpha1.CommonStatus
	// judged is the EPP file that a rollout would ship: that of the proposal, or of the
	// backend that a rollout moves traffic to, else of the scenario.
	judged *v1alpha1.EndpointPickerConfig
	// steps are those of a sweep with a rollout.
	steps []v1alpha1.StepStatus
}

// condition returns a condition that is about the present spec.
func (o *object) condition(kind string) *metav1.Condition {
	c := meta.FindStatusCondition(o.status.Conditions, kind)
	if c == nil || c.ObservedGeneration != o.GetGeneration() {
		return nil
	}
	return c
}

// readTimeout bounds the read of an object.
const readTimeout = 2 * time.Second

// read returns an object of a resource. The manager's role lets it list sweeps and not get one.
func read(ctx context.Context, live client.Reader, resource string, key client.ObjectKey) (*object, error) {
	if len(validation.IsDNS1123Label(key.Namespace)) > 0 || len(validation.IsDNS1123Subdomain(key.Name)) > 0 {
		return nil, errMissing
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	only := []client.ListOption{client.InNamespace(key.Namespace), client.MatchingFields{"metadata.name": key.Name}}
	var found []*object
	var err error
	switch resource {
	case sweeps:
		var list v1alpha1.PolicySweepList
		err = live.List(ctx, &list, only...)
		for i := range list.Items {
			found = append(found, ofSweep(&list.Items[i]))
		}
	case runs:
		var list v1alpha1.SimulationRunList
		err = live.List(ctx, &list, only...)
		for i := range list.Items {
			found = append(found, ofRun(&list.Items[i]))
		}
	}
	switch {
	case apierrors.IsForbidden(err) || apierrors.IsNotFound(err): // a namespace that is not the manager's
		return nil, errMissing
	case err != nil:
		return nil, err
	case len(found) == 0 || found[0].GetDeletionTimestamp() != nil:
		return nil, errMissing
	}
	return found[0], nil
}

func ofSweep(s *v1alpha1.PolicySweep) *object {
	o := &object{Object: s, status: &s.Status.CommonStatus, judged: &s.Spec.Scenario.Router.EndpointPickerConfig, steps: s.Status.Steps}
	if s.Spec.Proposal != nil {
		o.judged = &s.Spec.Proposal.EndpointPickerConfig
	}
	if s.Spec.Rollout != nil {
		for i := range s.Spec.Scenario.Routers {
			if r := &s.Spec.Scenario.Routers[i]; r.Key() == s.Spec.Rollout.Backend {
				o.judged = &r.EndpointPickerConfig
			}
		}
	}
	return o
}

func ofRun(r *v1alpha1.SimulationRun) *object {
	return &object{Object: r, status: &r.Status.CommonStatus, judged: &r.Spec.Scenario.Router.EndpointPickerConfig}
}

// judges reports whether the EPP file under judgement has a digest: of the text in the spec, or of
// the ConfigMap's as it was when the plan was made.
func (o *object) judges(digest string) bool {
	if text := o.judged.Inline; text != nil {
		sum := sha256.Sum256([]byte(*text))
		return hex.EncodeToString(sum[:]) == digest
	}
	ref := o.judged.ConfigMapRef
	return ref != nil && slices.ContainsFunc(o.status.Inputs, func(in v1alpha1.InputDigest) bool {
		name, key, ok := experiment.ParseConfigMapInput(in.Name)
		return ok && name == ref.Name && (ref.Key == "" || key == ref.Key) && in.SHA256 == digest
	})
}
