import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

interface KnownSetting {
  env: string
  /** Whether it can be read from a file, like every secret. */
  mayBeFile: boolean
}

/** Every setting of every service, from docs/settings.md. Another test compares that page with the code. */
export function knownSettings(): KnownSetting[] {
  const page = readFileSync(join(root, 'docs/settings.md'), 'utf8')
  return Array.from(page.matchAll(/^\| `([A-Z0-9_]+)`( \(`_FILE`\))? \|/gm), ([, env = '', file]) => ({
    env,
    mayBeFile: file !== undefined,
  }))
}

/** Faults in a container's environment variables. */
export function wrongVariables(environment: Record<string, unknown>): string[] {
  const known = knownSettings()
  return Object.keys(environment).flatMap((name) => {
    if (!/^(?:PARLEY_|PUSH_|OTEL_)/.test(name)) return []
    const setting = known.find(({ env, mayBeFile }) => name === env || (mayBeFile && name === `${env}_FILE`))
    if (!setting) return [`${name} is no setting`]
    return setting.mayBeFile && name === setting.env ? [`${name} is a secret: it belongs into a file`] : []
  })
}
