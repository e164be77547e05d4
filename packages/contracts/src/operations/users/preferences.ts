import { z } from 'zod'
import { deviceHeader } from '../../headers.ts'
import { comparedText, inPath, naming } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { optionalPage } from '../../optional-page.ts'

/** A preference value is at most this many bytes as JSON. */
export const maxPrefBytes = 16 * 1024
/** A user has at most this many preferences. */
export const maxPrefs = 1_000

const key = inPath(comparedText(128).min(1))

export const listMyPrefs = operation({
  id: 'listMyPrefs',
  method: 'GET',
  path: '/me/pref',
  tag: 'Preferences',
  summary: 'The personal preferences of the caller, by key',
  access: 'client',
  form: 'envelope',
  query: optionalPage,
  // Not a record: zod would leave out the key `__proto__`, which is an ordinary one here.
  result: z.any().meta({ type: 'object', description: 'Keys with any JSON as value' }),
  errors: ['INVALID_QUERY'],
  extension: true,
  example: { result: { theme: { dark: true } } },
})

export const setMyPref = operation({
  id: 'setMyPref',
  method: 'POST',
  path: '/me/pref/:key',
  tag: 'Preferences',
  summary: 'Set a personal preference; myPrefChange goes to the other devices',
  description: 'A user has at most 1,000 preferences.',
  access: 'client',
  form: 'envelope',
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
  extension: true,
  example: { body: { data: { dark: true } }, result: { key: 'theme', data: { dark: true } } },
})

export const deleteMyPref = operation({
  id: 'deleteMyPref',
  method: 'DELETE',
  path: '/me/pref/:key',
  tag: 'Preferences',
  summary: 'Delete a personal preference; myPrefDelete goes to the other devices',
  access: 'client',
  form: 'envelope',
  params: z.object({ key: naming('preference', key.describe('A key that was set')) }),
  headers: deviceHeader,
  result: z.object({}),
  errors: ['PREF_NOT_FOUND'],
  extension: true,
  example: { result: {} },
})
