// SPDX-License-Identifier: Apache-2.0

package live

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/internal/testing/turnepp"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/live/discovery"
	"windtunnel.dev/windtunnel/pkg/live/epp"
	"windtunnel.dev/windtunnel/pkg/live/epp/epptest"
	"windtunnel.dev/windtunnel/pkg/live/epp/launch"
	"windtunnel.dev/windtunnel/pkg/live/rehearse"
	"windtunnel.dev/windtunnel/pkg/propose"
	"windtunnel.dev/windtunnel/pkg/worker"
)

// livePod is a live run whose pods are on the loopback interface: a replica at each of two addresses, and an EPP.
type livePod struct {
	liveWorkerOptions
	plan       *experiment.Plan
	planFolder string
	run        local.Run
	// replicas are those that a name server knows.
	replicas []netip.Addr
}

// newLivePod has an EPP that takes endpoints in turn.
func newLivePod(t *testing.T, rate string) *livePod {
	t.Helper()
	p := newLiveReplicas(t, rate)
	p.startEPP(t)
	return p
}

// newLiveReplicas has the run of loadManifest with two replicas, a rate, and other changes of its text. There is no
// EPP yet.
func newLiveReplicas(t *testing.T, rate string, changes ...string) *livePod {
	t.Helper()
	p := &livePod{}
	p.spans = "127.0.0.1:0"
	changes = append(changes, "replicas: 1", "replicas: 2", `rate: "200"`, `rate: "`+rate+`"`)
	text := strings.NewReplacer(changes...).Replace(loadManifest)
	o := local.Options{Parallelism: 1, Files: []string{writeManifest(t, text)}}
	var err error
	if p.run, err = o.CompileOne(t.Context(), strings.NewReader(""), "-f"); err != nil {
		t.Fatal(err)
	}
	p.plan = p.run.Plan
	p.plan.Live = &experiment.Live{
		EndpointPickerConfig: "kind: EndpointPickerConfig\napiVersion: llm-d.ai/v1alpha1\n",
		Pools:                []experiment.LivePool{{Name: "llama", Replicas: 2}},
	}
	p.folder = t.TempDir()
	port := p.startReplicas(t)
	p.engines = []string{"llama=llama.test:" + port}
	p.finder = discovery.Finder{Client: http.DefaultClient, Lookup: func(context.Context, string, string) ([]netip.Addr, error) { return p.replicas, nil }}
	return p
}

// startReplicas starts `engine --plan` at each address, and returns their port.
func (p *livePod) startReplicas(t *testing.T) string {
	t.Helper()
	p.planFolder = t.TempDir()
	testfile.Write(t, filepath.Join(p.planFolder, worker.PlanFile), p.plan.Encode())
	port := "0"
	for _, address := range []string{"127.0.0.1", "127.0.0.2"} {
		urls, stop := startEngineOf(t, 1, "--plan", p.planFolder, "--pool", "llama", "--replicas", "1",
			"--address", address, "--port", port, "--rehearsal", "--enable-prompt-tokens-details")
		t.Cleanup(func() {
			if err := stop(); err != nil {
				t.Error(err)
			}
		})
		at := netip.MustParseAddrPort(strings.TrimPrefix(urls[0], "http://"))
		port, p.replicas = strconv.Itoa(int(at.Port())), append(p.replicas, at.Addr())
	}
	return port
}

func (p *livePod) startEPP(t *testing.T) {
	t.Helper()
	open := [2]net.Listener{listen(t), listen(t)}
	p.epp, p.health = open[0].Addr().String(), open[1].Addr().String()
	ctx, stop := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() { over <- turnepp.Serve(ctx, open[0], open[1], filepath.Join(p.folder, "endpoints.yaml")) }()
	t.Cleanup(func() {
		stop()
		<-over
	})
}

func (p *livePod) playOnce(t *testing.T) (experiment.Simulation, store.Rehearsal, error) {
	t.Helper()
	return p.play(t.Context(), p.plan, p.run.Traces, experiment.Case{Trial: &experiment.Trial{Share: 1}, Seed: 7})
}

// TestALiveRun has an EPP that takes endpoints in turn, and a configuration that ties all of them.
func TestALiveRun(t *testing.T) {
	p := newLivePod(t, "200")
	s, verdict, err := p.playOnce(t)
	if err != nil {
		t.Fatal(err)
	}
	var compared rehearsal
	raw, err := propose.Unpack(s.Rehearsal, &compared)
	if err != nil {
		t.Fatal(err)
	}
	d := compared.Decisions
	if d.Equal+d.Tied+d.Different != 20 || compared.Moved != "" || len(compared.Figures) != 8 {
		t.Errorf("the comparison is %s", raw)
	}
	if rate, ok := s.Row.Metrics.Get("completionRate"); !ok || rate != 1 || s.Row.Seed != 7 || s.Row.Key == "" {
		t.Errorf("the row is %+v", s.Row)
	}
	if !strings.Contains(verdict.Message, "% of decisions are equal or tied, engineTtft.p50 is ") || verdict.Within != compared.Within {
		t.Errorf("the verdict is %+v", verdict)
	}
	if _, _, err := p.playOnce(t); !errors.Is(err, worker.ErrBadInput) || !strings.Contains(err.Error(), "has served requests before this run") {
		t.Errorf("the error of a second run is %v", err)
	}
}

func TestALiveRunWithoutAReplica(t *testing.T) {
	p := newLivePod(t, "200")
	p.replicas = p.replicas[:1]
	if _, _, err := p.playOnce(t); !errors.Is(err, worker.ErrBadInput) || !strings.Contains(err.Error(), "of pool llama 1 replicas serve, and the scenario has 2") {
		t.Errorf("the error is %v", err)
	}
}

// TestALiveRunOfPriorities starts what is in the pod in the order of the pod, with a real EPP.
func TestALiveRunOfPriorities(t *testing.T) {
	binary := epptest.Binary(t)
	p := newLiveReplicas(t, "20", "name: chat", "name: chat\n        priority: 5")
	objects, spans := listen(t), freeAddress(t)
	prepare := prepareOptions{podOptions: p.podOptions, scenario: scenarioOptions{plan: p.planFolder}, objects: objects.Addr().String(), timeout: time.Minute}
	if err := prepare.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() { over <- epp.ServeObjects(ctx, objects, p.folder) }()
	t.Cleanup(func() {
		stop()
		if err := <-over; err != nil {
			t.Error(err)
		}
	})
	metrics := p.startRealEPP(t, binary, spans)
	p.spans, p.lastSpans = spans, 3*time.Second

	played, err := p.measure(t.Context(), p.plan, p.run.Traces, 7)
	if err != nil {
		t.Fatal(err)
	}
	type choices struct {
		Choices []struct{ Endpoint, Chosen, Ended int }
	}
	recorded := jsontest.Decode[choices](t, jsontest.Encode(t, &rehearse.Recording{Choices: played.choices}))
	for i, c := range recorded.Choices {
		if c.Endpoint < 0 || c.Chosen == 0 || c.Ended <= c.Chosen {
			t.Errorf("request %d: %+v", i, c)
		}
	}
	if text := epptest.Metrics(t, metrics); len(recorded.Choices) != 20 || !strings.Contains(text, `priority="5"`) || strings.Contains(text, `priority="0"`) {
		t.Errorf("the priorities of %d requests are not all 5:\n%s", len(recorded.Choices), text)
	}
}

// startRealEPP starts an EPP as the pod does, which sends its spans to an address, and returns where its metrics are.
func (p *livePod) startRealEPP(t *testing.T, binary, spans string) (metrics string) {
	t.Helper()
	var ports [3]int
	for i := range ports {
		_, text, _ := net.SplitHostPort(freeAddress(t))
		ports[i], _ = strconv.Atoi(text)
	}
	at := func(i int) string { return fmt.Sprintf("127.0.0.1:%d", ports[i]) }
	p.epp, p.health = at(0), at(1)
	var log bytes.Buffer
	command := exec.Command(binary, append(launch.Flags(p.folder, ports[0], ports[1], ports[2]), epp.KnownFlags(t.Context(), binary)...)...)
	command.Env, command.Stdout, command.Stderr = append(os.Environ(), launch.Environment(p.folder, spans)...), &log, &log
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Signal(os.Interrupt)
		_ = command.Wait()
		if t.Failed() {
			t.Logf("the EPP's log:\n%s", &log)
		}
	})
	return at(2)
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	open, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return open
}

// freeAddress is one at which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	open := listen(t)
	defer open.Close()
	return open.Addr().String()
}

// TestALiveRunWhoseReplicasChange loses a replica within its 2 s, for a name server, at the second look.
func TestALiveRunWhoseReplicasChange(t *testing.T) {
	p := newLivePod(t, "10")
	all, looks := p.replicas, 0
	p.finder.Lookup = func(context.Context, string, string) ([]netip.Addr, error) {
		looks++
		return all[:max(1, 3-looks)], nil
	}
	s, verdict, err := p.playOnce(t)
	if err != nil {
		t.Fatal(err)
	}
	var compared rehearsal
	if _, err := propose.Unpack(s.Rehearsal, &compared); err != nil {
		t.Fatal(err)
	}
	if compared.Moved != "2, then 1" || compared.Decisions != (rehearse.Decisions{}) || !strings.HasPrefix(verdict.Message, "decisions are not compared, as the number of replicas changed: 2, then 1, tpot.mean is ") {
		t.Errorf("the verdict is %+v, moved %q", verdict, compared.Moved)
	}
	if text, err := os.ReadFile(filepath.Join(p.folder, "endpoints.yaml")); err != nil || strings.Count(string(text), "address:") != 1 {
		t.Errorf("the EPP's endpoints are %s, %v", text, err)
	}
}

// TestAReplicaThatIsGoneIsNotAsked has one that takes connections and does not answer, and that does not serve any more.
func TestAReplicaThatIsGoneIsNotAsked(t *testing.T) {
	silent := listen(t)
	defer silent.Close()
	p := &podPlay{liveWorkerOptions: &liveWorkerOptions{}, play: &play{notes: rehearse.NewNotes(1, 0)}, live: &experiment.Live{Pools: []experiment.LivePool{{}}}}
	p.first.endpoints = []epp.Endpoint{{Name: "a", Address: netip.MustParseAddrPort(silent.Addr().String())}}
	p.folder, p.services = t.TempDir(), []discovery.Service{{Pool: "llama"}}
	over, looks := make(chan struct{}), 0
	end := sync.OnceFunc(func() { close(over) })
	p.finder.Lookup = func(context.Context, string, string) ([]netip.Addr, error) {
		if looks++; looks > 1 {
			end()
		}
		return nil, nil
	}
	p.follow(t.Context(), over)
	if p.moved.told != "1, then 0" || p.lost != nil {
		t.Errorf("moved: %q, lost: %v", p.moved.told, p.lost)
	}
}

// TestPrepare writes what an EPP starts with: of all replicas, or of those that serve after the time.
func TestPrepare(t *testing.T) {
	p := newLivePod(t, "200")
	services, err := p.services(p.plan.Live)
	if err != nil {
		t.Fatal(err)
	}
	for _, replicas := range []int{2, 1} {
		p.finder.Lookup = func(context.Context, string, string) ([]netip.Addr, error) { return p.replicas[:replicas], nil }
		o := prepareOptions{podOptions: p.podOptions, timeout: time.Nanosecond}
		found, err := o.await(t.Context(), p.plan.Live, services)
		if err != nil || len(found.endpoints) != replicas || found.endpoints[0].Name != "llama-127-0-0-1" {
			t.Errorf("of %d replicas: %+v, %v", replicas, found, err)
		}
	}
}

func TestTheServicesOfAPlan(t *testing.T) {
	live := &experiment.Live{Pools: []experiment.LivePool{{Name: "a"}, {Name: "b"}}}
	for want, engines := range map[string][]string{
		"--engines x: must be the Service of each pool":     {"x"},
		"--engines b=h:1: must be":                          {"b=h:1", "a=h:1"},
		"--engines: there are 1, and the plan has 2 pools":  {"a=h:1"},
		"--engines c=h:1: must be the Service of each pool": {"a=h:1", "b=h:1", "c=h:1"},
	} {
		o := podOptions{engines: engines}
		if _, err := o.services(live); !errors.Is(err, worker.ErrBadInput) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: the error is %v, want %q", engines, err, want)
		}
	}
	if _, err := (&podOptions{}).services(nil); !errors.Is(err, worker.ErrBadInput) {
		t.Errorf("a plan that is not live: %v", err)
	}
}

// TestManyMovesFitIntoAReport has a replica that comes and goes for an hour.
func TestManyMovesFitIntoAReport(t *testing.T) {
	var m moves
	for range 1800 {
		m.add(2, 1)
		m.add(1, 2)
	}
	if want := "2" + strings.Repeat(", then 1, then 2", 10) + ", and so on"; m.told != want {
		t.Errorf("it says %q, want %q", m.told, want)
	}
}
