import type { Db } from './connect.ts'

/** Runs work on a database once it is connected, and then closes the connection. */
export async function usingDb<T>(connecting: Promise<Db>, work: (db: Db) => Promise<T>): Promise<T> {
  const db = await connecting
  try {
    return await work(db)
  } finally {
    await db.client.close()
  }
}
