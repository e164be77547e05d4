import type { FetchToken } from '@parley/client'
import { type ToHost, type ToPage, version } from './protocol.ts'

/** The host page, which embeds this one and speaks the protocol. */
export interface Host {
  send: (message: ToHost) => void
  token: FetchToken
  /** Sets the listener of a type, one per type. Tokens resolve `token` instead. */
  on: <T extends Exclude<ToPage['type'], 'token'>>(
    type: T,
    listener: (message: Extract<ToPage, { type: T }>) => void,
  ) => void
}

/** @param origin the host's origin from the URL; messages from and to other origins are ignored */
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
