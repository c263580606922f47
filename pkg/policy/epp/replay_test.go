// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
)

// readLines decodes a file of JSON lines.
func readLines[T any](t *testing.T, path string) []T {
	t.Helper()
	file := testfile.Open(t, path)
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	var all []T
	for lines.Scan() {
		var line T
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatalf("%s: line %d: %v", path, len(all)+1, err)
		}
		all = append(all, line)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// A scheduleCase is one decision: endpoints with the attributes that producers
// would have made, and the score of each endpoint that the filters left.
type scheduleCase struct {
	Config  string
	Case    int
	Request struct {
		Model        string
		PromptTokens int
		Headers      map[string]string
	}
	Endpoints []struct {
		Name                        string
		Labels                      map[string]string
		Waiting, Running            int
		KV                          float64
		ActiveModels, WaitingModels map[string]int
		MaxActiveModels             int
		Attrs                       map[string]attribute
	}
	Error    string
	Profiles map[string]struct{ Scores map[string]float64 }
}

type attribute struct {
	Kind            string
	MatchBlocks     int
	TotalBlocks     int
	BlockSizeTokens int
	Requests        int64
	Tokens          int64
	TTFT, TPOT      float64
	TTFTHeadroom    float64
	TPOTHeadroom    float64
	Dispatched      int
}

// Decide runs filters, scorers and pickers on planted attributes.
func (tc *scheduleCase) Decide(c *config.Config) (*scheduler.Scheduler, bool) {
	var labels []map[string]string
	for _, endpoint := range tc.Endpoints {
		labels = append(labels, endpoint.Labels)
	}
	b := scheduler.NewBuilder(parts, c, config.Cluster{Endpoints: len(tc.Endpoints), Labels: labels}, 1)
	s := b.Scheduler(parts, c)
	view := idle(len(tc.Endpoints))
	view.Adapters = make([]policy.Adapters, len(tc.Endpoints))
	numbers := map[string]int32{}
	r := request(0, tc.Request.PromptTokens)
	r.Adapter = numberOf(tc.Request.Model, numbers)
	for e, endpoint := range tc.Endpoints {
		if name, err := base64.StdEncoding.DecodeString(tc.Request.Headers["x-session-token"]); err == nil && string(name) == endpoint.Name {
			r.Session = 1
			b.SessionTokens("x-session-token", false).FirstToken(r, e)
		}
		view.Adapters[e].Max = endpoint.MaxActiveModels
		for _, model := range sortedKeys(endpoint.ActiveModels) {
			view.Adapters[e].Active = append(view.Adapters[e].Active, numberOf(model, numbers))
		}
		for _, model := range sortedKeys(endpoint.WaitingModels) {
			view.Adapters[e].Waiting = append(view.Adapters[e].Waiting, numberOf(model, numbers))
		}
		view.Scrapes[e] = policy.Scrape{Waiting: endpoint.Waiting, Running: endpoint.Running, KVUsage: endpoint.KV}
		for key, a := range endpoint.Attrs {
			_, producer, _ := strings.Cut(key, "/")
			switch a.Kind {
			case "PrefixCacheMatchInfo":
				m := b.PrefixMatch(producer)
				m.Blocks[e], m.TotalBlocks, m.BlockTokens = a.MatchBlocks, a.TotalBlocks, a.BlockSizeTokens
			case "InFlightLoad":
				l := b.Load(producer)
				l.Requests[e], l.Tokens[e] = a.Requests, a.Tokens
			case "UncachedRequestTokens":
				b.LoadWithRequest(producer).ExpectCached(e, -a.Tokens)
			case "LatencyPredictionInfo":
				p := b.PredictionOf(producer)
				p.Known[e], p.Ttft[e], p.Tpot[e], p.Dispatched[e] = true, a.TTFT, a.TPOT, a.Dispatched
				p.TtftHeadroom[e], p.TpotHeadroom[e] = a.TTFTHeadroom, a.TPOTHeadroom
			default:
				panic("unknown kind of attribute " + a.Kind)
			}
		}
	}
	_, ok := s.Staged.Run(s.Begin(view, r))
	return s, ok
}

// numberOf numbers names from 1.
func numberOf(name string, numbers map[string]int32) int32 {
	if numbers[name] == 0 {
		numbers[name] = int32(len(numbers) + 1)
	}
	return numbers[name]
}

// Check compares a decision with the recorded one.
func (tc *scheduleCase) Check(t *testing.T, c *config.Config) {
	t.Helper()
	s, ok := tc.Decide(c)
	if ok != (tc.Error == "") {
		t.Errorf("%s, case %d: chose %t, recorded error %q", tc.Config, tc.Case, ok, tc.Error)
		return
	}
	if !ok {
		return
	}
	d := s.LastResult()
	tc.checkChoice(t, c, c.Stages.Decode, &d.Choice)
	_, recorded := tc.Profiles[c.Stages.Prefill]
	if recorded && d.Prefill == nil || !recorded && d.Prefill != nil && d.Prefill.Chosen != scheduler.None {
		// The decider may have been asked of another endpoint with that score.
		if !tc.decidesOtherwise(s, &d.Choice) {
			t.Errorf("%s, case %d: %q (%+v), recorded profiles %v", tc.Config, tc.Case, d.Reason, d.Prefill, sortedKeys(tc.Profiles))
		}
		d = s.LastResult()
	}
	profiles := 1
	if recorded && d.Prefill != nil {
		tc.checkChoice(t, c, c.Stages.Prefill, d.Prefill)
		profiles = 2
	}
	if len(tc.Profiles) != profiles {
		t.Errorf("%s, case %d: recorded profiles %v, ran %d", tc.Config, tc.Case, sortedKeys(tc.Profiles), profiles)
	}
}

// decidesOtherwise runs the prefill profile, or not, for another endpoint with
// the highest score, if there is one for which the decider decides otherwise.
func (tc *scheduleCase) decidesOtherwise(s *scheduler.Scheduler, decode *scheduler.Choice) bool {
	staged := &s.Staged
	for i, e := range decode.Candidates {
		if staged.Decider == nil || decode.Scores[i] != slices.Max(decode.Scores) {
			continue
		}
		if reason := staged.Decider.Decide(&s.Cycle, e); (reason == scheduler.Disaggregated) != (staged.Reason == scheduler.Disaggregated) {
			staged.Prefill.Skip()
			if staged.Reason = reason; reason == scheduler.Disaggregated {
				staged.Prefill.Run(&s.Cycle)
			}
			return true
		}
	}
	return false
}

// checkChoice compares one profile's scores with the recorded ones.
func (tc *scheduleCase) checkChoice(t *testing.T, c *config.Config, profile string, choice *scheduler.Choice) {
	t.Helper()
	want := tc.Profiles[profile].Scores
	if len(choice.Candidates) != len(want) {
		t.Errorf("%s, case %d, %s: %d candidates left, want %d", tc.Config, tc.Case, profile, len(choice.Candidates), len(want))
	}
	best := math.Inf(-1)
	for i, e := range choice.Candidates {
		best = max(best, choice.Scores[i])
		score, left := want[tc.Endpoints[e].Name]
		if !left || math.Abs(score-choice.Scores[i]) > 1e-9 {
			t.Errorf("%s, case %d, %s, %s: score %v, want %v (%t)", tc.Config, tc.Case, profile, tc.Endpoints[e].Name, choice.Scores[i], score, left)
		}
	}
	if i := slices.Index(choice.Candidates, choice.Chosen); i < 0 || picksFrom(&c.Document, config.MaxScorePickerType) && choice.Scores[i] != best {
		t.Errorf("%s, case %d, %s: chose %d of %v with scores %v", tc.Config, tc.Case, profile, choice.Chosen, choice.Candidates, choice.Scores)
	}
}

func picksFrom(d *config.EffectiveDocument, typeName string) bool {
	for _, p := range d.Plugins {
		if p.Type == typeName {
			return true
		}
	}
	return false
}

// replay compares all decisions of a file.
func replay(t *testing.T, cases []scheduleCase, find func(config string) string) {
	t.Helper()
	configs := map[string]*config.Config{}
	for i := range cases {
		tc := &cases[i]
		c, known := configs[tc.Config]
		if !known {
			text := testfile.Read(t, find(tc.Config))
			var errs field.ErrorList
			if c, errs = Load(text, "router-main", nil); len(errs) > 0 {
				t.Fatalf("%s: %v, but the real loader accepts it", tc.Config, errs)
			}
			configs[tc.Config] = c
		}
		tc.Check(t, c)
	}
	t.Logf("%d decisions compared", len(cases))
	if len(cases) == 0 {
		t.Error("no decision was compared")
	}
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func TestDecisionsWorkedOutByHand(t *testing.T) {
	cases := readLines[scheduleCase](t, filepath.Join("testdata", "schedule.jsonl"))
	replay(t, cases, func(config string) string { return filepath.Join("testdata", "configs", config) })
}

// TestDecisionsOfTheRealScheduler needs no open data: see testdata/real/README.md.
func TestDecisionsOfTheRealScheduler(t *testing.T) {
	cases := readLines[scheduleCase](t, filepath.Join("testdata", "real", "schedule.jsonl"))
	replay(t, cases, func(config string) string { return filepath.Join("testdata", "real", config) })
}
