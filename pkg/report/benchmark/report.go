// SPDX-License-Identifier: Apache-2.0

package benchmark

// Version is the version of the reports that [New] makes.
const Version = "0.2.1"

// Report is a benchmark report. A tag json names a field as the schema does; a field
// without omitempty is required.
type Report struct {
	Version  string    `json:"version"`
	Run      Run       `json:"run"`
	Scenario *Scenario `json:"scenario,omitempty"`
	Results  Results   `json:"results"`
}

// Run says which run it was.
type Run struct {
	// UID is unique to the report, EID common to the reports of one experiment. CID is of
	// the cluster, PID of what generated the load.
	UID         string   `json:"uid"`
	EID         string   `json:"eid,omitempty"`
	CID         string   `json:"cid,omitempty"`
	PID         string   `json:"pid,omitempty"`
	Time        *RunTime `json:"time,omitempty"`
	User        string   `json:"user,omitempty"`
	Description string   `json:"description,omitempty"`
	Keywords    []string `json:"keywords,omitempty"`
}

// RunTime says when the run was. Times are RFC 3339, the duration is ISO 8601.
type RunTime struct {
	Start    string `json:"start,omitempty" format:"date-time"`
	End      string `json:"end,omitempty" format:"date-time"`
	Duration string `json:"duration,omitempty"`
}

// Scenario is what was measured: the components, and the load.
type Scenario struct {
	Stack []Component `json:"stack,omitempty"`
	Load  *Load       `json:"load,omitempty"`
}

// Results are what was measured.
type Results struct {
	RequestPerformance *RequestPerformance `json:"request_performance,omitempty"`
	SessionPerformance *SessionPerformance `json:"session_performance,omitempty"`
	Observability      *Observability      `json:"observability,omitempty"`
	// Profiling is free: Windtunnel's own figures have the key windtunnel.
	Profiling       any               `json:"profiling,omitempty"`
	ComponentHealth []ComponentHealth `json:"component_health,omitempty"`
}
