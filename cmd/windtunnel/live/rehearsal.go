// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/internal/figure"
	"windtunnel.dev/windtunnel/pkg/live/rehearse"
)

// rehearsal is what the verb prints.
type rehearsal struct {
	cli.Identity
	Within bool `json:"within"`
	// Moved says how the endpoints changed; decisions are then not compared.
	Moved       string                `json:"moved,omitempty"`
	EPPConfig   string                `json:"eppConfig,omitempty"`
	Limits      rehearse.Limits       `json:"limits"`
	Share       float64               `json:"decisionShare"`
	Decisions   rehearse.Decisions    `json:"decisions"`
	BySimulated rehearse.Decisions    `json:"decisionsBySimulatedMetrics"`
	Figures     []rehearse.Figure     `json:"figures"`
	Differences []rehearse.Difference `json:"differences,omitempty"`
	Client      client                `json:"client"`
}

// compare holds what was live of a measurement against simulations. moved says how the replicas changed: then it is held
// against a simulation whose replicas do not.
func (r *recording) compare(ctx context.Context, m *measurement, limits rehearse.Limits, moved string) (*rehearsal, error) {
	var s *rehearse.Simulated
	var err error
	if moved == "" {
		s, err = rehearse.Compare(ctx, m.simulation, r.EPP.Choices, r.EPP.Scrapes)
	} else {
		s, err = rehearse.Alone(ctx, m.simulation)
	}
	if err != nil {
		return nil, err
	}
	c := &rehearsal{
		Identity: cli.Identify(m.run.TypeMeta, m.run.ObjectMeta), Moved: moved, Limits: limits,
		Share: s.Decisions.Share(), Decisions: s.Decisions, BySimulated: s.BySimulated,
		Figures: rehearse.Figures(s, limits, r.Metrics...), Differences: s.Differences, Client: r.Client,
	}
	c.Within = c.Share >= limits.Decisions && !slices.ContainsFunc(c.Figures, func(f rehearse.Figure) bool { return !f.Within })
	return c, nil
}

// sentence says in one what the comparison gives.
func (r *rehearsal) sentence() string {
	said := []string{fmt.Sprintf("%.2f %% of decisions are equal or tied", 100*r.Share)}
	if r.Moved != "" {
		said[0] = "decisions are not compared, as the number of replicas changed: " + r.Moved
	}
	for _, f := range r.Figures {
		if f.Limit != nil {
			said = append(said, fmt.Sprintf("%s is %.1f %% apart", f.Metric, 100*f.Apart))
		}
	}
	verdict := "within the limits"
	if !r.Within {
		verdict = "not within the limits"
	}
	return strings.Join(said, ", ") + ": " + verdict
}

// print prints a comparison, and is an error where it is not within the limits.
func (r *rehearsal) print(w io.Writer, format cli.Format) error {
	if err := r.write(w, format); err != nil || r.Within {
		return err
	}
	return errors.New("the rehearsal is not within the limits")
}

func (r *rehearsal) write(w io.Writer, format cli.Format) error {
	if format != cli.Table {
		return format.Write(w, r)
	}
	fmt.Fprintf(w, "SimulationRun %s\n\n", r.Metadata.Name)
	r.writeDecisions(w)
	if err := writeFigures(w, r.Figures); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nsimulated is with the EPP's choices, by itself without them. %d requests were sent, p50 %.2f ms and p99 %.2f ms after their times.\n",
		r.Client.Sent, r.Client.LateP50Millis, r.Client.LateP99Millis)
	for _, x := range r.Differences[:min(len(r.Differences), 3)] {
		fmt.Fprintf(w, "request %d at %.3f s: the EPP chose endpoint %d%s, the simulation %d%s\n", x.Request, x.AtSeconds, x.Live, scores(x.LiveScores), x.Simulated, scores(x.Scores))
	}
	return nil
}

func (r *rehearsal) writeDecisions(w io.Writer) {
	if r.Moved != "" {
		fmt.Fprintf(w, "decisions are not compared, as the number of replicas changed: %s\n\n", r.Moved)
		return
	}
	d, least := &r.Decisions, "no limit"
	if r.Limits.Decisions > 0 {
		least = fmt.Sprintf("at least %.2f %%", 100*r.Limits.Decisions)
	}
	fmt.Fprintf(w, "decisions: %.2f %% equal or tied (%s): %d equal, %d tied, %d different, %d without an endpoint on one side, %d asked on one side\n",
		100*r.Share, least, d.Equal, d.Tied, d.Different, d.NotRouted, d.OneSided)
	if r.EPPConfig != "" {
		fmt.Fprintf(w, "The EPP has the configuration %s, and the simulation that of the run: decisions also differ because of this.\n", r.EPPConfig)
	}
	fmt.Fprintf(w, "with metrics of replicas that were scraped at the simulation's moments: %.2f %%\n\n", 100*r.BySimulated.Share())
}

// scores are those of endpoints in words; nothing where there are none.
func scores(of map[int]float64) string {
	if len(of) == 0 {
		return ""
	}
	var each []string
	for _, endpoint := range slices.Sorted(maps.Keys(of)) {
		each = append(each, fmt.Sprintf("%d: %s", endpoint, figure.Fixed(of[endpoint], 3)))
	}
	return " (" + strings.Join(each, ", ") + ")"
}

func writeFigures(w io.Writer, figures []rehearse.Figure) error {
	if len(figures) == 0 {
		_, err := fmt.Fprintln(w, "No request was measured behind the warm-up.")
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "metric\tlive\tsimulated\tapart\tlimit\tby itself\t\t")
	for _, f := range figures {
		limit, within := "none", ""
		if f.Limit != nil {
			limit = fmt.Sprintf("%.1f %%", 100**f.Limit)
		}
		if !f.Within {
			within = "over the limit"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%.1f %%\t%s\t%s\t%s\t\n", f.Metric, number(f.Live), number(f.Simulated), 100*f.Apart, limit, number(f.Own), within)
	}
	return table.Flush()
}

func number(value float64) string { return strconv.FormatFloat(value, 'g', 4, 64) }
