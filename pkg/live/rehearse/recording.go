// SPDX-License-Identifier: Apache-2.0

package rehearse

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"
)

// A Recording is what a real EPP did and read: all that [Compare] needs of it. JSON has it whole.
type Recording struct {
	Choices *Choices
	Scrapes Scrapes
}

// recorded is a Recording in JSON. Start is in nanoseconds since 1970, or 0 where those of the scrapes count from the
// start.
type recorded struct {
	Start   int64    `json:"start,omitempty"`
	Speed   float64  `json:"speed"`
	Choices []choice `json:"choices"`
	Scrapes Scrapes  `json:"scrapes"`
}

// MarshalJSON implements [json.Marshaler]. Choices are in order of requests.
func (r *Recording) MarshalJSON() ([]byte, error) {
	made := slices.SortedFunc(maps.Values(r.Choices.of), func(a, b choice) int {
		return cmp.Or(a.Request-b.Request, cmp.Compare(a.Sent, b.Sent))
	})
	return json.Marshal(recorded{r.Choices.Start.UnixNano(), r.Choices.Speed, made, r.Scrapes})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (r *Recording) UnmarshalJSON(raw []byte) error {
	var in recorded
	if err := json.Unmarshal(raw, &in); err != nil {
		return err
	}
	if !(in.Speed > 0) {
		return fmt.Errorf("the speed is %v, must be above 0", in.Speed)
	}
	r.Choices, r.Scrapes = NewChoices(nil), in.Scrapes
	r.Choices.Start, r.Choices.Speed = time.Unix(0, in.Start), in.Speed
	for _, c := range in.Choices {
		if c.Endpoint < -1 || c.Endpoint >= len(in.Scrapes) {
			return fmt.Errorf("request %d went to endpoint %d of %d", c.Request, c.Endpoint, len(in.Scrapes))
		}
		if c.Sent < 0 || c.Answered < c.Sent || c.Chosen < 0 || c.Ended < 0 {
			return fmt.Errorf("request %d was sent at %v and answered at %v, its endpoint chosen at %v and its end counted at %v", c.Request, c.Sent, c.Answered, c.Chosen, c.Ended)
		}
		r.Choices.add(c)
	}
	for i, of := range in.Scrapes {
		for n, s := range of {
			if s.Waiting < 0 || s.Running < 0 || !(s.KVUsage >= 0 && s.KVUsage <= 1) || s.BlockTokens < 1 || s.Blocks < 1 {
				return fmt.Errorf("scrape %d of endpoint %d: no replica shows %+v", n, i, s)
			}
		}
	}
	return nil
}
