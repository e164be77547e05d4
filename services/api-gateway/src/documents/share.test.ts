import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { openApiDocument } from './openapi-document.ts'

type Node = Record<string, unknown>
interface Document {
  components: Record<string, Record<string, Node>>
  paths: Record<string, Record<string, Node>>
  webhooks: Record<string, Record<string, Node>>
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Everything in place: no reference, no example by name, no schema that extends another. */
function whole(value: unknown, components: Document['components'], within: readonly string[] = []): unknown {
  if (Array.isArray(value)) return value.map((one) => whole(one, components, within))
  if (!isNode(value)) return value
  const { $ref, ...beside } = value
  if (typeof $ref === 'string') {
    assert.ok(!within.includes($ref), `${$ref} has itself inside`)
    const [, kind = '', name = ''] = /^#\/components\/(\w+)\/([\w-]+)$/.exec($ref) ?? []
    const target = components[kind]?.[name]
    assert.ok(target, `${$ref} is there`)
    return { ...(whole(target, components, [...within, $ref]) as Node), ...(whole(beside, components, within) as Node) }
  }
  const { allOf, examples, ...others } = value
  const rest = Object.fromEntries(Object.entries(others).map(([key, one]) => [key, whole(one, components, within)]))
  if (isNode(examples) && '$ref' in (Object.values(examples)[0] as Node)) {
    const [example] = Object.values(examples)
    return { ...rest, example: (whole(example, components, within) as Node)['value'] }
  }
  if (!Array.isArray(allOf) || allOf.length !== 2) return { ...rest, ...(allOf !== undefined && { allOf, examples }) }
  const [base, added] = allOf.map((one) => whole(one, components, within) as Node) as [Node, Node]
  const required = [...listOf(base), ...listOf(added)]
  const properties = { ...(base['properties'] as Node), ...(added['properties'] as Node) }
  return { type: 'object', properties, ...(required.length > 0 && { required }), ...rest }
}

const listOf = (schema: Node) => (schema['required'] ?? []) as string[]

/** Without regard to the order of keys and required fields, and to marks inside something that is marked. */
function normal(value: unknown, isMarked = false): unknown {
  if (Array.isArray(value)) return value.map((one) => normal(one, isMarked))
  if (!isNode(value)) return value
  const inside = isMarked || value['x-extension'] === true
  const entries = Object.entries(value)
    .filter(([key, one]) => one !== undefined && !(isMarked && key === 'x-extension'))
    .map(([key, one]) => [key, key === 'required' && Array.isArray(one) ? new Set(one) : normal(one, inside)])
  return Object.fromEntries(entries.toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1)))
}

async function operations(isShared: boolean): Promise<Map<string, unknown>> {
  const { components, paths, webhooks } = JSON.parse(JSON.stringify(await openApiDocument({ isShared }))) as Document
  const all = Object.values({ ...paths, ...webhooks }).flatMap((path) => Object.values(path))
  return new Map(all.map((operation) => [String(operation['operationId']), normal(whole(operation, components))]))
}

describe('shared parts of the OpenAPI document', () => {
  test('leave every operation unchanged once resolved', async () => {
    const [before, after] = [await operations(false), await operations(true)]
    assert.ok(before.size > 150)
    assert.deepEqual([...after.keys()], [...before.keys()])
    for (const [id, operation] of before) assert.deepEqual(after.get(id), operation, id)
  })
})
