// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload/arrival"
)

// horizonNotes name what clients state of times after the end of all arrivals.
func horizonNotes(in *v1alpha1.Scenario, path *field.Path) []string {
	if in.Horizon.Duration == "" {
		return nil
	}
	end := horizonEnd{in.Horizon.Duration.Duration()}
	var notes []string
	for i := range in.Workload.Clients {
		c, at := &in.Workload.Clients[i], path.Child("workload", "clients").Index(i).Child("arrivals")
		if c.ClosedLoop != nil {
			continue
		}
		about := append(end.profileNotes(c.Arrivals.Profile, at.Child("profile")), end.stageNotes(c.Arrivals.Stages, at.Child("stages"))...)
		notes = append(append(notes, about...), end.firstRequestNotes(c, at)...)
	}
	return notes
}

// horizonEnd is the end of all arrivals.
type horizonEnd struct{ after time.Duration }

func (e horizonEnd) String() string {
	return fmt.Sprintf("and no request arrives after horizon.duration, %v", e.after)
}

func (e horizonEnd) profileNotes(in *v1alpha1.LoadProfile, path *field.Path) []string {
	if in == nil || in.Shape == v1alpha1.DiurnalLoad || in.At.Duration() < e.after {
		return nil
	}
	return []string{fmt.Sprintf("%s: the rate changes at %v, %v", path.Child("at"), in.At.Duration(), e)}
}

func (e horizonEnd) stageNotes(in []v1alpha1.RateStage, path *field.Path) []string {
	begins := time.Duration(0)
	for i := range in {
		if begins >= e.after {
			return []string{fmt.Sprintf("%s: the stage begins at %v, %v", path.Index(i), begins, e)}
		}
		begins += in[i].Duration.Duration()
	}
	return nil
}

// firstRequestNotes are about arrivals at regular times, of which the first is known.
func (e horizonEnd) firstRequestNotes(c *v1alpha1.Client, path *field.Path) []string {
	arrivals := buildArrivals(&c.Arrivals)
	if arrivals.Process.HasBursts() || len(arrivals.Validate(path)) > 0 {
		return nil
	}
	of := "the client"
	if copies := buildCopies(c.Copies); copies != nil && copies.SharedArrivals == "" {
		if len(copies.Validate(path)) > 0 {
			return nil
		}
		of = fmt.Sprintf("each of %d copies", copies.Count)
		arrivals = arrivals.Scaled(copies.Shares()[0])
	}
	// A jitter moves requests by half a period at most.
	early := arrivals.Jitter / 2
	arrivals.Process = arrival.Constant
	clock := arrival.NewClock(arrivals, stats.NewStream(0, ""))
	first := time.Duration(clock.Next())
	if first-time.Duration(early*float64(first)) <= e.after {
		return nil
	}
	return []string{fmt.Sprintf("%s: the first request of %s is due at %v, %v", path, of, first, e)}
}
