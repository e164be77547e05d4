import type { Connection } from '../engine/connection.ts'

/** Counts a packet of the client; false, and the connection closed, when there were too many in this second. */
export function countPacket<S>(connection: Connection<S>): boolean {
  const { engine } = connection
  const { second } = engine.heartbeat
  engine.counters.packetsIn++
  if (connection.packetsSecond !== second) {
    connection.packetsSecond = second
    connection.packets = 0
  }
  if (++connection.packets <= engine.maxPacketsPerSecond) return true
  connection.close('too many packets')
  return false
}

/** Handles one text packet of an open session, except the probe; false when it violates the protocol. */
export function receivePacket<S>(connection: Connection<S>, packet: string): boolean {
  const { engine } = connection
  if (!countPacket(connection)) return true
  switch (packet.charCodeAt(0)) {
    case 0x34:
      engine.onMessage(connection, packet.slice(1))
      return true
    case 0x33:
      engine.heartbeat.alive(connection)
      return true
    case 0x31:
      if (connection.polling !== undefined) connection.polling.closedByClient()
      else connection.close('transport close')
      return true
    case 0x36:
      return packet === '6'
    case 0x62:
      // The stock client sends it by WebSocket too, with `forceBase64`.
      engine.onMessage(connection, Buffer.from(packet.slice(1), 'base64'))
      return true
    default:
      return false
  }
}
