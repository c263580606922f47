// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/pkg/verdict"
)

// OpenAnnotation with the value "true" on a run or a sweep lets everyone who reaches the server for
// Flagger learn whether it passed. Without it the server answers as if there were no such object.
const OpenAnnotation = "sim.windtunnel.dev/open-verdict"

// maxBody bounds the body of a webhook.
const maxBody = 64 << 10

// Keys of the metadata of a webhook.
const (
	metadataSweep  = "sweep"
	metadataRun    = "run"
	metadataDigest = digestParameter
	metadataStep   = stepParameter
)

var metadataKeys = []string{metadataRun, metadataDigest, metadataStep, metadataSweep}

// Flagger answers webhooks of Flagger. Flagger takes a status of up to 202 for yes and all others
// for no, and shows the body of a no in an event. Its requests name no user, so an answer has
// neither figures nor names of gates, and is about objects only whose owner annotates them.
type Flagger struct {
	// Live reads from the API server.
	Live client.Reader
}

// Mount adds the paths to a mux:
//
//	POST /flagger/confirm-rollout   yes when there is a verdict of Pass or Fail
//	POST /flagger/pre-rollout       yes when the verdict is Pass
func (f Flagger) Mount(mux *http.ServeMux) {
	only(mux, http.MethodPost, "/flagger/confirm-rollout", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.serve(w, r, http.StatusConflict, func(o verdict.Outcome) bool { return o == verdict.Pass || o == verdict.Fail })
	}))
	only(mux, http.MethodPost, "/flagger/pre-rollout", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.serve(w, r, http.StatusPreconditionFailed, func(o verdict.Outcome) bool { return o == verdict.Pass })
	}))
}

// serve answers yes for some outcomes, and with a status of no for the others. No status is 429 or
// above 499, of which Flagger does not show the body.
func (f Flagger) serve(w http.ResponseWriter, r *http.Request, no int, yes func(verdict.Outcome) bool) {
	answer := func(code int, format string, of ...any) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(code)
		_, _ = fmt.Fprintf(w, "windtunnel: "+format, of...) // the client has gone away
	}
	q, err := readQuestion(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		answer(http.StatusBadRequest, "%v", err)
		return
	}
	outcome, err := f.outcome(r, q)
	switch {
	case errors.Is(err, errMissing):
		answer(http.StatusNotFound, "there is no %s with the annotation %s", q, OpenAnnotation)
	case errors.As(err, new(unfinishedError)):
		answer(no, "%s has no verdict yet", q)
	case errors.As(err, new(otherFileError)):
		answer(no, "the verdict of %s is not about this EPP file", q)
	case errors.As(err, new(otherStepError)):
		answer(http.StatusBadRequest, "%s has no step %d", q, q.step)
	case err != nil:
		logr.FromContextOrDiscard(r.Context()).Error(err, "The verdict cannot be read", "of", q.String())
		answer(no, "the cluster does not answer")
	case !yes(outcome):
		answer(no, "the verdict of %s is %s", q, outcome.Word())
	default:
		answer(http.StatusOK, "the verdict of %s is %s", q, outcome.Word())
	}
}

// outcome is that of an object whose owner lets everyone know it.
func (f Flagger) outcome(r *http.Request, q question) (verdict.Outcome, error) {
	o, err := read(r.Context(), f.Live, q.resource, q.ObjectKey)
	if err != nil {
		return "", err
	}
	if o.GetAnnotations()[OpenAnnotation] != "true" {
		return "", errMissing
	}
	v, err := o.verdictOn(q.demand)
	if err != nil {
		return "", err
	}
	return v.outcome(), nil
}

// question is what a webhook asks: the object, in the namespace of the Canary.
type question struct {
	client.ObjectKey
	demand
	resource string
}

func (q question) String() string {
	return strings.TrimSuffix(q.resource, "s") + " " + q.ObjectKey.String()
}

// readQuestion reads the body of a webhook.
func readQuestion(body io.Reader) (question, error) {
	var payload struct {
		Namespace string            `json:"namespace"`
		Metadata  map[string]string `json:"metadata"`
	}
	if err := json.NewDecoder(body).Decode(&payload); err != nil {
		return question{}, errors.New("the body is not one of Flagger's")
	}
	for key := range payload.Metadata {
		if !slices.Contains(metadataKeys, key) {
			return question{}, fmt.Errorf("the metadata of the webhook may have %s only", strings.Join(metadataKeys, ", "))
		}
	}
	q := question{ObjectKey: client.ObjectKey{Namespace: payload.Namespace, Name: payload.Metadata[metadataSweep]}, resource: sweeps}
	if q.Name == "" {
		q.Name, q.resource = payload.Metadata[metadataRun], runs
	} else if payload.Metadata[metadataRun] != "" {
		return question{}, errors.New("the metadata of the webhook must have one of run and sweep")
	}
	q.digest = payload.Metadata[metadataDigest]
	switch {
	case q.Name == "":
		return question{}, errors.New("the metadata of the webhook must have run or sweep, with the name of the object")
	case q.Namespace == "":
		return question{}, errors.New("the body has no namespace")
	case q.digest != "" && !isDigest.MatchString(q.digest):
		return question{}, fmt.Errorf("%s in the metadata must be 64 hexadecimal digits in lower case", metadataDigest)
	}
	var err error
	if step, asked := payload.Metadata[metadataStep]; asked {
		q.step, err = parseStep(step)
	}
	return q, err
}
