// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// buildSource makes the stream of requests. Where a trace should be replayed
// and is nil, because it could not be read, so is the source.
func buildSource(in *v1alpha1.Workload, trace *workload.Trace, seed int64, path *field.Path) (workload.Source, field.ErrorList) {
	if in.Trace != nil {
		return buildReplay(in.Trace, trace, seed, path.Child("trace"))
	}
	clients := make([]workload.Client, len(in.Clients))
	for i, c := range in.Clients {
		clients[i] = buildClient(c)
	}
	if errs := workload.ValidateClients(clients, path.Child("clients")); len(errs) > 0 {
		return nil, errs
	}
	return workload.NewClients(clients, seed), nil
}

func buildReplay(in *v1alpha1.Trace, trace *workload.Trace, seed int64, path *field.Path) (workload.Source, field.ErrorList) {
	replay := workload.Replay{
		RateScale: in.RateScale.Float(),
		Arrivals:  workload.ReplayArrivals(in.Arrivals),
		Tenant:    in.Tenant,
		Class:     in.Class,
	}
	if errs := replay.Validate(path); len(errs) > 0 || trace == nil {
		return nil, errs
	}
	return trace.Replay(replay, seed), nil
}

func buildClient(in v1alpha1.Client) workload.Client {
	client := workload.Client{
		Name:   in.Name,
		Tenant: in.Tenant,
		Class:  in.Class,
		Arrivals: workload.Arrivals{
			Process:       workload.ArrivalProcess(in.Arrivals.Process),
			RatePerSecond: in.Arrivals.Rate.Float(),
			CV:            in.Arrivals.CV.Float(),
		},
		Input:  buildLengths(in.InputTokens),
		Output: buildLengths(in.OutputTokens),
	}
	if in.Prefix != nil {
		client.PrefixGroup, client.PrefixTokens = in.Prefix.Group, int(in.Prefix.Tokens)
	}
	return client
}

func buildLengths(in v1alpha1.Lengths) workload.Lengths {
	lengths := workload.Lengths{Min: int(in.Min)}
	if in.Max != nil {
		lengths.Max = int(*in.Max)
	}
	mean, stdDev := in.Mean.Float(), in.StdDev.Float()
	switch in.Distribution {
	case v1alpha1.UniformLengths:
		// Half a token more on both sides, since what is drawn is rounded.
		lengths.Distribution = stats.Uniform{Low: float64(lengths.Min) - 0.5, High: float64(lengths.Max) + 0.5}
	case v1alpha1.NormalLengths:
		lengths.Distribution = stats.Normal{Mean: mean, StdDev: stdDev}
	case v1alpha1.ExponentialLengths:
		lengths.Distribution = stats.Exponential{Mean: mean}
	case v1alpha1.LogNormalLengths:
		lengths.Distribution = stats.LogNormalOf(mean, stdDev)
	default:
		lengths.Distribution = stats.Constant{Value: mean}
	}
	return lengths
}
