// SPDX-License-Identifier: Apache-2.0

package worker

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/propose"
	"windtunnel.dev/windtunnel/pkg/search"
)

// askingFolder is what a pod that asks a service has mounted.
func askingFolder(t *testing.T, url string) (folder, planHash string) {
	t.Helper()
	plan := experimenttest.MustCompileSweep(t, experimenttest.EvolvingSweep(t, func(s *v1alpha1.PolicySweep) {
		s.Spec.Parameters[0].Evolve.Proposer = &v1alpha1.Proposer{
			URL: url, TimeoutSeconds: 5, HeaderSecretRef: &v1alpha1.ProposerSecretReference{Name: "windtunnel-proposer", Key: "token"},
		}
	})).Plan
	owner := jsontest.Encode(t, Owner{Namespace: "team-a", Prefix: "job", Labels: map[string]string{labelComponent: "result"}})
	first := plan.Evolving().First
	inquiries, _ := propose.Pack(Inquiries{Round: 1, Inquiries: []search.Inquiry{
		{Generation: 1, Count: 3, Parents: []search.Parent{{Value: first, Losses: []float64{1, 2}, Features: []float64{0.5}}}},
		{Generation: 1, Island: 1, Count: 3, Parents: []search.Parent{{Value: first, Losses: []float64{1, 2}, Features: []float64{0.5}}}},
	}})
	folder = t.TempDir()
	for name, raw := range map[string][]byte{PlanFile: plan.Encode(), OwnerFile: owner, InquiriesFile: inquiries, HeaderFile: []byte("Bearer x\n"), OriginFile: []byte(url + "\n")} {
		testfile.Write(t, filepath.Join(folder, name), raw)
	}
	return folder, plan.Hash()
}

func asking(t *testing.T, folder string) (*recordingCreator, store.Report, error) {
	t.Helper()
	c := &recordingCreator{}
	report, err := Propose(t.Context(), ProposeOptions{PlanFolder: folder, RoundFolder: folder, SecretFolder: folder, Wait: func(context.Context, time.Duration) {}}, c)
	return c, report, err
}

func TestAPodAsksAndReportsTheAnswers(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer x" {
			t.Errorf("the header is %q", r.Header.Get("Authorization"))
		}
		_, _ = io.WriteString(w, `{"policies": [{"language": "starlark", "policy": "x"}]}`)
	}))
	defer service.Close()
	folder, hash := askingFolder(t, service.URL)
	c, report, err := asking(t, folder)
	if err != nil || len(c.created) != 1 {
		t.Fatalf("%v: %d ConfigMaps", err, len(c.created))
	}
	cm := c.created[0]
	var entries []propose.Entry
	raw, err := propose.Unpack(cm.BinaryData[store.ProposalsKey], &entries)
	if err != nil || len(entries) != 2 || len(entries[1].Policies) != 1 || entries[1].Island != 1 {
		t.Fatalf("%v: entries %+v", err, entries)
	}
	want := store.Report{PlanHash: hash, Round: 1, Results: &store.Reference{Name: "job-0-0-" + experiment.Digest(raw)[:8], Rows: 2, SHA256: experiment.Digest(raw)}}
	if diff := cmp.Diff(want, report); diff != "" || cm.Name != want.Results.Name || cm.Labels[labelComponent] != ComponentJournal || !*cm.Immutable {
		t.Errorf("ConfigMap %s, labels %v, report (−want +got):\n%s", cm.Name, cm.Labels, diff)
	}
}

func TestAPodWithoutTheSecretSaysSo(t *testing.T) {
	folder, _ := askingFolder(t, "http://127.0.0.1:1")
	if err := os.Remove(filepath.Join(folder, HeaderFile)); err != nil {
		t.Fatal(err)
	}
	c, _, err := asking(t, folder)
	if err != nil {
		t.Fatal(err)
	}
	var entries []propose.Entry
	if _, err := propose.Unpack(c.created[0].BinaryData[store.ProposalsKey], &entries); err != nil {
		t.Fatal(err)
	}
	if want := "the Secret windtunnel-proposer does not exist, or has no text under the key token"; entries[0].Error != want {
		t.Errorf("error %q, want %q", entries[0].Error, want)
	}
}

// A Secret is sent to the service that it names, and to no other one.
func TestASecretIsForOneService(t *testing.T) {
	for _, tc := range []struct{ origin, url, want string }{
		{"https://p.example", "https://p.example/propose?x=1", ""},
		{"https://P.example:443/", "https://p.example", ""},
		{"http://p.example:80", "http://p.example/a", ""},
		{"http://[::1]:8080", "http://[::1]:8080/", ""},
		{"", "https://p.example", "does not say for which service it is: add the key origin with https://p.example:443"},
		{"p.example", "https://p.example", "is for another service than https://p.example:443"},
		{"https://p.example", "http://p.example", "is for another service"}, // the header would be plain text
		{"https://p.example", "https://p.example:8443", "is for another service"},
		{"https://p.example", "https://p.example.evil", "is for another service"},
		{"https://p.example", "https://evil/p.example", "is for another service"},
		{"://", "https://p.example", "is for another service"},
	} {
		folder := t.TempDir()
		for name, text := range map[string]string{HeaderFile: "Bearer x", OriginFile: tc.origin} {
			testfile.Write(t, filepath.Join(folder, name), []byte(text))
		}
		header, err := ProposeOptions{SecretFolder: folder}.header(&experiment.Proposer{URL: tc.url, Secret: "windtunnel-proposer", Key: "token"})
		if tc.want == "" && (err != nil || header != "Bearer x") || tc.want != "" && (err == nil || header != "" || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("a Secret for %q and %s: %q, %v, want %q", tc.origin, tc.url, header, err, tc.want)
		}
	}
}

func TestAPodThatCannotAsk(t *testing.T) {
	for name, spoil := range map[string]func(folder string) error{
		"no inquiries": func(folder string) error { return os.Remove(filepath.Join(folder, InquiriesFile)) },
		"other inquiries": func(folder string) error {
			return os.WriteFile(filepath.Join(folder, InquiriesFile), []byte("x"), 0o600)
		},
		"a plan that is none": func(folder string) error { return os.WriteFile(filepath.Join(folder, PlanFile), []byte("{}"), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			folder, _ := askingFolder(t, "http://127.0.0.1:1")
			if err := spoil(folder); err != nil {
				t.Fatal(err)
			}
			c, report, err := asking(t, folder)
			if !errors.Is(err, ErrBadInput) || report.Error == "" || len(c.created) > 0 {
				t.Errorf("error %v, report %+v, %d ConfigMaps", err, report, len(c.created))
			}
		})
	}
}
