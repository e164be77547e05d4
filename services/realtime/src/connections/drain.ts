import { setTimeout as pause } from 'node:timers/promises'
import type { OwnCloseReason } from '@parley/contracts/socket/close-reasons'

const waveEveryMS = 200
const stopping = 'node is stopping' satisfies OwnCloseReason

/** A socket, or a bridge. */
interface Closable {
  closeTransport(reason: OwnCloseReason): void
}

/**
 * Closes the connections of a stopping node in small random waves over a time, to spare the other nodes. Stock clients reconnect
 * by themselves; each is served until its turn.
 */
export async function drainConnections(connections: () => Iterable<Closable>, overMS: number): Promise<void> {
  const endMS = performance.now() + overMS
  let left = shuffled(connections())
  while (left.length > 0) {
    const waves = Math.max(1, Math.round((endMS - performance.now()) / waveEveryMS))
    for (const connection of left.splice(0, Math.ceil(left.length / waves))) connection.closeTransport(stopping)
    if (waves > 1) await pause(waveEveryMS)
    // Sorting a hundred thousand takes long: a second pass covers sockets that came meanwhile.
    if (left.length === 0) left = shuffled(connections())
  }
}

function shuffled(connections: Iterable<Closable>): Closable[] {
  return [...connections]
    .map((connection) => ({ connection, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ connection }) => connection)
}
