import { z } from 'zod'
import { operation } from '../../operation.ts'
import { nextCursor, pageCursor } from '../../page-cursor.ts'
import {
  exampleOperator,
  operator,
  operatorEmail,
  operatorId,
  operatorName,
  operatorRoles,
} from '../../resources/operator.ts'
import { listAudit } from '../admin/audit.ts'

const params = z.object({ id: operatorId })
const link = z.string().describe('Token of a sign-in link, valid once within a day: /console#link={token}')
const errors = ['OPERATOR_NOT_FOUND', 'PERMISSION_DENIED', 'CONFLICT'] as const

export const listOperators = operation('listOperators', 'GET /operators', {
  tag: 'Console',
  summary: 'List operators with a role in an app that the caller owns, by e-mail',
  access: 'operator',
  query: z.object({
    limit: z.coerce.number().int().min(1).max(100).default(50),
    cursor: pageCursor,
  }),
  result: z.object({
    data: z.array(operator),
    cursor: nextCursor,
  }),
  errors: ['PERMISSION_DENIED', 'INVALID_QUERY'],
  example: { query: { limit: 50 }, result: { data: [exampleOperator] } },
})

export const addOperator = operation('addOperator', 'POST /operators', {
  tag: 'Console',
  summary: 'Add an operator',
  description:
    'The caller must own every app in `roles`; for `*`, all apps. The sign-in link is returned only in this response.',
  access: 'operator',
  body: z.strictObject({ email: operatorEmail, name: operatorName, roles: operatorRoles.min(1) }),
  result: operator.extend({ link }),
  errors,
  example: {
    body: { email: 'olivia@example.com', name: 'Olivia', roles: [{ app: 'demo', role: 'support' }] },
    result: { ...exampleOperator, link: 'ol_3q2-7wEjRWeJCrze8SNFZ4kKvN7xI0VniQ' },
  },
})

export const changeOperator = operation('changeOperator', 'PUT /operators/:id', {
  tag: 'Console',
  summary: 'Change the name or roles of an operator',
  description:
    '`roles` replaces the roles in apps that the caller owns; for other apps it may only repeat existing roles. Changed roles end the operator’s sessions immediately, on every gateway.',
  access: 'operator',
  params,
  body: z.strictObject({ name: operatorName.optional(), roles: operatorRoles.optional() }),
  result: operator,
  errors,
  example: { body: { roles: [{ app: 'demo', role: 'moderator' }] }, result: exampleOperator },
})

export const resetOperator = operation('resetOperator', 'POST /operators/:id/reset', {
  tag: 'Console',
  summary: 'Remove every way an operator signs in, and end their sessions',
  description: 'The caller must own every app in which the operator has a role. The response has a sign-in link.',
  access: 'operator',
  params,
  result: operator.extend({ link }),
  errors,
  example: { result: { ...exampleOperator, link: 'ol_3q2-7wEjRWeJCrze8SNFZ4kKvN7xI0VniQ' } },
})

export const removeOperator = operation('removeOperator', 'DELETE /operators/:id', {
  tag: 'Console',
  summary: 'Remove an operator and end their sessions immediately, on every gateway',
  description: 'The caller must own every app in which the operator has a role.',
  access: 'operator',
  params,
  result: z.object({}),
  errors,
  example: { result: {} },
})

export const listOperatorAudit = operation('listOperatorAudit', 'GET /operators/audit', {
  query: listAudit.query,
  result: listAudit.result,
  example: listAudit.example,
  tag: 'Console',
  summary: 'List sign-ins and changes of operators, newest first, for owners of all apps',
  access: 'operator',
  errors: ['INVALID_QUERY', 'PERMISSION_DENIED'],
})
