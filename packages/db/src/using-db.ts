import { type ConnectOptions, connectDb, type Db } from './connect.ts'

/** Runs work on a database, and then closes the connection. */
export async function usingDb<T>(url: string, options: ConnectOptions, work: (db: Db) => Promise<T>): Promise<T> {
  const db = await connectDb(url, options)
  try {
    return await work(db)
  } finally {
    await db.client.close()
  }
}
