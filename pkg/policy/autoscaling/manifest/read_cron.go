// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/keda"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/timezone"
)

// readCron reads a trigger by the time.
func (m *Manifest) readCron(entry tree, index int, path *field.Path) field.ErrorList {
	metadata, at := part(entry, "metadata"), path.Child("metadata")
	var errs field.ErrorList
	stated := func(name string) string { return strings.TrimSpace(words(metadata, name)) }
	invalid := func(name, detail string) {
		errs = append(errs, field.Invalid(at.Child(name), words(metadata, name), detail))
	}
	times := func(name string) keda.Times {
		all, err := keda.ParseTimes(stated(name))
		if err != nil {
			invalid(name, err.Error())
		}
		return all
	}
	c := &keda.Cron{Start: times("start"), End: times("end")}
	if stated("start") == stated("end") {
		invalid("end", "must be another time than start")
	}
	var err error
	if c.Replicas, err = strconv.ParseInt(stated("desiredReplicas"), 10, 64); err != nil || c.Replicas < 1 {
		invalid("desiredReplicas", "must be a whole number of at least 1")
	}
	if c.Zone, err = timezone.Load(stated("timezone")); err != nil {
		invalid("timezone", err.Error())
	}
	m.addTrigger(entry, 1000, 0)
	m.metrics = append(m.metrics, metric{
		entry: index, name: fmt.Sprintf("cron %s to %s %s", stated("start"), stated("end"), stated("timezone")), called: words(entry, "name"), cron: c,
		at: func(root *field.Path) *field.Path { return root.Child("spec", "triggers").Index(index).Child("type") },
	})
	return errs
}
