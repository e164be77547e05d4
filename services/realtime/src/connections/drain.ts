import { setTimeout as pause } from 'node:timers/promises'
import type { OwnCloseReason } from '@parley/contracts/socket/close-reasons'

const waveEveryMS = 200
const stopping = 'node is stopping' satisfies OwnCloseReason

/** A socket, or a bridge. */
interface Closable {
  closeTransport(reason: OwnCloseReason): void
  connection?: { unansweredMS: number }
}

/** Whether it owes a pong. It closes in the last wave: by then its end shows that the client is unreachable (half-open.ts). */
const isSilent = ({ connection }: Closable) => connection !== undefined && connection.unansweredMS > 0

/**
 * Closes the connections of a stopping node in small random waves, to spare the other nodes. Stock clients reconnect by
 * themselves; each is served until its turn.
 *
 * @param pingAll sends every client a ping
 */
export async function drainConnections(
  connections: () => Iterable<Closable>,
  overMS: number,
  pingAll: () => void,
): Promise<void> {
  const endMS = performance.now() + overMS
  pingAll()
  let left = shuffled(connections())
  while (left.length > 0) {
    const waves = Math.max(1, Math.round((endMS - performance.now()) / waveEveryMS))
    const isLast = waves === 1
    const wave = new Set(left.filter((one) => isLast || !isSilent(one)).slice(0, Math.ceil(left.length / waves)))
    left = left.filter((one) => !wave.has(one))
    for (const connection of wave) connection.closeTransport(stopping)
    if (!isLast) await pause(waveEveryMS)
    // Shuffling a hundred thousand takes long: a second pass covers sockets that connected meanwhile.
    if (left.length === 0) left = shuffled(connections())
  }
}

function shuffled(connections: Iterable<Closable>): Closable[] {
  return [...connections]
    .map((connection) => ({ connection, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ connection }) => connection)
}
