import type { Counters } from './counters.ts'
import { createEngine, DEFAULT_MAX_PAYLOAD } from './engine/engine.ts'
import type { PollRequest, PollResponse } from './polling/poll-owner.ts'
import type { SocketServerOptions } from './server-options.ts'
import { admit, createNamespaces, createServerParts, transportEvents } from './server-parts.ts'
import type { Client } from './sockets/client.ts'
import type { Namespace } from './sockets/namespace.ts'
import { createReceiver } from './sockets/receive.ts'
import type { Socket } from './sockets/socket.ts'
import type { Bridge } from './websocket/bridge.ts'

type PublishOptions<Data> = {
  /** Sockets (or their IDs) that do not get the event. */
  except?: Iterable<Socket<Data> | string>
  /** `/` by default. */
  namespace?: string
  /** The event's ID; `flushBuffer` skips known ones. */
  id?: string | undefined
  /** Skips sockets with a replay buffer. */
  exceptBuffering?: boolean
  /** Skips sockets that joined with an `afterMS` not before this. */
  sentAtMS?: number | undefined
}

export type SocketServer<Data> = {
  counters: Counters
  /** The connected sockets of `/`, by ID. */
  sockets: ReadonlyMap<string, Socket<Data>>
  /**
   * Sends an event to a topic. `json` is the JSON text of its one argument (UTF-8 if bytes), inserted unchanged.
   * Returns the number of this server's sockets that it went to.
   */
  publish: (topic: string, event: string, json: string | Uint8Array, options?: PublishOptions<Data>) => number
  /** Sends an event to these sockets of `/`, in or out of topics; `json` as in publish. */
  sendTo: (sockets: Iterable<Socket<Data>>, event: string, json: string | Uint8Array) => void
  /** When a socket of `/` last joined a topic, by performance.now(); 0 for an empty topic. */
  joinedAtMS: (topic: string) => number
  /** The number of sockets of `/` in a topic. */
  topicSize: (topic: string) => number
  of: (namespace: string) => Namespace<Data> | undefined
  /** WebSockets of this node for sessions on other nodes. */
  bridges: ReadonlySet<Pick<Bridge, 'closeTransport'>>
  /** Serves a poll that another node forwarded; `signal` aborts when its requester leaves. */
  serveForwarded: (request: PollRequest, signal: AbortSignal) => Promise<PollResponse>
  /** Closes all connections, which stock clients reopen, refuses new ones with 503, and stops the timers. */
  close: (reason: string) => void
  /** Pings every client now: `unansweredMS` of its connection then says whether it answers. */
  pingAll: () => void
}

/** A Socket.IO 5 server over Engine.IO 4 on the routes of a uWebSockets.js app. The caller listens with the app. */
export function createSocketServer<Data = unknown>(options: SocketServerOptions<Data>): SocketServer<Data> {
  const parts = createServerParts(options)
  const { counters, unfinished } = parts
  const byName = createNamespaces(options, parts)
  const main = byName.get('/') as Namespace<Data>
  const state = { isClosing: false }
  const engine = createEngine<Client<Socket<Data>>>({
    ...options,
    ...parts,
    ...transportEvents(options, parts),
    admit: (request) => (state.isClosing ? { status: 503, message: 'closing' } : admit(options, parts, request)),
    onMessage: createReceiver({
      packets: parts.packets,
      maxPayload: options.maxPayload ?? DEFAULT_MAX_PAYLOAD,
      main,
      byName,
      initialData: options.initialData,
      owesAttachments: unfinished.add,
      hasSocket: unfinished.delete,
      onError: parts.onError,
    }),
  })

  return {
    counters,
    sockets: main.sockets,
    publish: (topic, event, json, publishOptions) => {
      if (publishOptions === undefined) return main.topics.publish(topic, event, json)
      const namespace = byName.get(publishOptions.namespace ?? '/')
      if (namespace === undefined) return 0
      const { except, id, exceptBuffering, sentAtMS } = publishOptions
      return namespace.topics.publish(topic, event, json, {
        except: except && found(namespace, except),
        ...{ id, exceptBuffering, sentAtMS },
      })
    },
    sendTo: (sockets, event, json) => main.topics.sendTo(sockets, event, json),
    joinedAtMS: (topic) => main.topics.joinedAtMS(topic),
    topicSize: (topic) => main.topics.size(topic),
    of: (name) => byName.get(name),
    bridges: engine.bridges,
    serveForwarded: engine.serveForwarded,
    pingAll: engine.pingAll,
    close: (reason) => {
      state.isClosing = true
      for (const connection of engine.connections()) connection.close(reason)
      for (const bridge of engine.bridges) bridge.closeTransport(reason)
      unfinished.stop()
      engine.stop()
    },
  }
}

function found<Data>(namespace: Namespace<Data>, named: Iterable<Socket<Data> | string>): Socket<Data>[] {
  return [...named].flatMap((each) => (typeof each === 'string' ? (namespace.sockets.get(each) ?? []) : [each]))
}
