import type { ImportLine, ImportOf } from '@parley/contracts/import-line'
import { maxMembers } from '@parley/contracts/operations/rooms/members'
import { maxReactionsOfUser } from '@parley/contracts/resources/message'
import { CheckedQuotes, type No } from './check-quotes.ts'
import { KnownIds, messageHash } from './known-ids.ts'
import type { Problem } from './read-line.ts'

/** A room of the file, and what of it was read so far. */
interface CheckedRoom {
  line: number
  room: ImportOf<'room'>
  members: number
  lastTimeMS: number
}

export type Counts = Record<ImportLine['type'], number>

/** Checks what lines say of each other: each names only what stands before it, and what it names fits. */
export class LineChecks {
  readonly counts: Counts = { user: 0, room: 0, membership: 0, message: 0 }
  readonly #app: string
  readonly #users = new Set<string>()
  readonly #rooms = new Map<string, CheckedRoom>()
  readonly #pairs = new Set<string>()
  readonly #memberships = new Set<string>()
  readonly #messages = new KnownIds()
  readonly #quotes = new CheckedQuotes(this.#messages)
  /** Read positions: their messages come later. */
  readonly #lastReads: { line: number; hash: bigint }[] = []

  constructor(app: string) {
    this.#app = app
  }

  check(line: number, read: ImportLine): Problem[] {
    this.counts[read.type]++
    const problems: Problem[] = []
    const no = (field: string, reason: string) => void problems.push({ line, field, reason })
    if (read.type === 'user') this.#checkUser(read, no)
    if (read.type === 'room') this.#checkRoom(line, read, no)
    if (read.type === 'membership') this.#checkMembership(line, read, no)
    if (read.type === 'message') this.#checkMessage(read, no)
    return problems
  }

  /** What only the whole file shows. */
  checkWhole(): Problem[] {
    const problems: Problem[] = []
    for (const { line, room, members } of this.#rooms.values()) {
      const no = (field: string, reason: string) => void problems.push({ line, field, reason })
      const isDirect = room.roomType === 'direct'
      if (isDirect && members !== 2) no('members', `has a membership line for ${members} of the two`)
      if (!isDirect && (members === 0 || members > maxMembers))
        no('_id', `has ${members} memberships: 1 to ${maxMembers}`)
      for (const [field, user] of rolesOf(room)) {
        if (!this.#memberships.has(`${room._id}\0${user}`)) no(field, `${JSON.stringify(user)} has no membership line`)
      }
    }
    for (const { line, hash } of this.#lastReads) {
      if (!this.#messages.has(hash)) problems.push({ line, field: 'lastRead', reason: 'no such message in the room' })
      else if (this.#quotes.isInThread(hash)) problems.push({ line, field: 'lastRead', reason: 'is in a thread' })
    }
    return problems
  }

  #checkUser({ _id }: ImportOf<'user'>, no: No): void {
    if (this.#users.has(_id)) no('_id', 'there is a line for this user already')
    this.#users.add(_id)
  }

  #checkRoom(line: number, room: ImportOf<'room'>, no: No): void {
    if (this.#rooms.has(room._id)) no('_id', 'there is a line for this room already')
    this.#rooms.set(room._id, { line, room, members: 0, lastTimeMS: 0 })
    if (room.roomType === 'group') {
      if (room.members) no('members', 'of a direct room only: a group has membership lines')
      return
    }
    const [a, b] = room.members ?? []
    if (a === undefined || b === undefined || a === b) return no('members', 'a direct room names its two users')
    if (room.owner !== undefined || room.managers !== undefined) no('owner', 'a direct room has no roles')
    for (const user of [a, b]) this.#requireUser('members', user, no)
    const pair = [a, b].toSorted().join('\0')
    if (this.#pairs.has(pair)) no('members', 'there is a direct room of these two already')
    this.#pairs.add(pair)
  }

  #checkMembership(line: number, { room: id, user, lastRead, lastReadAt }: ImportOf<'membership'>, no: No): void {
    this.#requireUser('user', user, no)
    const known = this.#rooms.get(id)
    if (!known) return no('room', 'no line before this one is of this room')
    const pair = known.room.members
    if (pair && !pair.includes(user)) no('user', 'is none of the two of the direct room')
    if (this.#memberships.has(`${id}\0${user}`)) no('user', 'there is a line for this membership already')
    this.#memberships.add(`${id}\0${user}`)
    known.members++
    if (lastRead !== undefined && lastReadAt !== undefined) no('lastReadAt', 'give lastRead or lastReadAt')
    if (lastRead !== undefined) this.#lastReads.push({ line, hash: messageHash(this.#app, id, lastRead) })
  }

  #checkMessage(message: ImportOf<'message'>, no: No): void {
    const { _id, room: id, sender, createdAt, mentions = [], reactions = [] } = message
    this.#requireUser('sender', sender, no)
    for (const user of mentions) this.#requireUser('mentions', user, no)
    for (const { client } of reactions) this.#requireUser('reactions', client, no)
    if (new Set(reactions.map(({ client, reaction }) => `${client}\0${reaction}`)).size < reactions.length) {
      no('reactions', 'a user gives each reaction once')
    }
    const most = Math.max(...countsOf(reactions.map(({ client }) => client)))
    if (most > maxReactionsOfUser) no('reactions', `a user gives at most ${maxReactionsOfUser}`)
    const room = this.#rooms.get(id)
    if (!room) return no('room', 'no line before this one is of this room')
    if (createdAt < room.lastTimeMS) no('createdAt', 'is before that of the message before it in the room')
    room.lastTimeMS = Math.max(room.lastTimeMS, createdAt)
    const hashOf = (other: string) => messageHash(this.#app, id, other)
    this.#quotes.check(message, hashOf, no)
    if (this.#messages.add(hashOf(_id))) no('_id', 'the room has a message of this ID already')
  }

  #requireUser(field: string, user: string, no: No): void {
    if (!this.#users.has(user)) no(field, `no line before this one is of the user ${JSON.stringify(user)}`)
  }
}

/** How often each is there. */
function countsOf(names: readonly string[]): number[] {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts.values()]
}

function rolesOf({ owner, managers = [] }: ImportOf<'room'>): [field: string, user: string][] {
  const roles = managers.map((user): [string, string] => ['managers', user])
  return owner === undefined ? roles : [['owner', owner], ...roles]
}
