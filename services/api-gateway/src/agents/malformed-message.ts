import {
  CallToolRequestSchema,
  ErrorCode,
  InitializeRequestSchema,
  JSONRPCMessageSchema,
  JSONRPCNotificationSchema,
  JSONRPCRequestSchema,
  ListToolsRequestSchema,
  RequestIdSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { explainIssue } from '@parley/contracts/explain-issue'
import { isObject } from '@parley/contracts/free-json'
import type { z } from 'zod'

const methods = new Map<unknown, z.ZodType>([
  ['initialize', InitializeRequestSchema],
  ['tools/list', ListToolsRequestSchema],
  ['tools/call', CallToolRequestSchema],
])

/**
 * The error of a message that is not valid JSON-RPC, or whose parameters do not fit its method; undefined for a good one.
 * Names the field. The SDK reports the former as a parse error and the latter as an internal error.
 */
export function malformedMessage(message: unknown) {
  const fields = isObject(message) ? message : {}
  const issue = firstIssue(envelopeOf(fields), message) ?? firstIssue(methods.get(fields['method']), message)
  if (!issue) return undefined
  const code = issue.path[0] === 'params' ? ErrorCode.InvalidParams : ErrorCode.InvalidRequest
  const { data: id = null } = RequestIdSchema.safeParse(fields['id'])
  return { jsonrpc: '2.0', id, error: { code, message: explainIssue(issue) } }
}

function envelopeOf(message: Record<string, unknown>): z.ZodType {
  if ('result' in message || 'error' in message) return JSONRPCMessageSchema
  return 'id' in message ? JSONRPCRequestSchema : JSONRPCNotificationSchema
}

function firstIssue(schema: z.ZodType | undefined, message: unknown) {
  return schema?.safeParse(message).error?.issues[0]
}
