// Makes a mongod a replica set of one with two users, using the localhost exception
// (mongodb.com/docs/manual/core/localhost-exception). Idempotent: run it until it succeeds.
const fs = require('node:fs')
const secret = (name) => fs.readFileSync(`/run/secrets/${name}`, 'utf8').trim()
const admin = db.getSiblingDB('admin')

if (!db.hello().setName) rs.initiate({ _id: 'parley', members: [{ _id: 0, host: 'mongo:27017' }] })
if (!db.hello().isWritablePrimary) quit(1)
try {
  db.getSiblingDB('parley').auth('parley', secret('mongo-password'))
} catch {
  try {
    admin.createUser({ user: 'admin', pwd: secret('mongo-admin-password'), roles: ['root'] })
  } catch {
    // An earlier, interrupted run created it.
  }
  admin.auth('admin', secret('mongo-admin-password'))
  // Parley aborts transactions left by a killed process (packages/db/src/transactions/transaction.ts).
  const privileges = [{ resource: { cluster: true }, actions: ['inprog', 'killAnySession'] }]
  if (!admin.getRole('parleySessions')) admin.createRole({ role: 'parleySessions', privileges, roles: [] })
  const roles = [
    { role: 'readWrite', db: 'parley' },
    { role: 'dbAdmin', db: 'parley' },
    { role: 'parleySessions', db: 'admin' },
    // The stats service exports metrics of disk, replica lag, oplog and cache.
    { role: 'clusterMonitor', db: 'admin' },
  ]
  db.getSiblingDB('parley').createUser({ user: 'parley', pwd: secret('mongo-password'), roles })
}
quit(0)
