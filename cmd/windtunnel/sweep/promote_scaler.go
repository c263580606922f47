// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/advice"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/manifest"
)

// A scalerFile is the file to write the manifest of a scaler to.
type scalerFile struct{ scaler, file string }

// readScalers reads the values of --promote-scaler.
func (o *promoteOptions) readScalers() error {
	o.manifests = nil
	for _, text := range o.scalers {
		scaler, file, ok := strings.Cut(text, "=")
		if !ok || scaler == "" || file == "" || file == "-" {
			return cli.BadInput(fmt.Errorf("--promote-scaler %s: must be NAME=FILE with the name of a scaler and a file", text))
		}
		for _, m := range o.manifests {
			if m.scaler == scaler {
				return cli.BadInput(fmt.Errorf("--promote-scaler: names scaler %s twice", scaler))
			}
			if isSameFile(m.file, file) {
				return cli.BadInput(fmt.Errorf("--promote-scaler: scalers %s and %s have the same file %s; name a file for each", m.scaler, scaler, file))
			}
		}
		if o.file != "" && isSameFile(o.file, file) {
			return cli.BadInput(fmt.Errorf("--promote and --promote-scaler have the same file %s; name a file for each", file))
		}
		o.manifests = append(o.manifests, scalerFile{scaler, file})
	}
	return nil
}

// isSameFile reports whether two names are those of one file.
func isSameFile(a, b string) bool {
	if x, err := os.Stat(a); err == nil {
		y, err := os.Stat(b)
		return err == nil && os.SameFile(x, y)
	}
	x, errX := filepath.Abs(a)
	y, errY := filepath.Abs(b)
	return errX == nil && errY == nil && x == y
}

// scalerNames are the scalers whose manifests are to be written.
func (o *promoteOptions) scalerNames() []string {
	var names []string
	for _, m := range o.manifests {
		names = append(names, m.scaler)
	}
	return names
}

// checkScalers refuses scalers without a manifest, and files that hold other objects than the
// text of the manifest.
func (o *promoteOptions) checkScalers(sweep local.Sweep) error {
	if err := advice.CheckManifests(sweep.Plan, o.scalerNames()); err != nil {
		return cli.BadInput(fmt.Errorf("--promote-scaler %w", err))
	}
	for _, m := range o.manifests {
		have, there, err := existingFile(m.file)
		if err != nil {
			return cli.BadInput(fmt.Errorf("--promote-scaler: %w", err))
		}
		kinds, written := manifest.Kinds(have), manifest.Kinds(sweep.Plan.Manifests[m.scaler].Text)
		if there && !slices.Equal(kinds, written) {
			return cli.BadInput(fmt.Errorf(
				"--promote-scaler: %s holds %s, and the sweep would replace the file by %s: to edit the file, name the file as %s.file of scaler %s; or name a new file",
				m.file, objectWords(kinds), objectWords(written), sweep.Plan.Manifests[m.scaler].Field, sweep.Plan.Manifests[m.scaler].Scaler))
		}
	}
	return nil
}

func objectWords(kinds []string) string {
	if len(kinds) == 0 {
		return "no objects of Kubernetes"
	}
	return strings.Join(kinds, ", ")
}

// sayWhatIsLeft says before a sweep which of what it varies no flag writes.
func (o *promoteOptions) sayWhatIsLeft(p *experiment.Plan) {
	if !o.wanted() {
		return
	}
	for _, m := range advice.VariedManifests(p) {
		if !slices.Contains(o.scalerNames(), m.Name) {
			fmt.Fprintf(o.stderr, "windtunnel: the sweep varies %s: --promote-scaler %s=FILE writes the manifest too\n", m.Title, m.Name)
		}
	}
	if o.file == "" && slices.ContainsFunc(p.Parameters, func(q experiment.Parameter) bool { return q.ChangesPicker() }) {
		fmt.Fprintln(o.stderr, "windtunnel: the sweep varies the EPP configuration: --promote FILE writes the configuration too")
	}
}
