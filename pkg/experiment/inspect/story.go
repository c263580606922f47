// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/whatif"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// A Story asks for the story of a request, or of the scalers.
type Story struct {
	// Request is a number from 0, or [execute.FirstRejected].
	Request int
	// Scaling asks for the scalers in place of a request.
	Scaling bool
	// WhatIf asks for the request on other endpoints, too.
	WhatIf *WhatIf `json:",omitempty"`
	// Progress, if set, receives the number of simulations of WhatIf that are done, and of all, if
	// no fence is between. Calls do not overlap.
	Progress func(done, of int) `json:"-"`
}

// WhatIf are the bounds of a comparison, as [whatif.Options] have them.
type WhatIf struct {
	Window time.Duration
	Flips  int
}

// Told is a story as it is printed: what it consists of does not pass a fence.
type Told struct {
	Table    string
	Document json.RawMessage // an object
}

// tell simulates for a story.
func (q *Question) tell(ctx context.Context, p *experiment.Plan, traces trace.Set, of experiment.Case) (*Answer, error) {
	var story tellable
	var err error
	if q.Story.Scaling {
		story, err = execute.ExplainScaling(ctx, p, traces, of.Seed, q.CheckInvariants)
	} else {
		story, err = q.requestStory(ctx, p, traces, of)
	}
	if err != nil {
		return nil, err
	}
	var table bytes.Buffer
	if err := story.Table(&table); err != nil {
		return nil, err
	}
	document, err := json.Marshal(story)
	if err != nil {
		return nil, fmt.Errorf("encode a story: %w", err)
	}
	return &Answer{Told: &Told{table.String(), document}}, nil
}

type tellable interface{ Table(w io.Writer) error }

// requestStory is of a request, with what would have become of it elsewhere if that was asked.
type requestStory struct {
	*execute.RequestStory
	WhatIf *whatif.Report `json:"whatIf,omitempty"`
}

// Table prints the story, and then the comparison.
func (s *requestStory) Table(w io.Writer) error {
	if err := s.RequestStory.Table(w); err != nil || s.WhatIf == nil {
		return err
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	return s.WhatIf.Table(w)
}

func (q *Question) requestStory(ctx context.Context, p *experiment.Plan, traces trace.Set, of experiment.Case) (*requestStory, error) {
	story, err := execute.Explain(ctx, p, traces, of.Seed, q.Story.Request, q.CheckInvariants)
	if err != nil {
		return nil, err
	}
	s := &requestStory{RequestStory: story}
	if w := q.Story.WhatIf; w != nil {
		s.WhatIf, err = whatif.AskAbout(ctx, q.maker(p, traces, of), []int{story.Decisions[0].Request.ID}, whatif.Options{
			Window: w.Window, Flips: w.Flips, Parallelism: q.atOnce(), Progress: q.Story.Progress,
		})
	}
	return s, err
}
