import { type ImportLine, type ImportOf, usersOfLine } from '@parley/contracts/import-line'
import { maxMembers } from '@parley/contracts/operations/rooms/members'
import { maxPrefs } from '@parley/contracts/operations/users/preferences'
import { maxSaved } from '../messages/saved-messages.ts'
import { maxScheduled } from '../messages/scheduled-messages.ts'
import { CheckedQuotes, checkReactions, type Report } from './check-messages.ts'
import { type Counts, roomOf } from './checked-file.ts'
import { faultOfAttachments, type Uploads } from './import-attachments.ts'
import { KnownFiles, KnownIds, messageHash } from './known-ids.ts'
import type { Line } from './lines-of.ts'
import type { Problem } from './read-line.ts'

interface CheckedRoom {
  line: At
  room: ImportOf<'room'>
  members: Set<string>
  lastTimeMS: number
  /** Number of its messages so far, except those of threads. */
  seq: number
  /** Good lines of the room so far. */
  counts: Partial<Counts>
}

type At = Pick<Line, 'number' | 'index'>

/** Start of the reason for a line that refers to a missing or later line. */
const noLine = 'no earlier line is for'
const olderThanBefore = 'is earlier than that of the previous message in the room'

const noUploads: Uploads = { files: new Map(), existing: new Set() }

/** Checks lines against each other: a line may refer only to earlier lines, and consistently. */
export class LineChecks {
  readonly counts: Counts = {
    ...{ user: 0, group: 0, file: 0, room: 0, membership: 0, message: 0, deletion: 0, ban: 0, invitation: 0 },
    ...{ block: 0, device: 0, pref: 0, bookmark: 0, reminder: 0, thread: 0, scheduled: 0 },
    ...{ report: 0, hold: 0, config: 0 },
  }
  readonly refusedRooms = new Set<string>()
  /** Whether a line refers to something that may follow it, or a message is older than the previous one. */
  isUnordered = false
  /** Names of the users' preferences, including those in the database. */
  readonly prefs = new Map<string, Set<string>>()
  readonly files: KnownFiles
  readonly #app: string
  readonly #users = new Set<string>()
  readonly #groups = new Set<string>()
  readonly #rooms = new Map<string, CheckedRoom>()
  /** Numbers of bookmarks, reminders and scheduled messages of users. */
  readonly #counts = new Map<string, number>()
  readonly #pairs = new Set<string>()
  readonly #messages = new KnownIds()
  readonly #quotes = new CheckedQuotes(this.#messages)
  /** Read positions, checked at the end because their messages follow. */
  readonly #lastReads: { line: At; room: string; user: string; hash: bigint }[] = []

  constructor(app: string) {
    this.#app = app
    this.files = new KnownFiles(app)
  }

  check(line: At, read: ImportLine, uploads: Uploads = noUploads): Problem[] {
    const problems: Problem[] = []
    const report = (field: string, reason: string) => void problems.push(problemAt(line, field, reason))
    if (read.type === 'message' || read.type === 'scheduled') {
      const withoutFiles = faultOfAttachments(read, this.files, uploads)
      if (withoutFiles !== undefined) report('attachments', withoutFiles)
      // The line of the file may follow.
      this.isUnordered ||= withoutFiles !== undefined
    }
    const take = this.#checkLine(line, read, report)
    if (problems.length > 0) {
      this.isUnordered ||= problems.some(({ reason }) => reason.startsWith(noLine) || reason === olderThanBefore)
      return problems
    }
    take()
    this.#count(read.type, roomOf(read), 1)
    return []
  }

  #count(type: ImportLine['type'], room: string | undefined, by: 1 | -1): void {
    this.counts[type] += by
    const known = room === undefined ? undefined : this.#rooms.get(room)
    if (known) known.counts[type] = (known.counts[type] ?? 0) + by
  }

  /** Problems that show only once the whole file is read. A room with a problem is refused with all of its lines. */
  checkWhole(): Problem[] {
    const problems: Problem[] = []
    for (const { line, room, user, hash } of this.#lastReads) {
      const exists = this.#messages.has(hash)
      if (exists && !this.#quotes.isInThread(hash)) continue
      problems.push(problemAt(line, 'lastRead', exists ? 'is in a thread' : 'no such message in the room'))
      this.#rooms.get(room)?.members.delete(user)
      this.#count('membership', room, -1)
    }
    for (const { line, room, members, counts } of this.#rooms.values()) {
      const report = (field: string, reason: string) => {
        problems.push(problemAt(line, field, `${reason}; the room is left out with its messages`))
        this.refusedRooms.add(room._id)
      }
      if (room.abandoned === true) {
        const max = room.roomType === 'direct' ? 1 : 0
        if (members.size > max) report('abandoned', `has ${members.size} memberships: at most ${max}`)
      } else if (room.roomType === 'direct') {
        if (members.size !== 2) report('members', `has a membership line for ${members.size} of the two`)
      } else if (members.size === 0 || members.size > maxMembers) {
        report('_id', `has ${members.size} memberships: 1 to ${maxMembers}`)
      }
      const requireMember = (field: string, user: string) => {
        if (!members.has(user)) report(field, `${JSON.stringify(user)} has no membership line`)
      }
      if (room.owner !== undefined) requireMember('owner', room.owner)
      for (const user of room.managers ?? []) requireMember('managers', user)
      if (!this.refusedRooms.has(room._id)) continue
      for (const type of Object.keys(counts) as (keyof Counts)[]) this.counts[type] -= counts[type] ?? 0
    }
    return problems
  }

  /** @returns the action to run if the line has no problem */
  #checkLine(line: At, read: ImportLine, report: Report): () => void {
    // A hold may outlive its user.
    if (read.type !== 'hold') for (const [field, user] of usersOfLine(read)) this.#requireUser(field, user, report)
    switch (read.type) {
      case 'user':
        if (this.#users.has(read._id)) report('_id', 'this user already has a line')
        return () => this.#users.add(read._id)
      case 'group':
        if (this.#users.has(read._id) || this.#groups.has(read._id)) report('_id', 'this ID already has a line')
        return () => this.#groups.add(read._id)
      case 'file':
        if (this.files.has(read._id)) report('_id', 'this file already has a line')
        return () => this.files.add(read)
      case 'room':
        return this.#checkRoom(line, read, report)
      case 'membership':
        return this.#checkMembership(line, read, report)
      case 'message':
        return this.#checkMessage(read, report)
      case 'deletion':
        return this.#checkDeletion(read, report)
      case 'ban':
        if (read.room === undefined) {
          if (read.blocker !== undefined) report('blocker', 'only with room: a ban from the app has none')
        } else this.#requireGroup(read.room, report)
        return () => undefined
      case 'invitation':
        this.#requireGroup(read.room, report)
        return () => undefined
      case 'block':
        if (read.blocker === read.blockee) report('blockee', 'users cannot block themselves')
        return () => undefined
      case 'bookmark':
      case 'reminder':
        return this.#checkSaved(read, report)
      case 'thread': {
        const exists = this.#quotes.hasThread(messageHash(this.#app, read.room, read.threadOf))
        if (!exists) report('threadOf', `${noLine} a message of this thread`)
        return () => undefined
      }
      case 'scheduled':
        return this.#checkScheduled(read, report)
      case 'report':
        this.#requireRoom(read.room, report)
        return () => undefined
      case 'pref':
        return this.#checkPref(read, report)
      default:
        return () => undefined
    }
  }

  #checkDeletion({ room: id, message, upToSeq }: ImportOf<'deletion'>, report: Report): () => void {
    const room = this.#rooms.get(id)
    if ((message === undefined) === (upToSeq === undefined)) report('message', 'give message or upToSeq')
    if (message !== undefined) this.#requireMessage('message', id, message, report)
    if (!room) report('room', `${noLine} this room`)
    else if (upToSeq !== undefined && upToSeq > room.seq) report('upToSeq', `${noLine} message ${upToSeq} of the room`)
    return () => undefined
  }

  #checkSaved({ type, user, room, message }: ImportOf<'bookmark' | 'reminder'>, report: Report): () => void {
    this.#requireMessage('message', room, message, report)
    return this.#countOfUser('user', user, type, maxSaved[`${type}s`], report)
  }

  #checkScheduled({ sender, room, replyTo }: ImportOf<'scheduled'>, report: Report): () => void {
    this.#requireRoom(room, report)
    if (replyTo !== undefined) this.#requireMessage('replyTo', room, replyTo, report)
    return this.#countOfUser('sender', sender, 'scheduled message', maxScheduled, report)
  }

  /** @returns the action to run if the line has no problem */
  #countOfUser(field: string, user: string, what: string, max: number, report: Report): () => void {
    const counted = `${what} ${user}`
    const count = (this.#counts.get(counted) ?? 0) + 1
    if (count > max) report(field, `a user has at most ${max} ${what}s`)
    return () => this.#counts.set(counted, count)
  }

  #checkPref({ user, key }: ImportOf<'pref'>, report: Report): () => void {
    const names = this.prefs.get(user) ?? new Set()
    if (!names.has(key) && names.size >= maxPrefs) report('key', `a user has at most ${maxPrefs} preferences`)
    return () => this.prefs.set(user, names.add(key))
  }

  #checkRoom(line: At, room: ImportOf<'room'>, report: Report): () => void {
    if (this.#rooms.has(room._id)) report('_id', 'this room already has a line')
    const take = () =>
      void this.#rooms.set(room._id, { line, room, members: new Set(), lastTimeMS: 0, seq: 0, counts: {} })
    if (room.roomType === 'group') {
      if (room.members) report('members', 'for direct rooms only: a group has membership lines')
      return take
    }
    if (room.owner !== undefined || room.managers !== undefined) report('owner', 'a direct room has no roles')
    if (room.abandoned === true) {
      if (room.members) report('members', 'not allowed on an abandoned room')
      return take
    }
    const [a, b] = room.members ?? []
    if (a === undefined || b === undefined || a === b) {
      report('members', 'a direct room must name its two users')
      return take
    }
    for (const user of [a, b]) this.#requireUser('members', user, report)
    const pair = [a, b].toSorted().join('\0')
    if (this.#pairs.has(pair)) report('members', 'these two users already have a direct room')
    return () => {
      this.#pairs.add(pair)
      take()
    }
  }

  #checkMembership(line: At, membership: ImportOf<'membership'>, report: Report): () => void {
    const { room: id, user, lastRead, lastReadAt, lastReadSeq } = membership
    const given = [lastRead, lastReadAt, lastReadSeq].filter((one) => one !== undefined)
    if (given.length > 1) report('lastRead', 'give one of lastRead, lastReadAt and lastReadSeq')
    const known = this.#rooms.get(id)
    if (!known) report('room', `${noLine} this room`)
    const pair = known?.room.members
    if (pair && !pair.includes(user)) report('user', 'is not one of the two users of the direct room')
    if (known?.members.has(user)) report('user', 'this membership already has a line')
    return () => {
      known?.members.add(user)
      if (lastRead === undefined) return
      this.#lastReads.push({ line, room: id, user, hash: messageHash(this.#app, id, lastRead) })
    }
  }

  #checkMessage(message: ImportOf<'message'>, report: Report): () => void {
    const { _id, room: id, createdAt, reactions = [] } = message
    checkReactions(reactions, report)
    const room = this.#rooms.get(id)
    if (!room) {
      report('room', `${noLine} this room`)
      return () => undefined
    }
    if (createdAt < room.lastTimeMS) report('createdAt', olderThanBefore)
    const hashOf = (other: string) => messageHash(this.#app, id, other)
    if (this.#messages.has(hashOf(_id))) report('_id', 'the room already has a message with this ID')
    const takeQuote = this.#quotes.check(message, hashOf, report)
    return () => {
      room.lastTimeMS = createdAt
      if (message.threadOf === undefined) room.seq++
      takeQuote()
      this.#messages.add(hashOf(_id))
    }
  }

  #requireRoom(room: string, report: Report): void {
    if (!this.#rooms.has(room)) report('room', `${noLine} this room`)
  }

  #requireGroup(room: string, report: Report): void {
    if (this.#rooms.get(room)?.room.roomType !== 'group') report('room', `${noLine} this group`)
  }

  #requireMessage(field: string, room: string, id: string, report: Report): void {
    const exists = this.#messages.has(messageHash(this.#app, room, id))
    if (!exists) report(field, `${noLine} this message of the room`)
  }

  #requireUser(field: string, user: string, report: Report): void {
    if (!this.#users.has(user)) report(field, `${noLine} the user ${JSON.stringify(user)}`)
  }
}

function problemAt({ number: line, index }: At, field: string, reason: string): Problem {
  return { line, index, field, reason }
}
