// SPDX-License-Identifier: Apache-2.0

package query

import (
	"compress/gzip"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// scraped is what a monitoring system scraped, and what Prometheus answered to queries of it.
// Times are milliseconds.
type scraped struct {
	Interval int64
	Pods     []string
	Samples  []struct {
		At      int64
		Engines []struct {
			Up              bool
			Waiting, Tokens int64
			Observed        []int64
		}
	}
	Questions []struct {
		At     int64
		Query  string
		Failed bool
		Want   []answered
	}
}

// answered is one series of an answer.
type answered struct {
	Labels []string
	Value  string
}

func TestPrometheusAnswersTheSame(t *testing.T) {
	stories := readStories(t)
	asked, empty, failed := 0, 0, 0
	for i := range stories {
		s := &stories[i]
		view, targets := s.replay()
		for _, q := range s.Questions {
			asked++
			compiled, err := Compile(q.Query, targets)
			if err != nil {
				t.Errorf("%d: %s: %v", i, q.Query, err)
				continue
			}
			view.Now = milliseconds(q.At)
			all, problem := compiled.Series(view)
			switch {
			case q.Failed != (problem != None):
				t.Errorf("%d: %s: %v, Prometheus fails: %v", i, q.Query, problem, q.Failed)
			case q.Failed:
				failed++
			case !same(all, q.Want):
				t.Errorf("%d: %s\n%v\nPrometheus: %v", i, q.Query, shown(all), q.Want)
			}
			if len(q.Want) == 0 {
				empty++
			}
		}
	}
	if asked < 2000 || empty > asked/2 || failed < 10 {
		t.Errorf("%d queries, %d without an answer, %d that fail", asked, empty, failed)
	}
}

func readStories(t *testing.T) []scraped {
	t.Helper()
	f := testfile.Open(t, "testdata/prometheus.json.gz")
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var stories []scraped
	if err := json.NewDecoder(r).Decode(&stories); err != nil {
		t.Fatal(err)
	}
	return stories
}

func milliseconds(t int64) simtime.Time { return simtime.Time(time.Duration(t) * time.Millisecond) }

// replay has a monitor scrape what Prometheus did. Pods of two pools take turns, so each is a
// pool of its own here.
func (s *scraped) replay() (*autoscaling.View, Targets) {
	var targets Targets
	for _, name := range s.Pods {
		pool, _, _ := strings.Cut(name, "/")
		targets.Pools = append(targets.Pools, Pool{pool, "m", []string{name}})
	}
	m := autoscaling.NewMonitor(len(s.Pods), time.Duration(s.Interval)*time.Millisecond, 0, time.Hour)
	for _, sample := range s.Samples {
		to := m.Take(milliseconds(sample.At))
		for i, e := range sample.Engines {
			to.Engines[i] = autoscaling.Engine{Up: e.Up, Waiting: int(e.Waiting)}
			to.Engines[i].Counters.PrefixCacheQueries = e.Tokens
			copy(to.Engines[i].TimeToFirstToken[:], e.Observed)
		}
	}
	return &autoscaling.View{Monitor: m}, targets
}

// same reports whether series are those that Prometheus has, in any order. Sums in another order
// may differ in their last digits.
func same(got []Reading, want []answered) bool {
	all := shown(got)
	if len(all) != len(want) {
		return false
	}
	for i := range want {
		a, _ := strconv.ParseFloat(all[i].Value, 64)
		b, _ := strconv.ParseFloat(want[i].Value, 64)
		near := a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-12*math.Max(math.Abs(a), math.Abs(b))
		if !near || !slices.Equal(all[i].Labels, want[i].Labels) {
			return false
		}
	}
	return true
}

func shown(got []Reading) []answered {
	var all []answered
	for _, r := range got {
		a := answered{Value: strconv.FormatFloat(r.Value, 'g', -1, 64)}
		for l, value := range r.labels {
			if value != "" {
				a.Labels = append(a.Labels, labelNames[l]+"="+value)
			}
		}
		slices.Sort(a.Labels)
		all = append(all, a)
	}
	slices.SortFunc(all, func(a, b answered) int { return slices.Compare(a.Labels, b.Labels) })
	return all
}
