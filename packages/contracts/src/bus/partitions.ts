/** The room or user that an event goes to. */
export type Audience = { app: string; room: string } | { app: string; user: string }

/** A room or user has one partition, which never changes. A stream holds the events of several partitions. */
export const partitionCount = 64
export const maxStreams = 16

/** The partition of a room or user: FNV-1a of its name, mixed by the first steps of MurmurHash3's finalizer. */
export function partitionOf(to: Audience): number {
  const name = 'room' in to ? `${to.app}\0r${to.room}` : `${to.app}\0u${to.user}`
  let hash = 0x81_1c_9d_c5
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01_00_01_93)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b)
  return (hash ^ (hash >>> 13)) & (partitionCount - 1)
}

/** The partitions of each of `count` streams. Another stream takes its share from the largest, so the rest stays. */
export function partitionsOfStreams(count: number): number[][] {
  const streams = [Array.from({ length: partitionCount }, (_, partition) => partition)]
  while (streams.length < count) {
    const share = Math.floor(partitionCount / (streams.length + 1))
    const taken: number[] = []
    while (taken.length < share) {
      const largest = streams.reduce((one, other) => (other.length > one.length ? other : one))
      taken.push(largest.pop() ?? 0)
    }
    streams.push(taken)
  }
  return streams
}

/** The index of the stream of each partition. */
export function streamsOfPartitions(count: number): number[] {
  const owners: number[] = Array.from({ length: partitionCount }, () => 0)
  for (const [stream, partitions] of partitionsOfStreams(count).entries()) {
    for (const partition of partitions) owners[partition] = stream
  }
  return owners
}
