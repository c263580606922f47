// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/controllers"
	"windtunnel.dev/windtunnel/internal/testing/apiserver"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/worker"
)

// plugin runs the command as kubectl runs its plugin.
func plugin(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := newCommand("/usr/local/bin/" + pluginFile)
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SetErr(&errs)
	err = cmd.ExecuteContext(t.Context())
	return out.String(), errs.String(), err
}

func mustPlugin(t *testing.T, args ...string) string {
	t.Helper()
	out, _, err := plugin(t, args...)
	if err != nil {
		t.Fatalf("kubectl windtunnel %s: %v", strings.Join(args, " "), err)
	}
	return out
}

func TestThePluginNamesItself(t *testing.T) {
	help := mustPlugin(t, "results", "--help")
	for _, want := range []string{"kubectl windtunnel results [NAME", "  kubectl windtunnel results my-sweep -n experiments", "--context", "--kubeconfig"} {
		if !strings.Contains(help, want) {
			t.Errorf("there is no %q in\n%s", want, help)
		}
	}
	if found := regexp.MustCompile(`kubectl kubectl|(^|\n) +windtunnel `).FindString(help); found != "" {
		t.Errorf("the help has %q:\n%s", found, help)
	}
	if verbs := mustPlugin(t, "--help"); strings.Contains(verbs, "\n  manager ") || !strings.Contains(verbs, "\n  worker ") {
		t.Errorf("the plugin has the verb manager, or not the verb worker:\n%s", verbs)
	}
	_, _, err := plugin(t, "results", "--nope")
	if err == nil || !strings.Contains(err.Error(), "see kubectl windtunnel results --help") {
		t.Error(err)
	}
	for file, want := range map[string]string{"kubectl-windtunnel": "kubectl windtunnel", "/x/kubectl-windtunnel.exe": "kubectl windtunnel", "windtunnel": "windtunnel", "wt": "windtunnel"} {
		if got := programOf(file); got != want {
			t.Errorf("%s: %s", file, got)
		}
	}
}

// conditioned gives a status conditions, as TYPE=STATUS/REASON/MESSAGE.
func conditioned(st *v1alpha1.CommonStatus, conditions ...string) {
	for _, text := range conditions {
		typ, rest, _ := strings.Cut(text, "=")
		parts := strings.SplitN(rest+"//", "/", 3)
		st.Conditions = append(st.Conditions, metav1.Condition{Type: typ, Status: metav1.ConditionStatus(parts[0]), Reason: parts[1], Message: strings.TrimRight(parts[2], "/")})
	}
}

func aSweep(name string, conditions ...string) *v1alpha1.PolicySweep {
	s := &v1alpha1.PolicySweep{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "n", CreationTimestamp: metav1.NewTime(time.Now().Add(-time.Hour))}}
	conditioned(&s.Status.CommonStatus, conditions...)
	return s
}

func aRun(name string, conditions ...string) *v1alpha1.SimulationRun {
	r := &v1alpha1.SimulationRun{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "n", CreationTimestamp: metav1.NewTime(time.Now().Add(-2 * time.Hour))}}
	conditioned(&r.Status.CommonStatus, conditions...)
	return r
}

func TestTopSortsByWhatNeedsAttention(t *testing.T) {
	working := aSweep("works", "Ready=False/Running/500 of 900 simulations", "Reconciling=True/Running")
	working.Status.Progress = &v1alpha1.ProgressStatus{Total: 900, Completed: 480, Underway: 20}
	elsewhere := aRun("elsewhere", "Ready=True/Complete", "Complete=True/Complete")
	elsewhere.Namespace = "m"
	best := aSweep("passes", "Ready=True/Complete", "Complete=True/Complete", "Passed=True/GatesPassed/all gates pass")
	best.Status.Best = &v1alpha1.PointStatus{Summary: "prefix=3: ttft.p99 0.2"}
	apiserver.New(t, controllers.Scheme(),
		best, working, elsewhere,
		aSweep("undecided", "Ready=True/Complete", "Complete=True/Complete", "Passed=Unknown/Undecided/gate fast needs more seeds"),
		aSweep("baseline", "Ready=True/Complete", "Complete=True/Complete", "Passed=False/BaselineIsBest/keep what you have"),
		aSweep("fails", "Ready=True/Complete", "Complete=True/Complete", "Passed=False/GateFailed/gate fast fails"),
		aSweep("blocked", "Ready=False/Blocked/the quota is used up", "Reconciling=True/Blocked"),
		aSweep("broken", "Ready=False/JobFailed/shard 3 failed", "Failed=True/JobFailed", "Stalled=True/JobFailed"),
		aRun("invalid", "Ready=False/Invalid/spec.scenario is wrong", "Failed=True/Invalid", "Stalled=True/Invalid"),
		aRun("held", "Ready=False/Suspended", "Suspended=True/Suspended"),
		aRun("new"),
	)
	out := mustPlugin(t, "top")
	table, rest, _ := strings.Cut(out, "\n\n")
	var names []string
	for _, line := range strings.Split(table, "\n")[1:] {
		names = append(names, strings.Fields(line)[0])
	}
	want := []string{
		"policysweep/broken", "simulationrun/invalid", "policysweep/fails", "policysweep/blocked", "policysweep/undecided",
		"policysweep/works", "simulationrun/new", "simulationrun/held", "policysweep/baseline", "policysweep/passes",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("(-want +got):\n%s\n%s", diff, out)
	}
	for _, line := range []string{
		"policysweep/works      Running    500/900  -          60m   -",
		"policysweep/passes     Complete   -        pass       60m   prefix=3: ttft.p99 0.2",
	} {
		if !strings.Contains(table, line) {
			t.Errorf("there is no line %q in\n%s", line, table)
		}
	}
	for _, line := range []string{
		"policysweep/broken: shard 3 failed\nnext: kubectl windtunnel logs policysweep/broken -n n\n",
		"simulationrun/invalid: spec.scenario is wrong\nnext: kubectl windtunnel explain simulationrun/invalid -n n\n",
		"policysweep/fails: gate fast fails\nnext: kubectl windtunnel explain policysweep/fails -n n\n",
		"policysweep/blocked: the quota is used up\nnext: kubectl describe policysweep/blocked -n n\n",
	} {
		if !strings.Contains(rest, line) {
			t.Errorf("there is no %q in\n%s", line, rest)
		}
	}
	if all := mustPlugin(t, "top", "-A"); !strings.Contains(all, "m          simulationrun/elsewhere") {
		t.Errorf("all namespaces:\n%s", all)
	}
	if other := mustPlugin(t, "top", "--context", "other"); !strings.Contains(other, "simulationrun/elsewhere") || strings.Contains(other, "broken") {
		t.Errorf("another context:\n%s", other)
	}
	var rows []struct{ Object, Next string }
	if err := json.Unmarshal([]byte(mustPlugin(t, "top", "-o", "json")), &rows); err != nil || len(rows) != 10 {
		t.Errorf("%v: %v", err, rows)
	}
	if empty := mustPlugin(t, "top", "-n", "z"); empty != "There are no runs and no sweeps here.\n" {
		t.Error(empty)
	}
}

func TestClusterVerbsRefuseBadInput(t *testing.T) {
	server := apiserver.New(t, controllers.Scheme(), aSweep("s"), aRun("s"), aRun("r"))
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"no name":            {[]string{"watch"}, "watch needs the name of one"},
		"an unknown name":    {[]string{"explain", "x"}, "there is no PolicySweep or SimulationRun x in namespace n"},
		"two of a name":      {[]string{"explain", "s"}, "write policysweep/s or simulationrun/s"},
		"an unknown type":    {[]string{"logs", "pod/x"}, "the type must be policysweep or simulationrun"},
		"an unknown context": {[]string{"top", "--context", "nope"}, `context "nope" does not exist`},
		"no kubeconfig":      {[]string{"top", "--kubeconfig", "/nowhere"}, "find the cluster: "},
		"two namespaces":     {[]string{"top", "-A", "-n", "n"}, "use it without --namespace"},
		"an unknown order":   {[]string{"explain", "r", "--by", "nope"}, "must be ttft, tpot, e2e or outcome"},
		"no request":         {[]string{"explain", "r", "x"}, "must be the number of a request"},
		"a run to promote":   {[]string{"promote", "r"}, "promote is about PolicySweeps"},
		"nothing to promote": {[]string{"promote", "policysweep/s"}, "is not complete: New; next: kubectl windtunnel watch policysweep/s -n n"},
		"no folder":          {[]string{"promote", "policysweep/s", "/nowhere/epp.yaml"}, "/nowhere"},
		"a word too many":    {[]string{"completion", "bash", "a"}, `unexpected argument "a"`},
		"no pods yet":        {[]string{"logs", "r"}, "has no pods yet"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := plugin(t, tc.args...)
			if err == nil || cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("exit code %d: %v, want %q", cli.ExitCode(err), err, tc.want)
			}
		})
	}
	server.Forget("policysweeps")
	for _, args := range [][]string{{"top"}, {"explain", "x"}} {
		if _, _, err := plugin(t, args...); err == nil || !strings.Contains(err.Error(), "does not know the kinds of Windtunnel") || cli.ExitCode(err) != cli.ExitBadInput {
			t.Errorf("%v without the kinds: %v", args, err)
		}
	}
}

// A sweep is followed with one watch until its gates are judged, and the exit code is that of the
// local command.
func TestWatchFollowsASweepToItsVerdict(t *testing.T) {
	for name, tc := range map[string]struct {
		last []string
		exit int
		next string
	}{
		"gates pass":       {[]string{"Ready=True/Complete", "Complete=True/Complete", "Passed=True/GatesPassed"}, cli.ExitOK, ""},
		"a gate fails":     {[]string{"Ready=True/Complete", "Complete=True/Complete", "Passed=False/GateFailed/gate fast fails"}, cli.ExitFailed, "next: kubectl windtunnel explain policysweep/s -n n\n"},
		"more seeds":       {[]string{"Ready=True/Complete", "Complete=True/Complete", "Passed=Unknown/Undecided/why"}, cli.ExitUnknown, "next: kubectl windtunnel explain policysweep/s -n n\n"},
		"it is invalid":    {[]string{"Ready=False/Invalid/why", "Failed=True/Invalid"}, cli.ExitBadInput, "next: kubectl windtunnel explain policysweep/s -n n\n"},
		"a shard failed":   {[]string{"Ready=False/JobFailed/why", "Failed=True/JobFailed"}, cli.ExitFailed, "next: kubectl windtunnel logs policysweep/s -n n\n"},
		"nothing is there": {[]string{"Ready=True/NothingServed/why", "Complete=True/NothingServed"}, cli.ExitFailed, ""},
	} {
		t.Run(name, func(t *testing.T) {
			first := aSweep("s", "Ready=False/Running")
			first.Status.Progress = &v1alpha1.ProgressStatus{Total: 40, Completed: 10, Reused: 3, Round: 1, Shards: 2}
			server := apiserver.New(t, controllers.Scheme(), first)
			done := make(chan error, 1)
			var out string
			go func() {
				var err error
				out, _, err = plugin(t, "watch", "s")
				done <- err
			}()
			for !slices.ContainsFunc(server.Requests(), func(r string) bool { return strings.Contains(r, "watch=true") }) {
				time.Sleep(time.Millisecond)
			}
			last := aSweep("s", tc.last...)
			last.Status.Progress = &v1alpha1.ProgressStatus{Total: 40, Completed: 40, Reused: 3, Failed: 1, Round: 2}
			last.Status.Best = &v1alpha1.PointStatus{Point: 7, Summary: "prefix=3: ttft.p99 0.2"}
			last.Status.Gates = []v1alpha1.GateStatus{{Name: "fast", Verdict: v1alpha1.GatePass}}
			server.Put(t, controllers.Scheme(), last)
			server.Put(t, controllers.Scheme(), last)
			err := <-done
			if cli.ExitCode(err) != tc.exit {
				t.Errorf("exit code %d, want %d: %v", cli.ExitCode(err), tc.exit, err)
			}
			reason := last.Status.Conditions[0].Reason
			want := "Running; round 1; 10 of 40 done, 3 reused, 2 shards\n" +
				reason + "; round 2; 40 of 40 done, 1 failed, 3 reused; best prefix=3: ttft.p99 0.2; gates: 1 pass\n"
			if !strings.HasPrefix(out, want) || tc.next != "" && !strings.HasSuffix(out, tc.next) {
				t.Errorf("(-want +got):\n%s", cmp.Diff(want+tc.next, out))
			}
			watches := 0
			for _, r := range server.Requests() {
				if strings.Contains(r, "watch=true") {
					watches++
				}
			}
			if n := len(server.Requests()); watches != 1 || n != 3 {
				t.Errorf("%d watches of %d requests: %v", watches, n, server.Requests())
			}
		})
	}
}

func workerPod(name string, phase corev1.PodPhase, age time.Duration, of string) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Name: name, Namespace: "n", Labels: worker.Labels("PolicySweep", of), CreationTimestamp: metav1.NewTime(time.Now().Add(-age)),
		Annotations: map[string]string{"batch.kubernetes.io/job-completion-index": "3"},
	}}
	p.Status.Phase = phase
	return p
}

func TestLogsFindThePodThatFailed(t *testing.T) {
	sweep, other := aSweep("s", "Ready=False/JobFailed/shard 3 failed", "Failed=True/JobFailed"), aSweep("other")
	gone := aSweep("gone", "Ready=True/Complete/all is done", "Complete=True/Complete")
	restarted := workerPod("restarted", corev1.PodRunning, 3*time.Minute, "other")
	restarted.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: worker.Container, RestartCount: 1, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
		LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 137, Reason: "OOMKilled"}},
	}}
	failed := workerPod("failed", corev1.PodFailed, 2*time.Minute, "s")
	failed.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: worker.Container, State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error"}},
	}}
	server := apiserver.New(t, controllers.Scheme(), sweep, other, gone, restarted, failed,
		workerPod("older", corev1.PodFailed, 3*time.Minute, "s"), workerPod("newest", corev1.PodSucceeded, time.Second, "s"))
	server.Logs = map[string]string{"failed": "why it failed\n", "restarted-previous": "out of memory\n"}
	out, words, err := plugin(t, "logs", "s")
	if err != nil || out != "why it failed\n" || words != "PolicySweep n/s, pod failed, shard 3: failed (Error, exit code 1)\n" {
		t.Errorf("%v, %q, %q", err, out, words)
	}
	out, words, err = plugin(t, "logs", "other", "--tail", "10")
	if err != nil || out != "out of memory\n" || !strings.Contains(words, "failed (OOMKilled, exit code 137)") {
		t.Errorf("%v, %q, %q", err, out, words)
	}
	if _, _, err := plugin(t, "logs", "gone"); err == nil || !strings.Contains(err.Error(), "has no pods any more") || !strings.Contains(err.Error(), "all is done") {
		t.Error(err)
	}
}

// stored are the results of rows on a cluster, as the index and its chunk.
func stored(t *testing.T, name string, status *v1alpha1.CommonStatus, simulations ...experiment.Simulation) []client.Object {
	t.Helper()
	chunks, err := store.Chunks(simulations)
	if err != nil || len(chunks) != 1 {
		t.Fatalf("%d chunks, %v", len(chunks), err)
	}
	index := store.Index{SchemaVersion: store.IndexSchemaVersion, Chunks: []store.Reference{{Name: name + "-chunk", Rows: len(simulations), SHA256: chunks[0].SHA256()}}}
	raw := index.Encode()
	status.Results = &v1alpha1.ResultsStatus{Index: name + "-index", Chunks: 1, Rows: int64(len(simulations)), SHA256: experiment.Digest(raw)}
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name, Namespace: "n"} }
	return []client.Object{
		&corev1.ConfigMap{ObjectMeta: meta(name + "-index"), Data: map[string]string{store.IndexKey: string(raw)}},
		&corev1.ConfigMap{ObjectMeta: meta(name + "-chunk"), Data: chunks[0].Data, BinaryData: chunks[0].Binary},
	}
}

// complete are the conditions of an object whose gate fails.
var gateFails = []string{"Ready=True/Complete", "Complete=True/Complete", "Passed=False/GateFailed/gate fast: ttft.p99 ≤ 500 ms fails: 612 ms"}

// decided is what a cluster stores of some requests.
func decided(t *testing.T, lines ...string) []byte {
	t.Helper()
	return []byte(cmdtest.Gzipped(t, strings.Join(lines, "\n")+"\n"))
}

const twoDecisions = `{"seed":42,"tenant":"acme","class":"interactive","names":["llama/0","llama/1"],"atSeconds":1,"request":{"id":3,"promptTokens":100},"endpoints":[{},{}],"endpoint":0,"outcome":{"ended":"completed","ttftSeconds":0.2,"e2eSeconds":1}}
{"seed":42,"tenant":"acme","class":"interactive","names":["llama/0","llama/1"],"atSeconds":2,"request":{"id":17,"promptTokens":900},"endpoints":[{"waiting":4},{}],"endpoint":1,"outcome":{"ended":"completed","ttftSeconds":1.5,"e2eSeconds":2}}`

// From a failed gate to the request that broke it: each command names the next one, and a person
// types four at most.
func TestFromAFailedGateToTheRequest(t *testing.T) {
	sweep, follower := aSweep("s", gateFails...), aRun("s-best-1", "Ready=True/Complete", "Complete=True/Complete")
	sweep.Spec.Gates = []v1alpha1.Gate{{Name: "served", Metric: "completionRate"}, {Name: "fast", Metric: "ttft.p99"}}
	sweep.Status.Gates = []v1alpha1.GateStatus{
		{Name: "served", Verdict: v1alpha1.GatePass, Message: "completionRate ≥ 99 % passes"},
		{Name: "fast", Verdict: v1alpha1.GateFail, Message: "ttft.p99 ≤ 500 ms fails: 612 ms"},
	}
	sweep.Status.Best = &v1alpha1.PointStatus{Point: 4, Parameters: []v1alpha1.Assignment{{Name: "prefix", Value: "3"}}, Objectives: []v1alpha1.MetricValue{{Metric: "ttft.p99", Mean: "0.612", Low: "0.59", High: "0.63"}}}
	sweep.Status.Followed = []string{"s-best-1"}
	objects := stored(t, "s", &sweep.Status.CommonStatus, experiment.Simulation{Row: result.Row{Key: "k", Share: 1, Seed: 42}})
	objects = append(objects, stored(t, "f", &follower.Status.CommonStatus, experiment.Simulation{Row: result.Row{Key: "k", Share: 1, Seed: 42}, Decisions: decided(t, twoDecisions)})...)
	apiserver.New(t, controllers.Scheme(), append(objects, sweep, follower)...)

	typed := []string{"kubectl windtunnel top"}
	out := mustPlugin(t, "top")
	for !strings.Contains(out, "It completed") {
		found := regexp.MustCompile(`(?m)^next: kubectl windtunnel (.*)$`).FindStringSubmatch(out)
		if found == nil || len(typed) > 4 {
			t.Fatalf("after %q the output names no next command:\n%s", typed, out)
		}
		typed = append(typed, "kubectl windtunnel "+found[1])
		out = mustPlugin(t, strings.Fields(found[1])...)
		if len(typed) == 2 && !strings.Contains(out, "PolicySweep n/s: fail: gate fast: ttft.p99 ≤ 500 ms fails: 612 ms\n"+
			"  gate fast: fail: ttft.p99 ≤ 500 ms fails: 612 ms\n  gate served: pass: completionRate ≥ 99 % passes\nbest: point 4 (prefix=3): ttft.p99 612 ms (590 ms to 630 ms)\n") {
			t.Errorf("the verdict is\n%s", out)
		}
	}
	want := []string{
		"kubectl windtunnel top",
		"kubectl windtunnel explain policysweep/s -n n",
		"kubectl windtunnel explain simulationrun/s-best-1 17 --seed 42 -n n",
	}
	if diff := cmp.Diff(want, typed); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	if !strings.HasPrefix(out, "SimulationRun s-best-1\n\nrequest 17, seed 42, at 2.000000 s: 900 prompt tokens, tenant acme") {
		t.Errorf("the decision is\n%s", out)
	}
	var story struct{ Kind string }
	if err := json.Unmarshal([]byte(mustPlugin(t, "explain", "s", "17", "-o", "json")), &story); err != nil || story.Kind != "SimulationRun" {
		t.Errorf("%v: %+v", err, story)
	}
}

// What the figures of a run do not show stands below its verdict: here nothing comes in the last 30 of 60 s.
func TestExplainNamesFindings(t *testing.T) {
	run := aRun("r", "Ready=True/Complete", "Complete=True/Complete")
	document := result.Document{SchemaVersion: result.SchemaVersion, Seed: 42, Traffic: &result.Traffic{Requests: 600, LastArrivalSeconds: 30, HorizonSeconds: 60}}
	objects := stored(t, "r", &run.Status.CommonStatus, experiment.Simulation{Row: result.Row{Key: "k", Share: 1, Seed: 42}, Document: &document})
	apiserver.New(t, controllers.Scheme(), append(objects, run)...)
	if out := mustPlugin(t, "explain", "r"); !strings.Contains(out, "\nfinding: The traffic ends") {
		t.Errorf("there is no finding in\n%s", out)
	}
}

// Where a cluster stores no decisions, the command that makes them is named.
func TestWhatIsNotStoredNamesACommand(t *testing.T) {
	conditions := []string{"Ready=True/Complete", "Complete=True/Complete"}
	sweep, proposal := aSweep("s", conditions...), aSweep("p", conditions...)
	proposal.Spec.Proposal = &v1alpha1.Proposal{}
	run, mounted, traced := aRun("r", conditions...), aRun("m", conditions...), aRun("t", conditions...)
	run.Status.Inputs = []v1alpha1.InputDigest{{Name: "ConfigMap/traces/a.jsonl"}, {Name: "ConfigMap/traces/b.jsonl"}, {Name: "ConfigMap/epp/epp.yaml"}}
	mounted.Status.Inputs = []v1alpha1.InputDigest{{Name: "PersistentVolumeClaim/x/a"}}
	traced.Spec.Trace.Level = v1alpha1.DecisionsTrace
	row := experiment.Simulation{Row: result.Row{Key: "k", Share: 1, Seed: 42}}
	withDecisions := row
	withDecisions.Decisions = decided(t, twoDecisions)
	objects := []client.Object{sweep, proposal, run, mounted, traced}
	for name, of := range map[string]*v1alpha1.CommonStatus{"s": &sweep.Status.CommonStatus, "p": &proposal.Status.CommonStatus, "r": &run.Status.CommonStatus, "m": &mounted.Status.CommonStatus} {
		objects = append(objects, stored(t, name, of, row)...)
	}
	objects = append(objects, stored(t, "t", &traced.Status.CommonStatus, withDecisions)...)
	apiserver.New(t, controllers.Scheme(), objects...)
	const here = "kubectl get simulationrun/r -n n -o yaml | windtunnel run -f - --configmap <(kubectl get configmap traces -n n -o yaml) --configmap <(kubectl get configmap epp -n n -o yaml)"
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"a sweep":                      {[]string{"s"}, `kubectl patch policysweep/s -n n --type merge -p '{"spec":{"follow":{"best":1}}}'`},
		"a proposal behind":            {[]string{"p"}, `{"best":2}`},
		"a request of a sweep":         {[]string{"s", "7"}, "next: kubectl windtunnel explain policysweep/s -n n"},
		"a run":                        {[]string{"r"}, here + " --reflect issue_focused"},
		"a request of a run":           {[]string{"r", "7", "--seed", "43"}, here + " --explain 7 --seed 43"},
		"a run with a volume":          {[]string{"m", "rejected"}, `kubectl patch simulationrun/m -n n --type merge -p '{"spec":{"trace":{"level":"Decisions","decisions":1000}}}'`},
		"a request that is not stored": {[]string{"t", "4"}, "SimulationRun n/t stores no decision on request 4; to simulate it on this machine: "},
	} {
		t.Run(name, func(t *testing.T) {
			out, _, err := plugin(t, append([]string{"explain"}, tc.args...)...)
			if err != nil {
				out = err.Error()
			}
			if !strings.Contains(out, tc.want) || len(tc.args) > 1 != (cli.ExitCode(err) == cli.ExitBadInput) {
				t.Errorf("exit code %d, there is no %q in\n%s", cli.ExitCode(err), tc.want, out)
			}
		})
	}
}

// promote writes what the local command writes.
func TestPromoteWritesWhatTheLocalCommandWrites(t *testing.T) {
	objects, _ := cmdtest.StoredSweep(t, mustRun)
	sweep := objects[0].(*v1alpha1.PolicySweep)
	sweep.Spec.Promote = &v1alpha1.Promotion{}
	conditioned(&sweep.Status.CommonStatus, "Ready=True/Complete", "Complete=True/Complete", "Passed=True/GatesPassed")
	apiserver.New(t, controllers.Scheme(), objects...)
	folder := t.TempDir()
	local, ours := filepath.Join(folder, "local.yaml"), filepath.Join(folder, "ours.yaml")
	_, wantErr := windtunnel(t, "sweep", "-f", cmdtest.GatesSample(t), "--promote", local)
	_, words, err := plugin(t, "promote", "s", ours)
	if cli.ExitCode(err) != cli.ExitCode(wantErr) {
		t.Fatalf("exit code %d, want %d: %v\n%s", cli.ExitCode(err), cli.ExitCode(wantErr), err, words)
	}
	want := testfile.Read(t, local)
	got := cmdtest.TextOf(t, ours)
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("(-local +plugin):\n%s", diff)
	}
	out, _, _ := plugin(t, "promote", "s")
	if out != string(want) {
		t.Errorf("standard output has\n%s", out)
	}
	if _, _, err := plugin(t, "promote", "s", ours, "--promote-scaler", "nope=x.yaml"); cli.ExitCode(err) != cli.ExitBadInput {
		t.Errorf("an unknown scaler: %v", err)
	}
}

// Objects of a cluster are compared as the file that the local command prints.
func TestCompareTakesObjectsOfACluster(t *testing.T) {
	objects, _ := cmdtest.StoredSweep(t, mustRun)
	apiserver.New(t, controllers.Scheme(), objects...)
	file := cmdtest.TempFile(t, "sweep.json", mustRun(t, "sweep", "-f", cmdtest.GatesSample(t), "-o", "json"))
	want := mustRun(t, "compare", file+"#0", file+"#1", "-o", "json")
	got := mustPlugin(t, "compare", "s#0", "policysweep/s#1", "-o", "json")
	plain := strings.NewReplacer(file+"#0", "A", file+"#1", "B", "policysweep/s#1", "B", "s#0", "A")
	trim := func(text string) string { text, _, _ = strings.Cut(plain.Replace(text), `"stepTimes"`); return text }
	if diff := cmp.Diff(trim(want), trim(got)); diff != "" {
		t.Errorf("(-file +cluster):\n%s", diff)
	}
	for name, args := range map[string][]string{"an unknown object": {"s", "nope"}, "no file": {"s", "nope.yaml"}, "no point": {"s", "s#99"}} {
		if _, _, err := plugin(t, append([]string{"compare"}, args...)...); cli.ExitCode(err) != cli.ExitBadInput {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestObjectNamesAreCompleted(t *testing.T) {
	apiserver.New(t, controllers.Scheme(), aSweep("weights", gateFails...), aSweep("same"), aRun("same"), aRun("one"),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team-a"}}, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "other"}})
	for name, tc := range map[string]struct {
		args []string
		want []string
	}{
		"all":                   {[]string{"results", ""}, []string{"one", "policysweep/same", "simulationrun/same", "weights"}},
		"by the beginning":      {[]string{"watch", "w"}, []string{"weights"}},
		"by the type":           {[]string{"explain", "policysweep/"}, []string{"policysweep/same", "policysweep/weights"}},
		"sweeps only":           {[]string{"promote", ""}, []string{"same", "weights"}},
		"a second one":          {[]string{"watch", "one", ""}, nil},
		"two of compare":        {[]string{"compare", "one", "w"}, []string{"weights"}},
		"of a flag":             {[]string{"top", "--namespace", "t"}, []string{"team-a"}},
		"of a context":          {[]string{"top", "--context", ""}, []string{"other", "test"}},
		"of another namespace":  {[]string{"watch", "-n", "z", ""}, nil},
		"without a cluster":     {[]string{"watch", "--kubeconfig", "/nowhere", ""}, nil},
		"verbs, as elsewhere":   {[]string{"to"}, []string{"top"}},
		"the values of formats": {[]string{"top", "-o", "j"}, []string{"table", "json", "yaml"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, line := range strings.Split(mustPlugin(t, append([]string{"__complete"}, tc.args...)...), "\n") {
				if word, _, _ := strings.Cut(line, "\t"); word != "" && word[0] != ':' {
					got = append(got, word)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if line := mustPlugin(t, "__complete", "watch", "w"); !strings.Contains(line, "weights\tPolicySweep Complete fail\n") {
		t.Error(line)
	}
	if script := mustPlugin(t, "completion", "kubectl"); !strings.HasPrefix(script, "#!/bin/sh\n") || !strings.Contains(script, "exec kubectl-windtunnel __complete \"$@\"\n") {
		t.Error(script)
	}
}
