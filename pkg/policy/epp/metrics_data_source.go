// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// metricsDataSource scrapes the engines. Here the simulator does, at the
// interval that the scenario states.
var metricsDataSource = config.PluginType{
	Name:         config.MetricsDataSourceType,
	Registration: version.GIE("gie-v1.3.."),
	Roles:        config.DataSourceRole,
	Payload:      config.MetricsPayload,
	Parameters: func() any {
		return &metricsSourceParameters{Scheme: "http", Path: "/metrics", InsecureSkipVerify: true}
	},
	Treatment: func(_ *config.Config, _ *config.Cluster, p *config.Plugin) (config.Treatment, string) {
		if p.Parameters.(*metricsSourceParameters).Interval != "" {
			return config.Approximated, "scrapes follow the scenario's metricsRefreshInterval, not interval"
		}
		return config.NoEffect, "scrapes follow the scenario's metricsRefreshInterval"
	},
}

type metricsSourceParameters struct {
	Scheme             string `json:"scheme"`
	Path               string `json:"path"`
	Port               *int   `json:"port,omitempty" versions:"router-v0.10.."`
	InsecureSkipVerify bool   `json:"insecureSkipVerify"`
	CACertPath         string `json:"caCertPath,omitempty" versions:"router-v0.10.."`
	ClientCertPath     string `json:"clientCertPath,omitempty" versions:"router-v0.10.."`
	ClientKeyPath      string `json:"clientKeyPath,omitempty" versions:"router-v0.10.."`
	Interval           string `json:"interval,omitempty" versions:"router-v0.10.."`
}

func (p *metricsSourceParameters) Check(l *config.Loader, path *field.Path) {
	if p.Scheme != "http" && p.Scheme != "https" && l.Clock >= version.GIE14 {
		l.Add(field.NotSupported(path.Child("scheme"), p.Scheme, []string{"http", "https"}))
	}
	if p.Port != nil && (*p.Port < 1 || *p.Port > 65535) {
		l.Add(field.Invalid(path.Child("port"), *p.Port, "must be between 1 and 65535"))
	}
	if p.Interval == "" {
		return
	}
	at := path.Child("interval")
	if d, err := time.ParseDuration(p.Interval); err != nil || d < 0 {
		l.Add(field.Invalid(at, p.Interval, "must be a duration such as 100ms"))
		return
	}
	l.Notice(at, "not-followed", "not followed: set the scenario's router.metricsRefreshInterval")
}
