import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { debianPackages } from '@parley/stack/debian-packages'
import { freePorts } from '@parley/stack/free-ports'
import type { Launch, RunningServer } from '@parley/stack/launch'
import { locate } from '@parley/stack/locate'
import { startProcess } from '@parley/stack/server-process'
import { tcpAnswer } from '@parley/stack/tcp-answer'
import { MongoClient } from 'mongodb'
import type { Authority } from './certificates.ts'

/** Servers that require TLS, a certificate of the authority, and a user. Names and passwords need escaping. */
export const user = { name: 'parley@home', password: 'p:a/ss w%rd' }
const inUrl = `${encodeURIComponent(user.name)}:${encodeURIComponent(user.password)}`

export interface SecuredServer {
  port: number
  /** Includes the user, unless a file does. */
  url: string
  server: RunningServer
}

interface ServerFiles {
  dir: string
  authority: Authority
}

async function launchAt(name: string, dir: string): Promise<Omit<Launch, 'args' | 'isReady'>> {
  const [port = 0] = await freePorts(1)
  const place = await locate(
    name === 'nats' ? 'nats' : 'mongo',
    { ...bareEnv(), PARLEY_SERVERS: 'path,wheels' },
    () => undefined,
  )
  if (place.way === 'url') throw new Error('a server of our own was asked for')
  const logFile = join(dir, `${name}.log`)
  return { title: name, place, port, dir: join(dir, name), logFile, keepsAlive: false, tenants: 0 }
}

/** Starts mongod as a replica set of one, with TLS client certificates and SCRAM. */
export async function startMongo({ dir, authority }: ServerFiles): Promise<SecuredServer> {
  const at = await launchAt('mongo', dir)
  const { both } = await authority.issue('mongod')
  const keyFile = join(dir, 'mongo-key')
  writeFileSync(keyFile, randomBytes(64).toString('base64'), { mode: 0o600 })
  const tls = `--tlsMode requireTLS --tlsCAFile ${authority.ca} --tlsCertificateKeyFile ${both}`.split(' ')
  const replicas = `--replSet rs --keyFile ${keyFile} --nounixsocket --wiredTigerCacheSizeGB 0.25`.split(' ')
  const quick = ['--setParameter', 'diagnosticDataCollectionEnabled=false']
  const launch: Launch = {
    ...at,
    args: (bind, data) => ['--bind_ip', bind, '--port', `${at.port}`, '--dbpath', data, ...replicas, ...tls, ...quick],
    isReady: () => makePrimary(at.port, authority.ca, both),
  }
  const url = `mongodb://${inUrl}@localhost:${at.port}/secured?replicaSet=rs&authSource=admin`
  return { port: at.port, url, server: await startProcess(launch, programOf(at)) }
}

/** Creates the replica set and its first user with the localhost exception (mongodb.com/docs/manual/core/localhost-exception). */
async function makePrimary(port: number, tlsCAFile: string, tlsCertificateKeyFile: string): Promise<void> {
  const options = { tls: true, tlsCAFile, tlsCertificateKeyFile, serverSelectionTimeoutMS: 1_000 }
  const client = new MongoClient(`mongodb://localhost:${port}/?directConnection=true`, options)
  try {
    const admin = client.db('admin')
    const hello = await admin.command({ hello: 1 })
    if (hello['setName'] === undefined) {
      await admin.command({ replSetInitiate: { _id: 'rs', members: [{ _id: 0, host: `localhost:${port}` }] } })
    }
    if (!hello['isWritablePrimary']) throw new Error('not yet the primary')
    await admin.command({ createUser: user.name, pwd: user.password, roles: ['root'] })
  } finally {
    await client.close()
  }
}

/** Starts nats-server with JetStream and the given configuration. */
export async function startNats({ dir }: Pick<ServerFiles, 'dir'>, configuration: string): Promise<SecuredServer> {
  const at = await launchAt('nats', dir)
  const config = join(dir, `nats-${at.port}.conf`)
  writeFileSync(config, configuration)
  const launch: Launch = {
    ...at,
    args: (bind, data) => ['-c', config, '--addr', bind, '--port', `${at.port}`, '--jetstream', '--store_dir', data],
    isReady: () => tcpAnswer(at.port, '', 'INFO '),
  }
  return { port: at.port, url: `nats://localhost:${at.port}`, server: await startProcess(launch, programOf(at)) }
}

/** TLS for nats-server, with client certificates. */
export async function natsTls({ authority }: Pick<ServerFiles, 'authority'>): Promise<string> {
  const { cert, key } = await authority.issue('nats')
  return `tls { cert_file: "${cert}", key_file: "${key}", ca_file: "${authority.ca}", verify: true }\n`
}

/** Starts redis-server with TLS client certificates, no default user, and one ACL user without administrative commands. */
export async function startRedis({ dir, authority }: ServerFiles): Promise<SecuredServer> {
  const at = await launchAt('redis', dir)
  const { cert, key } = await authority.issue('redis')
  // The Python wheel's binary is built without TLS.
  const packages = ['redis-server', 'redis-tools', 'libatomic1', 'libjemalloc2', 'liblzf1']
  const root = await debianPackages('redis-debian', packages, bareEnv())
  const acl = join(dir, 'users.acl')
  writeFileSync(acl, `user default off\nuser ${user.name} on ${aclPassword()} ~* &* +@all -@admin -@dangerous +info\n`)
  const tls = `--tls-ca-cert-file ${authority.ca} --tls-cert-file ${cert} --tls-key-file ${key} --tls-auth-clients yes`
  const launch: Launch = {
    ...at,
    args: (bind, data) => [
      `LD_LIBRARY_PATH=${root}/usr/lib/x86_64-linux-gnu`,
      `${root}/usr/bin/redis-server`,
      ...`--bind ${bind} --port 0 --tls-port ${at.port} --dir ${data} --aclfile ${acl} --save`.split(' '),
      '',
      ...tls.split(' '),
    ],
    isReady: () => tlsAnswers(at.port, authority.ca, cert, key),
  }
  return { port: at.port, url: `rediss://${inUrl}@localhost:${at.port}`, server: await startProcess(launch, 'env') }
}

/** The password as SHA-256, since the ACL file is split at spaces. */
function aclPassword(): string {
  return `#${createHash('sha256').update(user.password).digest('hex')}`
}

function tlsAnswers(port: number, ca: string, cert: string, key: string): Promise<void> {
  const [caPem, certPem, keyPem] = [ca, cert, key].map((path) => readFileSync(path))
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: 'localhost', ca: caPem, cert: certPem, key: keyPem }, () => {
      socket.destroy()
      resolve()
    })
    socket.once('error', reject)
  })
}

function programOf({ place }: Pick<Launch, 'place'>): string {
  if (place.way !== 'program') throw new Error('a program was asked for')
  return place.program
}

function bareEnv(): NodeJS.ProcessEnv {
  const { PARLEY_MONGO_URL: _m, PARLEY_NATS_URL: _n, PARLEY_REDIS_URL: _r, ...env } = process.env
  return env
}
