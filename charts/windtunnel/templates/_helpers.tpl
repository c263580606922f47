{{/* SPDX-License-Identifier: Apache-2.0 */}}

{{/* The image of the manager, and of the workers. */}}
{{- define "windtunnel.image" -}}
{{- with .Values.image -}}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end -}}
{{- end }}

{{/* A file of config/, which make chart packs into the chart. */}}
{{- define "windtunnel.packed" -}}
{{- $path := printf "files/%s.yaml" .name -}}
{{- required (printf "this folder lacks %s: make chart packs a chart that has it" $path) (.files.Get $path) -}}
{{- end }}

{{- define "windtunnel.selector" -}}
app.kubernetes.io/name: windtunnel
app.kubernetes.io/component: manager
{{- end }}

{{- define "windtunnel.labels" -}}
{{ include "windtunnel.selector" . }}
app.kubernetes.io/part-of: windtunnel
{{- end }}

{{/* What a pod of ours needs to reach: the API server, and DNS where that has a name. */}}
{{- define "windtunnel.egress" -}}
- ports:
  {{- range .Values.networkPolicy.apiServerPorts }}
  - port: {{ . }}
    protocol: TCP
  {{- end }}
  {{- with .Values.networkPolicy.apiServerCIDRs }}
  to:
  {{- range . }}
  - ipBlock:
      cidr: {{ . }}
  {{- end }}
  {{- end }}
- ports:
  - port: 53
    protocol: UDP
  - port: 53
    protocol: TCP
{{- end }}

{{/* Replicas on different nodes, where there are several. */}}
{{- define "windtunnel.spread" -}}
- maxSkew: 1
  topologyKey: kubernetes.io/hostname
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels:
      {{- include "windtunnel.selector" . | nindent 6 }}
{{- end }}
