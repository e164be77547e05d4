import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
const rules: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice', 'experimental'],
  // Describes one element, not all, that passes a rule.
  resultTypes: ['violations'],
}

/** The rules whose results depend on colours. */
const colours: RunOptions = { ...rules, runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } }

/**
 * Fails if axe finds a violation in the current page.
 *
 * @param isRecoloured whether the same view passed in other colours, so that only these are checked
 */
export async function assertAccessible(page: Page, view: string, isRecoloured = false): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe)
  const { violations, passes, incomplete } = (await page.evaluate(
    (options) => (window as unknown as { axe: { run: (options: unknown) => Promise<unknown> } }).axe.run(options),
    isRecoloured ? colours : rules,
  )) as AxeResults
  const found = violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html, any }) => `${html} ${any[0]?.message ?? ''}`).join('\n  ')}`,
  )
  assert.deepEqual(found, [], view)
  const hasRun = isRecoloured ? passes.length + incomplete.length > 0 : passes.length > 10
  assert.ok(hasRun, 'axe looked at something')
}
