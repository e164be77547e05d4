import { z } from 'zod'

const operators = ['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$regex', '$options', '$in', '$nin', '$exists', '$type']

/** A filter `q` over these fields, with its JSON Schema for the document. packages/chat parses it. */
export function queryFilter(fields: readonly string[]) {
  const contentSchema = {
    type: 'object',
    propertyNames: { enum: [...fields, '$and', '$or'] },
    additionalProperties: {
      anyOf: [
        { type: ['string', 'number', 'boolean', 'null'] },
        { type: 'object', minProperties: 1, propertyNames: { enum: operators } },
        { type: 'array', items: { type: 'object' }, description: 'The filters of $and and $or' },
      ],
    },
  }
  return z
    .string()
    .optional()
    .describe('JSON filter in document-database query syntax')
    .meta({ contentMediaType: 'application/json', contentSchema })
}
