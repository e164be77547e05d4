import { setTimeout as pause } from 'node:timers/promises'
import { closeSocket } from './close-socket.ts'
import type { UserSocket } from './session.ts'

const waveEveryMS = 200

/**
 * Closes the connections of a stopping node in small random waves over a time, so as not to overload the other nodes.
 * Stock clients come back by themselves; until its turn each is served as before.
 */
export async function drainSockets(sockets: () => Iterable<UserSocket>, overMS: number): Promise<void> {
  const endMS = performance.now() + overMS
  for (let left = shuffled(sockets()); left.length > 0; left = shuffled(sockets())) {
    const waves = Math.max(1, Math.round((endMS - performance.now()) / waveEveryMS))
    for (const socket of left.slice(0, Math.ceil(left.length / waves))) closeSocket(socket, 'node is stopping')
    if (waves > 1) await pause(waveEveryMS)
  }
}

function shuffled(sockets: Iterable<UserSocket>): UserSocket[] {
  return [...sockets]
    .map((socket) => ({ socket, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ socket }) => socket)
}
