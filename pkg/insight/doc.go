// SPDX-License-Identifier: Apache-2.0

// Package insight watches one simulation and says what went wrong in it: anomalies by stated
// rules, and a summary in Markdown for people and for programs that change policies.
//
//	c := insight.NewCollector(&config, insight.Thresholds{})
//	detach := c.Attach(&config)
//	outcome, err := simulation.Run(ctx, config)
//	detach()
//	fmt.Print(insight.Summarize(c.Report(), insight.SummaryOptions{}))
//
// A collector changes nothing of the simulation. It keeps counts, short lists and a
// few examples: its memory grows with the requests in flight and with the numbers of
// replicas, tenants and classes, and not with the number of requests. Each number of an anomaly
// is a count or a mean of what `windtunnel run --trace` and `--explain scaling` write, or of
// what the simulator tells of ends and preemptions.
package insight
