// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"strings"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/spelling"
)

// A query has values of metrics that were scraped.
type query interface {
	// Window is how far back it reads samples.
	Window() time.Duration
	// Answer appends the series of the answer.
	Answer(view *autoscaling.View, to []series) []series
}

// series is a series of an answer.
type series struct {
	// endpoint is the place of the engine that it is of; noEndpoint where it is of none.
	endpoint int
	value    float64
}

const noEndpoint = -1

// compile reads a query.
func compile(written string) (query, error) {
	name := strings.TrimSpace(written)
	var known []string
	for i := range metrics {
		if metrics[i].name == name {
			return &metrics[i], nil
		}
		known = append(known, metrics[i].name)
	}
	return nil, fmt.Errorf("is no metric that is simulated; there are %s", spelling.Quote(known))
}

// named is the query for all series of a metric.
type named struct {
	name string
	// ofEngine reads a gauge of each engine, ofGateway the value of the gateway.
	ofEngine  func(*autoscaling.Engine) float64
	ofGateway func(*autoscaling.View, *autoscaling.Sample) (float64, bool)
}

// metrics are those that a name alone can ask for.
var metrics = []named{
	{name: "vllm:num_requests_waiting", ofEngine: autoscaling.Waiting},
	{name: "vllm:num_requests_running", ofEngine: func(e *autoscaling.Engine) float64 { return float64(e.Running) }},
	{name: "vllm:kv_cache_usage_perc", ofEngine: autoscaling.KVUsage},
	{name: "inference_pool_average_queue_size", ofGateway: mean(autoscaling.Waiting)},
	{name: "inference_pool_average_kv_cache_utilization", ofGateway: mean(autoscaling.KVUsage)},
	{name: "inference_extension_flow_control_queue_size", ofGateway: func(_ *autoscaling.View, s *autoscaling.Sample) (float64, bool) {
		return float64(s.Gateway.Queued), true
	}},
}

// mean has the mean of a gauge over the engines of all pools, as the EPP exports it.
func mean(gauge func(*autoscaling.Engine) float64) func(*autoscaling.View, *autoscaling.Sample) (float64, bool) {
	return func(v *autoscaling.View, _ *autoscaling.Sample) (float64, bool) {
		return v.MeanOverEngines(&v.Pools[0], gauge)
	}
}

func (*named) Window() time.Duration { return 0 }

func (n *named) Answer(view *autoscaling.View, to []series) []series {
	s := view.Monitor.Latest(view.Now)
	if s == nil {
		return to
	}
	if n.ofGateway != nil {
		if value, ok := n.ofGateway(view, s); ok {
			to = append(to, series{noEndpoint, value})
		}
		return to
	}
	p := &view.Pools[0]
	for endpoint := p.First; endpoint < p.First+p.Endpoints; endpoint++ {
		if e := &s.Engines[endpoint]; e.Up {
			to = append(to, series{endpoint, n.ofEngine(e)})
		}
	}
	return to
}
