// SPDX-License-Identifier: Apache-2.0

package insight

import (
	"fmt"
	"strings"

	"windtunnel.dev/windtunnel/internal/printable"
)

// issues bounds the issues that a summary lists.
const issues = 6

// meanings say what each type of anomaly counts.
var meanings = map[Type]string{
	PrefixBlind:        "requests passed over the replica that had computed the beginning of their prompt last and had a short queue",
	HotReplica:         "prompts went to one replica while others had shorter queues",
	TenantBurst:        "requests of other tenants arrived while one tenant sent many times its usual rate, and waited longer",
	PriorityInversion:  "requests waited while their replica admitted requests of lower priority",
	CacheThrashing:     "requests went back to the replica that had computed the beginning of their prompt last, and found less than half of it in GPU memory",
	ShadowDivergence:   "requests met a cache that had much more or much less of their prompt than the router believed",
	ScaleOscillation:   "changes of the number of replicas took back the change before",
	PDBackpressure:     "requests were sent to a decode endpoint with a queue longer than that of their prefill endpoint",
	PreemptionStorm:    "requests were taken out of a batch because KV blocks were short",
	HeadOfLineBlocking: "requests waited behind a much longer prompt, or behind one without room while there was room for them",
	SLOViolation:       "requests missed a target",
	TailBlowUp:         "requests waited longer than they may, with a long tail",
}

// Meaning says what anomalies of the type count, in words after a number.
func (t Type) Meaning() string { return meanings[t] }

// issueLines ranks the causes; without causes, the symptoms.
func issueLines(r *Report, _ *SummaryOptions) []line {
	listed := r.Issues()
	if len(listed) == 0 {
		return []line{heading("Key issues (none)"), {levelIssue, "No rule found an anomaly."}}
	}
	lines := []line{heading(fmt.Sprintf("Key issues (%d)", len(listed)))}
	for i := range listed {
		a := &listed[i]
		about := ""
		if a.About != "" {
			about = " of " + printable.Markdown(a.About)
		}
		lines = append(lines,
			linef(levelIssue+i/3, "%d. %s%s: %d %s (%s; severity %s)", i+1, a.Type, about, a.Count, a.Type.Meaning(), percent(a.Share), number(round(a.Severity))),
			linef(levelDetail, "   - from t=%s s; %s", number(round(a.AtSeconds)), a.Numbers()))
		if len(a.Requests) > 0 {
			lines = append(lines, linef(levelExtra, "   - for example requests %s", list(a.Requests)))
		}
	}
	return lines
}

// Issues are the anomalies that a summary lists as key issues, in its order: the causes, or the
// symptoms where there are no causes.
func (r *Report) Issues() []Anomaly {
	n := 0
	for n < len(r.Anomalies) && !r.Anomalies[n].Type.IsSymptom() {
		n++
	}
	if n == 0 {
		n = len(r.Anomalies)
	}
	return r.Anomalies[:min(n, issues)]
}

func list(ids []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(ids), " ", ", "), "[]")
}
