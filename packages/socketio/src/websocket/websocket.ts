import type { WebSocket, WebSocketBehavior } from 'uWebSockets.js'
import type { Carried, Connection, EngineState } from '../engine/connection.ts'
import { Bridge } from './bridge.ts'

/** The code of a connection that ended without a close frame (RFC 6455, section 7.1.5). */
const brokenOff = 1006

type Ws<S> = WebSocket<Carried<S>>

/**
 * The WebSocket handlers of an engine, without the upgrade handler. A WebSocket of a polling connection is a probe,
 * which takes over when the client requests it (Engine.IO protocol, section "Upgrade").
 */
export function webSocketBehavior<S>(engine: EngineState<S>): WebSocketBehavior<Carried<S>> {
  const idleSeconds = Math.ceil((engine.pingIntervalMS + engine.pingTimeoutMS) / 1000) + 8
  return {
    maxPayloadLength: engine.maxPayload,
    maxBackpressure: engine.maxBufferedBytes,
    // Without this, publish silently skips a full socket (github.com/uNetworking/uWebSockets.js/issues/499).
    closeOnBackpressureLimit: true,
    // Engine.IO has its own heartbeats; this only frees connections stuck at a lower level, such as on an unread close.
    idleTimeout: Math.min(960, idleSeconds),
    sendPingsAutomatically: false,
    open: (ws) => {
      const { connection } = ws.getUserData()
      if (connection === undefined) ws.end(1000, 'upgraded already')
      else if (connection instanceof Bridge) connection.opened(ws)
      else if (connection.polling !== undefined) connection.polling.probedBy(ws)
      else {
        connection.ws = ws
        ws.send(openPacket(connection, []), false)
        engine.onOpen(connection)
      }
    },
    message: (ws, message, isBinary) => {
      const { connection } = ws.getUserData()
      const data = Buffer.from(message)
      if (connection === undefined) return
      if (connection instanceof Bridge) connection.receive(isBinary ? `b${data.toString('base64')}` : data.toString())
      else if (connection.ws !== ws) probe(connection, ws, isBinary ? '' : data.toString())
      else if (isBinary) {
        engine.newPackets.receiveWaiting(connection)
        // uWebSockets.js reuses the bytes once this returns.
        if (connection.countPacket()) engine.onMessage(connection, Buffer.from(data))
      } else engine.newPackets.receive(connection, data.toString())
    },
    dropped: (ws) => {
      const { connection } = ws.getUserData()
      engine.counters.drops++
      if (connection instanceof Bridge || connection?.ws === ws) engine.slowReaders.add(connection)
    },
    drain: (ws) => {
      const { connection } = ws.getUserData()
      if (connection instanceof Bridge) connection.drained()
    },
    close: (ws, code) => {
      const { connection } = ws.getUserData()
      if (connection instanceof Bridge) connection.closed()
      else if (connection?.ws === ws) {
        if (connection.closeReason === undefined && code !== brokenOff) connection.closedByClient()
        else connection.ended(connection.closeReason ?? 'transport close')
      } else if (connection?.polling?.probe === ws) connection.polling.stopUpgrade()
    },
  }
}

/** The packet that opens a session (Engine.IO protocol, section "Handshake"). */
export function openPacket<S>(connection: Connection<S>, upgrades: readonly string[]): string {
  const { pingIntervalMS, pingTimeoutMS, maxPayload } = connection.engine
  return `0${JSON.stringify({ sid: connection.id, upgrades, pingInterval: pingIntervalMS, pingTimeout: pingTimeoutMS, maxPayload })}`
}

function probe<S>(connection: Connection<S>, ws: Ws<S>, packet: string): void {
  const polling = connection.polling
  if (polling === undefined) ws.close()
  else if (packet === '2probe' && !polling.isUpgrading) {
    ws.send('3probe', false)
    polling.startUpgrade()
  } else if (packet === '5' && polling.isUpgrading) takeOver(connection, ws)
  else ws.close()
}

/** Moves the session to the WebSocket. Sends the polling queue first, to keep the order. */
function takeOver<S>(connection: Connection<S>, ws: Ws<S>): void {
  const { engine, polling } = connection
  if (polling === undefined) return
  polling.release()
  polling.stopUpgrade()
  for (const packet of polling.takeAll()) {
    if (packet.startsWith('b')) ws.send(Buffer.from(packet.slice(1), 'base64'), true)
    else ws.send(packet, false)
  }
  if (connection.closed) {
    engine.sessions.delete(connection.id)
    ws.end(1000)
    return
  }
  connection.polling = undefined
  connection.ws = ws
  connection.upgraded()
}
