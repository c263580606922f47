// SPDX-License-Identifier: Apache-2.0

package query

import (
	"slices"
	"strings"

	"github.com/VictoriaMetrics/metricsql"
)

// Shape is what the text of a query says of its result, whatever the metrics report.
type Shape struct {
	// Each is what the result has a series for each of; it has at most one series where Each is empty.
	Each []Dimension
	// Sized says that Growth is known. Growth is 1 for a total over the replicas, 0 for an average or a
	// share, and −1 for an average that is divided by the replicas.
	Sized  bool
	Growth int
	// Most is the largest value of an average or a share, and for a total that of each replica; 0
	// where it is not known.
	Most float64
	// SumsStages says that it adds up the stages of a saturation.
	SumsStages bool
	// Reads are the selectors in order.
	Reads []Selector

	// constant is the value of a number.
	constant *float64
}

// Dimension is what tells the series of a metric apart.
type Dimension string

// The dimensions.
const (
	ByReplica Dimension = "replica"
	ByStage   Dimension = "stage"
	ByBucket  Dimension = "le"
	// ByPriority is only of an EPP whose requests have several priorities.
	ByPriority Dimension = "priority"
)

// dimensionLabels are the labels of the dimensions, and those that monitoring systems add.
var dimensionLabels = map[string]Dimension{
	"pod": ByReplica, "instance": ByReplica, "pod_name": ByReplica, "exported_pod": ByReplica,
	"endpoint_name": ByReplica, "model_server_endpoint": ByReplica, "model_server_pod": ByReplica,
	"stage": ByStage, "le": ByBucket, "priority": ByPriority,
}

// Selector is a metric that a query reads.
type Selector struct {
	Metric string
	// Labels are those that its matchers name.
	Labels []string
}

// roleLabels are the labels by which queries tell prefill from decode, in addition to those with role in their names.
var roleLabels = []string{
	"pod", "pod_name", "exported_pod", "instance", "pool", "deployment", "container", "service", "job", "variant_name",
	"endpoint_name", "model_server_endpoint", "model_server_pod", "stage",
}

// MixesRoles reports whether the selector reads prefill and decode as one, where both are behind one router.
func (s Selector) MixesRoles() bool {
	m := metricOf(s.Metric)
	if m == nil && (!hasPrefix(s.Metric, replicaPrefixes) || strings.HasPrefix(s.Metric, "kube_")) {
		return false
	}
	if m != nil && m.gateway != nil {
		return !m.has(deployment) && !m.has(variantName) // the EPP does not tell the roles apart
	}
	return !slices.ContainsFunc(s.Labels, func(l string) bool { return slices.Contains(roleLabels, l) || strings.Contains(l, "role") })
}

// ShapeOf looks at a query whose EPP exports what it does; epp is nil where that is not known, and the newest
// EPP counts then. What is no query has the shape of an unknown number.
func ShapeOf(text string, epp *EPP) Shape {
	tree, err := metricsql.Parse(text)
	if err != nil {
		return Shape{}
	}
	return (&shaper{epp: epp}).of(tree)
}

// Summed is the shape of the sum of all series.
func (s Shape) Summed() Shape { return s.without("sum", s.Each) }

// Has reports whether the result has a series for each value of a dimension.
func (s Shape) Has(d Dimension) bool { return slices.Contains(s.Each, d) }

type shaper struct{ epp *EPP }

func (x *shaper) of(e metricsql.Expr) Shape {
	switch e := e.(type) {
	case *metricsql.NumberExpr:
		return Shape{constant: &e.N}
	case *metricsql.MetricExpr:
		return x.selector(e)
	case *metricsql.RollupExpr:
		return x.of(e.Expr)
	case *metricsql.FuncExpr:
		return x.function(e)
	case *metricsql.AggrFuncExpr:
		return x.aggregation(e)
	case *metricsql.BinaryOpExpr:
		return x.binary(e)
	default:
		return Shape{}
	}
}

func (x *shaper) selector(e *metricsql.MetricExpr) Shape {
	name := nameOf(e)
	s := x.metric(name)
	read := Selector{Metric: name}
	if len(e.LabelFilterss) == 1 {
		for _, f := range e.LabelFilterss[0] {
			if f.Label == "__name__" {
				continue
			}
			read.Labels = append(read.Labels, f.Label)
			if d, ok := dimensionLabels[f.Label]; ok && !f.IsRegexp && !f.IsNegative {
				s.Each = slices.DeleteFunc(s.Each, func(has Dimension) bool { return has == d })
			}
		}
	}
	s.Reads = []Selector{read}
	return s
}

// metric is the shape of all series of a metric.
func (x *shaper) metric(name string) Shape {
	s := Shape{Most: mostOf(name)}
	m := metricOf(name)
	switch {
	case m != nil && m.stages != nil:
		s.Sized = true
		if x.epp == nil || x.epp.hasStages() {
			s.Each = []Dimension{ByStage}
		}
	case m != nil && m.gateway != nil:
		s.Sized = true
		if !m.average {
			s.Growth = 1
		}
		if m.band != nil && x.epp != nil && len(x.epp.Priorities) > 1 {
			s.Each = []Dimension{ByPriority}
		}
	case m != nil, hasPrefix(name, replicaPrefixes):
		s.Sized, s.Each = true, []Dimension{ByReplica}
	case hasPrefix(name, workloadPrefixes) && strings.Contains(name, "replicas"):
		s.Sized, s.Growth = true, 1
	}
	if strings.HasSuffix(name, "_bucket") {
		s.Each = append(s.Each, ByBucket)
	}
	return s
}

// replicaPrefixes are those of metrics with a series for each replica, and workloadPrefixes those of
// the number of replicas, as kube-state-metrics counts them.
var (
	replicaPrefixes  = []string{"vllm:", "sglang:", "DCGM_FI_", "kube_pod_"}
	workloadPrefixes = []string{"kube_deployment_", "kube_statefulset_", "kube_replicaset_"}
)

func hasPrefix(name string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// otherMost are the largest values of metrics that are not simulated.
var otherMost = map[string]float64{
	"vllm:cpu_cache_usage_perc": 1, "vllm:gpu_prefix_cache_hit_rate": 1, "vllm:cpu_prefix_cache_hit_rate": 1,
	"sglang:token_usage": 1, "sglang:cache_hit_rate": 1, "sglang:utilization": 1,
	"DCGM_FI_PROF_GR_ENGINE_ACTIVE": 1, "DCGM_FI_PROF_SM_ACTIVE": 1, "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": 1,
	"DCGM_FI_PROF_DRAM_ACTIVE": 1, "DCGM_FI_DEV_MEM_COPY_UTIL": 100, "kube_pod_status_ready": 1, "kube_pod_status_phase": 1,
}

func mostOf(name string) float64 {
	if m := metricOf(name); m != nil {
		return m.most
	}
	return otherMost[name]
}

func (x *shaper) function(e *metricsql.FuncExpr) Shape {
	if len(e.Args) == 0 {
		return Shape{}
	}
	args := make([]Shape, len(e.Args))
	for i, a := range e.Args {
		args[i] = x.of(a)
	}
	switch e.Name {
	case "vector", "scalar":
		args[0].Each = nil
		return args[0]
	case "absent":
		return Shape{Reads: args[0].Reads}
	case "histogram_quantile":
		s := args[len(args)-1].without("quantile", []Dimension{ByBucket})
		s.Sized, s.Growth, s.Most = true, 0, 0
		return s
	case "quantile_over_time":
		return args[len(args)-1]
	case "clamp_max":
		if len(args) == 2 {
			return args[0].atMost(args[1].constant)
		}
	case "clamp":
		if len(args) == 3 {
			return args[0].atMost(args[2].constant)
		}
	case "abs", "ceil", "floor", "round", "sort", "sort_desc", "label_replace", "label_join",
		"avg_over_time", "max_over_time", "min_over_time", "last_over_time":
		return args[0]
	}
	args[0].Most = 0
	return args[0]
}

func (s Shape) atMost(bound *float64) Shape {
	if bound != nil && s.Growth == 0 && (s.Most == 0 || *bound < s.Most) {
		s.Most = max(*bound, 0)
	}
	return s
}

func (x *shaper) aggregation(e *metricsql.AggrFuncExpr) Shape {
	if len(e.Args) == 0 {
		return Shape{}
	}
	operation, s := strings.ToLower(e.Name), x.of(e.Args[len(e.Args)-1])
	if operation == "topk" || operation == "bottomk" {
		if k := x.of(e.Args[0]).constant; k != nil && *k == 1 && e.Modifier.Op == "" {
			s.Each = nil
		}
		return s
	}
	named := func(d Dimension) bool {
		return slices.ContainsFunc(e.Modifier.Args, func(l string) bool { return dimensionLabels[l] == d })
	}
	kept := strings.ToLower(e.Modifier.Op) == "by"
	var gone []Dimension
	for _, d := range s.Each {
		if named(d) != kept || e.Modifier.Op == "" {
			gone = append(gone, d)
		}
	}
	return s.without(operation, gone)
}

// without is the shape after an aggregation over dimensions.
func (s Shape) without(operation string, gone []Dimension) Shape {
	over := func(d Dimension) bool { return slices.Contains(gone, d) }
	s.Each = slices.DeleteFunc(slices.Clone(s.Each), over)
	switch operation {
	case "sum":
		if over(ByReplica) {
			s.Growth++
		}
		if over(ByStage) {
			s.SumsStages, s.Most = true, 0
		}
	case "count":
		s.Sized, s.Growth, s.Most = over(ByReplica), 1, 1
	case "avg", "max", "min", "quantile", "median":
	default:
		s.Sized, s.Most = false, 0
	}
	return s
}

func (x *shaper) binary(e *metricsql.BinaryOpExpr) Shape {
	left, right := x.of(e.Left), x.of(e.Right)
	s := left.with(strings.ToLower(e.Op), right, e.Bool)
	s.Reads = slices.Concat(left.Reads, right.Reads)
	s.SumsStages = left.SumsStages || right.SumsStages
	if modifier := strings.ToLower(e.GroupModifier.Op); modifier != "" && e.JoinModifier.Op == "" && !isSet(e.Op) {
		named := func(d Dimension) bool {
			return slices.ContainsFunc(e.GroupModifier.Args, func(l string) bool { return dimensionLabels[l] == d })
		}
		s.Each = slices.DeleteFunc(s.Each, func(d Dimension) bool { return named(d) != (modifier == "on") })
	}
	return s
}

func isSet(op string) bool {
	return slices.Contains([]string{"and", "or", "unless"}, strings.ToLower(op))
}

// with is the shape of two operands.
func (s Shape) with(op string, other Shape, isBool bool) Shape {
	result := Shape{Each: slices.Clone(s.Each)}
	for _, d := range other.Each {
		if !result.Has(d) {
			result.Each = append(result.Each, d)
		}
	}
	a, b := s.constant, other.constant
	switch op {
	case "and", "unless":
		return s
	case "or":
		return s.or(other, result)
	case "==", "!=", "<", ">", "<=", ">=":
		if isBool {
			return result
		}
		return s
	case "*", "/":
		return s.scaled(op, other, result)
	case "+", "-":
		switch {
		case a != nil:
			result.Sized, result.Growth = other.Sized, other.Growth
			if op == "-" && other.Growth == 0 && other.Most > 0 && other.Most <= *a {
				result.Most = *a
			}
		case b != nil:
			result.Sized, result.Growth = s.Sized, s.Growth
		default:
			result.Sized = s.Sized && other.Sized && s.Growth == other.Growth
			result.Growth = s.Growth
		}
	}
	return result
}

func (s Shape) or(other, result Shape) Shape {
	switch {
	case other.constant != nil:
		other = s
	case s.constant != nil:
		s = other
	}
	result.Sized, result.Growth = s.Sized && other.Sized && s.Growth == other.Growth, s.Growth
	if s.Most > 0 && other.Most > 0 {
		result.Most = max(s.Most, other.Most)
	}
	return result
}

// scaled is the shape of a product or a quotient.
func (s Shape) scaled(op string, other, result Shape) Shape {
	a, b := s.constant, other.constant
	switch {
	case a != nil && b != nil:
		return result
	case b != nil && *b > 0:
		result.Sized, result.Growth, result.Most = s.Sized, s.Growth, s.Most*(*b)
		if op == "/" {
			result.Most = s.Most / *b
		}
	case a != nil && *a > 0 && op == "*":
		result.Sized, result.Growth, result.Most = other.Sized, other.Growth, other.Most*(*a)
	case op == "*":
		result.Sized, result.Growth = s.Sized && other.Sized, s.Growth+other.Growth
	case a == nil:
		result.Sized, result.Growth = s.Sized && other.Sized, s.Growth-other.Growth
	}
	return result
}
