import type { JsonSchema } from '@parley/contracts/documents/json-schema'
import { errorCatalogue } from '@parley/contracts/errors'
import type { DescribedOperation, Media, OpenApiDocument, Response } from './openapi-shapes.ts'

/**
 * Moves the bodies, results, list items and errors of operations into `components`, each under a name that generated
 * clients use for its type: SendMessageRequest, ListPinsResult, RoomNotFoundError. Equal errors and responses are shared.
 */
export function nameParts(document: OpenApiDocument): void {
  const names = new Names(document)
  for (const path of [...Object.values(document.paths), ...Object.values(document.webhooks)])
    for (const operation of Object.values(path)) nameOperation(names, operation)
  for (const [code, { when }] of Object.entries(errorCatalogue))
    for (const form of ['', 'Bare']) {
      const schema = document.components.schemas[errorName(code, form)]
      if (schema) schema['description'] = when
    }
}

const errorName = (code: string, form: string) => `${pascal(code).replace(/Error$/, '')}${form}Error`

function nameOperation(names: Names, operation: DescribedOperation): void {
  const id = pascal(operation.operationId ?? '')
  names.isOurs = operation['x-extension'] === true
  for (const media of mediaOf(operation.requestBody)) media.schema = names.object(`${id}Request`, media.schema)
  for (const [status, response] of Object.entries(operation.responses)) {
    if (Number(status) >= 400) operation.responses[status] = names.error(response)
    else
      for (const media of mediaOf(response))
        media.schema = nameResult(names, status === '202' ? 'JobAccepted' : id, media.schema)
  }
}

function nameResult(names: Names, id: string, schema: JsonSchema): JsonSchema {
  const { anyOf } = schema as { anyOf?: JsonSchema[] }
  // Both forms are possible, depending on the request.
  if (anyOf?.[0] && anyOf[1])
    return { ...schema, anyOf: [nameEnvelope(names, id, anyOf[0]), names.object(`${id}BareResponse`, anyOf[1])] }
  return nameEnvelope(names, id, schema)
}

function nameEnvelope(names: Names, id: string, schema: JsonSchema): JsonSchema {
  const properties = propertiesOf(schema)
  const { result } = properties
  if (!result) return names.object(`${id}Response`, nameItems(names, id, schema))
  const named = names.object(`${id}Result`, nameItems(names, id, result))
  const resource = typeof named['$ref'] === 'string' ? named['$ref'].replace(/.*\//, '').replace(/Result$/, '') : id
  return names.object(`${resource}Response`, { ...schema, properties: { ...withConstant(properties), result: named } })
}

/** Names the items of a list, which is the result itself or a field of it. */
function nameItems(names: Names, id: string, schema: JsonSchema): JsonSchema {
  const { items } = schema as { items?: JsonSchema & { anyOf?: JsonSchema[] } }
  if (items) {
    // Of a list with several kinds of items: SendBatchResultItem, SendBatchErrorItem.
    const anyOf = items.anyOf?.map((one) =>
      names.object(`${id}${pascal(Object.keys(propertiesOf(one))[0] ?? '')}Item`, one),
    )
    return { ...schema, items: names.object(`${id}Item`, { ...items, ...(anyOf && { anyOf }) }) }
  }
  const properties = propertiesOf(schema)
  if (!properties['data']?.['items']) return schema
  return { ...schema, properties: { ...properties, data: nameItems(names, id, properties['data']) } }
}

/** Most operations share these responses. */
const responseNames: Record<string, string> = {
  InvalidBodyOrMissingParameterOrInvalidRequest: 'BadRequest',
  InvalidApiKeyOrInvalidSession: 'ServerUnauthorized',
  InvalidTokenOrInvalidClientKey: 'UserUnauthorized',
  InvalidTokenOrInvalidClientKeyOrInvalidApiKeyOrInvalidSession: 'CallerUnauthorized',
  ServiceUnavailableOrOverloaded: 'Unavailable',
}

class Names {
  /** Whether the next named parts belong to a Parley extension. */
  isOurs = false
  readonly #schemas: Record<string, JsonSchema>
  readonly #responses: Record<string, Response>
  readonly #byForm = new Map<string, string>()

  constructor({ components }: OpenApiDocument) {
    this.#schemas = components.schemas
    this.#responses = components.responses ??= {}
  }

  /** A reference to the schema under its new name; a simple type or a reference stays as it is. */
  object(name: string, schema: JsonSchema): JsonSchema {
    const { type, anyOf } = schema
    if (schema['$ref'] !== undefined || (type !== 'object' && type !== 'array' && !anyOf)) return schema
    const { 'x-extension': isOurs, description, ...others } = schema
    const isEmpty = type === 'object' && JSON.stringify(schema['properties']) === '{}'
    const isMarked = this.isOurs && !isEmpty && /(?:Request|Result|Item)$/.test(name)
    const marked = isMarked ? { ...others, 'x-extension': true } : others
    const free = isEmpty ? name.replace(/^.*(?=Result$)/, 'Empty') : this.#free(name, marked)
    this.#schemas[free] = marked
    const beside = {
      ...(description !== undefined && { description }),
      ...(isOurs === true && { 'x-extension': true }),
    }
    return { $ref: `#/components/schemas/${free}`, ...beside }
  }

  /** The name of an equal body or result of another operation, or the given one. */
  #free(name: string, schema: JsonSchema): string {
    const kind = /(?:Request|Result)$/.exec(name)?.[0]
    const form = kind + JSON.stringify(schema)
    const free = (kind && this.#byForm.get(form)) ?? freeName(this.#schemas, name, schema)
    if (kind) this.#byForm.set(form, free)
    return free
  }

  /** A reference to the response; its schema is one of its codes' errors. */
  error(response: Response): Response {
    const codes = new Set<string>()
    const forms = new Set<string>()
    for (const media of mediaOf(response)) {
      const { anyOf, description: _, ...only } = media.schema as JsonSchema & { anyOf?: JsonSchema[] }
      const errors = (anyOf ?? [only]).flatMap((form) => this.#errorsIn(form, codes, forms))
      media.schema = errors.length === 1 && errors[0] ? errors[0] : { anyOf: errors }
    }
    // Each error says when it comes.
    response.description = [...codes].join(', ')
    const form = forms.size > 1 ? 'InEitherForm' : [...forms].join('')
    const joined = [...codes].map(pascal).join('Or')
    const name = freeName(this.#responses, `${responseNames[joined] ?? joined}${form}`, response)
    this.#responses[name] = response
    return { $ref: `#/components/responses/${name}` }
  }

  /** An error for each code of a schema: `{RC, RM, error: {code, message}}`, or bare. */
  #errorsIn(schema: JsonSchema, codes: Set<string>, forms: Set<string>): JsonSchema[] {
    const properties = propertiesOf(schema)
    const { error = {} } = properties
    const { code: inEnvelope, ...others } = propertiesOf(error)
    const form = inEnvelope ? '' : 'Bare'
    forms.add(form)
    const listed = ((inEnvelope ?? error)['enum'] ?? []) as string[]
    return listed.map((code) => {
      codes.add(code)
      const only = { const: code }
      const described = inEnvelope ? { ...error, properties: { code: only, ...others } } : only
      const name = errorName(code, form)
      return this.object(name, { ...schema, properties: { ...withConstant(properties), error: described } })
    })
  }
}

const propertiesOf = (schema: JsonSchema) => (schema['properties'] ?? {}) as Record<string, JsonSchema>

/** The fields of an envelope, where RC has one value. */
function withConstant(properties: Record<string, JsonSchema>): Record<string, JsonSchema> {
  const [only] = (properties['RC']?.['enum'] ?? []) as number[]
  return only === undefined ? properties : { ...properties, RC: { const: only } }
}

function mediaOf(body: { content?: Record<string, Media> } | undefined): (Media & { schema: JsonSchema })[] {
  const media = body?.content?.['application/json']
  return media?.schema ? [media as Media & { schema: JsonSchema }] : []
}

/** ROOM_NOT_FOUND and roomNotFound become RoomNotFound. */
function pascal(name: string): string {
  const words = /^[A-Z\d_]+$/.test(name) ? name.toLowerCase().split('_') : [name]
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

/** The name, with a number if it is taken by something else. */
function freeName(taken: Record<string, unknown>, name: string, value: unknown): string {
  const text = JSON.stringify(value)
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name}${number}`
    if (!(candidate in taken) || JSON.stringify(taken[candidate]) === text) return candidate
  }
}
