// SPDX-License-Identifier: Apache-2.0

package deployment

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/files"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// A picker is what starts an EPP, or chooses replicas in place of one.
type picker struct {
	// start says how it is started, and by which object. pool is the InferencePool; "" for any.
	start   files.Start
	pool    string
	version string
	// file is what its configuration is to be called, and at where that stands; "" where none is
	// named.
	file string
	at   *field.Path
	// own is the configuration of an EPP without one; "" is the default of the EPP itself.
	own string
}

// pickerFlags are options of the EPP that tell it from other programs.
var pickerFlags = []string{"pool-name", "endpoint-selector", "config-file", "config-text"}

// knownPickerFlags are options that reach the scenario, or that change no decision: ports, logs,
// certificates, names of metrics.
var knownPickerFlags = append([]string{
	"refresh-metrics-interval", "allow-experimental-plugins", "ha-enable-leader-election", "pool-namespace", "pool-group", "endpoint-target-ports",
	"grpc-port", "grpc-health-port", "metrics-port", "metrics-endpoint-auth", "metrics-cert-dir", "metrics-client-ca-file", "secure-serving", "cert-path", "enable-cert-reload",
	"tls-min-version", "tls-cipher-suites", "zap-encoder", "zap-devel", "zap-log-level", "zap-stacktrace-level", "zap-time-encoding", "v", "tracing", "health-checking", "enable-pprof",
	"grpc-max-recv-msg-size", "grpc-max-send-msg-size", "enable-grpc-stream-metrics", "drain-timeout", "emit-endpoint-scores", "refresh-prometheus-metrics-interval",
	"total-queued-requests-metric", "total-running-requests-metric", "kv-cache-usage-percentage-metric", "lora-info-metric", "cache-info-metric",
	"model-server-metrics-scheme", "model-server-metrics-port", "model-server-metrics-path", "model-server-metrics-https-insecure-skip-verify",
}, pickerFlags...)

// readPicker takes a workload that is an EPP.
func (r *reader) readPicker(d *document, w *workload) bool {
	for i := range w.pod.Containers {
		c := &w.pod.Containers[i]
		all, _ := commands(c)
		for _, command := range all {
			_, options := flags(afterProgram(command))
			if !slices.ContainsFunc(options, func(f flag) bool { return f.name == "pool-name" || f.name == "endpoint-selector" }) &&
				(imageVersion(c.Image) == "" || !slices.ContainsFunc(options, func(f flag) bool { return slices.Contains(pickerFlags, f.name) })) {
				continue
			}
			p := picker{version: knownVersion(imageVersion(c.Image)), at: w.at.Child("containers").Index(i).Child("args")}
			p.start = files.NewStart(d.name(), int(or(w.replicas, 0)), flagValues(options))
			r.pickerOptions(&p, options)
			r.pickers = append(r.pickers, p)
			return true
		}
	}
	return false
}

// afterProgram are the options of a command.
func afterProgram(command []string) []string {
	i := slices.IndexFunc(command, func(w string) bool { return strings.HasPrefix(w, "-") })
	if i < 0 {
		return nil
	}
	return command[i:]
}

// flagValues are options by their names, the last of equal ones; true without a value.
func flagValues(options []flag) map[string]string {
	values := map[string]string{}
	for _, f := range options {
		values[f.name] = cmp.Or(f.value(), "true")
	}
	return values
}

// pickerOptions takes what [files.Start] does not have, and says what has no effect.
func (r *reader) pickerOptions(p *picker, options []flag) {
	var others []string
	for _, f := range options {
		switch {
		case f.name == "pool-name":
			p.pool = f.value()
		case f.name == "config-file":
			p.file = path.Base(f.value())
		case f.name == "metrics-staleness-threshold":
			r.note("%s: --metrics-staleness-threshold %s is not simulated: a parameter of utilization-detector is", p.start.By, f.value())
		case !slices.Contains(knownPickerFlags, f.name):
			others = append(others, "--"+f.name)
		}
	}
	if len(others) > 0 {
		r.note("%s: options of the EPP that are not simulated: %s", p.start.By, strings.Join(others, ", "))
	}
}

// releaseTag is a release in the tag of an image.
var releaseTag = expression(`v[0-9]+\.[0-9]+(\.[0-9]+)?`)

// imageVersion is the version of the EPP that an image has, such as router-v0.10.0; "" for other
// images, and router-main and the like for tags that are no release.
func imageVersion(image string) string {
	name, tag, _ := strings.Cut(path.Base(image), ":")
	names := []struct{ image, version string }{
		{"llm-d-router-endpoint-picker", "router-"}, {"llm-d-inference-scheduler", "scheduler-"}, {"epp", "gie-"},
	}
	for _, n := range names {
		if name == n.image {
			if release := releaseTag().FindString(tag); release != "" {
				return n.version + release
			}
			return n.version + "main"
		}
	}
	return ""
}

// knownVersion is a version that is simulated: the release, or its minor release; "" for others.
func knownVersion(name string) string {
	for name != "" && !strings.HasSuffix(name, "main") {
		if _, err := version.Parse(name, nil); err == nil {
			return name
		}
		i := strings.LastIndexByte(name, '.')
		if strings.Count(name, ".") < 2 || i < 0 {
			return ""
		}
		name = name[:i]
	}
	return ""
}

// configurations are the EPP's configurations of all documents, with what starts them: one EPP, or any for "".
// Several EPPs may read one configuration, and differ in how they are started.
func (r *reader) configurations(of string) []files.Source {
	var stream bytes.Buffer
	for _, d := range r.documents {
		if of != "" && d.name() != of && slices.ContainsFunc(r.pickers, func(p picker) bool { return p.start.By == d.name() }) {
			continue
		}
		stream.WriteString("---\n")
		stream.Write(bytes.TrimSpace(d.text))
		stream.WriteString("\n")
	}
	found, _ := files.Find(stream.Bytes()) // each document has been read as YAML
	return found
}

// fileOf is the name of the file that has a configuration and no other; "" where none has.
func (r *reader) fileOf(text []byte) string {
	byFile := map[string][]byte{}
	var names []string
	for _, d := range r.documents {
		if byFile[d.file] == nil {
			names = append(names, d.file)
		}
		byFile[d.file] = append(append(byFile[d.file], "---\n"...), d.text...)
	}
	for _, name := range names {
		if found, _ := files.Find(byFile[name]); len(found) == 1 && bytes.Equal(found[0].Text, text) {
			return name
		}
	}
	return ""
}

// configuration is that of a picker. Without one, the EPP has its own default.
func (r *reader) configuration(p *picker, all []files.Source) (Picker, bool) {
	var own []*files.Source
	for i := range all {
		if s := &all[i]; s.Start.By == p.start.By && (p.file == "" || s.Start.OtherFile != "" || isKey(s.Name, p.file)) {
			own = append(own, s)
		}
	}
	picker := r.launched(p.version, &p.start)
	switch {
	case r.options.OtherPicker:
	case len(own) > 1:
		r.fault(field.Forbidden(p.at, "several configurations are in reach of this EPP ("+sourceNames(own)+"): name the file of one with --epp"))
		return picker, false
	case len(own) == 0 && p.file != "" && !slices.Contains(chartFiles, p.file):
		r.fault(field.Invalid(p.at.Key("--config-file"), p.file, "no ConfigMap of the files has this key: name the file of the configuration with --epp"))
		return picker, false
	case len(own) == 0:
		r.note("%s: the files have no configuration of this EPP: the default is in the scenario", p.start.By)
		picker.Text = p.own
	default:
		return picker, r.configure(&picker, own[0])
	}
	return picker, true
}

// chartFiles are configurations that the charts of llm-d bring along.
var chartFiles = []string{"default-plugins.yaml"}

// isKey reports whether the name of a source ends with a key.
func isKey(source, key string) bool {
	return strings.HasSuffix(source, "["+key+"]") || strings.HasSuffix(source, "."+key) || !strings.Contains(source, "data")
}

func sourceNames(all []*files.Source) string {
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
	}
	return strings.Join(names, "; ")
}

// configure gives an EPP its configuration. It reports whether the EPP has it.
func (r *reader) configure(p *Picker, s *files.Source) bool {
	if s.Start.OtherFile == "" {
		p.File, p.Text = r.fileOf(s.Text), string(s.Text)
		return true
	}
	at := field.NewPath(strings.TrimSuffix(sourceParent(s.Name), ".pluginsCustomConfig")).Child("pluginsConfigFile")
	if !slices.Contains(chartFiles, s.Start.OtherFile) {
		r.fault(field.Invalid(at, s.Start.OtherFile, "pluginsCustomConfig does not have it, so that the EPP does not start: it has "+strings.TrimPrefix(s.Name, sourceParent(s.Name))))
		return false
	}
	r.note("%s names %s, the chart's own configuration, so that the EPP does not read %s", at, s.Start.OtherFile, s.Name)
	return true
}

// launched is an EPP without a configuration, as it is started.
func (r *reader) launched(version string, s *files.Start) Picker {
	switch {
	case s.Standby > 0:
		r.note("%s: %d EPPs elect a leader, which routes: another begins without its counters and its prefix index", s.By, s.Replicas+s.Standby)
	case s.Replicas > 1:
		r.note("%s: %d EPPs route, each with queues, counters, sessions and a prefix index of its own", s.By, s.Replicas)
	}
	return Picker{Version: version, Replicas: s.Replicas, RefreshInterval: s.ScrapeInterval}
}

// sourceParent is the name of a source without its key.
func sourceParent(name string) string {
	i := strings.LastIndexByte(name, '[')
	if i < 0 {
		i = strings.LastIndexByte(name, '.')
	}
	return name[:max(i, 0)]
}
