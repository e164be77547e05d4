import { z } from 'zod'
import { operation } from '../../operation.ts'
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
const link = z.string().describe('Token of a sign-in link that works once within a day: /console#link={token}')
const errors = ['OPERATOR_NOT_FOUND', 'PERMISSION_DENIED', 'CONFLICT'] as const

export const listOperators = operation({
  id: 'listOperators',
  method: 'GET',
  path: '/operators',
  tag: 'Console',
  summary: 'The operators who have a role in an app of which the caller is owner, by e-mail',
  access: 'operator',
  form: 'envelope',
  query: z.object({
    limit: z.coerce.number().int().min(1).max(100).default(50),
    cursor: z.string().max(400).optional().describe('`cursor` of the page before'),
  }),
  result: z.object({
    data: z.array(operator),
    cursor: z.string().optional().describe('Of the next page; absent on the last one'),
  }),
  errors: ['PERMISSION_DENIED', 'INVALID_QUERY'],
  extension: true,
  example: { query: { limit: 50 }, result: { data: [exampleOperator] } },
})

export const addOperator = operation({
  id: 'addOperator',
  method: 'POST',
  path: '/operators',
  tag: 'Console',
  summary: 'Add an operator',
  description:
    'The caller is owner of every app of `roles`; of all apps for `*`. The response has the token of a sign-in link, this one time.',
  access: 'operator',
  form: 'envelope',
  body: z.strictObject({ email: operatorEmail, name: operatorName, roles: operatorRoles.min(1) }),
  result: operator.extend({ link }),
  errors,
  extension: true,
  example: {
    body: { email: 'olivia@example.com', name: 'Olivia', roles: [{ app: 'demo', role: 'support' }] },
    result: { ...exampleOperator, link: 'ol_3q2-7wEjRWeJCrze8SNFZ4kKvN7xI0VniQ' },
  },
})

export const changeOperator = operation({
  id: 'changeOperator',
  method: 'PUT',
  path: '/operators/:id',
  tag: 'Console',
  summary: 'Change the name or the roles of an operator',
  description:
    '`roles` replaces those in apps of which the caller is owner; for others it may repeat only those there are. Changed roles end the operator’s sessions, at once on every gateway.',
  access: 'operator',
  form: 'envelope',
  params,
  body: z.strictObject({ name: operatorName.optional(), roles: operatorRoles.optional() }),
  result: operator,
  errors,
  extension: true,
  example: { body: { roles: [{ app: 'demo', role: 'moderator' }] }, result: exampleOperator },
})

export const resetOperator = operation({
  id: 'resetOperator',
  method: 'POST',
  path: '/operators/:id/reset',
  tag: 'Console',
  summary: 'Remove the password and the authenticator of an operator, and end their sessions',
  description:
    'The caller is owner of every app in which the operator has a role. The response has the token of a sign-in link.',
  access: 'operator',
  form: 'envelope',
  params,
  result: operator.extend({ link }),
  errors,
  extension: true,
  example: { result: { ...exampleOperator, link: 'ol_3q2-7wEjRWeJCrze8SNFZ4kKvN7xI0VniQ' } },
})

export const removeOperator = operation({
  id: 'removeOperator',
  method: 'DELETE',
  path: '/operators/:id',
  tag: 'Console',
  summary: 'Remove an operator, and end their sessions at once on every gateway',
  description: 'The caller is owner of every app in which the operator has a role.',
  access: 'operator',
  form: 'envelope',
  params,
  result: z.object({}),
  errors,
  extension: true,
  example: { result: {} },
})

export const listOperatorAudit = operation({
  ...listAudit,
  id: 'listOperatorAudit',
  path: '/operators/audit',
  tag: 'Console',
  summary: 'Sign-ins and changes of operators, the latest first, for owners of all apps',
  access: 'operator',
  scope: undefined,
  errors: ['INVALID_QUERY', 'PERMISSION_DENIED'],
})
