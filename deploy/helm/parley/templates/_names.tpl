{{/* Labels of an object of the service or component NAME: (list $ NAME). */}}
{{- define "parley.labels" -}}
{{- $root := index . 0 -}}
{{ include "parley.podLabels" . }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
{{- end }}

{{/* Labels of its pods. */}}
{{- define "parley.podLabels" -}}
{{ include "parley.selector" . }}
app.kubernetes.io/part-of: parley
{{- end }}

{{/* The labels that select its pods, only of this release. */}}
{{- define "parley.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ index . 1 }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
{{- end }}

{{/* All pods of this release. */}}
{{- define "parley.all" -}}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/part-of: parley
{{- end }}

{{/* The Secret with the files of settings. Only one that the chart creates has the prefix. */}}
{{- define "parley.secret" -}}
{{ if .Values.secrets.create }}{{ .Values.prefix }}{{ end }}{{ .Values.secrets.name }}
{{- end }}

{{- define "parley.image" -}}
{{- with .Values.image -}}
{{- if .digest }}{{ .repository }}@{{ .digest }}
{{- else }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end }}
{{- end }}
{{- end }}

{{/* A value as an environment variable. Helm parses whole numbers in YAML as floats. */}}
{{- define "parley.text" -}}
{{- if and (kindIs "float64" .) (eq (floor .) .) }}{{ printf "%.0f" . | quote }}{{ else }}{{ toString . | quote }}{{ end }}
{{- end }}
