// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"windtunnel.dev/windtunnel/internal/figure"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
)

// mostRequests bounds a list of the worst requests.
const mostRequests = 5

var complaintWords = map[execute.Complaint]string{
	execute.LateFirstToken: "time to first token", execute.SlowTokens: "time per further token",
	execute.LateEnd: "time to the end", execute.NotServed: "outcome",
}

// ComplaintWords say by what requests are the worst.
func ComplaintWords(c execute.Complaint) string { return complaintWords[c] }

// WriteWorst lists the worst of the stored requests of a run, and the command that explains the
// first one.
func (c Caller) WriteWorst(w io.Writer, run Object, stored *execute.Stored, by execute.Complaint) {
	seeds := stored.Seeds()
	fmt.Fprintf(w, "\nThe worst requests by %s, of the %s that %s stores (%s; --by changes the order):\n",
		ComplaintWords(by), figure.Plural(len(stored.Decisions), "decision"), run.Ref(), figure.Seeds(seeds))
	worst := stored.Worst(by, mostRequests)
	for _, d := range worst {
		fmt.Fprintf(w, "  request %d, seed %d: %s\n", d.Request.ID, d.Seed, whatCame(d))
	}
	if len(worst) == 0 {
		return
	}
	first := worst[0]
	fmt.Fprintf(w, "\nnext: %s\n", c.Command("explain", run, fmt.Sprintf("%d --seed %d", first.Request.ID, first.Seed)))
}

// whatCame says what came of a decision.
func whatCame(d *execute.RoutingRecord) string {
	where := "went nowhere"
	if d.Endpoint != nil && *d.Endpoint < len(d.Names) {
		where = "went to " + d.Names[*d.Endpoint]
	}
	parts := []string{where}
	if o := d.Outcome; o != nil {
		parts = append(parts, cmp.Or(d.Rejected, o.Ended))
		parts = appendTime(parts, "TTFT", o.TTFTSeconds)
		parts = appendTime(parts, "TPOT", o.TPOTSeconds)
		parts = appendTime(parts, "end after", o.E2ESeconds)
	}
	return strings.Join(append(parts, fmt.Sprintf("%d prompt tokens", d.Request.PromptTokens), "class "+d.Class), ", ")
}

func appendTime(parts []string, name string, seconds *float64) []string {
	if seconds == nil {
		return parts
	}
	return append(parts, name+" "+strconv.FormatFloat(*seconds*1000, 'f', 1, 64)+" ms")
}

// StoreDecisions is what a person types so that a cluster stores the decisions of a run or of the
// best points of a sweep.
func (c Caller) StoreDecisions(o Object, best int) string {
	if o.Sweep != nil {
		return c.kubectl("patch", o, fmt.Sprintf(` --type merge -p '{"spec":{"follow":{"best":%d}}}'`, best))
	}
	return c.kubectl("patch", o, ` --type merge -p '{"spec":{"trace":{"level":"Decisions","decisions":1000}}}'`)
}

// Here is what a person types to simulate a run of a cluster on this machine with more flags; false
// where the run has inputs that this machine cannot read from the cluster.
func (c Caller) Here(run Object, flags string) (command string, ok bool) {
	text := c.kubectl("get", run, " -o yaml") + " | windtunnel run -f -"
	seen := map[string]bool{}
	for _, in := range run.Status().Inputs {
		name, _, ok := experiment.ParseConfigMapInput(in.Name)
		if !ok {
			return "", false
		}
		if !seen[name] {
			seen[name] = true
			text += " --configmap <(kubectl get configmap " + name + " -n " + run.Meta().Namespace + c.Flags + " -o yaml)"
		}
	}
	return text + " " + flags, true
}

// NothingStored says in a sentence that a run stores no decisions, or not that on a request, with
// the command that tells of requests on this machine, or else the one that has the cluster store
// decisions.
func (c Caller) NothingStored(run Object, request string) string {
	what, flags := "no decisions on requests", "--reflect issue_focused"
	if request != "" {
		what, flags = "no decision on request "+request, "--explain "+request
	}
	if here, ok := c.Here(run, flags); ok {
		return fmt.Sprintf("%s stores %s; to simulate it on this machine: %s", run.Title(), what, here)
	}
	return fmt.Sprintf("%s stores %s; to have the cluster simulate it again with them: %s", run.Title(), what, c.StoreDecisions(run, 0))
}

// NoFollower says in a sentence that no run follows a sweep, with the command after which one does.
func (c Caller) NoFollower(sweep Object, best int) string {
	if sweep.Sweep.Spec.Workloads != nil {
		return fmt.Sprintf("%s has workloads, so that no run can follow its points: %s", sweep.Title(), c.Command("report", sweep, "> report.html"))
	}
	return fmt.Sprintf("No run stores decisions on the requests of this sweep; to have the cluster simulate the point again with them: %s\nnext: %s",
		c.StoreDecisions(sweep, best), c.Command("explain", sweep, ""))
}
