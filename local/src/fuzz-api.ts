import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { startServers } from '@parley/stack/up'
import { Command } from 'commander'
import { makeApp } from './make-app.ts'
import { startService } from './service-process.ts'

/**
 * `pnpm fuzz:api`: a schema-driven fuzzer (schemathesis, pinned with hashes) against a gateway and servers
 * of its own. Fails on any 5xx and on any answer that is not of its schema.
 */
const options = new Command('pnpm fuzz:api')
  .description('Fuzzes every operation of the OpenAPI document against a gateway of its own.')
  .option('--examples <number>', 'generated cases per operation', '50')
  .option('--seed <number>', 'to repeat a run', '1')
  .parse()
  .opts<{ examples: string; seed: string }>()

const root = join(import.meta.dirname, '../..')
/** Not one of the examples' users: those get new tokens by the examples of POST /admin/clients. */
const fuzzer = 'fuzzer'
const schemathesis = installed(join(root, 'local/fuzz.requirements.txt'))
const servers = await startServers({ onProgress: (line) => console.log(`· ${line}`) })
const keys = await makeApp(servers.mongoUrl, 'fuzz')
const env = {
  PATH: process.env.PATH,
  PARLEY_MONGO_URL: servers.mongoUrl,
  PARLEY_NATS_URL: servers.natsUrl,
  PARLEY_REDIS_URL: servers.redisUrl,
  PARLEY_NODE_ID: 'fuzz',
  PARLEY_INTERNAL_PORT: '0',
  PARLEY_GATEWAY_PORT: '0',
}
const logFile = join(root, '.parley/fuzz-gateway.log')
const gateway = await startService({ service: 'api-gateway', name: 'fuzz', logFile, env }, (how) => {
  throw new Error(how)
})
const url = `http://127.0.0.1:${gateway.ports.http}`
const token = await prepare()
process.exitCode = await exitOf(fuzz())
await gateway.stop()
await servers.stop()

/** A user in a room, so that generated calls get further than the door. */
async function prepare(): Promise<string> {
  const post = async (path: string, body: unknown) => {
    const headers = { 'im-api-key': keys.apiKey, 'content-type': 'application/json' }
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`POST ${path}: ${await answer.text()}`)
    return (await answer.json()) as { result: { token: string } }
  }
  const { result } = await post('/admin/clients', { _id: fuzzer, isAdmin: true, issueAccessToken: true })
  await post('/admin/clients', { _id: 'alice', issueAccessToken: true })
  await post('/rooms/', { _id: 'demo-room', roomType: 'group', members: [fuzzer, 'alice'], owner: fuzzer })
  await post('/messages', { room: 'demo-room', sender: 'alice', message: 'Hello', messageType: 'text' })
  return result.token
}

function fuzz(): ChildProcess {
  const headers = {
    'IM-API-KEY': keys.apiKey,
    'IM-CLIENT-KEY': keys.clientKey,
    'IM-Authorization': token,
    'IM-CLIENT-ID': fuzzer,
  }
  const args = [
    ...['-m', 'schemathesis.cli', 'run', `${url}/openapi.json`],
    ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
    // Erasing the user or ending his tokens would only shut the door on everything after.
    ...['--exclude-operation-id', 'eraseUser', '--exclude-operation-id', 'revokeTokens'],
    ...['--exclude-operation-id', 'bindToken', '--exclude-operation-id', 'renewToken'],
    ...['--checks', 'not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance'],
    ...['--phases', 'examples,coverage,fuzzing', '--max-examples', options.examples, '--seed', options.seed],
    ...['--request-timeout', '10', '--max-failures', '20', '--continue-on-failure'],
  ]
  return spawn('python3', args, { stdio: 'inherit', env: { ...process.env, PYTHONPATH: schemathesis } })
}

function exitOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}

/** The folder that the pinned requirements are installed in; installs them when they are not there yet. */
function installed(requirements: string): string {
  const pins = readFileSync(requirements)
  const hash = createHash('sha256').update(pins).digest('hex').slice(0, 12)
  const folder = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'parley', `schemathesis-${hash}`)
  if (existsSync(folder)) return folder
  console.log(`· schemathesis: installing into ${folder}`)
  mkdirSync(join(folder, '..'), { recursive: true })
  const fresh = `${folder}-${process.pid}`
  const pip = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--require-hashes', '--disable-pip-version-check']
  execFileSync('python3', [...pip, '--requirement', requirements, '--target', fresh], { stdio: 'inherit' })
  renameSync(fresh, folder)
  return folder
}
