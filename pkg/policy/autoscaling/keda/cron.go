// SPDX-License-Identifier: Apache-2.0

package keda

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// Cron is a trigger that wants a count of replicas between two times of a calendar.
type Cron struct {
	Start, End Times
	Zone       *time.Location
	Replicas   int64
}

// Times are those of an expression such as 0 8 * * 1-5.
type Times struct{ schedule cron.Schedule }

// ParseTimes reads an expression of minute, hour, day of the month, month and day of the week.
func ParseTimes(text string) (Times, error) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "TZ=") || strings.HasPrefix(text, "CRON_TZ=") {
		return Times{}, errors.New("must not name a time zone: state it in timezone")
	}
	schedule, err := cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow).Parse(text)
	if err != nil {
		return Times{}, fmt.Errorf("must be minute, hour, day of the month, month and day of the week, such as 0 8 * * 1-5: %w", err)
	}
	return Times{schedule}, nil
}

// Value returns what the trigger says at a time; 0 where it is not active. KEDA compares the next
// start with the next end. A time that never comes is for it one that was long ago.
func (c *Cron) Value(at time.Time) float64 {
	at = at.In(c.Zone)
	start, end := c.Start.schedule.Next(at), c.End.schedule.Next(at)
	within := at.After(start) || at.Before(end)
	if start.Before(end) {
		within = at.After(start) && at.Before(end)
	}
	if !within {
		return 0
	}
	return float64(c.Replicas)
}
