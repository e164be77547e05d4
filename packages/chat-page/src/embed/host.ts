import type { FetchToken } from '@parley/client'
import { type ToHost, type ToPage, version } from './protocol.ts'

/** The page around this one, which speaks the protocol. */
export interface Host {
  send: (message: ToHost) => void
  token: FetchToken
  /** One listener for each type; tokens go to who asked for them. */
  on: <T extends Exclude<ToPage['type'], 'token'>>(
    type: T,
    listener: (message: Extract<ToPage, { type: T }>) => void,
  ) => void
}

/** @param origin as the address names it: messages go to it alone, and others are not heard */
export function createHost(origin: string): Host {
  const { parent } = window
  const listeners = new Map<string, (message: never) => void>()
  let asking: { resolve: (token: string) => void; reject: (error: Error) => void } | undefined

  const send = (message: ToHost) => parent.postMessage({ parley: version, ...message }, origin)
  window.addEventListener('message', ({ source, origin: from, data }: MessageEvent) => {
    if (source !== parent || from !== origin || data?.parley !== version) return
    const message = data as ToPage
    if (message.type !== 'token') return listeners.get(message.type)?.(message as never)
    if (typeof message.token === 'string') asking?.resolve(message.token)
    else asking?.reject(new Error('the host has no token'))
  })
  return {
    send,
    token: ({ refused }) =>
      new Promise((resolve, reject) => {
        asking = { resolve, reject }
        send({ type: 'token', refused })
      }),
    on: (type, listener) => void listeners.set(type, listener),
  }
}
