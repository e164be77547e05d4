import { z } from 'zod'
import { deviceHeader } from '../../headers.ts'
import { comparedText, inPath, naming } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { optionalPage } from '../../optional-page.ts'

/** Maximum size of a preference value, in bytes of JSON. */
export const maxPrefBytes = 16 * 1024
/** Maximum number of preferences of a user. */
export const maxPrefs = 1_000

const key = inPath(comparedText(128).min(1))

export const listMyPrefs = operation('listMyPrefs', 'GET /me/pref', {
  tag: 'Preferences',
  summary: "List the caller's personal preferences, by key",
  access: 'client',
  query: optionalPage,
  // Not a record: zod would leave out the key `__proto__`, which is an ordinary one here.
  result: z.any().meta({ type: 'object', description: 'Keys with any JSON as value' }),
  errors: ['INVALID_QUERY'],
  example: { result: { theme: { dark: true } } },
})

export const setMyPref = operation('setMyPref', 'POST /me/pref/:key', {
  tag: 'Preferences',
  summary: 'Set a personal preference; emits myPrefChange to the other devices',
  description: 'A user has at most 1,000 preferences.',
  access: 'client',
  params: z.object({ key }),
  headers: deviceHeader,
  body: z.strictObject({
    data: z
      .any()
      .refine((data) => data !== undefined, 'required')
      .describe('Any JSON of at most 16 KiB'),
  }),
  result: z.object({ key: z.string(), data: z.unknown() }),
  errors: ['MISSING_PARAMETER', 'TOO_MANY_PREFS'],
  example: { body: { data: { dark: true } }, result: { key: 'theme', data: { dark: true } } },
})

export const deleteMyPref = operation('deleteMyPref', 'DELETE /me/pref/:key', {
  tag: 'Preferences',
  summary: 'Delete a personal preference; emits myPrefDelete to the other devices',
  access: 'client',
  params: z.object({ key: naming('preference', key.describe('Key of an existing preference')) }),
  headers: deviceHeader,
  result: z.object({}),
  errors: ['PREF_NOT_FOUND'],
  example: { result: {} },
})
