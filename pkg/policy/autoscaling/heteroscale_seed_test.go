// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"strings"
	"testing"
	"time"
)

// The published cases, as the formula, the worked example and the code answer them.
func TestHeteroscaleSeedOnThePublishedCases(t *testing.T) {
	late := 145 * time.Millisecond
	for name, tc := range map[string]struct {
		scene               func() *scene
		ceil, example, code string
	}{
		"H1: 2500 tokens/s":                       {func() *scene { return newScene(10, 30).generated(2500, soon) }, "7:21", "6:18", "6:19"},
		"H2: late tokens add 20 %":                {func() *scene { return newScene(10, 30).generated(2500, late) }, "12:36", "12:36", "12:36"},
		"H3: 1500 tokens/s":                       {func() *scene { return newScene(12, 36).generated(1500, soon) }, "4:12", "4:12", "4:11"},
		"H4: one replica does not grow":           {func() *scene { return newScene(1, 1).generated(90, late) }, "1:1", "1:1", "1:1"},
		"H4: two replicas do not grow":            {func() *scene { return newScene(1, 2).generated(90, late) }, "1:2", "1:2", "1:2"},
		"H4: three replicas do not grow":          {func() *scene { return newScene(1, 3).generated(90, late) }, "1:3", "1:3", "1:3"},
		"H4: four replicas do not grow":           {func() *scene { return newScene(1, 4).generated(90, late) }, "1:4", "1:4", "1:4"},
		"H5: exactly 0.9":                         {func() *scene { return newScene(10, 30).generated(3600, soon) }, "10:30", "10:30", "10:30"},
		"H5: exactly 1.1":                         {func() *scene { return newScene(10, 30).generated(4400, soon) }, "10:30", "10:30", "10:30"},
		"decode stays with 39 % above its target": {func() *scene { return newScene(6, 18).generated(2500, soon) }, "6:18", "6:18", "6:18"},
		"a load that is not served is not seen":   {func() *scene { return newScene(10, 30).generated(0, soon).queued(500) }, "0:0", "0:0", "0:0"},
	} {
		for rounding, want := range map[string]string{"ceil": tc.ceil, "example": tc.example, "code": tc.code} {
			t.Run(name+"/"+rounding, func(t *testing.T) {
				s := tc.scene()
				scaler := s.scaler(t, "heteroscale-seed", "rounding="+rounding).(*waking).Scaler
				if wanted, why := s.ask(scaler); wanted != want {
					t.Errorf("%s: %q, want %s", wanted, why, want)
				}
			})
		}
	}
}

// queued lets requests wait in the first engine.
func (s *scene) queued(n int) *scene {
	return s.sample(time.Duration(s.view.Now)+scrape, func(x *Sample) { x.Engines[0].Waiting = n })
}

// A scale-in follows a scale-out at once, and late tokens do not forbid it while their
// cooldown lasts.
func TestHeteroscaleSeedFlaps(t *testing.T) {
	s := newScene(10, 30)
	h := s.scaler(t, "heteroscale-seed")
	for _, step := range []struct {
		load      int64
		between   time.Duration
		want, why string
	}{
		{2500, 145 * time.Millisecond, "12:36", "above 0.12 s"},
		{1500, 145 * time.Millisecond, "4:12", "from 12:36 to 4:12"},
		{4000, soon, "4:12", "cooldown until 4m0s"},
		{4000, soon, "10:30", "from 4:12 to 10:30"},
	} {
		wanted, why := s.generated(step.load, step.between).ask(h)
		if wanted != step.want || !strings.Contains(why, step.why) {
			t.Errorf("at %s: %s: %q, want %s: %q", s.view.Now, wanted, why, step.want, step.why)
		}
	}
}
