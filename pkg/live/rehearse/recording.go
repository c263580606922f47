// SPDX-License-Identifier: Apache-2.0

package rehearse

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// A Recording is what a real EPP did and read: all that [Compare] needs of it. JSON has it whole.
type Recording struct {
	Choices *Choices
	Scrapes *Scrapes
}

// recorded is a Recording in JSON.
type recorded struct {
	Speed   float64            `json:"speed"`
	Choices []recordedChoice   `json:"choices"`
	Scrapes [][]recordedScrape `json:"scrapes"`
}

// recordedChoice has times of the workload, in nanoseconds.
type recordedChoice struct {
	Request  int             `json:"request"`
	Client   int             `json:"client"`
	Attempt  int             `json:"attempt"`
	Origin   workload.Origin `json:"origin"`
	Sent     simtime.Time    `json:"sent"`
	Answered simtime.Time    `json:"answered"`
	Chosen   simtime.Time    `json:"chosen,omitempty"`
	Ended    simtime.Time    `json:"ended,omitempty"`
	Endpoint int             `json:"endpoint"`
	Scores   map[int]float64 `json:"scores,omitempty"`
}

// recordedScrape has nanoseconds of the clock of the machine since the start.
type recordedScrape struct {
	At          time.Duration `json:"at"`
	Waiting     int           `json:"waiting"`
	Running     int           `json:"running"`
	KVUsage     float64       `json:"kvUsage"`
	BlockTokens int           `json:"blockTokens"`
	Blocks      int           `json:"blocks"`
}

// MarshalJSON implements [json.Marshaler]. Choices are in order of requests.
func (r *Recording) MarshalJSON() ([]byte, error) {
	out := recorded{Speed: r.Choices.Speed, Scrapes: make([][]recordedScrape, len(r.Scrapes.of))}
	for of, c := range r.Choices.of {
		out.Choices = append(out.Choices, recordedChoice{c.request, of.client, of.attempt, of.Origin, c.sent, c.answered, c.chosen, c.ended, c.endpoint, c.scores})
	}
	slices.SortFunc(out.Choices, func(a, b recordedChoice) int {
		return cmp.Or(a.Request-b.Request, cmp.Compare(a.Sent, b.Sent))
	})
	for i, of := range r.Scrapes.of {
		for _, s := range of {
			out.Scrapes[i] = append(out.Scrapes[i], recordedScrape{s.At.Sub(r.Choices.Start), s.Waiting, s.Running, s.KVUsage, s.BlockTokens, s.Blocks})
		}
	}
	return json.Marshal(out)
}

// UnmarshalJSON implements [json.Unmarshaler]. The run begins at the zero time.
func (r *Recording) UnmarshalJSON(raw []byte) error {
	var in recorded
	if err := json.Unmarshal(raw, &in); err != nil {
		return err
	}
	r.Choices, r.Scrapes = NewChoices(nil), NewScrapes(len(in.Scrapes))
	if !(in.Speed > 0) {
		return fmt.Errorf("the speed is %v, must be above 0", in.Speed)
	}
	r.Choices.Speed = in.Speed
	for _, c := range in.Choices {
		if c.Endpoint < -1 || c.Endpoint >= len(in.Scrapes) {
			return fmt.Errorf("request %d went to endpoint %d of %d", c.Request, c.Endpoint, len(in.Scrapes))
		}
		if c.Sent < 0 || c.Answered < c.Sent || c.Chosen < 0 || c.Ended < 0 {
			return fmt.Errorf("request %d was sent at %v and answered at %v, its endpoint chosen at %v and its end counted at %v", c.Request, c.Sent, c.Answered, c.Chosen, c.Ended)
		}
		r.Choices.of[identity{c.Client, c.Attempt, c.Origin}] = choice{c.Request, c.Endpoint, c.Sent, c.Answered, c.Chosen, c.Ended, c.Scores}
		r.Choices.last = max(r.Choices.last, c.Request)
	}
	for i, of := range in.Scrapes {
		for n, s := range of {
			if s.Waiting < 0 || s.Running < 0 || !(s.KVUsage >= 0 && s.KVUsage <= 1) || s.BlockTokens < 1 || s.Blocks < 1 {
				return fmt.Errorf("scrape %d of endpoint %d: no replica shows %+v", n, i, s)
			}
			r.Scrapes.of[i] = append(r.Scrapes.of[i], scrape{r.Choices.Start.Add(s.At), policy.Scrape{
				Waiting: s.Waiting, Running: s.Running, KVUsage: s.KVUsage, BlockTokens: s.BlockTokens, Blocks: s.Blocks,
			}})
		}
	}
	return nil
}

// Endpoints is how many there are.
func (r *Recording) Endpoints() int { return len(r.Scrapes.of) }
