// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/access"
)

// Subresource is the right that a reader of verdicts alone has: get of policysweeps/verdict and of
// simulationruns/verdict. Who may get the object may read its verdict too.
const Subresource = "verdict"

// retryAfter is when a client may ask again for what is not finished, in seconds.
const retryAfter = "10"

// Parameters of a query: digestParameter demands that the EPP file under judgement has a digest, and
// stepParameter asks how the steps of a rollout stand up to a share of the traffic, in percent.
const (
	digestParameter = "sha256"
	stepParameter   = "step"
)

var isDigest = regexp.MustCompile(`^[0-9a-f]{64}$`)

// Handler answers with the verdict of one object:
//
//	GET /apis/sim.windtunnel.dev/v1alpha1/namespaces/NAMESPACE/policysweeps/NAME/verdict
//	GET /apis/sim.windtunnel.dev/v1alpha1/namespaces/NAMESPACE/simulationruns/NAME/verdict
//
// The API server does not have these paths, but roles give rights to them as if it had.
type Handler struct {
	// Guard says who may read what.
	Guard *access.Guard
	// Live reads from the API server.
	Live client.Reader
}

// Mount adds the paths to a mux.
func (h Handler) Mount(mux *http.ServeMux) {
	for _, resource := range []string{sweeps, runs} {
		path := "/apis/" + v1alpha1.GroupVersion.String() + "/namespaces/{namespace}/" + resource + "/{name}/" + Subresource
		only(mux, http.MethodGet, path, h.Guard.Authenticated(access.Bearer, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			h.serve(w, r, resource)
		})))
	}
}

// only serves one method of a path, and refuses the others. A mux that serves all other paths, too,
// would take a refused method for one of these.
func only(mux *http.ServeMux, method, path string, next http.Handler) {
	allowed := method
	if method == http.MethodGet {
		allowed += ", " + http.MethodHead
	}
	mux.Handle(method+" "+path, next)
	mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", allowed)
		refuse(w, http.StatusMethodNotAllowed, metav1.StatusReasonMethodNotAllowed, r.Method+" is not allowed, only "+allowed)
	})
}

func (h Handler) serve(w http.ResponseWriter, r *http.Request, resource string) {
	key := client.ObjectKey{Namespace: r.PathValue("namespace"), Name: r.PathValue("name")}
	asked, err := demanded(r.URL.RawQuery)
	if err != nil {
		refuse(w, http.StatusBadRequest, metav1.StatusReasonBadRequest, err.Error())
		return
	}
	may, err := h.Guard.May(r.Context(), access.UserOf(r.Context()), right(resource, key, ""), right(resource, key, Subresource))
	if err != nil {
		access.Refuse(w, r, err)
		return
	}
	var v *Answer
	if err = errMissing; may {
		v, err = h.verdict(r, resource, key, asked)
	}
	if err != nil {
		refuseFor(w, r, resource+" "+key.String(), err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the client has gone away
}

func right(resource string, key client.ObjectKey, subresource string) access.Right {
	return access.Right{
		Verb: "get", Group: v1alpha1.GroupVersion.Group, Resource: resource, Subresource: subresource, Namespace: key.Namespace, Name: key.Name,
	}
}

func (h Handler) verdict(r *http.Request, resource string, key client.ObjectKey, asked demand) (*Answer, error) {
	o, err := read(r.Context(), h.Live, resource, key)
	if err != nil {
		return nil, err
	}
	return o.verdictOn(asked)
}

// demanded reads the query of a request.
func demanded(query string) (demand, error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return demand{}, errors.New("the query is not well formed")
	}
	d := demand{digest: values.Get(digestParameter)}
	for name, all := range values {
		switch {
		case name == stepParameter && len(all) == 1:
			if d.step, err = parseStep(all[0]); err != nil {
				return demand{}, err
			}
		case name == stepParameter:
			return demand{}, fmt.Errorf("%s must be one step", stepParameter)
		case name != digestParameter:
			return demand{}, fmt.Errorf("the query may have %s and %s only", digestParameter, stepParameter)
		case len(all) != 1 || !isDigest.MatchString(all[0]):
			return demand{}, fmt.Errorf("%s must be one digest of 64 hexadecimal digits in lower case", digestParameter)
		}
	}
	return d, nil
}

// parseStep reads the share of a step, in percent.
func parseStep(text string) (int32, error) {
	percent, err := strconv.ParseInt(text, 10, 32)
	if err != nil || percent < 1 || percent > 100 {
		return 0, fmt.Errorf("%s must be a percentage from 1 to 100, such as 25", stepParameter)
	}
	return int32(percent), nil
}

// refuseFor answers why there is no verdict.
func refuseFor(w http.ResponseWriter, r *http.Request, of string, err error) {
	var unfinished unfinishedError
	var other otherFileError
	switch {
	case errors.Is(err, errMissing):
		refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound, of+": "+err.Error())
	case errors.As(err, new(otherStepError)):
		refuse(w, http.StatusBadRequest, metav1.StatusReasonBadRequest, err.Error())
	case errors.As(err, &other):
		refuse(w, http.StatusConflict, metav1.StatusReasonConflict, err.Error())
	case errors.As(err, &unfinished):
		w.Header().Set("Retry-After", retryAfter)
		refuse(w, http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable, "there is no verdict yet: "+err.Error())
	default:
		logr.FromContextOrDiscard(r.Context()).Error(err, "The verdict cannot be read", "of", of)
		w.Header().Set("Retry-After", retryAfter)
		refuse(w, http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable, "the cluster does not answer; try again")
	}
}

// refuse answers with an error in the form that the API server has.
func refuse(w http.ResponseWriter, code int, reason metav1.StatusReason, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(metav1.Status{ // the client has gone away
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status:   metav1.StatusFailure, Message: message, Reason: reason, Code: int32(code),
	})
}
