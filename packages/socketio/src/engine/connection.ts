import type { WebSocket } from 'uWebSockets.js'
import type { NewPackets } from '../accepting/accept-queue.ts'
import { type Counters, count } from '../counters.ts'
import type { PollOwner } from '../polling/poll-owner.ts'
import type { PolledSession, Polling } from '../polling/polling.ts'
import type { SlowReaders } from '../sockets/backpressure.ts'
import type { Bridge } from '../websocket/bridge.ts'
import type { EngineSettings, Refusal } from './engine-settings.ts'
import type { Heartbeat } from './heartbeat.ts'
import type { OpeningRequest } from './request.ts'

export type EngineEvents<S> = {
  /** Decides on a request to open a connection; undefined accepts it. */
  admit: ((request: OpeningRequest) => Refusal | undefined) | undefined
  onOpen: (connection: Connection<S>) => void
  /** One Engine.IO message; a Buffer is binary and belongs to the receiver. */
  onMessage: (connection: Connection<S>, message: string | Buffer) => void
  /** The session moved from polling to a WebSocket: here (queued packets are sent), or bridged by another node. */
  onUpgrade: (connection: Connection<S>) => void
  onClose: (connection: Connection<S>, reason: string) => void
  /** A bridge on this node was opened or closed. */
  onBridgeOpen: (address: string) => void
  onBridgeClose: (address: string) => void
  pollOwner: PollOwner | undefined
}

/** The shared state of an engine. */
export type EngineState<S> = EngineSettings &
  EngineEvents<S> & {
    counters: Counters
    slowReaders: SlowReaders
    newPackets: NewPackets<Connection<S>>
    heartbeat: Heartbeat<Connection<S>>
    /**
     * Sessions of this node, by ID. A polling session is kept briefly after its end, so that its client gets the close.
     */
    sessions: Map<string, Connection<S>>
    /** WebSockets of this node for sessions on other nodes. */
    bridges: Set<Bridge>
    /** IDs of sessions on other nodes for which this node is reading a post. */
    foreignPosts: Set<string>
    /** Schedules the response to the session's waiting poll for the end of this turn of the event loop. */
    flushSoon: (connection: Connection<S>) => void
  }

/** The data of a WebSocket; uWebSockets.js copies its fields and does not keep the object. */
export type Carried<S> = {
  /** Undefined on a second WebSocket for a session, which is closed as soon as it opens. */
  connection: Connection<S> | Bridge | undefined
}

/**
 * One Engine.IO session, on either transport. `session` belongs to the layer above; `ws` is set while the session is
 * on a WebSocket, `polling` while it is on long-polling.
 */
export class Connection<S> implements PolledSession {
  readonly id: string
  readonly address: string
  /** The client's port; undefined if unknown. */
  readonly port: number | undefined
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
  session: S | undefined
  ws: WebSocket<Carried<S>> | undefined
  polling: Polling | undefined
  closed = false
  /** Packets wait in the accept queue until the caller sets this to false. */
  isNew = true
  /** Packets received in `packetsSecond`. */
  packets = 0
  packetsSecond = 0
  closeReason: string | undefined
  readonly engine: EngineState<S>

  constructor(
    engine: EngineState<S>,
    id: string,
    opening: Pick<OpeningRequest, 'address' | 'port' | 'query'> & { headers: Readonly<Record<string, string>> },
  ) {
    this.engine = engine
    this.id = id
    this.address = opening.address
    this.port = opening.port
    this.query = opening.query
    this.headers = opening.headers
  }

  /** The client's transport; also `websocket` if another node has the WebSocket (see bridge.ts). */
  get transport(): 'polling' | 'websocket' {
    return this.polling === undefined || this.polling.bridged ? 'websocket' : 'polling'
  }

  /** When the client last sent something, by performance.now(), accurate to a second. */
  get heardAtMS(): number {
    return Math.max(this.packetsSecond * 1_000, this.engine.heartbeat.aliveAtMS(this))
  }

  /** For how long a ping has waited for its pong, in milliseconds, while nothing else came; 0 if none does. */
  get unansweredMS(): number {
    const pingedAtMS = this.engine.heartbeat.pingedAtMS(this)
    const isHeard = pingedAtMS === undefined || this.packetsSecond * 1_000 >= pingedAtMS
    return isHeard ? 0 : performance.now() - pingedAtMS
  }

  /** Bytes buffered for a slow reader. */
  get bufferedBytes(): number {
    return this.polling === undefined ? (this.ws?.getBufferedAmount() ?? 0) : this.polling.bytes
  }

  /** Whether a WebSocket may start to take over this session: it is on polling, and no other WebSocket has started. */
  get mayUpgrade(): boolean {
    const { polling } = this
    return polling !== undefined && !polling.bridged && !polling.isUpgrading && polling.probe === undefined
  }

  /** The client has moved from polling to a WebSocket; `transport` has changed already. */
  upgraded(): void {
    const { counters } = this.engine
    counters.connections.polling--
    counters.connections.websocket++
    counters.upgrades++
    this.engine.onUpgrade(this)
  }

  /** Sends one Engine.IO message, text or binary. A no-op once closed. */
  send(message: string | Uint8Array): void {
    if (this.closeReason !== undefined) return
    if (typeof message === 'string') this.sendPacket(`4${message}`)
    else if (this.polling !== undefined) this.sendPacket(`b${Buffer.from(message).toString('base64')}`)
    else if (this.ws !== undefined) {
      this.engine.counters.packetsOut++
      this.ws.send(message, true)
    }
  }

  /** Sends one encoded Engine.IO packet (for polling already in its text form). A no-op once closed. */
  sendPacket(packet: string): void {
    if (this.closed || this.closeReason !== undefined) return
    this.engine.counters.packetsOut++
    if (this.polling !== undefined) this.polling.push(packet)
    else this.ws?.send(packet, false)
  }

  /** Counts a packet of the client. Returns false, and closes the connection, if there were too many in this second. */
  countPacket(): boolean {
    const { engine } = this
    const { second } = engine.heartbeat
    engine.counters.packetsIn++
    if (this.packetsSecond !== second) {
      this.packetsSecond = second
      this.packets = 0
    }
    if (++this.packets <= engine.maxPacketsPerSecond) return true
    this.close('too many packets')
    return false
  }

  /** Handles one text packet of an open session, except the probe; false if it violates the protocol. */
  receive(packet: string): boolean {
    const { engine } = this
    if (!this.countPacket()) return true
    switch (packet.charCodeAt(0)) {
      case 0x34:
        engine.onMessage(this, packet.slice(1))
        return true
      case 0x33:
        engine.heartbeat.alive(this)
        return true
      case 0x31:
        if (this.polling !== undefined) this.polling.closedByClient()
        else this.close('transport close')
        return true
      case 0x36:
        return packet === '6'
      case 0x62:
        // The stock client sends it over WebSocket too, with `forceBase64`.
        engine.onMessage(this, Buffer.from(packet.slice(1), 'base64'))
        return true
      default:
        return false
    }
  }

  /** Schedules the response to a waiting poll for the end of this turn of the event loop. */
  flushSoon(): void {
    this.engine.flushSoon(this)
  }

  /** Removes the session; its ID is unknown from now on. */
  forget(): void {
    this.engine.sessions.delete(this.id)
  }

  /** Runs `sends` in one write. */
  cork(sends: () => void): void {
    if (this.ws === undefined) sends()
    else this.ws.cork(sends)
  }

  /** Ends the session: flushes, then closes the transport; stock clients reconnect. `onClose` has run on return. */
  close(reason: string): void {
    if (this.closed) return
    if (this.ws !== undefined) {
      this.closeReason = reason
      this.ws.end(1000, reason.slice(0, 120))
    } else {
      this.polling?.end()
      this.ended(reason)
    }
  }

  /** The client closed the connection, by a frame of its own. */
  closedByClient(): void {
    this.engine.heartbeat.alive(this)
    this.ended('transport close')
  }

  /** Ends the session at once; queued packets are lost. */
  terminate(reason: string): void {
    if (this.closed) return
    if (this.ws !== undefined) {
      this.closeReason = reason
      this.ws.close()
    } else {
      this.polling?.abandon()
      this.ended(reason)
    }
  }

  /** The transport is gone: removes the session and notifies the layer above, once. */
  ended(reason: string): void {
    if (this.closed) return
    this.closed = true
    const { engine } = this
    engine.counters.connections[this.transport]--
    count(engine.counters.closes, reason)
    engine.newPackets.forget(this)
    if (this.polling === undefined) engine.sessions.delete(this.id)
    this.ws = undefined
    engine.onClose(this, reason)
    engine.heartbeat.forget(this)
    this.session = undefined
  }
}
