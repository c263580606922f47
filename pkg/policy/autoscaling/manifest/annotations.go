// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/spelling"
)

// annotationsOfKEDA is what the names of the annotations begin with by which KEDA is paused or
// forced.
const annotationsOfKEDA = "autoscaling.keda.sh/"

// annotations are the rest of their names.
var annotations = []string{"paused", "paused-replicas", "paused-scale-in", "paused-scale-out", "force-activation"}

// readAnnotations reads the annotations of an object, and keeps those that count.
func (m *Manifest) readAnnotations(t tree, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	kept := tree{}
	to := &m.keda.Annotations
	for _, full := range sorted(t) {
		name, is := strings.CutPrefix(full, annotationsOfKEDA)
		if !is {
			continue
		}
		value, isText := t[full].(string)
		if !isText {
			errs = append(errs, field.Invalid(path.Key(full), plain(t[full]), "must be a string: write it in quotes"))
			continue
		}
		kept[full] = value
		switch name {
		case "paused":
			to.Paused = to.Paused || isOn(value)
		case "paused-replicas":
			n, err := strconv.ParseInt(value, 10, 32)
			if err != nil || n < 0 || n > mostReplicas {
				errs = append(errs, field.Invalid(path.Key(full), value, fmt.Sprintf("must be a whole number between 0 and %d", mostReplicas)))
			}
			to.Paused, to.Replicas = true, new(int32(n))
		case "paused-scale-in":
			to.PausedIn = isOn(value)
		case "paused-scale-out":
			to.PausedOut = isOn(value)
		case "force-activation":
			to.Forced = isOn(value)
		default:
			m.NotSimulated = append(m.NotSimulated, field.Forbidden(path.Key(full), fmt.Sprintf("is not simulated; after %s there may be %s", annotationsOfKEDA, spelling.Quote(annotations))))
		}
	}
	if len(kept) > 0 {
		m.document["metadata"] = tree{"annotations": kept}
	}
	return errs
}

// isOn reads an annotation as KEDA does: what is neither true nor false is true.
func isOn(value string) bool {
	on, err := strconv.ParseBool(value)
	return on || err != nil
}
