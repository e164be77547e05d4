import type { Media, OpenApiDocument, Parameter, Response } from './openapi-shapes.ts'
import { operationsOf } from './share-schemas.ts'

/** A reference is no shorter than a parameter of this length. */
const shortest = 60

/** Moves shared parameters into `components`: for each name in a path, query or header, its most common form. */
export function shareParameters(document: OpenApiDocument): void {
  const operations = operationsOf(document)
  const all = operations.flatMap(({ parameters }) => parameters ?? [])
  const forms = [...Map.groupBy(all, (parameter) => JSON.stringify(parameter))]
    .filter(([form, same]) => same.length > 1 && form.length > shortest)
    .toSorted(([, one], [, other]) => other.length - one.length)
  const named = new Map<string, string>()
  const shared: Record<string, Parameter> = {}
  const taken = new Set<string>()
  for (const [form, [parameter]] of forms) {
    const name = parameter && nameOf(parameter)
    if (name === undefined || taken.has(name.toLowerCase())) continue
    taken.add(name.toLowerCase())
    shared[name] = parameter as Parameter
    named.set(form, name)
  }
  for (const operation of operations)
    operation.parameters &&= operation.parameters.map((parameter) => {
      const name = named.get(JSON.stringify(parameter))
      return name === undefined ? parameter : ({ $ref: `#/components/parameters/${name}` } as Parameter)
    })
  document.components.parameters = shared
}

/** Moves shared response examples into `components`, each under the name of its resource. */
export function shareExamples(document: OpenApiDocument): void {
  const media = operationsOf(document).flatMap(({ responses }) =>
    Object.values(responses).flatMap(({ content }) => Object.values(content ?? {})),
  )
  const forms = Map.groupBy(
    media.filter(({ example }) => example !== undefined),
    ({ example, schema }) => JSON.stringify([example, schema]),
  )
  const shared: Record<string, { value: unknown }> = {}
  for (const [form, [first, ...others]] of forms) {
    const name = resourceOf(first)
    if (!first || name === undefined || others.length === 0 || form.length < 2 * shortest || name in shared) continue
    shared[name] = { value: first.example }
    for (const one of [first, ...others]) {
      delete one.example
      one.examples = { [name]: { $ref: `#/components/examples/${name}` } }
    }
  }
  document.components.examples = shared
}

/** Moves shared successful responses into `components`, each under the name of its resource. */
export function shareResponses(document: OpenApiDocument): void {
  const { responses: shared = {} } = document.components
  const places = operationsOf(document).flatMap(({ responses }) =>
    Object.entries(responses).map(([status, response]) => ({ responses, status, response })),
  )
  const forms = Map.groupBy(
    places.filter(({ response }) => response.$ref === undefined),
    ({ response }) => JSON.stringify(response),
  )
  for (const [first, ...others] of forms.values()) {
    const name = resourceOf(first?.response.content?.['application/json'])
    if (!first || name === undefined || others.length === 0 || name in shared) continue
    shared[name] = first.response
    for (const { responses, status } of [first, ...others])
      responses[status] = { $ref: `#/components/responses/${name}` } satisfies Response
  }
}

function resourceOf(media: Media | undefined): string | undefined {
  return /\/(\w+)Response$/.exec(String(media?.schema?.['$ref']))?.[1]
}

/** An `id` is named after its resource if the description names it: Room ID, or ID of the operator. */
function nameOf({ name, description = '' }: Parameter): string | undefined {
  const [, before, after] = /^(?:(?!Its)(\w+) ID|ID of (?:an?|the) (\w+))$/.exec(description) ?? []
  if (name === 'id') return before || after ? capitalised(`${before ?? after}-id`) : undefined
  return capitalised(name.replace(/^IM-/, ''))
}

/** room-id, roomId and ROOM-ID become RoomId. */
function capitalised(name: string): string {
  return name
    .split(/[-_]/)
    .map((word) => (/^[A-Z]+$/.test(word) ? word.toLowerCase() : word))
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}
