import { setTimeout as pause } from 'node:timers/promises'
import type { UserSocket } from './session.ts'

const waveEveryMS = 200

/**
 * Asks the clients of a stopping node to leave, in small random waves spread over a time, so that the other nodes are
 * not run over. Their transport is closed, and stock clients come back by themselves; until then each is served as before.
 */
export async function drainSockets(sockets: () => Iterable<UserSocket>, overMS: number): Promise<void> {
  const endMS = performance.now() + overMS
  for (let left = shuffled(sockets()); left.length > 0; left = shuffled(sockets())) {
    const waves = Math.max(1, Math.round((endMS - performance.now()) / waveEveryMS))
    for (const socket of left.slice(0, Math.ceil(left.length / waves))) socket.closeTransport('node is stopping')
    if (waves > 1) await pause(waveEveryMS)
  }
}

function shuffled(sockets: Iterable<UserSocket>): UserSocket[] {
  return [...sockets]
    .map((socket) => ({ socket, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ socket }) => socket)
}
