// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"strings"
	"testing"
	"time"
)

const soon = 20 * time.Millisecond // between tokens that are not late

// The published cases. Those of the other form are in heteroscale_seed_test.go.
func TestHeteroscaleOnThePublishedCases(t *testing.T) {
	late := 145 * time.Millisecond
	decide(t, "heteroscale", map[string]decision{
		"H1: 2500 tokens/s need 25 decode replicas and 9 prefill replicas": {newScene(10, 30).generated(2500, soon), nil, "9:25", "2500 tokens/s are asked for"},
		"H2: late tokens add 20 %": {newScene(10, 30).generated(2900, late), nil, "12:36", "above 0.12 s"},
		"H3: 1500 tokens/s need 15 decode replicas and 5 prefill replicas": {newScene(12, 36).generated(1500, soon), nil, "5:15", "from 12:36 to 5:15"},
		"H4: one replica grows by one":                                     {newScene(1).generated(90, late), nil, "2", "from 1 to 2"},
		"H4: two replicas grow by one":                                     {newScene(2).generated(190, late), nil, "3", "from 2 to 3"},
		"H4: three replicas grow by one":                                   {newScene(3).generated(290, late), nil, "4", "from 3 to 4"},
		"H4: four replicas grow by one":                                    {newScene(4).generated(390, late), nil, "5", "from 4 to 5"},
		"H5: exactly 0.9 of the target is within the thresholds":           {newScene(10, 30).generated(2700, soon), nil, "10:30", "within the thresholds"},
		"H5: exactly 1.1 of the target is within the thresholds":           {newScene(10, 30).generated(3300, soon), nil, "10:30", "within the thresholds"},
		"less than 0.9 is a scale-in":                                      {newScene(10, 30).generated(2699, soon), nil, "9:27", "from 10:30"},
		"more than 1.1 is a scale-out":                                     {newScene(10, 30).generated(3301, soon), nil, "12:34", "from 10:30"},
	})
}

func TestHeteroscale(t *testing.T) {
	late := 145 * time.Millisecond
	queue := func(s *scene, waiting int, answer int64) *scene {
		x := s.view.Monitor.Back(0)
		x.Engines[0].Waiting = waiting
		x.Gateway.Completed += 450
		x.Gateway.AnswerTokens += 450 * answer
		return s
	}
	idle := newScene(4, 12).sample(0, nil).sample(scrape, nil)
	decide(t, "heteroscale", map[string]decision{
		"no sample is no signal":             {newScene(4, 12), nil, "4:12", "no signal: fewer than two samples"},
		"no replica that is up is no signal": {newScene(0, 0).start(0, 1).start(1, 3).sample(0, nil).sample(scrape, nil), nil, "1:3", "no signal: no decode replica is up"},
		"an idle unit has its minimum":       {idle, nil, "1:1", "no request is in flight"},
		// 60 more requests wait than 45 s ago: 60 answers of 300 tokens are 400 tokens/s.
		"the growth of the queue is asked for too": {queue(newScene(10, 30).generated(3000, soon), 60, 300), nil, "12:34", "3400 tokens/s are asked for"},
		// 60 answers of 210 tokens are 280 tokens/s. The tokens given would make it 400, but those beyond
		// 94,500 are of answers that have not ended.
		"the queue is as long as the answers that ended":    {queue(newScene(10, 30).generated(3000, soon), 60, 210), nil, "10:30", "3280 tokens/s are asked for"},
		"there is no scale-in while the queue grows":        {queue(newScene(10, 30).generated(1000, soon), 1, 300), nil, "10:30", "but the queue grows"},
		"late tokens forbid a scale-in":                     {newScene(10, 30).generated(100, late), nil, "12:36", "above 0.12 s"},
		"late tokens count for nothing without the trigger": {newScene(10, 30).generated(2500, late), []string{"latencyTrigger=false"}, "9:25", "asked for"},
		"late tokens add no more while replicas start":      {newScene(10, 30).start(1, 1).generated(2900, late), nil, "10:31", "while 1 replica starts"},
		"late tokens do not add less than is asked for":     {newScene(10, 30).generated(6000, late), nil, "20:60", "above 0.12 s"},
		"starting replicas count":                           {newScene(10, 30).start(0, 2).start(1, 4).generated(3400, soon), nil, "12:34", "within"},
		"one pool has no ratio":                             {newScene(30).generated(2500, soon), nil, "25", "asked for"},
		"another ratio":                                     {newScene(30, 30).generated(2500, soon), []string{"prefillShare=2", "decodeShare=3"}, "17:25", "asked for"},
		"a bound on decode bounds prefill":                  {newScene(5, 15).bound(1, 1, 20).generated(3000, soon), nil, "7:20", "from 5:15"},
		"a bound on prefill bounds decode":                  {newScene(5, 15).bound(0, 1, 6).generated(3000, soon), nil, "6:18", "from 5:15"},
		// 500 tokens/s need 5 decode and 2 prefill replicas. With at least 4 of prefill, 1:3
		// wants 12 of decode.
		"a minimum of prefill is one of decode": {newScene(6, 18).bound(0, 4, 100).generated(500, soon), nil, "4:12", "from 6:18 to 4:12"},
		"the ratio stays at the minimum":        {newScene(4, 12).bound(0, 4, 100).generated(500, soon), nil, "4:12", "stays at 4:12"},
		// 900 tokens/s need 9 and 3.
		"a scale-out at the minimum":         {newScene(4, 6).bound(0, 4, 100).generated(900, soon), nil, "4:12", "from 4:6 to 4:12"},
		"a scale-in adds no decode replica":  {newScene(4, 6).bound(0, 4, 100).generated(100, soon), nil, "4:6", "stays at 4:6"},
		"the minimum of prefill, and of 2:3": {newScene(6, 9).bound(0, 3, 100).generated(100, soon), []string{"prefillShare=2", "decodeShare=3"}, "3:4", "from 6:9 to 3:4"},
		// 100 tokens/s need 1 decode replica, of which there are at least 6: 2 of prefill.
		"a minimum of decode is one of prefill": {newScene(5, 15).bound(1, 6, 100).generated(100, soon), nil, "2:6", "from 5:15 to 2:6"},
		"late tokens at the maximum of decode":  {newScene(5, 15).bound(1, 1, 15).generated(1400, late), nil, "5:15", "the maximum"},
		"at the maximum":                        {newScene(5, 15).bound(0, 1, 5).bound(1, 1, 15).generated(3000, soon), nil, "5:15", "the maximum"},
		"a scale-out takes no replica away":     {newScene(30, 30).generated(3400, soon), nil, "30:34", "from 30:30"},
	})
}

// A scale-out holds other changes back for its cooldown, a scale-in other scale-ins.
func TestCooldownsOfHeteroscale(t *testing.T) {
	s := newScene(10, 30)
	h := s.scaler(t, "heteroscale")
	for _, step := range []struct {
		seconds int64 // before the load
		load    int64
		want    string
		why     string
	}{
		{0, 4000, "14:40", "from 10:30 to 14:40"},
		{0, 6000, "14:40", "instead of 20:60 in the cooldown until 4m0s"},
		{0, 2500, "14:40", "instead of 9:25 in the cooldown until 4m0s"},
		{60, 2500, "9:25", "from 14:40 to 9:25"},
		{240, 1500, "9:25", "instead of 5:15 in the cooldown until 15m0s"},
		{0, 6000, "20:60", "from 9:25 to 20:60"},
	} {
		s.sample(time.Duration(s.view.Now)+time.Duration(step.seconds)*time.Second, nil)
		wanted, why := s.generated(step.load, soon).ask(h)
		if wanted != step.want || !strings.Contains(why, step.why) {
			t.Errorf("at %s: %s: %q, want %s: %q", s.view.Now, wanted, why, step.want, step.why)
		}
	}
}
