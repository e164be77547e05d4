import type { ExplainedDevice, PushReason } from '@parley/contracts/resources/push/explanation'
import { key } from '@parley/db/keys'
import {
  type DeviceDecision,
  type PushDecisionDoc,
  type PushDoc,
  type PushResult,
  userReasons,
} from '@parley/db/push/documents'

interface PushRecords {
  decisions: readonly PushDecisionDoc[]
  pushes: readonly PushDoc[]
  results: readonly PushResult[]
}

/** The reason that applies to all devices of the user. */
export function reasonOf(decisions: readonly PushDecisionDoc[], client: string): PushReason | undefined {
  const all = decisions.find((decision) => decision.all)?.all
  return all ?? userReasons.find((reason) => decisions.some(({ users }) => users?.[reason]?.includes(client)))
}

export function devicesDecided(
  decisions: readonly PushDecisionDoc[],
  client: string,
  decision: DeviceDecision,
): string[] {
  const prefix = `${client}\0`
  return decisions
    .flatMap(({ devices }) => devices?.[decision] ?? [])
    .filter((device) => device.startsWith(prefix))
    .map((device) => device.slice(prefix.length))
}

/** @param content key(app, message) */
export function explainDevices(
  content: string,
  client: string,
  { decisions, pushes, results }: PushRecords,
): ExplainedDevice[] {
  const explained = new Map<string, ExplainedDevice>()
  for (const reason of ['NO_NETWORK', 'CONNECTED'] as const) {
    for (const deviceId of devicesDecided(decisions, client, reason)) {
      explained.set(deviceId, { deviceId, outcome: 'not sent', reason })
    }
  }
  const sent = [...devicesDecided(decisions, client, 'DUE'), ...results.map(({ device }) => device)]
  for (const deviceId of new Set(sent)) {
    const push = pushes.find(({ _id }) => _id === key(content, client, deviceId))
    const result = results.findLast(({ device }) => device === deviceId)
    explained.set(deviceId, { deviceId, ...resultOf(push, result) })
  }
  return [...explained.values()]
}

function resultOf(push: PushDoc | undefined, result: PushResult | undefined): Omit<ExplainedDevice, 'deviceId'> {
  const network = result?.network ?? push?.network
  const of = network === undefined ? {} : { network }
  if (result) {
    const { as, atMS, id, reason } = result
    const more = { atMS, ...(id !== undefined && { id }), ...(reason !== undefined && { reason }) }
    switch (as) {
      case 'dead':
        return { ...of, outcome: 'refused', ...more, tokenRemoved: true }
      case 'dropped':
        return { ...of, outcome: 'given up', ...more }
      default:
        return { ...of, outcome: as, ...more }
    }
  }
  if (push?.dueAtMS === undefined) return { ...of, outcome: 'sending' }
  const { dueAtMS, tries, lastError } = push
  // The random part of the backoff has fractions of milliseconds.
  const nextTryAtMS = Math.ceil(dueAtMS)
  return { ...of, outcome: 'waiting', nextTryAtMS, tries, ...(lastError !== undefined && { lastError }) }
}
