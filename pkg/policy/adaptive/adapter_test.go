// SPDX-License-Identifier: Apache-2.0

package adaptive

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// scale is a router whose weights are written down.
type scale []policy.ScorerWeight

func (s scale) Weights() []policy.ScorerWeight { return append(scale{}, s...) }
func (s scale) SetWeight(i int, weight float64) {
	s[i].Weight = weight
}

func (s scale) String() string {
	var all []string
	for _, w := range s {
		all = append(all, fmt.Sprintf("%s=%g", w.Scorer, w.Weight))
	}
	return strings.Join(all, " ")
}

// byName takes the roles from the beginnings of names.
func byName(w policy.ScorerWeight) Role {
	switch {
	case strings.HasPrefix(w.Scorer, "prefix"):
		return PrefixRole
	case strings.HasPrefix(w.Scorer, "load"):
		return LoadRole
	}
	return OtherRole
}

func scaleOf(weights ...any) scale {
	var s scale
	for i := 0; i < len(weights); i += 2 {
		profile, name, several := strings.Cut(weights[i].(string), "/")
		if !several {
			profile, name = "", profile
		}
		s = append(s, policy.ScorerWeight{Profile: profile, Scorer: name, Type: name, Weight: weights[i+1].(float64)})
	}
	return s
}

// gate admits or rejects by the request's number.
type rejects func(id int) bool

func (r rejects) Admit(_ *policy.View, q *policy.Request) policy.AdmissionResponse {
	if r(q.ID) {
		return policy.Reject(policy.ErrShed)
	}
	return policy.AdmissionResponse{}
}

// send lets requests arrive, one each ms, as a gateway does.
func send(a *Adapter, requests int) {
	traffic := policy.NewTraffic(1, 1, time.Second)
	for id := range requests {
		now := simtime.Time(id) * simtime.Time(time.Millisecond)
		q := policy.Request{ID: id, Arrival: now}
		traffic.Arrive(now, &q)
		if a.Admit(&policy.View{Now: now, Traffic: traffic}, &q).Rejection != nil {
			traffic.Reject(now, &q)
			continue
		}
		traffic.Admit(now, &q)
		traffic.Complete(&q, true)
		traffic.End(&q)
	}
}

func TestEpochs(t *testing.T) {
	for name, tc := range map[string]struct {
		law        string
		parameters []string
		reject     rejects
		want       []string // begin, end, arrived, rejected, ratio, and remarks
	}{
		"count arrivals": {
			"bang-bang", []string{"epochRequests", "20"}, func(id int) bool { return id%2 == 0 },
			[]string{"0s 20ms 20 10 1.5", "20ms 40ms 20 10 1", "40ms 60ms 20 10 0.6666666666666666"},
		},
		"end with everything rejected": {
			"bang-bang", []string{"epochRequests", "40"}, func(int) bool { return true },
			[]string{"0s 40ms 40 40 1.5"},
		},
		"of the seed count admitted requests": {
			"epoch-adaptive-seed", []string{"epochRequests", "20"}, func(id int) bool { return id%2 == 0 },
			[]string{"0s 40ms 40 20 1.5"},
		},
		"of the seed do not end with everything rejected": {
			"epoch-adaptive-seed", []string{"epochRequests", "20"}, func(int) bool { return true }, nil,
		},
		"end after a time": {
			"bang-bang", []string{"epochTime", "25ms"}, func(id int) bool { return id < 1 },
			[]string{"0s 25ms 25 1 1.5", "25ms 50ms 25 0 1.5 no signal"},
		},
		"end with whatever comes first": {
			"bang-bang", []string{"epochTime", "25ms", "epochRequests", "30"}, func(int) bool { return false },
			[]string{"0s 25ms 25 0 1.5 no signal", "25ms 50ms 25 0 1.5 no signal"},
		},
		"say where the cap held the weights": {
			"bang-bang", []string{"epochRequests", "30", "cap", "3:2"}, func(id int) bool { return id == 5 || id == 35 },
			[]string{"0s 30ms 30 1 1.5"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := mustLoad(t, tc.law, tc.parameters...)
			a, errs := c.New(Router{Weighted: scaleOf("prefix", 3.0, "load", 2.0), Role: byName, Admission: tc.reject}, 1)
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			send(a, 61)
			first, _, _ := a.Record().Epochs()
			var got []string
			for _, e := range first {
				text := fmt.Sprintf("%v %v %d %d %v", e.Begin, e.End, e.Arrived, e.Rejected, e.Ratio())
				if e.NoSignal {
					text += " no signal"
				}
				if e.Capped {
					text += " capped"
				}
				got = append(got, text)
			}
			if diff := cmp.Diff(tc.want, got[:min(len(got), max(len(tc.want), 0))]); diff != "" {
				t.Errorf("epochs (−want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatIsDriven(t *testing.T) {
	for name, tc := range map[string]struct {
		parameters []string
		router     scale
		want       string // the weights after one step towards load, or the error
	}{
		"the scorers of the roles":         {nil, scaleOf("prefix", 3.0, "load", 2.0, "other", 7.0), "prefix=2.5 load=2.5 other=7"},
		"several of a role keep shares":    {nil, scaleOf("prefix", 3.0, "load-a", 1.0, "load-b", 3.0), "prefix=2.5 load-a=1.125 load-b=3.375"},
		"scorers by name":                  {[]string{"prefix", "other", "load", "load-b"}, scaleOf("prefix", 9.0, "load-a", 1.0, "load-b", 3.0, "other", 3.0), "prefix=9 load-a=1 load-b=3.5 other=2.5"},
		"a profile":                        {[]string{"profile", "b"}, scaleOf("a/prefix", 1.0, "a/load", 2.0, "b/prefix", 3.0, "b/load", 2.0), "prefix=1 load=2 prefix=2.5 load=2.5"},
		"all profiles with both roles":     {nil, scaleOf("a/prefix", 3.0, "a/load", 2.0, "b/load", 1.0, "c/prefix", 3.0, "c/load", 2.0), "prefix=2.5 load=2.5 load=1 prefix=2.5 load=2.5"},
		"profiles that differ":             {nil, scaleOf("a/prefix", 3.0, "a/load", 2.0, "b/prefix", 4.0, "b/load", 2.0), `adaptive.parameters[profile]: Required value: profile a starts at 3:2 and profile b at 4:2: name the one whose weights change`},
		"no weights":                       {nil, nil, `adaptive.policy: Invalid value: "bang-bang": the router has no weights: take the policy weighted, or an EPP profile with scorers`},
		"a role without scorers":           {nil, scaleOf("prefix", 3.0), `adaptive.parameters[prefix]: Required value: no profile has both a scorer that looks at prefixes and one that looks at load: name them in prefix and load`},
		"a weight of 0":                    {nil, scaleOf("prefix", 0.0, "load", 2.0), `adaptive.parameters: Invalid value: "": the weights of prefixes are 0 in sum and those of load 2: both must be greater than 0 at the start`},
		"names that there are not":         {[]string{"prefix", "prefax", "load", "prefax", "profile", "b"}, scaleOf("a/prefix", 3.0, "a/load", 2.0), `[adaptive.parameters[prefix]: Invalid value: "prefax": unknown scorer; there are load, prefix; did you mean "prefix"?, adaptive.parameters[load]: Invalid value: "prefax": is in prefix too, adaptive.parameters[load]: Invalid value: "prefax": unknown scorer; there are load, prefix; did you mean "prefix"?, adaptive.parameters[profile]: Invalid value: "b": unknown profile; there are a; did you mean "a"?]`},
		"a cap below the start":            {[]string{"cap", "4:3"}, scaleOf("prefix", 3.0, "load", 2.0), `adaptive.parameters[cap]: Invalid value: "4:3": the weights start above the cap, at 3:2: change the weights of the scorers, or the cap`},
		"a start that the law cannot have": {nil, scaleOf("prefix", 3.0, "load", 1.0), `adaptive.policy: Invalid value: "bang-bang": the weights start at 3 for prefixes and 1 for load; the law moves them between 1 and 5 for prefixes and 2 and 5 for load: change the weights of the scorers, or minPrefix, maxPrefix, minLoad and maxLoad`},
	} {
		t.Run(name, func(t *testing.T) {
			c := mustLoad(t, "bang-bang", append(tc.parameters, "epochRequests", "1")...)
			a, errs := c.New(Router{Weighted: tc.router, Role: byName, Admission: rejects(func(id int) bool { return id == 0 })}, 1)
			if len(errs) > 0 {
				if got := errs.ToAggregate().Error(); got != tc.want {
					t.Errorf("%s, want\n%s", got, tc.want)
				}
				return
			}
			send(a, 2)
			if got := tc.router.String(); got != tc.want {
				t.Errorf("weights %s, want %s", got, tc.want)
			}
			if diff := cmp.Diff([]policy.ScorerWeight(tc.router), a.Record().Last); diff != "" {
				t.Errorf("the last weights in the record:\n%s", diff)
			}
		})
	}
}

func TestFaultyParameters(t *testing.T) {
	for name, tc := range map[string]struct {
		law        string
		parameters []string
		want       string
	}{
		"an unknown law":       {"bangbang", nil, `adaptive.policy: Invalid value: "bangbang": unknown law; there are bang-bang, multiplicative, pi, exp3, epoch-adaptive-seed; did you mean "bang-bang"?`},
		"exp3 without a grid":  {"exp3", nil, `adaptive.parameters[grid]: Required value: state the weights of prefixes to choose from, such as 1,2,3,4,5`},
		"a grid of words":      {"exp3", []string{"grid", "1,two"}, `adaptive.parameters[grid]: Invalid value: "1,two": must be numbers greater than 0 with commas between them, such as 1,2,3`},
		"a grid of one":        {"exp3", []string{"grid", "1"}, `adaptive.parameters[grid]: Invalid value: "1": must have two weights or more`},
		"a cap that is none":   {"pi", []string{"cap", "1.33"}, `adaptive.parameters[cap]: Invalid value: "1.33": must be two whole numbers of at least 1, such as 4:3, or workload or none`},
		"a cap with a 0":       {"pi", []string{"cap", "4:0"}, `adaptive.parameters[cap]: Invalid value: "4:0": must be two whole numbers of at least 1, such as 4:3, or workload or none`},
		"thresholds that swap": {"bang-bang", []string{"low", "0.5"}, `adaptive.parameters[high]: Invalid value: "0.1": must be at least low`},
		"several faults": {"bang-bang", []string{"minPrefix", "9", "epochRequests", "0", "epochTime", "soon", "stepp", "1"},
			`[adaptive.parameters[epochTime]: Invalid value: "soon": must be a duration greater than 0, such as 50ms, adaptive.parameters[epochRequests]: Invalid value: "0": must be a whole number of at least 1, adaptive.parameters[maxPrefix]: Invalid value: "5": must be at least minPrefix, adaptive.parameters[stepp]: Invalid value: "stepp": unknown parameter; there are cap, epochRequests, epochTime, exploreWithoutSignal, high, load, low, maxLoad, maxPrefix, minLoad, minPrefix, prefix, profile, step; did you mean "step"?]`},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs := load(tc.law, tc.parameters...)
			if got := errs.ToAggregate(); got == nil || got.Error() != tc.want {
				t.Errorf("%v, want\n%s", got, tc.want)
			}
		})
	}
}

// A request that waits is asked again, and is no arrival then.
func TestARequestThatWaitsArrivesOnce(t *testing.T) {
	a, errs := mustLoad(t, "bang-bang", "epochRequests", "2").New(Router{Weighted: scaleOf("prefix", 3.0, "load", 2.0), Role: byName}, 1)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	traffic := policy.NewTraffic(1, 1, time.Second)
	q := policy.Request{}
	traffic.Arrive(0, &q)
	for now := range simtime.Time(10) {
		a.Admit(&policy.View{Now: now, Traffic: traffic}, &q)
	}
	if first, _, _ := a.Record().Epochs(); len(first) > 0 {
		t.Errorf("one request makes the epochs %+v", first)
	}
}
