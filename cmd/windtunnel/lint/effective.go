// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/policy/epp"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/files"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
)

// effective prints what the EPP makes of each configuration: the document with
// every default spelled out, which the same version loads to the same effect,
// below what a simulation makes of each of its plugins. Those that the EPP refuses
// are findings.
func (o *lintOptions) effective(w io.Writer, paths []lintFile) error {
	var unread, refused []error
	found := 0
	for _, file := range paths {
		sources, err := files.Find(file.content)
		if err != nil {
			unread = append(unread, fmt.Errorf("%s: %w", file.name, err))
		}
		for _, s := range sources {
			found++
			name := strings.TrimSuffix(file.name+": "+s.Name, ": ")
			for _, v := range o.judge(&s) {
				if err := writeEffective(w, name, &v); err != nil {
					refused = append(refused, err)
				}
			}
		}
	}
	if found == 0 {
		unread = append(unread, lint.ErrNoConfig)
	}
	if len(unread) > 0 {
		return cli.BadInput(errors.Join(append(unread, refused...)...))
	}
	return errors.Join(refused...)
}

// judge returns the verdicts of the versions that are asked for, or else of the
// one that the file names or fits.
func (o *lintOptions) judge(s *files.Source) []config.LoadResult {
	versions := o.versions
	if len(versions) == 0 {
		versions = []string{cmp.Or(s.Version, autoVersion)}
	}
	var verdicts []config.LoadResult
	for _, version := range versions {
		if version == autoVersion {
			v, _ := epp.Newest(s.Text, nil)
			verdicts = append(verdicts, v)
			continue
		}
		verdicts = append(verdicts, epp.Judge(s.Text, version, nil))
	}
	return verdicts
}

// autoVersion asks for the newest version that accepts a configuration.
const autoVersion = "auto"

func writeEffective(w io.Writer, name string, v *config.LoadResult) error {
	if v.Stage != config.Accepted {
		return fmt.Errorf("%s: %s: %s: %w", name, v.Version, v.Stage, v.Errors.ToAggregate())
	}
	text, err := yaml.Marshal(v.Config)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "---\n# %s, as %s has it\n#\n%s%s", name, v.Version, pluginHandling(v.Config), text)
	return err
}

// pluginHandling says in a comment what a simulation makes of each plugin, and of
// settings that it does not follow to the letter.
func pluginHandling(c *config.Config) string {
	var padded, lines strings.Builder
	table := tabwriter.NewWriter(&padded, 0, 0, 2, ' ', 0)
	for _, p := range c.Report(&config.Cluster{Endpoints: 1}) {
		fmt.Fprintf(table, "# %s\t%s\t%s\t%s\n", p.Name, pluginOrigin(&p), p.Treatment, p.Note)
	}
	_ = table.Flush() // into memory, which takes all
	for line := range strings.Lines(padded.String()) {
		lines.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	for _, text := range c.Approximations() {
		fmt.Fprintf(&lines, "# approximated: %s\n", text)
	}
	return lines.String()
}

// pluginOrigin says whether the EPP made a plugin, and of what type one is that has
// another name.
func pluginOrigin(p *config.PluginReport) string {
	switch {
	case p.Created:
		return "made by the EPP"
	case p.Name != p.Type:
		return p.Type
	default:
		return "listed"
	}
}
