import type { IncomingEvent } from '@parley/bus/events/incoming'
import type { UserSocket } from '../connections/session.ts'
import { topicOf } from '../delivery/topics.ts'
import type { ReplayReader } from './replay-reader.ts'

const batchBytes = 64 * 1024

interface Frame {
  text: string
  codec: number
  topic: string
  event: IncomingEvent
}

/**
 * Sends events to sockets as they are read, many in one write, and none to a socket with unsent data.
 * @param maxBufferedBytes a socket with more unsent bytes gets nothing
 */
export function createFrameBatches(maxBufferedBytes: number) {
  const batches = new Map<ReplayReader, { frames: Frame[]; bytes: number }>()
  /** The event's frame by codec. */
  let frames: string[] = []
  let topic: string | undefined

  function send(reader: ReplayReader): void {
    const batch = batches.get(reader)
    batches.delete(reader)
    const { socket } = reader
    if (batch && socket.connected) {
      // The socket may have left a room since: unsent events of that room are dropped.
      const frames = batch.frames.filter((frame) => socket.isIn(frame.topic))
      socket.connection.cork(() => {
        for (const frame of frames) socket.connection.sendPacket(textFor(socket, frame))
      })
    }
  }

  return {
    /** False if the socket's backlog is full: this event is not sent; earlier ones are. */
    add(reader: ReplayReader, event: IncomingEvent): boolean {
      const { socket } = reader
      const batch = batches.get(reader) ?? { frames: [], bytes: 0 }
      if (socket.connection.bufferedBytes + batch.bytes > maxBufferedBytes) {
        send(reader)
        return false
      }
      const text = (frames[socket.codec] ??= frameOf(socket, event))
      batch.frames.push({ text, codec: socket.codec, topic: (topic ??= topicOf(event.to)), event })
      batch.bytes += text.length
      batches.set(reader, batch)
      if (batch.bytes > batchBytes) send(reader)
      return true
    },
    /** Call before another event is added. */
    nextEvent() {
      frames = []
      topic = undefined
    },
    flush() {
      for (const reader of batches.keys()) send(reader)
    },
  }
}

function frameOf({ namespace, codec }: UserSocket, { event, data }: IncomingEvent): string {
  return namespace.topics.frameText(event, data, codec)
}

/** Checked late: the client may have changed its encoding. */
function textFor(socket: UserSocket, { text, codec, event }: Frame): string {
  return codec === socket.codec ? text : frameOf(socket, event)
}
