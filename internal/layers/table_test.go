// SPDX-License-Identifier: Apache-2.0

// Package layers holds the order of the packages: which may import which. Its test checks
// every file that is not a test, and writes the tables of ADR 1.
package layers

// row says what the packages of a folder may import. A folder covers those below it,
// except those with a row of their own. Each folder may import itself.
type row struct {
	folder string
	// imports are folders of the module, separated by spaces. Each has a row above this one, or
	// is below the folder of such a row if the rest of that folder is out of bounds.
	imports string
	// others are modules beyond those that are free to all, by their names in otherModules.
	others string
}

// table orders the folders below a base.
type table struct {
	title, base string
	rows        []row
}

// anything is the imports or others of helpers of tests.
const anything = "*"

// otherModules are the modules that a row names.
var otherModules = map[string][]string{
	"autoscalers": {"github.com/VictoriaMetrics/metricsql", "github.com/expr-lang/expr", "github.com/robfig/cron"},
	"CEL":         {"github.com/google/cel-go"},
	"gRPC":        {"github.com/envoyproxy/go-control-plane", "google.golang.org/grpc", "google.golang.org/protobuf"},
	"hashes":      {"github.com/cespare/xxhash"},
	"Kubernetes":  {"k8s.io", "sigs.k8s.io", "github.com/go-logr/logr"},
	"OTLP":        {"go.opentelemetry.io/proto/otlp"},
	"Parquet":     {"github.com/klauspost/compress", "github.com/parquet-go"},
	"programs":    {"github.com/tetratelabs/wazero", "go.starlark.net"},
	"Prometheus":  {"github.com/prometheus"},
	"quantities":  {"k8s.io/apimachinery/pkg/api/resource"},
	"patterns":    {"github.com/dlclark/regexp2"},
	"shells":      {"mvdan.cc/sh"},
	"ZMQ":         {"github.com/go-zeromq/zmq4", "github.com/vmihailenco/msgpack", "github.com/fxamacker/cbor"},
}

// free are the modules that every row may import: errors with a field's path, YAML and
// the extensions of the standard library.
var free = []string{
	"k8s.io/apimachinery/pkg/util/validation/field",
	"go.yaml.in/yaml/v3", "sigs.k8s.io/yaml", "sigs.k8s.io/json",
	"golang.org/x",
}

// tables are in the order of ADR 1. Commands, studies and tools import what they need, and
// no row allows to import them.
var tables = []table{
	{"The module", "", []row{
		{"internal/clip", "", ""},
		{"internal/figure", "", ""},
		{"internal/headroom", "", ""},
		{"internal/jsonline", "", ""},
		{"internal/layers", "", ""},
		{"internal/readme", "", ""},
		{"pkg/expression", "", "CEL"},
		{"pkg/live/ports", "", ""},
		{"pkg/live/discovery", "", ""},
		{"pkg/live/tokens", "", "patterns"},
		{"pkg/prompt", "", ""},
		{"pkg/simtime", "", ""},
		{"pkg/spelling", "", ""},
		{"pkg/verdict", "", ""},
		{"pkg/stats", "", "hashes"},
		{"internal/printable", "internal/clip", ""},
		{"internal/chart", "internal/printable", ""},

		{"pkg/kv", "pkg/prompt pkg/simtime pkg/stats", ""},
		{"pkg/latency", "pkg/spelling pkg/stats", ""},
		{"pkg/bound", "pkg/latency pkg/prompt pkg/simtime", ""},
		{"pkg/workload", "internal/printable pkg/prompt pkg/simtime pkg/stats", ""},
		{"pkg/workload/trace/parquetfile", "pkg/workload", "Parquet"},
		{"pkg/route", "pkg/spelling pkg/stats pkg/workload", ""},
		{"pkg/policy", "internal/printable pkg/latency pkg/prompt pkg/simtime pkg/spelling pkg/stats", "autoscalers programs quantities"},
		{"pkg/promote", "pkg/policy/autoscaling/manifest pkg/policy/epp", ""},
		{"pkg/simulator", "pkg/kv pkg/latency pkg/policy pkg/prompt pkg/simtime pkg/stats pkg/workload", ""},
		{"pkg/live/replicas", "pkg/policy pkg/prompt pkg/simtime pkg/simulator pkg/stats pkg/workload", "Kubernetes Prometheus"},
		{"pkg/live/kvevents", "pkg/live/replicas pkg/policy", "ZMQ"},
		{"pkg/live/vllm", "pkg/live/replicas pkg/simulator pkg/stats", "Prometheus"},

		{"pkg/calibrate", "internal/printable pkg/kv pkg/latency pkg/policy pkg/prompt pkg/simtime pkg/simulator pkg/stats pkg/workload", "Prometheus"},
		{"pkg/insight", "internal/figure internal/printable pkg/policy pkg/simtime pkg/simulator pkg/stats pkg/workload", ""},
		{"pkg/observe", "internal/clip internal/figure pkg/latency pkg/policy pkg/prompt pkg/simtime pkg/simulator pkg/stats pkg/workload", ""},
		{"pkg/result", "internal/figure internal/jsonline pkg/expression pkg/kv pkg/latency pkg/policy pkg/simtime pkg/simulator pkg/spelling pkg/stats pkg/verdict", ""},
		{"pkg/search", "pkg/expression pkg/stats", ""},
		{"pkg/propose", "internal/printable pkg/policy pkg/search", ""},
		{"pkg/report", "internal/clip internal/figure internal/printable pkg/insight pkg/kv/stability pkg/result pkg/simulator pkg/stats pkg/verdict", ""},
		{"pkg/report/dataframe", "pkg/result", "Parquet"},
		{"pkg/report/page", "internal/figure internal/printable pkg/insight pkg/report pkg/result pkg/verdict", ""},

		{"config", "", ""},
		{"api", "", "Kubernetes"},
		{"pkg/kube", "api", "Kubernetes"},
		{"pkg/access", "pkg/kube", "Kubernetes"},
		{"pkg/manifest", "api config internal/clip pkg/spelling", "CEL Kubernetes"},
		{"pkg/profile", "api pkg/stats", "Kubernetes"},
		{"pkg/fit", "api pkg/simtime pkg/stats pkg/workload", "Kubernetes"},
		{"pkg/starter/deployment", "api pkg/latency pkg/policy pkg/spelling", "Kubernetes shells"},
		{"pkg/starter", "api pkg/fit pkg/policy/epp/files pkg/starter/deployment pkg/workload", "Kubernetes"},
		{"pkg/report/benchmark", "api pkg/result pkg/simulator pkg/stats", ""},
		{"pkg/setup", "api internal/figure internal/jsonline pkg/kv pkg/latency pkg/policy pkg/prompt pkg/result pkg/route pkg/simtime pkg/simulator pkg/spelling pkg/stats pkg/workload", "Kubernetes"},
		{"pkg/experiment", "api internal/clip internal/figure internal/jsonline pkg/bound pkg/insight pkg/latency pkg/manifest pkg/policy pkg/promote pkg/prompt pkg/route " +
			"pkg/report pkg/result pkg/search pkg/setup pkg/simtime pkg/simulator pkg/spelling pkg/stats pkg/verdict pkg/workload", "Kubernetes"},
		{"pkg/evaluate", "api pkg/experiment pkg/insight pkg/policy pkg/result pkg/setup pkg/simulator pkg/workload", ""},
		{"pkg/fence", "internal/printable pkg/experiment pkg/insight pkg/policy pkg/result pkg/workload", ""},

		{"pkg/archive", "api internal/figure pkg/experiment pkg/policy/sandbox/bundle pkg/propose pkg/report pkg/report/page pkg/result pkg/verdict pkg/workload/trace", "Kubernetes"},
		{"pkg/gate", "api pkg/access pkg/experiment pkg/verdict", "Kubernetes"},
		{"pkg/kubectl", "api internal/figure internal/printable pkg/archive pkg/experiment pkg/kube pkg/result pkg/verdict", "Kubernetes"},
		{"pkg/doctor", "api config internal/figure pkg/kube pkg/kubectl", "Kubernetes"},
		{"pkg/dashboard", "api internal/figure internal/printable pkg/access pkg/archive pkg/experiment pkg/kube pkg/kubectl " +
			"pkg/report pkg/report/dataframe pkg/report/page pkg/result pkg/stats pkg/verdict", "Kubernetes"},
		{"pkg/worker", "api pkg/experiment pkg/policy pkg/propose pkg/search pkg/workload", "Kubernetes"},
		{"pkg/live/epp/launch", "", ""},
		{"controllers", "api internal/clip internal/printable pkg/experiment pkg/live/epp/launch pkg/policy/sandbox/bundle pkg/propose pkg/report pkg/result pkg/search pkg/verdict pkg/worker pkg/workload/trace", "Kubernetes Prometheus"},

		{"pkg/live/epp", "pkg/live/epp/launch", "gRPC OTLP"},
		{"pkg/live/picker", "", "gRPC"},
		{"pkg/live/load", "pkg/live/picker pkg/prompt pkg/result pkg/simtime pkg/simulator pkg/stats pkg/workload", "Kubernetes"},
		{"pkg/live/rehearse", "pkg/experiment pkg/live/load pkg/live/replicas pkg/policy pkg/result pkg/simtime pkg/simulator pkg/stats pkg/workload", ""},

		{"internal/reference", anything, anything},
		{"internal/testdata", anything, anything},
		{"internal/testing", anything, anything},
	}},
	{"Inside `pkg/policy/epp`", "pkg/policy/epp", []row{
		{"internal", "", ""},
		{"version", "", ""},
		{"document", "version", ""},
		{"files", "document", ""},
		{"edit", "files", ""},
		{"config", "document version", ""},
		{"scheduler", "config internal version", ""},
		{"flowcontrol", "config scheduler version", ""},
		{"prefix", "internal", ""},
		{".", "config document flowcontrol prefix scheduler version", ""},
		{"lint", ". config document edit files version", ""},
	}},
	{"Inside `pkg/simulator`", "pkg/simulator", []row{
		{".", "", ""},
		{"internal/queue", "", ""},
		{"internal/events", "", ""},
		{"internal/request", ".", ""},
		{"internal/measure", ". internal/request", ""},
		{"internal/run", ". internal/measure internal/queue internal/request", ""},
		{"internal/network", ".", ""},
		{"internal/tier", ". internal/measure internal/network internal/request internal/run", ""},
		{"internal/handoff", ". internal/network internal/request internal/run", ""},
		{"internal/engine", ". internal/handoff internal/measure internal/network internal/queue internal/request internal/run internal/tier", ""},
		{"internal/gateway", ". internal/engine internal/events internal/measure internal/queue internal/request internal/run", ""},
		{"internal/fleet", ". internal/engine internal/events internal/gateway internal/run", ""},
		{"simulation", ". internal/engine internal/events internal/fleet internal/gateway internal/measure internal/queue internal/request internal/run", ""},
	}},
	{"Inside `pkg/experiment`", "pkg/experiment", []row{
		{".", "", ""},
		{"preset", "", ""},
		{"store", ".", ""},
		{"study", ".", ""},
		{"compile", ". preset study", ""},
		{"advice", ". preset study", ""},
		{"execute", ". store study", ""},
		{"whatif", ". execute", ""},
		{"inspect", ". execute whatif", ""},
		{"experimenttest", ". compile execute study", ""},
	}},
}
