// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/result"
)

// mostDecisionBytes bounds what a chunk's decisions come to when they are unpacked.
const mostDecisionBytes = 64 << 20

// kept is the decisions that were kept of a seed.
type kept struct {
	// stories are those of each request, in the order in which they were made.
	stories map[int][]*execute.Decision
	leftOut int
}

// keptDecisions unpacks the decisions of a seed.
func keptDecisions(packed [][]byte, seed int64) (*kept, error) {
	k := &kept{stories: map[int][]*execute.Decision{}}
	for _, p := range packed {
		z, err := gzip.NewReader(bytes.NewReader(p))
		if err != nil {
			return nil, fmt.Errorf("kept decisions: %w", err)
		}
		for d := json.NewDecoder(io.LimitReader(z, mostDecisionBytes)); d.More(); {
			var line json.RawMessage
			if err := d.Decode(&line); err != nil {
				return nil, fmt.Errorf("kept decisions: %w", err)
			}
			if err := k.add(line, seed); err != nil {
				return nil, fmt.Errorf("kept decisions: %w", err)
			}
		}
	}
	return k, nil
}

// add takes a line if it is a decision of the seed.
func (k *kept) add(line []byte, seed int64) error {
	var head struct {
		Seed    int64  `json:"seed"`
		Record  string `json:"record"`
		LeftOut int    `json:"leftOut"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return err
	}
	if head.Seed != seed || head.Record != "" && head.Record != string(result.RoutingKind) {
		return nil
	}
	if head.LeftOut > 0 {
		k.leftOut += head.LeftOut
		return nil
	}
	d := &execute.Decision{}
	if err := json.Unmarshal(line, d); err != nil {
		return err
	}
	if d.Explanation != nil {
		k.stories[d.Request.ID] = append(k.stories[d.Request.ID], d)
	}
	return nil
}

// requestRow is a request in a list.
type requestRow struct {
	Request                                     int
	Path                                        string
	Arrival, Tenant, Class, Endpoint, TTFT, E2E string
	Prompt                                      int
	Ended                                       string
	// bad is greater for those to look at first.
	bad float64
}

// rows are the requests, the worst first: those that did not complete, then the slowest.
func (k *kept) rows(path string) []requestRow {
	var rows []requestRow
	for _, request := range slices.Sorted(maps.Keys(k.stories)) {
		story := k.stories[request]
		d := story[len(story)-1]
		row := requestRow{
			Request: request, Path: path + "/requests/" + strconv.Itoa(request), Arrival: strconv.FormatFloat(d.Request.ArrivalSeconds, 'f', 3, 64) + " s",
			Tenant: d.Tenant, Class: d.Class, Prompt: d.Request.PromptTokens, Endpoint: endpointOf(d), TTFT: "–", E2E: "–", Ended: outcomeOf(d).Ended,
		}
		if o := d.Outcome; o != nil {
			row.TTFT, row.E2E = millisecondsText(o.TTFTSeconds), millisecondsText(o.E2ESeconds)
			if o.TTFTSeconds != nil {
				row.bad = *o.TTFTSeconds
			}
		}
		if row.Ended != "completed" {
			row.bad += 1e9
		}
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b requestRow) int { return cmp.Compare(b.bad, a.bad) })
	return rows[:min(len(rows), mostRequests)]
}

func endpointOf(d *execute.Decision) string {
	if d.Endpoint == nil || *d.Endpoint >= len(d.Names) {
		return "–"
	}
	return d.Names[*d.Endpoint]
}

func millisecondsText(seconds *float64) string {
	if seconds == nil {
		return "–"
	}
	return strconv.FormatFloat(*seconds*1000, 'f', 1, 64) + " ms"
}

// outcomeOf is what became of the request of a decision in the end.
func outcomeOf(d *execute.Decision) execute.RequestOutcome {
	switch o := d.Outcome; {
	case d.Rejected != "" || d.Error != "":
		return execute.RequestOutcome{Ended: "rejected", Reason: d.Rejected}
	case o == nil:
		return execute.RequestOutcome{Ended: "unfinished"}
	case o.Ended != "completed" || o.TTFTSeconds == nil || o.E2ESeconds == nil || o.OutputTokens == nil:
		return execute.RequestOutcome{Ended: o.Ended}
	default:
		return execute.RequestOutcome{
			Ended: o.Ended, TTFTSeconds: *o.TTFTSeconds, E2ESeconds: *o.E2ESeconds, OutputTokens: *o.OutputTokens,
			CachedTokens: o.GPUTokens + o.CPUTokens + o.StorageTokens + o.RemoteTokens,
		}
	}
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
	kept, err := keptDecisions(r.Decisions, seed)
	if err != nil {
		return err
	}
	decisions := kept.stories[number]
	if len(decisions) == 0 {
		return ErrNotFound
	}
	story := execute.RequestStory{Decisions: decisions, Outcome: outcomeOf(decisions[len(decisions)-1])}
	var text bytes.Buffer
	if err := story.Table(&text); err != nil {
		return err
	}
	q := &requestView{
		layout: r.layout(fmt.Sprintf("Request %d", number), ""), Object: r.object, Point: point, Request: number, Seed: seed,
		Story: text.String(), Explain: r.explanation(point, seed),
	}
	q.Trail = append(append(q.Trail, link{r.object.Name, r.object.path()}), link{fmt.Sprintf("Seed %d", seed), r.object.seedPath(point, seed)})
	return r.render(requestTemplate, q)
}
