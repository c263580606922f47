// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/keda"
	"windtunnel.dev/windtunnel/pkg/spelling"
)

// defaultMaxReplicaCount is the maximum of a ScaledObject that states none.
const defaultMaxReplicaCount = 100

// otherTriggers says what stands for a type of trigger that is not simulated.
const otherTriggers = "only triggers of type prometheus and cron are simulated"

// triggerTypes are those of KEDA 2.21 (pkg/scaling/scalers_builder.go).
var triggerTypes = strings.Fields(`activemq apache-kafka arangodb artemis-queue aws-cloudwatch aws-dynamodb
	aws-dynamodb-streams aws-kinesis-stream aws-sqs-queue azure-app-insights azure-blob azure-cosmosdb
	azure-data-explorer azure-eventhub azure-log-analytics azure-monitor azure-pipelines azure-queue
	azure-servicebus beanstalkd cassandra clickhouse couchdb cpu cron datadog dynatrace elastic-forecast
	elasticsearch etcd external external-push forgejo-runner gcp-cloudtasks gcp-pubsub gcp-spanner
	gcp-stackdriver gcp-storage github-runner graphite huawei-cloudeye ibmmq influxdb kafka
	kubernetes-resource kubernetes-workload liiklus loki memory metrics-api mongodb mssql mysql
	nats-jetstream new-relic nsq opensearch openstack-metric openstack-swift postgresql predictkube
	prometheus pulsar rabbitmq redis redis-cluster redis-cluster-streams redis-sentinel
	redis-sentinel-streams redis-streams selenium-grid solace-direct-messaging solace-event-queue
	solarwinds solr splunk splunk-observability sumologic temporal`)

// refuseTrigger refuses triggers of other types.
func refuseTrigger(list *Field, entry tree, path *field.Path) (err *field.Error, valid bool) {
	kind, _ := entry["type"].(string)
	if list.Path != "spec.triggers" || kind == "prometheus" || kind == "cron" || kind == "" {
		return nil, false
	}
	if !slices.Contains(triggerTypes, kind) {
		detail := "KEDA has no trigger of this type"
		if near := spelling.Nearest(kind, triggerTypes); len(near) > 0 {
			detail += "; similar: " + strings.Join(near, ", ")
		}
		return field.Invalid(path.Child("type"), kind, detail), false
	}
	detail := otherTriggers
	if ofResources(kind) {
		if err := checkResourceTrigger(entry, path); err != nil {
			return err, false
		}
		detail += ". " + cpuTrigger
	}
	return field.Invalid(path.Child("type"), kind, detail), true
}

// ofResources reports whether a trigger of the type asks for CPU or memory.
func ofResources(kind string) bool { return kind == "cpu" || kind == "memory" }

// checkResourceTrigger finds the first fault for which KEDA does not take a trigger of type cpu or memory. Older
// versions read metricType from the metadata type too.
func checkResourceTrigger(entry tree, path *field.Path) *field.Error {
	metricTypes := []string{"Utilization", "AverageValue"}
	value := words(entry, "metadata", "value")
	stated := cmp.Or(words(entry, "metricType"), words(entry, "metadata", "type"))
	switch at := path.Child("metadata", "value"); {
	case stated == "":
		return field.Required(path.Child("metricType"), "must be one of "+spelling.Quote(metricTypes)+" in a trigger of type "+words(entry, "type"))
	case !slices.Contains(metricTypes, stated):
		return field.NotSupported(path.Child("metricType"), stated, metricTypes)
	case value == "":
		return field.Required(at, "must be a string")
	case stated == "Utilization":
		if _, err := strconv.ParseInt(value, 10, 32); err != nil {
			return field.Invalid(at, value, "must be a whole number: per cent of what the pods request")
		}
	default:
		if _, err := thousandths(value); err != nil {
			return field.Invalid(at, value, "must be a quantity, such as 500m or 2Gi")
		}
	}
	return nil
}

// checkResourceTriggers says what KEDA does not take of an object whose triggers all ask for CPU or memory.
func checkResourceTriggers(spec tree, path *field.Path) field.ErrorList {
	triggers := entries(spec, "triggers")
	if len(triggers) == 0 || slices.ContainsFunc(triggers, func(t tree) bool { return !ofResources(words(t, "type")) }) {
		return nil
	}
	var errs field.ErrorList
	if wholeOr(spec, "minReplicaCount", 0) == 0 {
		errs = append(errs, field.Invalid(path.Child("minReplicaCount"), 0, "must be at least 1: KEDA does not scale to zero by triggers of type cpu and memory alone"))
	}
	if part(spec, "fallback") != nil && part(spec, "advanced", "scalingModifiers") == nil {
		errs = append(errs, field.Forbidden(path.Child("fallback"), "needs a trigger of another type than cpu and memory"))
	}
	return errs
}

// readScaledObject reads an object that the table allows.
func (m *Manifest) readScaledObject(t tree, root *field.Path) field.ErrorList {
	spec, path := part(t, "spec"), root.Child("spec")
	errs := m.readAnnotations(part(t, "metadata", "annotations"), root.Child("metadata", "annotations"))
	errs = append(errs, checkResourceTriggers(spec, path)...)
	s := &m.keda
	s.Polling = seconds(wholeOr(spec, "pollingInterval", 30))
	s.Cooldown = new(seconds(wholeOr(spec, "cooldownPeriod", 300)))
	s.InitialCooldown = seconds(wholeOr(spec, "initialCooldownPeriod", 0))
	s.Min, s.Max = int32(wholeOr(spec, "minReplicaCount", 0)), int32(wholeOr(spec, "maxReplicaCount", defaultMaxReplicaCount))
	m.Min, m.Max = int(s.Min), int(s.Max)
	if n, ok := number(spec["idleReplicaCount"]); ok {
		m.Min, s.Idle = int(n), new(int32(n))
		if int32(n) >= s.Min {
			errs = append(errs, field.Invalid(path.Child("idleReplicaCount"), n, fmt.Sprintf("must be less than minReplicaCount, %d", s.Min)))
		}
	}
	if f := part(spec, "fallback"); f != nil {
		s.Fallback = &keda.Fallback{
			FailureThreshold: int32(wholeOr(f, "failureThreshold", 0)), Replicas: int32(wholeOr(f, "replicas", 0)),
			Behavior: keda.FallbackBehavior(words(f, "behavior")),
		}
	}
	if n := s.Annotations.Replicas; n != nil {
		m.Min, m.Max = min(m.Min, int(*n)), max(m.Max, int(*n))
	}
	s.Behavior = readBehavior(part(spec, "advanced", "horizontalPodAutoscalerConfig", "behavior"))
	for i, entry := range entries(spec, "triggers") {
		if m.isRefused(path.Child("triggers").Index(i)) {
			continue
		}
		read := m.readPrometheus
		if words(entry, "type") == "cron" {
			read = m.readCron
		}
		errs = append(errs, read(entry, i, path.Child("triggers").Index(i))...)
	}
	if len(m.keda.Triggers) < len(entries(spec, "triggers")) {
		return errs // a formula may name a trigger that is not read
	}
	return append(errs, m.readModifiers(spec, path)...)
}

func (m *Manifest) readPrometheus(entry tree, index int, path *field.Path) field.ErrorList {
	metadata, at := part(entry, "metadata"), path.Child("metadata")
	threshold, errs := readDecimal(metadata, "threshold", at)
	activation, es := readDecimal(metadata, "activationThreshold", at)
	errs = append(errs, es...)
	if len(errs) == 0 && (threshold < 0.001 || threshold >= math.MaxInt64/1000) {
		errs = append(errs, field.Invalid(at.Child("threshold"), words(metadata, "threshold"), "must be at least 0.001"))
	}
	m.addTrigger(entry, int64(threshold*1000), activation)
	m.metrics = append(m.metrics, metric{
		entry: index, name: words(metadata, "query"), called: words(entry, "name"), nullFails: words(metadata, "ignoreNullValues") == "false",
		at: func(root *field.Path) *field.Path {
			return root.Child("spec", "triggers").Index(index).Child("metadata", "query")
		},
	})
	return errs
}

// addTrigger adds a trigger with a target in thousandths.
func (m *Manifest) addTrigger(entry tree, target int64, activation float64) {
	kind := hpa.TargetType(cmp.Or(words(entry, "metricType"), string(hpa.AverageValue)))
	metric := hpa.Metric{Source: hpa.External, Target: hpa.Target{Type: kind, Value: target}}
	m.keda.Triggers = append(m.keda.Triggers, keda.Trigger{Name: words(entry, "name"), Metric: metric, Activation: activation})
}
