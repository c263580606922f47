// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Defaults of an EPP's flags (llm-d-router ebab687, pkg/epp/server/options.go), and of the times of its
// configuration that it has without being told.
const (
	defaultRefresh     = 50 * time.Millisecond
	stalenessThreshold = 2 * time.Second
	detectorStaleness  = "200ms"
	requestTTL         = "1m0s"
	speculativeTTL     = "2s"
	burstWindowMs      = 100.0
	lasHalfLifeSeconds = 60.0
	ttftPenaltyMs      = 18000.0
)

// slowed is how long a time of the endpoints takes at a speed; 0 is the time between two scrapes, and
// speed 1, where they are not stated.
func slowed(d time.Duration, speed float64) time.Duration {
	return time.Duration(float64(cmp.Or(d, defaultRefresh)) / cmp.Or(speed, 1))
}

// timeFields are those of an EndpointPickerConfig that have a time as text.
var timeFields = []string{
	"defaultRequestTTL", "noEndpointRequestTTL", "metricsStalenessThreshold", "speculativeTTL", "requestTimeout", "interval",
}

// numberFields are those that have a time as a number, which is whole in milliseconds.
var numberFields = []string{
	"evictionTtlSeconds", "evictionSweepSeconds", "lasHalfLifeSeconds", "windowDurationMs", "maxTTFTPenaltyMs",
}

// slow has the times of an EndpointPickerConfig take as much longer as the speed is below 1.
func slow(document map[string]any, speed float64) error {
	plugins, _ := document["plugins"].([]any)
	for _, p := range plugins {
		plugin, _ := p.(map[string]any)
		switch plugin["type"] {
		case "utilization-detector":
			stateDefault(plugin, "parameters", "metricsStalenessThreshold", detectorStaleness)
		case "precise-prefix-cache-producer", "precise-prefix-cache-scorer":
			stateDefault(plugin, "parameters", "speculativeTTL", speculativeTTL)
		case "burst-prefix-cache-producer":
			stateDefault(plugin, "parameters", "windowDurationMs", burstWindowMs)
		case "program-aware-fairness":
			stateDefault(plugin, "parameters", "lasHalfLifeSeconds", lasHalfLifeSeconds)
		case "prefix-cache-affinity-filter":
			stateDefault(plugin, "parameters", "maxTTFTPenaltyMs", ttftPenaltyMs)
		}
	}
	if gates, _ := document["featureGates"].([]any); slices.Contains(gates, any("flowControl")) {
		stateDefault(document, "flowControl", "defaultRequestTTL", requestTTL)
	}
	return slowFields(document, speed)
}

// stateDefault states a default in a part of a document.
func stateDefault(document map[string]any, part, field string, value any) {
	of, is := document[part].(map[string]any)
	if !is {
		of = map[string]any{}
		document[part] = of
	}
	if of[field] == nil {
		of[field] = value
	}
}

// slowFields slows the times in a part of a document.
func slowFields(part any, speed float64) error {
	switch of := part.(type) {
	case map[string]any:
		for name, value := range of {
			var err error
			text, isText := value.(string)
			number, isNumber := value.(float64)
			switch {
			case isText && slices.Contains(timeFields, name):
				of[name], err = slowedText(name, text, speed)
			case isNumber && slices.Contains(numberFields, name):
				of[name] = slowedNumber(name, number, speed)
			default:
				err = slowFields(value, speed)
			}
			if err != nil {
				return err
			}
		}
	case []any:
		for _, value := range of {
			if err := slowFields(value, speed); err != nil {
				return err
			}
		}
	}
	return nil
}

func slowedText(name, text string, speed float64) (string, error) {
	d, err := time.ParseDuration(text)
	if err != nil {
		return "", fmt.Errorf("%s of the EndpointPickerConfig: %w", name, err)
	}
	return time.Duration(float64(d) / speed).String(), nil
}

func slowedNumber(name string, number, speed float64) float64 {
	if strings.HasSuffix(name, "Ms") {
		return math.Round(number / speed)
	}
	return number / speed
}
