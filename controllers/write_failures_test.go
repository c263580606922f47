// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"flag"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// writeFailure is what happens to one write of the manager. carryOut is the write
// itself.
type writeFailure func(p *scenario, o client.Object, verb string, carryOut func() error) error

var anyResource = schema.GroupResource{Resource: "things"}

// refuses is the API server's answer to a write that it does not carry out.
func refuses(err error) writeFailure {
	return func(*scenario, client.Object, string, func() error) error { return err }
}

var writeFailures = map[string]writeFailure{
	"the manager is killed before it": func(p *scenario, _ client.Object, _ string, _ func() error) error {
		p.writesLeft = 0
		return errKilled
	},
	"the manager is killed after it": func(p *scenario, _ client.Object, _ string, carryOut func() error) error {
		p.writesLeft = 0
		return errors.Join(errKilled, carryOut())
	},
	"409 Conflict":          refuses(apierrors.NewConflict(anyResource, "it", errors.New("it has changed"))),
	"429 TooManyRequests":   refuses(apierrors.NewTooManyRequests("busy", 1)),
	"500 InternalError":     refuses(apierrors.NewInternalError(errors.New("etcd has no leader"))),
	"a timeout, not done":   refuses(context.DeadlineExceeded),
	"a timeout, and done":   done(context.DeadlineExceeded),
	"504 Timeout, and done": done(apierrors.NewTimeoutError("too slow", 1)),
	"somebody was faster":   overtaken,
}

// done carries a write out and tells nobody.
func done(err error) writeFailure {
	return func(p *scenario, _ client.Object, _ string, carryOut func() error) error {
		p.must(carryOut())
		return err
	}
}

// overtaken lets somebody else do something to the object just before: of what is
// to be created another owner has an object of its name, what is to be deleted is gone,
// and what is to be patched has changed.
func overtaken(p *scenario, o client.Object, verb string, carryOut func() error) error {
	switch verb {
	case "create":
		p.must(p.client.Create(p.t.Context(), conflictingCopy(o)))
	case "delete":
		p.must(p.client.Delete(p.t.Context(), o.DeepCopyObject().(client.Object)))
	default:
		now := o.DeepCopyObject().(client.Object)
		p.must(p.client.Get(p.t.Context(), client.ObjectKeyFromObject(o), now))
		annotations := map[string]string{"somebody": "was here"}
		maps.Copy(annotations, now.GetAnnotations())
		now.SetAnnotations(annotations)
		p.must(p.client.Update(p.t.Context(), now))
	}
	return carryOut()
}

// conflictingCopy is an object of the same name that belongs to nobody. The workers'
// account may be anybody's.
func conflictingCopy(o client.Object) client.Object {
	copied := o.DeepCopyObject().(client.Object)
	copied.SetUID("")
	switch theirs := copied.(type) {
	case *corev1.ServiceAccount, *rbacv1.RoleBinding:
		return copied
	case *corev1.ConfigMap:
		theirs.Data, theirs.BinaryData = map[string]string{"mine": "all mine"}, nil
	}
	copied.SetOwnerReferences(nil)
	copied.SetLabels(map[string]string{"conflict": "yes"})
	return copied
}

var everyWriteFailureFlag = flag.Bool("write-failures", false, "have every failure at every write; without it, managers are killed at every write and anything else goes wrong at each eighth")

// TestEveryWriteMayGoWrong plays each script as often as the manager writes in it,
// with a failure at another write each time. What there is in the end is what there
// is without one. All of some 2,600 cases take five minutes of a core.
func TestEveryWriteMayGoWrong(t *testing.T) {
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			worked := map[string]shardWork{}
			clean := perform(t, script, worked, func(*scenario) {})
			want := clean.ending(true)
			if clean.refused > 0 || !strings.Contains(want, "Complete=True") {
				t.Fatalf("without a failure, %d reconciles failed:\n%s", clean.refused, want)
			}
			cases := 0
			defer func() { t.Logf("%d cases at %d writes", cases, len(clean.writes)) }()
			for i, what := range slices.Sorted(maps.Keys(writeFailures)) {
				for n := range len(clean.writes) {
					if killed := strings.Contains(what, "killed"); !killed && !*everyWriteFailureFlag && (n+i)%8 != 0 || killed && testing.Short() && n%4 != 0 {
						continue
					}
					cases++
					failure := writeFailures[what]
					got := failNthWrite(t, script, worked, n, failure)
					if diff := cmp.Diff(want, got.ending(true)); diff != "" || got.refused > 1 {
						t.Fatalf("%s, at write %d, %s: %d reconciles failed; the end (-want +got):\n%s", what, n, clean.writes[n], got.refused, diff)
					}
				}
			}
		})
	}
}

// strike plays a script with a failure at the n-th write.
func failNthWrite(t *testing.T, script func(*scenario), worked map[string]shardWork, n int, failure writeFailure) *scenario {
	return perform(t, script, worked, func(p *scenario) {
		p.failWrite = func(o client.Object, verb string, carryOut func() error) error {
			if len(p.writes) != n+1 {
				return carryOut()
			}
			return failure(p, o, verb, carryOut)
		}
	})
}

// TestAJobThatSomebodyStripped takes away from a Job what says whom it serves and
// how: with and without a cache that has it.
func TestAJobThatSomebodyStripped(t *testing.T) {
	for name, strip := range map[string]func(*batchv1.Job){
		"its labels":      func(job *batchv1.Job) { job.Labels = nil },
		"its annotations": func(job *batchv1.Job) { job.Annotations = nil },
	} {
		t.Run(name, func(t *testing.T) {
			sweep := weights().Obj()
			p := perform(t, func(p *scenario) {
				p.enter(sweep)
				job := p.job()
				strip(job)
				p.must(p.client.Update(t.Context(), job))
				p.restart()
				p.rounds(sweep)
			}, nil, func(*scenario) {})
			if p.refused > 0 {
				t.Errorf("%d reconciles failed", p.refused)
			}
		})
	}
}
