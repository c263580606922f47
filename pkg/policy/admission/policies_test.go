// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

var names = Names{Tenants: []string{"acme", "free"}, Classes: []string{"critical", "standard", "batch"}, Stability: true}

const (
	acme, free                = 0, 1
	critical, standard, batch = 0, 1, 2
)

// make returns a policy with parameters, given as name=value.
func makePolicy(t *testing.T, name string, parameters ...string) policy.Admission {
	t.Helper()
	config, errs := Load(Spec{name, values(parameters)}, names, field.NewPath("admission"))
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return config.New(1)
}

func values(parameters []string) map[string]string {
	m := map[string]string{}
	for _, p := range parameters {
		name, value, _ := strings.Cut(p, "=")
		m[name] = value
	}
	return m
}

// at is a time in ms.
func at(ms int64) simtime.Time { return simtime.Time(ms * 1e6) }

// busy is a view of two replicas with so many waiting requests and such a use of the KV
// cache.
func busy(now simtime.Time, waiting int, kvUsage float64) *policy.View {
	s := policy.Scrape{Waiting: waiting, KVUsage: kvUsage}
	return &policy.View{Now: now, Scrapes: []policy.Scrape{s, s}}
}

// said describes a verdict.
func said(v policy.AdmissionResponse) string {
	reasons := map[error]string{policy.ErrShed: "shed", policy.ErrRateLimited: "rate", policy.ErrOverBudget: "budget", policy.ErrClassRefused: "class"}
	for err, name := range reasons {
		if errors.Is(v.Rejection, err) {
			return name
		}
	}
	if v.Until > 0 {
		return "until " + v.Until.String()
	}
	return "enters"
}

func TestPoliciesByTheBusynessOfReplicas(t *testing.T) {
	request := func(class, priority int) policy.Request {
		return policy.Request{Class: class, Priority: priority, Tokens: 100}
	}
	down := busy(0, 9, 0)
	down.Down = []bool{true, true}
	for name, tc := range map[string]struct {
		policy     string
		parameters []string
		view       *policy.View
		request    policy.Request
		want       string
	}{
		"always admits":                                         {"always", nil, busy(0, 99, 1), request(batch, -1), "enters"},
		"reject-all rejects":                                    {"reject-all", nil, busy(0, 0, 0), request(critical, 9), "class"},
		"saturation sheds low priority":                         {"saturation", nil, busy(0, 5, 0), request(batch, -1), "shed"},
		"saturation by the KV cache":                            {"saturation", nil, busy(0, 0, 0.8), request(batch, -1), "shed"},
		"saturation below the thresholds":                       {"saturation", nil, busy(0, 4, 0.79), request(batch, -1), "enters"},
		"saturation keeps priority 0":                           {"saturation", nil, busy(0, 50, 1), request(batch, 0), "enters"},
		"saturation with a bound of its own":                    {"saturation", []string{"priority=5", "queueDepth=2"}, busy(0, 2, 0), request(batch, 4), "shed"},
		"saturation without a replica":                          {"saturation", nil, down, request(batch, -1), "shed"},
		"slo-gated lets critical enter":                         {"slo-gated", nil, busy(0, 99, 1), request(critical, 0), "enters"},
		"slo-gated lets standard enter below 10":                {"slo-gated", nil, busy(0, 9, 1), request(standard, 0), "enters"},
		"slo-gated refuses standard from 10 on":                 {"slo-gated", nil, busy(0, 10, 0), request(standard, 0), "class"},
		"slo-gated lets others enter below 5":                   {"slo-gated", nil, busy(0, 4, 0), request(batch, 0), "enters"},
		"slo-gated refuses others from 5 on":                    {"slo-gated", nil, busy(0, 5, 0), request(batch, 0), "class"},
		"slo-gated ignores a replica that is gone":              {"slo-gated", nil, down, request(batch, 0), "enters"},
		"slo-gated with classes of other names":                 {"slo-gated", []string{"critical=batch", "otherDepth=1"}, busy(0, 3, 0), request(batch, 0), "enters"},
		"tier-shed refuses a class from its threshold on":       {"tier-shed", []string{"threshold:batch=0.6"}, busy(0, 3, 0), request(batch, 0), "class"},
		"tier-shed keeps a class below its threshold":           {"tier-shed", []string{"threshold:batch=0.7"}, busy(0, 3, 0), request(batch, 0), "enters"},
		"tier-shed has a threshold of all others":               {"tier-shed", []string{"threshold=0.2", "threshold:critical=9"}, busy(0, 1, 0), request(standard, 0), "class"},
		"delay waits while saturated":                           {"delay", nil, busy(at(0), 5, 0), request(batch, 0), "until 50ms"},
		"delay does not wait longer than it may":                {"delay", []string{"maxDelay=1s"}, busy(at(980), 5, 0), request(batch, 0), "until 1s"},
		"delay admits after the longest wait":                   {"delay", []string{"maxDelay=1s"}, busy(at(1000), 5, 0), request(batch, 0), "enters"},
		"delay rejects after the longest wait where told to":    {"delay", []string{"maxDelay=1s", "then=reject"}, busy(at(1000), 5, 0), request(batch, 0), "shed"},
		"delay ends with the saturation":                        {"delay", nil, busy(at(50), 4, 0), request(batch, 0), "enters"},
		"probabilistic admits below from":                       {"probabilistic", nil, busy(0, 2, 0), request(batch, 0), "enters"},
		"probabilistic sheds from to on":                        {"probabilistic", nil, busy(0, 5, 0), request(batch, 0), "shed"},
		"probabilistic sheds nothing where most is 0":           {"probabilistic", []string{"most=0"}, busy(0, 50, 0), request(batch, 0), "enters"},
		"token-bucket has a burst":                              {"token-bucket", nil, busy(0, 0, 0), request(batch, 0), "enters"},
		"token-bucket lets a request take a full bucket":        {"token-bucket", []string{"unit=tokens", "rate=10", "burst=50"}, busy(0, 0, 0), request(batch, 0), "enters"},
		"burst-detection knows no burst before there is a mean": {"burst-detection", []string{"minimum=1"}, busy(at(1), 0, 0), request(batch, 0), "enters"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := said(makePolicy(t, tc.policy, tc.parameters...).Admit(tc.view, &tc.request)); got != tc.want {
				t.Errorf("%s, want %s", got, tc.want)
			}
		})
	}
}

// A probabilistic policy sheds the share that its ramp says.
func TestProbabilisticShedsAShare(t *testing.T) {
	p := makePolicy(t, "probabilistic", "from=0", "to=1", "queueDepth=10")
	shed := 0
	for range 10_000 {
		if said(p.Admit(busy(0, 3, 0), &policy.Request{})) == "shed" {
			shed++
		}
	}
	if shed < 2850 || shed > 3150 { // 3.3 standard deviations
		t.Errorf("%d of 10,000 are shed, want about 3,000", shed)
	}
}

func TestATokenBucketIsATokenBucket(t *testing.T) {
	type arrival struct {
		ms             int64
		tenant, tokens int
	}
	every100ms := func(n int) (all []arrival) {
		for i := range n {
			all = append(all, arrival{ms: int64(i) * 100, tokens: 100})
		}
		return all
	}
	for name, tc := range map[string]struct {
		parameters []string
		arrivals   []arrival
		want       []string
	}{
		"a burst, then the rate": {
			[]string{"rate=5", "burst=2"}, every100ms(6),
			[]string{"enters", "enters", "enters", "rate", "enters", "rate"},
		},
		"a bucket for each tenant": {
			[]string{"scope=tenant", "rate=1", "burst=1", "rate:acme=10"},
			[]arrival{{0, acme, 1}, {0, free, 1}, {100, acme, 1}, {100, free, 1}, {1000, free, 1}},
			[]string{"enters", "enters", "enters", "rate", "enters"},
		},
		"tokens instead of requests": {
			[]string{"unit=tokens", "rate=1000", "burst=250"}, every100ms(6),
			[]string{"enters", "enters", "enters", "enters", "enters", "enters"},
		},
		"too many tokens": {
			[]string{"unit=tokens", "rate=500", "burst=100"}, every100ms(5),
			[]string{"enters", "rate", "enters", "rate", "enters"},
		},
		"requests wait in order of arrival": {
			[]string{"rate=5", "burst=1", "over=delay", "maxDelay=300ms"},
			[]arrival{{0, acme, 1}, {0, acme, 1}, {50, acme, 1}, {100, acme, 1}},
			[]string{"enters", "until 200ms", "rate", "until 400ms"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := makePolicy(t, "token-bucket", tc.parameters...)
			var got []string
			for _, a := range tc.arrivals {
				got = append(got, said(p.Admit(&policy.View{Now: at(a.ms)}, &policy.Request{Arrival: at(a.ms), Tenant: a.tenant, Tokens: a.tokens})))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(−want +got):\n%s", diff)
			}
		})
	}
}

// A bucket never admits more than burst + rate·time in any stretch of time, and with
// requests always there no fewer, to within one.
func TestTheRateOfATokenBucket(t *testing.T) {
	p := makePolicy(t, "token-bucket", "rate=7", "burst=3")
	admitted := 0
	for ms := range int64(100_000) {
		if said(p.Admit(&policy.View{Now: at(ms)}, &policy.Request{Arrival: at(ms)})) == "enters" {
			admitted++
		}
	}
	if want := 3 + 700; admitted < want-1 || admitted > want {
		t.Errorf("%d requests enter in 100 s, want %d", admitted, want)
	}
}

func TestTenantBudgets(t *testing.T) {
	for name, tc := range map[string]struct {
		parameters []string
		inFlight   [2]int
		tenant     int
		want       string
	}{
		"free capacity is anyone's":            {[]string{"capacity=10"}, [2]int{9, 0}, acme, "enters"},
		"a tenant over its part is rejected":   {[]string{"capacity=10"}, [2]int{8, 2}, acme, "budget"},
		"a tenant within its part enters":      {[]string{"capacity=10"}, [2]int{8, 2}, free, "enters"},
		"the first request of a tenant enters": {[]string{"capacity=10"}, [2]int{10, 0}, free, "enters"},
		"a tenant alone has all, and no more":  {[]string{"capacity=10"}, [2]int{10, 0}, acme, "budget"},
		"shares divide the capacity":           {[]string{"capacity=10", "share:acme=4"}, [2]int{7, 3}, acme, "enters"},
		"shares bound the other tenant":        {[]string{"capacity=10", "share:acme=4"}, [2]int{7, 3}, free, "budget"},
		"tokens instead of requests":           {[]string{"capacity=1000", "unit=tokens"}, [2]int{7, 3}, acme, "budget"},
		"a tenant over its part may wait":      {[]string{"capacity=10", "over=delay"}, [2]int{8, 2}, acme, "until 100ms"},
	} {
		t.Run(name, func(t *testing.T) {
			traffic := policy.NewTraffic(2, 3, time.Minute)
			for tenant, n := range tc.inFlight {
				for range n {
					traffic.Admit(0, &policy.Request{Tenant: tenant, Tokens: 100})
				}
			}
			got := said(makePolicy(t, "tenant-budget", tc.parameters...).Admit(&policy.View{Traffic: traffic}, &policy.Request{Tenant: tc.tenant, Tokens: 100}))
			if got != tc.want {
				t.Errorf("%s, want %s", got, tc.want)
			}
		})
	}
}

// A tenant that sends one request a second, and then fifty at once, is stopped at the
// burst; a tenant that always sends that much is not.
func TestBurstsAreDetected(t *testing.T) {
	p := makePolicy(t, "burst-detection")
	count := map[string]int{}
	for ms := int64(0); ms < 60_000; ms += 20 {
		for _, tenant := range []int{acme, free} {
			if tenant == acme && ms%1000 != 0 && ms < 59_000 {
				continue
			}
			v := p.Admit(&policy.View{Now: at(ms)}, &policy.Request{Arrival: at(ms), Tenant: tenant})
			count[names.Tenants[tenant]+" "+said(v)]++
		}
	}
	want := map[string]int{"acme enters": 59 + 9, "acme rate": 41, "free enters": 3000}
	if diff := cmp.Diff(want, count); diff != "" {
		t.Errorf("(−want +got):\n%s", diff)
	}
}

func TestWrongParametersHaveTheirPath(t *testing.T) {
	for name, tc := range map[string]struct {
		spec  Spec
		names Names
		want  []string
	}{
		"a policy that does not exist":  {Spec{Policy: "token-buckets"}, names, []string{`admission.policy: Invalid value: "token-buckets": unknown policy; there are ` + strings.Join(policies.Names(), ", ") + `; did you mean "token-bucket"?`}},
		"a parameter of another policy": {Spec{"always", values([]string{"rate=1"})}, names, []string{`admission.parameters[rate]: Invalid value: "rate": unknown parameter; there are prefillChunk, prefillChunk:CLASS`}},
		"hints that are no chunks": {Spec{"always", values([]string{"prefillChunk=-1", "prefillChunk:acme=5"})}, names, []string{
			`admission.parameters[prefillChunk]: Invalid value: "-1": must be a whole number of at least 0`,
			`admission.parameters[prefillChunk:acme]: Invalid value: "acme": unknown class; there are critical, standard, batch`,
		}},
		"no numbers": {Spec{"token-bucket", values([]string{"rate=fast", "burst=0", "scope=all"})}, names, []string{
			`admission.parameters[scope]: Unsupported value: "all": supported values: "global", "tenant"`,
			`admission.parameters[rate]: Invalid value: "fast": must be a number greater than 0`,
			`admission.parameters[burst]: Invalid value: "0": must be a number greater than 0`,
		}},
		"a budget for no tenant": {Spec{"tenant-budget", values([]string{"share:acne=2"})}, names, []string{
			`admission.parameters[share:acne]: Invalid value: "acne": unknown tenant; there are acme, free; did you mean "acme"?`,
		}},
		"a rate of a tenant in a bucket for all": {Spec{"token-bucket", values([]string{"rate:acme=3"})}, names, []string{
			`admission.parameters[rate:acme]: Invalid value: "3": has no effect with scope=global: set scope to tenant`,
		}},
		"a longest wait of a bucket that rejects": {Spec{"token-bucket", values([]string{"maxDelay=1s"})}, names, []string{
			`admission.parameters[maxDelay]: Forbidden: has no effect with over=reject: set over to delay`,
		}},
		"waits of a budget that rejects": {Spec{"tenant-budget", values([]string{"maxDelay=1s", "retryEvery=1s", "over=reject"})}, names, []string{
			`admission.parameters[retryEvery]: Forbidden: has no effect with over=reject: set over to delay`,
			`admission.parameters[maxDelay]: Forbidden: has no effect with over=reject: set over to delay`,
		}},
		"a bucket of tokens with the sizes of one of requests": {Spec{"token-bucket", values([]string{"unit=tokens"})}, names, []string{
			`admission.parameters[rate]: Required value: state it in tokens: the default counts requests`,
			`admission.parameters[burst]: Required value: state it in tokens: the default counts requests`,
		}},
		"a budget of tokens with the size of one of requests": {Spec{"tenant-budget", values([]string{"unit=tokens"})}, names, []string{
			`admission.parameters[capacity]: Required value: state it in tokens: the default counts requests`,
		}},
		"a gate without its classes": {Spec{Policy: "slo-gated"}, Names{Classes: []string{"default"}}, []string{
			`admission.policy: Invalid value: "slo-gated": the workload has no class critical or standard, so the gate treats all requests alike; its classes are "default": set parameters critical and standard`,
		}},
		"no controllers to ask": {Spec{Policy: "stability"}, Names{}, []string{
			`admission.policy: Invalid value: "stability": no pool has a stability controller: set kvCache.stability of a pool`,
		}},
		"a ramp that falls":       {Spec{"probabilistic", values([]string{"from=2"})}, names, []string{`admission.parameters[to]: Invalid value: "1": must be greater than from`}},
		"windows that do not fit": {Spec{"burst-detection", values([]string{"memory=1s"})}, names, []string{`admission.parameters[memory]: Invalid value: "1s": must be longer than window`}},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs := Load(tc.spec, tc.names, field.NewPath("admission"))
			var got []string
			for _, e := range errs {
				got = append(got, e.Error())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(−want +got):\n%s", diff)
			}
		})
	}
}

// Each policy decides alike with the same seed, and without an allocation.
func TestPoliciesDecideAlikeAndWithoutAllocations(t *testing.T) {
	for _, name := range policies.Names() {
		config, errs := Load(Spec{Policy: name}, names, field.NewPath("admission"))
		if len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}
		decide := func() (all []string, one func()) {
			p, traffic := config.New(7), policy.NewTraffic(2, 3, time.Minute)
			view := busy(0, 3, 0.5)
			view.Traffic = traffic
			next, q := 0, &policy.Request{}
			step := func() policy.AdmissionResponse {
				view.Now = at(int64(next) * 37)
				*q = policy.Request{ID: next, Arrival: view.Now, Tenant: next % 2, Class: next % 3, Tokens: 100}
				view.Scrapes[0].Waiting = next % 9
				next++
				return p.Admit(view, q)
			}
			for range 500 {
				all = append(all, said(step()))
			}
			return all, func() { step() }
		}
		first, one := decide()
		second, _ := decide()
		if !slices.Equal(first, second) {
			t.Errorf("%s decides otherwise the second time", name)
		}
		if n := testing.AllocsPerRun(100, one); n > 0 {
			t.Errorf("%s allocates %v times a decision", name, n)
		}
	}
}

func TestEachPolicyIsDescribed(t *testing.T) {
	for _, d := range Describe() {
		if d.Help == "" {
			t.Errorf("%s has no help", d.Name)
		}
		for _, p := range d.Parameters {
			if p.Help == "" {
				t.Errorf("parameter %s of %s has no help", p.Name, d.Name)
			}
		}
	}
}
