import type { WebSocket, WebSocketBehavior } from 'uWebSockets.js'
import { Bridge } from './bridge.ts'
import type { Carried, Connection } from './connection.ts'
import type { EngineState } from './engine-state.ts'
import { countPacket, receivePacket } from './receive-packet.ts'

type Ws<S> = WebSocket<Carried<S>>

/**
 * The WebSocket side of an engine (without its upgrade handler). A socket whose connection is still on polling is a
 * probe: it takes over when the client says so (Engine.IO protocol, section "Upgrade").
 */
export function webSocketBehavior<S>(engine: EngineState<S>): WebSocketBehavior<Carried<S>> {
  const idleSeconds = Math.ceil((engine.pingIntervalMs + engine.pingTimeoutMs) / 1000) + 8
  return {
    maxPayloadLength: engine.maxPayload,
    maxBackpressure: engine.maxBufferedBytes,
    // Without this, publish skips a full socket in silence (uNetworking/uWebSockets.js issue 499).
    closeOnBackpressureLimit: true,
    // Heartbeats are Engine.IO's; this only frees what is stuck below them, such as a close that is never read.
    idleTimeout: Math.min(960, idleSeconds),
    sendPingsAutomatically: false,
    open: (ws) => {
      const { connection } = ws.getUserData()
      if (connection instanceof Bridge) connection.opened(ws)
      else if (connection.polling !== undefined) connection.polling.probe = ws
      else {
        connection.ws = ws
        ws.send(openPacket(connection, []), false)
        engine.onOpen(connection)
      }
    },
    message: (ws, message, isBinary) => {
      const { connection } = ws.getUserData()
      const data = Buffer.from(message)
      if (connection instanceof Bridge) connection.receive(isBinary ? `b${data.toString('base64')}` : data.toString())
      else if (connection.ws !== ws) probe(connection, ws, isBinary ? '' : data.toString())
      else if (isBinary) {
        // The bytes are uWebSockets.js's own once this returns.
        if (countPacket(connection)) engine.onMessage(connection, Buffer.from(data))
      } else if (!receivePacket(connection, data.toString())) connection.close('parse error')
    },
    dropped: (ws) => {
      const { connection } = ws.getUserData()
      engine.counters.drops++
      if (connection instanceof Bridge || connection.ws === ws) engine.slowReaders.add(connection)
    },
    close: (ws) => {
      const { connection } = ws.getUserData()
      if (connection instanceof Bridge) connection.closed()
      else if (connection.ws === ws) connection.ended(connection.closeReason ?? 'transport close')
      else if (connection.polling?.probe === ws) {
        connection.polling.probe = undefined
        connection.polling.stopUpgrade()
      }
    },
  }
}

/** The packet that opens a session (Engine.IO protocol, section "Handshake"). */
export function openPacket<S>(connection: Connection<S>, upgrades: readonly string[]): string {
  const { pingIntervalMs, pingTimeoutMs, maxPayload } = connection.engine
  return `0${JSON.stringify({ sid: connection.id, upgrades, pingInterval: pingIntervalMs, pingTimeout: pingTimeoutMs, maxPayload })}`
}

function probe<S>(connection: Connection<S>, ws: Ws<S>, packet: string): void {
  const polling = connection.polling
  if (polling === undefined) ws.close()
  else if (packet === '2probe') {
    ws.send('3probe', false)
    polling.startUpgrade()
  } else if (packet === '5' && polling.isUpgrading) takeOver(connection, ws)
  else ws.close()
}

/** Moves the session to the WebSocket; what polling had queued goes first, so the order stays. */
function takeOver<S>(connection: Connection<S>, ws: Ws<S>): void {
  const { engine, polling } = connection
  if (polling === undefined) return
  polling.release()
  engine.polls.delete(connection.id)
  for (const packet of polling.takeAll()) {
    if (packet.startsWith('b')) ws.send(Buffer.from(packet.slice(1), 'base64'), true)
    else ws.send(packet, false)
  }
  if (connection.closed) {
    ws.end(1000)
    return
  }
  connection.polling = undefined
  connection.ws = ws
  engine.counters.connections.polling--
  engine.counters.connections.websocket++
  engine.counters.upgrades++
  engine.onUpgrade(connection)
}
