// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
)

// resourceFields are the fields that hold metrics of CPU and memory, by their types.
var resourceFields = map[string]string{"Resource": "resource", "ContainerResource": "containerResource"}

// refuseResource refuses metrics of CPU and memory.
func refuseResource(list *Field, entry tree, path *field.Path) (err *field.Error, valid bool) {
	kind, _ := entry["type"].(string)
	source := resourceFields[kind]
	if list.Path != "spec.metrics" || source == "" {
		return nil, false
	}
	if err := checkResource(part(entry, source), kind, path.Child(source)); err != nil {
		return err, false
	}
	return field.Forbidden(path.Child("type"), kind+": "+cpuInstead), true
}

// checkResource finds the first fault for which Kubernetes does not take a metric of CPU or memory.
func checkResource(resource tree, kind string, path *field.Path) *field.Error {
	target := part(resource, "target")
	at := path.Child("target")
	switch {
	case resource == nil:
		return field.Required(path, "the metric is of type "+kind)
	case words(resource, "name") == "":
		return field.Required(path.Child("name"), "must be cpu or memory")
	case kind == "ContainerResource" && words(resource, "container") == "":
		return field.Required(path.Child("container"), "must be the name of a container")
	case !slices.Contains([]string{"Utilization", "AverageValue", "Value"}, words(target, "type")):
		return field.NotSupported(at.Child("type"), words(target, "type"), []string{"Utilization", "AverageValue"})
	case target["averageUtilization"] == nil && target["averageValue"] == nil:
		return field.Required(at, "a target of CPU or memory has averageUtilization, a share of what the pods request in per cent, or averageValue")
	case target["averageUtilization"] != nil && target["averageValue"] != nil:
		return field.Forbidden(at.Child("averageValue"), "a target has either averageUtilization or averageValue")
	}
	return nil
}

// readHPA reads an object that the table allows.
func (m *Manifest) readHPA(spec tree, path *field.Path) field.ErrorList {
	m.Min, m.Max = int(wholeOr(spec, "minReplicas", 1)), int(wholeOr(spec, "maxReplicas", 0))
	var errs field.ErrorList
	m.hpa = hpa.Spec{Min: int32(m.Min), Max: int32(m.Max), Behavior: readBehavior(part(spec, "behavior"))}
	for i, entry := range entries(spec, "metrics") {
		if m.isRefused(path.Child("metrics").Index(i)) {
			continue
		}
		read, es := readMetric(entry, path.Child("metrics").Index(i))
		errs = append(errs, es...)
		source := sourceFields[read.Source]
		selector, es := readSelector(part(entry, source, "metric", "selector"), path.Child("metrics").Index(i).Child(source, "metric", "selector"))
		errs = append(errs, es...)
		m.hpa.Metrics = append(m.hpa.Metrics, read)
		m.metrics = append(m.metrics, metric{
			name: words(entry, source, "metric", "name"), at: metricAt(i, source, "name"),
			selector: selector, selectorAt: metricAt(i, source, "selector"), entry: i,
		})
	}
	return errs
}

// metricAt leads from an object to a field of a metric.
func metricAt(index int, source, name string) func(*field.Path) *field.Path {
	return func(root *field.Path) *field.Path {
		return root.Child("spec", "metrics").Index(index).Child(source, "metric", name)
	}
}

// sourceFields are the fields that hold the metrics of a source.
var sourceFields = map[hpa.Source]string{hpa.Pods: "pods", hpa.Object: "object", hpa.External: "external"}

func readMetric(entry tree, path *field.Path) (hpa.Metric, field.ErrorList) {
	read := hpa.Metric{Source: hpa.Source(entry["type"].(string))}
	var errs field.ErrorList
	for _, source := range []hpa.Source{hpa.Pods, hpa.Object, hpa.External} {
		name := sourceFields[source]
		switch has := entry[name] != nil; {
		case has && source != read.Source:
			errs = append(errs, field.Forbidden(path.Child(name), fmt.Sprintf("the metric is of type %s, which has its fields in %s", read.Source, sourceFields[read.Source])))
		case !has && source == read.Source:
			errs = append(errs, field.Required(path.Child(name), fmt.Sprintf("the metric is of type %s", read.Source)))
		}
	}
	if len(errs) > 0 {
		return read, errs
	}
	at, target := path.Child(sourceFields[read.Source], "target"), part(entry, sourceFields[read.Source], "target")
	read.Target.Type = hpa.TargetType(words(target, "type"))
	needed, other := "averageValue", "value"
	if read.Target.Type == hpa.Value {
		needed, other = other, needed
	}
	if target[other] != nil {
		errs = append(errs, field.Forbidden(at.Child(other), fmt.Sprintf("the target is of type %s, which has %s", read.Target.Type, needed)))
	}
	if target[needed] == nil {
		errs = append(errs, field.Required(at.Child(needed), fmt.Sprintf("the target is of type %s", read.Target.Type)))
	}
	read.Target.Value, _ = thousandths(written(target[needed]))
	return read, errs
}

// readBehavior reads the rules of both directions; nil if it states none.
func readBehavior(t tree) *hpa.Behavior {
	if t == nil {
		return nil
	}
	return &hpa.Behavior{ScaleUp: readRules(part(t, "scaleUp")), ScaleDown: readRules(part(t, "scaleDown"))}
}

func readRules(t tree) *hpa.Rules {
	if t == nil {
		return nil
	}
	rules := &hpa.Rules{Select: hpa.Select(words(t, "selectPolicy"))}
	if n, ok := number(t["stabilizationWindowSeconds"]); ok {
		rules.Window = new(seconds(n))
	}
	if t["tolerance"] != nil {
		tolerance, _ := thousandths(written(t["tolerance"]))
		rules.Tolerance = &tolerance
	}
	for _, p := range entries(t, "policies") {
		rules.Policies = append(rules.Policies, hpa.Policy{
			Type: hpa.PolicyType(words(p, "type")), Value: int32(wholeOr(p, "value", 0)), Period: seconds(wholeOr(p, "periodSeconds", 0)),
		})
	}
	return rules
}

func seconds(n int64) time.Duration { return time.Duration(n) * time.Second }
