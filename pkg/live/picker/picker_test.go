// SPDX-License-Identifier: Apache-2.0

package picker

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/live/epp"
	"windtunnel.dev/windtunnel/pkg/live/epp/epptest"
)

// config is a profile without chance: the first of the endpoints with the highest score.
const config = `
apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: queue-scorer
- type: max-score-picker
- type: single-profile-handler
schedulingProfiles:
- name: default
  plugins:
  - pluginRef: queue-scorer
  - pluginRef: max-score-picker
`

// endpoint is where the EPP sends everything. Nothing listens there.
const endpoint = "127.0.0.1:8001"

func startEPP(t *testing.T) *epp.Process {
	t.Helper()
	return epptest.Start(t, config, []epp.Endpoint{{Name: "replica-0", Address: netip.MustParseAddrPort(endpoint)}})
}

func realEPP(t *testing.T) *Client {
	t.Helper()
	return newClient(t, startEPP(t).Address)
}

func withoutEndpoints(t *testing.T) *Client {
	t.Helper()
	return newClient(t, epptest.Start(t, config, nil).Address)
}

// completion is a request with an ID of its own: the EPP makes a random one otherwise.
func completion(body string) Request {
	return Request{
		Path: "/v1/completions", Body: []byte(body),
		Header: http.Header{"Content-Type": {"application/json"}, "X-Request-Id": {"request-7"}, "X-Llm-D-Inference-Fairness-Id": {"team"}},
	}
}

const prompt = `{"model":"llama","prompt":"Four words of text","max_tokens":2,"stream":true}`

// events are an answer of two tokens.
var events = []string{
	"data: {\"id\":\"cmpl-7\",\"model\":\"llama\",\"choices\":[{\"index\":0,\"text\":\"four\",\"finish_reason\":null}]}\n\n",
	"data: {\"id\":\"cmpl-7\",\"model\":\"llama\",\"choices\":[{\"index\":0,\"text\":\"more\",\"finish_reason\":\"length\"}]}\n\n",
	"data: {\"id\":\"cmpl-7\",\"model\":\"llama\",\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":2,\"total_tokens\":7}}\n\ndata: [DONE]\n\n",
}

// answer tells the EPP of the answer, whose headers are returned.
func answer(t *testing.T, e *Exchange) http.Header {
	t.Helper()
	header, err := e.ResponseHeader(http.StatusOK, http.Header{"Content-Type": {"text/event-stream"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, event := range events {
		if err := e.ResponseBody([]byte(event)); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.End(); err != nil {
		t.Fatal(err)
	}
	return header
}

func TestTheEPPChoosesAnEndpointAndHearsOfTheAnswer(t *testing.T) {
	c := session(t, "answered", realEPP)
	e, err := c.Pick(t.Context(), completion(prompt))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if diff := cmp.Diff([]string{endpoint}, e.Endpoints); diff != "" {
		t.Errorf("endpoints (−want +got):\n%s", diff)
	}
	if got := string(e.Body); got != prompt {
		t.Errorf("the body is %s", got)
	}
	if got := e.Header.Get("X-Llm-D-Inference-Fairness-Id"); got != "team" {
		t.Errorf("the fairness ID is %q", got)
	}
	if got := answer(t, e).Get("X-Went-Into-Resp-Headers"); got != "true" {
		t.Errorf("the EPP's mark on the answer is %q", got)
	}
}

func TestTheEPPRejects(t *testing.T) {
	for name, tc := range map[string]struct {
		session string
		start   func(*testing.T) *Client
		body    string
		want    Rejection
	}{
		"a body that is not JSON": {"rejected-body", realEPP, `{`, Rejection{
			Code: 400, Text: "inference error: BadRequest - error unmarshaling request bodyMap: unexpected end of JSON input",
		}},
		"a request that no endpoint can serve": {"rejected-no-endpoints", withoutEndpoints, prompt, Rejection{
			Code: 503, Text: "inference error: ServiceUnavailable - failed to find endpoint candidates for serving the request",
			Reason: "rejected-no-endpoints",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := session(t, tc.session, tc.start).Pick(t.Context(), completion(tc.body))
			var got *Rejection
			if !errors.As(err, &got) {
				t.Fatalf("the error is %v", err)
			}
			if diff := cmp.Diff(&tc.want, got); diff != "" {
				t.Errorf("rejection (−want +got):\n%s", diff)
			}
		})
	}
}

func TestTheEPPTellsWhenItChoseAndCountedTheEnd(t *testing.T) {
	p := startEPP(t)
	asked := time.Now()
	e, err := newClient(t, p.Address).Pick(t.Context(), completion(prompt))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	answered := time.Now()
	answer(t, e)
	p.Stop()
	told := p.Moments.ByRequest()["request-7"]
	if told.Chosen.Before(asked) || told.Chosen.After(answered) || told.Ended.Before(answered) {
		t.Errorf("asked at %v and answered at %v, the EPP tells %+v", asked, answered, told)
	}
}

func TestALargeBodyComesBackWhole(t *testing.T) {
	long := `{"model":"llama","prompt":"` + strings.Repeat("word", 50_000) + `"}`
	e, err := realEPP(t).Pick(t.Context(), completion(long))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if string(e.Body) != long {
		t.Errorf("a body of %d bytes comes back as %d", len(long), len(e.Body))
	}
}

// awaitRunning waits until the EPP counts a number of requests as in flight, which it does in its
// own time.
func awaitRunning(t *testing.T, p *epp.Process, want string) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; {
		got := ""
		for line := range strings.Lines(epptest.Metrics(t, p.Metrics)) {
			if strings.HasPrefix(line, "llm_d_epp_request_running{") {
				got = strings.TrimSpace(line[strings.LastIndex(line, " "):])
			}
		}
		if got == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the EPP has %q requests in flight, want %s", got, want)
		}
	}
}

func TestAnEndedRequestIsNotInFlight(t *testing.T) {
	for name, end := range map[string]func(*testing.T, *Exchange){
		"answered": func(t *testing.T, e *Exchange) { answer(t, e) },
		"given up": func(_ *testing.T, e *Exchange) { e.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			p := startEPP(t)
			e, err := newClient(t, p.Address).Pick(t.Context(), completion(prompt))
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			awaitRunning(t, p, "1")
			end(t, e)
			awaitRunning(t, p, "0")
		})
	}
}

func TestARequestEndsWithItsContext(t *testing.T) {
	c := realEPP(t)
	gaveUp := errors.New("gave up")
	ctx, cancel := context.WithCancelCause(t.Context())
	e, err := c.Pick(ctx, completion(prompt))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	cancel(gaveUp)
	<-e.Context().Done()
	if _, err := e.ResponseHeader(http.StatusOK, nil); !errors.Is(err, gaveUp) {
		t.Errorf("the error is %v", err)
	}
}
