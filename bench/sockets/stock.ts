import { io } from 'socket.io-client'
import type { Setup } from './setup.ts'

/** Opens stock clients for the first users, which prove that the nodes speak the protocol. */
export function openStock({ clients, keys }: Setup, port: number, count: number) {
  let heard = 0
  const sockets = clients.slice(0, count).map(({ token }) => {
    const socket = io(`http://127.0.0.1:${port}`, { transports: ['websocket'], forceNew: true })
    const ready = new Promise<void>((resolve, reject) => {
      socket.on('connect', () => {
        socket.emit('auth2', token, { clientKey: keys.clientKey }, ({ RC }: { RC: number }) =>
          RC === 0 ? resolve() : reject(new Error(`auth2: ${RC}`)),
        )
      })
    })
    socket.on('chat message', () => heard++)
    return { socket, ready }
  })
  return {
    ready: Promise.all(sockets.map(({ ready }) => ready)),
    /** The number of messages that they have received. */
    heard: () => heard,
    close: () => {
      for (const { socket } of sockets) socket.close()
    },
  }
}
