import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { resultsFolder } from './save-results.ts'

/** A CPU profile as Node.js writes it (--cpu-prof). */
interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string } }[]
  samples: number[]
  timeDeltas: number[]
}

/** Shares of CPU time in a folder's profiles, largest first: by dependency, source folder, and V8's entries in parentheses. */
function cpuShares(folder: string): { where: string; share: number }[] {
  const times = new Map<string, number>()
  let total = 0
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'))) {
    const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as CpuProfile
    const places = new Map(nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]))
    for (const [i, sample] of samples.entries()) {
      const place = places.get(sample) ?? '(unknown)'
      if (place === '(idle)') continue
      const time = timeDeltas[i] ?? 0
      times.set(place, (times.get(place) ?? 0) + time)
      total += time
    }
  }
  return [...times].map(([where, time]) => ({ where, share: time / total })).toSorted((a, b) => b.share - a.share)
}

function placeOf({ functionName, url }: CpuProfile['nodes'][number]['callFrame']): string {
  if (url === '') return functionName.startsWith('(') ? functionName : `${functionName} (native)`
  const dependency = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/.exec(url)?.[1]
  if (dependency !== undefined) return dependency
  return /\/((?:packages|services)\/[^/]+)\//.exec(url)?.[1] ?? url.split('/')[0] ?? url
}

/** Empties the folder of CPU profiles; returns its path. */
export function emptyProfilesFolder(): string {
  const folder = join(resultsFolder, 'profile')
  rmSync(folder, { recursive: true, force: true })
  return folder
}

/** NODE_OPTIONS that make a process write its CPU profile into the folder. */
export function profilesInto(folder: string): string {
  return `--cpu-prof --cpu-prof-dir=${JSON.stringify(folder)}`
}

/** Prints the 25 largest shares of CPU time in the folder's profiles. */
export function printCpuShares(of: string, folder: string): void {
  console.log(`\n${of}, by code`)
  for (const { where, share } of cpuShares(folder).slice(0, 25)) {
    console.log(`${(share * 100).toFixed(1).padStart(6)} %  ${where}`)
  }
}
