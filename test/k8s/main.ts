import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { wholeNumber } from '@parley/local/whole-number'
import { Command } from 'commander'
import { byHelm } from './by-helm.ts'
import { atRest, deployments, kubectl, namespace, openConnections, podsOf, portForward } from './cluster.ts'
import { startLoad } from './load.ts'
import { mark, nodeUrls } from './release.ts'
import { type Done, faultsOf, pageOf, type Run, resourcesOf, tableOf } from './report.ts'
import { watchResources } from './resources.ts'
import { allSteps } from './steps.ts'

const root = join(import.meta.dirname, '../..')

/** `npm run e2e:k8s`: runs an operator's actions on Parley in a cluster under load. */
const options = new Command('npm run e2e:k8s --')
  .description(
    `Installs the chart deploy/helm/parley as a release, with the servers of deploy/k8s/overlays/try, in the cluster of KUBECONFIG.
Runs the demo. Then, while clients are connected and send messages, it upgrades, rolls back, changes settings, restarts, scales,
kills and evicts pods. Prints a report and writes it to a file. Exits with 1 if a goal is missed. Uses the namespace parley, which must not exist, and deletes it at the end. The nodes must already have
the images (kind load docker-image, minikube image load).`,
  )
  .option('--clients <number>', 'connected clients', wholeNumber(2, 10_000), 200)
  .option('--sends <number>', 'messages per second', wholeNumber(1, 1_000), 20)
  .option('--quiet-seconds <number>', 'length of the measurement without any action', wholeNumber(1, 3_600), 30)
  .option('--image <name>', 'the image of this release', 'parley')
  .option(
    '--before <name>',
    'the image of an earlier release that supports settings in files; without it, updates and rollbacks are skipped',
  )
  .option('--only <steps>', 'such as restart-realtime,scale; --only list prints all')
  .option('--gateway-url <url>', 'URL of the Service api-gateway, if node addresses are not reachable from here')
  .option('--realtime-url <url>', 'URL of the Service realtime, likewise')
  .option('--report <file>', 'output file of the report', join(root, 'docs/e2e-k8s.md'))
  .option('--keep', 'keep everything in the cluster, and reuse an existing installation')
  .parse()
  .opts<{
    clients: number
    sends: number
    quietSeconds: number
    image: string
    before?: string
    only?: string
    gatewayUrl?: string
    realtimeUrl?: string
    report: string
    keep?: true
  }>()

const log = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`)
const { before } = options
const images = { now: options.image, ...(before && { before }) }
const way = byHelm(images)
const every = allSteps(way.steps, options.image)
const steps = every.filter(({ name }) => !options.only || options.only.split(',').includes(name))
if (options.only === 'list') {
  for (const { name, title } of every) console.log(`${name}: ${title}`)
} else {
  process.exitCode = await run()
}
process.exit()

async function run(): Promise<number> {
  await takeNamespace()
  try {
    log(`installing ${before ?? options.image}`)
    await way.install()
    await kubectl(['wait', '--for=condition=Available', 'deployment', '--all', '--timeout=5m'])
    await atRest()
    const keys = await makeApp()
    await demo(keys)
    const run = await underLoad(keys)
    const faults = faultsOf(run)
    console.log(`\n${tableOf(run)}\n\n${resourcesOf(run)}\n`)
    console.log(faults.length === 0 ? 'All goals are met.' : faults.map((fault) => `✖ ${fault}`).join('\n'))
    writeFileSync(options.report, pageOf(run))
    log(`written: ${options.report}`)
    return faults.length === 0 ? 0 : 1
  } finally {
    if (options.keep) log(`left in the namespace ${namespace}`)
    else await kubectl(['delete', 'namespace', namespace, '--timeout=5m'])
  }
}

/** Refuses an existing namespace, except one of an earlier run with --keep, so that no foreign pods are restarted or evicted. */
async function takeNamespace(): Promise<void> {
  const labels = await kubectl([
    'get',
    'namespace',
    namespace,
    '--ignore-not-found',
    '--output',
    'jsonpath={.metadata.labels}',
  ])
  if (labels === '') return
  if (options.keep && labels.includes(mark)) return
  throw new Error(`the cluster already has a namespace ${namespace}, which this run did not create`)
}

interface Keys {
  apiKey: string
  clientKey: string
}

async function makeApp(): Promise<Keys> {
  const parley = ['node', 'build/parley.js', 'app', 'create', `e2e-${Date.now()}`]
  const said = await kubectl(['exec', 'deploy/api-gateway', '--', ...parley])
  const [, clientKey = ''] = /client key +(\S+)/.exec(said) ?? []
  const [, apiKey = ''] = /API key +(\S+)/.exec(said) ?? []
  return { apiKey, clientKey }
}

async function demo({ apiKey, clientKey }: Keys): Promise<void> {
  const front = await portForward('front', 8080)
  try {
    const args = ['local/src/demo.ts', '--url', front.url, '--api-key', apiKey, '--client-key', clientKey]
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root })
    log(`the demo, by port-forward: ${stdout.trim().split('\n').at(-1)}`)
  } finally {
    await front.stop()
  }
}

async function underLoad(keys: Keys): Promise<Run> {
  const { gatewayUrl, realtimeUrl } = options
  const urls = gatewayUrl && realtimeUrl ? { gatewayUrl, realtimeUrl } : await nodeUrls()
  const { clients, sends } = options
  const load = await startLoad({ ...keys, ...urls, clients, sends, openConnections })
  log(`${load.clients.length} clients are connected to ${urls.realtimeUrl}`)
  const resources = watchResources()
  const loadBefore = loadAverage()
  load.begin()
  await pause(options.quietSeconds * 1_000)
  const quiet = await load.report()
  log(`nothing done for ${options.quietSeconds} s: ${JSON.stringify(quiet)}`)
  const done: Done[] = []
  const crashed = new Set<string>()
  // Failures of services while the servers start do not count.
  const restartsBefore = new Map((await podsOf(...deployments)).map(({ name, restarts }) => [name, restarts]))
  for (const step of steps) {
    const beginMS = performance.now()
    load.begin()
    const remark = await step.run()
    const seconds = (performance.now() - beginMS) / 1_000
    const seen = await load.report()
    done.push({ ...seen, step, seconds, ...(remark && { remark }) })
    for (const { name, restarts } of await podsOf(...deployments)) {
      if (restarts > (restartsBefore.get(name) ?? 0)) crashed.add(name)
    }
    log(`${step.name}: ${JSON.stringify({ ...seen, ...(remark && { remark }) })}`)
  }
  load.stop()
  return {
    environment: [
      ...(await environmentOf()),
      `load average of the machine: ${loadBefore} before, ${loadAverage()} after`,
    ],
    quiet,
    done,
    resources: resources.stop(),
    crashed: [...crashed],
  }
}

/** The machine's load average over a minute, including other programs. */
function loadAverage(): string {
  return (loadavg()[0] ?? 0).toFixed(1)
}

async function environmentOf(): Promise<string[]> {
  const version = JSON.parse(await kubectl(['version', '--output', 'json'])) as {
    serverVersion: { gitVersion: string }
  }
  const nodes = JSON.parse(await kubectl(['get', 'nodes', '--output', 'json'])) as {
    items: { status: { capacity: { cpu: string } } }[]
  }
  const cores = nodes.items.map(({ status }) => status.capacity.cpu).join(', ')
  return [
    `${new Date().toISOString().slice(0, 10)}, Kubernetes ${version.serverVersion.gitVersion}, nodes: ${nodes.items.length}, cores: ${cores}`,
    `${options.clients} clients on a machine of ${cpus().length} cores, each in 2 of 20 rooms; ${options.sends} messages per second`,
    before ? `previous release: \`${before}\`` : 'no previous release: updates and rollbacks skipped',
  ]
}
