{{/* `envFrom` and `env` of a container: (list $ SETTINGS) with the settings of one service. */}}
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
{{- if contains "$(POD_IP)" (toJson $all) }}
  # Before the settings that name it.
  - { name: POD_IP, valueFrom: { fieldRef: { fieldPath: status.podIP } } }
{{- end }}
{{- range $name, $value := $all }}
{{- if not (kindIs "invalid" $value) }}
  - { name: {{ $name }}, value: {{ include "parley.text" $value }} }
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* The common part of every pod, without containers: $. */}}
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
  # Do not change the ownership of every file on a large volume at each start.
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- end }}

{{/* The common part of every container. */}}
{{- define "parley.container" -}}
image: {{ include "parley.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{/* Annotations of every pod. A change of the chart's Secret starts new pods; for other Secrets, `secrets.version` does. */}}
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
{{- $settings := mergeOverwrite (deepCopy $root.Values.settings) $values.settings -}}
{{- $drainMS := dig "PARLEY_DRAIN_MS" 20000 $settings -}}
{{- range list "PARLEY_INTERNAL_PORT" "PARLEY_GATEWAY_PORT" "PARLEY_REALTIME_PORT" }}
{{- if hasKey $settings . }}{{ fail (printf "settings.%s: Services and probes use the default port" .) }}{{ end }}
{{- end }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $id }}
  labels: {{- include "parley.labels" $of | nindent 4 }}
spec:
  {{- if and (not $scaled) (not (kindIs "invalid" $values.replicas)) }}
  replicas: {{ $values.replicas }}
  {{- end }}
  # Start a new pod before stopping an old one.
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
      # Longer than preStop, PARLEY_DRAIN_MS and the following 2 s together.
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
            {{- with $values.canaryPort }}
            - { name: canary, containerPort: {{ . }} }
            {{- end }}
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
          # /livez checks no dependencies: a restart would not fix an unavailable database.
          livenessProbe:
            httpGet: { path: /livez, port: internal }
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 3
          # Gives every proxy time to stop sending requests here. For realtime, also waits until the last new pod of a step is
          # ready, so that disconnected clients reach a pod that stays.
          lifecycle: { preStop: { sleep: { seconds: {{ $values.preStopSeconds }} } } }
          resources: {{- toYaml $values.resources | nindent 12 }}
          volumeMounts:
            - { name: secrets, mountPath: /run/secrets, readOnly: true }
            {{- if include "parley.filesFolder" $of }}
            - { name: files, mountPath: /files }
            {{- end }}
      volumes:
        - name: secrets
          secret: { secretName: {{ include "parley.secret" $root }}, defaultMode: 0440 }
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
  # Allow evicting pods that are not ready.
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

{{/* PARLEY_FILES_FOLDER if a claim is mounted into this service, otherwise nothing. */}}
{{- define "parley.filesFolder" -}}
{{- $root := index . 0 -}}
{{- if and $root.Values.files.claim (has (index . 1) (list "api-gateway" "stats")) }}
PARLEY_FILES_FOLDER: /files
{{- end }}
{{- end }}
