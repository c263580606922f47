// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/scheduling"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// revealing are names of fields that could hold the length of an answer.
var revealing = regexp.MustCompile(`(?i)output|answer|finish|length|response|remaining|truth|oracle`)

// TestNoFieldOfAPolicyNamesTheAnswer walks through all that policies can reach from what
// they are given. A field that may well be named so, as it holds something else, has to
// be listed here with the reason.
func TestNoFieldOfAPolicyNamesTheAnswer(t *testing.T) {
	allowed := map[string]string{}
	for _, root := range []reflect.Type{reflect.TypeFor[policy.View](), reflect.TypeFor[policy.Request](), reflect.TypeFor[scheduling.Job]()} {
		fieldsOf(root, root.String(), map[reflect.Type]bool{}, func(path string, name string) {
			if _, ok := allowed[path]; !ok && revealing.MatchString(name) {
				t.Errorf("%s may hold the length of an answer, which no policy may see", path)
			}
		})
	}
}

// fieldsOf calls do for each field that can be reached from a type.
func fieldsOf(typ reflect.Type, path string, seen map[reflect.Type]bool, do func(path, name string)) {
	switch typ.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		fieldsOf(typ.Elem(), path, seen, do)
	case reflect.Struct:
		if seen[typ] {
			return
		}
		seen[typ] = true
		for i := range typ.NumField() {
			f := typ.Field(i)
			do(path+"."+f.Name, f.Name)
			fieldsOf(f.Type, path+"."+f.Name, seen, do)
		}
	}
}

// spy is every policy of a cluster: it looks for numbers in all that it is given.
type spy struct {
	secrets map[int64]bool
	found   map[string]bool // the paths of the fields that hold one
	looked  map[string]int  // how often, by what it was given
	turn    int
}

func (s *spy) look(what any) {
	v := reflect.ValueOf(what)
	s.looked[v.Type().String()]++
	s.search(v, v.Type().String())
}

func (s *spy) search(v reflect.Value, path string) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			s.search(v.Elem(), path)
		}
	case reflect.Map:
		for entry := v.MapRange(); entry.Next(); {
			s.search(entry.Value(), path)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			s.search(v.Index(i), path)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			s.search(v.Field(i), path+"."+v.Type().Field(i).Name)
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		s.note(v.Int(), path)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		s.note(int64(v.Uint()), path)
	case reflect.Float64, reflect.Float32:
		s.note(int64(v.Float()), path)
	}
}

func (s *spy) note(n int64, path string) {
	if s.secrets[n] {
		s.found[path] = true
	}
}

func (s *spy) Route(v *policy.View, q *policy.Request) (policy.Route, error) {
	s.look(*v)
	s.look(*q)
	s.turn++
	return policy.To(s.turn % len(v.Scrapes)), nil
}

func (s *spy) Prioritize(v *policy.View, q *policy.Request) (int, policy.Hints) {
	s.look(*v)
	s.look(*q)
	return q.Priority, policy.Hints{}
}

func (s *spy) Admit(v *policy.View, q *policy.Request) policy.AdmissionResponse {
	s.look(*v)
	s.look(*q)
	return policy.AdmissionResponse{}
}

func (s *spy) Rank(j scheduling.Job, _ simtime.Time) float64 {
	s.look(j)
	return 0
}

func (*spy) Group(j scheduling.Job) int32 { return int32(j.Turn) }

func (s *spy) Entered(j scheduling.Job)      { s.look(j) }
func (s *spy) Started(j scheduling.Job)      { s.look(j) }
func (s *spy) Preempted(j scheduling.Job)    { s.look(j) }
func (s *spy) Left(j scheduling.Job, _ bool) { s.look(j) }

// spying is a scheduler all of whose parts are the spy's.
func (s *spy) spying(p scheduling.Predictor) scheduling.Factory {
	return func() scheduling.Scheduler {
		return scheduling.Scheduler{
			Moving: s, Listener: s, Predictor: p, Service: &scheduling.Service{},
			Order: func(j scheduling.Job) int64 { s.look(j); return j.Turn },
			Victim: func(_ *scheduling.Scheduler, running []scheduling.Job, _ simtime.Time) int {
				for _, j := range running {
					s.look(j)
				}
				return len(running) - 1
			},
		}
	}
}

// TestNoPolicySeesTheLengthOfAnAnswer runs a cluster whose answers have lengths that no
// other number of the run is, and looks for them in all that policies are given, at each
// call. Of all schedulers, ShortestOracle alone is given them, as predictions.
func TestNoPolicySeesTheLengthOfAnAnswer(t *testing.T) {
	for name, tc := range map[string]struct {
		predictor scheduling.Predictor
		want      []string
	}{
		"no predictor":          {nil, nil},
		"a predictor that errs": {scheduling.ShortestPredicted(scheduling.NewPredictor(1, scheduling.LogNormalErrors, 0.3)).Predictor, nil},
		"the oracle":            {scheduling.ShortestOracle().Predictor, []string{"scheduling.Job.PredictedTokens"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := &spy{secrets: map[int64]bool{}, found: map[string]bool{}, looked: map[string]int{}}
			source := &script{}
			for id := range 20 {
				prompt := prompt.Prompt{}.Append(prompt.Extent{Source: uint64(1 + id%3), Tokens: 512}).Append(prompt.Extent{Source: uint64(100 + id), Tokens: 100})
				output := 4009 + 17*id
				s.secrets[int64(output)], s.secrets[int64(output+prompt.Tokens())] = true, true
				source.requests = append(source.requests, workload.Request{
					ID: id, Arrival: simtime.Time(id) * 1000, Prompt: prompt, OutputTokens: output, Response: uint64(1000 + id),
				})
			}
			o, err := Run(context.Background(), simulator.Config{
				Pools: []simulator.Pool{{
					Name: "pool", Replicas: 2, Timer: constantStep(time.Millisecond), BlockTokens: 16, KVBlocks: 320, PrefixCaching: true,
					MaxNumSeqs: 4, MaxNumBatchedTokens: 512, Scheduler: s.spying(tc.predictor),
				}},
				Policies: policy.Policies{Priority: s, Admission: s, Routing: policy.Routing{Router: s}}, Source: source,
				Horizon: simulator.Horizon{Drain: 1000 * time.Hour}, Targets: []simulator.Target{{TTFT: time.Second}},
			})
			if err != nil {
				t.Fatal(err)
			}
			sum := sumCells(o)
			if sum.Completed != 20 || sum.Preemptions == 0 {
				t.Fatalf("%d requests complete, with %d preemptions", sum.Completed, sum.Preemptions)
			}
			for _, what := range []string{"policy.View", "policy.Request", "scheduling.Job"} {
				if s.looked[what] == 0 {
					t.Errorf("the spy was given no %s", what)
				}
			}
			if diff := cmp.Diff(tc.want, slices.Sorted(maps.Keys(s.found))); diff != "" {
				t.Errorf("fields that hold the length of an answer (−want +got):\n%s", diff)
			}
		})
	}
}
