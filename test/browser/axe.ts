import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
const rules: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice', 'experimental'],
}

/** Fails if axe finds a violation in the current page. */
export async function assertNothingFound(page: Page, view: string): Promise<void> {
  await page.evaluate(axe)
  const { violations, passes } = (await page.evaluate(
    (options) => (window as unknown as { axe: { run: (options: unknown) => Promise<unknown> } }).axe.run(options),
    rules,
  )) as AxeResults
  const found = violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html, any }) => `${html} ${any[0]?.message ?? ''}`).join('\n  ')}`,
  )
  assert.deepEqual(found, [], view)
  assert.ok(passes.length > 10, 'axe looked at something')
}
