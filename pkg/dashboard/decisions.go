// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/archive"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/kubectl"
)

// mostDecisionBytes bounds the stored decisions of a seed. The manager stores a quarter of it at most.
const mostDecisionBytes = 64 << 20

// stored are the stored decisions of a seed.
func (r *reading) stored(seed int64) (*execute.Stored, error) {
	end, err := r.turn()
	if err != nil {
		return nil, err
	}
	defer end()
	stored := &execute.Stored{Seed: &seed, MostBytes: mostDecisionBytes}
	for _, p := range r.Decisions {
		if err := stored.Add(p); err != nil {
			return nil, archive.NewFault(fmt.Errorf("the stored decisions cannot be read: %w", err))
		}
	}
	return stored, nil
}

// complaint is what makes a request one of the worst: what a gate judges that does not pass, or else
// a late first token. So has it kubectl windtunnel explain.
func (r *reading) complaint() execute.Complaint {
	open := slices.ContainsFunc(r.object.Status.Gates, func(g v1alpha1.GateStatus) bool {
		return g.Verdict == v1alpha1.GateFail || g.Verdict == v1alpha1.GateUnknown
	})
	if !open || len(r.Deciding) == 0 {
		return execute.LateFirstToken
	}
	return execute.ComplaintOf(r.Deciding[0].String())
}

// requestRow is a request in a list.
type requestRow struct {
	Request                                     int
	Path                                        string
	Arrival, Tenant, Class, Endpoint, TTFT, E2E string
	Prompt                                      int
	Ended                                       string
}

// requests fills in the requests with stored decisions, the worst first.
func (s *seedView) requests(stored *execute.Stored, by execute.Complaint, path string) {
	worst := stored.Worst(by, len(stored.Decisions))
	s.By, s.Stored, s.LeftOut = kubectl.ComplaintWords(by), len(worst), stored.LeftOut
	for _, d := range worst[:min(len(worst), mostRequests)] {
		s.Requests = append(s.Requests, rowOfRequest(d, stored.Story(d.Seed, d.Request.ID).Outcome.Ended, path))
	}
}

func rowOfRequest(d *execute.RoutingRecord, ended, path string) requestRow {
	row := requestRow{
		Request: d.Request.ID, Path: path + "/requests/" + strconv.Itoa(d.Request.ID), Arrival: strconv.FormatFloat(d.Request.ArrivalSeconds, 'f', 3, 64) + " s",
		Tenant: d.Tenant, Class: d.Class, Prompt: d.Request.PromptTokens, Endpoint: endpointOf(d), TTFT: "–", E2E: "–", Ended: ended,
	}
	if o := d.Outcome; o != nil {
		row.TTFT, row.E2E = millisecondsText(o.TTFTSeconds), millisecondsText(o.E2ESeconds)
	}
	return row
}

func endpointOf(d *execute.RoutingRecord) string {
	if d.Endpoint == nil {
		return "–"
	}
	if d.Outcome != nil && d.Outcome.Rank != "" {
		return d.Outcome.Rank
	}
	return d.Names[*d.Endpoint]
}

func millisecondsText(seconds *float64) string {
	if seconds == nil {
		return "–"
	}
	return strconv.FormatFloat(*seconds*1000, 'f', 1, 64) + " ms"
}

// requestView is what the template of a request reads.
type requestView struct {
	layout
	*Object
	Point, Request int
	Seed           int64
	Story          string
	Explain        explanation
}

// request shows why a request went where it went, and what came of it.
func (r *reading) request() error {
	point, _, err := r.pointOf()
	if err != nil {
		return err
	}
	seed, err := strconv.ParseInt(r.PathValue("seed"), 10, 64)
	if err != nil {
		return ErrNotFound
	}
	number, err := strconv.Atoi(r.PathValue("request"))
	if err != nil {
		return ErrNotFound
	}
	stored, err := r.stored(seed)
	if err != nil {
		return err
	}
	story := stored.Story(seed, number)
	if story == nil {
		return ErrNotFound
	}
	var text bytes.Buffer
	if err := story.Table(&text); err != nil {
		return err
	}
	q := &requestView{
		layout: r.layout(fmt.Sprintf("Request %d", number), ""), Object: r.object, Point: point, Request: number, Seed: seed,
		Story: text.String(), Explain: r.explanation(point, seed),
	}
	q.Trail = append(append(q.Trail, link{r.object.Name, r.object.path()}), link{fmt.Sprintf("Seed %d", seed), r.object.seedPath(point, seed)})
	return r.render(requestTemplate(), q)
}
