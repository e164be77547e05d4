import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { startServers } from '@parley/stack/up'
import { Command } from 'commander'
import { findGaps, formatTallies, tallyReports } from './fuzz-report.ts'
import { type Setup, setUp } from './fuzz-setup.ts'
import { makeApp } from './make-app.ts'
import { startService } from './service-process.ts'
import { wholeNumber } from './whole-number.ts'

/**
 * `npm run fuzz:api`: runs a schema-driven fuzzer (schemathesis, pinned with hashes) against its own gateway and servers,
 * with single calls and with sequences along the document's links.
 */
const options = new Command('npm run fuzz:api --')
  .description(
    `Fuzzes every operation of the OpenAPI document against its own gateway, singly and in sequences along the document's links.
Fails on a 5xx, on a response that violates its schema, and if an operation never returns 2xx or rejects most inputs that its schema
allows. Prints the number of 2xx and 4xx responses per operation.`,
  )
  .option('--examples <number>', 'generated cases per operation, and sequences', wholeNumber(1, 100_000), 50)
  .option('--seed <number>', 'to repeat a run', wholeNumber(0, 2 ** 31), 1)
  .parse()
  .opts<{ examples: number; seed: number }>()

const root = join(import.meta.dirname, '../..')
const fuzzFiles = join(root, 'local/fuzz')
const reportFolder = join(root, '.parley/fuzz')
const sequenceRuns = 8
/** The tag of the operators' operations, which are skipped because the fuzzer has no session. */
const signedIn = 'Console'
rmSync(reportFolder, { recursive: true, force: true })
mkdirSync(reportFolder, { recursive: true })
const schemathesis = installed(join(fuzzFiles, 'requirements.txt'))
const servers = await startServers({ onProgress: (line) => console.log(`· ${line}`) })
const keys = await makeApp(servers.mongoUrl, 'fuzz')
const env = {
  PATH: process.env.PATH,
  // The fuzzer tries wrong keys on every operation, from one address.
  PARLEY_GATEWAY_FAILED_LOGINS_PER_ADDRESS: '0',
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
const setup = await setUp(`http://127.0.0.1:${gateway.ports.http}`, keys, options.seed, servers.mongoUrl)
const exitCodes = [await exitOf(fuzz(setup, 'calls', 'examples,coverage,fuzzing', options.seed))]
// A run of sequences stops at the first deviating response, so run several.
for (let run = 1; run <= sequenceRuns; run++) {
  exitCodes.push(await exitOf(fuzz(setup, `sequences-${run}`, 'stateful', options.seed + run)))
}
const reports = readdirSync(reportFolder).map((file) => join(reportFolder, file))
const tallies = await tallyReports(reports, await describedOperations(setup.url))
await gateway.stop()
await servers.stop()

for (const line of formatTallies(tallies)) console.log(line)
const gaps = findGaps(tallies)
for (const gap of gaps) console.error(`✖ ${gap}`)
process.exitCode = exitCodes.some((code) => code !== 0) || gaps.length > 0 ? 1 : 0

function fuzz(on: Setup, report: string, phases: string, seed: number): ChildProcess {
  const args = [
    ...['-m', 'schemathesis.cli', '--config-file', join(fuzzFiles, 'schemathesis.toml')],
    ...['run', `${on.url}/openapi.json`],
    ...[
      '--checks',
      'not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,numbers_come_back',
    ],
    ...['--phases', phases, '--max-examples', String(options.examples), '--seed', String(seed)],
    ...['--exclude-tag', signedIn, '--warnings', 'off', '--report-ndjson-path', join(reportFolder, `${report}.ndjson`)],
    ...['--request-timeout', '60', '--max-failures', '20', '--continue-on-failure'],
  ]
  const more = { PYTHONPATH: `${schemathesis}:${fuzzFiles}`, SCHEMATHESIS_HOOKS: 'hooks' }
  return spawn('python3', args, {
    stdio: 'inherit',
    env: { ...process.env, ...more, PYTHONDONTWRITEBYTECODE: '1', FUZZ_SETUP: JSON.stringify(on) },
  })
}

/** The document's operations, such as POST /messages. */
async function describedOperations(url: string): Promise<string[]> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { tags: string[] }>>
  }
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => !tags.includes(signedIn))
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  )
}

function exitOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}

/** Installs the pinned requirements if missing; returns their folder. */
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
