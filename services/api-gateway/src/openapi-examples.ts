import { okEnvelope } from '@parley/contracts/envelope'
import type { Operation } from '@parley/contracts/operation'
import { allOperations } from '@parley/contracts/operations/all'

interface Media {
  schema?: unknown
  example?: unknown
}
interface Answer {
  description?: string
  headers?: Record<string, unknown>
  content?: Record<string, Media>
}
interface DescribedOperation {
  operationId?: string
  requestBody?: { content: Record<string, Media> }
  parameters?: { name: string; in: string; example?: unknown }[]
  responses: Record<string, Answer>
}
/** The parts of an OpenAPI 3.1 document that are completed here. */
export interface OpenApiDocument {
  paths: Record<string, Record<string, DescribedOperation>>
  components: { schemas: Record<string, unknown> }
}

const json = 'application/json'

/** Completes a generated document: the contract's examples, Retry-After, and no schema that nothing refers to. */
export function finish<D extends OpenApiDocument>(document: D): D {
  const byId = new Map(allOperations.map((operation) => [operation.id, operation]))
  for (const described of Object.values(document.paths).flatMap((path) => Object.values(path))) {
    const operation = byId.get(described.operationId ?? '')
    if (operation) addExamples(described, operation)
    const ok = described.responses['200']
    if (ok) ok.description = 'OK'
    const tooMany = described.responses['429']
    if (tooMany) {
      tooMany.headers = { 'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer' } } }
    }
  }
  dropUnused(document)
  return document
}

function addExamples(described: DescribedOperation, { example, form }: Operation): void {
  const body = described.requestBody?.content[json]
  if (body && example?.body !== undefined) body.example = example.body
  const answer = described.responses['200']?.content?.[json]
  if (answer && example?.result !== undefined) {
    answer.example = form === 'bare' ? example.result : okEnvelope(example.result)
  }
  for (const parameter of described.parameters ?? []) {
    const value = parameter.in === 'query' ? example?.query?.[parameter.name] : undefined
    if (value !== undefined) parameter.example = value
  }
}

/** Schemas are registered once for input and once for output; most are used as one of them only. */
function dropUnused(document: OpenApiDocument): void {
  const { schemas } = document.components
  for (let dropped = true; dropped; ) {
    const text = JSON.stringify(document)
    const unused = Object.keys(schemas).filter((name) => !text.includes(`"#/components/schemas/${name}"`))
    for (const name of unused) delete schemas[name]
    dropped = unused.length > 0
  }
}
