// SPDX-License-Identifier: Apache-2.0

// Package lint is the verb lint: findings in EPP configurations, manifests and autoscalers.
package lint

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/input"
	scalerlint "windtunnel.dev/windtunnel/pkg/policy/autoscaling/lint"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
)

// lintOptions are the flags of lint.
type lintOptions struct {
	versions []string
	context  lint.Context
	output   cli.Format
	failOn   string
	summary  bool
	rules    bool
	explain  string
	fix      bool
	write    bool
	// deleteUnknown lets fix delete what the version does not have.
	deleteUnknown bool
	// spellOut prints effective configurations.
	spellOut bool
	// skip passes over files without a configuration.
	skip bool
	// legend explains the tables.
	legend cli.Legend
}

// NewCommand is the verb lint.
func NewCommand() *cobra.Command {
	o := lintOptions{output: cli.Text}
	cmd := &cobra.Command{
		Use:   "lint FILE...",
		Short: "Check EPP configuration files against every version of the EPP",
		Long: `Check whether each version of the EPP starts with the EndpointPickerConfigs in files.

Reads files, folders, or - for standard input, and finds configurations in ConfigMaps, Helm
values and manifests of Windtunnel, too. It also checks SimulationRuns, PolicySweeps and what
they refer to, HorizontalPodAutoscalers, ScaledObjects of KEDA, and ConfigMaps of llm-d's
workload-variant-autoscaler. It simulates nothing.

Writes findings with line, reason and correction, then a table of the versions that accept
the configuration. Findings are for --epp-version, for the version that a manifest names, or
for the newest that accepts the configuration. --fix corrects for router-v0.10 in place of
the newest, or for router-v0.11 if no other version accepts the configuration. More rules
apply if --replicas, --scrape-interval, --prompt-tokens, --prefix-share, --block-tokens,
--endpoints and --shared-tokens describe the cluster.

Exit codes: 0 no finding at or above --fail-on, 1 findings, or files that --write could not
rewrite, 2 a file that cannot be read or has nothing to check, or an invalid flag.`,
		Example: `  windtunnel lint epp-config.yaml
  kubectl get configmap epp -o yaml | windtunnel lint - --fail-on warning
  windtunnel lint epp-config.yaml --epp-version router-v0.10 --fix --write`,
		RunE: o.run,
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.versions, "epp-version", nil, "version of the EPP, or several, separated by commas; auto is the newest that accepts the configuration (the rules of router-v0.11 come from a downstream fork)")
	cli.OutputFlag(f, &o.output, []cli.Format{cli.Text, cli.JSON, cli.OutputSARIF}, "")
	f.StringVar(&o.failOn, "fail-on", string(lint.Error), "lowest severity that gives exit code 1: error, warning, info or never")
	f.BoolVar(&o.summary, "summary", false, "instead of a table for each configuration, print how many configurations each version accepts and rejects")
	o.legend.Register(f)
	f.BoolVar(&o.skip, "skip-others", false, "skip files without a configuration, an object of Windtunnel or an autoscaler, as in folders")
	f.BoolVar(&o.fix, "fix", false, "correct the findings that have a correction for the version, and print the difference")
	f.BoolVar(&o.deleteUnknown, "delete-unknown", false, "with --fix: delete fields and parameters that the version does not have")
	f.BoolVar(&o.write, "write", false, "with --fix: also write the files")
	f.BoolVar(&o.spellOut, "effective", false, "print the configuration as the EPP loads it, with all defaults, and how exactly a simulation reproduces each plugin")
	f.IntVar(&o.context.Replicas, "replicas", 0, "number of EPPs that serve the pool")
	f.DurationVar(&o.context.ScrapeInterval, "scrape-interval", 0, "the EPP's --refresh-metrics-interval (50ms if not given)")
	f.IntVar(&o.context.PromptTokens, "prompt-tokens", 0, "length of the longest prompts, in tokens")
	f.Float64Var(&o.context.PrefixShare, "prefix-share", 0, "largest part of a prompt that requests share, from 0 to 1")
	f.IntVar(&o.context.BlockTokens, "block-tokens", 0, "the engines' --block-size, in tokens")
	f.IntVar(&o.context.Endpoints, "endpoints", 0, "number of endpoints that the EPP chooses from")
	f.IntVar(&o.context.SharedTokens, "shared-tokens", 0, "length of the prefix that prompts share, in tokens")
	f.BoolVar(&o.context.Experimental, "allow-experimental-plugins", false, "assume that the EPP has this flag, so that Alpha plugins are no findings")
	f.BoolVar(&o.rules, "rules", false, "list the rules")
	f.StringVar(&o.explain, "explain", "", "print one rule in full, with its examples")
	cli.Rules(cmd,
		cli.FlagRule{Flag: "effective", Why: "prints YAML", Without: []string{"fix", "output=json", "output=sarif"}},
		cli.FlagRule{Flag: "fix", Why: "prints a difference", Without: []string{"output=json", "output=sarif"}},
		cli.FlagRule{Flag: "write", Needs: []string{"fix"}},
		cli.FlagRule{Flag: "delete-unknown", Needs: []string{"fix"}})
	return cmd
}

func (o *lintOptions) run(cmd *cobra.Command, args []string) error {
	w := cmd.OutOrStdout()
	switch {
	case o.rules:
		if err := lint.WriteRules(w); err != nil {
			return err
		}
		return scalerlint.WriteRules(w)
	case o.explain != "":
		return o.explained(w)
	}
	limit, err := o.check(args)
	if err != nil {
		return cli.BadInput(err)
	}
	files, err := o.files(args, cmd.InOrStdin())
	if err != nil {
		return cli.BadInput(err)
	}
	if len(files) == 0 && !o.skip {
		return cli.BadInput(fmt.Errorf("%s: %w in the YAML and JSON files: %s", strings.Join(args, ", "), lint.ErrNoConfig, lintReads))
	}
	switch {
	case o.fix:
		return o.rewrite(w, files, limit)
	case o.spellOut:
		return o.effective(w, files)
	}
	return o.report(cmd.Context(), w, files, limit)
}

// check reads what the flags say.
func (o *lintOptions) check(args []string) (limit lint.Severity, err error) {
	if len(args) == 0 {
		return "", fmt.Errorf("a file is required, or - for standard input")
	}
	if limit, err = lint.ParseSeverity(o.failOn); err != nil {
		return "", fmt.Errorf("--fail-on %w", err)
	}
	if o.versions, err = lint.ParseVersions(o.versions); err != nil {
		return "", fmt.Errorf("--epp-version: %w", err)
	}
	if o.context.PrefixShare < 0 || o.context.PrefixShare > 1 {
		return "", fmt.Errorf("--prefix-share must be between 0 and 1")
	}
	if o.write && slices.Contains(args, "-") {
		return "", fmt.Errorf("--write writes files; it cannot be combined with standard input (-)")
	}
	return limit, nil
}

func (o *lintOptions) explained(w io.Writer) error {
	if rule := scalerlint.Lookup(o.explain); rule != nil {
		return rule.Write(w)
	}
	rule := lint.Lookup(o.explain)
	if rule == nil {
		return cli.BadInput(fmt.Errorf("no rule is named %q; windtunnel lint --rules lists them", o.explain))
	}
	return rule.Write(w)
}

// report writes what there is to know of the files. One that cannot be read does
// not keep the others from being reported.
func (o *lintOptions) report(ctx context.Context, w io.Writer, files []lintFile, limit lint.Severity) error {
	var reports []lint.Report
	var unread []error
	manifests := readForLint(files)
	for _, file := range files {
		report, err := o.read(ctx, file, manifests)
		if err != nil {
			unread = append(unread, err)
			continue
		}
		reports = append(reports, report)
	}
	if err := o.print(w, reports); err != nil {
		return err
	}
	if len(unread) > 0 {
		return cli.BadInput(errors.Join(unread...))
	}
	if n := lint.Worst(reports, limit); n > 0 {
		return fmt.Errorf("findings of severity %s or worse: %d", limit, n)
	}
	return nil
}

// read looks at a file's configurations, its manifests of Windtunnel and its autoscalers.
func (o *lintOptions) read(ctx context.Context, file lintFile, manifests *lintManifests) (lint.Report, error) {
	if input.IsPrinted(file.content) {
		return lint.Report{}, input.Unfit(file.name, file.content, lintReads)
	}
	report, err := lint.Read(file.name, file.content, lint.Options{Versions: o.versions, Context: o.context})
	autoscalers := file.autoscalers()
	if errors.Is(err, lint.ErrNoConfig) && (file.holdsOwnKinds() || len(autoscalers) > 0) {
		report, err = lint.Report{File: file.name, Configs: []lint.ConfigReport{}}, nil
	}
	if err != nil {
		return report, whyUnread(file, err)
	}
	if file.holdsOwnKinds() {
		report.Manifests, report.Clean, err = manifests.findings(ctx, file, report.Findings())
	}
	for _, d := range autoscalers {
		found := autoscalerFindings(file.name, d, o.versions)
		if len(found) == 0 {
			report.Clean = append(report.Clean, strings.TrimSpace(d.Kind+" "+d.Name()))
		}
		report.Manifests = append(report.Manifests, found...)
	}
	return report, err
}

// whyUnread is the error of a file that cannot be linted: what it is, if it is something else.
func whyUnread(file lintFile, err error) error {
	if errors.Is(err, lint.ErrNoConfig) {
		return noneToLint(file.name, file.content)
	}
	if other := input.Unfit(file.name, file.content, lintReads); other != nil {
		return other
	}
	return err
}

func (o *lintOptions) print(w io.Writer, reports []lint.Report) error {
	switch o.output {
	case cli.JSON:
		return lint.WriteJSON(w, reports)
	case cli.OutputSARIF:
		return lint.WriteSARIF(w, reports, cli.Version(), scalerlint.Descriptions()...)
	}
	if err := lint.WriteText(w, reports, !o.summary); err != nil {
		return err
	}
	if o.summary {
		if err := lint.WriteSummary(w, reports); err != nil {
			return err
		}
	}
	o.legend.Add(lint.Legend(reports))
	o.legend.End(w)
	return nil
}

// rewrite prints what would be written, and writes it if that is asked for. It
// fails where findings at or above the limit remain, and where a file could not be
// written as it should have been.
func (o *lintOptions) rewrite(w io.Writer, files []lintFile, limit lint.Severity) error {
	var remaining []lint.Report
	var blocked []error
	for _, file := range files {
		fixed, err := lint.Fix(file.name, file.content, lint.FixOptions{Versions: o.versions, DeleteUnknown: o.deleteUnknown})
		if err != nil {
			return cli.BadInput(whyUnread(file, err))
		}
		fixed.WriteText(w)
		if o.write && fixed.Blocked {
			blocked = append(blocked, fmt.Errorf("%s: some parts could not be rewritten", file.name))
		}
		if o.write && fixed.Changed() {
			if err := cli.ReplaceFile(file.name, fixed.Content); err != nil {
				return err
			}
		}
		report, err := fixed.Remaining(o.versions, o.context)
		if err != nil {
			return cli.BadInput(fmt.Errorf("%s: %w", file.name, err))
		}
		remaining = append(remaining, report)
	}
	return o.afterRewriting(w, remaining, limit, blocked)
}

// afterRewriting prints what no rewriting does away with.
func (o *lintOptions) afterRewriting(w io.Writer, remaining []lint.Report, limit lint.Severity, blocked []error) error {
	if n := lint.Worst(remaining, limit); n > 0 {
		if err := lint.WriteText(w, remaining, false); err != nil {
			return err
		}
		blocked = append(blocked, fmt.Errorf("findings of severity %s or worse that remain: %d", limit, n))
	}
	return errors.Join(blocked...)
}
