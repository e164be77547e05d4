import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import type { ListEventsResult, Message, Room, ServerEvents } from '@parley/client/admin'

type FeedEvent = ListEventsResult['data'][number]

const tables = `
  PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS place (one INTEGER PRIMARY KEY CHECK (one = 1), cursor TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS users (id TEXT PRIMARY KEY, nickname TEXT);
  CREATE TABLE IF NOT EXISTS rooms (id TEXT PRIMARY KEY, type TEXT, name TEXT, status INTEGER);
  CREATE TABLE IF NOT EXISTS members (room TEXT, user TEXT, PRIMARY KEY (room, user));
  CREATE TABLE IF NOT EXISTS messages (
    id TEXT PRIMARY KEY, room TEXT NOT NULL, seq INTEGER NOT NULL, sender TEXT, type TEXT, content TEXT,
    sent_at_ms INTEGER, updated_at_ms INTEGER, is_deleted INTEGER NOT NULL DEFAULT 0);
  CREATE INDEX IF NOT EXISTS messages_by_room ON messages (room, seq);
  CREATE TABLE IF NOT EXISTS thread_messages (
    id TEXT PRIMARY KEY, room TEXT NOT NULL, seq INTEGER NOT NULL, sender TEXT, type TEXT, content TEXT,
    sent_at_ms INTEGER, updated_at_ms INTEGER, is_deleted INTEGER NOT NULL DEFAULT 0,
    thread TEXT NOT NULL, created_at_ms INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS thread_messages_by_thread ON thread_messages (thread, seq);
  CREATE INDEX IF NOT EXISTS thread_messages_by_room ON thread_messages (room, created_at_ms);
`

/** Opens the mirror, an SQLite file; makes its tables when it is new. */
export function openMirror(file: string) {
  const db = new DatabaseSync(file)
  db.exec(tables)
  const run = (sql: string, ...values: SQLInputValue[]) => db.prepare(sql).run(...values)

  function saveMessage({ _id, room, seq, sender, messageType, message, ...more }: Message): void {
    const { messageTimeMS, updatedAtMS, isDeleted, threadOf, createdAtMS } = more
    const senderID = typeof sender === 'string' ? sender : sender._id
    // Threads count their own seq.
    const table = threadOf === undefined ? 'messages' : 'thread_messages'
    const values = [
      ...[_id, room, seq, senderID, messageType, JSON.stringify(message ?? null), messageTimeMS, updatedAtMS],
      isDeleted ? 1 : 0,
      ...(threadOf === undefined ? [] : [threadOf, createdAtMS]),
    ]
    run(
      `INSERT INTO ${table} VALUES (${values.map(() => '?').join(', ')}) ON CONFLICT (id) DO UPDATE SET
        type = excluded.type, content = excluded.content, updated_at_ms = excluded.updated_at_ms,
        is_deleted = excluded.is_deleted WHERE excluded.updated_at_ms >= ${table}.updated_at_ms`,
      ...values,
    )
  }

  function saveMembers({ event, room, members }: { event: string; room: string; members: string[] }): void {
    const isGone = event === 'DELETE_MEMBERS'
    const sql = isGone
      ? 'DELETE FROM members WHERE room = ? AND user = ?'
      : 'INSERT OR IGNORE INTO members VALUES (?, ?)'
    for (const user of members) run(sql, room, user)
  }

  const takers: Record<string, (data: never) => void> = {
    'chat message': saveMessage,
    'thread message': saveMessage,
    messageUpdated: saveMessage,
    messageDeleted({ room, messageID, upToSeq, upToMS }: ServerEvents['messageDeleted']) {
      const all = Number.MAX_SAFE_INTEGER
      const deleted = 'SET is_deleted = 1, content = NULL WHERE room = ?'
      if (messageID === '_all') {
        run(`UPDATE messages ${deleted} AND seq <= ?`, room, upToSeq ?? all)
        run(`UPDATE thread_messages ${deleted} AND created_at_ms <= ?`, room, upToMS ?? all)
      } else {
        run(`UPDATE messages ${deleted} AND id = ?`, room, messageID)
        run(`UPDATE thread_messages ${deleted} AND id = ?`, room, messageID)
      }
    },
    room({ _id, roomType, name, status }: Room) {
      run('INSERT OR REPLACE INTO rooms VALUES (?, ?, ?, ?)', _id, roomType, name ?? null, status)
    },
    members: saveMembers,
    user({ _id, nickname }: { _id: string; nickname?: string }) {
      run('INSERT OR REPLACE INTO users VALUES (?, ?)', _id, nickname ?? null)
    },
    userDeleted({ _id }: { _id: string }) {
      run('DELETE FROM users WHERE id = ?', _id)
    },
  }

  return {
    /** Where the mirror stands; undefined when it is empty. */
    cursor: () => db.prepare('SELECT cursor FROM place').get()?.['cursor'] as string | undefined,
    /** Takes an event and where it stood in one transaction: after a kill the feed goes on exactly there. */
    take({ event, data, cursor }: FeedEvent): void {
      db.exec('BEGIN IMMEDIATE')
      try {
        takers[event]?.(data as never)
        run('INSERT OR REPLACE INTO place VALUES (1, ?)', cursor)
        db.exec('COMMIT')
      } catch (error) {
        db.exec('ROLLBACK')
        throw error
      }
    },
    close: () => db.close(),
  }
}
