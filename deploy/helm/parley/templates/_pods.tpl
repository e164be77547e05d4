{{/* `envFrom` and `env` of a container: (list $ SETTINGS), the settings being those of one service. */}}
{{- define "parley.environment" -}}
{{- $root := index . 0 -}}
{{- $own := index . 1 -}}
{{- $all := deepCopy $own -}}
{{- if $root.Values.settingsFrom }}
envFrom: [{ configMapRef: { name: {{ $root.Values.settingsFrom }} } }]
{{- else }}
{{- $all = mergeOverwrite (deepCopy $root.Values.settings) $own }}
{{- range $setting, $key := $root.Values.secrets.files }}
{{- if $key }}{{ $_ := set $all (printf "%s_FILE" $setting) (printf "/run/secrets/%s" $key) }}{{ end }}
{{- end }}
{{- end }}
{{- if $all }}
env:
{{- range $name, $value := $all }}
{{- if not (kindIs "invalid" $value) }}
  - { name: {{ $name }}, value: {{ include "parley.text" $value }} }
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* What every pod has in common, before its containers: $. */}}
{{- define "parley.pod" -}}
automountServiceAccountToken: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets: {{ toJson . }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{ toJson . }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{ toJson . }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  # A large volume of files is not walked through at each start.
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- end }}

{{/* What every container has in common. */}}
{{- define "parley.container" -}}
image: {{ include "parley.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{/* Annotations of every pod. A change of the Secret that the chart makes starts new pods; of another, `secrets.version` does. */}}
{{- define "parley.podAnnotations" -}}
{{- with .Values.secrets.version }}
parley.dev/secrets-version: {{ . | quote }}
{{- end }}
{{- if .Values.secrets.create }}
checksum/secrets: {{ list .Values.secrets.urls .Values.secrets.contents | toJson | sha256sum }}
{{- end }}
{{- with .Values.podAnnotations }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* The Deployment, ServiceAccount and budget of a service: (list $ NAME VALUES PORT), the port of its clients or 0. */}}
{{- define "parley.service" -}}
{{- $root := index . 0 -}}
{{- $name := index . 1 -}}
{{- $values := index . 2 -}}
{{- $port := index . 3 -}}
{{- $id := printf "%s%s" $root.Values.prefix $name -}}
{{- $of := list $root $name -}}
{{- $scaled := and $values.autoscaling $values.autoscaling.enabled -}}
{{- $drainMS := dig "PARLEY_DRAIN_MS" 20000 (mergeOverwrite (deepCopy $root.Values.settings) $values.settings) -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $id }}
  labels: {{- include "parley.labels" $of | nindent 4 }}
spec:
  {{- if and (not $scaled) (not (kindIs "invalid" $values.replicas)) }}
  replicas: {{ $values.replicas }}
  {{- end }}
  # A new pod is ready before an old one goes.
  strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: {{ $values.maxSurge }} } }
  selector:
    matchLabels: {{- include "parley.selector" $of | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "parley.podLabels" $of | nindent 8 }}
        {{- with $root.Values.podLabels }}{{ toYaml . | nindent 8 }}{{ end }}
      {{- with include "parley.podAnnotations" $root | trim }}
      annotations: {{- . | nindent 8 }}
      {{- end }}
    spec:
      serviceAccountName: {{ $id }}
      # Longer than the pause of preStop, PARLEY_DRAIN_MS and the 2 s after it together.
      terminationGracePeriodSeconds: {{ add $values.preStopSeconds (div (int $drainMS) 1000) 10 }}
      {{- include "parley.pod" $root | nindent 6 }}
      topologySpreadConstraints:
        {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
        - maxSkew: 1
          topologyKey: {{ . }}
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels: {{- include "parley.selector" $of | nindent 14 }}
        {{- end }}
      containers:
        - name: {{ $name }}
          args: [build/{{ $name }}.js]
          {{- include "parley.container" $root | nindent 10 }}
          {{- include "parley.environment" (list $root (mergeOverwrite (deepCopy $values.settings) (include "parley.filesFolder" $of | fromYaml))) | trim | nindent 10 }}
          ports:
            {{- if $port }}
            - { name: http, containerPort: {{ $port }} }
            {{- end }}
            - { name: internal, containerPort: 9090 }
          startupProbe:
            httpGet: { path: /livez, port: internal }
            periodSeconds: 2
            timeoutSeconds: 3
            failureThreshold: 60
          readinessProbe:
            httpGet: { path: /readyz, port: internal }
            periodSeconds: 2
            timeoutSeconds: 3
            failureThreshold: 5
          # /livez, which asks no server: a database that is away is not mended by a restart.
          livenessProbe:
            httpGet: { path: /livez, port: internal }
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 3
          # Until every proxy knows that this pod is going; of realtime, also until the last new pod of a step is ready, so
          # that a client which leaves comes to one that stays.
          lifecycle: { preStop: { sleep: { seconds: {{ $values.preStopSeconds }} } } }
          resources: {{- toYaml $values.resources | nindent 12 }}
          volumeMounts:
            - { name: secrets, mountPath: /run/secrets, readOnly: true }
            {{- if include "parley.filesFolder" $of }}
            - { name: files, mountPath: /files }
            {{- end }}
      volumes:
        - name: secrets
          secret: { secretName: {{ $root.Values.secrets.name }}, defaultMode: 0440 }
        {{- if include "parley.filesFolder" $of }}
        - name: files
          persistentVolumeClaim: { claimName: {{ $root.Values.files.claim }} }
        {{- end }}
---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ $id }}
  labels: {{- include "parley.labels" $of | nindent 4 }}
  {{- with $root.Values.serviceAccountAnnotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
{{- if $root.Values.podDisruptionBudgets.enabled }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ $id }}
  labels: {{- include "parley.labels" $of | nindent 4 }}
spec:
  maxUnavailable: {{ $root.Values.podDisruptionBudgets.maxUnavailable }}
  # A pod that is not ready protects nobody.
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels: {{- include "parley.selector" $of | nindent 6 }}
{{- end }}
{{- if $port }}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ $id }}
  labels: {{- include "parley.labels" $of | nindent 4 }}
spec:
  selector: {{- include "parley.selector" $of | nindent 4 }}
  ports:
    - { name: http, port: {{ $port }}, targetPort: http }
{{- end }}
{{- end }}

{{/* PARLEY_FILES_FOLDER, where a claim is mounted into this service; otherwise nothing. */}}
{{- define "parley.filesFolder" -}}
{{- $root := index . 0 -}}
{{- if and $root.Values.files.claim (has (index . 1) (list "api-gateway" "stats")) }}
PARLEY_FILES_FOLDER: /files
{{- end }}
{{- end }}
